//! NAND parts: what a data sheet says of one ([`Part`], a file each) and a chip that behaves so ([`Chip`]).
//!
//! The chip sees the bus as its pins do: strobes with widths and distances in time. It knows
//! nothing of the controller in front of it.

mod array;
#[cfg(test)]
pub(crate) mod bench;
mod chip;
mod commands;
mod faults;
mod history;
mod image;
pub mod k5d2g13acm;
pub mod k9f1208u0c;
pub mod k9f1g08u0b;
pub mod k9f2g08u0b;
pub mod k9f2g08u0m;
mod log;
pub mod mt29f2g08aac;
mod operations;
mod pins;
mod power;
mod strobes;
mod torn;

pub use chip::Chip;
pub use commands::{Area, CommandSet};
pub use faults::{Faults, Flip, PartError};
pub use image::NandImage;
pub use log::{AT91_2048_4, DeliveredFlip, EccLayout, FlippedSteps, LINUX_256_3, LINUX_512_3, Log, PageRead};
pub use pins::{ArrayWork, BusyTime, Pins};
pub use power::Torn;
pub use strobes::Pulse;

use std::fmt;

use crate::bus::Ps;

/// Every part there is a data file for.
pub static PARTS: &[&Part] = &[
    &k5d2g13acm::PART,
    &k9f1208u0c::PART,
    &k9f1g08u0b::PART,
    &k9f2g08u0b::PART,
    &k9f2g08u0m::PART,
    &mt29f2g08aac::PART,
];

/// The part of this name, in any case of letters.
#[must_use]
pub fn find(name: &str) -> Option<&'static Part> {
    PARTS.iter().copied().find(|part| part.name.eq_ignore_ascii_case(name))
}

/// An SLC NAND chip with an 8-bit bus, as its data sheet describes it.
#[derive(Debug)]
pub struct Part {
    /// Type number, without package and speed suffix.
    pub name: &'static str,
    /// What READ ID returns at address 00h. Further reads give 00h; what the real parts
    /// give there is not known.
    pub id: &'static [u8],
    /// Sizes and address cycles.
    pub geometry: Geometry,
    /// Which commands there are, where parts differ.
    pub commands: &'static CommandSet,
    /// Whether READ CACHE (31h and 3Fh) exists.
    pub cache_read: bool,
    /// How often a page may be programmed between two erases of its block.
    pub programs_per_page: u8,
    /// Limits on the strobes, and busy times.
    pub timing: Timing,
}

/// Sizes of a part, in bytes, pages and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Data bytes of a page.
    pub page: u32,
    /// Spare (OOB) bytes of a page.
    pub oob: u32,
    /// Pages of an erase block.
    pub pages_per_block: u32,
    /// Erase blocks of the chip.
    pub blocks: u32,
    /// Address cycles that select the column.
    pub column_cycles: u8,
    /// Address cycles that select the row (page).
    pub row_cycles: u8,
    /// Spare byte that is not FFh in page 0 or 1 of a bad block.
    pub bad_mark: u32,
}

impl Geometry {
    /// Data and spare bytes of a page.
    #[must_use]
    pub const fn page_total(&self) -> u32 {
        self.page + self.oob
    }

    /// Pages of the chip.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.pages_per_block * self.blocks
    }

    /// Bytes of a raw image of the whole chip, spare bytes included.
    #[must_use]
    pub const fn raw_size(&self) -> u64 {
        self.pages() as u64 * self.page_total() as u64
    }

    /// Byte of a page with the mark of a bad block, spare bytes counted after the data.
    #[must_use]
    pub const fn bad_mark_byte(&self) -> u32 {
        self.page + self.bad_mark
    }

    /// Where a page starts in the raw image.
    #[must_use]
    pub const fn page_offset(&self, page: u32) -> u64 {
        page as u64 * self.page_total() as u64
    }
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Ambarella's public SLC NAND headers, which quote the part's data sheet.
    Ambarella,
    /// Public board code or measurements of the board that carries the part.
    Board,
    /// Follows from the part's other figures.
    Derived,
    /// General knowledge of the data sheet, not read again.
    Recall,
    /// No source: the figure of a similar part.
    Assumption,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ambarella => "Ambarella header",
            Self::Board => "board",
            Self::Derived => "derived",
            Self::Recall => "recall",
            Self::Assumption => "assumption",
        })
    }
}

impl Source {
    /// A limit in nanoseconds from this source.
    const fn ns(self, ns: u32) -> Limit {
        Limit { ns, source: self }
    }

    /// A limit in microseconds from this source.
    const fn us(self, us: u32) -> Limit {
        Limit { ns: us * 1000, source: self }
    }
}

