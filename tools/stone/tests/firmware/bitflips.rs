//! Flipped bits: corrected and counted, or refused.

use crate::kit::{
    BOARDS, Board, KINDS, LOAD_A, LOAD_B, MINI2440, Random, SMDK2410, at_prompt, booted, flip_every_step,
    said, stage1,
};
use boot::image::uimage::HEADER;
use sim::Flip;

#[test]
fn a_flipped_bit_in_every_step_is_corrected() {
    for (board, seed) in BOARDS.into_iter().zip(1..) {
        let flash = board.good_flash();
        let pages = flash.kernel_pages("kernel-a");
        let flips = flip_every_step(&board, &pages, seed);
        assert_eq!(flips.len(), pages.len() * board.nand.steps());
        let report = flash.boot_with(flips.clone());
        booted(&board, &report, LOAD_A);
        assert_eq!(report.nand.corrected_bits, flips.len() as u64);
        assert_eq!(report.nand.uncorrectable, 0);
        assert_eq!(stage1(&report), format!("A:ok fix {:08x}", flips.len()));
    }
}

#[test]
fn a_flipped_bit_in_every_stored_code_is_harmless_and_counted() {
    for board in [MINI2440, SMDK2410] {
        let flash = board.good_flash();
        let mut random = Random::new(7);
        let mut flips = Vec::new();
        for page in flash.kernel_pages("kernel-a") {
            for step in 0..board.nand.steps() {
                let byte = board.nand.code_of(step) + random.below(board.nand.code as u32);
                flips.push(Flip { page, byte, bit: random.below(8) as u8 });
            }
        }
        let report = flash.boot_with(flips.clone());
        booted(&board, &report, LOAD_A);
        assert_eq!(report.nand.corrected_bits, flips.len() as u64);
        assert_eq!(stage1(&report), format!("A:ok fix {:08x}", flips.len()));
    }
}

#[test]
fn flips_in_unused_oob_bytes_are_nobodys_business() {
    for board in KINDS {
        let flash = board.good_flash();
        let page = flash.kernel_pages("kernel-a")[0];
        let flips: Vec<_> = board.nand.unused().map(|byte| Flip { page, byte, bit: 3 }).collect();
        assert!(flips.len() >= 12, "{flips:?}");
        let report = flash.boot_with(flips);
        booted(&board, &report, LOAD_A);
        assert_eq!(report.nand.corrected_bits, 0);
        assert_eq!(stage1(&report), "A:ok");
    }
}

#[test]
fn two_flips_in_a_step_of_slot_a_boot_slot_b() {
    let check = |board: &Board, page: usize, step: usize, seed: u32| {
        let flash = board.good_flash();
        let number = flash.kernel_pages("kernel-a")[page];
        let report = flash.boot_with(Random::new(seed).flips(board, number, step, 2));
        booted(board, &report, LOAD_B);
        assert_eq!(stage1(&report), "A:ecc B:ok", "{board:?}, page {page}, step {step}");
        assert_eq!(report.nand.uncorrectable, 1);
    };
    for board in KINDS {
        let (block, last_step) = (board.nand.block_pages as usize, board.nand.steps() - 1);
        let last = board.nand.pages(HEADER + board.nand.kernel()) - 1;
        // The header, the rest of its page, the middle, both sides of a block's end, the last page with
        // data in it and without.
        let steps = [
            (0, 0),
            (0, last_step),
            (block * 5 / 8, 3),
            (block - 1, last_step),
            (block, 0),
            (last, 1),
            (last, last_step),
        ];
        for (page, step) in steps {
            check(&board, page, step, (page * 8 + step) as u32);
        }
    }
}

#[test]
fn a_flip_in_the_data_and_one_in_its_code_are_two() {
    for board in KINDS {
        let flash = board.good_flash();
        let page = flash.kernel_pages("kernel-a")[9];
        let step = board.nand.steps() / 2;
        let last = ((step + 1) * board.nand.step - 1) as u32;
        let flips = [last, board.nand.code_of(step)].map(|byte| Flip { page, byte, bit: 0 });
        let report = flash.boot_with(flips.into());
        booted(&board, &report, LOAD_B);
        assert_eq!(stage1(&report), "A:ecc B:ok");
    }
}

#[test]
fn more_flips_in_a_step_never_pass_for_none() {
    // The code may take three flips for one, and correct the wrong bit: the CRC notices.
    for board in [MINI2440, SMDK2410] {
        let flash = board.good_flash();
        for seed in 0..8 {
            let page = flash.kernel_pages("kernel-a")[1 + seed];
            let report = flash.boot_with(Random::new(seed as u32).flips(&board, page, seed, 3));
            booted(&board, &report, LOAD_B);
            let found = stage1(&report);
            // A correction stays counted, whatever slot it was in.
            let expected = ["A:ecc B:ok", "A:crc fix 00000001 B:ok fix 00000001"];
            assert!(expected.contains(&found.as_str()), "{found}");
        }
    }
}

#[test]
fn both_slots_damaged_end_at_the_prompt_which_says_why() {
    for board in BOARDS {
        let flash = board.good_flash();
        let mut random = Random::new(5);
        let in_block = board.nand.block_pages;
        let page_b = flash.kernel_pages("kernel-b")[in_block as usize + 6];
        let mut flips = random.flips(&board, flash.kernel_pages("kernel-a")[3], 2, 2);
        flips.extend(random.flips(&board, page_b, 6, 2));
        let report = flash.boot_with(flips);
        at_prompt(&report);
        assert_eq!(stage1(&report), "A:ecc B:ecc 2:ok");
        said(&report, "Kernel slot A: too many bitflips for ECC. Write the image anew.\r\n");
        said(&report, "Kernel slot B: too many bitflips for ECC. Write the image anew.\r\n");
        let (block, offset) = (page_b / in_block, page_b * board.nand.page as u32);
        said(&report, &format!(": {page_b:#x}, in erase block {block:#x}, offset {offset:#010x}.\r\n"));
        assert_eq!(report.nand.uncorrectable, 2);
    }
}

#[test]
fn stage2_is_corrected_too() {
    for board in KINDS {
        let flash = board.good_flash();
        let size = std::fs::metadata(board.firmware("stage2.bin")).unwrap().len() as usize;
        let pages = flash.pages("stage2-1", HEADER + size);
        let flips = flip_every_step(&board, &pages, 3);
        let options = sim::Options { flips: flips.clone(), ..flash.options() };
        let report = flash.run(&options, "\r");
        at_prompt(&report);
        assert_eq!(stage1(&report), format!("2:ok fix {:08x}", flips.len()));
        said(&report, &format!("Bitflips corrected so far: {}.\r\n", flips.len()));
        assert_eq!(report.nand.corrected_bits, flips.len() as u64);
    }
}
