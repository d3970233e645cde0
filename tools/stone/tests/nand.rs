//! `stone nand` and `stone inspect`, with stages that are only bytes.

mod common;

use common::{Place, pattern};

const BLOCK: usize = 64 * 2112;

/// The recipe of the real board, with files that are here.
fn place() -> Place {
    let place = Place::new();
    let recipe = include_str!("../../../images/gta02.toml");
    place.write("r.toml", recipe.replace("root = \"..\"", "root = \"\"").replace("target/gta02/", ""));
    let mut stage1 = pattern(4000, 1);
    stage1[0x40..0x164].fill(0);
    place.write("stage1.bin", stage1);
    place.write("stage2.bin", pattern(150_000, 2));
    place.write("demo.bin", pattern(300_000, 3));
    place
}

/// Data of a page of an image, without its OOB.
fn page(image: &[u8], page: usize) -> &[u8] {
    &image[page * 2112..][..2048]
}

#[test]
fn everything_is_where_the_loader_looks() {
    let place = place();
    place.good("nand r.toml -o a.nand");
    let image = place.read("a.nand");
    assert_eq!(image.len(), 2048 * BLOCK);

    let stage1 = place.read("stage1.bin");
    assert_eq!(page(&image, 0)[..0x40], stage1[..0x40]);
    assert_eq!(page(&image, 0)[0x40..0x48], *b"SSBT\x01\0\x24\x01");
    assert_eq!(page(&image, 0)[0x48..0x4c], 1304_u32.to_le_bytes());
    // kernel A: 68 blocks from block 16; B behind it; stage2 from 1 and 6.
    assert_eq!(page(&image, 0)[0x50..0x60], [16, 0, 68, 0, 84, 0, 68, 0, 1, 0, 5, 0, 6, 0, 5, 0]);
    assert!(page(&image, 0)[0x60..].starts_with(b"console=ttySAC2,115200 loglevel=8\0"));
    assert_eq!(page(&image, 0)[0x164..], stage1[0x164..2048]);
    assert_eq!(page(&image, 1)[..4000 - 2048], stage1[2048..]);

    for block in [16, 84] {
        let first = page(&image, block * 64);
        assert_eq!(first[..4], [0x27, 0x05, 0x19, 0x56]);
        // Time 0, load and entry 0x30008000, linux, arm, kernel, uncompressed.
        assert_eq!(first[8..12], [0; 4]);
        assert_eq!(first[16..24], [0x30, 0, 0x80, 0, 0x30, 0, 0x80, 0]);
        assert_eq!(first[28..32], [5, 2, 2, 0]);
        assert_eq!(first[64..], place.read("demo.bin")[..2048 - 64]);
    }
    for block in [1, 6] {
        let first = page(&image, block * 64);
        // Load and entry 2 MiB below the end of the SDRAM; firmware.
        assert_eq!(first[16..24], [0x37, 0xe0, 0, 0, 0x37, 0xe0, 0, 0]);
        assert_eq!(first[30], 5);
    }
    assert!(image[152 * BLOCK..].iter().all(|&byte| byte == 0xff));
    assert!(place.good("inspect a.nand").contains("nothing is broken"));
}

#[test]
fn same_input_same_bytes() {
    let place = place();
    place.good("nand r.toml -o a.nand --trim");
    place.good("nand r.toml -o b.nand --trim");
    assert_eq!(place.read("a.nand"), place.read("b.nand"));
}

#[test]
fn trimmed_is_the_same_without_its_erased_end() {
    let place = place();
    place.good("nand r.toml -o whole.nand --bad 90,2000");
    place.good("nand r.toml -o trimmed.nand --bad 90,2000 --trim");
    let (whole, trimmed) = (place.read("whole.nand"), place.read("trimmed.nand"));
    assert_eq!(trimmed.len(), 2001 * BLOCK);
    assert!(whole.starts_with(&trimmed));
    assert!(whole[trimmed.len()..].iter().all(|&byte| byte == 0xff));
}

