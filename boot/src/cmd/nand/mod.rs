//! `nand`

mod bad;
mod dump;
mod info;
pub mod read;

use super::{CmdError, Command, hex};

pub const CMD: Command = Command {
    name: "nand",
    usage: "info - show the chip and the slots of the boot table\n\
            bad - show bad blocks\n\
            read - addr off|slot [size]\n    \
            read 'size' bytes starting at offset 'off' or at the start of a slot\n    \
            to memory address 'addr', skipping bad blocks\n\
            dump[.oob] off - dump page",
    help: "NAND sub-system",
    run: |ctx, args| match args {
        ["info"] => info::run(ctx),
        ["bad"] => bad::run(ctx),
        ["read", address, from] => read::run(ctx, hex(address)?, from, None),
        ["read", address, from, size] => read::run(ctx, hex(address)?, from, Some(hex(size)?)),
        ["dump", offset] => dump::run(ctx, hex(offset)?, true),
        ["dump.oob", offset] => dump::run(ctx, hex(offset)?, false),
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn says_what_it_wants() {
        let usage = "\
nand - NAND sub-system

Usage:
nand info - show the chip and the slots of the boot table
nand bad - show bad blocks
nand read - addr off|slot [size]
    read 'size' bytes starting at offset 'off' or at the start of a slot
    to memory address 'addr', skipping bad blocks
nand dump[.oob] off - dump page
";
        for line in ["nand", "nand frob", "nand info 1", "nand read 0", "nand dump", "nand.x info"] {
            assert_eq!(Board::new().run(line), usage, "{line}");
        }
    }
}
