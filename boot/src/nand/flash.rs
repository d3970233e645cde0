//! Replacing what is in a partition, so that a power cut never leaves what only looks whole.
//!
//! All blocks are erased in ascending order: the first one, with the header of an image, goes first.
//! It is written last, when everything behind it is there and has been read back. Until then
//! whoever looks for an image finds none.

use super::bad::is_bad;
use super::erase::{How, erase};
use super::walk::Walk;
use super::write::{Event, FAILURES_MAX, Watch, Written, write};
use super::{NandError, chip_bytes};
use core::ops::Range;
use platform::hal::Nand;
use platform::units::{EraseBlock, Page};

/// Erases a range of blocks, writes `data` to the good ones from the start on, and reads it all back.
/// The caller makes sure that there is room for it.
///
/// # Errors
/// Why there is no image in the range now.
pub fn flash(
    nand: &mut dyn Nand,
    range: Range<u32>,
    data: &[u8],
    watch: &mut dyn Watch,
) -> Result<Written, NandError> {
    let geometry = nand.geometry();
    let unit = geometry.page * geometry.pages_per_block;
    let range = range.start..range.end.min(chip_bytes(&geometry));
    let (head, rest) = data.split_at(data.len().min(unit as usize));
    let mut last = EraseBlock(range.start / unit);
    for _ in 0..=FAILURES_MAX {
        let erased = erase(nand, range.start / unit..range.end / unit, How::Good, watch);
        let skipped = erased.map_err(|(_, error)| error)?.skipped * unit;
        let first = first_good(nand, &range)?;
        let end = (first.0 + 1) * unit;
        let mut watch = Quiet(watch);
        let result = write(nand, end..range.end, rest, false, &mut watch);
        let behind = result.map_err(|(_, error)| error)?;
        match write(nand, first.0 * unit..end, head, false, &mut watch) {
            Ok(written) => {
                compare(nand, range, data)?;
                let (bytes, flips) = (written.bytes + behind.bytes, written.flips + behind.flips);
                return Ok(Written { bytes, skipped, trimmed: 0, flips });
            }
            // It failed and is marked bad now. All moves on by a block.
            Err((_, NandError::End { .. })) => last = first,
            Err((_, error)) => return Err(error),
        }
    }
    Err(NandError::Failures { last })
}

fn first_good(nand: &mut dyn Nand, range: &Range<u32>) -> Result<EraseBlock, NandError> {
    let geometry = nand.geometry();
    let unit = geometry.page * geometry.pages_per_block;
    for block in (range.start / unit..range.end / unit).map(EraseBlock) {
        if !is_bad(nand, block)? {
            return Ok(block);
        }
    }
    Err(NandError::End { offset: range.end })
}

/// Reads a range as it is read to boot, and compares.
fn compare(nand: &mut dyn Nand, range: Range<u32>, data: &[u8]) -> Result<(), NandError> {
    let page_bytes = nand.geometry().page as usize;
    let pages = data.len().div_ceil(page_bytes) as u32;
    let mut walk = Walk::<false>::start(nand, range.clone(), pages)?;
    let result = data.chunks(page_bytes).enumerate().try_for_each(|(index, expected)| {
        walk.step(nand)?;
        let found = walk.bytes();
        match found.iter().zip(expected).position(|(found, expected)| found != expected) {
            None => Ok(()),
            // Good blocks apart, the page is that far from the start.
            Some(byte) => Err(NandError::Differs {
                page: Page(range.start / page_bytes as u32 + index as u32),
                byte: byte as u32,
            }),
        }
    });
    result.and(walk.stop(nand))
}

/// Passes on everything but the bad blocks, which have been told when they were not erased.
struct Quiet<'a>(&'a mut dyn Watch);

