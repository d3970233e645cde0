//! Flipped bits: corrected and counted, or refused.

use crate::kit::{
    BLOCK_PAGES, BOARDS, Flash, GTA02, KERNEL, LOAD_A, LOAD_B, MINI2440, PAGE, Random, STEPS, at_prompt,
    booted, flip_every_step, said, stage1,
};
use boot::image::uimage::HEADER;
use boot::nand::ecc;
use sim::Flip;

fn kernel_pages(flash: &Flash, slot: &str) -> Vec<u32> {
    flash.pages(slot, HEADER + KERNEL)
}

#[test]
fn a_flipped_bit_in_every_step_is_corrected() {
    for (board, seed) in BOARDS.into_iter().zip(1..) {
        let flash = board.good_flash();
        let pages = kernel_pages(&flash, "kernel-a");
        let flips = flip_every_step(&pages, seed);
        assert_eq!(flips.len(), pages.len() * STEPS);
        let report = flash.boot_with(flips.clone());
        booted(&board, &report, LOAD_A);
        assert_eq!(report.nand.corrected_bits, flips.len() as u64);
        assert_eq!(report.nand.uncorrectable, 0);
        assert_eq!(stage1(&report), format!("A:ok fix {:08x}", flips.len()));
    }
}

#[test]
fn a_flipped_bit_in_every_stored_code_is_harmless_and_counted() {
    let flash = MINI2440.good_flash();
    let pages = kernel_pages(&flash, "kernel-a");
    let mut random = Random::new(7);
    let mut flips = Vec::new();
    for &page in &pages {
        for step in 0..STEPS as u32 {
            let byte = (PAGE + ecc::OOB_OFFSET) as u32 + 3 * step + random.below(3);
            flips.push(Flip { page, byte, bit: random.below(8) as u8 });
        }
    }
    let report = flash.boot_with(flips.clone());
    booted(&MINI2440, &report, LOAD_A);
    assert_eq!(report.nand.corrected_bits, flips.len() as u64);
    assert_eq!(stage1(&report), format!("A:ok fix {:08x}", flips.len()));
}

#[test]
fn flips_in_unused_oob_bytes_are_nobodys_business() {
    let flash = GTA02.good_flash();
    // Behind the bad mark and in front of the codes.
    let unused = PAGE as u32 + 1..(PAGE + ecc::OOB_OFFSET) as u32;
    let page = kernel_pages(&flash, "kernel-a")[0];
    let flips = unused.map(|byte| Flip { page, byte, bit: 3 }).collect();
    let report = flash.boot_with(flips);
    booted(&GTA02, &report, LOAD_A);
    assert_eq!(report.nand.corrected_bits, 0);
    assert_eq!(stage1(&report), "A:ok");
}

#[test]
fn two_flips_in_a_step_of_slot_a_boot_slot_b() {
    let check = |page: usize, step: usize, seed: u32| {
        let flash = GTA02.good_flash();
        let page = kernel_pages(&flash, "kernel-a")[page];
        let report = flash.boot_with(Random::new(seed).flips(page, step, 2));
        booted(&GTA02, &report, LOAD_B);
        assert_eq!(stage1(&report), "A:ecc B:ok", "page {page}, step {step}");
        assert_eq!(report.nand.uncorrectable, 1);
    };
    // The header, the rest of its page, the middle, both sides of a block's end, the last page with
    // data in it and without.
    for (page, step) in [(0, 0), (0, 7), (40, 3), (63, 7), (64, 0), (130, 1), (130, 7)] {
        check(page, step, (page * 8 + step) as u32);
    }
}

#[test]
fn a_flip_in_the_data_and_one_in_its_code_are_two() {
    let flash = GTA02.good_flash();
    let page = kernel_pages(&flash, "kernel-a")[9];
    let step = 4;
    let byte = (PAGE + ecc::OOB_OFFSET + 3 * step) as u32;
    let flips = vec![Flip { page, byte: 5 * 256 - 1, bit: 0 }, Flip { page, byte, bit: 0 }];
    let report = flash.boot_with(flips);
    booted(&GTA02, &report, LOAD_B);
    assert_eq!(stage1(&report), "A:ecc B:ok");
}

#[test]
fn more_flips_in_a_step_never_pass_for_none() {
    // The code may take three flips for one, and correct the wrong bit: the CRC notices.
    for seed in 0..8 {
        let flash = MINI2440.good_flash();
        let page = kernel_pages(&flash, "kernel-a")[1 + seed];
        let report = flash.boot_with(Random::new(seed as u32).flips(page, seed, 3));
        booted(&MINI2440, &report, LOAD_B);
        let found = stage1(&report);
        // A correction stays counted, whatever slot it was in.
        let expected = ["A:ecc B:ok", "A:crc fix 00000001 B:ok fix 00000001"];
        assert!(expected.contains(&found.as_str()), "{found}");
    }
}

#[test]
fn both_slots_damaged_end_at_the_prompt_which_says_why() {
    for board in BOARDS {
        let flash = board.good_flash();
        let mut random = Random::new(5);
        let page_b = kernel_pages(&flash, "kernel-b")[70];
        let mut flips = random.flips(kernel_pages(&flash, "kernel-a")[3], 2, 2);
        flips.extend(random.flips(page_b, 6, 2));
        let report = flash.boot_with(flips);
        at_prompt(&report);
        assert_eq!(stage1(&report), "A:ecc B:ecc 2:ok");
        said(&report, "Kernel slot A: too many bitflips for ECC. Write the image anew.\r\n");
        said(&report, "Kernel slot B: too many bitflips for ECC. Write the image anew.\r\n");
        let (block, offset) = (page_b / BLOCK_PAGES, page_b * PAGE as u32);
        said(&report, &format!(": {page_b:#x}, in erase block {block:#x}, offset {offset:#010x}.\r\n"));
        assert_eq!(report.nand.uncorrectable, 2);
    }
}

#[test]
fn stage2_is_corrected_too() {
    let flash = GTA02.good_flash();
    let size = std::fs::metadata(GTA02.firmware("stage2.bin")).unwrap().len() as usize;
    let pages = flash.pages("stage2-1", HEADER + size);
    let flips = flip_every_step(&pages, 3);
    let options = sim::Options { flips: flips.clone(), ..flash.options() };
    let report = flash.run(&options, "\r");
    at_prompt(&report);
    assert_eq!(stage1(&report), format!("2:ok fix {:08x}", flips.len()));
    said(&report, &format!("Bitflips corrected so far: {}.\r\n", flips.len()));
    assert_eq!(report.nand.corrected_bits, flips.len() as u64);
}
