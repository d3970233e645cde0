//! NAND controller with its ECC unit, 8-bit large-page chips. S3C2440A User's Manual,
//! chapter 6.

use crate::arch::loops;
use crate::hal::{Format, Geometry, Nand, NandSetup, Status, Timeout, WriteError};
use crate::units::{EraseBlock, Hz, Ns, Page};
use core::mem::offset_of;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    NFCONF [
        /// CLE and ALE set-up before the strobe, in HCLK periods.
        TACLS OFFSET(12) NUMBITS(2),
        /// Strobe low, one less than the HCLK periods.
        TWRPH0 OFFSET(8) NUMBITS(3),
        /// Strobe high, one less than the HCLK periods.
        TWRPH1 OFFSET(4) NUMBITS(3),
        /// Strap: on large pages 1 means five address cycles, 0 four.
        ADDR_CYCLE OFFSET(1) NUMBITS(1)
    ],
    NFCONT [
        /// Locks of the spare and of the main ECC unit: 1 means it does not count.
        SPARE_ECC_LOCK OFFSET(6) NUMBITS(1),
        MAIN_ECC_LOCK OFFSET(5) NUMBITS(1),
        INIT_ECC OFFSET(4) NUMBITS(1),
        /// Level of nCE: 0 selects the chip.
        REG_NCE OFFSET(1) NUMBITS(1),
        MODE OFFSET(0) NUMBITS(1)
    ],
    NFSTAT [
        /// A program or an erase was tried where the controller's lock forbids it; cleared by
        /// writing 1.
        ILLEGAL_ACCESS OFFSET(3) NUMBITS(1),
        /// R/nB has gone from busy to ready since this bit was cleared by writing 1.
        RNB_TRANS_DETECT OFFSET(2) NUMBITS(1)
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => nfconf: ReadWrite<u32, NFCONF::Register>),
        (0x04 => nfcont: ReadWrite<u32, NFCONT::Register>),
        (0x08 => nfcmmd: WriteOnly<u8>),
        (0x09 => _reserved0),
        (0x0c => nfaddr: WriteOnly<u8>),
        (0x0d => _reserved1),
        (0x10 => nfdata: ReadWrite<u32>),
        (0x14 => nfmeccd: [ReadWrite<u32>; 2]),
        (0x1c => nfseccd: ReadWrite<u32>),
        (0x20 => nfstat: ReadWrite<u32, NFSTAT::Register>),
        (0x24 => nfestat: [ReadOnly<u32>; 2]),
        (0x2c => nfmecc0: ReadOnly<u32>),
        (0x30 => nfmecc1: ReadOnly<u32>),
        (0x34 => nfsecc: ReadOnly<u32>),
        (0x38 => @END),
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
    pub const STATUS: u8 = 0x70;
    pub const PROGRAM: u8 = 0x80;
    pub const PROGRAM_CONFIRM: u8 = 0x10;
    pub const ERASE: u8 = 0x60;
    pub const ERASE_CONFIRM: u8 = 0xd0;
}

/// Waits that no register field gives; the driver spins for them. In turns of that, less what
/// the calls around it take at the very least.
#[derive(Clone, Copy)]
struct Waits {
    /// Column confirmed to first read strobe.
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

/// The controller, set up, with its chip selected.
pub struct Controller {
    regs: &'static Regs,
    waits: &'static Waits,
    /// Address cycles of a page number: 2 on parts of 1024 blocks, 3 on larger ones.
    row_cycles: u32,
}

/// Turns of [`crate::arch::spin`]. A return and a call, which are between any two accesses that
/// a wait is between, take six cycles.
const fn turns(time: Ns, fclk: Hz) -> u32 {
    crate::arch::turns(time.cycles(fclk).saturating_sub(6))
}

/// A poll takes ten core cycles at the very least.
const fn polls(time: Ns, fclk: Hz) -> u32 {
    time.cycles(fclk) / 10 + 1
}

/// Everything the driver needs, ready at compile time.
#[derive(Clone, Copy)]
pub struct Config {
    /// The strobe timing in NFCONF.
    timing: u32,
    waits: Waits,
}

impl Config {
    /// The fields as given, which reading and writing share, and the waits in core clocks.
    #[must_use]
    pub const fn new(setup: &NandSetup, fclk: Hz) -> Self {
        let [tacls, twrph0, twrph1] = setup.write;
        let waits = Waits {
            t_whr: turns(setup.t_whr_min, fclk),
            t_rhw: turns(setup.t_rhw_min, fclk),
            polls: polls(setup.t_busy_max, fclk),
            t_adl: turns(setup.t_adl_min, fclk),
            program_polls: polls(setup.t_prog_max, fclk),
            erase_polls: polls(setup.t_bers_max, fclk),
        };
        let timing = NFCONF::TACLS.val(tacls).value
            | NFCONF::TWRPH0.val(twrph0).value
            | NFCONF::TWRPH1.val(twrph1).value;
        Self { timing, waits }
    }

    /// The same with every strobe one HCLK period shorter: wrong on purpose, for
    /// proving that such a mistake is caught.
    #[must_use]
    pub const fn one_hclk_too_short(mut self) -> Self {
        self.timing -= NFCONF::TWRPH0.val(1).value;
        self
    }
}

impl Controller {
    /// Switches the controller on and selects the chip.
    ///
    /// The straps tell parts of four address cycles (128 MiB) from those of five; the
    /// number of blocks follows from that.
    #[must_use]
    pub fn start(config: &'static Config) -> Self {
        let regs = super::map::nand();
        // The rest are the straps.
        regs.nfconf.set(regs.nfconf.get() & 0xf | config.timing);
        regs.nfcont.write(NFCONT::MODE::SET + NFCONT::SPARE_ECC_LOCK::SET + NFCONT::MAIN_ECC_LOCK::SET);
        Self { regs, waits: &config.waits, row_cycles: 2 + regs.nfconf.read(NFCONF::ADDR_CYCLE) }
    }

