//! Thumb instructions for the time model: ARM Architecture Reference Manual, A6 and A7.

use super::decode::{Data, Instruction, Offset};
use crate::model::{self, Cycles};

const SP: u8 = 13;
const LR: u16 = 1 << 14;
const PC: u16 = 1 << 15;

fn low(opcode: u16, at: u32) -> u8 {
    (opcode >> at & 7) as u8
}

fn bit(opcode: u16, at: u32) -> bool {
    opcode >> at & 1 != 0
}

/// Decodes a Thumb instruction; `size` is 4 for the two halves of BL, the first in the low half.
pub(super) fn decode(opcode: u16, size: u32, cycles: &Cycles) -> Instruction {
    match opcode >> 12 {
        0 | 1 => Instruction::plain(model::CYCLES_PLAIN, 1 << low(opcode, 3) | second_register(opcode)),
        2 | 3 => Instruction::plain(model::CYCLES_PLAIN, 1 << low(opcode, 8)),
        4 if !bit(opcode, 11) => register_operation(opcode, cycles),
        4 => load(15, Offset::Constant(i32::from(opcode & 0xff) << 2), 4, low(opcode, 8)),
        5 => register_offset(opcode),
        6 | 7 => constant_offset(opcode, if bit(opcode, 12) { 1 } else { 4 }),
        8 => constant_offset(opcode, 2),
        9 => {
            let offset = Offset::Constant(i32::from(opcode & 0xff) << 2);
            transfer(SP, offset, 4, low(opcode, 8), bit(opcode, 11), 0)
        }
        0xa => Instruction::plain(model::CYCLES_PLAIN, if bit(opcode, 11) { 1 << SP } else { 0 }),
        0xb if opcode & 0x600 == 0x400 => push_or_pop(opcode),
        0xb => Instruction::plain(model::CYCLES_PLAIN, 1 << SP),
        0xc => Instruction::multiple(low(opcode, 8), 0, opcode & 0xff, bit(opcode, 11)),
        // The two halves of BL are an instruction each on ARMv4T.
        0xf if size == 4 => Instruction::plain(2 * model::CYCLES_PLAIN, 0),
        _ => Instruction::plain(model::CYCLES_PLAIN, 0),
    }
}

/// ADD and SUB with a register as third operand.
fn second_register(opcode: u16) -> u16 {
    if opcode & 0xfc00 == 0x1800 { 1 << low(opcode, 6) } else { 0 }
}

fn register_operation(opcode: u16, cycles: &Cycles) -> Instruction {
    let (rm, rd) = (low(opcode, 3), low(opcode, 0));
    if bit(opcode, 10) {
        // High registers, and BX.
        let rm = (opcode >> 3 & 0xf) as u8;
        let rd = rd | (opcode >> 4 & 8) as u8;
        return Instruction::plain(model::CYCLES_PLAIN, 1 << rm | 1 << rd);
    }
    let sources = 1 << rm | 1 << rd;
    match opcode >> 6 & 0xf {
        2 | 3 | 4 | 7 => Instruction::plain(model::CYCLES_PLAIN + model::CYCLES_REGISTER_SHIFT, sources),
        0xd => Instruction::thumb_multiply(rd, sources, cycles),
        _ => Instruction::plain(model::CYCLES_PLAIN, sources),
    }
}

fn transfer(base: u8, offset: Offset, width: u8, rd: u8, read: bool, sources: u16) -> Instruction {
    let data =
        Data { base, offset, width, count: 1, align: width, read, write: !read, user: false, pc_ahead: 4 };
    Instruction::single(data, rd, sources)
}

fn load(base: u8, offset: Offset, width: u8, rd: u8) -> Instruction {
    transfer(base, offset, width, rd, true, 0)
}

