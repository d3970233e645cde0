//! Physical units. Only named functions cross between them, and each says
//! which way it rounds.

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hz(pub u32);

/// A duration in nanoseconds, as data sheets give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ns(pub u32);

/// A count of HCLK periods, not the value of a register field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HclkCycles(pub u32);

impl Ns {
    /// The fewest HCLK periods that last at least this long.
    #[must_use]
    pub const fn to_cycles(self, hclk: Hz) -> HclkCycles {
        HclkCycles((self.0 as u64 * hclk.0 as u64).div_ceil(1_000_000_000) as u32)
    }

    /// This duration less `other`, not below zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The longer of the two.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }
}

/// The number of a page, counted from the start of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page(pub u32);

/// The number of an erase block, counted from the start of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EraseBlock(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_round_up_to_whole_cycles() {
        let check = |ns, hz, cycles| assert_eq!(Ns(ns).to_cycles(Hz(hz)), HclkCycles(cycles));
        check(0, 100_000_000, 0);
        check(1, 100_000_000, 1);
        check(30, 100_000_000, 3);
        check(31, 100_000_000, 4);
        // 400 MHz / 3 is 133.33 MHz, 7.5 ns: 30 ns are four whole periods.
        check(30, 133_333_333, 4);
        check(12, 133_333_333, 2);
    }
}
