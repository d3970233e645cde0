//! Interrupt controller: S3C2440A User's Manual, chapter 14; the chips of the family differ in which
//! sub-sources there are. Priorities do not rotate: the lowest
//! source number wins.

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

const SRCPND: u32 = 0x00;
const INTMOD: u32 = 0x04;
const INTMSK: u32 = 0x08;
const PRIORITY: u32 = 0x0c;
const INTPND: u32 = 0x10;
const INTOFFSET: u32 = 0x14;
const SUBSRCPND: u32 = 0x18;
const INTSUBMSK: u32 = 0x1c;

/// Source numbers.
pub mod source {
    /// External interrupts 4 to 7.
    pub const EINT4_7: u32 = 4;
    /// External interrupts 8 to 23.
    pub const EINT8_23: u32 = 5;
    /// Watchdog.
    pub const WDT: u32 = 9;
    /// Timer 0; the others follow.
    pub const TIMER0: u32 = 10;
    /// NAND controller.
    pub const NFCON: u32 = 24;
    /// I2C.
    pub const IIC: u32 = 27;
}

/// Bits of INTSUBMSK on S3C2440A and S3C2442B.
pub const S3C2440_SUB_SOURCES: u32 = 0xffff;
/// Sub-source 13, the watchdog.
pub const SUB_WDT: u32 = 1 << 13;

/// Sub-sources and the source they feed.
const PARENTS: [(u32, u32); 6] = [(0x7, 28), (0x38, 23), (0x1c0, 15), (0x600, 31), (0x1800, 6), (0x6000, 9)];

/// The controller.
#[derive(Clone, Debug)]
pub struct InterruptController {
    sub_sources: u32,
    srcpnd: u32,
    intmod: u32,
    intmsk: u32,
    priority: u32,
    intpnd: u32,
    subsrcpnd: u32,
    intsubmsk: u32,
}

impl InterruptController {
    /// The controller after reset, with these sub-sources, a bit each.
    #[must_use]
    pub fn new(sub_sources: u32) -> Self {
        Self {
            sub_sources,
            srcpnd: 0,
            intmod: 0,
            intmsk: 0xffff_ffff,
            priority: 0x7f,
            intpnd: 0,
            subsrcpnd: 0,
            intsubmsk: sub_sources,
        }
    }

    /// A source asks.
    pub fn raise(&mut self, source: u32) {
        self.srcpnd |= 1 << source;
        self.arbitrate();
    }

    /// Conditions of sub-sources that hold now.
    pub fn raise_sub(&mut self, conditions: u32) {
        let new = conditions & !self.subsrcpnd;
        if new != 0 {
            self.subsrcpnd |= new;
            self.propagate(new);
        }
    }

    /// Passes unmasked sub-sources among `which` on to their sources.
    fn propagate(&mut self, which: u32) {
        let asking = which & self.subsrcpnd & !self.intsubmsk;
        for (subs, parent) in PARENTS {
            if asking & subs != 0 {
                self.srcpnd |= 1 << parent;
            }
        }
        self.arbitrate();
    }

    fn arbitrate(&mut self) {
        let asking = self.srcpnd & !self.intmsk & !self.intmod;
        if self.intpnd == 0 && asking != 0 {
            self.intpnd = 1 << asking.trailing_zeros();
        }
    }

    /// The nIRQ line.
    #[must_use]
    pub fn irq(&self) -> bool {
        self.intpnd != 0
    }

    /// The nFIQ line.
    #[must_use]
    pub fn fiq(&self) -> bool {
        self.srcpnd & self.intmod & !self.intmsk != 0
    }
}

impl Peripheral for InterruptController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (SRCPND, 4) => self.srcpnd,
            (INTMOD, 4) => self.intmod,
            (INTMSK, 4) => self.intmsk,
            (PRIORITY, 4) => self.priority,
            (INTPND, 4) => self.intpnd,
            (INTOFFSET, 4) => self.intpnd.checked_ilog2().unwrap_or(0),
            (SUBSRCPND, 4) => self.subsrcpnd,
            (INTSUBMSK, 4) => self.intsubmsk,
            _ => no_such_register("INTC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (SRCPND, 4) => self.srcpnd &= !value,
            (INTMOD, 4) => self.intmod = value,
            (INTMSK, 4) => {
                self.intmsk = value;
                self.propagate(u32::MAX);
            }
            (PRIORITY, 4) => self.priority = value & 0x001f_ffff,
            (INTPND, 4) => self.intpnd &= !value,
            (SUBSRCPND, 4) => self.subsrcpnd &= !value,
            (INTSUBMSK, 4) => {
                self.intsubmsk = value & self.sub_sources;
                self.propagate(u32::MAX);
            }
            (INTOFFSET, 4) => access.violation("register", "INTOFFSET is read only"),
            _ => {
                no_such_register("INTC", offset, width, true, access);
            }
        }
        self.arbitrate();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    fn write(intc: &mut InterruptController, offset: u32, value: u32) {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        intc.write(
            offset,
            4,
            value,
            &mut Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations },
        );
        assert_eq!(violations.total(), 0);
    }

    fn read(intc: &mut InterruptController, offset: u32) -> u32 {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        intc.read(offset, 4, &mut Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations })
    }

    #[test]
    fn one_winner_at_a_time() {
        let mut intc = InterruptController::new(S3C2440_SUB_SOURCES);
        intc.raise(14);
        intc.raise(10);
        assert!(!intc.irq());
        write(&mut intc, INTMSK, 0);
        assert_eq!((read(&mut intc, INTPND), read(&mut intc, INTOFFSET)), (1 << 10, 10));
        write(&mut intc, SRCPND, 1 << 10);
        write(&mut intc, INTPND, 1 << 10);
        assert_eq!(read(&mut intc, INTOFFSET), 14);
    }

    #[test]
    fn clearing_intpnd_alone_brings_the_request_back() {
        let mut intc = InterruptController::new(S3C2440_SUB_SOURCES);
        write(&mut intc, INTMSK, !(1 << 14));
        intc.raise(14);
        write(&mut intc, INTPND, 1 << 14);
        assert!(intc.irq());
        write(&mut intc, SRCPND, 1 << 14);
        write(&mut intc, INTPND, 1 << 14);
        assert!(!intc.irq());
    }

    #[test]
    fn sub_sources_come_back_when_the_parent_is_unmasked() {
        let mut intc = InterruptController::new(S3C2440_SUB_SOURCES);
        write(&mut intc, INTMSK, !(1 << 28));
        write(&mut intc, INTSUBMSK, 0xfffe);
        intc.raise_sub(1);
        assert_eq!(read(&mut intc, INTPND), 1 << 28);
        write(&mut intc, INTMSK, !0);
        write(&mut intc, SRCPND, 1 << 28);
        write(&mut intc, INTPND, 1 << 28);
        assert!(!intc.irq());
        write(&mut intc, INTMSK, !(1 << 28));
        assert!(intc.irq());
        // Acknowledged in the right order it stays away.
        write(&mut intc, SUBSRCPND, 1);
        write(&mut intc, SRCPND, 1 << 28);
        write(&mut intc, INTPND, 1 << 28);
        assert!(!intc.irq());
    }

    #[test]
    fn fast_interrupts_do_not_show_in_intpnd() {
        let mut intc = InterruptController::new(S3C2440_SUB_SOURCES);
        write(&mut intc, INTMOD, 1 << 10);
        write(&mut intc, INTMSK, 0);
        intc.raise(10);
        assert!(intc.fiq() && !intc.irq());
    }
}
