//! A stretch of a page read: what its bus, its array and the core do, lane under lane.

use super::{Axis, LEFT, RIGHT, colour, width_of};
use crate::cmd::run::label;
use crate::svg::{Anchor, Drawing, GRID, INK, QUIET};
use sim::Trace;
use sim::trace::{ArrayWork, BusCycles, CoreWork, Doing, Interval, PageTrace};

/// Distance from lane to lane, and its height.
const LANE: (f64, f64) = (26.0, 20.0);
/// Fills that want white text.
const DARK: [&str; 4] = [colour::DATA, colour::LATCH, colour::HIDDEN, colour::EXPOSED];
/// Pages before and after the one in the middle.
const AROUND: usize = 2;
/// Most bytes of a read that is only a look at a mark.
const MARK: u32 = 4;
/// What the turn shows of the page before and of the one after, in microseconds.
const TURN: (f64, f64) = (7.0, 6.0);

/// From when to when, in microseconds.
pub type Window = (f64, f64);

/// Some pages around the first erase block boundary in the middle of a read, where marks of bad
/// blocks are read; without one, the first pages.
pub fn few_pages(pages: &[PageTrace]) -> Option<Window> {
    let is_whole = whole(pages);
    let boundary = pages.windows(2).skip(AROUND).position(|pair| is_whole(&pair[0]) && !is_whole(&pair[1]));
    let first = boundary.map_or(0, |index| index + 1);
    let window = pages.get(first..)?.iter().take(2 * AROUND + 1).collect::<Vec<_>>();
    Some((us(window.first()?.start), us(window.last()?.data_end) + TURN.1))
}

/// The turn from one whole page to the next.
pub fn turn(pages: &[PageTrace]) -> Option<Window> {
    let is_whole = whole(pages);
    // The first pages may have had something of their own.
    let turns = || pages.windows(2).filter(|pair| is_whole(&pair[0]) && is_whole(&pair[1]));
    let pair = turns().nth(AROUND).or_else(|| turns().next())?;
    Some((us(pair[0].data_end) - TURN.0, us(pair[1].data_start) + TURN.1))
}

/// Whether a read brought about as much as any of them, and not only a mark.
fn whole(pages: &[PageTrace]) -> impl Fn(&PageTrace) -> bool {
    let most = pages.iter().map(|page| page.bytes).max().unwrap_or(0);
    move |page| 2 * page.bytes > most
}

/// Draws a stretch.
pub fn draw(out: &mut Drawing, top: f64, title: &str, (from, to): Window, trace: &Trace) {
    let axis = Axis { from, to, left: LEFT, right: RIGHT };
    out.text((12.0, top - 10.0), Anchor::Start, INK, &format!("{title}, from {:.3} ms on", from / 1e3));
    let bottom = top + 4.0 * LANE.0;
    axis.ticks(out, (top, bottom), from, "us");
    for (row, name) in ["page", "NAND bus", "NAND array", "core"].into_iter().enumerate() {
        out.text((12.0, lane(top, row) + 14.0), Anchor::Start, INK, name);
    }
    pages(out, &axis, (top, bottom), &trace.pages);
    for event in inside(&trace.bus, &axis) {
        let fill = match event.what {
            BusCycles::Latches { .. } => colour::LATCH,
            BusCycles::DataOut { column: 0, .. } => colour::DATA,
            BusCycles::DataOut { .. } | BusCycles::DataIn { .. } => colour::SPARE,
        };
        block(out, &axis, lane(top, 1), event, fill, &label::bus(&event.what));
    }
    for event in inside(&trace.array, &axis) {
        let ahead = matches!(event.what, ArrayWork::LoadAhead { .. });
        let fill = if ahead { colour::AHEAD } else { colour::BUSY };
        block(out, &axis, lane(top, 2), event, fill, &label::array(&event.what));
    }
    for event in inside(&trace.core, &axis) {
        core(out, &axis, lane(top, 3), event);
    }
}

fn lane(top: f64, row: usize) -> f64 {
    top + row as f64 * LANE.0 + 3.0
}

