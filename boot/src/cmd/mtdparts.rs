//! `mtdparts`

use super::nand::place;
use super::{CmdError, Command, Context};
use crate::env::default;
use crate::nand::partitions::Source;

pub const CMD: Command = Command {
    name: "mtdparts",
    usage: "\n\
            default - look for the flash descriptor anew, and set 'mtdids' and 'mtdparts' by it",
    help: "show the partitions of the flash",
    run: |ctx, args| match args {
        [] => show(ctx),
        ["default"] => reset(ctx),
        _ => Err(CmdError::Usage),
    },
};

/// The table of U-Boot.
fn show(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    place::layout(ctx)?;
    let layout = &ctx.state.layout;
    let described = layout.source == Source::Descriptor;
    let (out, list) = (&mut ctx.console, &layout.list);
    let mtd = if described { layout.mtd.as_str() } else { "nand0" };
    writeln!(out, "\ndevice nand0 <{mtd}>, # parts = {}", list.len());
    writeln!(out, " #: name\t\tsize\t\toffset\t\tmask_flags");
    for (number, partition) in list.iter().enumerate() {
        let (range, name) = (layout.range(partition), &partition.name);
        let (start, size) = (range.start, range.end - range.start);
        writeln!(out, "{number:2}: {name:<20}{size:#010x}\t{start:#010x}\t0");
    }
    if let Some(first) = list.first() {
        let range = layout.range(first);
        let (start, size) = (range.start, range.end - range.start);
        writeln!(out, "\nactive partition: nand0,0 - ({}) {size:#010x} @ {start:#010x}", first.name);
    }
    let default = |name| default::value(ctx.machine.board(), layout, name);
    writeln!(out, "\ndefaults:");
    writeln!(out, "mtdids  : {}", default("mtdids").as_deref().unwrap_or("none"));
    writeln!(out, "mtdparts: {}", default("mtdparts").as_deref().unwrap_or("none"));
    for name in ["mtdids", "mtdparts"] {
        if described && ctx.state.env.get(name) != default(name).as_deref() {
            writeln!(out, "The variable {name} says otherwise; 'mtdparts default' sets it.");
        }
    }
    Ok(())
}

/// Makes what is in the flash the truth again.
fn reset(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    ctx.state.layout.source = Source::Nothing;
    place::layout(ctx)?;
    for name in ["mtdids", "mtdparts"] {
        match default::value(ctx.machine.board(), &ctx.state.layout, name) {
            Some(value) => ctx.state.env.set(name, &value)?,
            None => {
                ctx.state.env.remove(name);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::descriptor::tests::descriptor;
    use crate::mock::Board;

    const TABLE: &str = "
device nand0 <mock-nand>, # parts = 6
 #: name\t\tsize\t\toffset\t\tmask_flags
 0: boot                0x00020000\t0x00000000\t0
 1: stage2-1            0x00060000\t0x00020000\t0
 2: env                 0x00040000\t0x00080000\t0
 3: kernel-a            0x00080000\t0x00100000\t0
 4: kernel-b            0x00080000\t0x00180000\t0
 5: rootfs              0x00600000\t0x00200000\t0

active partition: nand0,0 - (boot) 0x00020000 @ 0x00000000

defaults:
mtdids  : nand0=mock-nand
mtdparts: mtdparts=mock-nand:128k(boot),384k(stage2-1),256k(env),512k@1m(kernel-a),512k(kernel-b),-(rootfs)
";

    #[test]
    fn shows_the_table_as_u_boot_does() {
        let mut board = Board::new();
        board.write_boot_table("");
        board.write_descriptor(&descriptor());
        let other = "The variable mtdids says otherwise; 'mtdparts default' sets it.\n\
                     The variable mtdparts says otherwise; 'mtdparts default' sets it.\n";
        assert_eq!(board.run("mtdparts"), std::format!("{TABLE}{other}"));
        assert_eq!(board.run("mtdparts default; mtdparts"), TABLE);
        let set = "setenv mtdids x; mtdparts default; echo $mtdids";
        assert_eq!(board.run(set), "nand0=mock-nand\n");
    }

    #[test]
    fn shows_the_slots_without_a_descriptor() {
        let mut board = Board::new();
        board.write_boot_table("");
        let expected = "
device nand0 <nand0>, # parts = 3
 #: name\t\tsize\t\toffset\t\tmask_flags
 0: kernel-a            0x00080000\t0x00100000\t0
 1: kernel-b            0x00080000\t0x00180000\t0
 2: stage2-1            0x00060000\t0x00020000\t0

active partition: nand0,0 - (kernel-a) 0x00080000 @ 0x00100000

defaults:
mtdids  : none
mtdparts: none
";
        assert_eq!(board.run("mtdparts"), expected);
        assert_eq!(
            board.run("setenv mtdids x; mtdparts default; printenv mtdids"),
            "## Error: \"mtdids\" not defined\n"
        );
        board.nand.erase_all();
        let blank = "ERROR: there is no boot table in block 0; write stage1 anew\n";
        assert_eq!(board.run("mtdparts default"), blank);
    }

    #[test]
    fn looks_again() {
        let mut board = Board::new();
        board.write_boot_table("");
        board.write_descriptor(&descriptor());
        assert!(board.run("mtdparts").contains("# parts = 6"));
        let mut other = descriptor();
        other.partitions.truncate(2);
        board.write_descriptor(&other);
        assert!(board.run("mtdparts").contains("# parts = 6"));
        assert!(board.run("mtdparts default; mtdparts").contains("# parts = 2"));
        assert!(board.run("mtdparts add").starts_with("mtdparts - show"));
    }
}
