//! AT91SAM9260: its controllers, where they are, and how they act on each other.
//!
//! "Recall" in this folder marks what is known of the data sheet without having been read again.

pub mod boot_rom;
pub mod clock;
pub mod ecc;
pub mod gpio;
pub mod intc;
pub mod matrix;
pub mod nand;
pub mod reset;
pub mod sdram;
pub mod smc;
pub mod timer;
pub mod uart;
pub mod wdt;

use crate::bus::{Access, ByteCycles, Clocks, Peripheral, Ps, Violations};
use crate::cpu::core::{ARM926EJS, Core};
use crate::hierarchy::Window;
use crate::membus::SdramTiming;
use crate::model;
use crate::part::{AT91_2048_4, Chip, EccLayout, Pulse};
use crate::soc::storage::Storage;
use crate::soc::{BootCopy, Fitted, Line, Role, Soc, boot_copy};
use crate::time::{NEVER, period};
use boot_rom::{IMAGE, IMAGE_MAX};
use clock::{Clock, Crystals};
use ecc::EccUnit;
use gpio::Pio;
use intc::InterruptController;
use matrix::Matrix;
use nand::NandWindow;
use reset::{ResetController, ResetType};
use sdram::{SdramController, SdramFit};
use smc::StaticMemoryController;
use timer::IntervalTimer;
use uart::DebugUnit;
use wdt::Watchdog;

/// A pin of a PIO: 0 for A, 1 for B, 2 for C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Controller.
    pub pio: usize,
    /// Bit.
    pub bit: u32,
}

/// The chip on a board: what its pins and buses are connected to.
#[derive(Debug)]
pub struct Wiring {
    /// Crystals.
    pub crystals: Crystals,
    /// SDRAM on chip select 1.
    pub sdram: SdramFit,
    /// Output that is nCE of the NAND chip on chip select 3.
    pub nand_enable: Pin,
    /// Input that is its R/nB.
    pub nand_ready: Pin,
}

impl Fitted for Wiring {
    fn power_on(&'static self, chip: Chip, nand_access_hclk: u32) -> Box<dyn Soc> {
        Box::new(At91sam9260::new(self, chip, nand_access_hclk))
    }
}

/// SRAM0, which ends where SRAM1 begins, and SRAM1.
const SRAM: (u32, u32) = (0x002f_f000, 0x2000);
/// Of each of the two.
const SRAM_SIZE: u32 = 0x1000;
/// SRAM0 shows at 0 after the remap, and repeats through its own window.
static SRAM_WINDOWS: [Window; 2] = [
    Window { base: 0, len: SRAM_SIZE, offset: 0, size: SRAM_SIZE },
    Window { base: IMAGE, len: SRAM.0 - IMAGE, offset: 0, size: SRAM_SIZE },
];

/// Registers.
const PERIPHERALS: u32 = 0xfffa_0000;
const USB_HOST: u32 = 0x0050_0000;
/// A block of system registers, but for the small ones at the end.
const BLOCK: u32 = 0x200;
const SMALL_BLOCKS: u32 = 0xffff_fd00;

const ECC: u32 = 0xffff_e800;
const SDRAMC: u32 = 0xffff_ea00;
const SMC: u32 = 0xffff_ec00;
const MATRIX: u32 = 0xffff_ee00;
const AIC: u32 = 0xffff_f000;
const DBGU: u32 = 0xffff_f200;
const PIOA: u32 = 0xffff_f400;
const PIOC: u32 = 0xffff_f800;
const PMC: u32 = 0xffff_fc00;
const RSTC: u32 = 0xffff_fd00;
const PIT: u32 = 0xffff_fd30;
const WDT: u32 = 0xffff_fd40;

/// Peripheral identifier of PIOA; the others follow.
const PIO_ID: u32 = 2;
/// DBGU's TXD on PIOB.
const TXD: u32 = 15;
/// The upper half of the SDRAM's data bus on PIOC.
const SDRAM_DATA: u32 = 0xffff_0000;
/// Chip select of the NAND.
const NAND_SELECT: usize = 3;

