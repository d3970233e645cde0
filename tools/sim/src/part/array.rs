//! The cells: the image, its faults, and the rules of programming and erasing.

use std::collections::BTreeMap;
use std::ops::Range;

use super::faults::{FaultMap, Faults, PartError};
use super::torn::{Progress, random};
use super::{NandImage, Part};
use crate::bus::Access;

/// The memory array of a chip.
#[derive(Debug)]
pub(super) struct Array {
    part: &'static Part,
    image: NandImage,
    faults: FaultMap,
    seed: u64,
    /// Filled block by block, at the first program.
    wear: BTreeMap<u32, BlockWear>,
}

/// What the pages of a block have been through since its last erase.
#[derive(Debug)]
struct BlockWear {
    /// Programs per page. A page that the image brought along counts as one.
    programs: Vec<u8>,
    /// The highest programmed page; 0 also when there is none.
    top: usize,
}

impl Array {
    pub(super) fn new(part: &'static Part, image: NandImage, faults: Faults) -> Result<Self, PartError> {
        let (len, raw_size) = (image.len(), part.geometry.raw_size());
        if len > raw_size {
            return Err(PartError::ImageTooLong { part: part.name, len, raw_size });
        }
        let seed = faults.seed;
        Ok(Self { part, image, faults: FaultMap::new(part, faults)?, seed, wear: BTreeMap::new() })
    }

    pub(super) fn image(&self) -> &NandImage {
        &self.image
    }

    pub(super) fn into_image(self) -> NandImage {
        self.image
    }

    fn block_of(&self, page: u32) -> u32 {
        page / self.part.geometry.pages_per_block
    }

    fn offset(&self, page: u32) -> u64 {
        self.part.geometry.page_offset(page)
    }

    /// The pages of a block.
    fn pages(&self, block: u32) -> Range<u32> {
        let pages = self.part.geometry.pages_per_block;
        block * pages..(block + 1) * pages
    }

    /// Whether the last program or erase of a page ended too early.
    pub(super) fn is_torn(&self, page: u32) -> bool {
        self.image.history.torn(self.offset(page)).is_some()
    }

    /// Loads a page as the sense amplifiers see it: flips applied, and bits in doubt as they fall.
    pub(super) fn load(&mut self, page: u32, register: &mut [u8]) {
        if self.faults.is_bad(self.block_of(page)) {
            register.fill(0);
            return;
        }
        let offset = self.offset(page);
        self.image.read(offset, register);
        for (byte, bit) in self.faults.flips(page) {
            register[byte as usize] ^= 1 << bit;
        }
        if self.is_torn(page) {
            let reading = random(self.seed, self.image.history.next_reading(), 0);
            let unsure = self.image.history.torn(offset).unwrap_or(&[]);
            for (byte, (cell, unsure)) in (0..).zip(register.iter_mut().zip(unsure)) {
                *cell ^= random(reading, byte, 0) as u8 & unsure;
            }
        }
    }

    /// The flips that [`Self::load`] put into the register, as (byte, bit).
    pub(super) fn flips(&self, page: u32) -> impl Iterator<Item = (u32, u8)> {
        let good = !self.faults.is_bad(self.block_of(page));
        self.faults.flips(page).filter(move |_| good)
    }

    /// Reports what the data sheet does not allow about programming `data` into `page`.
    pub(super) fn check_program(&mut self, page: u32, data: &[u8], access: &mut Access<'_>) {
        if self.faults.is_bad(self.block_of(page)) {
            return;
        }
        // Marking a worn block bad is what the data sheet's own flow does, late and out of order.
        let is_mark = is_bad_mark(data, self.part);
        if self.is_torn(page) && !is_mark {
            let detail = format!(
                "page {page} is programmed, but its last program or erase ended too early and no erase came since"
            );
            access.violation("nand-program", detail);
            return;
        }
        self.check_unerased(page, data, access);
        if is_mark {
            return;
        }
        let (block, index) = (self.block_of(page), (page % self.part.geometry.pages_per_block) as usize);
        let limit = self.part.programs_per_page;
        let wear = self.wear(block);
        wear.programs[index] = wear.programs[index].saturating_add(1);
        let (count, top) = (wear.programs[index], wear.top);
        wear.top = top.max(index);
        if count > limit {
            let detail =
                format!("page {page} is programmed {count} times without an erase, {limit} are allowed");
            access.violation("nand-program", detail);
        }
        if index < top {
            let detail =
                format!("page {index} of block {block} is programmed after page {top}, pages go in order");
            access.violation("nand-program", detail);
        }
    }

