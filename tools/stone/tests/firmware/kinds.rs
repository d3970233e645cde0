//! Kernels that stage1 leaves to stage2: with an initial ramdisk, and compressed.

use crate::common::pattern;
use crate::kit::{
    Board, GTA02, LOAD_A, LOAD_B, MINI2440, TAGS, booted, kernel, payload_of, said, stage1, uimage,
};
use boot::crc::crc32;
use boot::image::uimage as format;
use flate2::Compression;
use flate2::write::GzEncoder;
use regex::bytes::Regex;
use sim::{Entry, Options, Outcome, Report};
use std::io::Write;
use stone::uimage::{Kind, Spec, build};

fn spec(kind: Kind, comp: u8) -> Spec {
    Spec { kind, comp, name: "test".into(), load: LOAD_A, entry: LOAD_A, time: 0 }
}

fn multi(kernel: &[u8], initrd: &[u8]) -> Vec<u8> {
    build(&spec(Kind::Multi, format::COMP_NONE), &[kernel.to_vec(), initrd.to_vec()]).unwrap()
}

fn gzip(kernel: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(kernel).unwrap();
    build(&spec(Kind::Kernel, format::COMP_GZIP), &[encoder.finish().unwrap()]).unwrap()
}

fn boot(board: &Board, image: &[u8]) -> Report {
    board.flash(&[], image, image).unwrap().boot()
}

#[test]
fn a_kernel_with_a_ramdisk_is_booted_by_stage2() {
    for board in [GTA02, MINI2440] {
        // Neither is a whole number of words.
        let report = boot(&board, &multi(&payload_of(200_003, 1), &pattern(70_001, 2)));
        booted(&board, &report, LOAD_A);
        assert_eq!(stage1(&report), "A:kind B:kind 2:ok");
        said(&report, "Booting it from here. Any key stops this.\r\n");
        said(&report, &format!("   Ramdisk at {:08x}, 70001 Bytes\r\n", LOAD_A + 200_004));
        said(&report, "Starting kernel ...");
    }
}
