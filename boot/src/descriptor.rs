//! The flash descriptor: what is where in the NAND.
//!
//! `stone nand` writes it from the recipe, twice, into block 0 behind stage1 ([`copies`]); stage2 has the
//! partitions from it, and all that names them to others: `mtdparts`, device trees. Little-endian:
//!
//! | offset | field |
//! |---|---|
//! | 0x000 | magic `SSFD` |
//! | 0x004 | version (1), u16; length of the record, u16 |
//! | 0x008 | bytes of data in a page, bytes of OOB behind them, pages in an erase block, erase blocks: u32 each |
//! | 0x018 | the part's answer to READ ID, 5 bytes, 0 where it is not known; three bytes 0 |
//! | 0x020 | the part's number |
//! | 0x038 | what Linux calls the chip (`mtd-id`) |
//! | 0x050 | number of partitions, u16; number of factory bad blocks, u16 |
//! | 0x054 | 16 partitions in the order of the chip, 56 bytes each |
//! | 0x3d4 | 256 factory bad blocks, ascending, u16 each |
//! | 0x5d4 | CRC-32 of everything before it |
//!
//! A partition:
//!
//! | offset | field |
//! |---|---|
//! | 0x00 | name |
//! | 0x18 | name of its ECC layout ([`crate::nand::ecc::LAYOUTS`]) |
//! | 0x30 | first erase block, u16; erase blocks, spare ones included, u16 |
//! | 0x34 | spare erase blocks among them, u16; what it holds ([`Content`]), u8; 0 |
//!
//! Names have 24 bytes, are printable ASCII without what separates them in `mtdparts`, and zero-filled.

use crate::crc::crc32;
use arrayvec::{ArrayString, ArrayVec};
use core::fmt;
use platform::hal::Geometry;

/// Bytes of the record.
pub const LEN: usize = 0x5d8;
/// Bytes of the longest name.
pub const NAME: usize = 24;
/// Most partitions.
pub const PARTITIONS: usize = 16;
/// Most factory bad blocks: makers allow 2 % of a chip.
pub const BAD: usize = 256;

const MAGIC: [u8; 4] = *b"SSFD";
const VERSION: u16 = 1;
const TABLE: usize = 0x54;
const ENTRY: usize = 0x38;
const BAD_TABLE: usize = TABLE + PARTITIONS * ENTRY;
const CRC: usize = BAD_TABLE + 2 * BAD;
const _: () = assert!(BAD_TABLE == 0x3d4 && CRC == 0x5d4 && LEN == CRC + 4);

/// A name.
pub type Name = ArrayString<NAME>;

/// What a partition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Content {
    /// Nothing that the loader knows.
    Other = 0,
    /// The first stage with the boot table, and the descriptor.
    Stage1 = 1,
    /// A copy of the second stage.
    Stage2 = 2,
    /// A kernel.
    Kernel = 3,
    /// The environment.
    Env = 4,
    /// Bytes as they are.
    Raw = 5,
    /// The bad block table.
    Bbt = 6,
}

impl Content {
    /// All there are, by their numbers.
    pub const ALL: [Self; 7] =
        [Self::Other, Self::Stage1, Self::Stage2, Self::Kernel, Self::Env, Self::Raw, Self::Bbt];

    /// As recipes spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Stage1 => "stage1",
            Self::Stage2 => "stage2",
            Self::Kernel => "kernel",
            Self::Env => "env",
            Self::Raw => "raw",
            Self::Bbt => "bbt",
        }
    }
}

/// A run of erase blocks with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its name.
    pub name: Name,
    /// The name of its ECC layout.
    pub ecc: Name,
    /// First erase block.
    pub start: u16,
    /// Erase blocks, spare ones included.
    pub blocks: u16,
    /// How many of them make up for bad ones.
    pub spare: u16,
    /// What it holds.
    pub content: Content,
}

impl Partition {
    /// The erase block behind it.
    #[must_use]
    pub fn end(&self) -> u32 {
        u32::from(self.start) + u32::from(self.blocks)
    }
}

