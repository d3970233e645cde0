//! Power management controller (PMC): AT91SAM9260 data sheet, chapter of that name. Main clock, PLLs,
//! master clock, and which peripherals are clocked.

use crate::bus::{Access, Clocks, Peripheral, Ps};
use crate::model;
use crate::soc::no_such_register;
use crate::time::{NEVER, frequency, mhz, period};

const SCER: u32 = 0x00;
const SCDR: u32 = 0x04;
const SCSR: u32 = 0x08;
const PCER: u32 = 0x10;
const PCDR: u32 = 0x14;
const PCSR: u32 = 0x18;
const MOR: u32 = 0x20;
const MCFR: u32 = 0x24;
const PLLAR: u32 = 0x28;
const PLLBR: u32 = 0x2c;
const MCKR: u32 = 0x30;
const PCK0: u32 = 0x40;
const PCK1: u32 = 0x44;
const IER: u32 = 0x60;
const IDR: u32 = 0x64;
const SR: u32 = 0x68;
const IMR: u32 = 0x6c;
const PLLICPR: u32 = 0x80;

/// System clocks: processor, USB host and device, programmable clocks 0 and 1.
const SYSTEM_MASK: u32 = 0x3c1;
const PCK: u32 = 1 << 0;
/// Identifiers 2 to 28 have a clock to switch.
const PERIPHERAL_MASK: u32 = 0x1fff_fffc;

// MOR.
const MOSCEN: u32 = 1 << 0;
const MOR_MASK: u32 = 0xff03;
/// As the boot ROM leaves it: on, with a start-up time of 64 x 8 slow clocks (assumption).
const MOR_ROM: u32 = 0x4001;

// MCFR.
const MAINRDY: u32 = 1 << 16;

// PLLs.
const PLLA_ONE: u32 = 1 << 29;
const PLLA_MASK: u32 = 0x27ff_ffff;
const PLLB_MASK: u32 = 0x37ff_ffff;
/// After reset: stopped (DIV and MUL are 0), COUNT 63.
const PLLAR_RESET: u32 = 0x2000_3f00;
const PLLBR_RESET: u32 = 0x0000_3f00;
/// Range of the frequency at the phase comparator. Linux (clk/at91/at91sam9260.c).
const PLL_INPUT: std::ops::RangeInclusive<u64> = 1_000_000..=32_000_000;

// MCKR.
const CSS: u32 = 3;
const PRES: u32 = 7 << 2;
const MDIV: u32 = 3 << 8;

// SR.
const MOSCS: u32 = 1 << 0;
const LOCKA: u32 = 1 << 1;
const LOCKB: u32 = 1 << 2;
const MCKRDY: u32 = 1 << 3;
const PCKRDY: u32 = 3 << 8;
const SR_MASK: u32 = MOSCS | LOCKA | LOCKB | MCKRDY | PCKRDY;

/// The crystals of a board, in hertz.
#[derive(Debug)]
pub struct Crystals {
    /// Main.
    pub main: u64,
    /// Slow.
    pub slow: u64,
}

/// A PLL.
#[derive(Clone, Copy, Debug)]
struct Pll {
    name: &'static str,
    register: u32,
    locks_at: Ps,
}

impl Pll {
    fn at_reset(name: &'static str, register: u32) -> Self {
        Self { name, register, locks_at: NEVER }
    }

    /// DIV and MUL + 1, if it runs.
    fn factors(&self) -> Option<(u64, u64)> {
        let (div, mul) = (u64::from(self.register & 0xff), u64::from(self.register >> 16 & 0x7ff));
        (div != 0 && mul != 0).then_some((div, mul + 1))
    }

    fn hertz(&self, main: u64) -> Option<u64> {
        self.factors().map(|(div, mul)| main * mul / div)
    }

    fn period(&self, main: u64) -> Option<Ps> {
        self.factors().map(|(div, mul)| (div * 1_000_000_000_000 + main * mul / 2) / (main * mul))
    }

