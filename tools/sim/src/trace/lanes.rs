//! Events, lane by lane. What follows closely is one event, so that a page has a few of them.

use crate::bus::Ps;
use crate::part::{ArrayWork, BusyTime, PageRead, Pins};

use super::totals::{PageTotals, Totals};
use super::{BusCycles, CLOSE, CoreWork, Doing, Interval, PageTrace, SaidLine, Trace};

/// Events as they come in.
#[derive(Debug, Default)]
pub struct Lanes {
    bus: Vec<Interval<BusCycles>>,
    array: Vec<Interval<ArrayWork>>,
    core: Vec<Interval<CoreWork>>,
    /// Number of the instruction of the latest byte cycles.
    at: u64,
    lines: Vec<SaidLine>,
    line_open: bool,
}

impl Lanes {
    /// The core was at this, and not at an access with byte cycles.
    pub fn core(&mut self, doing: Doing, start: Ps, end: Ps) {
        match self.core.last_mut() {
            Some(last) if last.what.doing == doing && last.end == start => {
                last.end = end;
                last.what.working += if doing.is_work() { end - start } else { 0 };
            }
            _ => self.push_core(doing, start, end),
        }
    }

    fn push_core(&mut self, doing: Doing, start: Ps, end: Ps) {
        let working = if doing.is_work() { end - start } else { 0 };
        self.core.push(Interval { start, end, what: CoreWork { doing, working } });
    }

    /// An access: its start, the start of its byte cycles, and its end.
    pub fn cycles(&mut self, pins: Pins, (start, now, end): (Ps, Ps, Ps), instructions: u64) {
        let doing = match pins {
            Pins::Command(_) | Pins::Address => Doing::Latching,
            _ => Doing::Transferring,
        };
        let close = instructions - self.at <= CLOSE;
        self.at = instructions;
        self.stalled(doing, start, end, close);
        self.bus(pins, now, end, close);
    }

    /// A stalled core, with the little work between two accesses of the same kind.
    fn stalled(&mut self, doing: Doing, start: Ps, end: Ps, close: bool) {
        let work = self.core.iter().rev().take_while(|event| event.what.doing.is_work()).count();
        let before = self.core.len().checked_sub(work + 1);
        match before.map(|index| (index, self.core[index].what.doing)) {
            Some((index, same)) if same == doing && close => {
                let between: Ps = self.core.drain(index + 1..).map(|event| event.end - event.start).sum();
                let event = &mut self.core[index];
                event.end = end;
                event.what.working += between;
            }
            _ => self.push_core(doing, start, end),
        }
    }

    fn bus(&mut self, pins: Pins, start: Ps, end: Ps, close: bool) {
        let cycles = end - start;
        if let Some(last) = self.bus.last_mut().filter(|_| close)
            && last.what.takes(pins, cycles)
        {
            last.end = end;
            return;
        }
        self.bus.extend(BusCycles::begin(pins, cycles).map(|what| Interval { start, end, what }));
    }

    /// The chip is, or still is, busy.
    pub fn array(&mut self, busy: BusyTime) {
        if busy.until == 0 {
            return;
        }
        let ahead =
            matches!(self.array.last(), Some(last) if matches!(last.what, ArrayWork::LoadAhead { .. }));
        let index = self.array.len().checked_sub(1 + usize::from(ahead));
        match index.and_then(|index| self.array.get_mut(index)) {
            Some(latest) if latest.start == busy.from => {
                // A reset makes a busy time that has begun longer or shorter.
                (latest.end, latest.what) = (busy.until, busy.work);
            }
            _ => self.push_busy(busy),
        }
    }

    fn push_busy(&mut self, busy: BusyTime) {
        if let Some(last) = self.array.last_mut() {
            last.end = last.end.min(busy.from);
        }
        self.array.push(Interval { start: busy.from, end: busy.until, what: busy.work });
        if let Some((end, page)) = busy.ahead {
            self.array.push(Interval { start: busy.until, end, what: ArrayWork::LoadAhead { page } });
        }
    }

