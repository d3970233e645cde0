//! `mtest`

use super::{CmdError, Command, Context, STRIDE, hex};
use crate::tags::TAGS_AREA;

pub const CMD: Command = Command {
    name: "mtest",
    usage: "[start [end [pattern [iterations]]]]\n    \
            write numbers that count from 'pattern' to the words before 'end' and read them back;\n    \
            without addresses all RAM that is not the loader's; without 'iterations' until Ctrl-C",
    help: "simple RAM read/write test",
    run: |ctx, args| {
        if args.len() > 4 || args.first().is_some_and(|first| first.starts_with('.')) {
            return Err(CmdError::Usage);
        }
        let ram = ctx.free_ram();
        let number = |i: usize, default| args.get(i).map_or(Ok(default), |word| hex(word));
        let start = number(0, ram.start.saturating_add(TAGS_AREA))?;
        let test = Test { start, end: number(1, ram.end)?, pattern: number(2, 0)? };
        test.run(ctx, number(3, 0)?)
    },
};

/// Bytes between two looks for Ctrl-C.
const PIECE: u32 = 4 * STRIDE;

struct Test {
    start: u32,
    end: u32,
    pattern: u32,
}

impl Test {
    fn run(&self, ctx: &mut Context<'_>, iterations: u32) -> Result<(), CmdError> {
        if self.end <= self.start {
            writeln!(ctx.console, "Refusing to do empty test");
            return Err(CmdError::Status(1));
        }
        if let Some(&address) = [self.start, self.end].iter().find(|address| !address.is_multiple_of(4)) {
            return Err(CmdError::Access { address, width: 4 });
        }
        ctx.check_free(self.start, self.end - self.start)?;
        writeln!(ctx.console, "Testing {:08x} ... {:08x}:", self.start, self.end);
        let (mut done, mut errors) = (0_u32, 0_u32);
        let result = loop {
            match self.once(ctx, done, &mut errors) {
                Ok(()) => done += 1,
                Err(error) => break Err(error),
            }
            if done == iterations {
                break if errors == 0 { Ok(()) } else { Err(CmdError::Status(1)) };
            }
        };
        writeln!(ctx.console, "\nTested {done} iteration(s) with {errors} errors.");
        result
    }

    /// Every second time the complement, so that every bit is a 0 once and a 1 once.
    fn once(&self, ctx: &mut Context<'_>, iteration: u32, errors: &mut u32) -> Result<(), CmdError> {
        let invert = if iteration.is_multiple_of(2) { 0 } else { u32::MAX };
        let first = self.pattern ^ invert;
        write!(ctx.console, "\rIteration: {:6}  Pattern {first:08X}  Writing...", iteration + 1);
        for (address, len, numbers) in self.pieces() {
            let bytes = ctx.memory.ram_mut(address, len).ok_or(CmdError::NotRam { address, len })?;
            for (word, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
                *word = (number ^ invert).to_le_bytes();
            }
            ctx.check_interrupt()?;
        }
        write!(ctx.console, "\x08\x08\x08\x08\x08\x08\x08\x08\x08\x08Reading...");
        for (address, len, numbers) in self.pieces() {
            let bytes = ctx.memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
            for ((word, number), at) in bytes.as_chunks().0.iter().zip(numbers).zip((address..).step_by(4)) {
                let (found, expected) = (u32::from_le_bytes(*word), number ^ invert);
                if found != expected {
                    *errors = errors.saturating_add(1);
                    writeln!(
                        ctx.console,
                        "\nMem error @ 0x{at:08X}: found {found:08X}, expected {expected:08X}"
                    );
                }
            }
            ctx.check_interrupt()?;
        }
        Ok(())
    }

