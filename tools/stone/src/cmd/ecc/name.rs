//! `stone ecc name`

use super::pages::{HEAD, Row, Verdict};
use super::{DumpArgs, print_json};
use crate::dump::Dump;
use crate::layout::Placed;
use crate::{Error, Result, output, survey};
use boot::nand::ecc::{self, Guess, Stats};
use serde::Serialize;
use std::fmt::Write;

/// Name the ECC layouts that the pages of a dump decode under
///
/// By runs of erase blocks, or for single pages with what each layout says of them. The exit
/// status is 0 if a layout explains all that is written.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    dump: DumpArgs,
    /// A page, counted from the start of the dump; repeat the option for more
    #[arg(long, value_name = "NUMBER", value_parser = crate::number::number)]
    page: Vec<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Names.
pub fn run(args: &Args) -> Result<bool> {
    let (mut dump, partitions) = args.dump.open()?;
    if args.page.is_empty() {
        return regions(args, &mut dump, &partitions);
    }
    let pages: Vec<Page> =
        args.page.iter().map(|page| Page::new(args, &mut dump, *page)).collect::<Result<_>>()?;
    if args.json {
        print_json(&pages)?;
    } else {
        output::print(&pages.iter().map(Page::text).collect::<String>())?;
    }
    Ok(pages.iter().all(|page| page.is_known))
}

#[derive(Serialize)]
struct Report {
    file: String,
    page: usize,
    oob: usize,
    pages_per_block: u32,
    regions: Vec<Row>,
}

fn regions(args: &Args, dump: &mut Dump, partitions: &[Placed]) -> Result<bool> {
    let geometry = dump.geometry();
    let regions = survey::survey(dump, partitions)?;
    let mut rows = Vec::new();
    for region in &regions {
        let layout = region.layouts.first().copied().unwrap_or(geometry.ecc());
        let pages = survey::check(dump, region.blocks.clone(), layout)?;
        rows.push(Row::new(region, region.names(), &pages));
    }
    let report = Report {
        file: args.dump.file.display().to_string(),
        page: geometry.page,
        oob: geometry.oob,
        pages_per_block: geometry.pages_per_block,
        regions: rows,
    };
    if args.json {
        print_json(&report)?;
    } else {
        let rows: String = report.regions.iter().map(Row::to_string).collect();
        let Report { file, page, oob, pages_per_block, .. } = &report;
        output::print(&format!(
            "{file}: pages of {page}+{oob} bytes, {pages_per_block} a block\n{HEAD}{rows}"
        ))?;
    }
    Ok(regions.iter().all(|region| !region.is_written || !region.layouts.is_empty()))
}

/// A page, and what each layout says of it.
#[derive(Serialize)]
struct Page {
    page: u32,
    block: u32,
    /// What it was written with; several if it does not tell.
    layouts: Vec<&'static str>,
    erased: bool,
    verdicts: Vec<PageVerdict>,
    #[serde(skip)]
    is_known: bool,
    #[serde(skip)]
    offset: u64,
}

#[derive(Serialize)]
struct PageVerdict {
    layout: &'static str,
    #[serde(flatten)]
    verdict: Verdict,
    #[serde(skip)]
    text: String,
}

impl Page {
    fn new(args: &Args, dump: &mut Dump, page: u64) -> Result<Self> {
        let geometry = dump.geometry();
        let pages = u64::from(dump.blocks().end) * u64::from(geometry.pages_per_block);
        if page >= pages {
            return Err(Error::new(format!("page {page} is not in the dump"))
                .file(&args.dump.file)
                .expected(format!("0 to {}", pages - 1)));
        }
        let number = page as u32;
        let (block, in_block) = (number / geometry.pages_per_block, number % geometry.pages_per_block);
        let content = dump.block(block)?;
        let (data, oob) = (content.data(in_block), content.oob(in_block));
        let guess = ecc::guess(data, oob);
        let verdict = |(layout, stats): (&'static ecc::Layout, Stats)| PageVerdict {
            layout: layout.name,
            verdict: Verdict::new(&stats),
            text: stats.to_string(),
        };
        Ok(Self {
            page: number,
            block,
            layouts: match &guess {
                Guess::Written(alike) => alike.iter().map(|(layout, _)| layout.name).collect(),
                Guess::Erased(_) | Guess::Unknown => Vec::new(),
            },
            erased: matches!(guess, Guess::Erased(_)),
            verdicts: ecc::detect(data, oob).map(verdict).collect(),
            is_known: guess != Guess::Unknown,
            offset: page * geometry.page as u64,
        })
    }

    fn text(&self) -> String {
        let name = match (self.erased, self.layouts.is_empty()) {
            (true, _) => "erased".into(),
            (false, true) => "unknown".into(),
            (false, false) => self.layouts.join(" or "),
        };
        let mut text =
            format!("page {} (block {}, offset {:#010x}): {name}\n", self.page, self.block, self.offset);
        for PageVerdict { layout, text: found, .. } in &self.verdicts {
            let _ = writeln!(text, "  {layout:<20} {found}");
        }
        text
    }
}
