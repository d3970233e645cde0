//! The page reader: one page after the other of a run of erase blocks, bad blocks
//! skipped, with the work on a page left to be done while the chip loads the next.

use super::bad::{begin_mark, has_mark};
use super::ecc::{self, Verdict};
use crate::boot_table::Slot;
use crate::handover::Outcome;
use platform::hal::{Code, Geometry, Nand, STEPS};
use platform::units::Page;

/// Words that the codes of a page fill.
pub(super) const CODE_WORDS: usize = STEPS * 3 / 4;

/// What reading has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Bitflips corrected, those in stored ECC codes included.
    pub corrected: u32,
    /// The page that could not be corrected last; 0 for none, because nothing but stage1
    /// is in block 0.
    pub uncorrectable: u32,
    /// Bad blocks skipped.
    pub bad_blocks: u32,
}

impl Stats {
    /// Nothing met yet.
    pub const NONE: Self = Self { corrected: 0, uncorrectable: 0, bad_blocks: 0 };
}

/// Reads the pages of a slot in order; with `CACHE` by READ CACHE, for chips that have it.
///
/// A factory mark is in the OOB of the first or of the second page of a block. At a new
/// block the second page is loaded first, for its mark alone; the work on the last page
/// of the block before hides that. Then the first page is loaded, its mark looked at and
/// its data taken: one tR a block is what the marks cost.
///
/// With READ CACHE the chip loads a page while the one before it is transferred, and is busy for a
/// moment in between. A sequence of it begins with a block, and ends with it or with
/// [`Self::close`]; what is sought within a block comes without, up to the end of the block.
///
/// In this order, because Thumb code reaches bytes in a structure's first 32 cheaply.
#[repr(C)]
pub struct Reader<const CACHE: bool> {
    /// R/nB is to be waited for.
    busy: bool,
    /// READ CACHE: the chip is loading the page behind the one that it puts out.
    ahead: bool,
    /// What has been met so far, in all slots.
    pub stats: Stats,
    /// First page of the current block, and the page in it that comes next.
    block: u32,
    index: u32,
    /// First page behind the slot.
    end: u32,
    /// The page last brought, the ECC codes computed on the way in, and those stored in the OOB.
    page: u32,
    codes: [u32; STEPS],
    stored: [u32; CODE_WORDS],
}

impl<const CACHE: bool> Reader<CACHE> {
    /// For a static: a reader of nothing yet.
    pub const EMPTY: Self = Self {
        stats: Stats::NONE,
        block: 0,
        index: 0,
        end: 0,
        busy: false,
        ahead: false,
        page: 0,
        codes: [0; STEPS],
        stored: [0; CODE_WORDS],
    };

    /// Starts at the front of a slot.
    ///
    /// # Errors
    /// [`Outcome::NoSlot`] for an empty slot or one that reaches beyond the chip;
    /// [`Outcome::Timeout`].
    pub fn open<N: Nand + ?Sized>(&mut self, nand: &mut N, slot: Slot) -> Result<(), Outcome> {
        self.close(nand)?;
        let Geometry { pages_per_block, blocks, .. } = nand.geometry();
        self.index = 0;
        self.block = u32::from(slot.start) * pages_per_block;
        self.end = self.block + u32::from(slot.blocks) * pages_per_block;
        if slot.blocks == 0 || self.end > blocks * pages_per_block {
            return Err(Outcome::NoSlot);
        }
        self.begin(nand);
        Ok(())
    }

    /// Waits until the chip is not loading anything any more.
    ///
    /// # Errors
    /// [`Outcome::Timeout`].
    pub fn close<N: Nand + ?Sized>(&mut self, nand: &mut N) -> Result<(), Outcome> {
        self.wait(nand)?;
        if CACHE && self.ahead {
            self.begin_next(nand, true);
            self.wait(nand)?;
        }
        Ok(())
    }

    /// Goes to the `number`th page of a slot, so that [`Self::next`] brings that.
    ///
    /// # Errors
    /// As for [`Self::open`] and [`Self::next`].
    pub fn find<N: Nand + ?Sized>(&mut self, nand: &mut N, slot: Slot, number: u32) -> Result<(), Outcome> {
        self.open(nand, slot)?;
        let counted = self.stats.bad_blocks;
        let pages_per_block = nand.geometry().pages_per_block;
        let mut left = number;
        loop {
            self.find_good_block(nand)?;
            if CACHE {
                self.close(nand)?;
            }
            if left < pages_per_block {
                break;
            }
            left -= pages_per_block;
            self.block += pages_per_block;
            self.begin(nand);
        }
        // They were counted when they were first met, or will be.
        self.stats.bad_blocks = counted;
        self.index = left;
        self.begin(nand);
        Ok(())
    }