/// One figure of a timing table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The figure.
    pub ns: u32,
    /// Who says so.
    pub source: Source,
}

impl Limit {
    /// As modelled time.
    #[must_use]
    pub const fn ps(self) -> Ps {
        self.ns as Ps * 1000
    }
}

/// Timing table of a part: the data sheet's names, `min` and `max` as it gives them.
#[derive(Debug)]
pub struct Timing {
    /// CLE set-up to the rising edge of nWE.
    pub t_cls_min: Limit,
    /// CLE hold after the rising edge of nWE.
    pub t_clh_min: Limit,
    /// nCE set-up to the rising edge of nWE.
    pub t_cs_min: Limit,
    /// nCE hold after the rising edge of nWE.
    pub t_ch_min: Limit,
    /// nWE low.
    pub t_wp_min: Limit,
    /// ALE set-up to the rising edge of nWE.
    pub t_als_min: Limit,
    /// ALE hold after the rising edge of nWE.
    pub t_alh_min: Limit,
    /// Data set-up to the rising edge of nWE.
    pub t_ds_min: Limit,
    /// Data hold after the rising edge of nWE.
    pub t_dh_min: Limit,
    /// nWE high.
    pub t_wh_min: Limit,
    /// Write cycle.
    pub t_wc_min: Limit,
    /// Last address strobe to first data strobe of a program, rising edges of nWE.
    pub t_adl_min: Limit,
    /// ALE low to nRE low.
    pub t_ar_min: Limit,
    /// CLE low to nRE low.
    pub t_clr_min: Limit,
    /// R/nB high to nRE low.
    pub t_rr_min: Limit,
    /// nRE low.
    pub t_rp_min: Limit,
    /// nRE high.
    pub t_reh_min: Limit,
    /// Read cycle.
    pub t_rc_min: Limit,
    /// nRE low to data valid.
    pub t_rea_max: Limit,
    /// nCE low to data valid.
    pub t_cea_max: Limit,
    /// nRE high to the data lines let go.
    pub t_rhz_max: Limit,
    /// nRE high to nWE low.
    pub t_rhw_min: Limit,
    /// nWE high to nRE low.
    pub t_whr_min: Limit,
    /// nWE high to R/nB low.
    pub t_wb_max: Limit,
    /// Page from the array to the register.
    pub t_r_max: Limit,
    /// Busy after READ CACHE, with the next page already there.
    pub t_rcbsy: Limit,
    /// Page program. The typical figure is what the chip takes; the maximum bounds a driver's wait.
    pub t_prog_typ: Limit,
    /// Longest page program.
    pub t_prog_max: Limit,
    /// Block erase, typical.
    pub t_bers_typ: Limit,
    /// Longest block erase.
    pub t_bers_max: Limit,
    /// Reset while reading, or idle.
    pub t_rst_read_max: Limit,
    /// Reset while programming.
    pub t_rst_prog_max: Limit,
    /// Reset while erasing.
    pub t_rst_erase_max: Limit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_in_any_case_of_letters() {
        assert_eq!(find("k9f1g08u0b").map(|part| part.name), Some("K9F1G08U0B"));
        assert!(find("K9F1G08").is_none());
    }

    #[test]
    fn sizes_follow_from_the_geometry() {
        let check = |name, raw_size| assert_eq!(find(name).expect(name).geometry.raw_size(), raw_size);
        check("K9F1208U0C", 69_206_016);
        check("K9F1G08U0B", 138_412_032);
        check("K9F2G08U0B", 276_824_064);
        check("K5D2G13ACM", 276_824_064);
    }

    #[test]
    fn the_tables_are_consistent() {
        for part in PARTS {
            let t = &part.timing;
            assert!(t.t_wc_min.ns >= t.t_wp_min.ns + t.t_wh_min.ns, "{}", part.name);
            assert!(t.t_rc_min.ns >= t.t_rp_min.ns + t.t_reh_min.ns, "{}", part.name);
            assert!(t.t_cea_max.ns >= t.t_rea_max.ns, "{}", part.name);
            assert!(
                t.t_prog_max.ns >= t.t_prog_typ.ns && t.t_bers_max.ns >= t.t_bers_typ.ns,
                "{}",
                part.name
            );
            assert!(matches!(part.geometry.page, 512 | 2048) && part.geometry.bad_mark < part.geometry.oob);
            let rows = 8 * u32::from(part.geometry.row_cycles);
            assert!(u64::from(part.geometry.pages()) <= 1 << rows, "{}", part.name);
        }
    }
}
