//! `bootm`

use super::{CmdError, Command, Context, hex, iminfo};
use crate::boot_table::{BootTable, CMDLINE_MAX};
use crate::crc::crc32;
use crate::image::load::{self, Kernel};
use crate::image::uimage;
use crate::nand::slots;
use crate::tags::{self, TAGS_OFFSET, Tags};

/// Words that the longest tag list has, and some more.
const TAG_WORDS: usize = 128;

pub const CMD: Command = Command {
    name: "bootm",
    usage: "[addr]",
    help: "boot application image from memory",
    run: |ctx, args| match args {
        [] => boot(ctx, ctx.load_address),
        [address] => boot(ctx, hex(address)?),
        _ => Err(CmdError::Usage),
    },
};

/// Boots the uImage at `address`. Does not return if that works, except in a test.
pub fn boot(ctx: &mut Context<'_>, address: u32) -> Result<(), CmdError> {
    let header = load::header(ctx.memory, address)?;
    writeln!(ctx.console, "## Booting kernel from Legacy Image at {address:08x} ...");
    iminfo::describe(ctx, address, &header);
    iminfo::verify(ctx, address, &header)?;
    load::check_kind(&header)?;
    let action = if header.comp == uimage::COMP_NONE { "Loading" } else { "Uncompressing" };
    writeln!(ctx.console, "   {action} Kernel Image");
    let ram = ctx.free_ram();
    let kernel = load::place(ctx.memory, ram, address, &header)?;
    if let Some((start, len)) = kernel.initrd {
        writeln!(ctx.console, "   Ramdisk at {start:08x}, {len} Bytes");
    }
    start(ctx, &kernel)
}

fn start(ctx: &mut Context<'_>, kernel: &Kernel) -> Result<(), CmdError> {
    let record = slots::read_record(ctx.nand).map_err(CmdError::from);
    let table =
        record.as_ref().map_err(|&error| error).and_then(|record| Ok(BootTable::parse(record, crc32)?));
    let board = ctx.machine.board();
    let (machine, cmdline) = match table {
        Ok(table) => (table.machine, table.cmdline),
        Err(error) => {
            writeln!(ctx.console, "WARNING: {error}. The kernel gets no command line");
            (board.machine, "")
        }
    };
    let mut words = [0; CMDLINE_MAX / 4 + 1];
    let cmdline = match cmdline {
        "" => &[],
        text => tags::pack(text, &mut words).ok_or(CmdError::Tags)?,
    };
    let tags = Tags { memory: board.sdram, revision: board.revision, initrd: kernel.initrd, cmdline };
    let address = write_tags(ctx, &tags)?;
    writeln!(ctx.console, "\nStarting kernel ...\n");
    ctx.console.flush();
    ctx.machine.enter_kernel(kernel.entry, machine, address);
    Ok(())
}

