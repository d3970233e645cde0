//! Debug unit, the console. As at91bootstrap, driver/dbgu.c.

use crate::hal::Serial;
use crate::units::Hz;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    CR [
        TXEN OFFSET(6) NUMBITS(1) [],
        RXEN OFFSET(4) NUMBITS(1) []
    ],
    MR [
        PAR OFFSET(9) NUMBITS(3) [None = 4]
    ],
    SR [
        /// Shifter and holding register are empty.
        TXEMPTY OFFSET(9) NUMBITS(1) [],
        TXRDY OFFSET(1) NUMBITS(1) [],
        RXRDY OFFSET(0) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => cr: WriteOnly<u32, CR::Register>),
        (0x04 => mr: ReadWrite<u32, MR::Register>),
        (0x08 => _reserved0),
        (0x14 => sr: ReadOnly<u32, SR::Register>),
        (0x18 => rhr: ReadOnly<u32>),
        (0x1c => thr: WriteOnly<u32>),
        (0x20 => brgr: ReadWrite<u32>),
        (0x24 => @END),
    }
}

/// DRXD and DTXD on port B, peripheral A.
const PINS: u32 = 1 << 14 | 1 << 15;

/// `BRGR`.
#[derive(Clone, Copy)]
pub struct Divisor(u32);

impl Divisor {
    /// The divisor that comes closest to `baud`.
    #[must_use]
    pub const fn for_baud(mck: Hz, baud: u32) -> Self {
        Self((mck.0 + 8 * baud) / (16 * baud))
    }
}

/// The debug unit's UART, set up.
pub struct Uart {
    regs: &'static Regs,
}

impl Uart {
    /// The UART as the boot loader's predecessor left it.
    #[must_use]
    pub fn dbgu() -> Self {
        Self { regs: super::map::dbgu() }
    }

    /// Sets 8N1. A byte received before stays in the receiver: a key pressed early is for
    /// whoever reads it.
    pub fn start(&mut self, divisor: Divisor) {
        super::map::pio_b().to_peripheral_a(PINS);
        self.regs.brgr.set(divisor.0);
        self.regs.mr.write(MR::PAR::None);
        self.regs.cr.write(CR::RXEN::SET + CR::TXEN::SET);
    }

    /// Is there a received byte? It stays where it is.
    #[must_use]
    pub fn has_input(&self) -> bool {
        self.regs.sr.is_set(SR::RXRDY)
    }
}

impl Serial for Uart {
    fn put(&mut self, byte: u8) {
        while !self.regs.sr.is_set(SR::TXRDY) {}
        self.regs.thr.set(byte.into());
    }

    fn get(&mut self) -> Option<u8> {
        self.has_input().then(|| self.regs.rhr.get() as u8)
    }

    fn flush(&mut self) {
        while !self.regs.sr.is_set(SR::TXEMPTY) {}
    }
}
