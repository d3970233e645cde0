//! `nand erase`

use super::live::{Live, block_bytes, blocks};
use super::place;
use crate::cmd::confirm::confirm_losses;
use crate::cmd::{CmdError, Context, hex};
use crate::nand::chip_bytes;
use crate::nand::erase::{Erased, How, erase, spread};
use core::ops::Range;

/// What is to be erased, by the words behind `nand erase` and its suffix.
pub fn run(ctx: &mut Context<'_>, form: &str, words: &[&str]) -> Result<(), CmdError> {
    let (how, words) = match words {
        ["clean", rest @ ..] => (How::Clean, rest),
        _ => (How::Good, words),
    };
    let mut range = range(ctx, form, words)?;
    // Blocks that fail are bad from then on, and a spread takes as many more.
    loop {
        announce(ctx, "erase", &range);
        confirm_losses(ctx, blocks(ctx, &range)?, "erase")?;
        execute(ctx, range.clone(), how)?;
        range = range.end..self::range(ctx, form, words)?.end;
        if range.is_empty() {
            return Ok(());
        }
    }
}

/// The range that the forms with and without a suffix are for.
fn range(ctx: &mut Context<'_>, form: &str, words: &[&str]) -> Result<Range<u32>, CmdError> {
    match (form, words) {
        (".spread", [from, size]) => {
            let range = place::find(ctx, from)?;
            let within = blocks(ctx, &range)?;
            let good = hex(size)?.div_ceil(block_bytes(ctx));
            let end = spread(ctx.nand, within.start, within.end, good)?;
            Ok(range.start..end * block_bytes(ctx))
        }
        (".spread", _) => Err(CmdError::Usage),
        _ => whole(ctx, form, words),
    }
}

/// The same for forms that `nand scrub` has as well.
pub fn whole(ctx: &mut Context<'_>, form: &str, words: &[&str]) -> Result<Range<u32>, CmdError> {
    match (form, words) {
        ("", [from, size]) => {
            let range = place::find(ctx, from)?;
            let size = hex(size)?.checked_next_multiple_of(block_bytes(ctx)).unwrap_or(u32::MAX);
            place::first(&range, size)
        }
        (".part", [name]) => place::partition(ctx, name),
        (".chip", []) => Ok(0..chip_bytes(&ctx.nand.geometry())),
        _ => Err(CmdError::Usage),
    }
}

/// Says what is about to be done, as U-Boot does.
pub fn announce(ctx: &mut Context<'_>, what: &str, range: &Range<u32>) {
    let (start, size) = (range.start, range.end - range.start);
    writeln!(ctx.console, "\nNAND {what}: device 0 offset {start:#x}, size {size:#x}");
}

/// Erases a range, and says what of it was not.
pub fn execute(ctx: &mut Context<'_>, range: Range<u32>, how: How) -> Result<(), CmdError> {
    let (blocks, unit) = (blocks(ctx, &range)?, block_bytes(ctx));
    let mut live = Live::new(&mut ctx.console, unit, "Skipping bad block at ");
    let result = erase(ctx.nand, blocks, how, &mut live);
    live.end_line();
    let (Ok(Erased { blocks, skipped, failed }) | Err((Erased { blocks, skipped, failed }, _))) = result;
    write!(ctx.console, " {} bytes erased", u64::from(blocks) * u64::from(unit));
    for (count, what) in [(skipped, "skipped in bad blocks"), (failed, "in blocks that are bad now")] {
        if count != 0 {
            write!(ctx.console, ", {} {what}", u64::from(count) * u64::from(unit));
        }
    }
    writeln!(ctx.console, "\n{}", if result.is_ok() { "OK" } else { "ERROR" });
    result.map(|_| ()).map_err(|(_, error)| error.into())
}

#[cfg(test)]
mod tests {
    use crate::mock::{BLOCK, Board, image};
    use std::string::String;

    /// A board with two sound kernels, all blocks from 16 on written, and 18 bad.
    fn board() -> Board {
        let mut board = Board::new();
        board.write_boot_table("");
        board.nand.write_from(8, &image(&[0xa; 200_000], |_| ()));
        board.nand.write_from(12, &image(&[0xb; 200_000], |_| ()));
        board.nand.mark_bad(18);
        board.nand.write_from(16, &[0x5a; 8 * BLOCK as usize]);
        board
    }

    fn answer(board: &mut Board, line: &str, answer: &str) -> String {
        board.serial.input.extend(answer.bytes());
        board.run(line)
    }

    #[test]
    fn erases_and_says_what_it_skipped() {
        let mut board = board();
        let expected = "
NAND erase: device 0 offset 0x220000, size 0x60000
Erasing at 0x220000 --  33% complete.
Skipping bad block at  0x00240000
Erasing at 0x260000 -- 100% complete.
 262144 bytes erased, 131072 skipped in bad blocks
OK
";
        // A size that is not one of blocks counts as more.
        assert_eq!(board.run("nand erase 220000 40001"), expected);
        let erased = [16, 17, 18, 19, 20].map(|block| board.nand.is_erased(block));
        assert_eq!(erased, [false, true, false, true, false]);
    }

