//! `flash`

use super::confirm::confirm_losses;
use super::nand::live::{Live, block_bytes, blocks};
use super::nand::place;
use super::{CmdError, Command, Context, hex, iminfo, shown};
use crate::fdt::fixup;
use crate::image::fit::{self, FitError};
use crate::image::load::{self, Bundle};
use crate::image::place::Plan;
use crate::image::region::Region;
use crate::image::uimage::{self, HEADER, Header};
use crate::nand::NandError;
use crate::nand::flash::flash;
use crate::nand::program::check_writable;

pub const CMD: Command = Command {
    name: "flash",
    usage: "partition [addr [size]]\n    \
            check what is at 'addr', or what was received last, erase the partition, write it\n    \
            there and read it back; a kernel must be a uImage or a FIT, and good",
    help: "replace what is in a partition",
    run: |ctx, args| match *args {
        [name] => run(ctx, name, None, None),
        [name, address] => run(ctx, name, Some(hex(address)?), None),
        [name, address, size] => run(ctx, name, Some(hex(address)?), Some(hex(size)?)),
        _ => Err(CmdError::Usage),
    },
};

fn run(ctx: &mut Context<'_>, name: &str, address: Option<u32>, size: Option<u32>) -> Result<(), CmdError> {
    if matches!(name, "boot" | "stage1" | "env") {
        return Err(CmdError::NotFlashed(shown(name)));
    }
    let range = place::partition(ctx, name)?;
    let (address, received) = source(ctx, address, size);
    let len = check(ctx, name, address, received)?;
    if place::good_bytes(ctx, &range)? < len {
        return Err(NandError::End { offset: range.end }.into());
    }
    check_writable(ctx.nand)?;
    writeln!(ctx.console, "\nNAND flash: {name}, offset {:#x}, size {len:#x}", range.start);
    confirm_losses(ctx, blocks(ctx, &range)?, "flash")?;
    let unit = block_bytes(ctx);
    let data = ctx.memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
    let mut live = Live::new(&mut ctx.console, unit, "Skipping bad block at ");
    let result = flash(ctx.nand, range, data, &mut live);
    live.end_line();
    match &result {
        Ok(written) => {
            writeln!(ctx.console, " {} bytes written and read back: OK", written.bytes);
            if written.flips != 0 {
                writeln!(ctx.console, " {} bitflips corrected on reading back", written.flips);
            }
        }
        Err(_) => writeln!(ctx.console, "ERROR: {name} has nothing whole in it now; flash it again"),
    }
    Ok(result.map(|_| ())?)
}

/// Where it is, and its bytes if those are known: as the last transfer has left them, unless told.
fn source(ctx: &Context<'_>, address: Option<u32>, size: Option<u32>) -> (u32, Option<u32>) {
    let number = |name| ctx.state.env.get(name).and_then(|value| hex(value).ok());
    let received = number("fileaddr");
    let address = address.or(received).unwrap_or(ctx.load_address);
    (address, size.or_else(|| number("filesize").filter(|_| received == Some(address))))
}

/// Is it what belongs into the partition? Returns its bytes: of an image, those that it says it has.
fn check(ctx: &mut Context<'_>, name: &str, address: u32, received: Option<u32>) -> Result<u32, CmdError> {
    if !name.starts_with("kernel") && !name.starts_with("stage2") {
        return received.filter(|&len| len != 0).ok_or(CmdError::NothingReceived);
    }
    let needed = length(ctx, address)?;
    if let Some(received) = received.filter(|&received| received < needed) {
        return Err(CmdError::Truncated { received, needed });
    }
    iminfo::check(ctx, address)?;
    if name.starts_with("kernel") {
        kernel(ctx, address)?
    } else {
        stage2(ctx, address)?
    }
    Ok(needed)
}

/// The bytes of an image by what it says of itself.
fn length(ctx: &Context<'_>, address: u32) -> Result<u32, CmdError> {
    if load::is_tree(ctx.memory, address) {
        let fit = load::fit(ctx.memory, address)?;
        let tree = fit.tree_len();
        // Data may stand behind the tree.
        let ends = fit.images().filter_map(|image| image.region().ok()).map(Region::end);
        let end = ends.max().unwrap_or(0).saturating_sub(address.into());
        return Ok(tree.max(u32::try_from(end).unwrap_or(u32::MAX)));
    }
    let size = load::header(ctx.memory, address)?.size;
    let len = HEADER as u64 + u64::from(size);
    u32::try_from(len).map_err(|_| CmdError::Size { len, room: u32::MAX })
}

