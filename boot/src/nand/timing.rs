//! From a part's data sheet to the timing fields of a NAND controller.
//!
//! A controller makes its cycles out of three phases, each a whole number of bus clocks:
//!
//! ```text
//!   CLE, ALE  __/                        \__
//!             |<-- set-up -->|<-- low -->|<-- high -->|
//!   nWE, nRE  ---------------\___________/------------
//! ```
//!
//! Latch cycles write a command or an address byte, data cycles move a byte of data. What
//! a part asks of them is in [`RULES`]; what a controller can do is in [`Controller`]. All
//! of it is `const`, so that a part which a controller cannot serve need not compile.

use super::controller::{ChipEnable, Controller, Field, SetUp, Strobe};
use super::datasheet::{Parameter, Timing};
use platform::units::{Hz, Ns};

/// A bus clock as what it is made from, so that a third of 400 MHz has a period of 7.5 ns
/// and not one of a hertz that was rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusClock {
    /// What is divided.
    pub source: Hz,
    /// By how much.
    pub divider: u32,
}

impl BusClock {
    /// A clock that is a whole fraction of another one, of which it is known rounded down.
    #[must_use]
    pub const fn of(source: Hz, rounded: Hz) -> Self {
        Self { source, divider: source.0 / rounded.0 }
    }

    /// The fewest periods that last at least this long.
    #[must_use]
    pub const fn cycles(self, time: Ns) -> u32 {
        (time.0 as u64 * self.source.0 as u64).div_ceil(1_000_000_000 * self.divider as u64) as u32
    }

    /// How long some periods last, rounded down to picoseconds. A whole number of ns that
    /// they last at least is never rounded away.
    #[must_use]
    pub const fn picoseconds(self, cycles: u32) -> u64 {
        cycles as u64 * self.divider as u64 * 1_000_000_000_000 / self.source.0 as u64
    }
}

/// The kinds of cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// A command or an address byte is written.
    Latch,
    /// A byte of data is written.
    DataIn,
    /// A byte of data is read.
    DataOut,
}

/// Phases of a cycle that lie in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Before the strobe falls.
    SetUp,
    /// The strobe is low.
    Low,
    /// From the start of the cycle to the rise of the strobe.
    ToRise,
    /// The strobe is high again, until the next cycle starts.
    High,
    /// The strobe is high, until it falls in the next cycle of the kind.
    Between,
    /// All of it.
    Whole,
}

/// Lengths of the phases of a cycle, in bus clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// Before the strobe falls.
    pub set_up: u32,
    /// The strobe is low.
    pub low: u32,
    /// The strobe is high again.
    pub high: u32,
}

impl Phases {
    /// The shortest ones with this set-up: of the low phase and to the rise, of the high phase and
    /// between strobes.
    const fn meeting(set_up: u32, [low, rise]: [u32; 2], [high, between]: [u32; 2]) -> Self {
        let low = max(low, rise.saturating_sub(set_up));
        Self { set_up, low, high: max(high, between.saturating_sub(set_up)) }
    }

    /// The length of a span.
    #[must_use]
    pub const fn span(self, span: Span) -> u32 {
        match span {
            Span::SetUp => self.set_up,
            Span::Low => self.low,
            Span::ToRise => self.set_up + self.low,
            Span::High => self.high,
            Span::Between => self.high + self.set_up,
            Span::Whole => self.set_up + self.low + self.high,
        }
    }
}

/// A span of a cycle must last at least as long as a parameter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the part asks for.
    pub parameter: Parameter,
    /// In which cycle.
    pub cycle: Cycle,
    /// Of which phases.
    pub span: Span,
}

