//! RAM whose top belongs to the loader.

use boot::image::region::Region;
use platform::hal::Memory;
use std::ops::Range;

/// Its first address.
pub const START: u32 = 0x3000_0000;
/// Bytes of the loader's part.
const LOADER: u32 = 0x4000;

/// The memory, of which nobody but its maker writes the loader's part.
pub struct Ram {
    bytes: Vec<u8>,
}

impl Ram {
    /// So many bytes that are free, all of them `fill`, and the loader behind them.
    pub fn new(free: u32, fill: u8) -> Self {
        Self { bytes: vec![fill; (free + LOADER) as usize] }
    }

    /// What is free.
    pub fn free(&self) -> Region {
        Region::new(START, self.bytes.len() as u32 - LOADER)
    }

    /// Puts bytes at an address, as far as there is room.
    pub fn store(&mut self, address: u32, bytes: &[u8]) {
        let room = &mut self.bytes[(address - START) as usize..];
        let len = bytes.len().min(room.len() - LOADER as usize);
        room[..len].copy_from_slice(&bytes[..len]);
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Panics unless all bytes outside of `regions` are as they were `before`.
    pub fn assert_untouched(&self, before: &[u8], regions: impl IntoIterator<Item = Region>) {
        let mut regions: Vec<Region> = regions.into_iter().collect();
        regions.sort_by_key(|region| region.start);
        let end = Region::new(START + self.bytes.len() as u32, 0);
        let mut from = 0;
        for region in regions.into_iter().chain([end]) {
            let start = (region.start - START) as usize;
            if from < start {
                let same = self.bytes[from..start] == before[from..start];
                assert!(same, "bytes changed in {:#x}..{start:#x} of RAM", from);
            }
            from = from.max(start + region.len as usize);
        }
    }

    fn range(&self, address: u32, len: u32) -> Option<Range<usize>> {
        let start = address.checked_sub(START)? as usize;
        let end = start.checked_add(len as usize)?;
        (end <= self.bytes.len()).then_some(start..end)
    }
}

impl Memory for Ram {
    fn peek(&self, address: u32, width: u8) -> Option<u32> {
        let bytes = self.ram(address, width.into()).filter(|_| address.is_multiple_of(width.into()))?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }
    fn poke(&mut self, address: u32, width: u8, value: u32) -> bool {
        let aligned = address.is_multiple_of(width.into());
        let Some(bytes) = self.ram_mut(address, width.into()).filter(|_| aligned) else { return false };
        bytes.copy_from_slice(&value.to_le_bytes()[..width.into()]);
        true
    }
    fn ram(&self, address: u32, len: u32) -> Option<&[u8]> {
        Some(&self.bytes[self.range(address, len)?])
    }
    fn ram_mut(&mut self, address: u32, len: u32) -> Option<&mut [u8]> {
        let free = self.bytes.len() - LOADER as usize;
        let range = self.range(address, len).filter(|range| range.end <= free)?;
        Some(&mut self.bytes[range])
    }
}
