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

use std::fmt::Debug;

use crate::bus::{Access, ByteCycles, Clocks, Peripheral, Ps, Violations};
use crate::cpu::core::{ARM920T, Core};
use crate::membus::SdramTiming;
use crate::model;
use crate::part::{Chip, EccLayout, LINUX_256_3, LINUX_512_3, Pulse};
use crate::soc::boot_copy::BootPage;
use crate::soc::storage::Storage;
use crate::soc::{BootCopy, Fitted, Line, Role, Soc};
use clock::{Clock, ClockData};
use gpio::{Gpio, GpioData, Port, reset_cause};
use i2c::I2c;
use intc::{InterruptController, source};
use memctl::{MemoryController, SdramFit};
use nand::NandController;
use timer::Timers;
use uart::{Uart, UartData};
use wdt::{Expired, Watchdog};

/// What makes a chip of the family.
#[derive(Debug)]
pub struct SocData {
    /// GSTATUS1.
    pub chip_id: u32,
    /// Clocks and power.
    pub clock: ClockData,
    /// Ports.
    pub gpio: GpioData,
    /// UARTs.
    pub uart: UartData,
    /// Bits of INTSUBMSK.
    pub sub_sources: u32,
    /// Whether the watchdog shares its interrupt with AC97 through sub-sources.
    pub wdt_is_sub_source: bool,
    /// Whether the I2C controller has IICLC.
    pub has_iiclc: bool,
    /// Lenient blocks besides [`LENIENT`].
    pub lenient: &'static [Lenient],
    /// The NAND controller with its chip.
    pub nand: fn(Chip) -> Box<dyn NandPort>,
}

/// The chip of the mini2440.
pub static S3C2440A: SocData = SocData {
    chip_id: 0x3244_0001,
    clock: clock::S3C2440,
    gpio: gpio::S3C2440,
    uart: uart::S3C2440,
    sub_sources: intc::S3C2440_SUB_SOURCES,
    wdt_is_sub_source: true,
    has_iiclc: true,
    lenient: &[CAMERA, Lenient { base: 0x5b00_0000, name: "AC97", flags: &[] }],
    nand: NandController::boxed,
};

/// A NAND controller of the family, with its chip.
pub trait NandPort: Peripheral + Debug {
    /// Reset of the SoC. The chip has no reset pin and goes on.
    fn reset(&mut self);
    /// The chip.
    fn chip(&self) -> &Chip;
    /// The chip, for its WP pin.
    fn chip_mut(&mut self) -> &mut Chip;
    /// Gives the chip back.
    fn into_chip(self: Box<Self>) -> Chip;
    /// The shape of a byte cycle as programmed, at this HCLK.
    fn pulse(&self, hclk: Ps) -> Pulse;
    /// Most bytes that an access to the data register moves.
    fn data_width(&self) -> u32;
    /// How long byte cycles have taken so far.
    fn bus_time(&self) -> Ps;
    /// Level of the interrupt request.
    fn interrupt(&mut self, now: Ps) -> bool;
    /// Reads the data bytes of a page as the boot copy does: with the timings of reset at the present
    /// HCLK, without ECC.
    fn boot_page(&mut self, page: u32, now: Ps, clocks: Clocks, violations: &mut Violations) -> BootPage;

    /// When R/nB moves next.
    fn next_edge(&self, now: Ps) -> Option<Ps> {
        let (fall, rise) = self.chip().busy_edges();
        [fall, rise].into_iter().find(|&edge| edge > now)
    }
}

/// A chip of the family on a board: what its pins and buses are connected to.
#[derive(Debug)]
pub struct Wiring {
    /// The chip.
    pub soc: &'static SocData,
    /// Crystal, in hertz.
    pub crystal: u64,
    /// SDRAM.
    pub sdram: SdramFit,
    /// UART of the console.
    pub console: usize,
    /// Output that keeps the power on.
    pub keep_power: Option<(Port, u32)>,
    /// Output that must be high for the NAND to be programmed or erased.
    pub nand_write_protect: Option<(Port, u32)>,
}

impl Fitted for Wiring {
    fn power_on(&'static self, chip: Chip, nand_access_hclk: u32) -> Box<dyn Soc> {
        Box::new(S3c24xx::new(self, chip, nand_access_hclk))
    }
}

/// Start of the boot SRAM in NAND boot mode, and its length.
const SRAM: (u32, u32) = (0, 0x1000);
/// The special function registers.
const REGISTERS: std::ops::Range<u32> = 0x4800_0000..0x5c00_0000;
/// From here on registers are on the APB.
const APB: u32 = 0x5000_0000;

/// GPIO pin and function of each UART's TXD: manual, chapter 9.
const TXD_PIN: [u32; 3] = [2, 4, 6];
const TXD_FUNCTION: u32 = 2;
const TIMER_BITS: u32 = 5;

