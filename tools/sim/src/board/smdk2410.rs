//! Samsung SMDK2410.

use super::{Board, External};
use crate::soc::s3c2410::S3C2410X;
use crate::soc::s3c2440::Wiring;
use crate::soc::s3c2440::memctl::SdramFit;

/// The board. Sources: mainline U-Boot (board/samsung/smdk2410), Linux 6.1 (common-smdk-s3c24xx.c,
/// mach-types). That it carries this NAND part is an assumption.
pub static BOARD: Board = Board {
    name: "smdk2410",
    description: "Samsung SMDK2410: S3C2410X, 64 MiB SDRAM, 64 MiB NAND, console on UART0",
    soc: &Wiring {
        soc: &S3C2410X,
        crystal: 12_000_000,
        sdram: SdramFit {
            base: 0x3000_0000,
            len: 64 << 20,
            banks: 1,
            columns: 9,
            // U-Boot sets 2, a window of 128 MiB in which the memory repeats.
            bk76map: &[1, 2],
            needs_sclk_enabled: false,
        },
        console: 0,
        keep_power: None,
        nand_write_protect: None,
    },
    parts: &["K9F1208U0C"],
    machine: 193,
    keep_power: None,
    external: &[External { name: "CS8900 Ethernet", base: 0x1800_0000, len: 0x0800_0000 }],
};