impl Watch for Quiet<'_> {
    fn tell(&mut self, event: Event) {
        if !matches!(event, Event::Skipped(_)) {
            self.0.tell(event);
        }
    }
    fn idle(&mut self) {
        self.0.idle();
    }
    fn stopped(&mut self) -> bool {
        self.0.stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{BLOCK, MockNand};
    use crate::nand::write::Log;
    use std::vec::Vec;

    /// Bytes of two blocks and a half, no two pages alike.
    fn data() -> Vec<u8> {
        (0..BLOCK / 8 * 5).flat_map(|i| (i ^ i << 11).to_le_bytes()).collect()
    }

    /// A chip of 8 written blocks, the first of them bad.
    fn written() -> MockNand {
        let mut nand = MockNand::new(8);
        nand.mark_bad(1);
        nand.write_from(0, &[0x5a; 7 * BLOCK as usize]);
        nand
    }

    fn run(nand: &mut MockNand, patience: usize) -> (Result<Written, NandError>, Vec<Event>) {
        let mut log = Log { patience, ..Log::new() };
        let data = &data()[..BLOCK as usize / 2 * 5];
        (flash(nand, BLOCK..6 * BLOCK, data, &mut log), log.events)
    }

    fn holds(nand: &MockNand, blocks: [u32; 3]) {
        for (block, expected) in blocks.iter().zip(data()[..BLOCK as usize / 2 * 5].chunks(BLOCK as usize)) {
            let found: Vec<u8> = (block * 64..block * 64 + 64).flat_map(|page| nand.data(page)).collect();
            assert!(found[..expected.len()] == *expected, "block {block}");
        }
    }

    #[test]
    fn replaces_what_is_there() {
        let mut nand = written();
        let (result, events) = run(&mut nand, usize::MAX);
        let bytes = BLOCK / 2 * 5;
        assert_eq!(result, Ok(Written { bytes, skipped: BLOCK, trimmed: 0, flips: 0 }));
        holds(&nand, [2, 3, 4]);
        assert!(nand.is_erased(5) && !nand.is_erased(0) && !nand.is_erased(6));
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Skipped(_))).count(), 1);
    }

    #[test]
    fn the_first_block_goes_first_and_comes_last() {
        // The watch is asked once for each of the five blocks and each of the 160 pages.
        for patience in 2..=5 + 96 {
            let mut nand = written();
            assert_eq!(run(&mut nand, patience).0, Err(NandError::Interrupted), "{patience}");
            assert!(patience == 2 || nand.is_erased(2), "{patience}");
        }
        let mut nand = written();
        assert_eq!(run(&mut nand, 5 + 96 + 3).0, Err(NandError::Interrupted));
        assert!(!nand.is_erased(2) && !nand.is_erased(3) && !nand.is_erased(4));
    }

    #[test]
    fn blocks_that_fail_are_marked_and_all_moves_on() {
        let mut nand = written();
        nand.fail_program.insert(2 * 64 + 3);
        let (result, events) = run(&mut nand, usize::MAX);
        assert_eq!(result.map(|written| written.bytes), Ok(BLOCK / 2 * 5));
        holds(&nand, [3, 4, 5]);
        assert_eq!(is_bad(&mut nand, EraseBlock(2)), Ok(true));
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Failed(..))).count(), 1);
        let mut nand = written();
        nand.fail_program.insert(3 * 64 + 3);
        run(&mut nand, usize::MAX).0.unwrap();
        holds(&nand, [2, 4, 5]);
        // With another one there is no room.
        let mut nand = written();
        nand.fail_program.extend([2 * 64, 3 * 64]);
        let end = NandError::End { offset: 6 * BLOCK };
        assert_eq!(run(&mut nand, usize::MAX).0, Err(end));
    }

    #[test]
    fn reads_all_of_it_back() {
        let mut nand = written();
        nand.write_from(2, &data()[..BLOCK as usize / 2 * 5]);
        assert_eq!(compare(&mut nand, BLOCK..6 * BLOCK, &data()[..BLOCK as usize / 2 * 5]), Ok(()));
        let mut other = data();
        other[BLOCK as usize + 5] ^= 1;
        let differs = NandError::Differs { page: Page(2 * 64), byte: 5 };
        assert_eq!(compare(&mut nand, BLOCK..6 * BLOCK, &other[..BLOCK as usize + 9]), Err(differs));
    }
}
