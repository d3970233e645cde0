//! `boot`

use super::launch::Mode;
use super::nand::read::copy;
use super::{CmdError, Command, Context, bootm};
use crate::boot_table::{BootTable, Slot};
use crate::crc::crc32;
use crate::image::load::ImageError;
use crate::image::uimage::{HEADER, Header};
use crate::nand::bad::is_bad;
use crate::nand::page::read_at;
use crate::nand::{NandError, chip_bytes, slots};
use crate::tags::TAGS_AREA;
use core::ops::Range;
use platform::units::EraseBlock;

/// Images are put at multiples of this.
const ALIGN: u32 = 0x1000;

pub const CMD: Command = Command {
    name: "boot",
    usage: "[--explain | --dry] [kernel-a | kernel-b]",
    help: "boot the kernel of slot A, or else that of slot B",
    run: |ctx, args| {
        let (mode, args) = Mode::split(args)?;
        match args[..] {
            [] => boot(ctx, None, mode),
            [name @ ("kernel-a" | "kernel-b")] => boot(ctx, Some(name), mode),
            _ => Err(CmdError::Usage),
        }
    },
};

/// Boots from the slot of that name, or from the first that works.
fn boot(ctx: &mut Context<'_>, only: Option<&str>, mode: Mode) -> Result<(), CmdError> {
    let record = slots::read_record(ctx.nand)?;
    let table = BootTable::parse(&record, crc32)?;
    for (name, slot) in slots::named(&table).into_iter().take(table.kernel.len()) {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        match boot_slot(ctx, name, slot, mode) {
            Ok(()) => return Ok(()),
            Err(CmdError::Interrupted) => return Err(CmdError::Interrupted),
            Err(error) => writeln!(ctx.console, "{name}: ERROR: {error}"),
        }
    }
    Err(CmdError::NothingBoots)
}

fn boot_slot(ctx: &mut Context<'_>, name: &'static str, slot: Slot, mode: Mode) -> Result<(), CmdError> {
    if slot.blocks == 0 {
        return Err(CmdError::NoSlot(name));
    }
    let range = slots::range(slot, &ctx.nand.geometry());
    let header = first_header(ctx, range.clone())?;
    let (address, len) = destination(ctx, &range, &header)?;
    writeln!(ctx.console, "{name}: offset {:#x}, size {len:#x} to {address:08x}", range.start);
    copy(ctx, range, address, len)?;
    ctx.load_address = address;
    bootm::boot(ctx, address, None, &[], mode)
}

/// The header at the start of the first good block.
fn first_header(ctx: &mut Context<'_>, range: Range<u32>) -> Result<Header, CmdError> {
    let geometry = ctx.nand.geometry();
    let block = geometry.page.saturating_mul(geometry.pages_per_block);
    let end = range.end.min(chip_bytes(&geometry));
    for number in range.start / block..end / block {
        if !is_bad(ctx.nand, EraseBlock(number))? {
            let mut bytes = [0; HEADER];
            read_at(ctx.nand, (number * block) as usize, &mut bytes)?;
            return Header::parse(&bytes, crc32).map_err(|error| ImageError::Header(error).into());
        }
    }
    Err(NandError::End { offset: end }.into())
}

/// Where an image of this size is put, and its bytes: right below the loader, out of
/// the way of where kernels are loaded.
fn destination(ctx: &Context<'_>, slot: &Range<u32>, header: &Header) -> Result<(u32, u32), CmdError> {
    let ram = ctx.free_ram();
    let lowest = ram.start.saturating_add(TAGS_AREA);
    let room = (slot.end - slot.start).min(ram.end.saturating_sub(lowest));
    let error = CmdError::Size { len: u64::from(header.size) + HEADER as u64, room };
    let len = header.size.checked_add(HEADER as u32).ok_or(error)?;
    let address = ram.end.checked_sub(len).ok_or(error)? & !(ALIGN - 1);
    if len > room || address < lowest {
        return Err(error);
    }
    Ok((address, len))
}

#[cfg(test)]
mod tests {
    use crate::mock::{BLOCK, Board, Left, RAM, image};

    const ENTERED: Left = Left::Kernel(RAM + 0x8000, 1999, RAM + 0x100);

