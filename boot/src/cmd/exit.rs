//! `exit`

use super::{CmdError, Command};

pub const CMD: Command = Command {
    name: "exit",
    usage: "[status]",
    help: "end the script, with a decimal status of 0 to 255",
    run: |ctx, args| match args {
        [] => Err(CmdError::Exit(ctx.state.status)),
        [status] => Err(CmdError::Exit(status.parse().map_err(|_| CmdError::Usage)?)),
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn ends_the_innermost_script() {
        let mut board = Board::new();
        assert_eq!(board.run("echo a; for i in 1 2; do exit 3; done; echo b"), "a\n");
        assert_eq!(board.state.status, 3);
        board.state.env.set("x", "echo in; exit 4; echo not").unwrap();
        assert_eq!(board.run("run x; echo $?; exit 0; echo b"), "in\n4\n");
        assert_eq!(board.state.status, 0);
        board.run("false; exit");
        assert_eq!(board.state.status, 1);
    }

    #[test]
    fn says_what_it_wants() {
        let usage = "exit - end the script, with a decimal status of 0 to 255\n\nUsage:\nexit [status]\n";
        for line in ["exit 256", "exit x", "exit 1 2", "exit -1"] {
            assert_eq!(Board::new().run(line), usage);
        }
    }
}
