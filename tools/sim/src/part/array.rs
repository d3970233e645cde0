//! The cells: the image, its faults, and the rules of programming and erasing.

use std::collections::BTreeMap;

use super::faults::{FaultMap, Faults, PartError};
use super::{NandImage, Part};
use crate::bus::Access;

/// The memory array of a chip.
#[derive(Debug)]
pub(super) struct Array {
    part: &'static Part,
    image: NandImage,
    faults: FaultMap,
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
        Ok(Self { part, image, faults: FaultMap::new(part, faults)?, wear: BTreeMap::new() })
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

    /// Loads a page as the sense amplifiers see it, flips applied.
    pub(super) fn load(&self, page: u32, register: &mut [u8]) {
        if self.faults.is_bad(self.block_of(page)) {
            register.fill(0);
            return;
        }
        self.image.read(self.part.geometry.page_offset(page), register);
        for (byte, bit) in self.faults.flips(page) {
            register[byte as usize] ^= 1 << bit;
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
        self.check_unerased(page, data, access);
        if is_bad_mark(data, self.part) {
            // Marking a worn block bad is what the data sheet's own flow does, late and out of order.
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
        self.image.read(self.part.geometry.page_offset(page), &mut cells);
        let lost = |(&cell, &byte): (&u8, &u8)| byte != 0xFF && byte & !cell != 0;
        if let Some(at) = cells.iter().zip(data).position(lost) {
            let detail = format!(
                "page {page} byte {at} holds {:02X} and is programmed with {:02X} without an erase",
                cells[at], data[at]
            );
            access.violation("nand-program", detail);
        }
    }

    /// Clears the bits that are 0 in `data`. False when the block is bad.
    pub(super) fn program(&mut self, page: u32, data: &[u8]) -> bool {
        if self.faults.is_bad(self.block_of(page)) {
            return false;
        }
        let offset = self.part.geometry.page_offset(page);
        let mut cells = vec![0; data.len()];
        self.image.read(offset, &mut cells);
        if cells.iter().zip(data).any(|(cell, byte)| cell & !byte != 0) {
            cells.iter_mut().zip(data).for_each(|(cell, byte)| *cell &= byte);
            self.image.write(offset, &cells);
        }
        true
    }

    /// Sets a block to FFh. False when it is bad.
    pub(super) fn erase(&mut self, block: u32) -> bool {
        if self.faults.is_bad(block) {
            return false;
        }
        let geometry = &self.part.geometry;
        let pages = geometry.pages_per_block;
        let bytes = pages * geometry.page_total();
        self.image.erase(geometry.page_offset(block * pages), bytes as usize);
        self.faults.heal(block * pages..(block + 1) * pages);
        self.wear.remove(&block);
        true
    }

    /// An erase that was broken off: some of the cells have been erased.
    pub(super) fn erase_half(&mut self, block: u32) {
        if self.faults.is_bad(block) {
            return;
        }
        let geometry = &self.part.geometry;
        let mut cells = vec![0; geometry.page_total() as usize];
        for page in block * geometry.pages_per_block..(block + 1) * geometry.pages_per_block {
            let offset = geometry.page_offset(page);
            self.image.read(offset, &mut cells);
            for (byte, cell) in (0..).zip(&mut cells) {
                *cell |= noise(page, byte);
            }
            self.image.write(offset, &cells);
        }
    }

    fn wear(&mut self, block: u32) -> &mut BlockWear {
        let geometry = &self.part.geometry;
        self.wear.entry(block).or_insert_with(|| {
            let first = block * geometry.pages_per_block;
            let programs: Vec<u8> = (first..first + geometry.pages_per_block)
                .map(|page| {
                    let offset = geometry.page_offset(page);
                    u8::from(!self.image.is_erased(offset, geometry.page_total() as usize))
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

    fn load(array: &Array, page: u32) -> Vec<u8> {
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
        assert_eq!(load(&array, 0)[..5], [0x30, 0xF0, 0xF0, 0xF0, 0xFF]);
        assert!(array.erase(0));
        assert_eq!(load(&array, 0)[..2], [0xFF, 0xFF]);
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
        assert!(load(&array, 1).iter().all(|&byte| byte == 0));
        assert!(!array.program(0, &[0; TOTAL]));
        assert!(!array.erase(0));
    }

    #[test]
    fn a_flip_lasts_until_the_erase() {
        let flips = vec![Flip { page: 65, byte: 2111, bit: 7 }];
        let mut array = array(Vec::new(), Faults { flips, ..Faults::default() });
        assert_eq!(load(&array, 65)[2111], 0x7F);
        array.erase(0);
        assert_eq!(load(&array, 65)[2111], 0x7F);
        let mut data = vec![0xFF; TOTAL];
        data[2111] = 0;
        array.program(65, &data);
        assert_eq!(load(&array, 65)[2111], 0x80);
        array.erase(1);
        assert_eq!(load(&array, 65)[2111], 0xFF);
    }

    #[test]
    fn an_image_longer_than_the_chip_is_refused() {
        let mut image = NandImage::default();
        image.write(PART.geometry.raw_size() - 1, &[0, 0]);
        let error = Array::new(&PART, image, Faults::default()).expect_err("one byte too long");
        assert!(matches!(error, PartError::ImageTooLong { len: 138_412_033, .. }));
    }
}
