//! What a chip has been asked for and has delivered.

use std::collections::BTreeSet;

use crate::bus::Ps;

/// Counts since power-up, and every page read.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Pages read, in order; with READ CACHE one entry for each page that went out. Reads that
    /// delivered nothing are here too, with no bytes.
    pub reads: Vec<PageRead>,
    /// Bytes of pages read from the chip, spare bytes included, id and status not.
    pub bytes: u64,
    /// Page programs started.
    pub programs: u64,
    /// Block erases started.
    pub erases: u64,
    /// Pages read whose last program or erase had ended too early.
    pub torn_reads: BTreeSet<u32>,
    /// Time R/nB was low.
    pub busy: Ps,
}

/// One page on its way out of the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRead {
    /// The page.
    pub page: u32,
    /// Start of the first command cycle: 00h, or 31h/3Fh for the later pages of a READ CACHE.
    pub start: Ps,
    /// R/nB high again.
    pub ready: Ps,
    /// First fall of nRE; equal to `ready` while nothing has been read.
    pub data_start: Ps,
    /// End of the last read cycle so far; equal to `ready` while nothing has been read.
    pub data_end: Ps,
    /// Bytes read.
    pub bytes: u32,
    /// The flipped bits among them.
    pub flips: Vec<DeliveredFlip>,
}

/// A flipped bit that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveredFlip {
    /// Byte of the page, spare bytes counted after the data.
    pub byte: u32,
    /// Bit of the byte.
    pub bit: u8,
}

/// Where the ECC code of each step of data is stored in the page.
#[derive(Clone, Copy, Debug)]
pub struct EccLayout {
    /// Data bytes of a page.
    pub page: u32,
    /// Data bytes of a step.
    pub step: u32,
    /// Code bytes of a step.
    pub code: u32,
    /// Byte of the page, spare bytes counted after the data, where the first code byte is.
    pub first_code: u32,
}

/// Linux's layout for large pages on S3C24xx: 256 bytes a step, 3 bytes of code, from OOB byte 40 on.
pub const LINUX_256_3: EccLayout = EccLayout { page: 2048, step: 256, code: 3, first_code: 2048 + 40 };

/// Linux's layout for small pages on S3C24xx: the three bytes of the page's one code are OOB bytes 0 to 2.
pub const LINUX_512_3: EccLayout = EccLayout { page: 512, step: 512, code: 3, first_code: 512 };

/// Linux's layout for large pages on AT91SAM9 (until 4.12): the four bytes of the page's one code are OOB
/// bytes 60 to 63.
pub const AT91_2048_4: EccLayout = EccLayout { page: 2048, step: 2048, code: 4, first_code: 2048 + 60 };

impl EccLayout {
    /// Steps of a page.
    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.page / self.step
    }

    /// Code bytes of a page.
    #[must_use]
    pub const fn code_bytes(&self) -> u32 {
        self.steps() * self.code
    }

    /// The step that covers a byte of the page, as data or as code.
    #[must_use]
    pub fn step_of(&self, byte: u32) -> Option<u32> {
        if byte < self.page {
            return Some(byte / self.step);
        }
        let step = byte.checked_sub(self.first_code)? / self.code;
        (step < self.steps()).then_some(step)
    }
}

/// ECC steps of a page by the number of flipped bits that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlippedSteps {
    /// Steps with exactly one.
    pub one: u32,
    /// Steps with two or more.
    pub more: u32,
}

impl PageRead {
    /// How many ECC steps were delivered with flipped bits in their data or code bytes.
    #[must_use]
    pub fn steps(&self, layout: &EccLayout) -> FlippedSteps {
        let mut counts = vec![0; layout.steps() as usize];
        for step in self.flips.iter().filter_map(|flip| layout.step_of(flip.byte)) {
            counts[step as usize] += 1;
        }
        let count = |wanted: fn(u32) -> bool| counts.iter().filter(|&&count| wanted(count)).count() as u32;
        FlippedSteps { one: count(|flips| flips == 1), more: count(|flips| flips > 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_its_data_and_its_code() {
        let check = |byte, step| assert_eq!(LINUX_256_3.step_of(byte), step, "byte {byte}");
        check(0, Some(0));
        check(255, Some(0));
        check(256, Some(1));
        check(2047, Some(7));
        check(2048, None);
        check(2087, None);
        check(2088, Some(0));
        check(2090, Some(0));
        check(2091, Some(1));
        check(2111, Some(7));
    }

    #[test]
    fn a_small_page_is_one_step() {
        let check = |byte, step| assert_eq!(LINUX_512_3.step_of(byte), step, "byte {byte}");
        check(511, Some(0));
        check(514, Some(0));
        check(515, None);
        check(517, None);
        assert_eq!((LINUX_512_3.code_bytes(), LINUX_256_3.code_bytes()), (3, 24));
    }

    #[test]
    fn flips_are_counted_by_step() {
        let check = |bytes: &[u32], one, more| {
            let flips = bytes.iter().map(|&byte| DeliveredFlip { byte, bit: 0 }).collect();
            let read = PageRead { page: 0, start: 0, ready: 0, data_start: 0, data_end: 0, bytes: 0, flips };
            assert_eq!(read.steps(&LINUX_256_3), FlippedSteps { one, more });
        };
        check(&[], 0, 0);
        check(&[5], 1, 0);
        check(&[5, 2089], 0, 1);
        check(&[5, 300, 301, 302, 2050], 1, 1);
    }
}
