//! Micron MT29F2G08AAC: 256 MiB, 3.3 V, five address cycles, with READ CACHE (31h, 3Fh; recall).
//!
//! Bytes 2 to 4 of the id are by recall. It answers READ ID at 20h without "ONFI" here, because
//! whether this part is an ONFI part is not known.

use super::Source::{Ambarella as AMB, Recall};
use super::commands::LARGE_PAGE;
use super::{Geometry, Part, Timing};

/// The part.
pub static PART: Part = Part {
    name: "MT29F2G08AAC",
    id: &[0x2C, 0xDA, 0x80, 0x15, 0x50],
    geometry: Geometry {
        page: 2048,
        oob: 64,
        pages_per_block: 64,
        blocks: 2048,
        column_cycles: 2,
        row_cycles: 3,
        bad_mark: 0,
    },
    commands: &LARGE_PAGE,
    cache_read: true,
    programs_per_page: 4,
    timing: Timing {
        t_cls_min: AMB.ns(25),
        t_clh_min: AMB.ns(10),
        t_cs_min: AMB.ns(35),
        t_ch_min: AMB.ns(10),
        t_wp_min: AMB.ns(25),
        t_als_min: AMB.ns(25),
        t_alh_min: AMB.ns(10),
        t_ds_min: AMB.ns(20),
        t_dh_min: AMB.ns(10),
        t_wh_min: AMB.ns(15),
        t_wc_min: Recall.ns(45),
        t_adl_min: Recall.ns(100),
        t_ar_min: AMB.ns(10),
        t_clr_min: AMB.ns(10),
        t_rr_min: AMB.ns(20),
        t_rp_min: AMB.ns(25),
        t_reh_min: AMB.ns(15),
        t_rc_min: Recall.ns(50),
        t_rea_max: AMB.ns(30),
        t_cea_max: Recall.ns(45),
        t_rhz_max: AMB.ns(30),
        t_rhw_min: Recall.ns(100),
        t_whr_min: AMB.ns(80),
        t_wb_max: AMB.ns(150),
        t_r_max: Recall.us(25),
        t_rcbsy: Recall.us(3),
        t_prog_typ: Recall.us(220),
        t_prog_max: Recall.us(700),
        t_bers_typ: Recall.us(500),
        t_bers_max: Recall.us(3000),
        t_rst_read_max: Recall.us(5),
        t_rst_prog_max: Recall.us(10),
        t_rst_erase_max: Recall.us(500),
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::bench::{Bench, NS};
    use crate::part::{Faults, NandImage};

    const NONE: [&str; 0] = [];

    /// Two blocks; every byte of a page is its number.
    fn filled() -> Bench {
        let bytes = (0..128 * 2112).map(|i| (i / 2112) as u8).collect();
        Bench::with(&PART, NandImage::from_bytes(bytes), Faults::default())
    }

    /// 31h or 3Fh, and until R/nB is high again.
    fn next(bench: &mut Bench, command: u8) {
        bench.command(command);
        bench.wait();
    }

    #[test]
    fn pages_follow_each_other_and_their_data_goes_out_meanwhile() {
        let mut bench = filled();
        bench.read_page(5, 0);
        for page in 5..8 {
            next(&mut bench, if page == 7 { 0x3F } else { 0x31 });
            // Two bytes while the array still loads the page behind.
            assert_eq!(bench.read(2), [page, page]);
        }
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn busy_is_the_copy_when_the_array_has_finished() {
        let mut bench = filled();
        bench.read_page(0, 0);
        next(&mut bench, 0x31);
        assert_eq!(bench.status(), 0xC0, "ready, the array not");
        bench.now += 25_000 * NS;
        assert_eq!(bench.read(1), [0xE0]);
        bench.command(0x31);
        let (fall, rise) = bench.chip.busy_edges();
        assert_eq!(rise - fall, 3000 * NS);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn busy_is_longer_when_the_array_has_not() {
        for command in [0x31, 0x3F] {
            let mut bench = filled();
            bench.read_page(0, 0);
            next(&mut bench, 0x31);
            let ready = bench.chip.busy_edges().1;
            bench.command(command);
            assert_eq!(bench.chip.busy_edges().1 - ready, (25_000 + 3000) * NS, "{command:02X}h");
        }
    }

    #[test]
    fn the_page_in_the_cache_register_can_be_read_at_any_column() {
        let mut bytes: Vec<u8> = (0..2 * 2112).map(|i| (i % 2112) as u8).collect();
        bytes[2112..].fill(0xEE);
        let mut bench = Bench::with(&PART, NandImage::from_bytes(bytes), Faults::default());
        bench.read_page(0, 0);
        next(&mut bench, 0x31);
        bench.command(0x05);
        bench.address(&2088_u16.to_le_bytes());
        bench.command(0xE0);
        assert_eq!(bench.read(2), [2088_u16 as u8, 2089_u16 as u8]);
        next(&mut bench, 0x3F);
        assert_eq!(bench.read(1), [0xEE]);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn the_end_of_a_block_ends_it() {
        let mut bench = filled();
        bench.read_page(62, 0);
        next(&mut bench, 0x31);
        next(&mut bench, 0x3F);
        assert_eq!((bench.read(1), bench.complaints()), (vec![63], vec![]));
        let mut bench = filled();
        bench.read_page(62, 0);
        next(&mut bench, 0x31);
        next(&mut bench, 0x31);
        let text = "nand-protocol: READ CACHE (31h) of page 63, which is the last of its block";
        assert_eq!(bench.complaints(), [text]);
    }

    #[test]
    fn what_is_out_of_sequence() {
        let check = |act: fn(&mut Bench), expected: &str| {
            let mut bench = filled();
            act(&mut bench);
            assert_eq!(bench.complaints(), [expected]);
        };
        let idle = "(MT29F2G08AAC waits for a command)";
        check(|bench| bench.command(0x31), &format!("nand-protocol: command 31h is not expected {idle}"));
        check(
            |bench| {
                bench.read_page(0, 0);
                bench.command(0x3F);
            },
            &format!("nand-protocol: command 3Fh is not expected {idle}"),
        );
        check(
            |bench| {
                bench.read_page(0, 0);
                bench.command(0x31);
                bench.command(0x31);
            },
            "nand-timing: busy for another 2880 ns, command 31h",
        );
        check(
            |bench| {
                bench.read_page(0, 0);
                next(bench, 0x31);
                bench.erase_block(1);
            },
            "nand-protocol: READ CACHE was not ended with 3Fh",
        );
    }

    #[test]
    fn reset_ends_it_too() {
        let mut bench = filled();
        bench.read_page(0, 0);
        next(&mut bench, 0x31);
        next(&mut bench, 0xFF);
        bench.read_page(9, 0);
        assert_eq!((bench.read(1), bench.complaints()), (vec![9], vec![]));
    }
}
