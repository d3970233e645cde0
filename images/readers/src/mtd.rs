//! A page as Linux 2.6 reads it (`nand_base.c` with `s3c2410.c` below): one thing after the
//! other, R/nB polled while the chip is busy, the whole of the OOB read.
//!
//! Nothing is corrected: what does not check ends the measurement.

use crate::controller::Controller;
use crate::loops;
use core::{fmt, hint};
use readers::hamming;
use readers::request::{Ecc, Request, Transfer};

/// How a chip is organised, and where the codes of a page are in its OOB.
pub struct Organisation {
    /// Bytes of data.
    pub page: usize,
    /// Bytes of OOB.
    pub oob: usize,
    /// Address bytes that select the column.
    column: u32,
    /// Command after the address, for chips that want one.
    read_start: Option<u8>,
    software: Codes,
    hardware: Codes,
}

/// Three bytes for each step.
struct Codes {
    /// Bytes of data that a code covers.
    step: usize,
    /// The bytes of OOB that hold them, in order.
    at: &'static [u8],
}

/// Pages of 2048 bytes. Linux's layout, the same for both.
pub static LARGE_PAGE: Organisation = Organisation {
    page: 2048,
    oob: 64,
    column: 2,
    read_start: Some(0x30),
    software: Codes { step: hamming::STEP, at: LARGE_PAGE_CODES },
    hardware: Codes { step: 256, at: LARGE_PAGE_CODES },
};
const LARGE_PAGE_CODES: &[u8] =
    &[40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63];

/// Pages of 512 bytes, in Linux's two layouts.
pub static SMALL_PAGE: Organisation = Organisation {
    page: 512,
    oob: 16,
    column: 1,
    read_start: None,
    software: Codes { step: hamming::STEP, at: &[0, 1, 2, 3, 6, 7] },
    hardware: Codes { step: 512, at: &[0, 1, 2] },
};

/// Bytes of code in a page, at most.
const CODES_MAX: usize = 24;
const READ0: u8 = 0x00;
/// Turns of a loop that outlast tWB (100 ns at most).
const T_WB_TURNS: u32 = 100;
/// Polls of R/nB that outlast tR by far.
const PATIENCE: u32 = 100_000;

/// Why a page could not be read.
#[derive(Clone, Copy)]
pub enum ReadError {
    /// R/nB stayed low.
    Timeout { page: u32 },
    /// A code that was stored is not the one of the data.
    Mismatch { page: u32, step: usize, stored: [u8; 3], computed: [u8; 3] },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout { page } => write!(f, "page {page}: the chip stays busy"),
            Self::Mismatch { page, step, stored, computed } => {
                write!(f, "page {page}, step {step}: code {stored:02x?} stored, {computed:02x?} computed")
            }
        }
    }
}

/// The layer between a caller and the controller.
pub struct Mtd<'a> {
    /// The controller below.
    pub controller: &'a mut dyn Controller,
    /// The chip's organisation.
    pub organisation: &'static Organisation,
    /// How to read.
    pub request: Request,
    /// A page with its OOB.
    pub buffer: &'a mut [u8],
}

impl Mtd<'_> {
    /// Reads a page into the buffer and checks it.
    pub fn read_page(&mut self, page: u32) -> Result<(), ReadError> {
        self.controller.select(true);
        self.load(page);
        self.wait_ready(page)?;
        match self.request.ecc {
            Ecc::Software => self.read_then_compute(page)?,
            Ecc::Hardware => self.read_by_steps(page)?,
        }
        self.wait_ready(page)?;
        self.controller.select(false);
        Ok(())
    }

    /// The command: `nand_command_lp` and `nand_command`.
    fn load(&mut self, page: u32) {
        self.controller.command(READ0);
        for _ in 0..self.organisation.column {
            self.controller.address(0);
        }
        for byte in 0..self.request.row {
            self.controller.address((page >> (8 * byte)) as u8);
        }
        if let Some(command) = self.organisation.read_start {
            self.controller.command(command);
        }
        // R/nB does not fall at once.
        for _ in 0..T_WB_TURNS {
            hint::spin_loop();
        }
    }

    fn wait_ready(&mut self, page: u32) -> Result<(), ReadError> {
        for _ in 0..PATIENCE {
            if self.controller.is_ready() {
                return Ok(());
            }
        }
        Err(ReadError::Timeout { page })
    }

    /// `nand_read_page_swecc`: all of the page, then a code for each step.
    fn read_then_compute(&mut self, page: u32) -> Result<(), ReadError> {
        let (data, _) = self.organisation.split(self.buffer);
        let data = data.len();
        self.read(0, data);
        self.read(data, self.buffer.len());
        let mut computed = [0; CODES_MAX];
        let (steps, _) = self.buffer[..data].as_chunks();
        for (code, step) in computed.chunks_exact_mut(3).zip(steps) {
            code.copy_from_slice(&hamming::calculate(step));
        }
        self.compare(page, &self.organisation.software, &computed)
    }

    /// `nand_read_page_hwecc`: step by step, the code of each taken from the controller.
    fn read_by_steps(&mut self, page: u32) -> Result<(), ReadError> {
        let codes = &self.organisation.hardware;
        let data = self.organisation.page;
        let mut computed = [0; CODES_MAX];
        for (code, start) in computed.chunks_exact_mut(3).zip((0..data).step_by(codes.step)) {
            self.controller.start_ecc();
            self.read(start, start + codes.step);
            code.copy_from_slice(&self.controller.ecc());
        }
        self.read(data, self.buffer.len());
        self.compare(page, codes, &computed)
    }

    fn read(&mut self, start: usize, end: usize) {
        let transfer = match self.request.transfer {
            Transfer::Bytes => loops::read_bytes,
            Transfer::Words => loops::read_words,
        };
        transfer(self.controller.data(), &mut self.buffer[start..end]);
    }

    /// Holds the codes in the OOB against those computed.
    fn compare(&self, page: u32, codes: &Codes, computed: &[u8; CODES_MAX]) -> Result<(), ReadError> {
        let (_, oob) = self.organisation.split(self.buffer);
        let mut stored = [0; CODES_MAX];
        for (byte, &at) in stored.iter_mut().zip(codes.at) {
            *byte = oob[usize::from(at)];
        }
        let pairs = stored.as_chunks().0.iter().zip(computed.as_chunks().0);
        for (step, (&stored, &computed)) in pairs.take(codes.at.len() / 3).enumerate() {
            if stored != computed {
                return Err(ReadError::Mismatch { page, step, stored, computed });
            }
        }
        Ok(())
    }
}

impl Organisation {
    /// Data and OOB of a page.
    fn split<'a>(&self, page: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        page.split_at(self.page)
    }
}
