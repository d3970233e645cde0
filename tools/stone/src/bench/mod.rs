//! The benchmark: readers of NAND on the simulated boards, one beside the other, with the limits
//! that they are measured against and the figures that others have published.

pub mod case;
pub mod chart;
mod flash;
mod measure;
pub mod table;

use crate::{Error, Result};
use case::{Case, Reader};
use measure::Measured;
use serde::Serialize;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How a benchmark is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The top of the tree: `images` and `target` are there.
    pub root: PathBuf,
    /// Pages that the readers of others' make read. stage1 reads the board's kernel, 4 MiB.
    pub pages: u32,
    /// Overheads to try for each access to the NAND controller beside the model's own, in HCLK
    /// periods.
    pub overheads: Vec<u32>,
}

/// The overhead that the model assumes.
pub const OVERHEAD: u32 = boot::nand::speed::ACCESS_OVERHEAD;

/// A line of the result.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The board.
    pub board: &'static str,
    /// Its NAND part.
    pub part: &'static str,
    /// Its bus clock.
    pub hclk_mhz: f64,
    /// Who reads: `stage1`, or how data is transferred and who computes ECC.
    pub reader: String,
    /// Time of a page on average, everything that is not the first or the last page's included.
    pub page_us: f64,
    /// Rate of data in 10^6 bytes per second.
    pub mb_per_s: f64,
    /// What programmed I/O could reach at this setting.
    pub limit_mb_per_s: f64,
    /// What the bus could reach at this setting.
    pub bus_limit_mb_per_s: f64,
    /// Rate over the limit of programmed I/O.
    pub share: f64,
    /// Core cycles of a page, those that the NAND bus holds the core up included, polling R/nB not.
    pub cpu_cycles_per_page: u32,
    /// What somebody has measured on the board.
    pub published_mb_per_s: Option<f64>,
    /// Of the cycles, those that the core spends on instructions of its own.
    pub work_cycles_per_page: u32,
    /// TACLS, TWRPH0 and TWRPH1 as they come out.
    pub setting_ns: [f64; 3],
    /// Pages measured.
    pub pages: u64,
    /// The same with other overheads of an access to the NAND controller.
    pub sensitivity: Vec<Sensitivity>,
}

/// What would be if an access to the NAND controller cost something else.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sensitivity {
    /// Its overhead in HCLK periods.
    pub access_hclk: u32,
    /// Rate.
    pub mb_per_s: f64,
    /// What programmed I/O could reach.
    pub limit_mb_per_s: f64,
    /// Rate over that limit.
    pub share: f64,
}

/// Runs the cases, as many at a time as there are processors. `progress` hears how many runs of
/// how many are done.
///
/// # Errors
/// Names the first case that did not do what it should, or passed over a rule of the board.
pub fn run(cases: &[Case], options: &Options, progress: impl Fn(usize, usize) + Sync) -> Result<Vec<Row>> {
    let jobs: Vec<(&Case, u32)> = cases.iter().flat_map(|case| jobs(case, options)).collect();
    let measured = in_parallel(
        jobs.len(),
        |index| {
            let (case, overhead) = jobs[index];
            measure::run(case, options, overhead).map_err(|error| error.about(&case.to_string()))
        },
        |done| progress(done, jobs.len()),
    )?;
    let mut measured = jobs.iter().zip(measured).peekable();
    let mut rows = Vec::new();
    while let Some((&(case, _), own)) = measured.next() {
        let mut row = row(case, &own)?;
        let mut runs = vec![(OVERHEAD, own)];
        while let Some((&(_, overhead), other)) = measured.next_if(|((next, _), _)| std::ptr::eq(*next, case))
        {
            runs.push((overhead, other));
        }
        if runs.len() > 1 {
            runs.sort_by_key(|&(overhead, _)| overhead);
            row.sensitivity = runs
                .iter()
                .map(|(overhead, run)| sensitivity(case, *overhead, run))
                .collect::<Result<_>>()?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The case with the model's own overhead and, for our reader, with all others.
fn jobs<'a>(case: &'a Case, options: &Options) -> Vec<(&'a Case, u32)> {
    let others = match case.reader {
        Reader::Stage1 => options.overheads.as_slice(),
        Reader::Naive(_) => &[],
    };
    std::iter::once(OVERHEAD).chain(others.iter().copied()).map(|overhead| (case, overhead)).collect()
}

/// Results of `work` for all numbers below `len`, or the first error.
fn in_parallel<T: Send>(
    len: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
    progress: impl Fn(usize) + Sync,
) -> Result<Vec<T>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new((0..len).map(|_| None).collect::<Vec<Option<Result<T>>>>());
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= len {
            break;
        }
        let result = work(index);
        results.lock().expect("no worker panics with the lock").as_mut_slice()[index] = Some(result);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(worker);
        }
    });
    let results = results.into_inner().expect("no worker panics with the lock");
    results.into_iter().map(|result| result.expect("every number was worked on")).collect()
}

fn row(case: &Case, measured: &Measured) -> Result<Row> {
    let bus = case.bus()?;
    let limits = case.limits(OVERHEAD)?;
    Ok(Row {
        board: case.machine.board,
        part: case.machine.part,
        hclk_mhz: round(f64::from(bus.clock.source.0) / f64::from(bus.clock.divider) / 1e6),
        reader: case.reader.to_string(),
        page_us: round(measured.page_ns / 1e3),
        mb_per_s: round(limits.rate(measured.page_ns)),
        limit_mb_per_s: round(limits.rate(limits.pio_ns)),
        bus_limit_mb_per_s: round(limits.rate(limits.bus_ns)),
        share: round(limits.pio_ns / measured.page_ns),
        cpu_cycles_per_page: measured.cpu_cycles as u32,
        published_mb_per_s: case.published,
        work_cycles_per_page: measured.work_cycles as u32,
        setting_ns: case.setting_ns()?,
        pages: measured.pages,
        sensitivity: Vec::new(),
    })
}

fn sensitivity(case: &Case, access_hclk: u32, measured: &Measured) -> Result<Sensitivity> {
    let limits = case.limits(access_hclk)?;
    Ok(Sensitivity {
        access_hclk,
        mb_per_s: round(limits.rate(measured.page_ns)),
        limit_mb_per_s: round(limits.rate(limits.pio_ns)),
        share: round(limits.pio_ns / measured.page_ns),
    })
}

/// To four places: more would be noise.
fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The rows as JSON.
///
/// # Errors
/// Never: every field has a JSON form.
pub fn json(rows: &[Row]) -> Result<String> {
    serde_json::to_string_pretty(rows).map_err(|e| Error::new(format!("cannot make JSON: {e}")))
}
