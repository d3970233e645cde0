//! Kernels, ramdisks and device trees in each other's way: moved where that is possible, refused where it
//! is not, and said so either way.

use crate::kit::{Board, GTA02, MINI2440, at_prompt, said};
use crate::workshop::{AT, INITRD, Workshop, address_after};
use crate::zimage::zimage;

const BOTH: [Board; 2] = [GTA02, MINI2440];
/// Where kernels unpack to.
const LOAD: u32 = 0x3000_8000;

fn shop(board: Board, table: bool) -> Workshop {
    let shop = Workshop::new(board);
    shop.write("zImage", zimage(&shop.read("kernel"), table));
    shop
}

#[test]
fn a_ramdisk_right_behind_a_zimage_is_moved_before_it_unpacks() {
    for board in BOTH {
        for table in [true, false] {
            let shop = shop(board, table);
            let image = shop.read("zImage");
            let end = LOAD + image.len() as u32;
            let line = format!("bootz 30008000 {end:x}:{INITRD:x}");
            let report = shop.boots_at(LOAD, &[image, shop.read("initrd")].concat(), &[&line]);
            let start = address_after(&report, "   Loading Ramdisk to ");
            assert!((AT..board.loader).contains(&start), "{}", report.uart);
            said(&report, &shop.initrd_tag(start));
        }
    }
}

#[test]
fn a_multi_image_of_a_zimage_and_a_ramdisk_boots_from_its_slot_and_from_anywhere() {
    for board in BOTH {
        let shop = shop(board, true);
        shop.tool("gzip -9nk zImage");
        for (comp, files) in [("none", "zImage:initrd"), ("gzip", "zImage.gz:initrd")] {
            let image = shop.mkimage("multi", comp, files);
            let report = shop.boots_from_slot(&image);
            said(&report, "S1 A:kind 2:ok");
            said(&report, &format!(", {INITRD} bytes, CRC-32 "));
            // Low, where the extractor copies itself to.
            let report = shop.boots_at(0x3002_0000, &image, &["bootm 30020000"]);
            let start = address_after(&report, "   Loading Ramdisk to ");
            said(&report, &shop.initrd_tag(start));
        }
    }
}

#[test]
fn a_ramdisk_where_the_kernel_goes_is_moved() {
    for board in BOTH {
        let shop = shop(board, true);
        let image = shop.mkimage("kernel", "none", "kernel");
        let end = AT + image.len() as u32;
        let bytes = [image, shop.read("initrd")].concat();
        let (copy, boot) =
            (format!("cp.b {end:x} 30010000 {INITRD:x}"), format!("bootm 31000000 30010000:{INITRD:x}"));
        let report = shop.boots(&bytes, &[&copy, &boot]);
        let start = address_after(&report, "   Loading Ramdisk to ");
        said(&report, &shop.initrd_tag(start));
    }
}

#[test]
fn nothing_goes_over_the_loader() {
    for board in BOTH {
        let shop = shop(board, true);
        let loader = board.loader;
        let load = loader - 0x1000;
        shop.tool(&format!(
            "mkimage -A arm -O linux -T kernel -C none -a {load:x} -e {load:x} -n test -d kernel image"
        ));
        let mut bytes = shop.read("image");
        let len = bytes.len() - 64;
        bytes.resize(0x2_0000, 0);
        bytes.extend(shop.mkimage("kernel", "none", "kernel"));
        let ramdisk = format!("bootm 31020000 {:x}:2000", loader - 0x1000);
        let tree = format!("bootm 31020000 - {loader:x}");
        let report = shop.run(&bytes, &["bootm 31000000", &ramdisk, &tree]);
        at_prompt(&report);
        said(
            &report,
            &format!(
                "ERROR: load range {load:08x}, {len:#x} bytes, is not in free RAM; \
                 'bdinfo' shows RAM and what of it belongs to the loader\r\n"
            ),
        );
        said(
            &report,
            &format!(
                "ERROR: the ramdisk at {load:08x}, 0x2000 bytes, reaches into the loader; \
                 load it below 'relocaddr' of 'bdinfo'\r\n"
            ),
        );
        said(&report, &format!("ERROR: no device tree at {loader:08x}: "));
    }
}
