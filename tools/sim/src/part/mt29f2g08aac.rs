//! Micron MT29F2G08AAC: 256 MiB, 3.3 V, five address cycles, with READ CACHE (31h, 3Fh; recall).
//!
//! Bytes 2 to 4 of the id are by recall. It answers READ ID at 20h without "ONFI" here, because
//! whether this part is an ONFI part is not known.

use super::Source::{Ambarella as AMB, Recall};
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
    },
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
