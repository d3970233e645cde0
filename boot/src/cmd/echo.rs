//! `echo`

use super::{Command, Context};

pub const CMD: Command = Command {
    name: "echo",
    usage: "[-n] [args..]",
    help: "echo args to console; -n leaves out the line end",
    run: |ctx, args| {
        match args {
            ["-n", words @ ..] => put(ctx, words),
            words => {
                put(ctx, words);
                ctx.console.put(b'\n');
            }
        }
        Ok(())
    },
};

fn put(ctx: &mut Context<'_>, words: &[&str]) {
    for (i, word) in words.iter().enumerate() {
        write!(ctx.console, "{}{word}", if i == 0 { "" } else { " " });
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn echoes() {
        let check = |line: &str, expected: &str| assert_eq!(Board::new().run(line), expected);
        check("echo", "\n");
        check("echo a  b '  c'", "a b   c\n");
        check("echo -n a b", "a b");
        check("echo -n", "");
        check("echo a -n", "a -n\n");
        check("echo ''", "\n");
    }
}
