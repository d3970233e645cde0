//! The crash record: why the loader stopped, left where it is still found after a reset.
//!
//! [`WORDS`] little-endian words in the loader's part of memory, the last of them the CRC-32 of the others: what
//! memory holds after power-on is no record.

use crate::crc::crc32;
use arrayvec::{ArrayString, ArrayVec};
use core::fmt::{self, Write};
use core::ops::Range;
use platform::hal::{Fault, FaultKind, Memory};

/// Words of a record.
pub const WORDS: usize = 113;
/// First word of a record.
const MAGIC: u32 = u32::from_le_bytes(*b"SSCR");
/// Bytes kept of the command that ran.
pub const COMMAND: usize = 64;
/// Bytes kept of a panic's message.
const MESSAGE: usize = 160;
/// Addresses in a trace.
const CALLS: usize = 32;

/// As much of a command as is kept.
pub type Running = ArrayString<COMMAND>;
/// Addresses of calls, the innermost first.
pub type Trace = ArrayVec<u32, CALLS>;

/// Why the loader stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An exception, and the instruction it was taken at, if that could be read.
    Exception(Fault, Option<u32>),
    /// A panic: a mistake in the loader.
    Panic(ArrayString<MESSAGE>),
}

/// Why, where and at what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Why.
    pub cause: Cause,
    /// Where: what look like the calls that led there.
    pub trace: Trace,
    /// The command that ran; empty if none did.
    pub command: Running,
}

const KINDS: [FaultKind; 6] = [
    FaultKind::Undefined,
    FaultKind::SoftwareInterrupt,
    FaultKind::PrefetchAbort,
    FaultKind::DataAbort,
    FaultKind::Irq,
    FaultKind::Fiq,
];
/// What stands for a panic where a record has an index of [`KINDS`].
const PANIC: u32 = 0x100;

/// State of a Thumb instruction.
pub const THUMB: u32 = 1 << 5;

impl Crash {
    /// What is known of an exception. `code` is that of the loader, `stack` what its stack may be.
    #[must_use]
    pub fn of_fault(
        memory: &dyn Memory,
        fault: &Fault,
        code: &Range<u32>,
        stack: Range<u32>,
        command: &Running,
    ) -> Self {
        let [.., sp, lr, pc] = fault.r;
        let mut trace = Trace::new();
        if code.contains(&pc) {
            trace.push(pc);
        }
        trace.extend(call(memory, code, lr));
        if stack.contains(&sp) {
            add_calls(memory, code, sp..stack.end, &mut trace);
        }
        // One that could not be fetched cannot be read either.
        let width = if fault.psr & THUMB == 0 { 4 } else { 2 };
        let instruction = (fault.kind != FaultKind::PrefetchAbort).then(|| memory.peek(pc, width)).flatten();
        Self { cause: Cause::Exception(*fault, instruction), trace, command: *command }
    }

    /// What is known of a panic. `stack` is what is in use of the loader's stack.
    #[must_use]
    pub fn of_panic(
        memory: &dyn Memory,
        message: fmt::Arguments<'_>,
        code: &Range<u32>,
        stack: Range<u32>,
    ) -> Self {
        let mut text = Cut(ArrayString::new());
        // What does not fit is left out.
        let _ = text.write_fmt(message);
        let mut trace = Trace::new();
        add_calls(memory, code, stack, &mut trace);
        Self { cause: Cause::Panic(text.0), trace, command: Running::new() }
    }

    /// Makes words a record.
    pub fn store(&self, words: &mut [u32; WORDS]) {
        words.fill(0);
        let mut places = words.iter_mut();
        let mut put = |word| {
            if let Some(place) = places.next() {
                *place = word;
            }
        };
        put(MAGIC);
        let (kind, fault, instruction, message) = match &self.cause {
            Cause::Exception(fault, instruction) => {
                let kind = KINDS.iter().position(|kind| *kind == fault.kind);
                (kind.map_or(PANIC, |kind| kind as u32), *fault, *instruction, "")
            }
            Cause::Panic(message) => (PANIC, NONE, None, &message[..]),
        };
        let Fault { r, psr, dfsr, far, .. } = fault;
        let seen = [kind, psr, dfsr, far, u32::from(instruction.is_some()), instruction.unwrap_or(0)];
        seen.into_iter().chain(r).for_each(&mut put);
        put(self.trace.len() as u32);
        (0..CALLS).for_each(|i| put(self.trace.get(i).copied().unwrap_or(0)));
        put_text(&self.command, COMMAND, &mut put);
        put_text(message, MESSAGE, &mut put);
        let [record @ .., check] = words;
        *check = crc32(bytemuck::cast_slice(record));
    }

