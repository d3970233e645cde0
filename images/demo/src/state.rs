//! State of the processor at entry, and what the boot contract wants of it.

use core::fmt;

/// Program status and system control registers, as found at entry.
#[derive(Clone, Copy, Debug)]
pub struct CpuState {
    /// CPSR.
    pub cpsr: u32,
    /// CP15 register 1, control (ARM920T TRM, table 2-10).
    pub control: u32,
}

const MODE: u32 = 0x1f;
const SVC: u32 = 0x13;
const FIQ_MASKED: u32 = 1 << 6;
const IRQ_MASKED: u32 = 1 << 7;
const MMU: u32 = 1 << 0;
const DCACHE: u32 = 1 << 2;
/// CP15 register 1: I-cache on.
pub const ICACHE: u32 = 1 << 12;

impl CpuState {
    /// SVC mode, interrupts masked, MMU and D-cache off; the I-cache may be either.
    #[must_use]
    pub fn meets_contract(self) -> bool {
        self.cpsr & MODE == SVC
            && self.cpsr & (IRQ_MASKED | FIQ_MASKED) == IRQ_MASKED | FIQ_MASKED
            && self.control & (MMU | DCACHE) == 0
    }
}

impl fmt::Display for CpuState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = |bit| if self.control & bit != 0 { "on" } else { "off" };
        let masked = |bit| if self.cpsr & bit != 0 { "masked" } else { "open" };
        match self.cpsr & MODE {
            SVC => write!(f, "SVC mode")?,
            mode => write!(f, "mode {mode:#x}")?,
        }
        write!(f, ", IRQ {}, FIQ {}", masked(IRQ_MASKED), masked(FIQ_MASKED))?;
        write!(f, ", MMU {}, D-cache {}, I-cache {}", on(MMU), on(DCACHE), on(ICACHE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn says_what_it_finds_and_judges_it() {
        let check = |cpsr, control, text: &str, good| {
            let state = CpuState { cpsr, control };
            assert_eq!((state.to_string().as_str(), state.meets_contract()), (text, good));
        };
        check(0xd3, 0x1078, "SVC mode, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache on", true);
        check(0xd3, 0x0078, "SVC mode, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache off", true);
        check(0x53, 0x0078, "SVC mode, IRQ open, FIQ masked, MMU off, D-cache off, I-cache off", false);
        check(0x93, 0x0078, "SVC mode, IRQ masked, FIQ open, MMU off, D-cache off, I-cache off", false);
        check(0xdf, 0x0078, "mode 0x1f, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache off", false);
        check(0xd3, 0x0079, "SVC mode, IRQ masked, FIQ masked, MMU on, D-cache off, I-cache off", false);
        check(0xd3, 0x007c, "SVC mode, IRQ masked, FIQ masked, MMU off, D-cache on, I-cache off", false);
    }
}
