//! Where the time of a page goes on average, as a bar and as a table.

use super::{Axis, LEFT, RIGHT, colour, width_of};
use crate::svg::{Anchor, Drawing, GRID, INK, QUIET};
use sim::{KernelRead, PageSummary};

const BAR: f64 = 22.0;
const ROW: f64 = 17.0;
/// Columns of the table: name, figure, share, remark.
const COLUMNS: [f64; 4] = [LEFT, 480.0, 560.0, 590.0];

/// Draws it for the kernel read.
pub fn draw(out: &mut Drawing, top: f64, mean: &PageSummary, read: &KernelRead) {
    let us = |ns: f64| ns / 1e3;
    // Bytes of a page over its time are the rate: a page at the limit follows from the share.
    let limit = us(mean.page_ns) * read.share;
    let axis = Axis { from: 0.0, to: us(mean.page_ns).max(limit) * 1.02, left: LEFT, right: RIGHT };
    let title = format!(
        "A page of the kernel: the mean of {}, with {} other reads (marks of bad blocks) spread over them",
        mean.pages, mean.other_reads
    );
    out.text((12.0, top - 10.0), Anchor::Start, INK, &title);
    axis.ticks(out, (top, top + BAR), 0.0, "us");
    let mut at = 0.0;
    for (name, ns, fill) in parts(mean) {
        let (left, right) = (axis.x(at), axis.x(at + us(ns)));
        out.rect((left, top), (right - left, BAR), fill);
        if width_of(name) < right - left {
            let ink = if fill == colour::DATA || fill == colour::HIDDEN { "white" } else { INK };
            out.text((f64::midpoint(left, right), top + 15.0), Anchor::Middle, ink, name);
        }
        at += us(ns);
    }
    let x = axis.x(limit);
    out.line((x, top - 5.0), (x, top + BAR + 5.0), INK);
    out.text((x, top - 8.0), Anchor::End, INK, "PIO limit");
    table(out, top + BAR + 44.0, mean, read, limit);
}

/// The parts of a page that make up all of it.
fn parts(mean: &PageSummary) -> [(&'static str, f64, &'static str); 5] {
    [
        ("bus", mean.bus_ns, colour::DATA),
        ("accesses", mean.access_ns, colour::ACCESS),
        ("hidden in tR", mean.cpu_hidden_ns, colour::HIDDEN),
        ("polling", mean.polling_ns, colour::POLLING),
        ("exposed", mean.cpu_exposed_ns, colour::EXPOSED),
    ]
}

fn table(out: &mut Drawing, top: f64, mean: &PageSummary, read: &KernelRead, limit: f64) {
    let percent = |ns: f64| format!("{:.1} %", 100.0 * ns / mean.page_ns);
    let us = |ns: f64| format!("{:.2} us", ns / 1e3);
    let rows = [
        ("bus busy", us(mean.bus_ns), percent(mean.bus_ns), "byte cycles of commands, addresses and data"),
        (
            "accesses",
            us(mean.access_ns),
            percent(mean.access_ns),
            "overhead of each access to the controller",
        ),
        ("tR", us(mean.tr_ns), percent(mean.tr_ns), "chip busy with its bus at rest"),
        ("  CPU hidden", us(mean.cpu_hidden_ns), percent(mean.cpu_hidden_ns), "work while the chip is busy"),
        ("  waiting", us(mean.polling_ns), percent(mean.polling_ns), "polling R/nB while the chip is busy"),
        (
            "CPU exposed",
            us(mean.cpu_exposed_ns),
            percent(mean.cpu_exposed_ns),
            "work that makes the page longer",
        ),
        ("page", us(mean.page_ns), percent(mean.page_ns), "bus, accesses, tR and CPU exposed"),
        (
            "PIO limit",
            format!("{limit:.2} us"),
            format!("{:.1} %", 100.0 * read.share),
            "share: the limit over the page, marks of bad blocks included",
        ),
        (
            "core cycles",
            format!("{:.0}", mean.work_cycles_per_page),
            String::new(),
            "of work a page, not stalled by the bus and not polling",
        ),
    ];
    for (row, (name, figure, share, remark)) in rows.iter().enumerate() {
        let y = top + row as f64 * ROW;
        out.line((COLUMNS[0], y + 4.5), (RIGHT, y + 4.5), GRID);
        let part = name.trim_start();
        out.text((COLUMNS[0] + width_of(name) - width_of(part), y), Anchor::Start, INK, part);
        out.text((COLUMNS[1], y), Anchor::End, INK, figure);
        out.text((COLUMNS[2], y), Anchor::End, INK, share);
        out.text((COLUMNS[3], y), Anchor::Start, QUIET, remark);
    }
}
