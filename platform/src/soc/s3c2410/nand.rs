//! NAND controller with its ECC unit, small-page chips. S3C2410X User's Manual, chapter 6.

use crate::arch::loops;
use crate::hal::{Format, Geometry, Nand, NandSetup, Status, Timeout, WriteError};
use crate::units::{EraseBlock, Hz, Ns, Page};
use core::mem::offset_of;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    NFCONF [
        ENABLE OFFSET(15) NUMBITS(1),
        /// Writing 1 clears the ECC; reads 0.
        INIT_ECC OFFSET(12) NUMBITS(1),
        /// Level of nFCE: 0 selects the chip.
        NFCE OFFSET(11) NUMBITS(1),
        /// CLE and ALE set-up before the strobe, one less than the HCLK periods.
        TACLS OFFSET(8) NUMBITS(3),
        /// Strobe low, one less than the HCLK periods.
        TWRPH0 OFFSET(4) NUMBITS(3),
        /// Strobe high, one less than the HCLK periods.
        TWRPH1 OFFSET(0) NUMBITS(3)
    ]
];
register_bitfields![u8,
    NFSTAT [
        /// Level of R/nB.
        RNB OFFSET(0) NUMBITS(1) [Busy = 0, Ready = 1]
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => nfconf: ReadWrite<u32, NFCONF::Register>),
        (0x04 => nfcmd: WriteOnly<u8>),
        (0x05 => _reserved0),
        (0x08 => nfaddr: WriteOnly<u8>),
        (0x09 => _reserved1),
        (0x0c => nfdata: ReadWrite<u8>),
        (0x0d => _reserved2),
        (0x10 => nfstat: ReadOnly<u8, NFSTAT::Register>),
        (0x11 => _reserved3),
        (0x14 => nfecc: [ReadOnly<u8>; 3]),
        (0x17 => @END),
    }
}

mod command {
    pub const READ: u8 = 0x00;
    pub const READ_SECOND_HALF: u8 = 0x01;
    pub const READ_OOB: u8 = 0x50;
    pub const READ_ID: u8 = 0x90;
    pub const RESET: u8 = 0xff;
    pub const STATUS: u8 = 0x70;
    pub const PROGRAM: u8 = 0x80;
    pub const PROGRAM_CONFIRM: u8 = 0x10;
    pub const ERASE: u8 = 0x60;
    pub const ERASE_CONFIRM: u8 = 0xd0;
}

/// The longest tWB of any part, after which R/nB says what it means. There is no detector of
/// its edge.
const T_WB_MAX: Ns = Ns(200);
/// Blocks of a 64 MiB chip: the only ones of four address cycles that the SoC boots from.
const BLOCKS: u32 = 4096;

/// Waits that no register field gives; the driver spins for them.
#[derive(Clone, Copy)]
struct Waits {
    t_wb: u32,
    /// Address to first read strobe, of READ ID.
    t_whr: u32,
    /// Last read strobe to the next command.
    t_rhw: u32,
    /// Polls of NFSTAT after which an operation has taken too long.
    polls: u32,
    /// Address to the first byte of data written.
    t_adl: u32,
    /// Polls after which a program has taken too long.
    program_polls: u32,
    /// Polls after which an erase has taken too long.
    erase_polls: u32,
}

/// Everything the driver needs, ready at compile time.
#[derive(Clone, Copy)]
pub struct Config {
    nfconf: u32,
    waits: Waits,
}

/// A poll takes ten core cycles at the very least.
const fn polls(time: Ns, fclk: Hz) -> u32 {
    time.cycles(fclk) / 10 + 1
}

impl Config {
    /// The fields as given, which reading and writing share, and the waits in core clocks.
    #[must_use]
    pub const fn new(setup: &NandSetup, fclk: Hz) -> Self {
        let [tacls, twrph0, twrph1] = setup.write;
        let nfconf = NFCONF::ENABLE::SET.value | tacls << 8 | twrph0 << 4 | twrph1;
        let waits = Waits {
            t_wb: crate::arch::turns(T_WB_MAX.cycles(fclk)),
            t_whr: crate::arch::turns(setup.t_whr_min.cycles(fclk)),
            t_rhw: crate::arch::turns(setup.t_rhw_min.cycles(fclk)),
            polls: polls(setup.t_busy_max, fclk),
            t_adl: crate::arch::turns(setup.t_adl_min.cycles(fclk)),
            program_polls: polls(setup.t_prog_max, fclk),
            erase_polls: polls(setup.t_bers_max, fclk),
        };
        Self { nfconf, waits }
    }

    /// The same with every strobe one HCLK period shorter: wrong on purpose, for
    /// proving that such a mistake is caught.
    #[must_use]
    pub const fn one_hclk_too_short(mut self) -> Self {
        self.nfconf -= 1 << 4;
        self
    }
}

/// The controller, set up, with its chip selected.
pub struct Controller {
    regs: &'static Regs,
    waits: &'static Waits,
    /// The page in the chip's register.
    page: Page,
}

