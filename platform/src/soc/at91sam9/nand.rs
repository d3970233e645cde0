//! NAND behind the static memory controller, with the ECC unit that watches its bus: chips of 8
//! bits and large pages. As U-Boot, drivers/mtd/nand/raw/atmel_nand.c (wiring, ECC), and Linux,
//! drivers/mfd/atmel-smc.c (timing); AT91SAM9263 data sheet, ECC controller.

use crate::arch::loops;
use crate::hal::{Format, Geometry, Nand, NandSetup, Timeout};
use crate::units::{Hz, Ns, Page};
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    MODE [
        /// MCK periods between a read here and an access elsewhere.
        TDF_CYCLES OFFSET(16) NUMBITS(4) [],
        /// Strobes, not the chip select, end a cycle.
        WRITE_MODE OFFSET(1) NUMBITS(1) [],
        READ_MODE OFFSET(0) NUMBITS(1) []
    ],
    ECC_CR [
        RST OFFSET(0) NUMBITS(1) []
    ],
    ECC_MR [
        /// Words of a page, OOB included: a word is a byte on chips of 8 bits.
        PAGESIZE OFFSET(0) NUMBITS(2) [Words528 = 0, Words1056 = 1, Words2112 = 2, Words4224 = 3]
    ],
    ECC_SR [
        /// More than one bit is flipped.
        MULERR OFFSET(2) NUMBITS(1) [],
        /// What is flipped is in the code.
        ECCERR OFFSET(1) NUMBITS(1) [],
        RECERR OFFSET(0) NUMBITS(1) []
    ]
];

register_structs! {
    /// The timing of a chip select. A write of `mode` makes the others count.
    pub SmcRegs {
        (0x0 => setup: ReadWrite<u32>),
        (0x4 => pulse: ReadWrite<u32>),
        (0x8 => cycle: ReadWrite<u32>),
        (0xc => mode: ReadWrite<u32>),
        (0x10 => @END),
    }
}

register_structs! {
    /// The ECC unit.
    pub EccRegs {
        (0x00 => cr: WriteOnly<u32, ECC_CR::Register>),
        (0x04 => mr: ReadWrite<u32, ECC_MR::Register>),
        (0x08 => sr: ReadOnly<u32, ECC_SR::Register>),
        /// Parities; after a read what differs in them: the place of a flipped bit.
        (0x0c => pr: ReadOnly<u32>),
        /// Their complements.
        (0x10 => npr: ReadOnly<u32>),
        (0x14 => @END),
    }
}

/// Words of the part of the window that a page is read through.
const WINDOW_WORDS: usize = Format::WHOLE.words;

register_structs! {
    /// The chip: ALE and CLE are address lines 21 and 22.
    pub Window {
        (0x00_0000 => data: [ReadOnly<u32>; WINDOW_WORDS]),
        (0x00_0800 => _reserved0),
        (0x20_0000 => address: WriteOnly<u8>),
        (0x20_0001 => _reserved1),
        (0x40_0000 => command: WriteOnly<u8>),
        (0x40_0001 => @END),
    }
}

mod command {
    pub const READ: u8 = 0x00;
    pub const READ_CONFIRM: u8 = 0x30;
    pub const READ_CACHE: u8 = 0x31;
    pub const READ_CACHE_END: u8 = 0x3f;
    pub const RANDOM_OUT: u8 = 0x05;
    pub const RANDOM_OUT_CONFIRM: u8 = 0xe0;
    pub const READ_ID: u8 = 0x90;
    /// Address of READ ID at which ONFI chips say that they are.
    pub const READ_ID_ONFI: u8 = 0x20;
    pub const READ_PARAMETERS: u8 = 0xec;
    pub const RESET: u8 = 0xff;
}

/// R/nB on port C.
const READY: u32 = 1 << 13;
/// nCE on port C.
const N_CE: u32 = 1 << 14;

/// The longest tWB of any part, after which R/nB says what it means. Its edge is not looked for.
const T_WB_MAX: Ns = Ns(200);

