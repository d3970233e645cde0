//! I2C with nobody at the other end: S3C2440A User's Manual, chapter 20. Each byte is answered
//! with NAK and the interrupt, without which a kernel waits five seconds for it.

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

const IICCON: u32 = 0x00;
const IICSTAT: u32 = 0x04;
const IICADD: u32 = 0x08;
const IICDS: u32 = 0x0c;
const IICLC: u32 = 0x10;

const INTERRUPT_ENABLE: u32 = 1 << 5;
const PENDING: u32 = 1 << 4;
const NOT_ACKNOWLEDGED: u32 = 1 << 0;
const BUSY: u32 = 1 << 5;

/// The controller.
#[derive(Clone, Debug)]
pub struct I2c {
    has_iiclc: bool,
    iiccon: u32,
    iicstat: u32,
    iicadd: u32,
    iicds: u32,
    iiclc: u32,
    interrupt: bool,
}

impl I2c {
    /// The controller after reset; IICLC came with the S3C2440.
    #[must_use]
    pub fn new(has_iiclc: bool) -> Self {
        Self { has_iiclc, iiccon: 0, iicstat: 0, iicadd: 0, iicds: 0, iiclc: 0, interrupt: false }
    }

    /// Whether INT_IIC has been asked for since the last call.
    pub fn take_interrupt(&mut self) -> bool {
        std::mem::take(&mut self.interrupt)
    }

    fn answer(&mut self) {
        self.iicstat |= NOT_ACKNOWLEDGED;
        self.iiccon |= PENDING;
        self.interrupt = self.iiccon & INTERRUPT_ENABLE != 0;
    }
}

impl Peripheral for I2c {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (IICCON, 4) => self.iiccon,
            (IICSTAT, 4) => self.iicstat,
            (IICADD, _) => self.iicadd,
            (IICDS, _) => self.iicds,
            (IICLC, 4) if self.has_iiclc => self.iiclc,
            _ => no_such_register("IIC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (IICCON, 4) => {
                let resumes = self.iiccon & PENDING != 0 && value & PENDING == 0;
                self.iiccon = value & 0xff;
                if resumes && self.iicstat & BUSY != 0 {
                    self.answer();
                }
            }
            (IICSTAT, 4) => {
                self.iicstat = value & 0xf0;
                if value & BUSY != 0 {
                    self.answer();
                }
            }
            (IICADD, _) => self.iicadd = value & 0xff,
            (IICDS, _) => self.iicds = value & 0xff,
            (IICLC, 4) if self.has_iiclc => self.iiclc = value & 7,
            _ => {
                no_such_register("IIC", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    #[test]
    fn a_start_is_answered_with_nak_and_an_interrupt() {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        let mut i2c = I2c::new(true);
        i2c.write(IICCON, 4, 0xa0, &mut access);
        i2c.write(IICSTAT, 4, 0xf0, &mut access);
        assert!(i2c.take_interrupt() && !i2c.take_interrupt());
        assert_eq!(i2c.read(IICSTAT, 4, &mut access) & NOT_ACKNOWLEDGED, 1);
        i2c.write(IICSTAT, 4, 0xd0, &mut access);
        i2c.write(IICCON, 4, 0xa0, &mut access);
        assert!(!i2c.take_interrupt());
    }
}
