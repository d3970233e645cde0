//! NAND parts: who they are, how they are organised, what timing they ask for.
//!
//! Figures come from tables that others made of the data sheets (boot loaders, vendor
//! headers), not from the sheets themselves. Those that rest on general knowledge alone are
//! listed in [`Part::recalled`]: check them before you rely on them.

use super::datasheet::{Parameter, Timing};
use platform::hal::Geometry;
use platform::units::Ns;

/// A part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, without package and speed codes.
    pub name: &'static str,
    /// The first bytes of its answer to READ ID, as many as are certain.
    pub id: &'static [u8],
    /// Its organisation.
    pub geometry: Geometry,
    /// Its timing set.
    pub timing: Timing,
    /// The busy time between pages of READ CACHE (31h), where it has the command.
    pub t_rcbsy: Option<Ns>,
    /// Parameters whose values are recalled and unverified.
    pub recalled: &'static [Parameter],
}

impl Part {
    /// Command and address cycles of a page read: large pages take two commands, small ones a
    /// single command and a single column byte. Rows of more than 16 bits take a third byte.
    #[must_use]
    pub const fn latch_cycles(&self) -> u32 {
        latch_cycles(&self.geometry)
    }
}

/// Command and address cycles of a page read from a chip of this organisation.
#[must_use]
pub const fn latch_cycles(geometry: &Geometry) -> u32 {
    let row = if geometry.blocks * geometry.pages_per_block > 1 << 16 { 3 } else { 2 };
    if geometry.page > 512 { 2 + 2 + row } else { 1 + 1 + row }
}

const fn large_page(blocks: u32) -> Geometry {
    Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks }
}

/// A reset may interrupt an erase: 500 us on every part here (recalled).
const T_RST: Ns = Ns(500_000);

/// Samsung K9F1G08U0B, 3.3 V; several 25 ns parts differ in little.
const K9F1G08U0B: Timing = Timing {
    t_cls_min: Ns(12),
    t_clh_min: Ns(5),
    t_als_min: Ns(12),
    t_alh_min: Ns(5),
    t_cs_min: Ns(20),
    t_ch_min: Ns(5),
    t_ds_min: Ns(12),
    t_dh_min: Ns(5),
    t_wp_min: Ns(12),
    t_wh_min: Ns(10),
    t_wc_min: Ns(25),
    t_rp_min: Ns(12),
    t_reh_min: Ns(10),
    t_rc_min: Ns(25),
    t_rea_max: Ns(22), // 20 in another source
    t_cea_max: Ns(25),
    t_ar_min: Ns(10),
    t_clr_min: Ns(10),
    t_rr_min: Ns(20),
    t_rhz_max: Ns(100),
    t_whr_min: Ns(60),
    t_rhw_min: Ns(100),
    t_adl_min: Ns(100),
    t_wb_max: Ns(100),
    t_r_max: Ns(25_000),
    t_rst_max: T_RST,
    t_prog_max: Ns(700_000),
    t_bers_max: Ns(2_000_000),
};

/// Samsung K9F2G08R0A, 1.8 V: all of it recalled.
const K9F2G08R0A: Timing = Timing {
    t_cls_min: Ns(21),
    t_als_min: Ns(21),
    t_cs_min: Ns(25),
    t_ds_min: Ns(20),
    t_wp_min: Ns(21),
    t_wh_min: Ns(15),
    t_wc_min: Ns(42),
    t_rp_min: Ns(21),
    t_reh_min: Ns(15),
    t_rc_min: Ns(42),
    t_rea_max: Ns(30),
    t_cea_max: Ns(35),
    ..K9F1G08U0B
};

/// Parameters that no table gives for the 25 ns Samsung and Hynix parts.
const USUAL: &[Parameter] =
    &[Parameter::Rhw, Parameter::Adl, Parameter::R, Parameter::Rst, Parameter::Prog, Parameter::Bers];

