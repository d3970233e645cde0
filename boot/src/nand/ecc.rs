//! The Hamming code of the S3C24x0 controllers over 256-byte steps, as Linux lays it
//! out on large pages: OOB bytes 40 to 63, three bytes a step.
//!
//! Bit layout: S3C2440A User's Manual, page 6-7. The code is stored and computed
//! inverted, so the XOR of the two does not depend on the polarity.

use platform::hal::EccCode;

/// Bytes of data under one code.
pub const STEP: usize = 256;
/// OOB offset of the first code on a 2048 + 64 byte page.
pub const OOB_OFFSET: usize = 40;

/// What comparing a stored with a computed code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The codes agree.
    Clean,
    /// One bit of the data is flipped.
    DataBit {
        /// Byte in the step.
        byte: u8,
        /// Bit in the byte.
        bit: u8,
    },
    /// One bit of the stored code is flipped; the data is good.
    CodeBit,
    /// More than one bit is flipped.
    Uncorrectable,
}

/// Compares the code stored in the OOB with the one computed over the data read.
///
/// A pair of bits (P, P') of the XOR holds one bit of the position of a flipped bit
/// and its complement. Three flips look like one: the code cannot tell.
#[must_use]
pub fn compare(stored: EccCode, computed: EccCode) -> Verdict {
    let at = |i: usize| u32::from(stored[i] ^ computed[i]);
    judge(at(0) | at(1) << 8 | at(2) << 16)
}

/// The same for the XOR of the two codes, first byte lowest.
#[must_use]
pub fn judge(syndrome: u32) -> Verdict {
    if syndrome == 0 {
        return Verdict::Clean;
    }
    if syndrome & (syndrome - 1) == 0 {
        return Verdict::CodeBit;
    }
    // A flipped data bit changes exactly one of each pair, and never P2048: no byte
    // number of a step has that bit.
    const P2048: u32 = 1 << 17;
    if (syndrome ^ syndrome >> 1) & 0x0055_5555 != 0x0055_5555 || syndrome & P2048 != 0 {
        return Verdict::Uncorrectable;
    }
    // P8 is bit 1, P16 bit 3 and so on to P1024; P1 is bit 19, then P2 and P4.
    let mut place = 0;
    for i in (0..12).rev() {
        place = place << 1 | syndrome >> (2 * i + 1) & 1;
    }
    Verdict::DataBit { byte: place as u8, bit: (place >> 9) as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code computed bit by bit from the table on page 6-7 of the manual.
    fn code(data: &[u8; STEP]) -> EccCode {
        let mut parities = 0u32;
        for (byte, &value) in data.iter().enumerate() {
            for bit in 0..8 {
                if value >> bit & 1 == 0 {
                    continue;
                }
                for i in 0..9 {
                    parities ^= 1 << (2 * i + (byte >> i & 1));
                }
                for i in 0..3 {
                    parities ^= 1 << (18 + 2 * i + (bit >> i & 1));
                }
            }
        }
        let inverted = !parities;
        // P2048 stands below the column parities in the last byte, as here.
        [inverted as u8, (inverted >> 8) as u8, (inverted >> 16) as u8]
    }

    fn pattern() -> [u8; STEP] {
        core::array::from_fn(|i| ((i * i + 3 * i + 5) >> 2) as u8)
    }

    #[test]
    fn the_reference_agrees_with_published_vectors() {
        let cleared = |byte: usize, bit: u8| {
            let mut data = [0xff; STEP];
            data[byte] ^= 1 << bit;
            data
        };
        assert_eq!(code(&[0xff; STEP]), [0xff, 0xff, 0xff]);
        assert_eq!(code(&cleared(0, 0)), [0xaa, 0xaa, 0xaa]);
        assert_eq!(code(&cleared(255, 7)), [0x55, 0x55, 0x56]);
        assert_eq!(code(&pattern()), [0xa5, 0x99, 0x5a]);
    }

    #[test]
    fn locates_every_flipped_data_bit() {
        let data = pattern();
        for byte in 0..STEP {
            for bit in 0..8 {
                let mut read = data;
                read[byte] ^= 1 << bit;
                let expected = Verdict::DataBit { byte: byte as u8, bit };
                assert_eq!(compare(code(&data), code(&read)), expected);
            }
        }
    }

    #[test]
    fn tolerates_every_flipped_code_bit() {
        let good = code(&pattern());
        assert_eq!(compare(good, good), Verdict::Clean);
        for bit in 0..24 {
            let mut stored = good;
            stored[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(compare(stored, good), Verdict::CodeBit);
        }
    }

    #[test]
    fn reports_every_two_flipped_bits() {
        let data = pattern();
        let good = code(&data);
        for first in 0..STEP * 8 {
            let mut read = data;
            read[first / 8] ^= 1 << (first % 8);
            let one = code(&read);
            for second in (first + 1..STEP * 8).step_by(7) {
                // The code is linear: two flips change it by the sum of their changes.
                let mut other = data;
                other[second / 8] ^= 1 << (second % 8);
                let two = code(&other);
                let both = core::array::from_fn(|i| one[i] ^ two[i] ^ good[i]);
                assert_eq!(compare(good, both), Verdict::Uncorrectable);
            }
            for bit in 0..24 {
                let mut stored = good;
                stored[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(compare(stored, one), Verdict::Uncorrectable);
            }
        }
    }
}
