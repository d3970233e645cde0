//! Erasing the good blocks of a range.

use super::NandError;
use super::bad::{is_bad, mark};
use super::program::{check_writable, erase as erase_block, program_raw};
use super::write::{Event, FAILURES_MAX, Watch};
use core::ops::Range;
use platform::hal::Nand;
use platform::units::{EraseBlock, Page};

/// What happens to the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Those marked bad are passed over.
    Good,
    /// The same, and the others get JFFS2's mark of a block that was erased properly.
    Clean,
    /// All are erased, marks and all.
    Scrub,
}

/// What has been erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Blocks erased.
    pub blocks: u32,
    /// Bad blocks passed over.
    pub skipped: u32,
    /// Blocks that could not be erased and are marked bad now, other than those that were before.
    pub failed: u32,
}

/// Erases a range of blocks. One that cannot be erased is marked bad.
///
/// # Errors
/// How far it got, and why not further.
pub fn erase(
    nand: &mut dyn Nand,
    blocks: Range<u32>,
    how: How,
    watch: &mut dyn Watch,
) -> Result<Erased, (Erased, NandError)> {
    let mut erased = Erased::default();
    let all = blocks.len() as u32;
    let result = check_writable(nand).and_then(|()| {
        (1..).zip(blocks).try_for_each(|(done, block)| {
            if watch.stopped() {
                return Err(NandError::Interrupted);
            }
            let block = EraseBlock(block);
            if step(nand, block, how, watch, &mut erased)? {
                watch.tell(Event::Erased { block, done, all });
            }
            Ok(())
        })
    });
    result.map(|()| erased).map_err(|error| (erased, error))
}

