//! Direct boot: what stage1 does once memory works.
//!
//! Loads a uImage from a slot page by page to its load address; ECC is corrected and the
//! CRC folded in while the chip loads the next page.

use crate::boot_table::Slot;
use crate::crc::{self, Stream};
use crate::handover::Outcome;
use crate::image::uimage;
use crate::nand::read::Reader;
use platform::hal::{Area, Loops, Nand};

const HEADER: u32 = uimage::HEADER as u32;
const HEADER_WORDS: usize = uimage::HEADER / 4;

/// What may be loaded, and where to.
pub struct Rules<A> {
    /// Type of the image, `ih_type`.
    pub kind: u32,
    /// Where images may be loaded, and as many bytes as a header has right before them, which are
    /// overwritten.
    pub area: A,
}

/// An image on its way into memory, or there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Where to jump.
    pub entry: u32,
    /// Bytes of data.
    pub size: u32,
    data_crc: u32,
    /// Address of the first byte of data.
    start: u32,
}

/// What direct boot works with and keeps.
///
/// In this order, because Thumb code reaches only the first 128 bytes of a structure
/// without further ado.
#[repr(C)]
pub struct Direct<const CACHE: bool> {
    /// The image; valid once [`Self::load`] has returned without an error.
    pub image: Image,
    /// Where reading is.
    pub reader: Reader<CACHE>,
    /// The page that is being worked on, and the CRC so far.
    crc: Stream,
}

impl<const CACHE: bool> Direct<CACHE> {
    /// For a static: all zeros.
    pub const EMPTY: Self = Self { image: Image::EMPTY, reader: Reader::EMPTY, crc: Stream::EMPTY };

    /// Loads the image in `slot`. A page that cannot be corrected is taken from `copy`, a
    /// slot with the same contents, unless that is empty.
    ///
    /// A page lands in a buffer that stays in the D-cache, where stores cost the bus
    /// nothing. It is corrected, moved to where it belongs and added to the CRC while
    /// the chip loads the next one.
    ///
    /// # Errors
    /// Says why there is no verified image in memory now.
    pub fn load<N: Nand + ?Sized, A: Area + Loops>(
        &mut self,
        nand: &mut N,
        slot: Slot,
        copy: Slot,
        rules: &mut Rules<A>,
    ) -> Result<(), Outcome> {
        let Self { image, reader, crc } = self;
        let format = nand.format();
        reader.open(nand, slot)?;
        crc.left = 0;
        // Where the pages to come belong in memory: the header's place right before the data.
        let mut place: &mut [u32] = &mut [];
        let mut number = 0;
        loop {
            let more = crc.left > format.bytes();
            let page = crc.page(format.words);
            // The first page does not know yet whether there are more.
            let mut astray = number == 0;
            reader.next(nand, page, more)?;
            if let Err(error) = reader.correct(nand, page) {
                reader.find(nand, copy, number).map_err(|_| error)?;
                reader.next(nand, page, false)?;
                reader.correct(nand, page)?;
                astray = true;
            }
            if number == 0 {
                let capacity = u32::from(slot.blocks) * nand.geometry().pages_per_block * format.bytes();
                image.accept(page, capacity, rules.kind)?;
                let bytes = HEADER + image.size;
                let words = bytes.div_ceil(format.bytes()) as usize * format.words;
                place = rules.area.window(image.start.wrapping_sub(HEADER), words).ok_or(Outcome::Address)?;
                crc.start(bytes);
            }
            if astray && crc.left > format.bytes() {
                reader.find(nand, slot, number + 1)?;
            }
            let (here, rest) =
                core::mem::take(&mut place).split_at_mut_checked(format.words).ok_or(Outcome::Address)?;
            place = rest;
            crc.take::<A>(here);
            if crc.left == 0 {
                break;
            }
            number += 1;
        }
        if CACHE {
            reader.close(nand)?;
        }
        if crc.finish() != image.data_crc {
            return Err(Outcome::DataCrc);
        }
        Ok(())
    }
}

impl Image {
    const EMPTY: Self = Self { entry: 0, size: 0, data_crc: 0, start: 0 };