impl Controller {
    /// Switches the controller on and selects the chip.
    #[must_use]
    pub fn start(config: &'static Config) -> Self {
        let regs = super::map::nand();
        regs.nfconf.set(config.nfconf);
        Self { regs, waits: &config.waits, page: Page(0) }
    }

    fn command(&self, command: u8) {
        self.regs.nfcmd.set(command);
    }

    /// Chooses the part of the page that `column` is in: what is read or written next starts there.
    fn point_at(&self, column: u32) {
        self.command(match column {
            0..256 => command::READ,
            256..512 => command::READ_SECOND_HALF,
            _ => command::READ_OOB,
        });
    }

    fn row(&self, page: Page) {
        let mut row = page.0;
        for _ in 0..3 {
            self.regs.nfaddr.set(row as u8);
            row >>= 8;
        }
    }

    /// Gives the command that starts a program or an erase, and waits for its end.
    fn write(&mut self, confirm: u8, polls: u32, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        self.command(confirm);
        crate::arch::spin(self.waits.t_wb);
        for _ in 0..polls {
            if self.regs.nfstat.is_set(NFSTAT::RNB) {
                return self.status();
            }
            idle();
        }
        Err(WriteError::Timeout)
    }
}

impl Nand for Controller {
    fn geometry(&self) -> Geometry {
        Geometry { page: 512, oob: 16, pages_per_block: 32, blocks: BLOCKS }
    }

    fn format(&self) -> Format {
        Format::SMALL
    }

    fn identify(&mut self) -> Result<[u8; 5], Timeout> {
        self.command(command::RESET);
        self.wait_ready()?;
        self.command(command::READ_ID);
        self.regs.nfaddr.set(0);
        crate::arch::spin(self.waits.t_whr);
        Ok(core::array::from_fn(|_| self.regs.nfdata.get()))
    }

    fn begin_read(&mut self, page: Page, column: u32) {
        crate::arch::spin(self.waits.t_rhw);
        self.page = page;
        self.point_at(column);
        self.regs.nfaddr.set(column as u8);
        self.row(page);
    }

    /// No small-page chip has READ CACHE: nothing is begun.
    fn begin_next(&mut self, _last: bool) {}

    fn wait_ready(&mut self) -> Result<(), Timeout> {
        crate::arch::spin(self.waits.t_wb);
        for _ in 0..self.waits.polls {
            if self.regs.nfstat.is_set(NFSTAT::RNB) {
                return Ok(());
            }
        }
        Err(Timeout)
    }

    fn read_page(&mut self, data: &mut [u32], codes: &mut [u32]) {
        const DATA: usize = offset_of!(Regs, nfdata);
        // A page is one step.
        if let (Some((step, _)), [code, ..]) = (data.split_at_mut_checked(Format::SMALL.words), codes) {
            self.regs.nfconf.modify(NFCONF::INIT_ECC::SET);
            loops::transfer_bytes::<Regs, DATA>(self.regs, step);
            let [low, middle, high] = &self.regs.nfecc;
            *code = u32::from_le_bytes([low.get(), middle.get(), high.get(), 0]);
        }
    }

    fn read_raw(&mut self, words: &mut [u32]) {
        for word in words {
            *word = u32::from_le_bytes(core::array::from_fn(|_| self.regs.nfdata.get()));
        }
    }

    fn seek(&mut self, column: u32) {
        self.begin_read(self.page, column);
        // A chip that was ready a moment ago; whoever reads junk finds the ECC wrong.
        let _ = self.wait_ready();
    }

    fn status(&mut self) -> Result<Status, WriteError> {
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::STATUS);
        crate::arch::spin(self.waits.t_whr);
        Ok(Status(self.regs.nfdata.get()))
    }

    fn begin_program(&mut self, page: Page, column: u32) {
        crate::arch::spin(self.waits.t_rhw);
        self.point_at(column);
        self.command(command::PROGRAM);
        self.regs.nfaddr.set(column as u8);
        self.row(page);
        crate::arch::spin(self.waits.t_adl);
    }

    fn write_page(&mut self, data: &[u32], codes: &mut [u32]) {
        // A page is one step.
        if let (Some(step), [code, ..]) = (data.get(..Format::SMALL.words), codes) {
            self.regs.nfconf.modify(NFCONF::INIT_ECC::SET);
            self.write_raw(step);
            let [low, middle, high] = &self.regs.nfecc;
            *code = u32::from_le_bytes([low.get(), middle.get(), high.get(), 0]);
        }
    }

    fn write_raw(&mut self, words: &[u32]) {
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            self.regs.nfdata.set(byte);
        }
    }

    fn program(&mut self, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        self.write(command::PROGRAM_CONFIRM, self.waits.program_polls, idle)
    }

    fn erase(&mut self, block: EraseBlock, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::ERASE);
        self.row(Page(block.0 * self.geometry().pages_per_block));
        self.write(command::ERASE_CONFIRM, self.waits.erase_polls, idle)
    }
}
