//! The timing of a NAND part, by the names of its data sheet.

use platform::units::Ns;

/// One line for each parameter makes its field, its name and its place in every list.
macro_rules! datasheet {
    ($($(#[$doc:meta])* $field:ident $parameter:ident $name:literal;)*) => {
        /// A parameter of a data sheet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Parameter { $($(#[$doc])* $parameter,)* }

        impl Parameter {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$parameter,)*];

            /// Its name as data sheets write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$parameter => $name,)* }
            }
        }

        /// The timing set of a part. Zero where it asks for nothing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Timing { $($(#[$doc])* pub $field: Ns,)* }

        impl Timing {
            /// The value of a parameter.
            #[must_use]
            pub const fn get(&self, parameter: Parameter) -> Ns {
                match parameter { $(Parameter::$parameter => self.$field,)* }
            }

            /// A timing that satisfies this part and another one.
            #[must_use]
            pub const fn worst(&self, other: &Self) -> Self {
                Self { $($field: self.$field.max(other.$field),)* }
            }
        }
    };
}

datasheet! {
    /// CLE before nWE rises.
    t_cls_min Cls "tCLS";
    /// CLE after nWE has risen.
    t_clh_min Clh "tCLH";
    /// ALE before nWE rises.
    t_als_min Als "tALS";
    /// ALE after nWE has risen.
    t_alh_min Alh "tALH";
    /// nCE before nWE rises.
    t_cs_min Cs "tCS";
    /// nCE after nWE has risen.
    t_ch_min Ch "tCH";
    /// Data before nWE rises.
    t_ds_min Ds "tDS";
    /// Data after nWE has risen.
    t_dh_min Dh "tDH";
    /// nWE low.
    t_wp_min Wp "tWP";
    /// nWE high.
    t_wh_min Wh "tWH";
    /// From one fall of nWE to the next.
    t_wc_min Wc "tWC";
    /// nRE low.
    t_rp_min Rp "tRP";
    /// nRE high.
    t_reh_min Reh "tREH";
    /// From one fall of nRE to the next.
    t_rc_min Rc "tRC";
    /// Fall of nRE to valid data.
    t_rea_max Rea "tREA";
    /// Fall of nCE to valid data.
    t_cea_max Cea "tCEA";
    /// Fall of ALE to the fall of nRE.
    t_ar_min Ar "tAR";
    /// Fall of CLE to the fall of nRE.
    t_clr_min Clr "tCLR";
    /// Ready to the fall of nRE.
    t_rr_min Rr "tRR";
    /// Rise of nRE until the part lets go of the data lines.
    t_rhz_max Rhz "tRHZ";
    /// Rise of nWE to the fall of nRE.
    t_whr_min Whr "tWHR";
    /// Rise of nRE to the fall of nWE.
    t_rhw_min Rhw "tRHW";
    /// Last address byte to the first byte of data, both written.
    t_adl_min Adl "tADL";
    /// Rise of nWE to busy.
    t_wb_max Wb "tWB";
    /// A page into the part's register.
    t_r_max R "tR";
    /// A reset, in the worst case one that interrupts an erase.
    t_rst_max Rst "tRST";
    /// Programming a page.
    t_prog_max Prog "tPROG";
    /// Erasing a block.
    t_bers_max Bers "tBERS";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nand::part;

    #[test]
    fn the_worst_of_two_satisfies_both() {
        let (a, b) = (part::find("K9F2G08U0C").unwrap().timing, part::find("K9F1G08U0B").unwrap().timing);
        let worst = a.worst(&b);
        for &parameter in Parameter::ALL {
            let expected = a.get(parameter).0.max(b.get(parameter).0);
            assert_eq!(worst.get(parameter).0, expected, "{}", parameter.name());
        }
        assert_eq!((worst.t_rea_max, worst.t_reh_min), (Ns(22), Ns(15)));
    }
}
