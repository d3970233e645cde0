//! `stone bench`: readers of NAND beside each other.

use crate::bench::{self, Options, case, chart, table};
use crate::{Error, Result, output};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// Measure how fast NAND is read, by stage1 and as published drivers did it
///
/// Needs the firmware that tools/bench.sh builds: `make bench` does both. All figures are those
/// of the simulator's model.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone bench
  stone bench --only gta02 --pages 64
  stone bench --only 'stage1|words, hardware'")]
pub struct Args {
    /// Only what matches: a part of `BUILD with PART, READER`
    #[arg(long, value_name = "REGEX")]
    only: Option<regex::Regex>,
    /// Pages that the readers of others' make read
    #[arg(long, default_value_t = 256)]
    pages: u32,
    /// Directory for summary.json and chart.svg
    #[arg(short, long, value_name = "DIRECTORY", default_value = "target/bench")]
    output: PathBuf,
    /// The top of the tree
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    root: PathBuf,
}

/// Measures.
pub fn run(args: &Args) -> Result<bool> {
    let wanted = |case: &case::Case| args.only.as_ref().is_none_or(|only| only.is_match(&case.to_string()));
    let cases: Vec<_> = case::all().into_iter().filter(wanted).collect();
    if cases.is_empty() {
        let names: Vec<_> = case::all().iter().map(ToString::to_string).collect();
        return Err(Error::new("nothing matches --only").expected(names.join("\n            ")));
    }
    let options = Options { root: args.root.clone(), pages: args.pages, overheads: vec![0, 1, 3, 4] };
    let rows = bench::run(&cases, &options, progress)?;
    let json = bench::json(&rows)?;
    output::write(&args.output.join("summary.json"), |out| writeln!(out, "{json}"))?;
    output::write(&args.output.join("chart.svg"), |out| out.write_all(chart::draw(&rows).as_bytes()))?;
    output::print(&table::text(&rows))?;
    Ok(true)
}

/// A line that is written over, for who watches.
fn progress(done: usize, of: usize) {
    let mut err = io::stderr().lock();
    if err.is_terminal() {
        let end = if done == of { "\r                  \r" } else { "" };
        // Who does not see it does not miss it.
        let _ = write!(err, "\rrun {done} of {of}{end}").and_then(|()| err.flush());
    }
}
