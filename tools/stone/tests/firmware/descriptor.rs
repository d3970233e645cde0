//! The flash descriptor that `stone nand` writes, as the console finds it.

use crate::kit::{BOARDS, Board, Flash, at_prompt, said};
use sim::Report;

/// The pages where the copies of the descriptor begin.
fn copies(board: &Board) -> [u32; 2] {
    // In the middle of the block; and as many pages as 1496 bytes take before its end.
    let pages = board.nand.block_pages;
    [pages / 2, pages - board.nand.pages(1496) as u32]
}

fn type_lines(flash: &Flash, lines: &str) -> Report {
    let report = flash.run(&flash.options(), &format!("\r{lines}"));
    at_prompt(&report);
    report
}

/// Makes two bits of the first step of a page wrong.
fn damage(flash: &mut Flash, page: u32) {
    for byte in [5, 6] {
        let mut raw = [0];
        let offset = flash.offset(page) + byte;
        flash.image.read(offset, &mut raw);
        flash.image.write(offset, &[raw[0] ^ 0x10]);
    }
}

/// The board's chip to Linux, and its partitions.
fn mtdparts(board: &Board) -> [&'static str; 2] {
    match board.name {
        "gta02" => ["neo1973-nand", "128k(boot),640k(stage2-1),640k(stage2-2),640k(env),8704k(kernel-a),"],
        "mini2440" => ["nand", "128k(boot),640k(stage2-1),640k(stage2-2),640k(env),8704k(kernel-a),"],
        _ => ["NAND", "16k(boot),576k(stage2-1),576k(stage2-2),192k(env),8448k(kernel-a),"],
    }
}

#[test]
fn partitions_have_names() {
    for board in BOARDS {
        let flash = board.good_flash();
        let report =
            type_lines(&flash, "nand erase.part env\rnand info\rmtdparts\rprintenv mtdids mtdparts\r");
        let (block, env) = (board.nand.block(), flash.blocks("env"));
        let (start, size) = (env.start as usize * block, env.len() * block);
        said(&report, &format!("NAND erase: device 0 offset {start:#x}, size {size:#x}"));
        let end = start + size - 1;
        said(&report, &format!("  env         {start:#010x} - {end:#010x} ({} blocks)", env.len()));
        let [mtd, parts] = mtdparts(&board);
        said(&report, &format!("device nand0 <{mtd}>, # parts = 7"));
        said(&report, &format!(" 3: env                 {size:#010x}\t{start:#010x}\t0\r\n"));
        said(&report, &format!("\nmtdids=nand0={mtd}\r\nmtdparts=mtdparts={mtd}:{parts}"));
        assert!(
            report.uart.contains(",-(rootfs)\r\n") && !report.uart.contains("descriptor"),
            "{}",
            report.uart
        );
    }
}

#[test]
fn one_damaged_copy_is_said_and_does_no_harm() {
    for board in BOARDS {
        for (copy, page) in [(1, copies(&board)[0]), (2, copies(&board)[1])] {
            let mut flash = board.good_flash();
            damage(&mut flash, page);
            let report = type_lines(&flash, "nand erase.part env\r");
            said(
                &report,
                &format!("Flash descriptor, copy {copy}: page {page:#x} has more bitflips in ECC step 0"),
            );
            said(&report, &format!("Flash descriptor: copy {} is used.", 3 - copy));
            said(&report, "Write block 0 from an image that 'stone nand' has made.");
            said(&report, "100% complete");
        }
    }
}

#[test]
fn a_flip_is_corrected_and_said() {
    for board in BOARDS {
        let mut flash = board.good_flash();
        let offset = flash.offset(copies(&board)[1]) + 0x90;
        let mut raw = [0];
        flash.image.read(offset, &mut raw);
        flash.image.write(offset, &[raw[0] ^ 0x10]);
        let report = type_lines(&flash, "nand erase.part env\r");
        said(&report, "Flash descriptor, copy 2: 1 bitflips corrected.");
        said(&report, "100% complete");
    }
}

#[test]
fn without_a_good_copy_the_boot_table_has_the_names() {
    for board in BOARDS {
        let mut flash = board.good_flash();
        for page in copies(&board) {
            damage(&mut flash, page);
        }
        let report = type_lines(&flash, "nand erase.part env\rnand read 31000000 kernel-b 100\rmtdparts\r");
        said(&report, "No good flash descriptor in block 0: the partitions are the slots of the boot table.");
        said(&report, "'env' is neither an offset nor a partition");
        said(&report, " 256 bytes read: OK");
        said(&report, "device nand0 <nand0>, # parts = 4");
        said(&report, "mtdparts: none");
    }
}

#[test]
fn an_image_without_a_descriptor_works_as_well() {
    for board in BOARDS {
        let mut flash = board.good_flash();
        let nand = board.nand;
        for page in nand.block_pages / 2..nand.block_pages {
            let offset = flash.offset(page);
            flash.image.write(offset, &vec![0xff; nand.raw_page()]);
        }
        let report = type_lines(&flash, "nand read 31000000 kernel-b 100\r");
        said(&report, "No flash descriptor in block 0: the partitions are the slots of the boot table.");
        said(&report, " 256 bytes read: OK");
    }
}

#[test]
fn bad_blocks_are_part_of_it() {
    for board in BOARDS {
        let kernel = board.good_flash().blocks("kernel-a").start;
        let flash = board.good_flash_around(&[kernel, kernel + 2]).unwrap();
        let mut record = vec![0; nand_bytes(&board)];
        let offset = flash.offset(copies(&board)[0]);
        flash.image.read(offset, &mut record);
        let data: Vec<u8> =
            record.chunks(board.nand.raw_page()).flat_map(|page| &page[..board.nand.page]).copied().collect();
        assert_eq!(data[..4], *b"SSFD");
        assert_eq!(data[0x52..0x54], [2, 0]);
        let expected = [kernel as u16, kernel as u16 + 2].map(u16::to_le_bytes).concat();
        assert_eq!(data[0x3d4..0x3d8], expected);
    }
}

/// Raw bytes of the pages of a copy.
fn nand_bytes(board: &Board) -> usize {
    board.nand.pages(1496) * board.nand.raw_page()
}
