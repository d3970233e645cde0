//! The same by the command line: `stone nand`, then `stone run`.

use crate::common::Place;
use crate::kit::{GTA02, KERNEL, MINI2440, PAGE, STEPS, payload_of};
use serde_json::Value;

/// A directory with a small kernel and an image with it, made as `make run` makes its own.
fn place(pack: &str) -> Place {
    GTA02.firmware("stage1.bin");
    let place = Place::new();
    place.write("kernel", payload_of(KERNEL, 1));
    let recipe = GTA02.recipe_path();
    place.good(&format!("nand {} -o g.nand --trim --kernel kernel{pack}", recipe.display()));
    place
}

fn report(place: &Place) -> Value {
    serde_json::from_slice(&place.read("r.json")).unwrap()
}

const RUN: &str = "run --board gta02 g.nand --report r.json";

#[test]
fn a_good_run_is_a_success_and_its_report_complete() {
    let place = place("");
    assert!(place.good("inspect g.nand").contains("nothing is broken"));
    let shown = place.good(RUN);
    assert!(shown.contains("---- gta02 with K5D2G13ACM: good\n"), "{shown}");
    let report = report(&place);
    assert_eq!(report["board"], "gta02");
    assert_eq!(report["outcome"], "kernel");
    assert_eq!(report["kernel_crc_ok"], true);
    assert_eq!(report["violations"], Value::Array(Vec::new()));
    assert_eq!(report["entry"]["r1"], 1304);
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
    let place = place("");
    place.good(&format!("{RUN} --flip kernel-a:seed=7"));
    let report = report(&place);
    // The last page has data in its first steps only, and only those are flipped.
    let bytes = KERNEL + 64;
    let steps = (bytes / PAGE) * STEPS + (bytes % PAGE).div_ceil(256);
    assert_eq!(report["nand"]["corrected_bits"], steps);
    assert_eq!(report["kernel_crc_ok"], true);
}

#[test]
fn two_flips_a_step_in_both_slots_are_no_success() {
    let place = place("");
    place.good(&format!("{RUN} --flip kernel-a:n=2"));
    assert!(report(&place)["uart"].as_str().unwrap().contains("A:ecc  B:ok"));
    let both = format!("{RUN} --flip kernel-a:n=2 --flip kernel-b:n=2");
    place.fails(&both, &["NOT GOOD", "A:ecc  B:ecc  2:ok"]);
    assert_eq!(report(&place)["outcome"], "console");
    // Unless that was what was wanted.
    place.good(&format!("{both} --until =>"));
}

#[test]
fn bad_blocks_are_given_to_both() {
    let place = place(" --bad 1,16,18-20");
    place.good(&format!("{RUN} --bad 1,16,18-20"));
    assert!(report(&place)["uart"].as_str().unwrap().contains("A:ok"));
    place.good(&format!("{RUN} --bad 1,16,18-20 --input \\r --until =>"));
    place.fails(
        &format!("nand {} -o h.nand --kernel kernel --bad 16-81", GTA02.recipe_path().display()),
        &["partition `kernel-a` is too small", "2 good of 68"],
    );
}

#[test]
fn the_console_is_scripted() {
    let place = place("");
    let shown = place.good(&format!("{RUN} --input \\rversion\\r --until Steppingstone.*for.*\\n"));
    assert!(shown.contains("=> version\r\nSteppingstone "), "{shown}");
}

#[test]
fn the_other_part_is_packed_and_run() {
    MINI2440.firmware("stage1.bin");
    let place = Place::new();
    place.write("kernel", payload_of(KERNEL, 1));
    let recipe = MINI2440.recipe_path();
    place.good(&format!("nand {} -o m.nand --trim --kernel kernel --part K9F2G08U0B", recipe.display()));
    place.good("run --board mini2440 --part K9F2G08U0B m.nand --report r.json");
    let report = report(&place);
    assert_eq!((&report["part"], &report["entry"]["r1"]), (&"K9F2G08U0B".into(), &1999.into()));
}