/// What every part asks of the cycles. Data is taken as the strobe rises. What lies between
/// cycles of different kinds (tWHR and the like) is for the driver to wait for.
pub const RULES: &[Rule] = {
    const fn rule(parameter: Parameter, cycle: Cycle, span: Span) -> Rule {
        Rule { parameter, cycle, span }
    }
    &[
        rule(Parameter::Cls, Cycle::Latch, Span::ToRise),
        rule(Parameter::Als, Cycle::Latch, Span::ToRise),
        rule(Parameter::Cs, Cycle::Latch, Span::ToRise),
        rule(Parameter::Clh, Cycle::Latch, Span::High),
        rule(Parameter::Alh, Cycle::Latch, Span::High),
        rule(Parameter::Ch, Cycle::Latch, Span::High),
        rule(Parameter::Ds, Cycle::DataIn, Span::ToRise),
        rule(Parameter::Dh, Cycle::DataIn, Span::High),
        rule(Parameter::Wp, Cycle::DataIn, Span::Low),
        rule(Parameter::Wh, Cycle::DataIn, Span::Between),
        rule(Parameter::Wc, Cycle::DataIn, Span::Whole),
        rule(Parameter::Rp, Cycle::DataOut, Span::Low),
        rule(Parameter::Rea, Cycle::DataOut, Span::Low),
        rule(Parameter::Cea, Cycle::DataOut, Span::ToRise),
        rule(Parameter::Reh, Cycle::DataOut, Span::Between),
        rule(Parameter::Rc, Cycle::DataOut, Span::Whole),
        rule(Parameter::Ar, Cycle::DataOut, Span::SetUp),
        rule(Parameter::Clr, Cycle::DataOut, Span::SetUp),
    ]
};

impl Rule {
    /// Whether the cycles of this controller are where the part's wish is met.
    ///
    /// With nCE held low by software tCS, tCH and tCEA end long before or begin long after
    /// any cycle; without set-up in data cycles tAR and tCLR are part of the wait for tWHR.
    #[must_use]
    pub const fn applies(&self, controller: &Controller) -> bool {
        match self.parameter {
            Parameter::Cs | Parameter::Ch | Parameter::Cea => {
                matches!(controller.chip_enable, ChipEnable::EachCycle)
            }
            Parameter::Ar | Parameter::Clr => {
                matches!(controller.strobe(self.cycle).set_up, SetUp::EveryCycle(_))
            }
            _ => true,
        }
    }
}

/// A controller cannot be as slow as a part needs at this clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The register field that is too small.
    pub field: &'static str,
    /// What asks for it; `None` if the field is wrong in itself.
    pub parameter: Option<Parameter>,
    /// Bus clocks that the phase must last.
    pub needed: u32,
    /// Bus clocks that the field can express.
    pub longest: u32,
}

impl core::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { field, needed, longest, .. } = self;
        let parameter = self.parameter.map_or("the field itself", Parameter::name);
        write!(f, "{parameter} needs {needed} bus clocks in {field}, which gives {longest} at most")
    }
}

/// A lower bound, and what asks for it.
#[derive(Clone, Copy)]
struct Need {
    cycles: u32,
    parameter: Option<Parameter>,
}

impl Need {
    const fn of(cycles: u32) -> Self {
        Self { cycles, parameter: None }
    }

    const fn or(self, other: Self) -> Self {
        if other.cycles > self.cycles { other } else { self }
    }

    /// What is left of it for another phase.
    const fn less(self, cycles: u32) -> Self {
        Self { cycles: self.cycles.saturating_sub(cycles), ..self }
    }

    const fn within(self, field: &Field) -> Result<u32, OutOfRange> {
        let longest = field.longest();
        if self.cycles > longest {
            return Err(OutOfRange {
                field: field.name,
                parameter: self.parameter,
                needed: self.cycles,
                longest,
            });
        }
        Ok(self.cycles)
    }
}

/// What a part asks of the cycles that one strobe makes.
struct Needs<'a> {
    timing: &'a Timing,
    controller: &'a Controller,
    clock: BusClock,
    /// Which cycles these are.
    latch: bool,
    data_in: bool,
    data_out: bool,
}

