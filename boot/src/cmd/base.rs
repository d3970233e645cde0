//! `base`

use super::{CmdError, Command, hex};

pub const CMD: Command = Command {
    name: "base",
    usage: "\n    - print address offset for md, mw, mm, nm, cp, cmp and crc32\noff\n    - set it to 'off'",
    help: "print or set address offset",
    run: |ctx, args| {
        match args {
            [] => {}
            [offset] => ctx.base = hex(offset)?,
            _ => return Err(CmdError::Usage),
        }
        writeln!(ctx.console, "Base Address: 0x{:08x}", ctx.base);
        Ok(())
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[test]
    fn is_added_to_addresses() {
        let mut board = Board::new();
        let script = "base; base 0x30000000; mw.b 4 ab; md.b 4 1; cp.b 4 5 1; cmp.b 4 5 1; crc32 4 1";
        let expected = "Base Address: 0x00000000\nBase Address: 0x30000000\n\
                        30000004: ab                                               .\n\
                        Total of 1 byte(s) were the same\n\
                        crc32 for 30000004 ... 30000004 ==> 930695ed\n";
        assert_eq!(board.run(script), expected);
        assert_eq!(board.memory.load(RAM + 4, 3), [0xab, 0xab, 0]);
    }

    #[test]
    fn going_on_adds_it_once() {
        let mut board = Board::new();
        let again = board.with(|ctx| {
            crate::console::shell::execute(ctx, "base 30000000; md.b 0 10");
            ctx.again
        });
        assert_eq!(&again, "md.b 10 10");
        board.output();
        assert!(board.run("base x").starts_with("ERROR: 'x' is not"));
        assert!(board.run("base 1 2").starts_with("base - print or set address offset\n"));
    }
}
