//! What a run came to, on one screen.

use super::End;
use sim::{Outcome, PowerLoss, Report, Torn};
use std::fmt::{self, Write};

/// The summary of a run.
pub fn text(report: &Report, end: End, good: bool) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, report, end, good);
    text
}

fn write(out: &mut String, report: &Report, end: End, good: bool) -> fmt::Result {
    writeln!(
        out,
        "\n---- {} with {}: {}",
        report.board,
        report.part,
        if good { "good" } else { "NOT GOOD" }
    )?;
    row(out, "outcome", &outcome(report, end))?;
    if let Some(loss) = &report.power_loss {
        row(out, "NAND cut", &remains(loss, end.saved))?;
    }
    row(out, "time", &format!("{} from reset", milliseconds(report.time_ns)))?;
    if let Some(entry) = &report.entry {
        let crc = if report.kernel_crc_ok {
            "CRC of the loaded image right"
        } else {
            "CRC of the loaded image WRONG"
        };
        row(
            out,
            "entry",
            &format!("pc {:#010x}, r0 {}, r1 {}, r2 {:#010x}; {crc}", entry.pc, entry.r0, entry.r1, entry.r2),
        )?;
    }
    for phase in &report.phases {
        let time = phase.end_ns.saturating_sub(phase.start_ns);
        let share = 100.0 * time as f64 / report.time_ns.max(1) as f64;
        row(out, &format!("  {}", phase.name), &format!("{} {share:>5.1} %", milliseconds(time)))?;
    }
    if let Some(read) = &report.kernel_read {
        row(
            out,
            "kernel read",
            &format!(
                "{} bytes at {:.2} MB/s: {:.1} % of the PIO limit of {:.2}; bus limit {:.2}",
                read.bytes,
                read.mb_per_s,
                100.0 * read.share,
                read.limit_mb_per_s,
                read.bus_limit_mb_per_s
            ),
        )?;
    }
    let nand = &report.nand;
    row(
        out,
        "NAND",
        &format!(
            "{} pages read, {} programmed, {} blocks erased; {} bits corrected, {} pages uncorrectable",
            nand.page_reads, nand.programs, nand.erases, nand.corrected_bits, nand.uncorrectable
        ),
    )?;
    if report.resets > 0 {
        row(out, "resets", &format!("{} by the watchdog", report.resets))?;
    }
    if !report.after_entry.is_empty() {
        row(
            out,
            "kernel's own",
            &format!("{} violations after its entry, not counted", report.after_entry.len()),
        )?;
    }
    row(out, "violations", &violations(report))?;
    for violation in report.violations.iter().take(SHOWN) {
        let (time, pc) = (milliseconds(violation.time_ns), violation.pc);
        writeln!(out, "  {time} pc {pc:#010x} {}: {}", violation.kind, violation.detail)?;
    }
    Ok(())
}

/// Violations printed; the report file has more.
const SHOWN: usize = 8;

fn row(out: &mut String, label: &str, value: &str) -> fmt::Result {
    writeln!(out, "{label:<13} {value}")
}

fn milliseconds(ns: u64) -> String {
    format!("{:>9.3} ms", ns as f64 / 1e6)
}

fn outcome(report: &Report, end: End) -> String {
    let what = match report.outcome {
        Outcome::Kernel => "kernel entered",
        Outcome::Console => "at the console",
        Outcome::Fault => "the board is stuck",
        Outcome::Timeout => "the time was up",
        Outcome::Powercut => "the power was cut",
    };
    let why = match end {
        End { cut: Some(cut), .. } if report.outcome != Outcome::Powercut => {
            let operations = report.nand.operations();
            return format!("{what}; NOT reached: a cut {cut} (operations: {operations})");
        }
        End { matched: Some(true), .. } => ", --until matched",
        End { matched: Some(false), .. } => ", --until did NOT match",
        End { quit: true, .. } => ", ended at the keyboard",
        _ => "",
    };
    format!("{what}{why}")
}

/// What the cut of the power has left in the chip.
fn remains(loss: &PowerLoss, saved: bool) -> String {
    let begun = loss.operations;
    let (Some(torn), Some(progress)) = (loss.torn, loss.progress) else {
        return format!("operations begun: {begun}, all done");
    };
    let torn = match torn {
        Torn::Page(page) => format!("program of page {page}"),
        Torn::Block(block) => format!("erase of block {block}"),
    };
    let kept = if saved { "; saved with one reading of the bits in doubt" } else { "" };
    format!("operations begun: {begun}; torn {:.0} % through the {torn}{kept}", 100.0 * progress)
}

