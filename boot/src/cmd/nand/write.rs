//! `nand write`

use super::live::{Live, block_bytes};
use super::place;
use crate::cmd::confirm::confirm_losses;
use crate::cmd::{CmdError, Context, hex};
use crate::nand::raw::{self, raw_bytes};
use crate::nand::write::{Written, write};
use crate::nand::{NandError, chip_bytes};
use core::ops::Range;
use platform::units::Page;

/// Writes what is in memory, by the suffix of `nand write` and the words behind it.
pub fn run(ctx: &mut Context<'_>, form: &str, words: &[&str]) -> Result<(), CmdError> {
    match (form, words) {
        ("" | ".trimffs", [address, from]) => good(ctx, form, hex(address)?, from, None),
        ("" | ".trimffs", [address, from, size]) => good(ctx, form, hex(address)?, from, Some(hex(size)?)),
        (".raw" | ".raw.noverify", [address, from]) => as_is(ctx, form, hex(address)?, from, 1),
        (".raw" | ".raw.noverify", [address, from, pages]) => {
            as_is(ctx, form, hex(address)?, from, hex(pages)?)
        }
        (".oob", [address, from, size]) => oob(ctx, hex(address)?, from, hex(size)?),
        _ => Err(CmdError::Usage),
    }
}

/// With ECC, to good blocks.
fn good(
    ctx: &mut Context<'_>,
    form: &str,
    address: u32,
    from: &str,
    size: Option<u32>,
) -> Result<(), CmdError> {
    let range = place::find(ctx, from)?;
    let size = match size {
        Some(size) => size,
        None => place::good_bytes(ctx, &range)?,
    };
    place::first(&range, size)?;
    announce(ctx, &range, size);
    let unit = block_bytes(ctx);
    let data = ctx.memory.ram(address, size).ok_or(CmdError::NotRam { address, len: size })?;
    let mut live = Live::new(&mut ctx.console, unit, "Skip bad block");
    let result = write(ctx.nand, range, data, form == ".trimffs", &mut live);
    let (Ok(written) | Err((written, _))) = result;
    conclude(ctx, written.bytes, result.map(|_| ()).map_err(|(_, error)| error), &written)
}

/// Says how it went, and what was not written.
fn conclude(
    ctx: &mut Context<'_>,
    bytes: u32,
    result: Result<(), NandError>,
    written: &Written,
) -> Result<(), CmdError> {
    let out = &mut ctx.console;
    writeln!(out, " {bytes} bytes written: {}", if result.is_ok() { "OK" } else { "ERROR" });
    let Written { skipped, trimmed, flips, .. } = written;
    for (count, what) in [
        (skipped, "bytes in bad blocks skipped"),
        (trimmed, "pages of FF left erased"),
        (flips, "bitflips corrected on reading back"),
    ] {
        if *count != 0 {
            writeln!(out, " {count} {what}");
        }
    }
    Ok(result?)
}

/// Pages with their OOB.
fn as_is(ctx: &mut Context<'_>, form: &str, address: u32, from: &str, pages: u32) -> Result<(), CmdError> {
    let (range, first) = pages_from(ctx, from, pages)?;
    let len = pages.checked_mul(raw_bytes(ctx.nand)).ok_or(CmdError::NotRam { address, len: u32::MAX })?;
    announce(ctx, &range, len);
    let unit = block_bytes(ctx);
    let bytes = ctx.memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
    let mut live = Live::new(&mut ctx.console, unit, "");
    let result = raw::write(ctx.nand, first, bytes, form == ".raw", &mut live);
    let (Ok(done) | Err((done, _))) = result;
    let done = done * raw_bytes(ctx.nand);
    conclude(ctx, done, result.map(|_| ()).map_err(|(_, error)| error), &Written::default())
}

