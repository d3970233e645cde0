//! Openmoko Neo FreeRunner, GTA02.

use super::{Board, External, KeepPower};
use crate::model;
use crate::soc::s3c2440::Wiring;
use crate::soc::s3c2440::gpio::Port;
use crate::soc::s3c2440::memctl::SdramFit;
use crate::soc::s3c2442::S3C2442B;

/// The board. Sources: Openmoko U-Boot (branch andy, board/neo1973), Linux 6.1 mach-gta02.c.
pub static BOARD: Board = Board {
    name: "gta02",
    description: "Openmoko Neo FreeRunner: S3C2442B, 128 MiB SDRAM, 256 MiB NAND, console on UART2",
    soc: &Wiring {
        soc: &S3C2442B,
        crystal: 12_000_000,
        sdram: SdramFit {
            base: 0x3000_0000,
            len: 128 << 20,
            banks: 2,
            columns: 9,
            bk76map: &[1],
            needs_sclk_enabled: true,
        },
        console: 2,
        // KEEPACT. Hardware version 2 and later; version 1 has it on GPJ3.
        keep_power: Some((Port::J, 8)),
        nand_write_protect: Some((Port::A, 16)),
    },
    parts: &["K5D2G13ACM"],
    machine: 1304,
    keep_power: Some(KeepPower { name: "KEEPACT", within: model::GTA02_KEEPACT_MAX }),
    external: &[
        External { name: "Glamo graphics", base: 0x0800_0000, len: 0x0800_0000 },
        External { name: "NOR flash", base: 0x1800_0000, len: 0x0800_0000 },
    ],
};
