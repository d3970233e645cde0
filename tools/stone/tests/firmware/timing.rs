//! Modelled time: the same every time, and as good as promised.

use crate::kit::{GTA02, LOAD_A, MINI2440, SMDK2410, booted, flip_every_step, payload_of, uimage};
use sim::Options;

#[test]
fn the_same_run_gives_the_same_report() {
    let flash = GTA02.good_flash();
    let pages = flash.pages("kernel-a", 1 << 17);
    let options = |seed| Options { flips: flip_every_step(&GTA02, &pages, 1), seed, ..flash.options() };
    for keys in ["", "\rbdinfo\rnand info\r"] {
        let first = flash.run(&options(1), keys);
        assert_eq!(flash.run(&options(1), keys).to_json(), first.to_json());
    }
    // Another seed is another board: other cache lines are replaced, the rest is the same.
    let (one, other) = (flash.run(&options(1), ""), flash.run(&options(2), ""));
    assert_eq!(one.uart, other.uart);
    assert_eq!(one.nand, other.nand);
}

#[test]
fn four_mebibytes_come_at_most_of_the_speed_of_the_port() {
    let image = uimage(&payload_of(4 << 20, 1), |_| ());
    for (board, share, milliseconds) in [(GTA02, 0.97, 400), (MINI2440, 0.95, 400), (SMDK2410, 0.85, 600)] {
        let report = board.flash(&[], &image, &image).unwrap().boot();
        booted(&board, &report, LOAD_A);
        let read = report.kernel_read.unwrap();
        assert_eq!(read.bytes, image.len().next_multiple_of(board.nand.page) as u64);
        assert!(read.share >= share, "{}", report.to_json());
        assert!(read.mb_per_s <= read.limit_mb_per_s, "{}", report.to_json());
        assert!(read.limit_mb_per_s <= read.bus_limit_mb_per_s, "{}", report.to_json());
        assert!(report.time_ns < milliseconds * 1_000_000, "{}", report.to_json());
        // The phases are those of a boot, without a gap, from reset to entry.
        let names: Vec<_> = report.phases.iter().map(|phase| phase.name).collect();
        assert_eq!(names, ["boot-rom", "clocks", "sdram", "init", "kernel-read", "entry"]);
        assert_eq!(report.phases[0].start_ns, 0);
        assert!(report.phases.windows(2).all(|pair| pair[0].end_ns == pair[1].start_ns));
        assert_eq!(report.phases[5].end_ns, report.time_ns);
    }
}
