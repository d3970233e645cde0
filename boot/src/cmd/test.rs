//! `test` and `[`

use super::{CmdError, Command};

const USAGE: &str = "\
[!] expression [-a | -o [!] expression] ...
    expression: -z string | -n string | s1 = s2 | s1 != s2 | s1 < s2 | s1 > s2 |
    n1 -eq n2 | n1 -ne n2 | n1 -lt n2 | n1 -le n2 | n1 -gt n2 | n1 -ge n2
    numbers are decimal, or hexadecimal with 0x; -a and -o bind alike, from left to right";

pub const CMD: Command = Command {
    name: "test",
    usage: USAGE,
    help: "minimal test like /bin/sh",
    run: |_, args| {
        if holds(args)? { Ok(()) } else { Err(CmdError::Status(1)) }
    },
};

/// The same with a `]` at its end.
pub const BRACKET: Command = Command {
    name: "[",
    usage: "expression ]\n    - see 'help test'",
    help: "alias for 'test'",
    run: |ctx, args| match args {
        [args @ .., "]"] => (CMD.run)(ctx, args),
        _ => Err(CmdError::Usage),
    },
};

/// Nothing at all, or a mark without its string, which is what an empty variable without quotes leaves,
/// does not hold.
fn holds(args: &[&str]) -> Result<bool, CmdError> {
    if args.len() < 2 {
        return Ok(false);
    }
    let (mut value, mut rest) = term(args)?;
    while let [join, tail @ ..] = rest {
        let (other, after) = term(tail)?;
        value = match *join {
            "-a" => value && other,
            "-o" => value || other,
            _ => return Err(CmdError::Usage),
        };
        rest = after;
    }
    Ok(value)
}

/// The value of the first expression, and what follows it.
fn term<'a, 'b>(args: &'a [&'b str]) -> Result<(bool, &'a [&'b str]), CmdError> {
    match args {
        // What might be a mark is a string when a comparison follows it.
        [left, operator, right, rest @ ..] if let Some(result) = compare(left, operator, right) => {
            Ok((result?, rest))
        }
        ["!", rest @ ..] => term(rest).map(|(value, rest)| (!value, rest)),
        ["-z", string, rest @ ..] => Ok((string.is_empty(), rest)),
        ["-n", string, rest @ ..] => Ok((!string.is_empty(), rest)),
        _ => Err(CmdError::Usage),
    }
}

/// `None` if that is no operator.
fn compare(left: &str, operator: &str, right: &str) -> Option<Result<bool, CmdError>> {
    let numbers: fn(i64, i64) -> bool = match operator {
        "=" | "==" => return Some(Ok(left == right)),
        "!=" => return Some(Ok(left != right)),
        "<" => return Some(Ok(left < right)),
        ">" => return Some(Ok(left > right)),
        "-eq" => |a, b| a == b,
        "-ne" => |a, b| a != b,
        "-lt" => |a, b| a < b,
        "-le" => |a, b| a <= b,
        "-gt" => |a, b| a > b,
        "-ge" => |a, b| a >= b,
        _ => return None,
    };
    Some(number(left).and_then(|left| Ok(numbers(left, number(right)?))))
}

fn number(word: &str) -> Result<i64, CmdError> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    value.map(|value| sign * i64::from(value)).map_err(|_| CmdError::NotNumber(super::shown(word)))
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[track_caller]
    fn check(line: &str, status: u8) {
        let mut board = Board::new();
        assert_eq!(board.run(line), "", "{line}");
        assert_eq!(board.state.status, status, "{line}");
    }

    #[test]
    fn strings() {
        check("test a = a", 0);
        check("test a = b", 1);
        check("test a == a", 0);
        check("test a != b", 0);
        check("test a '<' b", 0);
        check("test b '>' ab", 0);
        check("test -z ''", 0);
        check("test -z a", 1);
        check("test -n a", 0);
        check("test -n ''", 1);
        check("test -n = -n", 0);
        check("test ! = !", 0);
    }

    #[test]
    fn numbers() {
        check("test 10 -eq 0xa", 0);
        check("test -1 -lt 1", 0);
        check("test 4294967295 -gt 1", 0);
        check("test 2 -le 2", 0);
        check("test 2 -ge 3", 1);
        check("test 2 -ne 2", 1);
        check("test 9 -lt 10", 0);
    }

    #[test]
    fn joins() {
        check("test a = a -a b = c", 1);
        check("test a = b -o b = b", 0);
        check("test ! a = b", 0);
        check("test ! ! a = b", 1);
        check("test a = a -o a = a -a a = b", 1);
        check("test -n a -a ! -n ''", 0);
    }

    #[test]
    fn empty_variables_without_quotes_do_not_hold() {
        check("test", 1);
        check("test $x", 1);
        check("test -n $x", 1);
        check("test -z $x", 1);
    }

    #[test]
    fn the_bracket_wants_its_other() {
        check("[ a = a ]", 0);
        check("[ a = b ]", 1);
        check("[ ]", 1);
        let usage = "[ - alias for 'test'\n\nUsage:\n[ expression ]\n    - see 'help test'\n";
        assert_eq!(Board::new().run("[ a = a"), usage);
    }

    #[test]
    fn says_what_makes_no_sense() {
        for line in ["test = a", "test a b", "test a b c", "test a = a -x b = b", "test a = a b", "test ! !"]
        {
            let mut board = Board::new();
            assert!(board.run(line).starts_with("test - minimal test like /bin/sh\n\nUsage:\n"), "{line}");
            assert_eq!(board.state.status, 1);
        }
        let error = "ERROR: 'x' is not a number, like 10 or 0xa\n";
        assert_eq!(Board::new().run("test 1 -eq x"), error);
        assert_eq!(Board::new().run("test x -eq 1"), error);
        assert!(Board::new().run("test 4294967296 -eq 1").starts_with("ERROR: '4294967296' is not"));
    }
}