/// What Linux's driver for the NAND controllers writes, by size of the page.
static ECC_LAYOUTS: [&EccLayout; 2] = [&LINUX_256_3, &LINUX_512_3];

/// A block that only keeps what is written. A kernel probes it, a loader does not use it.
#[derive(Debug)]
pub struct Lenient {
    /// First address.
    pub base: u32,
    /// The manual's name.
    pub name: &'static str,
    /// Bits (offset, mask) that read as one.
    pub flags: &'static [(u32, u32)],
}

const fn lenient(base: u32, name: &'static str) -> Lenient {
    Lenient { base, name, flags: &[] }
}

/// The lenient blocks of every chip.
static LENIENT: [Lenient; 9] = [
    lenient(0x4900_0000, "USB host"),
    lenient(0x4b00_0000, "DMA"),
    lenient(0x4d00_0000, "LCD"),
    lenient(0x5200_0000, "USB device"),
    lenient(0x5500_0000, "I2S"),
    lenient(0x5700_0000, "RTC"),
    // ECFLG: a conversion is always done.
    Lenient { base: 0x5800_0000, name: "ADC", flags: &[(0, 0x8000)] },
    // SPSTA: always ready for the next byte.
    Lenient { base: 0x5900_0000, name: "SPI", flags: &[(0x04, 1), (0x24, 1)] },
    lenient(0x5a00_0000, "SDI"),
];

/// The camera interface of S3C2440A and S3C2442B.
pub const CAMERA: Lenient = lenient(0x4f00_0000, "camera");

