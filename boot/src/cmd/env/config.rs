//! `env config`

use super::place;
use crate::cmd::nand::live::block_bytes;
use crate::cmd::{CmdError, Context};
use crate::env::SIZE;
use crate::env::store::COPIES;

/// The lines that `fw_printenv` and `fw_setenv` want. Linux numbers MTD devices as the partitions are
/// listed, when this chip is the first.
pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    if !args.is_empty() {
        return Err(CmdError::Usage);
    }
    let (place, block_bytes) = (place(ctx)?, block_bytes(ctx));
    let number = ctx.state.layout.list.iter().position(|partition| partition.name.as_str() == "env");
    let (out, number) = (&mut ctx.console, number.ok_or(CmdError::NoEnv)?);
    writeln!(out, "# /etc/fw_env.config: device, offset, size, bytes of a block, blocks");
    for copy in 0..COPIES {
        let range = place.range(copy);
        let offset = (range.start - place.range(0).start) * block_bytes;
        let blocks = range.end - range.start;
        writeln!(out, "/dev/mtd{number} {offset:#x} {SIZE:#x} {block_bytes:#x} {blocks}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::cmd::env::board;
    use crate::mock::Board;

    #[test]
    fn prints_a_line_for_each_copy() {
        let mut board = board();
        let expected = "# /etc/fw_env.config: device, offset, size, bytes of a block, blocks\n\
                        /dev/mtd2 0x0 0x4000 0x20000 2\n/dev/mtd2 0x40000 0x4000 0x20000 2\n";
        assert_eq!(board.run("env config"), expected);
        assert!(board.run("env config 1").starts_with("env - "));
        let mut slots = Board::new();
        slots.write_boot_table("");
        assert!(
            slots.run("env config").starts_with("ERROR: there is no partition 'env' of two erase blocks")
        );
    }
}
