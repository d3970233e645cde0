//! `setenv`, `env set`

use super::without_force;
use crate::cmd::{self, CmdError, Command, Context};
use crate::console::shell;
use arrayvec::ArrayString;
use core::fmt::Write;

pub const CMD: Command = Command {
    name: "setenv",
    usage: "[-f] name value ...\n    - set environment variable 'name' to 'value ...'\n\
            [-f] name\n    - delete environment variable 'name'",
    help: "set environment variables",
    run: |ctx, args| match without_force(args) {
        [] => Err(CmdError::Usage),
        [option, ..] if option.starts_with(['-', '.']) && option.len() < 3 => Err(CmdError::Usage),
        [name, words @ ..] => {
            let mut value = ArrayString::<{ shell::BYTES }>::new();
            for (i, word) in words.iter().enumerate() {
                let blank = if i == 0 { "" } else { " " };
                write!(value, "{blank}{word}").map_err(|_| CmdError::TooLong)?;
            }
            set(ctx, name, &value)
        }
    },
};

/// Sets a variable of the environment, or deletes it if the value is empty.
pub fn set(ctx: &mut Context<'_>, name: &str, value: &str) -> Result<(), CmdError> {
    if name == "loadaddr" && !value.is_empty() {
        ctx.load_address = cmd::hex(value)?;
    }
    ctx.state.env.set(name, value)?;
    // One of the shell would hide it.
    ctx.state.locals.remove(name);
    Ok(())
}

/// Sets it to a number.
pub fn hex(ctx: &mut Context<'_>, name: &str, value: u32) -> Result<(), CmdError> {
    let mut digits = ArrayString::<8>::new();
    // 32 bits have no more than eight digits.
    let _ = write!(digits, "{value:x}");
    set(ctx, name, &digits)
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn sets_replaces_and_deletes() {
        let mut board = Board::new();
        let mut check = |line: &str, value| {
            assert_eq!(board.run(line), "");
            assert_eq!(board.state.env.get("a"), value, "{line}");
        };
        check("setenv a 1", Some("1"));
        check("setenv a b  'c  d'", Some("b c  d"));
        check("setenv -f a x", Some("x"));
        check("setenv b '$a'; setenv a ${b}y", Some("$ay"));
        check("setenv a", None);
        check("setenv a ''", None);
        check("setenv a", None);
    }

    #[test]
    fn is_not_hidden_by_the_shell() {
        assert_eq!(Board::new().run("a=1; setenv a 2; echo $a; a=3; echo $a"), "2\n3\n");
    }

    #[test]
    fn the_load_address_is_where_commands_look() {
        let mut board = Board::new();
        let expected = "ERROR: no RAM at 00001234 for 0x40 bytes; see 'bdinfo' for where RAM is\n";
        assert!(board.run("setenv loadaddr 1234; iminfo").ends_with(expected));
        assert!(board.run("setenv loadaddr x").starts_with("ERROR: 'x' is not a hexadecimal number"));
        assert_eq!(board.state.env.get("loadaddr"), Some("1234"));
        assert_eq!(board.run("setenv loadaddr"), "");
    }

    #[test]
    fn says_what_is_wrong() {
        let mut board = Board::new();
        for line in ["setenv", "setenv -f", "setenv -x a", "setenv.b a"] {
            assert!(board.run(line).starts_with("setenv - set environment variables\n\nUsage:\n"), "{line}");
        }
        assert!(board.run("setenv a=b 1").starts_with("ERROR: a variable cannot be called that"));
        assert!(board.run("setenv '' 1").starts_with("ERROR: a variable cannot be called that"));
        board.state.env.set("x", &"x".repeat(16_370)).unwrap();
        let error = "ERROR: no room: the variable takes 7 bytes, 5 are free; delete others, see 'printenv'\n";
        assert_eq!(board.run("setenv abc 12"), error);
    }
}
