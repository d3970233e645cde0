//! `flash` of a kernel with the power cut at what it does to the chip: the board boots whenever that
//! is.

use crate::kit::{
    Board, Flash, GTA02, LOAD_A, LOAD_B, MINI2440, Typist, at_prompt, booted, payload_of, said,
};
use crate::kit::{stage1, uimage};
use sim::Outcome;
use stone::recipe::Source;

/// Of the programs between the first and the last every so many is tried.
const STEP: u64 = 24;

/// Bytes of a kernel's data: an erase block and some pages.
fn size(board: &Board) -> usize {
    board.nand.block() + 0x1235
}

/// A flash with small slots, and two kernels that tell themselves apart by where they are entered.
fn flash(board: Board) -> Flash {
    let slots = ["a.size=256 KiB", "a.spare=1", "b.size=256 KiB", "b.spare=1"];
    let slots = slots.map(|setting| format!("partition.kernel-{setting}"));
    let mut source = Source::open(&board.recipe_path(), &slots).unwrap();
    *source.recipe.part.get_mut() = board.part.into();
    let kernel =
        |load| uimage(&payload_of(size(&board), load), |header| (header.load, header.entry) = (load, load));
    board.pack(&mut source, &[], &kernel(LOAD_A), &kernel(LOAD_B)).unwrap()
}

/// Flashes the kernel of `from` to `to`, and the same again with cuts; gives each flash that is left,
/// and whether it was not cut, to `check`.
fn cut(board: Board, from: &str, to: &str, check: impl Fn(&Flash, bool)) {
    let flash = flash(board);
    let len = boot::image::uimage::HEADER + size(&board);
    let keys = format!("\rnand read 31000000 {from} {len:x}\rflash {to} 31000000\r");
    let typist = || Typist::new(&keys);
    let mut cuts = sim::every_cut(&flash.options(), &flash.image, typist).unwrap();
    at_prompt(&cuts.uncut);
    said(&cuts.uncut, " bytes written and read back: OK");
    check(&flash.with(cuts.nand.clone()), true);
    let (erases, all) = (cuts.uncut.nand.erases, cuts.uncut.nand.operations());
    assert_eq!((erases, all - erases), (flash.blocks(to).len() as u64, board.nand.pages(len) as u64));
    // The erases come first, and after each operation there are three points.
    let wanted = |operation| operation <= erases + 1 || operation == all || operation % STEP == 0;
    let (mut next, mut tried) = (0, 0);
    for point in (0..cuts.len()).filter(|point| wanted(*point as u64 / 3 + 1)) {
        let run = cuts.nth(point - next).unwrap().unwrap();
        (next, tried) = (point + 1, tried + 1);
        assert_eq!((run.report.outcome, run.report.violations_total), (Outcome::Powercut, 0), "{}", run.cut);
        check(&flash.with(run.nand), false);
    }
    println!("{}: flash {to} cut at {tried} of {} points: a kernel boots after each", board.name, next);
}

/// Cuts while slot A is flashed with the kernel of slot B.
fn slot_a(board: Board) {
    cut(board, "kernel-b", "kernel-a", |flash, whole| {
        let report = flash.boot();
        let entry = report.entry.map_or(0, |entry| entry.pc);
        let line = stage1(&report);
        // The old kernel, the new one, or that of slot B.
        assert!(entry == LOAD_B || entry == LOAD_A && line == "A:ok", "{line}: {entry:#x}");
        booted(&board, &report, entry);
        assert!(!whole || line == "A:ok" && entry == LOAD_B, "{line}: {entry:#x}");
    });
}

#[test]
fn a_cut_while_slot_a_is_flashed_leaves_slot_b() {
    slot_a(GTA02);
}

#[test]
fn a_cut_while_slot_a_of_a_mini2440_is_flashed_leaves_slot_b() {
    slot_a(MINI2440);
}

#[test]
fn slot_a_does_not_notice_that_slot_b_is_flashed() {
    cut(GTA02, "kernel-a", "kernel-b", |flash, _| {
        let report = flash.boot();
        booted(&GTA02, &report, LOAD_A);
        assert_eq!(stage1(&report), "A:ok");
    });
}
