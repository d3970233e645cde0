//! The inner loops, with the instructions per byte of their models in Linux 2.6, `arch/arm/lib`.

use core::arch::asm;

/// Bytes of a turn when reading.
const READ_TURN: usize = 16;
/// Bytes of a turn when copying.
const COPY_TURN: usize = 32;

/// Reads the register byte by byte and puts them together as words: `readsb`, for an aligned
/// buffer of a multiple of 16 bytes.
pub fn read_bytes(register: usize, into: &mut [u8]) {
    check(into, READ_TURN);
    // SAFETY: writes `into` and nothing else; the register is the controller's data register.
    unsafe {
        asm!(
            "2:",
            "ldrb r2, [{register}]",
            "ldrb r8, [{register}]",
            "ldrb r12, [{register}]",
            "ldrb r3, [{register}]",
            "orr  r2, r2, r8, lsl #8",
            "ldrb r8, [{register}]",
            "orr  r2, r2, r12, lsl #16",
            "ldrb r12, [{register}]",
            "orr  r2, r2, r3, lsl #24",
            "mov  r3, r8",
            "ldrb r8, [{register}]",
            "orr  r3, r3, r12, lsl #8",
            "ldrb r12, [{register}]",
            "ldrb r4, [{register}]",
            "orr  r3, r3, r8, lsl #16",
            "ldrb r8, [{register}]",
            "orr  r3, r3, r12, lsl #24",
            "ldrb r12, [{register}]",
            "ldrb r5, [{register}]",
            "orr  r4, r4, r8, lsl #8",
            "ldrb r8, [{register}]",
            "orr  r4, r4, r12, lsl #16",
            "ldrb r12, [{register}]",
            "orr  r4, r4, r5, lsl #24",
            "mov  r5, r8",
            "ldrb r8, [{register}]",
            "orr  r5, r5, r12, lsl #8",
            "ldrb r12, [{register}]",
            "subs {left}, {left}, #16",
            "orr  r5, r5, r8, lsl #16",
            "orr  r5, r5, r12, lsl #24",
            "stmia {into}!, {{r2-r5}}",
            "bne  2b",
            register = in(reg) register,
            into = inout(reg) into.as_mut_ptr() => _,
            left = inout(reg) into.len() => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r12") _,
            options(nostack)
        );
    }
}

/// Reads the register word by word, four to a turn: `readsl`.
pub fn read_words(register: usize, into: &mut [u8]) {
    check(into, READ_TURN);
    // SAFETY: as above.
    unsafe {
        asm!(
            "2:",
            "ldr  r2, [{register}]",
            "ldr  r3, [{register}]",
            "ldr  r4, [{register}]",
            "ldr  r5, [{register}]",
            "subs {left}, {left}, #16",
            "stmia {into}!, {{r2-r5}}",
            "bne  2b",
            register = in(reg) register,
            into = inout(reg) into.as_mut_ptr() => _,
            left = inout(reg) into.len() => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _,
            options(nostack)
        );
    }
}

/// Copies, eight words to a turn: `memcpy`.
pub fn copy(into: &mut [u8], from: &[u8]) {
    check(into, COPY_TURN);
    check(from, COPY_TURN);
    assert_eq!(into.len(), from.len());
    // SAFETY: reads `from` and writes `into`, which are equally long.
    unsafe {
        asm!(
            "2:",
            "ldmia {from}!, {{r2-r5, r8-r10, r12}}",
            "subs {left}, {left}, #32",
            "stmia {into}!, {{r2-r5, r8-r10, r12}}",
            "bne  2b",
            from = inout(reg) from.as_ptr() => _,
            into = inout(reg) into.as_mut_ptr() => _,
            left = inout(reg) into.len() => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _,
            out("r8") _, out("r9") _, out("r10") _, out("r12") _,
            options(nostack)
        );
    }
}

/// The loops have neither a first nor a last turn of their own.
fn check(memory: &[u8], turn: usize) {
    assert!(
        !memory.is_empty() && memory.len().is_multiple_of(turn) && memory.as_ptr().addr().is_multiple_of(4)
    );
}
