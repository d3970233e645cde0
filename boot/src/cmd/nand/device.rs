//! `nand device`

use super::info::show_chip;
use crate::cmd::{CmdError, Context};

/// Shows the current device: there is one.
pub fn show(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    show_chip(ctx);
    Ok(())
}

/// Chooses a device.
pub fn set(ctx: &mut Context<'_>, number: u32) -> Result<(), CmdError> {
    if number != 0 {
        writeln!(ctx.console, "No such device: {number}; there is device 0");
        return Err(CmdError::Status(1));
    }
    writeln!(ctx.console, "Device 0: nand0... is now current device");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn there_is_one_device() {
        let mut board = Board::new();
        let shown = board.run("nand device");
        assert!(shown.starts_with("\nDevice 0: nand0, sector size 128 KiB\n"), "{shown}");
        assert!(shown.ends_with("  chip size   8 MiB\n"), "{shown}");
        assert_eq!(board.run("nand device 0"), "Device 0: nand0... is now current device\n");
        assert_eq!(board.run("nand device 1"), "No such device: 1; there is device 0\n");
    }
}
