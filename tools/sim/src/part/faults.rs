//! What is wrong with the chip at hand: bad and worn blocks, pages that fail, bits that have gone wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Part;

/// A bit that reads inverted until its block is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flip {
    /// Page of the chip.
    pub page: u32,
    /// Byte of the page, spare bytes counted after the data.
    pub byte: u32,
    /// Bit of the byte.
    pub bit: u8,
}

/// Faults to begin with. A flip listed twice is one flip.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Erase blocks that left the factory bad: they read 00h throughout, the marks in the spare bytes
    /// of pages 0 and 1 with it, and neither program nor erase.
    pub bad_blocks: Vec<u32>,
    /// Flipped bits.
    pub flips: Vec<Flip>,
    /// Pages that fail to program (status bit 0), and are left half programmed.
    pub fail_programs: Vec<u32>,
    /// Blocks that fail to erase (status bit 0), and are left half erased.
    pub fail_erases: Vec<u32>,
    /// How many erases a block stands; every further one fails.
    pub endurance: Option<u32>,
    /// Seed of what operations that fail or are broken off leave behind.
    pub seed: u64,
}

/// Something that does not fit the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartError {
    /// The raw image is longer than the chip.
    ImageTooLong {
        /// The part.
        part: &'static str,
        /// Bytes of the image.
        len: u64,
        /// Bytes of the chip, spare bytes included.
        raw_size: u64,
    },
    /// A block the part does not have.
    NoSuchBlock {
        /// The part.
        part: &'static str,
        /// What was said of it.
        what: &'static str,
        /// The block asked for.
        block: u32,
        /// How many there are.
        blocks: u32,
    },
    /// A page the part does not have.
    NoSuchPage {
        /// The part.
        part: &'static str,
        /// The page asked for.
        page: u32,
        /// How many there are.
        pages: u32,
    },
    /// A flip at a place the part does not have.
    NoSuchBit {
        /// The part.
        part: &'static str,
        /// The flip asked for.
        flip: Flip,
    },
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ImageTooLong { part, len, raw_size } => {
                write!(f, "the NAND image has {len} bytes, {part} holds {raw_size} with its spare bytes")
            }
            Self::NoSuchBlock { part, what, block, blocks } => {
                write!(f, "{what} {block}: {part} has blocks 0 to {}", blocks - 1)
            }
            Self::NoSuchPage { part, page, pages } => {
                write!(f, "page {page} that fails to program: {part} has pages 0 to {}", pages - 1)
            }
            Self::NoSuchBit { part, flip: Flip { page, byte, bit } } => {
                write!(f, "flip in page {page}, byte {byte}, bit {bit}: {part} has no such bit")
            }
        }
    }
}

impl std::error::Error for PartError {}

/// The faults, ordered for the array's use.
#[derive(Debug, Default)]
pub(super) struct FaultMap {
    bad_blocks: BTreeSet<u32>,
    /// Page to (byte, bit), each place once.
    flips: BTreeMap<u32, BTreeSet<(u32, u8)>>,
    fail_programs: BTreeSet<u32>,
    fail_erases: BTreeSet<u32>,
    endurance: Option<u32>,
}

impl FaultMap {
    pub(super) fn new(part: &Part, faults: Faults) -> Result<Self, PartError> {
        let mut map = Self {
            bad_blocks: blocks(part, "bad block", faults.bad_blocks)?,
            fail_erases: blocks(part, "block that fails to erase", faults.fail_erases)?,
            fail_programs: faults.fail_programs.into_iter().collect(),
            endurance: faults.endurance,
            ..Self::default()
        };
        let pages = part.geometry.pages();
        if let Some(&page) = map.fail_programs.last().filter(|&&page| page >= pages) {
            return Err(PartError::NoSuchPage { part: part.name, page, pages });
        }
        for flip in faults.flips {
            let Flip { page, byte, bit } = flip;
            if page >= pages || byte >= part.geometry.page_total() || bit > 7 {
                return Err(PartError::NoSuchBit { part: part.name, flip });
            }
            map.flips.entry(page).or_default().insert((byte, bit));
        }
        Ok(map)
    }

    pub(super) fn is_bad(&self, block: u32) -> bool {
        self.bad_blocks.contains(&block)
    }

    pub(super) fn fails_program(&self, page: u32) -> bool {
        self.fail_programs.contains(&page)
    }

    /// Whether a block that has been erased so often cannot be erased once more.
    pub(super) fn fails_erase(&self, block: u32, erases: u32) -> bool {
        self.fail_erases.contains(&block) || self.endurance.is_some_and(|endurance| erases >= endurance)
    }

    /// The flipped bits of a page as (byte, bit).
    pub(super) fn flips(&self, page: u32) -> impl Iterator<Item = (u32, u8)> {
        self.flips.get(&page).into_iter().flatten().copied()
    }

    /// Forgets the flips of the pages of an erased block.
    pub(super) fn heal(&mut self, pages: std::ops::Range<u32>) {
        self.flips.retain(|page, _| !pages.contains(page));
    }
}

/// The blocks, which `what` is said of, if the part has them.
fn blocks(part: &Part, what: &'static str, list: Vec<u32>) -> Result<BTreeSet<u32>, PartError> {
    let blocks = part.geometry.blocks;
    match list.iter().find(|&&block| block >= blocks) {
        Some(&block) => Err(PartError::NoSuchBlock { part: part.name, what, block, blocks }),
        None => Ok(list.into_iter().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::k9f1g08u0b::PART;

    #[test]
    fn what_the_part_does_not_have_is_refused() {
        let check = |faults: Faults, text: &str| {
            let error = FaultMap::new(&PART, faults).expect_err(text);
            assert_eq!(error.to_string(), text);
        };
        let none = Faults::default;
        let bad = Faults { bad_blocks: vec![1023, 1024], ..none() };
        check(bad, "bad block 1024: K9F1G08U0B has blocks 0 to 1023");
        let erase = Faults { fail_erases: vec![1024], ..none() };
        check(erase, "block that fails to erase 1024: K9F1G08U0B has blocks 0 to 1023");
        let program = Faults { fail_programs: vec![65536, 65535], ..none() };
        check(program, "page 65536 that fails to program: K9F1G08U0B has pages 0 to 65535");
        let bit = |page, byte, bit| Faults { flips: vec![Flip { page, byte, bit }], ..none() };
        check(bit(65536, 0, 0), "flip in page 65536, byte 0, bit 0: K9F1G08U0B has no such bit");
        check(bit(0, 2112, 0), "flip in page 0, byte 2112, bit 0: K9F1G08U0B has no such bit");
        check(bit(0, 0, 8), "flip in page 0, byte 0, bit 8: K9F1G08U0B has no such bit");
    }

    #[test]
    fn a_flip_listed_twice_is_one() {
        let flip = Flip { page: 3, byte: 5, bit: 1 };
        let faults = Faults { flips: vec![flip, flip], ..Faults::default() };
        let map = FaultMap::new(&PART, faults).expect("fits");
        assert_eq!(map.flips(3).collect::<Vec<_>>(), [(5, 1)]);
    }
}
