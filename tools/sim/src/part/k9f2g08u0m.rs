//! Samsung K9F2G08U0M: 256 MiB, 3.3 V, five address cycles, the first generation. at91bootstrap knows it by
//! its id as a chip of the AT91SAM9 boards.
//!
//! Bytes 2 to 4 of the id are those of its successors (recall). READ CACHE: none (recall).

use super::Source::{Ambarella as AMB, Assumption, Recall};
use super::commands::LARGE_PAGE;
use super::{Geometry, Part, Timing};

/// The part.
pub static PART: Part = Part {
    name: "K9F2G08U0M",
    id: &[0xEC, 0xDA, 0x10, 0x95, 0x44],
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
    cache_read: false,
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
        t_ar_min: Recall.ns(10),
        t_clr_min: Recall.ns(10),
        t_rr_min: AMB.ns(20),
        t_rp_min: AMB.ns(25),
        t_reh_min: AMB.ns(15),
        t_rc_min: Recall.ns(50),
        t_rea_max: AMB.ns(30),
        t_cea_max: Recall.ns(45),
        t_rhz_max: AMB.ns(100),
        t_rhw_min: Recall.ns(100),
        t_whr_min: Recall.ns(60),
        t_wb_max: AMB.ns(100),
        t_r_max: Recall.us(25),
        // Not used: the part has no READ CACHE.
        t_rcbsy: Assumption.us(0),
        t_prog_typ: Recall.us(200),
        t_prog_max: Recall.us(700),
        t_bers_typ: Recall.us(1500),
        t_bers_max: Recall.us(2000),
        t_rst_read_max: Recall.us(5),
        t_rst_prog_max: Recall.us(10),
        t_rst_erase_max: Recall.us(500),
    },
};
