//! The cycles as waveforms, every parameter marked under the span that must satisfy it.

use super::report::{Report, Rule};
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
    let total = LEFT + WIDTH + RIGHT;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total:.0} {height:.0}\" width=\"{total:.0}\" \
         height=\"{height:.0}\" font-family=\"monospace\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    heading(&mut out, report);
    for slot in &slots {
        let (left, right) = (x(slot.start), x(slot.end));
        line(&mut out, left, TOP - 14.0, left, bars - 6.0, "#dddddd");
        text(&mut out, f64::midpoint(left, right), TOP - 18.0, "middle", "#555555", title(slot));
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
        line(&mut out, from, TOP, from, y + BAR.1, "#eeeeee");
        line(&mut out, to, TOP, to, y + BAR.1, "#eeeeee");
    }
    signals(&mut out, &slots, timing, bus.controller.chip_enable, &x);
    for (from, to, y, rule) in placed {
        bar(&mut out, from, y, to - from, rule.wanted_ns * scale, rule);
    }
    legend(&mut out, height - 12.0);
    out.push_str("</svg>\n");
    out
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

fn heading(out: &mut String, report: &Report) {
    let fields: Vec<_> = report
        .fields
        .iter()
        .map(|field| format!("{} = {} ({:.1} ns)", field.name, field.value, field.ns))
        .collect();
    let first = format!("{} on {}, bus clock {:.2} MHz", report.part, report.soc, report.hclk_mhz);
    let _ = writeln!(out, "<text x=\"12\" y=\"24\" font-size=\"15\">{}</text>", escape(&first));
    text(out, 12.0, 44.0, "start", "#333333", &fields.join("   "));
}

fn signals(out: &mut String, slots: &[Slot], timing: &Timing, enable: ChipEnable, x: &impl Fn(f64) -> f64) {
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
        text(out, 12.0, top + 14.0, "start", "black", name);
        let mut path = format!("M{LEFT:.1} {:.1}", level(*rest));
        for &(from, to) in pulses {
            let _ = write!(path, "H{:.1}V{:.1}H{:.1}V{:.1}", x(from), level(!rest), x(to), level(*rest));
        }
        let _ = writeln!(out, "<path d=\"{path}H{:.1}\" fill=\"none\" stroke=\"black\"/>", x(end));
    }
    let top = TOP + 5.0 * SIGNAL.0;
    text(out, 12.0, top + 14.0, "start", "black", "I/O");
    for slot in slots {
        // The part answers tREA after the fall and holds until the next.
        let from =
            if slot.cycle == Cycle::DataOut { slot.fall + f64::from(timing.t_rea_max.0) } else { slot.start };
        let (left, right) = (x(from), x(slot.end));
        let middle = top + SIGNAL.1 / 2.0;
        let _ = writeln!(
            out,
            "<path d=\"M{left:.1} {middle:.1}l3 -10H{:.1}l3 10l-3 10H{:.1}z\" fill=\"#f4f4f4\" stroke=\"black\"/>",
            right - 3.0,
            left + 3.0,
        );
        text(out, f64::midpoint(left, right), top + 14.0, "middle", "black", slot.byte);
    }
}

/// What is wanted in a strong colour, the slack in a pale one, the figures behind.
fn bar(out: &mut String, left: f64, y: f64, given: f64, wanted: f64, rule: &Rule) {
    let colour = if rule.binds { BINDING } else { WANTED };
    rect(out, left, y, given, SLACK);
    rect(out, left, y, wanted.min(given), colour);
    let figures =
        format!("{} {} of {:.1}, slack {:.1}", rule.parameter, rule.wanted_ns, rule.given_ns, rule.slack_ns);
    text(out, left + given + 6.0, y + BAR.1 + 1.0, "start", colour, &figures);
}

fn legend(out: &mut String, y: f64) {
    let mut at = 12.0;
    for (colour, meaning) in [
        (WANTED, "wanted, ns"),
        (BINDING, "wanted, and one bus clock less would not do"),
        (SLACK, "slack; the gap before data out is not to scale"),
    ] {
        rect(out, at, y - BAR.1, 14.0, colour);
        text(out, at + 20.0, y, "start", "#333333", meaning);
        at += 40.0 + 6.7 * meaning.len() as f64;
    }
}

fn rect(out: &mut String, x: f64, y: f64, width: f64, fill: &str) {
    let height = BAR.1;
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
    );
}

fn line(out: &mut String, x1: f64, y1: f64, x2: f64, y2: f64, stroke: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"/>"
    );
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, fill: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
