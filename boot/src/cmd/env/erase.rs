//! `env erase`

use super::place;
use crate::cmd::confirm::confirm;
use crate::cmd::nand::live::{Live, block_bytes};
use crate::cmd::{CmdError, Context};
use crate::env::store;

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    if !args.is_empty() {
        return Err(CmdError::Usage);
    }
    let (place, block_bytes) = (place(ctx)?, block_bytes(ctx));
    confirm(ctx, "Erase both stored copies of the environment?", "erase")?;
    writeln!(ctx.console, "Erasing Environment on NAND...");
    let mut live = Live::new(&mut ctx.console, block_bytes, "Skipping bad block at ");
    let result = store::erase_all(ctx.nand, &place, &mut live);
    live.end_line();
    writeln!(ctx.console, "{}", if result.is_ok() { "OK" } else { "FAILED!" });
    Ok(result?)
}

#[cfg(test)]
mod tests {
    use crate::cmd::env::board;

    #[test]
    fn asks_and_erases_the_copy_in_use_last() {
        let mut board = board();
        board.run("setenv a 1; saveenv; setenv a 2; saveenv");
        board.serial.input.extend(*b"n\r");
        assert!(board.run("env erase").ends_with("copies of the environment? <y/N> n\nerase aborted\n"));
        board.serial.input.extend(*b"y\r");
        let output = board.run("env erase");
        assert_eq!(output.matches("Erasing at").count(), 4, "{output}");
        assert!(output.ends_with("Erasing at 0xe0000 -- 100% complete.\nOK\n"), "{output}");
        assert!((4..8).all(|block| board.nand.is_erased(block)) && !board.nand.is_erased(0));
        assert_eq!(board.state.env.get("a"), Some("2"));
        assert!(board.run("env erase 1").starts_with("env - "));
    }
}
