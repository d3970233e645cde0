//! Kernels that stage1 leaves to stage2: with an initial ramdisk, and compressed.

use crate::common::pattern;
use crate::kit::{
    Board, GTA02, KINDS, LOAD_A, LOAD_B, MINI2440, SMDK2410, TAGS, at_prompt, lawful, payload_of, said,
    stage1,
};
use boot::crc::crc32;
use boot::image::uimage as format;
use flate2::Compression;
use flate2::write::GzEncoder;
use regex::bytes::Regex;
use sim::{Entry, Options, Outcome, Report};
use std::fs;
use std::io::Write;
use stone::uimage::{Kind, Spec, build};

fn image(kind: Kind, comp: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    build(&Spec { kind, comp, name: "test".into(), load: LOAD_A, entry: LOAD_A, time: 0 }, parts).unwrap()
}

fn multi(kernel: Vec<u8>, initrd: Vec<u8>) -> Vec<u8> {
    image(Kind::Multi, format::COMP_NONE, &[kernel, initrd])
}

fn gzip(kernel: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(kernel).unwrap();
    image(Kind::Kernel, format::COMP_GZIP, &[encoder.finish().unwrap()])
}

/// Code that repeats itself, as code does, and so gets smaller.
fn compressible(len: usize) -> Vec<u8> {
    let words = payload_of(len, 3);
    words.chunks(64).flat_map(|words| words.repeat(4)).take(len).collect()
}

/// Where the ramdisk of a multi-image is that `boot` has put right below the loader: behind header,
/// table and a kernel of so many bytes, padded.
fn ramdisk(board: &Board, image: &[u8], kernel: u32) -> u32 {
    ((board.loader - image.len() as u32) & !0xfff) + format::HEADER as u32 + 12 + kernel
}

fn boot(board: &Board, image: &[u8]) -> Report {
    board.flash(&[], image, image).unwrap().boot()
}

/// Boots an image with the demo in it, until the demo has said what it was handed.
fn demo(board: &Board, image: &[u8]) -> Report {
    let flash = board.flash(&[], image, image).unwrap();
    let until = Some(Regex::new("demo: done.*\n").unwrap());
    let report = flash.run(&Options { stop_at_kernel: false, until, ..flash.options() }, "");
    said(&report, "demo: done\r\n");
    assert!(report.after_entry.is_empty(), "{}", report.to_json());
    report
}

/// Asserts that a kernel was entered which is not the data of any slot as they are.
#[track_caller]
fn entered(board: &Board, report: &Report) {
    let expected = Entry { pc: LOAD_A, r0: 0, r1: board.machine, r2: TAGS };
    assert_eq!((report.outcome, report.entry), (Outcome::Kernel, Some(expected)), "{}", report.to_json());
    lawful(report);
}

#[test]
fn a_kernel_with_a_ramdisk_is_booted_by_stage2() {
    for board in [GTA02, MINI2440, SMDK2410] {
        // Neither is a whole number of words.
        let image = multi(payload_of(200_003, 1), pattern(70_001, 2));
        let start = ramdisk(&board, &image, 200_004);
        let report = boot(&board, &image);
        entered(&board, &report);
        assert_eq!(stage1(&report), "A:kind 2:ok");
        said(&report, "Booting it from here. Any key stops this.\r\n");
        let end = start + 70_001;
        said(&report, &format!("   Using Ramdisk in place at {start:08x}, end {end:08x}\r\n"));
        said(&report, "Starting kernel ...");
    }
}

#[test]
fn the_kernel_is_told_where_its_ramdisk_is() {
    let kernel = fs::read(GTA02.firmware("demo.bin")).unwrap();
    let initrd = pattern(70_001, 2);
    let (len, crc) = (kernel.len() as u32, crc32(&initrd));
    let image = multi(kernel, initrd);
    let start = ramdisk(&GTA02, &image, len);
    let tag = format!("demo: INITRD2  {start:08x}, 70001 bytes, CRC-32 {crc:08x}\r\n");
    let report = demo(&GTA02, &image);
    entered(&GTA02, &report);
    said(&report, &tag);
    said(&report, "demo: r0 0, r1 1304 (GTA02), r2 30000100\r\n");
    said(&report, "demo: MEM      30000000, 128 MiB\r\ndemo: REVISION 360\r\n");
    said(&report, "demo: CMDLINE  console=ttySAC2,115200 loglevel=8\r\n");
}

#[test]
fn a_compressed_kernel_is_booted_by_stage2() {
    for board in [GTA02, MINI2440, SMDK2410] {
        let image = gzip(&compressible(300_001));
        assert!(image.len() < 100_000, "{}", image.len());
        let report = boot(&board, &image);
        entered(&board, &report);
        assert_eq!(stage1(&report), "A:kind 2:ok");
        said(&report, "   Uncompressing Kernel Image\r\n");
    }
}

#[test]
fn a_decompressed_kernel_is_whole() {
    let kernel = fs::read(MINI2440.firmware("demo.bin")).unwrap();
    let report = demo(&MINI2440, &gzip(&kernel));
    entered(&MINI2440, &report);
    said(&report, "demo: r0 0, r1 1999 (MINI2440), r2 30000100\r\n");
    said(&report, "demo: CMDLINE  console=ttySAC0,115200 loglevel=8\r\n");
}

#[test]
fn slot_a_comes_first_even_if_it_takes_stage2() {
    let report = GTA02.flash(&[], &gzip(&compressible(100_000)), &GTA02.kernel(LOAD_B)).unwrap().boot();
    entered(&GTA02, &report);
    assert_eq!(stage1(&report), "A:kind 2:ok");
}

#[test]
fn a_key_keeps_stage2_from_booting() {
    let image = gzip(&compressible(100_000));
    let flash = MINI2440.flash(&[], &image, &image).unwrap();
    let report = flash.run(&flash.options(), "\r");
    at_prompt(&report);
    assert_eq!(stage1(&report), "2:ok");
}

#[test]
fn a_damaged_stream_is_never_jumped_to() {
    // Its own CRC is right, so that only the decompressor can notice.
    let good = gzip(&compressible(100_000));
    let mut data = good[format::HEADER..].to_vec();
    let middle = data.len() / 2;
    data[middle] ^= 0x40;
    let image = image(Kind::Kernel, format::COMP_GZIP, &[data]);
    for board in KINDS {
        let report = boot(&board, &image);
        at_prompt(&report);
        said(&report, "kernel-a: ERROR: GUNZIP: ");
        said(&report, "kernel-b: ERROR: GUNZIP: ");
    }
}
