//! The guest's RAM: allocated here, mapped into the CPU emulator, read and written by both.
//!
//! This is the only file with `unsafe` code. The emulator holds a raw pointer to the bytes for as
//! long as it lives, so the models reach them through a raw pointer too, never through references.

#![allow(unsafe_code)] // Denied in the rest of the crate.

use std::ptr::NonNull;

use unicorn_engine::{Prot, Unicorn, uc_error};

/// A stretch of RAM at a physical address, all zero at first.
#[derive(Debug)]
pub struct Ram {
    base: u32,
    bytes: NonNull<[u8]>,
}

impl Ram {
    /// RAM of `len` bytes, a multiple of 4.
    #[must_use]
    pub fn new(base: u32, len: u32) -> Self {
        assert!(base.is_multiple_of(4) && len.is_multiple_of(4), "RAM is made of words");
        // `vec!` of zeros leaves untouched pages to the host's zero page.
        let bytes = Box::leak(vec![0; len as usize].into_boxed_slice());
        Self { base, bytes: NonNull::from(bytes) }
    }

    /// Pointer to the byte at an offset, which is the caller's to check.
    fn at(&self, offset: u32) -> *mut u8 {
        self.bytes.as_ptr().cast::<u8>().wrapping_add(offset as usize)
    }

    /// First address.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Whether the address lies in this RAM.
    #[must_use]
    pub fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.len()
    }

    /// The word that holds `address`, if it is here.
    #[must_use]
    pub fn word(&self, address: u32) -> Option<u32> {
        let offset = (address & !3).wrapping_sub(self.base);
        if offset >= self.len() {
            return None;
        }
        // SAFETY: `offset` is a multiple of 4 below the length, itself a multiple of 4, so the
        // four bytes are inside the allocation; `read_unaligned` needs no alignment.
        Some(u32::from_le(unsafe { self.at(offset).cast::<u32>().read_unaligned() }))
    }

    /// Replaces the word that holds `address`, if it is here.
    pub fn set_word(&self, address: u32, value: u32) {
        let offset = (address & !3).wrapping_sub(self.base);
        if offset < self.len() {
            // SAFETY: as in `word`.
            unsafe { self.at(offset).cast::<u32>().write_unaligned(value.to_le()) };
        }
    }

    /// Copies bytes out. False when they are not all here.
    #[must_use]
    pub fn read(&self, address: u32, out: &mut [u8]) -> bool {
        let offset = address.wrapping_sub(self.base);
        if u64::from(offset) + out.len() as u64 > u64::from(self.len()) {
            return false;
        }
        // SAFETY: the range was just checked; `out` is the caller's own memory and cannot overlap.
        unsafe { self.at(offset).copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        true
    }

    /// Copies bytes in. False when they do not all fit.
    #[must_use]
    pub fn write(&self, address: u32, data: &[u8]) -> bool {
        let offset = address.wrapping_sub(self.base);
        if u64::from(offset) + data.len() as u64 > u64::from(self.len()) {
            return false;
        }
        // SAFETY: the range was just checked; `data` is the caller's own memory and cannot overlap.
        unsafe { self.at(offset).copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        true
    }

    /// Makes `len` bytes from `offset` on visible to the CPU at an address. The RAM must outlive it.
    ///
    /// # Errors
    /// What the emulator says.
    pub fn map<D>(&self, cpu: &mut Unicorn<'_, D>, at: u32, offset: u32, len: u32) -> Result<(), uc_error> {
        let end = offset.checked_add(len).expect("a part of the RAM");
        assert!(end <= self.len(), "a part of the RAM");
        // SAFETY: the pointer is valid for `len` bytes, as just checked, and the machine drops the CPU
        // before its RAM.
        unsafe { cpu.mem_map_ptr(at.into(), len.into(), Prot::ALL, self.at(offset).cast()) }
    }
}

impl Drop for Ram {
    fn drop(&mut self) {
        // SAFETY: `bytes` came from a leaked box in `new` and is freed once, here; the CPU that
        // was given the pointer is gone by then (see `map`).
        drop(unsafe { Box::from_raw(self.bytes.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_are_the_same_memory() {
        let ram = Ram::new(0x1000, 16);
        assert!(ram.write(0x1004, &[1, 2, 3, 4]));
        assert_eq!(ram.word(0x1006), Some(0x0403_0201));
        ram.set_word(0x100c, 0xaabb_ccdd);
        let mut out = [0; 4];
        assert!(ram.read(0x100c, &mut out));
        assert_eq!(out, [0xdd, 0xcc, 0xbb, 0xaa]);
    }

    #[test]
    fn outside_is_refused() {
        let ram = Ram::new(0x1000, 16);
        assert_eq!(ram.word(0xffc), None);
        assert_eq!(ram.word(0x1010), None);
        assert!(!ram.read(0x100d, &mut [0; 4]));
        assert!(!ram.write(0xfff, &[0; 2]));
        assert!(!ram.contains(0x1010) && ram.contains(0x100f));
    }
}