    /// Addresses and bytes of pieces that are looked at between two looks for Ctrl-C, and the numbers
    /// that go there.
    fn pieces(&self) -> impl Iterator<Item = (u32, u32, impl Iterator<Item = u32> + use<>)> {
        let (start, end, pattern) = (self.start, self.end, self.pattern);
        (start..end).step_by(PIECE as usize).map(move |address| {
            let first = pattern.wrapping_add((address - start) / 4);
            let numbers = (0..PIECE / 4).map(move |i| first.wrapping_add(i));
            (address, PIECE.min(end - address), numbers)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Console;
    use crate::mock::{Board, LOADER, RAM};
    use platform::hal::Memory;

    #[test]
    fn finds_nothing_wrong() {
        let mut board = Board::new();
        board.memory.store(RAM + 0x4ffc, &[1; 16]);
        let expected = "Testing 30000000 ... 30005000:\n\
            Iteration:      1  Pattern 00000010  Writing...\x08\x08\x08\x08\x08\x08\x08\x08\x08\x08Reading...\
            Iteration:      2  Pattern FFFFFFEF  Writing...\x08\x08\x08\x08\x08\x08\x08\x08\x08\x08Reading...\n\
            Tested 2 iteration(s) with 0 errors.\n";
        assert_eq!(
            board.run("mtest 30000000 30005000 10 2; echo -n $?").strip_suffix('0').unwrap(),
            expected
        );
        assert_eq!(board.memory.load(RAM, 8), [0xef, 0xff, 0xff, 0xff, 0xee, 0xff, 0xff, 0xff]);
        // The last word holds the complement of 0x10 + 0x13ff.
        assert_eq!(board.memory.load(RAM + 0x4ffc, 5), [0xf0, 0xeb, 0xff, 0xff, 1]);
    }

    /// RAM that forgets.
    struct Deaf {
        written: [u8; 8],
        read: [u8; 8],
    }

    impl Memory for Deaf {
        fn peek(&self, _: u32, _: u8) -> Option<u32> {
            None
        }
        fn poke(&mut self, _: u32, _: u8, _: u32) -> bool {
            false
        }
        fn ram(&self, _: u32, _: u32) -> Option<&[u8]> {
            Some(&self.read)
        }
        fn ram_mut(&mut self, _: u32, _: u32) -> Option<&mut [u8]> {
            Some(&mut self.written)
        }
    }

    #[test]
    fn finds_what_is_wrong() {
        let mut board = Board::new();
        let mut memory = Deaf { written: [0; 8], read: [0; 8] };
        let Board { serial, keys, nand, machine, clock, state, .. } = &mut board;
        let mut ctx = Context::new(Console::new(serial, keys), nand, &mut memory, machine, clock, state);
        let result = (CMD.run)(&mut ctx, &["30000000", "30000008", "0", "1"]);
        assert_eq!(result, Err(CmdError::Status(1)));
        let output = board.output();
        let end = "Reading...\nMem error @ 0x30000004: found 00000000, expected 00000001\n\n\
                   Tested 1 iteration(s) with 1 errors.\n";
        assert!(output.ends_with(end), "{output}");
    }

    #[test]
    fn stays_out_of_the_loader() {
        let mut board = Board::new();
        board.serial.input.push_back(3);
        let output = board.run("mtest");
        assert!(output.starts_with("Testing 30004000 ... 30e00000:\n"), "{output}");
        assert!(output.ends_with("Tested 0 iteration(s) with 0 errors.\n<INTERRUPT>\n"), "{output}");
        let error = "ERROR: 30000000, 0xe00004 bytes, would overwrite the loader";
        assert!(board.run("mtest 30000000 30e00004").starts_with(error));
        assert!(board.run("mtest 0 8").starts_with("ERROR: 00000000, 0x8 bytes, is not all RAM"));
        assert_eq!(board.run("mtest 30000008 30000008"), "Refusing to do empty test\n");
        assert!(board.run("mtest 30000001 30000008").starts_with("ERROR: no access to 30000001 by 4 bytes"));
        for line in ["mtest 1 2 3 4 5", "mtest.b"] {
            assert!(board.run(line).starts_with("mtest - simple RAM read/write test\n"), "{line}");
        }
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
        assert_eq!(board.memory.load(LOADER - 1, 1), [0]);
    }
}
