//! Direct boot: what stage1 does once memory works.
//!
//! Loads a uImage from a slot page by page to its load address; ECC is corrected and the
//! CRC folded in while the chip loads the next page.

use crate::boot_table::Slot;
use crate::crc::Crc32;
use crate::handover::Outcome;
use crate::image::uimage;
use crate::nand::read::{PAGE_BYTES, PAGE_WORDS, PageData, Reader, Stats};
use platform::hal::{Area, Nand};

const HEADER_WORDS: usize = uimage::HEADER / 4;

/// What may be loaded, and where to.
pub struct Rules<A> {
    /// Type of the image.
    pub kind: u8,
    /// Where images may be loaded. The header comes along, right before the data.
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
    /// Pages of the slot that hold it, header included.
    pages: u32,
}

/// What direct boot works with and keeps.
///
/// In this order, because Thumb code reaches only the first 128 bytes of a structure
/// without further ado.
#[repr(C)]
pub struct Direct {
    /// The image; valid once [`Self::load`] has returned without an error.
    pub image: Image,
    /// What reading has met so far.
    pub stats: Stats,
    /// CRC table.
    pub crc: Crc32,
    /// Room for the first page.
    first: PageData,
}

impl Direct {
    /// For a static: all zeros. [`Crc32::fill`] has to be called before use.
    pub const EMPTY: Self =
        Self { crc: Crc32::EMPTY, stats: Stats::NONE, image: Image::EMPTY, first: [0; PAGE_WORDS] };

    /// Loads the image in `slot`. A page that cannot be corrected is taken from `copy`, a
    /// slot with the same contents, unless that is empty. The header has to be readable.
    ///
    /// # Errors
    /// Says why there is no verified image in memory now.
    pub fn load<N: Nand + ?Sized, A: Area>(
        &mut self,
        nand: &mut N,
        slot: Slot,
        copy: Slot,
        rules: &mut Rules<A>,
    ) -> Result<(), Outcome> {
        let Self { crc, stats, image, first } = self;
        let mut reader = Reader::new(nand, stats);
        // The first page is read twice, because only it tells where it belongs: a page
        // in a thousand, for one loop instead of two.
        reader.open(slot, 1)?;
        reader.next(first)?;
        reader.correct(first)?;
        image.accept(first, crc, reader.pages(slot), rules)?;

        reader.open(slot, image.pages)?;
        let mut state = !0;
        for number in 0..image.pages {
            let data = rules.area.words(image.address(number)).ok_or(Outcome::Address)?;
            reader.next(data)?;
            // From here on the chip loads the next page.
            if let Err(error) = reader.correct(data) {
                reader.find(copy, number, data).map_err(|_| error)?;
                reader.correct(data)?;
                reader.find(slot, number, first)?;
            }
            state = image.crc(crc, number, state, data);
        }
        if !state != image.data_crc {
            return Err(Outcome::DataCrc);
        }
        Ok(())
    }
}

impl Image {
    const EMPTY: Self = Self { entry: 0, size: 0, data_crc: 0, start: 0, pages: 0 };

    /// Where page `number` belongs in memory: the header right before the data.
    fn address(&self, number: u32) -> u32 {
        self.start.wrapping_sub(uimage::HEADER as u32).wrapping_add(number * PAGE_BYTES)
    }

    /// Continues the data CRC over what of page `number` belongs to the data.
    fn crc(&self, crc: &Crc32, number: u32, state: u32, page: &PageData) -> u32 {
        let from = if number == 0 { HEADER_WORDS } else { 0 };
        let left = (self.size + uimage::HEADER as u32 - number * PAGE_BYTES) as usize;
        let words = (left / 4).min(PAGE_WORDS);
        let state = crc.words(state, page[..words].get(from..).unwrap_or(&[]));
        match page.get(words) {
            Some(last) => crc.some_bytes(state, *last, left % 4),
            None => state,
        }
    }

    /// Reads the header in the first page and decides whether to load what is behind
    /// it. `capacity` is the number of pages in the slot.
    fn accept<A: Area>(
        &mut self,
        first: &mut PageData,
        crc: &Crc32,
        capacity: u32,
        rules: &mut Rules<A>,
    ) -> Result<(), Outcome> {
        // The header in place and as words, where `Header::parse` would cost half a
        // kilobyte. Its CRC covers it with the CRC's own field zeroed.
        let stored = core::mem::take(&mut first[1]).swap_bytes();
        let computed = !crc.words(!0, &first[..HEADER_WORDS]);
        for word in &mut first[..HEADER_WORDS] {
            *word = word.swap_bytes();
        }
        if first[0] != uimage::MAGIC {
            return Err(Outcome::NoHeader);
        }
        if stored != computed {
            return Err(Outcome::HeaderCrc);
        }
        self.size = first[3];
        self.start = first[4];
        self.entry = first[5];
        self.data_crc = first[6];
        let [comp, kind, arch, _] = first[7].to_le_bytes();
        if arch != uimage::ARCH_ARM || comp != uimage::COMP_NONE || kind != rules.kind {
            return Err(Outcome::Kind);
        }
        // More than the slot can hold would overflow in what follows.
        if self.size == 0 || self.size > capacity * PAGE_BYTES - uimage::HEADER as u32 {
            return Err(Outcome::Length);
        }
        self.pages = (self.size + uimage::HEADER as u32).div_ceil(PAGE_BYTES);

        let mut fits = |number| {
            let page: Option<&mut PageData> = rules.area.words(self.address(number));
            page.is_some()
        };
        // With both ends in the area all of it is: a slot is smaller than what is left
        // of the address space behind RAM.
        if self.entry.wrapping_sub(self.start) >= self.size
            || self.entry % 4 != 0
            || !fits(0)
            || !fits(self.pages - 1)
        {
            return Err(Outcome::Address);
        }
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
        direct: Box<Direct>,
        rules: Rules<MockArea>,
    }

    impl Bench {
        fn new() -> Self {
            let mut direct = Box::new(Direct::EMPTY);
            direct.crc.fill();
            let area = MockArea { start: RAM + 0x500, ram: vec![0xdead_beef; 0x10_0000] };
            let rules = Rules { kind: uimage::TYPE_KERNEL, area };
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
            for len in around - 3..=around + 5 {
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
        // 151 pages; the first again; the second page of three blocks and of the first
        // again, for their marks; nothing beyond the end.
        assert_eq!(bench.nand.loads, 151 + 1 + 4);
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
        // The eight of the first page are met twice.
        assert_eq!(bench.direct.stats.corrected, 8 + 24);
    }

    #[test]
    fn refuses_two_flips_in_a_step_and_names_the_page() {
        let mut bench = Bench::new();
        bench.nand.write_from(2, &image(&data(5 * 2048), |_| ()));
        bench.nand.flip(131, 300, 0);
        bench.nand.flip(131, 301, 0);
        assert_eq!(bench.load(A, NONE), Err(Outcome::Uncorrectable));
        assert_eq!(bench.direct.stats.uncorrectable, 131);
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
