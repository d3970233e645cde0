//! `stone timing`: the fastest setting of a NAND controller for a part, with what limits it.

mod report;
mod svg;

use crate::board::{self, Board};
use crate::{Error, Result, number, output};
use boot::nand::controller::{self, Controller};
use boot::nand::part::{self, ONFI, PARTS};
use boot::nand::speed::Bus;
use boot::nand::subject::Subject;
use boot::nand::timing::{BusClock, Setting};
use platform::hal::Geometry;
use report::Report;
use std::io::Write;
use std::path::PathBuf;

/// Names of the standard's timing modes.
const MODES: [&str; ONFI.len()] =
    ["ONFI mode 0", "ONFI mode 1", "ONFI mode 2", "ONFI mode 3", "ONFI mode 4", "ONFI mode 5"];

/// Solve the timing of a NAND controller for a part, show what limits it, and draw it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone timing --board gta02
  stone timing --board mini2440 --part K9F2G08U0B --svg timing.svg
  stone timing --part K9F1208U0C --soc s3c2410 --hclk 101.4
  stone timing --part onfi5 --hclk 400/3 --json

The exit status is 1 if the controller cannot be as slow as the part needs.")]
pub struct Args {
    /// Board: its SoC, its HCLK, and timing that suits every part it may carry
    #[arg(long, required_unless_present = "part")]
    board: Option<String>,
    /// NAND part, or onfi0 to onfi5 for the modes of the standard
    #[arg(long, visible_alias = "chip")]
    part: Option<String>,
    /// Bus clock in MHz, such as 133.25, or 400/3 for what no decimal tells exactly [default: the board's]
    #[arg(long, value_name = "MHZ", value_parser = number::megahertz)]
    hclk: Option<(u32, u32)>,
    /// SoC: s3c2410, s3c2440 or s3c2442 [default: the board's, or s3c2440]
    #[arg(long)]
    soc: Option<String>,
    /// Draw the waveforms of the cycles
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Solves.
pub fn run(args: &Args) -> Result<bool> {
    let board = args.board.as_deref().map(find_board).transpose()?;
    let subject = match (&args.part, board) {
        (Some(name), _) => part_of(name)?,
        (None, Some(board)) => parts_of(board)?,
        (None, None) => return Err(Error::new("neither a board nor a part is given")),
    };
    let controller =
        controller_of(args.soc.as_deref().or(board.map(|board| board.soc)).unwrap_or("s3c2440"))?;
    let clock = match (args.hclk, board) {
        (Some((hz, divider)), _) => BusClock { source: platform::units::Hz(hz), divider },
        (None, Some(board)) => board.hclk(),
        (None, None) => {
            return Err(Error::new("the bus clock is unknown").hint("give --hclk in MHz, or --board"));
        }
    };
    let setting = Setting::solve(&subject.timing, controller, clock).map_err(|error| {
        Error::new(format!("{} cannot serve {}: {error}", controller.soc, subject))
            .found(format!("a bus clock of {:.2} MHz", report::megahertz(clock)))
            .hint("a slower bus clock makes longer cycles")
    })?;
    let bus = Bus { controller, clock, setting };
    // Which divider would be best is only a question while HCLK is the board's to choose.
    let choices = board.filter(|_| args.hclk.is_none());
    let report = Report::new(board, &subject, &bus, choices);
    if let Some(path) = &args.svg {
        let drawing = svg::draw(&report, &subject.timing, &bus);
        output::write(path, |out| out.write_all(drawing.as_bytes()))?;
    }
    if args.json {
        let text = serde_json::to_string_pretty(&report);
        output::print(&format!("{}\n", text.map_err(|e| Error::new(format!("cannot make JSON: {e}")))?))?;
    } else {
        output::print(&report.to_string())?;
    }
    Ok(true)
}

/// The part, or the mode of the standard, with this name.
fn part_of(name: &str) -> Result<Subject<'static>> {
    if let Some(subject) = part::find(name).and_then(|part| Subject::any_of([part])) {
        return Ok(subject);
    }
    let mode = name.strip_prefix("onfi").and_then(|mode| mode.parse::<usize>().ok());
    match mode.and_then(|mode| Some((MODES.get(mode)?, ONFI.get(mode)?))) {
        Some((mode, &timing)) => {
            let geometry = Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks: 2048 };
            Ok(Subject::new(mode, timing, geometry))
        }
        None => {
            let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
            Err(Error::new(format!("the NAND part `{name}` is unknown"))
                .expected(format!("{}, or onfi0 to onfi5", names.join(", "))))
        }
    }
}

/// Whatever part the board carries.
fn parts_of(board: &Board) -> Result<Subject<'static>> {
    let parts: Option<Vec<_>> = board.parts.iter().map(|name| part::find(name)).collect();
    parts.and_then(Subject::any_of).ok_or_else(|| {
        Error::new(format!("{} carries a part that is unknown", board.name)).hint("give --part")
    })
}

fn find_board(name: &str) -> Result<&'static Board> {
    board::find(name).ok_or_else(|| {
        let names = board::BOARDS.map(|board| board.name);
        Error::new(format!("the board `{name}` is unknown")).expected(names.join(", "))
    })
}

fn controller_of(soc: &str) -> Result<&'static Controller> {
    Controller::of_soc(soc).ok_or_else(|| {
        let names: Vec<_> = controller::ALL.iter().map(|controller| controller.soc).collect();
        Error::new(format!("the SoC `{soc}` is unknown")).expected(names.join(", "))
    })
}
