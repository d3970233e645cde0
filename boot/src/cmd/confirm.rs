//! Asking before something is lost.

use super::{CmdError, Context};
use crate::console::line::Editor;
use crate::nand::guard::losses;
use core::ops::Range;

/// Asks for a "y" or a "yes", typed out; anything else ends the command.
pub fn confirm(ctx: &mut Context<'_>, question: &str, what: &str) -> Result<(), CmdError> {
    write!(ctx.console, "{question} <y/N> ");
    let mut editor = Editor::new();
    if matches!(editor.read(ctx)?.trim(), "y" | "Y" | "yes" | "YES") {
        return Ok(());
    }
    writeln!(ctx.console, "{what} aborted");
    Err(CmdError::Status(1))
}

/// Asks before erase blocks are changed that hold something hard to get back.
pub fn confirm_losses(ctx: &mut Context<'_>, blocks: Range<u32>, what: &str) -> Result<(), CmdError> {
    let losses = losses(ctx.nand, blocks)?;
    if losses.is_empty() {
        return Ok(());
    }
    for loss in losses {
        writeln!(ctx.console, "WARNING: this destroys {loss}.");
    }
    confirm(ctx, "Really go on?", what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;

    #[test]
    fn only_yes_is_yes() {
        let check = |keys: &str, expected, output: &str| {
            let mut board = Board::new();
            board.serial.input.extend(keys.bytes());
            assert_eq!(board.with(|ctx| confirm(ctx, "Jump?", "jump")), expected, "{keys}");
            assert_eq!(board.output(), std::format!("Jump? <y/N> {output}"));
        };
        check("y\r", Ok(()), "y\n");
        check("YES\r", Ok(()), "YES\n");
        check("\r", Err(CmdError::Status(1)), "\njump aborted\n");
        check("yo\r", Err(CmdError::Status(1)), "yo\njump aborted\n");
        check("y\x03", Err(CmdError::Interrupted), "y");
    }
}
