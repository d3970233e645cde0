//! Static memory controller (SMC): AT91SAM9260 data sheet, chapter of that name. Four registers a chip
//! select; here they only shape the cycles of the NAND on chip select 3.

use crate::bus::{Access, Peripheral, Ps};
use crate::part::Pulse;
use crate::soc::no_such_register;

const SELECTS: u32 = 8;
const SETUP: u32 = 0x0;
const PULSE: u32 = 0x4;
const CYCLE: u32 = 0x8;
const MODE: u32 = 0xc;

/// Bits that exist.
const SETUP_MASK: u32 = 0x3f3f_3f3f;
const PULSE_MASK: u32 = 0x7f7f_7f7f;
const CYCLE_MASK: u32 = 0x01ff_01ff;
const MODE_MASK: u32 = 0x311f_3133;

// MODE.
const READ_MODE: u32 = 1 << 0;
const WRITE_MODE: u32 = 1 << 1;
const EXNW_MODE: u32 = 3 << 4;
const DBW: u32 = 3 << 12;
const PMEN: u32 = 1 << 24;

/// The registers of a chip select after reset (recall).
const RESET: [u32; 4] = [0x0101_0101, 0x0101_0101, 0x0003_0003, 0x1000_1000];

/// Fields of SETUP and PULSE: where they start.
const NWE: u32 = 0;
const NCS_WR: u32 = 8;
const NRD: u32 = 16;
const NCS_RD: u32 = 24;

/// Set-up in cycles: bit 5 counts 128.
fn setup(register: u32, at: u32) -> u64 {
    let field = u64::from(register >> at & 0x3f);
    128 * (field >> 5) + (field & 0x1f)
}

/// Pulse in cycles: bit 6 counts 256.
fn pulse(register: u32, at: u32) -> u64 {
    let field = u64::from(register >> at & 0x7f);
    256 * (field >> 6) + (field & 0x3f)
}

/// Cycle in cycles: bits 8 and 7 count 256.
fn cycle(register: u32, at: u32) -> u64 {
    let field = u64::from(register >> at & 0x1ff);
    256 * (field >> 7) + (field & 0x7f)
}

/// How a chip select runs its cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Reads.
    pub read: Pulse,
    /// Writes.
    pub write: Pulse,
    /// From the end of a read to the first cycle of something else: the data float time and the one
    /// cycle of turn-around that is always there (recall).
    pub float: Ps,
}

#[derive(Clone, Copy, Debug)]
struct ChipSelect {
    registers: [u32; 4],
    /// What its cycles are shaped by: as of the last write to MODE.
    active: [u32; 4],
}

impl ChipSelect {
    fn strobe(&self, setup_at: u32, cycle_at: u32, mck: Ps) -> Pulse {
        let [setups, pulses, cycles, _] = self.active;
        let (before, low) = (setup(setups, setup_at), pulse(pulses, setup_at));
        let high = cycle(cycles, cycle_at).saturating_sub(before + low);
        Pulse { setup: before * mck, data_setup: before * mck, low: low * mck, high: high * mck }
    }

    fn shape(&self, mck: Ps) -> Shape {
        let float = u64::from(self.active[3] >> 16 & 0xf) + 1;
        Shape { read: self.strobe(NRD, 16, mck), write: self.strobe(NWE, 0, mck), float: float * mck }
    }