    /// Brings the next page into `data` and, if there are `more` to come, starts loading
    /// the one after it.
    ///
    /// # Errors
    /// [`Outcome::Timeout`], or [`Outcome::BadBlocks`] at the end of the slot.
    pub fn next<N: Nand + ?Sized>(
        &mut self,
        nand: &mut N,
        data: &mut [u32],
        more: bool,
    ) -> Result<(), Outcome> {
        let format = nand.format();
        let pages_per_block = nand.geometry().pages_per_block;
        if self.index == 0 {
            self.find_good_block(nand)?;
        }
        self.page = self.block + self.index;
        self.wait(nand)?;
        nand.read_page(data, &mut self.codes);
        let stored = match format.code_words() {
            CODE_WORDS => &mut self.stored[..],
            words => &mut self.stored[..words],
        };
        nand.read_codes(&mut self.codes, stored);

        self.index += 1;
        if self.index == pages_per_block {
            self.block += pages_per_block;
            self.index = 0;
        }
        if more {
            self.begin(nand);
        }
        Ok(())
    }

    /// Goes on to a good block and has its first page ready. The second page of the
    /// first block to consider is on its way when called.
    fn find_good_block<N: Nand + ?Sized>(&mut self, nand: &mut N) -> Result<(), Outcome> {
        loop {
            if self.block == self.end {
                return Err(Outcome::BadBlocks);
            }
            self.wait(nand)?;
            if !has_mark(nand) {
                begin_mark(nand, Page(self.block));
                self.busy = true;
                self.wait(nand)?;
                if !has_mark(nand) {
                    if CACHE {
                        self.begin_next(nand, false);
                    } else {
                        nand.seek(0);
                    }
                    return Ok(());
                }
            }
            self.stats.bad_blocks += 1;
            self.block += nand.geometry().pages_per_block;
            self.begin(nand);
        }
    }

    /// Number of the page last brought, and of the one that comes next unless it is in a bad block.
    #[must_use]
    pub const fn place(&self) -> (Page, Page) {
        (Page(self.page), Page(self.block + self.index))
    }

    /// For [`super::page`], which corrects with more room: the codes that were computed over the
    /// page last brought, and those stored with it.
    pub(super) const fn codes(&self) -> (&[u32; STEPS], &[u32; CODE_WORDS]) {
        (&self.codes, &self.stored)
    }

    /// Corrects what can be corrected in the page last brought.
    ///
    /// # Errors
    /// [`Outcome::Uncorrectable`] at the first step that cannot.
    pub fn correct<N: Nand + ?Sized>(&mut self, nand: &N, data: &mut [u32]) -> Result<(), Outcome> {
        let format = nand.format();
        let Self { stats, codes, stored, page, .. } = self;
        add_stored(format.code, codes, stored);
        for (step, code) in data.chunks_exact_mut(format.words / format.steps).zip(codes) {
            match ecc::judge(format.code, *code) {
                Verdict::Clean => continue,
                Verdict::CodeBit => {}
                Verdict::DataBit { byte, bit } if usize::from(byte / 4) < step.len() => {
                    step[usize::from(byte / 4)] ^= 1 << (byte as u8 % 4 * 8 + bit);
                }
                _ => {
                    stats.uncorrectable = *page;
                    return Err(Outcome::Uncorrectable);
                }
            }
            stats.corrected += 1;
        }
        Ok(())
    }

    /// Starts loading the page that is needed next, if the slot has one.
    fn begin<N: Nand + ?Sized>(&mut self, nand: &mut N) {
        if CACHE && self.ahead {
            let last = self.index + 1 == nand.geometry().pages_per_block;
            return self.begin_next(nand, last);
        }
        if self.block != self.end {
            match self.index {
                0 => begin_mark(nand, Page(self.block + 1)),
                index => nand.begin_read(Page(self.block + index), 0),
            }
            self.busy = true;
        }
    }

    fn begin_next<N: Nand + ?Sized>(&mut self, nand: &mut N, last: bool) {
        nand.begin_next(last);
        self.ahead = !last;
        self.busy = true;
    }

    fn wait<N: Nand + ?Sized>(&mut self, nand: &mut N) -> Result<(), Outcome> {
        if core::mem::take(&mut self.busy) {
            nand.wait_ready().map_err(|_| Outcome::Timeout)?;
        }
        Ok(())
    }
}

/// Adds (exclusive or) the codes stored in the OOB to those computed. Of codes of three bytes, four
/// are three words, and the upper eight bits of each are none of theirs afterwards.
#[inline(always)]
pub(super) fn add_stored(code: Code, codes: &mut [u32; STEPS], stored: &[u32; CODE_WORDS]) {
    if matches!(code, Code::Halves) {
        codes.iter_mut().zip(stored).for_each(|(code, stored)| *code ^= stored);
        return;
    }
    for (codes, words) in codes.as_chunks_mut::<4>().0.iter_mut().zip(stored.as_chunks::<3>().0) {
        let ([a, b, c, d], [low, middle, high]) = (codes, words);
        *a ^= low;
        *b ^= low >> 24 ^ middle << 8;
        *c ^= middle >> 16 ^ high << 16;
        *d ^= high >> 8;
    }
}
