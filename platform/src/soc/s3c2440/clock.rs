//! Clock and power management. S3C2440A User's Manual, chapter 7.

use crate::units::Hz;
use tock_registers::interfaces::Writeable;
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    LOCKTIME [
        /// UPLL lock time in periods of the crystal.
        UPLL OFFSET(16) NUMBITS(16) [],
        /// MPLL lock time in periods of the crystal.
        MPLL OFFSET(0) NUMBITS(16) []
    ],
    PLLCON [
        MDIV OFFSET(12) NUMBITS(8) [],
        PDIV OFFSET(4) NUMBITS(6) [],
        SDIV OFFSET(0) NUMBITS(2) []
    ],
    CLKDIVN [
        HDIVN OFFSET(1) NUMBITS(2) [By1 = 0, By2 = 1, By4 = 2, By3 = 3],
        /// PCLK is half of HCLK.
        PDIVN OFFSET(0) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => locktime: ReadWrite<u32, LOCKTIME::Register>),
        (0x04 => mpllcon: ReadWrite<u32, PLLCON::Register>),
        (0x08 => upllcon: ReadWrite<u32, PLLCON::Register>),
        (0x0c => clkcon: ReadWrite<u32>),
        (0x10 => clkslow: ReadWrite<u32>),
        (0x14 => clkdivn: ReadWrite<u32, CLKDIVN::Register>),
        (0x18 => camdivn: ReadWrite<u32>),
        (0x1c => @END),
    }
}

/// Dividers of a PLL.
#[derive(Clone, Copy)]
pub struct Pll {
    /// MDIV field; the multiplier is 8 more.
    pub mdiv: u32,
    /// PDIV field; the divider is 2 more.
    pub pdiv: u32,
    /// SDIV field; a further division by its power of two.
    pub sdiv: u32,
}

impl Pll {
    const fn ratio(self, input: Hz) -> u64 {
        input.0 as u64 * (self.mdiv + 8) as u64 / ((self.pdiv + 2) << self.sdiv) as u64
    }

    /// Output of the MPLL, which doubles; rounded down.
    #[must_use]
    pub const fn doubled(self, input: Hz) -> Hz {
        Hz((2 * self.ratio(input)) as u32)
    }

    /// Output of the UPLL, and on the S3C2410 of both; rounded down.
    #[must_use]
    pub const fn plain(self, input: Hz) -> Hz {
        Hz(self.ratio(input) as u32)
    }

    /// The register's contents.
    #[must_use]
    pub fn word(self) -> u32 {
        (PLLCON::MDIV.val(self.mdiv) + PLLCON::PDIV.val(self.pdiv) + PLLCON::SDIV.val(self.sdiv)).value
    }
}

/// HCLK as a fraction of FCLK. PCLK is always half of HCLK here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HclkDivider {
    /// FCLK / 3.
    By3,
    /// FCLK / 4.
    By4,
}

/// The clock tree of a board.
#[derive(Clone, Copy)]
pub struct ClockConfig {
    /// Crystal.
    pub crystal: Hz,
    /// Core clock.
    pub mpll: Pll,
    /// USB clock.
    pub upll: Pll,
    /// AHB divider.
    pub hclk: HclkDivider,
}

impl ClockConfig {
    /// Core clock.
    #[must_use]
    pub const fn fclk(&self) -> Hz {
        self.mpll.doubled(self.crystal)
    }

    /// AHB clock, rounded down: the odd third of a hertz must not make four periods of
    /// 7.5 ns seem a little less than 30 ns. It is a thousandth of the crystal's error.
    #[must_use]
    pub const fn hclk(&self) -> Hz {
        let divider = match self.hclk {
            HclkDivider::By3 => 3,
            HclkDivider::By4 => 4,
        };
        Hz(self.fclk().0 / divider)
    }

    /// APB clock.
    #[must_use]
    pub const fn pclk(&self) -> Hz {
        Hz(self.hclk().0 / 2)
    }

    /// The same, if no clock is beyond its limit at nominal voltage: FCLK 400 MHz, HCLK 136 MHz,
    /// PCLK 68 MHz (chapter 1), and 48 MHz for USB.
    ///
    /// # Panics
    /// For constants alone: a board with other clocks does not compile.
    #[must_use]
    pub const fn checked(self) -> Self {
        assert!(self.fclk().0 <= 400_000_000, "FCLK is too fast");
        assert!(self.hclk().0 <= 136_000_000, "HCLK is too fast");
        assert!(self.pclk().0 <= 68_000_000, "PCLK is too fast");
        assert!(self.upll.plain(self.crystal).0 == 48_000_000, "USB has no clock");
        self
    }
}

/// PLL lock time in crystal periods of 12 MHz: a little over the 300 us of the
/// electrical data.
pub const LOCK: u32 = 3608;
/// Clock gates left open: NAND, PWM timers, UARTs, GPIO, RTC. Kernels open the rest.
pub const GATES: u32 = 1 << 4 | 1 << 8 | 0b111 << 10 | 1 << 13 | 1 << 14;

/// Starts the PLLs. Dividers first, so that no bus is ever too fast; UPLL before MPLL
/// and at least seven cycles apart (page 7-19). The core must already be on its own
/// clock. The write of MPLLCON stops FCLK until the PLL has locked.
pub fn start(config: &ClockConfig) {
    let regs = super::map::clock();
    regs.clkcon.set(GATES);
    regs.locktime.write(LOCKTIME::UPLL.val(LOCK) + LOCKTIME::MPLL.val(LOCK));
    let hdivn = match config.hclk {
        HclkDivider::By3 => CLKDIVN::HDIVN::By3,
        HclkDivider::By4 => CLKDIVN::HDIVN::By4,
    };
    regs.camdivn.set(0);
    regs.clkdivn.write(hdivn + CLKDIVN::PDIVN::SET);
    regs.upllcon.set(config.upll.word());
    crate::arch::delay(7);
    regs.mpllcon.set(config.mpll.word());
}