    /// Reads the header in the first page and decides whether to load what is behind
    /// it: an image of this kind that is not larger than the slot, in bytes.
    fn accept(&mut self, page: &mut [u32], capacity: u32, wanted: u32) -> Result<(), Outcome> {
        // The header in place and as words, where `Header::parse` would cost half a
        // kilobyte. Its CRC covers it with the CRC's own field zeroed.
        let page = &mut page[..HEADER_WORDS];
        let stored = core::mem::take(&mut page[1]).swap_bytes();
        if page[0] != uimage::MAGIC.swap_bytes() {
            return Err(Outcome::NoHeader);
        }
        if crc::of_words(page) != stored {
            return Err(Outcome::HeaderCrc);
        }
        for word in page.iter_mut() {
            *word = word.swap_bytes();
        }
        self.size = page[3];
        self.start = page[4];
        self.entry = page[5];
        self.data_crc = page[6];
        let [comp, kind, arch, _] = page[7].to_le_bytes();
        if arch != uimage::ARCH_ARM || comp != uimage::COMP_NONE || u32::from(kind) != wanted {
            return Err(Outcome::Kind);
        }
        // More than the slot can hold would overflow in what follows, and less than an
        // instruction is no program.
        if self.size < 4 || self.size > capacity - HEADER {
            return Err(Outcome::Length);
        }
        if self.entry.wrapping_sub(self.start) >= self.size || !self.entry.is_multiple_of(4) {
            return Err(Outcome::Address);
        }
        // In its place now what the CRC of the data starts with.
        page.fill(0);
        page[HEADER_WORDS - 1] = crc::START;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot_table::Slot;
    use crate::image::uimage::Header;
    use crate::mock::{MockArea, MockNand, RAM, image};
    use std::boxed::Box;
    use std::vec;
    use std::vec::Vec;

    const A: Slot = Slot { start: 2, blocks: 4 };
    const B: Slot = Slot { start: 8, blocks: 4 };
    const NONE: Slot = Slot { start: 0, blocks: 0 };

    struct Bench {
        nand: MockNand,
        direct: Box<Direct<false>>,
        rules: Rules<MockArea>,
    }

    impl Bench {
        fn new() -> Self {
            let direct = Box::new(Direct::EMPTY);
            let area = MockArea { start: RAM + 0x500, ram: vec![0xdead_beef; 0x10_0000] };
            let rules = Rules { kind: uimage::TYPE_KERNEL.into(), area };
            Self { nand: MockNand::new(16), direct, rules }
        }

        fn load(&mut self, slot: Slot, copy: Slot) -> Result<(), Outcome> {
            self.direct.load(&mut self.nand, slot, copy, &mut self.rules)
        }

        /// Loads slot A without a copy and expects `data` at the load address.
        #[track_caller]
        fn expect(&mut self, data: &[u8]) {
            assert_eq!(self.load(A, NONE), Ok(()));
            self.expect_loaded(data);
        }

        #[track_caller]
        fn expect_loaded(&self, data: &[u8]) {
            let first = (RAM + 0x8000 - self.rules.area.start) as usize / 4;
            let bytes: Vec<u8> = self.rules.area.ram[first..].iter().flat_map(|w| w.to_le_bytes()).collect();
            assert!(bytes.starts_with(data));
            assert_eq!(self.direct.image.size as usize, data.len());
        }
    }

    fn data(len: usize) -> Vec<u8> {
        (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    #[test]
    fn loads_images_of_all_lengths_around_the_bounds() {
        // A word, the first page, the first block, with what a header leaves of them.
        for around in [4, 2048 - 64, 2 * 2048 - 64, 64 * 2048 - 64, 65 * 2048 - 64] {
            for len in (around - 3).max(4)..=around + 5 {
                let mut bench = Bench::new();
                let data = data(len);
                bench.nand.write_from(2, &image(&data, |_| ()));
                bench.expect(&data);
                assert_eq!(bench.direct.image.entry, RAM + 0x8000);
            }
        }
    }

    #[test]
    fn skips_bad_blocks_wherever_they_are_marked() {
        let data = data(150 * 2048);
        for mask in 0..1 << 8 {
            let mut bench = Bench::new();
            // Two bits a block: marked on the first page, on the second.
            for block in 0..4 {
                if mask >> (2 * block) & 1 != 0 {
                    bench.nand.mark_bad(2 + block);
                }
                if mask >> (2 * block + 1) & 1 != 0 {
                    bench.nand.mark_bad_second(2 + block);
                }
            }
            let good = (0..4).filter(|block| mask >> (2 * block) & 3 == 0).count();
            if good == 0 {
                assert_eq!(bench.load(A, NONE), Err(Outcome::BadBlocks));
                continue;
            }
            bench.nand.write_from(2, &image(&data, |_| ()));
            if good < 3 {
                assert_eq!(bench.load(A, NONE), Err(Outcome::BadBlocks), "{mask:08b}");
            } else {
                bench.expect(&data);
            }
        }
    }

    #[test]
    fn loads_each_page_once_and_little_more() {
        let mut bench = Bench::new();
        let data = data(150 * 2048);
        bench.nand.write_from(2, &image(&data, |_| ()));
        bench.expect(&data);
        // 151 pages; the second page of three blocks for its mark, and both pages of the
        // first once more; nothing beyond the end.
        assert_eq!(bench.nand.loads, 151 + 3 + 2);
    }

    #[test]
    fn corrects_a_bit_in_every_step_and_counts() {
        let mut bench = Bench::new();
        let data = data(3 * 2048 - 64);
        bench.nand.write_from(2, &image(&data, |_| ()));
        for page in 0..3 {
            for step in 0..8 {
                bench.nand.flip(128 + page, step * 256 + (7 * step + page as usize) % 256, step as u8);
            }
        }
        bench.expect(&data);
        assert_eq!(bench.direct.reader.stats.corrected, 24);
    }

    #[test]
    fn a_flipped_bit_in_the_mark_of_a_good_block_changes_nothing() {
        let data = data(70 * 2048);
        for page in [128, 129, 192, 193] {
            for bit in 0..8 {
                let mut bench = Bench::new();
                bench.nand.write_from(2, &image(&data, |_| ()));
                bench.nand.flip(page, 2048, bit);
                bench.expect(&data);
            }
        }
    }

    #[test]
    fn refuses_two_flips_in_a_step_and_names_the_page() {
        let mut bench = Bench::new();
        bench.nand.write_from(2, &image(&data(5 * 2048), |_| ()));
        bench.nand.flip(131, 300, 0);
        bench.nand.flip(131, 301, 0);
        assert_eq!(bench.load(A, NONE), Err(Outcome::Uncorrectable));
        assert_eq!(bench.direct.reader.stats.uncorrectable, 131);
    }

    #[test]
    fn takes_pages_from_the_copy() {
        let mut bench = Bench::new();
        let data = data(130 * 2048);
        for slot in [A, B] {
            bench.nand.write_from(slot.start.into(), &image(&data, |_| ()));
        }
        bench.nand.mark_bad(15);
        for (page, first) in [(2 * 64 + 1, 0), (2 * 64 + 64, 500), (2 * 64 + 130, 2000), (8 * 64 + 5, 0)] {
            bench.nand.flip(page, first, 1);
            bench.nand.flip(page, first + 1, 1);
        }
        assert_eq!(bench.load(A, B), Ok(()));
        bench.expect_loaded(&data);
        assert_eq!(bench.load(B, A), Ok(()));
        // The first page from the copy, and a later one of the slot from there as well.
        bench.nand.flip(2 * 64, 70, 0);
        bench.nand.flip(2 * 64, 71, 0);
        assert_eq!(bench.load(A, B), Ok(()));
        bench.expect_loaded(&data);
        // The same page lost in both.
        bench.nand.flip(8 * 64 + 1, 9, 0);
        bench.nand.flip(8 * 64 + 1, 10, 0);
        assert_eq!(bench.load(A, B), Err(Outcome::Uncorrectable));
        // No copy to take it from.
        assert_eq!(bench.load(A, NONE), Err(Outcome::Uncorrectable));
    }

    #[test]
    fn refuses_what_does_not_fit_the_rules() {
        let check = |change: fn(&mut Header), outcome| {
            let mut bench = Bench::new();
            let untouched = bench.rules.area.ram.clone();
            bench.nand.write_from(2, &image(&data(5000), change));
            assert_eq!(bench.load(A, NONE), Err(outcome));
            assert!(bench.rules.area.ram == untouched, "{outcome:?} has stored something");
        };
        check(|h| h.size = 0, Outcome::Length);
        check(|h| h.size = 3, Outcome::Length);
        check(|h| h.size = u32::MAX, Outcome::Length);
        check(|h| h.size = 4 * 64 * 2048 - 63, Outcome::Length);
        check(|h| h.arch = 3, Outcome::Kind);
        check(|h| h.comp = 1, Outcome::Kind);
        check(|h| h.kind = uimage::TYPE_FIRMWARE, Outcome::Kind);
        check(|h| h.load += 1, Outcome::Address);
        check(|h| h.load = 0, Outcome::Address);
        check(|h| h.load = 0xffff_fff0, Outcome::Address);
        check(|h| (h.load, h.entry) = (RAM + 0x500, RAM + 0x500), Outcome::Address);
        check(|h| (h.load, h.entry) = (RAM + 0x3f_fc00, RAM + 0x3f_fc00), Outcome::Address);
        check(|h| h.entry = h.load + h.size, Outcome::Address);
        check(|h| h.entry = h.load - 4, Outcome::Address);
        check(|h| h.entry += 2, Outcome::Address);
    }

    #[test]
    fn refuses_damage() {
        let mut bench = Bench::new();
        assert_eq!(bench.load(A, NONE), Err(Outcome::NoHeader));
        bench.nand.write_from(2, &image(&data(5000), |h| h.data_crc ^= 1));
        assert_eq!(bench.load(A, NONE), Err(Outcome::DataCrc));
        let mut torn = image(&data(5000), |_| ());
        torn[40] ^= 1;
        bench.nand.write_from(2, &torn);
        assert_eq!(bench.load(A, NONE), Err(Outcome::HeaderCrc));
        for (start, blocks) in [(2, 0), (13, 4), (u16::MAX, u16::MAX)] {
            assert_eq!(bench.load(Slot { start, blocks }, NONE), Err(Outcome::NoSlot));
        }
        bench.nand.stuck = true;
        assert_eq!(bench.load(A, NONE), Err(Outcome::Timeout));
    }
}
