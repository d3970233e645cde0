//! `reset`

use super::{CmdError, Command};

pub const CMD: Command = Command {
    name: "reset",
    usage: "",
    help: "Perform RESET of the CPU",
    run: |ctx, args| match args {
        [] => {
            writeln!(ctx.console, "resetting ...");
            ctx.console.flush();
            ctx.machine.reset();
            Ok(())
        }
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::{Board, Left};

    #[test]
    fn resets() {
        let mut board = Board::new();
        assert_eq!(board.run("reset"), "resetting ...\n");
        assert_eq!(board.machine.left, [Left::Reset]);
        assert!(board.run("reset now").starts_with("reset - "));
        assert_eq!(board.machine.left.len(), 1);
    }
}