#[test]
fn content_skips_bad_blocks() {
    let place = place();
    let image = |bad: &str, name: &str| {
        place.good(&format!("nand r.toml -o {name} --trim --bad {bad}"));
        assert!(place.good(&format!("inspect {name}")).contains("nothing is broken"));
        place.read(name)
    };
    let plain = image("2000", "plain");
    let bad = image("1,16,18,19,2000", "bad");
    let block = |image: &'_ [u8], number: usize| image[number * BLOCK..][..BLOCK].to_vec();
    // stage2 moves by one block, the kernel starts behind one bad block and continues behind two.
    for (from, to) in [(1, 2), (2, 3), (16, 17), (17, 20), (18, 21)] {
        assert_eq!(block(&plain, from), block(&bad, to), "{from} to {to}");
    }
    let marked = block(&bad, 16);
    let zeros: Vec<_> = (0..BLOCK).filter(|&at| marked[at] != 0xff).collect();
    assert_eq!(zeros, [2048, 2112 + 2048]);
    assert_eq!(marked[2048], 0);
    // Nothing else moved.
    assert_eq!(block(&plain, 6), block(&bad, 6));
    assert_eq!(block(&plain, 84), block(&bad, 84));
}

#[test]
fn kernel_and_initrd_make_a_multi_image() {
    let place = place();
    place.write("initrd", pattern(1001, 4));
    place.good("nand r.toml -o a.nand --trim --initrd initrd --cmdline quiet");
    let shown = place.good("inspect a.nand");
    for expected in ["arm, linux, multi, uncompressed", "300000 bytes at data offset 0xc", "quiet"] {
        assert!(shown.contains(expected), "{shown}");
    }
    // A ready uImage with the same parts is taken as it is.
    place.good("pack demo.bin initrd -o uImage --load 30008000 --name demo --time 0");
    place.good("inspect uImage");
    place.good("nand r.toml -o b.nand --trim --kernel uImage --cmdline quiet");
    assert_eq!(place.read("a.nand"), place.read("b.nand"));
    place.fails("nand r.toml -o c.nand --kernel uImage --initrd initrd", &["a ready uImage cannot take"]);
}

#[test]
fn the_recipe_of_the_other_board_works_too() {
    let place = place();
    let recipe = include_str!("../../../images/mini2440.toml");
    place.write("m.toml", recipe.replace("root = \"..\"", "root = \"\"").replace("target/mini2440/", ""));
    for (part, blocks) in [("K9F1G08U0B", 1024), ("K9F2G08U0B", 2048)] {
        place.good(&format!("nand m.toml -o m.nand --part {part}"));
        let image = place.read("m.nand");
        assert_eq!(image.len(), blocks * BLOCK);
        assert_eq!(page(&image, 0)[0x48..0x4c], 1999_u32.to_le_bytes());
        // stage2, 2 MiB below the end of 64 MiB.
        assert_eq!(page(&image, 64)[16..20], [0x33, 0xe0, 0, 0]);
    }
}

/// A directory as [`place`], with the recipe of the board with small pages and its image.
fn place_with_small_pages(options: &str) -> Place {
    let place = place();
    let recipe = include_str!("../../../images/smdk2410.toml");
    place.write("s.toml", recipe.replace("root = \"..\"", "root = \"\"").replace("target/smdk2410/", ""));
    place.good(&format!("nand s.toml -o s.nand {options}"));
    place
}

const SMALL_RAW: usize = 528;

