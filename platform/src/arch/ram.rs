//! RAM as slices. Linker symbols say what is where; this is the only place that
//! turns addresses into references.

use crate::hal::{Area, Loops, Memory};
use core::ptr;

unsafe extern "C" {
    static _sdram_start: u8;
    static _sdram_end: u8;
    static _loader_start: u8;
    static _stage2_end: u8;
    static _code_end: u8;
    static _fault_stack_high_end: u8;
    static _sys_stack_high_end: u8;
    static mut _handover: [u32; 16];
    static mut _crash: [u32; 113];
    static mut _page_table: [u32; 4096];
    static mut _tags: [u32; 256];
}

fn address(symbol: &'static u8) -> u32 {
    ptr::from_ref(symbol) as usize as u32
}

macro_rules! symbol {
    ($(#[$doc:meta])* $name:ident, $symbol:ident) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name() -> u32 {
            // SAFETY: only the address of the linker's symbol is taken.
            address(unsafe { &$symbol })
        }
    };
}

symbol!(/// First address of SDRAM.
    sdram_start, _sdram_start);
symbol!(/// First address behind SDRAM.
    sdram_end, _sdram_end);
symbol!(/// First address of the loader's part, which reaches to the end of SDRAM.
    loader_start, _loader_start);
symbol!(/// First address behind stage2's part.
    stage2_end, _stage2_end);

symbol!(/// First address behind stage2's code, which its part begins with.
    code_end, _code_end);
symbol!(/// First address of the stack that stage2 runs on.
    stack_start, _fault_stack_high_end);
symbol!(/// First address behind that stack.
    stack_end, _sys_stack_high_end);

/// The MMU's first-level table. Call once: its contents then belong to the MMU.
#[must_use]
pub fn page_table() -> &'static mut [u32; 4096] {
    let place = &raw mut _page_table;
    // SAFETY: the linker script sets 16 KiB aside here that nothing else uses.
    unsafe { &mut *place }
}

/// The hand-over record.
#[must_use]
pub fn handover() -> &'static mut [u32; 16] {
    let place = &raw mut _handover;
    // SAFETY: the linker script sets a page aside here that nothing else uses.
    unsafe { &mut *place }
}

/// The crash record. Nothing writes it but stage2, so that it is found there after a reset.
#[must_use]
pub fn crash_record() -> &'static mut [u32; 113] {
    let place = &raw mut _crash;
    // SAFETY: the linker script sets 12 KiB aside here that nothing else uses.
    unsafe { &mut *place }
}

/// SDRAM behind the caches, minus the loader's own part for writing.
pub struct Ram;

/// A range of addresses that lies within `from..to`, or `None`.
fn range(start: u32, len: u32, from: u32, to: u32) -> Option<(u32, usize)> {
    let end = start.checked_add(len)?;
    (start >= from && end <= to).then_some((start, len as usize))
}

/// A part of SDRAM that images may be loaded into, page by page and header first.
pub struct LoadArea {
    start: u32,
    end: u32,
}

impl LoadArea {
    /// All but the loader's part, for kernels, and but the first `reserved` bytes, where
    /// the tag list goes.
    #[must_use]
    pub fn kernel(reserved: u32) -> Self {
        Self { start: sdram_start() + reserved, end: loader_start() }
    }

    /// stage2's part and the bytes before it, which its image header falls on.
    #[must_use]
    pub fn stage2() -> Self {
        Self { start: loader_start() - 64, end: stage2_end() }
    }
}

impl Area for LoadArea {
    fn window(&mut self, address: u32, len: usize) -> Option<&mut [u32]> {
        let room = self.end.checked_sub(address)?;
        if address < self.start || !address.is_multiple_of(4) || len > room as usize / 4 {
            return None;
        }
        // SAFETY: aligned words in RAM that nothing else uses while images are loaded, borrowed
        // through `self`.
        Some(unsafe { core::slice::from_raw_parts_mut(address as *mut u32, len) })
    }
}

impl Loops for LoadArea {
    fn to_front(words: &mut [u32], from: usize, count: usize) {
        super::loops::to_front(words, from, count);
    }

    fn fold(words: &mut [u32], from: usize, to: &mut [u32]) {
        super::loops::fold(words, from, to);
    }
}

/// Room for the tag list, 0x100 bytes into RAM.
#[must_use]
pub fn tag_list() -> &'static mut [u32; 256] {
    let place = &raw mut _tags;
    // SAFETY: the linker script names a place near the start of RAM, where `LoadArea::kernel`
    // loads nothing; it is written once, right before the kernel is entered.
    unsafe { &mut *place }
}

impl Memory for Ram {
    fn peek(&self, address: u32, width: u8) -> Option<u32> {
        if !address.is_multiple_of(u32::from(width)) {
            return None;
        }
        let at = address as usize;
        // SAFETY: aligned; the user asked to look there. What is not mapped ends in a
        // data abort, which the fault handler reports.
        unsafe {
            match width {
                1 => Some((at as *const u8).read_volatile().into()),
                2 => Some((at as *const u16).read_volatile().into()),
                4 => Some((at as *const u32).read_volatile()),
                _ => None,
            }
        }
    }

    fn poke(&mut self, address: u32, width: u8, value: u32) -> bool {
        if !address.is_multiple_of(u32::from(width)) || address >= loader_start() && address < sdram_end() {
            return false;
        }
        let at = address as usize;
        // SAFETY: aligned and outside of the loader; the user asked to write there.
        unsafe {
            match width {
                1 => (at as *mut u8).write_volatile(value as u8),
                2 => (at as *mut u16).write_volatile(value as u16),
                4 => (at as *mut u32).write_volatile(value),
                _ => return false,
            }
        }
        true
    }

    fn ram(&self, address: u32, len: u32) -> Option<&[u8]> {
        let (start, len) = range(address, len, sdram_start(), sdram_end())?;
        // SAFETY: the range lies in RAM; mutable views of it need `&mut self`.
        Some(unsafe { core::slice::from_raw_parts(start as *const u8, len) })
    }

    fn ram_mut(&mut self, address: u32, len: u32) -> Option<&mut [u8]> {
        let (start, len) = range(address, len, sdram_start(), loader_start())?;
        // SAFETY: the range lies in RAM outside of the loader, borrowed through `self`.
        Some(unsafe { core::slice::from_raw_parts_mut(start as *mut u8, len) })
    }
}
