//! Reading a range of the chip as if its bad blocks were not there, at the speed of stage1.

use super::bad::is_bad;
use super::ecc::{Layout, Stats};
use super::page::{agree, correct, layout_of};
use super::read::Reader;
use super::{NandError, chip_bytes};
use crate::boot_table::Slot;
use crate::handover::Outcome;
use core::fmt;
use core::ops::Range;
use platform::hal::{Format, Nand, PAGE_WORDS};
use platform::units::EraseBlock;

/// Words in a line of the cores' caches, all of which have 32 bytes.
const LINE_WORDS: usize = 8;

/// A position that moves through the good blocks of a range, page by page.
pub struct Walk<const CACHE: bool> {
    reader: Reader<CACHE>,
    format: Format,
    layout: &'static Layout,
    /// The page last read.
    data: [u32; PAGE_WORDS],
    /// Where in it reading starts: not at its front only in the first.
    column: usize,
    /// Pages still wanted.
    left: u32,
    /// The range ends with this block, which is not in it.
    end: u32,
    pages_per_block: u32,
    /// The block that the next page is in, if that is not bad.
    block: u32,
    /// Bad blocks that were skipped by the last step.
    pub skipped: Range<u32>,
    /// What ECC has found so far.
    pub tally: Tally,
}

impl<const CACHE: bool> Walk<CACHE> {
    /// Starts at a byte of the chip, for so many pages; never leaves the range, which ends with a
    /// block. In a bad block, as U-Boot does, at the front of the next one.
    ///
    /// # Errors
    /// The chip has pages without a layout, or stays busy.
    pub fn start(nand: &mut dyn Nand, range: Range<u32>, pages: u32) -> Result<Self, NandError> {
        let geometry = nand.geometry();
        let (format, layout) = layout_of(nand)?;
        let block_bytes = geometry.page * geometry.pages_per_block;
        let end = range.end.min(chip_bytes(&geometry)) / block_bytes;
        let first = range.start / block_bytes;
        let mut walk = Self {
            reader: Reader::EMPTY,
            format,
            layout,
            data: [0; PAGE_WORDS],
            column: 0,
            left: pages,
            end,
            pages_per_block: geometry.pages_per_block,
            block: first,
            skipped: 0..0,
            tally: Tally::default(),
        };
        let (mut from, mut index) = (first, 0);
        let offset = range.start % block_bytes;
        if offset != 0 && first < end {
            if is_bad(nand, EraseBlock(first))? {
                from += 1;
            } else {
                (index, walk.column) = (offset / geometry.page, (offset % geometry.page) as usize);
            }
        }
        walk.open(nand, from, index)?;
        Ok(walk)
    }

    /// Has the reader start. It begins with nothing left, and stays so without a block in the range.
    fn open(&mut self, nand: &mut dyn Nand, from: u32, index: u32) -> Result<(), NandError> {
        let blocks = self.end.saturating_sub(from);
        if blocks == 0 || self.left == 0 {
            return Ok(());
        }
        let (Ok(start), Ok(blocks)) = (u16::try_from(from), u16::try_from(blocks)) else {
            return Err(NandError::Geometry(nand.geometry()));
        };
        let slot = Slot { start, blocks };
        let result = match index {
            0 => self.reader.open(nand, slot),
            _ => self.reader.find(nand, slot, index),
        };
        result.map_err(|error| self.error(error))
    }

    /// Reads the next page and corrects it, while the chip loads the one after it.
    ///
    /// # Errors
    /// [`NandError::End`] when the range is used up, and what reading a page can meet. After a page
    /// that cannot be corrected it may go on.
    pub fn step(&mut self, nand: &mut dyn Nand) -> Result<(), NandError> {
        self.left = self.left.saturating_sub(1);
        if self.tally.pages != 0 {
            self.column = 0;
        }
        let data = &mut self.data[..self.format.words];
        // Stores to what the cache does not hold would go to SDRAM and hold up the transfer, so
        // a word of every line is loaded while the chip loads the page.
        core::hint::black_box(data.iter().step_by(LINE_WORDS).fold(0, |all, word| all ^ word));
        if let Err(error) = self.reader.next(nand, data, self.left != 0) {
            self.skipped = self.block..self.end;
            return Err(self.error(error));
        }
        let (page, next) = self.reader.place();
        self.skipped = self.block..page.0 / self.pages_per_block;
        self.block = next.0 / self.pages_per_block;
        self.tally.pages += 1;
        self.tally.steps += self.format.steps as u32;
        let (computed, stored) = self.reader.codes();
        if agree(self.format.code, *computed, stored, 0..self.format.steps) {
            return Ok(());
        }
        let stats = correct(&self.format, self.layout, data, stored);
        self.tally.add(&stats);
        match stats.uncorrectable().next() {
            Some(step) => Err(NandError::Uncorrectable { page, step: step as u8 }),
            None => Ok(()),
        }
    }

