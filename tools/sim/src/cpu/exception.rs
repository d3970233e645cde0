//! Exception entry: ARM Architecture Reference Manual, A2.6. Unicorn stops at an exception; this
//! takes the core to its vector.

use super::mmu::{Fault, control};
use super::registers::{RegistersMut, psr};

/// An exception to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// An instruction ARMv4T does not have.
    Undefined,
    /// SWI.
    Software,
    /// An instruction that could not be fetched.
    PrefetchAbort,
    /// A data access that could not be made.
    DataAbort {
        /// Where.
        address: u32,
        /// Why.
        fault: Fault,
    },
    /// IRQ.
    Irq,
    /// FIQ.
    Fiq,
}

impl Exception {
    /// Whether a healthy program never causes it.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Undefined | Self::PrefetchAbort | Self::DataAbort { .. })
    }

    /// For people.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Undefined => "undefined instruction".to_owned(),
            Self::Software => "software interrupt".to_owned(),
            Self::PrefetchAbort => "prefetch abort".to_owned(),
            Self::DataAbort { address, fault } => format!("data abort at {address:#010x}: {}", fault.name()),
            Self::Irq => "IRQ".to_owned(),
            Self::Fiq => "FIQ".to_owned(),
        }
    }

    fn vector(self) -> u32 {
        match self {
            Self::Undefined => 0x04,
            Self::Software => 0x08,
            Self::PrefetchAbort => 0x0c,
            Self::DataAbort { .. } => 0x10,
            Self::Irq => 0x18,
            Self::Fiq => 0x1c,
        }
    }

    fn mode(self) -> u32 {
        match self {
            Self::Undefined => psr::UNDEFINED,
            Self::Software => psr::SVC,
            Self::PrefetchAbort | Self::DataAbort { .. } => psr::ABORT,
            Self::Irq => psr::IRQ,
            Self::Fiq => psr::FIQ,
        }
    }

    /// What lr is set to when the exception is taken with `pc` at the instruction that caused it
    /// (for SWI: the one behind it; for interrupts: the next to run).
    fn link(self, pc: u32, thumb: bool) -> u32 {
        match self {
            Self::Undefined => pc.wrapping_add(if thumb { 2 } else { 4 }),
            Self::Software => pc,
            Self::DataAbort { .. } => pc.wrapping_add(8),
            Self::PrefetchAbort | Self::Irq | Self::Fiq => pc.wrapping_add(4),
        }
    }

    /// Takes the core to the vector, whose address is returned.
    pub fn enter(self, pc: u32, core: &mut impl RegistersMut) -> u32 {
        let before = core.cpsr();
        let masked = psr::I | if self == Self::Fiq { psr::F } else { 0 };
        core.set_cpsr(before & !(psr::MODE | psr::T) | masked | self.mode());
        core.set_spsr(before);
        core.set(14, self.link(pc, before & psr::T != 0));
        if let Self::DataAbort { address, fault } = self {
            core.set_cp15(5, 0, 0, fault.register());
            core.set_cp15(6, 0, 0, address);
        }
        let base = if core.cp15(1, 0, 0) & control::V != 0 { 0xffff_0000 } else { 0 };
        base | self.vector()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Registers;

    #[derive(Default)]
    struct Core {
        cpsr: u32,
        spsr: u32,
        lr: u32,
        control: u32,
        fault: (u32, u32),
    }

    impl Registers for Core {
        fn get(&self, _: u8) -> u32 {
            self.lr
        }
        fn cpsr(&self) -> u32 {
            self.cpsr
        }
        fn cp15(&self, _: u8, _: u8, _: u8) -> u32 {
            self.control
        }
    }

    impl RegistersMut for Core {
        fn set(&mut self, number: u8, value: u32) {
            assert_eq!(number, 14);
            self.lr = value;
        }
        fn set_cpsr(&mut self, value: u32) {
            self.cpsr = value;
        }
        fn set_spsr(&mut self, value: u32) {
            self.spsr = value;
        }
        fn set_cp15(&mut self, crn: u8, _: u8, _: u8, value: u32) {
            match crn {
                5 => self.fault.0 = value,
                _ => self.fault.1 = value,
            }
        }
    }

    #[test]
    fn entries() {
        let check = |exception: Exception, cpsr, expected: (u32, u32, u32)| {
            let mut core = Core { cpsr, ..Core::default() };
            let vector = exception.enter(0x1000, &mut core);
            assert_eq!((vector, core.cpsr, core.lr), expected, "{}", exception.describe());
            assert_eq!(core.spsr, cpsr);
        };
        let abort = Exception::DataAbort { address: 4, fault: Fault::EXTERNAL };
        check(Exception::Undefined, 0x6000_0013, (0x04, 0x6000_009b, 0x1004));
        check(Exception::Undefined, 0x33, (0x04, 0x9b, 0x1002));
        check(Exception::Software, 0x10, (0x08, 0x93, 0x1000));
        check(Exception::PrefetchAbort, 0x13, (0x0c, 0x97, 0x1004));
        check(abort, 0x33, (0x10, 0x97, 0x1008));
        check(Exception::Irq, 0x13, (0x18, 0x92, 0x1004));
        check(Exception::Fiq, 0x13, (0x1c, 0xd1, 0x1004));
    }

    #[test]
    fn aborts_say_where_and_why() {
        let mut core = Core { control: control::V, ..Core::default() };
        let fault = Fault { status: 0b1101, domain: 2 };
        let vector = Exception::DataAbort { address: 0x1234, fault }.enter(0, &mut core);
        assert_eq!((vector, core.fault), (0xffff_0010, (0x2d, 0x1234)));
    }
}
