//! S3C2440A: its controllers, where they are, and how they act on each other.

pub mod clock;
pub mod ecc;
pub mod gpio;
pub mod i2c;
pub mod intc;
pub mod memctl;
pub mod nand;
pub mod timer;
pub mod uart;
pub mod wdt;

use crate::board::Board;
use crate::bus::{Access, Clocks, Peripheral, Ps};
use crate::soc::storage::Storage;
use clock::Clock;
use gpio::{Gpio, Port, reset_cause};
use i2c::I2c;
use intc::{InterruptController, source};
use memctl::MemoryController;
use nand::NandController;
use timer::Timers;
use uart::Uart;
use wdt::{Expired, Watchdog};

/// What makes a chip of the family.
#[derive(Debug)]
pub struct SocData {
    /// Type number.
    pub name: &'static str,
    /// GSTATUS1.
    pub chip_id: u32,
    /// Bits of CLKCON that exist.
    pub clkcon_mask: u32,
    /// Whether there is AC97, which shares its interrupt with the watchdog through sub-sources.
    pub has_ac97: bool,
}

/// The chip of the mini2440.
pub static S3C2440A: SocData =
    SocData { name: "S3C2440A", chip_id: 0x3244_0001, clkcon_mask: 0x001F_FFFC, has_ac97: true };

/// Start of the boot SRAM in NAND boot mode, and its length.
pub const SRAM: (u32, u32) = (0, 0x1000);
/// First address of the special function registers.
pub const REGISTERS: u32 = 0x4800_0000;
/// From here on registers are on the APB.
pub const APB: u32 = 0x5000_0000;

/// GPIO pin and function of each UART's TXD: manual, chapter 9.
const TXD_PIN: [u32; 3] = [2, 4, 6];
const TXD_FUNCTION: u32 = 2;
const TIMER_BITS: u32 = 5;

/// The blocks that only keep what is written. A kernel probes them, a loader does not use them.
fn storage_blocks(soc: &SocData) -> Vec<(u32, Storage)> {
    // ECFLG: a conversion is always done. SPSTA: always ready for the next byte.
    const ADC_DONE: &[(u32, u32)] = &[(0, 0x8000)];
    const SPI_READY: &[(u32, u32)] = &[(0x04, 1), (0x24, 1)];
    let mut blocks = vec![
        (0x4900_0000, Storage::new("USB host")),
        (0x4b00_0000, Storage::new("DMA")),
        (0x4d00_0000, Storage::new("LCD")),
        (0x4f00_0000, Storage::new("camera")),
        (0x5200_0000, Storage::new("USB device")),
        (0x5500_0000, Storage::new("I2S")),
        (0x5700_0000, Storage::new("RTC")),
        (0x5800_0000, Storage::with_flags("ADC", ADC_DONE)),
        (0x5900_0000, Storage::with_flags("SPI", SPI_READY)),
        (0x5a00_0000, Storage::new("SDI")),
    ];
    if soc.has_ac97 {
        blocks.push((0x5b00_0000, Storage::new("AC97")));
    }
    blocks
}

/// Bit of CLKCON that feeds the block at an address, where there is one.
fn clock_gate(address: u32) -> Option<u32> {
    Some(match address >> 24 {
        0x4e => 4,
        0x4d => 5,
        0x49 => 6,
        0x52 => 7,
        0x51 => 8,
        0x5a => 9,
        0x50 => 10 + (address >> 14 & 3),
        0x56 => 13,
        0x57 => 14,
        0x58 => 15,
        0x54 => 16,
        0x55 => 17,
        0x59 => 18,
        _ => return None,
    })
}

