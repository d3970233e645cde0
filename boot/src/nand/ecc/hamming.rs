//! The Hamming codes of NAND pages, those of controllers and those of Linux: one bitflip in a
//! step is located, two are noticed, three look like one.
//!
//! All are made of the same parities. P1, P2 and P4 are the parities of the bits whose number
//! in their byte has that bit set, P8 to P8192 those of the bytes whose address has bit 0 to
//! 10 set, and of each there is the complement P' over the other bits. A flipped data bit
//! changes one of every pair, so that the Ps spell its place; a flipped bit of the code
//! changes one alone. What differs is the size of the step, which pairs are kept, and where.
//!
//! A code is handled as a word in the order of the S3C24x0's register NFMECC0 (S3C2440A User's
//! Manual, page 6-7): P8' and P8 in bits 0 and 1, and so on to P2048 in bit 17, P1' to P4 in bits
//! 18 to 23, P4096' to P8192 in bits 28 to 31. It is stored and computed inverted, which makes
//! an erased step one without error.

use super::codec::{Bits, Codec, Uncorrectable};

/// One of the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hamming {
    /// Bytes of data under one code: 256 or 512.
    pub(super) step: usize,
    /// Bytes of a code.
    pub(super) bytes: usize,
    /// Which byte of the word comes first in the OOB.
    order: Order,
    /// The complement of each pair that is kept.
    pairs: u32,
    /// What no flipped data bit changes: the P of address bits that a step does not have, and
    /// pairs that are not kept.
    constant: u32,
    /// Bits that hold nothing.
    unused: u32,
}

/// The order of a code's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// That of the SmartMedia specification and of controllers: the lowest address bits first.
    SmartMedia,
    /// That of Linux's and U-Boot's software ECC: the first two bytes exchanged.
    Linux,
}

/// What comparing a stored with a computed code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The codes agree.
    Clean,
    /// One bit of the data is flipped.
    DataBit {
        /// Byte in the step.
        byte: u16,
        /// Bit in the byte.
        bit: u8,
    },
    /// One bit of the stored code is flipped; the data is good.
    CodeBit,
    /// More than one bit is flipped.
    Uncorrectable,
}

impl Hamming {
    /// The main unit of S3C24x0 over 256 bytes, of which three bytes are kept.
    pub const S3C24XX_256: Self = Self {
        step: 256,
        bytes: 3,
        order: Order::SmartMedia,
        pairs: 0x0055_5555,
        constant: 0x0002_0000,
        unused: 0,
    };
    /// The same over 512 bytes: all that the S3C2410 has.
    pub const S3C24XX_512: Self = Self { step: 512, constant: 0, ..Self::S3C24XX_256 };
    /// All four bytes of the S3C2440's register, the last of which says nothing new of 512
    /// bytes. Its low nibble reads 0, and 1s once erased.
    pub const S3C2440_512: Self = Self {
        bytes: 4,
        pairs: 0x5055_5555,
        constant: 0xa000_0000,
        unused: 0x0f00_0000,
        ..Self::S3C24XX_512
    };
    /// Linux's software ECC, and U-Boot's. In place of the pair of P2048 there are two 1s.
    ///
    /// Linux corrects a data bit even if one of those is flipped as well. Here that makes two.
    pub const LINUX: Self =
        Self { order: Order::Linux, pairs: 0x0054_5555, constant: 0x0003_0000, ..Self::S3C24XX_256 };
    /// The same with `CONFIG_MTD_NAND_ECC_SW_HAMMING_SMC`.
    pub const LINUX_SMC: Self = Self { order: Order::SmartMedia, ..Self::LINUX };

    /// What the XOR of a stored and a computed code says.
    // Each caller knows its code when it is compiled; the first stage has no byte to spare.
    #[inline(always)]
    #[must_use]
    pub fn judge(&self, syndrome: u32) -> Verdict {
        let syndrome = syndrome & !self.unused;
        if syndrome == 0 {
            return Verdict::Clean;
        }
        if syndrome & (syndrome - 1) == 0 {
            return Verdict::CodeBit;
        }
        if (syndrome ^ syndrome >> 1) & self.pairs != self.pairs || syndrome & self.constant != 0 {
            return Verdict::Uncorrectable;
        }
        // P8 is bit 1, P16 bit 3 and so on to P2048; P1 is bit 19, then P2 and P4.
        let mut place = 0;
        for i in (0..12).rev() {
            place = place << 1 | syndrome >> (2 * i + 1) & 1;
        }
        Verdict::DataBit { byte: (place & 0x1ff) as u16, bit: (place >> 9) as u8 }
    }

