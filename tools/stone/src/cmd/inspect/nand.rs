//! The checks on a raw NAND image.

use super::table_error;
use crate::Result;
use crate::dump::{Dump, PageState};
use crate::layout::Placed;
use crate::recipe::Content;
use crate::uimage;
use crate::verdict::Report;
use boot::image::uimage as format;

/// Checks bad blocks, ECC, boot table, and the images in the partitions: those of
/// the recipe, or of the boot table without one.
pub fn inspect(dump: &mut Dump, partitions: Option<Vec<Placed>>, report: &mut Report) -> Result<()> {
    let geometry = dump.geometry();
    report.note("chip", format!("{} blocks of {} KiB", geometry.blocks, geometry.block() >> 10));
    if dump.blocks().end < geometry.blocks {
        report.note("in the file", format!("{} blocks, the rest is erased", dump.blocks().end));
    }
    ecc(dump, report)?;
    let table = match dump.table()? {
        Ok(table) => {
            report.ok("boot table", format!("machine {}", table.machine));
            report.note("command line", table.cmdline.clone());
            Some(table)
        }
        Err(error) => {
            report.bad("boot table", table_error(error));
            None
        }
    };
    let partitions = partitions.or_else(|| table.map(|table| table.partitions)).unwrap_or_default();
    for partition in &partitions {
        report.part(format!(
            "{} (blocks {} to {})",
            partition.name,
            partition.blocks.start,
            partition.blocks.end.saturating_sub(1)
        ));
        if partition.blocks.end > geometry.blocks {
            report.bad("place", format!("ends behind the chip's {} blocks", geometry.blocks));
        }
        image(dump, partition, report)?;
    }
    Ok(())
}

/// Pages by what the ECC says of them.
#[derive(Default)]
struct Pages {
    good: u32,
    corrected: u32,
    bits: u32,
    erased: u32,
    uncorrectable: Vec<String>,
}

fn ecc(dump: &mut Dump, report: &mut Report) -> Result<()> {
    let pages_per_block = dump.geometry().pages_per_block;
    let (mut pages, mut bad) = (Pages::default(), Vec::new());
    for number in dump.blocks() {
        let mut block = dump.block(number)?;
        if block.is_bad() {
            bad.push(number.to_string());
            continue;
        }
        if block.is_erased() {
            pages.erased += pages_per_block;
            continue;
        }
        for page in 0..pages_per_block {
            match block.correct(page) {
                PageState::Erased => pages.erased += 1,
                PageState::Good { corrected: 0 } => pages.good += 1,
                PageState::Good { corrected } => {
                    pages.corrected += 1;
                    pages.bits += corrected;
                }
                PageState::Uncorrectable { step } => {
                    pages.uncorrectable.push(format!("{} (step {step})", number * pages_per_block + page));
                }
            }
        }
    }
    if bad.first().is_some_and(|first| first == "0") {
        report.bad("block 0", "marked bad: nothing boots from it");
    }
    report.note("bad blocks", if bad.is_empty() { "none".into() } else { few(&bad) });
    report.note("erased pages", pages.erased.to_string());
    report.ok("clean pages", pages.good.to_string());
    if pages.corrected > 0 {
        report.note("corrected", format!("{} bits in {} pages", pages.bits, pages.corrected));
    }
    if !pages.uncorrectable.is_empty() {
        report.bad(
            "uncorrectable",
            format!("{} pages: {}", pages.uncorrectable.len(), few(&pages.uncorrectable)),
        );
    }
    Ok(())
}

/// The first of a list that may be long.
fn few(list: &[String]) -> String {
    const FEW: usize = 16;
    let more = list.len().saturating_sub(FEW);
    let first = list[..list.len() - more].join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// The image in a partition, as the loader finds it.
fn image(dump: &mut Dump, partition: &Placed, report: &mut Report) -> Result<()> {
    if partition.content == Some(Content::Stage1) {
        report.note("content", "the first stage");
        return Ok(());
    }
    let head = dump.content(partition.blocks.clone(), format::HEADER)?;
    if head.iter().all(|&byte| byte == 0xff) {
        report.note("content", "erased");
        return Ok(());
    }
    if !uimage::is_uimage(&head) && matches!(partition.content, Some(Content::Raw)) {
        report.note("content", "not a uImage");
        return Ok(());
    }
    // As much as the header says, but not more than there is.
    let size = format::Header::parse(&head, boot::crc::crc32).map_or(0, |header| header.size as usize);
    let whole = dump.content(partition.blocks.clone(), format::HEADER.saturating_add(size))?;
    uimage::inspect(&whole, report);
    Ok(())
}
