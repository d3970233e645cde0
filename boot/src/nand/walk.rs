//! Reading a range of the chip as if its bad blocks were not there.

use super::bad::is_bad;
use super::page::PageBuffer;
use super::{NandError, chip_bytes};
use platform::hal::Nand;
use platform::units::{EraseBlock, Page};

/// A position that moves through the good blocks of a range.
pub struct Walk {
    at: u32,
    end: u32,
    /// The erase block known to be good.
    good: Option<u32>,
    page: PageBuffer,
    /// Bitflips corrected so far.
    pub corrected: u32,
}

/// What came next.
pub enum Step<'a> {
    /// Bytes, at most to the end of a page.
    Data(&'a [u8]),
    /// A bad block that was skipped.
    Bad(EraseBlock),
}

impl Walk {
    /// Starts at byte `from` of the chip; never goes to `end` or beyond.
    #[must_use]
    pub const fn new(from: u32, end: u32) -> Self {
        Self { at: from, end, good: None, page: PageBuffer::new(), corrected: 0 }
    }

    /// Up to `most` more bytes, corrected by ECC.
    ///
    /// # Errors
    /// [`NandError::End`] when the range is used up, and what reading a page can meet.
    pub fn step(&mut self, nand: &mut dyn Nand, most: usize) -> Result<Step<'_>, NandError> {
        let geometry = nand.geometry();
        let block_bytes = geometry.page * geometry.pages_per_block;
        if self.at >= self.end || self.at >= chip_bytes(&geometry) {
            return Err(NandError::End { offset: self.at });
        }
        let block = self.at / block_bytes;
        if self.good != Some(block) {
            if is_bad(nand, EraseBlock(block))? {
                self.at = (block + 1).saturating_mul(block_bytes);
                return Ok(Step::Bad(EraseBlock(block)));
            }
            self.good = Some(block);
        }
        self.corrected += self.page.read(nand, Page(self.at / geometry.page))?;
        let rest = self.page.data.get((self.at % geometry.page) as usize..).unwrap_or_default();
        let rest = rest.get(..most).unwrap_or(rest);
        self.at += rest.len() as u32;
        Ok(Step::Data(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{BLOCK, MockNand};
    use crate::nand::page::DATA;
    use std::vec::Vec;

    /// Reads `len` bytes; returns them and the blocks skipped.
    fn read(nand: &mut MockNand, from: u32, end: u32, len: usize) -> Result<(Vec<u8>, Vec<u32>), NandError> {
        let mut walk = Walk::new(from, end);
        let (mut bytes, mut skipped) = (Vec::new(), Vec::new());
        while bytes.len() < len {
            match walk.step(nand, len - bytes.len())? {
                Step::Data(data) => bytes.extend_from_slice(data),
                Step::Bad(block) => skipped.push(block.0),
            }
        }
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
        let mut nand = numbered(1);
        let (bytes, skipped) = read(&mut nand, 2040, BLOCK, 2060).unwrap();
        assert_eq!(bytes[..8], [0; 8]);
        assert_eq!(bytes[8..2056], [1; DATA]);
        assert_eq!(bytes[2056..], [2; 4]);
        assert!(skipped.is_empty());
    }

    #[test]
    fn skips_bad_blocks_at_the_start_in_a_row_and_at_the_end() {
        let mut nand = numbered(6);
        for block in [0, 2, 3] {
            nand.mark_bad(block);
        }
        let (bytes, skipped) = read(&mut nand, 0, 6 * BLOCK, 2 * BLOCK as usize).unwrap();
        assert_eq!((bytes[0], bytes[BLOCK as usize]), (64, 0));
        assert_eq!(skipped, [0, 2, 3]);
        // One block more than the range has.
        let error = read(&mut nand, 0, 5 * BLOCK, 2 * BLOCK as usize + 1).unwrap_err();
        assert_eq!(error, NandError::End { offset: 5 * BLOCK });
    }

    #[test]
    fn never_leaves_the_chip() {
        let mut nand = numbered(2);
        let last = 2 * BLOCK - 1;
        assert_eq!(read(&mut nand, last, u32::MAX, 1).unwrap().0, [127]);
        let error = read(&mut nand, last, u32::MAX, 2).unwrap_err();
        assert_eq!(error, NandError::End { offset: 2 * BLOCK });
        assert!(read(&mut nand, u32::MAX, u32::MAX, 1).is_err());
    }

    #[test]
    fn counts_what_it_corrects() {
        let mut nand = numbered(1);
        nand.flip(0, 0, 0);
        nand.flip(1, 700, 7);
        let mut walk = Walk::new(0, BLOCK);
        for page in 0..2u8 {
            assert!(matches!(walk.step(&mut nand, DATA), Ok(Step::Data(data)) if data == [page; DATA]));
        }
        assert_eq!(walk.corrected, 2);
    }
}
