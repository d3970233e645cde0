//! What the boot library knows of hardware. A driver behind these traits is
//! mechanism: it never retries, skips or judges.

use crate::units::{EraseBlock, Hz, Ns, Page};

/// A serial port, set up and running.
pub trait Serial {
    /// Sends one byte, waiting for room in the transmitter.
    fn put(&mut self, byte: u8);
    /// Takes a received byte if there is one. What came with an error, such as a stop bit that is
    /// missing, is noise and no byte.
    fn get(&mut self) -> Option<u8>;
    /// Waits until everything has left the transmitter.
    fn flush(&mut self);
    /// Changes the rate, once everything has left, to what `clock` divided comes close enough to; false,
    /// and nothing is done, where that is too far from `baud` for the other end to understand, or
    /// where the driver cannot do it. `clock` is that of the ports, as in [`BoardInfo::pclk`].
    fn set_baud(&mut self, clock: Hz, baud: u32) -> bool {
        let _ = (clock, baud);
        false
    }
}

/// The organisation of a NAND chip as the controller addresses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of data in a page.
    pub page: u32,
    /// Bytes of OOB behind the data of a page.
    pub oob: u32,
    /// Pages in an erase block.
    pub pages_per_block: u32,
    /// Erase blocks in the chip.
    pub blocks: u32,
}

/// How a controller spells the Hamming code of a step: the parities of halves of its bits, each
/// with its complement, the parity of the other half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Three bytes: each parity beside its complement, all inverted.
    Pairs,
    /// Four bytes: the parities in one half word, their complements in the next.
    Halves,
}

impl Code {
    /// Bytes of a code.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Pairs => 3,
            Self::Halves => 4,
        }
    }
}

/// How pages with the controller's ECC lie: what Linux's driver for the same controller writes.
///
/// The codes of a page follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Words of data in a page.
    pub words: usize,
    /// ECC steps in a page.
    pub steps: usize,
    /// The code of a step.
    pub code: Code,
    /// Column of the first code, a multiple of four.
    pub codes: u32,
    /// Column of the byte that marks a bad block.
    pub mark: u32,
}

impl Format {
    /// 2048 + 64 bytes, a code for each 256 bytes at OOB 40 to 63.
    pub const LARGE: Self = Self { words: 512, steps: 8, code: Code::Pairs, codes: 2048 + 40, mark: 2048 };
    /// 512 + 16 bytes, one code at OOB 0 to 2.
    pub const SMALL: Self = Self { words: 128, steps: 1, code: Code::Pairs, codes: 512, mark: 512 + 5 };
    /// 2048 + 64 bytes, one code over all of them at OOB 60 to 63.
    pub const WHOLE: Self = Self { words: 512, steps: 1, code: Code::Halves, codes: 2048 + 60, mark: 2048 };

    /// Bytes of data in a page.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        4 * self.words as u32
    }

    /// Words that hold all codes of a page.
    #[must_use]
    pub const fn code_words(&self) -> usize {
        (self.code.bytes() * self.steps).div_ceil(4)
    }
}

/// What a NAND driver is told of its chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NandSetup {
    /// Timing fields of the cycles that write, as they go into the controller's registers:
    /// before the strobe, strobe low, strobe high.
    pub write: [u32; 3],
    /// The same of the cycles that read; not other ones where the fields are shared.
    pub read: [u32; 3],
    /// Last byte written to the first strobe that reads.
    pub t_whr_min: Ns,
    /// Last strobe that reads to the next command.
    pub t_rhw_min: Ns,
    /// Bus clocks from the end of a strobe that reads to where the chip no longer drives the bus.
    pub float_cycles: u32,
    /// Last address byte to the first byte of data written.
    pub t_adl_min: Ns,
    /// The longest of tR and tRST: how long R/nB may stay low in what a loader does.
    pub t_busy_max: Ns,
    /// How long programming a page may take.
    pub t_prog_max: Ns,
    /// How long erasing a block may take.
    pub t_bers_max: Ns,
    /// The organisation of the largest part that the board may carry.
    pub geometry: Geometry,
}

/// R/nB stayed low longer than the part allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout;

/// Why a program or an erase did not get as far as a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// This driver only reads.
    Unsupported,
    /// The controller holds programs and erases back until it is reset.
    Locked,
    /// R/nB stayed low longer than the part allows.
    Timeout,
}

/// What the chip answers to READ STATUS (70h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u8);

impl Status {
    /// Did the last program or erase fail?
    #[must_use]
    pub const fn failed(self) -> bool {
        self.0 & 1 != 0
    }

    /// Does nWP keep the chip from being written?
    #[must_use]
    pub const fn protected(self) -> bool {
        self.0 & 1 << 7 == 0
    }
}