    /// What the last step has read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        let page: &[u8] = bytemuck::cast_slice(&self.data[..self.format.words]);
        &page[self.column..]
    }

    /// Ends reading. The chip may still be loading a page that is not wanted any more.
    ///
    /// # Errors
    /// [`NandError::Timeout`].
    pub fn stop(mut self, nand: &mut dyn Nand) -> Result<(), NandError> {
        let result = self.reader.close(nand);
        result.map_err(|error| self.error(error))
    }

    fn error(&self, error: Outcome) -> NandError {
        match error {
            Outcome::Timeout => NandError::Timeout { page: self.reader.place().1 },
            _ => NandError::End { offset: self.end * self.pages_per_block * self.format.bytes() },
        }
    }
}

/// What ECC has found in many pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pages.
    pub pages: u32,
    /// ECC steps in them.
    pub steps: u32,
    /// Steps in which bitflips were corrected.
    pub corrected_steps: u32,
    /// Bitflips corrected, those in codes included.
    pub bits: u32,
    /// Those in codes.
    pub code_bits: u32,
    /// The most in one step.
    pub worst: u32,
    /// Steps that could not be corrected.
    pub lost_steps: u32,
}

impl Tally {
    fn add(&mut self, stats: &Stats) {
        self.corrected_steps += stats.corrected().count() as u32;
        self.bits += stats.bits();
        self.code_bits += stats.code_bits();
        self.worst = self.worst.max(stats.worst());
        self.lost_steps += stats.uncorrectable().count() as u32;
    }

