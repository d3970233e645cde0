//! `iminfo`

use super::{CmdError, Command, Context, Size, hex};
use crate::console::Console;
use crate::image::fit;
use crate::image::load;
use crate::image::uimage::{self, Header};

pub const CMD: Command = Command {
    name: "iminfo",
    usage: "[addr ...]",
    help: "print header information for application image",
    run: |ctx, args| {
        if args.is_empty() {
            return check(ctx, ctx.load_address);
        }
        args.iter().try_for_each(|address| check(ctx, hex(address)?))
    },
};

/// Shows what the image at `address` is, and verifies it.
pub fn check(ctx: &mut Context<'_>, address: u32) -> Result<(), CmdError> {
    writeln!(ctx.console, "\n## Checking Image at {address:08x} ...");
    if load::is_tree(ctx.memory, address) {
        return check_fit(ctx, address);
    }
    let header = load::header(ctx.memory, address)?;
    writeln!(ctx.console, "   Legacy image found");
    describe(ctx, address, &header);
    verify(ctx, address, &header)
}

/// Shows a header in U-Boot's format.
pub fn describe(ctx: &mut Context<'_>, address: u32, header: &Header) {
    let out = &mut ctx.console;
    writeln!(out, "   Image Name:   {}", header.name());
    let (arch, os, kind, comp) = names(header);
    writeln!(out, "   Image Type:   {arch} {os} {kind} ({comp})");
    writeln!(out, "   Data Size:    {} Bytes = {}", header.size, Size(header.size));
    writeln!(out, "   Load Address: {:08x}", header.load);
    writeln!(out, "   Entry Point:  {:08x}", header.entry);
    let has_parts = [uimage::TYPE_MULTI, uimage::TYPE_SCRIPT].contains(&header.kind);
    if let (true, Ok(data)) = (has_parts, load::data(ctx.memory, address, header)) {
        writeln!(out, "   Contents:");
        for (i, (at, len)) in uimage::parts(data).enumerate() {
            writeln!(out, "      Image {i}: {len} Bytes = {}", Size(len as u32));
            if header.kind == uimage::TYPE_SCRIPT && i > 0 {
                let start = address.wrapping_add(uimage::HEADER as u32).wrapping_add(at as u32);
                writeln!(out, "       Offset = {start:#010x}");
            }
        }
    }
}

/// Verifies the data CRC and shows the result.
pub fn verify(ctx: &mut Context<'_>, address: u32, header: &Header) -> Result<(), CmdError> {
    write!(ctx.console, "   Verifying Checksum ... ");
    let result = load::verify(ctx.memory, address, header).map(|_| ());
    writeln!(ctx.console, "{}", if result.is_ok() { "OK" } else { "Bad Data CRC" });
    Ok(result?)
}

fn check_fit(ctx: &mut Context<'_>, address: u32) -> Result<(), CmdError> {
    let fit = load::fit(ctx.memory, address)?;
    let out = &mut ctx.console;
    writeln!(out, "   FIT image found\n   FIT description: {}", fit.description());
    for (i, image) in fit.images().enumerate() {
        writeln!(out, "    Image {i} ({})", image.name());
        describe_part(out, image);
    }
    if let Some(default) = fit.default() {
        writeln!(out, "    Default Configuration: '{default}'");
    }
    for (i, conf) in fit.configurations().enumerate() {
        writeln!(out, "    Configuration {i} ({})", conf.name);
        let names = [
            ("Description:  ", "description"),
            ("Kernel:       ", "kernel"),
            ("Init Ramdisk: ", "ramdisk"),
            ("FDT:          ", "fdt"),
        ];
        for (label, property) in names {
            if let Some(value) = conf.text(property) {
                writeln!(out, "     {label}{value}");
            }
        }
    }
    writeln!(out, "## Checking hash(es) for FIT Image at {address:08x} ...");
    for (i, image) in fit.images().enumerate() {
        write!(out, "   Hash(es) for Image {i} ({}): ", image.name());
        let result = verify_part(out, image);
        writeln!(out);
        result?;
    }
    Ok(())
}

