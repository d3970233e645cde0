//! `run`

use super::{CmdError, Command, Context};
use crate::console::shell;
use crate::console::state::State;

pub const CMD: Command = Command {
    name: "run",
    usage: "var [...]\n    - run the commands in the variable(s) 'var', as long as they succeed",
    help: "run commands in an environment variable",
    run: |ctx, args| match args {
        [] => Err(CmdError::Usage),
        [first, ..] if first.starts_with('.') => Err(CmdError::Usage),
        names => names.iter().try_for_each(|name| run(ctx, name)),
    },
};

/// Runs the commands in a variable.
pub(super) fn run(ctx: &mut Context<'_>, name: &str) -> Result<(), CmdError> {
    let State { env, locals, scripts, .. } = &mut *ctx.state;
    let Some(text) = locals.get(name).or_else(|| env.get(name)) else {
        return super::env::not_defined(ctx, name);
    };
    let script = scripts.push(text.as_bytes())?;
    let result = shell::run(ctx, script);
    if let Err(CmdError::Syntax(_)) = result {
        writeln!(ctx.console, "In \"{name}\":");
    }
    result
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    fn board() -> Board {
        let mut board = Board::new();
        for (name, text) in [
            ("a", "echo a; false; true"),
            ("b", "echo b; false"),
            ("n", "echo n; run a"),
            ("self", "setenv self echo later; echo now"),
            ("bad", "echo x; if"),
        ] {
            board.state.env.set(name, text).unwrap();
        }
        board
    }

    #[track_caller]
    fn check(line: &str, output: &str, status: u8) {
        let mut board = board();
        assert_eq!(board.run(line), output);
        assert_eq!(board.state.status, status);
    }

    #[test]
    fn runs() {
        check("run a", "a\n", 0);
        check("run a n b", "a\nn\na\nb\n", 1);
        check("run b a", "b\n", 1);
        check("run a && run b || echo no", "a\nb\nno\n", 0);
        check("x='echo x'; run x", "x\n", 0);
        // It runs a copy.
        check("run self; run self", "now\nlater\n", 0);
    }

    #[test]
    fn says_what_is_wrong() {
        check("run none a", "## Error: \"none\" not defined\n", 1);
        let error = "In \"bad\":\nERROR: syntax error in line 1, column 11: 'then' is missing before this\n";
        check("run bad", error, 1);
        assert!(board().run("run").starts_with("run - run commands in an environment variable\n"));
        assert!(board().run("run.b a").starts_with("run - run commands in an environment variable\n"));
    }
}
