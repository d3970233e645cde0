//! S3C2442B: what differs from the S3C2440A, whose controllers it has.

use super::s3c2440::SocData;

/// The chip of the GTA02.
pub static S3C2442B: SocData = SocData {
    name: "S3C2442B",
    // GSTATUS1, as Linux (mach-s3c/s3c24xx.c) knows it.
    chip_id: 0x3244_0AAB,
    // No AC97, whose clock is bit 20 of CLKCON.
    clkcon_mask: 0x000F_FFFC,
    has_ac97: false,
};
