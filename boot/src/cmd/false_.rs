//! `false`

use super::{CmdError, Command};

pub const CMD: Command = Command {
    name: "false",
    usage: "",
    help: "do nothing, unsuccessfully",
    run: |_, _| Err(CmdError::Status(1)),
};

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn fails() {
        let mut board = Board::new();
        assert_eq!(board.run("false and arguments"), "");
        assert_eq!(board.state.status, 1);
    }
}
