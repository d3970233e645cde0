//! One run, and what is asked of it.

use super::case::{Case, Reader};
use super::{Options, flash};
use crate::{Error, Result};
use sim::{Capture, Outcome, PageSummary, Report};

/// No run takes longer, modelled.
const MAX_TIME_NS: u64 = 5_000_000_000;
/// The last thing that `images/readers` says.
const LAST_WORD: &str = r"readers: .*\n";

/// What a page takes, on average.
pub struct Measured {
    pub page_ns: f64,
    pub cpu_cycles: f64,
    pub work_cycles: f64,
    pub pages: u64,
}

/// Boots the case's flash and looks at how it was read.
pub fn run(case: &Case, options: &Options, overhead: u32) -> Result<Measured> {
    let mut flash = flash::of(case, options)?;
    let naive = matches!(case.reader, Reader::Naive(_));
    let settings = sim::Options {
        part: Some(case.machine.part.into()),
        max_time_ns: MAX_TIME_NS,
        stop_at_kernel: !naive,
        until: naive.then(|| regex::bytes::Regex::new(LAST_WORD).expect("it is one")),
        nand_access_hclk: overhead,
        ..sim::Options::new(case.machine.board)
    };
    let report = sim::run(&settings, &mut flash.image, &mut Capture::default())
        .map_err(|error| Error::new(error.to_string()))?;
    check_boot(&report)?;
    let pages = if naive { report.pages_past_kernel } else { report.pages };
    let pages = pages.ok_or_else(|| Error::new("no page was read"))?;
    if naive {
        let said = Said::find(&report.uart)?;
        said.check(case, flash.data_crc, &pages)?;
    } else {
        check_limit(case, &report, overhead)?;
    }
    Ok(measured(&pages))
}

fn measured(pages: &PageSummary) -> Measured {
    Measured {
        page_ns: pages.page_ns,
        cpu_cycles: pages.cpu_cycles_per_page,
        work_cycles: pages.work_cycles_per_page,
        pages: pages.pages,
    }
}

/// The kernel was entered intact, and nothing was done that the board does not let pass.
fn check_boot(report: &Report) -> Result<()> {
    if report.outcome != Outcome::Kernel || !report.kernel_crc_ok {
        return Err(Error::new("did not boot").found(report.uart.trim()));
    }
    match report.violations.iter().chain(&report.after_entry).next() {
        None => Ok(()),
        Some(violation) => Err(Error::new("passed over a rule of the board")
            .found(format!("{}: {} at pc {:#010x}", violation.kind, violation.detail, violation.pc))),
    }
}

/// What the readers say of themselves: `512 pages, 1048576 bytes, crc 01234567, 9467 ticks of 512 PCLK`.
#[derive(Debug, PartialEq)]
struct Said {
    crc: u32,
    ticks: u64,
    tick: u64,
}

impl Said {
    fn find(uart: &str) -> Result<Self> {
        let line = uart.lines().find_map(|line| line.strip_prefix("readers: ")).unwrap_or_default();
        Self::parse(line).ok_or_else(|| Error::new("did not read what is there").found(line))
    }

    fn parse(line: &str) -> Option<Self> {
        let words: Vec<_> = line.split([' ', ',']).collect();
        let behind = |word| words.iter().position(|&w| w == word).and_then(|at| words.get(at + 1));
        let before =
            |word| words.iter().position(|&w| w == word).and_then(|at| words.get(at.checked_sub(1)?));
        Some(Self {
            crc: u32::from_str_radix(behind("crc")?, 16).ok()?,
            ticks: before("ticks")?.parse().ok()?,
            tick: before("PCLK")?.parse().ok()?,
        })
    }

    /// The data is what was written, and the board's own stopwatch agrees with the simulator's
    /// time. It also runs while the last page is checked and copied, but for no other page.
    fn check(&self, case: &Case, crc: u32, pages: &PageSummary) -> Result<()> {
        if self.crc != crc {
            return Err(Error::new("did not read what is there")
                .expected(format!("crc {crc:08x}"))
                .found(format!("{:08x}", self.crc)));
        }
        // PCLK is half of HCLK on every board.
        let tick = (self.tick * 2 * case.machine.clock()?.picoseconds(1)) as f64 / 1e3;
        let (own, seen) = (self.ticks as f64 * tick, pages.pages as f64 * pages.page_ns);
        if own > seen - 2.0 * tick && own < seen + pages.page_ns + 2.0 * tick {
            return Ok(());
        }
        Err(Error::new("the readers' stopwatch disagrees with the simulator")
            .expected(format!("{seen:.0} ns and less than a page more"))
            .found(format!("{own:.0} ns")))
    }
}

/// The setting that the limits are computed for is the one that stage1 has programmed: the
/// simulator computes the same limit from what it has seen in the registers.
fn check_limit(case: &Case, report: &Report, overhead: u32) -> Result<()> {
    let limits = case.limits(overhead)?;
    let (ours, seen) =
        (limits.rate(limits.pio_ns), report.kernel_read.map_or(0.0, |read| read.limit_mb_per_s));
    if (ours / seen - 1.0).abs() < 0.001 {
        return Ok(());
    }
    Err(Error::new("stage1 runs at another setting than its build should")
        .expected(format!("a limit of {ours:.2} MB/s"))
        .found(format!("{seen:.2} MB/s"))
        .hint("tools/bench.sh builds what is measured"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_the_readers() {
        let said = Said { crc: 0x0123_abcd, ticks: 9467, tick: 512 };
        let check = |line, expected| assert_eq!(Said::parse(line), expected, "{line}");
        check("512 pages, 1048576 bytes, crc 0123abcd, 9467 ticks of 512 PCLK", Some(said));
        check("failed: page 64, step 0: code [1] stored, [2] computed", None);
        check("", None);
    }
}
