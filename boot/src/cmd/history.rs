//! `history`

use super::{CmdError, Command};

pub const CMD: Command = Command {
    name: "history",
    usage: "",
    help: "print command history",
    run: |ctx, args| match args {
        [] => {
            ctx.state.history.texts().for_each(|line| writeln!(ctx.console, "{line}"));
            Ok(())
        }
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn lists_lines() {
        let mut board = Board::new();
        assert_eq!(board.run("history"), "");
        board.state.history.add(b"md 0");
        board.state.history.add(b"echo '  a'");
        assert_eq!(board.run("history"), "md 0\necho '  a'\n");
        assert_eq!(board.run("history 1"), "history - print command history\n\nUsage:\nhistory\n");
    }
}
