//! zImage: a kernel for ARM that unpacks itself.
//!
//! Format: Linux `arch/arm/boot/compressed/{head.S,vmlinux.lds.S}`.

use core::fmt;

/// Word at offset 0x24 of every zImage.
pub const MAGIC: u32 = 0x016f_2818;
/// Bytes up to the words that every version has.
pub const HEADER: usize = 0x34;

/// Word at 0x30: the byte order of code and header.
const LITTLE_ENDIAN: u32 = 0x0403_0201;
/// Word at 0x34 where the offset of a table follows; Linux 4.15 and later.
const HAS_TABLE: u32 = 0x4545_4545;
/// Tag of the table that says how large the kernel gets.
const SIZE_TAG: u32 = 0x5a53_4c4b;

/// What a self-extractor needs behind itself and behind the kernel: its own .bss and stack of
/// some pages, the room it allocates from (MALLOC_SIZE, 64 KiB), and what it aligns.
pub const SCRATCH: u32 = 128 << 10;
/// How many times its packed size a kernel has at most; the extractors of kernels without the
/// table believe the same (Linux 2.6 `head.S`, "allow 4x expansion").
const EXPANSION: u32 = 4;
/// Room for a kernel's .bss where nothing says how large it is: those of kernels for these
/// boards take a few hundred KiB.
pub const BSS: u32 = 1 << 20;

/// What a zImage says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZImage {
    /// Bytes.
    pub len: u32,
    /// Where it must be, if that matters.
    pub link: Option<u32>,
    /// Bytes of the kernel in it and of its .bss, if known.
    pub unpacked: Option<(u32, u32)>,
}

/// Why bytes are no zImage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZImageError {
    /// The word at 0x24, or 0 where there is none.
    Magic(u32),
    /// The other byte order.
    BigEndian,
    /// Its end is not behind its start.
    Length {
        /// Address of the start.
        start: u32,
        /// Address of the end.
        end: u32,
    },
}

impl fmt::Display for ZImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Magic(word) => {
                write!(f, "Bad Linux ARM zImage magic: {word:08x} at 0x24 is not {MAGIC:08x}")
            }
            Self::BigEndian => write!(f, "the zImage is for a big-endian CPU; build another"),
            Self::Length { start, end } => {
                write!(f, "the zImage ends at {end:08x}, which is not behind its start {start:08x}")
            }
        }
    }
}

impl ZImage {
    /// Reads the header at the start of `bytes`, and the table if `bytes` reach that far.
    ///
    /// # Errors
    /// Says in what way it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, ZImageError> {
        let word = |at: u32| {
            let bytes = bytes.get(at as usize..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let of = |at| word(at).unwrap_or(0);
        match of(0x24) {
            MAGIC => {}
            word if word.swap_bytes() == MAGIC => return Err(ZImageError::BigEndian),
            word => return Err(ZImageError::Magic(word)),
        }
        // Kernels before 3.17 lack the word.
        if of(0x30).swap_bytes() == LITTLE_ENDIAN {
            return Err(ZImageError::BigEndian);
        }
        let (start, end) = (of(0x28), of(0x2c));
        let error = ZImageError::Length { start, end };
        let len = end.checked_sub(start).filter(|&len| len as usize > HEADER).ok_or(error)?;
        let table = (of(0x34) == HAS_TABLE).then(|| of(0x38));
        let unpacked = table.and_then(|at| {
            let field = |n: u32| word(at.checked_add(4 * n)?);
            let is_sizes = field(0)? >= 4 && field(1)? == SIZE_TAG;
            // The size is where the first field points to, the .bss in the second.
            is_sizes.then_some((word(field(2)?)?, field(3)?))
        });
        Ok(Self { len, link: (start != 0).then_some(start), unpacked })
    }

    /// Bytes from the kernel's start to the end of its .bss; a guess that is large enough where
    /// the zImage does not say.
    #[must_use]
    pub fn kernel_len(&self) -> u32 {
        match self.unpacked {
            Some((kernel, bss)) => kernel.saturating_add(bss),
            None => self.len.saturating_mul(EXPANSION).saturating_add(BSS),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::vec::Vec;

    /// A zImage of so many bytes, with the table of newer kernels if `unpacked` is given.
    pub fn zimage(len: u32, unpacked: Option<(u32, u32)>) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..len).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut put = |at: usize, words: &[u32]| {
            for (place, word) in bytes[at..].chunks_exact_mut(4).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        };
        put(0, &[0xe1a0_0000; 8]);
        put(0x24, &[MAGIC, 0, len, LITTLE_ENDIAN]);
        put(0x34, &[0, 0]);
        if let Some((kernel, bss)) = unpacked {
            put(0x34, &[HAS_TABLE, 0x80]);
            put(0x80, &[6, SIZE_TAG, 0xa0, bss, 0x8000, 0x1_0000, 0]);
            put(0xa0, &[kernel]);
        }
        bytes
    }

    fn check(change: impl FnOnce(&mut Vec<u8>), expected: Result<ZImage, ZImageError>) {
        let mut bytes = zimage(0x1000, Some((0x5000, 0x300)));
        change(&mut bytes);
        assert_eq!(ZImage::parse(&bytes), expected);
    }

    fn put(at: usize, word: u32) -> impl FnOnce(&mut Vec<u8>) {
        move |bytes| bytes[at..at + 4].copy_from_slice(&word.to_le_bytes())
    }

    const GOOD: ZImage = ZImage { len: 0x1000, link: None, unpacked: Some((0x5000, 0x300)) };

    #[test]
    fn reads() {
        check(|_| (), Ok(GOOD));
        assert_eq!(GOOD.kernel_len(), 0x5300);
        check(put(0x28, 0x100), Ok(ZImage { len: 0xf00, link: Some(0x100), ..GOOD }));
        // Older ones lack the table, and the word for the byte order.
        let old = ZImage { unpacked: None, ..GOOD };
        check(put(0x34, 0), Ok(old));
        check(put(0x30, 0), Ok(GOOD));
        assert_eq!(old.kernel_len(), 0x4000 + BSS);
    }

    #[test]
    fn says_what_is_wrong() {
        check(put(0x24, 7), Err(ZImageError::Magic(7)));
        check(put(0x24, MAGIC.swap_bytes()), Err(ZImageError::BigEndian));
        check(put(0x30, LITTLE_ENDIAN.swap_bytes()), Err(ZImageError::BigEndian));
        check(put(0x28, 0x1000), Err(ZImageError::Length { start: 0x1000, end: 0x1000 }));
        check(put(0x2c, 0x34), Err(ZImageError::Length { start: 0, end: 0x34 }));
        check(|bytes| bytes.truncate(0x27), Err(ZImageError::Magic(0)));
    }

    #[test]
    fn a_hostile_table_is_none() {
        let none = Ok(ZImage { unpacked: None, ..GOOD });
        for at in [0xffc, 0x1000, 0x7fff_fffc, u32::MAX - 3, u32::MAX] {
            check(put(0x38, at), none);
            check(put(0x88, at.max(0xffd)), none);
        }
        check(put(0x80, 3), none);
        check(put(0x84, 0), none);
        let huge = ZImage { unpacked: Some((u32::MAX, 0x300)), ..GOOD };
        check(put(0xa0, u32::MAX), Ok(huge));
        assert_eq!(huge.kernel_len(), u32::MAX);
        assert_eq!(ZImage { len: u32::MAX, unpacked: None, ..GOOD }.kernel_len(), u32::MAX);
    }
}
