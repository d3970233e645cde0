//! Modelled time: one `u64` of picoseconds since power-on.

use crate::bus::Ps;

/// A nanosecond.
pub const NS: Ps = 1_000;
/// A microsecond.
pub const US: Ps = 1_000 * NS;
/// A millisecond.
pub const MS: Ps = 1_000 * US;

/// Later than anything: the time of an event that will not come.
pub const NEVER: Ps = Ps::MAX;

/// The period of a frequency, to the nearest picosecond.
#[must_use]
pub const fn period(hz: u64) -> Ps {
    (1_000_000_000_000 + hz / 2) / hz
}

/// A frequency in hertz from its period.
#[must_use]
pub const fn frequency(period: Ps) -> u64 {
    (1_000_000_000_000 + period / 2) / period
}

/// A period as a frequency for people.
#[must_use]
pub fn mhz(period: Ps) -> String {
    format!("{:.1} MHz", 1e6 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_of_the_boards_clocks() {
        assert_eq!(period(12_000_000), 83_333);
        assert_eq!(period(400_000_000), 2_500);
        assert_eq!(frequency(7_500), 133_333_333);
        assert_eq!(mhz(7_500), "133.3 MHz");
    }
}
