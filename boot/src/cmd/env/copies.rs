//! `env copies`

use super::place;
use crate::cmd::nand::live::block_bytes;
use crate::cmd::{CmdError, Context};
use crate::env::SIZE;
use crate::env::store::{Content, newest, scan};

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    if !args.is_empty() {
        return Err(CmdError::Usage);
    }
    let (place, block_bytes) = (place(ctx)?, block_bytes(ctx));
    let copies = scan(ctx.nand, &place)?;
    let used = newest(&copies);
    let pages = (SIZE as u32).div_ceil(ctx.nand.geometry().page);
    let out = &mut ctx.console;
    for (number, copy) in copies.iter().enumerate() {
        let (n, block) = (number + 1, copy.block.0);
        let offset = block.saturating_mul(block_bytes);
        write!(out, "copy {n}: block {block:#x}, offset {offset:#010x}: ");
        match copy.content {
            Content::NoBlock => write!(out, "no good block"),
            Content::Erased => write!(out, "erased"),
            Content::Valid { serial } => write!(out, "valid, serial {serial}"),
            Content::Torn { blank, unreadable } => {
                write!(out, "torn: of {pages} pages {blank} are erased and {unreadable} beyond ECC");
            }
            Content::Crc { stored, computed } => {
                write!(out, "CRC wrong: stored {stored:08x}, computed {computed:08x}");
            }
        }
        if copy.flips > 0 {
            write!(out, ", ECC corrected {} bits", copy.flips);
        }
        writeln!(out, "{}", if used == Some(number) { ", in use" } else { "" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::cmd::env::board;
    use crate::mock::Board;

    const AT: [&str; 2] =
        ["copy 1: block 0x4, offset 0x00080000: ", "copy 2: block 0x6, offset 0x000c0000: "];

    #[track_caller]
    fn check(board: &mut Board, first: &str, second: &str) {
        assert_eq!(board.run("env copies"), std::format!("{}{first}\n{}{second}\n", AT[0], AT[1]));
    }

    #[test]
    fn tells_all() {
        let mut board = board();
        check(&mut board, "erased", "erased");
        board.run("saveenv");
        check(&mut board, "valid, serial 1, in use", "erased");
        board.run("setenv a 1; saveenv");
        check(&mut board, "valid, serial 1", "valid, serial 2, in use");
        board.nand.flip(4 * 64, 100, 0);
        board.nand.flip(4 * 64, 300, 0);
        check(&mut board, "valid, serial 1, ECC corrected 2 bits", "valid, serial 2, in use");
        for (page, bit) in [(6 * 64 + 1, 0), (6 * 64 + 1, 1)] {
            board.nand.flip(page, 100, bit);
        }
        let torn = "torn: of 8 pages 0 are erased and 1 beyond ECC";
        check(&mut board, "valid, serial 1, ECC corrected 2 bits, in use", torn);
        board.nand.write(4 * 64 + 2, b"x");
        board.nand.write(6 * 64 + 1, &[]);
        board.nand.write(6 * 64 + 7, &[]);
        let output = board.run("env copies");
        assert!(
            output.contains(": CRC wrong: stored ") && output.contains(", ECC corrected 2 bits\n"),
            "{output}"
        );
        assert!(output.ends_with(": torn: of 8 pages 2 are erased and 0 beyond ECC\n"), "{output}");
        board.nand.mark_bad(6);
        assert!(board.run("env copies").ends_with("copy 2: block 0x7, offset 0x000e0000: erased\n"));
        board.nand.mark_bad(7);
        assert!(board.run("env copies").ends_with("copy 2: block 0x6, offset 0x000c0000: no good block\n"));
        assert!(board.run("env copies 1").starts_with("env - "));
    }
}
