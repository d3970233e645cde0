//! `nand read`

use super::live::block_bytes;
use super::place;
use crate::cmd::{CmdError, Context};
use crate::nand::walk::Walk;
use crate::nand::{NandError, part};
use core::ops::Range;

/// Reads `size` bytes, by default all good blocks, of what `from` names to `address`.
pub fn run(ctx: &mut Context<'_>, address: u32, from: &str, size: Option<u32>) -> Result<(), CmdError> {
    let range = place::find(ctx, from)?;
    let size = match size {
        Some(size) => size,
        None => place::good_bytes(ctx, &range)?,
    };
    writeln!(ctx.console, "\nNAND read: device 0 offset {:#x}, size {size:#x}", range.start);
    copy(ctx, range, address, size)?;
    ctx.load_address = address;
    Ok(())
}

/// Reads `size` bytes from the good blocks of a range of the chip to `address`; says
/// what it skips and corrects.
pub fn copy(ctx: &mut Context<'_>, range: Range<u32>, address: u32, size: u32) -> Result<(), CmdError> {
    if size > range.end.saturating_sub(range.start) {
        return Err(NandError::End { offset: range.end }.into());
    }
    ctx.check_free(address, size)?;
    if part::all_read_cache(ctx.machine.board().nand_parts) {
        copy_by::<true>(ctx, range, address, size)
    } else {
        copy_by::<false>(ctx, range, address, size)
    }
}

fn copy_by<const CACHE: bool>(
    ctx: &mut Context<'_>,
    range: Range<u32>,
    address: u32,
    size: u32,
) -> Result<(), CmdError> {
    let page = ctx.nand.geometry().page;
    let pages = (range.start % page).saturating_add(size).div_ceil(page);
    let mut walk = Walk::<CACHE>::start(ctx.nand, range, pages)?;
    let mut done = 0;
    let mut result = Ok(());
    while result.is_ok() && done < size {
        result = piece(ctx, &mut walk, address + done, size - done).map(|len| done += len);
    }
    writeln!(ctx.console, " {done} bytes read: {}", if result.is_ok() { "OK" } else { "ERROR" });
    if !walk.tally.is_clean() {
        writeln!(ctx.console, " {}", walk.tally);
    }
    // Why reading failed says more than why the chip does not get ready after that.
    result.and(walk.stop(ctx.nand).map_err(CmdError::from))
}

/// Reads what is in the next page, `most` bytes of it, to an address in RAM.
fn piece<const CACHE: bool>(
    ctx: &mut Context<'_>,
    walk: &mut Walk<CACHE>,
    address: u32,
    most: u32,
) -> Result<u32, CmdError> {
    ctx.check_interrupt()?;
    let result = walk.step(ctx.nand);
    for block in walk.skipped.clone() {
        writeln!(ctx.console, "Skipping bad block {:#010x}", block.saturating_mul(block_bytes(ctx)));
    }
    result?;
    let bytes = walk.bytes();
    let bytes = bytes.get(..most as usize).unwrap_or(bytes);
    let len = bytes.len() as u32;
    ctx.memory.ram_mut(address, len).ok_or(CmdError::NotRam { address, len })?.copy_from_slice(bytes);
    Ok(len)
}

#[cfg(test)]
mod tests {
    use crate::descriptor::tests::descriptor;
    use crate::mock::{BLOCK, Board, LOADER, RAM};
    use std::vec::Vec;

    /// A board whose blocks from 8 on hold words that differ, block 9 being bad.
    fn board() -> (Board, Vec<u8>) {
        let mut board = Board::new();
        board.write_boot_table("");
        board.nand.mark_bad(9);
        let words: Vec<u8> = (0..2 * BLOCK / 4).flat_map(u32::to_le_bytes).collect();
        board.nand.write_from(8, &words);
        (board, words)
    }

    #[test]
    fn reads_skips_and_corrects() {
        let (mut board, words) = board();
        board.nand.flip(8 * 64, 5, 5);
        board.nand.flip(10 * 64 + 1, 2000, 0);
        let expected = "
NAND read: device 0 offset 0x100000, size 0x21001
Skipping bad block 0x00120000
 135169 bytes read: OK
 bitflips corrected: 2 in 2 of 536 ECC steps, at most 1 in one
";
        assert_eq!(board.run("nand read 30000010 100000 21001"), expected);
        assert!(board.memory.load(RAM + 0x10, 0x21001) == &words[..0x21001]);
        assert_eq!(board.memory.load(RAM + 0x21011, 4), [0; 4]);
    }