/// All that are known.
pub const PARTS: &[Part] = &[
    Part {
        name: "K5D2G13ACM",
        // The GTA02's package; the answer is expected, not seen.
        id: &[0xec, 0xaa],
        geometry: large_page(2048),
        // Cycle and write pulse as measured and used by Openmoko; the rest as of the die
        // sold alone.
        timing: Timing {
            t_wp_min: Ns(25),
            t_wc_min: Ns(45),
            t_rp_min: Ns(25),
            t_rc_min: Ns(45),
            ..K9F2G08R0A
        },
        t_rcbsy: None,
        recalled: &[
            Parameter::Cls,
            Parameter::Clh,
            Parameter::Als,
            Parameter::Alh,
            Parameter::Cs,
            Parameter::Ch,
            Parameter::Ds,
            Parameter::Dh,
            Parameter::Rp,
            Parameter::Reh,
            Parameter::Rea,
            Parameter::Cea,
            Parameter::Ar,
            Parameter::Clr,
            Parameter::Rr,
            Parameter::Rhz,
            Parameter::Whr,
            Parameter::Rhw,
            Parameter::Adl,
            Parameter::Wb,
            Parameter::Rst,
            Parameter::Prog,
            Parameter::Bers,
        ],
    },
    Part {
        name: "K9F1208U0C",
        id: &[0xec, 0x76, 0x5a, 0x3f],
        geometry: Geometry { page: 512, oob: 16, pages_per_block: 32, blocks: 4096 },
        timing: Timing {
            t_cls_min: Ns(21),
            t_als_min: Ns(21),
            t_cs_min: Ns(31),
            t_ds_min: Ns(20),
            t_wp_min: Ns(21),
            t_wh_min: Ns(15),
            t_wc_min: Ns(42),
            t_rp_min: Ns(21),
            t_reh_min: Ns(15),
            t_rc_min: Ns(42),
            t_rea_max: Ns(30),
            t_cea_max: Ns(35),
            t_rhz_max: Ns(30),
            t_r_max: Ns(15_000),
            t_prog_max: Ns(500_000),
            t_bers_max: Ns(3_000_000),
            ..K9F1G08U0B
        },
        t_rcbsy: None,
        recalled: &[
            Parameter::Wc,
            Parameter::Rc,
            Parameter::Cea,
            Parameter::Rhw,
            Parameter::Adl,
            Parameter::R,
            Parameter::Rst,
            Parameter::Prog,
            Parameter::Bers,
        ],
    },
    Part {
        name: "K9F1G08U0B",
        id: &[0xec, 0xf1, 0x00, 0x95, 0x40],
        geometry: large_page(1024),
        timing: K9F1G08U0B,
        t_rcbsy: None,
        recalled: USUAL,
    },
    Part {
        name: "K9F2G08U0B",
        id: &[0xec, 0xda, 0x10, 0x95, 0x44],
        geometry: large_page(2048),
        timing: Timing { t_rea_max: Ns(20), ..K9F1G08U0B },
        t_rcbsy: None,
        recalled: Parameter::ALL, // as its smaller sibling
    },
    Part {
        name: "K9F2G08U0C",
        id: &[0xec, 0xda, 0x10, 0x95, 0x44],
        geometry: large_page(2048),
        timing: Timing {
            t_rea_max: Ns(20),
            t_reh_min: Ns(15),
            t_rhz_max: Ns(30),
            t_r_max: Ns(40_000),
            ..K9F1G08U0B
        },
        t_rcbsy: None,
        recalled: &[
            Parameter::Ar,
            Parameter::Clr,
            Parameter::Rr,
            Parameter::Whr,
            Parameter::Rhw,
            Parameter::Adl,
            Parameter::Rst,
            Parameter::Prog,
            Parameter::Bers,
        ],
    },
    Part {
        name: "K9F2G08R0A",
        id: &[0xec, 0xaa],
        geometry: large_page(2048),
        timing: K9F2G08R0A,
        t_rcbsy: None,
        recalled: Parameter::ALL,
    },
    Part {
        name: "HY27UF082G2B",
        id: &[0xad, 0xda, 0x10, 0x95, 0x44],
        geometry: large_page(2048),
        timing: Timing { t_rea_max: Ns(20), t_bers_max: Ns(3_000_000), ..K9F1G08U0B },
        t_rcbsy: None,
        recalled: &[
            Parameter::Wc,
            Parameter::Rc,
            Parameter::Cea,
            Parameter::Rhw,
            Parameter::Adl,
            Parameter::R,
            Parameter::Rst,
            Parameter::Prog,
            Parameter::Bers,
        ],
    },
    Part {
        name: "MT29F2G08AAC",
        id: &[0x2c, 0xda, 0x80, 0x15, 0x50],
        geometry: large_page(2048),
        timing: Timing {
            t_cls_min: Ns(25),
            t_clh_min: Ns(10),
            t_als_min: Ns(25),
            t_alh_min: Ns(10),
            t_cs_min: Ns(35),
            t_ch_min: Ns(10),
            t_ds_min: Ns(20),
            t_dh_min: Ns(10),
            t_wp_min: Ns(25),
            t_wh_min: Ns(15),
            t_wc_min: Ns(45),
            t_rp_min: Ns(25),
            t_reh_min: Ns(15),
            t_rc_min: Ns(50),
            t_rea_max: Ns(30),
            t_cea_max: Ns(45),
            t_rhz_max: Ns(30),
            t_whr_min: Ns(80),
            t_wb_max: Ns(150),
            t_bers_max: Ns(3_000_000),
            ..K9F1G08U0B
        },
        t_rcbsy: Some(Ns(3_000)), // recalled
        recalled: &[
            Parameter::Wc,
            Parameter::Rc,
            Parameter::Cea,
            Parameter::Rhw,
            Parameter::Adl,
            Parameter::R,
            Parameter::Rst,
            Parameter::Prog,
            Parameter::Bers,
        ],
    },
    Part {
        name: "MT29F2G08ABAEA",
        id: &[0x2c, 0xda, 0x90, 0x95, 0x06],
        geometry: large_page(2048),
        timing: Timing {
            t_cls_min: Ns(10),
            t_als_min: Ns(10),
            t_cs_min: Ns(15),
            t_ds_min: Ns(7),
            t_wp_min: Ns(10),
            t_wh_min: Ns(7),
            t_wc_min: Ns(20),
            t_rp_min: Ns(10),
            t_reh_min: Ns(7),
            t_rc_min: Ns(20),
            t_rea_max: Ns(17), // 16 in another source
            t_adl_min: Ns(70),
            t_prog_max: Ns(600_000),
            t_bers_max: Ns(3_000_000),
            ..K9F1G08U0B
        },
        t_rcbsy: Some(Ns(25_000)), // recalled: 3 us as a rule, 25 at most
        recalled: &[Parameter::Adl, Parameter::R, Parameter::Rst, Parameter::Prog, Parameter::Bers],
    },
];

