//! Openmoko GTA02 (Neo FreeRunner): S3C2442B, 128 MiB SDRAM, K5D2G13ACM NAND, console on
//! UART2. Pin and memory settings as Openmoko's own boot loader used them.

use super::BoardInfo;
use crate::soc::s3c2442::board::{Board, Console, S3c2440};
use crate::soc::s3c2442::clock::{ClockConfig, HclkDivider, Pll};
use crate::soc::s3c2442::gpio;
use crate::soc::s3c2442::sdram::{self, SdramConfig};
use crate::units::Hz;

/// KEEPACT: the power management unit cuts the power unless GPJ8 is driven.
const KEEPACT: u32 = 8;
/// Port A as bus pins; GPA13, 15 and 16 stay outputs.
const GPACON: u32 = 0x007e_5fff;
/// GPA16 is the NAND's write protection: high permits.
const N_NAND_WP: u32 = 1 << 16;
/// UART 0 to 2 on port H.
const GPHCON: u32 = 0x001a_aaaa;

pub struct Gta02;

impl Board for Gta02 {
    type Chip = S3c2440;

    const INFO: BoardInfo = BoardInfo {
        name: "gta02",
        soc: "S3C2442B",
        machine: 1304,
        revision: Some(0x360), // hardware A6
        sdram: (0x3000_0000, 128 << 20),
        loader: (0x37e0_0000, 2 << 20),
        nand_parts: &["K5D2G13ACM"],
        fclk: Self::CLOCKS.fclk(),
        hclk: Self::CLOCKS.hclk(),
        pclk: Self::CLOCKS.pclk(),
        console: "ttySAC2",
        baud: 115_200,
    };

    /// FCLK 400 MHz, HCLK 133.3 MHz, PCLK 66.7 MHz: at this HCLK the NAND cycle is the
    /// chip's own 45 ns. With `$HCLK_100` at compile time 100 and 50 MHz, as Openmoko ran it:
    /// 50 ns.
    const CLOCKS: &'static ClockConfig = &ClockConfig {
        crystal: Hz(12_000_000),
        mpll: Pll { mdiv: 42, pdiv: 1, sdiv: 0 },
        upll: Pll { mdiv: 88, pdiv: 4, sdiv: 2 },
        hclk: match option_env!("HCLK_100") {
            None => HclkDivider::By3,
            Some(_) => HclkDivider::By4,
        },
    }
    .checked();

    /// Two banks of 64 MiB side by side, three clocks each for CAS latency, tRCD and
    /// tRP: 22.5 ns at 133 MHz.
    const SDRAM: SdramConfig = SdramConfig {
        bwscon: 0x2211_d1d0,
        bankcon: [
            0x0700, // NOR flash
            0x1bc0, // Glamo graphics
            0x0700,
            0x1f4c,
            0x0700,
            0x0700,
            sdram::sdram_bank(3, 9),
            sdram::sdram_bank(3, 9),
        ],
        refresh: sdram::refresh(3, 7),
        refresh_interval: 78, // 64 ms / 8192 rows
        banksize: 0xb1,       // bursts, power-down, SCLK on demand, 64 MiB a bank
        mrsr: [sdram::mode(3), sdram::mode(3)],
    };

    const CONSOLE: Console = Console::Uart2;

    fn keep_power() {
        gpio::drive_j_high(KEEPACT);
    }

    fn pins() {
        gpio::set_port_a(GPACON, N_NAND_WP);
        gpio::set_port_h(GPHCON);
    }
}
