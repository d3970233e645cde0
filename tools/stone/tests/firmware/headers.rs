//! Damaged and hostile image headers: each is refused with the right word, and what it
//! names is never jumped to.

use crate::kit::{
    BOARDS, Board, GTA02, KINDS, LOAD_A, LOAD_B, MINI2440, SMDK2410, at_prompt, booted, payload_of, said,
    stage1, uimage,
};
use boot::image::uimage::{self as format, HEADER, Header};

/// Data that is quickly read, of several pages with their header, the last one not full.
const SMALL: usize = 3000;

/// An image whose header says something else than it should.
fn hostile(change: impl FnOnce(&mut Header)) -> Vec<u8> {
    uimage(&payload_of(SMALL, 9), change)
}

/// Slot A is refused with this word, and slot B boots: by way of stage2 if the word is
/// "kind", because such an image might be one for stage2.
#[track_caller]
fn refused(board: &Board, a: &[u8], word: &str) {
    let report = board.flash(&[], a, &board.kernel(LOAD_B)).unwrap().boot();
    booted(board, &report, LOAD_B);
    let next = if word == "kind" { "2" } else { "B" };
    assert_eq!(stage1(&report), format!("A:{word} {next}:ok"));
}

/// Bytes of data that a kernel slot holds.
fn slot(board: &Board) -> usize {
    board.good_flash().blocks("kernel-a").len() * board.nand.block()
}

/// Slot A is booted.
#[track_caller]
fn accepted(board: &Board, a: &[u8], entry: u32) {
    let report = board.flash(&[], a, &board.kernel(LOAD_B)).unwrap().boot();
    booted(board, &report, entry);
    assert_eq!(stage1(&report), "A:ok");
}

#[test]
fn a_damaged_header_is_refused_whichever_field_it_is() {
    // A byte of: magic, header CRC, time, size, load, entry, data CRC, OS, architecture, type,
    // compression, name.
    for at in [0, 3, 4, 7, 8, 15, 16, 21, 26, 28, 29, 30, 31, 32, 63] {
        let mut image = hostile(|_| ());
        image[at] ^= 0x10;
        for board in KINDS {
            refused(&board, &image, if at < 4 { "void" } else { "head" });
        }
    }
}

#[test]
fn damaged_data_is_refused() {
    // The header's CRC of it, and the data itself in its first, middle and last byte.
    for board in [GTA02, MINI2440, SMDK2410] {
        refused(&board, &hostile(|header| header.data_crc ^= 1), "crc");
        for at in [HEADER, HEADER + SMALL / 2, HEADER + SMALL - 1] {
            let mut image = hostile(|_| ());
            image[at] ^= 1;
            refused(&board, &image, "crc");
        }
    }
}

#[test]
fn lengths_that_cannot_be_are_refused() {
    for board in KINDS {
        let (slot, head) = (slot(&board) as u32, HEADER as u32);
        // Nothing, or less than an instruction; more than the slot holds; and with the header added,
        // more than a word holds.
        let small = [0, 1, 3];
        let large = [slot - head + 1, slot, 0x7fff_ffff, 0x8000_0000];
        let huge = [u32::MAX - head, u32::MAX - head + 1, u32::MAX];
        for size in [&small[..], &large, &huge].concat() {
            refused(&board, &hostile(|header| header.size = size), "size");
        }
    }
}

#[test]
fn a_length_that_fits_the_slot_is_read_and_found_wrong() {
    let sizes = [SMALL + 1, SMALL - 1].into_iter();
    let cases = sizes.flat_map(|size| [(MINI2440, size), (SMDK2410, size)]);
    for (board, size) in cases.chain([(MINI2440, slot(&MINI2440) - HEADER)]) {
        refused(&board, &hostile(|header| header.size = size as u32), "crc");
    }
}

#[test]
fn load_addresses_that_cannot_be_are_refused() {
    for board in [GTA02, MINI2440, SMDK2410] {
        let end = board.loader + (2 << 20);
        let addresses = [
            // Over the tag list, and before RAM.
            0x3000_0000,
            0x3000_0100,
            0x3000_0400,
            0x2fff_f000,
            0x2fff_ffc0,
            0,
            // Reaching into the loader, inside it, on its stack and tables, and behind RAM.
            board.loader - 4,
            board.loader,
            board.loader + 0x1000,
            end - 0x1000,
            end - 4,
            end,
            // Registers, and around the end of the address space.
            0x4800_0000,
            0x4e00_0010,
            0x5000_0020,
            0x20,
            0x3c,
            0xffff_f000,
            0xffff_ffbc,
            0xffff_fffc,
            // No whole words.
            LOAD_A + 1,
            LOAD_A + 2,
            LOAD_A + 3,
        ];
        for load in addresses {
            refused(&board, &hostile(|header| (header.load, header.entry) = (load, load)), "addr");
        }
    }
}