/// A flash descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The organisation of the chip.
    pub geometry: Geometry,
    /// The part's answer to READ ID, 0 where it is not known.
    pub id: [u8; 5],
    /// The part's number.
    pub part: Name,
    /// What Linux calls the chip.
    pub mtd: Name,
    /// The partitions in the order of the chip.
    pub partitions: ArrayVec<Partition, PARTITIONS>,
    /// Blocks that the maker has marked bad.
    pub bad: ArrayVec<u16, BAD>,
}

/// Why a record is no flash descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorError {
    /// There is none: the magic is another one.
    Missing,
    /// Fewer bytes than a record has.
    Short,
    /// Another version, or length.
    Version {
        /// The version.
        version: u16,
        /// The length.
        len: u16,
    },
    /// The CRC in the record is not that of its contents.
    Crc {
        /// CRC stored in the record.
        stored: u32,
        /// CRC of the contents.
        computed: u32,
    },
    /// No chip is organised like that, or none that the record has room for.
    Geometry,
    /// The part's number, or what Linux calls the chip.
    Text,
    /// More partitions or bad blocks than there is room for.
    Count,
    /// The name of a partition, or of its ECC layout, is none or is there twice.
    Name {
        /// Which one.
        partition: u8,
    },
    /// A partition is empty, has more spare blocks than blocks, or is not between the one before it and the
    /// end of the chip.
    Range {
        /// Which one.
        partition: u8,
    },
    /// A partition holds what has no meaning.
    Content {
        /// Which one.
        partition: u8,
    },
    /// A bad block is not on the chip, or not behind the one before it.
    Bad {
        /// Which one.
        index: u8,
    },
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "none: expected the magic SSFD"),
            Self::Short => write!(f, "cut short: expected {LEN:#x} bytes"),
            Self::Version { version, len } => {
                write!(f, "expected version {VERSION} and {LEN:#x} bytes, found {version} and {len:#x}")
            }
            Self::Crc { stored, computed } => {
                write!(f, "CRC is wrong, expected {computed:#010x}, found {stored:#010x}")
            }
            Self::Geometry => write!(f, "there is no such chip"),
            Self::Text => write!(f, "the name of the chip is none"),
            Self::Count => write!(f, "expected at most {PARTITIONS} partitions and {BAD} bad blocks"),
            Self::Name { partition } => write!(f, "partition {partition}: its names are none, or used twice"),
            Self::Range { partition } => write!(f, "partition {partition}: such blocks are not there for it"),
            Self::Content { partition } => write!(f, "partition {partition}: what it holds is unknown"),
            Self::Bad { index } => {
                write!(f, "bad block {index} of the list is not on the chip, or out of order")
            }
        }
    }
}

/// Byte offsets of the two copies in the data of block 0: in the middle of the block, and at its end. A flip
/// of a bit, or a page that cannot be read, spoils one of them at most.
#[must_use]
pub fn copies(geometry: &Geometry) -> [u32; 2] {
    let block = geometry.page.saturating_mul(geometry.pages_per_block);
    let own = (LEN as u32).checked_next_multiple_of(geometry.page).unwrap_or(block);
    [block / 2, block.saturating_sub(own)]
}

/// May a partition have this name? One that is a number would be taken for an offset.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")).unwrap_or(name);
    is_text(name) && !digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Not empty, and without what ends a name in `mtdparts` or at the prompt.
fn is_text(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && !b"()<>,:;@=$&|'\"\\".contains(&byte);
    (1..=NAME).contains(&text.len()) && text.bytes().all(fits)
}

