//! Timer 4 as a stopwatch: user's manuals, chapter 10.

use crate::registers::TIMERS;

const TCFG0: usize = 0x00;
const TCFG1: usize = 0x04;
const TCON: usize = 0x08;
const TCNTB4: usize = 0x3c;
const TCNTO4: usize = 0x40;

/// TCFG0: prescaler 1, for timers 2 to 4; it divides by one more.
const PRESCALER: u32 = 0xff << 8;
const BY_32: u32 = 31 << 8;
/// TCFG1: multiplexer of timer 4.
const MUX4: u32 = 0xf << 16;
const BY_16: u32 = 3 << 16;
/// TCON: start, manual update, auto reload of timer 4.
const START: u32 = 1 << 20;
const UPDATE: u32 = 1 << 21;
const RELOAD: u32 = 1 << 22;
/// Where it counts down from.
const FROM: u32 = 0xffff;

/// Periods of PCLK in a tick: some 10 us, so that it runs 0.6 s before it wraps.
pub const TICK: u32 = 32 * 16;

/// The running timer.
pub struct Stopwatch(());

impl Stopwatch {
    /// Starts it.
    pub fn start() -> Self {
        TIMERS.modify32(TCFG0, PRESCALER, BY_32);
        TIMERS.modify32(TCFG1, MUX4, BY_16);
        TIMERS.write32(TCNTB4, FROM);
        TIMERS.modify32(TCON, START | RELOAD, UPDATE);
        TIMERS.modify32(TCON, UPDATE, START | RELOAD);
        Self(())
    }

    /// Ticks since it was started.
    pub fn ticks(&self) -> u32 {
        FROM - TIMERS.read32(TCNTO4)
    }
}
