//! `stone run`: boots a NAND image on a simulated board.

mod console;
mod cut;
mod label;
mod pty;
mod summary;
mod terminal;
mod timeline;
mod trace;

use crate::dump::Dump;
use crate::flips::{self, FlipSpec};
use crate::layout::{Layout, Placed};
use crate::number::{count, duration_ns};
use crate::part::Geometry;
use crate::recipe::Source;
use crate::{Error, Result, bad, input, output, part};
use console::Console;
use regex::bytes::Regex;
use sim::{NandImage, Options, Outcome, PowerCut, Report, Trace};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Boot a NAND image on a simulated board
///
/// On a terminal this is the board's serial console: what is typed goes to the board,
/// Ctrl-] or Ctrl-A x ends the run. Without one it prints what the board sends. Time in
/// the board is modelled and does not depend on this computer. The exit status is 0 if a
/// kernel was entered intact, `--until` matched or the run was ended at the keyboard, and
/// the board let everything pass; with `--cut` or `--cut-time`, if the power was cut there.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone run --board gta02 target/run/gta02.nand
  stone run --board gta02 gta02.nand --report gta02.json --flip kernel-a
  stone run --board gta02 gta02.nand --trace gta02.trace.json --timeline gta02.svg
  stone run --board mini2440 m.nand --input 'help\\r' --until 'nand info'
  stone run --board mini2440 m.nand --past-kernel --until 'Please press Enter'
  stone run --board gta02 g.nand --input '\\r setenv a 1; saveenv\\r' --cut 3:inside --save
  stone run --board gta02 g.nand --input '\\r printenv a\\r' --until 'a=.*\\n'
  stone run --board gta02 g.nand --cut-time 250ms --seed 7 --save
  stone run --board gta02 g.nand --fail-program 0x1240 --fail-erase 73,80-82

Power cuts: --cut N counts page programs and block erases over the run, from 1 on; the report has
how many there are (nand.programs + nand.erases). Cut inside one (the default), it leaves a page or
block half done; --seed says how far. Bits in doubt read differently each time until the erase,
but the file that --save writes has one reading of them.

Flips (bits that read inverted; repeat the option for more):
  4096:17:3                    page, byte of the page (OOB behind the data), bit
  each-step@20-87:n=1:seed=7   n bits in each ECC step with content of these blocks
  kernel-a:n=2                 the same for a partition")]
