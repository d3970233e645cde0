//! The Hamming code of controllers that have one over a whole page: as the codes of [`super::hamming`],
//! but the parities stand in one half word and their complements in the next, and none of it is
//! inverted.
//!
//! P1, P2 and P4 are bits 0 to 2, P8 to P8192 bits 4 to 14; bits 3 and 15 are for chips of 16 bits
//! and larger pages. A flipped bit of the data changes one of every pair, so that the first half
//! of what changes is its place. Not being inverted, the code of 1s is 0 and that of an erased
//! page is not written: both halves differ in all bits, which no flips of a few bits do.

use super::codec::{Bits, Codec, Uncorrectable};
use super::hamming::{Verdict, parities};

/// Bytes of the step: a large page.
pub const STEP: usize = 2048;
/// Bits of a half that hold a parity.
const USED: u32 = 0x7ff7;

/// What the XOR of a stored and a computed code says; of an erased page that it is clean.
#[inline(always)]
#[must_use]
pub fn judge(syndrome: u32) -> Verdict {
    let (place, complement) = (syndrome & 0xffff, syndrome >> 16);
    if is_clean(syndrome) {
        Verdict::Clean
    } else if place ^ complement == USED {
        Verdict::DataBit { byte: (place >> 4) as u16, bit: (place & 7) as u8 }
    } else if syndrome & (syndrome - 1) == 0 {
        Verdict::CodeBit
    } else {
        Verdict::Uncorrectable
    }
}

/// Whether the XOR of a stored and a computed code says that nothing is flipped.
#[must_use]
pub const fn is_clean(syndrome: u32) -> bool {
    syndrome == 0 || syndrome == !0
}

/// The code.
pub struct Halves;

impl Halves {
    /// The code of a page of words, the lowest byte of each first on the bus.
    #[must_use]
    pub fn compute(page: &[u32]) -> u32 {
        let parities = parities(page);
        let set = parities.columns | parities.bytes << 4;
        // A P and its complement add up to the parity of everything.
        set | (set ^ parities.all.wrapping_neg() & USED) << 16
    }

    fn compute_bytes(data: &[u8]) -> u32 {
        let mut words = [0; STEP / 4];
        for (word, bytes) in words.iter_mut().zip(data.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Self::compute(&words)
    }
}

impl Codec for Halves {
    fn step(&self) -> usize {
        STEP
    }

    fn bytes(&self) -> usize {
        4
    }

    fn strength(&self) -> usize {
        1
    }

    fn is_unused(&self, bit: usize) -> bool {
        USED >> (bit % 16) & 1 == 0
    }

    fn encode(&self, data: &[u8], code: &mut [u8]) {
        code.copy_from_slice(&Self::compute_bytes(data).to_le_bytes());
    }

    fn locate(&self, data: &[u8], code: &[u8]) -> Result<Bits, Uncorrectable> {
        let stored = code.first_chunk().map_or(0, |code| u32::from_le_bytes(*code));
        let syndrome = (stored ^ Self::compute_bytes(data)) & (USED | USED << 16);
        let mut bits = Bits::new();
        match judge(syndrome) {
            Verdict::Clean => {}
            Verdict::DataBit { byte, bit } => bits.push(8 * usize::from(byte) + usize::from(bit)),
            Verdict::CodeBit => bits.push(8 * STEP + syndrome.trailing_zeros() as usize),
            Verdict::Uncorrectable => return Err(Uncorrectable),
        }
        Ok(bits)
    }
}
