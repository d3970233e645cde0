//! ECC: which codes are stored where in the OOB, and what they say of a page that was read.
//!
//! A code ([`Codec`], [`hamming`]) covers a step of the data. Where in the OOB the codes of a
//! page are is a matter of who wrote it ([`Layout`], [`LAYOUTS`]); [`guess`] finds out.

mod codec;
mod detect;
pub mod hamming;
mod layout;
mod stats;
#[cfg(test)]
mod tests;

pub use codec::{Bits, CODE_MAX, Codec, STRENGTH_MAX, Uncorrectable};
pub use detect::{Alike, Guess, Score, detect, guess};
pub use hamming::{Hamming, Verdict};
pub use layout::{LAYOUTS, Layout, S3C24XX_HW};
pub use stats::{STEPS_MAX, Stats, Step};

/// Bytes of data under one code of the S3C24x0 controllers on large pages.
pub const STEP: usize = Hamming::S3C24XX_256.step;
/// OOB offset of the first code on a page of 2048 + 64 bytes.
pub const OOB_OFFSET: usize = 40;

/// What the XOR of a stored and a computed code of the S3C24x0 controllers says, first
/// byte lowest.
///
/// With a code over fewer than 512 bytes it can name a byte beyond its step: then more than
/// one bit is flipped.
#[must_use]
pub fn judge(syndrome: u32) -> Verdict {
    Hamming::S3C24XX_512.judge(syndrome)
}