/// The OOB alone.
fn oob(ctx: &mut Context<'_>, address: u32, from: &str, size: u32) -> Result<(), CmdError> {
    let oob = ctx.nand.geometry().oob;
    let pages = size.div_ceil(oob);
    let (range, first) = pages_from(ctx, from, pages)?;
    announce(ctx, &range, size);
    let (unit, in_block) = (block_bytes(ctx), ctx.nand.geometry().pages_per_block);
    // It may be the codes of what is there that are changed.
    confirm_losses(ctx, first.0 / in_block..(first.0 + pages).div_ceil(in_block), "write")?;
    let bytes = ctx.memory.ram(address, size).ok_or(CmdError::NotRam { address, len: size })?;
    let mut live = Live::new(&mut ctx.console, unit, "");
    let result = raw::write_oob(ctx.nand, first, bytes, &mut live);
    let (Ok(done) | Err((done, _))) = result;
    conclude(ctx, size.min(done * oob), result.map(|_| ()).map_err(|(_, error)| error), &Written::default())
}

/// Where so many pages are, all of which must be there.
pub fn pages_from(ctx: &mut Context<'_>, from: &str, pages: u32) -> Result<(Range<u32>, Page), CmdError> {
    let unit = ctx.nand.geometry().page;
    let range = place::find(ctx, from)?;
    if !range.start.is_multiple_of(unit) {
        return Err(NandError::Unaligned { offset: range.start, unit }.into());
    }
    let size = pages.saturating_mul(unit);
    let range = place::first(&(range.start..range.end.min(chip_bytes(&ctx.nand.geometry()))), size)?;
    Ok((range.clone(), Page(range.start / unit)))
}

fn announce(ctx: &mut Context<'_>, range: &Range<u32>, size: u32) {
    writeln!(ctx.console, "\nNAND write: device 0 offset {:#x}, size {size:#x}", range.start);
}

#[cfg(test)]
mod tests {
    use crate::mock::{BLOCK, Board, RAM, image};
    use std::vec::Vec;

    /// A board with words that differ at the start of RAM.
    fn board() -> (Board, Vec<u8>) {
        let mut board = Board::new();
        board.write_boot_table("");
        let words: Vec<u8> = (0..3 * BLOCK / 4).flat_map(u32::to_le_bytes).collect();
        board.memory.store(RAM, &words);
        (board, words)
    }

    #[test]
    fn writes_what_can_be_read() {
        let (mut board, words) = board();
        board.nand.mark_bad(9);
        let expected = "
NAND write: device 0 offset 0x100000, size 0x21001
Skip bad block 0x00120000
 135169 bytes written: OK
 131072 bytes in bad blocks skipped
";
        assert_eq!(board.run("nand write 30000000 kernel-a 21001"), expected);
        board.run("nand read 30800000 100000 21001");
        assert!(board.memory.load(RAM + 0x80_0000, 0x21001) == &words[..0x21001]);
        // From the middle of memory, to the middle of a block.
        assert!(board.run("nand write 30000123 280800 4").ends_with(" 4 bytes written: OK\n"));
        assert_eq!(
            board.nand.data(20 * 64 + 1)[..5],
            [words[0x123], words[0x124], words[0x125], words[0x126], 0xff]
        );
    }

    #[test]
    fn fills_a_slot() {
        let (mut board, _) = board();
        board.nand.mark_bad(10);
        let output = board.run("nand write 30000000 kernel-a");
        assert!(
            output.contains("size 0x60000\n") && output.contains(" 393216 bytes written: OK\n"),
            "{output}"
        );
        let end = "ERROR: the range ends at 0x00200000 and too few of its blocks are good; read less\n";
        assert_eq!(board.run("nand write 30000000 kernel-b 80001"), end);
        board.nand.mark_bad(12);
        assert!(board.run("nand write 30000000 kernel-b 80000").ends_with(end));
        assert!(board.nand.is_erased(13));
    }

    #[test]
    fn moves_what_a_failing_block_should_have_held() {
        let (mut board, words) = board();
        board.nand.fail_program.insert(20 * 64 + 7);
        let expected = "
NAND write: device 0 offset 0x280000, size 0x4000
Page 0x507 could not be programmed: block 0x00280000 is marked bad now, its data goes to the next good one
 16384 bytes written: OK
";
        assert_eq!(board.run("nand write 30000000 280000 4000"), expected);
        assert_eq!(board.run("nand bad"), "\nDevice 0 bad blocks:\n  0x00280000\n");
        board.run("nand read 30800000 280000 4000");
        assert!(board.memory.load(RAM + 0x80_0000, 0x4000) == &words[..0x4000]);
    }

