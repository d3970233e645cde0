//! What cells have been through that their bytes do not show. It goes with a [`NandImage`] from run to
//! run, not into its file.
//!
//! [`NandImage`]: super::NandImage

use std::collections::BTreeMap;

/// What cells have been through.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Pages whose last program or erase ended too early, by their place in the raw image: a mask of the
    /// bits that read either way.
    torn: BTreeMap<u64, Box<[u8]>>,
    /// Erases that have succeeded, by block.
    erases: BTreeMap<u32, u32>,
    /// How often torn pages have been read: no reading is like the one before.
    readings: u64,
}

impl History {
    /// The torn pages, by their place in the raw image.
    pub(super) fn torn_pages(&self) -> impl Iterator<Item = u64> {
        self.torn.keys().copied()
    }

    /// The bits in doubt of the page at `offset`, when it is torn.
    pub(super) fn torn(&self, offset: u64) -> Option<&[u8]> {
        self.torn.get(&offset).map(|unsure| &**unsure)
    }

    pub(super) fn torn_mut(&mut self, offset: u64) -> Option<&mut [u8]> {
        self.torn.get_mut(&offset).map(|unsure| &mut **unsure)
    }

    /// The same, of a page of `len` bytes that becomes torn if it is not.
    pub(super) fn tear(&mut self, offset: u64, len: usize) -> &mut [u8] {
        self.torn.entry(offset).or_insert_with(|| vec![0; len].into_boxed_slice())
    }

    /// What is erased, or replaced from outside, has no past.
    pub(super) fn forget(&mut self, offset: u64, len: usize) {
        let end = offset + len as u64;
        self.torn.retain(|&at, unsure| at >= end || at + unsure.len() as u64 <= offset);
    }

    /// The number of the next reading of a torn page.
    pub(super) fn next_reading(&mut self) -> u64 {
        self.readings += 1;
        self.readings
    }

    pub(super) fn erases(&self, block: u32) -> u32 {
        self.erases.get(&block).copied().unwrap_or(0)
    }

    pub(super) fn count_erase(&mut self, block: u32) {
        *self.erases.entry(block).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_pages_that_are_touched() {
        let check = |offset, len, left: &[u64]| {
            let mut history = History::default();
            for at in [0, 10, 20, 30] {
                history.tear(at, 10);
            }
            history.forget(offset, len);
            assert_eq!(history.torn_pages().collect::<Vec<_>>(), left, "{offset} {len}");
        };
        check(10, 10, &[0, 20, 30]);
        check(9, 2, &[20, 30]);
        check(15, 10, &[0, 30]);
        check(40, 100, &[0, 10, 20, 30]);
        check(0, 40, &[]);
    }
}
