//! What the console measures is what the simulator's own clock says.

use crate::kit::{BOARDS, Flash, Random, at_prompt, said};
use sim::{Options, Report};

/// Pages read by the shorter of two runs, and by how many the longer one reads more.
const PAGES: u32 = 0x400;

/// A run in which pages are read, with lines as long as those of every other.
fn bench(flash: &Flash, pages: u32) -> Report {
    let report = flash.run(&flash.options(), &format!("\rnand bench 200000 {pages:x}\r"));
    at_prompt(&report);
    report
}

/// The figure of `nand bench` behind a name, in this column.
fn figure(report: &Report, name: &str, column: usize) -> f64 {
    let line = report.uart.lines().find_map(|line| line.trim().strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no {name}: {}", report.uart));
    line.split_whitespace().nth(column).unwrap().parse().unwrap()
}

#[test]
fn measures_what_the_simulator_says() {
    for board in BOARDS {
        let flash = board.good_flash();
        let (short, long) = (bench(&flash, PAGES), bench(&flash, 2 * PAGES));
        // All else that takes time is in both runs.
        let page_us = (long.time_ns - short.time_ns) as f64 / f64::from(PAGES) / 1e3;
        let mb_per_s = board.nand.page as f64 / page_us;
        for report in [&short, &long] {
            let (us, rate) = (figure(report, "measured", 0), figure(report, "measured", 1));
            assert!((us / page_us - 1.0).abs() < 0.01, "{page_us} us: {}", report.uart);
            assert!((rate / mb_per_s - 1.0).abs() < 0.01, "{mb_per_s} MB/s: {}", report.uart);
        }
        assert!(figure(&long, "programmed I/O", 2) < 100.0, "{}", long.uart);
    }
}

#[test]
fn computes_the_limits_that_the_simulator_does_and_is_as_fast_as_stage1() {
    for board in BOARDS {
        let flash = board.good_flash();
        let kernel_read = flash.boot().kernel_read.unwrap();
        let report = bench(&flash, PAGES);
        let check = |name, limit: f64| {
            let rate = figure(&report, name, 1);
            assert!((rate / limit - 1.0).abs() < 0.001, "{name} {limit}: {}", report.uart);
        };
        check("programmed I/O", kernel_read.limit_mb_per_s);
        check("bus", kernel_read.bus_limit_mb_per_s);
        let share = figure(&report, "programmed I/O", 2) / 100.0;
        assert!(share > kernel_read.share - 0.01, "{} by stage1: {}", kernel_read.share, report.uart);
    }
}

#[test]
fn bitflips_and_bad_blocks_are_counted_and_read_over() {
    for board in BOARDS {
        let first = board.good_flash().blocks("kernel-a").start;
        let bad = [first + 1];
        let flash = board.good_flash_around(&bad).unwrap();
        let per_block = board.nand.block_pages;
        // One flip in each of two steps, two in a third one: what is corrected, and what is lost.
        let mut random = Random::new(7);
        let page = (first + 2) * per_block;
        let mut flips = random.flips(&board, first * per_block + 3, 0, 1);
        flips.extend(random.flips(&board, page, 0, 1));
        flips.extend(random.flips(&board, page + 1, 0, 2));
        let offset = first as usize * board.nand.block();
        let pages = 2 * per_block;
        let options = Options { flips, ..flash.options() };
        let report = flash.run(&options, &format!("\rnand bench {offset:x} {pages:x}\r"));
        at_prompt(&report);
        let steps = pages as usize * board.nand.page / board.nand.step;
        let expected = format!(
            "bitflips corrected: 2 in 2 of {steps} ECC steps, at most 1 in one; \
             steps not correctable: 1; bad blocks skipped: 1\r\n"
        );
        said(&report, &expected);
    }
}

#[test]
fn ctrl_c_stops_it_and_the_chip_is_read_as_before() {
    let flash = BOARDS[0].good_flash();
    let options = Options { idle_ns: Some(1_000_000_000), ..flash.options() };
    // More than a chip of this size holds would take twenty seconds.
    let report = flash.run(&options, "\rnand bench 0 20000\r\x03nand bench 200000 1\r");
    assert!(report.time_ns < 3_000_000_000, "{}", report.to_json());
    said(&report, "<INTERRUPT>\r\n=> nand bench 200000 1\r\n1 pages, 2048 bytes in ");
    assert_eq!(report.violations_total, 0, "{}", report.to_json());
}
