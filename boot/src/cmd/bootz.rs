//! `bootz`

use super::launch::{Mode, launch};
use super::{CmdError, Command, Context, bootm, hex};
use crate::image::load;

pub const CMD: Command = Command {
    name: "bootz",
    usage: "[--explain | --dry] [addr [initrd[:size] | - [fdt]]]",
    help: "boot Linux zImage image from memory",
    run: |ctx, args| {
        let (mode, args) = Mode::split(args)?;
        let address = args.first().map_or(Ok(ctx.load_address), |word| hex(word))?;
        boot(ctx, address, args.get(1..).unwrap_or_default(), mode)
    },
};

fn boot(ctx: &mut Context<'_>, address: u32, rest: &[&str], mode: Mode) -> Result<(), CmdError> {
    let mut bundle = load::of_zimage(ctx.memory, address)?;
    let data = bundle.kernel.data;
    writeln!(ctx.console, "Kernel image @ {:#010x} [ 0x000000 - {:#08x} ]", data.start, data.len);
    bootm::add(ctx, &mut bundle, rest)?;
    launch(ctx, &bundle, mode)
}

#[cfg(test)]
mod tests {
    use crate::image::zimage::tests::zimage;
    use crate::mock::{Board, Left, RAM};

    const AT: u32 = RAM + 0x80_0000;

    fn board() -> Board {
        let mut board = Board::new();
        board.write_boot_table("quiet");
        board.memory.store(AT, &zimage(0x1000, Some((0x8000, 0x300))));
        board
    }

    #[test]
    fn boots_where_it_is() {
        let mut board = board();
        let expected = "\
Kernel image @ 0x30800000 [ 0x000000 - 0x001000 ]
   XIP Kernel Image

Starting kernel ...

";
        assert_eq!(board.run("bootz"), expected);
        assert_eq!(board.run("bootz 30800000"), expected);
        assert_eq!(board.machine.left[1], Left::Kernel(AT, 1999, RAM + 0x100));
        let output = board.run("bootz 30800000 30801000:100");
        assert!(output.contains("   Loading Ramdisk to 30dff000, end 30dff100\n"), "{output}");
        let output = board.run("bootz 30800000 30900000:100");
        assert!(output.contains("   Using Ramdisk in place at 30900000, end 30900100\n"), "{output}");
        assert_eq!(board.machine.left.len(), 4);
    }

    #[test]
    fn says_what_is_wrong() {
        let mut board = board();
        let magic = "ERROR: Bad Linux ARM zImage magic: 00000000 at 0x24 is not 016f2818; \
                     load or write the image anew\n";
        assert_eq!(board.run("bootz 30900000"), magic);
        assert!(board.run("bootz 30800002").starts_with("ERROR: Bad Linux ARM zImage magic"));
        assert!(board.run("bootz 10").starts_with("ERROR: no RAM at 00000010"));
        assert!(board.run("bootz 1 2 3 4").starts_with("bootz - boot Linux zImage image from memory\n"));
        assert_eq!(board.machine.left, []);
    }
}
