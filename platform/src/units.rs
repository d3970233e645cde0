//! Physical units. Only named functions cross between them, and each says
//! which way it rounds.

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hz(pub u32);

/// A duration in nanoseconds, as data sheets give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ns(pub u32);

impl Ns {
    /// The fewest periods of a clock that last at least this long.
    #[must_use]
    pub const fn cycles(self, clock: Hz) -> u32 {
        (self.0 as u64 * clock.0 as u64).div_ceil(1_000_000_000) as u32
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
