//! The boot table: what stage1 knows about the layout of the flash.
//!
//! A record at a fixed offset of the stage1 image, filled in by `stone`, so
//! that one stage1 binary serves every layout of a board. Little-endian:
//!
//! | offset | field |
//! |---|---|
//! | 0x00 | magic `SSBT` |
//! | 0x04 | version (1), u16; length of the record, u16 |
//! | 0x08 | ATAG machine number |
//! | 0x0c | flags, none defined yet: 0 |
//! | 0x10 | kernel slot A, kernel slot B, stage2 copy 1, stage2 copy 2: first erase block u16, erase blocks u16 each |
//! | 0x20 | command line, zero-terminated and zero-filled |
//! | 0x120 | CRC-32 of everything before it |

/// Where the record starts in the stage1 image: right behind the exception
/// vectors and their literals.
pub const OFFSET: usize = 0x40;
/// Bytes of the record.
pub const LEN: usize = 0x124;
/// Longest command line in bytes, without its terminating zero.
pub const CMDLINE_MAX: usize = 255;

/// Words of the command line field.
pub const CMDLINE_WORDS: usize = (CRC - CMDLINE) / 4;

const MAGIC: [u8; 4] = *b"SSBT";
const VERSION: u16 = 1;
const CMDLINE: usize = 0x20;
const CRC: usize = 0x120;

/// A run of erase blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// First erase block.
    pub start: u16,
    /// Number of erase blocks, spare blocks included; 0 means there is no such slot.
    pub blocks: u16,
}

/// A boot table, its command line borrowed from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootTable<'a> {
    /// ATAG machine number.
    pub machine: u32,
    /// Kernel slots A and B.
    pub kernel: [Slot; 2],
    /// Copies 1 and 2 of stage2.
    pub stage2: [Slot; 2],
    /// Kernel command line.
    pub cmdline: &'a str,
}

/// Why a record is not a boot table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootTableError {
    /// Fewer bytes than a record has.
    Short,
    /// The magic, the version or the length field is another one.
    NotATable,
    /// The CRC in the record is not that of its contents.
    Crc {
        /// CRC stored in the record.
        stored: u32,
        /// CRC of the contents.
        computed: u32,
    },
    /// The command line is longer than [`CMDLINE_MAX`], not terminated or not UTF-8.
    Cmdline,
}

fn u16_at(record: &[u8; LEN], at: usize) -> u16 {
    u16::from_le_bytes([record[at], record[at + 1]])
}

fn u32_at(record: &[u8; LEN], at: usize) -> u32 {
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

impl<'a> BootTable<'a> {
    /// Reads the record at the start of `bytes`; `crc32` is the CRC of the caller's
    /// choice, because stage1 and the host have different ones.
    ///
    /// # Errors
    /// Says in what way the record is not a boot table.
    pub fn parse(bytes: &'a [u8], crc32: impl Fn(&[u8]) -> u32) -> Result<Self, BootTableError> {
        let record: &[u8; LEN] = bytes.first_chunk().ok_or(BootTableError::Short)?;
        let header = [u16_at(record, 4), u16_at(record, 6)];
        if record[..4] != MAGIC || header != [VERSION, LEN as u16] {
            return Err(BootTableError::NotATable);
        }
        let (stored, computed) = (u32_at(record, CRC), crc32(&record[..CRC]));
        if stored != computed {
            return Err(BootTableError::Crc { stored, computed });
        }
        let text = &record[CMDLINE..CRC];
        let len = text.iter().position(|&b| b == 0).ok_or(BootTableError::Cmdline)?;
        let slot = |at| Slot { start: u16_at(record, at), blocks: u16_at(record, at + 2) };
        Ok(Self {
            machine: u32_at(record, 8),
            kernel: [slot(0x10), slot(0x14)],
            stage2: [slot(0x18), slot(0x1c)],
            cmdline: core::str::from_utf8(&text[..len]).map_err(|_| BootTableError::Cmdline)?,
        })
    }

    /// The record for this table.
    ///
    /// # Errors
    /// [`BootTableError::Cmdline`] when the command line does not fit or holds a zero byte.
    pub fn to_bytes(&self, crc32: impl Fn(&[u8]) -> u32) -> Result<[u8; LEN], BootTableError> {
        if self.cmdline.len() > CMDLINE_MAX || self.cmdline.contains('\0') {
            return Err(BootTableError::Cmdline);
        }
        let mut record = [0; LEN];
        let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC);
        put(4, &VERSION.to_le_bytes());
        put(6, &(LEN as u16).to_le_bytes());
        put(8, &self.machine.to_le_bytes());
        let slots = self.kernel.iter().chain(&self.stage2);
        for (i, slot) in slots.enumerate() {
            put(0x10 + 4 * i, &slot.start.to_le_bytes());
            put(0x12 + 4 * i, &slot.blocks.to_le_bytes());
        }
        put(CMDLINE, self.cmdline.as_bytes());
        let crc = crc32(&record[..CRC]);
        record[CRC..].copy_from_slice(&crc.to_le_bytes());
        Ok(record)
    }
}

