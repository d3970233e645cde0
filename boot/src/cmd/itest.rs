//! `itest`

use super::value::value;
use super::{CmdError, Command, split_width};
use core::cmp::Ordering;

pub const CMD: Command = Command {
    name: "itest",
    usage: "[.b, .w, .l, .s] [*]value1 <op> [*]value2\n    \
            <op> can be -lt <, -gt >, -eq ==, -ne != <>, -ge >=, -le <=; .s compares strings",
    help: "return true/false on integer compare",
    run: |ctx, args| {
        let (ordering, operator) = match args {
            [".s", left, operator, right] => (left.cmp(right), operator),
            _ => match split_width(args)? {
                (width, [left, operator, right]) => {
                    (value(ctx, left, width)?.cmp(&value(ctx, right, width)?), operator)
                }
                _ => return Err(CmdError::Usage),
            },
        };
        let holds: fn(Ordering) -> bool = match *operator {
            "-lt" | "<" => Ordering::is_lt,
            "-gt" | ">" => Ordering::is_gt,
            "-eq" | "==" => Ordering::is_eq,
            "-ne" | "!=" | "<>" => Ordering::is_ne,
            "-ge" | ">=" => Ordering::is_ge,
            "-le" | "<=" => Ordering::is_le,
            _ => return Err(CmdError::Usage),
        };
        if holds(ordering) { Ok(()) } else { Err(CmdError::Status(1)) }
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[track_caller]
    fn check(line: &str, status: u8) {
        let mut board = Board::new();
        board.memory.store(RAM, &[0x34, 0x12, 0, 0]);
        assert_eq!(board.run(line), "", "{line}");
        assert_eq!(board.state.status, status, "{line}");
    }

    #[test]
    fn compares() {
        check("itest 10 == 0x10", 0);
        check("itest 9 < a", 0);
        check("itest ffffffff -gt 1", 0);
        check("itest 1 -ge 2", 1);
        check("itest 2 <= 1", 1);
        check("itest 1 <> 2", 0);
        check("itest 1 -ne 1", 1);
        check("itest.b 101 == 1", 0);
        check("itest.w 10001 == 2", 1);
        check("itest.s abc < abd", 0);
        check("itest.s '' -eq a", 1);
    }

    #[test]
    fn looks_into_memory() {
        check("itest *30000000 == 1234", 0);
        check("itest.b *30000000 == 34", 0);
        check("itest.w *30000002 -eq *30000002", 0);
    }

    #[test]
    fn says_what_it_wants() {
        for line in ["itest", "itest 1 == ", "itest 1 = 1", "itest.q 1 == 1", "itest 1 == 1 1"] {
            assert!(Board::new().run(line).starts_with("itest - return true/false on"), "{line}");
        }
        assert!(Board::new().run("itest x == 1").starts_with("ERROR: 'x' is not a hexadecimal number"));
        assert!(Board::new().run("itest *30000001 == 1").starts_with("ERROR: no access to 30000001 by 4"));
    }
}
