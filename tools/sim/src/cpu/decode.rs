//! What an instruction costs and which memory it touches.
//!
//! This decodes for time and strictness only; executing, and refusing what the core does not have,
//! is the emulator's. Costs: see [`crate::model`].

use super::condition::ALWAYS;
use super::registers::{Registers, psr};
use super::thumb;
use crate::model::{self, Cycles};

/// An instruction as the time model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Condition; [`ALWAYS`] in Thumb state, whose conditional branches touch no memory.
    pub condition: u8,
    /// Core cycles when the condition holds and the pipeline does not refill. The multiplier's
    /// iterations come on top.
    pub cycles: u32,
    /// Core cycles more when the next instruction is not the one behind this.
    pub refill: u32,
    /// Registers it reads, a bit each.
    pub sources: u16,
    /// Register that is loaded late, and for how many cycles it is not there.
    pub late: Option<Late>,
    /// Register whose value decides the multiplier's iterations.
    pub multiplier: Option<Multiplier>,
    /// The memory it reads or writes.
    pub data: Option<Data>,
    /// Register transfer with CP15.
    pub cp15: Option<Cp15>,
}

/// A register that arrives late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// The register, as a bit, or the registers.
    pub register: u16,
    /// Cycles an instruction right behind that reads it has to wait.
    pub wait: u32,
}

/// Early termination of the multiplier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    /// Register that holds the multiplier.
    pub register: u8,
    /// Whether a run of ones at the top ends it too.
    pub signed: bool,
}

impl Multiplier {
    /// Iterations: one per byte that is not just sign.
    #[must_use]
    pub fn iterations(self, value: u32) -> u32 {
        let value = if self.signed && value >> 31 != 0 { !value } else { value };
        (32 - value.leading_zeros()).div_ceil(8).max(1)
    }
}

/// What is added to the base register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// A constant.
    Constant(i32),
    /// A register, shifted as bits 11 to 4 of the instruction say, and subtracted or added.
    Register { register: u8, shift: u8, amount: u8, subtract: bool },
}

/// A data access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Base register.
    pub base: u8,
    /// What the first address is away from it.
    pub offset: Offset,
    /// Bytes per element: 1, 2 or 4.
    pub width: u8,
    /// Elements at ascending addresses.
    pub count: u8,
    /// What the first address must be a multiple of.
    pub align: u8,
    /// Load.
    pub read: bool,
    /// Store. SWP is both.
    pub write: bool,
    /// Permissions are checked as in user mode (LDRT, STRT).
    pub user: bool,
    /// In Thumb state the program counter as a base is rounded down to a word.
    pub pc_ahead: u8,
}

impl Data {
    /// Lowest address it touches.
    #[must_use]
    pub fn address(&self, pc: u32, registers: &impl Registers) -> u32 {
        let get = |number: u8| match number {
            15 if self.pc_ahead == 4 => (pc & !3).wrapping_add(4),
            15 => pc.wrapping_add(8),
            _ => registers.get(number),
        };
        let base = get(self.base);
        match self.offset {
            Offset::Constant(constant) => base.wrapping_add_signed(constant),
            Offset::Register { register, shift, amount, subtract } => {
                let offset = shifted(get(register), shift, amount, || registers.cpsr() & psr::C != 0);
                if subtract { base.wrapping_sub(offset) } else { base.wrapping_add(offset) }
            }
        }
    }
}

/// A shift by a constant: ARM Architecture Reference Manual, A5.2.
fn shifted(value: u32, shift: u8, amount: u8, carry: impl Fn() -> bool) -> u32 {
    match (shift, amount) {
        (0, _) => value << amount,
        (1, 0) => 0,
        (1, _) => value >> amount,
        (2, 0) => ((value as i32) >> 31) as u32,
        (2, _) => ((value as i32) >> amount) as u32,
        (_, 0) => value >> 1 | u32::from(carry()) << 31,
        (_, _) => value.rotate_right(amount.into()),
    }
}

