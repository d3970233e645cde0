//! Parallel I/O controllers (PIO): AT91SAM9260 data sheet, chapter of that name. Levels only: no
//! interrupts, no filters.

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

const PER: u32 = 0x00;
const PDR: u32 = 0x04;
const PSR: u32 = 0x08;
const OER: u32 = 0x10;
const ODR: u32 = 0x14;
const OSR: u32 = 0x18;
const IFER: u32 = 0x20;
const IFDR: u32 = 0x24;
const IFSR: u32 = 0x28;
const SODR: u32 = 0x30;
const CODR: u32 = 0x34;
const ODSR: u32 = 0x38;
/// Pin data status.
pub const PDSR: u32 = 0x3c;
const IER: u32 = 0x40;
const IDR: u32 = 0x44;
const IMR: u32 = 0x48;
const ISR: u32 = 0x4c;
const MDER: u32 = 0x50;
const MDDR: u32 = 0x54;
const MDSR: u32 = 0x58;
const PUDR: u32 = 0x60;
const PUER: u32 = 0x64;
const PUSR: u32 = 0x68;
const ASR: u32 = 0x70;
const BSR: u32 = 0x74;
const ABSR: u32 = 0x78;
const OWER: u32 = 0xa0;
const OWDR: u32 = 0xa4;
const OWSR: u32 = 0xa8;

/// One of the three.
#[derive(Clone, Debug)]
pub struct Pio {
    name: &'static str,
    /// The pin is the PIO's, not a peripheral's.
    psr: u32,
    osr: u32,
    ifsr: u32,
    odsr: u32,
    mdsr: u32,
    /// Pull-ups that are off.
    pusr: u32,
    /// The peripheral is B, not A.
    absr: u32,
    owsr: u32,
    /// Levels that the board drives to the pins. What nothing drives has a pull-up.
    pub inputs: u32,
}

impl Pio {
    /// A controller after reset: all pins are inputs with pull-ups.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        let (ifsr, odsr, mdsr) = (0, 0, 0);
        Self { name, psr: !0, osr: 0, ifsr, odsr, mdsr, pusr: 0, absr: 0, owsr: 0, inputs: !0 }
    }

    /// Whether the PIO drives a pin low.
    #[must_use]
    pub fn drives_low(&self, pin: u32) -> bool {
        self.psr & self.osr & !self.odsr & 1 << pin != 0
    }

    /// Whether all these pins are peripheral A's.
    #[must_use]
    pub fn gives_to_a(&self, pins: u32) -> bool {
        (self.psr | self.absr) & pins == 0
    }

    /// Levels of the pins.
    fn pins(&self) -> u32 {
        let driven = self.psr & self.osr & (!self.mdsr | !self.odsr);
        self.odsr & driven | self.inputs & !driven
    }
}

impl Peripheral for Pio {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (PSR, 4) => self.psr,
            (OSR, 4) => self.osr,
            (IFSR, 4) => self.ifsr,
            (ODSR, 4) => self.odsr,
            (PDSR, 4) => self.pins(),
            (IMR | ISR, 4) => 0,
            (MDSR, 4) => self.mdsr,
            (PUSR, 4) => self.pusr,
            (ABSR, 4) => self.absr,
            (OWSR, 4) => self.owsr,
            _ => no_such_register(self.name, offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (PER, 4) => self.psr |= value,
            (PDR, 4) => self.psr &= !value,
            (OER, 4) => self.osr |= value,
            (ODR, 4) => self.osr &= !value,
            (IFER, 4) => self.ifsr |= value,
            (IFDR, 4) => self.ifsr &= !value,
            (SODR, 4) => self.odsr |= value,
            (CODR, 4) => self.odsr &= !value,
            (ODSR, 4) => self.odsr = self.odsr & !self.owsr | value & self.owsr,
            (IDR, 4) => {}
            (IER, 4) => access.violation("pio-interrupt", "interrupts of the PIO are not modelled"),
            (MDER, 4) => self.mdsr |= value,
            (MDDR, 4) => self.mdsr &= !value,
            (PUDR, 4) => self.pusr |= value,
            (PUER, 4) => self.pusr &= !value,
            (ASR, 4) => self.absr &= !value,
            (BSR, 4) => self.absr |= value,
            (OWER, 4) => self.owsr |= value,
            (OWDR, 4) => self.owsr &= !value,
            _ => {
                no_such_register(self.name, offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    fn set(values: &[(u32, u32)]) -> (Pio, u64) {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        let mut pio = Pio::new("PIOC");
        for &(offset, value) in values {
            pio.write(offset, 4, value, &mut access);
        }
        (pio, violations.total())
    }

    #[test]
    fn a_pin_is_low_when_the_pio_drives_it() {
        let check = |values: &[(u32, u32)], low| {
            let (pio, violations) = set(values);
            assert_eq!(
                (pio.drives_low(14), pio.pins() >> 14 & 1 == 0, violations),
                (low, low, 0),
                "{values:?}"
            );
        };
        const PIN: u32 = 1 << 14;
        check(&[], false);
        check(&[(OER, PIN)], true);
        check(&[(OER, PIN), (SODR, PIN)], false);
        check(&[(OER, PIN), (SODR, PIN), (CODR, PIN)], true);
        check(&[(OER, PIN), (PDR, PIN)], false);
        check(&[(OER, PIN), (ODR, PIN)], false);
        check(&[(OER, PIN), (OWER, PIN), (ODSR, PIN)], false);
        check(&[(OER, PIN), (ODSR, PIN)], true);
    }

    #[test]
    fn pins_are_given_to_peripherals() {
        const DATA: u32 = 0xffff_0000;
        assert!(!set(&[]).0.gives_to_a(DATA));
        assert!(set(&[(ASR, DATA), (PDR, DATA)]).0.gives_to_a(DATA));
        assert!(!set(&[(ASR, DATA), (PDR, DATA), (BSR, 1 << 31)]).0.gives_to_a(DATA));
        assert!(!set(&[(PDR, DATA >> 1)]).0.gives_to_a(DATA));
    }

    #[test]
    fn what_is_not_there_is_reported() {
        assert_eq!(set(&[(PSR, 0)]).1, 1);
        assert_eq!(set(&[(0x0c, 0)]).1, 1);
        assert_eq!(set(&[(IER, 1)]).1, 1);
        assert_eq!(set(&[(IDR, !0)]).1, 0);
    }
}