impl Descriptor {
    /// Reads the record at the start of `bytes`.
    ///
    /// # Errors
    /// Says in what way it is no descriptor.
    pub fn parse(bytes: &[u8]) -> Result<Self, DescriptorError> {
        let record: &[u8; LEN] = bytes.first_chunk().ok_or(DescriptorError::Short)?;
        if !record.starts_with(&MAGIC) {
            return Err(DescriptorError::Missing);
        }
        let mut fields = Fields(record.get(4..).unwrap_or_default());
        let (version, len) = (fields.u16(), fields.u16());
        if (version, usize::from(len)) != (VERSION, LEN) {
            return Err(DescriptorError::Version { version, len });
        }
        let (content, stored) = record.split_at(CRC);
        let (stored, computed) = (Fields(stored).u32(), crc32(content));
        if stored != computed {
            return Err(DescriptorError::Crc { stored, computed });
        }
        let geometry = Geometry {
            page: fields.u32(),
            oob: fields.u32(),
            pages_per_block: fields.u32(),
            blocks: fields.u32(),
        };
        let id = fields.take();
        let _: [u8; 3] = fields.take();
        let mut text = || fields.name().ok_or(DescriptorError::Text);
        let mut descriptor = Self {
            geometry,
            id,
            part: text()?,
            mtd: text()?,
            partitions: ArrayVec::new(),
            bad: ArrayVec::new(),
        };
        let (partitions, bad) = (usize::from(fields.u16()), usize::from(fields.u16()));
        if partitions > PARTITIONS || bad > BAD {
            return Err(DescriptorError::Count);
        }
        for partition in 0..partitions as u8 {
            let names = fields.name().zip(fields.name());
            let (name, ecc) = names.ok_or(DescriptorError::Name { partition })?;
            let (start, blocks, spare) = (fields.u16(), fields.u16(), fields.u16());
            let [code, _] = fields.take();
            let content = Content::ALL.get(usize::from(code)).copied();
            let content = content.ok_or(DescriptorError::Content { partition })?;
            descriptor.partitions.push(Partition { name, ecc, start, blocks, spare, content });
        }
        let mut list = Fields(record.get(BAD_TABLE..).unwrap_or_default());
        descriptor.bad.extend((0..bad).map(|_| list.u16()));
        descriptor.check()?;
        Ok(descriptor)
    }

    /// The record.
    ///
    /// # Errors
    /// Says what of it makes no sense.
    pub fn to_bytes(&self) -> Result<[u8; LEN], DescriptorError> {
        self.check()?;
        let mut record = [0; LEN];
        let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC);
        put(4, &VERSION.to_le_bytes());
        put(6, &(LEN as u16).to_le_bytes());
        let Geometry { page, oob, pages_per_block, blocks } = self.geometry;
        for (i, number) in [page, oob, pages_per_block, blocks].into_iter().enumerate() {
            put(8 + 4 * i, &number.to_le_bytes());
        }
        put(0x18, &self.id);
        put(0x20, self.part.as_bytes());
        put(0x38, self.mtd.as_bytes());
        put(0x50, &(self.partitions.len() as u16).to_le_bytes());
        put(0x52, &(self.bad.len() as u16).to_le_bytes());
        for (i, partition) in self.partitions.iter().enumerate() {
            let at = TABLE + i * ENTRY;
            put(at, partition.name.as_bytes());
            put(at + 0x18, partition.ecc.as_bytes());
            put(at + 0x30, &partition.start.to_le_bytes());
            put(at + 0x32, &partition.blocks.to_le_bytes());
            put(at + 0x34, &partition.spare.to_le_bytes());
            put(at + 0x36, &[partition.content as u8]);
        }
        for (i, block) in self.bad.iter().enumerate() {
            put(BAD_TABLE + 2 * i, &block.to_le_bytes());
        }
        let crc = crc32(&record[..CRC]);
        record[CRC..].copy_from_slice(&crc.to_le_bytes());
        Ok(record)
    }

    /// Does it make sense?
    fn check(&self) -> Result<(), DescriptorError> {
        let Geometry { page, oob, pages_per_block, blocks } = self.geometry;
        let bytes = page.checked_mul(pages_per_block).and_then(|block| block.checked_mul(blocks));
        let fits = page.is_power_of_two() && oob < page && blocks <= 1 << 16;
        if !fits || bytes.is_none_or(|bytes| bytes == 0) {
            return Err(DescriptorError::Geometry);
        }
        if !is_text(&self.part) || !is_text(&self.mtd) {
            return Err(DescriptorError::Text);
        }
        let mut end = 0;
        for (i, one) in self.partitions.iter().enumerate() {
            let partition = i as u8;
            let twice = self.partitions.iter().take(i).any(|other| other.name == one.name);
            if !is_name(&one.name) || !is_text(&one.ecc) || twice {
                return Err(DescriptorError::Name { partition });
            }
            if u32::from(one.start) < end || one.end() > blocks || one.spare >= one.blocks {
                return Err(DescriptorError::Range { partition });
            }
            end = one.end();
        }
        let mut next = 0;
        for (i, &block) in self.bad.iter().enumerate() {
            if u32::from(block) < next || u32::from(block) >= blocks {
                return Err(DescriptorError::Bad { index: i as u8 });
            }
            next = u32::from(block) + 1;
        }
        Ok(())
    }
}

