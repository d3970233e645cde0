//! A flash without a fault.

use crate::kit::{BOARDS, Board, GTA02, LOAD_A, LOAD_B, MINI2440, SMDK2410, booted, stage1, uimage};
use regex::bytes::Regex;
use sim::{Options, Report};

#[test]
fn slot_a_boots_on_every_board_and_part() {
    for board in BOARDS {
        let report = board.good_flash().boot();
        booted(&board, &report, LOAD_A);
        assert_eq!(report.part, board.part);
        assert_eq!(stage1(&report), "A:ok");
        assert_eq!((report.nand.corrected_bits, report.nand.uncorrectable), (0, 0));
        assert_eq!((report.nand.programs, report.nand.erases, report.resets), (0, 0, 0));
    }
}

#[test]
fn slot_b_boots_when_there_is_nothing_in_a() {
    for board in BOARDS {
        let mut flash = board.good_flash();
        for page in flash.kernel_pages("kernel-a") {
            flash.image.erase(flash.offset(page), board.nand.raw_page());
        }
        let report = flash.boot();
        booted(&board, &report, LOAD_B);
        assert_eq!(stage1(&report), "A:void B:ok");
    }
}

/// Boots the demo as `make run` does, and lets it say what it was handed.
fn demo(board: &Board) -> Report {
    let demo = std::fs::read(board.firmware("demo.bin")).unwrap();
    let image = uimage(&demo, |_| ());
    let flash = board.flash(&[], &image, &image).unwrap();
    let options = Options {
        stop_at_kernel: false,
        until: Some(Regex::new("demo: done.*\n").unwrap()),
        ..flash.options()
    };
    flash.run(&options, "")
}

/// What the demo says of a board, apart from the figures of its own image.
fn check_demo(board: &Board, expected: &str) {
    let report = demo(board);
    booted(board, &report, LOAD_A);
    assert!(report.after_entry.is_empty(), "{}", report.to_json());
    assert!(stage1(&report).starts_with("A:ok"), "{}", report.uart);
    let text = report.uart.split_once("demo: ").unwrap().1.replace('\r', "");
    let figures = regex::Regex::new("(CRC-32|packed with) [0-9a-f]{8}").unwrap();
    assert_eq!(figures.replace_all(&text, "$1 *"), expected);
}

#[test]
fn the_demo_finds_everything_in_order_on_a_gta02() {
    check_demo(
        &GTA02,
        "\
kernel of 4194304 bytes at 30008000
demo: r0 0, r1 1304 (GTA02), r2 30000100
demo: SVC mode, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache off
demo: CORE     flags 0, page size 0, root device 0
demo: MEM      30000000, 128 MiB
demo: REVISION 360
demo: CMDLINE  console=ttySAC2,115200 loglevel=8
demo: CRC-32 *, packed with *
demo: done
",
    );
}

#[test]
fn the_demo_finds_everything_in_order_on_a_mini2440() {
    check_demo(
        &MINI2440,
        "\
kernel of 4194304 bytes at 30008000
demo: r0 0, r1 1999 (MINI2440), r2 30000100
demo: SVC mode, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache off
demo: CORE     flags 0, page size 0, root device 0
demo: MEM      30000000, 64 MiB
demo: CMDLINE  console=ttySAC0,115200 loglevel=8
demo: CRC-32 *, packed with *
demo: done
",
    );
}

#[test]
fn the_demo_finds_everything_in_order_on_an_smdk2410() {
    check_demo(
        &SMDK2410,
        "\
kernel of 4194304 bytes at 30008000
demo: r0 0, r1 193 (SMDK2410), r2 30000100
demo: SVC mode, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache off
demo: CORE     flags 0, page size 0, root device 0
demo: MEM      30000000, 64 MiB
demo: CMDLINE  console=ttySAC0,115200 loglevel=8
demo: CRC-32 *, packed with *
demo: done
",
    );
}