    #[test]
    fn destroys_nothing() {
        let (mut board, _) = board();
        board.nand.write_from(8, &image(&[0xa; 200_000], |_| ()));
        let error =
            " 0 bytes written: ERROR\nERROR: page 0x200 is not erased; 'nand erase' its block first\n";
        assert!(board.run("nand write 30000000 kernel-a 800").ends_with(error));
        assert!(board.run("nand write.raw 30000000 kernel-a").ends_with(error));
        assert!(board.run("nand write 30000000 0 800").contains("page 0x0 is not erased"));
        assert_eq!(board.nand.changes, 0);
        // The OOB can be added to, where the ECC of a kernel is.
        board.serial.input.extend(*b"n\r");
        let output = board.run("nand write.oob 30000000 kernel-a 40");
        let question =
            "WARNING: this destroys the kernel in kernel-a, the last good one.\nReally go on? <y/N> n\n";
        assert!(output.ends_with(&std::format!("{question}write aborted\n")), "{output}");
        assert_eq!(board.nand.changes, 0);
    }

    #[test]
    fn trims() {
        let (mut board, _) = board();
        board.memory.store(RAM + 0x800, &[0xff; 0x1000]);
        let output = board.run("nand write.trimffs 30000000 280000 2000");
        assert!(output.ends_with(" 8192 bytes written: OK\n 2 pages of FF left erased\n"), "{output}");
        assert_eq!(board.nand.changes, 2);
    }

    #[test]
    fn writes_raw_pages_and_oob() {
        let (mut board, words) = board();
        let expected = "\nNAND write: device 0 offset 0x280000, size 0x1080\n 4224 bytes written: OK\n";
        assert_eq!(board.run("nand write.raw 30000000 280000 2"), expected);
        assert_eq!(board.nand.data(20 * 64 + 1), &words[2112..][..2048]);
        board.memory.store(RAM, b"\xff\xffabc");
        let expected = "\nNAND write: device 0 offset 0x2a0000, size 0x5\n 5 bytes written: OK\n";
        assert_eq!(board.run("nand write.oob 30000000 2a0000 5"), expected);
        assert!(
            board.run("nand dump.oob 2a0000").starts_with("Page 002a0000 dump:\nOOB:\n\tff ff 61 62 63 ff")
        );
        assert!(board.run("nand write.raw.noverify 30000000 2c0000").ends_with(" 2112 bytes written: OK\n"));
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        let (mut board, _) = board();
        let mut check = |line: &str, error: &str| {
            let output = board.run(line);
            assert!(output.contains(error), "{line}: {output}");
        };
        check("nand write 30000000 280004 4", "ERROR: offset 0x280004 is not a multiple of 0x800\n");
        check("nand write.raw 30000000 280004", "ERROR: offset 0x280004 is not a multiple of 0x800\n");
        check("nand write.raw 30000000 7ff800 2", "ERROR: the range ends at 0x00800000");
        check("nand write.raw 30000000 7ff800 ffffffff", "ERROR: the range ends at 0x00800000");
        check("nand write 30000000 800000 1", "ERROR: offset 0x800000 is beyond the chip");
        check("nand write 31000000 0 1", "ERROR: 31000000, 0x1 bytes, is not all RAM");
        check("nand write 30fffff0 280000 20", "ERROR: 30fffff0, 0x20 bytes, is not all RAM");
        check("nand write 30000000 kernel-x 20", "ERROR: 'kernel-x' is neither an offset");
        for line in
            ["nand write", "nand write 0", "nand write.oob 0 0", "nand write.x 0 0 0", "nand write 0 0 0 0"]
        {
            check(line, "nand - NAND sub-system\n");
        }
        assert_eq!(board.nand.changes, 0);
        board.serial.input.push_back(3);
        let output = board.run("nand write 30000000 280000 4");
        assert!(output.ends_with(" 0 bytes written: ERROR\n<INTERRUPT>\n"), "{output}");
    }
}
