//! Power management controller: oscillator, PLL A, dividers. As at91bootstrap, driver/pmc.c,
//! and Linux, drivers/clk/at91.

use crate::units::Hz;
use tock_registers::fields::Field;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    MOR [
        /// Start-up time of the oscillator in eight slow clocks.
        OSCOUNT OFFSET(8) NUMBITS(8) [],
        MOSCEN OFFSET(0) NUMBITS(1) []
    ],
    PLLR [
        /// Has to be written 1.
        ONE OFFSET(29) NUMBITS(1) [],
        /// The multiplier, less one; 0 stops the PLL.
        MUL OFFSET(16) NUMBITS(11) [],
        /// Range of the output.
        OUT OFFSET(14) NUMBITS(2) [From80To160 = 0, From150To240 = 2],
        /// Slow clocks until the PLL counts as locked.
        COUNT OFFSET(8) NUMBITS(6) [],
        DIV OFFSET(0) NUMBITS(8) []
    ],
    MCKR [
        /// What the bus clock is divided by from the core's.
        MDIV OFFSET(8) NUMBITS(2) [By1 = 0, By2 = 1, By4 = 2],
        CSS OFFSET(0) NUMBITS(2) [Slow = 0, Main = 1, PllA = 2, PllB = 3]
    ],
    SR [
        MCKRDY OFFSET(3) NUMBITS(1) [],
        LOCKA OFFSET(1) NUMBITS(1) [],
        MOSCS OFFSET(0) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => _reserved0),
        (0x10 => pcer: WriteOnly<u32>),
        (0x14 => _reserved1),
        (0x20 => mor: ReadWrite<u32, MOR::Register>),
        (0x24 => mcfr: ReadOnly<u32>),
        (0x28 => pllar: ReadWrite<u32, PLLR::Register>),
        (0x2c => pllbr: ReadWrite<u32, PLLR::Register>),
        (0x30 => mckr: ReadWrite<u32, MCKR::Register>),
        (0x34 => _reserved2),
        (0x68 => sr: ReadOnly<u32, SR::Register>),
        (0x6c => @END),
    }
}

/// The clock tree of a board: the core runs from PLL A, MCK at half of it.
#[derive(Clone, Copy)]
pub struct ClockConfig {
    /// Crystal of the main oscillator.
    pub crystal: Hz,
    /// What it is multiplied by.
    pub multiplier: u32,
    /// What it is divided by.
    pub divider: u32,
}

impl ClockConfig {
    /// Core clock, rounded down.
    #[must_use]
    pub const fn pck(&self) -> Hz {
        Hz((self.crystal.0 as u64 * self.multiplier as u64 / self.divider as u64) as u32)
    }

    /// Clock of all buses.
    #[must_use]
    pub const fn mck(&self) -> Hz {
        Hz(self.pck().0 / 2)
    }

    /// The same, if no clock is beyond its limit: PLL A from 150 to 240 MHz with OUT = 2, MCK up to
    /// 105 MHz (Linux, drivers/clk/at91/at91sam9260.c).
    ///
    /// # Panics
    /// For constants alone: a board with other clocks does not compile.
    #[must_use]
    pub const fn checked(self) -> Self {
        assert!(self.pck().0 >= 150_000_000 && self.pck().0 <= 240_000_000, "PLL A is out of its range");
        assert!(self.mck().0 <= 105_000_000, "MCK is too fast");
        self
    }

    /// The contents of CKGR_PLLAR.
    #[must_use]
    pub const fn pllar(&self) -> u32 {
        PLLR::ONE::SET.value
            | (self.multiplier - 1) << PLLR::MUL.shift
            | PLLR::OUT::From150To240.value
            | PLLR::COUNT.mask << PLLR::COUNT.shift // as long as can be: 1.9 ms
            | self.divider
    }
}

/// Peripherals that are clocked: ports B and C, whose pins are read. Kernels clock the rest.
const CLOCKED: u32 = 1 << 3 | 1 << 4;
/// 15.6 ms for the oscillator, as at91bootstrap gives it.
const OSCOUNT: u32 = 0x40;

/// Starts the PLL. The boot ROM leaves the core on the main oscillator, a debugger perhaps elsewhere.
/// MDIV before the PLL, so that MCK is never too fast. What the waits are for comes or it does
/// not; the watchdog, which runs since reset, does not wait for ever.
#[inline(always)]
pub fn start(config: &ClockConfig) {
    let regs = super::map::pmc();
    if !regs.sr.is_set(SR::MOSCS) {
        regs.mor.write(MOR::OSCOUNT.val(OSCOUNT) + MOR::MOSCEN::SET);
        wait(regs, SR::MOSCS);
    }
    regs.mckr.modify(MCKR::CSS::Main);
    wait(regs, SR::MCKRDY);
    regs.pllar.write(PLLR::ONE::SET);
    regs.pllar.set(config.pllar());
    wait(regs, SR::LOCKA);
    regs.mckr.write(MCKR::MDIV::By2 + MCKR::CSS::Main);
    wait(regs, SR::MCKRDY);
    regs.mckr.write(MCKR::MDIV::By2 + MCKR::CSS::PllA);
    wait(regs, SR::MCKRDY);
    regs.pcer.set(CLOCKED);
}

fn wait(regs: &Regs, event: Field<u32, SR::Register>) {
    while !regs.sr.is_set(event) {}
}
