//! The inner loops that have to keep up with the NAND chip, in A32 assembly. The cores
//! up to ARM926 do one thing at a time: what counts is the number of instructions and of
//! bus accesses.

use tock_registers::registers::ReadOnly;

/// Words in an ECC step.
pub(crate) const STEP_WORDS: usize = 64;

/// Transfers ECC steps of 64 words, as many as there is room for in both slices: `START` is
/// written to the control register, the words are loaded from the data register, and what the
/// code register says then is the step's code. The offsets are those in the register block `R`.
///
/// What the core does between two loads of the data register is time that the chip waits,
/// so it is as little as can be: sixteen loads, two stores, and something else between the
/// last load and its store, which would have to wait for it.
#[inline(always)]
pub fn transfer_steps<R, const CONTROL: usize, const DATA: usize, const CODE: usize, const START: u32>(
    block: &R,
    data: &mut [u32],
    codes: &mut [u32],
) {
    const {
        assert!(CONTROL + 4 <= size_of::<R>() && DATA + 4 <= size_of::<R>() && CODE + 4 <= size_of::<R>());
    }
    let steps = codes.len().min(data.len() / STEP_WORDS);
    let codes = codes[..steps].as_mut_ptr_range();
    if steps > 0 {
        transfer::<CONTROL, DATA, CODE, START>(
            core::ptr::from_ref(block).cast(),
            data.as_mut_ptr(),
            codes.start,
            codes.end.wrapping_sub(1),
        );
    }
}

#[unsafe(naked)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
extern "C" fn transfer<const CONTROL: usize, const DATA: usize, const CODE: usize, const START: u32>(
    block: *const u32,
    data: *mut u32,
    codes: *mut u32,
    last_code: *mut u32,
) {
    // SAFETY (of the naked function, which only `transfer_steps` calls): it keeps the procedure
    // call standard, stores 64 words to `data` for each word of `codes` up to `last_code` and accesses registers only inside of the block.
    core::arch::naked_asm!(
        "push {{r4-r11, lr}}",
        "mov lr, r3",
        "1:",
        "mov r3, #{start}",
        "add r12, r1, #224", // where the last store of the step goes
        "str r3, [r0, #{control}]",
        "2:",
        "ldr r4, [r0, #{data}]",
        "ldr r5, [r0, #{data}]",
        "ldr r6, [r0, #{data}]",
        "ldr r7, [r0, #{data}]",
        "ldr r8, [r0, #{data}]",
        "ldr r9, [r0, #{data}]",
        "ldr r10, [r0, #{data}]",
        "ldr r11, [r0, #{data}]",
        "ldr r3, [r0, #{data}]",
        "stmia r1!, {{r4-r11}}",
        "ldr r4, [r0, #{data}]",
        "ldr r5, [r0, #{data}]",
        "ldr r6, [r0, #{data}]",
        "ldr r7, [r0, #{data}]",
        "ldr r8, [r0, #{data}]",
        "ldr r9, [r0, #{data}]",
        "ldr r10, [r0, #{data}]",
        "cmp r12, r1",
        "stmia r1!, {{r3-r10}}",
        "bne 2b",
        "ldr r4, [r0, #{code}]",
        "cmp r2, lr", // the last code's place
        "str r4, [r2], #4",
        "bne 1b",
        "pop {{r4-r11, lr}}",
        "bx lr",
        start = const START,
        control = const CONTROL,
        data = const DATA,
        code = const CODE,
    )
}

/// Fills words, a multiple of four of them, from a data register of one byte, the byte that comes
/// first lowest. The offset is that in the register block `R`.
///
/// A load costs the core nothing beyond the bus cycle, but what is loaded cannot be stored for two
/// cycles: eight loads, eight stores, twice a turn.
#[inline(always)]
pub fn transfer_bytes<R, const DATA: usize>(block: &R, data: &mut [u32]) {
    const { assert!(DATA < size_of::<R>()) };
    if let Some(last) = data.len().checked_sub(4) {
        let first = data.as_mut_ptr();
        bytes::<DATA>(core::ptr::from_ref(block).cast(), first.cast(), first.wrapping_add(last).cast());
    }
}

#[unsafe(naked)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
extern "C" fn bytes<const DATA: usize>(block: *const u8, data: *mut u8, last: *mut u8) {
    // SAFETY (of the naked function, which only `transfer_bytes` calls): it keeps the procedure
    // call standard, stores 16 bytes at a time from `data` on, the last time at `last` or
    // before it, and accesses one register inside of the block.
    core::arch::naked_asm!(
        "push {{r4-r10, lr}}",
        "1:",
        "ldrb r3, [r0, #{data}]",
        "ldrb r4, [r0, #{data}]",
        "ldrb r5, [r0, #{data}]",
        "ldrb r6, [r0, #{data}]",
        "ldrb r7, [r0, #{data}]",
        "ldrb r8, [r0, #{data}]",
        "ldrb r9, [r0, #{data}]",
        "ldrb r10, [r0, #{data}]",
        "strb r3, [r1], #1",
        "strb r4, [r1], #1",
        "strb r5, [r1], #1",
        "strb r6, [r1], #1",
        "strb r7, [r1], #1",
        "strb r8, [r1], #1",
        "strb r9, [r1], #1",
        "strb r10, [r1], #1",
        "ldrb r3, [r0, #{data}]",
        "ldrb r4, [r0, #{data}]",
        "ldrb r5, [r0, #{data}]",
        "ldrb r6, [r0, #{data}]",
        "ldrb r7, [r0, #{data}]",
        "ldrb r8, [r0, #{data}]",
        "ldrb r9, [r0, #{data}]",
        "ldrb r10, [r0, #{data}]",
        "strb r3, [r1], #1",
        "strb r4, [r1], #1",
        "strb r5, [r1], #1",
        "strb r6, [r1], #1",
        "strb r7, [r1], #1",
        "strb r8, [r1], #1",
        "strb r9, [r1], #1",
        "strb r10, [r1], #1",
        "cmp r1, r2", // the last place for 16 bytes
        "bls 1b",
        "pop {{r4-r10, lr}}",
        "bx lr",
        data = const DATA,
    )
}

