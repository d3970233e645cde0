//! `--timeline`: a boot as a picture. Phases to scale on top, then a few pages and the turn from
//! one page to the next, magnified, then where the time of a page goes on average.

mod average;
mod axis;
mod phases;
mod strip;

use crate::svg::{Anchor, Drawing, QUIET};
use axis::Axis;
use sim::trace::PageTrace;
use sim::{KernelRead, Outcome, Report, Trace};

/// Room for the names of the lanes.
const LEFT: f64 = 112.0;
/// Right end of everything.
const RIGHT: f64 = 1132.0;
const WIDTH: f64 = 1150.0;

/// What is drawn in which colour.
mod colour {
    pub const LATCH: &str = "#16324f";
    pub const DATA: &str = "#31688e";
    pub const SPARE: &str = "#7fb0d0";
    pub const BUSY: &str = "#e0a030";
    pub const AHEAD: &str = "#f3dca8";
    pub const HIDDEN: &str = "#4c9f50";
    pub const EXPOSED: &str = "#c0392b";
    pub const POLLING: &str = "#b8b8b8";
    pub const STALLED: &str = "#c9d6df";
    pub const ACCESS: &str = "#8fb3cc";
}

/// Draws a boot.
pub fn draw(report: &Report, trace: &Trace) -> String {
    let pages = kernel_pages(report, trace);
    let height = match (pages.is_empty(), report.pages) {
        (true, _) => 250.0,
        (false, None) => 600.0,
        (false, Some(_)) => 880.0,
    };
    let title = title(report);
    let mut out = Drawing::new(WIDTH, height, &title);
    out.heading((12.0, 24.0), &title);
    if let Some(read) = &report.kernel_read {
        out.text((12.0, 44.0), Anchor::Start, QUIET, &rate(read));
    }
    phases::draw(&mut out, 76.0, &report.phases);
    if let Some(window) = strip::few_pages(pages) {
        strip::draw(&mut out, 262.0, "A few pages", window, trace);
        strip::legend(&mut out, 420.0);
    }
    if let Some(window) = strip::turn(pages) {
        strip::draw(&mut out, 458.0, "From one page to the next", window, trace);
    }
    if let (Some(mean), Some(read)) = (&report.pages, &report.kernel_read) {
        average::draw(&mut out, 652.0, mean, read);
    }
    out.finish()
}

fn title(report: &Report) -> String {
    let what = if report.outcome == Outcome::Kernel { "reset to kernel entry in" } else { "the first" };
    format!("{} with {}: {what} {:.3} ms", report.board, report.part, ms(report.time_ns))
}

fn rate(read: &KernelRead) -> String {
    format!(
        "kernel of {} bytes read at {:.2} MB/s: {:.1} % of what programmed I/O allows, {:.1} % of the bus limit",
        read.bytes,
        read.mb_per_s,
        100.0 * read.share,
        100.0 * read.mb_per_s / read.bus_limit_mb_per_s
    )
}

/// The reads from the first to the last page of the kernel; without one, all of them.
fn kernel_pages<'a>(report: &Report, trace: &'a Trace) -> &'a [PageTrace] {
    let phase = report.phases.iter().find(|phase| phase.name == "kernel-read");
    let (start, end) = phase.map_or((0, u64::MAX), |phase| (phase.start_ns, phase.end_ns));
    let from = trace.pages.partition_point(|page| page.start / 1000 < start);
    let to = trace.pages.partition_point(|page| page.start / 1000 < end);
    &trace.pages[from..to]
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// Width of a text in the drawing's font.
fn width_of(text: &str) -> f64 {
    6.7 * text.chars().count() as f64
}
