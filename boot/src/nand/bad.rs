//! Bad block marks.

use super::NandError;
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
}