impl Needs<'_> {
    const fn includes(&self, rule: &Rule, latch: bool) -> bool {
        match rule.cycle {
            Cycle::Latch => self.latch && latch,
            Cycle::DataIn => self.data_in && !latch,
            Cycle::DataOut => self.data_out && !latch,
        }
    }

    /// The longest that any rule asks of a span, in latch cycles or else in data cycles.
    const fn longest(&self, span: Span, latch: bool) -> Need {
        let mut longest = Need::of(0);
        let mut i = 0;
        while i < RULES.len() {
            let rule = &RULES[i];
            if rule.span as u8 == span as u8 && self.includes(rule, latch) && rule.applies(self.controller) {
                let cycles = self.clock.cycles(self.timing.get(rule.parameter));
                longest = longest.or(Need { cycles, parameter: Some(rule.parameter) });
            }
            i += 1;
        }
        longest
    }

    const fn in_any(&self, span: Span) -> Need {
        self.longest(span, true).or(self.longest(span, false))
    }

    /// Shortest data cycle, then shortest set-up.
    const fn with_latch_set_up(&self, strobe: &Strobe, set_up: &Field) -> Result<Phases, OutOfRange> {
        let rise = self.longest(Span::ToRise, true);
        let whole = self.longest(Span::Whole, false);
        let low = Need::of(strobe.low.shortest())
            .or(self.in_any(Span::Low))
            .or(self.longest(Span::ToRise, false))
            .or(rise.less(set_up.longest()))
            .or(whole.less(strobe.high.longest()));
        let low = match low.within(&strobe.low) {
            Ok(low) => low,
            Err(error) => return Err(error),
        };
        // Data cycles have no set-up that would lengthen what is between their strobes.
        let high = Need::of(strobe.high.shortest()).or(self.in_any(Span::High));
        let high = match high.or(self.longest(Span::Between, false)).within(&strobe.high) {
            Ok(high) => high,
            Err(error) => return Err(error),
        };
        let cycle = max(low + high, whole.cycles);
        // The low phase may grow as far as the cycle does, and saves set-up by it.
        let wish = rise.cycles.saturating_sub(set_up.shortest());
        let low = max(low, min(wish, min(cycle - high, strobe.low.longest())));
        let set_up = max(set_up.shortest(), rise.cycles.saturating_sub(low));
        Ok(Phases { set_up, low, high: cycle - low })
    }

    /// Shortest cycle, then shortest set-up.
    const fn with_set_up(&self, strobe: &Strobe, set_up: &Field) -> Result<Phases, OutOfRange> {
        let low = Need::of(strobe.low.shortest()).or(self.in_any(Span::Low));
        let high = Need::of(strobe.high.shortest()).or(self.in_any(Span::High));
        let (low, high) = match (low.within(&strobe.low), high.within(&strobe.high)) {
            (Ok(low), Ok(high)) => (low, high),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        let (whole, between) = (self.in_any(Span::Whole), self.in_any(Span::Between));
        // What the cycle lacks lengthens the high phase, then the low one.
        let rise = self.in_any(Span::ToRise).or(whole.less(strobe.high.longest()));
        let shortest = Need::of(set_up.shortest())
            .or(self.in_any(Span::SetUp))
            .or(rise.less(strobe.low.longest()))
            .or(between.less(strobe.high.longest()));
        let shortest = match shortest.within(set_up) {
            Ok(shortest) => shortest,
            Err(error) => return Err(error),
        };
        let (rise, between) = (rise.cycles, between.cycles);
        // Set-up counts to the rise and between strobes: where both lack time it serves both, and
        // no longer than the cycle has to be.
        let both = min(rise.saturating_sub(low), between.saturating_sub(high));
        let longest = max(shortest, min(both, set_up.longest()));
        let least = Phases::meeting(longest, [low, rise], [high, between]).span(Span::Whole);
        let cycle = max(least, whole.cycles);
        let set_up = max(shortest, min(longest, (rise + between).saturating_sub(cycle)));
        let phases = Phases::meeting(set_up, [low, rise], [high, between]);
        let lack = cycle - phases.span(Span::Whole);
        Ok(Phases { high: phases.high + lack, ..phases })
    }

    const fn solve(&self, strobe: &Strobe) -> Result<Phases, OutOfRange> {
        match &strobe.set_up {
            SetUp::LatchOnly(field) => self.with_latch_set_up(strobe, field),
            SetUp::EveryCycle(field) => self.with_set_up(strobe, field),
        }
    }
}

const fn max(a: u32, b: u32) -> u32 {
    if a > b { a } else { b }
}

const fn min(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// What a controller is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Phases of latch cycles, and of data cycles that write but for the set-up they may lack.
    pub write: Phases,
    /// The same of data cycles that read.
    pub read: Phases,
}

