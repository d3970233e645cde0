//! `stone ecc check` and `stone ecc correct`

use super::pages::{FlippedPage, HEAD, Row, lines};
use super::{DumpArgs, find, print_json};
use crate::dump::Dump;
use crate::survey::{Pages, Region};
use crate::{Error, Result, output, survey};
use boot::nand::ecc::Layout;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Check the ECC of a dump
///
/// Lists the pages with bitflips. The exit status is 0 if all of them can be corrected.
#[derive(clap::Args)]
pub struct CheckArgs {
    #[command(flatten)]
    checked: Checked,
}

/// Write a dump anew with its bitflips corrected, in data and in codes
///
/// Pages that cannot be corrected stay as they are, bad blocks too; then the exit status is 1.
#[derive(clap::Args)]
pub struct CorrectArgs {
    #[command(flatten)]
    checked: Checked,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(clap::Args)]
struct Checked {
    #[command(flatten)]
    dump: DumpArgs,
    /// The ECC layout of all pages [default: for each run of blocks that which explains it]
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Checks.
pub fn check(args: &CheckArgs) -> Result<bool> {
    let checked = &args.checked;
    let (mut dump, regions) = checked.open()?;
    let mut report = checked.report();
    for (region, layout) in &regions {
        let layout = layout.unwrap_or(dump.geometry().ecc());
        let pages = survey::check(&mut dump, region.blocks.clone(), layout)?;
        report.add(region, layout, &pages);
    }
    checked.print(&report, &dump)
}

/// Corrects.
pub fn correct(args: &CorrectArgs) -> Result<bool> {
    let checked = &args.checked;
    let (mut dump, regions) = checked.open()?;
    for (region, layout) in &regions {
        checked.refuse_a_guess(&mut dump, region, *layout)?;
    }
    let mut report = checked.report();
    let mut left = dump.bytes();
    output::write(&args.output, |out| {
        for (region, layout) in &regions {
            let mut pages = Pages::default();
            for number in region.blocks.clone() {
                let mut block = dump.block(number).map_err(io::Error::other)?;
                match layout {
                    Some(layout) => pages.correct(number, &mut block, layout),
                    // To correct it would be to damage it.
                    None => pages.correct(number, &mut block.clone(), dump.geometry().ecc()),
                }
                // The file may end within the last block.
                let bytes = &block.raw()[..left.min(block.raw().len() as u64) as usize];
                out.write_all(bytes)?;
                left -= bytes.len() as u64;
            }
            report.add(region, layout.unwrap_or(dump.geometry().ecc()), &pages);
        }
        Ok(())
    })?;
    checked.print(&report, &dump)
}

/// A run of erase blocks with the layout that it is read with, if there is one.
type Read = (Region, Option<&'static Layout>);

impl Checked {
    fn open(&self) -> Result<(Dump, Vec<Read>)> {
        let (mut dump, partitions) = self.dump.open()?;
        let geometry = dump.geometry();
        let layout = match &self.layout {
            Some(name) => Some(find(name, Some((geometry.page, geometry.oob)))?),
            None => None,
        };
        let regions = survey::survey(&mut dump, &partitions)?.into_iter();
        let with_layout = |region: Region| {
            // What erased pages would be written with does not matter.
            let erased = (!region.is_written).then_some(geometry.ecc());
            let layout = layout.or(region.layouts.first().copied()).or(erased);
            (region, layout)
        };
        Ok((dump, regions.map(with_layout).collect()))
    }

    /// Several layouts may explain the same bits with different corrections.
    fn refuse_a_guess(
        &self,
        dump: &mut Dump,
        region: &Region,
        layout: Option<&'static Layout>,
    ) -> Result<()> {
        let Some(layout) = layout.filter(|_| self.layout.is_none() && region.layouts.len() > 1) else {
            return Ok(());
        };
        if survey::check(dump, region.blocks.clone(), layout)?.bits() == 0 {
            return Ok(());
        }
        Err(Error::new("the pages with bitflips do not tell their ECC layout")
            .file(&self.dump.file)
            .offset(u64::from(region.blocks.start) * dump.geometry().raw_block() as u64)
            .found(region.names())
            .hint("give the right one with --layout"))
    }

    fn report(&self) -> Report {
        Report { file: self.dump.file.display().to_string(), regions: Vec::new(), pages: Vec::new() }
    }

    fn print(&self, report: &Report, dump: &Dump) -> Result<bool> {
        if self.json {
            print_json(report)?;
        } else {
            let geometry = dump.geometry();
            let rows: String = report.regions.iter().map(Row::to_string).collect();
            let pages = lines(&report.pages, &geometry);
            output::print(&format!("{}\n{HEAD}{rows}{pages}", report.file))?;
        }
        Ok(report.regions.iter().all(Row::is_good))
    }
}

#[derive(Serialize)]
struct Report {
    file: String,
    regions: Vec<Row>,
    /// The pages with bitflips.
    pages: Vec<FlippedPage>,
}

impl Report {
    fn add(&mut self, region: &Region, layout: &'static Layout, pages: &Pages) {
        self.regions.push(Row::new(region, layout.name.into(), pages));
        self.pages
            .extend(pages.flipped.iter().map(|(page, stats)| FlippedPage::new(*page, layout.name, stats)));
    }
}