pub struct Args {
    /// The raw NAND image; it is not changed without --save
    image: PathBuf,
    /// The board: gta02, mini2440 or smdk2410
    #[arg(long)]
    board: String,
    /// NAND part [default: the board's first]
    #[arg(long)]
    part: Option<String>,
    /// Erase blocks that are bad from the factory: 3,5-7. Pack the image with the same list
    #[arg(long, value_parser = bad::parse, value_name = "LIST", default_value = "", hide_default_value = true)]
    bad: BTreeSet<u32>,
    /// Bits that read inverted, see below
    #[arg(long, value_name = "SPEC")]
    flip: Vec<FlipSpec>,
    /// Pages that fail to program, as a worn chip reports it; they are left half programmed
    #[arg(long, value_parser = count, value_name = "PAGE", value_delimiter = ',')]
    fail_program: Vec<u32>,
    /// Erase blocks that fail to erase, the same way: 3,5-7
    #[arg(long, value_parser = bad::parse, value_name = "BLOCK", default_value = "", hide_default_value = true)]
    fail_erase: BTreeSet<u32>,
    /// Erases that a block stands in this run; every further one fails
    #[arg(long, value_parser = count, value_name = "N")]
    endurance: Option<u32>,
    /// Cut the power at the N-th program or erase: before, inside (the default) or after it
    #[arg(long, value_parser = cut::operation, value_name = "N[:MOMENT]", conflicts_with = "cut_time")]
    cut: Option<PowerCut>,
    /// Cut the power at this modelled time
    #[arg(long, value_parser = duration_ns, value_name = "TIME")]
    cut_time: Option<u64>,
    /// Recipe with the partition names for --flip [default: the flash descriptor of the image, or its boot table]
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Type this first; escapes are \n \r \t \e \\ \xHH, @FILE takes the bytes of a file
    #[arg(long, value_name = "TEXT")]
    input: Option<String>,
    /// End the run when the board has sent something that matches
    #[arg(long, value_name = "REGEX")]
    until: Option<Regex>,
    /// End the run after this modelled time [default: 30s, no limit on a terminal or with --pty]
    #[arg(long, value_parser = duration_ns, value_name = "TIME")]
    max_time: Option<u64>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the run as trace events (JSON), for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Draw the boot (SVG): its phases, a few pages, and where the time of a page goes
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// Keep running when the kernel is entered
    #[arg(long)]
    past_kernel: bool,
    /// Serve the console on a pseudo terminal, and print its name
    #[arg(long)]
    pty: bool,
    /// Write what the board has programmed and erased back to the image
    #[arg(long)]
    save: bool,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const MAX_TIME_NS: u64 = 30_000_000_000;

/// Runs.
pub fn run(args: &Args) -> Result<bool> {
    let script = input::bytes(args.input.as_deref().unwrap_or_default())?;
    let mut options = options(args)?;
    let mut nand =
        NandImage::open(&args.image).map_err(|e| Error::io("read the NAND image", &args.image, &e))?;

    let mut console = if args.pty {
        Console::pty(script)?
    } else if terminal::is_one() {
        Console::terminal(script)?
    } else {
        Console::output_only(script)
    };
    if console.is_live() {
        options.idle_ns = None;
        options.max_time_ns = args.max_time.unwrap_or(u64::MAX);
    }
    let report = sim::run(&options, &mut nand, &mut console);
    let quit = console.was_quit();
    // Gives the terminal back before anything else is printed.
    drop(console);
    let report = report.map_err(failed)?;

    if let Some(path) = &args.report {
        output::write(path, |out| writeln!(out, "{}", report.to_json()))?;
    }
    if let Some(trace) = &report.trace {
        write_events(args, &report, trace)?;
    }
    if args.save {
        save(&nand, &args.image)?;
    }
    let matched = args.until.as_ref().map(|until| until.is_match(report.uart.as_bytes()));
    let end = End { quit, matched, cut: options.cut, saved: args.save };
    let good = is_good(&report, end);
    output::print(&summary::text(&report, end, good))?;
    Ok(good)
}

fn failed(error: sim::Error) -> Error {
    Error::new(error.to_string())
}

fn write_events(args: &Args, report: &Report, trace: &Trace) -> Result<()> {
    if let Some(path) = &args.trace {
        output::write(path, |out| trace::write(report, trace, out))?;
    }
    if let Some(path) = &args.timeline {
        let drawing = timeline::draw(report, trace);
        output::write(path, |out| out.write_all(drawing.as_bytes()))?;
    }
    Ok(())
}

/// Writes the chip back to its file.
fn save(nand: &NandImage, path: &Path) -> Result<()> {
    const PIECE: u64 = 1 << 20;
    output::write(path, |out| {
        let mut piece = Vec::new();
        for at in (0..nand.len()).step_by(PIECE as usize) {
            piece.resize(PIECE.min(nand.len() - at) as usize, 0);
            nand.read(at, &mut piece);
            out.write_all(&piece)?;
        }
        Ok(())
    })
}

/// How the run ended, apart from what the simulator knows.
#[derive(Clone, Copy, Default)]
struct End {
    /// It was ended at the keyboard.
    quit: bool,
    /// Whether `--until` matched, if it was given.
    matched: Option<bool>,
    /// Where the power was to be cut.
    cut: Option<PowerCut>,
    /// Whether the chip was written back to its file.
    saved: bool,
}

/// Whether the run did what was wanted of it.
fn is_good(report: &Report, end: End) -> bool {
    let reached = match end {
        End { cut: Some(_), .. } => report.outcome == Outcome::Powercut,
        End { matched: Some(matched), .. } => matched,
        _ => end.quit || report.outcome == Outcome::Kernel,
    };
    // Also when the run went on past the kernel's entry.
    let intact = report.entry.is_none() || report.kernel_crc_ok;
    reached && intact && report.violations_total == 0
}

fn options(args: &Args) -> Result<Options> {
    let mut options = Options::new(&args.board);
    options.part.clone_from(&args.part);
    options.bad_blocks = args.bad.iter().copied().collect();
    let mut dump = Dump::open(&args.image, geometry(args))?;
    options.flips = flips(args, &mut dump)?;
    options.fail_programs.clone_from(&args.fail_program);
    options.fail_erases = args.fail_erase.iter().copied().collect();
    options.endurance = args.endurance;
    options.cut = args.cut.or(args.cut_time.map(|ns| PowerCut::Time { ns }));
    options.max_time_ns = args.max_time.unwrap_or(MAX_TIME_NS);
    options.until.clone_from(&args.until);
    options.stop_at_kernel = !args.past_kernel;
    options.seed = args.seed;
    options.trace = args.trace.is_some() || args.timeline.is_some();
    Ok(options)
}

/// The organisation of the board's part. Names that are unknown are the simulator's to refuse.
fn geometry(args: &Args) -> Option<Geometry> {
    let board = sim::boards().into_iter().find(|board| board.name == args.board)?;
    let mut parts = board.parts.iter();
    let part = match &args.part {
        Some(name) => parts.find(|part| part.eq_ignore_ascii_case(name)),
        None => parts.next(),
    };
    part::geometry(part?)
}

fn flips(args: &Args, dump: &mut Dump) -> Result<Vec<sim::Flip>> {
    if args.flip.is_empty() {
        return Ok(Vec::new());
    }
    let partitions: Vec<Placed> = match &args.recipe {
        Some(recipe) => Layout::new(&Source::open(recipe, &[])?)?.partitions,
        None => dump.partitions()?,
    };
    let flips = flips::resolve(&args.flip, dump, &partitions)?;
    Ok(flips.into_iter().map(|flip| sim::Flip { page: flip.page, byte: flip.byte, bit: flip.bit }).collect())
}

#[cfg(test)]
mod tests {
    use super::summary::tests::report;
    use super::*;

