//! FIT images of U-Boot's `mkimage -f`, and what a kernel reads in the device tree that it is handed.

use crate::kit::{Board, GTA02, MINI2440, TAGS, at_prompt, said};
use crate::workshop::{AT, INITRD, Workshop, address_after};

const BOTH: [Board; 2] = [GTA02, MINI2440];

/// A device tree whose memory and command line are wrong.
const DTS: &str = r#"/dts-v1/;
/ {
    #address-cells = <1>;
    #size-cells = <1>;
    model = "test";
    chosen { bootargs = "its own"; };
    memory@30000000 { device_type = "memory"; reg = <0x30000000 0x100000>; };
    soc { serial@50000000 { reg = <0x50000000 0x4000>; }; };
};
"#;

const ITS: &str = r#"/dts-v1/;
/ {
    description = "three kernels";
    #address-cells = <1>;
    images {
        kernel-1 {
            description = "as it is";
            data = /incbin/("kernel");
            type = "kernel"; arch = "arm"; os = "linux"; compression = "none";
            load = <0x30008000>; entry = <0x30008000>;
            hash-1 { algo = "crc32"; };
            hash-2 { algo = "sha1"; };
            hash-3 { algo = "sha256"; };
        };
        kernel-2 {
            description = "gzip";
            data = /incbin/("kernel.gz");
            type = "kernel"; arch = "arm"; os = "linux"; compression = "gzip";
            load = <0x30008000>; entry = <0x30008000>;
            hash-1 { algo = "sha1"; };
        };
        kernel-3 {
            description = "LZ4";
            data = /incbin/("kernel.lz4");
            type = "kernel"; arch = "arm"; os = "linux"; compression = "lz4";
            load = <0x30008000>; entry = <0x30008000>;
            hash-1 { algo = "sha256"; };
        };
        fdt-1 {
            description = "board";
            data = /incbin/("board.dtb");
            type = "flat_dt"; arch = "arm"; compression = "none";
            hash-1 { algo = "crc32"; };
        };
        ramdisk-1 {
            description = "files";
            data = /incbin/("initrd");
            type = "ramdisk"; arch = "arm"; os = "linux"; compression = "none";
            hash-1 { algo = "sha256"; };
        };
    };
    configurations {
        default = "conf-1";
        conf-1 { description = "all"; kernel = "kernel-1"; fdt = "fdt-1"; ramdisk = "ramdisk-1"; };
        conf-2 { description = "bare"; kernel = "kernel-2"; };
        conf-3 { description = "no ramdisk"; kernel = "kernel-3"; fdt = "fdt-1"; };
    };
};
"#;

fn shop(board: Board) -> Workshop {
    let shop = Workshop::new(board);
    shop.tool("gzip -9nk kernel");
    shop.tool("lz4 -q -9 kernel kernel.lz4");
    shop.write("board.dts", DTS);
    shop.tool("dtc -q -I dts -O dtb -o board.dtb board.dts");
    shop.write("image.its", ITS);
    shop.tool("mkimage -f image.its image.itb");
    shop
}

fn memory(board: Board) -> u32 {
    (board.loader + 0x20_0000 - 0x3000_0000) >> 20
}

/// The line of the demo about the command line of the recipe.
fn cmdline(board: Board) -> &'static str {
    match board.name {
        "gta02" => "demo: CMDLINE  console=ttySAC2,115200 loglevel=8\r\n",
        _ => "demo: CMDLINE  console=ttySAC0,115200 loglevel=8\r\n",
    }
}

#[test]
fn configurations_boot_by_default_and_by_name() {
    for board in BOTH {
        let shop = shop(board);
        let image = shop.read("image.itb");
        let report = shop.boots(&image, &["bootm"]);
        said(&report, "   Using 'conf-1' configuration\r\n   Trying 'kernel-1' kernel subimage\r\n");
        said(&report, "   Verifying Hash Integrity ... crc32+ sha1+ sha256+ OK\r\n");
        let tree = address_after(&report, "   Loading Device Tree to ");
        let entry = report.entry.unwrap();
        assert_eq!((entry.r0, entry.r1, entry.r2), (0, board.machine, tree));
        said(&report, &format!("demo: MEM      30000000, {} MiB\r\n", memory(board)));
        said(&report, cmdline(board));
        let ramdisk = address_after(&report, "   Using Ramdisk in place at ");
        said(&report, &shop.initrd_tag(ramdisk).replace("INITRD2 ", "INITRD  "));

        let report = shop.boots(&image, &["bootm 31000000#conf-2"]);
        assert_eq!(report.entry.unwrap().r2, TAGS);
        said(&report, "   Using 'conf-2' configuration\r\n");
        said(&report, "   Verifying Hash Integrity ... sha1+ OK\r\n");
    }
}

