//! Blocks that are only words which keep what is written to them: enough for a kernel's probe.

use std::collections::BTreeMap;

use crate::bus::{Access, Peripheral};

/// A block modelled leniently.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The manual's name of the block.
    pub name: &'static str,
    words: BTreeMap<u32, u32>,
    /// Bits that read as one whatever was written (ready flags).
    always_set: &'static [(u32, u32)],
    touched: bool,
}

impl Storage {
    /// A block that reads as zero.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self::with_flags(name, &[])
    }

    /// A block with bits (offset, mask) that read as one.
    #[must_use]
    pub fn with_flags(name: &'static str, always_set: &'static [(u32, u32)]) -> Self {
        Self { name, words: BTreeMap::new(), always_set, touched: false }
    }

    /// Whether it has been used: the report says so.
    #[must_use]
    pub fn touched(&self) -> bool {
        self.touched
    }

    /// Back to the state after reset.
    pub fn reset(&mut self) {
        self.words.clear();
    }
}

impl Peripheral for Storage {
    fn read(&mut self, offset: u32, _width: u8, _access: &mut Access<'_>) -> u32 {
        self.touched = true;
        let word = offset & !3;
        let set = self.always_set.iter().filter(|(at, _)| *at == word).fold(0, |set, (_, mask)| set | mask);
        (self.words.get(&word).copied().unwrap_or(0) | set) >> (8 * (offset & 3))
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, _access: &mut Access<'_>) {
        self.touched = true;
        let shift = 8 * (offset & 3);
        let mask = (u32::MAX >> (32 - 8 * u32::from(width))) << shift;
        let word = self.words.entry(offset & !3).or_default();
        *word = *word & !mask | value << shift & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    #[test]
    fn keeps_bytes_and_words() {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        let mut block = Storage::with_flags("ADC", &[(0, 0x8000)]);
        assert!(!block.touched());
        block.write(4, 4, 0x1122_3344, &mut access);
        block.write(5, 1, 0xaa, &mut access);
        assert_eq!(block.read(4, 4, &mut access), 0x1122_aa44);
        assert_eq!(block.read(6, 1, &mut access) & 0xff, 0x22);
        assert_eq!(block.read(0, 4, &mut access), 0x8000);
        assert!(block.touched());
    }
}