/// MCR or MRC with CP15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cp15 {
    /// MRC.
    pub read: bool,
    /// The core's register.
    pub register: u8,
    /// Which CP15 register.
    pub crn: u8,
    /// More of which.
    pub crm: u8,
    /// More of which.
    pub opcode2: u8,
}

impl Instruction {
    /// An instruction of `cycles` that touches no memory.
    pub(super) const fn plain(cycles: u32, sources: u16) -> Self {
        Self {
            condition: ALWAYS,
            cycles,
            refill: model::CYCLES_REFILL,
            sources,
            late: None,
            multiplier: None,
            data: None,
            cp15: None,
        }
    }

    /// A result that the next instruction has to wait for.
    const fn with_result(self, registers: u16, cycles: &Cycles) -> Self {
        match cycles.interlock_result {
            0 => self,
            wait => Self { late: Some(Late { register: registers, wait }), ..self },
        }
    }

    /// A multiplication.
    fn multiplying(self, multiplier: Multiplier, result: u16, flags: bool, cycles: &Cycles) -> Self {
        let multiplier = cycles.early_termination.then_some(multiplier);
        if flags && cycles.multiply_flags > 0 {
            // It takes longer, and then its result is there.
            return Self { cycles: self.cycles + cycles.multiply_flags, multiplier, ..self };
        }
        Self { multiplier, ..self }.with_result(result, cycles)
    }

    /// A Thumb multiplication: it sets the flags.
    pub(super) fn thumb_multiply(rd: u8, sources: u16, cycles: &Cycles) -> Self {
        let plain = Self::plain(model::CYCLES_MULTIPLY, sources);
        plain.multiplying(Multiplier { register: rd, signed: true }, 1 << rd, true, cycles)
    }

    /// A load or store of one element.
    pub(super) fn single(data: Data, register: u8, sources: u16) -> Self {
        let late = data.read.then_some(Late {
            register: 1 << register,
            wait: if data.width == 4 { model::INTERLOCK_WORD } else { model::INTERLOCK_NARROW },
        });
        let stored = if data.write { 1 << register } else { 0 };
        Self {
            refill: model::CYCLES_REFILL_LOAD,
            late,
            data: Some(data),
            ..Self::plain(model::CYCLES_PLAIN, sources | stored | 1 << data.base)
        }
    }

    /// A load or store of the registers of `list`, the first of them `below` bytes from the base register.
    pub(super) fn multiple(base: u8, first: i32, list: u16, load: bool) -> Self {
        let count = list.count_ones();
        let data = Data {
            base,
            offset: Offset::Constant(first),
            width: 4,
            count: count as u8,
            align: 4,
            read: load,
            write: !load,
            user: false,
            pc_ahead: 8,
        };
        let last = 1u16 << (15 - list.leading_zeros().min(15));
        Self {
            refill: model::CYCLES_REFILL_LOAD,
            late: load.then_some(Late { register: last, wait: model::INTERLOCK_WORD }),
            data: (count > 0).then_some(data),
            ..Self::plain(
                if count == 1 { model::CYCLES_MULTIPLE_OF_ONE } else { count.max(1) },
                if load { 1 << base } else { list | 1 << base },
            )
        }
    }
}

/// Recently decoded instructions: programs run the same ones over and over. It only saves host time.
#[derive(Debug)]
pub struct Decoder {
    cycles: &'static Cycles,
    recent: Vec<(u32, Instruction)>,
}

/// Entries of a [`Decoder`], a power of two.
const RECENT: usize = 4096;

impl Decoder {
    /// A decoder for a core with these cycles.
    #[must_use]
    pub fn new(cycles: &'static Cycles) -> Self {
        Self { cycles, recent: vec![(0, arm(0, cycles)); RECENT] }
    }

    /// As [`thumb`].
    #[must_use]
    pub fn thumb(&self, opcode: u16, size: u32) -> Instruction {
        thumb::decode(opcode, size, self.cycles)
    }