/// ONFI timing modes 0 to 5 of the asynchronous interface, as ONFI 4.0, section 4.20, and
/// Linux (`nand_timings.c`) give them. tR is that of ONFI's parameter page, which may say
/// less than the 200 us assumed here, as it gives tPROG and tBERS; tRST is 5 us for an idle chip,
/// more for a busy one.
pub const ONFI: [Timing; 6] = {
    let mode0 = Timing {
        t_cls_min: Ns(50),
        t_clh_min: Ns(20),
        t_als_min: Ns(50),
        t_alh_min: Ns(20),
        t_cs_min: Ns(70),
        t_ch_min: Ns(20),
        t_ds_min: Ns(40),
        t_dh_min: Ns(20),
        t_wp_min: Ns(50),
        t_wh_min: Ns(30),
        t_wc_min: Ns(100),
        t_rp_min: Ns(50),
        t_reh_min: Ns(30),
        t_rc_min: Ns(100),
        t_rea_max: Ns(40),
        t_cea_max: Ns(100),
        t_ar_min: Ns(25),
        t_clr_min: Ns(20),
        t_rr_min: Ns(40),
        t_rhz_max: Ns(200),
        t_whr_min: Ns(120),
        t_rhw_min: Ns(200),
        t_adl_min: Ns(400),
        t_wb_max: Ns(200),
        t_r_max: Ns(200_000),
        t_rst_max: Ns(250_000_000),
        t_prog_max: Ns(5_000_000),
        t_bers_max: Ns(20_000_000),
    };
    let mode1 = Timing {
        t_cls_min: Ns(25),
        t_clh_min: Ns(10),
        t_als_min: Ns(25),
        t_alh_min: Ns(10),
        t_cs_min: Ns(35),
        t_ch_min: Ns(10),
        t_ds_min: Ns(20),
        t_dh_min: Ns(10),
        t_wp_min: Ns(25),
        t_wh_min: Ns(15),
        t_wc_min: Ns(45),
        t_rp_min: Ns(25),
        t_reh_min: Ns(15),
        t_rc_min: Ns(50),
        t_rea_max: Ns(30),
        t_cea_max: Ns(45),
        t_ar_min: Ns(10),
        t_clr_min: Ns(10),
        t_rr_min: Ns(20),
        t_rhz_max: Ns(100),
        t_whr_min: Ns(80),
        t_rhw_min: Ns(100),
        t_wb_max: Ns(100),
        t_rst_max: Ns(500_000),
        ..mode0
    };
    let mode2 = Timing {
        t_cls_min: Ns(15),
        t_als_min: Ns(15),
        t_cs_min: Ns(25),
        t_ds_min: Ns(15),
        t_dh_min: Ns(5),
        t_wp_min: Ns(17),
        t_wc_min: Ns(35),
        t_rp_min: Ns(17),
        t_rc_min: Ns(35),
        t_rea_max: Ns(25),
        t_cea_max: Ns(30),
        ..mode1
    };
    let mode3 = Timing {
        t_cls_min: Ns(10),
        t_clh_min: Ns(5),
        t_als_min: Ns(10),
        t_alh_min: Ns(5),
        t_ch_min: Ns(5),
        t_ds_min: Ns(10),
        t_wp_min: Ns(15),
        t_wh_min: Ns(10),
        t_wc_min: Ns(30),
        t_rp_min: Ns(15),
        t_reh_min: Ns(10),
        t_rc_min: Ns(30),
        t_rea_max: Ns(20),
        t_cea_max: Ns(25),
        ..mode2
    };
    let mode4 = Timing {
        t_cs_min: Ns(20),
        t_wp_min: Ns(12),
        t_wc_min: Ns(25),
        t_rp_min: Ns(12),
        t_rc_min: Ns(25),
        ..mode3
    };
    let mode5 = Timing {
        t_cs_min: Ns(15),
        t_ds_min: Ns(7),
        t_wp_min: Ns(10),
        t_wh_min: Ns(7),
        t_wc_min: Ns(20),
        t_rp_min: Ns(10),
        t_reh_min: Ns(7),
        t_rc_min: Ns(20),
        t_rea_max: Ns(16),
        ..mode4
    };
    [mode0, mode1, mode2, mode3, mode4, mode5]
};

