//! NAND parts that the boards carry: timings from their data sheets, in ns.
//!
//! Samsung gives tR as 25 us at most and tRST as 5 us for a chip that is only reading, but
//! 500 us for one whose erase is broken off: that is what stage2 may meet.

use crate::hal::NandTiming;
use crate::units::Ns;

const T_BUSY: Ns = Ns(500_000);

/// The 2 Gbit x8 1.8 V NAND in Samsung's K5D2G13ACM-D075, the GTA02's package. Cycle
/// and write pulse as measured and used by Openmoko (tRC 45 ns, tWP 25, tWH 15); the
/// rest as of the K9F2G08R0A, the same die sold alone.
pub const K5D2G13ACM: NandTiming = NandTiming {
    t_cls_min: Ns(21),
    t_clh_min: Ns(5),
    t_cs_min: Ns(25),
    t_ch_min: Ns(5),
    t_als_min: Ns(21),
    t_alh_min: Ns(5),
    t_ds_min: Ns(20),
    t_dh_min: Ns(5),
    t_wp_min: Ns(25),
    t_wh_min: Ns(15),
    t_wc_min: Ns(45),
    t_rp_min: Ns(25),
    t_reh_min: Ns(15),
    t_rc_min: Ns(45),
    t_rea_max: Ns(30),
    t_whr_min: Ns(60),
    t_rhw_min: Ns(100),
    t_busy_max: T_BUSY,
};

/// Samsung K9F1G08U0B, 1 Gbit x8 3.3 V.
pub const K9F1G08U0B: NandTiming = NandTiming {
    t_cls_min: Ns(12),
    t_clh_min: Ns(5),
    t_cs_min: Ns(20),
    t_ch_min: Ns(5),
    t_als_min: Ns(12),
    t_alh_min: Ns(5),
    t_ds_min: Ns(12),
    t_dh_min: Ns(5),
    t_wp_min: Ns(12),
    t_wh_min: Ns(10),
    t_wc_min: Ns(25),
    t_rp_min: Ns(12),
    t_reh_min: Ns(10),
    t_rc_min: Ns(25),
    t_rea_max: Ns(22),
    t_whr_min: Ns(60),
    t_rhw_min: Ns(100),
    t_busy_max: T_BUSY,
};

/// Samsung K9F2G08U0B, 2 Gbit x8 3.3 V: as its smaller sibling, with a faster tREA.
pub const K9F2G08U0B: NandTiming = NandTiming { t_rea_max: Ns(20), ..K9F1G08U0B };
