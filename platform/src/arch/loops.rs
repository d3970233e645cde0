//! The inner loops that have to keep up with the NAND chip, in A32 assembly. The cores
//! up to ARM926 do one thing at a time: what counts is the number of instructions and of
//! bus accesses.

use tock_registers::registers::ReadOnly;

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

/// Copies words eight at a time; as many as both slices have, less what is left of eight.
#[inline(never)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
pub fn copy(from: &[u32], to: &mut [u32]) {
    let mut count = from.len();
    if count > to.len() {
        count = to.len();
    }
    // SAFETY: as many words are loaded and stored as both slices have.
    unsafe {
        core::arch::asm!(
            "1:",
            "subs {count}, {count}, #8",
            "ldmiahs {from}!, {{r3-r5, r8-r10, r12, lr}}",
            "stmiahs {to}!, {{r3-r5, r8-r10, r12, lr}}",
            "bhs 1b",
            from = inout(reg) from.as_ptr() => _,
            to = inout(reg) to.as_mut_ptr() => _,
            count = inout(reg) count => _,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
            out("r10") _, out("r12") _, out("lr") _,
            options(nostack)
        );
    }
}

/// [`crate::hal::Loops::add_up`], two words a turn, twelve cycles a word. A last single word is
/// left alone.
#[inline(never)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
pub fn add_up(words: &mut [u32]) {
    const { assert!(matches!(crate::hal::TAPS, [145, 183, 211, 300])) };
    // SAFETY: what is loaded and stored lies between the first word and the last: the loop
    // starts at the 300th, of which the words at most 300 before it are taken, and runs
    // while there are two.
    unsafe {
        core::arch::asm!(
            "add {last}, {at}, {last}, lsl #2",
            "sub {last}, {last}, #4",
            "add {at}, {at}, #1200",
            "1:",
            "cmp {at}, {last}",
            "bhs 2f",
            "ldr r3, [{at}]",
            "ldr r4, [{at}, #-580]",
            "ldr r5, [{at}, #-732]",
            "ldr r8, [{at}, #-844]",
            "ldr r9, [{at}, #-1200]",
            "eor r3, r3, r4",
            "ldr r4, [{at}, #4]",
            "eor r5, r5, r8",
            "ldr r8, [{at}, #-576]",
            "eor r3, r3, r5",
            "ldr r5, [{at}, #-728]",
            "eor r3, r3, r9",
            "ldr r9, [{at}, #-840]",
            "ldr r10, [{at}, #-1196]",
            "eor r4, r4, r8",
            "eor r5, r5, r9",
            "eor r4, r4, r5",
            "eor r4, r4, r10",
            "stmia {at}!, {{r3, r4}}",
            "b 1b",
            "2:",
            at = inout(reg) words.as_mut_ptr() => _,
            last = inout(reg) words.len() => _,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _,
            options(nostack)
        );
    }
}
