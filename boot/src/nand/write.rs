//! Writing to the good blocks of a range: pages in ascending order, each read back and compared.
//!
//! Nothing is programmed over anything: from the first page to be written to the end of its block
//! all must be erased. A block in which programming fails is marked bad, and what was to be in
//! it goes to the next good one.

use super::bad::{is_bad, mark};
use super::page::{PageBuffer, layout_of};
use super::program::{check_writable, program};
use super::{NandError, chip_bytes};
use core::ops::Range;
use platform::hal::{Nand, PAGE_WORDS};
use platform::units::{EraseBlock, Page};

/// Blocks that may fail in one go. A part may lose two in a hundred in its life; when so many fail
/// at once, it is not the blocks.
pub const FAILURES_MAX: u32 = 4;

/// Something that whoever waits wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A block marked bad was passed over.
    Skipped(EraseBlock),
    /// This block has failed and is marked bad now; its data goes elsewhere.
    Failed(EraseBlock, NandError),
    /// So many of so many blocks have been erased, this one the last.
    Erased {
        /// The block.
        block: EraseBlock,
        /// Blocks done, bad ones included.
        done: u32,
        /// All blocks.
        all: u32,
    },
}

/// Who waits for something long to be done.
pub trait Watch {
    /// Something has happened.
    fn tell(&mut self, event: Event);
    /// The chip is busy.
    fn idle(&mut self);
    /// Is it to be broken off? Asked for between two pieces of work.
    fn stopped(&mut self) -> bool;
}

/// What has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes of data that are in the chip.
    pub bytes: u32,
    /// Bytes of the bad blocks that were passed over.
    pub skipped: u32,
    /// Pages that were not programmed, because all of their bytes are FF.
    pub trimmed: u32,
    /// Bitflips corrected when it was read back.
    pub flips: u32,
}

/// A write under way.
struct Writer<'a> {
    nand: &'a mut dyn Nand,
    watch: &'a mut dyn Watch,
    trim: bool,
    written: Written,
    failures: u32,
}

/// Writes bytes to the good blocks of a range, from its start on, which is that of a page; in a bad
/// block, from the start of the next one. The last page is filled up with FF. With `trim`
/// pages of nothing but FF stay erased.
///
/// # Errors
/// How far it got, and why not further.
pub fn write(
    nand: &mut dyn Nand,
    range: Range<u32>,
    data: &[u8],
    trim: bool,
    watch: &mut dyn Watch,
) -> Result<Written, (Written, NandError)> {
    let mut writer = Writer { nand, watch, trim, written: Written::default(), failures: 0 };
    match writer.run(range, data) {
        Ok(()) => Ok(writer.written),
        Err(error) => Err((writer.written, error)),
    }
}

