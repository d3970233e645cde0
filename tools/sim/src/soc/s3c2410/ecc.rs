//! The ECC engine of the S3C2410X's NAND controller: its User's Manual, chapter 6. A Hamming code as
//! on the S3C2440, 24 bits over 512 bytes. That the registers hold the inverted parities here too is
//! an assumption, which erased pages need: their stored code is FF FF FF.

use crate::soc::s3c2440::ecc::Code;

/// NFECC: ECC0 in the lowest byte.
pub const NFECC: Code = Code { lines: &[0, 2, 4, 6, 8, 10, 12, 14, 16], columns: [18, 20, 22] };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soc::s3c2440::ecc::{Parities, Verdict};
    use crate::soc::vectors::{cleared, quadratic, xorshift};

    fn code(data: &[u8]) -> [u8; 3] {
        let mut parities = Parities::default();
        data.iter().for_each(|&byte| parities.update(byte));
        let [ecc0, ecc1, ecc2, rest] = NFECC.register(&parities).to_le_bytes();
        assert_eq!(rest, 0);
        [ecc0, ecc1, ecc2]
    }

    #[test]
    fn vectors_of_512_bytes() {
        let check = |data: Vec<u8>, expected| {
            assert_eq!(data.len(), 512);
            assert_eq!(code(&data), expected);
        };
        let mut one = vec![0; 512];
        one[0] = 1;
        check(vec![0xFF; 512], [0xFF, 0xFF, 0xFF]);
        check(vec![0x00; 512], [0xFF, 0xFF, 0xFF]);
        check((0..512).map(|i| i as u8).collect(), [0xFF, 0xFF, 0xFF]);
        check(cleared(512, 0, 0), [0xAA, 0xAA, 0xAA]);
        check(cleared(512, 511, 7), [0x55, 0x55, 0x55]);
        check(cleared(512, 100, 3), [0x9A, 0x96, 0x96]);
        check(cleared(512, 256, 0), [0xAA, 0xAA, 0xA9]);
        check(one, [0xAA, 0xAA, 0xAA]);
        check(quadratic(512), [0x55, 0x55, 0x56]);
        check(xorshift(512), [0x59, 0x56, 0x69]);
    }

    #[test]
    fn vectors_of_256_bytes() {
        assert_eq!(code(&[0xFF; 256]), [0xFF, 0xFF, 0xFF]);
        assert_eq!(code(&cleared(256, 255, 7)), [0x55, 0x55, 0x56]);
        assert_eq!(code(&xorshift(256)), [0x0F, 0x3C, 0x0F]);
        assert_eq!(code(&quadratic(256)), [0xA5, 0x99, 0x5A]);
    }

    #[test]
    fn every_single_flip_is_located_and_two_are_never_corrected() {
        let data = xorshift(512);
        let register = |flips: &[usize]| {
            let mut data = data.clone();
            flips.iter().for_each(|&flip| data[flip / 8] ^= 1 << (flip % 8));
            let [ecc0, ecc1, ecc2] = code(&data);
            u32::from_le_bytes([ecc0, ecc1, ecc2, 0])
        };
        let stored = register(&[]);
        for flip in 0..4096 {
            let (byte, bit) = (flip as u32 / 8, flip as u32 % 8);
            assert_eq!(NFECC.compare(stored, register(&[flip])), Verdict::DataBit { byte, bit });
            let other = (flip * 37 + 1) % 4096;
            assert_eq!(NFECC.compare(stored, register(&[flip, other])), Verdict::Uncorrectable, "{flip}");
        }
        for bit in 0..24 {
            assert_eq!(NFECC.compare(stored ^ 1 << bit, stored), Verdict::CodeBit);
        }
    }
}
