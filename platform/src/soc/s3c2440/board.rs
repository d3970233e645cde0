//! What a board with a chip of this family says about itself, and the bring-up that follows
//! from it.

use super::clock::{self, ClockConfig};
use super::nand::{Config, Controller};
use super::sdram::{self, SdramConfig};
use super::timer::Timer;
use super::uart::{Divisor, Fifo, Uart};
use super::{gpio, wdt};
use crate::arch::cp15;
use crate::board::{BoardInfo, Platform};
use crate::hal::Nand;

/// What differs between the chips of the family.
pub trait Chip: Fifo {
    /// What a clock tree is described by.
    type Clocks: 'static;
    /// Driver of the NAND controller.
    type Nand: Nand;
    /// What that driver is set up with.
    type NandConfig: 'static;
    /// MiB of the address space from which on nothing is mapped.
    const MAPPED_MIB: u32;
    /// Starts the PLLs.
    fn start_clocks(clocks: &Self::Clocks);
    /// The NAND controller.
    fn nand(config: &'static Self::NandConfig) -> Self::Nand;
}

/// The chip; the S3C2442 is one too.
pub struct S3c2440;

impl Fifo for S3c2440 {
    /// FIFOs of 64 bytes: full in bit 14.
    const TX_FULL: u32 = 1 << 14;
    /// Count in bits 5:0, full in bit 6.
    const RX_ANY: u32 = 0x7f;
}

impl Chip for S3c2440 {
    type Clocks = ClockConfig;
    type Nand = Controller;
    type NandConfig = Config;
    /// The last block is the AC97 controller's, at 0x5b00_0000.
    const MAPPED_MIB: u32 = 0x5b1;

    #[inline(always)]
    fn start_clocks(clocks: &ClockConfig) {
        clock::start(clocks);
    }

    #[inline(always)]
    fn nand(config: &'static Config) -> Controller {
        Controller::start(config)
    }
}

/// Which UART is the console.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Console {
    /// UART 0.
    Uart0,
    /// UART 2.
    Uart2,
}

/// A board with a chip of the family.
pub trait Board {
    /// Its chip.
    type Chip: Chip;
    /// Its facts.
    const INFO: BoardInfo;
    /// Its clock tree.
    const CLOCKS: &'static <Self::Chip as Chip>::Clocks;
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
}

impl<B: Board> Platform for B {
    const INFO: BoardInfo = B::INFO;
    type Serial = Uart<B::Chip>;
    type Nand = <B::Chip as Chip>::Nand;
    type NandConfig = <B::Chip as Chip>::NandConfig;
    type Clock = Timer;
    const MAPPED_MIB: u32 = <B::Chip as Chip>::MAPPED_MIB;

    #[inline(always)]
    fn early_init() {
        wdt::stop();
        B::keep_power();
        cp15::early();
        B::Chip::start_clocks(B::CLOCKS);
        B::pins();
        gpio::enable_sdram_clocks();
        sdram::start(Solved::<B>::SDRAM);
    }

    fn set_pins() {
        B::pins();
    }

    fn serial(start: bool) -> Uart<B::Chip> {
        let mut uart = match B::CONSOLE {
            Console::Uart0 => Uart::uart0(),
            Console::Uart2 => Uart::uart2(),
        };
        if start {
            uart.start(Solved::<B>::DIVISOR);
        }
        uart
    }

    fn nand(config: &'static Self::NandConfig) -> Self::Nand {
        B::Chip::nand(config)
    }

    fn clock() -> Timer {
        Timer::start(B::INFO.pclk)
    }

    fn memory_kept() -> bool {
        gpio::reset_by_watchdog()
    }

    fn reset_in(millis: u32) {
        wdt::reset_in(B::INFO.pclk, millis);
    }
}
