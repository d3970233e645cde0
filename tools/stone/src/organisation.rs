//! How the pages of a raw image are organised: a file does not say, but where its ECC codes are does.

use crate::part::{Geometry, LARGE_PAGE, SMALL_PAGE};
use boot::nand::ecc::{Layout, Score};
use std::io::{self, Read};

/// The organisations there are, with the erase blocks of the smallest chip that has such pages.
const ALL: [Geometry; 2] = [Geometry { blocks: 1024, ..LARGE_PAGE }, SMALL_PAGE];

/// Bytes that are a whole number of pages in every organisation.
const UNIT: usize = LARGE_PAGE.raw_page();
/// How many of them are looked at: as many as stage1 and part of stage2 take.
const UNITS: usize = 64;
/// How much of a file is searched for that many with something in them.
const SEARCHED: u64 = 16 << 20;

/// The organisation of an image of `len` bytes: the one seen in it or, if its pages do not tell,
/// that of large pages, with as many blocks as the smallest chip that it fits.
#[must_use]
pub fn fitting(seen: Option<Geometry>, len: u64) -> Geometry {
    let smallest = seen.unwrap_or(ALL[0]);
    let blocks = len.div_ceil(smallest.raw_block() as u64).max(smallest.blocks.into());
    // Chips have a power of two of them.
    Geometry { blocks: u32::try_from(blocks.next_power_of_two()).unwrap_or(u32::MAX), ..smallest }
}

/// The organisation in which the codes of what is written are right, if there is one.
///
/// # Errors
/// Those of the file.
pub fn seen(image: &mut impl Read) -> io::Result<Option<Geometry>> {
    let written = written(image)?;
    Ok(ALL.into_iter().find(|geometry| explains(geometry, &written)))
}

/// The first units of an image that are not erased.
fn written(image: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut image = image.take(SEARCHED);
    let (mut written, mut unit) = (Vec::new(), Vec::new());
    while written.len() < UNITS * UNIT && image.by_ref().take(UNIT as u64).read_to_end(&mut unit)? != 0 {
        if unit.iter().any(|&byte| byte != 0xff) {
            written.extend(&unit);
        }
        unit.clear();
    }
    Ok(written)
}

fn explains(geometry: &Geometry, raw: &[u8]) -> bool {
    Layout::of_pages(geometry.page, geometry.oob).any(|layout| {
        let mut score = Score::NONE;
        for page in raw.chunks_exact(geometry.raw_page()) {
            let (data, oob) = page.split_at(geometry.page);
            score.add(layout, oob, &layout.check(data, oob));
        }
        score.is_convincing()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::layout::Placed;

    fn noise(len: usize) -> Vec<u8> {
        (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    /// An image with this in an erase block behind an erased one, by one of the layouts.
    fn image(geometry: Geometry, ecc: &'static Layout, data: &[u8]) -> Vec<u8> {
        let mut chip = Chip::new(geometry, [2].into()).unwrap();
        let place = Placed { name: "p".into(), blocks: 1..2, spare: 0, content: None, file: None, ecc };
        chip.place(&place, data).unwrap();
        let mut raw = Vec::new();
        chip.write(&mut raw, true).unwrap();
        raw
    }

    #[test]
    fn codes_tell_the_pages() {
        for geometry in ALL {
            for layout in Layout::of_pages(geometry.page, geometry.oob) {
                for len in [300, 9000] {
                    let raw = image(geometry, layout, &noise(len));
                    assert_eq!(seen(&mut &raw[..]).unwrap(), Some(geometry), "{layout:?}, {len}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_tell_is_not_guessed_at() {
        let geometry = ALL[1];
        let zeros = image(geometry, geometry.ecc(), &[0; 2048]);
        for raw in [&zeros[..], &noise(50 * UNIT), &[0xff; 3 * UNIT], &noise(100), &[]] {
            assert_eq!(seen(&mut &raw[..]).unwrap(), None, "{}", raw.len());
        }
    }

    #[test]
    fn chips_are_as_small_as_they_can_be() {
        let check = |seen, len: u64, page, blocks| {
            let found = fitting(seen, len);
            assert_eq!((found.page, found.blocks), (page, blocks), "{len}");
        };
        let [large, small] = ALL;
        check(None, 2112, 2048, 1024);
        check(Some(large), 1024 * large.raw_block() as u64 + 1, 2048, 2048);
        check(Some(small), 528, 512, 4096);
        check(Some(small), 4097 * small.raw_block() as u64, 512, 8192);
        check(Some(small), 4096 * small.raw_block() as u64, 512, 4096);
    }
}
