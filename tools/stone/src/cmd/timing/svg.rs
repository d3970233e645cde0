//! The cycles as waveforms, every parameter marked under the span that must satisfy it.

use super::report::{Report, Rule};
use crate::svg::{Anchor, Drawing, GRID, INK, QUIET};
use boot::nand::controller::ChipEnable;
use boot::nand::datasheet::Timing;
use boot::nand::speed::Bus;
use boot::nand::timing::{Check, Cycle, Phases, Span};
use std::fmt::Write;

/// Room for the names of the signals.
const LEFT: f64 = 70.0;
/// Width of the waveforms.
const WIDTH: f64 = 900.0;
/// Room for the text of the last bars.
const RIGHT: f64 = 210.0;
/// First signal.
const TOP: f64 = 86.0;
/// Distance from signal to signal, and its height.
const SIGNAL: (f64, f64) = (34.0, 20.0);
/// Distance from bar to bar, and its height.
const BAR: (f64, f64) = (19.0, 7.0);

const WANTED: &str = "#31688e";
const BINDING: &str = "#b3362b";
const SLACK: &str = "#c9d6df";

/// A cycle at its place, in nanoseconds from the left.
struct Slot {
    cycle: Cycle,
    /// The latch line that is high.
    latch: Option<&'static str>,
    byte: &'static str,
    start: f64,
    fall: f64,
    rise: f64,
    end: f64,
}

impl Slot {
    /// Where a span of it is. A whole cycle goes from one fall to the next.
    fn place(&self, span: Span) -> (f64, f64) {
        match span {
            Span::SetUp => (self.start, self.fall),
            Span::Low => (self.fall, self.rise),
            Span::ToRise => (self.start, self.rise),
            Span::High => (self.rise, self.end),
            Span::Between => (self.rise, self.end + (self.fall - self.start)),
            Span::Whole => (self.fall, self.fall + (self.end - self.start)),
        }
    }
}

/// Draws a setting.
pub fn draw(report: &Report, timing: &Timing, bus: &Bus<'_>) -> String {
    let slots = slots(bus);
    let last = slots.last().map_or(0.0, |slot| slot.end);
    let scale = WIDTH / last;
    let x = |ns: f64| LEFT + ns * scale;
    let checks: Vec<Check> = bus.setting.checks(timing, bus.controller, bus.clock).collect();
    let bars = TOP + 6.0 * SIGNAL.0 + 12.0;
    let height = bars + checks.len() as f64 * BAR.0 + 34.0;
    let mut out = Drawing::new(LEFT + WIDTH + RIGHT, height, &title_of(report));
    heading(&mut out, report);
    for slot in &slots {
        let (left, right) = (x(slot.start), x(slot.end));
        out.line((left, TOP - 14.0), (left, bars - 6.0), GRID);
        out.text((f64::midpoint(left, right), TOP - 18.0), Anchor::Middle, QUIET, title(slot));
    }
    let placed: Vec<_> = checks
        .iter()
        .zip(&report.rules)
        .enumerate()
        .filter_map(|(row, (check, rule))| {
            let slot = slots.iter().find(|slot| carries(slot, check))?;
            let (from, to) = slot.place(check.rule.span);
            Some((x(from), x(to), bars + row as f64 * BAR.0, rule))
        })
        .collect();
    for &(from, to, y, _) in &placed {
        out.line((from, TOP), (from, y + BAR.1), "#eeeeee");
        out.line((to, TOP), (to, y + BAR.1), "#eeeeee");
    }
    signals(&mut out, &slots, timing, bus.controller.chip_enable, &x);
    for (from, to, y, rule) in placed {
        bar(&mut out, from, y, to - from, rule.wanted_ns * scale, rule);
    }
    legend(&mut out, height - 12.0);
    out.finish()
}

/// A command and an address byte, two bytes written and, later, two read.
fn slots(bus: &Bus<'_>) -> Vec<Slot> {
    const ORDER: [(Cycle, Option<&str>, &str); 6] = [
        (Cycle::Latch, Some("CLE"), "command"),
        (Cycle::Latch, Some("ALE"), "address"),
        (Cycle::DataIn, None, "data"),
        (Cycle::DataIn, None, "data"),
        (Cycle::DataOut, None, "data"),
        (Cycle::DataOut, None, "data"),
    ];
    let ns = |cycles| bus.clock.picoseconds(cycles) as f64 / 1e3;
    let mut at = ns(1);
    let mut slots: Vec<Slot> = Vec::new();
    for (cycle, latch, byte) in ORDER {
        if slots.last().is_some_and(|before| before.cycle != Cycle::DataOut) && cycle == Cycle::DataOut {
            // The waits between writing and reading are not to scale.
            at += ns(2);
        }
        let phases = bus.setting.phases(bus.controller, cycle);
        let Phases { set_up, low, .. } = phases;
        slots.push(Slot {
            cycle,
            latch,
            byte,
            start: at,
            fall: at + ns(set_up),
            rise: at + ns(set_up + low),
            end: at + ns(phases.span(Span::Whole)),
        });
        at += ns(phases.span(Span::Whole));
    }
    slots
}

