//! What the console shows of an exception or a panic.

use super::Console;
use crate::crash::{Cause, Crash, THUMB};
use platform::hal::{Fault, FaultKind};

/// Names the cause and shows every register, the command and the calls that led there.
pub fn show(console: &mut Console<'_>, crash: &Crash) {
    writeln!(console);
    match &crash.cause {
        Cause::Exception(fault, instruction) => {
            cause(console, fault, *instruction);
            registers(console, fault);
        }
        Cause::Panic(message) => writeln!(console, "{message}"),
    }
    if !crash.command.is_empty() {
        writeln!(console, "command: {}", crash.command);
    }
    for calls in crash.trace.chunks(8) {
        write!(console, "bt:");
        calls.iter().for_each(|call| write!(console, " {call:08x}"));
        writeln!(console);
    }
}

fn cause(console: &mut Console<'_>, fault: &Fault, instruction: Option<u32>) {
    let pc = fault.r[15];
    match fault.kind {
        FaultKind::Undefined => {
            let instruction = instruction.unwrap_or_default();
            writeln!(console, "undefined instruction {instruction:08x} at {pc:08x}");
        }
        FaultKind::SoftwareInterrupt => {
            writeln!(console, "software interrupt at {pc:08x}: the loader offers no system calls");
        }
        FaultKind::PrefetchAbort => writeln!(console, "prefetch abort: no code can be fetched from {pc:08x}"),
        FaultKind::DataAbort => {
            let access = direction(fault, instruction);
            let reason = reason(fault.dfsr);
            writeln!(console, "data abort at {pc:08x} {access} address {:08x}: {reason}", fault.far);
        }
        FaultKind::Irq => writeln!(console, "interrupt (IRQ) at {pc:08x}, which the loader had masked"),
        FaultKind::Fiq => writeln!(console, "fast interrupt (FIQ) at {pc:08x}, which the loader had masked"),
    }
}

/// ARMv4 does not record whether an abort was a load or a store; the instruction says (ARM Architecture
/// Reference Manual, A3 and A6).
fn direction(fault: &Fault, instruction: Option<u32>) -> &'static str {
    let Some(word) = instruction else { return "accessing" };
    let loads = if fault.psr & THUMB != 0 {
        match word >> 12 & 0xf {
            // LDR of a literal.
            0b0100 => true,
            // With an offset in a register: of eight opcodes the first three store.
            0b0101 => word >> 9 & 7 >= 3,
            _ => word & 1 << 11 != 0,
        }
    } else if word & 0x0fb0_0ff0 == 0x0100_0090 {
        // SWP (bits 24, 7 and 4, with 27:25, 23, 6 and 5 clear) does both.
        return "swapping";
    } else {
        word & 1 << 20 != 0
    };
    if loads { "reading" } else { "writing" }
}

/// Fault status (ARM920T Technical Reference Manual, table 3-9).
fn reason(dfsr: u32) -> &'static str {
    match dfsr & 0xf {
        0x1 | 0x3 => "unaligned address",
        0x5 | 0x7 => "nothing is mapped there",
        0x9 | 0xb => "access domain is off",
        0xd | 0xf => "no permission",
        0x4 | 0x6 | 0x8 | 0xa => "the bus answered with an error",
        0xc | 0xe => "the bus answered with an error to the page table walk",
        _ => "unknown fault status",
    }
}