    #[test]
    fn good_is_what_was_wanted_without_a_violation() {
        use Outcome::{Console, Fault, Kernel, Timeout};
        let check = |outcome, crc_ok, violations, quit, matched, expected| {
            let entry = report(outcome).entry.filter(|_| outcome == Kernel);
            let (kernel_crc_ok, violations_total) = (crc_ok, violations);
            let report = Report { kernel_crc_ok, violations_total, entry, ..report(outcome) };
            let end = End { quit, matched, ..End::default() };
            assert_eq!(is_good(&report, end), expected, "{outcome:?}");
        };
        check(Kernel, true, 0, false, None, true);
        check(Kernel, false, 0, false, None, false);
        check(Kernel, true, 1, false, None, false);
        check(Console, false, 0, false, None, false);
        check(Console, false, 0, true, None, true);
        check(Console, false, 0, false, Some(true), true);
        check(Console, false, 1, false, Some(true), false);
        check(Kernel, true, 0, false, Some(false), false);
        // A damaged kernel that says what was waited for is still a damaged kernel.
        check(Kernel, false, 0, false, Some(true), false);
        check(Timeout, false, 0, false, None, false);
        check(Fault, false, 0, false, None, false);
    }

    #[test]
    fn a_cut_that_was_wanted_must_come() {
        let cut = Some(PowerCut::Time { ns: 1 });
        let good = |outcome, matched| is_good(&report(outcome), End { cut, matched, ..End::default() });
        assert!(good(Outcome::Powercut, None) && good(Outcome::Powercut, Some(false)));
        assert!(!good(Outcome::Kernel, None) && !good(Outcome::Console, Some(true)));
    }
}
