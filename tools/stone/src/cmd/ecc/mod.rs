//! `stone ecc`: computes, checks and corrects the ECC of pages, and finds out their layout.

mod correct;
mod encode;
mod layouts;
mod name;
mod pages;

use crate::dump::Dump;
use crate::layout::{self, Placed};
use crate::recipe::Source;
use crate::{Error, Result, output, part};
use boot::nand::ecc::Layout;
use serde::Serialize;
use std::path::PathBuf;

/// Compute, check and correct the ECC of NAND pages, and name the layout of a dump
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone ecc name dump.nand
  stone ecc name dump.nand --page 1024 --json
  stone ecc check dump.nand --layout sw-hamming
  stone ecc correct dump.nand -o good.nand
  stone ecc encode rootfs.jffs2 -o rootfs.oob --layout sw-hamming
  stone ecc layouts

A dump is page data and OOB, as nanddump --oob writes it.")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    Name(name::Args),
    Check(correct::CheckArgs),
    Correct(correct::CorrectArgs),
    Encode(encode::Args),
    Layouts(layouts::Args),
}

/// Runs the action.
pub fn run(args: &Args) -> Result<bool> {
    match &args.action {
        Action::Name(args) => name::run(args),
        Action::Check(args) => correct::check(args),
        Action::Correct(args) => correct::correct(args),
        Action::Encode(args) => encode::run(args),
        Action::Layouts(args) => layouts::run(args),
    }
}

/// A dump, and what is known of it.
#[derive(clap::Args)]
struct DumpArgs {
    /// The dump
    file: PathBuf,
    /// NAND part that it is of [default: the smallest that it fits, with pages like those in it]
    #[arg(long)]
    part: Option<String>,
    /// Recipe with the part and the partitions [default: the flash descriptor of the dump, or its boot table]
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
}

impl DumpArgs {
    /// Opens it; returns its partitions, too.
    fn open(&self) -> Result<(Dump, Vec<Placed>)> {
        let recipe = match &self.recipe {
            Some(recipe) => Some(layout::Layout::new(&Source::open(recipe, &[])?)?),
            None => None,
        };
        let geometry = match &self.part {
            Some(name) => Some(part::known(name)?),
            None => recipe.as_ref().map(|layout| layout.geometry),
        };
        let mut dump = Dump::open(&self.file, geometry)?;
        let partitions = match recipe {
            Some(layout) => layout.partitions,
            None => dump.partitions()?,
        };
        Ok((dump, partitions))
    }
}

/// The layout of that name, for pages of this size if one is given.
fn find(name: &str, page: Option<(usize, usize)>) -> Result<&'static Layout> {
    let fits = |layout: &&Layout| page.is_none_or(|page| page == (layout.page, layout.oob));
    let found = Layout::find(name).filter(fits);
    found.ok_or_else(|| {
        let size = page.map_or(String::new(), |(page, oob)| format!(" of pages of {page}+{oob} bytes"));
        let all = boot::nand::ecc::LAYOUTS.iter().filter(fits);
        let names: Vec<_> = all.map(|layout| layout.name).collect();
        Error::new(format!("`{name}` is no ECC layout{size}"))
            .expected(names.join(", "))
            .hint("stone ecc layouts shows them")
    })
}

fn print_json(report: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report);
    output::print(&format!("{}\n", text.map_err(|e| Error::new(format!("cannot make JSON: {e}")))?))
}