/// Is the block erased?
fn step(
    nand: &mut dyn Nand,
    block: EraseBlock,
    how: How,
    watch: &mut dyn Watch,
    erased: &mut Erased,
) -> Result<bool, NandError> {
    let was_bad = is_bad(nand, block)?;
    if was_bad && how != How::Scrub {
        erased.skipped += 1;
        watch.tell(Event::Skipped(block));
        return Ok(false);
    }
    let mut result = erase_block(nand, block, &mut || watch.idle());
    if how == How::Clean && result.is_ok() {
        result = mark_clean(nand, block, watch);
    }
    match result {
        Ok(()) => {
            erased.blocks += 1;
            Ok(true)
        }
        Err(error @ (NandError::EraseFailed { .. } | NandError::ProgramFailed { .. })) => {
            erased.failed += u32::from(!was_bad);
            if erased.failed > FAILURES_MAX {
                return Err(NandError::Failures { last: block });
            }
            mark(nand, block, &mut || watch.idle())?;
            watch.tell(Event::Failed(block, error));
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Writes the clean marker of JFFS2 where Linux has it, in the first free bytes of the OOB: at 2
/// where the bad mark is at 0, else behind everything else.
fn mark_clean(nand: &mut dyn Nand, block: EraseBlock, watch: &mut dyn Watch) -> Result<(), NandError> {
    const MARKER: [u8; 8] = [0x85, 0x19, 0x03, 0x20, 8, 0, 0, 0];
    let format = nand.format();
    let at = if format.mark == format.bytes() { 2 } else { 8 };
    let mut words = [!0u32; 4];
    bytemuck::cast_slice_mut::<_, u8>(&mut words)[at..at + MARKER.len()].copy_from_slice(&MARKER);
    let page = Page(block.0 * nand.geometry().pages_per_block);
    program_raw(nand, page, format.bytes(), &words, &mut || watch.idle())
}

/// Where a range of blocks ends that has so many good ones; not behind `end`.
///
/// # Errors
/// [`NandError::End`] when there are too few, and [`NandError::Timeout`].
pub fn spread(nand: &mut dyn Nand, start: u32, end: u32, good: u32) -> Result<u32, NandError> {
    let geometry = nand.geometry();
    let (mut block, mut left) = (start, good);
    while left > 0 {
        if block >= end {
            return Err(NandError::End { offset: end * geometry.page * geometry.pages_per_block });
        }
        left -= u32::from(!is_bad(nand, EraseBlock(block))?);
        block += 1;
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{BLOCK, MockNand};
    use crate::nand::page::PageBuffer;
    use crate::nand::write::Log;
    use std::vec::Vec;

    /// A chip of eight written blocks, of which 2 is marked bad.
    fn written() -> MockNand {
        let mut nand = MockNand::new(8);
        nand.mark_bad(2);
        nand.write_from(0, &[0x5a; 7 * BLOCK as usize]);
        nand
    }

    fn run(
        nand: &mut MockNand,
        blocks: Range<u32>,
        how: How,
    ) -> (Result<Erased, (Erased, NandError)>, Vec<Event>) {
        let mut log = Log::new();
        let result = erase(nand, blocks, how, &mut log);
        (result, log.events)
    }

    #[test]
    fn erases_all_but_bad_blocks() {
        let mut nand = written();
        let (result, events) = run(&mut nand, 1..4, How::Good);
        assert_eq!(result, Ok(Erased { blocks: 2, skipped: 1, failed: 0 }));
        let done = |block, done| Event::Erased { block: EraseBlock(block), done, all: 3 };
        assert_eq!(events, [done(1, 1), Event::Skipped(EraseBlock(2)), done(3, 3)]);
        let erased: Vec<_> = (0..8).filter(|block| nand.is_erased(*block)).collect();
        assert_eq!(erased, [1, 3]);
    }

    #[test]
    fn a_block_that_fails_is_marked_bad() {
        let mut nand = written();
        nand.fail_erase.insert(3);
        let (result, events) = run(&mut nand, 3..5, How::Good);
        assert_eq!(result, Ok(Erased { blocks: 1, skipped: 0, failed: 1 }));
        let error = NandError::EraseFailed { page: Page(3 * 64) };
        assert_eq!(events[0], Event::Failed(EraseBlock(3), error));
        assert_eq!(is_bad(&mut nand, EraseBlock(3)), Ok(true));
        nand.fail_erase.extend(0..8);
        let failures = NandError::Failures { last: EraseBlock(6) };
        let erased = Erased { blocks: 0, skipped: 2, failed: 5 };
        assert_eq!(run(&mut nand, 0..8, How::Good).0, Err((erased, failures)));
        assert_eq!(is_bad(&mut nand, EraseBlock(6)), Ok(false));
    }

    #[test]
    fn a_scrub_erases_marks() {
        let mut nand = written();
        assert_eq!(run(&mut nand, 0..8, How::Scrub).0, Ok(Erased { blocks: 8, skipped: 0, failed: 0 }));
        assert!((0..8).all(|block| nand.is_erased(block)));
        // But where the mark tells of a block that is worn out it comes back.
        let mut nand = written();
        nand.fail_erase.insert(2);
        assert_eq!(run(&mut nand, 0..8, How::Scrub).0, Ok(Erased { blocks: 7, skipped: 0, failed: 0 }));
        assert_eq!(is_bad(&mut nand, EraseBlock(2)), Ok(true));
    }

    #[test]
    fn clean_blocks_say_so() {
        let mut nand = written();
        run(&mut nand, 0..3, How::Clean).0.unwrap();
        let mut buffer = PageBuffer::new();
        let oob = buffer.read_oob(&mut nand, Page(64)).unwrap();
        assert_eq!(oob[..12], [0xff, 0xff, 0x85, 0x19, 0x03, 0x20, 8, 0, 0, 0, 0xff, 0xff]);
        assert_eq!(is_bad(&mut nand, EraseBlock(1)), Ok(false));
    }

    #[test]
    fn does_nothing_to_a_protected_chip_and_stops_when_told() {
        let mut nand = written();
        nand.protected = true;
        let none = Erased::default();
        assert_eq!(run(&mut nand, 0..8, How::Scrub).0, Err((none, NandError::Protected)));
        assert_eq!(is_bad(&mut nand, EraseBlock(0)), Ok(false));
        nand.protected = false;
        let mut log = Log { patience: 3, ..Log::new() };
        let two = Erased { blocks: 2, ..none };
        assert_eq!(erase(&mut nand, 3..8, How::Good, &mut log), Err((two, NandError::Interrupted)));
    }

    #[test]
    fn spreads_over_bad_blocks() {
        let mut nand = written();
        let mut check =
            |start, good, end| assert_eq!(spread(&mut nand, start, 6, good), end, "{start} {good}");
        check(0, 2, Ok(2));
        check(0, 3, Ok(4));
        check(2, 1, Ok(4));
        check(0, 0, Ok(0));
        check(0, 5, Ok(6));
        check(0, 6, Err(NandError::End { offset: 6 * BLOCK }));
    }
}
