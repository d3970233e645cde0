//! `nand`

mod bad;
mod bench;
mod dump;
mod ecc;
mod found;
mod info;
pub mod read;
mod timing;

use super::{CmdError, Command, hex};

pub const CMD: Command = Command {
    name: "nand",
    usage: "info - show the chip and the slots of the boot table\n\
            bad - show bad blocks\n\
            read - addr off|slot [size]\n    \
            read 'size' bytes starting at offset 'off' or at the start of a slot\n    \
            to memory address 'addr', skipping bad blocks\n\
            dump[.oob] off - dump page\n\
            ecc off [count] - name the ECC layout of 'count' pages and count their bitflips\n\
            timing - show the timing in use and what limits it\n\
            bench [off [pages]] - read pages from offset 'off' on and show how fast that is",
    help: "NAND sub-system",
    run: |ctx, args| match args {
        ["info"] => info::run(ctx),
        ["bad"] => bad::run(ctx),
        ["read", address, from] => read::run(ctx, hex(address)?, from, None),
        ["read", address, from, size] => read::run(ctx, hex(address)?, from, Some(hex(size)?)),
        ["dump", offset] => dump::run(ctx, hex(offset)?, true),
        ["dump.oob", offset] => dump::run(ctx, hex(offset)?, false),
        ["ecc", offset] => ecc::run(ctx, hex(offset)?, 1),
        ["ecc", offset, count] => ecc::run(ctx, hex(offset)?, hex(count)?),
        ["timing"] => timing::run(ctx),
        ["bench"] => bench::run(ctx, 0, None),
        ["bench", offset] => bench::run(ctx, hex(offset)?, None),
        ["bench", offset, pages] => match hex(pages)? {
            0 => Err(CmdError::Usage),
            pages => bench::run(ctx, hex(offset)?, Some(pages)),
        },
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
nand ecc off [count] - name the ECC layout of 'count' pages and count their bitflips
nand timing - show the timing in use and what limits it
nand bench [off [pages]] - read pages from offset 'off' on and show how fast that is
";
        for line in ["nand", "nand frob", "nand info 1", "nand read 0", "nand dump", "nand.x info"] {
            assert_eq!(Board::new().run(line), usage, "{line}");
        }
    }
}
