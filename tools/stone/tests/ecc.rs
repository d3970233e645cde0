//! `stone ecc`, and partitions with an ECC layout of their own.

mod common;
#[path = "common/software.rs"]
mod software;

use common::{Place, pattern, text};
use serde_json::Value;
use software::software_code;

const RAW: usize = 2112;
const BLOCK: usize = 64 * RAW;

fn json(place: &Place, line: &str) -> Value {
    serde_json::from_str(&place.good(&format!("ecc {line} --json"))).unwrap()
}

/// Two erase blocks and a few pages of data in a layout.
fn dump(place: &Place, layout: &str) -> Vec<u8> {
    place.write("data", pattern(2 * 64 * 2048 + 5000, 1));
    place.good(&format!("ecc encode data -o dump --layout {layout}"));
    place.read("dump")
}

fn flip(bytes: &mut [u8], page: usize, byte: usize, bit: u8) {
    bytes[page * RAW + byte] ^= 1 << bit;
}

#[test]
fn software_codes_are_those_of_linux() {
    let place = Place::new();
    let dump = dump(&place, "sw-hamming");
    let data = place.read("data");
    assert_eq!(dump.len(), 131 * RAW);
    for (page, data) in dump.chunks(RAW).zip(data.chunks(2048)) {
        let mut whole = [0xff; 2048];
        whole[..data.len()].copy_from_slice(data);
        assert_eq!(page[..2048], whole);
        let codes: Vec<u8> = whole.chunks(256).flat_map(software_code).collect();
        assert_eq!(page[2088..], codes);
        assert!(page[2048..2088].iter().all(|&byte| byte == 0xff));
    }
}

#[test]
fn every_layout_is_named() {
    let place = Place::new();
    let layouts = json(&place, "layouts");
    assert_eq!(layouts.as_array().unwrap().len(), 9);
    for layout in layouts.as_array().unwrap() {
        let name = layout["name"].as_str().unwrap();
        dump(&place, name);
        let part = if layout["page"] == 512 { " --part K9F1208U0C" } else { "" };
        let report = json(&place, &format!("name dump{part}"));
        assert_eq!((&report["page"], &report["oob"]), (&layout["page"], &layout["oob"]));
        let regions = report["regions"].as_array().unwrap();
        assert_eq!(regions.len(), 1, "{name}: {report:#}");
        assert_eq!(regions[0]["layouts"], serde_json::json!([name]));
        assert_eq!((&regions[0]["bits"], &regions[0]["uncorrectable"]), (&0.into(), &0.into()));
        assert!(place.good("ecc layouts").contains(&format!("\n{name} ")));
    }
}

#[test]
fn bits_are_corrected_where_they_are() {
    let place = Place::new();
    for layout in ["s3c24xx-hw", "sw-hamming", "sw-hamming-smc", "s3c2440-wince"] {
        let good = dump(&place, layout);
        let mut read = good.clone();
        flip(&mut read, 3, 700, 5);
        flip(&mut read, 3, 1100, 0);
        // A code; and a page that is erased in the file's second block.
        let code = if layout == "s3c2440-wince" { 2048 + 9 } else { 2048 + 41 };
        flip(&mut read, 64, code, 7);
        place.write("read", &read);
        let said = place.good("ecc check read");
        for expected in [
            &format!("0 to 2       -                131          2       3       0       61    0  {layout}"),
            "  page 3 (block 0, offset 0x00001800): 2 bitflips corrected in steps ",
            "  page 64 (block 1, offset 0x00020000): 1 bitflip corrected in step 0\n",
        ] {
            assert!(said.contains(expected), "{expected}\n{said}");
        }
        let said = place.good("ecc correct read -o corrected");
        assert!(said.contains("page 3 "), "{said}");
        assert!(place.read("corrected") == good, "{layout}");
        // By name as well; by another name it is all wrong.
        place.good(&format!("ecc correct read -o corrected --layout {layout}"));
        assert!(place.read("corrected") == good, "{layout}");
        // The controller reads most of what Linux writes in SmartMedia order.
        let other = if layout == "sw-hamming" { "s3c24xx-hw" } else { "sw-hamming" };
        place.fails(
            &format!("ecc check read --layout {other}"),
            &["uncorrectable in steps", "more pages; --json"],
        );
    }
}