fn registers(console: &mut Console<'_>, fault: &Fault) {
    const NAMES: [&str; 16] =
        ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc"];
    for (i, (name, value)) in NAMES.iter().zip(fault.r).enumerate() {
        let end = if i % 4 == 3 { "\n" } else { "  " };
        write!(console, "{name:<3}: {value:08x}{end}");
    }
    let flag = |bit: u32, letters: [char; 2]| letters[(fault.psr >> bit & 1) as usize];
    let [n, z, c, v] = [(31, ['n', 'N']), (30, ['z', 'Z']), (29, ['c', 'C']), (28, ['v', 'V'])]
        .map(|(bit, letters)| flag(bit, letters));
    let on = |bit: u32| if fault.psr >> bit & 1 == 0 { "on" } else { "off" };
    let mode = match fault.psr & 0x1f {
        0x10 => "USER",
        0x11 => "FIQ",
        0x12 => "IRQ",
        0x13 => "SVC",
        0x17 => "ABT",
        0x1b => "UND",
        0x1f => "SYS",
        _ => "UNKNOWN",
    };
    let thumb = if fault.psr & THUMB == 0 { "" } else { " (Thumb)" };
    let (irq, fiq) = (on(7), on(6));
    writeln!(
        console,
        "cpsr: {:08x}  Flags: {n}{z}{c}{v}  IRQs {irq}  FIQs {fiq}  Mode {mode}{thumb}",
        fault.psr
    );
    writeln!(console, "dfsr: {:08x}  far: {:08x}", fault.dfsr, fault.far);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::Running;
    use crate::mock::{Board, RAM};
    use std::string::String;

    const FAULT: Fault = Fault {
        kind: FaultKind::DataAbort,
        r: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x33e1_0000, 0x33e0_0100, RAM],
        psr: 0x6000_00df,
        dfsr: 5,
        far: 0xdead_beec,
    };

    fn shown(fault: &Fault, instruction: u32) -> String {
        let cause = Cause::Exception(*fault, Some(instruction));
        shown_crash(&Crash { cause, trace: Default::default(), command: Running::new() })
    }

    fn shown_crash(crash: &Crash) -> String {
        let mut board = Board::new();
        show(&mut Console::new(&mut board.serial, &mut board.keys), crash);
        board.output()
    }

    #[test]
    fn shows_where_and_at_what() {
        let crash = Crash {
            cause: Cause::Panic("panicked at x.rs:1:2".try_into().unwrap()),
            trace: (0x1000..0x1009).collect(),
            command: Running::from("md 1").unwrap(),
        };
        let expected = "
panicked at x.rs:1:2
command: md 1
bt: 00001000 00001001 00001002 00001003 00001004 00001005 00001006 00001007
bt: 00001008
";
        assert_eq!(shown_crash(&crash), expected);
    }

    #[test]
    fn shows_everything() {
        let expected = "
data abort at 30000000 reading address deadbeec: nothing is mapped there
r0 : 00000000  r1 : 00000001  r2 : 00000002  r3 : 00000003
r4 : 00000004  r5 : 00000005  r6 : 00000006  r7 : 00000007
r8 : 00000008  r9 : 00000009  r10: 0000000a  fp : 0000000b
ip : 0000000c  sp : 33e10000  lr : 33e00100  pc : 30000000
cpsr: 600000df  Flags: nZCv  IRQs off  FIQs off  Mode SYS
dfsr: 00000005  far: deadbeec
";
        assert_eq!(shown(&FAULT, 0xe591_0000), expected); // ldr r0, [r1]
    }

    #[test]
    fn names_the_cause() {
        let check = |fault: Fault, instruction, expected: &str| {
            let shown = shown(&fault, instruction);
            assert_eq!(shown.lines().nth(1), Some(expected));
        };
        let of = |kind| Fault { kind, ..FAULT };
        check(of(FaultKind::Undefined), 0xe7f0_00f0, "undefined instruction e7f000f0 at 30000000");
        let thumb = Fault { psr: FAULT.psr | THUMB, ..of(FaultKind::Undefined) };
        check(thumb, 0xde00, "undefined instruction 0000de00 at 30000000");
        let nowhere = Fault { r: [0x10; 16], ..of(FaultKind::PrefetchAbort) };
        check(nowhere, 0, "prefetch abort: no code can be fetched from 00000010");
        let swi = "software interrupt at 30000000: the loader offers no system calls";
        check(of(FaultKind::SoftwareInterrupt), 0, swi);
        let store = "data abort at 30000000 writing address deadbeec: nothing is mapped there";
        check(FAULT, 0xe581_0000, store); // str r0, [r1]
        check(FAULT, 0xe1c1_00b0, store); // strh r0, [r1]
        let swap = "data abort at 30000000 swapping address deadbeec: unaligned address";
        check(Fault { dfsr: 1, ..FAULT }, 0xe101_0092, swap); // swp r0, r2, [r1]
        for (instruction, access) in [
            (0x4801, "reading"), // ldr r0, [pc, #4]
            (0x5088, "writing"), // str r0, [r1, r2]
            (0x5688, "reading"), // ldrsb r0, [r1, r2]
            (0x6008, "writing"), // str r0, [r1]
            (0x6808, "reading"), // ldr r0, [r1]
            (0xb401, "writing"), // push {r0}
            (0xbc01, "reading"), // pop {r0}
        ] {
            let expected = std::format!("data abort at 30000000 {access} address deadbeec: no permission");
            let thumb = Fault { psr: FAULT.psr | THUMB, dfsr: 0xfd, ..FAULT };
            check(thumb, instruction, &expected);
        }
    }
}
