//! What to simulate and when to stop.

use regex::bytes::Regex;

use crate::cut::PowerCut;
use crate::part::Flip;

/// What to simulate and when to stop.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the board, see [`boards`](crate::boards).
    pub board: String,
    /// NAND part; the board's first when `None`.
    pub part: Option<String>,
    /// Erase blocks that are bad from the factory.
    pub bad_blocks: Vec<u32>,
    /// Bits that read inverted.
    pub flips: Vec<Flip>,
    /// Pages that fail to program: the status says so (bit 0), and they are left half programmed.
    pub fail_programs: Vec<u32>,
    /// Erase blocks that fail to erase, the same way.
    pub fail_erases: Vec<u32>,
    /// How many erases a block stands, those of earlier runs with the same
    /// [`NandImage`](crate::NandImage) included; every further one fails.
    pub endurance: Option<u32>,
    /// Cuts the power: the run ends with [`Outcome::Powercut`](crate::Outcome::Powercut), and an
    /// operation under way leaves a torn page or block. A run that does not get there ends as
    /// it would without. [`every_cut`](crate::every_cut) tries all cuts.
    pub cut: Option<PowerCut>,
    /// Modelled time after which the run ends with [`Outcome::Timeout`](crate::Outcome::Timeout).
    pub max_time_ns: u64,
    /// Ends the run when the console output matches.
    pub until: Option<Regex>,
    /// Ends the run at the kernel's first instruction.
    pub stop_at_kernel: bool,
    /// Ends the run with [`Outcome::Console`](crate::Outcome::Console) when the guest has polled the
    /// empty receiver for this long without sending anything. `None` for a live terminal.
    pub idle_ns: Option<u64>,
    /// Seed of everything random: cache replacement, contents of memory at power-on, faults of the chip.
    pub seed: u64,
    /// Overhead of one access to the NAND controller in HCLK periods (numbers.md calls it `a`).
    /// It is not documented; 2 is an assumption, and 0 to 4 shows how much hangs on it.
    pub nand_access_hclk: u32,
    /// Keeps every event for a timeline: [`Report::trace`](crate::Report::trace).
    pub trace: bool,
}

impl Options {
    /// Defaults for a board.
    #[must_use]
    pub fn new(board: &str) -> Self {
        Self {
            board: board.to_owned(),
            part: None,
            bad_blocks: Vec::new(),
            flips: Vec::new(),
            fail_programs: Vec::new(),
            fail_erases: Vec::new(),
            endurance: None,
            cut: None,
            max_time_ns: 60_000_000_000,
            until: None,
            stop_at_kernel: true,
            idle_ns: Some(1_500_000_000),
            seed: 1,
            nand_access_hclk: 2,
            trace: false,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new("gta02")
    }
}