fn write_tags(ctx: &mut Context<'_>, tags: &Tags<'_>) -> Result<u32, CmdError> {
    let mut words = [0; TAG_WORDS];
    let used = tags.write(&mut words).and_then(|count| words.get(..count)).ok_or(CmdError::Tags)?;
    let address = tags.memory.0.saturating_add(TAGS_OFFSET);
    let bytes = ctx.memory.ram_mut(address, size_of_val(used) as u32).ok_or(CmdError::Tags)?;
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(used) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use crate::image::uimage::{COMP_GZIP, TYPE_MULTI};
    use crate::mock::{Board, LOADER, Left, RAM, image};

    const AT: u32 = 0x3080_0000;
    const LOAD: u32 = RAM + 0x8000;

    /// `printf 'kernel..' | gzip -9n`
    const GZIP: &[u8] = &[
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x4e, 0x2d, 0xca, 0x4b, 0xcd, 0xd1,
        0xd3, 0x03, 0x00, 0xb6, 0x54, 0x21, 0xcb, 0x08, 0x00, 0x00, 0x00,
    ];

    fn board() -> Board {
        let mut board = Board::new();
        board.write_boot_table("quiet");
        board
    }

    #[test]
    fn boots() {
        let mut board = board();
        board.memory.store(AT, &image(b"kernel..", |_| ()));
        let expected = "\
## Booting kernel from Legacy Image at 30800000 ...
   Image Name:   test
   Image Type:   ARM Linux Kernel Image (uncompressed)
   Data Size:    8 Bytes = 8 Bytes
   Load Address: 30008000
   Entry Point:  30008000
   Verifying Checksum ... OK
   Loading Kernel Image

Starting kernel ...

";
        assert_eq!(board.run("bootm 30800000"), expected);
        assert_eq!(board.machine.left, [Left::Kernel(LOAD, 1999, RAM + 0x100)]);
        assert_eq!(board.memory.load(LOAD, 8), b"kernel..");
        let tags: [u32; 15] = [
            5,
            0x5441_0001,
            0,
            0,
            0, // core
            4,
            0x5441_0002,
            0x0100_0000,
            RAM, // memory
            4,
            0x5441_0009,
            u32::from_le_bytes(*b"quie"),
            u32::from_le_bytes(*b"t\0\0\0"), // command line
            0,
            0,
        ];
        let bytes: std::vec::Vec<u8> = tags.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(board.memory.load(RAM + 0x100, 60), bytes);
    }

    #[test]
    fn boots_gzip_and_multi() {
        let mut board = board();
        board.memory.store(AT, &image(GZIP, |h| h.comp = COMP_GZIP));
        assert!(board.run("bootm").contains("   Uncompressing Kernel Image\n\nStarting kernel ...\n"));
        assert_eq!(board.memory.load(LOAD, 9), b"kernel..\0");
        let data = [&[0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0], &b"KERNEL..ram"[..]].concat();
        board.memory.store(AT, &image(&data, |h| h.kind = TYPE_MULTI));
        assert!(board.run("bootm").contains("   Ramdisk at 30008008, 3 Bytes\n"));
        assert_eq!(board.memory.load(LOAD, 11), b"KERNEL..ram");
        // ATAG_INITRD2 follows core and memory.
        let tag = [4, 0x5442_0005, LOAD + 8, 3].map(u32::to_le_bytes).concat();
        assert_eq!(board.memory.load(RAM + 0x100 + 36, 16), tag);
        assert_eq!(board.machine.left.len(), 2);
    }

    #[test]
    fn boots_without_a_boot_table_and_says_so() {
        let mut board = Board::new();
        board.memory.store(AT, &image(b"kernel..", |_| ()));
        let output = board.run("bootm");
        let warning = "WARNING: there is no boot table in block 0; write stage1 anew. \
                       The kernel gets no command line\n";
        assert!(output.contains(warning), "{output}");
        assert_eq!(board.machine.left, [Left::Kernel(LOAD, 1999, RAM + 0x100)]);
    }

    #[test]
    fn refuses_every_bad_image() {
        let refuse = |bytes: &[u8], error: &str| {
            let mut board = board();
            board.memory.store(AT, bytes);
            let output = board.run("bootm 30800000");
            assert!(output.contains(&std::format!("ERROR: {error}")), "{output}");
            assert_eq!(board.machine.left, []);
            assert!(board.memory.loader().iter().all(|&byte| byte == 0));
        };
        let good = image(b"kernel..", |_| ());
        refuse(&[0xff; 64], "Bad Magic Number: ffffffff is not 27051956; there is no uImage");
        for bit in [4 * 8, 12 * 8 + 7, 63 * 8] {
            let mut torn = good.clone();
            torn[bit / 8] ^= 1 << (bit % 8);
            refuse(&torn, "Bad Header Checksum: ");
        }
        let mut torn = good.clone();
        torn[64] ^= 1;
        refuse(&torn, "Bad Data CRC: ");
        refuse(&good[..68], "Bad Data CRC: ");
        refuse(&image(b"kernel..", |h| h.size = 0), "Bad Data CRC: ");
        refuse(&image(b"", |_| ()), "the image holds no data");
        refuse(&image(b"kernel..", |h| h.size = u32::MAX), "no RAM at 30800000 for 0xffffffff bytes");
        refuse(&image(b"kernel..", |h| h.arch = 5), "Unsupported Architecture 0x5");
        refuse(&image(b"kernel..", |h| h.os = 17), "Unsupported operating system 0x11");
        refuse(&image(b"kernel..", |h| h.kind = 5), "Wrong Image Type 0x5 for bootm command");
        refuse(&image(b"kernel..", |h| h.comp = 2), "Unimplemented compression type 2");
        let to = |address| move |h: &mut crate::image::uimage::Header| (h.load, h.entry) = (address, address);
        for address in [LOADER - 4, LOADER, LOADER + 0x1f_fff8, 0, RAM, RAM + 0x100] {
            let error = std::format!("load range {address:08x}, 0x8 bytes, is not in free RAM");
            refuse(&image(b"kernel..", to(address)), &error);
        }
        refuse(&image(b"kernel..", |h| h.entry += 8), "entry point 30008008 is not in the kernel");
        refuse(&image(b"kernel..", |h| h.entry = LOADER), "entry point 30e00000 is not in the kernel");
        refuse(&image(b"kernel..", |h| h.comp = COMP_GZIP), "GUNZIP: no gzip header");
        refuse(&image(b"kernel..", |h| h.kind = TYPE_MULTI), "bad table of parts");
    }

    #[test]
    fn says_what_it_wants() {
        let usage = "bootm - boot application image from memory\n\nUsage:\nbootm [addr]\n";
        assert_eq!(board().run("bootm 1 2"), usage);
        assert!(board().run("bootm xyz").starts_with("ERROR: 'xyz' is not"));
        assert!(board().run("bootm 10").starts_with("ERROR: no RAM at 00000010 for 0x40 bytes"));
    }
}
