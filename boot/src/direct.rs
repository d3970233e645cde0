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