fn register_offset(opcode: u16) -> Instruction {
    let rm = low(opcode, 6);
    let (width, read) = match opcode >> 9 & 7 {
        0 => (4, false),
        1 => (2, false),
        2 => (1, false),
        3 | 6 => (1, true),
        4 => (4, true),
        _ => (2, true),
    };
    let offset = Offset::Register { register: rm, shift: 0, amount: 0, subtract: false };
    transfer(low(opcode, 3), offset, width, low(opcode, 0), read, 1 << rm)
}

fn constant_offset(opcode: u16, width: u8) -> Instruction {
    let constant = i32::from(opcode >> 6 & 0x1f) * i32::from(width);
    transfer(low(opcode, 3), Offset::Constant(constant), width, low(opcode, 0), bit(opcode, 11), 0)
}

fn push_or_pop(opcode: u16) -> Instruction {
    let pop = bit(opcode, 11);
    let extra = match (bit(opcode, 8), pop) {
        (true, true) => PC,
        (true, false) => LR,
        (false, _) => 0,
    };
    let list = opcode & 0xff | extra;
    let first = if pop { 0 } else { -4 * list.count_ones() as i32 };
    Instruction::multiple(SP, first, list, pop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::registers::Plain;
    use crate::model::{ARM9EJS, ARM9TDMI};

    fn at(opcode: u16, r: &[(usize, u32)]) -> u32 {
        let mut core = Plain::default();
        for &(number, value) in r {
            core.r[number] = value;
        }
        decode(opcode, 2, &ARM9TDMI).data.expect("touches memory").address(0x1002, &core)
    }

    #[test]
    fn addresses() {
        assert_eq!(at(0x4801, &[]), 0x1008); // ldr r0, [pc, #4]
        assert_eq!(at(0x5888, &[(1, 0x100), (2, 8)]), 0x108); // ldr r0, [r1, r2]
        assert_eq!(at(0x6848, &[(1, 0x100)]), 0x104); // ldr r0, [r1, #4]
        assert_eq!(at(0x7848, &[(1, 0x100)]), 0x101); // ldrb r0, [r1, #1]
        assert_eq!(at(0x8848, &[(1, 0x100)]), 0x102); // ldrh r0, [r1, #2]
        assert_eq!(at(0x9801, &[(13, 0x100)]), 0x104); // ldr r0, [sp, #4]
        assert_eq!(at(0xb510, &[(13, 0x100)]), 0xf8); // push {r4, lr}
        assert_eq!(at(0xbd10, &[(13, 0x100)]), 0x100); // pop {r4, pc}
        assert_eq!(at(0xc906, &[(1, 0x100)]), 0x100); // ldmia r1!, {r1, r2}
    }

    #[test]
    fn directions_and_widths() {
        let check = |opcode, read, width, count| {
            let data = decode(opcode, 2, &ARM9TDMI).data.expect("touches memory");
            assert_eq!((data.read, data.width, data.count), (read, width, count), "{opcode:04x}");
        };
        check(0x6048, false, 4, 1); // str r0, [r1, #4]
        check(0x5688, true, 1, 1); // ldrsb r0, [r1, r2]
        check(0x5e88, true, 2, 1); // ldrsh r0, [r1, r2]
        check(0x5288, false, 2, 1); // strh r0, [r1, r2]
        check(0xb5f0, false, 4, 5); // push {r4-r7, lr}
    }

    #[test]
    fn cycles() {
        let check = |opcode, cycles| assert_eq!(decode(opcode, 2, &ARM9TDMI).cycles, cycles, "{opcode:04x}");
        check(0x1840, 1); // adds r0, r0, r1
        check(0x4088, 2); // lsls r0, r1
        check(0x4348, 2); // muls r0, r1, r0
        check(0xbd10, 2); // pop {r4, pc}
        assert_eq!(decode(0xf000, 4, &ARM9TDMI).cycles, 2); // bl
        assert_eq!(decode(0x4348, 2, &ARM9EJS).cycles, 4); // muls r0, r1, r0
    }
}
