//! `stone pack`, beside `mkimage`.

mod common;

use common::{Place, pattern, run, text};
use std::process::Command;

fn place() -> Place {
    let place = Place::new();
    place.write("zImage", pattern(5001, 1));
    place.write("initrd", pattern(3002, 2));
    place.write("third", pattern(4, 3));
    place.write("script", "echo hello\n");
    place
}

/// Runs U-Boot's own tool; the test is worth nothing without it.
fn mkimage(place: &Place, line: &str) -> String {
    let found = Command::new("mkimage").arg("-V").output();
    assert!(found.is_ok(), "mkimage is missing: install the package u-boot-tools");
    let output =
        run(Command::new("mkimage").args(line.split(' ')).env("TZ", "UTC"), place.path(".").as_path());
    assert!(output.status.success(), "mkimage {line}\n{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn is_byte_for_byte_what_mkimage_makes() {
    let check = |theirs: &str, files: &str, ours: &str| {
        let place = place();
        let data = files.replace(' ', ":");
        let line = format!("-A arm -O linux -C none {theirs} -d {data} theirs");
        mkimage(&place, &line);
        // mkimage takes the clock; ours takes the same time from its header.
        let theirs = place.read("theirs");
        let time = u32::from_be_bytes(*theirs[8..].first_chunk().unwrap());
        place.good(&format!("pack {files} -o ours --time {time} {ours}"));
        assert_eq!(place.read("ours"), theirs, "{line}");
        // And it takes ours for one of its own.
        assert!(mkimage(&place, "-l ours").contains("Image Name"));
    };
    let kernel = "-a 30008000 -e 30008040 -n Linux-6.1";
    let ours = "--load 30008000 --entry 0x30008040 --name Linux-6.1";
    check(&format!("-T kernel {kernel}"), "zImage", ours);
    check(&format!("-T multi {kernel}"), "zImage initrd", ours);
    check(&format!("-T multi {kernel}"), "zImage initrd third", ours);
    check(&format!("-T multi {kernel}"), "zImage", &format!("{ours} --type multi"));
    check(&format!("-T firmware {kernel}"), "zImage", &format!("{ours} --type firmware"));
    check(&format!("-T standalone {kernel}"), "zImage", &format!("{ours} --type standalone"));
    check("-T ramdisk", "initrd", "--type ramdisk");
    check("-T script -n hello", "script", "--type script --name hello");
    check("-T kernel -n 12345678901234567890123456789012", "zImage", {
        "--load 0 --name 12345678901234567890123456789012"
    });
}

#[test]
fn mkimage_lists_our_gzip() {
    let place = place();
    place.good("pack zImage -o ours --load 30008000 --comp gzip --time 0");
    let listed = mkimage(&place, "-l ours");
    assert!(listed.contains("Kernel Image (gzip compressed)"), "{listed}");
    place.good("inspect ours");
}

#[test]
fn time_is_that_of_the_newest_file_or_the_environment() {
    let place = place();
    let time = |line: &str| {
        place.good(line);
        u32::from_be_bytes(*place.read("ours")[8..].first_chunk().unwrap())
    };
    let changed = std::fs::metadata(place.path("initrd")).unwrap().modified().unwrap();
    let changed = changed.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert!(time("pack zImage initrd -o ours --load 30008000") as u64 <= changed);
    let output = Command::new(env!("CARGO_BIN_EXE_stone"))
        .args(["pack", "zImage", "-o", "ours", "--load", "0"])
        .current_dir(place.path("."))
        .env("SOURCE_DATE_EPOCH", "77")
        .output();
    assert!(output.unwrap().status.success());
    assert_eq!(place.read("ours")[8..12], [0, 0, 0, 77]);
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let place = place();
    place.write("empty", "");
    let before = place.names();
    place.fails("pack missing -o ours --load 30008000", &["missing: cannot read it"]);
    place.fails("pack zImage -o ours", &["load address is missing", "--load 30008000"]);
    place.fails("pack empty -o ours --load 30008000", &["part 1 of the image is empty"]);
    place.fails("pack zImage initrd -o ours --load 30008000 --type kernel", &["only an image of type multi"]);
    place.fails("pack zImage -o zImage/x --load 30008000", &["zImage: cannot create the directory"]);
    assert_eq!(place.names(), before);
}
