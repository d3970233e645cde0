//! Where the time of a boot goes: sums per page in every run, and events for a timeline when
//! [`Options::trace`](crate::Options::trace) asks for them.
//!
//! Four things are told apart at every moment: byte cycles on the NAND bus; the overhead of the
//! accesses that make them; the chip being busy; and neither. While the chip is busy the core
//! either waits for R/nB or does something else, which is then hidden. While neither the chip nor
//! its bus does anything the core's work is exposed: it makes the read longer. The core's cycles
//! between two loads of the data register are exposed as well.
//!
//! A page read lasts from its first command cycle to that of the next read, if one follows. What
//! a loader does to a page while the next one is loaded is therefore found with the next one.

mod lanes;
mod recorder;
mod totals;

pub use crate::part::ArrayWork;
pub(crate) use recorder::{NandAccess, Recorder};
pub use totals::{PageSummary, PageTotals, Totals};

use crate::bus::Ps;
use crate::part::{DeliveredFlip, PageRead, Pins};

/// Instructions between two accesses of the same kind that still belong together: more than a turn
/// of any loop that asks for R/nB or moves data, less than work on the data.
const CLOSE: u64 = 64;

/// Events of a run, each lane in order of time and without overlap.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Page reads.
    pub pages: Vec<PageTrace>,
    /// The NAND bus.
    pub bus: Vec<Interval<BusCycles>>,
    /// The chip: busy times, and what READ CACHE does behind them.
    pub array: Vec<Interval<ArrayWork>>,
    /// The core.
    pub core: Vec<Interval<CoreWork>>,
    /// What was sent on the console.
    pub lines: Vec<SaidLine>,
}

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval<T> {
    /// Since power-on.
    pub start: Ps,
    /// Since power-on.
    pub end: Ps,
    /// What.
    pub what: T,
}

/// Cycles on the NAND bus that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusCycles {
    /// Commands and addresses of one sequence.
    Latches {
        /// The command that begins it.
        first: Option<u8>,
        /// How many address cycles.
        addresses: u32,
        /// The command that ends it.
        last: Option<u8>,
    },
    /// Data from the chip.
    DataOut {
        /// Byte of the page it begins with; without meaning for status and id.
        column: u32,
        /// How many.
        bytes: u32,
        /// Time of the byte cycles themselves.
        cycles: Ps,
    },
    /// Data to the chip.
    DataIn {
        /// Time of the byte cycles themselves.
        cycles: Ps,
    },
}

impl BusCycles {
    fn begin(pins: Pins, cycles: Ps) -> Option<Self> {
        Some(match pins {
            Pins::Command(byte) => Self::Latches { first: Some(byte), addresses: 0, last: None },
            Pins::Address => Self::Latches { first: None, addresses: 1, last: None },
            Pins::DataIn => Self::DataIn { cycles },
            Pins::DataOut { column, bytes } => {
                Self::DataOut { column: column.saturating_sub(bytes), bytes, cycles }
            }
            Pins::Nothing | Pins::Ready => return None,
        })
    }

    /// Goes on with the next access, if that belongs to the same sequence.
    fn takes(&mut self, pins: Pins, more: Ps) -> bool {
        match (self, pins) {
            (Self::Latches { addresses, last: None, .. }, Pins::Address) => *addresses += 1,
            (Self::Latches { addresses: 1.., last: last @ None, .. }, Pins::Command(byte)) => {
                *last = Some(byte)
            }
            (Self::DataIn { cycles }, Pins::DataIn) => *cycles += more,
            (Self::DataOut { column, bytes, cycles }, Pins::DataOut { column: end, bytes: count })
                if *column + *bytes + count == end =>
            {
                (*bytes, *cycles) = (*bytes + count, *cycles + more);
            }
            _ => return false,
        }
        true
    }
}

/// What the core is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Held in reset while the boot ROM works.
    Held,
    /// Executing, while the chip is ready.
    Working,
    /// Executing, while the chip is busy.
    WorkingInBusy,
    /// Asking for R/nB.
    Polling,
    /// Writing commands and addresses.
    Latching,
    /// Stalled by the data register, with the few instructions between its loads or stores.
    Transferring,
}

impl Doing {
    fn is_work(self) -> bool {
        matches!(self, Self::Working | Self::WorkingInBusy)
    }
}

/// What the core is doing, and how much of it is instructions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreWork {
    /// What.
    pub doing: Doing,
    /// Time not stalled by the NAND controller nor spent waiting for R/nB.
    pub working: Ps,
}

/// A line on the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidLine {
    /// Its first byte was sent.
    pub time: Ps,
    /// The line, without its end.
    pub text: Vec<u8>,
}

/// One page read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageTrace {
    /// The page.
    pub page: u32,
    /// Start of the first command cycle.
    pub start: Ps,
    /// R/nB high.
    pub ready: Ps,
    /// First data cycle; `ready` when nothing was read.
    pub data_start: Ps,
    /// End of the last data cycle.
    pub data_end: Ps,
    /// Bytes read.
    pub bytes: u32,
    /// Flipped bits among them.
    pub flips: Vec<DeliveredFlip>,
    /// Its time is over: the next read starts, or this one's last data cycle has ended and more
    /// time than it took goes by until the next.
    pub end: Ps,
    /// Where the time from `start` to `end` went.
    pub time: Totals,
}

impl PageTrace {
    fn new(read: &PageRead, page: &PageTotals, next: &(Ps, Totals)) -> Self {
        let follows = next.0.saturating_sub(read.data_end) <= read.data_end - read.start;
        let (end, totals) =
            if follows || read.bytes == 0 { *next } else { (read.data_end, page.at_data_end) };
        Self {
            page: read.page,
            start: read.start,
            ready: read.ready,
            data_start: read.data_start,
            data_end: read.data_end,
            bytes: read.bytes,
            flips: read.flips.clone(),
            end,
            time: totals - page.at_start,
        }
    }
}
