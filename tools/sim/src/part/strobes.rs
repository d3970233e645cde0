//! Timing of the strobes, checked against the part's table.
//!
//! Pulses are checked as the controller's settings promise them, not as software happens to
//! space them: a high time that is only long enough because the next access comes late is a
//! setting that does not meet the data sheet. Distances between cycles of different kinds
//! are checked as they are.

use std::fmt;

use super::{Limit, Part};
use crate::bus::{Access, Ps};

/// The shape a controller gives to its byte cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// CLE or ALE high to the strobe's fall.
    pub setup: Ps,
    /// Beginning of a data cycle to the strobe's fall.
    pub data_setup: Ps,
    /// nWE or nRE low.
    pub low: Ps,
    /// The strobe's rise to the end of the cycle: hold of CLE, ALE and data, and the least
    /// time before the strobe falls again.
    pub high: Ps,
}

impl Pulse {
    /// Length of a data cycle.
    #[must_use]
    pub const fn data_cycle(&self) -> Ps {
        self.data_setup + self.strobe_cycle()
    }

    /// From a fall of the strobe to the end of its cycle.
    const fn strobe_cycle(&self) -> Ps {
        self.low + self.high
    }

    /// The least time between two strobes of the same kind.
    const fn between(&self) -> Ps {
        self.high + self.data_setup
    }

    /// Length of a command or address cycle.
    #[must_use]
    pub const fn latch_cycle(&self) -> Ps {
        self.setup + self.strobe_cycle()
    }
}

/// A cycle on the bus, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cycle {
    Command(u8),
    Address(u8),
    DataIn,
    DataOut,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(byte) => write!(f, "command {byte:02X}h"),
            Self::Address(byte) => write!(f, "address {byte:02X}h"),
            Self::DataIn => f.write_str("data in"),
            Self::DataOut => f.write_str("data out"),
        }
    }
}

/// Which bytes of a read come out wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    None,
    First,
    All,
}

/// What has happened on the pins, as far as later cycles are bound by it. An edge is forgotten
/// when the distance from it has been checked.
#[derive(Debug)]
pub(super) struct Strobes {
    part: &'static Part,
    selected: Option<Ps>,
    last_write_rise: Option<Ps>,
    cle_low: Option<Ps>,
    ale_low: Option<Ps>,
    address_rise: Option<Ps>,
    ready: Option<Ps>,
    last_read_rise: Option<Ps>,
    /// The next read is the first after something else.
    first_read: bool,
    /// A pulse that satisfies every limit on read cycles.
    good_read: Option<Pulse>,
}

impl Strobes {
    pub(super) fn new(part: &'static Part) -> Self {
        Self {
            part,
            selected: None,
            last_write_rise: None,
            cle_low: None,
            ale_low: None,
            address_rise: None,
            ready: None,
            last_read_rise: None,
            first_read: true,
            good_read: None,
        }
    }

    /// nCE falls.
    pub(super) fn select(&mut self, now: Ps) {
        self.selected = Some(now);
        self.first_read = true;
    }

    /// nCE rises.
    pub(super) fn deselect(&mut self, now: Ps, access: &mut Access<'_>) {
        if let Some(rise) = self.last_write_rise {
            let held = now.saturating_sub(rise);
            self.require("tCH", held, self.part.timing.t_ch_min, "nCE high", access);
        }
    }

    /// R/nB will rise at `at`.
    pub(super) fn will_be_ready(&mut self, at: Ps) {
        self.ready = Some(at);
        self.first_read = true;
    }

    /// A command or address cycle begins. Returns the rise of nWE.
    pub(super) fn latch(&mut self, cycle: Cycle, start: Ps, pulse: Pulse, access: &mut Access<'_>) -> Ps {
        let timing = &self.part.timing;
        let (fall, rise) = (start + pulse.setup, start + pulse.setup + pulse.low);
        let low_again = Some(rise + pulse.high);
        if matches!(cycle, Cycle::Command(_)) {
            self.require("tCLS", pulse.setup + pulse.low, timing.t_cls_min, cycle, access);
            self.require("tCLH", pulse.high, timing.t_clh_min, cycle, access);
            self.cle_low = low_again;
            self.address_rise = None;
        } else {
            self.require("tALS", pulse.setup + pulse.low, timing.t_als_min, cycle, access);
            self.require("tALH", pulse.high, timing.t_alh_min, cycle, access);
            self.ale_low = low_again;
            self.address_rise = Some(rise);
        }
        self.require("tWC", pulse.latch_cycle(), timing.t_wc_min, cycle, access);
        self.write_cycle(cycle, fall, rise, pulse, access);
        self.first_read = true;
        self.last_write_rise = Some(rise);
        rise
    }

