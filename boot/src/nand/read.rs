//! The page reader: one page after the other of a run of erase blocks, bad blocks
//! skipped, with the work on a page left to be done while the chip loads the next.

use super::ecc::{self, Verdict};
use crate::boot_table::Slot;
use crate::handover::Outcome;
use platform::hal::Nand;
use platform::units::Page;

/// Words of data in a page of 2048 bytes.
pub const PAGE_WORDS: usize = 512;
/// Bytes of data in a page.
pub const PAGE_BYTES: u32 = 2048;
const STEP_WORDS: usize = ecc::STEP / 4;
const STEPS: usize = PAGE_WORDS / STEP_WORDS;

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
pub struct Reader<'n, N: Nand + ?Sized> {
    nand: &'n mut N,
    stats: &'n mut Stats,
    pages_per_block: u32,
    /// First page of the current block, and the page in it that comes next.
    block: u32,
    index: u32,
    /// First page behind the slot.
    end: u32,
    /// Pages still wanted; more than that are not loaded.
    want: u32,
    /// Whether the chip is loading a page.
    busy: bool,
    /// The page last brought, and for each of its steps the XOR of the ECC code stored in
    /// the OOB and the one computed on the way in, first byte lowest.
    page: u32,
    syndromes: [u32; STEPS],
}

impl<'n, N: Nand + ?Sized> Reader<'n, N> {
    /// A reader of nothing yet.
    pub fn new(nand: &'n mut N, stats: &'n mut Stats) -> Self {
        let pages_per_block = nand.geometry().pages_per_block;
        Self { nand, stats, pages_per_block, block: 0, index: 0, end: 0, want: 0, busy: false, page: 0, syndromes: [0; STEPS] }
    }

    /// The number of pages in a slot.
    pub fn pages(&self, slot: Slot) -> u32 {
        u32::from(slot.blocks) * self.pages_per_block
    }

    /// Starts at the front of a slot, of which `want` pages are wanted.
    ///
    /// # Errors
    /// [`Outcome::NoSlot`] for an empty slot or one that reaches beyond the chip;
    /// [`Outcome::Timeout`].
    pub fn open(&mut self, slot: Slot, want: u32) -> Result<(), Outcome> {
        self.wait()?;
        self.index = 0;
        self.block = u32::from(slot.start) * self.pages_per_block;
        self.end = self.block + self.pages(slot);
        self.want = want;
        if slot.blocks == 0 || self.end > self.nand.geometry().blocks * self.pages_per_block {
            return Err(Outcome::NoSlot);
        }
        self.begin();
        Ok(())
    }

    /// Brings the next page into `data` and starts loading the one after it.
    ///
    /// # Errors
    /// [`Outcome::Timeout`], or [`Outcome::BadBlocks`] at the end of the slot.
    pub fn next(&mut self, data: &mut PageData) -> Result<(), Outcome> {
        loop {
            if self.block == self.end {
                return Err(Outcome::BadBlocks);
            }
            self.wait()?;
            // At a new block the second page is ready now, then the first.
            if self.index != 0 || !self.is_marked() && !self.load(self.block)? {
                break;
            }
            self.stats.bad_blocks += 1;
            self.block += self.pages_per_block;
            self.begin();
        }
        self.page = self.block + self.index;
        for (step, syndrome) in data.chunks_exact_mut(STEP_WORDS).zip(&mut self.syndromes) {
            let [a, b, c] = self.nand.read_step(step);
            *syndrome = u32::from_le_bytes([a, b, c, 0]);
        }
        self.nand.seek(PAGE_BYTES + ecc::OOB_OFFSET as u32);
        for syndrome in &mut self.syndromes {
            for shift in [0, 8, 16] {
                *syndrome ^= u32::from(self.nand.read_byte()) << shift;
            }
        }

        self.want -= 1;
        self.index += 1;
        if self.index == self.pages_per_block {
            self.block += self.pages_per_block;
            self.index = 0;
        }
        self.begin();
        Ok(())
    }

    /// Brings the `number`th page of a slot, by way of all those before it: for when
    /// there is trouble, not for speed.
    ///
    /// # Errors
    /// As for [`Self::open`] and [`Self::next`].
    pub fn find(&mut self, slot: Slot, number: u32, data: &mut PageData) -> Result<(), Outcome> {
        self.open(slot, u32::MAX)?;
        for _ in 0..=number {
            self.next(data)?;
        }
        Ok(())
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

    /// Loads a page into the chip's register and says whether it carries a bad mark.
    fn load(&mut self, page: u32) -> Result<bool, Outcome> {
        self.start(page);
        self.wait()?;
        Ok(self.is_marked())
    }

    fn start(&mut self, page: u32) {
        self.nand.begin_read(Page(page));
        self.busy = true;
    }

    /// Starts loading the page that is needed next, if any.
    fn begin(&mut self) {
        if self.want != 0 && self.block != self.end {
            self.start(self.block + if self.index == 0 { 1 } else { self.index });
        }
    }

    fn wait(&mut self) -> Result<(), Outcome> {
        if core::mem::take(&mut self.busy) {
            self.nand.wait_ready().map_err(|_| Outcome::Timeout)?;
        }
        Ok(())
    }

    /// Is the first OOB byte of the page in the chip's register anything but FFh?
    fn is_marked(&mut self) -> bool {
        self.nand.seek(PAGE_BYTES);
        let mark = self.nand.read_byte();
        self.nand.seek(0);
        mark != 0xff
    }
}

impl<N: Nand + ?Sized> Drop for Reader<'_, N> {
    /// Leaves the chip idle.
    fn drop(&mut self) {
        // Whoever reads next meets the same timeout and reports it.
        let _ = self.wait();
    }
}
