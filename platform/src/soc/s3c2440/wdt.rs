//! Watchdog. S3C2440A User's Manual, chapter 18.

use crate::units::Hz;
use tock_registers::interfaces::Writeable;
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    WTCON [
        PRESCALER OFFSET(8) NUMBITS(8) [],
        ENABLE OFFSET(5) NUMBITS(1) [],
        DIVIDER OFFSET(3) NUMBITS(2) [By16 = 0, By32 = 1, By64 = 2, By128 = 3],
        RESET OFFSET(0) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => wtcon: ReadWrite<u32, WTCON::Register>),
        (0x04 => wtdat: ReadWrite<u32>),
        (0x08 => wtcnt: ReadWrite<u32>),
        (0x0c => @END),
    }
}

/// Switches the watchdog off; it runs after reset.
pub fn stop() {
    super::map::wdt().wtcon.set(0);
}

/// Has the chip reset after about `millis` ms, at most some 30 s.
pub fn reset_in(pclk: Hz, millis: u32) {
    // A tick is 256 x 128 periods of PCLK; the counter has 16 bits. 1024 for 1000 saves
    // a division.
    let ticks = (millis * (pclk.0 / (256 * 128)) / 1024).clamp(1, 0xffff);
    let regs = super::map::wdt();
    regs.wtcon.set(0);
    regs.wtdat.set(ticks);
    regs.wtcnt.set(ticks);
    regs.wtcon
        .write(WTCON::PRESCALER.val(255) + WTCON::ENABLE::SET + WTCON::DIVIDER::By128 + WTCON::RESET::SET);
}
