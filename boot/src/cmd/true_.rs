//! `true`

use super::Command;

pub const CMD: Command =
    Command { name: "true", usage: "", help: "do nothing, successfully", run: |_, _| Ok(()) };

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn succeeds() {
        let mut board = Board::new();
        assert_eq!(board.run("false; true and arguments"), "");
        assert_eq!(board.state.status, 0);
    }
}
