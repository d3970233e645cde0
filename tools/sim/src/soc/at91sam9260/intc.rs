//! Advanced interrupt controller (AIC): AT91SAM9260 data sheet, chapter of that name, without fast
//! interrupts of source 0 and without external sources.

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

const SOURCES: u32 = 32;
const SMR_END: u32 = 0x7c;
const SVR: u32 = 0x80;
const SVR_END: u32 = 0xfc;
const IVR: u32 = 0x100;
const FVR: u32 = 0x104;
const ISR: u32 = 0x108;
const IPR: u32 = 0x10c;
const IMR: u32 = 0x110;
const CISR: u32 = 0x114;
const IECR: u32 = 0x120;
const IDCR: u32 = 0x124;
const ICCR: u32 = 0x128;
const ISCR: u32 = 0x12c;
const EOICR: u32 = 0x130;
const SPU: u32 = 0x134;
const DCR: u32 = 0x138;
const FFER: u32 = 0x140;
const FFDR: u32 = 0x144;
const FFSR: u32 = 0x148;

const PRIORITY: u32 = 7;
const SMR_MASK: u32 = 0x67;

/// Depth of the stack of priorities.
const NESTING: usize = 8;

/// Source of the system peripherals, all in one.
pub const SYSTEM: u32 = 1;

/// The controller.
#[derive(Clone, Debug, Default)]
pub struct InterruptController {
    smr: [u32; SOURCES as usize],
    svr: [u32; SOURCES as usize],
    imr: u32,
    /// Levels of the sources.
    levels: u32,
    /// Set by software.
    forced: u32,
    spu: u32,
    dcr: u32,
    ffsr: u32,
    /// Sources being served, the innermost last, and their priorities.
    served: Vec<(u32, u32)>,
}

impl InterruptController {
    /// The level of a source.
    pub fn set_level(&mut self, source: u32, high: bool) {
        self.levels = self.levels & !(1 << source) | u32::from(high) << source;
    }

    fn pending(&self) -> u32 {
        self.levels | self.forced
    }

    fn priority(&self, source: u32) -> u32 {
        self.smr[source as usize] & PRIORITY
    }

    /// The source that is to be served: the highest priority, then the lowest number.
    fn winner(&self) -> Option<u32> {
        let asking = self.pending() & self.imr & !1;
        let inside = self.served.last().map(|&(_, priority)| priority);
        (0..SOURCES)
            .filter(|&source| asking >> source & 1 != 0)
            .filter(|&source| inside.is_none_or(|inside| self.priority(source) > inside))
            .max_by_key(|&source| (self.priority(source), SOURCES - source))
    }

    /// The nIRQ line.
    #[must_use]
    pub fn irq(&self) -> bool {
        self.winner().is_some()
    }

    fn acknowledge(&mut self) -> u32 {
        let Some(source) = self.winner() else { return self.spu };
        self.served.push((source, self.priority(source)));
        self.served.truncate(NESTING);
        self.forced &= !(1 << source);
        self.svr[source as usize]
    }
}

impl Peripheral for InterruptController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        let index = (offset / 4 % SOURCES) as usize;
        match (offset, width) {
            (0..=SMR_END, 4) => self.smr[index],
            (SVR..=SVR_END, 4) => self.svr[index],
            (IVR, 4) => self.acknowledge(),
            (FVR, 4) => self.spu,
            (ISR, 4) => self.served.last().map_or(0, |&(source, _)| source),
            (IPR, 4) => self.pending(),
            (IMR, 4) => self.imr,
            (CISR, 4) => u32::from(self.irq()) << 1,
            (SPU, 4) => self.spu,
            (DCR, 4) => self.dcr,
            (FFSR, 4) => self.ffsr,
            _ => no_such_register("AIC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        let index = (offset / 4 % SOURCES) as usize;
        match (offset, width) {
            (0..=SMR_END, 4) => self.smr[index] = value & SMR_MASK,
            (SVR..=SVR_END, 4) => self.svr[index] = value,
            // In protect mode a write to IVR acknowledges; without it, it does nothing.
            (IVR, 4) => {}
            (IECR, 4) => self.imr |= value,
            (IDCR, 4) => self.imr &= !value,
            (ICCR, 4) => self.forced &= !value,
            (ISCR, 4) => self.forced |= value,
            (EOICR, 4) => {
                self.served.pop();
            }
            (SPU, 4) => self.spu = value,
            (DCR, 4) if value & 1 == 0 => self.dcr = value & 2,
            (DCR, 4) => access.violation("aic", "the protect mode is not modelled"),
            (FFER, 4) if value == 0 => {}
            (FFDR, 4) => self.ffsr &= !value,
            _ => {
                no_such_register("AIC", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    fn with_access<T>(act: impl FnOnce(&mut Access<'_>) -> T) -> T {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        let result = act(&mut Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations });
        assert_eq!(violations.total(), 0);
        result
    }

    fn write(aic: &mut InterruptController, offset: u32, value: u32) {
        with_access(|access| aic.write(offset, 4, value, access));
    }

    fn read(aic: &mut InterruptController, offset: u32) -> u32 {
        with_access(|access| aic.read(offset, 4, access))
    }

    /// Sources 1 and 4 with priorities, and their vectors.
    fn aic(priorities: [u32; 2]) -> InterruptController {
        let mut aic = InterruptController::default();
        for (source, priority) in [1, 4].into_iter().zip(priorities) {
            write(&mut aic, 4 * source, priority);
            write(&mut aic, SVR + 4 * source, 0x1000 + source);
        }
        write(&mut aic, IECR, 0x12);
        write(&mut aic, SPU, 0xdead);
        aic
    }

    #[test]
    fn the_highest_priority_is_served_first() {
        let check = |priorities, vectors: [u32; 2]| {
            let mut aic = aic(priorities);
            aic.set_level(1, true);
            aic.set_level(4, true);
            assert!(aic.irq());
            assert_eq!(read(&mut aic, IVR), vectors[0]);
            assert_eq!(read(&mut aic, ISR), vectors[0] & 0xf);
            assert!(!aic.irq());
            aic.set_level(vectors[0] & 0xf, false);
            write(&mut aic, EOICR, 0);
            assert_eq!(read(&mut aic, IVR), vectors[1]);
        };
        check([3, 7], [0x1004, 0x1001]);
        check([3, 3], [0x1001, 0x1004]);
    }

    #[test]
    fn a_higher_priority_interrupts_a_lower_one() {
        let mut aic = aic([1, 2]);
        aic.set_level(1, true);
        assert_eq!(read(&mut aic, IVR), 0x1001);
        aic.set_level(4, true);
        assert!(aic.irq());
        assert_eq!(read(&mut aic, IVR), 0x1004);
        aic.set_level(4, false);
        write(&mut aic, EOICR, 0);
        assert_eq!((read(&mut aic, ISR), aic.irq()), (1, false));
    }

    #[test]
    fn nothing_pending_is_spurious() {
        let mut aic = aic([0, 0]);
        assert_eq!(read(&mut aic, IVR), 0xdead);
        aic.set_level(1, true);
        write(&mut aic, IDCR, 2);
        assert!(!aic.irq());
        write(&mut aic, ISCR, 1 << 4);
        assert_eq!((read(&mut aic, IPR), read(&mut aic, IVR)), (0x12, 0x1004));
    }
}
