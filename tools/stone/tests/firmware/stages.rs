//! The boot table, and the two copies of stage2.

use crate::common::pattern;
use crate::kit::{
    BOARDS, Board, Flash, GTA02, KINDS, LOAD_A, LOAD_B, MINI2440, Random, SMDK2410, STAGE1, at_prompt,
    booted, lawful, said, stage1,
};
use boot::boot_table;
use boot::image::uimage::HEADER;
use sim::{Flip, Options, Outcome, Report};
use std::fs;

/// What a board that cannot boot does in its first 15 seconds: it says so, and starts
/// again after ten.
#[track_caller]
fn stuck(report: &Report, code: u32) {
    assert_eq!((report.outcome, report.entry), (Outcome::Timeout, None), "{}", report.to_json());
    let lines: Vec<_> = report.uart.split(STAGE1).skip(1).collect();
    assert_eq!((lines.len(), report.resets), (2, 1), "{}", report.uart);
    for line in lines {
        assert!(line.trim_end().ends_with(&format!("\nstuck {code:08x}")), "{}", report.uart);
    }
    lawful(report);
}

fn run(flash: &Flash, flips: Vec<Flip>, keys: &str) -> Report {
    flash.run(&Options { flips, max_time_ns: 15_000_000_000, ..flash.options() }, keys)
}

#[test]
fn a_damaged_boot_table_is_never_used() {
    let flips = [
        // Magic, version, machine, slots, command line, its end, CRC.
        (0, 0),
        (4, 1),
        (8, 3),
        (0x10, 0),
        (0x12, 7),
        (0x1c, 4),
        (0x20, 5),
        (0x11f, 0),
        (0x120, 0),
        (0x123, 7),
    ];
    for (at, bit) in flips {
        let flash = GTA02.good_flash();
        let flip = Flip { page: 0, byte: (boot_table::OFFSET + at) as u32, bit };
        stuck(&run(&flash, vec![flip], ""), 2);
    }
    for board in [MINI2440, SMDK2410] {
        stuck(&run(&board.good_flash(), vec![Flip { page: 0, byte: 0x48, bit: 0 }], ""), 2);
    }
}

/// A flash with a stage2 of three erase blocks, or one more than it needs: what is behind it is of
/// no use to it, but is covered by the CRC.
fn with_long_stage2(board: &Board, bad: &[u32]) -> (Flash, usize) {
    let mut stage2 = fs::read(board.firmware("stage2.bin")).unwrap();
    let blocks = stage2.len().div_ceil(board.nand.block()) + 1;
    stage2.extend(pattern(blocks.max(3) * board.nand.block() - 5000 - stage2.len(), 4));
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &stage2).unwrap();
    let mut source = board.recipe();
    source.recipe.stage2.file = file.path().into();
    let [a, b] = [LOAD_A, LOAD_B].map(|load| board.kernel(load));
    (board.pack(&mut source, bad, &a, &b).unwrap(), HEADER + stage2.len())
}

/// Two flips in a step of each of these pages, by their numbers in the copies.
fn damage(flash: &Flash, len: usize, first: &[usize], second: &[usize]) -> Vec<Flip> {
    let mut random = Random::new(11);
    let mut flips = Vec::new();
    for (slot, pages) in [("stage2-1", first), ("stage2-2", second)] {
        let place = flash.pages(slot, len);
        for &page in pages {
            flips.extend(random.flips(&flash.board, place[page], page, 2));
        }
    }
    flips
}

#[test]
fn pages_are_taken_from_the_other_copy() {
    for board in KINDS {
        let (flash, len) = with_long_stage2(&board, &[]);
        let check = |first: &[usize], second: &[usize]| {
            let report = run(&flash, damage(&flash, len, first, second), "\r");
            at_prompt(&report);
            assert_eq!(stage1(&report), "2:ok", "{board:?}: {first:?} {second:?}");
        };
        let (block, last) = (board.nand.block_pages as usize, board.nand.pages(len) - 1);
        check(&[], &[]);
        check(&[1], &[]);
        check(&[1, 2, block - 1, block, block + 1, last], &[3, block - 2, block + 2, last - 1]);
        // The page with the header is a page like others.
        check(&[0], &[]);
        check(&[], &[0]);
        // With the header from the second copy, the other pages still come from the first.
        check(&[0, 2 * block + 2], &[5, block + block / 2]);
    }
}

#[test]
fn copies_lie_differently_around_bad_blocks() {
    for board in BOARDS {
        let good = board.good_flash();
        let bad = [good.blocks("stage2-1").start + 1, good.blocks("stage2-2").start];
        let (flash, len) = with_long_stage2(&board, &bad);
        let block = board.nand.block_pages as usize;
        let report = run(&flash, damage(&flash, len, &[block + 6, 2 * block + 22], &[block + 7]), "\r");
        at_prompt(&report);
        assert_eq!(stage1(&report), "2:ok");
    }
}

#[test]
fn the_second_copy_leads_when_the_first_is_no_image() {
    let check = |change: fn(&mut [u8]), word: &str| {
        for board in [MINI2440, SMDK2410] {
            let mut flash = board.good_flash();
            let page = flash.pages("stage2-1", 1)[0];
            flash.rewrite(page, change);
            let report = run(&flash, Vec::new(), "\r");
            at_prompt(&report);
            let line = stage1(&report);
            assert!(line.starts_with(&format!("2:{word}")) && line.ends_with("ok"), "{line}");
        }
    };
    check(|page| page[0] = 0, "void");
    check(|page| page[40] ^= 1, "head");
    check(|page| page[HEADER + 100] ^= 1, "crc");
    check(|page| page.fill(0xff), "void");
}

#[test]
fn without_a_page_in_either_copy_the_board_says_so_and_starts_again() {
    for (board, page) in KINDS.into_iter().flat_map(|board| [(board, 0), (board, 77)]) {
        let (flash, len) = with_long_stage2(&board, &[]);
        let mut flips = damage(&flash, len, &[page], &[page]);
        for slot in ["kernel-a", "kernel-b"] {
            flips.extend(Random::new(1).flips(&board, flash.pages(slot, 1)[0], 0, 2));
        }
        let report = run(&flash, flips, "");
        stuck(&report, 0);
        assert_eq!(stage1(&report), "A:ecc B:ecc 2:ecc ecc");
    }
}

#[test]
fn a_key_without_a_stage2_costs_ten_seconds() {
    // The reset forgets the key, and the kernel boots.
    let (flash, len) = with_long_stage2(&MINI2440, &[]);
    let report = run(&flash, damage(&flash, len, &[5], &[5]), "\r");
    booted(&MINI2440, &report, LOAD_A);
    assert_eq!((stage1(&report).as_str(), report.resets), ("2:ecc ecc", 1));
    assert!((9_000_000_000..11_000_000_000).contains(&report.time_ns), "{}", report.to_json());
    said(&report, "\nstuck 00000000");
}

#[test]
fn a_kernel_boots_whatever_became_of_stage2() {
    for board in [MINI2440, SMDK2410] {
        let (flash, len) = with_long_stage2(&board, &[]);
        let report = run(&flash, damage(&flash, len, &[0], &[0]), "");
        booted(&board, &report, LOAD_A);
    }
}
