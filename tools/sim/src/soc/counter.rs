//! A down counter in modelled time, shared by timers and watchdog.

use crate::bus::Ps;
use crate::time::NEVER;

/// Counts down by one each `tick` while it runs, and stops at zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    value: u64,
    /// When `value` was exact.
    since: Ps,
    /// Length of a count; 0 when the counter stands.
    tick: Ps,
}

impl Counter {
    /// A standing counter.
    #[must_use]
    pub fn standing(value: u64) -> Self {
        Self { value, since: 0, tick: 0 }
    }

    /// The count now.
    #[must_use]
    pub fn value(&self, now: Ps) -> u64 {
        match (now.saturating_sub(self.since)).checked_div(self.tick) {
            Some(ticks) => self.value.saturating_sub(ticks),
            None => self.value,
        }
    }

    /// Sets the count.
    pub fn set(&mut self, now: Ps, value: u64) {
        self.value = value;
        self.since = now;
    }

    /// Runs with this tick from now on, 0 to stand. What has been counted stays counted.
    pub fn run(&mut self, now: Ps, tick: Ps) {
        if tick != self.tick {
            self.value = self.value(now);
            self.since = now;
            self.tick = tick;
        }
    }

    /// When the count is past zero (`value + 1` ticks); [`NEVER`] when it stands.
    #[must_use]
    pub fn expires(&self) -> Ps {
        if self.tick == 0 { NEVER } else { self.since + (self.value + 1) * self.tick }
    }

    /// Starts over from `value` at the moment it expired.
    pub fn reload(&mut self, value: u64) {
        self.since = self.expires();
        self.value = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_down_while_it_runs() {
        let mut counter = Counter::standing(10);
        assert_eq!((counter.value(1_000), counter.expires()), (10, NEVER));
        counter.run(1_000, 100);
        assert_eq!(counter.value(1_250), 8);
        assert_eq!(counter.expires(), 2_100);
        counter.run(1_250, 50);
        assert_eq!(counter.value(1_350), 6);
        counter.run(1_350, 0);
        assert_eq!(counter.value(9_999), 6);
    }

    #[test]
    fn reloading_keeps_the_beat() {
        let mut counter = Counter::standing(9);
        counter.run(0, 10);
        assert_eq!(counter.expires(), 100);
        counter.reload(9);
        assert_eq!(counter.expires(), 200);
        assert_eq!(counter.value(125), 7);
    }
}