#[test]
fn two_bits_in_a_step_are_told_and_left_alone() {
    let place = Place::new();
    let mut read = dump(&place, "sw-hamming");
    let good = read.clone();
    flip(&mut read, 100, 256, 0);
    flip(&mut read, 100, 257, 0);
    let damaged = read.clone();
    flip(&mut read, 100, 0, 0);
    place.write("read", &read);
    let page =
        "page 100 (block 1, offset 0x00032000): uncorrectable in step 1; 1 bitflip corrected in step 0";
    place.fails("ecc check read", &[page]);
    place.fails("ecc correct read -o corrected", &[page]);
    assert!(place.read("corrected") == damaged);
    let report: Value = serde_json::from_slice(&place.stone("ecc check read --json").stdout).unwrap();
    assert_eq!(report["pages"][0]["uncorrectable_steps"], serde_json::json!([1]));
    assert_eq!(report["pages"][0]["corrected"], serde_json::json!([{ "step": 0, "bits": 1 }]));
    assert_eq!(report["regions"][0]["worst_step_bits"], 1);
    // The layout is certain all the same.
    assert!(place.good("ecc name read").contains("sw-hamming\n"));
    // What was meant can be written anew, keeping the rest of the OOB.
    place.write("meant", &good);
    place.good("ecc encode meant -o anew --oob --layout sw-hamming");
    assert!(place.read("anew") == good);
}

#[test]
fn single_pages_are_shown_under_every_layout() {
    let place = Place::new();
    let mut read = dump(&place, "s3c24xx-hw");
    flip(&mut read, 65, 2047, 7);
    place.write("read", &read);
    let said = place.good("ecc name read --page 65 --page 191");
    for line in [
        "page 65 (block 1, offset 0x00020800): s3c24xx-hw",
        "  s3c24xx-hw           1 bitflip corrected in step 7",
        "  sw-hamming           uncorrectable in steps 0 1 2 3 4 5 7; 1 bitflip corrected in step 6",
        "page 191 (block 2, offset 0x0005f800): erased",
        "  sw-hamming           erased",
    ] {
        assert!(said.lines().any(|found| found == line), "{line}\n{said}");
    }
    let report = json(&place, "name read --page 65");
    assert_eq!(report[0]["layouts"], serde_json::json!(["s3c24xx-hw"]));
    let verdict = &report[0]["verdicts"][0];
    assert_eq!((&verdict["layout"], &verdict["verdict"]), (&"s3c24xx-hw".into(), &"corrected".into()));
    place.fails("ecc name read --page 192", &["read: page 192 is not in the dump", "0 to 191"]);
}

#[test]
fn erased_pages_may_have_a_flipped_bit() {
    let place = Place::new();
    let mut read = vec![0xff; BLOCK];
    flip(&mut read, 7, 300, 1);
    flip(&mut read, 7, 2048 + 63, 1);
    place.write("read", &read);
    let said = place.good("ecc check read");
    assert!(
        said.contains("page 7 (block 0, offset 0x00003800): erased, 2 bitflips corrected in steps 1 7"),
        "{said}"
    );
    place.good("ecc correct read -o corrected");
    assert!(place.read("corrected").iter().all(|&byte| byte == 0xff));
    // Two are too many, as for Linux.
    flip(&mut read, 7, 301, 1);
    place.write("read", &read);
    place.fails("ecc check read", &["page 7 ", "uncorrectable in step 1; 1 bitflip corrected in step 7"]);
}

#[test]
fn what_is_written_without_codes_is_unknown_and_left_alone() {
    let place = Place::new();
    let mut raw: Vec<u8> = pattern(BLOCK, 8);
    for page in raw.chunks_mut(RAW) {
        page[2048..].fill(0xff);
    }
    place.write("raw", &raw);
    place.fails("ecc name raw", &["unknown"]);
    place.fails("ecc correct raw -o corrected", &["uncorrectable in steps"]);
    assert!(place.read("corrected") == raw);
}