/// The SoC on its board.
#[derive(Debug)]
pub struct Soc {
    board: &'static Board,
    /// Clocks and power.
    pub clock: Clock,
    /// Memory controller.
    pub memctl: MemoryController,
    /// Interrupt controller.
    pub intc: InterruptController,
    /// UARTs.
    pub uarts: [Uart; 3],
    /// PWM timers.
    pub timers: Timers,
    /// Watchdog.
    pub wdt: Watchdog,
    /// Ports.
    pub gpio: Gpio,
    /// NAND controller and chip.
    pub nand: NandController,
    i2c: I2c,
    storage: Vec<(u32, Storage)>,
    reset_request: bool,
}

impl Soc {
    /// The SoC after power-on.
    #[must_use]
    pub fn new(board: &'static Board, nand: NandController) -> Self {
        let soc = board.soc;
        let mut new = Self {
            board,
            clock: Clock::new(board.crystal, soc.clkcon_mask),
            memctl: MemoryController::new(&board.sdram),
            intc: InterruptController::default(),
            uarts: [Uart::new("UART0"), Uart::new("UART1"), Uart::new("UART2")],
            timers: Timers::default(),
            wdt: Watchdog::default(),
            gpio: Gpio::new(soc.chip_id, reset_cause::POWER_ON),
            nand,
            i2c: I2c::default(),
            storage: storage_blocks(soc),
            reset_request: false,
        };
        new.set_pclk(0);
        new
    }

    /// A reset by the watchdog. The NAND chip has no reset pin.
    pub fn reset(&mut self, now: Ps) {
        let soc = self.board.soc;
        self.clock = Clock::new(self.board.crystal, soc.clkcon_mask);
        self.memctl = MemoryController::new(&self.board.sdram);
        self.intc = InterruptController::default();
        self.uarts = [Uart::new("UART0"), Uart::new("UART1"), Uart::new("UART2")];
        self.timers = Timers::default();
        self.wdt = Watchdog::default();
        self.gpio = Gpio::new(soc.chip_id, reset_cause::WATCHDOG);
        self.nand.reset();
        self.i2c = I2c::default();
        self.storage.iter_mut().for_each(|(_, block)| block.reset());
        self.reset_request = false;
        self.set_pclk(now);
    }

    /// Whether the watchdog wants a reset.
    pub fn take_reset_request(&mut self) -> bool {
        std::mem::take(&mut self.reset_request)
    }

    /// Tells the blocks that count in PCLK about a new one.
    pub fn set_pclk(&mut self, now: Ps) {
        let Clocks { pclk, .. } = self.clock.clocks();
        self.timers.set_pclk(now, pclk);
        self.wdt.set_pclk(now, pclk);
        for uart in &mut self.uarts {
            uart.tick(now);
            uart.set_pclk(pclk);
        }
    }

    /// The UART with the terminal.
    pub fn console(&mut self) -> &mut Uart {
        &mut self.uarts[self.board.console]
    }

    /// Lets time pass and collects the interrupts that come of it.
    pub fn tick(&mut self, now: Ps) {
        self.uarts.iter_mut().for_each(|uart| uart.tick(now));
        self.timers.tick(now);
        self.wdt.tick(now);
        self.collect_interrupts(now);
    }

    fn collect_interrupts(&mut self, now: Ps) {
        let expired = self.timers.take_expired();
        for timer in (0..TIMER_BITS).filter(|timer| expired >> timer & 1 != 0) {
            self.intc.raise(source::TIMER0 + timer);
        }
        match self.wdt.take_expired() {
            Some(Expired::Reset) => self.reset_request = true,
            Some(Expired::Interrupt) => {
                self.intc.raise(source::WDT);
                if self.board.soc.has_ac97 {
                    self.intc.raise_sub(intc::SUB_WDT);
                }
            }
            None => {}
        }
        if self.nand.interrupt(now) {
            self.intc.raise(source::NFCON);
        }
        if self.i2c.take_interrupt() {
            self.intc.raise(source::IIC);
        }
        let (low, high) = self.gpio.interrupts();
        if low {
            self.intc.raise(source::EINT4_7);
        }
        if high {
            self.intc.raise(source::EINT8_23);
        }
        let conditions = (0..3).map(|n| self.uarts[n].interrupts() << (3 * n)).fold(0, |all, one| all | one);
        self.intc.raise_sub(conditions);
    }

