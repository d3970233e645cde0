//! Systems on chip: a folder or file each, one file per controller inside, and what the machine
//! around them sees of every one ([`Soc`]).

#![forbid(unsafe_code)]

pub mod at91sam9260;
pub mod boot_copy;
pub mod counter;
pub mod s3c2410;
pub mod s3c2440;
pub mod s3c2442;
pub mod storage;
#[cfg(test)]
mod vectors;

use std::fmt::Debug;

use crate::bus::{Access, ByteCycles, Clocks, Ps, Violations};
use crate::cpu::core::Core;
use crate::hierarchy::Window;
use crate::membus::SdramTiming;
use crate::part::{Chip, EccLayout};

/// A system on chip as a board fits it: which one, and how it is wired.
pub trait Fitted: Debug + Sync {
    /// The SoC after power-on with this chip at its NAND controller, an access to which has an
    /// overhead of so many periods of HCLK.
    fn power_on(&'static self, chip: Chip, nand_access_hclk: u32) -> Box<dyn Soc>;
}

/// What a register is to the machine around the SoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A UART's; `data` when it sends or takes a byte.
    Uart {
        /// Data register.
        data: bool,
    },
    /// The NAND controller's, or the window to the chip.
    Nand,
    /// A write may change the clocks.
    Clock,
    /// A write may change what SDRAM works with.
    Sdram,
    /// A write may move a pin.
    Pins,
    /// A timer's: reading changes nothing but what is known of the time.
    Time,
    /// Nothing special, or no register at all.
    Other,
}

/// A piece of what hardware or a boot ROM copies before software runs.
#[derive(Clone, Debug)]
pub struct BootCopy {
    /// Where it goes, in SRAM.
    pub to: u32,
    /// What.
    pub data: Vec<u8>,
    /// When it is there.
    pub end: Ps,
}

/// The end of a UART that is on the board.
pub trait Line {
    /// Bytes that have left since the last call.
    fn take_sent(&mut self) -> Vec<u8>;
    /// Bytes that have not left yet: at the end of a run they still count as said.
    fn flush(&mut self) -> Vec<u8>;
    /// Whether a byte could be received now.
    fn wants_byte(&self, now: Ps) -> bool;
    /// What the other end has to say to [`Self::wants_byte`].
    fn offer(&mut self, now: Ps, byte: Option<u8>);
    /// The byte offered last has come without its stop bit.
    fn garble(&mut self) {}
    /// Whether a byte comes only after the one before has been taken, from now on, or as fast as the line
    /// can, and is lost where there is no room.
    fn set_waits(&mut self, waits: bool) {
        let _ = waits;
    }
    /// How many bytes have been lost since the last call.
    fn take_lost(&mut self) -> u32 {
        0
    }
    /// Whether the guest has asked for a byte and found none since the last call.
    fn take_polled_empty(&mut self) -> bool;
}

/// A system on chip on its board.
pub trait Soc: Debug {
    // ---- What is in it -----------------------------------------------------------------------------

    /// Its core.
    fn core(&self) -> &'static Core;
    /// First address and length of the RAM that the core starts from.
    fn sram(&self) -> (u32, u32);
    /// Where else that RAM shows.
    fn sram_windows(&self) -> &'static [Window] {
        &[]
    }
    /// First address and length of the SDRAM.
    fn sdram(&self) -> (u32, u32);
    /// The UART with the terminal.
    fn console(&mut self) -> &mut dyn Line;
    /// Blocks modelled as plain storage that have been used.
    fn lenient(&self) -> Vec<&'static str>;

    // ---- Reset and time ----------------------------------------------------------------------------

    /// A reset by the watchdog. The NAND chip has no reset pin.
    fn reset(&mut self, now: Ps);
    /// The `step`-th piece that is copied before the core's first instruction; `None` after the last.
    fn boot(&mut self, step: u32, now: Ps, violations: &mut Violations) -> Option<BootCopy>;
    /// Lets time pass and collects the interrupts that come of it.
    fn tick(&mut self, now: Ps);
    /// When something happens by itself next.
    fn next_event(&self, now: Ps) -> Ps;
    /// Whether the watchdog wants a reset.
    fn take_reset_request(&mut self) -> bool;
    /// Whether the watchdog will want one when nothing is done about it.
    fn will_reset(&self) -> bool;
    /// Level of the core's interrupt request.
    fn irq(&self) -> bool;
    /// Level of its fast interrupt request.
    fn fiq(&self) -> bool;

    // ---- Clocks, power and memory --------------------------------------------------------------------

    /// The clocks as programmed.
    fn clocks(&self) -> Clocks;
    /// Whether the core runs from a PLL by now.
    fn uses_pll(&self) -> bool;
    /// Whether the core's clock is stopped until an interrupt.
    fn is_idle(&self) -> bool;
    /// Whether the output is high that keeps the board's power on.
    fn keeps_power(&self) -> bool;
    /// Timings of the SDRAM as programmed.
    fn sdram_timing(&self) -> SdramTiming;
    /// When all of the SDRAM was brought up, if it is.
    fn sdram_ready_since(&self) -> Option<Ps>;
    /// What keeps the SDRAM from working: kind of violation, and text.
    fn sdram_problems(&self, now: Ps) -> Vec<(&'static str, String)>;
    /// SDRAM is written or read for the first time since a register of [`Role::Sdram`] was, or once
    /// more while [`Self::counts_sdram_accesses`]. What is wrong with that, as above.
    fn use_sdram(&mut self, now: Ps, _write: bool) -> Vec<(&'static str, String)> {
        self.sdram_problems(now)
    }
    /// Whether every access to SDRAM matters now.
    fn counts_sdram_accesses(&self) -> bool {
        false
    }
    /// When nothing else on its bus is in the way of the SDRAM any more.
    fn sdram_bus_free(&self) -> Ps {
        0
    }

    // ---- Registers -----------------------------------------------------------------------------------

    /// What is at a physical address; `None` when it is no place for registers.
    fn role(&self, address: u32) -> Option<Role>;
    /// How long the address phase of an access takes, up to where [`Self::access`] begins.
    fn address_time(&self, address: u32) -> Ps;
    /// The same for an access to the word behind that of the access before, by the same instruction.
    fn next_address_time(&self, address: u32) -> Ps {
        self.address_time(address)
    }
    /// Reads (`value` none) or writes a register. `None` when there is nothing at the address.
    fn access(&mut self, address: u32, width: u8, value: Option<u32>, access: &mut Access<'_>)
    -> Option<u32>;

    // ---- NAND ----------------------------------------------------------------------------------------

    /// The chip.
    fn chip(&self) -> &Chip;
    /// Gives the chip back.
    fn into_chip(self: Box<Self>) -> Chip;
    /// How long byte cycles have taken so far.
    fn nand_bus_time(&self) -> Ps;
    /// The byte cycles as programmed.
    fn byte_cycles(&self) -> ByteCycles;
    /// Where Linux's driver for the controller keeps the codes of its hardware ECC.
    fn ecc_layout(&self) -> &'static EccLayout;
}

/// Reports an access to a register that does not exist, or not like this; reads give 0.
pub fn no_such_register(block: &str, offset: u32, width: u8, write: bool, access: &mut Access<'_>) -> u32 {
    let verb = if write { "write to" } else { "read of" };
    access.violation(
        "register",
        format!("{width}-byte {verb} {block} + {offset:#04x}, which is no such register"),
    );
    0
}
