//! Reset controller (RSTC): AT91SAM9260 data sheet, chapter of that name.

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

const CR: u32 = 0x0;
const SR: u32 = 0x4;
const MR: u32 = 0x8;

const KEY: u32 = 0xa5;
const PROCRST: u32 = 1 << 0;
const PERRST: u32 = 1 << 2;
const EXTRST: u32 = 1 << 3;

/// SR: level of the NRST pin (recall).
const NRSTL: u32 = 1 << 16;
/// URSTEN, URSTIEN and ERSTL.
const MR_MASK: u32 = 0xf11;

/// Why there was a reset, as RSTTYP tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetType {
    /// Power-on.
    General = 0,
    /// By the watchdog.
    Watchdog = 2,
    /// By CR.
    Software = 3,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct ResetController {
    cause: ResetType,
    mr: u32,
    request: bool,
}

impl ResetController {
    /// The controller after such a reset.
    #[must_use]
    pub fn new(cause: ResetType) -> Self {
        Self { cause, mr: 1, request: false }
    }

    /// Whether software has asked for a reset.
    pub fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.request)
    }

    fn control(&mut self, value: u32, access: &mut Access<'_>) {
        let parts = value & (PROCRST | PERRST);
        match parts {
            _ if value >> 24 != KEY => access.violation("rstc", "RSTC_CR is written without its key"),
            0 => {}
            _ if parts == PROCRST | PERRST => self.request = true,
            _ => access.violation("rstc", "PROCRST and PERRST must be set together (recall)"),
        }
        if value & 0x00ff_ffff & !(PROCRST | PERRST | EXTRST) != 0 {
            access.violation("register", format!("RSTC_CR = {value:08X}: reserved bits are set"));
        }
    }
}

impl Peripheral for ResetController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (SR, 4) => NRSTL | (self.cause as u32) << 8,
            (MR, 4) => self.mr,
            _ => no_such_register("RSTC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (CR, 4) => self.control(value, access),
            (MR, 4) if value >> 24 == KEY => self.mr = value & MR_MASK,
            (MR, 4) => access.violation("rstc", "RSTC_MR is written without its key"),
            _ => {
                no_such_register("RSTC", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    #[test]
    fn resets_take_the_key_and_both_parts() {
        let check = |value, resets, complaints| {
            let mut violations = Violations::default();
            let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
            let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
            let mut rstc = ResetController::new(ResetType::Watchdog);
            assert_eq!(rstc.read(SR, 4, &mut access), 0x1_0200);
            rstc.write(CR, 4, value, &mut access);
            assert_eq!((rstc.take_reset(), violations.total()), (resets, complaints), "{value:08x}");
        };
        check(0xa500_0005, true, 0);
        check(0xa500_000d, true, 0);
        check(0xa500_0008, false, 0);
        check(0xa500_0001, false, 1);
        check(0x0000_0005, false, 1);
        check(0xa500_0015, true, 1);
    }
}
