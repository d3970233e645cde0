//! Where in the chip: an offset or the name of a partition, and a size.

use super::live::block_bytes;
use crate::boot_table::BootTable;
use crate::cmd::{CmdError, Context, hex};
use crate::crc::crc32;
use crate::nand::bad::is_bad;
use crate::nand::{NandError, chip_bytes, slots};
use core::ops::Range;
use platform::units::EraseBlock;

/// From an offset to the end of the chip, or a slot of the boot table.
pub fn find(ctx: &mut Context<'_>, from: &str) -> Result<Range<u32>, CmdError> {
    let chip = chip_bytes(&ctx.nand.geometry());
    // No name of a slot is a number.
    if from.contains('-') {
        return partition(ctx, from);
    }
    let offset = hex(from)?;
    if offset < chip { Ok(offset..chip) } else { Err(CmdError::BeyondChip { offset, chip }) }
}

/// A slot of the boot table.
pub fn partition(ctx: &mut Context<'_>, name: &str) -> Result<Range<u32>, CmdError> {
    let record = slots::read_record(ctx.nand)?;
    let table = BootTable::parse(&record, crc32)?;
    let slot = slots::named(&table).into_iter().find(|(slot, blocks)| *slot == name && blocks.blocks != 0);
    match slot {
        Some((_, slot)) => Ok(slots::range(slot, &ctx.nand.geometry())),
        None => Err(CmdError::Usage),
    }
}

/// The first `size` bytes of a range, bad blocks counted.
pub fn first(range: &Range<u32>, size: u32) -> Result<Range<u32>, CmdError> {
    match range.start.checked_add(size) {
        Some(end) if end <= range.end => Ok(range.start..end),
        _ => Err(NandError::End { offset: range.end }.into()),
    }
}

/// Bytes of the good blocks of a range.
pub fn good_bytes(ctx: &mut Context<'_>, range: &Range<u32>) -> Result<u32, CmdError> {
    let block = block_bytes(ctx);
    let end = range.end.min(chip_bytes(&ctx.nand.geometry()));
    let mut bytes = end.saturating_sub(range.start);
    for number in range.start / block..end.div_ceil(block) {
        if is_bad(ctx.nand, EraseBlock(number))? {
            let start = range.start.max(number * block);
            bytes = bytes.saturating_sub((number * block + block).min(end) - start);
        }
    }
    Ok(bytes)
}
