//! Where in the chip: an offset or the name of a partition, and a size.

use super::live::block_bytes;
use crate::cmd::{CmdError, Context, hex, shown};
use crate::nand::bad::is_bad;
use crate::nand::partitions::{NoTable, Partitions, Source};
use crate::nand::{NandError, chip_bytes};
use core::ops::Range;
use platform::units::EraseBlock;

/// From an offset to the end of the chip, or a partition. No name of a partition is a number.
pub fn find(ctx: &mut Context<'_>, from: &str) -> Result<Range<u32>, CmdError> {
    let chip = chip_bytes(&ctx.nand.geometry());
    match hex(from) {
        Ok(offset) if offset < chip => Ok(offset..chip),
        Ok(offset) => Err(CmdError::BeyondChip { offset, chip }),
        // What starts like a number was meant to be one, if there is no such name.
        Err(error) if from.starts_with(|first: char| first.is_ascii_digit()) => {
            partition(ctx, from).map_err(|_| error)
        }
        Err(_) => partition(ctx, from),
    }
}

/// A partition.
pub fn partition(ctx: &mut Context<'_>, name: &str) -> Result<Range<u32>, CmdError> {
    let layout = layout(ctx)?;
    match layout.find(name) {
        Some(partition) => Ok(layout.range(&partition)),
        None => Err(CmdError::NoPartition(shown(name))),
    }
}

/// The partitions there are. The chip is looked at anew if there were none the last time.
pub fn layout<'a>(ctx: &'a mut Context<'_>) -> Result<&'a Partitions, CmdError> {
    let layout = &mut ctx.state.layout;
    if layout.source == Source::Nothing {
        layout.load(ctx.nand).table.map_err(|error| match error {
            NoTable::Nand(error) => error.into(),
            NoTable::Table(error) => CmdError::from(error),
        })?;
    }
    Ok(layout)
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
