//! Registers of a controller, by offset.

use core::ptr::{with_exposed_provenance as at, with_exposed_provenance_mut as at_mut};

/// A block of registers.
#[derive(Clone, Copy)]
pub struct Block(usize);

/// NAND controller: user's manuals, chapter 6.
pub const NAND: Block = Block(0x4e00_0000);
/// PWM timers: user's manuals, chapter 10.
pub const TIMERS: Block = Block(0x5100_0000);

impl Block {
    /// Address of a register.
    pub const fn address(self, offset: usize) -> usize {
        self.0 + offset
    }

    /// Reads a byte.
    pub fn read8(self, offset: usize) -> u8 {
        // SAFETY: a register of one of the blocks above, mapped uncached.
        unsafe { at::<u8>(self.address(offset)).read_volatile() }
    }

    /// Writes a byte.
    pub fn write8(self, offset: usize, value: u8) {
        // SAFETY: as above; what it sets off concerns the NAND chip alone.
        unsafe { at_mut::<u8>(self.address(offset)).write_volatile(value) }
    }

    /// Reads a word.
    pub fn read32(self, offset: usize) -> u32 {
        // SAFETY: as above.
        unsafe { at::<u32>(self.address(offset)).read_volatile() }
    }

    /// Writes a word.
    pub fn write32(self, offset: usize, value: u32) {
        // SAFETY: as above.
        unsafe { at_mut::<u32>(self.address(offset)).write_volatile(value) }
    }

    /// Sets and clears bits of a word.
    pub fn modify32(self, offset: usize, clear: u32, set: u32) {
        self.write32(offset, self.read32(offset) & !clear | set);
    }
}