impl Writer<'_> {
    fn run(&mut self, range: Range<u32>, data: &[u8]) -> Result<(), NandError> {
        let geometry = self.nand.geometry();
        let block_bytes = geometry.page * geometry.pages_per_block;
        if !range.start.is_multiple_of(geometry.page) {
            return Err(NandError::Unaligned { offset: range.start, unit: geometry.page });
        }
        check_writable(self.nand)?;
        let end = range.end.min(chip_bytes(&geometry));
        self.check_room(range.start, end, data.len())?;
        let (mut offset, mut rest) = (range.start, data);
        while !rest.is_empty() {
            let block = EraseBlock(offset / block_bytes);
            if offset >= end {
                return Err(NandError::End { offset: end });
            }
            let next = (block.0 + 1) * block_bytes;
            let (here, behind) = rest.split_at(rest.len().min((next - offset) as usize));
            if is_bad(self.nand, block)? {
                self.written.skipped += block_bytes;
                self.watch.tell(Event::Skipped(block));
            } else {
                match self.write_block(Page(offset / geometry.page), here) {
                    Ok(()) => rest = behind,
                    Err(error) => self.give_up(block, offset.is_multiple_of(block_bytes), error)?,
                }
            }
            offset = next;
        }
        Ok(())
    }

    /// Better refused than begun when the good blocks have too little room.
    fn check_room(&mut self, start: u32, end: u32, len: usize) -> Result<(), NandError> {
        let geometry = self.nand.geometry();
        let block_bytes = geometry.page * geometry.pages_per_block;
        let (mut offset, mut room) = (start, 0);
        while room < len {
            if offset >= end {
                return Err(NandError::End { offset: end });
            }
            let next = (offset / block_bytes + 1) * block_bytes;
            if !is_bad(self.nand, EraseBlock(offset / block_bytes))? {
                room += (next - offset) as usize;
            }
            offset = next;
        }
        Ok(())
    }

    /// Writes to the pages from `first` on, all of which are in a block.
    fn write_block(&mut self, first: Page, data: &[u8]) -> Result<(), NandError> {
        check_erased_from(self.nand, first)?;
        let page_bytes = self.nand.geometry().page as usize;
        let before = self.written;
        for (page, bytes) in (first.0..).map(Page).zip(data.chunks(page_bytes)) {
            if self.watch.stopped() {
                return Err(NandError::Interrupted);
            }
            // What is in a block that fails does not count.
            self.write_page(page, bytes).inspect_err(|error| {
                if matches!(error, NandError::ProgramFailed { .. }) {
                    self.written = before;
                }
            })?;
        }
        Ok(())
    }

    fn write_page(&mut self, page: Page, bytes: &[u8]) -> Result<(), NandError> {
        if self.trim && is_blank(bytes) {
            self.written.trimmed += 1;
        } else {
            let mut words = [!0; PAGE_WORDS];
            bytemuck::cast_slice_mut::<_, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
            let words = &words[..self.nand.format().words];
            program(self.nand, page, words, &mut || self.watch.idle())?;
            self.written.flips += verify(self.nand, page, bytes)?;
        }
        self.written.bytes += bytes.len() as u32;
        Ok(())
    }

    /// Marks a block bad in which programming has failed, so that its data can go to the next one.
    /// If there is other data in it, that is not for us to lose.
    fn give_up(&mut self, block: EraseBlock, whole: bool, error: NandError) -> Result<(), NandError> {
        if !whole || !matches!(error, NandError::ProgramFailed { .. }) {
            return Err(error);
        }
        self.failures += 1;
        if self.failures > FAILURES_MAX {
            return Err(NandError::Failures { last: block });
        }
        mark(self.nand, block, &mut || self.watch.idle())?;
        self.watch.tell(Event::Failed(block, error));
        Ok(())
    }
}

/// Is that all FF?
#[must_use]
pub fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0xff)
}

/// Is this page erased? A few flipped bits do not count, nor what is in its OOB but for codes.
///
/// # Errors
/// [`NandError::NotErased`] if not.
pub fn check_erased(nand: &mut dyn Nand, page: Page) -> Result<(), NandError> {
    let (_, layout) = layout_of(nand)?;
    let mut buffer = PageBuffer::new();
    let (data, oob) = buffer.read_raw(nand, page)?;
    if layout.check(data, oob).is_erased() { Ok(()) } else { Err(NandError::NotErased { page }) }
}

/// Is all from this page to the end of its block erased? Pages are programmed in ascending order, so
/// those behind one that is programmed must be.
///
/// # Errors
/// As [`check_erased`].
pub fn check_erased_from(nand: &mut dyn Nand, first: Page) -> Result<(), NandError> {
    let pages_per_block = nand.geometry().pages_per_block;
    let end = (first.0 / pages_per_block + 1) * pages_per_block;
    (first.0..end).map(Page).try_for_each(|page| check_erased(nand, page))
}

/// Reads a page back as its readers will, and compares; returns the bitflips corrected.
///
/// # Errors
/// [`NandError::Differs`], and what reading a page can meet.
pub fn verify(nand: &mut dyn Nand, page: Page, bytes: &[u8]) -> Result<u32, NandError> {
    let mut buffer = PageBuffer::new();
    let (read, flips) = buffer.read(nand, page, 0..bytes.len())?;
    match read.iter().zip(bytes).position(|(read, byte)| read != byte) {
        None => Ok(flips),
        Some(byte) => Err(NandError::Differs { page, byte: byte as u32 }),
    }
}

/// Takes down what it is told.
#[cfg(test)]
pub(super) struct Log {
    pub events: std::vec::Vec<Event>,
    /// Pieces of work after which it wants to stop.
    pub patience: usize,
}

#[cfg(test)]
impl Log {
    pub const fn new() -> Self {
        Self { events: std::vec::Vec::new(), patience: usize::MAX }
    }
}