#[test]
fn small_pages_are_laid_out_as_their_chip_is() {
    let place = place_with_small_pages("--bad 2,4095");
    let image = place.read("s.nand");
    assert_eq!(image.len(), 4096 * 32 * SMALL_RAW);
    let page = |number: usize| image[number * SMALL_RAW..][..SMALL_RAW].split_at(512);

    // The eight pages that the boot ROM copies, with the boot table in the first one.
    let stage1 = place.read("stage1.bin");
    let copied: Vec<u8> = (0..8).flat_map(|number| page(number).0).copied().collect();
    assert_eq!(copied[..0x40], stage1[..0x40]);
    assert_eq!(copied[0x40..0x4c], *b"SSBT\x01\0\x24\x01\xc1\0\0\0");
    // kernel A: 528 blocks from block 85; B behind it; stage2 from 1 and 37.
    assert_eq!(copied[0x50..0x60], [85, 0, 16, 2, 101, 2, 16, 2, 1, 0, 36, 0, 37, 0, 36, 0]);
    assert_eq!(copied[0x164..4000], stage1[0x164..]);

    // stage2 goes on behind the bad block; its load address is 2 MiB below the end of 64 MiB.
    let [first, second] = [page(32).0, page(3 * 32).0];
    assert_eq!(first[16..20], [0x33, 0xe0, 0, 0]);
    let at = 32 * 512 - 64;
    assert_eq!(second, &place.read("stage2.bin")[at..][..512]);
    let kernel = page(85 * 32).0;
    assert_eq!(kernel[64..], place.read("demo.bin")[..512 - 64]);

    // Codes in the first three bytes of the OOB, marks in the sixth, all else erased.
    for number in [0, 7, 32, 85 * 32, 85 * 32 + 100] {
        let (codes, rest) = page(number).1.split_at(3);
        assert!(codes.iter().any(|&byte| byte != 0xff) && rest.iter().all(|&byte| byte == 0xff), "{number}");
    }
    for block in [2, 4095] {
        let raw = &image[block * 32 * SMALL_RAW..][..32 * SMALL_RAW];
        let written: Vec<_> = (0..raw.len()).filter(|&at| raw[at] != 0xff).collect();
        assert_eq!(written, [512 + 5, SMALL_RAW + 512 + 5]);
    }
}

