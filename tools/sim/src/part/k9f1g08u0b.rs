//! Samsung K9F1G08U0B: 128 MiB, 3.3 V, four address cycles. Carried by some mini2440.
//!
//! READ CACHE: none (recall). Four programs per page (recall).

use super::Source::{Ambarella as AMB, Assumption, Recall};
use super::commands::LARGE_PAGE;
use super::{Geometry, Part, Timing};

/// The part.
pub static PART: Part = Part {
    name: "K9F1G08U0B",
    id: &[0xEC, 0xF1, 0x00, 0x95, 0x40],
    geometry: Geometry {
        page: 2048,
        oob: 64,
        pages_per_block: 64,
        blocks: 1024,
        column_cycles: 2,
        row_cycles: 2,
        bad_mark: 0,
    },
    commands: &LARGE_PAGE,
    cache_read: false,
    programs_per_page: 4,
    timing: Timing {
        t_cls_min: AMB.ns(12),
        t_clh_min: AMB.ns(5),
        t_cs_min: AMB.ns(20),
        t_ch_min: AMB.ns(5),
        t_wp_min: AMB.ns(12),
        t_als_min: AMB.ns(12),
        t_alh_min: AMB.ns(5),
        t_ds_min: AMB.ns(12),
        t_dh_min: AMB.ns(5),
        t_wh_min: AMB.ns(10),
        t_wc_min: AMB.ns(25),
        t_adl_min: Recall.ns(100),
        t_ar_min: AMB.ns(10),
        t_clr_min: AMB.ns(10),
        t_rr_min: AMB.ns(20),
        t_rp_min: AMB.ns(12),
        t_reh_min: AMB.ns(10),
        t_rc_min: AMB.ns(25),
        // 20 by recall; the header's figure is the stricter one.
        t_rea_max: AMB.ns(22),
        t_cea_max: AMB.ns(25),
        t_rhz_max: AMB.ns(100),
        t_rhw_min: Recall.ns(100),
        t_whr_min: AMB.ns(60),
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
