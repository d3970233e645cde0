//! `printenv`, `env print`

use super::not_defined;
use crate::cmd::{CmdError, Command, Context};
use crate::env::CAPACITY;

pub const CMD: Command = Command {
    name: "printenv",
    usage: "[-a]\n    - print [all] values of all environment variables; without -a those whose names\n      \
            start with a dot are left out\n\
            name ...\n    - print value of environment variable 'name'",
    help: "print environment variables",
    run: |ctx, args| match args {
        [first, ..] if first.starts_with('.') => Err(CmdError::Usage),
        [] => all(ctx, false),
        ["-a"] => all(ctx, true),
        names => {
            // One that fails does not keep the others from it.
            let mut result = Ok(());
            for name in names {
                result = one(ctx, name).and(result);
            }
            result
        }
    },
};

fn all(ctx: &mut Context<'_>, hidden: bool) -> Result<(), CmdError> {
    for (name, value) in ctx.state.env.iter() {
        if hidden || !name.starts_with('.') {
            line(&mut ctx.console, name, value);
        }
    }
    let used = ctx.state.env.as_bytes().len();
    writeln!(ctx.console, "\nEnvironment size: {used}/{CAPACITY} bytes");
    Ok(())
}

fn one(ctx: &mut Context<'_>, name: &str) -> Result<(), CmdError> {
    match ctx.state.env.get(name) {
        Some(value) => {
            line(&mut ctx.console, name, value);
            Ok(())
        }
        None => not_defined(ctx, name),
    }
}

/// Line ends and backslashes in a value are shown with a backslash, as in the text that can be imported.
pub fn line(console: &mut crate::console::Console<'_>, name: &str, value: &str) {
    write!(console, "{name}=");
    for byte in value.bytes() {
        if matches!(byte, b'\n' | b'\\') {
            console.put(b'\\');
        }
        console.put(byte);
    }
    console.put(b'\n');
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    fn board() -> Board {
        let mut board = Board::new();
        for (name, value) in [("b", "2"), ("a", "1 x=y"), (".h", "3"), ("m", "p\nq\\")] {
            board.state.env.set(name, value).unwrap();
        }
        board
    }

    #[test]
    fn prints_all() {
        let mut board = board();
        let expected = "a=1 x=y\nb=2\nm=p\\\nq\\\\\n\nEnvironment size: 24/16378 bytes\n";
        assert_eq!(board.run("printenv"), expected);
        assert_eq!(board.run("printenv -a"), std::format!(".h=3\n{expected}"));
        assert_eq!(Board::new().run("printenv"), "\nEnvironment size: 0/16378 bytes\n");
    }

    #[test]
    fn prints_some() {
        let mut board = board();
        assert_eq!(board.run("printenv b .h"), "b=2\n.h=3\n");
        assert_eq!(board.state.status, 0);
        let expected = "## Error: \"x\" not defined\nb=2\n## Error: \"\" not defined\n";
        assert_eq!(board.run("printenv x b ''"), expected);
        assert_eq!(board.state.status, 1);
        assert!(board.run("printenv.b").starts_with("printenv - print environment variables\n\nUsage:\n"));
    }
}