#[cfg(test)]
impl Watch for Log {
    fn tell(&mut self, event: Event) {
        self.events.push(event);
    }
    fn idle(&mut self) {}
    fn stopped(&mut self) -> bool {
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{BLOCK, MockNand};
    use crate::nand::page::DATA;
    use std::vec::Vec;

    /// Bytes of which no two pages are alike.
    fn bytes(len: u32) -> Vec<u8> {
        (0..len.div_ceil(4)).flat_map(|i| (i ^ i << 11).to_le_bytes()).take(len as usize).collect()
    }

    /// Writes from `start` on, not beyond block 8; returns what came of it and what was told.
    fn put(
        nand: &mut MockNand,
        start: u32,
        data: &[u8],
    ) -> (Result<Written, (Written, NandError)>, Vec<Event>) {
        let mut log = Log::new();
        let result = write(nand, start..8 * BLOCK, data, false, &mut log);
        (result, log.events)
    }

    fn block(nand: &MockNand, block: u32) -> Vec<u8> {
        (block * 64..block * 64 + 64).flat_map(|page| nand.data(page)).collect()
    }

    #[test]
    fn writes_around_bad_blocks() {
        let mut nand = MockNand::new(8);
        nand.mark_bad(2);
        nand.mark_bad_second(3);
        let data = bytes(2 * BLOCK + 5);
        let (result, events) = put(&mut nand, BLOCK, &data);
        let expected = Written { bytes: 2 * BLOCK + 5, skipped: 2 * BLOCK, ..Written::default() };
        assert_eq!(result, Ok(expected));
        assert_eq!(events, [2, 3].map(|block| Event::Skipped(EraseBlock(block))));
        assert!(block(&nand, 1) == data[..BLOCK as usize]);
        assert!(block(&nand, 4) == data[BLOCK as usize..][..BLOCK as usize]);
        assert_eq!(nand.data(5 * 64)[..8], [&data[2 * BLOCK as usize..], &[0xff; 3]].concat());
        // Neither what is before nor what is behind.
        assert!(nand.is_erased(0) && nand.is_erased(6) && nand.changes == 129);
    }

    #[test]
    fn begins_at_any_page_but_not_within_one() {
        let mut nand = MockNand::new(8);
        let data = bytes(3 * DATA as u32);
        assert!(put(&mut nand, BLOCK - 2 * DATA as u32, &data).0.is_ok());
        assert_eq!([nand.data(62), nand.data(63), nand.data(64)].concat(), data);
        let unaligned = NandError::Unaligned { offset: 4, unit: DATA as u32 };
        assert_eq!(put(&mut nand, 4, &data).0, Err((Written::default(), unaligned)));
    }

    #[test]
    fn a_block_that_fails_is_marked_and_its_data_moved() {
        let mut nand = MockNand::new(8);
        nand.fail_program.extend([64 + 63, 2 * 64]);
        let data = bytes(2 * BLOCK);
        let (result, events) = put(&mut nand, 0, &data);
        assert_eq!(result, Ok(Written { bytes: 2 * BLOCK, ..Written::default() }));
        let failed =
            |page| Event::Failed(EraseBlock(page / 64), NandError::ProgramFailed { page: Page(page) });
        assert_eq!(events, [failed(127), failed(128)]);
        assert!(is_bad(&mut nand, EraseBlock(1)) == Ok(true) && is_bad(&mut nand, EraseBlock(2)) == Ok(true));
        assert!(block(&nand, 0) == data[..BLOCK as usize]);
        assert!(block(&nand, 3) == data[BLOCK as usize..]);
    }

    #[test]
    fn a_block_with_other_data_is_not_given_up() {
        let mut nand = MockNand::new(8);
        nand.write(64, &[1]);
        nand.fail_program.insert(64 + 5);
        let (result, events) = put(&mut nand, BLOCK + 4 * DATA as u32, &bytes(2 * DATA as u32));
        let written = Written { bytes: 0, ..Written::default() };
        assert_eq!(result, Err((written, NandError::ProgramFailed { page: Page(69) })));
        assert!(events.is_empty() && is_bad(&mut nand, EraseBlock(1)) == Ok(false));
        assert_eq!(nand.data(64)[0], 1);
    }

    #[test]
    fn when_every_block_fails_it_is_not_the_blocks() {
        let mut nand = MockNand::new(8);
        nand.fail_program.extend((0..8).map(|block| block * 64 + 5));
        let (result, events) = put(&mut nand, 0, &bytes(BLOCK));
        assert_eq!(result, Err((Written::default(), NandError::Failures { last: EraseBlock(4) })));
        assert_eq!(events.len(), FAILURES_MAX as usize);
        // The page that failed can still be seen.
        assert!(!nand.is_erased(4));
    }

    #[test]
    fn refuses_what_does_not_fit_before_anything_is_written() {
        let mut nand = MockNand::new(8);
        nand.mark_bad(7);
        let end = NandError::End { offset: 8 * BLOCK };
        assert_eq!(put(&mut nand, 5 * BLOCK, &bytes(2 * BLOCK + 1)).0, Err((Written::default(), end)));
        assert_eq!(put(&mut nand, 8 * BLOCK, &[0]).0, Err((Written::default(), end)));
        assert_eq!(nand.changes, 0);
        assert!(put(&mut nand, 5 * BLOCK, &bytes(2 * BLOCK)).0.is_ok());
    }

    #[test]
    fn a_failure_may_use_up_the_range() {
        let mut nand = MockNand::new(8);
        nand.fail_program.insert(7 * 64);
        let written = Written { bytes: BLOCK, ..Written::default() };
        let end = NandError::End { offset: 8 * BLOCK };
        assert_eq!(put(&mut nand, 6 * BLOCK, &bytes(2 * BLOCK)).0, Err((written, end)));
    }

    #[test]
    fn programs_over_nothing() {
        let mut nand = MockNand::new(8);
        let mut check = |page: u32, start: u32, refused: bool| {
            nand.erase_all();
            nand.write(page, &[0]);
            let changes = nand.changes;
            let error = NandError::NotErased { page: Page(page) };
            let expected = if refused { Err((Written::default(), error)) } else { Ok(4) };
            let result = put(&mut nand, start, &[1, 2, 3, 4]).0;
            assert_eq!(result.map(|written| written.bytes), expected, "{page} {start:#x}");
            assert_eq!(nand.changes - changes, u32::from(!refused));
        };
        check(64, BLOCK, true);
        // Pages of a block are written in ascending order.
        check(127, BLOCK, true);
        check(64, BLOCK + DATA as u32, false);
        check(63, BLOCK, false);
        check(128, BLOCK, false);
    }

    #[test]
    fn a_few_flipped_bits_are_as_good_as_erased() {
        let mut nand = MockNand::new(8);
        nand.flip(1, 100, 3);
        nand.flip(2, DATA + 41, 3);
        // The clean marker of JFFS2.
        nand.flip(0, DATA + 2, 1);
        assert_eq!(put(&mut nand, 0, &[0x5a; 2 * DATA]).0.unwrap().flips, 1);
    }

    #[test]
    fn reads_back_what_it_has_written() {
        let mut nand = MockNand::new(8);
        nand.weak.push((1, 700));
        let data = [0x55; 3 * DATA];
        let expected = NandError::Differs { page: Page(1), byte: 700 };
        let written = Written { bytes: DATA as u32, ..Written::default() };
        assert_eq!(put(&mut nand, 0, &data).0, Err((written, expected)));
        // Two bits are what ECC tells.
        let mut nand = MockNand::new(8);
        nand.weak.push((1, 701));
        let lost = NandError::Uncorrectable { page: Page(1), step: 2 };
        assert_eq!(put(&mut nand, 0, &[0x11; 3 * DATA]).0, Err((written, lost)));
        // A good code and other data: what the ECC alone would not find.
        let mut nand = MockNand::new(8);
        nand.write(1, &data[..DATA]);
        let differs = NandError::Differs { page: Page(1), byte: 3 };
        assert_eq!(verify(&mut nand, Page(1), &[0x55, 0x55, 0x55, 0x54]), Err(differs));
        // What ECC corrects is counted.
        nand.flip(1, 3, 0);
        assert_eq!(verify(&mut nand, Page(1), &data[..DATA]), Ok(1));
    }

    #[test]
    fn trims_blank_pages() {
        let mut nand = MockNand::new(8);
        let data = [[1; DATA], [0xff; DATA], [2; DATA], [0xff; DATA]].concat();
        let written = write(&mut nand, 0..BLOCK, &data, true, &mut Log::new()).unwrap();
        let expected = Written { bytes: data.len() as u32, trimmed: 2, ..Written::default() };
        assert_eq!((written, nand.changes), (expected, 2));
        assert_eq!([nand.data(0)[0], nand.data(1)[0], nand.data(2)[0]], [1, 0xff, 2]);
        nand.erase_all();
        assert_eq!((put(&mut nand, 0, &data).0.unwrap().trimmed, nand.changes), (0, 6));
    }

    #[test]
    fn can_be_broken_off() {
        let mut nand = MockNand::new(8);
        let mut log = Log { patience: 4, ..Log::new() };
        let result = write(&mut nand, 0..BLOCK, &[7; 9 * DATA], false, &mut log);
        let written = Written { bytes: 3 * DATA as u32, ..Written::default() };
        assert_eq!(result, Err((written, NandError::Interrupted)));
    }
}