    /// `count` data input cycles begin, back to back.
    pub(super) fn data_in(&mut self, start: Ps, count: u32, pulse: Pulse, access: &mut Access<'_>) {
        let timing = &self.part.timing;
        let fall = start + pulse.data_setup;
        let (cycle, rise) = (Cycle::DataIn, fall + pulse.low);
        if let Some(address) = self.address_rise.take() {
            self.require("tADL", rise.saturating_sub(address), timing.t_adl_min, cycle, access);
        }
        self.require("tWC", pulse.data_cycle(), timing.t_wc_min, cycle, access);
        self.write_cycle(cycle, fall, rise, pulse, access);
        self.first_read = true;
        self.last_write_rise = Some(rise + Ps::from(count - 1) * pulse.data_cycle());
    }

    /// What holds for every cycle of nWE. The controller drives data at the latest with the
    /// fall of nWE and until the end of the cycle (assumption; no set-up of its own is documented).
    fn write_cycle(&mut self, cycle: Cycle, fall: Ps, rise: Ps, pulse: Pulse, access: &mut Access<'_>) {
        let timing = &self.part.timing;
        self.require("tWP", pulse.low, timing.t_wp_min, cycle, access);
        self.require("tDS", pulse.low, timing.t_ds_min, cycle, access);
        self.require("tDH", pulse.high, timing.t_dh_min, cycle, access);
        self.require("tWH", pulse.between(), timing.t_wh_min, cycle, access);
        if let Some(selected) = self.selected.take() {
            self.require("tCS", rise.saturating_sub(selected), timing.t_cs_min, cycle, access);
        }
        if let Some(read) = self.last_read_rise.take() {
            self.require("tRHW", fall.saturating_sub(read), timing.t_rhw_min, cycle, access);
        }
    }

    /// `count` data output cycles begin, back to back. `after_ready` says that they bring out what
    /// R/nB has announced: the status may be read before, and so may, wrongly, the rest.
    pub(super) fn data_out(
        &mut self,
        start: Ps,
        count: u32,
        pulse: Pulse,
        after_ready: bool,
        access: &mut Access<'_>,
    ) -> Wrong {
        self.last_read_rise = Some(start + Ps::from(count) * pulse.data_cycle() - pulse.high);
        let pulses_good = self.good_read == Some(pulse) || self.check_read_pulse(pulse, access);
        let distances_good =
            !self.first_read || self.check_first_read(start + pulse.data_setup, pulse, after_ready, access);
        match (pulses_good, distances_good) {
            (false, _) => Wrong::All,
            (true, false) => Wrong::First,
            (true, true) => Wrong::None,
        }
    }

    fn check_read_pulse(&mut self, pulse: Pulse, access: &mut Access<'_>) -> bool {
        let (timing, cycle) = (&self.part.timing, Cycle::DataOut);
        let good = self.require("tRP", pulse.low, timing.t_rp_min, cycle, access)
            & self.require("tREH", pulse.between(), timing.t_reh_min, cycle, access)
            & self.require("tRC", pulse.data_cycle(), timing.t_rc_min, cycle, access)
            // The controller takes the data at the rise of nRE (assumption: nothing later is documented).
            & self.require("tREA", pulse.low, timing.t_rea_max, cycle, access);
        self.good_read = good.then_some(pulse);
        good
    }

    fn check_first_read(
        &mut self,
        fall: Ps,
        pulse: Pulse,
        after_ready: bool,
        access: &mut Access<'_>,
    ) -> bool {
        let (timing, cycle) = (&self.part.timing, Cycle::DataOut);
        self.first_read = false;
        let since = |edge: Ps| fall.saturating_sub(edge);
        let mut good = true;
        if let Some(edge) = self.ready.take_if(|_| after_ready) {
            good &= self.require("tRR", since(edge), timing.t_rr_min, cycle, access);
        }
        if let Some(edge) = self.last_write_rise {
            good &= self.require("tWHR", since(edge), timing.t_whr_min, cycle, access);
        }
        if let Some(edge) = self.ale_low.take() {
            good &= self.require("tAR", since(edge), timing.t_ar_min, cycle, access);
        }
        if let Some(edge) = self.cle_low.take() {
            good &= self.require("tCLR", since(edge), timing.t_clr_min, cycle, access);
        }
        if let Some(edge) = self.selected.take() {
            good &= self.require("tCEA", since(edge) + pulse.low, timing.t_cea_max, cycle, access);
        }
        good
    }

