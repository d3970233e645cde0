//! The CPU: entry, caches, MMU, and the few functions that make addresses of RAM into
//! slices.

pub mod cp15;
pub mod fault;
pub mod jump;
pub mod ram;
pub mod stage1;

use tock_registers::registers::ReadOnly;

/// Spins for at least `cycles` core cycles.
#[inline(never)]
pub fn delay(cycles: u32) {
    // `subs` takes one cycle and a taken branch three, in A32 and in Thumb (ARM9TDMI
    // TRM, instruction cycle counts).
    let turns = cycles / 4 + 1;
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

/// Loads words from one address again and again, eight per turn, and stores them with
/// multiple-register stores: the fastest way from a data register without DMA to
/// memory. Words beyond the last multiple of eight are left alone.
#[inline(never)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
pub fn drain_register(register: &ReadOnly<u32>, words: &mut [u32]) {
    // SAFETY: as many words are stored as `words` has, in eights; the register is read,
    // never written.
    unsafe {
        core::arch::asm!(
            "1:",
            "subs {count}, {count}, #8",
            "ldrhs r3, [{register}]",
            "ldrhs r4, [{register}]",
            "ldrhs r5, [{register}]",
            "ldrhs r8, [{register}]",
            "ldrhs r9, [{register}]",
            "ldrhs r10, [{register}]",
            "ldrhs r12, [{register}]",
            "ldrhs lr, [{register}]",
            "stmiahs {to}!, {{r3-r5, r8-r10, r12, lr}}",
            "bhs 1b",
            register = in(reg) core::ptr::from_ref(register),
            to = inout(reg) words.as_mut_ptr() => _,
            count = inout(reg) words.len() => _,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
            out("r10") _, out("r12") _, out("lr") _,
            options(nostack)
        );
    }
}
