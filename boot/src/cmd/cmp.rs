//! `cmp`

use super::{CmdError, Command, Context, STRIDE, hex, split_width};
use core::fmt;

pub const CMD: Command = Command {
    name: "cmp",
    usage: "[.b, .w, .l] addr1 addr2 count",
    help: "memory compare",
    run: |ctx, args| {
        let (width, args) = split_width(args)?;
        match args {
            [first, second, count] => {
                let (first, second) = (ctx.address(first)?, ctx.address(second)?);
                compare(ctx, width, first, second, hex(count)?)
            }
            _ => Err(CmdError::Usage),
        }
    },
};

/// A value as C's `%#0*lx` with the width in bytes shows it: 0 without 0x.
struct Value(u32, u8);

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = usize::from(self.1);
        match self.0 {
            0 => write!(f, "{:0width$}", 0),
            value => write!(f, "{value:#0width$x}"),
        }
    }
}

fn compare(ctx: &mut Context<'_>, width: u8, first: u32, second: u32, count: u32) -> Result<(), CmdError> {
    let kind = match width {
        1 => "byte",
        2 => "halfword",
        _ => "word",
    };
    let (mut a, mut b) = (first, second);
    let mut same = 0;
    while same < count {
        let read = |address| ctx.memory.peek(address, width).ok_or(CmdError::Access { address, width });
        let (left, right) = (read(a)?, read(b)?);
        if left != right {
            let (left, right) = (Value(left, width), Value(right, width));
            writeln!(ctx.console, "{kind} at 0x{a:08x} ({left}) != {kind} at 0x{b:08x} ({right})");
            break;
        }
        (a, b) = (a.wrapping_add(width.into()), b.wrapping_add(width.into()));
        same += 1;
        if same % STRIDE == 0 {
            ctx.check_interrupt()?;
        }
    }
    writeln!(ctx.console, "Total of {same} {kind}(s) were the same");
    if same == count { Ok(()) } else { Err(CmdError::Status(1)) }
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[track_caller]
    fn check(line: &str, expected: &str, status: u8) {
        let mut board = Board::new();
        board.memory.store(RAM, &[1, 2, 3, 4, 1, 2, 3, 5, 1, 2]);
        assert_eq!(board.run(line), expected);
        assert_eq!(board.state.status, status);
    }

    #[test]
    fn compares() {
        check("cmp.b 30000000 30000004 3", "Total of 3 byte(s) were the same\n", 0);
        let bytes =
            "byte at 0x30000003 (0x4) != byte at 0x30000007 (0x5)\nTotal of 3 byte(s) were the same\n";
        check("cmp.b 30000000 30000004 4", bytes, 1);
        let words = "word at 0x30000000 (0x4030201) != word at 0x30000004 (0x5030201)\n\
                     Total of 0 word(s) were the same\n";
        check("cmp 30000000 30000004 2", words, 1);
        let zero = "halfword at 0x30000002 (0x403) != halfword at 0x3000000a (00)\n\
                    Total of 1 halfword(s) were the same\n";
        check("cmp.w 30000000 30000008 2", zero, 1);
        check("cmp 30000000 30000004 0", "Total of 0 word(s) were the same\n", 0);
    }

    #[test]
    fn says_what_is_wrong() {
        let mut board = Board::new();
        assert!(board.run("cmp 30fffffc 30fffffc 2").starts_with("ERROR: no access to 31000000 by 4 bytes"));
        for line in ["cmp", "cmp 1 2", "cmp 1 2 3 4", "cmp.q 1 2 3"] {
            assert!(
                board.run(line).starts_with("cmp - memory compare\n\nUsage:\ncmp [.b, .w, .l] addr1"),
                "{line}"
            );
        }
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = Board::new();
        board.serial.input.push_back(3);
        assert_eq!(board.run("cmp.b 30000000 30010000 10000"), "<INTERRUPT>\n");
    }
}
