//! Takes down, access by access, what the NAND bus, the chip and the core were doing.

use std::ops::Range;

use crate::bus::Ps;
use crate::part::{Chip, Log, PageRead, Pins};

use super::CLOSE;
use super::lanes::Lanes;
use super::totals::{PageSummary, PageTotals, Totals};
use super::{Doing, Trace};

/// An access of the core to the NAND controller.
#[derive(Clone, Copy, Debug)]
pub struct NandAccess {
    /// Where the load or store is.
    pub pc: u32,
    /// Instructions run so far.
    pub instructions: u64,
    /// The core begins it.
    pub start: Ps,
    /// Its address phase is over: byte cycles begin here.
    pub now: Ps,
    /// It is done.
    pub end: Ps,
    /// Period of the core's clock.
    pub core: Ps,
}

/// Keeps sums per page, and every event when that is asked for.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Accounted for up to here.
    time: Ps,
    totals: Totals,
    /// The chip's latest busy time.
    busy: (Ps, Ps),
    /// The latest access to the controller, when it asked for R/nB: its place and its number.
    poll: Option<(u32, u64)>,
    /// Starts of the two latest command cycles: one of them is where a page read starts.
    commands: [(Ps, Totals); 2],
    pages: Vec<PageTotals>,
    lanes: Option<Lanes>,
}

impl Recorder {
    /// Keeps events as well as sums.
    #[must_use]
    pub fn with_events(events: bool) -> Self {
        Self { lanes: events.then(Lanes::default), ..Self::default() }
    }

    /// An access has been made.
    pub fn access(&mut self, access: NandAccess, chip: &Chip) {
        let pins = chip.take_pins();
        let polls = pins == Pins::Ready;
        // A loop that asks for R/nB over and over: what it does between is no work.
        let again =
            polls && self.poll.is_some_and(|(pc, at)| pc == access.pc && access.instructions - at <= CLOSE);
        let before = if again { Doing::Polling } else { Doing::Working };
        self.core(before, access.start);
        match pins {
            Pins::Ready => self.core(Doing::Polling, access.end),
            Pins::Nothing => self.core(Doing::Working, access.end),
            _ => self.cycles(pins, access, chip),
        }
        self.poll = polls.then_some((access.pc, access.instructions));
    }

    /// The core has been asleep until `until`. Asleep is waiting, if for R/nB is not known.
    pub fn slept(&mut self, from: Ps, until: Ps) {
        self.core(Doing::Working, from);
        self.core(Doing::Polling, until);
    }

    /// The boot ROM has copied something, a page perhaps. `bus` is how long byte cycles took.
    pub fn boot_page(&mut self, bus: Ps, end: Ps, chip: &Chip) {
        chip.take_pins();
        let Some(read) = chip.log().reads.get(self.pages.len()) else { return };
        self.core(Doing::Working, read.start);
        let at_start = self.totals;
        self.totals.bus += bus;
        self.totals.polling += (end - self.time).saturating_sub(bus);
        self.time = end;
        let busy = chip.busy_time();
        self.busy = (busy.from, busy.until);
        self.pages.push(PageTotals { at_start, at_data_end: self.totals, core: 0 });
        if let Some(lanes) = &mut self.lanes {
            lanes.boot_page(read, chip.part().commands.read_confirm, busy, end);
        }
    }

    /// The board has sent something on its console.
    pub fn said(&mut self, time: Ps, bytes: &[u8]) {
        if let Some(lanes) = &mut self.lanes {
            lanes.said(time, bytes);
        }
    }

    /// The mean of the pages among these reads of the log; `oob` is the size of one.
    #[must_use]
    pub fn summary(&self, log: &Log, range: Range<usize>, oob: u32) -> Option<PageSummary> {
        PageSummary::of(log.reads.get(range.clone())?, self.pages.get(range)?, oob)
    }

    /// What was recorded, up to the end of the run.
    #[must_use]
    pub fn trace(&mut self, end: Ps, log: &Log) -> Option<Trace> {
        self.core(Doing::Working, end);
        let lanes = self.lanes.take()?;
        Some(lanes.into_trace(&log.reads, &self.pages, (self.time, self.totals)))
    }

