//! `nand read.raw` and `nand read.oob`

use super::write::pages_from;
use crate::cmd::{CmdError, Context};
use crate::nand::page::PageBuffer;
use crate::nand::raw::raw_bytes;
use platform::units::Page;

/// Reads pages with their OOB as the chip holds them, bad blocks like any other.
pub fn pages(ctx: &mut Context<'_>, address: u32, from: &str, pages: u32) -> Result<(), CmdError> {
    let len = pages.checked_mul(raw_bytes(ctx.nand)).ok_or(CmdError::NotRam { address, len: u32::MAX })?;
    read(ctx, address, from, len, 0)
}

/// Reads `size` bytes of the OOB of pages, one after the other.
pub fn oob(ctx: &mut Context<'_>, address: u32, from: &str, size: u32) -> Result<(), CmdError> {
    read(ctx, address, from, size, ctx.nand.geometry().page)
}

/// Reads what pages have from byte `skip` on, `len` bytes in all.
fn read(ctx: &mut Context<'_>, address: u32, from: &str, len: u32, skip: u32) -> Result<(), CmdError> {
    let each = raw_bytes(ctx.nand) - skip;
    let (range, first) = pages_from(ctx, from, len.div_ceil(each))?;
    ctx.check_free(address, len)?;
    writeln!(ctx.console, "\nNAND read: device 0 offset {:#x}, size {len:#x}", range.start);
    let mut buffer = PageBuffer::new();
    let mut done = 0;
    for page in (first.0..).map(Page) {
        if done >= len {
            break;
        }
        ctx.check_interrupt()?;
        let (data, oob) = buffer.read_raw(ctx.nand, page)?;
        let bytes = data.iter().chain(oob).skip(skip as usize);
        let (to, here) = (address + done, each.min(len - done));
        let to = ctx.memory.ram_mut(to, here).ok_or(CmdError::NotRam { address: to, len: here })?;
        to.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        done += here;
    }
    writeln!(ctx.console, " {done} bytes read: OK");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[test]
    fn reads_pages_and_oob_as_they_are() {
        let mut board = Board::new();
        board.nand.write(640, &[1; 2048]);
        board.nand.write_raw(641, &[2; 2048], &[3; 64]);
        board.nand.flip(640, 0, 7);
        let expected = "\nNAND read: device 0 offset 0x140000, size 0x1080\n 4224 bytes read: OK\n";
        assert_eq!(board.run("nand read.raw 30000000 140000 2"), expected);
        assert_eq!(board.memory.load(RAM, 2), [0x81, 1]);
        assert_eq!(board.memory.load(RAM + 2112 + 2047, 3), [2, 3, 3]);
        let expected = "\nNAND read: device 0 offset 0x140000, size 0x42\n 66 bytes read: OK\n";
        assert_eq!(board.run("nand read.oob 30100000 140000 42"), expected);
        assert_eq!(
            board.memory.load(RAM + 0x10_0000 + 63, 4),
            [board.memory.load(RAM + 2111, 1)[0], 3, 3, 0]
        );
        // What was written raw is read raw.
        assert!(board.run("nand write.raw 30000000 180000 2").ends_with("OK\n"));
        board.run("nand read.raw 30200000 180000 2");
        assert!(board.memory.load(RAM, 4224) == board.memory.load(RAM + 0x20_0000, 4224));
    }

    #[test]
    fn stays_in_the_chip_and_out_of_the_loader() {
        let mut board = Board::new();
        assert!(board.run("nand read.raw 30dffff0 0").contains("would overwrite the loader"));
        assert!(board.run("nand read.raw 30000000 7ff800 2").contains("the range ends at 0x00800000"));
        assert!(board.run("nand read.oob 30000000 7ff800 41").contains("the range ends at 0x00800000"));
        assert!(board.run("nand read.oob 30000000 7ff804 1").contains("is not a multiple of 0x800"));
        assert!(board.run("nand read.raw 30000000 0 ffffffff").contains("is not all RAM"));
    }
}