/// Would this kernel go where it wants to be?
fn kernel(ctx: &mut Context<'_>, address: u32) -> Result<(), CmdError> {
    let (bundle, direct) = bundle(ctx, address)?;
    let ram = ctx.free_ram();
    Plan::new(ctx.memory, Region::between(ram.start, ram.end.into()), &bundle, fixup::ROOM)?;
    if !direct {
        writeln!(ctx.console, "NOTE: stage1 does not boot this, only the console: it is not a plain kernel.");
    }
    Ok(())
}

/// What is booted, and whether stage1 can do that: one kernel, not compressed.
fn bundle(ctx: &Context<'_>, address: u32) -> Result<(Bundle, bool), CmdError> {
    if !load::is_tree(ctx.memory, address) {
        let header = load::header(ctx.memory, address)?;
        let bundle = load::of_uimage(ctx.memory, address, &header)?;
        return Ok((bundle, is_plain(&header, uimage::TYPE_KERNEL)));
    }
    let fit = load::fit(ctx.memory, address)?;
    let of_fit = |error: FitError| CmdError::Image(error.into());
    let conf = fit.configuration(None).map_err(of_fit)?;
    let part = |purpose| fit.part(conf, purpose).map_err(of_fit);
    let missing = FitError::Property { node: fit::name(conf.name), property: "kernel" };
    let kernel = part("kernel")?.ok_or(of_fit(missing))?;
    Ok((load::of_fit(kernel, [part("ramdisk")?, part("fdt")?])?, false))
}

/// stage1 loads it, so it must be as stage1 wants it.
fn stage2(ctx: &Context<'_>, address: u32) -> Result<(), CmdError> {
    let header = load::header(ctx.memory, address)?;
    if is_plain(&header, uimage::TYPE_FIRMWARE) { Ok(()) } else { Err(CmdError::NotStage2) }
}

fn is_plain(header: &Header, kind: u8) -> bool {
    (header.arch, header.comp, header.kind) == (uimage::ARCH_ARM, uimage::COMP_NONE, kind)
}

#[cfg(test)]
mod tests {
    use crate::image::uimage::{TYPE_FIRMWARE, TYPE_MULTI};
    use crate::mock::{BLOCK, Board, image};
    use std::string::String;
    use std::vec::Vec;

    const AT: u32 = 0x3080_0000;

    /// A board with sound kernels in both slots and a newer one in RAM.
    fn board() -> (Board, Vec<u8>) {
        let mut board = Board::new();
        board.write_boot_table("");
        board.nand.mark_bad(13);
        board.nand.write_from(8, &image(&[0xa; 200_000], |_| ()));
        board.nand.write_from(12, &image(&[0xb; 200_000], |_| ()));
        let new = image(&[0xc; 150_000], |_| ());
        board.memory.store(AT, &new);
        (board, new)
    }

    fn answer(board: &mut Board, line: &str, answer: &str) -> String {
        board.serial.input.extend(answer.bytes());
        board.run(line)
    }

    #[test]
    fn replaces_a_kernel() {
        let (mut board, new) = board();
        let expected = "
## Checking Image at 30800000 ...
   Legacy image found
   Image Name:   test
   Image Type:   ARM Linux Kernel Image (uncompressed)
   Data Size:    150000 Bytes = 146.5 KiB
   Load Address: 30008000
   Entry Point:  30008000
   Verifying Checksum ... OK

NAND flash: kernel-b, offset 0x180000, size 0x24a30
Erasing at 0x180000 --  25% complete.
Skipping bad block at  0x001a0000
Erasing at 0x1c0000 --  75% complete.\rErasing at 0x1e0000 -- 100% complete.
 150064 bytes written and read back: OK
";
        assert_eq!(board.run("flash kernel-b"), expected.replace('\r', ""));
        board.run("nand read 30000000 kernel-b 24a30");
        assert!(board.memory.load(0x3000_0000, 0x24a30) == new);
        // An address, and more bytes than the image has.
        assert!(
            board.run("flash kernel-a 30800000 24a80").ends_with(" 150064 bytes written and read back: OK\n")
        );
    }