    /// The record in these words, if it is one.
    #[must_use]
    pub fn load(words: &[u32; WORDS]) -> Option<Self> {
        let [record @ .., check] = words;
        if words.first() != Some(&MAGIC) || crc32(bytemuck::cast_slice(record)) != *check {
            return None;
        }
        let mut words = record.iter().copied().skip(1);
        let mut take = || words.next().unwrap_or(0);
        let [kind, psr, dfsr, far, read, instruction] = core::array::from_fn(|_| take());
        let r = core::array::from_fn(|_| take());
        let len = (take() as usize).min(CALLS);
        let mut trace = Trace::from(core::array::from_fn(|_| take()));
        trace.truncate(len);
        let command = take_text(&mut take);
        let message = take_text(&mut take);
        let cause = match KINDS.get(kind as usize) {
            Some(&kind) => {
                Cause::Exception(Fault { kind, r, psr, dfsr, far }, (read != 0).then_some(instruction))
            }
            None => Cause::Panic(message),
        };
        Some(Self { cause, trace, command })
    }
}

const NONE: Fault = Fault { kind: FaultKind::Undefined, r: [0; 16], psr: 0, dfsr: 0, far: 0 };

fn put_text(text: &str, room: usize, put: &mut dyn FnMut(u32)) {
    let mut bytes = text.bytes();
    for _ in 0..room / 4 {
        put(u32::from_le_bytes(core::array::from_fn(|_| bytes.next().unwrap_or(0))));
    }
}

fn take_text<const ROOM: usize>(take: &mut dyn FnMut() -> u32) -> ArrayString<ROOM> {
    let mut bytes = [0; ROOM];
    for place in bytes.chunks_exact_mut(4) {
        place.copy_from_slice(&take().to_le_bytes());
    }
    let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(ROOM);
    let text = bytes.get(..len).and_then(|text| core::str::from_utf8(text).ok());
    text.and_then(|text| ArrayString::from(text).ok()).unwrap_or_default()
}

/// Text of which the end may be missing.
struct Cut<const ROOM: usize>(ArrayString<ROOM>);

impl<const ROOM: usize> Write for Cut<ROOM> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.0.try_push(c)).map_err(|_| fmt::Error)
    }
}

/// Adds the calls that the words of a stack return from.
///
/// Without frame pointers nothing says which words are return addresses. All that could be one are
/// taken, so some may be left from calls that have returned.
fn add_calls(memory: &dyn Memory, code: &Range<u32>, stack: Range<u32>, trace: &mut Trace) {
    for at in (stack.start.next_multiple_of(4)..stack.end).step_by(4) {
        let found = memory.peek(at, 4).and_then(|word| call(memory, code, word));
        if let Some(call) = found
            && trace.last() != Some(&call)
            && trace.try_push(call).is_err()
        {
            return;
        }
    }
}

