//! Periodic interval timer, as a clock. As U-Boot, arch/arm/mach-at91/arm926ejs/timer.c.

use crate::hal::Clock;
use crate::units::Hz;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    MR [
        PITEN OFFSET(24) NUMBITS(1) [],
        /// The count from which it starts over.
        PIV OFFSET(0) NUMBITS(20) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => mr: ReadWrite<u32, MR::Register>),
        (0x04 => sr: ReadOnly<u32>),
        /// Reading it clears the number of turns.
        (0x08 => pivr: ReadOnly<u32>),
        /// Turns in bits 31:20, count in 19:0.
        (0x0c => piir: ReadOnly<u32>),
        (0x10 => @END),
    }
}

/// What MCK is divided by.
const PRESCALER: u32 = 16;

/// The timer, counting. With turns as long as can be, turns and count are one number of 32 bits:
/// it starts over after eleven minutes.
pub struct Timer {
    regs: &'static Regs,
    rate: Hz,
    /// The count when it was last looked at, and the ticks until then.
    last: u32,
    ticks: u64,
}

impl Timer {
    /// Sets the timer going, whatever it did before.
    #[must_use]
    pub fn start(mck: Hz) -> Self {
        let regs = super::map::pit();
        regs.mr.write(MR::PITEN::SET + MR::PIV.val(MR::PIV.mask));
        Self { regs, rate: Hz(mck.0 / PRESCALER), last: regs.piir.get(), ticks: 0 }
    }
}

impl Clock for Timer {
    fn ticks(&mut self) -> u64 {
        let count = self.regs.piir.get();
        self.ticks += u64::from(count.wrapping_sub(self.last));
        self.last = count;
        self.ticks
    }

    fn rate(&self) -> Hz {
        self.rate
    }
}
