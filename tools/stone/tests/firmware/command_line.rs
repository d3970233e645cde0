//! The same by the command line: `stone nand`, then `stone run`.

use crate::common::Place;
use crate::kit::{Board, GTA02, KINDS, MINI2440_256, SMDK2410, payload_of};
use boot::image::uimage::HEADER;
use serde_json::Value;

/// A directory with a small kernel and an image with it, made as `make run` makes its own.
fn place(board: &Board, pack: &str) -> Place {
    board.firmware("stage1.bin");
    let place = Place::new();
    place.write("kernel", payload_of(board.nand.kernel(), 1));
    let (recipe, part) = (board.recipe_path(), board.part);
    place.good(&format!("nand {} --part {part} -o g.nand --trim --kernel kernel{pack}", recipe.display()));
    place
}

fn run(board: &Board) -> String {
    format!("run --board {} --part {} g.nand --report r.json", board.name, board.part)
}

fn report(place: &Place) -> Value {
    serde_json::from_slice(&place.read("r.json")).unwrap()
}

#[test]
fn a_board_is_run_with_its_own_part_and_recipe_if_nothing_is_said() {
    for board in KINDS {
        let place = place(&board, "");
        let recipe = board.recipe_path();
        place.good(&format!("nand {} -o h.nand --trim --kernel kernel", recipe.display()));
        assert_eq!(place.read("h.nand"), place.read("g.nand"));
        place.good(&format!("run --board {} h.nand --report r.json", board.name));
        assert_eq!(report(&place)["part"], board.part);
    }
}

#[test]
fn a_good_run_is_a_success_and_its_report_complete() {
    for board in KINDS {
        let place = place(&board, "");
        assert!(place.good("inspect g.nand").contains("nothing is broken"));
        let shown = place.good(&run(&board));
        assert!(shown.contains(&format!("---- {} with {}: good\n", board.name, board.part)), "{shown}");
        complete(&board, &report(&place));
    }
}

fn complete(board: &Board, report: &Value) {
    assert_eq!(report["board"], board.name);
    assert_eq!(report["outcome"], "kernel");
    assert_eq!(report["kernel_crc_ok"], true);
    assert_eq!(report["violations"], Value::Array(Vec::new()));
    assert_eq!(report["entry"]["r1"], board.machine);
    assert_eq!(report["entry"]["r2"], 0x3000_0100);
    for (part, fields) in [
        ("entry", "pc r0 r1 r2"),
        ("nand", "page_reads bytes bus_ns busy_ns corrected_bits uncorrectable programs erases"),
        ("kernel_read", "bytes time_ns mb_per_s limit_mb_per_s bus_limit_mb_per_s share"),
    ] {
        for field in fields.split(' ') {
            assert!(report[part][field].is_number(), "{part}.{field}: {report}");
        }
    }
    let phase = &report["phases"][0];
    assert!(phase["name"].is_string() && phase["start_ns"].is_number() && phase["end_ns"].is_number());
    assert!(report["time_ns"].is_number() && report["uart"].is_string());
}

#[test]
fn flips_of_a_partition_are_corrected() {
    for board in KINDS {
        let place = place(&board, "");
        place.good(&format!("{} --flip kernel-a:seed=7", run(&board)));
        let report = report(&place);
        // The last page has data in its first steps only, and only those are flipped.
        let steps = (HEADER + board.nand.kernel()).div_ceil(board.nand.step);
        assert_eq!(report["nand"]["corrected_bits"], steps);
        assert_eq!(report["kernel_crc_ok"], true);
    }
}

#[test]
fn two_flips_a_step_in_both_slots_are_no_success() {
    for board in KINDS {
        let (place, run) = (place(&board, ""), run(&board));
        place.good(&format!("{run} --flip kernel-a:n=2"));
        assert!(report(&place)["uart"].as_str().unwrap().contains("A:ecc  B:ok"));
        let both = format!("{run} --flip kernel-a:n=2 --flip kernel-b:n=2");
        place.fails(&both, &["NOT GOOD", "A:ecc  B:ecc  2:ok"]);
        assert_eq!(report(&place)["outcome"], "console");
        // Unless that was what was wanted.
        place.good(&format!("{both} --until =>"));
    }
}

#[test]
fn bad_blocks_are_given_to_both() {
    for board in KINDS {
        let slot = board.good_flash().blocks("kernel-a");
        let (first, last) = (slot.start, slot.end - 1);
        let bad = format!("--bad 1,{first},{}-{}", first + 2, first + 4);
        let (place, run) = (place(&board, &format!(" {bad}")), run(&board));
        place.good(&format!("{run} {bad}"));
        assert!(report(&place)["uart"].as_str().unwrap().contains("A:ok"));
        place.good(&format!("{run} {bad} --input \\r --until =>"));
        let (recipe, most) = (board.recipe_path(), format!("{first}-{}", last - 2));
        place.fails(
            &format!("nand {} -o h.nand --kernel kernel --bad {most}", recipe.display()),
            &["partition `kernel-a` is too small", &format!("2 good of {}", slot.len())],
        );
    }
}

#[test]
fn the_console_is_scripted() {
    let place = place(&GTA02, "");
    let shown = place.good(&format!("{} --input \\rversion\\r --until Steppingstone.*for.*\\n", run(&GTA02)));
    assert!(shown.contains("=> version\r\nSteppingstone "), "{shown}");
}

#[test]
fn the_other_part_is_packed_and_run() {
    let place = place(&MINI2440_256, "");
    place.good(&run(&MINI2440_256));
    let report = report(&place);
    assert_eq!((&report["part"], &report["entry"]["r1"]), (&"K9F2G08U0B".into(), &1999.into()));
}

#[test]
fn pages_of_another_size_are_refused() {
    let image = place(&GTA02, "");
    let wanted =
        ["chip with other pages", "pages of 512+16 bytes, as the part has", "pages of 2048+64 bytes have"];
    image.fails(&run(&SMDK2410), &wanted);
    image.fails("inspect g.nand --part K9F1208U0C", &wanted);
    image.fails(&format!("inspect g.nand --recipe {}", SMDK2410.recipe_path().display()), &wanted);
    let image = place(&SMDK2410, "");
    image.fails(&run(&GTA02), &["chip with other pages", "pages of 2048+64 bytes, as the part has"]);
}
