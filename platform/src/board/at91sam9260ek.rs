//! Atmel AT91SAM9260-EK: 64 MiB SDRAM, 256 MiB of NAND on chip select 3, console on the debug
//! unit. Settings as at91bootstrap uses them.

use super::BoardInfo;
use crate::soc::at91sam9::board::{Board, Sam9};
use crate::soc::at91sam9::clock::ClockConfig;
use crate::soc::at91sam9::sdram::SdramConfig;
use crate::units::Hz;

pub struct Ek;

/// The board with what its SoC makes of it.
pub type At91sam9260ek = Sam9<Ek>;

impl Board for Ek {
    const INFO: BoardInfo = BoardInfo {
        name: "at91sam9260ek",
        soc: "AT91SAM9260",
        machine: 1099,
        revision: None,
        sdram: (0x2000_0000, 64 << 20),
        loader: (0x23e0_0000, 2 << 20),
        // Which one varies by lot.
        nand_parts: &["MT29F2G08AAC", "K9F2G08U0B"],
        fclk: Self::CLOCKS.pck(),
        hclk: Self::CLOCKS.mck(),
        pclk: Self::CLOCKS.mck(),
        console: "ttyS0",
        baud: 115_200,
    };

    /// 198.656 MHz for the core, 99.328 MHz for all else.
    const CLOCKS: &'static ClockConfig =
        &ClockConfig { crystal: Hz(18_432_000), multiplier: 97, divider: 9 }.checked();

    /// Two x16 parts side by side.
    const SDRAM: SdramConfig = SdramConfig {
        columns: 9,
        rows: 13,
        cas_latency: 2,
        t_wr: 2,
        t_rc: 7,
        t_rp: 2,
        t_rcd: 2,
        t_ras: 5,
        t_xsr: 8,
        refresh_interval: 70, // 7 us, of 64 ms / 8192 rows
    };
}