    fn command(&self, command: u8) {
        self.regs.nfcmmd.set(command);
    }

    fn column(&self, column: u32) {
        self.regs.nfaddr.set(column as u8);
        self.regs.nfaddr.set((column >> 8) as u8);
    }

    /// Forgets earlier edges of R/nB. The edge is what is waited for, not the level,
    /// because R/nB only falls tWB after the command.
    fn arm(&self) {
        self.regs.nfstat.write(NFSTAT::RNB_TRANS_DETECT::SET);
    }

    fn row(&self, page: Page) {
        let mut row = page.0;
        for _ in 0..self.row_cycles {
            self.regs.nfaddr.set(row as u8);
            row >>= 8;
        }
    }

    /// Gives the command that starts a program or an erase, and waits for its end.
    fn write(&mut self, confirm: u8, polls: u32, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        self.regs.nfstat.write(NFSTAT::RNB_TRANS_DETECT::SET + NFSTAT::ILLEGAL_ACCESS::SET);
        self.command(confirm);
        for _ in 0..polls {
            let nfstat = self.regs.nfstat.extract();
            if nfstat.is_set(NFSTAT::ILLEGAL_ACCESS) {
                return Err(WriteError::Locked);
            }
            if nfstat.is_set(NFSTAT::RNB_TRANS_DETECT) {
                return self.status();
            }
            idle();
        }
        Err(WriteError::Timeout)
    }
}

impl Nand for Controller {
    fn geometry(&self) -> Geometry {
        Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks: 512 << (self.row_cycles - 1) }
    }

    fn format(&self) -> Format {
        Format::LARGE
    }

    fn identify(&mut self) -> Result<[u8; 5], Timeout> {
        self.arm();
        self.command(command::RESET);
        self.wait_ready()?;
        self.command(command::READ_ID);
        self.regs.nfaddr.set(0);
        crate::arch::spin(self.waits.t_whr);
        let low = self.regs.nfdata.get().to_le_bytes();
        let high = self.regs.nfdata.get() as u8;
        Ok([low[0], low[1], low[2], low[3], high])
    }

    fn read_parameters(&mut self, words: &mut [u32]) -> Result<bool, Timeout> {
        const SIGNATURE: u32 = u32::from_le_bytes(*b"ONFI");
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::READ_ID);
        self.regs.nfaddr.set(command::READ_ID_ONFI);
        crate::arch::spin(self.waits.t_whr);
        if self.regs.nfdata.get() != SIGNATURE {
            return Ok(false);
        }
        self.arm();
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::READ_PARAMETERS);
        self.regs.nfaddr.set(0);
        self.wait_ready()?;
        self.read_raw(words);
        Ok(true)
    }

    fn begin_read(&mut self, page: Page, column: u32) {
        self.arm();
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::READ);
        self.column(column);
        self.row(page);
        self.command(command::READ_CONFIRM);
    }

    fn begin_next(&mut self, last: bool) {
        self.arm();
        crate::arch::spin(self.waits.t_rhw);
        self.command(if last { command::READ_CACHE_END } else { command::READ_CACHE });
    }

    fn wait_ready(&mut self) -> Result<(), Timeout> {
        for _ in 0..self.waits.polls {
            if self.regs.nfstat.is_set(NFSTAT::RNB_TRANS_DETECT) {
                return Ok(());
            }
        }
        Err(Timeout)
    }

    fn read_page(&mut self, data: &mut [u32], codes: &mut [u32]) {
        // INIT_ECC clears the main unit, and the open lock lets it count. It may stay open: the code is
        // read before anything else is.
        const COUNT: u32 =
            (NFCONT::MODE::SET.value | NFCONT::SPARE_ECC_LOCK::SET.value) | NFCONT::INIT_ECC::SET.value;
        const CONTROL: usize = offset_of!(Regs, nfcont);
        const DATA: usize = offset_of!(Regs, nfdata);
        const CODE: usize = offset_of!(Regs, nfmecc0);
        loops::transfer_steps::<Regs, CONTROL, DATA, CODE, COUNT>(self.regs, data, codes);
    }

    fn read_raw(&mut self, words: &mut [u32]) {
        for word in words {
            *word = self.regs.nfdata.get();
        }
    }

    fn seek(&mut self, column: u32) {
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::RANDOM_OUT);
        self.column(column);
        self.command(command::RANDOM_OUT_CONFIRM);
        crate::arch::spin(self.waits.t_whr);
    }

    fn status(&mut self) -> Result<Status, WriteError> {
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::STATUS);
        crate::arch::spin(self.waits.t_whr);
        Ok(Status(self.regs.nfdata.get() as u8))
    }

    fn begin_program(&mut self, page: Page, column: u32) {
        crate::arch::spin(self.waits.t_rhw);
        self.command(command::PROGRAM);
        self.column(column);
        self.row(page);
        crate::arch::spin(self.waits.t_adl);
    }

    fn write_page(&mut self, data: &[u32], codes: &mut [u32]) {
        for (step, code) in data.chunks_exact(loops::STEP_WORDS).zip(codes) {
            self.regs.nfcont.write(NFCONT::MODE::SET + NFCONT::SPARE_ECC_LOCK::SET + NFCONT::INIT_ECC::SET);
            self.write_raw(step);
            *code = self.regs.nfmecc0.get();
        }
    }

    fn write_raw(&mut self, words: &[u32]) {
        for &word in words {
            self.regs.nfdata.set(word);
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
