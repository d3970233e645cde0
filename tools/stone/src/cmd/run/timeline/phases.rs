//! The phases to scale, and once more without the one that dwarfs the others.

use super::{Axis, LEFT, RIGHT, ms, width_of};
use crate::svg::{Anchor, Drawing, INK, QUIET};
use sim::Phase;

const BAR: f64 = 22.0;
/// From the first bar to the second.
const DOWN: f64 = 76.0;
/// Width that stands for the phase left out of the second bar.
const CUT: f64 = 70.0;
/// A phase with more than this share of the time is left out there.
const DWARFS: f64 = 0.5;

const COLOURS: [(&str, &str); 6] = [
    ("boot-rom", "#8c8c8c"),
    ("clocks", "#b08d57"),
    ("sdram", "#7b5ea7"),
    ("init", "#4c9f50"),
    ("kernel-read", "#31688e"),
    ("entry", "#c0392b"),
];

/// Draws both bars; the first one's top is at `top`.
pub fn draw(out: &mut Drawing, top: f64, phases: &[Phase]) {
    let Some(end) = phases.last().map(|phase| ms(phase.end_ns)).filter(|&end| end > 0.0) else { return };
    let axis = Axis { from: 0.0, to: end, left: LEFT, right: RIGHT };
    let longest = (0..phases.len()).max_by_key(|&index| phases[index].end_ns - phases[index].start_ns);
    let dwarfs = longest.filter(|&index| length(&phases[index]) > DWARFS * end);
    if let Some(cut) = dwarfs.filter(|_| phases.len() > 1) {
        magnified(out, top, phases, cut, &axis);
    }
    out.text((12.0, top + 15.0), Anchor::Start, INK, "Phases");
    axis.ticks(out, (top, top + BAR), 0.0, "ms");
    for phase in phases {
        let (from, to) = (axis.x(ms(phase.start_ns)), axis.x(ms(phase.end_ns)));
        bar(out, (from, to), top, phase);
        caption(out, (from, to), top, phase);
    }
}

/// The phases before and after the one at `cut`, at one scale.
fn magnified(out: &mut Drawing, top: f64, phases: &[Phase], cut: usize, whole: &Axis) {
    let (before, after) = (&phases[..cut], &phases[cut + 1..]);
    let sum = |phases: &[Phase]| phases.iter().map(length).sum::<f64>();
    let scale = (RIGHT - LEFT - CUT) / (sum(before) + sum(after)).max(f64::MIN_POSITIVE);
    let (left_end, right_start) = (LEFT + scale * sum(before), RIGHT - scale * sum(after));
    let y = top + DOWN;
    out.text((12.0, y + 15.0), Anchor::Start, INK, "magnified");
    let (cut_start, cut_end) = (ms(phases[cut].start_ns), ms(phases[cut].end_ns));
    beam(out, (whole.x(0.0), whole.x(cut_start)), (LEFT, left_end), (top + BAR, y));
    beam(out, (whole.x(cut_end), whole.x(whole.to)), (right_start, RIGHT), (top + BAR, y));
    for (group, start) in [(before, LEFT), (after, right_start)] {
        let mut x = start;
        let mut narrow = Vec::new();
        for phase in group {
            let width = scale * length(phase);
            bar(out, (x, x + width), y, phase);
            if !caption(out, (x, x + width), y, phase) {
                narrow.push((x + width / 2.0, phase));
            }
            x += width;
        }
        names(out, y + BAR, narrow);
    }
    let middle = f64::midpoint(left_end, right_start);
    out.text((middle, y + 15.0), Anchor::Middle, QUIET, "//");
}

/// What a part of the first bar becomes in the second.
fn beam(out: &mut Drawing, (a, b): (f64, f64), (c, d): (f64, f64), (top, bottom): (f64, f64)) {
    let path = format!("M{a:.1} {top:.1}H{b:.1}L{d:.1} {bottom:.1}H{c:.1}z");
    out.path(&path, "#f1f1ee", "none");
}

fn bar(out: &mut Drawing, (from, to): (f64, f64), y: f64, phase: &Phase) {
    let colour = COLOURS.iter().find(|(name, _)| *name == phase.name).map_or(QUIET, |(_, colour)| colour);
    // A phase that is too short to see is there all the same.
    out.rect((from, y), ((to - from).max(0.8), BAR), colour);
}

/// Writes the name into the bar, if it fits.
fn caption(out: &mut Drawing, (from, to): (f64, f64), y: f64, phase: &Phase) -> bool {
    let label = label(phase);
    let fits = width_of(&label) < to - from;
    if fits {
        out.text((f64::midpoint(from, to), y + 15.0), Anchor::Middle, "white", &label);
    }
    fits
}

/// Names of phases below their bars, each with a line to it in a row of its own. On the left the
/// rightmost is the topmost, so that no line crosses a name; on the right the leftmost.
fn names(out: &mut Drawing, bottom: f64, mut narrow: Vec<(f64, &Phase)>) {
    let on_the_right = narrow.first().is_some_and(|(x, _)| *x > f64::midpoint(LEFT, RIGHT));
    let anchor = if on_the_right { Anchor::End } else { Anchor::Start };
    if !on_the_right {
        narrow.reverse();
    }
    for (row, (x, phase)) in (1..).zip(narrow) {
        let y = bottom + 14.0 * f64::from(row);
        out.line((x, bottom), (x, y - 6.0), QUIET);
        out.text((x, y + 4.0), anchor, INK, &label(phase));
    }
}

fn label(phase: &Phase) -> String {
    format!("{} {:.3} ms", phase.name, length(phase))
}

fn length(phase: &Phase) -> f64 {
    ms(phase.end_ns - phase.start_ns)
}