    /// As [`arm`].
    pub fn arm(&mut self, opcode: u32) -> Instruction {
        // Multiplicative hashing (Knuth): the top bits of the product depend on all of the opcode.
        let slot = (opcode.wrapping_mul(0x9e37_79b1) >> (32 - RECENT.ilog2())) as usize;
        let recent = &mut self.recent[slot];
        if recent.0 != opcode {
            *recent = (opcode, arm(opcode, self.cycles));
        }
        recent.1
    }
}

fn field(opcode: u32, at: u32) -> u8 {
    (opcode >> at & 0xf) as u8
}

fn bit(opcode: u32, at: u32) -> bool {
    opcode >> at & 1 != 0
}

/// Decodes an ARM instruction.
#[must_use]
pub fn arm(opcode: u32, cycles: &Cycles) -> Instruction {
    let instruction = match opcode >> 25 & 7 {
        // PLD, the only load without a condition: the ARM926EJ-S ignores it (TRM, chapter 2).
        2 | 3 if cycles.has_v5te && opcode >> 28 == 0xf => Instruction::plain(model::CYCLES_PLAIN, 0),
        0 if opcode & 0x90 == 0x90 => multiply_or_extra(opcode, cycles),
        0 | 1 => data_processing(opcode, cycles),
        2 | 3 => single_transfer(opcode, cycles),
        4 => multiple_transfer(opcode),
        5 => Instruction::plain(model::CYCLES_PLAIN, 0),
        6 => Instruction::plain(model::CYCLES_PLAIN, 1 << field(opcode, 16)),
        _ => coprocessor(opcode),
    };
    Instruction { condition: (opcode >> 28) as u8, ..instruction }
}

fn multiply_or_extra(opcode: u32, cycles: &Cycles) -> Instruction {
    match opcode & 0x60 {
        0 => {}
        0x40 | 0x60 if cycles.has_v5te && !bit(opcode, 20) => return double_transfer(opcode),
        _ => return half_word_transfer(opcode),
    }
    let (rs, rm) = (field(opcode, 8), field(opcode, 0));
    let (low, high) = (1 << field(opcode, 12), 1 << field(opcode, 16));
    let sources = 1 << rs | 1 << rm;
    match opcode >> 23 & 3 {
        0 => {
            let multiplier = Multiplier { register: rs, signed: true };
            let plain = Instruction::plain(model::CYCLES_MULTIPLY, sources | low);
            plain.multiplying(multiplier, high, bit(opcode, 20), cycles)
        }
        1 => {
            let multiplier = Multiplier { register: rs, signed: bit(opcode, 22) };
            let plain = Instruction::plain(model::CYCLES_MULTIPLY_LONG, sources);
            plain.multiplying(multiplier, low | high, bit(opcode, 20), cycles)
        }
        2 => swap(opcode),
        _ => Instruction::plain(model::CYCLES_PLAIN, 0),
    }
}

/// LDRD and STRD: an even register and the next, from a multiple of eight.
fn double_transfer(opcode: u32) -> Instruction {
    let half = half_word_transfer(opcode);
    let (register, load) = (field(opcode, 12), !bit(opcode, 5));
    let pair = 3_u16 << (register & !1);
    let data = half.data.map(|data| Data { width: 4, count: 2, align: 8, read: load, write: !load, ..data });
    let late = Late { register: pair & pair << 1, wait: model::INTERLOCK_WORD };
    Instruction {
        cycles: model::CYCLES_DOUBLE,
        sources: half.sources & !(1 << register) | if load { 1 << field(opcode, 16) } else { pair },
        late: load.then_some(late),
        data,
        ..half
    }
}

