//! The ECC engine of the NAND controller: S3C2440A User's Manual, chapter 6. The S3C2410 has a smaller
//! one of the same kind.
//!
//! A Hamming code over the bytes that cross NFDATA. For every bit of a byte's address and of a
//! bit's number there is a pair of parities: P over the bits where it is 1, P' (primed) over
//! those where it is 0. The main code covers 2048 bytes, the spare code 16.
//!
//! The registers hold the inverted parities. For the main code that is seen on hardware, with the
//! unused bits 3 to 0 of byte 3 reading 0; for the spare code it is an assumption.

/// Parities of a run of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parities {
    /// Exclusive or of all bytes: the parity for each bit number.
    columns: u8,
    /// Exclusive or of the addresses of all bytes of odd parity: P for each address bit.
    lines: u32,
    /// Address of the next byte.
    next: u32,
}

impl Parities {
    /// Takes one more byte.
    pub fn update(&mut self, byte: u8) {
        let odd = byte.count_ones() & 1;
        self.columns ^= byte;
        self.lines ^= self.next & odd.wrapping_neg();
        self.next += 1;
    }
}

/// Where the pairs of a code are in its register: the bit of P', with P above it.
#[derive(Debug)]
pub struct Code {
    /// By address bit, from 0: P8, P16, P32 ...
    pub lines: &'static [u8],
    /// P1, P2, P4.
    pub columns: [u8; 3],
}

/// The main code, NFMECC0: 28 bits, 2048 bytes.
pub const MAIN: Code = Code { lines: &[0, 2, 4, 6, 8, 10, 12, 14, 16, 28, 30], columns: [18, 20, 22] };

/// The spare code, half of NFSECC: 14 bits, 16 bytes.
pub const SPARE: Code = Code { lines: &[4, 6, 10, 12], columns: [14, 0, 2] };

/// What comparing a stored code with a computed one says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No error.
    Good,
    /// One bit of the data is wrong.
    DataBit {
        /// Its byte.
        byte: u32,
        /// Its number in the byte.
        bit: u32,
    },
    /// More than one bit is wrong.
    Uncorrectable,
    /// The code itself has a wrong bit; the data is good.
    CodeBit,
}

impl Code {
    /// Bits of the register that are in use.
    #[must_use]
    pub fn mask(&self) -> u32 {
        self.lines.iter().chain(&self.columns).fold(0, |mask, &at| mask | 0b11 << at)
    }

    /// The parities as the manual names them, not inverted.
    #[must_use]
    pub fn raw(&self, parities: &Parities) -> u32 {
        let total = parities.columns.count_ones() & 1;
        let pair = |at: u8, p: u32| (p << 1 | (total ^ p)) << at;
        // An address beyond the code's reach wraps (assumption): its higher bits have no pair.
        let lines = self.lines.iter().zip(0..).map(|(&at, bit)| pair(at, parities.lines >> bit & 1));
        let columns = self.columns.iter().zip([0xAA, 0xCC, 0xF0]).map(|(&at, ones)| {
            // The bit numbers that have bit 0, 1, 2 set.
            pair(at, (parities.columns & ones).count_ones() & 1)
        });
        lines.chain(columns).fold(0, |raw, pair| raw | pair)
    }

    /// The parities as the register shows them.
    #[must_use]
    pub fn register(&self, parities: &Parities) -> u32 {
        !self.raw(parities) & self.mask()
    }

    /// Compares a stored register value with a computed one.
    #[must_use]
    pub fn compare(&self, stored: u32, computed: u32) -> Verdict {
        let syndrome = (stored ^ computed) & self.mask();
        let primed = self.lines.iter().chain(&self.columns).fold(0, |mask, &at| mask | 1 << at);
        let one_of_each_pair = (syndrome ^ syndrome >> 1) & primed == primed;
        match syndrome.count_ones() {
            0 => Verdict::Good,
            1 => Verdict::CodeBit,
            _ if one_of_each_pair => {
                Verdict::DataBit { byte: gather(syndrome, self.lines), bit: gather(syndrome, &self.columns) }
            }
            _ => Verdict::Uncorrectable,
        }
    }
}

