//! Samsung SMDK2410: S3C2410X, 64 MiB SDRAM, K9F1208U0C NAND, console on UART0. Pins as U-Boot
//! sets them, SDRAM for the bus clock that the board really has.

use super::BoardInfo;
use crate::soc::s3c2410::board::{Board, Console, S3c2410};
use crate::soc::s3c2410::clock::{ClockConfig, Pll};
use crate::soc::s3c2410::gpio;
use crate::soc::s3c2410::sdram::{self, SdramConfig};
use crate::units::Hz;

/// UART 0 and 1 on port H.
const GPHCON: u32 = 0x002a_faaa;

pub struct Smdk2410;

impl Board for Smdk2410 {
    type Chip = S3c2410;

    const INFO: BoardInfo = BoardInfo {
        name: "smdk2410",
        soc: "S3C2410X",
        machine: 193,
        revision: None,
        sdram: (0x3000_0000, 64 << 20),
        loader: (0x33e0_0000, 2 << 20),
        nand_parts: &["K9F1208U0C"],
        fclk: Self::CLOCKS.fclk(),
        hclk: Self::CLOCKS.hclk(),
        pclk: Self::CLOCKS.pclk(),
        console: "ttySAC0",
        baud: 115_200,
    };

    /// FCLK 202.8 MHz, HCLK 101.4 MHz, PCLK 50.7 MHz, as the board is known to run. The NAND cycle
    /// is 59.2 ns: at 100.0 MHz it would be 50, because 30 ns are three clocks there and four here.
    const CLOCKS: &'static ClockConfig = &ClockConfig {
        crystal: Hz(12_000_000),
        mpll: Pll { mdiv: 0xa1, pdiv: 3, sdiv: 1 },
        upll: Pll { mdiv: 0x48, pdiv: 3, sdiv: 2 },
    }
    .checked();

    /// Bank 6, 32 bits wide; three clocks each for CAS latency, tRCD and tRP: 29.6 ns. Bank 3 is
    /// the CS8900 network controller.
    const SDRAM: SdramConfig = SdramConfig {
        bwscon: 0x2211_d120,
        bankcon: [
            0x0700,
            0x0700,
            0x0700,
            0x1f4c,
            0x0700,
            0x0700,
            sdram::sdram_bank(3, 9),
            sdram::sdram_bank(3, 9),
        ],
        refresh: sdram::refresh(3, 5),
        refresh_interval: 78, // 64 ms / 8192 rows
        banksize: 0xb1,       // bursts, power-down, SCLK on demand, 64 MiB a bank
        mrsr: [sdram::mode(3), sdram::mode(3)],
    };

    const CONSOLE: Console = Console::Uart0;

    fn keep_power() {}

    fn pins() {
        gpio::set_port_h(GPHCON);
    }
}
