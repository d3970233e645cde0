//! The CPU: entry, caches, MMU, and the few functions that make addresses of RAM into
//! slices.

pub mod cp15;
pub mod fault;
pub mod jump;
pub mod loops;
pub mod ram;
pub mod stage1;

/// Spins for at least `cycles` core cycles.
#[inline(never)]
pub fn delay(cycles: u32) {
    // `subs` takes one cycle and a taken branch three, in A32 and in Thumb (ARM9TDMI
    // TRM, instruction cycle counts).
    // The last turn takes two.
    let turns = cycles / 4 + 2;
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