/// Shows an image of a FIT in U-Boot's format.
pub fn describe_part(out: &mut Console<'_>, image: fit::Image<'_>) {
    let text = |property| image.text(property).unwrap_or("unavailable");
    let mut line = |label: &str, value: &str| writeln!(out, "     {label:<14}{value}");
    let kind = text("type");
    line("Description:", text("description"));
    line("Type:", of_name(KINDS, kind, "Unknown Image"));
    let compression = image.text("compression").unwrap_or("none");
    line("Compression:", of_name(COMPRESSIONS, compression, "unknown compression"));
    match image.region() {
        Ok(data) => {
            writeln!(out, "     Data Start:   {:#010x}", data.start);
            writeln!(out, "     Data Size:    {} Bytes = {}", data.len, Size(data.len));
        }
        Err(_) => writeln!(out, "     Data Start:   unavailable"),
    }
    let mut line = |label: &str, value: &str| writeln!(out, "     {label:<14}{value}");
    // What U-Boot shows of which type.
    let (is_tree, is_loaded) =
        (kind == "flat_dt", ["kernel", "ramdisk", "firmware", "standalone"].contains(&kind));
    if is_loaded || is_tree {
        line("Architecture:", of_name(ARCHS, text("arch"), "Unknown Architecture"));
    }
    if is_loaded && kind != "standalone" {
        line("OS:", of_name(SYSTEMS, text("os"), "Unknown OS"));
    }
    for (label, property) in [("Load Address:", "load"), ("Entry Point:", "entry")] {
        match image.number(property) {
            Ok(Some(number)) => writeln!(out, "     {label:<14}{number:#010x}"),
            _ if is_loaded => writeln!(out, "     {label:<14}unavailable"),
            _ => {}
        }
    }
    for (algorithm, value) in image.hashes() {
        write!(out, "     Hash algo:    {algorithm}\n     Hash value:   ");
        value.iter().for_each(|byte| write!(out, "{byte:02x}"));
        writeln!(out);
    }
}

/// Verifies the hashes of an image of a FIT and shows a verdict of each.
pub fn verify_part(out: &mut Console<'_>, image: fit::Image<'_>) -> Result<(), CmdError> {
    let result =
        image.verify(|algorithm, good| write!(out, "{algorithm}{}", if good { "+ " } else { " error!" }));
    result.map_err(|error| CmdError::Image(error.into()))
}

/// Codes in a uImage, names in a FIT, and what U-Boot's boot/image.c shows for them.
type Names = [(u8, &'static str, &'static str)];

const ARCHS: &Names = &[(uimage::ARCH_ARM, "arm", "ARM")];
const SYSTEMS: &Names = &[(uimage::OS_LINUX, "linux", "Linux"), (17, "u-boot", "U-Boot")];
const KINDS: &Names = &[
    (uimage::TYPE_STANDALONE, "standalone", "Standalone Program"),
    (uimage::TYPE_KERNEL, "kernel", "Kernel Image"),
    (uimage::TYPE_RAMDISK, "ramdisk", "RAMDisk Image"),
    (uimage::TYPE_MULTI, "multi", "Multi-File Image"),
    (uimage::TYPE_FIRMWARE, "firmware", "Firmware"),
    (uimage::TYPE_SCRIPT, "script", "Script"),
    (uimage::TYPE_FLATDT, "flat_dt", "Flat Device Tree"),
];
const COMPRESSIONS: &Names = &[
    (uimage::COMP_NONE, "none", "uncompressed"),
    (uimage::COMP_GZIP, "gzip", "gzip compressed"),
    (2, "bzip2", "bzip2 compressed"),
    (3, "lzma", "lzma compressed"),
    (4, "lzo", "lzo compressed"),
    (uimage::COMP_LZ4, "lz4", "lz4 compressed"),
];