/// What suits every part that is not older than ONFI: mode 0.
pub const SAFE: Timing = ONFI[0];

/// The part with this number, whatever its letter case.
#[must_use]
pub const fn find(name: &str) -> Option<&'static Part> {
    let mut i = 0;
    while i < PARTS.len() {
        if name.eq_ignore_ascii_case(PARTS[i].name) {
            return Some(&PARTS[i]);
        }
        i += 1;
    }
    None
}

/// The organisation of the largest of the parts with these numbers. [`None`] if one of them is
/// unknown, or there are none.
#[must_use]
pub const fn largest(names: &[&str]) -> Option<Geometry> {
    let mut largest: Option<Geometry> = None;
    let mut i = 0;
    while i < names.len() {
        largest = match (find(names[i]), largest) {
            (None, _) => return None,
            (Some(part), Some(other)) if part.geometry.blocks <= other.blocks => Some(other),
            (Some(part), _) => Some(part.geometry),
        };
        i += 1;
    }
    largest
}

/// A timing that suits all parts with these numbers, for boards that may carry any of them.
/// [`None`] if one of them is unknown, or there are none.
#[must_use]
pub const fn worst(names: &[&str]) -> Option<Timing> {
    let mut worst: Option<Timing> = None;
    let mut i = 0;
    while i < names.len() {
        worst = match (find(names[i]), worst) {
            (None, _) => return None,
            (Some(part), None) => Some(part.timing),
            (Some(part), Some(worst)) => Some(worst.worst(&part.timing)),
        };
        i += 1;
    }
    worst
}

/// Whether all of these parts have READ CACHE.
#[must_use]
pub const fn all_read_cache(names: &[&str]) -> bool {
    let mut i = 0;
    while i < names.len() {
        match find(names[i]) {
            Some(part) if part.t_rcbsy.is_some() => i += 1,
            _ => return false,
        }
    }
    true
}

/// What an answer to READ ID says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The part, if there is only one with this id.
    pub part: Option<&'static Part>,
    /// Parts in the table that answer so. With none, the timing is [`SAFE`].
    pub matches: usize,
    /// The organisation; `None` when the device code is unknown too.
    pub geometry: Option<Geometry>,
    /// Timing that suits whatever part it is.
    pub timing: Timing,
}

/// The parts that answer to READ ID like this: different ones may do so alike.
pub fn matching(id: [u8; 5]) -> impl Iterator<Item = &'static Part> {
    PARTS.iter().filter(move |part| id.starts_with(part.id))
}

/// Makes out a chip. Different parts may answer alike; then what suits all of them.
#[must_use]
pub fn identify(id: [u8; 5]) -> Identity {
    let mut matching = matching(id);
    let Some(first) = matching.next() else {
        return Identity { part: None, matches: 0, geometry: decode(id), timing: SAFE };
    };
    let mut identity =
        Identity { part: Some(first), matches: 1, geometry: Some(first.geometry), timing: first.timing };
    for part in matching {
        identity.part = None;
        identity.matches += 1;
        identity.timing = identity.timing.worst(&part.timing);
    }
    identity
}

