//! S3C2442B: what differs from the S3C2440A, whose controllers it has.

use super::s3c2440::clock::{self, ClockData};
use super::s3c2440::nand::NandController;
use super::s3c2440::{CAMERA, SocData, gpio, intc, uart};

/// The chip of the GTA02.
pub static S3C2442B: SocData = SocData {
    // GSTATUS1, as Linux (mach-s3c/s3c24xx.c) knows it.
    chip_id: 0x3244_0AAB,
    // No AC97, whose clock is bit 20 of CLKCON.
    clock: ClockData { clkcon_mask: 0x000F_FFFC, ..clock::S3C2440 },
    gpio: gpio::S3C2440,
    uart: uart::S3C2440,
    sub_sources: intc::S3C2440_SUB_SOURCES,
    wdt_is_sub_source: false,
    has_iiclc: true,
    lenient: &[CAMERA],
    nand: NandController::boxed,
};
