//! PWM timer 4 as a time base. S3C2440A User's Manual, chapter 10.

use crate::hal::Clock;
use crate::units::Hz;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::register_structs;
use tock_registers::registers::{ReadOnly, ReadWrite};

register_structs! {
    /// The block; timers 0 to 3 are not used.
    pub Regs {
        (0x00 => tcfg0: ReadWrite<u32>),
        (0x04 => tcfg1: ReadWrite<u32>),
        (0x08 => tcon: ReadWrite<u32>),
        (0x0c => _timers: [u32; 12]),
        (0x3c => tcntb4: ReadWrite<u32>),
        (0x40 => tcnto4: ReadOnly<u32>),
        (0x44 => @END),
    }
}

/// Prescaler 1, of timers 2 to 4, at its largest: divides by 256.
const TCFG0: u32 = 255 << 8;
/// Timer 4's divider: 16.
const TCFG1: u32 = 3 << 16;
const TCON_START: u32 = 1 << 20;
const TCON_UPDATE: u32 = 1 << 21;
const TCON_RELOAD: u32 = 1 << 22;

/// Timer 4, counting PCLK / 4096 down from 65535 over and over: a tick is 61 us at
/// 66.7 MHz, a turn 4 s.
pub struct Timer {
    tick: Tick,
    last: u16,
    micros: u32,
    /// What is left of a microsecond, in 1/256.
    rest: u32,
}

/// The length of a tick in 1/256 us, so that counting needs no division.
#[derive(Clone, Copy)]
pub struct Tick(u32);

impl Tick {
    /// Rounded down: 61.44 us become 15728 at 66.7 MHz.
    #[must_use]
    pub const fn at(pclk: Hz) -> Self {
        Self((4096 * 256 * 1_000_000 / pclk.0 as u64) as u32)
    }
}

impl Timer {
    /// Starts the count.
    #[must_use]
    pub fn start(tick: Tick) -> Self {
        let regs = super::map::timer();
        regs.tcfg0.set(TCFG0);
        regs.tcfg1.set(TCFG1);
        regs.tcntb4.set(0xffff);
        regs.tcon.set(TCON_UPDATE);
        regs.tcon.set(TCON_START | TCON_RELOAD);
        Self::running(tick)
    }

    /// A view of the count that an earlier stage started.
    #[must_use]
    pub fn running(tick: Tick) -> Self {
        Self { tick, last: 0xffff, micros: 0, rest: 0 }
    }
}

impl Timer {
    /// Microseconds since [`Self::start`], within the first turn.
    #[must_use]
    #[inline(always)]
    pub fn first_micros(&self) -> u32 {
        (0xffff - super::map::timer().tcnto4.get()) * self.tick.0 / 256
    }
}

impl Clock for Timer {
    /// Counts on by what the timer went down since the last call, which must be less
    /// than a turn ago.
    fn micros(&mut self) -> u32 {
        let now = super::map::timer().tcnto4.get() as u16;
        let ticks = u32::from(self.last.wrapping_sub(now));
        self.last = now;
        let passed = ticks * self.tick.0 + self.rest;
        self.micros = self.micros.wrapping_add(passed / 256);
        self.rest = passed % 256;
        self.micros
    }
}