impl Setting {
    /// The fastest setting that meets every rule of the part: the shortest data cycle, then
    /// the shortest latch cycle.
    ///
    /// # Errors
    /// Names the field that is too small.
    pub const fn solve(
        timing: &Timing,
        controller: &Controller,
        clock: BusClock,
    ) -> Result<Self, OutOfRange> {
        let shared = controller.read.is_none();
        let write = Needs { timing, controller, clock, latch: true, data_in: true, data_out: shared };
        let write = match write.solve(&controller.write) {
            Ok(phases) => phases,
            Err(error) => return Err(error),
        };
        let read = match &controller.read {
            None => write,
            Some(strobe) => {
                let read = Needs { timing, controller, clock, latch: false, data_in: false, data_out: true };
                match read.solve(strobe) {
                    Ok(phases) => phases,
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Self { write, read })
    }

    /// The phases of a kind of cycle.
    #[must_use]
    pub const fn phases(&self, controller: &Controller, cycle: Cycle) -> Phases {
        let phases = match cycle {
            Cycle::Latch | Cycle::DataIn => self.write,
            Cycle::DataOut => self.read,
        };
        match (controller.strobe(cycle).set_up, cycle) {
            (SetUp::LatchOnly(_), Cycle::DataIn | Cycle::DataOut) => Phases { set_up: 0, ..phases },
            _ => phases,
        }
    }

    /// How a rule is met; `None` if this controller's cycles are not where it applies.
    #[must_use]
    pub const fn check(
        &self,
        rule: &Rule,
        timing: &Timing,
        controller: &Controller,
        clock: BusClock,
    ) -> Option<Check> {
        if !rule.applies(controller) {
            return None;
        }
        let wanted = timing.get(rule.parameter);
        let given = self.phases(controller, rule.cycle).span(rule.span);
        let shortest = Self::shortest(controller).phases(controller, rule.cycle).span(rule.span);
        let needed = clock.cycles(wanted);
        Some(Check {
            rule: *rule,
            wanted,
            given_ps: clock.picoseconds(given),
            holds: given >= needed,
            binds: given == needed && given > shortest,
        })
    }

    /// Every rule that applies, with how it is met.
    pub fn checks<'a>(
        &'a self,
        timing: &'a Timing,
        controller: &'a Controller,
        clock: BusClock,
    ) -> impl Iterator<Item = Check> + 'a {
        RULES.iter().filter_map(move |rule| self.check(rule, timing, controller, clock))
    }

    /// All fields as small as they go.
    const fn shortest(controller: &Controller) -> Self {
        let write = controller.write.shortest();
        let read = match &controller.read {
            None => write,
            Some(strobe) => strobe.shortest(),
        };
        Self { write, read }
    }
}

/// How a rule is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// What the part asks for.
    pub wanted: Ns,
    /// What it gets, in picoseconds, rounded down.
    pub given_ps: u64,
    /// Whether that is enough.
    pub holds: bool,
    /// One bus clock less, which the fields could express, would not be enough.
    pub binds: bool,
}

impl Check {
    /// What the part gets beyond what it asks for, in picoseconds; negative if it gets less.
    #[must_use]
    pub const fn slack_ps(&self) -> i64 {
        self.given_ps as i64 - self.wanted.0 as i64 * 1000
    }
}

/// The divider, out of those that a board allows, whose bus clock gives the shortest data
/// cycle: the fastest clock need not be it, because every phase is rounded up to whole periods.
/// Among equals the first.
///
/// # Errors
/// What is wrong with the last one when none will do, or with the lack of any.
pub const fn best_divider(
    timing: &Timing,
    controller: &Controller,
    source: Hz,
    dividers: &[u32],
) -> Result<(BusClock, Setting), OutOfRange> {
    let mut best = Err(OutOfRange { field: "divider", parameter: None, needed: 1, longest: 0 });
    let mut shortest = u64::MAX;
    let mut i = 0;
    while i < dividers.len() {
        let clock = BusClock { source, divider: dividers[i] };
        match Setting::solve(timing, controller, clock) {
            Ok(setting) => {
                let cycle = setting.phases(controller, Cycle::DataOut).span(Span::Whole);
                // In periods of the source.
                let length = cycle as u64 * clock.divider as u64;
                if length < shortest {
                    shortest = length;
                    best = Ok((clock, setting));
                }
            }
            Err(error) => {
                if best.is_err() {
                    best = Err(error);
                }
            }
        }
        i += 1;
    }
    best
}

#[cfg(test)]
mod tests;