    #[test]
    fn starts_in_the_middle_of_a_page() {
        let (mut board, words) = board();
        let expected = "\nNAND read: device 0 offset 0x100804, size 0x800\n 2048 bytes read: OK\n";
        assert_eq!(board.run("nand read 30000000 0x100804 800"), expected);
        assert_eq!(board.memory.load(RAM, 0x800), &words[0x804..0x1004]);
    }

    #[test]
    fn knows_the_slots_by_name() {
        let (mut board, words) = board();
        let expected = "
NAND read: device 0 offset 0x100000, size 0x60000
Skipping bad block 0x00120000
 393216 bytes read: OK
";
        assert_eq!(board.run("nand read 30000000 kernel-a"), expected);
        assert!(board.memory.load(RAM, 2 * BLOCK) == words);
        assert!(board.run("nand read 30000000 kernel-b 4").ends_with(" 4 bytes read: OK\n"));
        for name in ["stage2-2", "kernel-x", "env", "x"] {
            let error = std::format!(
                "ERROR: '{name}' is neither an offset nor a partition; see 'mtdparts' for those there are\n"
            );
            assert_eq!(board.run(&std::format!("nand read 30000000 {name} 4")), error);
        }
        let error = "ERROR: '1x' is not a hexadecimal number of up to 8 digits, like 30008000\n";
        assert_eq!(board.run("nand read 30000000 1x 4"), error);
        let end = "ERROR: the range ends at 0x00180000 and too few of its blocks are good; read less\n";
        let beyond = board.run("nand read 30000000 kernel-a 80001");
        assert!(beyond.ends_with(end), "{beyond}");
        // As many bytes as the slot has, but not as its good blocks have.
        let beyond = board.run("nand read 30000000 kernel-a 80000");
        assert!(beyond.ends_with(&std::format!(" 393216 bytes read: ERROR\n{end}")), "{beyond}");
    }

    #[test]
    fn knows_the_partitions_of_the_descriptor() {
        let (mut board, _) = board();
        board.write_descriptor(&descriptor());
        let output = board.run("nand read 30000000 env");
        assert_eq!(output, "\nNAND read: device 0 offset 0x80000, size 0x40000\n 262144 bytes read: OK\n");
    }

    #[test]
    fn never_writes_over_the_loader_or_outside_of_ram() {
        let (mut board, _) = board();
        let mut refuse = |line: &str, error: &str| {
            let output = board.run(line);
            assert!(output.contains(&std::format!("ERROR: {error}")), "{output}");
            assert!(board.memory.loader().iter().all(|&byte| byte == 0), "{line}");
        };
        refuse("nand read 30e00000 100000 1", "30e00000, 0x1 bytes, would overwrite the loader");
        refuse("nand read 30dfffff 100000 2", "30dfffff, 0x2 bytes, would overwrite the loader");
        refuse("nand read 30000000 0 ffffffff", "the range ends at 0x00800000");
        refuse("nand read 30fff000 0 1000", "30fff000, 0x1000 bytes, would overwrite the loader");
        refuse("nand read 31000000 0 1", "31000000, 0x1 bytes, is not all RAM");
        refuse("nand read 0 0 1000", "00000000, 0x1000 bytes, is not all RAM");
        refuse("nand read fffffff0 0 20", "fffffff0, 0x20 bytes, is not all RAM");
        refuse("nand read 30000000 800000 1", "offset 0x800000 is beyond the chip");
        assert_eq!(board.memory.load(LOADER - 1, 1), [0]);
        // One byte less is none too many.
        assert!(board.run("nand read 30dfffff 100000 1").ends_with(" 1 bytes read: OK\n"));
    }

    #[test]
    fn stops_where_it_cannot_correct() {
        let (mut board, words) = board();
        board.nand.flip(8 * 64 + 2, 256, 0);
        board.nand.flip(8 * 64 + 2, 300, 1);
        let expected = "
NAND read: device 0 offset 0x100000, size 0x10000
 4096 bytes read: ERROR
 no bitflips corrected in 24 ECC steps; steps not correctable: 1
ERROR: page 0x202 has more bitflips in ECC step 1 than ECC can correct; \
look with 'nand dump', use another copy or write it anew
";
        assert_eq!(board.run("nand read 30000000 100000 10000"), expected);
        assert_eq!(board.memory.load(RAM, 0x1000), &words[..0x1000]);
        assert_eq!(board.memory.load(RAM + 0x1000, 4), [0; 4]);
    }

    #[test]
    fn stops_at_ctrl_c() {
        let (mut board, _) = board();
        board.serial.input.push_back(3);
        let expected = "\nNAND read: device 0 offset 0x0, size 0x1000\n 0 bytes read: ERROR\n<INTERRUPT>\n";
        assert_eq!(board.run("nand read 30000000 0 1000"), expected);
    }
}