    /// What is wrong with the value just written.
    fn problems(&self, main: u64) -> Vec<(&'static str, String)> {
        let (Some((div, _)), Some(hertz)) = (self.factors(), self.hertz(main)) else { return Vec::new() };
        let (name, count) = (self.name, self.register >> 8 & 0x3f);
        let range = match self.register >> 14 & 3 {
            0 => 80_000_000..=160_000_000,
            2 => 150_000_000..=240_000_000,
            _ => 0..=0,
        };
        let mut found = Vec::new();
        let mut check = |good: bool, kind, text: String| {
            if !good {
                found.push((kind, text));
            }
        };
        let least = model::SAM9_PLL_COUNT_MIN;
        check(
            count >= least,
            "pll-lock-time",
            format!("{name}: COUNT allows {count} slow clocks, it needs {least}"),
        );
        check(
            PLL_INPUT.contains(&(main / div)),
            "clock-limit",
            format!("{name}: {} Hz at its input, 1 to 32 MHz are allowed", main / div),
        );
        // The figures are PLLA's. PLLB, for USB, has no other source.
        check(
            range.contains(&hertz),
            "clock-limit",
            format!("{name}: {hertz} Hz with OUT = {}, which is for {range:?}", self.register >> 14 & 3),
        );
        found
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Clock {
    crystals: &'static Crystals,
    system: u32,
    peripherals: u32,
    mor: u32,
    oscillates_at: Ps,
    plla: Pll,
    pllb: Pll,
    mckr: u32,
    mck_ready_at: Ps,
    pck: [u32; 2],
    imr: u32,
    idle: bool,
    changed: bool,
}

impl Clock {
    /// As the boot ROM leaves it: the main oscillator runs, and everything runs from it.
    #[must_use]
    pub fn after_rom(crystals: &'static Crystals) -> Self {
        Self {
            crystals,
            system: PCK,
            peripherals: 0,
            mor: MOR_ROM,
            oscillates_at: 0,
            plla: Pll::at_reset("PLLA", PLLAR_RESET),
            pllb: Pll::at_reset("PLLB", PLLBR_RESET),
            mckr: 1,
            mck_ready_at: 0,
            pck: [0; 2],
            imr: 0,
            idle: false,
            changed: true,
        }
    }

    /// The periods as programmed.
    #[must_use]
    pub fn clocks(&self) -> Clocks {
        let main = self.crystals.main;
        let source = match self.mckr & CSS {
            0 => period(self.crystals.slow),
            2 => self.plla.period(main).unwrap_or(period(main)),
            3 => self.pllb.period(main).unwrap_or(period(main)),
            _ => period(main),
        };
        let pck = source << (self.mckr >> 2 & 7).min(6);
        let mck = pck << (self.mckr >> 8 & 3).min(2);
        Clocks { fclk: pck, hclk: mck, pclk: mck }
    }

    /// Whether the master clock comes from a PLL.
    #[must_use]
    pub fn uses_pll(&self) -> bool {
        self.mckr & CSS >= 2
    }

    /// Whether the core's clock is off until an interrupt.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// Whether a peripheral has its clock.
    #[must_use]
    pub fn is_clocked(&self, id: u32) -> bool {
        self.peripherals >> id & 1 != 0
    }

    /// Whether the periods may have changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Level of the interrupt request.
    #[must_use]
    pub fn interrupt(&self, now: Ps) -> bool {
        self.imr != 0 && self.status(now) & self.imr != 0
    }

    /// When a status that may interrupt changes.
    #[must_use]
    pub fn next_event(&self, now: Ps) -> Ps {
        if self.imr == 0 {
            return NEVER;
        }
        let edges = [self.oscillates_at, self.plla.locks_at, self.pllb.locks_at, self.mck_ready_at];
        edges.into_iter().filter(|&edge| edge > now).min().unwrap_or(NEVER)
    }

    fn slow(&self, clocks: u32) -> Ps {
        u64::from(clocks) * 1_000_000_000_000 / self.crystals.slow
    }

    fn oscillates(&self, now: Ps) -> bool {
        self.mor & MOSCEN != 0 && self.oscillates_at <= now
    }

    fn status(&self, now: Ps) -> u32 {
        let flag = |set, bit| if set { bit } else { 0 };
        flag(self.oscillates(now), MOSCS)
            | flag(self.plla.locks_at <= now, LOCKA)
            | flag(self.pllb.locks_at <= now, LOCKB)
            | flag(self.mck_ready_at <= now, MCKRDY)
            | PCKRDY
    }

    /// Main clocks in 16 slow ones.
    fn mcfr(&self, now: Ps) -> u32 {
        if self.mor & MOSCEN == 0 || now < self.oscillates_at.saturating_add(self.slow(16)) {
            return 0;
        }
        MAINRDY | (16 * self.crystals.main / self.crystals.slow) as u32
    }

    fn write_mor(&mut self, value: u32, access: &mut Access<'_>) {
        let was_on = self.mor & MOSCEN != 0;
        self.mor = value & MOR_MASK;
        if value & MOSCEN == 0 && self.mckr & CSS != 0 {
            access.violation("clock", "the main oscillator is switched off while it is in use");
        }
        if value & MOSCEN != 0 && !was_on {
            self.oscillates_at = access.now + self.slow(8 * (value >> 8 & 0xff));
        }
    }

    fn write_pll(&mut self, a: bool, value: u32, access: &mut Access<'_>) {
        let (oscillates, in_use) = (self.oscillates(access.now), self.mckr & CSS == if a { 2 } else { 3 });
        let (pll, mask) = if a { (&mut self.plla, PLLA_MASK) } else { (&mut self.pllb, PLLB_MASK) };
        let name = pll.name;
        if in_use {
            access.violation("clock", format!("{name} is changed while the master clock comes from it"));
        }
        if value & !mask != 0 || a && value & PLLA_ONE == 0 {
            let text = format!("{name}R = {value:08X}: bit 29 must be 1 (PLLA), the reserved ones 0");
            access.violation("register", text);
        }
        pll.register = value & mask;
        pll.locks_at = NEVER;
        if pll.factors().is_none() {
            return;
        }
        for (kind, text) in pll.problems(self.crystals.main) {
            access.violation(kind, text);
        }
        if !oscillates {
            access.violation("clock", format!("{name} is started while its input does not oscillate"));
        }
        let count = value >> 8 & 0x3f;
        pll.locks_at = access.now + u64::from(count) * 1_000_000_000_000 / self.crystals.slow;
    }

    fn write_mckr(&mut self, value: u32, access: &mut Access<'_>) {
        let (before, old) = (self.mckr, self.clocks().hclk);
        let changed = before ^ value;
        let (status, switching) = (self.status(access.now), access.now < self.mck_ready_at);
        let mut check = |wrong: bool, text: &str| {
            if wrong {
                access.violation("clock", text);
            }
        };
        check(switching, "MCKR is written while MCKRDY is 0");
        check(
            changed & CSS != 0 && changed & (PRES | MDIV) != 0,
            "one write to MCKR changes CSS and PRES or MDIV: it takes two",
        );
        check(value & MDIV == MDIV, "MDIV is 3, which this chip does not have");
        check(value & PRES == PRES, "PRES is 7, which is reserved");
        let needs = [0, MOSCS, LOCKA, LOCKB][(value & CSS) as usize];
        check(status & needs != needs, "MCKR selects a clock that is not there: MOSCS or LOCK is 0");
        if value & !(CSS | PRES | MDIV) != 0 {
            access.violation("register", format!("MCKR = {value:08X}: reserved bits are set"));
        }
        self.mckr = value & (CSS | PRES | MDIV);
        self.changed = true;
        let new = self.clocks();
        if changed != 0 {
            self.mck_ready_at = access.now + model::SAM9_SWITCH_PERIODS * old.max(new.hclk);
        }
        let limits =
            [("PCK", new.fclk, model::SAM9260_PCK_MAX_HZ), ("MCK", new.hclk, model::SAM9260_MCK_MAX_HZ)];
        for (name, period, max) in limits {
            if frequency(period) > max {
                let limit = format!("{:.1} MHz", max as f64 / 1e6);
                access.violation("clock-limit", format!("{name} is {}, {limit} is allowed", mhz(period)));
            }
        }
    }

    fn switch(name: &str, value: u32, mask: u32, access: &mut Access<'_>) -> u32 {
        if value & !mask != 0 {
            access.violation("register", format!("{name} = {value:08X}: there are no such clocks"));
        }
        value & mask
    }
}

impl Peripheral for Clock {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (SCSR, 4) => self.system,
            (PCSR, 4) => self.peripherals,
            (MOR, 4) => self.mor,
            (MCFR, 4) => self.mcfr(access.now),
            (PLLAR, 4) => self.plla.register,
            (PLLBR, 4) => self.pllb.register,
            (MCKR, 4) => self.mckr,
            (PCK0 | PCK1, 4) => self.pck[((offset - PCK0) / 4) as usize],
            (SR, 4) => self.status(access.now),
            (IMR, 4) => self.imr,
            _ => no_such_register("PMC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.idle = false;
        match (offset, width) {
            (SCER, 4) => self.system |= Self::switch("SCER", value, SYSTEM_MASK, access),
            (SCDR, 4) => {
                // The processor's comes back with an interrupt.
                self.idle = value & PCK != 0;
                self.system &= !(Self::switch("SCDR", value, SYSTEM_MASK, access) & !PCK);
            }
            (PCER, 4) => self.peripherals |= Self::switch("PCER", value, PERIPHERAL_MASK, access),
            (PCDR, 4) => self.peripherals &= !Self::switch("PCDR", value, PERIPHERAL_MASK, access),
            (MOR, 4) => self.write_mor(value, access),
            (PLLAR, 4) => self.write_pll(true, value, access),
            (PLLBR, 4) => self.write_pll(false, value, access),
            (MCKR, 4) => self.write_mckr(value, access),
            (PCK0 | PCK1, 4) => self.pck[((offset - PCK0) / 4) as usize] = value & 0x1f,
            (IER, 4) => self.imr |= value & SR_MASK,
            (IDR, 4) => self.imr &= !value,
            // Charge pump current: it has no effect that shows here.
            (PLLICPR, 4) => {}
            _ => {
                no_such_register("PMC", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Violations;
    use crate::time::US;

    static CRYSTALS: Crystals = Crystals { main: 18_432_000, slow: 32_768 };
    const NONE: [&str; 0] = [];

    struct Bench {
        clock: Clock,
        now: Ps,
        violations: Violations,
    }

    impl Bench {
        fn new() -> Self {
            Self { clock: Clock::after_rom(&CRYSTALS), now: 1000 * US, violations: Violations::default() }
        }

        fn act<T>(&mut self, act: impl FnOnce(&mut Clock, &mut Access<'_>) -> T) -> T {
            let clocks = self.clock.clocks();
            let (now, pc) = (self.now, (self.now / US) as u32);
            act(&mut self.clock, &mut Access { now, pc, clocks, hold: 0, violations: &mut self.violations })
        }

        fn write(mut self, offset: u32, value: u32) -> Self {
            self.act(|clock, access| clock.write(offset, 4, value, access));
            self
        }

        fn wait(mut self, us: u64) -> Self {
            self.now += us * US;
            self
        }

        fn read(&mut self, offset: u32) -> u32 {
            self.act(|clock, access| clock.read(offset, 4, access))
        }

        fn kinds(&self) -> Vec<&'static str> {
            self.violations.list().iter().map(|violation| violation.kind).collect()
        }
    }

    /// The boards' settings: PLLA 198.656 MHz, MCK half of it.
    fn boards() -> Bench {
        Bench::new()
            .write(PLLAR, 0x2000_0000)
            .write(PLLAR, 0x2060_bf09)
            .wait(1930)
            .write(MCKR, 0x101)
            .wait(1)
            .write(MCKR, 0x102)
    }

    #[test]
    fn runs_from_the_crystal_first() {
        let mut bench = Bench::new();
        assert_eq!(bench.clock.clocks(), Clocks { fclk: 54_253, hclk: 54_253, pclk: 54_253 });
        assert_eq!((bench.read(SR) & 0xf, bench.read(MCKR)), (MOSCS | MCKRDY, 1));
        assert_eq!(bench.read(MCFR), MAINRDY | 9000);
        assert!(!bench.clock.uses_pll());
    }

    #[test]
    fn the_boards_settings_are_good() {
        let bench = boards();
        assert_eq!(bench.kinds(), NONE);
        assert_eq!(bench.clock.clocks(), Clocks { fclk: 5_034, hclk: 10_068, pclk: 10_068 });
        assert!(bench.clock.uses_pll());
    }

    #[test]
    fn the_pll_locks_after_its_count() {
        let mut bench = Bench::new().write(PLLAR, 0x2060_bf09).wait(1922);
        assert_eq!(bench.read(SR) & LOCKA, 0);
        bench = bench.wait(1);
        assert_eq!(bench.read(SR) & LOCKA, LOCKA);
        // And is gone when it is stopped.
        assert_eq!(bench.write(PLLAR, 0x2000_0000).read(SR) & LOCKA, 0);
    }

    #[test]
    fn what_is_not_allowed() {
        let check = |bench: Bench, kinds: &[&str]| assert_eq!(bench.kinds(), kinds);
        check(Bench::new().write(PLLAR, 0x0060_bf09), &["register"]);
        check(Bench::new().write(PLLAR, 0x2060_bf89), &["clock-limit", "clock-limit"]);
        check(Bench::new().write(PLLAR, 0x2060_a009), &["pll-lock-time"]);
        // 198 MHz is not for OUT = 0.
        check(Bench::new().write(PLLAR, 0x2060_3f09), &["clock-limit"]);
        // Not locked yet; then MCK at the PLL's rate.
        check(Bench::new().write(PLLAR, 0x2060_bf09).write(MCKR, 2), &["clock", "clock-limit"]);
        check(Bench::new().write(PLLAR, 0x2060_bf09).wait(1930).write(MCKR, 2), &["clock-limit"]);
        check(Bench::new().write(PLLAR, 0x2060_bf09).wait(1930).write(MCKR, 0x102), &["clock"]);
        check(Bench::new().write(MCKR, 0x101).write(MCKR, 0x105), &["clock"]);
        check(Bench::new().write(MCKR, 0x301), &["clock"]);
        check(boards().write(PLLAR, 0x2060_bf09), &["clock"]);
        check(boards().write(MOR, 0), &["clock"]);
        check(Bench::new().write(PCER, 1), &["register"]);
        check(Bench::new().write(0x1c, 0), &["register"]);
    }

    #[test]
    fn peripherals_are_switched_one_by_one() {
        let mut bench = Bench::new().write(PCER, 0x1c).write(PCDR, 4);
        assert_eq!(
            (bench.read(PCSR), bench.clock.is_clocked(4), bench.clock.is_clocked(2)),
            (0x18, true, false)
        );
    }

    #[test]
    fn the_core_stands_without_its_clock() {
        let bench = Bench::new().write(SCDR, PCK);
        assert!(bench.clock.is_idle());
        assert!(!bench.write(SCER, PCK).clock.is_idle());
    }
}