    /// When something happens by itself.
    #[must_use]
    pub fn next_event(&self, now: Ps) -> Ps {
        let uarts = self.uarts.iter().map(Uart::next_event);
        let nand = self.nand.next_edge(now);
        uarts.chain(nand).chain([self.timers.next_event(), self.wdt.next_event()]).min().unwrap_or(Ps::MAX)
    }

    /// The lenient blocks that have been used.
    pub fn lenient(&self) -> impl Iterator<Item = &'static str> {
        self.storage.iter().filter(|(_, block)| block.touched()).map(|(_, block)| block.name)
    }

    /// Reads (`value` none) or writes a register. `None` when there is nothing at the address.
    pub fn access(
        &mut self,
        address: u32,
        width: u8,
        value: Option<u32>,
        access: &mut Access<'_>,
    ) -> Option<u32> {
        if let Some(gate) = clock_gate(address).filter(|&gate| self.clock.is_gated(gate)) {
            access.violation(
                "clock-gate",
                format!("access to {address:#010x} while bit {gate} of CLKCON keeps its clock off"),
            );
        }
        self.before(address, value, access);
        let offset = address & 0x00ff_ffff;
        let result = match self.block(address) {
            Some((block, offset)) => transfer(block, offset, width, value, access),
            None => {
                let base = address - offset;
                let (_, block) = self.storage.iter_mut().find(|(at, _)| *at == base)?;
                transfer(block, offset, width, value, access)
            }
        };
        self.after(address, access);
        self.collect_interrupts(access.now + access.hold);
        Some(result)
    }

    fn block(&mut self, address: u32) -> Option<(&mut dyn Peripheral, u32)> {
        let offset = address & 0x00ff_ffff;
        Some(match address >> 24 {
            0x48 => (&mut self.memctl, offset),
            0x4a => (&mut self.intc, offset),
            0x4c => (&mut self.clock, offset),
            0x4e => (&mut self.nand, offset),
            0x50 if offset < 0xc000 => (&mut self.uarts[(offset >> 14) as usize], offset & 0x3fff),
            0x51 => (&mut self.timers, offset),
            0x53 => (&mut self.wdt, offset),
            0x54 => (&mut self.i2c, offset),
            0x56 => (&mut self.gpio, offset),
            _ => return None,
        })
    }

    /// What other blocks have to say to an access before it happens.
    fn before(&mut self, address: u32, value: Option<u32>, access: &mut Access<'_>) {
        let uart = (address >> 14 & 3) as usize;
        let sends = address >> 24 == 0x50 && address & 0x3ffc == 0x20 && value.is_some();
        if sends && uart < 3 && self.gpio.function(Port::H, TXD_PIN[uart]) != TXD_FUNCTION {
            let pin = TXD_PIN[uart];
            access.violation("uart-pins", format!("UART{uart} sends while GPH{pin} is not its TXD pin"));
        }
        if address >> 24 == 0x4e
            && let Some((port, pin)) = self.board.nand_write_protect
        {
            let protected = !self.gpio.drives_high(port, pin);
            self.nand.chip_mut().set_write_protect(protected);
        }
    }

    /// What an access changes elsewhere.
    fn after(&mut self, address: u32, access: &mut Access<'_>) {
        if address >> 24 == 0x4c && self.clock.take_changed() {
            self.set_pclk(access.now + access.hold);
        }
    }
}

fn transfer<P: Peripheral + ?Sized>(
    block: &mut P,
    offset: u32,
    width: u8,
    value: Option<u32>,
    access: &mut Access<'_>,
) -> u32 {
    match value {
        Some(value) => {
            block.write(offset, width, value, access);
            0
        }
        None => block.read(offset, width, access),
    }
}