    /// A board with kernels of 200 KiB, of bytes 0xa and 0xb, in its slots.
    fn board() -> Board {
        let mut board = Board::new();
        board.write_boot_table("quiet");
        board.nand.mark_bad(8);
        board.nand.mark_bad(10);
        board.nand.write_from(8, &image(&[0xa; 200 << 10], |_| ()));
        board.nand.write_from(12, &image(&[0xb; 200 << 10], |_| ()));
        board
    }

    #[test]
    fn boots_slot_a() {
        let mut board = board();
        let output = board.run("boot");
        let expected = "\
kernel-a: offset 0x100000, size 0x32040 to 30dcd000
Skipping bad block 0x00100000
Skipping bad block 0x00140000
 204864 bytes read: OK
## Booting kernel from Legacy Image at 30dcd000 ...
";
        assert!(output.starts_with(expected), "{output}");
        assert_eq!(board.machine.left, [ENTERED]);
        assert_eq!(board.memory.load(RAM + 0x8000, 200 << 10), [0xa; 200 << 10]);
    }

    #[test]
    fn boots_the_other_slot_when_the_first_fails() {
        let break_a = |damage: fn(&mut Board), error: &str| {
            let mut board = board();
            damage(&mut board);
            let output = board.run("boot");
            assert!(output.contains(&std::format!("kernel-a: ERROR: {error}")), "{output}");
            assert_eq!(board.machine.left, [ENTERED]);
            assert_eq!(board.memory.load(RAM + 0x8000, 1), [0xb]);
        };
        break_a(|b| b.nand.write(9 * 64, &[]), "Bad Magic Number: ffffffff");
        break_a(|b| b.nand.write(9 * 64 + 20, &[]), "Bad Data CRC: ");
        break_a(|b| [0, 1].into_iter().for_each(|bit| b.nand.flip(9 * 64 + 20, 0, bit)), "page 0x254 has");
        break_a(|b| b.nand.mark_bad(11), "the range ends at 0x00180000");
        let hostile = |board: &mut Board, size: u32| {
            board.nand.write(9 * 64, &image(&[0xa; 1984], |h| h.size = size));
        };
        for size in [4 * BLOCK - 63, 0x7fff_ffff, u32::MAX - 64, u32::MAX - 63, u32::MAX] {
            let mut board = board();
            hostile(&mut board, size);
            let output = board.run("boot");
            assert!(output.contains("kernel-a: ERROR: the image says it has "), "{output}");
            assert_eq!(board.machine.left, [ENTERED]);
        }
        let mut board = board();
        hostile(&mut board, 4 * BLOCK - 64);
        assert!(board.run("boot").contains("kernel-a: ERROR: the range ends at 0x00180000"));
    }

    #[test]
    fn boots_what_it_is_told() {
        let mut board = board();
        assert!(board.run("boot kernel-b").starts_with("kernel-b: offset 0x180000"));
        assert_eq!(board.memory.load(RAM + 0x8000, 1), [0xb]);
        let usage = "boot - boot the kernel of slot A, or else that of slot B\n\n\
                     Usage:\nboot [--explain | --dry] [kernel-a | kernel-b]\n";
        assert_eq!(board.run("boot stage2-1"), usage);
    }

    #[test]
    fn explains_before_or_instead_of_booting() {
        let mut board = board();
        let output = board.run("boot --dry");
        assert!(output.contains("   kernel       30dcd040-30dff040 -> 30008000-3003a000\n"), "{output}");
        assert!(output.contains("   30000124 CMDLINE  quiet\n"), "{output}");
        assert_eq!(board.machine.left, []);
        assert_eq!(board.memory.load(RAM + 0x100, 4), [0; 4]);
        assert!(board.run("boot kernel-b --explain").contains("   r1 = 000007cf, machine 1999\n"));
        assert_eq!(board.machine.left, [ENTERED]);
    }

    #[test]
    fn stays_when_nothing_boots() {
        let mut board = Board::new();
        board.write_boot_table("quiet");
        let output = board.run("boot");
        let end = "ERROR: no kernel slot boots; write a kernel to one, or try 'bootm'\n";
        assert!(output.ends_with(end), "{output}");
        assert_eq!(output.matches("Bad Magic Number").count(), 2);
        let damaged = "ERROR: there is no boot table in block 0; write stage1 anew\n";
        assert_eq!(Board::new().run("boot"), damaged);
        assert_eq!(board.machine.left, []);
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = board();
        board.serial.input.push_back(3);
        assert!(board.run("boot").ends_with(" 0 bytes read: ERROR\n<INTERRUPT>\n"));
        assert_eq!(board.machine.left, []);
    }
}