fn violations(report: &Report) -> String {
    match report.violations_total {
        0 => "none".into(),
        total if total as usize > SHOWN => format!("{total}, the first of them:"),
        total => format!("{total}:"),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use sim::bus::Violation;
    use sim::{Entry, KernelRead, NandCounters, Phase};

    /// A boot with round numbers.
    pub fn report(outcome: Outcome) -> Report {
        Report {
            board: "gta02".into(),
            part: "K5D2G13ACM".into(),
            outcome,
            time_ns: 400_000_000,
            entry: Some(Entry { pc: 0x3000_8000, r0: 0, r1: 1304, r2: 0x3000_0100 }),
            kernel_crc_ok: true,
            nand: NandCounters { page_reads: 2050, corrected_bits: 3, ..NandCounters::default() },
            kernel_read: Some(KernelRead {
                bytes: 4_194_304,
                time_ns: 300_000_000,
                mb_per_s: 13.98,
                limit_mb_per_s: 14.5,
                bus_limit_mb_per_s: 16.0,
                share: 0.964,
            }),
            pages: None,
            pages_past_kernel: None,
            phases: vec![Phase { name: "kernel-read", start_ns: 50_000_000, end_ns: 350_000_000 }],
            power_loss: None,
            violations: Vec::new(),
            violations_total: 0,
            after_entry: Vec::new(),
            uart: String::new(),
            instructions: 0,
            resets: 0,
            notes: Vec::new(),
            trace: None,
        }
    }

    const END: End = End { quit: false, matched: None, cut: None, saved: false };

    #[test]
    fn fits_a_screen() {
        let expected = "
---- gta02 with K5D2G13ACM: good
outcome       kernel entered
time            400.000 ms from reset
entry         pc 0x30008000, r0 0, r1 1304, r2 0x30000100; CRC of the loaded image right
  kernel-read   300.000 ms  75.0 %
kernel read   4194304 bytes at 13.98 MB/s: 96.4 % of the PIO limit of 14.50; bus limit 16.00
NAND          2050 pages read, 0 programmed, 0 blocks erased; 3 bits corrected, 0 pages uncorrectable
violations    none
";
        assert_eq!(text(&report(Outcome::Kernel), END, true), expected);
    }

    #[test]
    fn says_what_a_power_cut_met() {
        let check = |torn, progress, saved, expected: &str| {
            let power_loss = Some(PowerLoss { operations: 3, torn, progress });
            let report = Report { power_loss, ..report(Outcome::Powercut) };
            let text = text(&report, End { saved, ..END }, true);
            assert!(
                text.contains(&format!("\noutcome       the power was cut\nNAND cut      {expected}\n")),
                "{text}"
            );
        };
        check(None, None, true, "operations begun: 3, all done");
        let page = Some(Torn::Page(65));
        check(page, Some(0.432), false, "operations begun: 3; torn 43 % through the program of page 65");
        let saved = "operations begun: 3; torn 10 % through the erase of block 7; \
                     saved with one reading of the bits in doubt";
        check(Some(Torn::Block(7)), Some(0.1), true, saved);
        let cut = Some(sim::PowerCut::Operation { number: 9, moment: sim::Moment::After });
        let text = text(&report(Outcome::Console), End { cut, ..END }, false);
        assert!(text.contains("at the console; NOT reached: a cut after operation 9 (operations: 0)"));
    }

    #[test]
    fn says_what_is_not_good() {
        let violation = Violation { time_ns: 1_000_000, pc: 0x40, kind: "nand-timing", detail: "tWP".into() };
        let report =
            Report { violations: vec![violation; 9], violations_total: 12, ..report(Outcome::Timeout) };
        let text = text(&report, End { matched: Some(false), ..END }, false);
        for expected in [
            "NOT GOOD",
            "the time was up, --until did NOT match",
            "violations    12, the first of them:\n      1.000 ms pc 0x00000040 nand-timing: tWP\n",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert_eq!(text.matches("nand-timing").count(), SHOWN);
    }
}
