//! `flash` of a kernel with the power cut at what it does to the chip: the board boots whenever that
//! is.

use crate::kit::{
    Board, Flash, GTA02, LOAD_A, LOAD_B, MINI2440, Typist, at_prompt, booted, payload_of, said,
};
use crate::kit::{stage1, uimage};
use sim::Outcome;
use stone::recipe::Source;

/// Of the programs between the first and the last few every so many is tried.
const STEP: u64 = 12;

/// Bytes of a kernel's data: an erase block and some pages.
fn size(board: &Board) -> usize {
    board.nand.block() + 0x1235
}

/// A flash with small slots, and two kernels that tell themselves apart by where they are entered.
fn flash(board: Board) -> Flash {
    let slots = ["kernel-a", "kernel-b"].map(|slot| format!("partition.{slot}.size=256 KiB"));
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
    check(&Flash { image: cuts.nand.clone(), ..flash.clone() }, true);
    let (erases, all) = (cuts.uncut.nand.erases, cuts.uncut.nand.operations());
    assert_eq!((erases, all - erases), (flash.blocks(to).len() as u64, board.nand.pages(len) as u64));
    // The erases come first, and after each operation there are three points.
    let wanted = |operation| operation <= erases + 2 || operation + 2 > all || operation % STEP == 0;
    let (mut next, mut tried) = (0, 0);
    for point in (0..cuts.len()).filter(|point| wanted(*point as u64 / 3 + 1)) {
        let run = cuts.nth(point - next).unwrap().unwrap();
        (next, tried) = (point + 1, tried + 1);
        assert_eq!((run.report.outcome, run.report.violations_total), (Outcome::Powercut, 0), "{}", run.cut);
        println!("{}", run.cut);
        check(&Flash { image: run.nand, ..flash.clone() }, false);
    }
    println!("{}: flash {to} cut at {tried} of {} points: a kernel boots after each", board.name, next);
}

#[test]
fn a_cut_while_slot_a_is_flashed_leaves_slot_b() {
    for board in [GTA02, MINI2440] {
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
}

#[test]
fn slot_a_does_not_notice_that_slot_b_is_flashed() {
    cut(GTA02, "kernel-a", "kernel-b", |flash, _| {
        let report = flash.boot();
        booted(&GTA02, &report, LOAD_A);
        assert_eq!(stage1(&report), "A:ok");
    });
}
