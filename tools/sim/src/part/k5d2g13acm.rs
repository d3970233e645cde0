//! NAND of the Samsung K5D2G13ACM-D075 multi-chip package of the Openmoko GTA02: 256 MiB, 1.8 V,
//! five address cycles.
//!
//! No data sheet is public. Known from the board: size and width, write strobe and recovery (what
//! its Linux board file asks for, 0/25/15 ns), the 45 ns cycle and tR (Harald Welte's measurements
//! of 2008). Everything marked as an assumption is the figure of K9F2G08R0A, the nearest part of
//! its own. The id is the one expected of a 1.8 V 2 Gbit part: bytes 0 to 3 as public tables give
//! them for K9F2G08R0A, byte 4 by recall.

use super::Source::{Assumption, Board, Derived, Recall};
use super::commands::LARGE_PAGE;
use super::{Geometry, Part, Timing};

/// The part.
pub static PART: Part = Part {
    name: "K5D2G13ACM",
    id: &[0xEC, 0xAA, 0x00, 0x15, 0x44],
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
        t_cls_min: Assumption.ns(21),
        t_clh_min: Assumption.ns(5),
        t_cs_min: Assumption.ns(25),
        t_ch_min: Assumption.ns(5),
        t_wp_min: Board.ns(25),
        t_als_min: Assumption.ns(21),
        t_alh_min: Assumption.ns(5),
        t_ds_min: Assumption.ns(20),
        t_dh_min: Assumption.ns(5),
        t_wh_min: Board.ns(15),
        t_wc_min: Board.ns(45),
        t_adl_min: Assumption.ns(100),
        t_ar_min: Assumption.ns(10),
        t_clr_min: Assumption.ns(10),
        t_rr_min: Assumption.ns(20),
        // The controller has one pulse width for both strobes: what the board file
        // asks for nWE it also asks for nRE.
        t_rp_min: Derived.ns(25),
        t_reh_min: Assumption.ns(15),
        t_rc_min: Board.ns(45),
        t_rea_max: Assumption.ns(30),
        t_cea_max: Assumption.ns(35),
        t_rhz_max: Assumption.ns(100),
        t_rhw_min: Assumption.ns(100),
        t_whr_min: Assumption.ns(60),
        t_wb_max: Assumption.ns(100),
        t_r_max: Board.us(25),
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
