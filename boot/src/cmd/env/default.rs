//! `env default`

use super::{not_defined, set, without_force};
use crate::cmd::{CmdError, Context};
use crate::env::default;

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    match without_force(args) {
        ["-a"] | ["-a", "-f"] => {
            writeln!(ctx.console, "## Resetting to default environment");
            default::reset(&mut ctx.state.env, ctx.machine.board(), &ctx.state.layout);
            ctx.state.locals.clear();
            ctx.load_address = default::load_address(ctx.machine.board());
            Ok(())
        }
        [] => Err(CmdError::Usage),
        names => {
            // One that fails does not keep the others from it.
            let mut result = Ok(());
            for name in names {
                result = one(ctx, name).and(result);
            }
            result
        }
    }
}

/// Sets a variable to its default; without one it is deleted, which is said.
fn one(ctx: &mut Context<'_>, name: &str) -> Result<(), CmdError> {
    match default::value(ctx.machine.board(), &ctx.state.layout, name) {
        Some(value) => set::set(ctx, name, &value),
        None if ctx.state.env.remove(name) => {
            writeln!(ctx.console, "WARNING: '{name}' has no default, deleting it!");
            Ok(())
        }
        None => not_defined(ctx, name),
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn resets_all() {
        let mut board = Board::new();
        let expected = "## Resetting to default environment\nboot 30800000\n## Error: \"x\" not defined\n";
        let line = "setenv x 1; loadaddr=5; env default -a; echo $bootcmd $loadaddr; printenv x";
        assert_eq!(board.run(line), expected);
        assert_eq!(board.run("env default -f -a"), "## Resetting to default environment\n");
    }

    #[test]
    fn resets_some() {
        let mut board = Board::new();
        let line =
            "setenv bootcmd x; setenv arch y; setenv a z; env default bootcmd a none; echo $bootcmd $arch $a";
        let expected = "WARNING: 'a' has no default, deleting it!\n## Error: \"none\" not defined\nboot y\n";
        assert_eq!(board.run(line), expected);
        assert!(board.run("env default").starts_with("env - "));
        assert!(board.run("env default -f").starts_with("env - "));
    }
}