/// The address of the call that returns to `back`: a BL or BLX in front of it (ARM Architecture Reference
/// Manual, A4.1.5 and A7.1.15). All of Thumb's calls are such; those through a register go by way
/// of a BX.
fn call(memory: &dyn Memory, code: &Range<u32>, back: u32) -> Option<u32> {
    let thumb = back & 1 == 1;
    let call = (back & !1).checked_sub(4)?;
    if !code.contains(&call) || !code.contains(&back) {
        return None;
    }
    let calls = if thumb {
        let (first, second) = (memory.peek(call, 2)?, memory.peek(call + 2, 2)?);
        first >> 11 == 0b11110 && matches!(second >> 11, 0b11101 | 0b11111)
    } else {
        // Neither BL nor BLX, if it is not aligned.
        let word = memory.peek(call, 4)?;
        word >> 24 & 0xf == 0b1011 || word >> 25 == 0b111_1101
    };
    calls.then_some(call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Board, LOADER, RAM};

    const FAULT: Fault =
        Fault { kind: FaultKind::DataAbort, r: [7; 16], psr: 0x6000_00ff, dfsr: 5, far: 0xdead_beec };
    const CODE: Range<u32> = LOADER..LOADER + 0x1000;
    const STACK: Range<u32> = LOADER + 0x2000..LOADER + 0x2100;

    fn text(text: &str) -> Running {
        Running::from(text).unwrap()
    }

    #[test]
    fn reads_what_it_writes() {
        let exception = |kind, instruction| Cause::Exception(Fault { kind, ..FAULT }, instruction);
        let long = Cause::Panic(ArrayString::from(&"p".repeat(MESSAGE)).unwrap());
        let causes = KINDS.into_iter().flat_map(|kind| [exception(kind, None), exception(kind, Some(0))]);
        for (i, cause) in causes.chain([long]).enumerate() {
            let trace = (0..i.min(CALLS) as u32).collect();
            let crash = Crash { cause, trace, command: text(&"\u{e4}".repeat(i)) };
            let mut words = [u32::MAX; WORDS];
            crash.store(&mut words);
            assert_eq!(Crash::load(&words), Some(crash));
        }
    }

    #[test]
    fn stale_memory_is_no_record() {
        assert_eq!(Crash::load(&[0; WORDS]), None);
        assert_eq!(Crash::load(&[u32::MAX; WORDS]), None);
        let mut words = [0; WORDS];
        Crash { cause: Cause::Exception(FAULT, None), trace: Trace::new(), command: text("md") }
            .store(&mut words);
        for bit in 0..WORDS * 32 {
            let mut torn = words;
            torn[bit / 32] ^= 1 << (bit % 32);
            assert_eq!(Crash::load(&torn), None, "bit {bit}");
        }
    }

    /// A board whose code is calls at these offsets, and whose stack holds these words.
    fn board(thumb: &[u32], arm: &[u32], stack: &[u32]) -> Board {
        let mut board = Board::new();
        for at in thumb {
            board.memory.store(LOADER + at, &[0x00, 0xf0, 0x10, 0xf8]); // bl
        }
        for at in arm {
            board.memory.store(LOADER + at, &0xeb00_0010_u32.to_le_bytes()); // bl
        }
        for (at, word) in (STACK.start..).step_by(4).zip(stack) {
            board.memory.store(at, &word.to_le_bytes());
        }
        board
    }

    #[test]
    fn finds_calls_on_the_stack() {
        let back = LOADER + 4;
        let stack = [
            back + 0x101, // Thumb
            back + 0x100, // the same, but to A32, where it is no call
            7,
            back + 0x200, // A32
            back + 0x301, // no call in front of it
            back + 0x101,
            RAM,
            u32::MAX,
            CODE.end | 1,
        ];
        let board = board(&[0x100], &[0x200], &stack);
        let mut fault = FAULT;
        [fault.r[13], fault.r[14], fault.r[15]] = [STACK.start, back + 0x200, LOADER + 0x40];
        let of = |fault: &Fault| Crash::of_fault(&board.memory, fault, &CODE, STACK, &text("md 1"));
        let crash = of(&fault);
        let calls = [0x40, 0x200, 0x100, 0x200, 0x100].map(|at| LOADER + at);
        assert_eq!(crash.trace[..], calls);
        assert_eq!(crash.command, text("md 1"));
        // A program with a stack of its own, somewhere else.
        fault.r[13] = RAM;
        assert_eq!(of(&fault).trace[..], calls[..2]);
    }

    #[test]
    fn traces_and_messages_are_cut() {
        let stack = [LOADER + 5, LOADER + 0x105].repeat(30);
        let board = board(&[0, 0x100], &[], &stack);
        let long = "\u{e4}".repeat(200);
        let crash = Crash::of_panic(&board.memory, format_args!("at {long}"), &CODE, STACK);
        assert_eq!(crash.trace.len(), CALLS);
        let Cause::Panic(message) = crash.cause else { panic!("{crash:?}") };
        assert!(message.starts_with("at \u{e4}") && message.len() == MESSAGE - 1, "{message}");
    }

    #[test]
    fn remembers_the_instruction() {
        let mut board = Board::new();
        board.memory.store(RAM, &0xe591_0000_u32.to_le_bytes());
        let check = |change: &dyn Fn(&mut Fault), expected| {
            let mut fault = FAULT;
            (fault.r[15], fault.psr) = (RAM, 0);
            change(&mut fault);
            let crash = Crash::of_fault(&board.memory, &fault, &CODE, STACK, &Running::new());
            assert_eq!(crash.cause, Cause::Exception(fault, expected));
        };
        check(&|_| (), Some(0xe591_0000));
        check(&|fault| (fault.r[15], fault.psr) = (RAM + 2, THUMB), Some(0xe591));
        check(&|fault| fault.r[15] = RAM + 2, None);
        check(&|fault| fault.kind = FaultKind::PrefetchAbort, None);
    }
}
