//! `setexpr`

use super::env::set;
use super::value::value;
use super::{CmdError, Command, Context, split_width};

pub const CMD: Command = Command {
    name: "setexpr",
    usage: "[.b, .w, .l] name [*]value1 <op> [*]value2\n    \
            set variable 'name' to the result; <op> can be \\&, \\|, ^, +, -, *, /, %\n\
            [.b, .w, .l] name [*]value\n    \
            set variable 'name' to the value; a '*' stands for what is at an address",
    help: "set environment variable as the result of eval expression",
    run: |ctx, args| match split_width(args)? {
        (width, [name, word]) => {
            let result = value(ctx, word, width)?;
            put(ctx, name, result)
        }
        (width, [name, left, operator, right]) => {
            let result = calculate(value(ctx, left, width)?, operator, value(ctx, right, width)?)?;
            put(ctx, name, result)
        }
        _ => Err(CmdError::Usage),
    },
};

fn put(ctx: &mut Context<'_>, name: &str, value: u32) -> Result<(), CmdError> {
    set::hex(ctx, name, value)
}

fn calculate(left: u32, operator: &str, right: u32) -> Result<u32, CmdError> {
    Ok(match operator {
        "&" => left & right,
        "|" => left | right,
        "^" => left ^ right,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right).ok_or(CmdError::DivisionByZero)?,
        "%" => left.checked_rem(right).ok_or(CmdError::DivisionByZero)?,
        _ => return Err(CmdError::Usage),
    })
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let mut board = Board::new();
        board.memory.store(RAM, &[0x34, 0x12, 0, 0x80]);
        assert_eq!(board.run(line), "", "{line}");
        assert_eq!(board.state.env.get("x"), Some(expected), "{line}");
    }

    #[test]
    fn calculates() {
        check("setexpr x 10 + 1", "11");
        check("setexpr x 0x10 - 11", "ffffffff");
        check("setexpr x ffffffff * 2", "fffffffe");
        check("setexpr x 64 / a", "a");
        check("setexpr x 65 % a", "1");
        check("setexpr x f0 \\& 3c", "30");
        check("setexpr x f0 '|' 3c", "fc");
        check("setexpr x f0 ^ 3c", "cc");
        check("setexpr x 123", "123");
        check("setexpr.b x 123 + ff", "122");
        check("setexpr x *30000000", "80001234");
        check("setexpr.w x *30000000 + *30000002", "9234");
        check("setexpr x 0", "0");
    }

    #[test]
    fn says_what_it_wants() {
        for line in ["setexpr", "setexpr x", "setexpr x 1 +", "setexpr x 1 ? 2", "setexpr x 1 + 2 3"] {
            assert!(Board::new().run(line).starts_with("setexpr - set environment variable as"), "{line}");
        }
        assert_eq!(Board::new().run("setexpr x 1 / 0"), "ERROR: division by 0\n");
        assert_eq!(Board::new().run("setexpr x 1 % 0"), "ERROR: division by 0\n");
        assert!(Board::new().run("setexpr a=b 1").starts_with("ERROR: a variable cannot be called that"));
        assert!(Board::new().run("setexpr x *0").starts_with("ERROR: no access to 00000000 by 4 bytes"));
    }
}
