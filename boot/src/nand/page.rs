//! Single pages, whole or in part, corrected or as they are.

use super::NandError;
use super::ecc::{Layout, Stats, is_clean};
use super::read::{CODE_WORDS, add_stored};
use core::ops::Range;
use platform::hal::{Code, Format, Nand, PAGE_WORDS, STEPS};
use platform::units::Page;

/// Bytes of data in the largest page.
pub const DATA: usize = 4 * PAGE_WORDS;
/// Bytes of OOB behind it.
pub const OOB: usize = 64;

/// Room for a page.
///
/// Words whose lowest byte was first on the bus, and the same as bytes: the CPUs are little-endian.
pub struct PageBuffer {
    data: [u32; PAGE_WORDS],
    oob: [u32; OOB / 4],
}

impl PageBuffer {
    /// An erased page.
    #[must_use]
    pub const fn new() -> Self {
        Self { data: [!0; PAGE_WORDS], oob: [!0; OOB / 4] }
    }

    /// Reads data and OOB of `page` as the chip gives them.
    ///
    /// # Errors
    /// The chip has pages without a layout, or stays busy.
    pub fn read_raw(&mut self, nand: &mut dyn Nand, page: Page) -> Result<(&[u8], &[u8]), NandError> {
        let (format, layout) = layout_of(nand)?;
        begin(nand, page, 0)?;
        let (data, oob) = (&mut self.data[..format.words], &mut self.oob[..layout.oob / 4]);
        nand.read_raw(data);
        nand.read_raw(oob);
        Ok((bytemuck::cast_slice(data), bytemuck::cast_slice(oob)))
    }

    /// Reads the OOB of `page` alone, as the chip gives it.
    ///
    /// # Errors
    /// As [`Self::read_raw`].
    pub fn read_oob(&mut self, nand: &mut dyn Nand, page: Page) -> Result<&[u8], NandError> {
        let (format, layout) = layout_of(nand)?;
        begin(nand, page, format.bytes())?;
        let oob = &mut self.oob[..layout.oob / 4];
        nand.read_raw(oob);
        Ok(bytemuck::cast_slice(oob))
    }

    /// Reads `bytes` of the data of `page`, which is not an empty range, and with them no more
    /// than the ECC steps that they are in. Returns them corrected, and the number of bitflips
    /// that those steps had.
    ///
    /// # Errors
    /// As [`Self::read_raw`], and [`NandError::Uncorrectable`].
    pub fn read(
        &mut self,
        nand: &mut dyn Nand,
        page: Page,
        bytes: Range<usize>,
    ) -> Result<(&[u8], u32), NandError> {
        let (format, layout) = layout_of(nand)?;
        let step = layout.codec.step();
        let steps = bytes.start / step..bytes.end.div_ceil(step);
        let (codes, stored) = self.load(nand, page, &format, steps.clone())?;
        let mut flips = 0;
        if !agree(format.code, codes, &stored, steps.clone()) {
            // Once more, and all of it: this is rare, and the layout corrects whole pages.
            let (_, stored) = self.load(nand, page, &format, 0..format.steps)?;
            let stats = correct(&format, layout, &mut self.data[..format.words], &stored);
            if let Some(step) = stats.uncorrectable().find(|step| steps.contains(step)) {
                return Err(NandError::Uncorrectable { page, step: step as u8 });
            }
            flips = stats.corrected().filter(|(step, _)| steps.contains(step)).map(|(_, flips)| flips).sum();
        }
        Ok((&bytemuck::cast_slice(&self.data)[bytes], flips))
    }

    /// Reads some steps to where they belong; returns the codes computed, step by step, and all
    /// those stored.
    fn load(
        &mut self,
        nand: &mut dyn Nand,
        page: Page,
        format: &Format,
        steps: Range<usize>,
    ) -> Result<([u32; STEPS], [u32; CODE_WORDS]), NandError> {
        let words = format.words / format.steps;
        let (start, end) = (steps.start * words, steps.end * words);
        let (mut codes, mut stored) = ([0; STEPS], [0; CODE_WORDS]);
        begin(nand, page, 4 * start as u32)?;
        nand.read_page(&mut self.data[start..end], &mut codes[steps]);
        nand.read_codes(&mut codes, &mut stored[..format.code_words()]);
        Ok((codes, stored))
    }
}