    /// The core was at this until `until`, and its bus to the chip at rest.
    fn core(&mut self, doing: Doing, until: Ps) {
        let (from, rise) = self.busy;
        let falls = from.clamp(self.time, until.max(self.time));
        let rises = rise.clamp(falls, until.max(falls));
        for (end, busy) in [(falls, false), (rises, true), (until, false)] {
            let start = self.time;
            if end <= start {
                continue;
            }
            self.time = end;
            let sum = match (doing, busy) {
                (Doing::Polling, true) => &mut self.totals.polling,
                (Doing::Polling, false) => &mut self.totals.late,
                (_, true) => &mut self.totals.hidden,
                (_, false) => &mut self.totals.exposed,
            };
            *sum += end - start;
            if let Some(lanes) = &mut self.lanes {
                let doing = if doing == Doing::Working && busy { Doing::WorkingInBusy } else { doing };
                lanes.core(doing, start, end);
            }
        }
    }

    /// An access with byte cycles.
    fn cycles(&mut self, pins: Pins, access: NandAccess, chip: &Chip) {
        // An access may begin a core cycle before the one before it ends: the instruction's own.
        let (start, now) = (self.time, access.now.max(self.time));
        self.totals.access += now - start;
        if matches!(pins, Pins::Command(_)) {
            self.commands = [(access.now, self.totals), self.commands[0]];
        }
        self.time = access.end.max(now);
        self.totals.bus += self.time - now;
        let busy = chip.busy_time();
        self.busy = (busy.from, busy.until);
        self.note_page(pins, access, chip.log());
        if let Some(lanes) = &mut self.lanes {
            lanes.cycles(pins, (start, now, self.time), access.instructions);
            lanes.array(busy);
        }
    }

    /// Opens the pages that the chip's log has got, and moves the end of the last one on.
    fn note_page(&mut self, pins: Pins, access: NandAccess, log: &Log) {
        for read in &log.reads[self.pages.len()..] {
            let at_start = self.start_of(read);
            self.pages.push(PageTotals { at_start, at_data_end: at_start, core: access.core });
        }
        let is_page = log.reads.last().is_some_and(|read| read.bytes > 0 && read.data_end > access.now);
        if matches!(pins, Pins::DataOut { .. }) && is_page {
            let page = self.pages.last_mut().expect("a page for each read");
            (page.at_data_end, page.core) = (self.totals, access.core);
        }
    }

