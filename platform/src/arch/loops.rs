//! The inner loops that have to keep up with the NAND chip, in A32 assembly. The cores
//! up to ARM926 do one thing at a time: what counts is the number of instructions and of
//! bus accesses.

use crate::hal::{PAGE_WORDS, STEPS};

/// Transfers a page in eight steps of 64 words: `START` is written to the control register,
/// the words are loaded from the data register, `STOP` is written, and the low 24 bits of
/// the code register are the step's code. The offsets are those in the register block `R`.
///
/// What the core does between two loads of the data register is time that the chip waits,
/// so it is as little as can be: eight loads, one store.
pub fn transfer_page<
    R,
    const CONTROL: usize,
    const DATA: usize,
    const CODE: usize,
    const START: u32,
    const STOP: u32,
>(
    block: &R,
    data: &mut [u32; PAGE_WORDS],
    codes: &mut [u32; STEPS],
) {
    const {
        assert!(CONTROL + 4 <= size_of::<R>() && DATA + 4 <= size_of::<R>() && CODE + 4 <= size_of::<R>());
    }
    transfer::<CONTROL, DATA, CODE, START, STOP>(core::ptr::from_ref(block).cast(), data, codes);
}

#[unsafe(naked)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
extern "C" fn transfer<
    const CONTROL: usize,
    const DATA: usize,
    const CODE: usize,
    const START: u32,
    const STOP: u32,
>(
    block: *const u32,
    data: &mut [u32; PAGE_WORDS],
    codes: &mut [u32; STEPS],
) {
    // SAFETY (of the naked function, which only `transfer_page` calls): it keeps the procedure
    // call standard, stores 512 words to `data` and eight to `codes`, and accesses registers
    // only inside of the block.
    core::arch::naked_asm!(
        "push {{r4-r11, lr}}",
        "add lr, r2, #32",
        "1:",
        "mov r3, #{start}",
        "str r3, [r0, #{control}]",
        "add r12, r1, #256",
        "2:",
        "ldr r4, [r0, #{data}]",
        "ldr r5, [r0, #{data}]",
        "ldr r6, [r0, #{data}]",
        "ldr r7, [r0, #{data}]",
        "ldr r8, [r0, #{data}]",
        "ldr r9, [r0, #{data}]",
        "ldr r10, [r0, #{data}]",
        "ldr r11, [r0, #{data}]",
        "stmia r1!, {{r4-r11}}",
        "cmp r1, r12",
        "bne 2b",
        "mov r3, #{stop}",
        "str r3, [r0, #{control}]",
        "ldr r3, [r0, #{code}]",
        "bic r3, r3, #0xff000000",
        "str r3, [r2], #4",
        "cmp r2, lr",
        "bne 1b",
        "pop {{r4-r11, lr}}",
        "bx lr",
        start = const START,
        stop = const STOP,
        control = const CONTROL,
        data = const DATA,
        code = const CODE,
    )
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
