//! What all ECC codes have in common.

use arrayvec::ArrayVec;

/// Bytes of the longest code of a step.
pub const CODE_MAX: usize = 4;
/// Bitflips in a step that the strongest code corrects.
pub const STRENGTH_MAX: usize = 1;

/// Numbers of bits of a step: those of the data, then those of the stored code.
pub type Bits = ArrayVec<usize, STRENGTH_MAX>;

/// A step holds more bitflips than its code corrects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncorrectable;

/// A code over steps of a page.
pub trait Codec: Sync {
    /// Bytes of data under one code.
    fn step(&self) -> usize;

    /// Bytes of a code.
    fn bytes(&self) -> usize;

    /// Bitflips in a step, those in its code included, that can be corrected.
    fn strength(&self) -> usize;

    /// Is this bit of the stored code one of those that tell nothing?
    fn is_unused(&self, bit: usize) -> bool;

    /// Computes the code of a step.
    fn encode(&self, data: &[u8], code: &mut [u8]);

    /// Finds the flipped bits of a step and its stored code.
    ///
    /// # Errors
    /// [`Uncorrectable`] when there are more than [`Self::strength`].
    fn locate(&self, data: &[u8], code: &[u8]) -> Result<Bits, Uncorrectable>;

    /// The cleared bits of an erased step, if it is one: at most [`Self::strength`].
    ///
    /// Linux counts in the same way (`nand_check_erased_ecc_chunk`): the bits of the data and
    /// of the code together, and the strength as the limit.
    fn erased(&self, data: &[u8], code: &[u8]) -> Option<Bits> {
        let mut cleared = Bits::new();
        let all = data.iter().chain(code).enumerate();
        for (byte, value) in all.filter(|(_, value)| **value != 0xff) {
            for bit in (0..8).filter(|bit| value >> bit & 1 == 0).map(|bit| 8 * byte + bit) {
                if bit >= 8 * data.len() && self.is_unused(bit - 8 * data.len()) {
                    continue;
                }
                if cleared.len() == self.strength() {
                    return None;
                }
                cleared.push(bit);
            }
        }
        Some(cleared)
    }
}
