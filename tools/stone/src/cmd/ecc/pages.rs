//! What is found in pages, as it is shown and as JSON.

use crate::part::Geometry;
use crate::survey::{Pages, Region};
use boot::nand::ecc::Stats;
use serde::Serialize;
use std::fmt::{self, Write};

/// Bitflips corrected in a step.
#[derive(Serialize)]
struct Corrected {
    step: usize,
    bits: u32,
}

/// What a layout says of a page.
#[derive(Serialize)]
pub struct Verdict {
    /// `clean`, `corrected`, `erased` or `uncorrectable`.
    verdict: &'static str,
    bits: u32,
    code_bits: u32,
    worst_step_bits: u32,
    corrected: Vec<Corrected>,
    uncorrectable_steps: Vec<usize>,
}

impl Verdict {
    /// In figures.
    pub fn new(stats: &Stats) -> Self {
        Self {
            verdict: match (stats.is_good(), stats.is_erased(), stats.bits()) {
                (false, ..) => "uncorrectable",
                (_, true, _) => "erased",
                (_, _, 0) => "clean",
                _ => "corrected",
            },
            bits: stats.bits(),
            code_bits: stats.code_bits(),
            worst_step_bits: stats.worst(),
            corrected: stats.corrected().map(|(step, bits)| Corrected { step, bits }).collect(),
            uncorrectable_steps: stats.uncorrectable().collect(),
        }
    }
}

/// A region in figures.
#[derive(Serialize)]
pub struct Row {
    partition: Option<String>,
    first_block: u32,
    last_block: u32,
    /// Empty for a region that is erased or unknown.
    layouts: Vec<&'static str>,
    #[serde(skip)]
    names: String,
    /// Pages that something is written in, those of them that were corrected or lost, and erased ones.
    written: u32,
    corrected: u32,
    uncorrectable: u32,
    erased: u32,
    /// Bitflips corrected: all, those in codes, the most in one step.
    bits: u32,
    code_bits: u32,
    worst_step_bits: u32,
    bad_blocks: Vec<u32>,
}

impl Row {
    /// What was found in a region.
    pub fn new(region: &Region, names: String, pages: &Pages) -> Self {
        Self {
            partition: region.partition.clone(),
            first_block: region.blocks.start,
            last_block: region.blocks.end - 1,
            layouts: region.layouts.iter().map(|layout| layout.name).collect(),
            names,
            written: pages.written(),
            corrected: pages.corrected().count() as u32,
            uncorrectable: pages.uncorrectable().count() as u32,
            erased: pages.erased,
            bits: pages.bits(),
            code_bits: pages.code_bits(),
            worst_step_bits: pages.worst(),
            bad_blocks: pages.bad.clone(),
        }
    }

    /// Whether what is written makes sense.
    pub fn is_good(&self) -> bool {
        self.uncorrectable == 0
    }
}

/// The head of a table of rows.
pub const HEAD: &str =
    "  blocks       partition    written  corrected    bits    lost   erased  bad  layout\n";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = match self.last_block - self.first_block {
            0 => self.first_block.to_string(),
            _ => format!("{} to {}", self.first_block, self.last_block),
        };
        writeln!(
            f,
            "  {blocks:<12} {:<12} {:>7}    {:>7} {:>7} {:>7}  {:>7} {:>4}  {}",
            self.partition.as_deref().unwrap_or("-"),
            self.written,
            self.corrected,
            self.bits,
            self.uncorrectable,
            self.erased,
            self.bad_blocks.len(),
            self.names,
        )
    }
}

/// A page with bitflips.
#[derive(Serialize)]
pub struct FlippedPage {
    page: u32,
    layout: &'static str,
    #[serde(flatten)]
    verdict: Verdict,
    #[serde(skip)]
    text: String,
}

impl FlippedPage {
    /// What the layout says of the page.
    pub fn new(page: u32, layout: &'static str, stats: &Stats) -> Self {
        Self { page, layout, verdict: Verdict::new(stats), text: stats.to_string() }
    }
}

/// The first of many pages, as lines.
pub fn lines(pages: &[FlippedPage], geometry: &Geometry) -> String {
    const FEW: usize = 32;
    let mut text = String::new();
    for FlippedPage { page, text: found, .. } in pages.iter().take(FEW) {
        let (block, offset) = (page / geometry.pages_per_block, u64::from(*page) * geometry.page as u64);
        let _ = writeln!(text, "  page {page} (block {block}, offset {offset:#010x}): {found}");
    }
    if pages.len() > FEW {
        let _ = writeln!(text, "  and {} more pages; --json shows all", pages.len() - FEW);
    }
    text
}