#[test]
fn an_image_may_touch_the_loader_and_no_more() {
    for board in BOARDS {
        // Whole pages are written, the header at the front of the first.
        let pages = board.nand.pages(HEADER + SMALL) * board.nand.page;
        let last = board.loader - (pages - HEADER) as u32;
        let at = |load: u32| hostile(|header| (header.load, header.entry) = (load, load));
        accepted(&board, &at(last), last);
        refused(&board, &at(last + 4), "addr");
    }
}

#[test]
fn the_entry_lies_in_the_image() {
    let entry = |entry: u32| hostile(|header| header.entry = entry);
    let size = SMALL as u32;
    for board in KINDS {
        for outside in [0, LOAD_A - 4, LOAD_A + size, LOAD_A + size + 0x1000, board.loader, 0xffff_fffc] {
            refused(&board, &entry(outside), "addr");
        }
        for odd in [1, 2, 3] {
            refused(&board, &entry(LOAD_A + odd), "addr");
        }
        accepted(&board, &entry(LOAD_A + size - 4), LOAD_A + size - 4);
    }
}

#[test]
fn what_stage1_does_not_handle_is_left_alone() {
    use format::{TYPE_FIRMWARE, TYPE_MULTI, TYPE_RAMDISK, TYPE_STANDALONE};
    for kind in [0, TYPE_STANDALONE, TYPE_RAMDISK, TYPE_MULTI, TYPE_FIRMWARE, 255] {
        refused(&GTA02, &hostile(|header| header.kind = kind), "kind");
    }
    for arch in [0, 1, 3, 255] {
        refused(&GTA02, &hostile(|header| header.arch = arch), "kind");
    }
    for comp in [format::COMP_GZIP, 2, 3, 255] {
        refused(&GTA02, &hostile(|header| header.comp = comp), "kind");
    }
    refused(&SMDK2410, &hostile(|header| header.kind = TYPE_MULTI), "kind");
}

#[test]
fn the_prompt_says_what_is_wrong_with_both_slots() {
    let check = |a: Vec<u8>, b: Vec<u8>, words: &str, why: [&str; 2]| {
        for board in [MINI2440, SMDK2410] {
            let report = board.flash(&[], &a, &b).unwrap().boot();
            at_prompt(&report);
            assert_eq!(stage1(&report), format!("{words} 2:ok"));
            said(&report, &format!("Kernel slot A: {}", why[0]));
            said(&report, &format!("Kernel slot B: {}", why[1]));
        }
    };
    let mut head = hostile(|_| ());
    head[20] ^= 1;
    check(
        vec![0; SMALL],
        head,
        "A:void B:head",
        ["no image there. ", "the image header is damaged (header CRC). "],
    );
    check(
        hostile(|header| header.size = u32::MAX),
        hostile(|header| header.load = MINI2440.loader),
        "A:size B:addr",
        [
            "the length in the header is 0 or larger than the slot. ",
            "its load address or entry point is not in free RAM",
        ],
    );
    check(
        hostile(|header| header.data_crc ^= 1),
        hostile(|header| header.size = 0),
        "A:crc B:size",
        ["the image is damaged (data CRC). ", "the length in the header is 0 or larger than the slot. "],
    );
}

#[test]
fn stage2_refuses_what_stage1_refused() {
    // Of a kind that stage2 would boot by itself, if it were not for its addresses.
    let multi = hostile(|header| (header.kind, header.load) = (format::TYPE_MULTI, GTA02.loader));
    let gzip = hostile(|header| (header.comp, header.entry) = (format::COMP_GZIP, 0x4000_0000));
    let report = GTA02.flash(&[], &multi, &gzip).unwrap().boot();
    at_prompt(&report);
    assert_eq!(stage1(&report), "A:kind 2:ok");
    said(&report, "kernel-a: ERROR: ");
    said(&report, "kernel-b: ERROR: ");
    said(&report, "ERROR: no kernel slot boots");
}
