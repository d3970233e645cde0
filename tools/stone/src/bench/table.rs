//! The result as text.

use super::Row;
use std::fmt::{self, Write};

/// What others have measured that no row stands beside.
const PEERS: &str = "\
Peers, measured by others:
  Openmoko's own U-Boot for GTA02, run in another model of the board (HCLK 100 MHz, old timings,
    no ECC, MMU and D-cache off): 1484 us a page, 1.38 MB/s, 594,000 core cycles a page, 25 % of
    its bus limit of 5.62 MB/s; 13.6 s from reset to the kernel, 10.5 s without its boot delay
  a hand-written word loop in that model, at 0/30/20 ns: 15.62 MB/s with an access overhead of 0,
    15.04 with 1 HCLK
  eCos on an S3C2410X, hardware ECC, partly unrolled: 452 us for 2048 bytes, 4.53 MB/s
";

/// The whole result.
#[must_use]
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, rows);
    text
}

fn write(out: &mut String, rows: &[Row]) -> fmt::Result {
    writeln!(
        out,
        "{:<9} {:<12} {:>6} {:>15}  {:<20} {:>8} {:>6}  {:>6} {:>6} {:>6}  {:>7} {:>9}",
        "board",
        "part",
        "HCLK",
        "setting",
        "reader",
        "page",
        "rate",
        "PIO",
        "bus",
        "share",
        "CPU",
        "published"
    )?;
    writeln!(
        out,
        "{:<9} {:<12} {:>6} {:>15}  {:<20} {:>8} {:>6}  {:>6} {:>6} {:>6}  {:>7} {:>9}",
        "", "", "MHz", "ns", "", "us", "MB/s", "MB/s", "MB/s", "of PIO", "cycles", "MB/s"
    )?;
    let mut before = None;
    for row in rows {
        let machine = (row.board, row.reader == "stage1");
        if before.replace(machine).is_some_and(|before| before != machine) {
            writeln!(out)?;
        }
        line(out, row)?;
    }
    sensitivity(out, rows)?;
    write!(out, "\n{PEERS}")
}

fn line(out: &mut String, row: &Row) -> fmt::Result {
    let published = row.published_mb_per_s.map_or("-".into(), |rate| format!("{rate:.3}"));
    writeln!(
        out,
        "{:<9} {:<12} {:>6.1} {:>15}  {:<20} {:>8.2} {:>6.2}  {:>6.2} {:>6.2} {:>6.3}  {:>7} {published:>9}",
        row.board,
        row.part,
        row.hclk_mhz,
        setting(row),
        row.reader,
        row.page_us,
        row.mb_per_s,
        row.limit_mb_per_s,
        row.bus_limit_mb_per_s,
        row.share,
        row.cpu_cycles_per_page,
    )
}

/// TACLS, TWRPH0 and TWRPH1, without digits that say nothing.
pub fn setting(row: &Row) -> String {
    let digits = |ns: f64| format!("{ns:.1}").trim_end_matches(".0").to_owned();
    row.setting_ns.map(digits).join("/")
}

fn sensitivity(out: &mut String, rows: &[Row]) -> fmt::Result {
    let rows = || rows.iter().filter(|row| !row.sensitivity.is_empty());
    let Some(first) = rows().next() else { return Ok(()) };
    writeln!(out, "\nIf an access to the NAND controller costs so many HCLK beside its cycles on the bus,")?;
    writeln!(out, "stage1 reads MB/s, of a PIO limit of, share (the model assumes {}):", super::OVERHEAD)?;
    write!(out, "{:<9} {:<12} {:>6}", "board", "part", "HCLK")?;
    for column in &first.sensitivity {
        write!(out, "  {:>19}", column.access_hclk)?;
    }
    for row in rows() {
        write!(out, "\n{:<9} {:<12} {:>6.1}", row.board, row.part, row.hclk_mhz)?;
        for column in &row.sensitivity {
            write!(out, "  {:>6.2} {:>6.2} {:.3}", column.mb_per_s, column.limit_mb_per_s, column.share)?;
        }
    }
    writeln!(out)
}