/// Words of a turn of [`transfer_window`].
const TURN_WORDS: usize = 32;

/// Fills words, a multiple of 32 of them, from a window of the bus behind which the next bytes of
/// the chip come whatever the address: as bursts of eight words, which the bus takes without
/// pause.
#[inline(always)]
pub fn transfer_window(window: &[ReadOnly<u32>], data: &mut [u32]) {
    let turns = data.len().min(window.len()) / TURN_WORDS;
    if turns > 0 {
        bursts(window.as_ptr().cast(), data.as_mut_ptr(), turns);
    }
}

#[unsafe(naked)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
extern "C" fn bursts(from: *const u32, to: *mut u32, turns: usize) {
    // SAFETY (of the naked function, which only `transfer_window` calls): it keeps the procedure
    // call standard, and loads and stores 32 words a turn.
    core::arch::naked_asm!(
        "push {{r4-r10, lr}}",
        "1:",
        "ldmia r0!, {{r3-r10}}",
        "stmia r1!, {{r3-r10}}",
        "ldmia r0!, {{r3-r10}}",
        "stmia r1!, {{r3-r10}}",
        "ldmia r0!, {{r3-r10}}",
        "stmia r1!, {{r3-r10}}",
        "ldmia r0!, {{r3-r10}}",
        "subs r2, r2, #1",
        "stmia r1!, {{r3-r10}}",
        "bne 1b",
        "pop {{r4-r10, lr}}",
        "bx lr",
    )
}

/// [`crate::hal::Loops::to_front`].
pub fn to_front(words: &mut [u32], from: usize, count: usize) {
    let count = count.min(words.len().saturating_sub(from));
    let to = words.as_mut_ptr();
    // SAFETY: with `count` words from `from` on, all that is loaded and stored lies in the slice.
    // Eight at a time and upwards, nothing is overwritten that is still to be loaded.
    unsafe { copy_words(to.wrapping_add(from).cast_const(), to, count) }
}

/// Copies words eight at a time, less what is left of eight.
///
/// # Safety
/// `count` words can be loaded and stored, and `to` is not between `from` and its end.
#[inline(never)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
unsafe fn copy_words(from: *const u32, to: *mut u32, count: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        core::arch::asm!(
            "1:",
            "subs {count}, {count}, #8",
            "ldmiahs {from}!, {{r3-r5, r8-r10, r12, lr}}",
            "stmiahs {to}!, {{r3-r5, r8-r10, r12, lr}}",
            "bhs 1b",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            count = inout(reg) count => _,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
            out("r10") _, out("r12") _, out("lr") _,
            options(nostack)
        );
    }
}

/// [`crate::hal::Loops::fold`]; nothing when there are not those words.
pub fn fold(words: &mut [u32], from: usize, to: &mut [u32]) {
    let count = words.len().saturating_sub(from);
    if from >= crate::hal::TAPS[3] && to.len() <= count {
        let range = to.as_mut_ptr_range();
        // SAFETY: there are 300 words before the first, and as many from it on as `to` has.
        unsafe { fold_words(words.as_mut_ptr().wrapping_add(from), range.start, range.end) }
    }
}

/// Two words a turn, 12.5 cycles a word. A last single word is left alone.
///
/// # Safety
/// Words can be stored from `to` up to `end`, as many loaded and stored from `at` on, and 300
/// before them loaded.
#[inline(never)]
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
unsafe fn fold_words(at: *mut u32, to: *mut u32, end: *mut u32) {
    const { assert!(matches!(crate::hal::TAPS, [145, 183, 211, 300])) };
    // SAFETY: as the caller promises; the loop runs while there are two words.
    unsafe {
        core::arch::asm!(
            "sub {last}, {last}, #4",
            "cmp {to}, {last}",
            "bhs 2f",
            "1:",
            "ldr r3, [{at}]",
            "ldr r5, [{at}, #-580]",
            "ldr r8, [{at}, #-732]",
            "ldr r9, [{at}, #-844]",
            "ldr r10, [{at}, #-1200]",
            "eor r5, r5, r8",
            "ldr r4, [{at}, #4]",
            "eor r5, r5, r9",
            "ldr r8, [{at}, #-576]",
            "eor r5, r5, r10",
            "stmia {to}!, {{r3, r4}}",
            "ldr r9, [{at}, #-728]",
            "eor r3, r3, r5",
            "ldr r10, [{at}, #-840]",
            "eor r4, r4, r8",
            "ldr r5, [{at}, #-1196]",
            "eor r4, r4, r9",
            "eor r4, r4, r10",
            "eor r4, r4, r5",
            "stmia {at}!, {{r3, r4}}",
            "cmp {to}, {last}",
            "blo 1b",
            "2:",
            at = inout(reg) at => _,
            last = inout(reg) end => _,
            to = inout(reg) to => _,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _,
            options(nostack)
        );
    }
}
