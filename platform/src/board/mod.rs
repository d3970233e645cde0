//! Boards. A board is data; the folder of its SoC turns the data into drivers.
//! `$BOARD` picks one at compile time.

use crate::arch::ram::Ram;
pub use crate::hal::BoardInfo;
use crate::hal::{Clock, Nand, NandSetup, Serial};

#[cfg(board = "at91sam9260ek")]
mod at91sam9260ek;
#[cfg(board = "at91sam9260ek")]
use at91sam9260ek::At91sam9260ek as Selected;

#[cfg(board = "gta02")]
mod gta02;
#[cfg(board = "gta02")]
use gta02::Gta02 as Selected;

#[cfg(board = "mini2440")]
mod mini2440;
#[cfg(board = "mini2440")]
use mini2440::Mini2440 as Selected;

#[cfg(board = "smdk2410")]
mod smdk2410;
#[cfg(board = "smdk2410")]
use smdk2410::Smdk2410 as Selected;

/// What a SoC folder makes of a board's data.
pub trait Platform {
    /// The board's facts.
    const INFO: BoardInfo;
    /// Driver of the console.
    type Serial: Serial;
    /// Driver of the NAND controller.
    type Nand: Nand;
    /// What that driver is set up with.
    type NandConfig: 'static;
    /// Driver of the clock.
    type Clock: Clock;
    /// MiB of the address space from which on nothing is mapped.
    const MAPPED_MIB: u32;

    /// From reset to working SDRAM; runs on a few bytes of stack.
    fn early_init();
    /// Sets the pins as [`Self::early_init`] does: for a stage that another loader has started. NAND
    /// may be write-protected without.
    fn set_pins() {}
    /// The console, set up if `start`, else as an earlier stage left it.
    fn serial(start: bool) -> Self::Serial;
    /// The NAND controller.
    fn nand(config: &'static Self::NandConfig) -> Self::Nand;
    /// The clock, set going.
    fn clock() -> Self::Clock;
    /// Stops a watchdog that runs from reset on and can be set up only once: for whoever takes
    /// longer than the first stage.
    fn stop_watchdog() {}
    /// Does memory hold what it did before the last reset?
    fn memory_kept() -> bool {
        false
    }
    /// Has the board reset after about this many milliseconds.
    fn reset_in(millis: u32);
}

/// This board. With `$NAND_PART` at compile time it is known to carry that part and no other.
pub const BOARD: BoardInfo = BoardInfo { nand_parts: NAND_PARTS, ..Selected::INFO };
const NAND_PARTS: &[&str] = match option_env!("NAND_PART") {
    Some(part) => &[part],
    None => Selected::INFO.nand_parts,
};
/// MiB of the address space from which on nothing is mapped.
pub const MAPPED_MIB: u32 = Selected::MAPPED_MIB;

/// From reset to working SDRAM; runs on a few bytes of stack.
#[inline(always)]
pub fn early_init() {
    Selected::early_init();
}

/// Sets the pins, when no first stage of ours has done so.
pub fn set_pins() {
    Selected::set_pins();
}

/// The console, set up.
#[must_use]
pub fn start_serial() -> <Selected as Platform>::Serial {
    Selected::serial(true)
}

/// The console as an earlier stage left it.
#[must_use]
pub fn serial() -> <Selected as Platform>::Serial {
    Selected::serial(false)
}

/// What the NAND driver is set up with.
pub type NandConfig = <Selected as Platform>::NandConfig;

/// Makes the setup of the NAND driver, for a constant. The feature `sabotage` makes it too
/// fast by one HCLK, for proving that such a mistake is noticed.
#[must_use]
pub const fn nand_config(setup: &NandSetup) -> NandConfig {
    let config = NandConfig::new(setup, BOARD.fclk);
    if cfg!(feature = "sabotage") { config.one_hclk_too_short() } else { config }
}

/// The NAND controller.
#[must_use]
pub fn nand(config: &'static NandConfig) -> <Selected as Platform>::Nand {
    Selected::nand(config)
}

/// The clock, set going.
#[must_use]
pub fn clock() -> <Selected as Platform>::Clock {
    Selected::clock()
}

/// SDRAM.
#[must_use]
pub fn memory() -> Ram {
    Ram
}

/// Stops a watchdog that runs from reset on: before anything but the first stage runs.
#[inline(always)]
pub fn stop_watchdog() {
    Selected::stop_watchdog();
}

/// Does memory hold what it did before the last reset? False after power-on, and where that cannot be
/// told apart.
#[must_use]
pub fn memory_kept() -> bool {
    Selected::memory_kept()
}

/// Resets the board at once.
pub fn reset() -> ! {
    Selected::reset_in(1);
    loop {
        core::hint::spin_loop();
    }
}

/// Has the board reset after about this many milliseconds.
pub fn reset_in(millis: u32) {
    Selected::reset_in(millis);
}
