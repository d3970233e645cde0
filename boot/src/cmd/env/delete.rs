//! `env delete`

use super::without_force;
use crate::cmd::{CmdError, Context};

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    let names = without_force(args);
    if names.is_empty() {
        return Err(CmdError::Usage);
    }
    let gone = names.iter().filter(|name| ctx.state.env.remove(name)).count();
    if gone == names.len() { Ok(()) } else { Err(CmdError::Status(1)) }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn deletes() {
        let mut board = Board::new();
        for name in ["a", "b", "c"] {
            board.state.env.set(name, "1").unwrap();
        }
        assert_eq!(board.run("env delete -f a b; echo $?"), "0\n");
        assert_eq!(board.run("env delete x c; echo $?"), "1\n");
        assert_eq!(board.state.env.as_bytes(), b"");
        assert!(board.run("env delete -f").starts_with("env - "));
    }
}