    #[test]
    fn spreads_and_knows_the_slots_by_name() {
        let mut board = board();
        let output = board.run("nand erase.spread 220000 40000");
        assert!(
            output.contains("size 0x60000\n") && output.contains("\n 262144 bytes erased, 131072 "),
            "{output}"
        );
        assert!(board.run("nand erase.part kernel-b").ends_with("\n 524288 bytes erased\nOK\n"));
        assert!(board.nand.is_erased(12) && !board.nand.is_erased(9) && !board.nand.is_erased(16));
        let output = board.run("nand erase clean kernel-b 20000");
        assert!(output.ends_with("\n 131072 bytes erased\nOK\n") && !board.nand.is_erased(12), "{output}");
    }

    #[test]
    fn asks_before_it_takes_the_last_kernel() {
        let mut board = board();
        assert!(!board.run("nand erase.part kernel-a").contains("WARNING"));
        let question = "
NAND erase: device 0 offset 0x180000, size 0x80000
WARNING: this destroys the kernel in kernel-b, the last good one.
Really go on? <y/N> ";
        let output = answer(&mut board, "nand erase.part kernel-b", "n\r");
        assert_eq!(output, std::format!("{question}n\nerase aborted\n"));
        assert!(!board.nand.is_erased(12));
        let output = answer(&mut board, "nand erase.part kernel-b", "y\r");
        assert!(output.starts_with(question) && output.ends_with("OK\n"), "{output}");
        assert!(board.nand.is_erased(12));
    }

    #[test]
    fn asks_before_it_takes_stage1() {
        let mut board = board();
        let output = answer(&mut board, "nand erase.chip", "\r");
        assert!(output.contains("destroys stage1 and the boot table"), "{output}");
        assert!(!board.nand.is_erased(0) && !board.nand.is_erased(20));
        assert!(answer(&mut board, "nand erase.chip", "yes\r").ends_with("OK\n"));
        assert!((0..64).all(|block| board.nand.is_erased(block) || block == 18));
        // Now there is nothing to be lost.
        assert!(board.run("nand erase 0 20000").ends_with("OK\n"));
    }

    #[test]
    fn a_block_that_fails_is_said_so() {
        let mut board = board();
        board.nand.fail_erase.insert(20);
        let output = board.run("nand erase 280000 40000");
        let expected = "
NAND erase: device 0 offset 0x280000, size 0x40000
Block 0x00280000 could not be erased: it is marked bad now
Erasing at 0x2a0000 -- 100% complete.
 131072 bytes erased, 131072 in blocks that are bad now
OK
";
        assert_eq!(output, expected);
        assert_eq!(board.run("nand bad").lines().skip(2).count(), 2);
    }

    #[test]
    fn a_spread_makes_up_for_blocks_that_fail() {
        let mut board = board();
        board.nand.fail_erase.extend([20, 22]);
        let output = board.run("nand erase.spread 280000 40000");
        let expected = "
NAND erase: device 0 offset 0x2c0000, size 0x20000
Block 0x002c0000 could not be erased: it is marked bad now
 0 bytes erased, 131072 in blocks that are bad now
OK

NAND erase: device 0 offset 0x2e0000, size 0x20000
Erasing at 0x2e0000 -- 100% complete.
 131072 bytes erased
OK
";
        assert!(output.ends_with(expected), "{output}");
        assert!(board.nand.is_erased(21) && board.nand.is_erased(23));
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        let mut board = board();
        let mut check = |line: &str, error: &str| {
            let output = board.run(line);
            assert!(output.contains(error), "{line}: {output}");
        };
        check("nand erase 220800 20000", "ERROR: offset 0x220800 is not a multiple of 0x20000\n");
        check("nand erase 800000 20000", "ERROR: offset 0x800000 is beyond the chip");
        check("nand erase 7e0000 20001", "ERROR: the range ends at 0x00800000");
        check("nand erase 7e0000 ffffffff", "ERROR: the range ends at 0x00800000");
        check("nand erase.part 0", "ERROR: '0' is neither an offset nor a partition");
        check("nand erase.spread kernel-b 80001", "ERROR: the range ends at 0x00200000");
        for line in ["nand erase", "nand erase 0", "nand erase.part", "nand erase.chip 0", "nand erase.x 0 0"]
        {
            check(line, "nand - NAND sub-system\n");
        }
        assert_eq!(board.nand.changes, 0);
        board.nand.protected = true;
        let output = board.run("nand erase 220000 20000");
        let error = "\n 0 bytes erased\nERROR\nERROR: the NAND chip is write-protected: its nWP pin is low\n";
        assert!(output.ends_with(error), "{output}");
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = board();
        let output = answer(&mut board, "nand erase 220000 20000", "\x03");
        assert!(output.ends_with("\n 0 bytes erased\nERROR\n<INTERRUPT>\n"), "{output}");
    }
}
