//! uImages of U-Boot's `mkimage`: every kind that boots, shown by `iminfo` as `mkimage -l` shows them.

use crate::kit::{Board, GTA02, MINI2440, at_prompt, said};
use crate::workshop::{AT, INITRD, Workshop, address_after};

const BOTH: [Board; 2] = [GTA02, MINI2440];

/// Asserts that `iminfo` has said what `mkimage -l` says of `image`, except for the date, which needs a
/// clock, and sizes in other units.
#[track_caller]
fn shown_as_by_mkimage(shop: &Workshop, uart: &str) {
    let listed = shop.tool("mkimage -l image");
    let mut lines = 0;
    for line in listed.lines().filter(|line| !line.starts_with("Created:")) {
        let exact = line.split(" = ").next().unwrap();
        assert!(uart.contains(&format!("\n   {exact}")), "{line:?} is missing in:\n{uart}");
        lines += 1;
    }
    assert!(lines >= 5, "{listed}");
}

#[test]
fn kernels_boot_however_they_are_compressed() {
    for board in BOTH {
        let shop = Workshop::new(board);
        shop.tool("gzip -9nk kernel");
        for (comp, file, how) in [("none", "kernel", "Loading"), ("gzip", "kernel.gz", "Uncompressing")] {
            let image = shop.mkimage("kernel", comp, file);
            let report = shop.boots(&image, &["iminfo 31000000", "bootm 31000000"]);
            shown_as_by_mkimage(&shop, &report.uart);
            said(&report, "   Legacy image found\r\n   Image Name:   test\r\n");
            said(&report, "   Verifying Checksum ... OK\r\n=> bootm");
            said(&report, &format!("   {how} Kernel Image\r\n"));
        }
    }
}

#[test]
fn multi_images_hand_their_ramdisk_over() {
    for board in BOTH {
        let shop = Workshop::new(board);
        shop.tool("gzip -9nk kernel");
        let kernel = shop.read("kernel").len() as u32;
        let report = shop.boots(&shop.mkimage("multi", "none", "kernel:initrd"), &["iminfo", "bootm"]);
        shown_as_by_mkimage(&shop, &report.uart);
        // Behind header and table.
        let start = AT + 0x40 + 12 + kernel;
        said(
            &report,
            &format!("   Using Ramdisk in place at {start:08x}, end {:08x}\r\n", start + INITRD as u32),
        );
        said(&report, &shop.initrd_tag(start));
        let report = shop.boots(&shop.mkimage("multi", "gzip", "kernel.gz:initrd"), &["bootm"]);
        let start = address_after(&report, "   Loading Ramdisk to ");
        said(&report, &shop.initrd_tag(start));
    }
}

#[test]
fn a_ramdisk_is_given_by_its_image_or_by_address_and_size() {
    for board in BOTH {
        let shop = Workshop::new(board);
        let mut bytes = shop.mkimage("kernel", "none", "kernel");
        bytes.resize(0x2_0000, 0);
        bytes.extend(shop.mkimage("ramdisk", "none", "initrd"));
        let wrapped = "bootm 31000000 31020000";
        let bare = format!("bootm 31000000 31020040:{INITRD:x}");
        for line in [wrapped, &bare] {
            let report = shop.boots(&bytes, &["iminfo 31020000", line]);
            shown_as_by_mkimage(&shop, &report.uart);
            said(&report, &shop.initrd_tag(AT + 0x2_0040));
        }
    }
}

#[test]
fn scripts_run() {
    for board in BOTH {
        let shop = Workshop::new(board);
        shop.write("script", "if test -n \"$loadaddr\"; then\n  echo one two\nfi\nbootm 31020000\n");
        let mut bytes = shop.mkimage("script", "none", "script");
        bytes.resize(0x2_0000, 0);
        bytes.extend(shop.mkimage("kernel", "none", "kernel"));
        let report = shop.boots(&bytes, &["source 31000000"]);
        said(
            &report,
            "## Executing script at 31000000\r\none two\r\n## Booting kernel from Legacy Image at 31020000",
        );
        shop.mkimage("script", "none", "script");
        let report = shop.run(&bytes, &["iminfo"]);
        at_prompt(&report);
        shown_as_by_mkimage(&shop, &report.uart);
    }
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    for board in BOTH {
        let shop = Workshop::new(board);
        let good = shop.mkimage("multi", "none", "kernel:initrd");
        let mut lines = Vec::new();
        for (at, error) in [
            (0, "ERROR: Bad Magic Number: "),
            (9, "ERROR: Bad Header Checksum: "),
            (0x41, "Bad Data CRC\r\nERROR: Bad Data CRC: "),
            (5000, "Bad Data CRC\r\nERROR: Bad Data CRC: "),
            (good.len() - 1, "Bad Data CRC\r\nERROR: Bad Data CRC: "),
        ] {
            let byte = AT + at as u32;
            lines.push((
                format!("mw.b {byte:x} {:x}; bootm; mw.b {byte:x} {:x}", good[at] ^ 1, good[at]),
                error,
            ));
        }
        let typed: Vec<&str> = lines.iter().map(|(line, _)| &line[..]).chain(["iminfo"]).collect();
        let report = shop.run(&good, &typed);
        at_prompt(&report);
        for (line, error) in &lines {
            let answer = report.uart.split_once(line).unwrap().1.split("=> ").next().unwrap();
            assert!(answer.contains(error), "{line}: {answer}");
        }
        said(&report, "   Verifying Checksum ... OK\r\n=> ");
    }
}
