//! `--trace`: a boot as trace events, for ui.perfetto.dev and chrome://tracing.
//!
//! The format is Google's "Trace Event Format": one complete event (`X`) for what takes time,
//! one instant (`i`) for what does not, a name (`M`) for each track. Tracks are threads of one
//! process; within a track no two events overlap.

use super::label;
use serde::Serialize;
use serde_json::{Value, json};
use sim::trace::{BusCycles, PageTrace, SaidLine};
use sim::{Report, Trace};
use std::io::{self, Write};

/// A track, by its number among the threads.
#[derive(Clone, Copy)]
enum Track {
    Phases = 1,
    Pages,
    Bus,
    Array,
    Core,
    Flips,
    Console,
}

/// In the order they are shown.
const TRACKS: [(Track, &str); 7] = [
    (Track::Phases, "phases"),
    (Track::Pages, "pages"),
    (Track::Bus, "NAND bus"),
    (Track::Array, "NAND array"),
    (Track::Core, "core"),
    (Track::Flips, "flipped bits"),
    (Track::Console, "console output"),
];

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    ph: char,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    /// An instant is one of its track.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<char>,
    #[serde(skip_serializing_if = "Value::is_null")]
    args: Value,
}

/// Writes the events one to a line.
pub fn write(report: &Report, trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let mut file = File { out, first: true };
    write!(file.out, "{{\"displayTimeUnit\": \"ns\", \"traceEvents\": [")?;
    file.names(report)?;
    for phase in &report.phases {
        file.span(Track::Phases, phase.name, (phase.start_ns, phase.end_ns), Value::Null)?;
    }
    for page in &trace.pages {
        let (name, ends) = (format!("page {}", page.page), (page.start / 1000, page.end / 1000));
        file.span(Track::Pages, &name, ends, page_args(page))?;
    }
    for event in &trace.bus {
        let (name, args) = (label::bus(&event.what), bus_args(&event.what));
        file.span(Track::Bus, &name, (event.start / 1000, event.end / 1000), args)?;
    }
    for event in &trace.array {
        file.span(
            Track::Array,
            &label::array(&event.what),
            (event.start / 1000, event.end / 1000),
            Value::Null,
        )?;
    }
    for event in &trace.core {
        let args = json!({ "working_ns": ns(event.what.working) });
        file.span(Track::Core, label::core(event.what.doing), (event.start / 1000, event.end / 1000), args)?;
    }
    for page in trace.pages.iter().filter(|page| !page.flips.is_empty()) {
        file.flips(page)?;
    }
    for line in &trace.lines {
        file.line(line)?;
    }
    writeln!(file.out, "\n]}}")
}

struct File<'a, W> {
    out: &'a mut W,
    first: bool,
}

impl<W: Write> File<'_, W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        write!(self.out, "{}", if std::mem::take(&mut self.first) { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut *self.out, event)?;
        Ok(())
    }

    fn names(&mut self, report: &Report) -> io::Result<()> {
        let board = format!("{} with {}", report.board, report.part);
        self.meta("process_name", 0, json!({ "name": board }))?;
        for (track, name) in TRACKS {
            let tid = track as u32;
            self.meta("thread_name", tid, json!({ "name": name }))?;
            self.meta("thread_sort_index", tid, json!({ "sort_index": tid }))?;
        }
        Ok(())
    }

    fn meta(&mut self, name: &str, tid: u32, args: Value) -> io::Result<()> {
        self.event(&Event { name, ph: 'M', pid: 1, tid, ts: None, dur: None, s: None, args })
    }

    /// What takes no whole nanosecond is left out.
    fn span(&mut self, track: Track, name: &str, (start, end): (u64, u64), args: Value) -> io::Result<()> {
        if end <= start {
            return Ok(());
        }
        let (tid, dur) = (track as u32, Some((end - start) as f64 / 1e3));
        self.event(&Event { name, ph: 'X', pid: 1, tid, ts: Some(microseconds(start)), dur, s: None, args })
    }

    fn instant(&mut self, track: Track, name: &str, at: u64, args: Value) -> io::Result<()> {
        let (tid, ts) = (track as u32, Some(microseconds(at)));
        self.event(&Event { name, ph: 'i', pid: 1, tid, ts, dur: None, s: Some('t'), args })
    }

    fn flips(&mut self, page: &PageTrace) -> io::Result<()> {
        let bits: Vec<_> = page.flips.iter().map(|flip| format!("{}:{}", flip.byte, flip.bit)).collect();
        let name = format!("page {}: {}", page.page, bits.len());
        let args = json!({ "page": page.page, "flips": bits.len(), "byte_bit": bits });
        self.instant(Track::Flips, &name, page.data_end / 1000, args)
    }

    fn line(&mut self, line: &SaidLine) -> io::Result<()> {
        self.instant(Track::Console, &String::from_utf8_lossy(&line.text), line.time / 1000, Value::Null)
    }
}

/// The unit of the format, with the middle of the nanosecond. A reader that turns it into
/// nanoseconds by cutting off (Perfetto's does) would otherwise now and then get one less, and
/// see events that overlap.
fn microseconds(ns: u64) -> f64 {
    (10 * ns + 5) as f64 / 1e4
}

fn ns(ps: u64) -> f64 {
    ps as f64 / 1e3
}

fn bus_args(cycles: &BusCycles) -> Value {
    match *cycles {
        BusCycles::Latches { addresses, .. } => json!({ "addresses": addresses }),
        BusCycles::DataOut { column, bytes, cycles } => {
            json!({ "column": column, "bytes": bytes, "cycling_ns": ns(cycles) })
        }
        BusCycles::DataIn { cycles } => json!({ "cycling_ns": ns(cycles) }),
    }
}

fn page_args(page: &PageTrace) -> Value {
    let time = &page.time;
    json!({
        "page": page.page,
        "bytes": page.bytes,
        "flips": page.flips.len(),
        "bus_ns": ns(time.bus),
        "access_ns": ns(time.access),
        "tr_ns": ns(time.t_r()),
        "cpu_hidden_ns": ns(time.hidden),
        "polling_ns": ns(time.polling),
        "cpu_exposed_ns": ns(time.cpu_exposed()),
    })
}