/// Blocks that only keep what is written: first address, length, name.
static LENIENT: [(u32, u32, &str); 22] = [
    (USB_HOST, 0x10_0000, "USB host"),
    (0xfffa_0000, 0x4000, "TC0 to TC2"),
    (0xfffa_4000, 0x4000, "USB device"),
    (0xfffa_8000, 0x4000, "MCI"),
    (0xfffa_c000, 0x4000, "TWI"),
    (0xfffb_0000, 0x4000, "USART0"),
    (0xfffb_4000, 0x4000, "USART1"),
    (0xfffb_8000, 0x4000, "USART2"),
    (0xfffb_c000, 0x4000, "SSC"),
    (0xfffc_0000, 0x4000, "ISI"),
    (0xfffc_4000, 0x4000, "EMAC"),
    (0xfffc_8000, 0x4000, "SPI0"),
    (0xfffc_c000, 0x4000, "SPI1"),
    (0xfffd_0000, 0x4000, "USART3"),
    (0xfffd_4000, 0x4000, "USART4"),
    (0xfffd_8000, 0x4000, "USART5"),
    (0xfffd_c000, 0x4000, "TC3 to TC5"),
    (0xfffe_0000, 0x4000, "ADC"),
    (0xffff_fd10, 0x10, "SHDWC"),
    (0xffff_fd20, 0x10, "RTT"),
    (0xffff_fd50, 0x10, "GPBR"),
    (0xffff_fd60, 0x10, "SCKCR"),
];

/// The chip on its board.
#[derive(Debug)]
pub struct At91sam9260 {
    wiring: &'static Wiring,
    nand_access_mck: u64,
    clock: Clock,
    sdramc: SdramController,
    smc: StaticMemoryController,
    matrix: Matrix,
    ecc: EccUnit,
    nand: NandWindow,
    aic: InterruptController,
    dbgu: DebugUnit,
    pio: [Pio; 3],
    rstc: ResetController,
    pit: IntervalTimer,
    wdt: Watchdog,
    storage: Vec<(u32, u32, Storage)>,
    /// The size that the image in NAND says it has; 0 when there is none.
    image: u32,
    cause: ResetType,
    reset_request: bool,
}

fn pio() -> [Pio; 3] {
    ["PIOA", "PIOB", "PIOC"].map(Pio::new)
}

impl At91sam9260 {
    /// The chip after power-on.
    #[must_use]
    pub fn new(wiring: &'static Wiring, chip: Chip, nand_access_mck: u32) -> Self {
        let mut new = Self {
            wiring,
            nand_access_mck: nand_access_mck.into(),
            clock: Clock::after_rom(&wiring.crystals),
            sdramc: SdramController::new(&wiring.sdram),
            smc: StaticMemoryController::default(),
            matrix: Matrix::default(),
            ecc: EccUnit::default(),
            nand: NandWindow::new(chip),
            aic: InterruptController::default(),
            dbgu: DebugUnit::default(),
            pio: pio(),
            rstc: ResetController::new(ResetType::General),
            pit: IntervalTimer::default(),
            wdt: Watchdog::new(0, period(wiring.crystals.slow)),
            storage: LENIENT.iter().map(|&(base, len, name)| (base, len, Storage::new(name))).collect(),
            image: 0,
            cause: ResetType::General,
            reset_request: false,
        };
        new.set_mck(0);
        new
    }

    /// Tells the blocks that count in MCK about a new one.
    fn set_mck(&mut self, now: Ps) {
        let Clocks { hclk, .. } = self.clock.clocks();
        self.dbgu.tick(now);
        self.dbgu.set_mck(hclk);
        self.pit.set_mck(now, hclk);
    }

    fn collect_interrupts(&mut self, now: Ps) {
        if self.wdt.take_reset() {
            (self.cause, self.reset_request) = (ResetType::Watchdog, true);
        }
        if self.rstc.take_reset() {
            (self.cause, self.reset_request) = (ResetType::Software, true);
        }
        let system = self.dbgu.interrupt()
            || self.pit.interrupt()
            || self.wdt.interrupt()
            || self.clock.interrupt(now);
        self.aic.set_level(intc::SYSTEM, system);
    }

