//! Board simulator: real ARM binaries on Unicorn's CPU, against strict models of the SoC,
//! its memories and the NAND chip, in modelled time.
//!
//! ```no_run
//! let options = sim::Options { stop_at_kernel: true, ..sim::Options::new("gta02") };
//! let mut nand = sim::NandImage::open("gta02.nand")?;
//! let report = sim::run(&options, &mut nand, &mut sim::Capture::default())?;
//! println!("{}", report.to_json());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The models are written from the manuals and share nothing with the drivers they judge:
//! this crate uses neither `boot` nor `platform`. What a board does not let pass ends up in
//! [`Report::violations`]; modelled time never depends on the host.

#![deny(unsafe_code)]

mod cache;
mod console;
mod cpu;
mod cut;
mod error;
mod hierarchy;
mod kernel;
mod machine;
mod membus;
mod memory;
mod model;
mod observe;
mod options;
mod report;
mod run;
mod scenario;
mod soc;
mod time;

pub mod board;
pub mod bus;
pub mod part;
pub mod trace;

pub use bus::Violation;
pub use console::{Capture, Console};
pub use cut::{Moment, PowerCut};
pub use error::Error;
pub use options::Options;
pub use part::{Flip, NandImage, Torn};
pub use report::{Entry, KernelRead, NandCounters, Outcome, Phase, PowerLoss, Report};
pub use scenario::{CutRun, EveryCut, every_cut};
pub use trace::{PageSummary, Trace};

/// A board that can be simulated, and the NAND parts it was made with (the first is the default).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardInfo {
    /// Name for [`Options::board`].
    pub name: &'static str,
    /// One line about it.
    pub description: &'static str,
    /// Names for [`Options::part`].
    pub parts: &'static [&'static str],
}

/// The boards this simulator knows.
#[must_use]
pub fn boards() -> Vec<BoardInfo> {
    let info = |board: &&'static board::Board| BoardInfo {
        name: board.name,
        description: board.description,
        parts: board.parts,
    };
    board::BOARDS.iter().map(info).collect()
}

/// Runs a board from power-on until it has entered a kernel, met an end of [`Options`] or is stuck.
///
/// What the guest programs and erases is in `nand` afterwards, and so is what a cut of the power has
/// torn: the next run with it goes on from there.
///
/// # Errors
/// When the run cannot start: an unknown board or part, an image or a fault that does not fit the chip.
pub fn run(options: &Options, nand: &mut NandImage, console: &mut dyn Console) -> Result<Report, Error> {
    run::run(options, nand, console)
}
