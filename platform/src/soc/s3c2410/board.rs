//! What a board with this SoC says about itself, as for the S3C2440.

use super::clock::{self, ClockConfig};
use super::nand::{Config, Controller};
use super::uart::Fifo;
use crate::soc::s3c2440::board::Chip;

pub use crate::soc::s3c2440::board::{Board, Console};

/// The chip.
pub struct S3c2410;

impl Fifo for S3c2410 {
    /// FIFOs of 16 bytes: full in bit 9.
    const TX_FULL: u32 = 1 << 9;
    /// Count in bits 3:0, full in bit 8.
    const RX_ANY: u32 = 0x10f;
}

impl Chip for S3c2410 {
    type Clocks = ClockConfig;
    type Nand = Controller;
    type NandConfig = Config;
    /// The last block is the SD interface's, at 0x5a00_0000.
    const MAPPED_MIB: u32 = 0x5a1;

    #[inline(always)]
    fn start_clocks(config: &ClockConfig) {
        clock::start(config);
    }

    #[inline(always)]
    fn nand(config: &'static Config) -> Controller {
        Controller::start(config)
    }
}