    #[test]
    fn what_is_no_good_kernel_erases_nothing() {
        let check = |bytes: &[u8], line: &str, error: &str| {
            let (mut board, _) = board();
            board.memory.store(AT, bytes);
            let changes = board.nand.changes;
            let output = board.run(line);
            assert!(output.contains(error), "{line}: {output}");
            assert_eq!(board.nand.changes, changes, "{line}");
        };
        let new = image(&[0xc; 150_000], |_| ());
        let with = |change: fn(&mut crate::image::uimage::Header)| image(&[0xc; 150_000], change);
        let mut wrong = new.clone();
        wrong[1000] ^= 1;
        check(&wrong, "flash kernel-b", "Bad Data CRC\nERROR: ");
        wrong[5] ^= 1;
        check(&wrong, "flash kernel-b", "ERROR: ");
        check(
            &new,
            "flash kernel-b 30800000 24a2f",
            "ERROR: 0x24a2f bytes are there, and the image has 0x24a30; send it again\n",
        );
        check(&with(|h| h.load = 0x30f0_0000), "flash kernel-b", "ERROR: ");
        check(&with(|h| h.arch = 3), "flash kernel-b", "ERROR: ");
        check(&with(|h| h.kind = TYPE_FIRMWARE), "flash kernel-b", "ERROR: ");
        check(
            &image(&[0xc; 3 * BLOCK as usize], |_| ()),
            "flash kernel-b",
            "ERROR: the range ends at 0x00200000",
        );
        check(&new, "flash stage2-1", "ERROR: this is no stage2");
        check(&new, "flash env", "ERROR: env is not for 'flash'");
        check(&new, "flash boot", "ERROR: boot is not for 'flash'");
        check(&new, "flash kernel-b 31000000", "ERROR: ");
        check(&new, "flash kernel-x", "ERROR: 'kernel-x' is neither an offset nor a partition");
        for line in ["flash", "flash kernel-b 1 2 3"] {
            check(&new, line, "flash - replace what is in a partition\n");
        }
    }

    #[test]
    fn takes_what_was_received_last() {
        let (mut board, new) = board();
        board.memory.store(0x3000_0000, &new);
        board.memory.store(AT, &[0; 64]);
        board.run("setenv fileaddr 30000000; setenv filesize 24a00");
        let error = "ERROR: 0x24a00 bytes are there, and the image has 0x24a30; send it again\n";
        assert_eq!(board.run("flash kernel-b"), error);
        board.run("setenv filesize 24a80");
        assert!(board.run("flash kernel-b").ends_with(" 150064 bytes written and read back: OK\n"));
    }

    #[test]
    fn the_last_good_kernel_goes_only_when_typed() {
        let (mut board, _) = board();
        board.nand.write(8 * 64, &[0]);
        let output = answer(&mut board, "flash kernel-b", "n\r");
        let question =
            "WARNING: this destroys the kernel in kernel-b, the last good one.\nReally go on? <y/N> n\n";
        assert!(output.ends_with(&std::format!("{question}flash aborted\n")), "{output}");
        assert!(!board.nand.is_erased(12));
        // The other one first, and there is nothing to ask.
        assert!(board.run("flash kernel-a").ends_with("read back: OK\n"));
        assert!(board.run("flash kernel-b").ends_with("read back: OK\n"));
    }

    #[test]
    fn other_images_are_checked_as_well() {
        let (mut board, _) = board();
        board.memory.store(AT, &image(&[2; 5000], |h| h.kind = TYPE_FIRMWARE));
        assert!(board.run("flash stage2-1").ends_with("read back: OK\n"));
        let output = answer(&mut board, "flash stage2-1", "\r");
        assert!(
            output.contains("destroys the console in stage2-1.\n") && output.ends_with("aborted\n"),
            "{output}"
        );
        let multi = [&[0, 0, 0, 8, 0, 0, 0, 0], &b"kernel.."[..]].concat();
        board.memory.store(AT, &image(&multi, |h| h.kind = TYPE_MULTI));
        assert!(board.run("flash kernel-b").contains("NOTE: stage1 does not boot this"));
    }

    #[test]
    fn what_fails_is_said_so() {
        let (mut board, _) = board();
        board.nand.weak.push((12 * 64 + 5, 9));
        let output = board.run("flash kernel-b");
        assert!(
            output.contains("ERROR: kernel-b has nothing whole in it now; flash it again\nERROR: page 0x305"),
            "{output}"
        );
        board.nand.protected = true;
        assert!(board.run("flash kernel-b").contains("ERROR: the NAND chip is write-protected"));
    }
}
