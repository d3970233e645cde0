//! What a watcher sees of a chip: the last thing at its pins, and what its array is doing.

use super::chip::{Chip, Work};
use crate::bus::Ps;

/// What an access of the controller did at the pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pins {
    /// Nothing.
    #[default]
    Nothing,
    /// A command cycle.
    Command(u8),
    /// An address cycle.
    Address,
    /// Data input cycles.
    DataIn,
    /// Data output cycles, of a page or of status and id.
    DataOut {
        /// Byte of the page that comes next.
        column: u32,
        /// How many there were.
        bytes: u32,
    },
    /// The level of R/nB was looked at.
    Ready,
}

/// What the array is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayWork {
    /// Loads a page into the register (tR), or moves it to the cache register (tRCBSY).
    Load {
        /// The page that comes out.
        page: u32,
    },
    /// Loads a page behind the one that goes out (READ CACHE); R/nB is high.
    LoadAhead {
        /// The page.
        page: u32,
    },
    /// Programs a page.
    Program {
        /// The page.
        page: u32,
    },
    /// Erases a block.
    Erase {
        /// The erase block.
        block: u32,
    },
    /// Resets.
    Reset,
}

/// The latest busy time of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusyTime {
    /// Rise of nWE of the command that began it.
    pub from: Ps,
    /// R/nB rises.
    pub until: Ps,
    /// What for.
    pub work: ArrayWork,
    /// Until when READ CACHE goes on after that, and for which page.
    pub ahead: Option<(Ps, u32)>,
}

impl Chip {
    /// What the last access did at the pins. It is told once.
    pub fn take_pins(&self) -> Pins {
        self.pins.take()
    }

    /// The latest busy time.
    #[must_use]
    pub fn busy_time(&self) -> BusyTime {
        let work = match self.busy.work {
            Work::Read => ArrayWork::Load { page: self.page.unwrap_or(0) },
            Work::Program(page) => ArrayWork::Program { page },
            Work::Erase(block) => ArrayWork::Erase { block },
            Work::Reset => ArrayWork::Reset,
        };
        let ahead = self.ahead.map(|ahead| (ahead.loaded, ahead.page));
        BusyTime { from: self.busy.from, until: self.busy.rise, work, ahead }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::bench::{Bench, NS};
    use crate::part::mt29f2g08aac;

    #[test]
    fn every_cycle_is_told_once() {
        let mut bench = Bench::new(&mt29f2g08aac::PART);
        bench.command(0x00);
        assert_eq!(bench.chip.take_pins(), Pins::Command(0x00));
        assert_eq!(bench.chip.take_pins(), Pins::Nothing);
        bench.address(&[0; 5]);
        assert_eq!(bench.chip.take_pins(), Pins::Address);
        bench.command(0x30);
        assert!(bench.chip.ready(0));
        assert_eq!(bench.chip.take_pins(), Pins::Ready);
        bench.wait();
        bench.read(3);
        assert_eq!(bench.chip.take_pins(), Pins::DataOut { column: 3, bytes: 3 });
        bench.status();
        assert_eq!(bench.chip.take_pins(), Pins::DataOut { column: 3, bytes: 1 }, "not a look at R/nB");
    }

    #[test]
    fn read_cache_goes_on_behind_its_busy_time() {
        let mut bench = Bench::new(&mt29f2g08aac::PART);
        bench.read_page(7, 0);
        assert_eq!(bench.chip.busy_time().work, ArrayWork::Load { page: 7 });
        bench.command(0x31);
        let busy = bench.chip.busy_time();
        assert_eq!(
            (busy.work, busy.ahead),
            (ArrayWork::Load { page: 7 }, Some((busy.until + 25_000 * NS, 8)))
        );
    }
}