/// The record in memory as the words of a little-endian machine, for a stage that has
/// no room for [`BootTable::parse`].
#[derive(Clone, Copy)]
pub struct Words<'a>(&'a [u32; LEN / 4]);

impl<'a> Words<'a> {
    /// The record, if it is one.
    pub fn check(words: &'a [u32; LEN / 4], crc32: impl Fn(&[u32]) -> u32) -> Option<Self> {
        let header = [u32::from_le_bytes(MAGIC), (LEN as u32) << 16 | VERSION as u32];
        let valid = words[..2] == header && crc32(&words[..CRC / 4]) == words[CRC / 4];
        valid.then_some(Self(words))
    }

    /// ATAG machine number.
    #[must_use]
    pub fn machine(self) -> u32 {
        self.0[2]
    }

    /// Kernel slots A and B (0 and 1), stage2 copies 1 and 2 (2 and 3).
    #[must_use]
    pub fn slot(self, i: usize) -> Slot {
        let word = self.0[4 + i % 4];
        Slot { start: word as u16, blocks: (word >> 16) as u16 }
    }

    /// The command line, zero-terminated and zero-filled.
    #[must_use]
    pub fn cmdline(self) -> &'a [u32] {
        &self.0[CMDLINE / 4..CMDLINE / 4 + CMDLINE_WORDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn table(cmdline: &str) -> BootTable<'_> {
        BootTable {
            machine: 1304,
            kernel: [Slot { start: 4, blocks: 64 }, Slot { start: 68, blocks: 64 }],
            stage2: [Slot { start: 1, blocks: 4 }, Slot::default()],
            cmdline,
        }
    }

    #[test]
    fn reads_what_it_writes() {
        for cmdline in ["", "console=ttySAC2,115200", &"x".repeat(CMDLINE_MAX)] {
            let record = table(cmdline).to_bytes(crate::crc::crc32).unwrap();
            assert_eq!(BootTable::parse(&record, crate::crc::crc32), Ok(table(cmdline)));
        }
    }

    #[test]
    fn the_words_say_the_same() {
        let record = table("root=/dev/mtdblock5").to_bytes(crate::crc::crc32).unwrap();
        let mut words: [u32; LEN / 4] = core::array::from_fn(|i| u32_at(&record, 4 * i));
        let crc32 = |words: &[u32]| {
            crate::crc::crc32(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<std::vec::Vec<_>>())
        };
        let view = Words::check(&words, crc32).unwrap();
        assert_eq!(view.machine(), 1304);
        assert_eq!([view.slot(0), view.slot(1)], table("").kernel);
        assert_eq!([view.slot(2), view.slot(3)], table("").stage2);
        assert_eq!(view.cmdline()[0], u32::from_le_bytes(*b"root"));
        words[3] = 1;
        assert!(Words::check(&words, crc32).is_none());
    }

    #[test]
    fn refuses_a_command_line_that_does_not_fit() {
        let long: String = "x".repeat(CMDLINE_MAX + 1);
        assert_eq!(table(&long).to_bytes(crate::crc::crc32), Err(BootTableError::Cmdline));
        assert_eq!(table("a\0b").to_bytes(crate::crc::crc32), Err(BootTableError::Cmdline));
    }

    #[test]
    fn notices_any_flipped_bit() {
        let record = table("quiet").to_bytes(crate::crc::crc32).unwrap();
        for bit in 0..LEN * 8 {
            let mut torn = record;
            torn[bit / 8] ^= 1 << (bit % 8);
            assert!(BootTable::parse(&torn, crate::crc::crc32).is_err(), "bit {bit}");
        }
        assert_eq!(BootTable::parse(&record[..LEN - 1], crate::crc::crc32), Err(BootTableError::Short));
    }
}
