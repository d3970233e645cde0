//! `nand`

mod bad;
mod bench;
mod device;
mod dump;
mod ecc;
mod erase;
mod found;
mod info;
pub mod live;
mod markbad;
pub mod place;
pub mod read;
mod read_raw;
mod scrub;
mod timing;
mod write;

use super::{CmdError, Command, Context, hex};

pub const CMD: Command = Command {
    name: "nand",
    usage: "info - show the chip and the partitions\n\
            bad - show bad blocks\n\
            device [dev] - show or set current device\n\
            read - addr off|partition [size]\n    \
            read 'size' bytes starting at offset 'off' or at the start of a partition\n    \
            to memory address 'addr', skipping bad blocks\n\
            write[.trimffs] - addr off|partition [size]\n    \
            write them from there, skipping bad blocks, and read them back; the blocks must be\n    \
            erased; with '.trimffs' pages of FF stay so\n\
            read.raw, write.raw[.noverify] - addr off|partition [pages]\n    \
            pages with their OOB as they are, one unless told\n\
            read.oob, write.oob - addr off|partition size\n    \
            'size' bytes of the OOB of pages from 'off' on\n\
            erase[.spread] [clean] off|partition size - erase 'size' bytes from 'off' on\n    \
            skipping bad blocks, which count; with '.spread' they do not\n\
            erase.part [clean] partition - erase a partition\n\
            erase.chip [clean] - erase all\n\
            scrub [-y] off|partition size | scrub.part [-y] partition | scrub.chip [-y]\n    \
            erase bad blocks as well (UNSAFE)\n\
            markbad off [...] - mark bad block(s) at offset (UNSAFE)\n\
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
        ["read.raw", address, from] => read_raw::pages(ctx, hex(address)?, from, 1),
        ["read.raw", address, from, pages] => read_raw::pages(ctx, hex(address)?, from, hex(pages)?),
        ["read.oob", address, from, size] => read_raw::oob(ctx, hex(address)?, from, hex(size)?),
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
        ["device"] => device::show(ctx),
        ["device", number] => device::set(ctx, hex(number)?),
        [first, words @ ..] => changing(ctx, first, words),
        [] => Err(CmdError::Usage),
    },
};

/// The sub-commands that change the chip; their forms are suffixes.
fn changing(ctx: &mut Context<'_>, first: &str, words: &[&str]) -> Result<(), CmdError> {
    match first.split_at(first.find('.').unwrap_or(first.len())) {
        ("write", form) => write::run(ctx, form, words),
        ("erase", form) => erase::run(ctx, form, words),
        ("scrub", form) => scrub::run(ctx, form, words),
        ("markbad", "") => markbad::run(ctx, words),
        _ => Err(CmdError::Usage),
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn says_what_it_wants() {
        let usage = "\
nand - NAND sub-system

Usage:
nand info - show the chip and the partitions
nand bad - show bad blocks
nand device [dev] - show or set current device
nand read - addr off|partition [size]
    read 'size' bytes starting at offset 'off' or at the start of a partition
    to memory address 'addr', skipping bad blocks
nand write[.trimffs] - addr off|partition [size]
    write them from there, skipping bad blocks, and read them back; the blocks must be
    erased; with '.trimffs' pages of FF stay so
nand read.raw, write.raw[.noverify] - addr off|partition [pages]
    pages with their OOB as they are, one unless told
nand read.oob, write.oob - addr off|partition size
    'size' bytes of the OOB of pages from 'off' on
nand erase[.spread] [clean] off|partition size - erase 'size' bytes from 'off' on
    skipping bad blocks, which count; with '.spread' they do not
nand erase.part [clean] partition - erase a partition
nand erase.chip [clean] - erase all
nand scrub [-y] off|partition size | scrub.part [-y] partition | scrub.chip [-y]
    erase bad blocks as well (UNSAFE)
nand markbad off [...] - mark bad block(s) at offset (UNSAFE)
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
