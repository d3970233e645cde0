//! `nand markbad`

use super::live::block_bytes;
use crate::cmd::confirm::confirm_losses;
use crate::cmd::{CmdError, Context, hex};
use crate::nand::bad::{is_bad, mark};
use crate::nand::chip_bytes;
use crate::nand::program::check_writable;
use platform::units::EraseBlock;

/// Marks the blocks bad that these offsets are in.
pub fn run(ctx: &mut Context<'_>, offsets: &[&str]) -> Result<(), CmdError> {
    if offsets.is_empty() {
        return Err(CmdError::Usage);
    }
    check_writable(ctx.nand)?;
    offsets.iter().try_for_each(|offset| mark_one(ctx, hex(offset)?))
}

fn mark_one(ctx: &mut Context<'_>, offset: u32) -> Result<(), CmdError> {
    let chip = chip_bytes(&ctx.nand.geometry());
    if offset >= chip {
        return Err(CmdError::BeyondChip { offset, chip });
    }
    let block = EraseBlock(offset / block_bytes(ctx));
    if !is_bad(ctx.nand, block)? {
        confirm_losses(ctx, block.0..block.0 + 1, "markbad")?;
        let console = &mut ctx.console;
        let result = mark(ctx.nand, block, &mut || {
            console.key_waiting();
        });
        if let Err(error) = result {
            writeln!(ctx.console, "block {offset:#010x} NOT marked as bad!");
            return Err(error.into());
        }
    }
    writeln!(ctx.console, "block {offset:#010x} successfully marked as bad");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{BLOCK, Board};

    #[test]
    fn marks_blocks() {
        let mut board = Board::new();
        board.nand.write_from(20, &[0; BLOCK as usize]);
        let expected =
            "block 0x00280800 successfully marked as bad\nblock 0x00300000 successfully marked as bad\n";
        assert_eq!(board.run("nand markbad 280800 300000"), expected);
        assert_eq!(board.run("nand bad"), "\nDevice 0 bad blocks:\n  0x00280000\n  0x00300000\n");
        // Once more is not worse.
        let changes = board.nand.changes;
        assert!(board.run("nand markbad 280000").ends_with("successfully marked as bad\n"));
        assert_eq!(board.nand.changes, changes);
    }

    #[test]
    fn asks_and_refuses() {
        let mut board = Board::new();
        board.write_boot_table("");
        board.serial.input.extend(*b"\r");
        assert!(board.run("nand markbad 0").ends_with("Really go on? <y/N> \nmarkbad aborted\n"));
        assert_eq!(board.run("nand bad"), "\nDevice 0 bad blocks:\n");
        assert!(board.run("nand markbad 800000").starts_with("ERROR: offset 0x800000 is beyond the chip"));
        assert!(board.run("nand markbad").starts_with("nand - "));
        board.nand.fail_program.extend([64, 65]);
        let expected = "block 0x00020000 NOT marked as bad!\n\
                        ERROR: block 0x1 could not be marked bad; use another range\n";
        assert_eq!(board.run("nand markbad 20000"), expected);
        board.nand.protected = true;
        assert!(board.run("nand markbad 20000").starts_with("ERROR: the NAND chip is write-protected"));
    }
}