/// Waits that no register field gives; the driver spins for them.
#[derive(Clone, Copy)]
struct Waits {
    t_wb: u32,
    /// Last byte written to the first strobe that reads.
    t_whr: u32,
    /// Last read strobe to the next command.
    t_rhw: u32,
    /// Polls of R/nB after which an operation has taken too long.
    polls: u32,
}

/// Everything the driver needs, ready at compile time.
#[derive(Clone, Copy)]
pub struct Config {
    setup: u32,
    pulse: u32,
    cycle: u32,
    mode: u32,
    waits: Waits,
    geometry: Geometry,
}

const fn cycles(time: Ns, pck: Hz) -> u32 {
    (time.0 as u64 * pck.0 as u64).div_ceil(1_000_000_000) as u32
}

const fn turns(time: Ns, pck: Hz) -> u32 {
    crate::arch::turns(cycles(time, pck))
}

impl Config {
    /// Set-up, pulse and hold as given, and the waits in core clocks. The chip select is low for
    /// as long as a cycle lasts: the chip's own nCE is a port pin.
    #[must_use]
    pub const fn new(setup: &NandSetup, pck: Hz) -> Self {
        let [write_setup, write_pulse, write_hold] = setup.write;
        let [read_setup, read_pulse, read_hold] = setup.read;
        let write_cycle = write_setup + write_pulse + write_hold;
        let read_cycle = read_setup + read_pulse + read_hold;
        // Where the fields are plain numbers of periods.
        assert!(write_setup < 32 && read_setup < 32 && write_cycle < 64 && read_cycle < 64);
        let float = setup.float_cycles.saturating_sub(read_hold);
        assert!(float < 16, "the chip lets go of the bus too late");
        Self {
            setup: write_setup | read_setup << 16,
            pulse: write_pulse | write_cycle << 8 | read_pulse << 16 | read_cycle << 24,
            cycle: write_cycle | read_cycle << 16,
            mode: MODE::READ_MODE::SET.value | MODE::WRITE_MODE::SET.value | float << MODE::TDF_CYCLES.shift,
            waits: Waits {
                t_wb: turns(T_WB_MAX, pck),
                t_whr: turns(setup.t_whr_min, pck),
                t_rhw: turns(setup.t_rhw_min, pck),
                // A poll takes ten core cycles at the very least.
                polls: cycles(setup.t_busy_max, pck) / 10 + 1,
            },
            geometry: setup.geometry,
        }
    }

    /// The same with every strobe one MCK period shorter: wrong on purpose, for proving that
    /// such a mistake is caught.
    #[must_use]
    pub const fn one_hclk_too_short(mut self) -> Self {
        self.pulse -= 0x0101_0101;
        self.cycle -= 0x0001_0001;
        self
    }
}

/// The controller, set up, with its chip selected.
pub struct Controller {
    chip: &'static Window,
    config: &'static Config,
}

impl Controller {
    /// Sets the timing, has the ECC unit count pages of 2112 bytes, and selects the chip.
    #[must_use]
    pub fn start(config: &'static Config) -> Self {
        let smc = super::map::smc();
        smc.setup.set(config.setup);
        smc.pulse.set(config.pulse);
        smc.cycle.set(config.cycle);
        smc.mode.set(config.mode);
        super::map::ecc().mr.write(ECC_MR::PAGESIZE::Words2112);
        let pins = super::map::pio_c();
        pins.to_input(READY);
        pins.drive_low(N_CE);
        Self { chip: super::map::nand_window(), config }
    }

    fn command(&self, command: u8) {
        self.chip.command.set(command);
    }

    fn address(&self, byte: u32) {
        self.chip.address.set(byte as u8);
    }

    fn column(&self, column: u32) {
        self.address(column);
        self.address(column >> 8);
    }

    fn word(&self) -> u32 {
        let [word, ..] = &self.chip.data;
        word.get()
    }
}

impl Nand for Controller {
    fn geometry(&self) -> Geometry {
        self.config.geometry
    }