    /// Did ECC have anything to do?
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.bits == 0 && self.lost_steps == 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, corrected_steps, bits, code_bits, worst, lost_steps, .. } = self;
        match bits {
            0 => write!(f, "no bitflips corrected in {steps} ECC steps")?,
            _ => write!(
                f,
                "bitflips corrected: {bits} in {corrected_steps} of {steps} ECC steps, at most {worst} in one"
            )?,
        }
        if *code_bits != 0 {
            write!(f, ", {code_bits} in codes")?;
        }
        if *lost_steps != 0 {
            write!(f, "; steps not correctable: {lost_steps}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{BLOCK, MockNand};
    use crate::nand::page::DATA;
    use std::vec::Vec;

    /// Reads `len` bytes; returns them and the blocks skipped.
    fn read(nand: &mut MockNand, range: Range<u32>, len: usize) -> Result<(Vec<u8>, Vec<u32>), NandError> {
        let plain = read_by::<false>(nand, range.clone(), len);
        assert_eq!(read_by::<true>(nand, range, len), plain);
        plain
    }

    fn read_by<const CACHE: bool>(
        nand: &mut MockNand,
        range: Range<u32>,
        len: usize,
    ) -> Result<(Vec<u8>, Vec<u32>), NandError> {
        let column = range.start as usize % DATA;
        let mut walk = Walk::<CACHE>::start(nand, range, (column + len).div_ceil(DATA) as u32)?;
        let (mut bytes, mut skipped) = (Vec::new(), Vec::new());
        while bytes.len() < len {
            let result = walk.step(nand);
            skipped.extend(walk.skipped.clone());
            if let Err(error) = result {
                walk.stop(nand)?;
                return Err(error);
            }
            bytes.extend_from_slice(walk.bytes());
        }
        walk.stop(nand)?;
        bytes.truncate(len);
        Ok((bytes, skipped))
    }

    /// A chip of which every page is filled with the low byte of its number.
    fn numbered(blocks: u32) -> MockNand {
        let mut nand = MockNand::new(blocks);
        for page in 0..blocks * 64 {
            nand.write(page, &[page as u8; DATA]);
        }
        nand
    }

    #[test]
    fn starts_and_ends_within_pages() {
        let mut nand = numbered(2);
        let (bytes, skipped) = read(&mut nand, 2040..BLOCK, 2060).unwrap();
        assert_eq!(bytes[..8], [0; 8]);
        assert_eq!(bytes[8..2056], [1; DATA]);
        assert_eq!(bytes[2056..], [2; 4]);
        assert!(skipped.is_empty());
        // Over the end of a block.
        let (bytes, skipped) = read(&mut nand, BLOCK - 1..2 * BLOCK, 2).unwrap();
        assert_eq!((&bytes[..], &skipped[..]), (&[63, 64][..], &[][..]));
    }

    #[test]
    fn skips_bad_blocks_at_the_start_in_a_row_and_at_the_end() {
        let mut nand = numbered(6);
        for block in [0, 2, 3] {
            nand.mark_bad(block);
        }
        let (bytes, skipped) = read(&mut nand, 0..6 * BLOCK, 2 * BLOCK as usize).unwrap();
        assert_eq!((bytes[0], bytes[BLOCK as usize]), (64, 0));
        assert_eq!(skipped, [0, 2, 3]);
        // One block more than the range has.
        let error = read(&mut nand, 0..5 * BLOCK, 2 * BLOCK as usize + 1).unwrap_err();
        assert_eq!(error, NandError::End { offset: 5 * BLOCK });
        // Nothing but bad blocks, and nothing at all.
        let error = read(&mut nand, 2 * BLOCK..4 * BLOCK, 1).unwrap_err();
        assert_eq!(error, NandError::End { offset: 4 * BLOCK });
        assert_eq!(read(&mut nand, BLOCK..BLOCK, 1).unwrap_err(), NandError::End { offset: BLOCK });
    }

    #[test]
    fn starts_behind_a_bad_block_that_it_was_to_start_in() {
        let mut nand = numbered(3);
        nand.mark_bad(1);
        let (bytes, skipped) = read(&mut nand, BLOCK + 5000..3 * BLOCK, 1).unwrap();
        assert_eq!((&bytes[..], &skipped[..]), (&[128][..], &[1][..]));
        let error = read(&mut nand, BLOCK + 5000..2 * BLOCK, 1).unwrap_err();
        assert_eq!(error, NandError::End { offset: 2 * BLOCK });
    }

    #[test]
    fn never_leaves_the_chip() {
        let mut nand = numbered(2);
        let last = 2 * BLOCK - 1;
        assert_eq!(read(&mut nand, last..u32::MAX, 1).unwrap().0, [127]);
        let error = read(&mut nand, last..u32::MAX, 2).unwrap_err();
        assert_eq!(error, NandError::End { offset: 2 * BLOCK });
        assert!(read(&mut nand, u32::MAX..u32::MAX, 1).is_err());
    }

    #[test]
    fn counts_what_it_corrects_and_goes_on_after_what_it_cannot() {
        let mut nand = numbered(1);
        nand.flip(0, 0, 0);
        nand.flip(1, 700, 7);
        nand.flip(1, DATA + 40, 7);
        nand.flip(2, 1000, 0);
        nand.flip(2, 1001, 0);
        let mut walk = Walk::<false>::start(&mut nand, 0..BLOCK, 4).unwrap();
        for page in 0..2u8 {
            walk.step(&mut nand).unwrap();
            assert_eq!(walk.bytes(), [page; DATA]);
        }
        let lost = NandError::Uncorrectable { page: platform::units::Page(2), step: 3 };
        assert_eq!(walk.step(&mut nand), Err(lost));
        walk.step(&mut nand).unwrap();
        assert_eq!(walk.bytes(), [3; DATA]);
        let text = "bitflips corrected: 3 in 3 of 32 ECC steps, at most 1 in one, 1 in codes; \
                    steps not correctable: 1";
        assert_eq!(std::format!("{}", walk.tally), text);
        walk.stop(&mut nand).unwrap();
    }

    #[test]
    fn stops_while_the_chip_is_at_work() {
        let mut nand = numbered(2);
        let mut walk = Walk::<true>::start(&mut nand, 0..BLOCK, 64).unwrap();
        walk.step(&mut nand).unwrap();
        walk.stop(&mut nand).unwrap();
        // The mock would not have it otherwise.
        assert_eq!(read(&mut nand, BLOCK..2 * BLOCK, 1).unwrap().0, [64]);
    }
}
