//! Bad blocks: those that the image was packed around, and those that nobody knew of.

use crate::kit::{
    BOARDS, Flash, KINDS, LOAD_A, LOAD_B, MINI2440, Random, SMDK2410, at_prompt, booted, said, stage1,
};
use boot::image::uimage::HEADER;
use sim::{Options, Report};
use std::collections::BTreeSet;

/// Runs with more bad blocks than the image was packed around.
fn boot_with_bad(flash: &Flash, bad: impl IntoIterator<Item = u32>) -> Report {
    flash.run(&Options { bad_blocks: bad.into_iter().collect(), ..flash.options() }, "")
}

#[test]
fn known_bad_blocks_in_the_kernel_slot_are_skipped() {
    for board in BOARDS {
        let slot = board.good_flash().blocks("kernel-a");
        let last = slot.len() as u32 - 1;
        // The kernel takes three good blocks: first, middle, last, in a row, around, and beyond.
        for bad in [&[0][..], &[1], &[2], &[0, 1, 2], &[0, 2, 4], &[1, 2, 3, 4, 5, 6], &[3], &[last]] {
            let bad: Vec<u32> = bad.iter().map(|block| slot.start + block).collect();
            let report = board.good_flash_around(&bad).unwrap().boot();
            booted(&board, &report, LOAD_A);
            assert_eq!(stage1(&report), "A:ok", "{bad:?}");
        }
    }
}

#[test]
fn a_mark_in_either_of_the_first_two_pages_counts() {
    for (board, unmarked) in KINDS.into_iter().flat_map(|board| [(board, 0), (board, 1)]) {
        let first = board.good_flash().blocks("kernel-a").start;
        let bad = [first, first + 2, first + 3];
        let mut flash = board.good_flash_around(&bad).unwrap();
        // Not what the simulator makes of a bad block, which is marked twice, but marks alone.
        flash.bad.clear();
        for block in bad {
            flash.mark(block * board.nand.block_pages + unmarked, 0xff);
        }
        booted(&board, &flash.boot(), LOAD_A);
    }
}

#[test]
fn two_cleared_bits_are_a_mark() {
    for board in [MINI2440, SMDK2410] {
        let bad = board.good_flash().blocks("kernel-a").start + 1;
        let mut flash = board.good_flash_around(&[bad]).unwrap();
        flash.bad.clear();
        flash.mark(bad * board.nand.block_pages, 0xfc);
        flash.mark(bad * board.nand.block_pages + 1, 0xff);
        booted(&board, &flash.boot(), LOAD_A);
    }
}

#[test]
fn one_cleared_bit_is_a_bitflip_in_a_good_block() {
    for board in [MINI2440, SMDK2410] {
        let in_block = board.nand.block_pages;
        for page in [0, 1, in_block, in_block + 1] {
            let mut flash = board.good_flash();
            flash.mark(flash.blocks("kernel-a").start * in_block + page, 0xfe);
            booted(&board, &flash.boot(), LOAD_A);
        }
    }
}

#[test]
fn random_bad_blocks_are_skipped() {
    for seed in 0..28 {
        let board = BOARDS[seed as usize % BOARDS.len()];
        let mut random = Random::new(seed);
        // Among the first blocks of both kernel slots, and in the slots of stage2, of which each can
        // spare three of the first five.
        let good = board.good_flash();
        let mut bad = BTreeSet::new();
        for slot in ["kernel-a", "kernel-b"] {
            bad.extend((0..8).map(|_| good.blocks(slot).start + random.below(10)));
        }
        for slot in ["stage2-1", "stage2-2"] {
            bad.extend((0..3).map(|_| good.blocks(slot).start + random.below(5)));
        }
        let bad: Vec<u32> = bad.into_iter().collect();
        let flash = board.good_flash_around(&bad).unwrap();
        let report = flash.boot();
        booted(&board, &report, LOAD_A);
        assert_eq!(stage1(&report), "A:ok", "{bad:?}");
        if seed % 5 == 0 {
            let report = flash.run(&flash.options(), "\r");
            at_prompt(&report);
            assert_eq!(stage1(&report), "2:ok", "{bad:?}");
        }
    }
}

#[test]
fn the_last_spare_block_is_used_and_no_more_are_there() {
    for board in KINDS {
        let slot = board.good_flash().blocks("kernel-a");
        let needed = (HEADER + board.nand.kernel()).div_ceil(board.nand.block()) as u32;
        let bad: Vec<u32> = (slot.start..slot.end - needed).collect();
        let full = board.good_flash_around(&bad).unwrap();
        booted(&board, &full.boot(), LOAD_A);

        let one_more = [&bad[..], &[slot.end - 1]].concat();
        let error = board.good_flash_around(&one_more).map(|_| ()).unwrap_err().to_string();
        let good = format!("2 good of {}", slot.len());
        assert!(error.contains("partition `kernel-a` is too small"), "{error}");
        assert!(error.contains("3 good erase blocks for ") && error.contains(&good), "{error}");

        // The same block, gone bad after the image was packed.
        let report = boot_with_bad(&full, one_more);
        booted(&board, &report, LOAD_B);
        assert_eq!(stage1(&report), "A:bad B:ok");
    }
}

#[test]
fn a_block_gone_bad_costs_the_slot_and_not_the_boot() {
    // Without its first block there is no header; without another one the data are not those of the CRC.
    for (gone, word) in [(0, "void"), (1, "crc"), (2, "crc")] {
        for board in [MINI2440, SMDK2410] {
            let flash = board.good_flash();
            let block = flash.blocks("kernel-a").start + gone;
            let report = boot_with_bad(&flash, [block]);
            booted(&board, &report, LOAD_B);
            assert_eq!(stage1(&report), format!("A:{word} B:ok"));
        }
    }
}

#[test]
fn slots_without_a_good_block_end_at_the_prompt() {
    for board in BOARDS {
        let flash = board.good_flash();
        let bad: Vec<u32> = flash.blocks("kernel-a").chain(flash.blocks("kernel-b")).collect();
        let skipped = format!("Bad blocks skipped so far: {}.\r\n", bad.len());
        let report = boot_with_bad(&flash, bad);
        at_prompt(&report);
        assert_eq!(stage1(&report), "A:bad B:bad 2:ok");
        said(&report, "Kernel slot A: too many bad blocks in the slot. ");
        said(&report, "Kernel slot B: too many bad blocks in the slot. ");
        said(&report, &skipped);
    }
}