/// The organisation from the id: the device code says how large the chip is (Linux's table
/// of 8-bit parts), the fourth byte how it is cut up. `None` for 16-bit parts and unknown codes.
#[must_use]
pub fn decode(id: [u8; 5]) -> Option<Geometry> {
    let [_, device, _, cut, _] = id;
    let bytes: u32 = match device {
        // Small pages: the fourth byte means something else.
        0x76 => return Some(Geometry { page: 512, oob: 16, pages_per_block: 32, blocks: 4096 }),
        0xf1 => 128 << 20,
        0xaa | 0xda => 256 << 20,
        0xd3 => 1024 << 20,
        _ => return None,
    };
    if cut & 1 << 6 != 0 {
        return None;
    }
    let page = 1024 << (cut & 3);
    let block = 0x10000 << (cut >> 4 & 3);
    let oob = (8 << (cut >> 2 & 1)) * (page / 512);
    Some(Geometry { page, oob, pages_per_block: block / page, blocks: bytes / block })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_that_is_whole_decodes_to_the_table() {
        let mut decoded = 0;
        for part in PARTS {
            if let Ok(id) = <[u8; 5]>::try_from(part.id) {
                assert_eq!(decode(id), Some(part.geometry), "{}", part.name);
                decoded += 1;
            }
        }
        assert_eq!(decoded, 6);
    }

    #[test]
    fn the_fourth_byte_says_how_a_chip_is_cut_up() {
        let check = |id, expected: Option<(u32, u32, u32, u32)>| {
            let geometry = decode(id).map(|g| (g.page, g.oob, g.pages_per_block, g.blocks));
            assert_eq!(geometry, expected, "{id:02x?}");
        };
        check([0xec, 0xf1, 0x80, 0x15, 0x40], Some((2048, 64, 64, 1024)));
        check([0xec, 0xd3, 0x51, 0x95, 0x58], Some((2048, 64, 64, 8192)));
        check([0xec, 0xda, 0x10, 0xa6, 0x44], Some((4096, 128, 64, 1024)));
        check([0xec, 0x76, 0xa5, 0xc0, 0x00], Some((512, 16, 32, 4096)));
        // 16 bits wide.
        check([0xec, 0xda, 0x10, 0xd5, 0x44], None);
        check([0xec, 0x42, 0x10, 0x95, 0x44], None);
    }

    #[test]
    fn chips_are_known_by_their_ids() {
        let check = |id, name: Option<&str>, matches| {
            let identity = identify(id);
            assert_eq!(identity.part.map(|part| part.name), name, "{id:02x?}");
            assert_eq!(identity.matches, matches, "{id:02x?}");
            identity
        };
        check([0xec, 0xf1, 0x00, 0x95, 0x40], Some("K9F1G08U0B"), 1);
        check([0x2c, 0xda, 0x90, 0x95, 0x06], Some("MT29F2G08ABAEA"), 1);
        // U0B and U0C cannot be told apart: tREH and tR of the slower one.
        let either = check([0xec, 0xda, 0x10, 0x95, 0x44], None, 2);
        assert_eq!((either.timing.t_reh_min, either.timing.t_r_max), (Ns(15), Ns(40_000)));
        let unknown = check([0x98, 0xda, 0x90, 0x15, 0x76], None, 0);
        assert_eq!(unknown.timing, SAFE);
        assert_eq!(unknown.geometry, Some(large_page(2048)));
    }

    #[test]
    fn onfi_modes_get_no_slower() {
        for pair in ONFI.windows(2) {
            assert_eq!(pair[0].worst(&pair[1]), pair[0]);
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn cycles_of_a_page_read() {
        let check = |name, cycles| assert_eq!(find(name).unwrap().latch_cycles(), cycles, "{name}");
        check("K9F2G08U0B", 7);
        check("K9F1G08U0B", 6);
        // 00h, one column byte, three row bytes.
        check("K9F1208U0C", 5);
        assert_eq!(find("k9f2g08u0b").map(|part| part.name), Some("K9F2G08U0B"));
        assert_eq!(find("K9F"), None);
        assert_eq!(worst(&["K9F1G08U0B", "K9F"]), None);
        assert_eq!(worst(&[]), None);
    }
}
