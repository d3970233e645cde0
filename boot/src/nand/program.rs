//! Single pages and blocks, programmed and erased, with the chip's answer judged.

use super::NandError;
use super::page::OOB;
use platform::hal::{Code, Nand, STEPS, Status, WriteError};
use platform::units::{EraseBlock, Page};

/// Words that the codes of a page fill at most.
const CODE_WORDS: usize = STEPS * 3 / 4;
/// OOB that stays as it is.
const KEPT: [u32; OOB / 4] = [!0; OOB / 4];

/// Called again and again while the chip is busy for long: whoever has something to receive does
/// so here.
pub type Idle<'a> = &'a mut dyn FnMut();

/// May the chip be written at all?
///
/// # Errors
/// [`NandError::ReadOnly`] or [`NandError::Protected`].
pub fn check_writable(nand: &mut dyn Nand) -> Result<(), NandError> {
    let result = nand.status();
    // Bit 0 is left from an earlier program or erase; this is about the chip, not about that.
    judge(result.map(|Status(status)| Status(status & !1)), Page(0), NandError::Protected)
}

/// Programs a page of data, with the codes that the controller computes on the way.
///
/// # Errors
/// [`NandError::ProgramFailed`], and whatever else keeps it from being written.
pub fn program(nand: &mut dyn Nand, page: Page, data: &[u32], idle: Idle<'_>) -> Result<(), NandError> {
    let format = nand.format();
    let mut codes = [!0; STEPS];
    nand.begin_program(page, 0);
    nand.write_page(data, &mut codes[..format.steps]);
    nand.write_raw(&KEPT[..(format.codes - format.bytes()) as usize / 4]);
    nand.write_raw(&pack(format.code, &codes)[..format.code_words()]);
    finish(nand, page, idle)
}

/// Programs words from `column` of a page on, a multiple of four, as they are.
///
/// # Errors
/// As [`program`].
pub fn program_raw(
    nand: &mut dyn Nand,
    page: Page,
    column: u32,
    words: &[u32],
    idle: Idle<'_>,
) -> Result<(), NandError> {
    nand.begin_program(page, column);
    nand.write_raw(words);
    finish(nand, page, idle)
}

/// Erases a block, whatever is in it.
///
/// # Errors
/// [`NandError::EraseFailed`], and whatever else keeps it from being erased.
pub fn erase(nand: &mut dyn Nand, block: EraseBlock, idle: Idle<'_>) -> Result<(), NandError> {
    let page = Page(block.0 * nand.geometry().pages_per_block);
    let result = nand.erase(block, idle);
    judge(result, page, NandError::EraseFailed { page })
}

fn finish(nand: &mut dyn Nand, page: Page, idle: Idle<'_>) -> Result<(), NandError> {
    let result = nand.program(idle);
    judge(result, page, NandError::ProgramFailed { page })
}

fn judge(result: Result<Status, WriteError>, page: Page, failure: NandError) -> Result<(), NandError> {
    match result {
        // A protected chip may call that a failure or not.
        Ok(status) if status.protected() => Err(NandError::Protected),
        Ok(status) if status.failed() => Err(failure),
        Ok(_) => Ok(()),
        Err(WriteError::Unsupported) => Err(NandError::ReadOnly),
        Err(WriteError::Locked) => Err(NandError::Locked { page }),
        Err(WriteError::Timeout) => Err(NandError::Timeout { page }),
    }
}

/// Codes as they stand in the OOB. Four codes of three bytes are three words.
fn pack(code: Code, codes: &[u32; STEPS]) -> [u32; STEPS] {
    if matches!(code, Code::Halves) {
        return *codes;
    }
    let mut packed = [!0; STEPS];
    let (words, _) = packed[..CODE_WORDS].as_chunks_mut::<3>();
    for (words, [a, b, c, d]) in words.iter_mut().zip(codes.as_chunks::<4>().0) {
        *words = [a & 0xff_ffff | b << 24, b >> 8 & 0xffff | c << 16, c >> 16 & 0xff | d << 8];
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockNand;
    use crate::nand::page::{DATA, PageBuffer};

    fn words() -> [u32; DATA / 4] {
        core::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9))
    }

    #[test]
    fn a_programmed_page_is_what_the_layout_makes_of_its_data() {
        let (mut nand, mut other) = (MockNand::new(2), MockNand::new(2));
        program(&mut nand, Page(5), &words(), &mut || ()).unwrap();
        other.write(5, bytemuck::cast_slice(&words()));
        let (mut written, mut expected) = (PageBuffer::new(), PageBuffer::new());
        let written = written.read_raw(&mut nand, Page(5)).unwrap();
        assert_eq!(written, expected.read_raw(&mut other, Page(5)).unwrap());
    }

    #[test]
    fn raw_words_go_where_they_are_sent() {
        let mut nand = MockNand::new(1);
        program_raw(&mut nand, Page(1), DATA as u32 + 8, &[0x0403_0201], &mut || ()).unwrap();
        let mut buffer = PageBuffer::new();
        let (data, oob) = buffer.read_raw(&mut nand, Page(1)).unwrap();
        assert_eq!(*data, [0xff; DATA]);
        assert_eq!(
            (&oob[..8], &oob[8..12], &oob[12..]),
            (&[0xff; 8][..], &[1, 2, 3, 4][..], &[0xff; 52][..])
        );
    }

    #[test]
    fn codes_of_three_bytes_stand_side_by_side() {
        let codes = core::array::from_fn(|step| 0xee00_0000 | (step as u32) << 16 | 0x22 << 8 | 0x11);
        let words = pack(Code::Pairs, &codes);
        let bytes: &[u8] = bytemuck::cast_slice(&words[..6]);
        for (step, code) in bytes.chunks_exact(3).enumerate() {
            assert_eq!(code, [0x11, 0x22, step as u8], "{step}");
        }
        // A single code, as small pages have it, with what follows it left alone.
        assert_eq!(pack(Code::Pairs, &[0x33_2211, !0, !0, !0, !0, !0, !0, !0])[0], 0xff33_2211);
        assert_eq!(pack(Code::Halves, &codes), codes);
    }

    #[test]
    fn failures_name_the_page() {
        let mut nand = MockNand::new(4);
        nand.fail_program.insert(70);
        nand.fail_erase.insert(2);
        let failed = NandError::ProgramFailed { page: Page(70) };
        assert_eq!(program(&mut nand, Page(70), &words(), &mut || ()), Err(failed));
        let failed = NandError::EraseFailed { page: Page(128) };
        assert_eq!(erase(&mut nand, EraseBlock(2), &mut || ()), Err(failed));
        assert_eq!(check_writable(&mut nand), Ok(()));
        nand.stuck = true;
        assert_eq!(erase(&mut nand, EraseBlock(1), &mut || ()), Err(NandError::Timeout { page: Page(64) }));
    }

    #[test]
    fn a_protected_chip_is_no_worn_one() {
        let mut nand = MockNand::new(1);
        nand.protected = true;
        assert_eq!(check_writable(&mut nand), Err(NandError::Protected));
        assert_eq!(program(&mut nand, Page(0), &words(), &mut || ()), Err(NandError::Protected));
        assert_eq!(erase(&mut nand, EraseBlock(0), &mut || ()), Err(NandError::Protected));
    }

    #[test]
    fn what_has_to_be_received_is_while_the_chip_is_busy() {
        let mut received = 0;
        erase(&mut MockNand::new(1), EraseBlock(0), &mut || received += 1).unwrap();
        assert_ne!(received, 0);
    }
}
