//! What a setting has to suit: a part, or whichever of several it may be.

use super::datasheet::{Parameter, Timing};
use super::part::{PARTS, Part};
use arrayvec::ArrayVec;
use core::fmt;
use platform::hal::Geometry;
use platform::units::Ns;

/// One part or several.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    names: ArrayVec<&'a str, { PARTS.len() }>,
    /// What satisfies all of them.
    pub timing: Timing,
    /// The busy time between pages of READ CACHE, if all of them have the command.
    pub t_rcbsy: Option<Ns>,
    /// The organisation of the largest.
    pub geometry: Geometry,
    /// A bit for each parameter that is recalled and unverified for one of them.
    recalled: u32,
}

// A bit for each.
const _: () = assert!(Parameter::ALL.len() <= 32);

impl<'a> Subject<'a> {
    /// Something with this name that is in no table.
    #[must_use]
    pub fn new(name: &'a str, timing: Timing, geometry: Geometry) -> Self {
        Self { names: ArrayVec::from_iter([name]), timing, t_rcbsy: None, geometry, recalled: 0 }
    }

    /// Whichever of these parts it is; [`None`] of none.
    pub fn any_of(parts: impl IntoIterator<Item = &'a Part>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let first = parts.next()?;
        let mut subject = Self::new(first.name, first.timing, first.geometry);
        subject.t_rcbsy = first.t_rcbsy;
        subject.recall(first);
        for part in parts {
            // A name that is left out for lack of room is one that was there twice.
            let _ = subject.names.try_push(part.name);
            subject.timing = subject.timing.worst(&part.timing);
            subject.t_rcbsy = subject.t_rcbsy.zip(part.t_rcbsy).map(|(a, b)| a.max(b));
            if part.geometry.blocks > subject.geometry.blocks {
                subject.geometry = part.geometry;
            }
            subject.recall(part);
        }
        Some(subject)
    }

    fn recall(&mut self, part: &Part) {
        for &parameter in part.recalled {
            self.recalled |= 1 << parameter as u32;
        }
    }

    /// Is this value recalled, and not read in any source?
    #[must_use]
    pub const fn is_recalled(&self, parameter: Parameter) -> bool {
        self.recalled >> parameter as u32 & 1 != 0
    }
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nand::part::find;
    use std::string::ToString;

    #[test]
    fn is_the_worst_and_the_largest_of_its_parts() {
        let parts = ["K9F2G08U0C", "K9F1G08U0B"].map(|name| find(name).unwrap());
        let subject = Subject::any_of(parts).unwrap();
        assert_eq!(subject.to_string(), "K9F2G08U0C or K9F1G08U0B");
        assert_eq!((subject.timing.t_rea_max, subject.timing.t_reh_min), (Ns(22), Ns(15)));
        assert_eq!(subject.geometry.blocks, 2048);
        // tWHR is recalled of the first, tR of the second; tREA is read of both.
        assert!(subject.is_recalled(Parameter::Whr) && subject.is_recalled(Parameter::R));
        assert!(!subject.is_recalled(Parameter::Rea));
        assert!(Subject::any_of([]).is_none());
        let t_rcbsy =
            |names: [&str; 2]| Subject::any_of(names.map(|name| find(name).unwrap())).unwrap().t_rcbsy;
        assert_eq!(t_rcbsy(["MT29F2G08AAC", "MT29F2G08ABAEA"]), Some(Ns(25_000)));
        assert_eq!(t_rcbsy(["MT29F2G08AAC", "K9F1G08U0B"]), None);
        // More than there are.
        let subject = Subject::any_of(PARTS.iter().chain(PARTS)).unwrap();
        assert_eq!(subject.to_string().matches(" or ").count(), PARTS.len() - 1);
    }
}
