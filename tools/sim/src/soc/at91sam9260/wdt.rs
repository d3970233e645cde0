//! Watchdog timer (WDT): AT91SAM9260 data sheet, chapter of that name. On after reset, and its mode can be
//! written only once.

use crate::bus::{Access, Peripheral, Ps};
use crate::soc::counter::Counter;
use crate::soc::no_such_register;
use crate::time::NEVER;

const CR: u32 = 0x0;
const MR: u32 = 0x4;
const SR: u32 = 0x8;

const KEY: u32 = 0xa5;
const WDRSTT: u32 = 1 << 0;

// MR. Bits 28 and 29 stop it while the core is stopped by a debugger or idle.
const WDFIEN: u32 = 1 << 12;
const WDRSTEN: u32 = 1 << 13;
const WDDIS: u32 = 1 << 15;
const MR_MASK: u32 = 0x3fff_ffff;
/// Sixteen seconds, then a reset (recall).
const MR_RESET: u32 = 0x3fff_2fff;

const WDUNF: u32 = 1 << 0;
const WDERR: u32 = 1 << 1;

/// The watchdog.
#[derive(Clone, Debug)]
pub struct Watchdog {
    mr: u32,
    written: bool,
    sr: u32,
    /// A count lasts 128 slow clocks.
    beat: Ps,
    counter: Counter,
    reset: bool,
}

impl Watchdog {
    /// The watchdog after a reset at `now`, with this period of the slow clock.
    #[must_use]
    pub fn new(now: Ps, slow: Ps) -> Self {
        let mut counter = Counter::standing(0);
        counter.set(now, u64::from(MR_RESET & 0xfff));
        let beat = 128 * slow;
        counter.run(now, beat);
        Self { mr: MR_RESET, written: false, sr: 0, beat, counter, reset: false }
    }

    /// Moves the counter on.
    pub fn tick(&mut self, now: Ps) {
        while self.counter.expires() <= now {
            self.counter.reload(u64::from(self.mr & 0xfff));
            self.sr |= WDUNF;
            self.reset |= self.mr & WDRSTEN != 0;
        }
    }

    /// When it expires.
    #[must_use]
    pub fn next_event(&self) -> Ps {
        if self.mr & (WDFIEN | WDRSTEN) == 0 { NEVER } else { self.counter.expires() }
    }

    /// Whether it has asked for a reset.
    pub fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.reset)
    }

    /// Whether it will when nothing is done about it.
    #[must_use]
    pub fn will_reset(&self) -> bool {
        self.mr & WDRSTEN != 0 && self.counter.expires() != NEVER
    }

    /// Level of the interrupt request.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        self.mr & WDFIEN != 0 && self.sr != 0
    }

    /// Switches it off, as the ROM does.
    pub fn stop(&mut self, now: Ps) {
        self.counter.run(now, 0);
    }

    fn restart(&mut self, value: u32, access: &mut Access<'_>) {
        if value != KEY << 24 | WDRSTT {
            access.violation("wdt", format!("WDT_CR = {value:08X} does nothing"));
            return;
        }
        if self.counter.value(access.now) > u64::from(self.mr >> 16 & 0xfff) {
            self.sr |= WDERR;
            self.reset |= self.mr & WDRSTEN != 0;
            access.violation("wdt", "the watchdog is restarted before WDD");
        }
        self.counter.set(access.now, u64::from(self.mr & 0xfff));
    }

    fn write_mode(&mut self, value: u32, access: &mut Access<'_>) {
        if std::mem::replace(&mut self.written, true) {
            if value & MR_MASK != self.mr {
                access.violation("wdt", format!("WDT_MR = {value:08X} is ignored: it takes one write only"));
            }
            return;
        }
        self.mr = value & MR_MASK;
        self.counter.set(access.now, u64::from(value & 0xfff));
        self.counter.run(access.now, if value & WDDIS != 0 { 0 } else { self.beat });
    }
}

impl Peripheral for Watchdog {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        self.tick(access.now);
        match (offset, width) {
            (MR, 4) => self.mr,
            (SR, 4) => std::mem::take(&mut self.sr),
            _ => no_such_register("WDT", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.tick(access.now);
        match (offset, width) {
            (CR, 4) => self.restart(value, access),
            (MR, 4) => self.write_mode(value, access),
            _ => {
                no_such_register("WDT", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::time::{MS, period};

    const RESTART: u32 = KEY << 24 | WDRSTT;

    struct Bench {
        wdt: Watchdog,
        violations: Violations,
    }

    impl Bench {
        fn new() -> Self {
            Self { wdt: Watchdog::new(0, period(32_768)), violations: Violations::default() }
        }

        fn write(mut self, now: Ps, offset: u32, value: u32) -> Self {
            let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
            let mut access = Access { now, pc: 0, clocks, hold: 0, violations: &mut self.violations };
            self.wdt.write(offset, 4, value, &mut access);
            self
        }

        fn resets(&mut self, now: Ps) -> bool {
            self.wdt.tick(now);
            self.wdt.take_reset()
        }
    }

    #[test]
    fn it_bites_after_sixteen_seconds() {
        let mut bench = Bench::new();
        assert!(bench.wdt.will_reset());
        assert!(!bench.resets(15_990 * MS));
        assert!(bench.resets(16_001 * MS));
        let mut fed = Bench::new().write(10_000 * MS, CR, RESTART);
        assert!(!fed.resets(25_000 * MS) && fed.resets(26_001 * MS));
    }

    #[test]
    fn its_mode_is_written_once() {
        let mut bench = Bench::new().write(0, MR, WDDIS);
        assert!(!bench.wdt.will_reset() && !bench.resets(100_000 * MS));
        bench = bench.write(0, MR, WDDIS);
        assert_eq!(bench.violations.total(), 0);
        bench = bench.write(0, MR, MR_RESET);
        assert_eq!((bench.violations.total(), bench.wdt.will_reset()), (1, false));
    }

    #[test]
    fn a_key_is_needed_and_not_too_early() {
        assert_eq!(Bench::new().write(0, CR, WDRSTT).violations.total(), 1);
        // 256 counts are a second; restarts are allowed from 128 down.
        let mode = 128 << 16 | WDRSTEN | 256;
        assert_eq!(Bench::new().write(0, MR, mode).write(600 * MS, CR, RESTART).violations.total(), 0);
        let mut early = Bench::new().write(0, MR, mode).write(400 * MS, CR, RESTART);
        assert_eq!((early.violations.total(), early.wdt.take_reset()), (1, true));
    }
}
