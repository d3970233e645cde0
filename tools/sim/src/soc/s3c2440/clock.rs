//! Clock and power management: S3C2440A User's Manual, chapter 7. What differs in the family is in
//! [`ClockData`].

use crate::bus::{Access, Clocks, Peripheral, Ps};
use crate::model;
use crate::soc::no_such_register;
use crate::time::{frequency, mhz, period};

const LOCKTIME: u32 = 0x00;
const MPLLCON: u32 = 0x04;
const UPLLCON: u32 = 0x08;
const CLKCON: u32 = 0x0c;
const CLKSLOW: u32 = 0x10;
const CLKDIVN: u32 = 0x14;
const CAMDIVN: u32 = 0x18;

const CLKCON_IDLE: u32 = 1 << 2;
const CLKCON_SLEEP: u32 = 1 << 3;
const SLOW_BIT: u32 = 1 << 4;
const MPLL_OFF: u32 = 1 << 5;
const HCLK3_HALF: u32 = 1 << 8;
const HCLK4_HALF: u32 = 1 << 9;
const DVSEN: u32 = 1 << 12;

/// What makes the block of a chip.
#[derive(Debug)]
pub struct ClockData {
    /// LOCKTIME after reset: all bits that exist.
    pub locktime: u32,
    /// M_LTIME in LOCKTIME.
    pub m_ltime: u32,
    /// MPLLCON after reset.
    pub mpllcon: u32,
    /// UPLLCON after reset.
    pub upllcon: u32,
    /// CLKCON after reset.
    pub clkcon: u32,
    /// Bits of CLKCON that exist.
    pub clkcon_mask: u32,
    /// Bits of CLKDIVN that exist.
    pub clkdivn_mask: u32,
    /// Bits of CAMDIVN that exist, where it does.
    pub camdivn_mask: Option<u32>,
    /// FCLK of the MPLL is this times m Fin / (p 2^s).
    pub mpll_factor: u64,
    /// HCLK in periods of FCLK, from CLKDIVN and CAMDIVN.
    pub hclk_divider: fn(u32, u32) -> u64,
    /// Highest FCLK, HCLK and PCLK.
    pub max_hz: [u64; 3],
}

/// S3C2440A and S3C2442B but for the gates in CLKCON.
pub const S3C2440: ClockData = ClockData {
    locktime: 0xffff_ffff,
    m_ltime: 0xffff,
    mpllcon: 0x0009_6030,
    upllcon: 0x0004_d030,
    clkcon: 0x00ff_fff0,
    clkcon_mask: 0x001f_fffc,
    clkdivn_mask: 0xf,
    camdivn_mask: Some(0x133f),
    mpll_factor: 2,
    hclk_divider,
    max_hz: [model::FCLK_MAX_HZ, model::HCLK_MAX_HZ, model::PCLK_MAX_HZ],
};

