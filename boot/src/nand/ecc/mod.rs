//! ECC: which codes are stored where in the OOB, and what they say of a page that was read.
//!
//! A code ([`Codec`], [`hamming`], [`halves`]) covers a step of the data. Where in the OOB the codes of a
//! page are is a matter of who wrote it ([`Layout`], [`LAYOUTS`]); [`guess`] finds out.

mod codec;
mod detect;
pub mod halves;
pub mod hamming;
mod layout;
mod stats;
#[cfg(test)]
mod tests;

use platform::hal::Code;

pub use codec::{Bits, CODE_MAX, Codec, STRENGTH_MAX, Uncorrectable};
pub use detect::{Alike, Guess, Score, detect, guess};
pub use halves::Halves;
pub use hamming::{Hamming, Verdict};
pub use layout::{LAYOUTS, Layout, S3C24XX_HW};
pub use stats::{STEPS_MAX, Stats, Step};

/// Bytes of data under one code of the S3C24x0 controllers on large pages.
pub const STEP: usize = Hamming::S3C24XX_256.step;
/// OOB offset of the first code on a page of 2048 + 64 bytes.
pub const OOB_OFFSET: usize = 40;

/// Whether the XOR of a stored and a computed code says that nothing is flipped.
#[inline(always)]
#[must_use]
pub const fn is_clean(code: Code, syndrome: u32) -> bool {
    match code {
        Code::Pairs => syndrome & 0xff_ffff == 0,
        Code::Halves => halves::is_clean(syndrome),
    }
}

/// What the XOR of a stored and a computed code says, first byte lowest.
///
/// With codes of three bytes over fewer than 512 it can name a byte beyond its step: then more
/// than one bit is flipped.
#[inline(always)]
#[must_use]
pub fn judge(code: Code, syndrome: u32) -> Verdict {
    match code {
        Code::Pairs => Hamming::S3C24XX_512.judge(syndrome & 0xff_ffff),
        Code::Halves => halves::judge(syndrome),
    }
}