    /// Bytes that ask a 0 to become 1 show that an erase is missing.
    fn check_unerased(&self, page: u32, data: &[u8], access: &mut Access<'_>) {
        let mut cells = vec![0; data.len()];
        self.image.read(self.offset(page), &mut cells);
        let lost = |(&cell, &byte): (&u8, &u8)| byte != 0xFF && byte & !cell != 0;
        if let Some(at) = cells.iter().zip(data).position(lost) {
            let detail = format!(
                "page {page} byte {at} holds {:02X} and is programmed with {:02X} without an erase",
                cells[at], data[at]
            );
            access.violation("nand-program", detail);
        }
    }

    /// Clears the bits that are 0 in `data`. False when that fails.
    pub(super) fn program(&mut self, page: u32, data: &[u8]) -> bool {
        if self.faults.is_bad(self.block_of(page)) {
            return false;
        }
        if self.faults.fails_program(page) {
            self.program_part(page, data, Progress::HALF);
            return false;
        }
        let offset = self.offset(page);
        if let Some(unsure) = self.image.history.torn_mut(offset) {
            // What is programmed is no longer in doubt.
            unsure.iter_mut().zip(data).for_each(|(unsure, byte)| *unsure &= byte);
        }
        let mut cells = vec![0; data.len()];
        self.image.read(offset, &mut cells);
        if cells.iter().zip(data).any(|(cell, byte)| cell & !byte != 0) {
            cells.iter_mut().zip(data).for_each(|(cell, byte)| *cell &= byte);
            self.image.put(offset, &cells);
        }
        true
    }

    /// Sets a block to FFh. False when that fails.
    pub(super) fn erase(&mut self, block: u32) -> bool {
        if self.faults.is_bad(block) {
            return false;
        }
        if self.faults.fails_erase(block, self.image.erases(block)) {
            self.erase_part(block, Progress::HALF);
            return false;
        }
        let pages = self.pages(block);
        let bytes = pages.len() * self.part.geometry.page_total() as usize;
        self.image.erase(self.offset(pages.start), bytes);
        self.image.history.count_erase(block);
        self.faults.heal(pages);
        self.wear.remove(&block);
        true
    }

    /// A program that ends too early: some of the bits that are 0 in `data` have got there.
    pub(super) fn program_part(&mut self, page: u32, data: &[u8], progress: Progress) {
        if !self.faults.is_bad(self.block_of(page)) {
            self.change_part(page, progress, |byte| !data[byte], |cell, done| cell & !done);
        }
    }

    /// An erase that ends too early: some of the cells have been erased.
    pub(super) fn erase_part(&mut self, block: u32, progress: Progress) {
        if self.faults.is_bad(block) {
            return;
        }
        for page in self.pages(block) {
            self.change_part(page, progress, |_| 0xFF, |cell, done| cell | done);
        }
        self.wear.remove(&block);
    }

    /// Tears a page: of the `wanted` bits of every byte, those that progress has reached become what
    /// `change` makes of them, and some of the others are in doubt from now on.
    fn change_part(
        &mut self,
        page: u32,
        progress: Progress,
        wanted: impl Fn(usize) -> u8,
        change: impl Fn(u8, u8) -> u8,
    ) {
        let (offset, seed) = (self.offset(page), self.seed);
        let mut bytes = vec![0; self.part.geometry.page_total() as usize];
        self.image.read(offset, &mut bytes);
        let torn = self.image.history.tear(offset, bytes.len());
        for (at, (cell, unsure)) in bytes.iter_mut().zip(torn).enumerate() {
            // Bits that are there already do not move, unless they are in doubt.
            let moving = (*cell ^ change(*cell, 0xFF) | *unsure) & wanted(at);
            if moving != 0 {
                let cells = progress.cells(seed, page, at as u32);
                *cell = change(*cell, moving & cells.done);
                *unsure = *unsure & !(moving & cells.done) | moving & cells.unsure;
                *cell ^= random(seed, page.into(), !(at as u64)) as u8 & moving & cells.unsure;
            }
        }
        self.image.put(offset, &bytes);
    }

