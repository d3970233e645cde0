//! A timing setting as people read it: `stone timing` and `nand timing` print the same.

use super::datasheet::Parameter;
use super::speed::{ACCESS_OVERHEAD, Bus, PageRead};
use super::subject::Subject;
use super::timing::{BusClock, Check, Cycle, Phases, Span};
use crate::decimal::Decimal;
use core::fmt;

/// What is between cycles of different kinds, which the driver waits for.
pub const WAITS: [Parameter; 8] = [
    Parameter::Whr,
    Parameter::Rhw,
    Parameter::Adl,
    Parameter::Ar,
    Parameter::Clr,
    Parameter::Rr,
    Parameter::Wb,
    Parameter::R,
];

/// What a setting gives to what it serves: fields, the slack of each inequality, speed.
pub struct Sheet<'a> {
    /// What is served.
    pub subject: &'a Subject<'a>,
    /// By what.
    pub bus: Bus<'a>,
}

impl fmt::Display for Sheet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, bus } = self;
        writeln!(f, "{subject} on {}, bus clock {}", bus.controller.soc, Clock(bus.clock))?;
        writeln!(f, "  {}", Fields(bus))?;
        self.rules(f)?;
        write!(f, "\n  left to the driver, ns:")?;
        for parameter in WAITS {
            let recalled = if subject.is_recalled(parameter) { "r" } else { "" };
            write!(f, " {} {}{recalled}", parameter.name(), subject.timing.get(parameter).0)?;
        }
        writeln!(f, "\n")?;
        self.speed(f)
    }
}

impl Sheet<'_> {
    fn rules(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, bus } = self;
        writeln!(f, "\n  param  in                of            wanted   given   slack ns")?;
        for check in bus.setting.checks(&subject.timing, bus.controller, bus.clock) {
            self.rule(&check, f)?;
        }
        writeln!(f, "  binds: one bus clock less would not do.  r: recalled, not read in any source.")
    }

    fn rule(&self, check: &Check, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameter = check.rule.parameter;
        let recalled = if self.subject.is_recalled(parameter) { 'r' } else { ' ' };
        let mark = match (check.holds, check.binds) {
            (false, _) => " TOO SHORT",
            (true, true) => " binds",
            (true, false) => "",
        };
        writeln!(
            f,
            "  {:<6} {:<17} {:<12} {:>4}.0{recalled} {:>7} {:>7}{mark}",
            parameter.name(),
            cycle_name(check.rule.cycle),
            span_name(check.rule.span),
            check.wanted.0,
            Decimal::ns(check.given_ps as i64),
            Decimal::ns(check.slack_ps()),
        )
    }

    fn speed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, bus } = self;
        let page = PageRead::of(&subject.geometry);
        let (chip, whole) = (page.chip_ps(&subject.timing), page.bus_ps(&subject.timing, bus));
        writeln!(f, "  page read             us     MB/s")?;
        writeln!(f, "{}", Rate { name: "chip", page, page_ps: chip })?;
        writeln!(f, "{}", Rate { name: "bus", page, page_ps: whole })?;
        let page_ps = page.pio_ps(&subject.timing, bus, ACCESS_OVERHEAD);
        writeln!(f, "{}", Rate { name: "programmed I/O", page, page_ps })?;
        if let Some(t_rcbsy) = subject.t_rcbsy {
            let page_ps = page.cached_pio_ps(t_rcbsy, bus, ACCESS_OVERHEAD);
            writeln!(f, "{}", Rate { name: "with READ CACHE", page, page_ps })?;
        }
        let share = Decimal::percent(chip, whole);
        writeln!(f, "  The bus gives {share} % of what the chip could do. Programmed I/O is taken to cost")?;
        writeln!(f, "  {ACCESS_OVERHEAD} bus clocks an access beside the cycles (an assumption).")
    }
}

/// How people call the kinds of cycle.
#[must_use]
pub const fn cycle_name(cycle: Cycle) -> &'static str {
    match cycle {
        Cycle::Latch => "command, address",
        Cycle::DataIn => "data in",
        Cycle::DataOut => "data out",
    }
}

/// How people call spans of a cycle.
#[must_use]
pub const fn span_name(span: Span) -> &'static str {
    match span {
        Span::SetUp => "set-up",
        Span::Low => "low",
        Span::ToRise => "to the rise",
        Span::High | Span::Between => "high",
        Span::Whole => "cycle",
    }
}

/// A bus clock with its period.
pub struct Clock(pub BusClock);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BusClock { source, divider } = self.0;
        let mhz = Decimal::new(source.0.into(), u64::from(divider) * 1_000_000, 2);
        let period = Decimal::new(i64::from(divider) * 1_000_000_000, source.0.into(), 2);
        write!(f, "{mhz} MHz ({period} ns)")
    }
}

/// The register fields of a setting, with what each lasts.
pub struct Fields<'a>(pub &'a Bus<'a>);

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bus { controller, clock, setting } = self.0;
        let read = controller.read.as_ref().map(|read| (read, setting.read));
        let strobes = [Some((&controller.write, setting.write)), read];
        for (i, (strobe, phases)) in strobes.into_iter().flatten().enumerate() {
            let Phases { set_up, low, high } = phases;
            let values = strobe.values(phases);
            for (j, (field, cycles)) in strobe.fields().into_iter().zip([set_up, low, high]).enumerate() {
                let space = if (i, j) == (0, 0) { "" } else { " " };
                let ns = Decimal::ns(clock.picoseconds(cycles) as i64);
                write!(f, "{space}{} = {} ({ns} ns)", field.name, values[j])?;
            }
        }
        Ok(())
    }
}

/// A line about how fast pages can be read.
pub struct Rate<'a> {
    /// What bounds it.
    pub name: &'a str,
    /// What a page is.
    pub page: PageRead,
    /// How long one takes, in picoseconds.
    pub page_ps: u64,
}

impl fmt::Display for Rate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = Decimal::us(self.page_ps);
        let rate = Decimal::mb_per_s(self.page.bytes_per_s(self.page_ps));
        write!(f, "  {:<15} {us:>8} {rate:>8}", self.name)
    }
}
