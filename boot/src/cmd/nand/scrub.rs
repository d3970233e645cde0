//! `nand scrub`

use super::erase::{announce, execute, whole};
use super::live::{block_bytes, blocks};
use crate::cmd::confirm::{confirm, confirm_losses};
use crate::cmd::{CmdError, Context};
use crate::nand::bad::is_bad;
use crate::nand::erase::How;
use core::ops::Range;
use platform::units::EraseBlock;

/// Offsets on a line that puts marks back: so many words a line may have.
const OFFSETS: usize = 8;

/// Erases bad blocks and good ones, marks and all.
pub fn run(ctx: &mut Context<'_>, form: &str, words: &[&str]) -> Result<(), CmdError> {
    let (sure, words) = match words {
        ["-y", rest @ ..] => (true, rest),
        _ => (false, words),
    };
    let range = whole(ctx, form, words)?;
    announce(ctx, "scrub", &range);
    let blocks = blocks(ctx, &range)?;
    writeln!(
        ctx.console,
        "Warning: scrub option will erase all factory set bad blocks!\n         \
         There is no reliable way to recover them.\n         \
         Use this command only for testing purposes if you\n         \
         are sure of what you are doing!"
    );
    show_marks(ctx, blocks.clone())?;
    if !sure {
        confirm(ctx, "Really scrub this NAND flash?", "scrub")?;
    }
    confirm_losses(ctx, blocks, "scrub")?;
    execute(ctx, range, How::Scrub)
}

/// The commands that mark again what is marked now, to be kept by whoever may want it.
fn show_marks(ctx: &mut Context<'_>, blocks: Range<u32>) -> Result<(), CmdError> {
    let unit = block_bytes(ctx);
    let mut marked = 0;
    for block in blocks {
        if is_bad(ctx.nand, EraseBlock(block))? {
            let start = match marked {
                0 => "To have the marks again, keep this:\nnand markbad",
                _ if marked % OFFSETS == 0 => "\nnand markbad",
                _ => "",
            };
            write!(ctx.console, "{start} {:x}", block.saturating_mul(unit));
            marked += 1;
        }
        ctx.check_interrupt()?;
    }
    if marked != 0 {
        ctx.console.put(b'\n');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    const WARNING: &str = "\
Warning: scrub option will erase all factory set bad blocks!
         There is no reliable way to recover them.
         Use this command only for testing purposes if you
         are sure of what you are doing!
";

    #[test]
    fn shows_how_to_have_the_marks_again() {
        let mut board = Board::new();
        for block in 20..29 {
            board.nand.mark_bad(block);
        }
        board.serial.input.extend(*b"y\r");
        let output = board.run("nand scrub 260000 180000");
        let marks = "To have the marks again, keep this:
nand markbad 280000 2a0000 2c0000 2e0000 300000 320000 340000 360000
nand markbad 380000
Really scrub this NAND flash? <y/N> y
";
        let start = std::format!("\nNAND scrub: device 0 offset 0x260000, size 0x180000\n{WARNING}{marks}");
        assert!(output.starts_with(&start) && output.ends_with("\n 1572864 bytes erased\nOK\n"), "{output}");
        assert_eq!(board.run("nand bad").lines().count(), 2);
        board.run("nand markbad 280000 2a0000 2c0000 2e0000 300000 320000 340000 360000");
        assert_eq!(board.run("nand bad").lines().count(), 10);
    }

    #[test]
    fn asks_unless_told_not_to_but_always_for_what_is_dear() {
        let mut board = Board::new();
        board.nand.mark_bad(20);
        board.serial.input.extend(*b"n\r");
        assert!(board.run("nand scrub 280000 20000").ends_with("<y/N> n\nscrub aborted\n"));
        assert!(!board.nand.is_erased(20));
        assert!(board.run("nand scrub -y 280000 20000").ends_with("\nOK\n"));
        assert!(board.nand.is_erased(20));
        board.write_boot_table("");
        board.serial.input.extend(*b"n\r");
        let output = board.run("nand scrub.chip -y");
        assert!(output.ends_with("does not start.\nReally go on? <y/N> n\nscrub aborted\n"), "{output}");
        assert!(!board.nand.is_erased(0));
        for line in ["nand scrub", "nand scrub -y", "nand scrub.spread 0 20000"] {
            assert!(board.run(line).starts_with("nand - "), "{line}");
        }
    }
}
