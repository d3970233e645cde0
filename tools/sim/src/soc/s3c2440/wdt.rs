//! Watchdog: S3C2440A User's Manual, chapter 18. On after reset.

use crate::bus::{Access, Peripheral, Ps};
use crate::soc::counter::Counter;
use crate::soc::no_such_register;

const WTCON: u32 = 0x00;
const WTDAT: u32 = 0x04;
const WTCNT: u32 = 0x08;

const RESET_ENABLE: u32 = 1 << 0;
const INTERRUPT_ENABLE: u32 = 1 << 2;
const ENABLE: u32 = 1 << 5;

/// The watchdog.
#[derive(Clone, Debug)]
pub struct Watchdog {
    pclk: Ps,
    wtcon: u32,
    wtdat: u32,
    counter: Counter,
    expired: Option<Expired>,
}

/// What reaching zero does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// The SoC is reset.
    Reset,
    /// INT_WDT.
    Interrupt,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self { pclk: 0, wtcon: 0x8021, wtdat: 0x8000, counter: Counter::standing(0x8000), expired: None }
    }
}

impl Watchdog {
    /// PCLK has changed.
    pub fn set_pclk(&mut self, now: Ps, pclk: Ps) {
        self.pclk = pclk;
        self.run(now);
    }

    fn run(&mut self, now: Ps) {
        let prescaler = u64::from(self.wtcon >> 8 & 0xff) + 1;
        let divider = 16 << (self.wtcon >> 3 & 3);
        let running = self.wtcon & ENABLE != 0;
        self.counter.run(now, if running { prescaler * divider * self.pclk } else { 0 });
    }

    /// Moves the counter on.
    pub fn tick(&mut self, now: Ps) {
        while self.counter.expires() <= now {
            self.counter.reload(self.wtdat.into());
            if self.wtcon & RESET_ENABLE != 0 {
                self.expired = Some(Expired::Reset);
            } else if self.wtcon & INTERRUPT_ENABLE != 0 {
                self.expired = Some(Expired::Interrupt);
            }
        }
    }

    /// What has happened since the last call.
    pub fn take_expired(&mut self) -> Option<Expired> {
        self.expired.take()
    }

    /// When the counter reaches zero.
    #[must_use]
    pub fn next_event(&self) -> Ps {
        self.counter.expires()
    }

    /// Whether it will reset the SoC.
    #[must_use]
    pub fn will_reset(&self) -> bool {
        self.wtcon & (ENABLE | RESET_ENABLE) == ENABLE | RESET_ENABLE
    }
}

impl Peripheral for Watchdog {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (WTCON, 4) => self.wtcon,
            (WTDAT, 4) => self.wtdat,
            (WTCNT, 4) => self.counter.value(access.now) as u32,
            _ => no_such_register("WDT", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (WTCON, 4) => self.wtcon = value & 0xff3d,
            (WTDAT, 4) => self.wtdat = value & 0xffff,
            (WTCNT, 4) => self.counter.set(access.now, (value & 0xffff).into()),
            _ => {
                no_such_register("WDT", offset, width, true, access);
            }
        }
        self.run(access.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::time::{MS, NEVER};

    fn write(watchdog: &mut Watchdog, now: Ps, offset: u32, value: u32) {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        watchdog.write(
            offset,
            4,
            value,
            &mut Access { now, pc: 0, clocks, hold: 0, violations: &mut violations },
        );
        assert_eq!(violations.total(), 0);
    }

    #[test]
    fn resets_a_board_that_leaves_it_alone() {
        let mut watchdog = Watchdog::default();
        watchdog.set_pclk(0, 83_333);
        assert!(watchdog.will_reset());
        // 0x8001 counts of 129 x 16 x 83.3 ns: 5.6 s.
        assert_eq!(watchdog.next_event() / MS, 5636);
        watchdog.tick(5_637 * MS);
        assert_eq!(watchdog.take_expired(), Some(Expired::Reset));
    }

    #[test]
    fn can_be_stopped() {
        let mut watchdog = Watchdog::default();
        watchdog.set_pclk(0, 83_333);
        write(&mut watchdog, MS, WTCON, 0);
        assert_eq!(watchdog.next_event(), NEVER);
    }

    #[test]
    fn interrupts_when_told_to() {
        let mut watchdog = Watchdog::default();
        watchdog.set_pclk(0, 20_000);
        write(&mut watchdog, 0, WTCON, 0);
        write(&mut watchdog, 0, WTCNT, 9);
        write(&mut watchdog, 0, WTCON, ENABLE | INTERRUPT_ENABLE);
        assert_eq!(watchdog.next_event(), 10 * 16 * 20_000);
        watchdog.tick(watchdog.next_event());
        assert_eq!(watchdog.take_expired(), Some(Expired::Interrupt));
    }
}