/// A NAND controller with one chip behind it.
///
/// A page is read as `begin_read`, `wait_ready`, then `read_page`, `read_raw` and `seek` in
/// any order; the chip keeps the page in its cache register until the next `begin_read`.
///
/// A page is written as `begin_program`, `write_page` and `write_raw` as the page lies, then
/// `program`. What is not sent stays as it is.
pub trait Nand {
    /// The organisation that the board data or the straps give.
    fn geometry(&self) -> Geometry;
    /// How the pages lie that [`Self::read_page`] computes codes for.
    fn format(&self) -> Format;
    /// Resets the chip and reads its first five id bytes.
    ///
    /// # Errors
    /// [`Timeout`] when the chip stays busy after the reset.
    fn identify(&mut self) -> Result<[u8; 5], Timeout>;
    /// Reads the parameter page of an ONFI chip (ECh) and its copies, as far as there is room; false
    /// from a chip that does not say that it is one, and from a driver that cannot.
    ///
    /// # Errors
    /// [`Timeout`] when the chip stays busy.
    fn read_parameters(&mut self, words: &mut [u32]) -> Result<bool, Timeout> {
        let _ = words;
        Ok(false)
    }
    /// Starts loading `page` into the chip's cache register (00h, address, 30h), to be put out
    /// from `column` on. The chip is busy for tR afterwards, and the CPU free.
    fn begin_read(&mut self, page: Page, column: u32);
    /// READ CACHE, on parts that have it: puts the page loaded last into the cache register, to
    /// be put out from column 0 on, and has the chip load the page after it meanwhile (31h),
    /// unless it is the `last` one (3Fh). A `wait_ready` must follow as after `begin_read`.
    fn begin_next(&mut self, last: bool);
    /// Waits for R/nB.
    ///
    /// # Errors
    /// [`Timeout`] when it stays low longer than the part allows.
    fn wait_ready(&mut self) -> Result<(), Timeout>;
    /// Transfers as many whole ECC steps as there is room for on both sides, and for each the
    /// code that the controller computed over it, first byte lowest; of codes of three bytes the
    /// upper eight bits mean nothing.
    fn read_page(&mut self, data: &mut [u32], codes: &mut [u32]);
    /// Transfers the codes stored in the OOB, once `read_page` has brought what they are for. A
    /// controller that compares the codes itself, and does not tell what it has computed, makes
    /// `computed` differ from those stored as it has found.
    fn read_codes(&mut self, computed: &mut [u32], stored: &mut [u32]) {
        let _ = computed;
        let format = self.format();
        if format.codes != format.bytes() {
            self.seek(format.codes);
        }
        self.read_raw(stored);
    }
    /// Transfers words without ECC, the byte that comes first lowest.
    fn read_raw(&mut self, words: &mut [u32]);
    /// Moves the output to `column` (05h, column, E0h); column `page` is OOB byte 0. For a chip
    /// that cannot do that, loads the page again.
    fn seek(&mut self, column: u32);

    /// READ STATUS (70h).
    ///
    /// # Errors
    /// [`WriteError::Unsupported`], as all that writes, from a driver that only reads.
    fn status(&mut self) -> Result<Status, WriteError> {
        Err(WriteError::Unsupported)
    }
    /// Starts writing a page from `column` on, which is a multiple of four (80h, address).
    fn begin_program(&mut self, page: Page, column: u32) {
        let _ = (page, column);
    }
    /// Sends as many whole ECC steps as there are on both sides, and gives for each the code that
    /// the controller computed over it, as [`Self::read_page`] does.
    fn write_page(&mut self, data: &[u32], codes: &mut [u32]) {
        let _ = (data, codes);
    }
    /// Sends words without ECC, the lowest byte first.
    fn write_raw(&mut self, words: &[u32]) {
        let _ = words;
    }
    /// Has the chip program what was sent (10h), which takes as long as tPROG, and reads its
    /// status. Calls `idle` again and again meanwhile.
    ///
    /// # Errors
    /// [`WriteError`].
    fn program(&mut self, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        let _ = idle;
        Err(WriteError::Unsupported)
    }
    /// Erases a block (60h, address, D0h), which takes as long as tBERS, and reads the chip's
    /// status. Calls `idle` again and again meanwhile.
    ///
    /// # Errors
    /// [`WriteError`].
    fn erase(&mut self, block: EraseBlock, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        let _ = (block, idle);
        Err(WriteError::Unsupported)
    }
}

/// Physical memory as the console and the image loader see it.
///
/// Addresses come from users and from image headers; the implementation decides
/// what is memory and what is not.
pub trait Memory {
    /// Reads the unit of `width` (1, 2 or 4) bytes at `address`; `None` where
    /// nothing is mapped or the address is unaligned.
    fn peek(&self, address: u32, width: u8) -> Option<u32>;
    /// Writes a unit of `width` bytes; false where that is impossible.
    fn poke(&mut self, address: u32, width: u8, value: u32) -> bool;
    /// A view of RAM for reading; `None` unless all of it is RAM.
    fn ram(&self, address: u32, len: u32) -> Option<&[u8]>;
    /// A view of RAM for writing; `None` unless all of it is RAM that the
    /// loader does not itself occupy.
    fn ram_mut(&mut self, address: u32, len: u32) -> Option<&mut [u8]>;
}