fn swap(opcode: u32) -> Instruction {
    let data = Data {
        base: field(opcode, 16),
        offset: Offset::Constant(0),
        width: if bit(opcode, 22) { 1 } else { 4 },
        count: 1,
        align: if bit(opcode, 22) { 1 } else { 4 },
        read: true,
        write: true,
        user: false,
        pc_ahead: 8,
    };
    let single = Instruction::single(data, field(opcode, 12), 1 << field(opcode, 0));
    Instruction { cycles: model::CYCLES_SWAP, ..single }
}

fn half_word_transfer(opcode: u32) -> Instruction {
    let (rm, load) = (field(opcode, 0), bit(opcode, 20));
    let constant = i32::from(field(opcode, 8)) << 4 | i32::from(rm);
    let up = bit(opcode, 23);
    let (offset, source) = match (bit(opcode, 24), bit(opcode, 22)) {
        (false, _) => (Offset::Constant(0), 0),
        (true, true) => (Offset::Constant(if up { constant } else { -constant }), 0),
        (true, false) => (Offset::Register { register: rm, shift: 0, amount: 0, subtract: !up }, 1 << rm),
    };
    let data = Data {
        base: field(opcode, 16),
        offset,
        width: if opcode & 0x60 == 0x40 { 1 } else { 2 },
        count: 1,
        align: if opcode & 0x60 == 0x40 { 1 } else { 2 },
        read: load,
        write: !load,
        user: false,
        pc_ahead: 8,
    };
    Instruction::single(data, field(opcode, 12), source)
}

fn data_processing(opcode: u32, cycles: &Cycles) -> Instruction {
    if opcode & 0x0190_0000 == 0x0100_0000 {
        return miscellaneous(opcode, cycles);
    }
    let operation = opcode >> 21 & 0xf;
    // SUB, RSB, ADD, ADC, SBC and RSC do not go through the logic unit.
    let logical = !matches!(operation, 2..=7);
    let shifted = !bit(opcode, 25) && opcode & 0xff0 != 0;
    let instruction = operands(opcode, operation);
    let more = if logical || shifted { cycles.refill_shifter } else { 0 };
    Instruction { refill: instruction.refill + more, ..instruction }
}

fn operands(opcode: u32, operation: u32) -> Instruction {
    // MOV and MVN have no first operand.
    let first = if matches!(operation, 0xd | 0xf) { 0 } else { 1 << field(opcode, 16) };
    if bit(opcode, 25) {
        return Instruction::plain(model::CYCLES_PLAIN, first);
    }
    let second = first | 1 << field(opcode, 0);
    if bit(opcode, 4) {
        let cycles = model::CYCLES_PLAIN + model::CYCLES_REGISTER_SHIFT;
        return Instruction::plain(cycles, second | 1 << field(opcode, 8));
    }
    Instruction::plain(model::CYCLES_PLAIN, second)
}

/// MRS, MSR, BX and most of what ARMv5 added live where TST to CMN without the S bit would be.
fn miscellaneous(opcode: u32, cycles: &Cycles) -> Instruction {
    let source = if bit(opcode, 25) { 0 } else { 1 << field(opcode, 0) };
    match opcode >> 4 & 0xf {
        _ if bit(opcode, 25) => {}
        0 if !bit(opcode, 21) => return Instruction::plain(cycles.mrs, source),
        5 if cycles.has_v5te => {
            let saturated = Instruction::plain(model::CYCLES_PLAIN, source | 1 << field(opcode, 16));
            return saturated.with_result(1 << field(opcode, 12), cycles);
        }
        8 | 10 | 12 | 14 if cycles.has_v5te => return multiply_halves(opcode, source, cycles),
        _ => {}
    }
    let writes_psr = bit(opcode, 21) && opcode & 0xf0 == 0 || bit(opcode, 25);
    if writes_psr && opcode >> 16 & 7 != 0 {
        return Instruction::plain(model::CYCLES_MSR_CONTROL, source);
    }
    Instruction::plain(model::CYCLES_PLAIN, source)
}

