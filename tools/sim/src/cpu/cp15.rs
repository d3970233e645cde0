//! Cache and TLB operations of CP15: ARM920T TRM, chapter 2 (S3C2410A User's Manual, appendix 2), and
//! ARM926EJ-S TRM, chapter 2.

use super::decode::Cp15;

/// What a write to CP15 does besides storing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Registers 1, 2, 3 and 13: the MMU or the caches work differently from the next instruction on.
    Control,
    /// Invalidate the whole I-cache.
    InvalidateInstructions,
    /// Invalidate the whole D-cache. What is dirty is lost.
    InvalidateData,
    /// Both.
    InvalidateBoth,
    /// Invalidate one line of the I-cache, by address or by segment and index.
    InvalidateInstructionLine {
        /// Named by segment and index instead of by address.
        by_index: bool,
    },
    /// Prefetch one line into the I-cache by address.
    PrefetchInstructionLine,
    /// Work on one line of the D-cache.
    DataLine {
        /// Named by segment and index instead of by address.
        by_index: bool,
        /// Write it back if it is dirty.
        clean: bool,
        /// Drop it.
        invalidate: bool,
    },
    /// Clean a dirty line of the D-cache if there is one, and say whether there was: an MRC.
    TestAndClean {
        /// Drop it, and the clean ones when none is dirty.
        invalidate: bool,
    },
    /// Wait until the write buffer is empty.
    DrainWriteBuffer,
    /// Stop the clock until an interrupt.
    WaitForInterrupt,
    /// Invalidate TLBs: all of one or both, or one entry by address.
    Tlb {
        /// The instruction TLB.
        instructions: bool,
        /// The data TLB.
        data: bool,
        /// One entry only.
        entry: bool,
    },
    /// Cache lock-down, which the cache model does not have.
    LockDown,
    /// Anything else.
    None,
}

/// What an MCR to CP15 of the ARM920T does.
#[must_use]
pub fn operation(cp15: Cp15) -> Operation {
    use Operation as O;
    let line = |by_index, clean, invalidate| O::DataLine { by_index, clean, invalidate };
    let tlb = |instructions, data| O::Tlb { instructions, data, entry: cp15.opcode2 == 1 };
    match (cp15.crn, cp15.crm, cp15.opcode2) {
        (1 | 2 | 3 | 13, _, _) => O::Control,
        (7, 0, 4) => O::WaitForInterrupt,
        (7, 5, 0) => O::InvalidateInstructions,
        (7, 5, 1) => O::InvalidateInstructionLine { by_index: false },
        (7, 6, 0) => O::InvalidateData,
        (7, 6, 1) => line(false, false, true),
        (7, 7, 0) => O::InvalidateBoth,
        (7, 10, 1) => line(false, true, false),
        (7, 10, 2) => line(true, true, false),
        (7, 10, 4) => O::DrainWriteBuffer,
        (7, 13, 1) => O::PrefetchInstructionLine,
        (7, 14, 1) => line(false, true, true),
        (7, 14, 2) => line(true, true, true),
        (8, 5, _) => tlb(true, false),
        (8, 6, _) => tlb(false, true),
        (8, 7, 0) => tlb(true, true),
        (9, _, _) => O::LockDown,
        _ => O::None,
    }
}

/// What an MCR or MRC to CP15 of the ARM926EJ-S does where it differs: lines by segment and index in all
/// three ways, test and clean, and one TLB for both.
#[must_use]
pub fn arm926_operation(cp15: Cp15) -> Operation {
    use Operation as O;
    let test_and_clean = |invalidate| if cp15.read { O::TestAndClean { invalidate } } else { O::None };
    match (cp15.crn, cp15.crm, cp15.opcode2) {
        (7, 5, 2) => O::InvalidateInstructionLine { by_index: true },
        (7, 6, 2) => O::DataLine { by_index: true, clean: false, invalidate: true },
        (7, 10, 3) => test_and_clean(false),
        (7, 14, 3) => test_and_clean(true),
        (8, 5..=7, entry @ 0..=1) => O::Tlb { instructions: true, data: true, entry: entry == 1 },
        (10, _, _) => O::LockDown,
        _ => operation(cp15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::core::{ARM920T, ARM926EJS};

    fn mcr(crn: u8, crm: u8, opcode2: u8) -> Cp15 {
        Cp15 { read: false, register: 0, crn, crm, opcode2 }
    }

    #[test]
    fn operations_of_the_manual() {
        let check = |crm, opcode2, expected| {
            assert_eq!(operation(mcr(7, crm, opcode2)), expected, "c7, c{crm}, {opcode2}");
        };
        check(7, 0, Operation::InvalidateBoth);
        check(10, 4, Operation::DrainWriteBuffer);
        check(14, 2, Operation::DataLine { by_index: true, clean: true, invalidate: true });
        assert!(ARM920T.has_operation(mcr(7, 5, 0)));
        // Test and clean is an ARM926 operation.
        assert!(!ARM920T.has_operation(mcr(7, 10, 3)));
    }
    #[test]
    fn operations_of_the_arm926() {
        let check = |crm, opcode2, expected| {
            let mcr = mcr(7, crm, opcode2);
            assert_eq!(arm926_operation(mcr), expected, "c7, c{crm}, {opcode2}");
        };
        check(5, 2, Operation::InvalidateInstructionLine { by_index: true });
        check(10, 1, Operation::DataLine { by_index: false, clean: true, invalidate: false });
        check(0, 4, Operation::WaitForInterrupt);
        // An MCR is no test.
        check(10, 3, Operation::None);
        let mrc = Cp15 { read: true, ..mcr(7, 14, 3) };
        assert_eq!(arm926_operation(mrc), Operation::TestAndClean { invalidate: true });
        assert!(!ARM926EJS.has_operation(mcr(7, 1, 0)));
        let one_tlb = Operation::Tlb { instructions: true, data: true, entry: true };
        assert_eq!(arm926_operation(mcr(8, 6, 1)), one_tlb);
    }
}
