//! `bootm`

use super::launch::{Mode, launch};
use super::{CmdError, Command, Context, hex, iminfo};
use crate::image::fit;
use crate::image::load::{self, Bundle};
use crate::image::region::Region;

pub const CMD: Command = Command {
    name: "bootm",
    usage: "[--explain | --dry] [addr[#conf] [initrd[:size] | - [fdt]]]",
    help: "boot application image from memory",
    run: |ctx, args| {
        let (mode, args) = Mode::split(args)?;
        let (address, conf) = match args.first() {
            None => (ctx.load_address, None),
            Some(word) => match word.split_once('#') {
                Some((address, conf)) => (hex(address)?, Some(conf)),
                None => (hex(word)?, None),
            },
        };
        boot(ctx, address, conf, args.get(1..).unwrap_or_default(), mode)
    },
};

/// Boots the uImage or FIT at `address`. Does not return if that works, except in a test.
pub fn boot(
    ctx: &mut Context<'_>,
    address: u32,
    conf: Option<&str>,
    rest: &[&str],
    mode: Mode,
) -> Result<(), CmdError> {
    let mut bundle = if conf.is_some() || load::is_tree(ctx.memory, address) {
        of_fit(ctx, address, conf)?
    } else {
        of_uimage(ctx, address)?
    };
    add(ctx, &mut bundle, rest)?;
    launch(ctx, &bundle, mode)
}

fn of_uimage(ctx: &mut Context<'_>, address: u32) -> Result<Bundle, CmdError> {
    let header = load::header(ctx.memory, address)?;
    writeln!(ctx.console, "## Booting kernel from Legacy Image at {address:08x} ...");
    iminfo::describe(ctx, address, &header);
    iminfo::verify(ctx, address, &header)?;
    Ok(load::of_uimage(ctx.memory, address, &header)?)
}

fn of_fit(ctx: &mut Context<'_>, address: u32, conf: Option<&str>) -> Result<Bundle, CmdError> {
    let fit = load::fit(ctx.memory, address).map_err(CmdError::from)?;
    let out = &mut ctx.console;
    writeln!(out, "## Loading kernel from FIT Image at {address:08x} ...");
    let of_fit = |error: fit::FitError| CmdError::Image(error.into());
    let conf = fit.configuration(conf).map_err(of_fit)?;
    writeln!(out, "   Using '{}' configuration", conf.name);
    let part = |purpose| fit.part(conf, purpose).map_err(of_fit);
    let missing = fit::FitError::Property { node: fit::name(conf.name), property: "kernel" };
    let kernel = part("kernel")?.ok_or(of_fit(missing))?;
    let others = [part("ramdisk")?, part("fdt")?];
    for (kind, image) in ["kernel", "ramdisk", "fdt"].iter().zip([Some(kernel), others[0], others[1]]) {
        if let Some(image) = image {
            writeln!(out, "   Trying '{}' {kind} subimage", image.name());
            iminfo::describe_part(out, image);
            write!(out, "   Verifying Hash Integrity ... ");
            let result = iminfo::verify_part(out, image);
            writeln!(out, "{}", if result.is_ok() { "OK" } else { "" });
            result?;
        }
    }
    Ok(load::of_fit(kernel, others)?)
}

/// Adds a ramdisk and a device tree by the words of the command line: they come before those in
/// the image, and `-` is none.
pub fn add(ctx: &Context<'_>, bundle: &mut Bundle, words: &[&str]) -> Result<(), CmdError> {
    match words.first() {
        None => {}
        Some(&"-") => bundle.initrd = None,
        Some(word) => bundle.initrd = Some(initrd(ctx, word)?),
    }
    if let Some(word) = words.get(1) {
        bundle.fdt = Some(load::fdt(ctx.memory, hex(word)?)?);
    }
    Ok(())
}

