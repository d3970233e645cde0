//! UARTs. S3C2440A User's Manual, chapter 11.

use crate::hal::Serial;
use crate::units::Hz;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    UTRSTAT [
        /// Shifter and FIFO are empty.
        TX_DONE OFFSET(2) NUMBITS(1)
    ],
    UFSTAT [
        TX_FULL OFFSET(14) NUMBITS(1),
        RX_FULL OFFSET(6) NUMBITS(1),
        RX_COUNT OFFSET(0) NUMBITS(6)
    ]
];

register_structs! {
    /// One UART.
    pub Regs {
        (0x00 => ulcon: ReadWrite<u32>),
        (0x04 => ucon: ReadWrite<u32>),
        (0x08 => ufcon: ReadWrite<u32>),
        (0x0c => umcon: ReadWrite<u32>),
        (0x10 => utrstat: ReadOnly<u32, UTRSTAT::Register>),
        (0x14 => uerstat: ReadOnly<u32>),
        (0x18 => ufstat: ReadOnly<u32, UFSTAT::Register>),
        (0x1c => umstat: ReadOnly<u32>),
        (0x20 => utxh: WriteOnly<u8>),
        (0x21 => _reserved0),
        (0x24 => urxh: ReadOnly<u8>),
        (0x25 => _reserved1),
        (0x28 => ubrdiv: ReadWrite<u32>),
        (0x2c => @END),
    }
}

/// Eight data bits, no parity, one stop bit.
const ULCON_8N1: u32 = 3;
/// Both directions by polling or interrupt, RX error status, clock is PCLK.
const UCON_POLL: u32 = 0x245;
/// FIFOs on, 64 bytes each way.
const UFCON_FIFO: u32 = 1;

/// `UBRDIV`.
#[derive(Clone, Copy)]
pub struct Divisor(u32);

impl Divisor {
    /// The divisor that comes closest to `baud`.
    #[must_use]
    pub const fn for_baud(pclk: Hz, baud: u32) -> Self {
        Self((pclk.0 + 8 * baud) / (16 * baud) - 1)
    }
}

/// A UART that is set up.
pub struct Uart(&'static Regs);

impl Uart {
    /// UART 0 as the boot loader's predecessor left it.
    #[must_use]
    pub fn uart0() -> Self {
        Self(super::map::uart0())
    }

    /// UART 2 as the boot loader's predecessor left it.
    #[must_use]
    pub fn uart2() -> Self {
        Self(super::map::uart2())
    }

    /// Sets 8N1. Bytes received before stay in the FIFO: a key pressed
    /// early is for whoever reads it.
    pub fn start(&mut self, divisor: Divisor) {
        self.0.ubrdiv.set(divisor.0);
        self.0.ulcon.set(ULCON_8N1);
        self.0.umcon.set(0);
        self.0.ufcon.set(UFCON_FIFO);
        self.0.ucon.set(UCON_POLL);
    }

    /// Is there a received byte? It stays where it is.
    #[must_use]
    pub fn has_input(&self) -> bool {
        self.0.ufstat.any_matching_bits_set(UFSTAT::RX_COUNT.val(0x3f) + UFSTAT::RX_FULL::SET)
    }
}

impl Serial for Uart {
    fn put(&mut self, byte: u8) {
        while self.0.ufstat.is_set(UFSTAT::TX_FULL) {}
        self.0.utxh.set(byte);
    }

    fn get(&mut self) -> Option<u8> {
        self.has_input().then(|| self.0.urxh.get())
    }

    fn flush(&mut self) {
        while !self.0.utrstat.is_set(UTRSTAT::TX_DONE) {}
    }
}
