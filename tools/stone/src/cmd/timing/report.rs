//! The figures of a setting, as a table and as JSON.

use crate::board::Board;
use boot::nand::sheet::{self, Sheet, WAITS};
use boot::nand::speed::{ACCESS_OVERHEAD, Bus, PageRead};
use boot::nand::subject::Subject;
use boot::nand::timing::{BusClock, Check, Setting, best_divider};
use serde::Serialize;
use std::fmt;

/// All there is to say about a setting.
#[derive(Serialize)]
pub struct Report {
    board: Option<&'static str>,
    pub part: String,
    pub soc: &'static str,
    pub hclk_mhz: f64,
    hclk_ns: f64,
    pub fields: Vec<Field>,
    pub rules: Vec<Rule>,
    waits: Vec<Wait>,
    latch_ns: f64,
    cycle_ns: f64,
    /// Bus clocks of overhead that the limit of programmed I/O assumes for each access.
    access_overhead: u32,
    chip_limit: Rate,
    bus_limit: Rate,
    limit: Rate,
    /// The bus limit over what the chip could do.
    share_of_chip: f64,
    choices: Vec<Choice>,
    /// What the console prints as well.
    #[serde(skip)]
    sheet: String,
}

#[derive(Serialize)]
pub struct Field {
    pub name: &'static str,
    pub value: u32,
    pub ns: f64,
}

/// An inequality.
#[derive(Serialize)]
pub struct Rule {
    pub parameter: &'static str,
    cycle: &'static str,
    span: &'static str,
    pub wanted_ns: f64,
    pub given_ns: f64,
    pub slack_ns: f64,
    pub binds: bool,
    recalled: bool,
}

#[derive(Serialize)]
struct Wait {
    parameter: &'static str,
    ns: u32,
    recalled: bool,
}

#[derive(Clone, Copy, Serialize)]
struct Rate {
    page_us: f64,
    mb_per_s: f64,
}

/// A divider that the board allows.
#[derive(Serialize)]
struct Choice {
    hclk_mhz: f64,
    /// `None` where the controller cannot serve the part.
    cycle_ns: Option<f64>,
    limit: Option<Rate>,
    set_by_firmware: bool,
    shortest_cycle: bool,
}

impl Report {
    pub fn new(
        board: Option<&'static Board>,
        subject: &Subject<'_>,
        bus: &Bus<'_>,
        choices: Option<&Board>,
    ) -> Self {
        let page = PageRead::of(&subject.geometry);
        let timing = &subject.timing;
        let (chip, whole) = (page.chip_ps(timing), page.bus_ps(timing, bus));
        let recalled = |parameter| subject.is_recalled(parameter);
        Self {
            board: board.map(|board| board.name),
            part: subject.to_string(),
            soc: bus.controller.soc,
            hclk_mhz: megahertz(bus.clock),
            hclk_ns: period_ns(bus.clock),
            fields: fields(bus),
            rules: bus
                .setting
                .checks(timing, bus.controller, bus.clock)
                .map(|check| Rule::new(&check, recalled(check.rule.parameter)))
                .collect(),
            waits: WAITS
                .into_iter()
                .map(|p| Wait { parameter: p.name(), ns: timing.get(p).0, recalled: recalled(p) })
                .collect(),
            latch_ns: ns(bus.clock.picoseconds(bus.latch())),
            cycle_ns: ns(bus.clock.picoseconds(bus.data())),
            access_overhead: ACCESS_OVERHEAD,
            chip_limit: Rate::new(&page, chip),
            bus_limit: Rate::new(&page, whole),
            limit: Rate::new(&page, page.pio_ps(timing, bus, ACCESS_OVERHEAD)),
            share_of_chip: chip as f64 / whole as f64,
            choices: choices.map(|board| self::choices(board, subject, bus)).unwrap_or_default(),
            sheet: Sheet { subject, bus: *bus }.to_string(),
        }
    }
}

fn fields(bus: &Bus<'_>) -> Vec<Field> {
    let mut strobes = vec![(&bus.controller.write, bus.setting.write)];
    strobes.extend(bus.controller.read.as_ref().map(|read| (read, bus.setting.read)));
    let mut fields = Vec::new();
    for (strobe, phases) in strobes {
        let lengths = [phases.set_up, phases.low, phases.high];
        for ((field, value), cycles) in strobe.fields().into_iter().zip(strobe.values(phases)).zip(lengths) {
            fields.push(Field { name: field.name, value, ns: ns(bus.clock.picoseconds(cycles)) });
        }
    }
    fields
}

fn choices(board: &Board, subject: &Subject<'_>, bus: &Bus<'_>) -> Vec<Choice> {
    let page = PageRead::of(&subject.geometry);
    let best = best_divider(&subject.timing, bus.controller, board.fclk, board.dividers);
    let choice = |&divider: &u32| {
        let clock = BusClock { source: board.fclk, divider };
        let setting = Setting::solve(&subject.timing, bus.controller, clock).ok();
        let bus = setting.map(|setting| Bus { controller: bus.controller, clock, setting });
        Choice {
            hclk_mhz: megahertz(clock),
            cycle_ns: bus.map(|bus| ns(clock.picoseconds(bus.data()))),
            limit: bus.map(|bus| Rate::new(&page, page.pio_ps(&subject.timing, &bus, ACCESS_OVERHEAD))),
            set_by_firmware: divider == board.divider,
            shortest_cycle: best.is_ok_and(|(best, _)| best == clock),
        }
    };
    board.dividers.iter().map(choice).collect()
}

impl Rule {
    fn new(check: &Check, recalled: bool) -> Self {
        Self {
            parameter: check.rule.parameter.name(),
            cycle: sheet::cycle_name(check.rule.cycle),
            span: sheet::span_name(check.rule.span),
            wanted_ns: f64::from(check.wanted.0),
            given_ns: ns(check.given_ps),
            slack_ns: check.slack_ps() as f64 / 1e3,
            binds: check.binds,
            recalled,
        }
    }
}

impl Rate {
    fn new(page: &PageRead, page_ps: u64) -> Self {
        Self { page_us: page_ps as f64 / 1e6, mb_per_s: page.bytes_per_s(page_ps) as f64 / 1e6 }
    }
}

/// A frequency for people.
pub fn megahertz(clock: BusClock) -> f64 {
    f64::from(clock.source.0) / (f64::from(clock.divider) * 1e6)
}

fn period_ns(clock: BusClock) -> f64 {
    f64::from(clock.divider) * 1e9 / f64::from(clock.source.0)
}

fn ns(picoseconds: u64) -> f64 {
    picoseconds as f64 / 1e3
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(board) = self.board {
            write!(f, "{board}: ")?;
        }
        write!(f, "{}", self.sheet)?;
        if !self.choices.is_empty() {
            writeln!(f, "\n  HCLK MHz  cycle ns  page us     MB/s")?;
        }
        for choice in &self.choices {
            let line = match (choice.cycle_ns, choice.limit) {
                (Some(cycle), Some(Rate { page_us, mb_per_s })) => {
                    format!("{cycle:>9.1} {page_us:>8.2} {mb_per_s:>8.3}")
                }
                _ => "   too fast for the controller".into(),
            };
            let firmware = if choice.set_by_firmware { "  as the firmware sets it" } else { "" };
            let best = if choice.shortest_cycle { "  shortest cycle" } else { "" };
            writeln!(f, "  {:>8.2} {line}{firmware}{best}", choice.hclk_mhz)?;
        }
        Ok(())
    }
}
