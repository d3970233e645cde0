//! Watchdog and reset controller. As U-Boot, arch/arm/mach-at91 (at91_wdt.h, at91_rstc.h).

use crate::units::Hz;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    MR [
        /// Serving it early is no mistake below this count.
        WDD OFFSET(16) NUMBITS(12) [],
        WDDIS OFFSET(15) NUMBITS(1) [],
        /// Running down resets the chip.
        WDRSTEN OFFSET(13) NUMBITS(1) [],
        /// Where it counts down from.
        WDV OFFSET(0) NUMBITS(12) []
    ]
];

register_structs! {
    /// The watchdog.
    pub Regs {
        (0x00 => cr: WriteOnly<u32>),
        /// Takes one write after a reset.
        (0x04 => mr: ReadWrite<u32, MR::Register>),
        (0x08 => @END),
    }
}

register_structs! {
    /// The reset controller.
    pub RstcRegs {
        (0x00 => cr: WriteOnly<u32>),
        (0x04 => @END),
    }
}

/// RSTC_CR: its key, and resets of processor and peripherals.
const RESET: u32 = 0xa5 << 24 | 1 << 2 | 1 << 0;
/// Ticks a second of the watchdog: slow clock by 128.
const RATE: u32 = 32_768 / 128;

/// Switches the watchdog off for good. It runs after reset, for 16 s.
pub fn stop() {
    let mr = &super::map::wdt().mr;
    if !mr.is_set(MR::WDDIS) {
        mr.write(MR::WDDIS::SET);
    }
}

/// Has the chip reset after about `millis` ms, at most 16 s: by the watchdog, if that can still be
/// set, or else by waiting here.
pub fn reset_in(pck: Hz, millis: u32) {
    let mr = &super::map::wdt().mr;
    if mr.is_set(MR::WDDIS) {
        for _ in 0..millis {
            crate::arch::delay(pck.0 / 1000);
        }
        super::map::rstc().cr.set(RESET);
        return;
    }
    // 1024 for 1000 saves a division.
    let ticks = (millis * RATE / 1024).clamp(1, MR::WDV.mask);
    mr.write(MR::WDV.val(ticks) + MR::WDRSTEN::SET + MR::WDD.val(MR::WDD.mask));
}
