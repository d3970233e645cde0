//! Bad blocks: those that the image was packed around, and those that nobody knew of.

use crate::kit::{
    BLOCK, BLOCK_PAGES, BOARDS, Board, Flash, GTA02, KERNEL, LOAD_A, LOAD_B, MINI2440, Random, at_prompt,
    booted, kernel, said, stage1,
};
use sim::{Options, Report};
use std::collections::BTreeSet;

fn flash(board: &Board, bad: &[u32]) -> stone::Result<Flash> {
    board.flash(bad, &kernel(LOAD_A), &kernel(LOAD_B))
}

/// Runs with more bad blocks than the image was packed around.
fn boot_with_bad(flash: &Flash, bad: impl IntoIterator<Item = u32>) -> Report {
    flash.run(&Options { bad_blocks: bad.into_iter().collect(), ..flash.options() }, "")
}

#[test]
fn known_bad_blocks_in_the_kernel_slot_are_skipped() {
    for board in BOARDS {
        let first = board.good_flash().blocks("kernel-a").start;
        // The kernel takes three good blocks: first, middle, last, in a row, around, and beyond.
        for bad in [&[0][..], &[1], &[2], &[0, 1, 2], &[0, 2, 4], &[1, 2, 3, 4, 5, 6], &[3], &[67]] {
            let bad: Vec<u32> = bad.iter().map(|block| first + block).collect();
            let report = flash(&board, &bad).unwrap().boot();
            booted(&board, &report, LOAD_A);
            assert_eq!(stage1(&report), "A:ok", "{bad:?}");
        }
    }
}

#[test]
fn a_mark_in_either_of_the_first_two_pages_counts() {
    for unmarked in [0, 1] {
        let first = GTA02.good_flash().blocks("kernel-a").start;
        let bad = [first, first + 2, first + 3];
        let mut flash = flash(&GTA02, &bad).unwrap();
        // Not what the simulator makes of a bad block, which is marked twice, but marks alone.
        flash.bad.clear();
        for block in bad {
            flash.mark(block * BLOCK_PAGES + unmarked, 0xff);
        }
        booted(&GTA02, &flash.boot(), LOAD_A);
    }
}

#[test]
fn two_cleared_bits_are_a_mark() {
    let first = MINI2440.good_flash().blocks("kernel-a").start;
    let mut flash = flash(&MINI2440, &[first + 1]).unwrap();
    flash.bad.clear();
    flash.mark((first + 1) * BLOCK_PAGES, 0xfc);
    flash.mark((first + 1) * BLOCK_PAGES + 1, 0xff);
    booted(&MINI2440, &flash.boot(), LOAD_A);
}

#[test]
fn one_cleared_bit_is_a_bitflip_in_a_good_block() {
    let first = MINI2440.good_flash().blocks("kernel-a").start;
    for page in [0, 1, BLOCK_PAGES, BLOCK_PAGES + 1] {
        let mut flash = flash(&MINI2440, &[]).unwrap();
        flash.mark(first * BLOCK_PAGES + page, 0xfe);
        booted(&MINI2440, &flash.boot(), LOAD_A);
    }
}

#[test]
fn random_bad_blocks_are_skipped() {
    for seed in 0..20 {
        let board = BOARDS[seed as usize % BOARDS.len()];
        let mut random = Random::new(seed);
        // Among the first blocks of both kernel slots, and in the slots of stage2, of which each needs
        // one of five.
        let good = board.good_flash();
        let mut bad = BTreeSet::new();
        for slot in ["kernel-a", "kernel-b"] {
            bad.extend((0..8).map(|_| good.blocks(slot).start + random.below(10)));
        }
        for slot in ["stage2-1", "stage2-2"] {
            bad.extend((0..3).map(|_| good.blocks(slot).start + random.below(5)));
        }
        let bad: Vec<u32> = bad.into_iter().collect();
        let flash = flash(&board, &bad).unwrap();
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
    let slot = GTA02.good_flash().blocks("kernel-a");
    let needed = (KERNEL + 64).div_ceil(BLOCK) as u32;
    let bad: Vec<u32> = (slot.start..slot.end - needed).collect();
    let full = flash(&GTA02, &bad).unwrap();
    booted(&GTA02, &full.boot(), LOAD_A);

    let one_more = [&bad[..], &[slot.end - 1]].concat();
    let error = flash(&GTA02, &one_more).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("partition `kernel-a` is too small"), "{error}");
    assert!(error.contains("3 good erase blocks for ") && error.contains("2 good of 68"), "{error}");

    // The same block, gone bad after the image was packed.
    let report = boot_with_bad(&full, one_more);
    booted(&GTA02, &report, LOAD_B);
    assert_eq!(stage1(&report), "A:bad B:ok");
}

#[test]
fn a_block_gone_bad_costs_the_slot_and_not_the_boot() {
    // Without its first block there is no header; without another one the data are not those of the CRC.
    for (gone, word) in [(0, "void"), (1, "crc"), (2, "crc")] {
        let flash = MINI2440.good_flash();
        let block = flash.blocks("kernel-a").start + gone;
        let report = boot_with_bad(&flash, [block]);
        booted(&MINI2440, &report, LOAD_B);
        assert_eq!(stage1(&report), format!("A:{word} B:ok"));
    }
}

#[test]
fn slots_without_a_good_block_end_at_the_prompt() {
    for board in BOARDS {
        let flash = board.good_flash();
        let report = boot_with_bad(&flash, flash.blocks("kernel-a").chain(flash.blocks("kernel-b")));
        at_prompt(&report);
        assert_eq!(stage1(&report), "A:bad B:bad 2:ok");
        said(&report, "Kernel slot A: too many bad blocks in the slot. ");
        said(&report, "Kernel slot B: too many bad blocks in the slot. ");
        said(&report, "Bad blocks skipped so far: 136.\r\n");
    }
}
