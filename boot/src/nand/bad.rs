//! Bad block marks.

use super::NandError;
use super::program::{Idle, erase, program_raw};
use platform::hal::Nand;
use platform::units::{EraseBlock, Page};

/// Does this OOB byte 0 mark a block bad?
///
/// Makers mark with 00, and an unmarked byte is FF. No ECC covers it, so one cleared bit
/// is a bitflip in a good block, which must not shift everything behind it.
#[must_use]
pub fn is_bad_mark(byte: u8) -> bool {
    let cleared = !byte;
    cleared & cleared.wrapping_sub(1) != 0
}

/// Starts loading a page for its mark alone.
pub fn begin_mark<N: Nand + ?Sized>(nand: &mut N, page: Page) {
    nand.begin_read(page, nand.format().mark & !3);
}

/// Does the page that [`begin_mark`] has begun to load, and that is ready now, mark its block bad?
pub fn has_mark<N: Nand + ?Sized>(nand: &mut N) -> bool {
    let mut word = [0];
    nand.read_raw(&mut word);
    is_bad_mark((word[0] >> (nand.format().mark % 4 * 8)) as u8)
}

/// Is `block` marked bad on its first or second page?
///
/// Both pages, as Linux looks at the makers' marks on large pages.
///
/// # Errors
/// [`NandError::Timeout`].
pub fn is_bad(nand: &mut dyn Nand, block: EraseBlock) -> Result<bool, NandError> {
    let geometry = nand.geometry();
    let first = block.0 * geometry.pages_per_block;
    for page in [Page(first), Page(first + 1)] {
        begin_mark(nand, page);
        nand.wait_ready().map_err(|_| NandError::Timeout { page })?;
        if has_mark(nand) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Marks a block bad as Linux does: erased, if it can be, and zero where the makers' marks are on
/// its first and its second page.
///
/// # Errors
/// [`NandError::NotMarked`] when neither mark can be read afterwards, and [`NandError::Timeout`].
pub fn mark(nand: &mut dyn Nand, block: EraseBlock, idle: Idle<'_>) -> Result<(), NandError> {
    let first = block.0 * nand.geometry().pages_per_block;
    let mark = nand.format().mark;
    let word = !(0xff << (mark % 4 * 8));
    // Such a block may fail in all of this and be marked well enough.
    let _ = erase(nand, block, idle);
    for page in [Page(first), Page(first + 1)] {
        let _ = program_raw(nand, page, mark & !3, &[word], idle);
    }
    if is_bad(nand, block)? { Ok(()) } else { Err(NandError::NotMarked { block }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockNand;
    use crate::nand::page::DATA;

    #[test]
    fn looks_at_both_pages_and_at_nothing_else() {
        let mut nand = MockNand::new(8);
        let mut check = |page: u32, byte: usize, bad| {
            nand.erase_all();
            nand.flip(page, byte, 7);
            nand.flip(page, byte, 0);
            assert_eq!(is_bad(&mut nand, EraseBlock(2)), Ok(bad), "page {page} byte {byte}");
        };
        check(128, DATA, true);
        check(129, DATA, true);
        check(130, DATA, false);
        check(127, DATA, false);
        check(128, DATA + 1, false);
        check(128, DATA - 1, false);
    }

    #[test]
    fn a_busy_chip_is_an_error() {
        let mut nand = MockNand::new(1);
        nand.stuck = true;
        assert_eq!(is_bad(&mut nand, EraseBlock(0)), Err(NandError::Timeout { page: Page(0) }));
    }

    #[test]
    fn one_flipped_bit_is_no_mark() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_bad_mark(byte), byte.count_zeros() > 1, "{byte:02x}");
        }
    }

    #[test]
    fn marks_both_pages_of_an_erased_block() {
        let mut nand = MockNand::new(4);
        nand.write_from(0, &[0; 3 * 64 * DATA]);
        mark(&mut nand, EraseBlock(1), &mut || ()).unwrap();
        let mut buffer = crate::nand::page::PageBuffer::new();
        for page in [64, 65] {
            let (data, oob) = buffer.read_raw(&mut nand, Page(page)).unwrap();
            assert!(data.iter().chain(&oob[1..]).all(|&byte| byte == 0xff) && oob[0] == 0);
        }
        assert_eq!(
            (0..4).map(|block| is_bad(&mut nand, EraseBlock(block)).unwrap()).collect::<std::vec::Vec<_>>(),
            [false, true, false, false]
        );
    }

    #[test]
    fn marks_what_cannot_be_erased_and_says_if_it_cannot() {
        let mut nand = MockNand::new(4);
        nand.write_from(0, &[0x5a; 2 * 64 * DATA]);
        nand.fail_erase.insert(1);
        nand.fail_program.insert(64);
        // The second page serves.
        assert_eq!(mark(&mut nand, EraseBlock(1), &mut || ()), Ok(()));
        nand.fail_program.insert(129);
        nand.fail_program.insert(128);
        let error = NandError::NotMarked { block: EraseBlock(2) };
        assert_eq!(mark(&mut nand, EraseBlock(2), &mut || ()), Err(error));
    }
}
