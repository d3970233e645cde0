//! U-Boot's legacy image format ("uImage"): a 64-byte big-endian header, then data.
//!
//! Format: `include/image.h` of U-Boot, `struct image_header`.

/// Bytes of the header.
pub const HEADER: usize = 64;
/// First word of every header.
pub const MAGIC: u32 = 0x2705_1956;
/// Bytes of the name field.
pub const NAME: usize = 32;

/// `ih_os` of Linux.
pub const OS_LINUX: u8 = 5;
/// `ih_arch` of 32-bit ARM.
pub const ARCH_ARM: u8 = 2;
/// `ih_type` of a program that runs under U-Boot or, here, stage2.
pub const TYPE_STANDALONE: u8 = 1;
/// `ih_type` of a kernel.
pub const TYPE_KERNEL: u8 = 2;
/// `ih_type` of an initial ramdisk.
pub const TYPE_RAMDISK: u8 = 3;
/// `ih_type` of several images behind a table of their sizes.
pub const TYPE_MULTI: u8 = 4;
/// `ih_type` of firmware.
pub const TYPE_FIRMWARE: u8 = 5;
/// `ih_type` of a script.
pub const TYPE_SCRIPT: u8 = 6;
/// `ih_type` of a device tree.
pub const TYPE_FLATDT: u8 = 8;
/// `ih_comp` of uncompressed data.
pub const COMP_NONE: u8 = 0;
/// `ih_comp` of gzip.
pub const COMP_GZIP: u8 = 1;
/// `ih_comp` of an LZ4 frame.
pub const COMP_LZ4: u8 = 5;

/// A header, without its two constant parts, magic and header CRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Creation time, seconds since 1970.
    pub time: u32,
    /// Bytes of data behind the header.
    pub size: u32,
    /// Address the data is to be loaded at.
    pub load: u32,
    /// Address to be jumped to.
    pub entry: u32,
    /// CRC-32 of the data.
    pub data_crc: u32,
    /// Operating system.
    pub os: u8,
    /// CPU architecture.
    pub arch: u8,
    /// Type of the image.
    pub kind: u8,
    /// Compression of the data.
    pub comp: u8,
    /// Name, zero-filled; not necessarily zero-terminated.
    pub name: [u8; NAME],
}

/// Why bytes are not a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// Fewer than [`HEADER`] bytes.
    Short,
    /// The first word, which is not [`MAGIC`].
    Magic(u32),
    /// The header CRC does not match the header.
    Crc {
        /// CRC stored in the header.
        stored: u32,
        /// CRC of the header.
        computed: u32,
    },
}

fn be(bytes: &[u8; HEADER], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl Header {
    /// Reads and verifies the header at the start of `bytes`; `crc32` is the CRC of
    /// the caller's choice, because stage1 and the others have different ones.
    ///
    /// # Errors
    /// Says in what way the bytes are not a header.
    pub fn parse(bytes: &[u8], crc32: impl Fn(&[u8]) -> u32) -> Result<Self, HeaderError> {
        let mut bytes: [u8; HEADER] = *bytes.first_chunk().ok_or(HeaderError::Short)?;
        if be(&bytes, 0) != MAGIC {
            return Err(HeaderError::Magic(be(&bytes, 0)));
        }
        let stored = be(&bytes, 4);
        // The CRC covers the header with its own field zeroed.
        bytes[4..8].fill(0);
        let computed = crc32(&bytes);
        if stored != computed {
            return Err(HeaderError::Crc { stored, computed });
        }
        let mut name = [0; NAME];
        name.copy_from_slice(&bytes[32..]);
        Ok(Self {
            time: be(&bytes, 8),
            size: be(&bytes, 12),
            load: be(&bytes, 16),
            entry: be(&bytes, 20),
            data_crc: be(&bytes, 24),
            os: bytes[28],
            arch: bytes[29],
            kind: bytes[30],
            comp: bytes[31],
            name,
        })
    }

    /// The header as bytes, with its CRC.
    #[must_use]
    pub fn to_bytes(&self, crc32: impl Fn(&[u8]) -> u32) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let words = [MAGIC, 0, self.time, self.size, self.load, self.entry, self.data_crc];
        for (field, word) in bytes.chunks_exact_mut(4).zip(words) {
            field.copy_from_slice(&word.to_be_bytes());
        }
        bytes[28..32].copy_from_slice(&[self.os, self.arch, self.kind, self.comp]);
        bytes[32..].copy_from_slice(&self.name);
        let crc = crc32(&bytes);
        bytes[4..8].copy_from_slice(&crc.to_be_bytes());
        bytes
    }

    /// The name up to its first zero byte, if it is UTF-8.
    #[must_use]
    pub fn name(&self) -> &str {
        let len = self.name.iter().position(|&b| b == 0).unwrap_or(NAME);
        core::str::from_utf8(&self.name[..len]).unwrap_or("?")
    }
}

/// The parts of a multi-image's data: a table of big-endian sizes that a zero ends,
/// then the parts, each but the last padded to four bytes.
///
/// Yields `(offset, size)` in `data`; ends early at a part that does not fit, so
/// that a caller which needs a certain number of parts notices.
pub fn parts(data: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let size = |i: usize| {
        let word = data.get(i * 4..)?.first_chunk()?;
        usize::try_from(u32::from_be_bytes(*word)).ok()
    };
    let count = (0..).take_while(move |&i| size(i).is_some_and(|s| s != 0)).count();
    let mut at = (count + 1) * 4;
    (0..count).map_while(move |i| {
        let (start, len) = (at, size(i)?);
        let end = start.checked_add(len)?;
        at = end.checked_next_multiple_of(4)?;
        (end <= data.len()).then_some((start, len))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::crc32;
    use std::vec::Vec;

    fn header() -> Header {
        let mut name = [0; NAME];
        name[..5].copy_from_slice(b"Linux");
        Header {
            time: 0x6789_abcd,
            size: 3_089_664,
            load: 0x3000_8000,
            entry: 0x3000_8000,
            data_crc: 0x1234_5678,
            os: OS_LINUX,
            arch: ARCH_ARM,
            kind: TYPE_KERNEL,
            comp: COMP_NONE,
            name,
        }
    }

    #[test]
    fn reads_what_it_writes() {
        let bytes = header().to_bytes(crc32);
        assert_eq!(Header::parse(&bytes, crc32), Ok(header()));
        assert_eq!(header().name(), "Linux");
    }

    #[test]
    fn says_what_is_wrong() {
        let bytes = header().to_bytes(crc32);
        assert_eq!(Header::parse(&bytes[..63], crc32), Err(HeaderError::Short));
        assert_eq!(Header::parse(&[0xff; 64], crc32), Err(HeaderError::Magic(u32::MAX)));
        for bit in 32..HEADER * 8 {
            let mut torn = bytes;
            torn[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(Header::parse(&torn, crc32), Err(HeaderError::Crc { .. })), "bit {bit}");
        }
    }

    #[test]
    fn walks_the_parts_of_a_multi_image() {
        let check = |data: &[u8], expected: &[(usize, usize)]| {
            assert_eq!(parts(data).collect::<Vec<_>>(), expected);
        };
        check(&[], &[]);
        check(&[0, 0, 0, 0], &[]);
        check(&[0, 0, 0, 2, 0, 0, 0, 0, 1, 2], &[(8, 2)]);
        check(&[0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 1, 2], &[(12, 1), (16, 2)]);
        // The second part is said to be longer than the data.
        check(&[0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 9, 0, 0, 0, 1, 2], &[(12, 1)]);
        check(&[0xff; 16], &[]);
    }
}
