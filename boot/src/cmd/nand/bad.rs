//! `nand bad`

use crate::cmd::{CmdError, Context};
use crate::nand::bad::is_bad;
use platform::units::EraseBlock;

pub fn run(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    let geometry = ctx.nand.geometry();
    let bytes = geometry.page.saturating_mul(geometry.pages_per_block);
    writeln!(ctx.console, "\nDevice 0 bad blocks:");
    for block in 0..geometry.blocks {
        if is_bad(ctx.nand, EraseBlock(block))? {
            writeln!(ctx.console, "  {:#010x}", u64::from(block) * u64::from(bytes));
        }
        ctx.check_interrupt()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn lists_bad_blocks() {
        let mut board = Board::new();
        assert_eq!(board.run("nand bad"), "\nDevice 0 bad blocks:\n");
        for block in [1, 2, 63] {
            board.nand.mark_bad(block);
        }
        let expected = "\nDevice 0 bad blocks:\n  0x00020000\n  0x00040000\n  0x007e0000\n";
        assert_eq!(board.run("nand bad"), expected);
    }

    #[test]
    fn stops_at_ctrl_c_and_at_a_busy_chip() {
        let mut board = Board::new();
        board.serial.input.push_back(3);
        assert_eq!(board.run("nand bad"), "\nDevice 0 bad blocks:\n<INTERRUPT>\n");
        board.nand.stuck = true;
        assert!(board.run("nand bad").contains("ERROR: the NAND chip stays busy on page 0x0"));
    }
}
