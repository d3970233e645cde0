//! What came out of a run.

use crate::bus::Violation;
use crate::part::Torn;
use crate::trace::{PageSummary, Trace};
use serde::Serialize;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A kernel was entered.
    Kernel,
    /// The guest sits at its console: the output matched `until`, the terminal asked to stop,
    /// or the guest polls an idle receiver.
    Console,
    /// The guest is stuck: in an endless loop of one instruction, or in exceptions inside exceptions.
    Fault,
    /// The modelled time was up.
    Timeout,
    /// The power was cut, before or after a kernel was entered.
    Powercut,
}

/// Registers at the kernel's first instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Where it was entered.
    pub pc: u32,
    /// Must be 0.
    pub r0: u32,
    /// Machine number.
    pub r1: u32,
    /// Address of the tag list.
    pub r2: u32,
}

/// What went over the NAND bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NandCounters {
    /// Pages fetched from the array.
    pub page_reads: u64,
    /// Bytes read through the data register.
    pub bytes: u64,
    /// Time the bus was cycling.
    pub bus_ns: u64,
    /// Time the chip was busy.
    pub busy_ns: u64,
    /// Bits that were read wrong where one correction per ECC step is enough.
    pub corrected_bits: u64,
    /// Pages with more flips in one ECC step than can be corrected.
    pub uncorrectable: u64,
    /// Pages programmed, or tried to.
    pub programs: u64,
    /// Blocks erased, or tried to.
    pub erases: u64,
}

impl NandCounters {
    /// Programs and erases, as [`PowerCut::Operation`](crate::PowerCut::Operation) counts them.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.programs + self.erases
    }
}

/// What a cut of the power met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PowerLoss {
    /// Programs and erases that had begun.
    pub operations: u64,
    /// The last of them, when it was under way.
    pub torn: Option<Torn>,
    /// The share of its time that it had had.
    pub progress: Option<f64>,
}

/// How fast the kernel came out of the NAND.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KernelRead {
    /// Data bytes of the pages read.
    pub bytes: u64,
    /// From the first page's command to the last byte of the last page.
    pub time_ns: u64,
    /// Rate in 10^6 bytes per second.
    pub mb_per_s: f64,
    /// The limit of programmed I/O at the programmed timings.
    pub limit_mb_per_s: f64,
    /// The limit of the NAND bus at the programmed timings.
    pub bus_limit_mb_per_s: f64,
    /// Rate over the limit of programmed I/O.
    pub share: f64,
}

/// A stretch of the boot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Phase {
    /// `boot-rom`, `clocks`, `sdram`, `init`, `kernel-read`, `entry`.
    pub name: &'static str,
    /// Modelled time since reset.
    pub start_ns: u64,
    /// Modelled time since reset.
    pub end_ns: u64,
}

/// What came out of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The board.
    pub board: String,
    /// The NAND part.
    pub part: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Modelled time from reset to the outcome.
    pub time_ns: u64,
    /// Registers at the kernel's first instruction.
    pub entry: Option<Entry>,
    /// Whether the memory held, at entry, the data the NAND image's uImage header promises.
    pub kernel_crc_ok: bool,
    /// What went over the NAND bus.
    pub nand: NandCounters,
    /// How fast the kernel came out of the NAND.
    pub kernel_read: Option<KernelRead>,
    /// Where the time of that went, a page on average.
    pub pages: Option<PageSummary>,
    /// The same for the pages that the kernel has read after its entry.
    pub pages_past_kernel: Option<PageSummary>,
    /// The stretches of the boot.
    pub phases: Vec<Phase>,
    /// What the cut of the power met, when that was the outcome.
    pub power_loss: Option<PowerLoss>,
    /// What the board does not let pass, up to the kernel's first instruction.
    pub violations: Vec<Violation>,
    /// How many there were in all; `violations` keeps a few per place.
    pub violations_total: u64,
    /// The same for the kernel, when the run went on into it.
    pub after_entry: Vec<Violation>,
    /// What the guest sent on the console.
    pub uart: String,
    /// Instructions run.
    pub instructions: u64,
    /// Times the board was reset by its watchdog.
    pub resets: u32,
    /// Where the model is lenient or had to assume something.
    pub notes: Vec<String>,
    /// Every event, when [`Options::trace`](crate::Options::trace) asked for them.
    #[serde(skip)]
    pub trace: Option<Trace>,
}

impl Report {
    /// The report as indented JSON.
    ///
    /// # Panics
    /// Never: every field has a JSON form.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has a JSON form")
    }
}
