//! FriendlyARM mini2440: S3C2440A, 64 MiB SDRAM, K9F1G08U0B or K9F2G08U0B NAND, console on
//! UART0. Memory settings as barebox uses them.

use super::BoardInfo;
use crate::soc::s3c2440::board::{Board, Console, S3c2440};
use crate::soc::s3c2440::clock::{ClockConfig, HclkDivider, Pll};
use crate::soc::s3c2440::gpio;
use crate::soc::s3c2440::sdram::{self, SdramConfig};
use crate::units::Hz;

/// UART 0 to 2 on port H.
const GPHCON: u32 = 0x001a_aaaa;

pub struct Mini2440;

impl Board for Mini2440 {
    type Chip = S3c2440;

    const INFO: BoardInfo = BoardInfo {
        name: "mini2440",
        soc: "S3C2440A",
        machine: 1999,
        revision: None,
        sdram: (0x3000_0000, 64 << 20),
        loader: (0x33e0_0000, 2 << 20),
        nand_parts: &["K9F1G08U0B", "K9F2G08U0B"],
        fclk: Self::CLOCKS.fclk(),
        hclk: Self::CLOCKS.hclk(),
        pclk: Self::CLOCKS.pclk(),
        console: "ttySAC0",
        baud: 115_200,
    };

    /// FCLK 400 MHz, HCLK 100 MHz, PCLK 50 MHz: what the memory settings below are for. The
    /// NAND cycle is 40 ns for either part; 133 MHz would make it 37.5.
    const CLOCKS: &'static ClockConfig = &ClockConfig {
        crystal: Hz(12_000_000),
        mpll: Pll { mdiv: 0x5c, pdiv: 1, sdiv: 1 },
        upll: Pll { mdiv: 0x38, pdiv: 2, sdiv: 2 },
        hclk: HclkDivider::By4,
    }
    .checked();

    /// Bank 6: two x16 parts of 32 MiB; two clocks each for CAS latency, tRCD and tRP.
    /// Bank 4 is the DM9000 network controller. Nothing is in bank 7.
    const SDRAM: SdramConfig = SdramConfig {
        bwscon: 0x323d_3330,
        bankcon: [
            0x0700,
            0x0700,
            0x0700,
            0x0700,
            0x1f4c,
            0x0700,
            sdram::sdram_bank(2, 9),
            sdram::sdram_bank(2, 9),
        ],
        refresh: sdram::refresh(2, 5),
        refresh_interval: 78, // 64 ms / 8192 rows
        banksize: 0xb1,       // bursts, power-down, SCLK on demand, 64 MiB a bank
        mrsr: [sdram::mode(2), sdram::mode(2)],
    };

    const CONSOLE: Console = Console::Uart0;

    fn keep_power() {}

    fn pins() {
        gpio::set_port_h(GPHCON);
    }
}
