//! `env grep`

use super::print::line;
use crate::cmd::{CmdError, Context};
use crate::console::bytes::find;

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    let (names, values, strings) = match args {
        ["-n", strings @ ..] => (true, false, strings),
        ["-v", strings @ ..] => (false, true, strings),
        ["-b", strings @ ..] | strings => (true, true, strings),
    };
    // "--" ends the options, so that a string may start with a dash.
    let strings = match strings {
        ["--", strings @ ..] => strings,
        [first, ..] if first.starts_with('-') => return Err(CmdError::Usage),
        strings => strings,
    };
    if strings.is_empty() {
        return Err(CmdError::Usage);
    }
    let mut result = Err(CmdError::Status(1));
    for (name, value) in ctx.state.env.iter() {
        if strings.iter().any(|text| names && has(name, text) || values && has(value, text)) {
            line(&mut ctx.console, name, value);
            result = Ok(());
        }
    }
    result
}

fn has(text: &str, part: &str) -> bool {
    find(text.as_bytes(), part.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn searches() {
        let mut board = Board::new();
        for (name, value) in [("bootcmd", "run x"), ("x", "boot"), ("y", "-z")] {
            board.state.env.set(name, value).unwrap();
        }
        let mut check = |args: &str, output: &str, status| {
            assert_eq!(board.run(&std::format!("env grep {args}")), output);
            assert_eq!(board.state.status, status);
        };
        check("boot", "bootcmd=run x\nx=boot\n", 0);
        check("-n boot", "bootcmd=run x\n", 0);
        check("-v boot y", "x=boot\n", 0);
        check("-b y run", "bootcmd=run x\ny=-z\n", 0);
        check("-- -z", "y=-z\n", 0);
        check("none", "", 1);
    }

    #[test]
    fn says_what_it_wants() {
        for line in ["env grep", "env grep -n", "env grep -e x", "env grep --"] {
            assert!(Board::new().run(line).starts_with("env - environment handling"), "{line}");
        }
    }
}
