//! Samsung S3C2410X: the S3C2440A's older sibling. Clocks and the NAND controller are its own,
//! the UARTs' FIFOs are shorter; the rest is the same. Sources: S3C2410X User's Manual, cited by
//! chapter.

pub mod board;
pub mod clock;
pub mod nand;

pub use super::s3c2440::{gpio, sdram, timer, uart, wdt};

/// What is not where the S3C2440 has it, chapter 1.
mod map {
    crate::register_blocks! {
        /// Clock and power.
        clock: super::clock::Regs = 0x4c00_0000;
        /// NAND controller.
        nand: super::nand::Regs = 0x4e00_0000;
    }
}