/// The number whose bits are the P of these pairs.
fn gather(syndrome: u32, pairs: &[u8]) -> u32 {
    pairs.iter().zip(0..).fold(0, |number, (&at, bit)| number | (syndrome >> (at + 1) & 1) << bit)
}

/// NFESTAT0 or NFESTAT1 for these two comparisons. Places are 0 where there is none (assumption).
#[must_use]
pub fn estat(main: Verdict, spare: Verdict) -> u32 {
    let place = |verdict| match verdict {
        Verdict::Good => (0, 0, 0),
        Verdict::DataBit { byte, bit } => (1, byte, bit),
        Verdict::Uncorrectable => (2, 0, 0),
        Verdict::CodeBit => (3, 0, 0),
    };
    let (main, main_byte, main_bit) = place(main);
    let (spare, spare_byte, spare_bit) = place(spare);
    spare_byte << 21 | spare_bit << 18 | main_byte << 7 | main_bit << 4 | spare << 2 | main
}

/// The engine for one byte lane: the main and the spare unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Engine {
    /// The main unit.
    pub main: Parities,
    /// The spare unit.
    pub spare: Parities,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soc::vectors::{cleared, quadratic, xorshift};

    fn filled(len: usize, fill: u8) -> Vec<u8> {
        vec![fill; len]
    }

    fn parities(data: &[u8]) -> Parities {
        let mut parities = Parities::default();
        data.iter().for_each(|&byte| parities.update(byte));
        parities
    }

    #[test]
    fn main_code_of_512_bytes() {
        let check = |data: Vec<u8>, nfmecc0| {
            assert_eq!(data.len(), 512);
            assert_eq!(MAIN.register(&parities(&data)), nfmecc0, "{nfmecc0:08X}");
        };
        let mut one = filled(512, 0);
        one[0] = 1;
        check(filled(512, 0xFF), 0xF0FF_FFFF);
        check(filled(512, 0x00), 0xF0FF_FFFF);
        check((0..512).map(|i| i as u8).collect(), 0xF0FF_FFFF);
        check(cleared(512, 0, 0), 0xA0AA_AAAA);
        check(cleared(512, 511, 7), 0xA055_5555);
        check(cleared(512, 100, 3), 0xA096_969A);
        check(cleared(512, 256, 0), 0xA0A9_AAAA);
        check(one, 0xA0AA_AAAA);
        check(quadratic(512), 0xA056_5555);
        check(xorshift(512), 0xA069_5659);
    }

    #[test]
    fn main_code_of_2048_bytes() {
        let check = |data: Vec<u8>, code: [u8; 4]| {
            assert_eq!(data.len(), 2048);
            assert_eq!(MAIN.register(&parities(&data)).to_le_bytes(), code);
        };
        check(filled(2048, 0xFF), [0xFF, 0xFF, 0xFF, 0xF0]);
        check(cleared(2048, 2047, 7), [0x55, 0x55, 0x55, 0x50]);
        check(cleared(2048, 1536, 5), [0xAA, 0xAA, 0x66, 0x50]);
        check(xorshift(2048), [0x55, 0x6A, 0x59, 0x50]);
    }

    #[test]
    fn main_code_of_256_bytes() {
        let check = |data: Vec<u8>, code: [u8; 3]| {
            assert_eq!(data.len(), 256);
            assert_eq!(MAIN.register(&parities(&data)).to_le_bytes()[..3], code);
        };
        check(filled(256, 0xFF), [0xFF, 0xFF, 0xFF]);
        check(cleared(256, 0, 0), [0xAA, 0xAA, 0xAA]);
        check(cleared(256, 255, 7), [0x55, 0x55, 0x56]);
        check(xorshift(256), [0x0F, 0x3C, 0x0F]);
        check(quadratic(256), [0xA5, 0x99, 0x5A]);
    }

    #[test]
    fn spare_code() {
        let check = |data: Vec<u8>, raw: [u8; 2], inverted: [u8; 2]| {
            assert_eq!(data.len(), 16);
            let parities = parities(&data);
            assert_eq!(SPARE.raw(&parities).to_le_bytes()[..2], raw);
            assert_eq!(SPARE.register(&parities).to_le_bytes()[..2], inverted);
        };
        let bytes = 0xA5A3_C498_884D_1D29_A711_F8F8_A015_C669_u128.to_be_bytes();
        assert_eq!(xorshift(16), bytes);
        check(filled(16, 0xFF), [0x00, 0x00], [0xFF, 0xFC]);
        check(cleared(16, 0, 0), [0x55, 0x54], [0xAA, 0xA8]);
        check(cleared(16, 15, 7), [0xAA, 0xA8], [0x55, 0x54]);
        check(xorshift(16), [0x96, 0x94], [0x69, 0x68]);
    }

    #[test]
    fn nfestat0_of_one_flip() {
        let check = |byte, bit, syndrome: [u8; 4], nfestat0| {
            let stored = MAIN.register(&parities(&filled(512, 0xFF)));
            let computed = MAIN.register(&parities(&cleared(512, byte, bit)));
            assert_eq!((stored ^ computed).to_le_bytes(), syndrome);
            assert_eq!(estat(MAIN.compare(stored, computed), Verdict::Good), nfestat0);
        };
        check(0, 0, [0x55, 0x55, 0x55, 0x50], 0x0000_0001);
        check(0, 7, [0x55, 0x55, 0xA9, 0x50], 0x0000_0071);
        check(1, 0, [0x56, 0x55, 0x55, 0x50], 0x0000_0081);
        check(100, 3, [0x65, 0x69, 0x69, 0x50], 0x0000_3231);
        check(256, 0, [0x55, 0x55, 0x56, 0x50], 0x0000_8001);
        check(511, 7, [0xAA, 0xAA, 0xAA, 0x50], 0x0000_FFF1);
    }

    #[test]
    fn nfestat0_fields_of_the_spare_code() {
        let check = |main, spare, expected| assert_eq!(estat(main, spare), expected);
        check(Verdict::Good, Verdict::DataBit { byte: 15, bit: 7 }, 0x01FC_0004);
        check(Verdict::Uncorrectable, Verdict::CodeBit, 0x0000_000E);
    }

    #[test]
    fn every_single_flip_is_located_and_two_are_never_corrected() {
        let data = xorshift(512);
        let stored = MAIN.register(&parities(&data));
        let compare = |flips: &[usize]| {
            let mut data = data.clone();
            flips.iter().for_each(|&flip| data[flip / 8] ^= 1 << (flip % 8));
            MAIN.compare(stored, MAIN.register(&parities(&data)))
        };
        for flip in 0..4096 {
            let (byte, bit) = (flip as u32 / 8, flip as u32 % 8);
            assert_eq!(compare(&[flip]), Verdict::DataBit { byte, bit });
            assert_eq!(compare(&[flip, (flip * 37 + 1) % 4096]), Verdict::Uncorrectable, "{flip}");
        }
    }

    #[test]
    fn a_flip_in_the_code_is_told_from_one_in_the_data() {
        for code in [&MAIN, &SPARE] {
            let used = (0..32).filter(|bit| code.mask() >> bit & 1 == 1);
            for bit in used {
                assert_eq!(code.compare(code.mask() ^ 1 << bit, code.mask()), Verdict::CodeBit);
            }
        }
        assert_eq!(MAIN.compare(0xF0FF_FFFF, 0xFFFF_FFFF), Verdict::Good);
    }
}
