//! PWM timers: S3C2440A User's Manual, chapter 10. No outputs, no dead zone, no DMA.

use crate::bus::{Access, Peripheral, Ps};
use crate::soc::counter::Counter;
use crate::soc::no_such_register;

const TCFG0: u32 = 0x00;
const TCFG1: u32 = 0x04;
const TCON: u32 = 0x08;
const TCNTB0: u32 = 0x0c;
const TCNTB4: u32 = 0x3c;
const TCNTO4: u32 = 0x40;

/// TCON bit of the start bit of each timer; manual update is the next.
const START: [u32; 5] = [0, 8, 12, 16, 20];
/// TCON bit of auto reload of each timer.
const RELOAD: [u32; 5] = [3, 11, 15, 19, 22];

/// The five timers.
#[derive(Clone, Debug, Default)]
pub struct Timers {
    pclk: Ps,
    tcfg0: u32,
    tcfg1: u32,
    tcon: u32,
    tcntb: [u32; 5],
    tcmpb: [u32; 4],
    counters: [Counter; 5],
    expired: u32,
}

impl Timers {
    /// PCLK has changed.
    pub fn set_pclk(&mut self, now: Ps, pclk: Ps) {
        self.tick(now);
        self.pclk = pclk;
        self.run(now);
    }

    fn tick_length(&self, timer: usize) -> Ps {
        let prescaler = self.tcfg0 >> if timer < 2 { 0 } else { 8 } & 0xff;
        let divider = match self.tcfg1 >> (4 * timer) & 0xf {
            code @ 0..=3 => 2 << code,
            // An external clock, which no board has: the timer stands.
            _ => return 0,
        };
        u64::from(prescaler + 1) * divider * self.pclk
    }

    /// Lets each counter run at its present rate or stand.
    fn run(&mut self, now: Ps) {
        for (timer, start) in START.into_iter().enumerate() {
            let tick = if self.tcon >> start & 1 != 0 { self.tick_length(timer) } else { 0 };
            self.counters[timer].run(now, tick);
        }
    }

    /// Moves the counters on.
    pub fn tick(&mut self, now: Ps) {
        for timer in 0..5 {
            while self.counters[timer].expires() <= now {
                self.expired |= 1 << timer;
                if self.tcon >> RELOAD[timer] & 1 != 0 {
                    self.counters[timer].reload(self.tcntb[timer].into());
                } else {
                    self.tcon &= !(1 << START[timer]);
                    self.counters[timer].set(now, 0);
                    self.counters[timer].run(now, 0);
                }
            }
        }
    }

    /// Timers that have reached zero since the last call, a bit each.
    pub fn take_expired(&mut self) -> u32 {
        std::mem::take(&mut self.expired)
    }

    /// When one reaches zero next.
    #[must_use]
    pub fn next_event(&self) -> Ps {
        self.counters.iter().map(Counter::expires).min().unwrap_or(crate::time::NEVER)
    }

    fn write_tcon(&mut self, value: u32, now: Ps) {
        self.tcon = value & 0x007f_ff1f;
        for (timer, start) in START.into_iter().enumerate() {
            if value >> (start + 1) & 1 != 0 {
                self.counters[timer].set(now, self.tcntb[timer].into());
            }
        }
        self.run(now);
    }

    fn observe(&self, timer: usize, now: Ps) -> u32 {
        self.counters[timer].value(now) as u32
    }
}

/// Timer and register (0 TCNTB, 1 TCMPB, 2 TCNTO) at an offset in the regular part of the block.
fn regular(offset: u32) -> Option<(usize, u32)> {
    let index = offset.checked_sub(TCNTB0)?;
    (index < 4 * 12 && index.is_multiple_of(4)).then_some(((index / 12) as usize, index % 12 / 4))
}

