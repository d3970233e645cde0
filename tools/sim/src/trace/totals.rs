//! Where the time of page reads went, as sums that only grow: two of them make a stretch.

use std::ops::Sub;

use serde::Serialize;

use crate::bus::Ps;
use crate::part::PageRead;

/// Time since power-on, each picosecond in exactly one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Byte cycles on the NAND bus.
    pub bus: Ps,
    /// Overhead of the accesses that make them: `a` of numbers.md, and waiting for the memory bus.
    pub access: Ps,
    /// The chip is busy (from the command's rise of nWE to the rise of R/nB) and the core does
    /// something else than wait for it.
    pub hidden: Ps,
    /// The chip is busy and the core waits for R/nB.
    pub polling: Ps,
    /// The chip is ready, its bus rests, and the core does something else than ask for R/nB.
    pub exposed: Ps,
    /// The chip is ready, its bus rests, and the core has not noticed yet.
    pub late: Ps,
}

impl Totals {
    /// All of it.
    #[must_use]
    pub fn time(&self) -> Ps {
        self.bus + self.access + self.t_r() + self.cpu_exposed()
    }

    /// The chip was busy and nothing moved on its bus.
    #[must_use]
    pub fn t_r(&self) -> Ps {
        self.hidden + self.polling
    }

    /// Neither the chip nor its bus did anything.
    #[must_use]
    pub fn cpu_exposed(&self) -> Ps {
        self.exposed + self.late
    }
}

impl Sub for Totals {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            bus: self.bus - earlier.bus,
            access: self.access - earlier.access,
            hidden: self.hidden - earlier.hidden,
            polling: self.polling - earlier.polling,
            exposed: self.exposed - earlier.exposed,
            late: self.late - earlier.late,
        }
    }
}

/// A page read, by the sums at its first command cycle and after its last data cycle so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageTotals {
    /// At the start of the first command cycle.
    pub at_start: Totals,
    /// At the end of the last data cycle; equal to `at_start` while there is none.
    pub at_data_end: Totals,
    /// Period of the core's clock at that time.
    pub core: Ps,
}

/// Page reads one after the other, on average.
///
/// Each mean is over everything from the first command cycle to the last data cycle, also over
/// what belongs to no page, such as bad-block marks: `pages` times `page_ns` is the whole time.
/// `page_ns` is `bus_ns` + `access_ns` + `tr_ns` + `cpu_exposed_ns`, and `tr_ns` is
/// `cpu_hidden_ns` + `polling_ns`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PageSummary {
    /// Pages read: those that delivered more than the OOB alone has.
    pub pages: u64,
    /// Other reads among them, of bad-block marks for example.
    pub other_reads: u64,
    /// From page to page.
    pub page_ns: f64,
    /// Byte cycles on the NAND bus: commands, addresses, data.
    pub bus_ns: f64,
    /// Overhead of the accesses that make them (`a` of numbers.md), which no code can hide.
    pub access_ns: f64,
    /// The chip was busy (tWB and tR, or tRCBSY) and its bus at rest.
    pub tr_ns: f64,
    /// Of that, the core did something else than wait for R/nB.
    pub cpu_hidden_ns: f64,
    /// Of that, the core waited for R/nB.
    pub polling_ns: f64,
    /// Neither the chip nor its bus did anything: the core's own time, between the loads of the
    /// data register too.
    pub cpu_exposed_ns: f64,
    /// Core cycles a page, those in which it is stalled by the data register included, those spent
    /// polling R/nB not.
    pub cpu_cycles_per_page: f64,
    /// Of those, the ones in which it is not stalled by a byte cycle: hidden and exposed work.
    pub work_cycles_per_page: f64,
}

impl PageSummary {
    /// Sums up reads that follow each other. `None` when no page is among them.
    #[must_use]
    pub fn of(reads: &[PageRead], totals: &[PageTotals], oob: u32) -> Option<Self> {
        let (first, last) = (totals.first()?, totals.last()?);
        let pages = reads.iter().filter(|read| read.bytes > oob).count() as u64;
        let sum = last.at_data_end - first.at_start;
        let work = sum.hidden + sum.exposed;
        let ns = |time: Ps| (time as f64 / pages as f64).round() / 1e3;
        let cycles = |time: Ps| (10.0 * time as f64 / (pages * last.core) as f64).round() / 10.0;
        (pages > 0).then(|| Self {
            pages,
            other_reads: reads.len() as u64 - pages,
            page_ns: ns(sum.time()),
            bus_ns: ns(sum.bus),
            access_ns: ns(sum.access),
            tr_ns: ns(sum.t_r()),
            cpu_hidden_ns: ns(sum.hidden),
            polling_ns: ns(sum.polling),
            cpu_exposed_ns: ns(sum.cpu_exposed()),
            cpu_cycles_per_page: cycles(sum.bus + sum.access + work),
            work_cycles_per_page: cycles(work),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: u32) -> PageRead {
        PageRead { page: 0, start: 0, ready: 0, data_start: 0, data_end: 0, bytes, flips: Vec::new() }
    }

    fn at(times: u64) -> Totals {
        let n = times * 1000;
        Totals { bus: 90 * n, access: 10 * n, hidden: 20 * n, polling: 5 * n, exposed: 3 * n, late: n }
    }

    #[test]
    fn means_are_over_everything_from_the_first_command_to_the_last_byte() {
        let page = |from, to| PageTotals { at_start: at(from), at_data_end: at(to), core: 2_500 };
        let (reads, totals) = ([read(2072), read(1), read(2072)], [page(1, 2), page(3, 4), page(5, 7)]);
        let summary = PageSummary::of(&reads, &totals, 64).expect("two pages");
        assert_eq!((summary.pages, summary.other_reads), (2, 1));
        let expected = PageSummary {
            pages: 2,
            other_reads: 1,
            page_ns: 3.0 * 129.0,
            bus_ns: 270.0,
            access_ns: 30.0,
            tr_ns: 75.0,
            cpu_hidden_ns: 60.0,
            polling_ns: 15.0,
            cpu_exposed_ns: 12.0,
            cpu_cycles_per_page: (300.0 + 60.0 + 9.0) / 2.5,
            work_cycles_per_page: (69.0_f64 / 2.5 * 10.0).round() / 10.0,
        };
        assert_eq!(summary, expected);
        assert_eq!(PageSummary::of(&reads[1..2], &totals[1..2], 64), None);
        assert_eq!(PageSummary::of(&[], &[], 64), None);
    }
}
