//! How long something takes.

use platform::hal::Clock;

/// A moment from which time is counted.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(u64);

impl Stopwatch {
    /// From now on.
    pub fn start(clock: &mut dyn Clock) -> Self {
        Self(clock.ticks())
    }

    /// Nanoseconds since then, rounded down to what the clock can tell. To be asked as often
    /// as [`Clock::ticks`].
    pub fn ns(self, clock: &mut dyn Clock) -> u64 {
        let ticks = clock.ticks().saturating_sub(self.0);
        let rate = u64::from(clock.rate().0).max(1);
        // Seconds apart, so that the product does not overflow for years.
        ticks / rate * 1_000_000_000 + ticks % rate * 1_000_000_000 / rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::units::Hz;

    /// A clock that shows what it is told.
    struct Told(u64, u32);

    impl Clock for Told {
        fn ticks(&mut self) -> u64 {
            self.0
        }
        fn rate(&self) -> Hz {
            Hz(self.1)
        }
    }

    #[test]
    fn counts_from_its_start() {
        let check = |rate, ticks, ns| {
            let mut clock = Told(77, rate);
            let watch = Stopwatch::start(&mut clock);
            clock.0 += ticks;
            assert_eq!(watch.ns(&mut clock), ns);
        };
        check(1_000_000, 0, 0);
        check(1_000_000, 123, 123_000);
        check(1_010_101, 1_010_101, 1_000_000_000);
        check(1_010_101, 1, 990);
        // A year.
        check(1_010_101, 365 * 86_400 * 1_010_101, 365 * 86_400_000_000_000);
    }
}