impl Default for PageBuffer {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads bytes from `offset` of the chip on, corrected, without regard to bad blocks. Returns the number of
/// bitflips that there were.
///
/// # Errors
/// As [`PageBuffer::read`].
pub fn read_at(nand: &mut dyn Nand, offset: usize, bytes: &mut [u8]) -> Result<u32, NandError> {
    let mut flips = 0;
    let mut buffer = PageBuffer::new();
    let page = nand.format().bytes() as usize;
    let mut at = offset;
    let mut rest = bytes;
    while !rest.is_empty() {
        let column = at % page;
        let (here, behind) = rest.split_at_mut(rest.len().min(page - column));
        let (data, some) = buffer.read(nand, Page((at / page) as u32), column..column + here.len())?;
        here.copy_from_slice(data);
        flips += some;
        at += here.len();
        rest = behind;
    }
    Ok(flips)
}

/// The pages of the chip: how the controller reads them, and the layout that it is meant for.
pub(super) fn layout_of(nand: &dyn Nand) -> Result<(Format, &'static Layout), NandError> {
    let (format, geometry) = (nand.format(), nand.geometry());
    match Layout::of_format(&format) {
        Some(layout) if (layout.page as u32, layout.oob as u32) == (geometry.page, geometry.oob) => {
            Ok((format, layout))
        }
        _ => Err(NandError::Geometry(geometry)),
    }
}

/// Whether the computed codes of some steps are the stored ones.
pub(super) fn agree(
    code: Code,
    mut codes: [u32; STEPS],
    stored: &[u32; CODE_WORDS],
    steps: Range<usize>,
) -> bool {
    add_stored(code, &mut codes, stored);
    codes[steps].iter().all(|sum| is_clean(code, *sum))
}

/// Corrects a page by the codes stored with it.
pub(super) fn correct(
    format: &Format,
    layout: &Layout,
    data: &mut [u32],
    stored: &[u32; CODE_WORDS],
) -> Stats {
    let mut oob = [0xff; OOB];
    let codes: &[u8] = bytemuck::cast_slice(&stored[..format.code_words()]);
    oob[(format.codes - format.bytes()) as usize..][..codes.len()].copy_from_slice(codes);
    layout.correct(bytemuck::cast_slice_mut(data), &mut oob[..layout.oob])
}

/// Loads a page, to be put out from `column` on.
fn begin(nand: &mut dyn Nand, page: Page, column: u32) -> Result<(), NandError> {
    nand.begin_read(page, column);
    nand.wait_ready().map_err(|_| NandError::Timeout { page })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockNand;
    use crate::nand::ecc::{OOB_OFFSET, STEP};

    const PATTERN: [u8; DATA] = {
        let mut bytes = [0; DATA];
        let mut i = 0;
        while i < DATA {
            bytes[i] = ((i * 7) ^ (i >> 8)) as u8;
            i += 1;
        }
        bytes
    };

    /// A chip with a pattern in page 3.
    fn patterned() -> MockNand {
        let mut nand = MockNand::new(4);
        nand.write(3, &PATTERN);
        nand
    }

    #[test]
    fn reads_a_page_as_it_is() {
        let mut nand = patterned();
        nand.flip(3, 5, 0);
        nand.flip(3, DATA + 1, 7);
        let mut buffer = PageBuffer::new();
        let (data, oob) = buffer.read_raw(&mut nand, Page(3)).unwrap();
        assert_eq!((data[5], &data[6..]), (PATTERN[5] ^ 1, &PATTERN[6..]));
        assert_eq!(oob[..3], [0xff, 0x7f, 0xff]);
        assert_eq!(nand.words, (DATA + OOB) as u32 / 4);
    }

    #[test]
    fn reads_oob_without_the_data() {
        let mut nand = patterned();
        nand.flip(3, DATA + 63, 0);
        let mut buffer = PageBuffer::new();
        let oob = buffer.read_oob(&mut nand, Page(3)).unwrap();
        assert_eq!((oob.len(), oob[0], oob[39]), (OOB, 0xff, 0xff));
        assert_ne!(oob[OOB_OFFSET..], [0xff; 24]);
        assert_eq!(nand.words, OOB as u32 / 4);
    }

    #[test]
    fn reads_any_part_with_the_steps_it_is_in() {
        let mut buffer = PageBuffer::new();
        for (from, to, steps) in
            [(0, 1, 1), (0, 256, 1), (255, 257, 2), (700, 800, 2), (1792, 2048, 1), (0, 2048, 8)]
        {
            let mut nand = patterned();
            assert_eq!(buffer.read(&mut nand, Page(3), from..to), Ok((&PATTERN[from..to], 0)), "{from}");
            // The steps and all codes.
            assert_eq!(nand.words, steps * STEP as u32 / 4 + 6, "{from}");
        }
    }

    #[test]
    fn corrects_what_was_asked_for_and_counts_that() {
        let mut nand = patterned();
        for step in 0..STEPS {
            nand.flip(3, step * STEP + 11 * step, 3);
        }
        nand.flip(3, 5 * STEP + 200, 0);
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(3), 0..5 * STEP), Ok((&PATTERN[..5 * STEP], 5)));
        assert_eq!(buffer.read(&mut nand, Page(3), 6 * STEP..DATA), Ok((&PATTERN[6 * STEP..], 2)));
        let expected = NandError::Uncorrectable { page: Page(3), step: 5 };
        assert_eq!(buffer.read(&mut nand, Page(3), 0..DATA), Err(expected));
        assert_eq!(buffer.read(&mut nand, Page(3), 5 * STEP..5 * STEP + 1), Err(expected));
    }

    #[test]
    fn a_flip_in_the_code_is_counted_and_harmless() {
        let mut nand = patterned();
        nand.flip(3, DATA + OOB_OFFSET + 4, 6);
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(3), 0..DATA), Ok((&PATTERN[..], 1)));
    }

    #[test]
    fn erased_pages_are_clean_and_stay_so_with_a_few_flips() {
        let mut buffer = PageBuffer { data: [0; PAGE_WORDS], oob: [0; OOB / 4] };
        let mut nand = MockNand::new(1);
        assert_eq!(buffer.read(&mut nand, Page(9), 0..DATA), Ok((&[0xff; DATA][..], 0)));
        // One bit is what the code corrects; an erased step may have more.
        nand.flip(9, 300, 1);
        nand.flip(9, 2000, 1);
        assert_eq!(buffer.read(&mut nand, Page(9), 0..DATA), Ok((&[0xff; DATA][..], 2)));
    }

    #[test]
    fn reads_across_pages() {
        let mut nand = patterned();
        nand.write(4, &[9; DATA]);
        let mut bytes = [0; 300];
        read_at(&mut nand, 4 * DATA - 200, &mut bytes).unwrap();
        assert_eq!((&bytes[..200], &bytes[200..]), (&PATTERN[DATA - 200..], &[9; 100][..]));
    }

    #[test]
    fn reports_a_busy_chip_and_a_foreign_geometry() {
        let mut nand = MockNand::new(1);
        nand.stuck = true;
        let mut buffer = PageBuffer::new();
        let busy = NandError::Timeout { page: Page(1) };
        assert_eq!(buffer.read(&mut nand, Page(1), 0..1), Err(busy));
        assert_eq!(buffer.read_oob(&mut nand, Page(1)), Err(busy));
        nand.geometry.page = 512;
        assert_eq!(buffer.read_raw(&mut nand, Page(1)), Err(NandError::Geometry(nand.geometry)));
    }
}
