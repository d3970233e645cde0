//! MMU and caches as Linux has them on an ARM920T: its memory write-back cached, registers not
//! cached and not buffered. ARM Architecture Reference Manual, part B; ARM920T TRM, chapter 2.

use core::{arch::asm, ptr};

/// First-level table, where Linux has it.
const TABLE: usize = 0x3000_4000;
const ENTRIES: u32 = 4096;
/// Megabytes of RAM, as far as this payload goes.
const RAM: core::ops::Range<u32> = 0x300..0x340;
/// Megabytes with registers.
const DEVICES: core::ops::Range<u32> = 0x480..0x600;

/// A section of domain 0 that may be read and written.
const SECTION: u32 = 0b11 << 10 | 1 << 4 | 0b10;
const CACHED: u32 = 1 << 3;
const BUFFERED: u32 = 1 << 2;
/// Domain 0: access as the sections say.
const CLIENT: u32 = 0b01;
/// CP15 register 1: MMU, D-cache, I-cache.
const MMU_AND_CACHES: u32 = 1 << 0 | 1 << 2 | 1 << 12;

/// Maps memory where it is and switches everything on.
pub fn enable_caches() {
    for megabyte in 0..ENTRIES {
        let entry = ptr::with_exposed_provenance_mut::<u32>(TABLE + 4 * megabyte as usize);
        // SAFETY: the 16 KiB in front of the kernel are its own for just this.
        unsafe { entry.write_volatile(descriptor(megabyte)) };
    }
    // SAFETY: the map leaves code, stack and registers where they are; both caches are
    // invalidated first, and the loader has left nothing in them that is not in memory.
    unsafe {
        asm!(
            "mcr p15, 0, {zero}, c7, c7, 0",  // invalidate both caches
            "mcr p15, 0, {zero}, c7, c10, 4", // drain the write buffer
            "mcr p15, 0, {zero}, c8, c7, 0",  // invalidate both TLBs
            "mcr p15, 0, {table}, c2, c0, 0",
            "mcr p15, 0, {client}, c3, c0, 0",
            "mrc p15, 0, {control}, c1, c0, 0",
            "orr {control}, {control}, {on}",
            "mcr p15, 0, {control}, c1, c0, 0",
            "nop",
            "nop",
            zero = in(reg) 0,
            table = in(reg) TABLE,
            client = in(reg) CLIENT,
            on = in(reg) MMU_AND_CACHES,
            control = out(reg) _,
            options(nostack)
        );
    }
}

fn descriptor(megabyte: u32) -> u32 {
    if RAM.contains(&megabyte) {
        megabyte << 20 | SECTION | CACHED | BUFFERED
    } else if DEVICES.contains(&megabyte) {
        megabyte << 20 | SECTION
    } else {
        0
    }
}
