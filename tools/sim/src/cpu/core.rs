//! Processor cores: what software can ask one about itself, and what the emulator has to know of it.

use unicorn_engine::ArmCpuModel;

use super::cp15::{self, Operation};
use super::decode::Cp15;
use crate::cache::Shape;
use crate::model;

/// A core.
#[derive(Debug)]
pub struct Core {
    /// Name.
    pub name: &'static str,
    /// The core of the emulator that runs its instructions.
    pub model: ArmCpuModel,
    /// Main id register.
    pub main_id: u32,
    /// Cache type register.
    pub cache_type: u32,
    /// CP15 register 1 after reset: the bits that always read one.
    pub control_reset: u32,
    /// Cycles of its instructions.
    pub cycles: &'static model::Cycles,
    /// Instruction cache.
    pub icache: Shape,
    /// Data cache.
    pub dcache: Shape,
    /// What an MCR to CP15 does, or an MRC that is an operation.
    pub operation: fn(Cp15) -> Operation,
    /// Whether CP15 register 1 has the bits nF and iA: in fast bus mode the core runs at HCLK.
    pub has_bus_modes: bool,
}

impl Core {
    /// Whether there is a CP15 operation of register 7 at all.
    #[must_use]
    pub fn has_operation(&self, cp15: Cp15) -> bool {
        cp15.crn != 7 || cp15.read || (self.operation)(cp15) != Operation::None
    }
}

/// ARM920T TRM (ARM DDI 0151), chapter 2.
pub static ARM920T: Core = Core {
    name: "ARM920T",
    // An ARMv4T core of the same register set.
    model: ArmCpuModel::TI925T,
    main_id: 0x4112_9200,
    cache_type: 0x0d17_2172,
    control_reset: 0x0000_0078,
    cycles: &model::ARM9TDMI,
    icache: Shape { segments: model::SEGMENTS, ways: model::WAYS },
    dcache: Shape { segments: model::SEGMENTS, ways: model::WAYS },
    operation: cp15::operation,
    has_bus_modes: true,
};

/// ARM926EJ-S with 8 KiB of each cache, as in the AT91SAM9260: ARM926EJ-S TRM (ARM DDI 0198), chapter 2.
pub static ARM926EJS: Core = Core {
    name: "ARM926EJ-S",
    model: ArmCpuModel::Model_926,
    main_id: 0x4106_9265,
    cache_type: 0x1d11_2112,
    control_reset: 0x0005_0078,
    cycles: &model::ARM9EJS,
    icache: Shape { segments: model::SAM9260_SEGMENTS, ways: model::ARM926_WAYS },
    dcache: Shape { segments: model::SAM9260_SEGMENTS, ways: model::ARM926_WAYS },
    operation: cp15::arm926_operation,
    has_bus_modes: false,
};