    fn wear(&mut self, block: u32) -> &mut BlockWear {
        let geometry = &self.part.geometry;
        self.wear.entry(block).or_insert_with(|| {
            let first = block * geometry.pages_per_block;
            let programs: Vec<u8> = (first..first + geometry.pages_per_block)
                .map(|page| {
                    let offset = geometry.page_offset(page);
                    let torn = self.image.history.torn(offset).is_some();
                    u8::from(torn || !self.image.is_erased(offset, geometry.page_total() as usize))
                })
                .collect();
            let top = programs.iter().rposition(|&count| count > 0).unwrap_or(0);
            BlockWear { programs, top }
        })
    }
}

/// Whether only the bad mark is programmed, or the byte behind it with it, as tools for half-words do.
fn is_bad_mark(data: &[u8], part: &Part) -> bool {
    let mark = part.geometry.bad_mark_byte() as usize;
    let others = data[..mark].iter().chain(&data[mark + 2..]);
    data[mark] != 0xFF && others.copied().all(|byte| byte == 0xFF)
}

/// Bits that look random and are the same in every run.
pub(super) fn noise(page: u32, byte: u32) -> u8 {
    let mixed = (page.wrapping_mul(0x9E37_79B1) ^ byte).wrapping_mul(0x85EB_CA6B);
    (mixed ^ (mixed >> 15)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::part::Flip;
    use crate::part::k9f1g08u0b::PART;

    const TOTAL: usize = 2112;

    fn array(bytes: Vec<u8>, faults: Faults) -> Array {
        Array::new(&PART, NandImage::from_bytes(bytes), faults).expect("fits")
    }

    fn load(array: &mut Array, page: u32) -> Vec<u8> {
        let mut register = vec![0; TOTAL];
        array.load(page, &mut register);
        register
    }

    /// What programming these (page, byte, value) in turn is reported for.
    fn complaints(array: &mut Array, programs: &[(u32, usize, u8)]) -> Vec<String> {
        let mut violations = Violations::default();
        for &(page, byte, value) in programs {
            let mut data = vec![0xFF; TOTAL];
            data[byte] = value;
            let clocks = Clocks { fclk: 2500, hclk: 10_000, pclk: 20_000 };
            let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
            array.check_program(page, &data, &mut access);
            array.program(page, &data);
        }
        violations.list().iter().map(|violation| violation.detail.clone()).collect()
    }

    #[test]
    fn programming_only_clears_bits() {
        let mut array = array(vec![0xF0; 4], Faults::default());
        let mut data = vec![0xFF; TOTAL];
        data[..2].copy_from_slice(&[0x3F, 0xFF]);
        assert!(array.program(0, &data));
        assert_eq!(load(&mut array, 0)[..5], [0x30, 0xF0, 0xF0, 0xF0, 0xFF]);
        assert!(array.erase(0));
        assert_eq!(load(&mut array, 0)[..2], [0xFF, 0xFF]);
    }

    #[test]
    fn the_rules_of_programming() {
        let check = |programs: &[(u32, usize, u8)], expected: &[&str]| {
            let mut bytes = vec![0xFF; 65 * TOTAL];
            bytes[64 * TOTAL] = 0x0F;
            assert_eq!(complaints(&mut array(bytes, Faults::default()), programs), expected, "{programs:?}");
        };
        check(&[(0, 0, 1), (1, 0, 2), (2, 0, 3), (70, 0, 1)], &[]);
        check(&[(0, 0, 1), (0, 1, 2), (0, 2, 3), (0, 3, 4)], &[]);
        check(
            &[(0, 0, 1), (0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)],
            &["page 0 is programmed 5 times without an erase, 4 are allowed"],
        );
        check(&[(3, 0, 1), (2, 0, 1)], &["page 2 of block 0 is programmed after page 3, pages go in order"]);
        check(&[(64, 0, 0x01)], &[]);
        check(&[(64, 0, 0x31)], &["page 64 byte 0 holds 0F and is programmed with 31 without an erase"]);
        // The bad mark comes when it must.
        check(&[(3, 0, 1), (0, 2048, 0), (1, 2048, 0)], &[]);
    }

    #[test]
    fn pages_of_the_image_count_as_programmed() {
        let mut array = array(vec![0xFF, 0], Faults::default());
        let programs: Vec<(u32, usize, u8)> = (2..6).map(|byte| (0, byte, 0)).collect();
        assert_eq!(complaints(&mut array, &programs).len(), 1);
    }

    #[test]
    fn an_erase_starts_the_counts_again() {
        let mut array = array(Vec::new(), Faults::default());
        assert_eq!(complaints(&mut array, &[(5, 0, 0)]).len(), 0);
        array.erase(0);
        assert_eq!(complaints(&mut array, &[(0, 0, 0)]).len(), 0);
    }

    #[test]
    fn a_bad_block_reads_zeros_and_refuses() {
        let mut array = array(vec![0x55; 64 * TOTAL], Faults { bad_blocks: vec![0], ..Faults::default() });
        assert!(load(&mut array, 1).iter().all(|&byte| byte == 0));
        assert!(!array.program(0, &[0; TOTAL]));
        assert!(!array.erase(0));
    }

    #[test]
    fn a_flip_lasts_until_the_erase() {
        let flips = vec![Flip { page: 65, byte: 2111, bit: 7 }];
        let mut array = array(Vec::new(), Faults { flips, ..Faults::default() });
        assert_eq!(load(&mut array, 65)[2111], 0x7F);
        array.erase(0);
        assert_eq!(load(&mut array, 65)[2111], 0x7F);
        let mut data = vec![0xFF; TOTAL];
        data[2111] = 0;
        array.program(65, &data);
        assert_eq!(load(&mut array, 65)[2111], 0x80);
        array.erase(1);
        assert_eq!(load(&mut array, 65)[2111], 0xFF);
    }

    /// 0x0F throughout block 0, and a new chip from the image of another.
    fn used() -> Array {
        array(vec![0x0F; 64 * TOTAL], Faults::default())
    }

    fn next_run(array: Array, faults: Faults) -> Array {
        Array::new(&PART, array.into_image(), faults).expect("fits")
    }

    /// Bits that differ.
    fn distance(a: &[u8], b: &[u8]) -> u32 {
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    #[test]
    fn a_torn_program_is_somewhere_between() {
        let mut array = array(Vec::new(), Faults::default());
        array.program_part(3, &[0xA5; TOTAL], Progress::HALF);
        let page = load(&mut array, 3);
        assert!(page.iter().all(|byte| byte & 0xA5 == 0xA5), "only what is to be 0 becomes 0");
        let (erased, done) = (distance(&page, &[0xFF; TOTAL]), distance(&page, &[0xA5; TOTAL]));
        assert!(erased > 500 && done > 500, "{erased} {done}");
        assert!(array.is_torn(3) && !array.is_torn(2));
        assert_eq!(load(&mut array, 4), [0xFF; TOTAL]);
    }

    #[test]
    fn bits_in_doubt_read_differently_each_time_until_the_erase() {
        let mut array = array(Vec::new(), Faults::default());
        array.program_part(3, &[0; TOTAL], Progress::HALF);
        let frozen = {
            let mut bytes = vec![0; TOTAL];
            array.image().read(3 * TOTAL as u64, &mut bytes);
            bytes
        };
        let first = load(&mut array, 3);
        let second = load(&mut array, 3);
        // The next run goes on where this one has ended.
        let mut array = next_run(array, Faults::default());
        let third = load(&mut array, 3);
        let unsure = array.image().history.torn(3 * TOTAL as u64).expect("torn").to_vec();
        for (a, b) in [(&first, &second), (&first, &third), (&second, &third), (&first, &frozen)] {
            assert!(distance(a, b) > 100);
            assert!(a.iter().zip(b).zip(&unsure).all(|((a, b), unsure)| (a ^ b) & !unsure == 0));
        }
        assert!(array.erase(0));
        assert_eq!((load(&mut array, 3), array.is_torn(3)), (vec![0xFF; TOTAL], false));
    }

    #[test]
    fn programming_settles_what_it_programs() {
        let mut array = array(Vec::new(), Faults::default());
        array.program_part(3, &[0; TOTAL], Progress::HALF);
        assert!(array.program(3, &[0; TOTAL]));
        assert_eq!((load(&mut array, 3), load(&mut array, 3)), (vec![0; TOTAL], vec![0; TOTAL]));
        assert!(array.is_torn(3), "nobody has erased it");
    }

    #[test]
    fn a_torn_erase_leaves_a_block_partly_erased() {
        let mut array = used();
        array.erase_part(0, Progress::HALF);
        let left: Vec<_> = (0..64).map(|page| distance(&load(&mut array, page), &[0xFF; TOTAL])).collect();
        let all = 4 * TOTAL as u32;
        assert!(left.iter().all(|&left| 0 < left && left < all), "{left:?}");
        assert!(left.iter().any(|&left| left < all * 2 / 5) && left.iter().any(|&left| left > all * 3 / 5));
        assert!((0..64).all(|page| array.is_torn(page)) && !array.is_torn(64));
        assert_eq!(array.image().erases(0), 0);
    }

    #[test]
    fn a_torn_page_needs_an_erase() {
        const TORN: &str =
            "page 3 is programmed, but its last program or erase ended too early and no erase came since";
        let mut array = used();
        array.erase_part(0, Progress::at(1, 0, 100));
        // Hardly begun: what is there looks as good as before, or as good as erased.
        assert_eq!(complaints(&mut array, &[(3, 7, 0)]), [TORN]);
        let mut array = next_run(array, Faults::default());
        assert_eq!(complaints(&mut array, &[(3, 7, 0)]), [TORN]);
        assert_eq!(complaints(&mut array, &[(3, 2048, 0)]), [""; 0], "the bad mark may come any time");
        assert!(array.erase(0));
        assert_eq!(complaints(&mut array, &[(3, 7, 0)]), [""; 0]);
    }

    #[test]
    fn torn_pages_count_as_programmed() {
        let mut array = array(Vec::new(), Faults::default());
        array.program_part(3, &[0; TOTAL], Progress::at(0, 0, 1));
        let mut array = next_run(array, Faults::default());
        assert_eq!(
            complaints(&mut array, &[(2, 0, 0)]),
            ["page 2 of block 0 is programmed after page 3, pages go in order"]
        );
    }

    #[test]
    fn pages_and_blocks_that_fail() {
        let faults = Faults { fail_programs: vec![5], fail_erases: vec![1], ..Faults::default() };
        let mut array = array(vec![0xFF; 65 * TOTAL], faults);
        assert!(array.program(4, &[0; TOTAL]));
        assert!(!array.program(5, &[0; TOTAL]));
        let left = distance(&load(&mut array, 5), &[0; TOTAL]);
        assert!(left > 500, "{left} bits did not get there");
        assert!(array.program(64, &[0; TOTAL]));
        assert!(!array.erase(1));
        let left = distance(&load(&mut array, 64), &[0xFF; TOTAL]);
        assert!(left > 500, "{left} bits were not erased");
        assert!(array.erase(0));
        assert!(!array.program(5, &[0; TOTAL]), "an erase does not mend it");
    }

    #[test]
    fn a_block_is_worn_out_after_its_erases() {
        let faults = Faults { endurance: Some(2), ..Faults::default() };
        let mut array = array(Vec::new(), faults.clone());
        assert!(array.erase(7));
        let mut array = next_run(array, faults);
        assert!(array.erase(7) && array.erase(8));
        assert!(!array.erase(7));
        assert_eq!((array.image().erases(7), array.image().erases(8)), (2, 1));
    }

    #[test]
    fn an_image_longer_than_the_chip_is_refused() {
        let mut image = NandImage::default();
        image.write(PART.geometry.raw_size() - 1, &[0, 0]);
        let error = Array::new(&PART, image, Faults::default()).expect_err("one byte too long");
        assert!(matches!(error, PartError::ImageTooLong { len: 138_412_033, .. }));
    }
}