    fn start_of(&self, read: &PageRead) -> Totals {
        let command = self.commands.iter().find(|(start, _)| *start == read.start);
        command.map_or(self.totals, |(_, totals)| *totals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::bench::Bench;
    use crate::part::{Part, k9f2g08u0b, mt29f2g08aac};
    use crate::time::{NS, US};

    /// A core at 400 MHz in front of a chip.
    struct Core {
        bench: Bench,
        recorder: Recorder,
        instructions: u64,
    }

    /// Address phase of an access.
    const ACCESS: Ps = 20 * NS;

    impl Core {
        fn new() -> Self {
            Self::with(&k9f2g08u0b::PART)
        }

        fn with(part: &'static Part) -> Self {
            let mut recorder = Recorder::with_events(true);
            let bench = Bench::new(part);
            recorder.core(Doing::Working, bench.now);
            Self { bench, recorder, instructions: 0 }
        }

        /// Works for a while.
        fn work(&mut self, time: Ps) {
            self.bench.now += time;
            self.instructions += time / (10 * NS);
        }

        fn access(&mut self, pc: u32, cycles: Ps, act: impl FnOnce(&mut Bench)) {
            let start = self.bench.now;
            let now = start + ACCESS;
            self.bench.now = now;
            act(&mut self.bench);
            let end = now + cycles;
            self.bench.now = end;
            self.instructions += 1;
            let access = NandAccess { pc, instructions: self.instructions, start, now, end, core: 2_500 };
            self.recorder.access(access, &self.bench.chip);
        }

        /// A byte cycle of 120 ns for commands and addresses, of 100 ns for data.
        fn start_page(&mut self, page: u8) {
            self.access(0, 120 * NS, |bench| bench.command(0x00));
            for byte in [0, 0, page, 0, 0] {
                self.access(0, 120 * NS, |bench| bench.address(&[byte]));
            }
            self.access(0, 120 * NS, |bench| bench.command(0x30));
        }

        fn word(&mut self) {
            self.access(4, 400 * NS, |bench| drop(bench.read(4)));
        }

        fn poll(&mut self) {
            self.access(8, 0, |bench| {
                let _ = bench.chip.ready(bench.now);
            });
        }

        fn totals(&self) -> Totals {
            self.recorder.totals
        }
    }

    /// 7 latch cycles and two words; while the chip is busy 10 us of work, then polling up to
    /// 90 ns after it is ready; 30 ns between the words and 1 us after them.
    #[test]
    fn every_moment_is_in_one_place() {
        let mut core = Core::new();
        core.start_page(3);
        let before = core.recorder.pages[0].at_start;
        core.work(10 * US);
        let (_, ready) = core.bench.chip.busy_edges();
        core.poll();
        while core.bench.now < ready + 70 * NS {
            core.work(30 * NS);
            core.poll();
        }
        let noticed = core.bench.now;
        core.word();
        core.work(30 * NS);
        core.word();
        let end = core.totals();
        core.work(US);
        core.start_page(4);

        let page = core.recorder.pages[0];
        assert_eq!(page.at_data_end, end);
        let sum = page.at_data_end - before;
        // The high part of 30h's cycle is on the bus, and the chip is busy already.
        let t_r = core.bench.chip.part().timing.t_r_max.ps() + core.bench.chip.part().timing.t_wb_max.ps();
        assert_eq!(sum.bus, (7 * 120 + 2 * 400) * NS);
        assert_eq!(sum.access, 6 * ACCESS + 2 * ACCESS);
        assert_eq!(sum.t_r(), t_r - 50 * NS);
        assert_eq!(sum.hidden, 10 * US);
        assert_eq!((sum.late, sum.exposed), (noticed - ready, 30 * NS));
        let next = core.recorder.pages[1].at_start;
        assert_eq!((next - end).exposed, US);
        assert_eq!(next.time(), core.bench.chip.log().reads[1].start);
    }

    /// A loop that looks at R/nB now and then is working, one that does little else is waiting.
    #[test]
    fn work_between_two_looks_is_work() {
        let check = |between: Ps, hidden: Ps| {
            let mut core = Core::new();
            core.start_page(0);
            let start = core.totals();
            for _ in 0..5 {
                core.work(between);
                core.poll();
            }
            assert_eq!((core.totals() - start).hidden, hidden, "{between}");
        };
        // The first look comes after work, whatever follows.
        check(100 * NS, 100 * NS);
        check(2 * US, 10 * US);
    }

    /// The second page starts with the 31h that brings it, and only tRCBSY is waited for.
    #[test]
    fn read_cache_hides_the_array_behind_the_bus() {
        let mut core = Core::with(&mt29f2g08aac::PART);
        core.start_page(0);
        core.bench.now = core.bench.chip.busy_edges().1;
        for _ in 0..2 {
            core.access(12, 120 * NS, |bench| bench.command(0x31));
            core.bench.now = core.bench.chip.busy_edges().1;
            // Longer than tR.
            (0..64).for_each(|_| core.word());
        }
        let [first, second] = core.recorder.pages[..] else { panic!("two pages") };
        assert_eq!(second.at_start.time(), core.bench.chip.log().reads[1].start);
        let (timing, sum) = (&core.bench.chip.part().timing, second.at_data_end - second.at_start);
        assert_eq!(sum.t_r(), timing.t_wb_max.ps() + timing.t_rcbsy.ps() - 50 * NS);
        assert_eq!(sum.bus, (120 + 64 * 400) * NS);
        assert!((first.at_data_end - first.at_start).t_r() > timing.t_r_max.ps());
    }

    #[test]
    fn sleep_is_waiting() {
        let mut core = Core::new();
        core.start_page(0);
        let (start, now) = (core.totals(), core.bench.now);
        core.recorder.slept(now + 2 * US, now + 5 * US);
        let sum = core.totals() - start;
        assert_eq!((sum.hidden, sum.polling), (2 * US, 3 * US));
    }

    #[test]
    fn the_trace_has_every_page_with_its_time() {
        let mut core = Core::new();
        for page in 0..2 {
            core.start_page(page);
            core.bench.now = core.bench.chip.busy_edges().1;
            core.word();
        }
        core.work(500 * US);
        let Core { bench, mut recorder, .. } = core;
        let trace = recorder.trace(bench.now, bench.chip.log()).expect("asked for");
        let ends: Vec<_> = trace.pages.iter().map(|page| (page.page, page.end)).collect();
        // Nothing follows the last page for long.
        assert_eq!(ends, [(0, trace.pages[1].start), (1, trace.pages[1].data_end)]);
        for page in &trace.pages {
            assert_eq!(page.time.time(), page.end - page.start);
        }
        assert_eq!(trace.core.last().map(|event| event.end), Some(bench.now));
    }
}
