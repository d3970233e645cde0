//! CP15 of the ARM9 cores: caches and the MMU with a flat map.
//!
//! What all of them have in common: ARM Architecture Reference Manual (DDI 0100), part B; the rest
//! is in the core's own file. All of it is A32: Thumb-1 has no coprocessor instructions.

use super::own::{CLOCKING, clean_dcache};
use core::arch::asm;

/// c1: MMU on.
const MMU: u32 = 1 << 0;
/// c1: alignment faults.
const ALIGN: u32 = 1 << 1;
/// c1: D-cache on.
const DCACHE: u32 = 1 << 2;
/// c1: I-cache on.
const ICACHE: u32 = 1 << 12;

#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
#[inline(never)]
fn control_set(bits: u32) {
    // SAFETY: callers switch on what they have prepared: the I-cache needs nothing,
    // MMU and D-cache a page table.
    unsafe {
        asm!(
            "mrc p15, 0, {t}, c1, c0, 0",
            "orr {t}, {t}, {bits}",
            "mcr p15, 0, {t}, c1, c0, 0",
            "nop",
            "nop",
            t = out(reg) _,
            bits = in(reg) bits,
            options(nostack)
        );
    }
}

/// Puts the core on its own clock and switches the I-cache on.
pub fn early() {
    control_set(CLOCKING | ICACHE);
}

/// A 1 MiB section: access permitted, domain 0, neither cached nor buffered.
const DEVICE: u32 = 0xc12;
/// MiB in the address space.
pub const ALL: u32 = 4096;
/// What makes a section write-back cached.
const CACHED: u32 = 0x00c;

/// Maps every address to itself, the SRAM at 0 and SDRAM cached; then switches MMU,
/// D-cache and alignment faults on.
///
/// `sdram` is the range of SDRAM in MiB; nothing is mapped from `end` MiB on.
#[inline(always)]
pub fn map_flat(table: &'static mut [u32; 4096], sdram: core::ops::Range<u32>, end: u32) {
    let mut section = DEVICE;
    for entry in table.iter_mut() {
        let mib = section >> 20;
        let cached = mib == 0 || mib.wrapping_sub(sdram.start) < sdram.end - sdram.start;
        *entry = if mib >= end { 0 } else { section | if cached { CACHED } else { 0 } };
        section = section.wrapping_add(1 << 20);
    }
    enable(table);
}

#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
#[inline(never)]
fn enable(table: &'static [u32; 4096]) {
    // SAFETY: the table is complete and lives on; it maps code, stack and data to
    // where they are, so that the switch changes nothing but speed. What was in the
    // caches before is dropped first.
    unsafe {
        asm!(
            "mcr p15, 0, {zero}, c7, c7, 0", // invalidate I- and D-cache
            "mcr p15, 0, {zero}, c7, c10, 4", // drain the write buffer
            "mcr p15, 0, {zero}, c8, c7, 0", // invalidate the TLBs
            "mcr p15, 0, {table}, c2, c0, 0",
            "mcr p15, 0, {domains}, c3, c0, 0",
            zero = in(reg) 0,
            table = in(reg) table.as_ptr(),
            domains = in(reg) 1, // domain 0: client, permissions are checked
            options(nostack)
        );
    }
    control_set(MMU | DCACHE | ALIGN);
}

/// Is the MMU on?
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
#[inline(never)]
#[must_use]
pub fn mmu_is_on() -> bool {
    let control: u32;
    // SAFETY: reads a register.
    unsafe { asm!("mrc p15, 0, {}, c1, c0, 0", out(reg) control, options(nomem, nostack)) };
    control & MMU != 0
}

/// Cleans the D-cache to memory and drops the I-cache, so that code just stored can run.
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
#[inline(never)]
pub fn sync_code() {
    // SAFETY: writing lines back changes no data, and then the I-cache only holds copies.
    unsafe {
        asm!(
            clean_dcache!("r0"),
            "mcr p15, 0, r0, c7, c5, 0", // invalidate the I-cache
            inout("r0") 0 => _,
            options(nostack)
        );
    }
}