#[test]
fn a_layout_is_not_guessed_to_correct_by() {
    let place = Place::new();
    // One step in use, and one flip in it: it reads as well with the code's bytes exchanged.
    let mut data = vec![0xff; 2048];
    data[..256].copy_from_slice(&pattern(256, 3));
    place.write("data", &data);
    place.good("ecc encode data -o dump --layout sw-hamming");
    let good = place.read("dump");
    let mut read = good.clone();
    flip(&mut read, 0, 33, 3);
    place.write("read", &read);
    let error =
        ["read: offset 0x0: the pages with bitflips do not tell", "sw-hamming or sw-hamming-smc", "--layout"];
    place.fails("ecc correct read -o corrected", &error);
    place.good("ecc correct read -o corrected --layout sw-hamming");
    assert!(place.read("corrected") == good);
}

/// A board's recipe with a root file system that Linux reads with software ECC.
#[test]
fn partitions_are_written_in_the_layout_they_ask_for() {
    let place = Place::new();
    let recipe = include_str!("../../../images/gta02.toml");
    let recipe = recipe.replace("root = \"..\"", "root = \"\"").replace("target/gta02/", "");
    let recipe = recipe + "\ncontent = \"raw\"\nfile = \"root\"\n";
    place.write("r.toml", format!("{recipe}ecc = \"sw-hamming\"\n"));
    let mut stage1 = pattern(4000, 1);
    stage1[0x40..0x164].fill(0);
    place.write("stage1.bin", stage1);
    place.write("stage2.bin", pattern(50_000, 2));
    place.write("demo.bin", pattern(70_000, 3));
    place.write("root", pattern(200_000, 4));
    place.good("nand r.toml -o a.nand --trim --bad 153");
    let report = json(&place, "name a.nand --recipe r.toml");
    let layout = |partition: &str| {
        let regions = report["regions"].as_array().unwrap();
        let found = regions.iter().find(|region| region["partition"] == partition).unwrap();
        (found["layouts"].clone(), found["bad_blocks"].clone())
    };
    assert_eq!(layout("kernel-a"), (serde_json::json!(["s3c24xx-hw"]), serde_json::json!([])));
    assert_eq!(layout("env"), (serde_json::json!([]), serde_json::json!([])));
    assert_eq!(layout("rootfs"), (serde_json::json!(["sw-hamming"]), serde_json::json!([153])));

    let shown = place.good("inspect a.nand --recipe r.toml");
    assert!(shown.contains("ECC layout      sw-hamming in blocks 152 to 154\n"), "{shown}");
    // The same image, but the recipe wants the root file system in the loader's layout.
    place.write("r.toml", &recipe);
    place.fails(
        "inspect a.nand --recipe r.toml",
        &["BAD ECC layout      sw-hamming in blocks 152 to 154, read as s3c24xx-hw"],
    );
    place.write("r.toml", format!("{recipe}ecc = \"hamming\"\n"));
    place.fails("nand r.toml -o b.nand", &["partition `rootfs`: `hamming` is no ECC layout", "sw-hamming"]);
}

#[test]
fn says_what_cannot_be() {
    let place = Place::new();
    dump(&place, "s3c24xx-hw");
    place.fails(
        "ecc encode data -o x --layout soft",
        &["`soft` is no ECC layout", "s3c24xx-hw, sw-hamming", "stone ecc layouts"],
    );
    place.fails("ecc check dump --layout sw-hamming-small", &["no ECC layout of pages of 2048+64 bytes"]);
    place.fails(
        "ecc encode data -o x --oob --layout s3c24xx-hw",
        &["data: these are no pages with OOB", "2112"],
    );
    place.fails("ecc name data", &["data: not a raw NAND image"]);
    place.fails("ecc name dump --part K9", &["`K9` is unknown"]);
    place.fails("ecc encode none -o x --layout s3c24xx-hw", &["none: cannot read it"]);
    assert!(!place.names().contains(&"x".into()));
    let usage = place.stone("ecc");
    assert!(!usage.status.success() && text(&usage.stderr).contains("stone ecc name dump.nand"));
}
