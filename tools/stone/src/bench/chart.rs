//! The result as a bar chart: a bar for each row, the limits behind it, what was published upon it.

use super::{Row, table};
use std::fmt::Write;

/// Room for the names.
const LEFT: f64 = 360.0;
/// Width of the bars at full scale.
const WIDTH: f64 = 620.0;
/// Room for the figures behind the bars.
const RIGHT: f64 = 200.0;
/// First bar.
const TOP: f64 = 96.0;
/// Distance from bar to bar, and its height.
const BAR: (f64, f64) = (20.0, 13.0);
/// What separates a board from the next.
const GAP: f64 = 24.0;

const OURS: &str = "#31688e";
const OTHERS: &str = "#8fa3b0";
const PIO: &str = "#dde5ea";
const BUS: &str = "#555555";
const PUBLISHED: &str = "#b3362b";

/// Draws the rows.
#[must_use]
pub fn draw(rows: &[Row]) -> String {
    let most = rows.iter().map(|row| row.bus_limit_mb_per_s.max(row.mb_per_s)).fold(0.0, f64::max);
    let full = (most / 5.0).ceil().max(1.0) * 5.0;
    let x = |rate: f64| LEFT + rate / full * WIDTH;
    let places = places(rows);
    let bottom = places.last().map_or(TOP, |place| place + BAR.0);
    let (width, height) = (LEFT + WIDTH + RIGHT, bottom + 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text(&mut out, 12.0, 26.0, "start", "16", "black", "Reading NAND, MB/s of data (modelled time)");
    legend(&mut out);
    axis(&mut out, full, bottom, x);
    let mut before = "";
    for (row, y) in rows.iter().zip(places) {
        if std::mem::replace(&mut before, row.board) != row.board {
            text(&mut out, 12.0, y - 6.0, "start", "13", "black", row.board);
        }
        bar(&mut out, row, y, x);
    }
    out.push_str("</svg>\n");
    out
}

/// Tops of the bars, with room for the name where a new board begins.
fn places(rows: &[Row]) -> Vec<f64> {
    let mut y = TOP;
    let mut before = "";
    let place = |row: &Row| {
        if row.board != before {
            y += GAP;
            before = row.board;
        }
        let place = y;
        y += BAR.0;
        place
    };
    rows.iter().map(place).collect()
}

fn legend(out: &mut String) {
    let mut at = 12.0;
    let mut entry = |out: &mut String, mark: &dyn Fn(&mut String, f64), meaning: &str| {
        mark(out, at);
        text(out, at + 22.0, 52.0, "start", "11", "#333333", meaning);
        at += 44.0 + 6.2 * meaning.len() as f64;
    };
    let block = |fill| move |out: &mut String, at| rect(out, at, 43.0, 16.0, 11.0, fill);
    entry(out, &block(OURS), "stage1, CRC included");
    entry(out, &block(OTHERS), "as published drivers did it");
    entry(out, &block(PIO), "up to the limit of programmed I/O");
    entry(
        out,
        &|out: &mut String, at| line(out, at + 8.0, 42.0, at + 8.0, 55.0, BUS, 2.0),
        "limit of the bus",
    );
    entry(out, &|out: &mut String, at| diamond(out, at + 8.0, 48.5), "measured on the board, published");
}

fn axis(out: &mut String, full: f64, bottom: f64, x: impl Fn(f64) -> f64) {
    for step in 0..=(full / 5.0) as u32 {
        let rate = f64::from(5 * step);
        line(out, x(rate), TOP - 8.0, x(rate), bottom, "#e8e8e8", 1.0);
        text(out, x(rate), TOP - 14.0, "middle", "11", "#555555", &format!("{rate}"));
    }
}

fn bar(out: &mut String, row: &Row, y: f64, x: impl Fn(f64) -> f64) {
    let ours = row.reader == "stage1";
    let name = format!("{} {:.0} MHz, {}, {}", row.part, row.hclk_mhz, table::setting(row), row.reader);
    let middle = y + BAR.1 - 3.0;
    text(out, LEFT - 8.0, middle, "end", "11", "black", &name);
    rect(out, x(0.0), y, x(row.limit_mb_per_s) - x(0.0), BAR.1, PIO);
    rect(out, x(0.0), y + 2.0, x(row.mb_per_s) - x(0.0), BAR.1 - 4.0, if ours { OURS } else { OTHERS });
    let bus = x(row.bus_limit_mb_per_s);
    line(out, bus, y - 1.0, bus, y + BAR.1 + 1.0, BUS, 2.0);
    let mut figures = format!("{:.2}, {:.1} % of PIO", row.mb_per_s, 100.0 * row.share);
    if let Some(published) = row.published_mb_per_s {
        diamond(out, x(published), y + BAR.1 / 2.0);
        let _ = write!(figures, "; published {published:.2}");
    }
    let behind = bus.max(x(row.mb_per_s)) + 8.0;
    text(out, behind, middle, "start", "11", if ours { OURS } else { "#333333" }, &figures);
}

fn diamond(out: &mut String, x: f64, y: f64) {
    let _ = writeln!(out, "<path d=\"M{x:.1} {:.1}l5 6l-5 6l-5 -6z\" fill=\"{PUBLISHED}\"/>", y - 6.0);
}

fn rect(out: &mut String, x: f64, y: f64, width: f64, height: f64, fill: &str) {
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
    );
}

fn line(out: &mut String, x1: f64, y1: f64, x2: f64, y2: f64, stroke: &str, width: f64) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
    );
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: &str, fill: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{fill}\">{text}</text>"
    );
}