fn inside<'a, T>(events: &'a [Interval<T>], axis: &Axis) -> impl Iterator<Item = &'a Interval<T>> {
    let (from, to) = (axis.from, axis.to);
    events.iter().filter(move |event| us(event.end) > from && us(event.start) < to)
}

/// The pages' numbers, and a line where each begins.
fn pages(out: &mut Drawing, axis: &Axis, (top, bottom): (f64, f64), pages: &[PageTrace]) {
    for page in pages {
        let (start, end) = (us(page.start).max(axis.from), us(page.end).min(axis.to));
        if start >= end {
            continue;
        }
        let (left, right) = (axis.x(start), axis.x(end));
        if us(page.start) >= axis.from {
            out.line((left, top), (left, bottom), INK);
        }
        let number = page.page.to_string();
        let names =
            if page.bytes > MARK { [number, String::new()] } else { [number + ": mark", "mark".into()] };
        caption(out, (left, right), lane(top, 0), QUIET, &names);
    }
    out.line((LEFT, lane(top, 1) - 3.0), (RIGHT, lane(top, 1) - 3.0), GRID);
}

/// A block, with what it is and how long it takes as far as there is room.
fn block<T>(out: &mut Drawing, axis: &Axis, y: f64, event: &Interval<T>, fill: &str, name: &str) {
    let (left, right) = ends(axis, event);
    out.rect((left, y), (right - left, LANE.1), fill);
    let ink = if DARK.contains(&fill) { "white" } else { INK };
    let time = format!("{:.1}", us(event.end - event.start));
    caption(out, (left, right), y, ink, &[format!("{name} {time} us"), format!("{time} us"), time]);
}

/// The first of the texts that fits.
fn caption(out: &mut Drawing, (left, right): (f64, f64), y: f64, ink: &str, texts: &[String]) {
    if let Some(text) = texts.iter().find(|text| width_of(text) < right - left) {
        out.text((f64::midpoint(left, right), y + 14.0), Anchor::Middle, ink, text);
    }
}

fn ends<T>(axis: &Axis, event: &Interval<T>) -> (f64, f64) {
    (axis.x(us(event.start).max(axis.from)), axis.x(us(event.end).min(axis.to)))
}

/// Of a transfer the share of the core's own work is drawn as a stripe at the bottom, and the name
/// left out where that would be in its way.
fn core(out: &mut Drawing, axis: &Axis, y: f64, event: &Interval<CoreWork>) {
    let (left, right) = ends(axis, event);
    let what = event.what;
    let fill = match what.doing {
        Doing::Working => colour::EXPOSED,
        Doing::WorkingInBusy => colour::HIDDEN,
        Doing::Polling | Doing::Held => colour::POLLING,
        Doing::Latching | Doing::Transferring => {
            let stripe = LANE.1 * what.working as f64 / (event.end - event.start).max(1) as f64;
            out.rect((left, y), (right - left, LANE.1 - stripe), colour::STALLED);
            out.rect((left, y + LANE.1 - stripe), (right - left, stripe), colour::EXPOSED);
            if stripe > LANE.1 / 4.0 {
                return;
            }
            "none"
        }
    };
    block(out, axis, y, event, fill, label::core(what.doing));
}

/// What the colours mean.
pub fn legend(out: &mut Drawing, y: f64) {
    let mut x = LEFT;
    for (fill, meaning) in [
        (colour::LATCH, "command, address"),
        (colour::DATA, "data"),
        (colour::SPARE, "OOB"),
        (colour::BUSY, "chip busy"),
        (colour::STALLED, "core stalled by the bus"),
        (colour::HIDDEN, "work hidden in tR"),
        (colour::POLLING, "polling R/nB"),
        (colour::EXPOSED, "work exposed"),
    ] {
        out.rect((x, y - 9.0), (12.0, 10.0), fill);
        out.text((x + 17.0, y), Anchor::Start, QUIET, meaning);
        x += 34.0 + width_of(meaning);
    }
}

fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}