/// SMULxy, SMULWy, SMLAxy, SMLAWy and SMLALxy.
fn multiply_halves(opcode: u32, rm: u16, cycles: &Cycles) -> Instruction {
    let (low, high) = (1 << field(opcode, 12), 1 << field(opcode, 16));
    let sources = rm | 1 << field(opcode, 8);
    match opcode >> 21 & 3 {
        2 => Instruction::plain(model::CYCLES_MULTIPLY_HALVES_LONG, sources | low | high)
            .with_result(low | high, cycles),
        3 => Instruction::plain(model::CYCLES_MULTIPLY_HALVES, sources).with_result(high, cycles),
        _ => Instruction::plain(model::CYCLES_MULTIPLY_HALVES, sources | low).with_result(high, cycles),
    }
}

fn single_transfer(opcode: u32, cycles: &Cycles) -> Instruction {
    let (pre, up, load) = (bit(opcode, 24), bit(opcode, 23), bit(opcode, 20));
    let constant = (opcode & 0xfff) as i32;
    let (offset, source) = match (pre, bit(opcode, 25)) {
        (false, false) => (Offset::Constant(0), 0),
        (false, true) => (Offset::Constant(0), 1 << field(opcode, 0)),
        (true, false) => (Offset::Constant(if up { constant } else { -constant }), 0),
        (true, true) => {
            let register = field(opcode, 0);
            let offset = Offset::Register {
                register,
                shift: (opcode >> 5 & 3) as u8,
                amount: (opcode >> 7 & 0x1f) as u8,
                subtract: !up,
            };
            (offset, 1 << register)
        }
    };
    let data = Data {
        base: field(opcode, 16),
        offset,
        width: if bit(opcode, 22) { 1 } else { 4 },
        count: 1,
        align: if bit(opcode, 22) { 1 } else { 4 },
        read: load,
        write: !load,
        user: !pre && bit(opcode, 21),
        pc_ahead: 8,
    };
    let single = Instruction::single(data, field(opcode, 12), source);
    let scaled = bit(opcode, 25) && opcode & 0xff0 != 0;
    Instruction { cycles: single.cycles + if scaled { cycles.scaled_offset } else { 0 }, ..single }
}

fn multiple_transfer(opcode: u32) -> Instruction {
    let list = opcode as u16;
    let bytes = 4 * list.count_ones() as i32;
    let first = match (bit(opcode, 24), bit(opcode, 23)) {
        (false, true) => 0,
        (true, true) => 4,
        (false, false) => 4 - bytes,
        (true, false) => -bytes,
    };
    Instruction::multiple(field(opcode, 16), first, list, bit(opcode, 20))
}

