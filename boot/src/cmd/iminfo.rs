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
    if let (uimage::TYPE_MULTI, Ok(data)) = (header.kind, load::data(ctx.memory, address, header)) {
        writeln!(out, "   Contents:");
        for (i, (_, len)) in uimage::parts(data).enumerate() {
            writeln!(out, "      Image {i}: {len} Bytes = {}", Size(len as u32));
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
        describe_part(out, image, "     ");
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
        writeln!(out, "   Hash(es) for Image {i} ({}):", image.name());
        verify_part(out, image)?;
    }
    Ok(())
}

/// Shows an image of a FIT in U-Boot's format.
pub fn describe_part(out: &mut Console<'_>, image: fit::Image<'_>, indent: &str) {
    let mut line = |label: &str, value: &str| writeln!(out, "{indent}{label:<14}{value}");
    let text = |property| image.text(property).unwrap_or("unavailable");
    line("Description:", text("description"));
    line("Type:", text("type"));
    line("Compression:", image.text("compression").unwrap_or("none"));
    let data = image.region();
    if let Ok(data) = data {
        writeln!(out, "{indent}Data Start:   {:08x}", data.start);
        writeln!(out, "{indent}Data Size:    {} Bytes = {}", data.len, Size(data.len));
    }
    for (label, property) in [("Load Address:", "load"), ("Entry Point:", "entry")] {
        if let Ok(Some(number)) = image.number(property) {
            writeln!(out, "{indent}{label:<14}{number:08x}");
        }
    }
}

/// Verifies the hashes of an image of a FIT and shows the result.
pub fn verify_part(out: &mut Console<'_>, image: fit::Image<'_>) -> Result<(), CmdError> {
    write!(out, "   Verifying Hash Integrity ... ");
    let result = image.verify(|algorithm| write!(out, "{algorithm}+ "));
    writeln!(out, "{}", if result.is_ok() { "OK" } else { "error!" });
    result.map_err(|error| CmdError::Image(error.into()))
}

/// Names that U-Boot's boot/image.c has for the fields.
fn names(header: &Header) -> (&'static str, &'static str, &'static str, &'static str) {
    let arch = match header.arch {
        uimage::ARCH_ARM => "ARM",
        _ => "Unknown Architecture",
    };
    let os = match header.os {
        uimage::OS_LINUX => "Linux",
        17 => "U-Boot",
        _ => "Unknown OS",
    };
    let kind = match header.kind {
        uimage::TYPE_STANDALONE => "Standalone Program",
        uimage::TYPE_KERNEL => "Kernel Image",
        uimage::TYPE_RAMDISK => "RAMDisk Image",
        uimage::TYPE_MULTI => "Multi-File Image",
        uimage::TYPE_FIRMWARE => "Firmware",
        uimage::TYPE_SCRIPT => "Script",
        uimage::TYPE_FLATDT => "Flat Device Tree",
        _ => "Unknown Image",
    };
    let comp = match header.comp {
        uimage::COMP_NONE => "uncompressed",
        uimage::COMP_GZIP => "gzip compressed",
        2 => "bzip2 compressed",
        3 => "lzma compressed",
        4 => "lzo compressed",
        uimage::COMP_LZ4 => "lz4 compressed",
        _ => "unknown compression",
    };
    (arch, os, kind, comp)
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