/// Words of data in the largest page that the first stage reads.
pub const PAGE_WORDS: usize = Format::LARGE.words;
/// ECC steps in it.
pub const STEPS: usize = Format::LARGE.steps;

/// A part of RAM that images may be loaded into.
pub trait Area {
    /// The `len` words from `address` on; `None` unless all of them are in the area, and the
    /// address is aligned.
    fn window(&mut self, address: u32, len: usize) -> Option<&mut [u32]>;
}

/// How far back [`Loops::fold`] reaches for the words it adds.
pub const TAPS: [usize; 4] = [145, 183, 211, 300];

/// Inner loops that have to keep up with the chip. A CPU may have them in assembly; these
/// say what they do.
pub trait Loops {
    /// Copies the words from `from` on into `to`, as many as it has, and adds (exclusive or) to each
    /// of them those that stand [`TAPS`] before it, in order. They are an even number and begin
    /// with the 300th or later. Both at once, because a store leaves for memory while the core
    /// goes on.
    fn fold(words: &mut [u32], from: usize, to: &mut [u32]) {
        to.copy_from_slice(&words[from..from + to.len()]);
        for at in from..from + to.len() {
            words[at] ^= TAPS.iter().fold(0, |sum, tap| sum ^ words[at - tap]);
        }
    }

    /// Copies the `count` words from `from` on to the front; both numbers are multiples of eight
    /// and not zero.
    fn to_front(words: &mut [u32], from: usize, count: usize) {
        words.copy_within(from..from + count, 0);
    }
}

/// What the console shows and the kernel is told of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardInfo {
    /// Name of the board as the recipes spell it.
    pub name: &'static str,
    /// Name of the SoC.
    pub soc: &'static str,
    /// ATAG machine number.
    pub machine: u32,
    /// Board revision, on boards whose kernels look at it.
    pub revision: Option<u32>,
    /// Start and size in bytes of SDRAM.
    pub sdram: (u32, u32),
    /// Start and size in bytes of the part of SDRAM that belongs to the loader.
    pub loader: (u32, u32),
    /// NAND parts that it may carry, by the numbers in the boot library's table.
    pub nand_parts: &'static [&'static str],
    /// Clock of the core.
    pub fclk: Hz,
    /// Clock of the AHB bus, a whole fraction of the core's, rounded down: memory and NAND
    /// controllers.
    pub hclk: Hz,
    /// Clock of the APB bus: UARTs and timers.
    pub pclk: Hz,
    /// Name of the console port.
    pub console: &'static str,
    /// Bits per second of the console.
    pub baud: u32,
}

/// The board as a whole, and the ways out of the loader.
pub trait Machine {
    /// What is known of the board.
    fn board(&self) -> &BoardInfo;
    /// Resets the board. Does not return, except in a test.
    fn reset(&mut self);
    /// Leaves for a kernel: caches clean and off, MMU off, SVC mode, r0 = 0, r1 =
    /// `machine`, r2 = `tags`. Does not return, except in a test.
    fn enter_kernel(&mut self, entry: u32, machine: u32, tags: u32);
    /// Calls a program that may return, with two arguments, and returns its result.
    fn call(&mut self, entry: u32, argc: u32, argv: u32) -> u32;
}

/// An exception the CPU took, as its vectors tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An instruction that the core does not know.
    Undefined,
    /// SWI: nothing here offers system calls.
    SoftwareInterrupt,
    /// An instruction was fetched from where none can be.
    PrefetchAbort,
    /// A load or store that the MMU or the bus refused.
    DataAbort,
    /// IRQ: the loader leaves all interrupts masked.
    Irq,
    /// FIQ: likewise.
    Fiq,
}

/// The state of the CPU when it took an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which exception.
    pub kind: FaultKind,
    /// r0 to r15 of the mode that was interrupted; r15 is the instruction at fault,
    /// or the next one after an interrupt.
    pub r: [u32; 16],
    /// The CPSR of the mode that was interrupted.
    pub psr: u32,
    /// Data fault status register.
    pub dfsr: u32,
    /// Fault address register: the address of a data abort.
    pub far: u32,
}

/// A counter of time, set going.
pub trait Clock {
    /// Ticks since it was set going. It never goes back, but may miss whole turns of the
    /// counter behind it when it is not looked at for 50 ms.
    fn ticks(&mut self) -> u64;
    /// Ticks in a second, a million or a little more.
    fn rate(&self) -> Hz;
}