    /// Reports a parameter that is given less time than it needs.
    fn require(
        &self,
        name: &'static str,
        given: Ps,
        limit: Limit,
        cycle: impl fmt::Display,
        access: &mut Access<'_>,
    ) -> bool {
        let good = given >= limit.ps();
        if !good {
            let (given, part) = (Nanoseconds(given), self.part.name);
            let detail =
                format!("{name}: {given} ns given, {part} needs {} ns ({}), {cycle}", limit.ns, limit.source);
            access.violation("nand-timing", detail);
        }
        good
    }
}

/// A time printed in nanoseconds without needless digits.
pub(super) struct Nanoseconds(pub(super) Ps);

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::bench::{Bench, NS, pulse};
    use crate::part::{Faults, NandImage, PARTS, find, k9f2g08u0b};

    /// The parameter names among the complaints, each once.
    fn parameters(bench: &mut Bench) -> Vec<String> {
        let mut names: Vec<String> = bench
            .complaints()
            .iter()
            .map(|text| {
                text.strip_prefix("nand-timing: ").expect(text).split(':').next().expect(text).to_string()
            })
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn bench(part: &str) -> Bench {
        let image = NandImage::from_bytes((0..2112).map(|i| i as u8).collect());
        Bench::with(find(part).expect(part), image, Faults::default())
    }

    #[test]
    fn pulses_of_a_command() {
        let check = |part, (setup, low, high), expected: &[&str]| {
            let mut bench = bench(part);
            bench.pulse = pulse(setup, low, high);
            bench.command(0x90);
            assert_eq!(parameters(&mut bench), expected, "{part} {setup}/{low}/{high}");
            // With ALE it is the same but for the names.
            bench.address(&[0]);
            let expected: Vec<String> = expected.iter().map(|name| name.replace("tCL", "tAL")).collect();
            assert_eq!(parameters(&mut bench), expected, "{part} {setup}/{low}/{high}");
        };
        // The GTA02's part at 45 ns, as at HCLK 133.3 MHz, and what falls short of it.
        check("K5D2G13ACM", (0, 30, 15), &[]);
        check("K5D2G13ACM", (0, 22, 23), &["tWP"]);
        check("K5D2G13ACM", (0, 30, 8), &["tWC", "tWH"]);
        check("K5D2G13ACM", (0, 25, 15), &["tWC"]);
        check("K9F2G08U0B", (0, 20, 10), &[]);
        check("K9F2G08U0B", (0, 10, 15), &["tCLS", "tDS", "tWP"]);
        check("K9F2G08U0B", (10, 10, 10), &["tDS", "tWP"]);
        check("K9F2G08U0B", (0, 21, 4), &["tCLH", "tDH", "tWH"]);
        check("MT29F2G08AAC", (0, 24, 15), &["tCLS", "tWC", "tWP"]);
    }

    #[test]
    fn pulses_of_data_in() {
        let check = |(low, high), expected: &[&str]| {
            let mut bench = bench("K9F2G08U0B");
            bench.command(0x80);
            bench.address(&[0; 5]);
            bench.pulse = pulse(0, low, high);
            bench.write(&[0]);
            assert_eq!(parameters(&mut bench), expected, "{low}/{high}");
        };
        check((15, 10), &[]);
        check((12, 12), &["tWC"]);
        check((11, 14), &["tDS", "tWP"]);
        check((16, 9), &["tWH"]);
        check((21, 4), &["tDH", "tWH"]);
    }

    #[test]
    fn pulses_of_data_out() {
        let check = |part, (low, high), expected: &[&str]| {
            let mut bench = bench(part);
            bench.read_page(0, 0);
            bench.pulse = pulse(0, low, high);
            let bytes = bench.read(8);
            assert_eq!(parameters(&mut bench), expected, "{part} {low}/{high}");
            let right = bytes.iter().zip(0..).filter(|&(&byte, index)| byte == index).count();
            assert_eq!(right, if expected.is_empty() { 8 } else { 0 }, "{bytes:?}");
        };
        check("K5D2G13ACM", (30, 15), &[]);
        check("K5D2G13ACM", (29, 16), &["tREA"]);
        check("K5D2G13ACM", (24, 21), &["tREA", "tRP"]);
        check("K5D2G13ACM", (31, 14), &["tREH"]);
        check("K5D2G13ACM", (30, 8), &["tRC", "tREH"]);
        check("K9F2G08U0B", (20, 10), &[]);
        check("K9F2G08U0B", (19, 10), &["tREA"]);
        check("K9F2G08U0B", (10, 10), &["tRC", "tREA", "tRP"]);
    }

    /// Runs `act`, which takes the time in nanoseconds that is in question.
    fn check_distance(part: &str, name: &str, least: Ps, act: fn(&mut Bench, Ps)) {
        for (given, expected) in [(least, &[][..]), (least - 1, &[name])] {
            let mut bench = bench(part);
            act(&mut bench, given);
            assert_eq!(parameters(&mut bench), expected, "{name} {given}");
        }
    }

    #[test]
    fn distances_between_cycles() {
        check_distance("K9F2G08U0B", "tCS", 20, |bench, given| {
            bench.select(false);
            bench.pulse = pulse(0, 15, 10);
            bench.select(true);
            bench.now += (given - 15) * NS;
            bench.command(0x70);
        });
        check_distance("K9F2G08U0B", "tCH", 5, |bench, given| {
            bench.gap = 0;
            bench.command(0x70);
            bench.now -= bench.pulse.high;
            bench.now += given * NS;
            bench.select(false);
        });
        check_distance("K9F2G08U0B", "tWHR", 60, |bench, given| {
            bench.pulse = pulse(0, 30, 20);
            bench.gap = (given - 20) * NS;
            bench.command(0x70);
            bench.read(1);
        });
        // Long enough for tWHR, whose rise is earlier: only a long hold brings these out.
        check_distance("K9F2G08U0B", "tCLR", 10, |bench, given| {
            bench.pulse = pulse(0, 30, 60);
            bench.gap = given * NS;
            bench.command(0x70);
            bench.read(1);
        });
        check_distance("K9F2G08U0B", "tAR", 10, |bench, given| {
            bench.pulse = pulse(0, 30, 60);
            bench.command(0x90);
            bench.gap = given * NS;
            bench.address(&[0]);
            bench.read(1);
        });
        check_distance("K9F2G08U0B", "tRHW", 100, |bench, given| {
            bench.command(0x70);
            bench.pulse = pulse(10, 30, 20);
            bench.gap = (given - 10 - 20) * NS;
            bench.read(1);
            bench.command(0x70);
        });
        check_distance("K9F2G08U0B", "tADL", 100, |bench, given| {
            bench.command(0x80);
            bench.address(&[0; 4]);
            bench.pulse = pulse(0, 30, 20);
            bench.gap = (given - 20 - 30) * NS;
            bench.address(&[0]);
            bench.write(&[0]);
        });
        check_distance("K9F2G08U0B", "tCEA", 25, |bench, given| {
            bench.command(0x70);
            bench.select(false);
            bench.now += 100 * NS;
            bench.select(true);
            bench.pulse = pulse(0, 20, 10);
            bench.now += (given - 20) * NS;
            bench.read(1);
        });
    }

    #[test]
    fn reading_too_soon_after_ready() {
        check_distance("K9F2G08U0B", "tRR", 20, |bench, given| {
            bench.read_page(0, 0);
            bench.now = bench.chip.busy_edges().1 + given * NS;
            let bytes = bench.read(4);
            // Only the first byte is hit.
            assert_eq!(bytes[0] == 0, given >= 20);
            assert_eq!(bytes[1..], [1, 2, 3]);
        });
    }

    #[test]
    fn taking_the_old_ready_for_the_new_one() {
        for part in PARTS {
            let t_wb = Ps::from(part.timing.t_wb_max.ns);
            let mut bench = Bench::new(part);
            bench.command(0xFF);
            let rise = bench.now - bench.gap - bench.pulse.high;
            bench.pulse = pulse(0, 50, 50);
            bench.now = rise + (t_wb - 1) * NS;
            bench.command(0x70);
            assert_eq!(parameters(&mut bench), ["tWB"], "{}", part.name);
        }
    }

    #[test]
    fn a_message_tells_everything() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.pulse = Pulse { setup: 0, data_setup: 0, low: 7500, high: 22_500 };
        bench.command(0x30);
        let complaints = bench.complaints();
        assert!(
            complaints.contains(
                &"nand-timing: tWP: 7.5 ns given, K9F2G08U0B needs 12 ns (recall), command 30h".to_string()
            ),
            "{complaints:?}"
        );
    }
}
