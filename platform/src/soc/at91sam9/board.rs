//! What a board with a chip of this family says about itself, and the bring-up that follows
//! from it.

use super::clock::{self, ClockConfig};
use super::nand::{Config, Controller};
use super::sdram::{self, SdramConfig, Values};
use super::timer::Timer;
use super::uart::{Divisor, Uart};
use super::wdt;
use crate::arch::cp15;
use crate::board::{BoardInfo, Platform};

/// A board with a chip of the family.
pub trait Board {
    /// Its facts.
    const INFO: BoardInfo;
    /// Its clock tree.
    const CLOCKS: &'static ClockConfig;
    /// Its memory.
    const SDRAM: SdramConfig;
}

/// A board as a platform. A type of its own, because the boards of other families are platforms as
/// well, each by their own family's trait.
pub struct Sam9<B>(B);

impl<B: Board> Sam9<B> {
    const SDRAM: &Values = &B::SDRAM.values(B::INFO.hclk);
    const DIVISOR: Divisor = Divisor::for_baud(B::INFO.pclk, B::INFO.baud);
}

impl<B: Board> Platform for Sam9<B> {
    const INFO: BoardInfo = B::INFO;
    type Serial = Uart;
    type Nand = Controller;
    type NandConfig = Config;
    type Clock = Timer;
    /// The system controller is at the very end.
    const MAPPED_MIB: u32 = cp15::ALL;

    #[inline(always)]
    fn early_init() {
        cp15::early();
        clock::start(B::CLOCKS);
        sdram::start(Self::SDRAM);
    }

    fn serial(start: bool) -> Uart {
        let mut uart = Uart::dbgu();
        if start {
            uart.start(Self::DIVISOR);
        }
        uart
    }

    fn nand(config: &'static Config) -> Controller {
        Controller::start(config)
    }

    fn clock() -> Timer {
        Timer::start(B::INFO.hclk)
    }

    fn stop_watchdog() {
        wdt::stop();
    }

    fn reset_in(millis: u32) {
        wdt::reset_in(B::INFO.fclk, millis);
    }
}