#[test]
fn inspect_knows_small_pages_by_their_codes() {
    let place = place_with_small_pages("--trim --bad 3");
    let shown = place.good("inspect s.nand");
    for expected in [
        "4096 blocks of 16 KiB",
        "bad blocks      3",
        "s3c24xx-hw-small in blocks",
        "machine 193",
        "kernel-b (blocks 613 to 1140)",
        "nothing is broken",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    for options in ["--part K9F1208U0C", "--recipe s.toml"] {
        assert!(place.good(&format!("inspect s.nand {options}")).contains("nothing is broken"));
    }

    // One bit in a page is corrected, two are not.
    let mut flipped = place.read("s.nand");
    let kernel = 85 * 32 * SMALL_RAW;
    flipped[kernel + 100] ^= 1;
    place.write("s.nand", &flipped);
    assert!(place.good("inspect s.nand").contains("corrected       1 bits in 1 pages"));
    flipped[kernel + 300] ^= 1;
    place.write("s.nand", &flipped);
    place.fails("inspect s.nand", &["BAD uncorrectable   1 pages: 2720 (step 0)", "kernel-a", "BAD data"]);
}

#[test]
fn images_for_other_pages_are_refused() {
    let place = place_with_small_pages("--trim");
    place.good("nand r.toml -o a.nand --trim");
    let other = "the image is for a chip with other pages";
    let [large, small] = ["pages of 2048+64 bytes", "pages of 512+16 bytes"];
    place.fails("inspect a.nand --part K9F1208U0C", &["a.nand: ", other, small, large, "--part"]);
    place.fails("inspect a.nand --recipe s.toml", &[other]);
    place.fails("inspect s.nand --part K9F1G08U0B", &["s.nand: ", other, small, large]);
    place.fails("run --board gta02 s.nand", &[other, small]);
    place.fails("run --board smdk2410 a.nand", &[other, large]);
    place.fails("ecc check s.nand --recipe r.toml", &[other]);
    // The recipe of one board with the part of another.
    place.fails("nand r.toml -o b.nand --part K9F1208U0C --bad 4096", &["blocks 1 to 4095"]);
}

#[test]
fn refuses_what_would_not_boot_and_leaves_nothing_behind() {
    let place = place();
    place.write("large", vec![1; 9_000_000]);
    place.good("pack demo.bin -o ramdisk --type ramdisk");
    place.good("pack demo.bin -o high --load 37f00000");
    place.good("pack demo.bin -o good --load 30008000");
    let mut torn = place.read("good");
    torn[200_000] ^= 4;
    place.write("torn", torn);
    let before = place.names();
    let check = |options: &str, expected: &[&str]| {
        place.fails(&format!("nand r.toml -o a.nand {options}"), expected);
    };
    check("--bad 0", &["block 0 cannot be bad"]);
    check("--bad 2048", &["bad block 2048 is not on the chip"]);
    check("--bad 1-4", &["partition `stage2-1` is too small", "2 good erase blocks", "1 good of 5"]);
    check("--kernel large", &["partition `kernel-a` is too small", "69 good erase blocks", "68 good of 68"]);
    check("--kernel ramdisk", &["ramdisk: offset 0x1c: the first stage does not boot this kind"]);
    check("--kernel high", &["high: offset 0x10", "found     0x37f00000..0x37f497c0"]);
    check("--kernel torn", &["torn: offset 0x18: the data CRC is wrong", "expected", "found"]);
    check("--set kernel.entry=0", &["demo.bin: offset 0x14: the entry point is outside"]);
    check("--part K9", &["r.toml: line 5: the NAND part `K9` is unknown"]);
    check("--raw home=large", &["r.toml: the recipe has no partition `home`"]);
    check("--set stage1.file=demo.bin", &["demo.bin: the first stage is too large", "300000 bytes"]);
    check("--set stage1.file=none.bin", &["none.bin: cannot read it"]);
    check("--set stage1.file=target/none.bin", &["make firmware BOARD=gta02"]);
    check(&format!("--cmdline {}", "x".repeat(256)), &["command line does not fit", "256 bytes"]);
    place.fails("nand none.toml -o a.nand", &["none.toml: cannot read the recipe"]);
    assert_eq!(place.names(), before);
}

#[test]
fn a_first_stage_must_have_room_for_the_table() {
    let place = place();
    place.write("stage1.bin", pattern(4000, 9));
    place.fails("nand r.toml -o a.nand", &["stage1.bin: offset 0x40: there is no room for the boot table"]);
    place.write("stage1.bin", [0; 0x100]);
    place.fails("nand r.toml -o a.nand", &["no room for the boot table"]);
}

#[test]
fn raw_files_are_not_judged() {
    let place = place();
    place.write("junk", pattern(3000, 5));
    place.good("nand r.toml -o a.nand --trim --raw kernel-a=junk --raw rootfs=junk");
    let image = place.read("a.nand");
    assert_eq!(page(&image, 16 * 64), &place.read("junk")[..2048]);
    assert_eq!(page(&image, 152 * 64), &place.read("junk")[..2048]);
    place.fails("inspect a.nand", &["kernel-a (blocks 16 to 83):\n  BAD header          not a uImage"]);
}

#[test]
fn inspect_tells_flips_from_damage() {
    let place = place();
    place.good("nand r.toml -o a.nand --trim");
    let good = place.read("a.nand");
    let kernel = 16 * BLOCK;
    // One bit in each of two steps: corrected, and the image is good.
    let mut flipped = good.clone();
    flipped[kernel + 100] ^= 1;
    flipped[kernel + 300] ^= 0x80;
    place.write("a.nand", &flipped);
    let shown = place.good("inspect a.nand");
    assert!(shown.contains("corrected       2 bits in 1 pages"), "{shown}");
    // A second one in the first step: broken, and it says where.
    flipped[kernel + 101] ^= 1;
    place.write("a.nand", &flipped);
    place.fails("inspect a.nand", &["BAD uncorrectable   1 pages: 1024 (step 0)", "kernel-a", "BAD data"]);
    // The boot table.
    let mut torn = good;
    torn[0x70] ^= 3;
    place.write("a.nand", torn);
    place.fails("inspect a.nand", &["BAD boot table      CRC is wrong"]);
}

#[test]
fn inspect_shows_the_flash_descriptor() {
    let place = place();
    place.write("junk", pattern(3000, 5));
    place.good("nand r.toml -o a.nand --trim --bad 20,700 --raw rootfs=junk");
    let good = place.read("a.nand");
    let shown = place.good("inspect a.nand");
    for expected in [
        "ok  descriptor 1    CRC matches\n  ok  descriptor 2    CRC matches\n",
        "part            K5D2G13ACM, neo1973-nand to Linux\n",
        "factory bad     20, 700\n",
        // Trimmed as it is, it is known to be of a chip with that many.
        "chip            2048 blocks of 128 KiB\n",
        "env (blocks 11 to 15):\n      content         erased\n",
        "rootfs (blocks 152 to 2047):\n      content         not a uImage\n",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let mut torn = good.clone();
    torn[32 * 2112 + 3] ^= 3;
    place.write("a.nand", &torn);
    let lost = "BAD descriptor 1    page 32: uncorrectable in step 0\n  ok  descriptor 2    CRC matches\n";
    place.fails("inspect a.nand", &[lost, "rootfs"]);
    let json: serde_json::Value =
        serde_json::from_slice(&place.stone("inspect a.nand --json").stdout).unwrap();
    let checks = json["checks"].as_array().unwrap();
    let verdicts: Vec<_> = checks
        .iter()
        .filter(|c| c["item"].as_str().unwrap().starts_with("descriptor"))
        .map(|c| &c["verdict"])
        .collect();
    assert_eq!(verdicts, ["bad", "ok"]);
    // Erased, as by whoever has written stage1 alone.
    let mut none = good;
    none[32 * 2112..64 * 2112].fill(0xff);
    place.write("a.nand", none);
    let shown = place.good("inspect a.nand");
    assert!(shown.contains("descriptor      none: partitions are those of the boot table\n"), "{shown}");
    assert!(!shown.contains("rootfs"), "{shown}");
}

#[test]
fn names_of_partitions_are_no_numbers() {
    let place = place();
    let recipe = String::from_utf8(place.read("r.toml")).unwrap();
    place.write("n.toml", recipe.replace("name = \"env\"", "name = \"beef\""));
    place.fails("nand n.toml -o a.nand", &["n.toml: line ", "`beef`", "no hexadecimal number"]);
}

#[test]
fn inspect_speaks_json() {
    let place = place();
    place.good("nand r.toml -o a.nand --trim --bad 20");
    let json: serde_json::Value =
        serde_json::from_str(&place.good("inspect a.nand --recipe r.toml --json")).unwrap();
    assert_eq!(json["kind"], "raw NAND image");
    let checks = json["checks"].as_array().unwrap();
    let find = |part: &str, item: &str| {
        let found = checks
            .iter()
            .find(|c| c["part"].as_str().unwrap().starts_with(part) && c["item"].as_str() == Some(item));
        found.unwrap_or_else(|| panic!("{part} {item}: {json:#}")).clone()
    };
    assert_eq!(find("", "bad blocks")["detail"], "20");
    assert_eq!(find("", "boot table")["verdict"], "ok");
    assert_eq!(find("kernel-b", "data CRC")["verdict"], "ok");
    assert_eq!(find("rootfs", "content")["detail"], "erased");
}

#[test]
fn inspect_knows_the_other_files() {
    let place = place();
    place.good("pack demo.bin -o uImage --load 30008000");
    assert!(place.good("inspect uImage").contains("uImage: uImage\n  ok  header CRC"));
    let shown = place.good("inspect stage1.bin");
    assert!(shown.contains("first stage") && shown.contains("stone nand fills it in"), "{shown}");
    let cut = place.read("uImage")[..1000].to_vec();
    place.write("cut", cut);
    place.fails("inspect cut", &["BAD data            the image is cut short"]);
    place.write("text", "x".repeat(5000));
    place.fails("inspect text", &["text: not a raw NAND image", "found     5000 bytes"]);
    place.fails("inspect none", &["none: cannot read it"]);
}

/// A boot table with a good CRC can still name any block, and a header any size.
#[test]
fn inspect_survives_hostile_numbers() {
    let place = place();
    let recipe = String::from_utf8(place.read("r.toml")).unwrap();
    place.write("far.toml", recipe.replace("content = \"env\"\nsize = \"256 KiB\"", "blocks = 1500"));
    place.good("nand far.toml -o a.nand --trim");
    place.fails("inspect a.nand --part K9F1G08U0B", &["not a raw NAND image", "at most 138412032 bytes"]);
    let cut = place.read("a.nand")[..100 * BLOCK].to_vec();
    place.write("a.nand", cut);
    place.fails("inspect a.nand --part K9F1G08U0B", &["kernel-a", "BAD place           ends behind"]);

    place.good("pack demo.bin -o uImage --load 30008000");
    let header = boot::image::uimage::Header {
        size: u32::MAX,
        ..boot::image::uimage::Header::parse(&place.read("uImage"), boot::crc::crc32).unwrap()
    };
    place.write("huge", header.to_bytes(boot::crc::crc32));
    place.good("nand r.toml -o b.nand --trim --raw kernel-a=huge");
    place.fails(
        "inspect b.nand",
        &["kernel-a", "BAD data            the image is cut short", "4294967295 bytes"],
    );
}