/// What is left of a record to be read. It is never longer than it, but reading on behind it would
/// give zeros.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((field, rest)) => {
                self.0 = rest;
                *field
            }
            None => [0; N],
        }
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// A name with nothing but zeros behind it.
    fn name(&mut self) -> Option<Name> {
        let field: [u8; NAME] = self.take();
        let len = field.iter().position(|&byte| byte == 0).unwrap_or(NAME);
        let (text, fill) = field.split_at_checked(len)?;
        let text = core::str::from_utf8(text).ok()?;
        if fill.iter().any(|&byte| byte != 0) { None } else { Name::from(text).ok() }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::mock::Random;

    fn partition(name: &str, start: u16, blocks: u16, content: Content) -> Partition {
        Partition {
            name: Name::from(name).unwrap(),
            ecc: Name::from("s3c24xx-hw").unwrap(),
            start,
            blocks,
            spare: u16::from(blocks > 1),
            content,
        }
    }

    /// Of a chip with 64 blocks, two of them bad.
    pub fn descriptor() -> Descriptor {
        Descriptor {
            geometry: Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks: 64 },
            id: [0xec, 0xaa, 0, 0, 0],
            part: Name::from("K5D2G13ACM").unwrap(),
            mtd: Name::from("mock-nand").unwrap(),
            partitions: ArrayVec::from_iter([
                partition("boot", 0, 1, Content::Stage1),
                partition("stage2-1", 1, 3, Content::Stage2),
                partition("env", 4, 2, Content::Env),
                partition("kernel-a", 8, 4, Content::Kernel),
                partition("kernel-b", 12, 4, Content::Kernel),
                partition("rootfs", 16, 48, Content::Other),
            ]),
            bad: ArrayVec::from_iter([9, 63]),
        }
    }

    #[test]
    fn reads_what_it_writes() {
        let mut full = descriptor();
        full.geometry = Geometry { pages_per_block: 16, blocks: 1 << 16, ..full.geometry };
        full.bad = (0..BAD as u16).map(|i| u16::MAX - 0xff + i).collect();
        full.partitions = (0..PARTITIONS as u16)
            .map(|i| partition(&std::format!("{i:x}-{}", "n".repeat(22)), i * 2, 2, Content::Raw))
            .collect();
        for content in Content::ALL {
            full.partitions[3].content = content;
            assert_eq!(Descriptor::parse(&full.to_bytes().unwrap()), Ok(full.clone()));
        }
        full.partitions.clear();
        full.bad.clear();
        for descriptor in [full, descriptor()] {
            assert_eq!(Descriptor::parse(&descriptor.to_bytes().unwrap()), Ok(descriptor));
        }
    }

    #[test]
    fn notices_any_flipped_bit() {
        let record = descriptor().to_bytes().unwrap();
        for bit in 0..LEN * 8 {
            let mut torn = record;
            torn[bit / 8] ^= 1 << (bit % 8);
            assert!(Descriptor::parse(&torn).is_err(), "bit {bit}");
        }
        for len in 0..LEN {
            assert_eq!(Descriptor::parse(&record[..len]), Err(DescriptorError::Short), "{len}");
        }
        assert_eq!(Descriptor::parse(&[0xff; LEN]), Err(DescriptorError::Missing));
    }

    /// Parses the record after a change, with the CRC that belongs to it.
    fn changed(at: usize, bytes: &[u8]) -> Result<Descriptor, DescriptorError> {
        let mut record = descriptor().to_bytes().unwrap();
        record[at..at + bytes.len()].copy_from_slice(bytes);
        let crc = crc32(&record[..CRC]);
        record[CRC..].copy_from_slice(&crc.to_le_bytes());
        Descriptor::parse(&record)
    }

    #[test]
    fn says_what_makes_no_sense() {
        use DescriptorError as E;
        let check = |at: usize, bytes: &[u8], error| assert_eq!(changed(at, bytes), Err(error), "{at:#x}");
        check(4, &[2], E::Version { version: 2, len: LEN as u16 });
        check(6, &[0, 0], E::Version { version: 1, len: 0 });
        for at in [8, 0x10, 0x14] {
            check(at, &[0; 4], E::Geometry);
            check(at, &[0xff; 4], E::Geometry);
        }
        check(8, &[1, 8], E::Geometry);
        check(0x14, &[1, 0, 1, 0], E::Geometry);
        check(0x20, &[0], E::Text);
        check(0x38, b"a:b\0", E::Text);
        check(0x38, &[0xff], E::Text);
        check(0x50, &[17], E::Count);
        check(0x50, &[0xff, 0xff], E::Count);
        check(0x52, &[1, 1], E::Count);
        // A partition more than were written.
        check(0x50, &[7], E::Name { partition: 6 });
        let second = TABLE + ENTRY;
        check(second, b"boot\0\0\0\0", E::Name { partition: 1 });
        check(second, b"bad\0\0\0\0\0", E::Name { partition: 1 });
        check(second, b"0x12\0\0\0\0", E::Name { partition: 1 });
        check(second, b"a(b", E::Name { partition: 1 });
        check(second, b"a\0", E::Name { partition: 1 });
        check(second + 0x18, &[0; 24], E::Name { partition: 1 });
        check(second + 0x30, &[0], E::Range { partition: 1 });
        check(second + 0x32, &[0], E::Range { partition: 1 });
        check(second + 0x32, &[4], E::Range { partition: 2 });
        check(second + 0x34, &[3], E::Range { partition: 1 });
        check(second + 0x36, &[7], E::Content { partition: 1 });
        let last = TABLE + 5 * ENTRY;
        check(last + 0x32, &[49], E::Range { partition: 5 });
        check(last + 0x30, &[0xff, 0xff, 0xff, 0xff], E::Range { partition: 5 });
        check(BAD_TABLE, &[63], E::Bad { index: 1 });
        check(BAD_TABLE + 2, &[64], E::Bad { index: 1 });
    }

    #[test]
    fn any_bytes_give_an_answer() {
        let mut random = Random::new(5);
        let record = descriptor().to_bytes().unwrap();
        let mut good = 0;
        for _ in 0..20_000 {
            let mut hostile = record;
            for _ in 0..=random.below(4) {
                let at = 8 + random.below(CRC as u32 - 8) as usize;
                hostile[at] = random.below(256) as u8;
            }
            let crc = crc32(&hostile[..CRC]);
            hostile[CRC..].copy_from_slice(&crc.to_le_bytes());
            if let Ok(parsed) = Descriptor::parse(&hostile) {
                good += 1;
                assert_eq!(Descriptor::parse(&parsed.to_bytes().unwrap()), Ok(parsed));
            }
        }
        // Most bytes are unused ones.
        assert!((10_000..20_000).contains(&good), "{good}");
    }

    #[test]
    fn names_are_no_numbers() {
        for name in ["boot", "kernel-a", "rootfs", "u-boot_env", "0xg", "bbt", "e", "x".repeat(24).as_str()] {
            assert_eq!(is_name(name), name != "e", "{name}");
        }
        for name in ["", "bad", "12", "0x12", "0x", "a b", "a,b", "\u{e4}", "x".repeat(25).as_str()] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn copies_are_apart_and_behind_stage1() {
        let check = |page, pages_per_block, expected: [u32; 2]| {
            let geometry = Geometry { page, oob: 16, pages_per_block, blocks: 1 };
            assert_eq!(copies(&geometry), expected);
            assert!(expected.iter().all(|at| at % page == 0 && *at >= 4096));
            assert!(expected[0] + LEN as u32 <= expected[1]);
        };
        check(2048, 64, [0x1_0000, 0x1_f800]);
        check(512, 32, [0x2000, 0x3a00]);
        check(4096, 64, [0x2_0000, 0x3_f000]);
        let wild = Geometry { page: 0, oob: 0, pages_per_block: u32::MAX, blocks: 0 };
        assert_eq!(copies(&wild), [0, 0]);
    }
}
