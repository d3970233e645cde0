//! `bootd`

use super::{CmdError, Command, run};

pub const CMD: Command = Command {
    name: "bootd",
    usage: "",
    help: "boot default, i.e., run 'bootcmd'",
    run: |ctx, args| match args {
        [] => run::run(ctx, "bootcmd"),
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn runs_bootcmd() {
        let mut board = Board::new();
        assert_eq!(board.run("bootd"), "## Error: \"bootcmd\" not defined\n");
        assert_eq!(board.run("setenv bootcmd 'echo b; false'; bootd || echo no"), "b\nno\n");
        assert!(board.run("bootd now").starts_with("bootd - boot default"));
    }
}
