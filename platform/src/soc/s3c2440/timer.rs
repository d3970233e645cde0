//! PWM timers: timer 4, the one without a pin, as a clock. S3C2440A User's Manual, chapter 10.

use crate::hal::Clock;
use crate::units::Hz;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    TCFG0 [
        /// What timers 2 to 4 divide PCLK by, less one.
        PRESCALER1 OFFSET(8) NUMBITS(8) []
    ],
    TCFG1 [
        /// What timer 4 divides by after that.
        MUX4 OFFSET(16) NUMBITS(4) [By2 = 0, By4 = 1, By8 = 2, By16 = 3]
    ],
    TCON [
        RELOAD4 OFFSET(22) NUMBITS(1) [],
        /// Sets the count to that of TCNTB4 for as long as it is 1.
        UPDATE4 OFFSET(21) NUMBITS(1) [],
        START4 OFFSET(20) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block, as far as timer 4 needs it.
    pub Regs {
        (0x00 => tcfg0: ReadWrite<u32, TCFG0::Register>),
        (0x04 => tcfg1: ReadWrite<u32, TCFG1::Register>),
        (0x08 => tcon: ReadWrite<u32, TCON::Register>),
        (0x0c => _reserved0),
        (0x3c => tcntb4: ReadWrite<u32>),
        (0x40 => tcnto4: ReadOnly<u32>),
        (0x44 => @END),
    }
}

/// The slowest rate: ticks of a microsecond or a little less.
const RATE_MIN: u32 = 1_000_000;
/// From here timer 4 counts down to zero, and then starts over.
const FROM: u32 = 0xffff;

/// Timer 4, counting.
///
/// It has 16 bits: [`Clock::ticks`] must be called once in 65536 ticks, 64 ms, or a turn is
/// missed. Whoever waits or measures does.
pub struct Timer {
    regs: &'static Regs,
    rate: Hz,
    /// The count when it was last looked at, and the ticks until then.
    last: u16,
    ticks: u64,
}

impl Timer {
    /// Sets timer 4 going, whatever it did before.
    #[must_use]
    pub fn start(pclk: Hz) -> Self {
        let prescaler = pclk.0 / (2 * RATE_MIN);
        let regs = super::map::timer();
        regs.tcfg0.modify(TCFG0::PRESCALER1.val(prescaler - 1));
        regs.tcfg1.modify(TCFG1::MUX4::By2);
        regs.tcntb4.set(FROM);
        regs.tcon.modify(TCON::START4::CLEAR + TCON::UPDATE4::SET + TCON::RELOAD4::SET);
        regs.tcon.modify(TCON::START4::SET + TCON::UPDATE4::CLEAR);
        let last = regs.tcnto4.get() as u16;
        Self { regs, rate: Hz(pclk.0 / (2 * prescaler)), last, ticks: 0 }
    }
}

impl Clock for Timer {
    fn ticks(&mut self) -> u64 {
        let count = self.regs.tcnto4.get() as u16;
        self.ticks += u64::from(self.last.wrapping_sub(count));
        self.last = count;
        self.ticks
    }

    fn rate(&self) -> Hz {
        self.rate
    }
}