    /// A page that hardware has read by itself, with this command behind the address where there is one.
    pub fn boot_page(&mut self, read: &PageRead, confirm: Option<u8>, busy: BusyTime, end: Ps) {
        let latches = BusCycles::Latches { first: Some(0x00), addresses: 0, last: confirm };
        self.bus.push(Interval { start: read.start, end: busy.from, what: latches });
        let data = BusCycles::DataOut { column: 0, bytes: read.bytes, cycles: end - read.data_start };
        self.bus.push(Interval { start: read.data_start, end, what: data });
        self.array(busy);
        self.push_core(Doing::Held, read.start, end);
    }

    /// Text on the console; an event for each line, when it begins.
    pub fn said(&mut self, time: Ps, bytes: &[u8]) {
        for &byte in bytes {
            match (byte, self.line_open) {
                (b'\n', _) => self.line_open = false,
                (b'\r', _) => {}
                (_, true) => self.lines.last_mut().expect("a line is open").text.push(byte),
                (_, false) => {
                    self.lines.push(SaidLine { time, text: vec![byte] });
                    self.line_open = true;
                }
            }
        }
    }

    /// All of it.
    pub fn into_trace(self, reads: &[PageRead], pages: &[PageTotals], end: (Ps, Totals)) -> Trace {
        let starts = reads.iter().zip(pages).map(|(read, page)| (read.start, page.at_start));
        let nexts: Vec<_> = starts.skip(1).chain([end]).collect();
        let pages = reads.iter().zip(pages).zip(&nexts);
        Trace {
            pages: pages.map(|((read, page), next)| PageTrace::new(read, page, next)).collect(),
            bus: self.bus,
            array: self.array,
            core: self.core,
            lines: self.lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: Pins = Pins::DataOut { column: 4, bytes: 4 };

    #[test]
    fn loads_with_a_little_work_between_are_one_transfer() {
        let mut lanes = Lanes::default();
        lanes.cycles(DATA, (0, 10, 100), 1);
        lanes.core(Doing::Working, 100, 130);
        lanes.cycles(Pins::DataOut { column: 8, bytes: 4 }, (130, 140, 230), 9);
        lanes.core(Doing::Working, 230, 5_000);
        lanes.cycles(Pins::DataOut { column: 12, bytes: 4 }, (5_000, 5_010, 5_100), 10 + CLOSE);
        let core: Vec<_> = lanes
            .core
            .iter()
            .map(|event| (event.start, event.end, event.what.doing, event.what.working))
            .collect();
        assert_eq!(
            core,
            [
                (0, 230, Doing::Transferring, 30),
                (230, 5_000, Doing::Working, 4_770),
                (5_000, 5_100, Doing::Transferring, 0)
            ]
        );
        let bus: Vec<_> = lanes.bus.iter().map(|event| (event.start, event.end, event.what)).collect();
        let data = |column, bytes, cycles| BusCycles::DataOut { column, bytes, cycles };
        assert_eq!(bus, [(10, 230, data(0, 8, 180)), (5_010, 5_100, data(8, 4, 90))]);
    }

    #[test]
    fn a_line_begins_with_its_first_byte() {
        let mut lanes = Lanes::default();
        lanes.said(5, b"\r\nS");
        lanes.said(9, b"1\r\n\nboot");
        let lines: Vec<_> = lanes.lines.iter().map(|line| (line.time, line.text.as_slice())).collect();
        assert_eq!(lines, [(5, &b"S1"[..]), (9, &b"boot"[..])]);
    }

    #[test]
    fn loading_ahead_ends_when_something_else_begins() {
        let mut lanes = Lanes::default();
        let load = |page| ArrayWork::Load { page };
        lanes.array(BusyTime { from: 10, until: 13, work: load(0), ahead: Some((38, 1)) });
        lanes.array(BusyTime { from: 10, until: 13, work: load(0), ahead: Some((38, 1)) });
        lanes.array(BusyTime { from: 20, until: 41, work: load(1), ahead: None });
        let array: Vec<_> = lanes.array.iter().map(|event| (event.start, event.end, event.what)).collect();
        assert_eq!(array, [(10, 13, load(0)), (13, 20, ArrayWork::LoadAhead { page: 1 }), (20, 41, load(1))]);
    }
}