fn hclk_divider(clkdivn: u32, camdivn: u32) -> u64 {
    match clkdivn >> 1 & 3 {
        0 => 1,
        1 => 2,
        2 if camdivn & HCLK4_HALF != 0 => 8,
        2 => 4,
        _ if camdivn & HCLK3_HALF != 0 => 6,
        _ => 3,
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct Clock {
    fin: u64,
    data: &'static ClockData,
    locktime: u32,
    mpllcon: u32,
    upllcon: u32,
    clkcon: u32,
    clkslow: u32,
    clkdivn: u32,
    camdivn: u32,
    /// Until MPLLCON is written FCLK is Fin, whatever MPLLCON reads.
    mpll_used: bool,
    changed: bool,
}

impl Clock {
    /// The block after reset, with a crystal of `fin` Hz.
    #[must_use]
    pub fn new(fin: u64, data: &'static ClockData) -> Self {
        Self {
            fin,
            data,
            locktime: data.locktime,
            mpllcon: data.mpllcon,
            upllcon: data.upllcon,
            clkcon: data.clkcon,
            clkslow: 4,
            clkdivn: 0,
            camdivn: 0,
            mpll_used: false,
            changed: true,
        }
    }

    /// The periods as programmed.
    #[must_use]
    pub fn clocks(&self) -> Clocks {
        let fclk = self.fclk();
        let hclk = fclk * (self.data.hclk_divider)(self.clkdivn, self.camdivn);
        let pclk = hclk * (1 + u64::from(self.clkdivn & 1));
        Clocks { fclk: if self.camdivn & DVSEN != 0 { hclk } else { fclk }, hclk, pclk }
    }

    fn fclk(&self) -> Ps {
        let fin = period(self.fin);
        if self.clkslow & SLOW_BIT != 0 {
            return match u64::from(self.clkslow & 7) {
                0 => fin,
                value => 2 * value * fin,
            };
        }
        if !self.mpll_used || self.clkslow & MPLL_OFF != 0 {
            return fin;
        }
        let (m, p, s) = pll(self.mpllcon);
        let divisor = self.data.mpll_factor * m * self.fin;
        ((p << s) * 1_000_000_000_000 + divisor / 2) / divisor
    }

    /// Whether CLKCON lets a block have its clock.
    #[must_use]
    pub fn is_gated(&self, bit: u32) -> bool {
        self.clkcon >> bit & 1 == 0
    }

    /// Whether MPLLCON has been written.
    #[must_use]
    pub fn mpll_used(&self) -> bool {
        self.mpll_used
    }

    /// Whether the core waits for an interrupt.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.clkcon & CLKCON_IDLE != 0
    }

    /// Whether the periods may have changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// MPLLCON: FCLK stands still for the lock time.
    fn write_mpllcon(&mut self, value: u32, access: &mut Access<'_>) {
        let lock = u64::from(self.locktime & self.data.m_ltime) * 1_000_000_000_000 / self.fin;
        if lock < model::PLL_LOCK_MIN {
            access.violation(
                "pll-lock-time",
                format!(
                    "LOCKTIME allows the MPLL {} us, it needs {} us",
                    lock / 1_000_000,
                    model::PLL_LOCK_MIN / 1_000_000
                ),
            );
        }
        access.hold += lock;
        self.mpllcon = value & 0x000f_f3f3;
        self.mpll_used = true;
        self.changed = true;
        self.check(access);
    }

    fn check(&self, access: &mut Access<'_>) {
        let clocks = self.clocks();
        let periods = [("FCLK", clocks.fclk), ("HCLK", clocks.hclk), ("PCLK", clocks.pclk)];
        for ((name, period), max) in periods.into_iter().zip(self.data.max_hz) {
            if frequency(period) > max {
                let limit = format!("{:.1} MHz", max as f64 / 1e6);
                access.violation("clock-limit", format!("{name} is {}, {limit} is allowed", mhz(period)));
            }
        }
    }
}

/// m, p and s of a PLL register.
fn pll(register: u32) -> (u64, u64, u64) {
    (u64::from(register >> 12 & 0xff) + 8, u64::from(register >> 4 & 0x3f) + 2, u64::from(register & 3))
}

impl Peripheral for Clock {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (LOCKTIME, 4) => self.locktime,
            (MPLLCON, 4) => self.mpllcon,
            (UPLLCON, 4) => self.upllcon,
            (CLKCON, 4) => self.clkcon,
            (CLKSLOW, 4) => self.clkslow,
            (CLKDIVN, 4) => self.clkdivn,
            (CAMDIVN, 4) if self.data.camdivn_mask.is_some() => self.camdivn,
            _ => no_such_register("CLKPWR", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (LOCKTIME, 4) => self.locktime = value & self.data.locktime,
            (MPLLCON, 4) => self.write_mpllcon(value, access),
            (UPLLCON, 4) => self.upllcon = value & 0x000f_f3f3,
            (CLKCON, 4) => {
                if value & CLKCON_SLEEP != 0 {
                    access.violation("sleep", "CLKCON[3] powers the SoC off, which is not modelled");
                }
                self.clkcon = value & (self.data.clkcon_mask | CLKCON_IDLE) & !CLKCON_SLEEP;
            }
            (CLKSLOW, 4) => self.clkslow = value & 0xb7,
            (CLKDIVN, 4) => self.clkdivn = value & self.data.clkdivn_mask,
            _ => match self.data.camdivn_mask {
                Some(mask) if (offset, width) == (CAMDIVN, 4) => self.camdivn = value & mask,
                _ => {
                    no_such_register("CLKPWR", offset, width, true, access);
                }
            },
        }
        if matches!(offset, CLKSLOW | CLKDIVN | CAMDIVN) {
            self.changed = true;
            self.check(access);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Violations;

    fn write(clock: &mut Clock, values: &[(u32, u32)]) -> (Vec<&'static str>, Ps) {
        let mut violations = Violations::default();
        let mut hold = 0;
        for &(offset, value) in values {
            let mut access =
                Access { now: 0, pc: 0, clocks: clock.clocks(), hold: 0, violations: &mut violations };
            clock.write(offset, 4, value, &mut access);
            hold += access.hold;
        }
        (violations.list().iter().map(|violation| violation.kind).collect(), hold)
    }

    fn clock() -> Clock {
        Clock::new(12_000_000, &S3C2440)
    }

    #[test]
    fn runs_at_the_crystal_until_the_pll_is_written() {
        let clock = clock();
        assert_eq!(clock.clocks(), Clocks { fclk: 83_333, hclk: 83_333, pclk: 83_333 });
    }

    #[test]
    fn settings_of_the_boards() {
        let check = |mpllcon, clkdivn, expected: (Ps, Ps, Ps)| {
            let mut clock = clock();
            let (violations, _) =
                write(&mut clock, &[(CLKDIVN, clkdivn), (LOCKTIME, 0x0fff_0fff), (MPLLCON, mpllcon)]);
            assert!(violations.is_empty(), "{violations:?}");
            let clocks = clock.clocks();
            assert_eq!((clocks.fclk, clocks.hclk, clocks.pclk), expected);
        };
        check(0x0005_c011, 5, (2_500, 10_000, 20_000));
        check(0x0002_a010, 7, (2_500, 7_500, 15_000));
        check(0x0007_d021, 5, (2_506, 10_024, 20_048));
    }

    #[test]
    fn the_core_stands_while_the_pll_locks() {
        let (violations, hold) = write(&mut clock(), &[(LOCKTIME, 0x0fff_0e10), (MPLLCON, 0x0005_c012)]);
        assert_eq!((violations, hold), (vec!["clock-limit", "clock-limit"], 300_000_000));
        let (violations, _) = write(&mut clock(), &[(CLKDIVN, 3), (LOCKTIME, 100), (MPLLCON, 0x0005_c012)]);
        assert_eq!(violations, ["pll-lock-time"]);
    }

    #[test]
    fn too_fast_is_reported() {
        let check = |mpllcon, clkdivn, count| {
            let (violations, _) = write(&mut clock(), &[(CLKDIVN, clkdivn), (MPLLCON, mpllcon)]);
            assert_eq!(violations, vec!["clock-limit"; count], "{mpllcon:x} {clkdivn}");
        };
        check(0x0007_f021, 5, 1); // FCLK 405
        check(0x0005_c011, 3, 2); // HCLK 200, PCLK 100
        check(0x0005_c011, 6, 1); // PCLK 133
        check(0x0005_c011, 5, 0);
    }

    #[test]
    fn slow_mode_divides_the_crystal() {
        let mut clock = clock();
        write(&mut clock, &[(CLKDIVN, 5), (MPLLCON, 0x0005_c011), (CLKSLOW, 0x14)]);
        assert_eq!(clock.clocks().fclk, 8 * 83_333);
    }
}