    fn block(&mut self, address: u32) -> Option<(&mut dyn Peripheral, u32)> {
        let block = if address >= SMALL_BLOCKS { address & !0xf } else { address & !(BLOCK - 1) };
        let offset = address - block;
        Some(match block {
            ECC => (&mut self.ecc, offset),
            SDRAMC => (&mut self.sdramc, offset),
            SMC => (&mut self.smc, offset),
            MATRIX => (&mut self.matrix, offset),
            AIC => (&mut self.aic, offset),
            DBGU => (&mut self.dbgu, offset),
            PIOA..=PIOC => (&mut self.pio[((block - PIOA) / BLOCK) as usize], offset),
            // The small blocks cut into the last of the large ones.
            PMC => (&mut self.clock, offset),
            RSTC => (&mut self.rstc, offset),
            PIT => (&mut self.pit, offset),
            WDT => (&mut self.wdt, offset),
            _ => {
                let inside = |base: u32, len: u32| address.wrapping_sub(base) < len;
                let found = self.storage.iter_mut().find(|(base, len, _)| inside(*base, *len));
                found.map(|(base, _, block)| (block as &mut dyn Peripheral, address - *base))?
            }
        })
    }

    /// What other blocks have to say to an access before it happens.
    fn before(&mut self, address: u32, value: Option<u32>, access: &mut Access<'_>) {
        let (pio, offset) = (address.wrapping_sub(PIOA) / BLOCK, address % BLOCK);
        if address == DBGU + uart::THR && value.is_some() && !self.pio[1].gives_to_a(1 << TXD) {
            access.violation("uart-pins", format!("DBGU sends while PB{TXD} is not its DTXD pin"));
        }
        if pio > 2 || offset != gpio::PDSR || value.is_some() {
            return;
        }
        if !self.clock.is_clocked(PIO_ID + pio) {
            let name = ['A', 'B', 'C'][pio as usize];
            access.violation(
                "clock-gate",
                format!("PIO{name}_PDSR is read while PMC_PCSR keeps its clock off"),
            );
        }
        let ready = self.wiring.nand_ready;
        if pio as usize == ready.pio {
            let level = self.nand.chip().ready(access.now);
            let inputs = &mut self.pio[ready.pio].inputs;
            *inputs = *inputs & !(1 << ready.bit) | u32::from(level) << ready.bit;
        }
    }

    /// What an access changes elsewhere.
    fn after(&mut self, address: u32, access: &mut Access<'_>) {
        if (PMC..SMALL_BLOCKS).contains(&address) && self.clock.take_changed() {
            self.set_mck(access.now);
        }
        if (PIOA..PIOC + BLOCK).contains(&address) {
            let enable = self.wiring.nand_enable;
            let selected = self.pio[enable.pio].drives_low(enable.bit);
            self.nand.chip_mut().select(selected, access);
        }
    }

    fn window(&mut self, address: u32, width: u8, value: Option<u32>, access: &mut Access<'_>) -> u32 {
        if !self.matrix.has_nand() {
            access.violation("ebi", "the NAND window is used while EBI_CSA[3] is 0");
            return u32::MAX;
        }
        for problem in self.smc.problems(NAND_SELECT) {
            access.violation("smc-settings", problem);
        }
        let shape = self.smc.shape(NAND_SELECT, access.clocks.hclk);
        match value {
            None => self.nand.read(address, width, &shape, &mut self.ecc, access),
            Some(value) => {
                self.nand.write(address, width, value, &shape, &mut self.ecc, access);
                0
            }
        }
    }

    /// What the boot ROM does first: it resets the chip.
    fn reset_chip(&mut self, pulse: Pulse, access: &mut Access<'_>) {
        let chip = self.nand.chip_mut();
        chip.select(false, access);
        chip.select(true, access);
        chip.command(0xff, access.now, pulse, access);
        access.now = chip.busy_edges().1;
        self.nand.add_bus_time(pulse.latch_cycle());
    }