/// Whether a rule is marked at this slot: at the first one of its kind, the address byte for
/// what concerns ALE.
fn carries(slot: &Slot, check: &Check) -> bool {
    let wanted = if check.rule.parameter.name().starts_with("tAL") { "ALE" } else { "CLE" };
    slot.cycle == check.rule.cycle && slot.latch.is_none_or(|latch| latch == wanted)
}

fn title(slot: &Slot) -> &'static str {
    match slot.cycle {
        Cycle::Latch => slot.byte,
        Cycle::DataIn => "data in",
        Cycle::DataOut => "data out",
    }
}

fn heading(out: &mut Drawing, report: &Report) {
    let fields: Vec<_> = report
        .fields
        .iter()
        .map(|field| format!("{} = {} ({:.1} ns)", field.name, field.value, field.ns))
        .collect();
    out.heading((12.0, 24.0), &title_of(report));
    out.text((12.0, 44.0), Anchor::Start, "#333333", &fields.join("   "));
}

fn title_of(report: &Report) -> String {
    format!("{} on {}, bus clock {:.2} MHz", report.part, report.soc, report.hclk_mhz)
}

fn signals(out: &mut Drawing, slots: &[Slot], timing: &Timing, enable: ChipEnable, x: &impl Fn(f64) -> f64) {
    let end = slots.last().map_or(0.0, |slot| slot.end);
    // Each signal: its level at rest, and where it has the other one.
    let strobe = |reads: bool| {
        let these = slots.iter().filter(move |slot| (slot.cycle == Cycle::DataOut) == reads);
        these.map(|slot| (slot.fall, slot.rise)).collect::<Vec<_>>()
    };
    let latch = |name| {
        let these = slots.iter().filter(|slot| slot.latch == Some(name));
        these.map(|slot| (slot.start, slot.end)).collect::<Vec<_>>()
    };
    let rows = [
        match enable {
            ChipEnable::Held => ("nCE", false, Vec::new()),
            ChipEnable::EachCycle => {
                ("nCE", true, slots.iter().map(|slot| (slot.start, slot.end)).collect::<Vec<_>>())
            }
        },
        ("CLE", false, latch("CLE")),
        ("ALE", false, latch("ALE")),
        ("nWE", true, strobe(false)),
        ("nRE", true, strobe(true)),
    ];
    for (row, (name, rest, pulses)) in rows.iter().enumerate() {
        let top = TOP + row as f64 * SIGNAL.0;
        let level = |high: bool| if high { top } else { top + SIGNAL.1 };
        out.text((12.0, top + 14.0), Anchor::Start, INK, name);
        let mut path = format!("M{LEFT:.1} {:.1}", level(*rest));
        for &(from, to) in pulses {
            let _ = write!(path, "H{:.1}V{:.1}H{:.1}V{:.1}", x(from), level(!rest), x(to), level(*rest));
        }
        let _ = write!(path, "H{:.1}", x(end));
        out.path(&path, "none", INK);
    }
    let top = TOP + 5.0 * SIGNAL.0;
    out.text((12.0, top + 14.0), Anchor::Start, INK, "I/O");
    for slot in slots {
        // The part answers tREA after the fall and holds until the next.
        let from =
            if slot.cycle == Cycle::DataOut { slot.fall + f64::from(timing.t_rea_max.0) } else { slot.start };
        let (left, right) = (x(from), x(slot.end));
        let middle = top + SIGNAL.1 / 2.0;
        let (right_edge, left_edge) = (right - 3.0, left + 3.0);
        let path = format!("M{left:.1} {middle:.1}l3 -10H{right_edge:.1}l3 10l-3 10H{left_edge:.1}z");
        out.path(&path, "#f4f4f4", INK);
        out.text((f64::midpoint(left, right), top + 14.0), Anchor::Middle, INK, slot.byte);
    }
}

/// What is wanted in a strong colour, the slack in a pale one, the figures behind.
fn bar(out: &mut Drawing, left: f64, y: f64, given: f64, wanted: f64, rule: &Rule) {
    let colour = if rule.binds { BINDING } else { WANTED };
    out.rect((left, y), (given, BAR.1), SLACK);
    out.rect((left, y), (wanted.min(given), BAR.1), colour);
    let figures =
        format!("{} {} of {:.1}, slack {:.1}", rule.parameter, rule.wanted_ns, rule.given_ns, rule.slack_ns);
    out.text((left + given + 6.0, y + BAR.1 + 1.0), Anchor::Start, colour, &figures);
}

fn legend(out: &mut Drawing, y: f64) {
    let mut at = 12.0;
    for (colour, meaning) in [
        (WANTED, "wanted, ns"),
        (BINDING, "wanted, and one bus clock less would not do"),
        (SLACK, "slack; the gap before data out is not to scale"),
    ] {
        out.rect((at, y - BAR.1), (14.0, BAR.1), colour);
        out.text((at + 20.0, y), Anchor::Start, "#333333", meaning);
        at += 40.0 + 6.7 * meaning.len() as f64;
    }
}
