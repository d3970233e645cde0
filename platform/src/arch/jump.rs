//! Leaving the loader.

use super::own::clean_dcache;
use core::arch::asm;

/// Enters a kernel by the Linux boot contract: SVC mode, interrupts masked, caches
/// cleaned and off, MMU off, r0 = 0, r1 = `machine`, r2 = `tags`.
pub fn enter_kernel(entry: u32, machine: u32, tags: u32) -> ! {
    enter(entry, machine, tags)
}

#[unsafe(naked)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
extern "C" fn enter(entry: u32, machine: u32, tags: u32) -> ! {
    // SAFETY (of the naked function, which only `enter_kernel` calls): `entry` was verified by
    // the caller to lie in a loaded image. Nothing is stored from here on. Code and this
    // function's view of it do not move, because the map is flat. Clocking bits of c1 (31:30)
    // are kept: the clocks stay as they are.
    core::arch::naked_asm!(
        "msr cpsr_c, #0xd3",
        "mov r12, r0",
        "mov r0, #0",
        clean_dcache!("r0"),
        "mov r0, #0",
        "mcr p15, 0, r0, c7, c7, 0", // invalidate both caches
        "mrc p15, 0, r3, c1, c0, 0",
        "bic r3, r3, #0x1000", // I-cache
        "bic r3, r3, #0x7",    // D-cache, alignment faults, MMU
        "mcr p15, 0, r3, c1, c0, 0",
        "nop",
        "nop",
        "mcr p15, 0, r0, c8, c7, 0", // invalidate the TLBs
        "bx r12",
    )
}

/// Calls code at `entry` with two arguments and returns what it returns.
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
#[inline(never)]
#[must_use]
pub fn call(entry: u32, r0: u32, r1: u32) -> u32 {
    super::cp15::sync_code();
    let result;
    // SAFETY: none can be argued: the user asked to run what is there (`go`). The
    // procedure call standard's scratch registers are given up.
    unsafe {
        asm!(
            "mov lr, pc",
            "bx r12",
            inout("r0") r0 => result,
            inout("r1") r1 => _,
            inout("r12") entry => _,
            clobber_abi("C"),
        );
    }
    result
}
