//! Samsung S3C2440A. Sources: S3C2440A User's Manual, cited by chapter.

pub mod board;
pub mod clock;
pub mod gpio;
pub mod nand;
pub mod sdram;
pub mod timer;
pub mod uart;
pub mod wdt;

/// The memory map, chapter 1.
mod map {
    crate::register_blocks! {
        /// Memory controller.
        sdram: super::sdram::Regs = 0x4800_0000;
        /// Clock and power.
        clock: super::clock::Regs = 0x4c00_0000;
        /// NAND controller.
        nand: super::nand::Regs = 0x4e00_0000;
        /// UART 0.
        uart0: super::uart::Regs = 0x5000_0000;
        /// UART 2.
        uart2: super::uart::Regs = 0x5000_8000;
        /// PWM timers.
        timer: super::timer::Regs = 0x5100_0000;
        /// Watchdog.
        wdt: super::wdt::Regs = 0x5300_0000;
        /// GPIO and MISCCR.
        gpio: super::gpio::Regs = 0x5600_0000;
    }
}