fn initrd(ctx: &Context<'_>, word: &str) -> Result<Region, CmdError> {
    let Some((address, len)) = word.split_once(':') else {
        return Ok(load::initrd(ctx.memory, hex(word)?)?);
    };
    let (address, len) = (hex(address)?, hex(len)?);
    match ctx.memory.ram(address, len) {
        Some(_) => Ok(Region::new(address, len)),
        None => Err(CmdError::NotRam { address, len }),
    }
}

#[cfg(test)]
mod tests {
    use crate::fdt::tests::board as tree;
    use crate::fdt::{self, Fdt};
    use crate::image::lz4::tests::PLAIN;
    use crate::image::uimage::{COMP_GZIP, COMP_LZ4, TYPE_MULTI, TYPE_RAMDISK};
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
        assert!(board.run("bootm").contains("   Using Ramdisk in place at 30800054, end 30800057\n"));
        assert_eq!(board.memory.load(LOAD, 8), b"KERNEL..");
        assert_eq!(board.memory.load(RAM + 0x100 + 36, 16), initrd(AT + 0x54, 3));
        board.memory.store(AT, &image(PLAIN, |h| h.comp = COMP_LZ4));
        assert!(board.run("bootm").contains("   Uncompressing Kernel Image\n\nStarting kernel ...\n"));
        assert_eq!(board.memory.load(LOAD, 13), b"steppingstone");
        assert_eq!(board.machine.left.len(), 3);
    }

    /// ATAG_INITRD2, which follows core and memory.
    fn initrd(start: u32, len: u32) -> std::vec::Vec<u8> {
        [4, 0x5442_0005, start, len].map(u32::to_le_bytes).concat()
    }

    const INITRD: u32 = RAM + 0x90_0000;
    const TREE: u32 = RAM + 0xa0_0000;

    #[test]
    fn takes_a_ramdisk_and_a_device_tree() {
        let mut board = board();
        board.memory.store(AT, &image(b"kernel..", |_| ()));
        board.memory.store(INITRD, &image(b"ramdisk", |h| h.kind = TYPE_RAMDISK));
        let output = board.run("bootm 30800000 30900000");
        assert!(output.contains("   Using Ramdisk in place at 30900040, end 30900047\n"), "{output}");
        assert_eq!(board.memory.load(RAM + 0x100 + 36, 16), initrd(INITRD + 64, 7));
        assert!(
            board.run("bootm 30800000 30900041:3").contains("Ramdisk in place at 30900041, end 30900044\n")
        );
        // One that the kernel would overwrite.
        let output = board.run("bootm 30800000 30009000:1234");
        assert!(output.contains("   Loading Ramdisk to 30dfe000, end 30dff234\n"), "{output}");
        assert_eq!(board.machine.left.len(), 3);

        board.memory.store(TREE, &tree().end().build());
        let output = board.run("bootm 30800000 30900000 30a00000");
        assert!(output.contains("   Loading Device Tree to 30dff000, end 30dff2de\n"), "{output}");
        assert_eq!(board.machine.left[3], Left::Kernel(LOAD, 1999, 0x30df_f000));
        let found = Fdt::new(board.memory.load(0x30df_f000, 0x2de)).unwrap();
        let chosen = found.node("/chosen").unwrap();
        assert_eq!(chosen.text("bootargs"), Some("quiet"));
        assert_eq!(chosen.number("linux,initrd-start"), Some(INITRD + 64));
        assert_eq!(chosen.number("linux,initrd-end"), Some(INITRD + 71));
        let reg = [RAM, 0x0100_0000].map(u32::to_be_bytes).concat();
        assert_eq!(found.node("/memory").unwrap().prop("reg"), Some(&reg[..]));
        board.run("bootm 30800000 - 30a00000");
        let found = Fdt::new(board.memory.load(0x30df_f000, 0x2de)).unwrap();
        assert_eq!(found.node("/chosen").unwrap().prop("linux,initrd-start"), None);
    }

    #[test]
    fn a_dash_leaves_the_ramdisk_out() {
        let mut board = board();
        let data = [&[0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0], &b"KERNEL..ram"[..]].concat();
        board.memory.store(AT, &image(&data, |h| h.kind = TYPE_MULTI));
        assert!(!board.run("bootm 30800000 -").contains("Ramdisk in place"));
        assert_eq!(board.machine.left.len(), 1);
    }

    #[test]
    fn refuses_bad_ramdisks_and_trees() {
        let refuse = |words: &str, error: &str| {
            let mut board = board();
            board.memory.store(AT, &image(b"kernel..", |_| ()));
            board.memory.store(TREE, &fdt::MAGIC.to_be_bytes());
            let output = board.run(&std::format!("bootm 30800000 {words}"));
            assert!(output.contains(&std::format!("ERROR: {error}")), "{output}");
            assert_eq!(board.machine.left, []);
        };
        refuse("30900000", "there is no uImage at 30900000; for a ramdisk without header give ADDR:SIZE");
        refuse("30800000", "Wrong Ramdisk Image Format: type 0x2");
        refuse("30900000:ffffffff", "30900000, 0xffffffff bytes, is not all RAM");
        refuse("30e00000:10", "the ramdisk at 30e00000, 0x10 bytes, reaches into the loader");
        refuse("30009000:d00000", "no room for the ramdisk of 0xd00000 bytes");
        refuse("- 30900000", "no device tree at 30900000: the first word is 00000000");
        refuse("- 30a00000", "no device tree at 30a00000: version 0 is not supported");
        refuse("- 0", "no RAM at 00000000 for 0x28 bytes");
    }

    #[test]
    fn explains() {
        let mut board = board();
        board.memory.store(AT, &image(b"kernel..", |_| ()));
        let before = board.memory.load(RAM, LOADER - RAM).to_vec();
        let output = board.run("bootm --dry 30800000 30900000:10");
        let expected = "   Verifying Checksum ... OK
   kernel       30800040-30800048 -> 30008000-30008008
   ramdisk      30900000-30900010, stays
   overwritten  30000000-30008000, 30004000-30108008, before the kernel looks at the rest
   r0 = 00000000
   r1 = 000007cf, machine 1999
   r2 = 30000100, tag list
   30000100 CORE
   30000114 MEM      30000000 01000000
   30000124 INITRD2  30900000 00000010
   30000134 CMDLINE  quiet
   30000144 NONE
";
        assert!(output.ends_with(expected), "{output}");
        assert!(board.memory.load(RAM, LOADER - RAM) == before);
        assert_eq!(board.machine.left, []);
        let output = board.run("bootm 30800000 --explain 30900000:10");
        let explained = expected.strip_prefix("   Verifying Checksum ... OK\n").unwrap();
        assert!(output.contains(&std::format!("{explained}   Loading Kernel Image\n")), "{output}");
        assert_eq!(board.machine.left, [Left::Kernel(LOAD, 1999, RAM + 0x100)]);
        board.memory.store(TREE, &tree().end().build());
        let output = board.run("bootm --dry 30800000 - 30a00000");
        let expected = "   r2 = 30dff000, device tree
   fixup /memory reg                = 30000000 01000000
   fixup /chosen bootargs           = quiet
";
        assert!(output.ends_with(expected), "{output}");
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
        refuse(&image(b"kernel..", |h| h.comp = COMP_LZ4), "LZ4: no LZ4 frame: the first word is 6e72656b");
        refuse(&image(b"kernel..", |h| h.kind = TYPE_MULTI), "bad table of parts");
    }

    #[test]
    fn says_what_it_wants() {
        let usage = "bootm - boot application image from memory\n\nUsage:\n\
                     bootm [--explain | --dry] [addr[#conf] [initrd[:size] | - [fdt]]]\n";
        assert_eq!(board().run("bootm 1 2 3 4"), usage);
        assert!(board().run("bootm --fast").starts_with("ERROR: '--fast' is not"));
        assert!(board().run("bootm xyz").starts_with("ERROR: 'xyz' is not"));
        assert!(board().run("bootm 10").starts_with("ERROR: no RAM at 00000010 for 0x40 bytes"));
    }
}