fn of_code(names: &Names, code: u8, unknown: &'static str) -> &'static str {
    names.iter().find(|name| name.0 == code).map_or(unknown, |name| name.2)
}

fn of_name(names: &Names, text: &str, unknown: &'static str) -> &'static str {
    names.iter().find(|name| name.1 == text).map_or(unknown, |name| name.2)
}

fn names(header: &Header) -> (&'static str, &'static str, &'static str, &'static str) {
    (
        of_code(ARCHS, header.arch, "Unknown Architecture"),
        of_code(SYSTEMS, header.os, "Unknown OS"),
        of_code(KINDS, header.kind, "Unknown Image"),
        of_code(COMPRESSIONS, header.comp, "unknown compression"),
    )
}

#[cfg(test)]
mod tests {
    use crate::image::uimage::{COMP_GZIP, TYPE_KERNEL, TYPE_MULTI};
    use crate::mock::{Board, image};

    const AT: u32 = 0x3080_0000;

    #[test]
    fn shows_an_image_as_u_boot_does() {
        let expected = "
## Checking Image at 30800000 ...
   Legacy image found
   Image Name:   test
   Image Type:   ARM Linux Kernel Image (gzip compressed)
   Data Size:    1536 Bytes = 1.5 KiB
   Load Address: 30008000
   Entry Point:  30008000
   Verifying Checksum ... OK
";
        let mut board = Board::new();
        let bytes = image(&[7; 1536], |h| (h.kind, h.comp) = (TYPE_KERNEL, COMP_GZIP));
        board.memory.store(AT, &bytes);
        assert_eq!(board.run("iminfo 30800000"), expected);
        assert_eq!(board.run("iminfo"), expected);
        assert_eq!(board.run("iminfo 30800000 30800000"), std::format!("{expected}{expected}"));
    }

    #[test]
    fn shows_the_parts_of_a_multi_image() {
        let data = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 1, 2];
        let mut board = Board::new();
        board.memory.store(AT, &image(&data, |h| h.kind = TYPE_MULTI));
        let output = board.run("iminfo");
        let parts = "   Contents:\n      Image 0: 1 Bytes = 1 Bytes\n      Image 1: 2 Bytes = 2 Bytes\n";
        assert!(output.contains(parts), "{output}");
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |change: fn(&mut [u8]), error: &str| {
            let mut board = Board::new();
            let mut bytes = image(&[7; 16], |_| ());
            change(&mut bytes);
            board.memory.store(AT, &bytes);
            let output = board.run("iminfo 30800000");
            assert!(output.contains(error), "{output}");
            assert!(!output.contains("... OK\n"), "{output}");
        };
        check(|b| b[0] = 0, "...\nERROR: Bad Magic Number: 00051956 is not 27051956");
        check(|b| b[40] ^= 1, "...\nERROR: Bad Header Checksum: ");
        check(|b| b[70] ^= 1, "   Verifying Checksum ... Bad Data CRC\nERROR: Bad Data CRC: ");
        assert!(
            Board::new()
                .run("iminfo 0")
                .ends_with("ERROR: no RAM at 00000000 for 0x40 bytes; see 'bdinfo' for where RAM is\n")
        );
    }

    #[test]
    fn a_size_beyond_ram_is_refused() {
        let mut board = Board::new();
        board.memory.store(AT, &image(&[7; 16], |h| (h.size, h.kind) = (u32::MAX, TYPE_MULTI)));
        let output = board.run("iminfo");
        assert!(output.contains("   Data Size:    4294967295 Bytes = 4096 MiB\n"), "{output}");
        assert!(
            output
                .ends_with("ERROR: no RAM at 30800000 for 0xffffffff bytes; see 'bdinfo' for where RAM is\n")
        );
    }
}
