//! Pages as they are: data and OOB, without codes of ours, bad blocks like any other.

use super::NandError;
use super::page::{DATA, OOB, PageBuffer};
use super::program::{check_writable, program_raw};
use super::write::{Watch, check_erased_from};
use platform::hal::Nand;
use platform::units::Page;

/// Bytes of a page with its OOB.
#[must_use]
pub fn raw_bytes(nand: &dyn Nand) -> u32 {
    nand.geometry().page + nand.geometry().oob
}

/// Writes pages from `first` on, each with its OOB behind its data, as `nanddump` has them; with
/// `verify` each is read back.
///
/// # Errors
/// The pages written, and why not more.
pub fn write(
    nand: &mut dyn Nand,
    first: Page,
    bytes: &[u8],
    verify: bool,
    watch: &mut dyn Watch,
) -> Result<u32, (u32, NandError)> {
    let geometry = nand.geometry();
    let pages = bytes.chunks_exact((geometry.page + geometry.oob) as usize);
    each(nand, first, pages, watch, |nand, page, bytes, watch| {
        if page == first || page.0.is_multiple_of(geometry.pages_per_block) {
            check_erased_from(nand, page)?;
        }
        let mut words = [!0; (DATA + OOB) / 4];
        bytemuck::cast_slice_mut::<_, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        program_raw(nand, page, 0, &words[..bytes.len() / 4], &mut || watch.idle())?;
        let mut buffer = PageBuffer::new();
        let (data, oob) =
            if verify { buffer.read_raw(nand, page)? } else { bytes.split_at(geometry.page as usize) };
        compare(page, data.iter().chain(oob), bytes)
    })
}

/// Writes to the OOB alone of pages from `first` on, one after the other, and reads it back. What is
/// in it already can only lose bits that are set.
///
/// # Errors
/// The pages written, and why not more.
pub fn write_oob(
    nand: &mut dyn Nand,
    first: Page,
    bytes: &[u8],
    watch: &mut dyn Watch,
) -> Result<u32, (u32, NandError)> {
    let geometry = nand.geometry();
    each(nand, first, bytes.chunks(geometry.oob as usize), watch, |nand, page, bytes, watch| {
        let mut buffer = PageBuffer::new();
        let stored = buffer.read_oob(nand, page)?;
        if stored.iter().zip(bytes).any(|(stored, byte)| stored & byte != *byte) {
            return Err(NandError::NotErased { page });
        }
        let mut words = [!0; OOB / 4];
        bytemuck::cast_slice_mut::<_, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let words = &words[..geometry.oob as usize / 4];
        program_raw(nand, page, geometry.page, words, &mut || watch.idle())?;
        compare(page, buffer.read_oob(nand, page)?.iter(), bytes)
    })
}

/// Does something with page after page; counts them.
fn each<'a>(
    nand: &mut dyn Nand,
    first: Page,
    pages: impl Iterator<Item = &'a [u8]>,
    watch: &mut dyn Watch,
    mut act: impl FnMut(&mut dyn Nand, Page, &[u8], &mut dyn Watch) -> Result<(), NandError>,
) -> Result<u32, (u32, NandError)> {
    check_writable(nand).map_err(|error| (0, error))?;
    let mut done = 0;
    for bytes in pages {
        let stopped = if watch.stopped() { Err(NandError::Interrupted) } else { Ok(()) };
        let result = stopped.and_then(|()| act(nand, Page(first.0 + done), bytes, watch));
        result.map_err(|error| (done, error))?;
        done += 1;
    }
    Ok(done)
}

fn compare<'a>(page: Page, read: impl Iterator<Item = &'a u8>, bytes: &[u8]) -> Result<(), NandError> {
    match read.zip(bytes).position(|(read, byte)| read != byte) {
        None => Ok(()),
        Some(byte) => Err(NandError::Differs { page, byte: byte as u32 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockNand;
    use crate::nand::write::Log;
    use std::vec::Vec;

    const RAW: usize = DATA + OOB;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|i| ((i * 31) >> 3) as u8).collect()
    }

    #[test]
    fn writes_pages_as_they_are() {
        let (mut nand, bytes) = (MockNand::new(2), bytes(2 * RAW));
        assert_eq!(write(&mut nand, Page(63), &bytes, true, &mut Log::new()), Ok(2));
        let mut buffer = PageBuffer::new();
        for (page, bytes) in (63..).zip(bytes.chunks(RAW)) {
            let (data, oob) = buffer.read_raw(&mut nand, Page(page)).unwrap();
            assert!(data == &bytes[..DATA] && oob == &bytes[DATA..]);
        }
        let again = write(&mut nand, Page(62), &bytes, true, &mut Log::new());
        assert_eq!(again, Err((0, NandError::NotErased { page: Page(63) })));
    }

    #[test]
    fn reads_back_unless_told_not_to() {
        let mut nand = MockNand::new(2);
        nand.weak.extend([(1, 9), (65, 9)]);
        let bytes = bytes(3 * RAW);
        let differs = NandError::Differs { page: Page(1), byte: 9 };
        assert_eq!(write(&mut nand, Page(0), &bytes, true, &mut Log::new()), Err((1, differs)));
        assert_eq!(write(&mut nand, Page(64), &bytes, false, &mut Log::new()), Ok(3));
    }

    #[test]
    fn the_oob_alone_can_be_added_to() {
        let mut nand = MockNand::new(1);
        nand.write(3, &[0x77; DATA]);
        let mut oob = [0xff; OOB];
        oob[8..12].copy_from_slice(b"ENV0");
        let two = [oob, [0xff; OOB]].concat();
        assert_eq!(write_oob(&mut nand, Page(3), &two[..OOB + 9], &mut Log::new()), Ok(2));
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(3), 0..DATA), Ok((&[0x77; DATA][..], 0)));
        assert_eq!(buffer.read_oob(&mut nand, Page(3)).unwrap()[8..12], *b"ENV0");
        oob[8] = 0xff;
        let result = write_oob(&mut nand, Page(3), &oob, &mut Log::new());
        assert_eq!(result, Err((0, NandError::NotErased { page: Page(3) })));
    }

    #[test]
    fn failures_are_told_and_mark_nothing() {
        let mut nand = MockNand::new(1);
        nand.fail_program.insert(1);
        let failed = NandError::ProgramFailed { page: Page(1) };
        assert_eq!(write(&mut nand, Page(0), &bytes(2 * RAW), true, &mut Log::new()), Err((1, failed)));
        nand.protected = true;
        assert_eq!(write_oob(&mut nand, Page(0), &[0], &mut Log::new()), Err((0, NandError::Protected)));
    }
}