    fn format(&self) -> Format {
        Format::WHOLE
    }

    fn identify(&mut self) -> Result<[u8; 5], Timeout> {
        self.command(command::RESET);
        self.wait_ready()?;
        self.command(command::READ_ID);
        self.address(0);
        crate::arch::spin(self.config.waits.t_whr);
        let low = self.word().to_le_bytes();
        let high = self.word() as u8;
        Ok([low[0], low[1], low[2], low[3], high])
    }

    fn read_parameters(&mut self, words: &mut [u32]) -> Result<bool, Timeout> {
        const SIGNATURE: u32 = u32::from_le_bytes(*b"ONFI");
        crate::arch::spin(self.config.waits.t_rhw);
        self.command(command::READ_ID);
        self.address(command::READ_ID_ONFI.into());
        crate::arch::spin(self.config.waits.t_whr);
        if self.word() != SIGNATURE {
            return Ok(false);
        }
        crate::arch::spin(self.config.waits.t_rhw);
        self.command(command::READ_PARAMETERS);
        self.address(0);
        self.wait_ready()?;
        self.read_raw(words);
        Ok(true)
    }

    fn begin_read(&mut self, page: Page, column: u32) {
        crate::arch::spin(self.config.waits.t_rhw);
        self.command(command::READ);
        self.column(column);
        self.column(page.0);
        if self.config.geometry.blocks * self.config.geometry.pages_per_block > 1 << 16 {
            self.address(page.0 >> 16);
        }
        self.command(command::READ_CONFIRM);
    }

    fn begin_next(&mut self, last: bool) {
        crate::arch::spin(self.config.waits.t_rhw);
        self.command(if last { command::READ_CACHE_END } else { command::READ_CACHE });
    }

    fn wait_ready(&mut self) -> Result<(), Timeout> {
        crate::arch::spin(self.config.waits.t_wb);
        let pins = super::map::pio_c();
        for _ in 0..self.config.waits.polls {
            if pins.is_high(READY) {
                return Ok(());
            }
        }
        Err(Timeout)
    }

    fn read_page(&mut self, data: &mut [u32], _codes: &mut [u32]) {
        // The command that reads a page starts the unit, but a mark may have been read since, or
        // the page comes by READ CACHE.
        super::map::ecc().cr.write(ECC_CR::RST::SET);
        loops::transfer_window(&self.chip.data, data);
    }

    fn read_raw(&mut self, words: &mut [u32]) {
        for word in words {
            *word = self.word();
        }
    }

    fn read_codes(&mut self, computed: &mut [u32], stored: &mut [u32]) {
        self.seek(Format::WHOLE.codes);
        self.read_raw(stored);
        if let ([computed, ..], [stored, ..]) = (computed, stored) {
            *computed = *stored ^ difference();
        }
    }

    fn seek(&mut self, column: u32) {
        crate::arch::spin(self.config.waits.t_rhw);
        self.command(command::RANDOM_OUT);
        self.column(column);
        self.command(command::RANDOM_OUT_CONFIRM);
        crate::arch::spin(self.config.waits.t_whr);
    }
}

/// What the unit has found to differ in the code, as [`crate::hal::Code::Halves`] has it, from
/// what its drivers read: SR, and PR for the place.
///
/// It takes an erased page for one with many flips, with all bits of PR set, because what is
/// stored there is no code. Then all of it differs.
fn difference() -> u32 {
    /// Bits of a parity register that a page of 2048 bytes uses.
    const USED: u32 = 0x7ff7;
    let regs = super::map::ecc();
    let (status, place) = (regs.sr.extract(), regs.pr.get());
    if !status.is_set(ECC_SR::RECERR) {
        0
    } else if status.is_set(ECC_SR::MULERR) {
        // Two parities without their complements, or all.
        if place == 0xffff { !0 } else { 3 }
    } else if status.is_set(ECC_SR::ECCERR) {
        1
    } else {
        place | (!place & USED) << 16
    }
}
