//! The registers of the emulated core.

use unicorn_engine::{RegisterARM, RegisterARMCP, Unicorn};

/// CPSR bits and modes: ARM Architecture Reference Manual, part A2.
pub mod psr {
    /// The four condition flags.
    pub const FLAGS: u32 = 0xf << 28;
    /// Zero.
    pub const Z: u32 = 1 << 30;
    /// Carry.
    pub const C: u32 = 1 << 29;
    /// IRQ masked.
    pub const I: u32 = 1 << 7;
    /// FIQ masked.
    pub const F: u32 = 1 << 6;
    /// Thumb state.
    pub const T: u32 = 1 << 5;
    /// Mode bits.
    pub const MODE: u32 = 0x1f;
    /// User mode.
    pub const USER: u32 = 0x10;
    /// FIQ mode.
    pub const FIQ: u32 = 0x11;
    /// IRQ mode.
    pub const IRQ: u32 = 0x12;
    /// Supervisor mode.
    pub const SVC: u32 = 0x13;
    /// Abort mode.
    pub const ABORT: u32 = 0x17;
    /// Undefined mode.
    pub const UNDEFINED: u32 = 0x1b;
}

const GENERAL: [RegisterARM; 16] = [
    RegisterARM::R0,
    RegisterARM::R1,
    RegisterARM::R2,
    RegisterARM::R3,
    RegisterARM::R4,
    RegisterARM::R5,
    RegisterARM::R6,
    RegisterARM::R7,
    RegisterARM::R8,
    RegisterARM::R9,
    RegisterARM::R10,
    RegisterARM::R11,
    RegisterARM::R12,
    RegisterARM::SP,
    RegisterARM::LR,
    RegisterARM::PC,
];

/// What the models need of the core.
pub trait Registers {
    /// A general register of the current mode; 15 is the address of the instruction.
    fn get(&self, number: u8) -> u32;
    /// The current program status.
    fn cpsr(&self) -> u32;
    /// A CP15 register.
    fn cp15(&self, crn: u8, crm: u8, opcode2: u8) -> u32;
}

/// Changing the core from outside, between instructions.
pub trait RegistersMut: Registers {
    /// Sets a general register of the current mode.
    fn set(&mut self, number: u8, value: u32);
    /// Sets the current program status, and with it the mode and its banked registers.
    fn set_cpsr(&mut self, value: u32);
    /// Sets the saved program status of the current mode.
    fn set_spsr(&mut self, value: u32);
    /// Sets a CP15 register.
    fn set_cp15(&mut self, crn: u8, crm: u8, opcode2: u8, value: u32);
}

fn cp15_register(crn: u8, crm: u8, opcode2: u8, value: u32) -> RegisterARMCP {
    RegisterARMCP {
        cp: 15,
        is64: 0,
        sec: 0,
        crn: crn.into(),
        crm: crm.into(),
        opc1: 0,
        opc2: opcode2.into(),
        val: value.into(),
    }
}

/// The emulator knows every register asked for here, so a refusal is a fault of this program.
const KNOWN: &str = "an ARM core has this register";

impl<D> Registers for Unicorn<'_, D> {
    fn get(&self, number: u8) -> u32 {
        self.reg_read(GENERAL[usize::from(number)]).expect(KNOWN) as u32
    }

    fn cpsr(&self) -> u32 {
        self.reg_read(RegisterARM::CPSR).expect(KNOWN) as u32
    }

    fn cp15(&self, crn: u8, crm: u8, opcode2: u8) -> u32 {
        let mut register = cp15_register(crn, crm, opcode2, 0);
        self.reg_read_arm_coproc(&mut register).expect(KNOWN);
        register.val as u32
    }
}

impl<D> RegistersMut for Unicorn<'_, D> {
    fn set(&mut self, number: u8, value: u32) {
        self.reg_write(GENERAL[usize::from(number)], value.into()).expect(KNOWN);
    }

    fn set_cpsr(&mut self, value: u32) {
        self.reg_write(RegisterARM::CPSR, value.into()).expect(KNOWN);
    }

    fn set_spsr(&mut self, value: u32) {
        self.reg_write(RegisterARM::SPSR, value.into()).expect(KNOWN);
    }

    fn set_cp15(&mut self, crn: u8, crm: u8, opcode2: u8, value: u32) {
        self.reg_write_arm_coproc(&cp15_register(crn, crm, opcode2, value)).expect(KNOWN);
    }
}

/// A core that is nothing but its registers, for the tests of the models.
#[cfg(test)]
#[derive(Default)]
pub struct Plain {
    /// General registers.
    pub r: [u32; 16],
    /// Program status.
    pub cpsr: u32,
}

#[cfg(test)]
impl Registers for Plain {
    fn get(&self, number: u8) -> u32 {
        self.r[usize::from(number)]
    }

    fn cpsr(&self) -> u32 {
        self.cpsr
    }

    fn cp15(&self, _: u8, _: u8, _: u8) -> u32 {
        0
    }
}
