//! What the ECC found in a page that was read.

use arrayvec::ArrayVec;
use core::fmt;

/// Steps of a page that has the most of them.
pub const STEPS_MAX: usize = 8;

/// What the ECC says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Written, and as it was written but for the bitflips corrected.
    Written {
        /// Those in the data.
        data: u8,
        /// Those in the stored code.
        code: u8,
    },
    /// Erased, and all 1s but for the bitflips corrected.
    Erased {
        /// Those in the data.
        data: u8,
        /// Those where a code would be.
        code: u8,
    },
    /// More bitflips than the code corrects.
    Uncorrectable,
}

impl Step {
    /// Bitflips corrected in the data and in the code.
    #[must_use]
    pub fn flips(self) -> (u32, u32) {
        match self {
            Self::Written { data, code } | Self::Erased { data, code } => (data.into(), code.into()),
            Self::Uncorrectable => (0, 0),
        }
    }
}

/// What the ECC says of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Step by step.
    pub steps: ArrayVec<Step, STEPS_MAX>,
}

impl Stats {
    /// Whether every step could be corrected.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.uncorrectable().next().is_none()
    }

    /// Whether every step is erased.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Erased { .. }))
    }

    /// The steps that hold too many bitflips.
    pub fn uncorrectable(&self) -> impl Iterator<Item = usize> {
        let steps = self.steps.iter().enumerate();
        steps.filter(|(_, step)| **step == Step::Uncorrectable).map(|(number, _)| number)
    }

    /// The steps with bitflips that were corrected, and how many.
    pub fn corrected(&self) -> impl Iterator<Item = (usize, u32)> {
        let flips = self.steps.iter().map(|step| step.flips()).enumerate();
        flips.map(|(number, (data, code))| (number, data + code)).filter(|(_, flips)| *flips != 0)
    }

    /// Bitflips corrected, those in codes included.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.corrected().map(|(_, flips)| flips).sum()
    }

    /// Bitflips corrected in codes.
    #[must_use]
    pub fn code_bits(&self) -> u32 {
        self.steps.iter().map(|step| step.flips().1).sum()
    }

    /// The most bitflips corrected in one step: what a page is judged by that may have to be
    /// written anew.
    #[must_use]
    pub fn worst(&self) -> u32 {
        self.corrected().map(|(_, flips)| flips).max().unwrap_or(0)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lost = !self.is_good();
        if lost {
            write!(f, "uncorrectable in ")?;
            steps(f, self.uncorrectable())?;
        }
        match (lost, self.is_erased(), self.bits()) {
            (true, _, 0) => return Ok(()),
            (_, true, 0) => return write!(f, "erased"),
            (_, false, 0) => return write!(f, "clean"),
            (true, ..) => write!(f, "; ")?,
            (_, true, _) => write!(f, "erased, ")?,
            (_, false, _) => {}
        }
        let plural = if self.bits() == 1 { "" } else { "s" };
        write!(f, "{} bitflip{plural} corrected in ", self.bits())?;
        steps(f, self.corrected().map(|(number, _)| number))
    }
}

/// A list of steps that is not empty.
fn steps(f: &mut fmt::Formatter<'_>, numbers: impl Iterator<Item = usize>) -> fmt::Result {
    let numbers: ArrayVec<usize, STEPS_MAX> = numbers.collect();
    write!(f, "step{}", if numbers.len() == 1 { "" } else { "s" })?;
    numbers.iter().try_for_each(|number| write!(f, " {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn reads_as_a_phrase() {
        let check = |steps: &[Step], expected: &str| {
            assert_eq!(Stats { steps: steps.iter().copied().collect() }.to_string(), expected);
        };
        let written = |data, code| Step::Written { data, code };
        let erased = |data| Step::Erased { data, code: 0 };
        check(&[written(0, 0), written(0, 0)], "clean");
        check(&[written(0, 0), erased(0)], "clean");
        check(&[erased(0), erased(0)], "erased");
        check(&[erased(0), erased(1)], "erased, 1 bitflip corrected in step 1");
        check(&[written(1, 0), erased(0), written(0, 1)], "2 bitflips corrected in steps 0 2");
        check(&[written(0, 0), Step::Uncorrectable], "uncorrectable in step 1");
        let all = [Step::Uncorrectable, Step::Uncorrectable, written(0, 1)];
        check(&all, "uncorrectable in steps 0 1; 1 bitflip corrected in step 2");
    }
}