impl Peripheral for Timers {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        self.tick(access.now);
        match (offset, width, regular(offset)) {
            (TCFG0, 4, _) => self.tcfg0,
            (TCFG1, 4, _) => self.tcfg1,
            (TCON, 4, _) => self.tcon,
            (TCNTB4, 4, _) => self.tcntb[4],
            (TCNTO4, 4, _) => self.observe(4, access.now),
            (_, 4, Some((timer, 0))) => self.tcntb[timer],
            (_, 4, Some((timer, 1))) => self.tcmpb[timer],
            (_, 4, Some((timer, _))) => self.observe(timer, access.now),
            _ => no_such_register("TIMER", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.tick(access.now);
        match (offset, width, regular(offset)) {
            (TCFG0, 4, _) => self.tcfg0 = value & 0x00ff_ffff,
            (TCFG1, 4, _) => self.tcfg1 = value & 0x00ff_ffff,
            (TCON, 4, _) => self.write_tcon(value, access.now),
            (TCNTB4, 4, _) => self.tcntb[4] = value & 0xffff,
            // Linux takes it for a TCMPB4, which does not exist; it has no effect.
            (TCNTO4, 4, _) => {}
            (_, 4, Some((timer, 0))) => self.tcntb[timer] = value & 0xffff,
            (_, 4, Some((timer, 1))) => self.tcmpb[timer] = value & 0xffff,
            _ => {
                no_such_register("TIMER", offset, width, true, access);
            }
        }
        if matches!(offset, TCFG0 | TCFG1) {
            self.run(access.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::time::{NEVER, US};

    fn access<'a>(now: Ps, violations: &'a mut Violations) -> Access<'a> {
        Access { now, pc: 0, clocks: Clocks { fclk: 1, hclk: 1, pclk: 20_000 }, hold: 0, violations }
    }

    /// Timer 4 counting microseconds at PCLK 50 MHz, as Linux sets it up (/25, /2).
    fn timer_4(count: u32, reload: bool) -> Timers {
        let mut timers = Timers::default();
        timers.set_pclk(0, 20_000);
        let mut violations = Violations::default();
        let start = if reload { 0x0050_0000 } else { 0x0010_0000 };
        for (offset, value) in
            [(TCFG0, 24 << 8), (TCFG1, 0), (TCNTB4, count), (TCON, 0x20_0000), (TCON, start)]
        {
            timers.write(offset, 4, value, &mut access(0, &mut violations));
        }
        assert_eq!(violations.total(), 0);
        timers
    }

    fn count(timers: &mut Timers, now: Ps) -> u32 {
        timers.read(TCNTO4, 4, &mut access(now, &mut Violations::default()))
    }

    #[test]
    fn counts_down_in_modelled_time() {
        let mut timers = timer_4(0xffff, true);
        assert_eq!(count(&mut timers, 0), 0xffff);
        assert_eq!(count(&mut timers, 1000 * US), 0xffff - 1000);
        assert_eq!(timers.next_event(), 0x10000 * US);
        assert_eq!(count(&mut timers, 0x10001 * US), 0xfffe);
        assert_eq!(timers.take_expired(), 1 << 4);
        assert_eq!(timers.take_expired(), 0);
    }

    #[test]
    fn stops_at_zero_without_reload() {
        let mut timers = timer_4(9, false);
        timers.tick(50 * US);
        assert_eq!((timers.take_expired(), timers.next_event()), (1 << 4, NEVER));
        assert_eq!(count(&mut timers, 100 * US), 0);
    }

    #[test]
    fn a_new_pclk_keeps_the_count() {
        let mut timers = timer_4(1000, true);
        timers.set_pclk(100 * US, 40_000);
        assert_eq!(count(&mut timers, 300 * US), 800);
    }

    #[test]
    fn registers_that_do_not_exist_are_reported() {
        let mut violations = Violations::default();
        Timers::default().read(0x44, 4, &mut access(0, &mut violations));
        Timers::default().read(TCON, 1, &mut access(0, &mut violations));
        Timers::default().write(0x14, 4, 0, &mut access(0, &mut violations));
        assert_eq!(violations.total(), 3);
    }
}
