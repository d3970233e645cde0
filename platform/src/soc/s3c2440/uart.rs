//! UARTs. S3C2440A User's Manual, chapter 11.

use crate::hal::Serial;
use crate::units::Hz;
use core::marker::PhantomData;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    UTRSTAT [
        /// Shifter and FIFO are empty.
        TX_DONE OFFSET(2) NUMBITS(1)
    ],
    UERSTAT [
        BREAK OFFSET(3) NUMBITS(1) [],
        FRAME OFFSET(2) NUMBITS(1) [],
        PARITY OFFSET(1) NUMBITS(1) []
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
        (0x14 => uerstat: ReadOnly<u32, UERSTAT::Register>),
        (0x18 => ufstat: ReadOnly<u32>),
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
/// FIFOs on.
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

    /// The same, if that is close enough: where the last bit of a frame is looked at, after 9.5 bits, 3 %
    /// are 0.29 of a bit.
    fn close_to(pclk: Hz, baud: u32) -> Option<Self> {
        const PERCENT: u32 = 3;
        let most = pclk.0 / 16;
        if baud == 0 || baud > most {
            return None;
        }
        let divisor = Self::for_baud(pclk, baud);
        let off = (most / (divisor.0 + 1)).abs_diff(baud);
        (off <= baud / 100 * PERCENT && divisor.0 <= 0xffff).then_some(divisor)
    }
}

/// Bits of `UFSTAT`, which differ with the length of the FIFOs.
pub trait Fifo {
    /// The transmitter's FIFO is full.
    const TX_FULL: u32;
    /// There is something in the receiver's.
    const RX_ANY: u32;
}

/// A UART that is set up.
pub struct Uart<F> {
    regs: &'static Regs,
    fifo: PhantomData<F>,
}

impl<F: Fifo> Uart<F> {
    /// UART 0 as the boot loader's predecessor left it.
    #[must_use]
    pub fn uart0() -> Self {
        Self { regs: super::map::uart0(), fifo: PhantomData }
    }

    /// UART 2 as the boot loader's predecessor left it.
    #[must_use]
    pub fn uart2() -> Self {
        Self { regs: super::map::uart2(), fifo: PhantomData }
    }

    /// Sets 8N1. Bytes received before stay in the FIFO: a key pressed
    /// early is for whoever reads it.
    pub fn start(&mut self, divisor: Divisor) {
        self.regs.ubrdiv.set(divisor.0);
        self.regs.ulcon.set(ULCON_8N1);
        self.regs.umcon.set(0);
        self.regs.ufcon.set(UFCON_FIFO);
        self.regs.ucon.set(UCON_POLL);
    }

    /// Is there a received byte? It stays where it is.
    #[must_use]
    pub fn has_input(&self) -> bool {
        self.regs.ufstat.get() & F::RX_ANY != 0
    }
}

impl<F: Fifo> Serial for Uart<F> {
    fn put(&mut self, byte: u8) {
        while self.regs.ufstat.get() & F::TX_FULL != 0 {}
        self.regs.utxh.set(byte);
    }

    fn get(&mut self) -> Option<u8> {
        while self.has_input() {
            // The status is that of the byte to be taken next, and reading it clears it.
            let status = self.regs.uerstat.extract();
            let byte = self.regs.urxh.get();
            if !status.any_matching_bits_set(UERSTAT::BREAK::SET + UERSTAT::FRAME::SET + UERSTAT::PARITY::SET)
            {
                return Some(byte);
            }
        }
        None
    }

    fn flush(&mut self) {
        while !self.regs.utrstat.is_set(UTRSTAT::TX_DONE) {}
    }

    fn set_baud(&mut self, clock: Hz, baud: u32) -> bool {
        let Some(divisor) = Divisor::close_to(clock, baud) else { return false };
        self.flush();
        self.regs.ubrdiv.set(divisor.0);
        true
    }
}