    /// What keeps it from working with an 8-bit NAND chip.
    fn problems(&self) -> Vec<String> {
        let [setups, pulses, cycles, mode] = self.active;
        let mut found = Vec::new();
        if self.active != self.registers {
            found.push(
                "SETUP, PULSE or CYCLE have been written, and MODE has not: they do not count yet".into(),
            );
        }
        for (name, at, cycle_at) in
            [("NWE", NWE, 0), ("NCS_WR", NCS_WR, 0), ("NRD", NRD, 16), ("NCS_RD", NCS_RD, 16)]
        {
            let (before, low, all) = (setup(setups, at), pulse(pulses, at), cycle(cycles, cycle_at));
            if low == 0 || before + low > all {
                found.push(format!("{name}: set-up {before}, pulse {low} in a cycle of {all}"));
            }
        }
        let mut mode_is = |bits: u32, wanted: u32, text: &str| {
            if mode & bits != wanted {
                found.push(format!("MODE = {mode:08X}: {text}"));
            }
        };
        mode_is(READ_MODE, READ_MODE, "READ_MODE must be 1, nRE is NRD");
        mode_is(WRITE_MODE, WRITE_MODE, "WRITE_MODE must be 1, nWE is NWE");
        mode_is(EXNW_MODE, 0, "EXNW_MODE must be 0, there is no NWAIT");
        mode_is(DBW, 0, "DBW must be 0, the chip has 8 bits");
        mode_is(PMEN, 0, "PMEN must be 0, the chip has no page mode");
        found
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct StaticMemoryController {
    selects: [ChipSelect; SELECTS as usize],
}

impl Default for StaticMemoryController {
    fn default() -> Self {
        Self { selects: [ChipSelect { registers: RESET, active: RESET }; SELECTS as usize] }
    }
}

impl StaticMemoryController {
    /// How a chip select runs its cycles at this clock.
    #[must_use]
    pub fn shape(&self, select: usize, mck: Ps) -> Shape {
        self.selects[select].shape(mck)
    }

    /// What keeps a chip select from working with an 8-bit NAND chip.
    #[must_use]
    pub fn problems(&self, select: usize) -> Vec<String> {
        self.selects[select].problems()
    }
}

impl Peripheral for StaticMemoryController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match self.selects.get(offset as usize / 16) {
            Some(select) if width == 4 => select.registers[(offset / 4 % 4) as usize],
            _ => no_such_register("SMC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        let Some(select) = self.selects.get_mut(offset as usize / 16).filter(|_| width == 4) else {
            no_such_register("SMC", offset, width, true, access);
            return;
        };
        let mask = match offset & 0xc {
            SETUP => SETUP_MASK,
            PULSE => PULSE_MASK,
            CYCLE => CYCLE_MASK,
            _ => MODE_MASK,
        };
        if value & !mask != 0 {
            access.violation("register", format!("SMC + {offset:#04x} = {value:08X}: reserved bits are set"));
        }
        select.registers[(offset / 4 % 4) as usize] = value & mask;
        if offset & 0xc == MODE {
            select.active = select.registers;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    const MCK: Ps = 10_000;
    /// What at91bootstrap sets.
    const GOOD: [u32; 4] = [0x0001_0001, 0x0303_0303, 0x0005_0005, 0x0002_0003];

    fn set(values: &[(u32, u32)]) -> (StaticMemoryController, u64) {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: MCK, hclk: MCK, pclk: MCK };
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        let mut smc = StaticMemoryController::default();
        for &(offset, value) in values {
            smc.write(offset, 4, value, &mut access);
        }
        (smc, violations.total())
    }

    fn select_3(registers: [u32; 4]) -> StaticMemoryController {
        let values: Vec<_> = (0x30..).step_by(4).zip(registers).collect();
        set(&values).0
    }

    #[test]
    fn cycles_of_the_field() {
        let smc = select_3(GOOD);
        assert_eq!(smc.problems(3), [""; 0]);
        let Shape { read, write, float } = smc.shape(3, MCK);
        assert_eq!(read, Pulse { setup: 10_000, data_setup: 10_000, low: 30_000, high: 10_000 });
        assert_eq!((read.data_cycle(), write.latch_cycle(), float), (50_000, 50_000, 30_000));
    }

    #[test]
    fn fields_are_split() {
        assert_eq!([setup(0x3f, 0), pulse(0x7f, 0), cycle(0x1ff, 0)], [159, 319, 895]);
        assert_eq!([setup(0x20 << 16, 16), pulse(0x40 << 24, 24), cycle(0x80, 0)], [128, 256, 256]);
        let smc = select_3([0x0021_0001, 0x0303_0303, 0x0105_0005, 3]);
        assert_eq!(smc.shape(3, MCK).read.data_cycle(), 517 * MCK);
    }

    #[test]
    fn what_does_not_work() {
        let check = |register: usize, value, text: &str| {
            let mut registers = GOOD;
            registers[register] = value;
            let found = select_3(registers).problems(3);
            assert!(found.len() == 1 && found[0].contains(text), "{text}: {found:?}");
        };
        check(0, 0x0003_0001, "NRD: set-up 3, pulse 3 in a cycle of 5");
        check(0, 0x0300_0001, "NCS_RD");
        check(1, 0x0303_0300, "NWE: set-up 1, pulse 0");
        check(3, 0x0002_0002, "READ_MODE");
        check(3, 0x0002_0001, "WRITE_MODE");
        check(3, 0x0002_1003, "DBW");
        check(3, 0x0002_0023, "EXNW_MODE");
        check(3, 0x0102_0003, "PMEN");
    }

    #[test]
    fn timings_count_from_the_write_of_mode() {
        let mut values: Vec<_> = (0x30..).step_by(4).zip(GOOD).collect();
        values.push((0x34, 0x0202_0202));
        let (smc, _) = set(&values);
        assert_eq!(smc.problems(3).len(), 1);
        assert_eq!(smc.shape(3, MCK).read.low, 30_000);
        values.push((0x3c, 0x0002_0003));
        assert_eq!(set(&values).0.problems(3), [""; 0]);
    }

    #[test]
    fn reserved_bits() {
        assert_eq!(set(&[(0x30, 0x40)]).1, 1);
        assert_eq!(set(&[(0x3c, 0x80)]).1, 1);
        assert_eq!(set(&[(0x80, 0)]).1, 1);
        assert_eq!(set(&[(0x38, 0x01ff_01ff)]).1, 0);
    }
}