fn coprocessor(opcode: u32) -> Instruction {
    if bit(opcode, 24) || !bit(opcode, 4) || opcode >> 8 & 0xf != 15 {
        return Instruction::plain(model::CYCLES_PLAIN, 0);
    }
    let cp15 = Cp15 {
        read: bit(opcode, 20),
        register: field(opcode, 12),
        crn: field(opcode, 16),
        crm: field(opcode, 0),
        opcode2: (opcode >> 5 & 7) as u8,
    };
    let sources = if cp15.read { 0 } else { 1 << cp15.register };
    Instruction { cp15: Some(cp15), ..Instruction::plain(model::CYCLES_CP15, sources) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::registers::Plain;
    use crate::model::{ARM9EJS, ARM9TDMI};

    fn arm(opcode: u32) -> Instruction {
        super::arm(opcode, &ARM9TDMI)
    }

    fn at(opcode: u32, r: &[(usize, u32)]) -> u32 {
        let mut core = Plain::default();
        for &(number, value) in r {
            core.r[number] = value;
        }
        arm(opcode).data.expect("touches memory").address(0x1000, &core)
    }

    #[test]
    fn cycles_of_the_classes() {
        let check = |opcode, cycles| assert_eq!(arm(opcode).cycles, cycles, "{opcode:08x}");
        check(0xe280_0001, 1); // add r0, r0, #1
        check(0xe1a0_0211, 2); // mov r0, r1, lsl r2
        check(0xe000_0291, 2); // mul r0, r1, r2
        check(0xe082_3190, 3); // umull r3, r2, r0, r1
        check(0xe102_0091, 2); // swp r0, r1, [r2]
        check(0xe121_f000, 3); // msr cpsr_c, r0
        check(0xe128_f000, 1); // msr cpsr_f, r0
        check(0xe321_f0d3, 3); // msr cpsr_c, #0xd3
        check(0xe10f_0000, 1); // mrs r0, cpsr
        check(0xe12f_ff1e, 1); // bx lr
        check(0xe591_0000, 1); // ldr r0, [r1]
        check(0xe8b0_07f8, 8); // ldmia r0!, {r3-r10}
        check(0xe8b0_0008, 2); // ldmia r0!, {r3}
        check(0xee07_0f17, 2); // mcr p15, 0, r0, c7, c7, 0
    }

    #[test]
    fn cycles_of_the_arm9ejs() {
        let check = |opcode, cycles| assert_eq!(super::arm(opcode, &ARM9EJS).cycles, cycles, "{opcode:08x}");
        check(0xe000_0291, 2); // mul r0, r1, r2
        check(0xe010_0291, 4); // muls r0, r1, r2
        check(0xe082_3190, 3); // umull r3, r2, r0, r1
        check(0xe092_3190, 5); // umulls r3, r2, r0, r1
        check(0xe10f_0000, 2); // mrs r0, cpsr
        check(0xe791_0102, 2); // ldr r0, [r1, r2, lsl #2]
        check(0xe791_0002, 1); // ldr r0, [r1, r2]
        check(0xe16f_0f11, 1); // clz r0, r1
        check(0xe102_0051, 1); // qadd r0, r1, r2
        check(0xe100_2180, 1); // smlabb r0, r0, r1, r2
        check(0xe140_2381, 2); // smlalbb r2, r0, r1, r3
        check(0xe1c2_00d0, 2); // ldrd r0, r1, [r2]
        check(0xe1c2_00f8, 2); // strd r0, r1, [r2, #8]
        check(0xf5d1_f000, 1); // pld [r1]
        check(0xe12f_ff31, 1); // blx r1
        assert_eq!(super::arm(0xe000_0291, &ARM9EJS).multiplier, None);
    }

    #[test]
    fn results_that_come_late() {
        let check = |opcode, late: Option<(u16, u32)>| {
            let found = super::arm(opcode, &ARM9EJS).late.map(|late| (late.register, late.wait));
            assert_eq!(found, late, "{opcode:08x}");
        };
        check(0xe003_0291, Some((1 << 3, 1))); // mul r3, r1, r2
        check(0xe013_0291, None); // muls r3, r1, r2
        check(0xe082_3190, Some((1 << 2 | 1 << 3, 1))); // umull r3, r2, r0, r1
        check(0xe102_3051, Some((1 << 3, 1))); // qadd r3, r1, r2
        check(0xe165_01c2, Some((1 << 5, 1))); // smultt r5, r2, r1
        check(0xe1c2_40d0, Some((1 << 5, 1))); // ldrd r4, r5, [r2]
        check(0xe1c2_40f0, None); // strd r4, r5, [r2]
    }

    #[test]
    fn pairs_are_of_doublewords() {
        let data = super::arm(0xe1c2_00f8, &ARM9EJS).data.expect("touches memory"); // strd r0, r1, [r2, #8]
        assert_eq!((data.width, data.count, data.align, data.write), (4, 2, 8, true));
        assert_eq!(data.offset, Offset::Constant(8));
        assert_eq!(super::arm(0xf5d1_f000, &ARM9EJS).data, None); // pld [r1]
    }

    #[test]
    fn logical_results_reach_the_program_counter_later() {
        let check = |opcode, refill| assert_eq!(super::arm(opcode, &ARM9EJS).refill, refill, "{opcode:08x}");
        check(0xe1a0_f00e, 3); // mov pc, lr
        check(0xe08f_f001, 2); // add pc, pc, r1
        check(0xe08f_f101, 3); // add pc, pc, r1, lsl #2
        check(0xeaff_fffe, 2); // b .
        check(0xe8bd_8010, 4); // pop {r4, pc}
    }

    #[test]
    fn refill_after_loads_is_longer() {
        assert_eq!(arm(0xe8bd_8010).refill, 4); // pop {r4, pc}
        assert_eq!(arm(0xeaff_fffe).refill, 2); // b .
    }

    #[test]
    fn addresses() {
        assert_eq!(at(0xe591_0004, &[(1, 0x100)]), 0x104); // ldr r0, [r1, #4]
        assert_eq!(at(0xe511_0004, &[(1, 0x100)]), 0xfc); // ldr r0, [r1, #-4]
        assert_eq!(at(0xe491_0004, &[(1, 0x100)]), 0x100); // ldr r0, [r1], #4
        assert_eq!(at(0xe791_0102, &[(1, 0x100), (2, 3)]), 0x10c); // ldr r0, [r1, r2, lsl #2]
        assert_eq!(at(0xe711_0002, &[(1, 0x100), (2, 3)]), 0xfd); // ldr r0, [r1, -r2]
        assert_eq!(at(0xe59f_0010, &[]), 0x1018); // ldr r0, [pc, #16]
        assert_eq!(at(0xe1d1_00b6, &[(1, 0x100)]), 0x106); // ldrh r0, [r1, #6]
        assert_eq!(at(0xe92d_4010, &[(13, 0x100)]), 0xf8); // push {r4, lr}
        assert_eq!(at(0xe891_0003, &[(1, 0x100)]), 0x100); // ldmia r1, {r0, r1}
        assert_eq!(at(0xe811_0003, &[(1, 0x100)]), 0xfc); // ldmda r1, {r0, r1}
        assert_eq!(at(0xe991_0003, &[(1, 0x100)]), 0x104); // ldmib r1, {r0, r1}
    }

    #[test]
    fn the_decoder_forgets_what_it_must() {
        let mut decoder = Decoder::new(&ARM9TDMI);
        for opcode in (0..20_000u32).map(|n| n.wrapping_mul(0x0012_3457)) {
            assert_eq!(decoder.arm(opcode), arm(opcode));
            assert_eq!(decoder.arm(opcode), arm(opcode));
        }
    }

    #[test]
    fn late_registers() {
        let check = |opcode, late: Option<(u16, u32)>| {
            let found = arm(opcode).late.map(|late| (late.register, late.wait));
            assert_eq!(found, late, "{opcode:08x}");
        };
        check(0xe591_0000, Some((1, 1))); // ldr r0, [r1]
        check(0xe5d1_0000, Some((1, 2))); // ldrb r0, [r1]
        check(0xe581_0000, None); // str r0, [r1]
        check(0xe8b0_07f8, Some((1 << 10, 1))); // ldmia r0!, {r3-r10}
    }

    #[test]
    fn multiplier_ends_early() {
        let signed = Multiplier { register: 0, signed: true };
        let unsigned = Multiplier { register: 0, signed: false };
        assert_eq!(signed.iterations(0), 1);
        assert_eq!(signed.iterations(0x1ff), 2);
        assert_eq!(signed.iterations(0xffff_ff00), 1);
        assert_eq!(unsigned.iterations(0xffff_ff00), 4);
    }

    #[test]
    fn cp15_transfers() {
        // mcr p15, 0, r3, c7, c10, 1: clean a line
        let cp15 = arm(0xee07_3f3a).cp15.expect("is one");
        assert_eq!(cp15, Cp15 { read: false, register: 3, crn: 7, crm: 10, opcode2: 1 });
        assert_eq!(arm(0xef00_0000).cp15, None); // svc
    }
}
