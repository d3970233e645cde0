//! The page reader: one page after the other of a run of erase blocks, bad blocks
//! skipped, with the work on a page left to be done while the chip loads the next.

use super::bad::is_bad_mark;
use super::ecc::{self, Verdict};
use crate::boot_table::Slot;
use crate::handover::Outcome;
use platform::hal::{Geometry, Nand, STEPS};
use platform::units::Page;

pub use platform::hal::PAGE_WORDS;

/// Bytes of data in a page.
pub const PAGE_BYTES: u32 = 2048;
const STEP_WORDS: usize = ecc::STEP / 4;

/// The data of a page.
pub type PageData = [u32; PAGE_WORDS];

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

/// Reads the pages of a slot in order.
///
/// A factory mark is in the OOB of the first or of the second page of a block. At a new
/// block the second page is loaded first, for its mark alone; the work on the last page
/// of the block before hides that. Then the first page is loaded, its mark looked at and
/// its data taken: one tR a block is what the marks cost.
pub struct Reader {
    /// What has been met so far, in all slots.
    pub stats: Stats,
    /// First page of the current block, and the page in it that comes next.
    block: u32,
    index: u32,
    /// First page behind the slot.
    end: u32,
    /// Whether the chip is loading a page.
    busy: bool,
    /// The page last brought, and for each of its steps the XOR of the ECC code stored in
    /// the OOB and the one computed on the way in, first byte lowest.
    page: u32,
    syndromes: [u32; STEPS],
}

impl Reader {
    /// For a static: a reader of nothing yet.
    pub const EMPTY: Self =
        Self { stats: Stats::NONE, block: 0, index: 0, end: 0, busy: false, page: 0, syndromes: [0; STEPS] };

    /// Starts at the front of a slot.
    ///
    /// # Errors
    /// [`Outcome::NoSlot`] for an empty slot or one that reaches beyond the chip;
    /// [`Outcome::Timeout`].
    pub fn open<N: Nand + ?Sized>(&mut self, nand: &mut N, slot: Slot) -> Result<(), Outcome> {
        self.wait(nand)?;
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
        data: &mut PageData,
        more: bool,
    ) -> Result<(), Outcome> {
        if self.index == 0 {
            self.find_good_block(nand)?;
        }
        self.wait(nand)?;
        self.page = self.block + self.index;
        nand.read_page(data, &mut self.syndromes);
        nand.seek(PAGE_BYTES + ecc::OOB_OFFSET as u32);
        for syndrome in &mut self.syndromes {
            for shift in [0, 8, 16] {
                *syndrome ^= u32::from(nand.read_byte()) << shift;
            }
        }

        self.index += 1;
        let pages_per_block = nand.geometry().pages_per_block;
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
            if !is_marked(nand) {
                self.start(nand, self.block);
                self.wait(nand)?;
                if !is_marked(nand) {
                    return Ok(());
                }
            }
            self.stats.bad_blocks += 1;
            self.block += nand.geometry().pages_per_block;
            self.begin(nand);
        }
    }

    /// Corrects what can be corrected in the page last brought.
    ///
    /// # Errors
    /// [`Outcome::Uncorrectable`] at the first step that cannot.
    pub fn correct(&mut self, data: &mut PageData) -> Result<(), Outcome> {
        for (step, syndrome) in data.chunks_exact_mut(STEP_WORDS).zip(&self.syndromes) {
            match ecc::judge(*syndrome) {
                Verdict::Clean => continue,
                Verdict::CodeBit => {}
                Verdict::DataBit { byte, bit } => {
                    step[usize::from(byte / 4)] ^= 1 << (byte % 4 * 8 + bit);
                }
                Verdict::Uncorrectable => {
                    self.stats.uncorrectable = self.page;
                    return Err(Outcome::Uncorrectable);
                }
            }
            self.stats.corrected += 1;
        }
        Ok(())
    }

    /// Starts loading the page that is needed next, if the slot has one.
    fn begin<N: Nand + ?Sized>(&mut self, nand: &mut N) {
        if self.block != self.end {
            self.start(nand, self.block + if self.index == 0 { 1 } else { self.index });
        }
    }

    fn start<N: Nand + ?Sized>(&mut self, nand: &mut N, page: u32) {
        nand.begin_read(Page(page));
        self.busy = true;
    }

    fn wait<N: Nand + ?Sized>(&mut self, nand: &mut N) -> Result<(), Outcome> {
        if core::mem::take(&mut self.busy) {
            nand.wait_ready().map_err(|_| Outcome::Timeout)?;
        }
        Ok(())
    }
}

/// Does the page in the chip's register mark its block bad?
fn is_marked<N: Nand + ?Sized>(nand: &mut N) -> bool {
    nand.seek(PAGE_BYTES);
    let mark = nand.read_byte();
    nand.seek(0);
    is_bad_mark(mark)
}
