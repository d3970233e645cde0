//! Computes the Hamming code whose comparison is in [`super::ecc`], for those
//! who write pages without the controller's help.
//!
//! Bit layout and polarity: S3C2440A User's Manual, page 6-7.

use super::ecc::STEP;
use platform::hal::EccCode;

/// Bits of a word of eight bytes whose byte address has bit 0, 1 or 2 set.
const BYTE_LINES: [u64; 3] = [0xff00_ff00_ff00_ff00, 0xffff_0000_ffff_0000, 0xffff_ffff_0000_0000];
/// Bits whose number in their byte has bit 0, 1 or 2 set.
const COLUMNS: [u64; 3] = [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0];

/// The code that the controller computes over `step`.
///
/// Works on words of eight bytes: every parity is that of an XOR of words, so a
/// page costs a few hundred XORs.
#[must_use]
pub fn encode(step: &[u8; STEP]) -> EccCode {
    let (words, _) = step.as_chunks::<8>();
    let mut all = 0;
    // XOR of the words whose number has bit 0, 1, 2, 3 or 4 set: P64 to P1024.
    let mut word_lines = [0u64; 5];
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        all ^= word;
        for (bit, line) in word_lines.iter_mut().enumerate() {
            *line ^= word & (number as u64 >> bit & 1).wrapping_neg();
        }
    }

    let parity = |bits: u64| bits.count_ones() & 1;
    let total = parity(all);
    // A pair holds P above P', and the two add up to the parity of everything.
    let pair = |p: u32| p << 1 | (p ^ total);
    let mut code = 0;
    for (i, mask) in BYTE_LINES.iter().enumerate() {
        code |= pair(parity(all & mask)) << (2 * i);
    }
    for (i, line) in word_lines.iter().enumerate() {
        code |= pair(parity(*line)) << (2 * (3 + i));
    }
    // No byte of a step has P2048's address bit.
    code |= pair(0) << 16;
    for (i, mask) in COLUMNS.iter().enumerate() {
        code |= pair(parity(all & mask)) << (18 + 2 * i);
    }
    let [byte0, byte1, byte2, _] = (!code).to_le_bytes();
    [byte0, byte1, byte2]
}

#[cfg(test)]
mod tests {
    use super::super::ecc::{Verdict, compare};
    use super::*;

    fn cleared(byte: usize, bit: u8) -> [u8; STEP] {
        let mut data = [0xff; STEP];
        data[byte] ^= 1 << bit;
        data
    }

    fn quadratic() -> [u8; STEP] {
        core::array::from_fn(|i| ((i * i + 3 * i + 5) >> 2) as u8)
    }

    /// The bytes that the vectors call X(256).
    fn xorshift() -> [u8; STEP] {
        let mut state = 0x1234_5678_u32;
        core::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        })
    }

    #[test]
    fn agrees_with_the_published_vectors() {
        let check = |data: [u8; STEP], code: EccCode| assert_eq!(encode(&data), code);
        check([0xff; STEP], [0xff, 0xff, 0xff]);
        check([0x00; STEP], [0xff, 0xff, 0xff]);
        check(cleared(0, 0), [0xaa, 0xaa, 0xaa]);
        check(cleared(255, 7), [0x55, 0x55, 0x56]);
        check(xorshift(), [0x0f, 0x3c, 0x0f]);
        check(quadratic(), [0xa5, 0x99, 0x5a]);
    }

    #[test]
    fn its_codes_locate_every_flipped_bit() {
        let good = encode(&xorshift());
        for byte in 0..STEP {
            for bit in 0..8 {
                let mut read = xorshift();
                read[byte] ^= 1 << bit;
                let expected = Verdict::DataBit { byte: byte as u8, bit };
                assert_eq!(compare(good, encode(&read)), expected);
            }
        }
    }
}
