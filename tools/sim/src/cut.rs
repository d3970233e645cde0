//! Cutting the power of the board: when.

use std::fmt;

use serde::Serialize;

/// Where in the life of a program or erase the power is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// With the command that would start it: the chip does not.
    Before,
    /// While it is under way. The seed says how far it has got, for each operation anew: a third of
    /// them have hardly begun, a third are nearly done.
    Inside,
    /// When it is done, and before anybody can have asked for its status.
    After,
}

impl Moment {
    /// All of them, as they follow each other.
    pub const ALL: [Self; 3] = [Self::Before, Self::Inside, Self::After];
}

/// When the power is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PowerCut {
    /// At a page program or block erase.
    Operation {
        /// Which, counted from 1 over the run, programs and erases together. Those that fail count;
        /// those that write protection (WP) keeps from starting do not.
        number: u64,
        /// Where in it.
        moment: Moment,
    },
    /// At a modelled time.
    Time {
        /// Since power-on.
        ns: u64,
    },
}

impl PowerCut {
    /// Every point of a run with so many programs and erases.
    pub fn points(operations: u64) -> impl Iterator<Item = Self> {
        (1..=operations)
            .flat_map(|number| Moment::ALL.into_iter().map(move |moment| Self::Operation { number, moment }))
    }
}

impl fmt::Display for PowerCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation { number, moment } => {
                let moment = match moment {
                    Moment::Before => "before",
                    Moment::Inside => "inside",
                    Moment::After => "after",
                };
                write!(f, "{moment} operation {number}")
            }
            Self::Time { ns } => write!(f, "at {:.3} ms", *ns as f64 / 1e6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_three_points() {
        let points: Vec<_> = PowerCut::points(2).map(|point| point.to_string()).collect();
        let expected = ["before", "inside", "after"].map(|moment| format!("{moment} operation "));
        let expected: Vec<_> =
            (1..=2).flat_map(|n| expected.clone().map(|text| format!("{text}{n}"))).collect();
        assert_eq!(points, expected);
        assert_eq!(PowerCut::points(0).count(), 0);
        assert_eq!(PowerCut::Time { ns: 1_234_567 }.to_string(), "at 1.235 ms");
    }
}
