//! What the console writes to NAND: page by page what `stone` makes of the same data, around bad
//! blocks and past those that fail.

use crate::kit::{BOARDS, Board, Flash, GTA02, KINDS, at_prompt, said};
use boot::image::uimage;
use sim::{Options, Report};

/// A flash on which commands have been typed.
struct Written {
    flash: Flash,
    report: Report,
    /// The blocks of the root file system, which is erased before.
    rootfs: u32,
}

/// Bytes of a kernel with its header: more than two blocks.
fn kernel(board: &Board) -> usize {
    uimage::HEADER + board.nand.kernel()
}

/// Copies the kernel of slot A to the start of the root file system, which has these of its blocks bad.
/// Before that, `before` is typed.
fn copy_kernel(board: Board, bad: &[u32], change: impl FnOnce(&mut Options, u32), before: &str) -> Written {
    let rootfs = board.good_flash().blocks("rootfs").start;
    let bad: Vec<u32> = bad.iter().map(|block| rootfs + block).collect();
    let mut flash = board.good_flash_around(&bad).unwrap();
    let mut options = flash.options();
    change(&mut options, rootfs);
    let (at, size) = (rootfs as usize * board.nand.block(), kernel(&board));
    let keys = format!(
        "\r{before}nand read 31000000 kernel-a {size:x}\rnand erase.spread {at:x} {size:x}\r\
         nand write 31000000 {at:x} {size:x}\r"
    );
    let report = flash.run_and_keep(&options, &keys);
    at_prompt(&report);
    Written { flash, report, rootfs }
}

impl Written {
    /// Pages of a block, data and OOB, as they are in the chip.
    fn block(&self, block: u32) -> Vec<u8> {
        let nand = self.flash.board.nand;
        let mut raw = vec![0; nand.raw_page() * nand.block_pages as usize];
        self.flash.image.read(self.flash.offset(block * nand.block_pages), &mut raw);
        raw
    }

    /// Asserts that the kernel is in these blocks of the root file system as it is in slot A.
    #[track_caller]
    fn holds_the_kernel(&self, blocks: [u32; 3]) {
        let slot = self.flash.blocks("kernel-a").start;
        for (packed, written) in (slot..).zip(blocks) {
            // Behind the kernel, in its last block, all is erased.
            assert!(
                self.block(packed) == self.block(self.rootfs + written),
                "block {written} of the root file system"
            );
        }
    }

    /// Asserts that both marks are on this block of the root file system, and nothing else.
    #[track_caller]
    fn is_marked(&self, block: u32) {
        let nand = self.flash.board.nand;
        for (page, raw) in self.block(self.rootfs + block).chunks(nand.raw_page()).enumerate() {
            let mut expected = vec![0xff; nand.raw_page()];
            if page < 2 {
                expected[nand.page + nand.mark] = 0;
            }
            assert!(raw == expected, "page {page} of block {block}");
        }
    }
}

#[test]
fn pages_are_those_that_stone_packs() {
    for board in BOARDS {
        let written = copy_kernel(board, &[], |_, _| (), "");
        written.holds_the_kernel([0, 1, 2]);
        said(&written.report, &format!(" {} bytes written: OK", kernel(&board)));
    }
}

#[test]
fn bad_blocks_are_skipped() {
    for board in KINDS {
        copy_kernel(board, &[0, 2, 3], |_, _| (), "").holds_the_kernel([1, 4, 5]);
    }
}

#[test]
fn a_block_that_fails_to_program_is_marked_and_its_data_moved() {
    for board in KINDS {
        let fails = |options: &mut Options, rootfs| {
            options.fail_programs = vec![(rootfs + 1) * board.nand.block_pages + 9];
        };
        let written = copy_kernel(board, &[2], fails, "");
        written.holds_the_kernel([0, 3, 4]);
        written.is_marked(1);
        said(&written.report, "could not be programmed: block 0x");
    }
}

#[test]
fn a_block_that_fails_to_erase_is_marked() {
    for board in KINDS {
        // Something is in it, or nobody could tell: a byte of RAM that has been written.
        let fails = |options: &mut Options, rootfs| options.fail_erases = vec![rootfs];
        let at = board.good_flash().blocks("rootfs").start as usize * board.nand.block();
        let before = format!("mw.b 31000000 5a\rnand write 31000000 {at:x} 1\r");
        let written = copy_kernel(board, &[], fails, &before);
        // The range that was to be erased had one block less than was needed then.
        said(&written.report, &format!("Block {at:#010x} could not be erased: it is marked bad now"));
        let block = written.block(written.rootfs);
        let marks = block.chunks(board.nand.raw_page()).map(|page| page[board.nand.page + board.nand.mark]);
        assert_eq!(marks.take(2).collect::<Vec<_>>(), [0, 0]);
        written.holds_the_kernel([1, 2, 3]);
    }
}

#[test]
fn marks_typed_are_skipped_from_then_on() {
    for board in KINDS {
        let at = (board.good_flash().blocks("rootfs").start as usize + 1) * board.nand.block();
        let written = copy_kernel(board, &[], |_, _| (), &format!("nand markbad {at:x}\r"));
        written.is_marked(1);
        written.holds_the_kernel([0, 2, 3]);
    }
}

#[test]
fn a_kernel_written_on_the_board_boots() {
    let mut flash = GTA02.flash(&[], &[], &GTA02.kernel(crate::kit::LOAD_B)).unwrap();
    let size = kernel(&GTA02);
    let keys = format!(
        "\rnand read 31000000 kernel-b {size:x}\rnand erase.part kernel-a\rnand write 31000000 kernel-a {size:x}\r"
    );
    let options = flash.options();
    at_prompt(&flash.run_and_keep(&options, &keys));
    let report = flash.boot();
    crate::kit::booted(&GTA02, &report, crate::kit::LOAD_B);
    assert_eq!(crate::kit::stage1(&report), "A:ok");
}