    /// A page of block 0, without ECC.
    fn boot_page(&mut self, page: u32, access: &mut Access<'_>) -> Vec<u8> {
        let mck = access.clocks.hclk;
        let [setup, low, high] = model::SAM9_ROM_CYCLE.map(|periods| periods * mck);
        let pulse = Pulse { setup, data_setup: setup, low, high };
        if page == 0 {
            self.reset_chip(pulse, access);
        }
        let [row0, row1, row2, _] = page.to_le_bytes();
        let copied = boot_copy::read_page(self.nand.chip_mut(), &[0, 0, row0, row1, row2], pulse, access);
        self.nand.add_bus_time(copied.bus_time);
        access.now = copied.end;
        copied.data
    }
}

impl Soc for At91sam9260 {
    fn core(&self) -> &'static Core {
        &ARM926EJS
    }

    fn sram(&self) -> (u32, u32) {
        SRAM
    }

    fn sram_windows(&self) -> &'static [Window] {
        &SRAM_WINDOWS
    }

    fn sdram(&self) -> (u32, u32) {
        (self.wiring.sdram.base, self.wiring.sdram.len)
    }

    fn console(&mut self) -> &mut dyn Line {
        &mut self.dbgu
    }

    fn lenient(&self) -> Vec<&'static str> {
        self.storage.iter().filter(|(.., block)| block.touched()).map(|(.., block)| block.name).collect()
    }

    fn reset(&mut self, now: Ps) {
        let wiring = self.wiring;
        self.clock = Clock::after_rom(&wiring.crystals);
        self.sdramc = SdramController::new(&wiring.sdram);
        self.smc = StaticMemoryController::default();
        self.matrix = Matrix::default();
        self.ecc = EccUnit::default();
        self.aic = InterruptController::default();
        self.dbgu = DebugUnit::default();
        self.pio = pio();
        self.rstc = ResetController::new(self.cause);
        self.pit = IntervalTimer::default();
        self.wdt = Watchdog::new(now, period(wiring.crystals.slow));
        self.storage.iter_mut().for_each(|(.., block)| block.reset());
        self.reset_request = false;
        self.set_mck(now);
    }

    /// The boot ROM, a page at a time: checks the vectors, copies as much as the image says it has.
    fn boot(&mut self, step: u32, now: Ps, violations: &mut Violations) -> Option<BootCopy> {
        let clocks = self.clock.clocks();
        let mut access = Access { now, pc: 0, clocks, hold: 0, violations };
        let page = self.nand.chip().part().geometry.page;
        let start = step * page;
        if step > 0 && (self.image == 0 || start >= IMAGE_MAX) {
            return None;
        }
        let data = if step == 0 || start < self.image {
            self.boot_page(step, &mut access)
        } else {
            vec![0; page as usize]
        };
        if step == 0 {
            self.image = boot_rom::image_size(&data).unwrap_or_else(|reason| {
                access.violation("boot-rom", format!("no image in NAND: {reason}"));
                0
            });
        }
        let data = match self.image {
            0 => {
                // The monitor has all the time of the world for its host (assumption).
                self.wdt.stop(access.now);
                boot_rom::MONITOR.to_vec()
            }
            size => boot_rom::with_junk(&data, start, size),
        };
        Some(BootCopy { to: IMAGE + start, data, end: access.now })
    }

    fn tick(&mut self, now: Ps) {
        self.dbgu.tick(now);
        self.pit.tick(now);
        self.wdt.tick(now);
        self.collect_interrupts(now);
    }

    fn next_event(&self, now: Ps) -> Ps {
        let events = [
            self.dbgu.next_event(),
            self.pit.next_event(),
            self.wdt.next_event(),
            self.clock.next_event(now),
        ];
        events.into_iter().min().unwrap_or(NEVER)
    }

    fn take_reset_request(&mut self) -> bool {
        std::mem::take(&mut self.reset_request)
    }

    fn will_reset(&self) -> bool {
        self.wdt.will_reset()
    }

    fn irq(&self) -> bool {
        self.aic.irq()
    }

    fn fiq(&self) -> bool {
        false
    }

    fn clocks(&self) -> Clocks {
        self.clock.clocks()
    }

    fn uses_pll(&self) -> bool {
        self.clock.uses_pll()
    }

    fn is_idle(&self) -> bool {
        self.clock.is_idle()
    }

    /// No board switches its own power.
    fn keeps_power(&self) -> bool {
        true
    }

    fn sdram_timing(&self) -> SdramTiming {
        self.sdramc.timing(self.clock.clocks().hclk)
    }

    fn sdram_ready_since(&self) -> Option<Ps> {
        self.sdramc.ready_since()
    }

    fn sdram_problems(&self, _now: Ps) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        if !self.matrix.has_sdram() {
            found.push(("sdram-settings", "SDRAM is used while EBI_CSA[1] is 0".to_owned()));
        }
        if !self.pio[2].gives_to_a(SDRAM_DATA) {
            let text = "SDRAM is used while PC16 to PC31 are not its data lines (peripheral A)";
            found.push(("sdram-settings", text.to_owned()));
        }
        found
    }

    fn use_sdram(&mut self, now: Ps, write: bool) -> Vec<(&'static str, String)> {
        let mck = self.clock.clocks().hclk;
        let mut found = self.sdram_problems(now);
        found.extend(self.sdramc.use_sdram(now, mck, write));
        found
    }

    fn counts_sdram_accesses(&self) -> bool {
        self.sdramc.in_command_mode()
    }

    fn sdram_bus_free(&self) -> Ps {
        self.nand.floats_at()
    }

    fn role(&self, address: u32) -> Option<Role> {
        let in_window = address.wrapping_sub(nand::WINDOW.0) < nand::WINDOW.1;
        if in_window {
            return Some(Role::Nand);
        }
        if address.wrapping_sub(USB_HOST) < 0x10_0000 {
            return Some(Role::Other);
        }
        (address >= PERIPHERALS).then_some(match address & !(BLOCK - 1) {
            SDRAMC | MATRIX => Role::Sdram,
            DBGU => Role::Uart { data: matches!(address - DBGU, uart::RHR | uart::THR) },
            PMC if address < SMALL_BLOCKS => Role::Clock,
            ECC | PIOC => Role::Nand,
            _ => Role::Other,
        })
    }

    fn address_time(&self, address: u32) -> Ps {
        let Clocks { hclk, pclk, .. } = self.clock.clocks();
        if address < PERIPHERALS && address >= nand::WINDOW.0 {
            return self.nand_access_mck * hclk;
        }
        model::AHB_REGISTER_HCLK * hclk + model::APB_REGISTER_PCLK * pclk
    }

    fn next_address_time(&self, address: u32) -> Ps {
        let next = model::SAM9_NEXT_WORD_HCLK * self.clock.clocks().hclk;
        self.address_time(address).min(next)
    }

    fn access(
        &mut self,
        address: u32,
        width: u8,
        value: Option<u32>,
        access: &mut Access<'_>,
    ) -> Option<u32> {
        if address < PERIPHERALS && address >= nand::WINDOW.0 {
            return Some(self.window(address, width, value, access));
        }
        self.before(address, value, access);
        let (block, offset) = self.block(address)?;
        let result = match value {
            None => block.read(offset, width, access),
            Some(value) => {
                block.write(offset, width, value, access);
                0
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

    /// By loads of eight registers: more than that are several transfers for the core's bus unit too
    /// (ARM926EJ-S TRM, 6.2.2).
    fn byte_cycles(&self) -> ByteCycles {
        let Clocks { hclk, .. } = self.clock.clocks();
        let shape = self.smc.shape(NAND_SELECT, hclk);
        ByteCycles {
            latch: shape.write.latch_cycle(),
            data: shape.read.data_cycle(),
            overhead: self.address_time(nand::WINDOW.0),
            next_word: self.next_address_time(nand::WINDOW.0),
            width: 32,
        }
    }

    fn ecc_layout(&self) -> &'static EccLayout {
        &AT91_2048_4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::at91sam9260ek::BOARD;
    use crate::part::{Faults, NandImage, mt29f2g08aac};
    use crate::time::{MS, US};

    const NONE: [&str; 0] = [];

    struct Bench {
        soc: Box<dyn Soc>,
        now: Ps,
        violations: Violations,
    }

    impl Bench {
        /// A board with this in its NAND.
        fn with(image: Vec<u8>) -> Self {
            let image = NandImage::from_bytes(image);
            let chip = Chip::new(&mt29f2g08aac::PART, image, Faults::default()).expect("fits");
            Self { soc: BOARD.soc.power_on(chip, 2), now: MS, violations: Violations::default() }
        }

        fn new() -> Self {
            Self::with(Vec::new())
        }

        fn access(&mut self, address: u32, value: Option<u32>) -> Option<u32> {
            self.soc.tick(self.now);
            let (now, clocks) = (self.now, self.soc.clocks());
            let mut access = Access { now, pc: 0, clocks, hold: 0, violations: &mut self.violations };
            let result = self.soc.access(address, 4, value, &mut access);
            self.now += access.hold + US;
            result
        }

        fn write(mut self, address: u32, value: u32) -> Self {
            self.access(address, Some(value));
            self
        }

        fn kinds(&self) -> Vec<&'static str> {
            self.violations.list().iter().map(|violation| violation.kind).collect()
        }

        /// What the boot ROM copies: where to, how much, and the last word of it.
        fn boot(&mut self) -> Vec<(u32, usize, u32)> {
            let mut copied = Vec::new();
            while let Some(piece) = self.soc.boot(copied.len() as u32, self.now, &mut self.violations) {
                let word = piece.data.last_chunk().map_or(0, |&word| u32::from_le_bytes(word));
                copied.push((piece.to, piece.data.len(), word));
                self.now = piece.end;
            }
            copied
        }
    }

    /// Two pages of branches, with this size in the sixth vector.
    fn image(size: u32) -> Vec<u8> {
        let mut words = vec![0xea00_0000_u32; 1024];
        words[5] = size;
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.chunks(2048).flat_map(|page| [page, &[0xff; 64]].concat()).collect()
    }

    #[test]
    fn registers_after_the_boot_rom() {
        let check = |address, value| {
            let mut bench = Bench::new();
            let read = bench.access(address, None);
            assert_eq!((read, bench.kinds()), (Some(value), vec![]), "{address:#x}");
        };
        check(PMC + 0x30, 1);
        check(RSTC + 4, 0x1_0000);
        check(WDT + 4, 0x3fff_2fff);
        check(PIT, 0xf_ffff);
        check(PIOC + 0x08, !0);
        check(SMC + 0x3c, 0x1000_1000);
        check(MATRIX + 0x11c, 0x1_0000);
        check(AIC + 0x110, 0);
        check(ECC + 8, 0);
    }

    #[test]
    fn what_is_where() {
        let soc = Bench::new().soc;
        let check = |address, role| assert_eq!(soc.role(address), role, "{address:#x}");
        check(0x4000_0000, Some(Role::Nand));
        check(0x407f_ffff, Some(Role::Nand));
        check(0x4080_0000, None);
        check(PIOC + 0x3c, Some(Role::Nand));
        check(SDRAMC, Some(Role::Sdram));
        check(MATRIX + 0x11c, Some(Role::Sdram));
        check(PMC + 0x30, Some(Role::Clock));
        check(RSTC, Some(Role::Other));
        check(DBGU + 0x1c, Some(Role::Uart { data: true }));
        check(DBGU + 0x14, Some(Role::Uart { data: false }));
        check(0x5000_0000, None);
        check(0x0010_0000, None);
        assert_eq!(Bench::new().access(0xfffe_8000, None), None);
    }

    #[test]
    fn loads_of_several_words_have_one_whole_overhead() {
        let soc = Bench::new().soc;
        let mck = soc.clocks().hclk;
        let times = |at| (soc.address_time(at) / mck, soc.next_address_time(at) / mck);
        assert_eq!(times(nand::WINDOW.0), (2, 1));
        assert_eq!(times(PMC).0, 4);
        let cycles = soc.byte_cycles();
        assert_eq!((cycles.overhead / mck, cycles.next_word / mck, cycles.width), (2, 1, 32));
    }

    #[test]
    fn images_of_one_and_two_pages() {
        let check = |size, expected: &[(u32, usize, u32)], reads| {
            let mut bench = Bench::with(image(size));
            assert_eq!((bench.boot().as_slice(), bench.kinds()), (expected, vec![]));
            assert_eq!(bench.soc.chip().log().reads.len(), reads, "{size}");
        };
        let (code, junk) = (0xea00_0000, 0xe7f5_a5f5);
        check(4096, &[(IMAGE, 2048, code), (IMAGE + 2048, 2048, code)], 2);
        check(2052, &[(IMAGE, 2048, code), (IMAGE + 2048, 2048, junk)], 2);
        check(2048, &[(IMAGE, 2048, code), (IMAGE + 2048, 2048, junk)], 1);
        check(100, &[(IMAGE, 2048, junk), (IMAGE + 2048, 2048, junk)], 1);
    }

    #[test]
    fn without_an_image_the_monitor_waits() {
        let mut bench = Bench::with(image(5000));
        assert_eq!((bench.boot(), bench.kinds()), (vec![(IMAGE, 4, 0xeaff_fffe)], vec!["boot-rom"]));
        assert!(!bench.soc.will_reset());
    }

    #[test]
    fn a_reset_is_told_by_its_kind() {
        let mut bench = Bench::new().write(RSTC, 0xa500_0005);
        assert!(bench.soc.take_reset_request());
        bench.soc.reset(bench.now);
        assert_eq!(bench.access(RSTC + 4, None), Some(0x1_0300));
        bench.now += 17_000 * MS;
        bench.soc.tick(bench.now);
        assert!(bench.soc.take_reset_request());
        bench.soc.reset(bench.now);
        assert_eq!(bench.access(RSTC + 4, None), Some(0x1_0200));
    }

    #[test]
    fn the_system_interrupt_is_the_timers_too() {
        let mut bench = Bench::new().write(AIC + 0x120, 2).write(PIT, 0x0300_0063);
        assert!(!bench.soc.irq());
        let due = bench.soc.next_event(bench.now);
        bench.soc.tick(due);
        assert!(bench.soc.irq() && !bench.soc.fiq());
        bench.now = due;
        bench.access(PIT + 8, None);
        assert!(!bench.soc.irq());
    }

    #[test]
    fn pins_matter() {
        let dbgu = |bench: Bench| bench.write(DBGU + 4, 0x800).write(DBGU + 0x20, 10).write(DBGU, 0x40);
        assert_eq!(dbgu(Bench::new()).write(DBGU + 0x1c, 0x41).kinds(), ["uart-pins"]);
        let pins = Bench::new().write(PIOA + 0x204, 1 << TXD);
        assert_eq!(dbgu(pins).write(DBGU + 0x1c, 0x41).kinds(), NONE);
        // R/nB is PC13, seen with the clock of PIOC.
        let mut bench = Bench::new().write(PMC + 0x10, 1 << 4);
        assert_eq!(bench.access(PIOC + 0x3c, None), Some(!0));
        assert_eq!(bench.kinds(), NONE);
    }

    #[test]
    fn blocks_that_only_keep_words_are_named() {
        let bench = Bench::new().write(0xfffa_0000, 5).write(0xffff_fd50, 1);
        assert_eq!((bench.soc.lenient(), bench.kinds()), (vec!["TC0 to TC2", "GPBR"], vec![]));
    }
}
