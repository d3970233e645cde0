//! Parallel I/O controllers. As at91bootstrap, driver/at91_pio.c.

use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::register_structs;
use tock_registers::registers::{ReadOnly, WriteOnly};

register_structs! {
    /// One port. Registers come in pairs, to set bits and to clear them.
    pub Regs {
        /// The port drives the pin, not a peripheral.
        (0x00 => per: WriteOnly<u32>),
        /// A peripheral does.
        (0x04 => pdr: WriteOnly<u32>),
        (0x08 => psr: ReadOnly<u32>),
        (0x0c => _reserved0),
        (0x10 => oer: WriteOnly<u32>),
        (0x14 => odr: WriteOnly<u32>),
        (0x18 => osr: ReadOnly<u32>),
        (0x1c => _reserved1),
        (0x30 => sodr: WriteOnly<u32>),
        (0x34 => codr: WriteOnly<u32>),
        (0x38 => odsr: ReadOnly<u32>),
        /// Levels of the pins.
        (0x3c => pdsr: ReadOnly<u32>),
        (0x40 => _reserved2),
        /// Of the two peripherals that a pin may have, A.
        (0x70 => asr: WriteOnly<u32>),
        (0x74 => bsr: WriteOnly<u32>),
        (0x78 => @END),
    }
}

impl Regs {
    /// Gives pins to their peripheral A.
    pub fn to_peripheral_a(&self, pins: u32) {
        self.asr.set(pins);
        self.pdr.set(pins);
    }

    /// Makes pins outputs that are low.
    pub fn drive_low(&self, pins: u32) {
        self.codr.set(pins);
        self.oer.set(pins);
        self.per.set(pins);
    }

    /// Makes pins inputs.
    pub fn to_input(&self, pins: u32) {
        self.odr.set(pins);
        self.per.set(pins);
    }

    /// Is one of the pins high?
    #[inline(always)]
    pub fn is_high(&self, pins: u32) -> bool {
        self.pdsr.get() & pins != 0
    }
}
