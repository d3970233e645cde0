//! The CPU: entry, caches, MMU, and the few functions that make addresses of RAM into
//! slices.

pub mod cp15;
pub mod fault;
pub mod jump;
pub mod loops;
#[cfg_attr(not(target_feature = "v5te"), path = "arm920t.rs")]
#[cfg_attr(target_feature = "v5te", path = "arm926ejs.rs")]
mod own;
pub mod ram;
pub mod stage1;

/// Spins for at least `cycles` core cycles.
#[inline(never)]
pub fn delay(cycles: u32) {
    spin(turns(cycles));
}

/// Turns of [`spin`] that take at least so many core cycles: `subs` takes one and a taken branch
/// three, in A32 and in Thumb, and the last turn two (ARM9TDMI TRM, instruction cycle counts).
#[must_use]
pub const fn turns(cycles: u32) -> u32 {
    (cycles + 2).div_ceil(4)
}

/// Spins, at least one turn.
#[inline(always)]
pub fn spin(turns: u32) {
    // SAFETY: the loop touches nothing but its own register.
    unsafe {
        core::arch::asm!(
            "1: subs {turns}, {turns}, #1",
            "bne 1b",
            turns = inout(reg) turns => _,
            options(nomem, nostack)
        );
    }
}