fn storage(soc: &SocData) -> Vec<(u32, Storage)> {
    let blocks = LENIENT.iter().chain(soc.lenient);
    blocks.map(|block| (block.base, Storage::with_flags(block.name, block.flags))).collect()
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
pub struct S3c24xx {
    wiring: &'static Wiring,
    nand_access_hclk: u64,
    clock: Clock,
    memctl: MemoryController,
    intc: InterruptController,
    uarts: [Uart; 3],
    timers: Timers,
    wdt: Watchdog,
    gpio: Gpio,
    nand: Box<dyn NandPort>,
    i2c: I2c,
    storage: Vec<(u32, Storage)>,
    reset_request: bool,
}

fn uarts(soc: &'static SocData) -> [Uart; 3] {
    ["UART0", "UART1", "UART2"].map(|name| Uart::new(name, &soc.uart))
}

impl S3c24xx {
    /// The SoC after power-on.
    #[must_use]
    pub fn new(wiring: &'static Wiring, chip: Chip, nand_access_hclk: u32) -> Self {
        let soc = wiring.soc;
        let mut new = Self {
            wiring,
            nand_access_hclk: nand_access_hclk.into(),
            clock: Clock::new(wiring.crystal, &soc.clock),
            memctl: MemoryController::new(&wiring.sdram),
            intc: InterruptController::new(soc.sub_sources),
            uarts: uarts(soc),
            timers: Timers::default(),
            wdt: Watchdog::default(),
            gpio: Gpio::new(&soc.gpio, soc.chip_id, reset_cause::POWER_ON),
            nand: (soc.nand)(chip),
            i2c: I2c::new(soc.has_iiclc),
            storage: storage(soc),
            reset_request: false,
        };
        new.set_pclk(0);
        new
    }

    /// Tells the blocks that count in PCLK about a new one.
    fn set_pclk(&mut self, now: Ps) {
        let Clocks { pclk, .. } = self.clock.clocks();
        self.timers.set_pclk(now, pclk);
        self.wdt.set_pclk(now, pclk);
        for uart in &mut self.uarts {
            uart.tick(now);
            uart.set_pclk(pclk);
        }
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
                if self.wiring.soc.wdt_is_sub_source {
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

    fn block(&mut self, address: u32) -> Option<(&mut dyn Peripheral, u32)> {
        let offset = address & 0x00ff_ffff;
        Some(match address >> 24 {
            0x48 => (&mut self.memctl, offset),
            0x4a => (&mut self.intc, offset),
            0x4c => (&mut self.clock, offset),
            0x4e => (&mut *self.nand, offset),
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
            && let Some((port, pin)) = self.wiring.nand_write_protect
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

impl Soc for S3c24xx {
    fn core(&self) -> &'static Core {
        &ARM920T
    }

    fn sram(&self) -> (u32, u32) {
        SRAM
    }

    fn sdram(&self) -> (u32, u32) {
        (self.wiring.sdram.base, self.wiring.sdram.len)
    }

    fn console(&mut self) -> &mut dyn Line {
        &mut self.uarts[self.wiring.console]
    }

    fn lenient(&self) -> Vec<&'static str> {
        self.storage.iter().filter(|(_, block)| block.touched()).map(|(_, block)| block.name).collect()
    }

    fn reset(&mut self, now: Ps) {
        let soc = self.wiring.soc;
        self.clock = Clock::new(self.wiring.crystal, &soc.clock);
        self.memctl = MemoryController::new(&self.wiring.sdram);
        self.intc = InterruptController::new(soc.sub_sources);
        self.uarts = uarts(soc);
        self.timers = Timers::default();
        self.wdt = Watchdog::default();
        self.gpio = Gpio::new(&soc.gpio, soc.chip_id, reset_cause::WATCHDOG);
        self.nand.reset();
        self.i2c = I2c::new(soc.has_iiclc);
        self.storage.iter_mut().for_each(|(_, block)| block.reset());
        self.reset_request = false;
        self.set_pclk(now);
    }

    /// The data of as many pages of block 0 as fill the SRAM.
    fn boot(&mut self, step: u32, now: Ps, violations: &mut Violations) -> Option<BootCopy> {
        let page = self.nand.chip().part().geometry.page;
        let to = SRAM.0 + step * page;
        if to + page > SRAM.0 + SRAM.1 {
            return None;
        }
        let BootPage { data, end, .. } = self.nand.boot_page(step, now, self.clock.clocks(), violations);
        Some(BootCopy { to, data, end })
    }

    fn tick(&mut self, now: Ps) {
        self.uarts.iter_mut().for_each(|uart| uart.tick(now));
        self.timers.tick(now);
        self.wdt.tick(now);
        self.collect_interrupts(now);
    }

    fn next_event(&self, now: Ps) -> Ps {
        let uarts = self.uarts.iter().map(Uart::next_event);
        let nand = self.nand.next_edge(now);
        uarts.chain(nand).chain([self.timers.next_event(), self.wdt.next_event()]).min().unwrap_or(Ps::MAX)
    }

    fn take_reset_request(&mut self) -> bool {
        std::mem::take(&mut self.reset_request)
    }

    fn will_reset(&self) -> bool {
        self.wdt.will_reset()
    }

    fn irq(&self) -> bool {
        self.intc.irq()
    }

    fn fiq(&self) -> bool {
        self.intc.fiq()
    }

    fn clocks(&self) -> Clocks {
        self.clock.clocks()
    }

    fn uses_pll(&self) -> bool {
        self.clock.mpll_used()
    }

    fn is_idle(&self) -> bool {
        self.clock.is_idle()
    }

    fn keeps_power(&self) -> bool {
        self.wiring.keep_power.is_some_and(|(port, pin)| self.gpio.drives_high(port, pin))
    }

    fn sdram_timing(&self) -> SdramTiming {
        self.memctl.timing(self.clock.clocks().hclk)
    }

    fn sdram_ready_since(&self) -> Option<Ps> {
        self.memctl.ready_since()
    }

    fn sdram_problems(&self, now: Ps) -> Vec<(&'static str, String)> {
        self.memctl.problems(now, self.clock.clocks(), self.gpio.sclk_off())
    }

    fn role(&self, address: u32) -> Option<Role> {
        let offset = address & 0x00ff_ffff;
        let sclk_matters = self.wiring.sdram.needs_sclk_enabled;
        REGISTERS.contains(&address).then(|| match address >> 24 {
            0x48 => Role::Sdram,
            0x4c => Role::Clock,
            0x4e => Role::Nand,
            0x50 => Role::Uart { data: (0x20..0x28).contains(&(address & 0x3fff)) },
            0x51 => Role::Time,
            0x56 if offset == gpio::MISCCR && sclk_matters => Role::Sdram,
            0x56 => Role::Pins,
            _ => Role::Other,
        })
    }

    fn address_time(&self, address: u32) -> Ps {
        let Clocks { hclk, pclk, .. } = self.clock.clocks();
        if address >> 24 == 0x4e {
            return self.nand_access_hclk * hclk;
        }
        let apb = if address >= APB { model::APB_REGISTER_PCLK * pclk } else { 0 };
        model::AHB_REGISTER_HCLK * hclk + apb
    }

    fn access(
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

    fn chip(&self) -> &Chip {
        self.nand.chip()
    }

    fn into_chip(self: Box<Self>) -> Chip {
        self.nand.into_chip()
    }

    fn nand_bus_time(&self) -> Ps {
        self.nand.bus_time()
    }

    fn byte_cycles(&self) -> ByteCycles {
        let Clocks { hclk, .. } = self.clock.clocks();
        let pulse = self.nand.pulse(hclk);
        ByteCycles {
            latch: pulse.latch_cycle(),
            data: pulse.data_cycle(),
            overhead: self.nand_access_hclk * hclk,
            next_word: 0,
            width: self.nand.data_width(),
        }
    }

    fn ecc_layout(&self) -> &'static EccLayout {
        let page = self.nand.chip().part().geometry.page;
        ECC_LAYOUTS
            .into_iter()
            .find(|layout| layout.page == page)
            .expect("a part has pages of 512 or 2048 bytes")
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