#[test]
fn data_may_be_outside_of_the_tree() {
    for board in BOTH {
        let shop = shop(board);
        shop.tool("mkimage -E -f image.its image.itb");
        let report = shop.boots(&shop.read("image.itb"), &["bootm"]);
        let ramdisk = address_after(&report, "   Using Ramdisk in place at ");
        said(&report, &shop.initrd_tag(ramdisk).replace("INITRD2 ", "INITRD  "));
    }
}

#[test]
fn iminfo_shows_what_dumpimage_shows() {
    for board in BOTH {
        let shop = shop(board);
        let report = shop.run(&shop.read("image.itb"), &["iminfo"]);
        at_prompt(&report);
        let listed = shop.tool("dumpimage -l image.itb");
        let mut rest = &report.uart[..];
        let mut lines = 0;
        for line in listed.lines().filter(|line| !line.contains("Created:")) {
            // Sizes are in other units.
            let exact = format!("\n   {}", line.split(" = ").next().unwrap());
            rest = rest.split_once(&exact).unwrap_or_else(|| panic!("{line:?} is missing in:\n{rest}")).1;
            lines += 1;
        }
        assert!(lines > 50, "{listed}");
        said(&report, "   Hash(es) for Image 0 (kernel-1): crc32+ sha1+ sha256+ \r\n");
        said(&report, "   Hash(es) for Image 4 (ramdisk-1): sha256+ \r\n=> ");
    }
}

#[test]
fn a_flipped_bit_in_any_part_is_found() {
    for board in BOTH {
        let shop = shop(board);
        let image = shop.read("image.itb");
        let parts = [
            ("kernel-1", "kernel", "conf-1"),
            ("kernel-2", "kernel.gz", "conf-2"),
            ("kernel-3", "kernel.lz4", "conf-3"),
            ("fdt-1", "board.dtb", "conf-3"),
            ("ramdisk-1", "initrd", "conf-1"),
        ];
        let mut lines = Vec::new();
        for (node, file, conf) in parts {
            let data = shop.read(file);
            let start = image.windows(data.len()).position(|window| window == data).unwrap();
            let at = start + data.len() / 2;
            let (byte, good) = (AT + at as u32, image[at]);
            lines.push((
                node,
                format!(
                    "mw.b {byte:x} {:x}; bootm 31000000#{conf}; iminfo; mw.b {byte:x} {good:x}",
                    good ^ 0x10
                ),
            ));
        }
        let typed: Vec<&str> = lines.iter().map(|(_, line)| &line[..]).chain(["iminfo"]).collect();
        let report = shop.run(&image, &typed);
        at_prompt(&report);
        for (node, line) in &lines {
            let answer = report.uart.split_once(line).unwrap().1.split("=> ").next().unwrap();
            let error = format!(" error!\r\nERROR: Bad hash value for '{node}' of the FIT; load it anew\r\n");
            assert_eq!(answer.matches(&error).count(), 2, "{line}: {answer}");
        }
        said(&report, "   Hash(es) for Image 4 (ramdisk-1): sha256+ \r\n=> ");
    }
}

#[test]
fn a_device_tree_beside_a_uimage_is_fixed_up() {
    for board in BOTH {
        let shop = shop(board);
        let mut bytes = shop.mkimage("kernel", "none", "kernel");
        bytes.resize(0x2_0000, 0);
        bytes.extend(shop.read("board.dtb"));
        bytes.resize(0x3_0000, 0);
        bytes.extend(shop.read("initrd"));
        let boot = format!("bootm 31000000 31030000:{INITRD:x} 31020000");
        let report = shop.boots(&bytes, &["setenv bootargs from the environment", &boot]);
        said(&report, &format!("demo: MEM      30000000, {} MiB\r\n", memory(board)));
        said(&report, "demo: CMDLINE  from the environment\r\n");
        said(&report, &shop.initrd_tag(AT + 0x3_0000).replace("INITRD2 ", "INITRD  "));
        // In a multi-image it comes third.
        let image = shop.mkimage("multi", "none", "kernel:initrd:board.dtb");
        let report = shop.boots_from_slot(&image);
        said(&report, "S1 A:kind 2:ok");
        said(&report, cmdline(board));
        said(&report, &format!(", {INITRD} bytes, CRC-32 "));
    }
}
