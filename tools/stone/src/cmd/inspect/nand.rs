//! The checks on a raw NAND image.

use super::table_error;
use crate::Result;
use crate::dump::{Copy, Dump};
use crate::layout::Placed;
use crate::part::Geometry;
use crate::recipe::Content;
use crate::survey::{self, Pages, Region};
use crate::uimage;
use crate::verdict::Report;
use boot::descriptor::DescriptorError;
use boot::image::uimage as format;
use boot::nand::ecc::Stats;
use std::ops::Range;

/// Checks bad blocks, ECC, boot table, and the images in the partitions: those of
/// the recipe, or of the boot table without one.
pub fn inspect(dump: &mut Dump, partitions: Option<Vec<Placed>>, report: &mut Report) -> Result<()> {
    let geometry = dump.geometry();
    report.note("chip", format!("{} blocks of {} KiB", geometry.blocks, geometry.block() >> 10));
    if dump.blocks().end < geometry.blocks {
        report.note("in the file", format!("{} blocks, the rest is erased", dump.blocks().end));
    }
    let table = dump.table()?;
    let copies = dump.descriptors()?;
    let partitions = match partitions {
        Some(partitions) => partitions,
        None => dump.partitions()?,
    };
    let regions = survey::survey(dump, &partitions)?;
    ecc(dump, &regions, report)?;
    match table {
        Ok(table) => {
            report.ok("boot table", format!("machine {}", table.machine));
            report.note("command line", table.cmdline);
        }
        Err(error) => report.bad("boot table", table_error(error)),
    }
    flash_descriptor(&copies, &geometry, report);
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
        layout(partition, &regions, report);
        image(dump, partition, report)?;
    }
    Ok(())
}

/// The copies of the flash descriptor, and what it says. An image may do without one, but not with half of one.
fn flash_descriptor(copies: &[Copy; 2], geometry: &Geometry, report: &mut Report) {
    let missing = |copy: &Copy| copy.descriptor == Err(DescriptorError::Missing);
    if copies.iter().all(missing) {
        report.note("descriptor", "none: partitions are those of the boot table");
        return;
    }
    for (number, copy) in (1..).zip(copies) {
        let item = format!("descriptor {number}");
        let lost = copy.pages.iter().find(|(_, stats)| stats.uncorrectable().next().is_some());
        match (&copy.descriptor, lost) {
            (_, Some((page, stats))) => report.bad(item, format!("page {page}: {stats}")),
            (Err(error), _) => report.bad(item, error.to_string()),
            (Ok(other), _) if other.geometry != (*geometry).into() => {
                report.bad(item, format!("it is for a chip of {} blocks", other.geometry.blocks));
            }
            (Ok(_), _) => report.ok(item, "CRC matches"),
        }
    }
    if let [Copy { descriptor: Ok(first), .. }, Copy { descriptor: Ok(second), .. }] = copies
        && first != second
    {
        report.bad("descriptors", "the copies differ");
    }
    if let Some(good) = copies.iter().find_map(|copy| copy.descriptor.as_ref().ok()) {
        report.note("part", format!("{}, {} to Linux", good.part, good.mtd));
        let bad: Vec<_> = good.bad.iter().map(u16::to_string).collect();
        report.note("factory bad", if bad.is_empty() { "none".into() } else { few(&bad) });
    }
}

/// Whether what is written in a partition has the ECC layout that is read there.
fn layout(partition: &Placed, regions: &[Region], report: &mut Report) {
    for region in regions.iter().filter(|region| region.partition.as_ref() == Some(&partition.name)) {
        if region.is_written && !region.layouts.contains(&partition.ecc) {
            report.bad(
                "ECC layout",
                format!(
                    "{} in blocks {}, read as {}",
                    region.names(),
                    shown(&region.blocks),
                    partition.ecc.name
                ),
            );
        }
    }
}

fn shown(blocks: &Range<u32>) -> String {
    match blocks.len() {
        1 => blocks.start.to_string(),
        _ => format!("{} to {}", blocks.start, blocks.end - 1),
    }
}

/// Counts pages, each by the layout that explains its region.
fn ecc(dump: &mut Dump, regions: &[Region], report: &mut Report) -> Result<()> {
    let mut pages = Pages::default();
    let mut runs: Vec<(String, Vec<Range<u32>>)> = Vec::new();
    for region in regions {
        let layout = region.layouts.first().copied().unwrap_or(dump.geometry().ecc());
        pages.merge(survey::check(dump, region.blocks.clone(), layout)?);
        if region.is_written {
            add(&mut runs, region);
        }
    }
    if pages.bad.first() == Some(&0) {
        report.bad("block 0", "marked bad: nothing boots from it");
    }
    let bad: Vec<_> = pages.bad.iter().map(u32::to_string).collect();
    report.note("bad blocks", if bad.is_empty() { "none".into() } else { few(&bad) });
    for (names, list) in runs {
        let list: Vec<_> = list.iter().map(shown).collect();
        report.note("ECC layout", format!("{names} in blocks {}", few(&list)));
    }
    report.note("erased pages", pages.erased.to_string());
    report.ok("clean pages", pages.clean.to_string());
    if pages.corrected().next().is_some() {
        report.note("corrected", format!("{} bits in {} pages", pages.bits(), pages.corrected().count()));
    }
    let lost = |(page, stats): &(u32, Stats)| {
        let steps: Vec<_> = stats.uncorrectable().map(|step| step.to_string()).collect();
        format!("{page} (step {})", steps.join(" "))
    };
    let lost: Vec<_> = pages.uncorrectable().map(lost).collect();
    if !lost.is_empty() {
        report.bad("uncorrectable", format!("{} pages: {}", lost.len(), few(&lost)));
    }
    Ok(())
}

/// Adds a region to the blocks of its layout.
fn add(runs: &mut Vec<(String, Vec<Range<u32>>)>, region: &Region) {
    let (names, blocks) = (region.names(), region.blocks.clone());
    let Some((_, list)) = runs.iter_mut().find(|(other, _)| *other == names) else {
        runs.push((names, vec![blocks]));
        return;
    };
    match list.last_mut() {
        Some(last) if last.end == blocks.start => last.end = blocks.end,
        _ => list.push(blocks),
    }
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
    let head = dump.content(partition.blocks.clone(), format::HEADER, partition.ecc)?;
    if head.iter().all(|&byte| byte == 0xff) {
        report.note("content", "erased");
        return Ok(());
    }
    let wants_uimage = matches!(partition.content, Some(Content::Stage2 | Content::Kernel));
    if !uimage::is_uimage(&head) && !wants_uimage {
        report.note("content", "not a uImage");
        return Ok(());
    }
    // As much as the header says, but not more than there is.
    let size = format::Header::parse(&head, boot::crc::crc32).map_or(0, |header| header.size as usize);
    let whole = dump.content(partition.blocks.clone(), format::HEADER.saturating_add(size), partition.ecc)?;
    uimage::inspect(&whole, report);
    Ok(())
}
