//! FriendlyARM mini2440.

use super::{Board, External};
use crate::soc::s3c2440::memctl::SdramFit;
use crate::soc::s3c2440::{S3C2440A, Wiring};

/// The board. Sources: Linux 6.1 mach-mini2440.c, barebox arch/arm/boards/friendlyarm-mini2440.
pub static BOARD: Board = Board {
    name: "mini2440",
    description: "FriendlyARM mini2440: S3C2440A, 64 MiB SDRAM, 128 or 256 MiB NAND, console on UART0",
    soc: &Wiring {
        soc: &S3C2440A,
        crystal: 12_000_000,
        sdram: SdramFit {
            base: 0x3000_0000,
            len: 64 << 20,
            banks: 1,
            columns: 9,
            bk76map: &[1],
            needs_sclk_enabled: false,
        },
        console: 0,
        keep_power: None,
        nand_write_protect: None,
    },
    // The last is no part of the board's makers: it fits, and shows what READ CACHE is good for.
    parts: &["K9F1G08U0B", "K9F2G08U0B", "MT29F2G08AAC"],
    machine: 1999,
    keep_power: None,
    external: &[External { name: "DM9000 Ethernet", base: 0x2000_0000, len: 0x0800_0000 }],
};
