//! A flash with pages in other ECC layouts than the loader's, erased and damaged ones: what
//! `nand ecc` says of them is in transcripts/.

use crate::common::pattern;
use crate::kit::{Flash, GTA02};
use crate::software::software_code;

/// An erase block of the root file system, at 1400000.
const BLOCK: u32 = 160;

/// A good flash with these pages in a block of its own.
pub fn flash() -> Flash {
    let mut flash = GTA02.good_flash();
    let data = pattern(GTA02.nand.page, 160);
    let codes: Vec<u8> = data.chunks(256).flat_map(software_code).collect();
    let mut software = [&data[..], &[0xff; 40], &codes].concat();
    let erased = vec![0xff; GTA02.nand.raw_page()];
    let bare = [&data[..], &[0xff; 64]].concat();

    // 0 to 2: software ECC, whole, with a flipped bit, and with two in a step.
    write(&mut flash, 0, &software, &[]);
    write(&mut flash, 1, &software, &[(700, 2)]);
    write(&mut flash, 2, &software, &[(700, 2), (701, 2), (2047, 7)]);
    // 3 to 5: erased, with a flipped bit, and with two in a step.
    write(&mut flash, 4, &erased, &[(1300, 0)]);
    write(&mut flash, 5, &erased, &[(1300, 0), (1301, 0)]);
    // 6 to 8: the controller's ECC, whole, with a flipped bit in a code, and with two in a step.
    for page in 6..9 {
        flash.rewrite(number(page), |page| page.copy_from_slice(&data));
    }
    flip(&mut flash, 7, &[(2048 + 63, 7)]);
    flip(&mut flash, 8, &[(0, 0), (2048 + 40, 0)]);
    // 9 and 10: no ECC, and software ECC of something that no byte order matters for.
    write(&mut flash, 9, &bare, &[]);
    software[..data.len()].fill(0);
    software[data.len()..].fill(0xff);
    write(&mut flash, 10, &software, &[]);
    flash
}

/// The number on the chip of a page of the block.
fn number(page: u32) -> u32 {
    BLOCK * GTA02.nand.block_pages + page
}

fn write(flash: &mut Flash, page: u32, raw: &[u8], flips: &[(u64, u8)]) {
    flash.image.write(flash.offset(number(page)), raw);
    flip(flash, page, flips);
}

/// Inverts bits of a page, given by byte and bit.
fn flip(flash: &mut Flash, page: u32, flips: &[(u64, u8)]) {
    for (byte, bit) in flips {
        let at = flash.offset(number(page)) + byte;
        let mut value = [0];
        flash.image.read(at, &mut value);
        flash.image.write(at, &[value[0] ^ 1 << bit]);
    }
}
