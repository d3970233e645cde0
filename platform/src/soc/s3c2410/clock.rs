//! Clock and power management. S3C2410X User's Manual, chapter 7.

use crate::soc::s3c2440::clock::{GATES, LOCK};
use crate::units::Hz;
use tock_registers::interfaces::Writeable;
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

pub use crate::soc::s3c2440::clock::Pll;

register_bitfields![u32,
    LOCKTIME [
        /// UPLL lock time in periods of the crystal.
        UPLL OFFSET(12) NUMBITS(12) [],
        /// MPLL lock time in periods of the crystal.
        MPLL OFFSET(0) NUMBITS(12) []
    ],
    CLKDIVN [
        /// HCLK is half of FCLK.
        HDIVN OFFSET(1) NUMBITS(1) [],
        /// PCLK is half of HCLK.
        PDIVN OFFSET(0) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => locktime: ReadWrite<u32, LOCKTIME::Register>),
        (0x04 => mpllcon: ReadWrite<u32>),
        (0x08 => upllcon: ReadWrite<u32>),
        (0x0c => clkcon: ReadWrite<u32>),
        (0x10 => clkslow: ReadWrite<u32>),
        (0x14 => clkdivn: ReadWrite<u32, CLKDIVN::Register>),
        (0x18 => @END),
    }
}

/// The clock tree of a board: HCLK is half of FCLK, PCLK half of HCLK.
#[derive(Clone, Copy)]
pub struct ClockConfig {
    /// Crystal.
    pub crystal: Hz,
    /// Core clock.
    pub mpll: Pll,
    /// USB clock.
    pub upll: Pll,
}

impl ClockConfig {
    /// Core clock. Neither PLL doubles here.
    #[must_use]
    pub const fn fclk(&self) -> Hz {
        self.mpll.plain(self.crystal)
    }

    /// AHB clock.
    #[must_use]
    pub const fn hclk(&self) -> Hz {
        Hz(self.fclk().0 / 2)
    }

    /// APB clock.
    #[must_use]
    pub const fn pclk(&self) -> Hz {
        Hz(self.hclk().0 / 2)
    }

    /// The same, if no clock is beyond its limit: 203 MHz for FCLK (chapter 1 names the chip for
    /// 200 MHz; boards run 202.8), and 48 MHz for USB.
    ///
    /// # Panics
    /// For constants alone: a board with other clocks does not compile.
    #[must_use]
    pub const fn checked(self) -> Self {
        assert!(self.fclk().0 <= 203_000_000, "FCLK is too fast");
        assert!(self.upll.plain(self.crystal).0 == 48_000_000, "USB has no clock");
        self
    }
}

/// Starts the PLLs, as [`crate::soc::s3c2440::clock::start`] does and in the same order.
pub fn start(config: &ClockConfig) {
    let regs = super::map::clock();
    regs.clkcon.set(GATES);
    regs.locktime.write(LOCKTIME::UPLL.val(LOCK) + LOCKTIME::MPLL.val(LOCK));
    regs.clkdivn.write(CLKDIVN::HDIVN::SET + CLKDIVN::PDIVN::SET);
    regs.upllcon.set(config.upll.word());
    crate::arch::delay(7);
    regs.mpllcon.set(config.mpll.word());
}
