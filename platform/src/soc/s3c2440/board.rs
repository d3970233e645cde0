//! What a board with this SoC says about itself, and the bring-up that follows from it.

use super::clock::{self, ClockConfig};
use super::nand::{Config, Controller};
use super::sdram::{self, SdramConfig};
use super::uart::{Divisor, Uart};
use super::{gpio, wdt};
use crate::arch::cp15;
use crate::board::{BoardInfo, Platform};

/// Which UART is the console.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Console {
    /// UART 0.
    Uart0,
    /// UART 2.
    Uart2,
}

/// A board with this SoC.
pub trait Board {
    /// Its facts.
    const INFO: BoardInfo;
    /// Its clock tree.
    const CLOCKS: ClockConfig;
    /// Its memory.
    const SDRAM: SdramConfig;
    /// Its console.
    const CONSOLE: Console;
    /// What must be driven at once for the board to stay alive.
    fn keep_power();
    /// Pin functions, set before SDRAM is.
    fn pins();
}

/// Computed at compile time.
struct Solved<B>(B);

impl<B: Board> Solved<B> {
    const SDRAM: &[u32; 13] = &B::SDRAM.registers(B::INFO.hclk);
    const DIVISOR: Divisor = Divisor::for_baud(B::INFO.pclk, B::INFO.baud);
    const CLOCKS: &ClockConfig = {
        assert!(B::CLOCKS.is_within_limits(), "a clock is too fast, or USB has none");
        &B::CLOCKS
    };
}

impl<B: Board> Platform for B {
    const INFO: BoardInfo = B::INFO;
    type Serial = Uart;
    type Nand = Controller;
    type NandConfig = Config;
    /// The last block is the AC97 controller's, at 0x5b00_0000.
    const MAPPED_MIB: u32 = 0x5b1;

    #[inline(always)]
    fn early_init() {
        wdt::stop();
        B::keep_power();
        cp15::early();
        clock::start(Solved::<B>::CLOCKS);
        B::pins();
        gpio::enable_sdram_clocks();
        sdram::start(Solved::<B>::SDRAM);
    }

    fn serial(start: bool) -> Uart {
        let mut uart = match B::CONSOLE {
            Console::Uart0 => Uart::uart0(),
            Console::Uart2 => Uart::uart2(),
        };
        if start {
            uart.start(Solved::<B>::DIVISOR);
        }
        uart
    }

    fn nand(config: &'static Config) -> Controller {
        Controller::start(config)
    }

    fn reset_in(millis: u32) {
        wdt::reset_in(B::INFO.pclk, millis);
    }
}