    /// The code of a step of words, the lowest byte of each first on the bus.
    #[must_use]
    pub fn compute(&self, step: &[u32]) -> u32 {
        let kept = self.pairs | self.pairs << 1;
        let stored = u32::MAX >> (32 - 8 * self.bytes) & !self.unused;
        let Parities { all, columns, bytes } = parities(step);
        let set = bytes | columns << 9;
        // A P and its complement add up to the parity of everything.
        let clear = set ^ all.wrapping_neg() & 0xffff;
        !((spread(set) << 1 | spread(clear)) & kept) & stored
    }

    /// The word of a stored code.
    #[must_use]
    pub fn load(&self, code: &[u8]) -> u32 {
        let mut word = [0; 4];
        self.reorder(code, &mut word);
        u32::from_le_bytes(word)
    }

    /// Copies a code from the order of the word to that of the OOB, or back.
    fn reorder(&self, from: &[u8], to: &mut [u8]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
        if self.order == Order::Linux {
            to.swap(0, 1);
        }
    }

    fn compute_bytes(&self, data: &[u8]) -> u32 {
        let mut words = [0; STEP_MAX / 4];
        for (word, bytes) in words.iter_mut().zip(data.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        self.compute(&words[..self.step / 4])
    }
}

impl Codec for Hamming {
    fn step(&self) -> usize {
        self.step
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn strength(&self) -> usize {
        1
    }

    fn is_unused(&self, bit: usize) -> bool {
        // Those there are are in the last byte, which has one place in all orders.
        self.unused >> bit & 1 != 0
    }

    fn encode(&self, data: &[u8], code: &mut [u8]) {
        self.reorder(&self.compute_bytes(data).to_le_bytes()[..self.bytes], code);
    }

    fn locate(&self, data: &[u8], code: &[u8]) -> Result<Bits, Uncorrectable> {
        let syndrome = self.load(code) ^ self.compute_bytes(data);
        let mut bits = Bits::new();
        match self.judge(syndrome) {
            Verdict::Clean => {}
            Verdict::DataBit { byte, bit } => bits.push(8 * usize::from(byte) + usize::from(bit)),
            Verdict::CodeBit => {
                let flipped = (syndrome & !self.unused).trailing_zeros() as usize;
                let byte = match (self.order, flipped / 8) {
                    (Order::Linux, byte @ (0 | 1)) => 1 - byte,
                    (_, byte) => byte,
                };
                bits.push(8 * (self.step + byte) + flipped % 8);
            }
            Verdict::Uncorrectable => return Err(Uncorrectable),
        }
        Ok(bits)
    }
}

/// Bytes of the longest step.
const STEP_MAX: usize = 512;

/// Parities over a step; the complements follow from them.
pub(super) struct Parities {
    /// Of everything.
    pub all: u32,
    /// P1 to P4.
    pub columns: u32,
    /// P8 and so on, as many as the step has.
    pub bytes: u32,
}

/// All parities over a step.
///
/// An XOR of words has the parities of all of them, so that few XORs add a word: some 50
/// ARM instructions for 32 bytes, two cycles a byte. A table, as the first implementations in
/// Linux had it, takes two loads and a handful of XORs for each byte.
pub(super) fn parities(step: &[u32]) -> Parities {
    let mut all = 0;
    // Words whose number has bit 0, 1 or 2 set: P32, P64 and P128.
    let mut lines = [0; 3];
    // P256 and up together: the XOR of the numbers of the groups with an odd parity.
    let mut groups = 0;
    for (number, words) in (0..).zip(step.as_chunks::<8>().0) {
        let [a, b, c, d, e, f, g, h] = *words;
        let (ab, cd, ef, gh) = (a ^ b, c ^ d, e ^ f, g ^ h);
        let (abcd, efgh) = (ab ^ cd, ef ^ gh);
        lines[0] ^= b ^ d ^ f ^ h;
        lines[1] ^= cd ^ gh;
        lines[2] ^= efgh;
        all ^= abcd ^ efgh;
        groups ^= number & odd(abcd ^ efgh).wrapping_neg();
    }
    let columns = odd(all & 0xaaaa_aaaa) | odd(all & 0xcccc_cccc) << 1 | odd(all & 0xf0f0_f0f0) << 2;
    let bytes = odd(all & 0xff00_ff00) | odd(all & 0xffff_0000) << 1;
    let words = odd(lines[0]) | odd(lines[1]) << 1 | odd(lines[2]) << 2;
    Parities { all: odd(all), columns, bytes: bytes | words << 2 | groups << 5 }
}

/// 1 if an odd number of bits is set.
fn odd(word: u32) -> u32 {
    word.count_ones() & 1
}

/// Moves bit i of 16 to bit 2 i.
fn spread(bits: u32) -> u32 {
    let bits = (bits | bits << 8) & 0x00ff_00ff;
    let bits = (bits | bits << 4) & 0x0f0f_0f0f;
    let bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}
