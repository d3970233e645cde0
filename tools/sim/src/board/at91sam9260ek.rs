//! Atmel AT91SAM9260-EK.

use super::Board;
use crate::soc::at91sam9260::clock::Crystals;
use crate::soc::at91sam9260::sdram::SdramFit;
use crate::soc::at91sam9260::{Pin, Wiring};

/// The board. Sources: at91bootstrap 3 (board/at91sam9260ek), Linux 6.1 (at91sam9260ek.dts, mach-types),
/// U-Boot (at91sam9260ek.h). Which part a given board carries is not known: 256 MiB, by lot.
pub static BOARD: Board = Board {
    name: "at91sam9260ek",
    description: "Atmel AT91SAM9260-EK: AT91SAM9260, 64 MiB SDRAM, 256 MiB NAND, console on DBGU",
    soc: &Wiring {
        crystals: Crystals { main: 18_432_000, slow: 32_768 },
        sdram: SdramFit { base: 0x2000_0000, len: 64 << 20, columns: 9, rows: 13 },
        nand_enable: Pin { pio: 2, bit: 14 },
        nand_ready: Pin { pio: 2, bit: 13 },
    },
    // The first two are those that at91bootstrap knows by their ids; the third is a later generation.
    parts: &["MT29F2G08AAC", "K9F2G08U0M", "K9F2G08U0B"],
    machine: 1099,
    keep_power: None,
    external: &[],
};
