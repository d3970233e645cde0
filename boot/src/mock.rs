//! A board in memory, for the tests.

use crate::boot_table::{self, BootTable, Slot};
use crate::cmd::Context;
use crate::console::Console;
use crate::console::keys::Keys;
use crate::console::state::State;
use crate::crc::crc32;
use crate::descriptor::{self, Descriptor};
use crate::image::uimage::{self, Header};
use crate::nand::ecc::{Hamming, S3C24XX_HW, STEP};
use crate::nand::onfi;
use crate::nand::page::{DATA, OOB};
use platform::hal::{
    Area, BoardInfo, Clock, Format, Geometry, Loops, Machine, Memory, Nand, Serial, Status, Timeout,
    WriteError,
};
use platform::units::{EraseBlock, Hz, Page};
use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::string::String;
use std::vec::Vec;

/// Bytes of data in an erase block.
pub const BLOCK: u32 = 64 * DATA as u32;

/// A serial port that records and plays back.
#[derive(Default)]
pub struct MockSerial {
    /// What was sent.
    pub output: Vec<u8>,
    /// What is still to be received.
    pub input: VecDeque<u8>,
    /// The rates that it was set to. It cannot do less than 300.
    pub bauds: Vec<u32>,
}

impl Serial for MockSerial {
    fn put(&mut self, byte: u8) {
        self.output.push(byte);
    }
    fn get(&mut self) -> Option<u8> {
        self.input.pop_front()
    }
    fn flush(&mut self) {}
    fn set_baud(&mut self, _: Hz, baud: u32) -> bool {
        self.bauds.extend(Some(baud).filter(|baud| *baud >= 300));
        baud >= 300
    }
}

/// A chip of 2048 + 64 byte pages, those that are erased not stored.
pub struct MockNand {
    /// What the controller says.
    pub geometry: Geometry,
    /// What it answers to READ ID.
    pub id: [u8; 5],
    /// The parameter page and its copies, of an ONFI chip.
    pub parameters: Vec<[u8; onfi::LEN]>,
    /// The chip never becomes ready.
    pub stuck: bool,
    pages: BTreeMap<u32, [u8; DATA + OOB]>,
    cache: [u8; DATA + OOB],
    column: usize,
    /// The page loaded last, and the one that READ CACHE is loading behind it.
    loaded: u32,
    ahead: Option<u32>,
    /// A page is being loaded: nothing but waiting will do.
    busy: bool,
    /// Pages loaded.
    pub loads: u32,
    /// Words taken of the page that was loaded last.
    pub words: u32,
    /// Pages whose programming fails, and leaves half of it.
    pub fail_program: BTreeSet<u32>,
    /// Blocks whose erasing fails, and leaves everything.
    pub fail_erase: BTreeSet<u32>,
    /// Bytes that lose their bits when they are programmed, without the chip noticing: page, byte.
    pub weak: Vec<(u32, usize)>,
    /// nWP is low.
    pub protected: bool,
    /// The page being sent, in the cache.
    target: Option<u32>,
    /// How often pages were programmed since they were erased, by page.
    programmed: BTreeMap<u32, u32>,
    /// Programs and erases.
    pub changes: u32,
}

impl MockNand {
    /// An erased chip.
    pub fn new(blocks: u32) -> Self {
        Self {
            geometry: Geometry { page: DATA as u32, oob: OOB as u32, pages_per_block: 64, blocks },
            id: [0xec, 0xaa, 0x10, 0x15, 0x44],
            parameters: Vec::new(),
            stuck: false,
            pages: BTreeMap::new(),
            cache: [0; DATA + OOB],
            column: 0,
            loaded: 0,
            ahead: None,
            busy: false,
            loads: 0,
            words: 0,
            fail_program: BTreeSet::new(),
            fail_erase: BTreeSet::new(),
            weak: Vec::new(),
            protected: false,
            target: None,
            programmed: BTreeMap::new(),
            changes: 0,
        }
    }

    fn page(&mut self, page: u32) -> &mut [u8; DATA + OOB] {
        self.pages.entry(page).or_insert([0xff; DATA + OOB])
    }

    /// Writes a page with its ECC; short data is padded with FF.
    pub fn write(&mut self, page: u32, data: &[u8]) {
        let stored = self.page(page);
        stored.fill(0xff);
        stored[..data.len()].copy_from_slice(data);
        let (data, oob) = stored.split_at_mut(DATA);
        S3C24XX_HW.encode(data, oob);
    }

    /// Writes a page with an OOB of its own.
    pub fn write_raw(&mut self, page: u32, data: &[u8], oob: &[u8]) {
        let stored = self.page(page);
        stored[..DATA].copy_from_slice(data);
        stored[DATA..].copy_from_slice(oob);
    }

    /// Writes bytes page after page from an erase block on, skipping those marked bad.
    pub fn write_from(&mut self, block: u32, bytes: &[u8]) {
        let mut block = block;
        for chunk in bytes.chunks(BLOCK as usize) {
            while [0, 1].iter().any(|page| self.page(block * 64 + page)[DATA] != 0xff) {
                block += 1;
            }
            for (page, data) in (block * 64..).zip(chunk.chunks(DATA)) {
                self.write(page, data);
            }
            block += 1;
        }
    }

    /// Inverts one bit of a page; bytes from `DATA` on are OOB.
    pub fn flip(&mut self, page: u32, byte: usize, bit: u8) {
        self.page(page)[byte] ^= 1 << bit;
    }

    /// Puts a bad mark on a block, as its maker would.
    pub fn mark_bad(&mut self, block: u32) {
        self.page(block * 64)[DATA] = 0;
    }

    /// Puts a bad mark on the second page only, which is as good.
    pub fn mark_bad_second(&mut self, block: u32) {
        self.page(block * 64 + 1)[DATA] = 0;
    }

    /// Erases the chip, marks included.
    pub fn erase_all(&mut self) {
        self.pages.clear();
        self.programmed.clear();
    }

    /// Is the block erased?
    pub fn is_erased(&self, block: u32) -> bool {
        self.pages.range(block * 64..block * 64 + 64).all(|(_, page)| *page == [0xff; DATA + OOB])
    }

    /// The data of a page.
    pub fn data(&self, page: u32) -> Vec<u8> {
        self.pages.get(&page).map_or(std::vec![0xff; DATA], |bytes| bytes[..DATA].to_vec())
    }

    fn answer(&self, failed: bool) -> Result<Status, WriteError> {
        if self.stuck {
            return Err(WriteError::Timeout);
        }
        Ok(Status(0x60 | u8::from(!self.protected) << 7 | u8::from(failed)))
    }

    /// Programming only clears bits.
    fn settle(&mut self, page: u32) {
        let failed = self.fail_program.contains(&page);
        let sent = if failed { DATA / 2 } else { DATA + OOB };
        let cache = self.cache;
        for (stored, byte) in self.page(page).iter_mut().zip(cache).take(sent) {
            *stored &= byte;
        }
        for (_, byte) in self.weak.clone().into_iter().filter(|(weak, _)| *weak == page) {
            self.page(page)[byte] = 0;
        }
    }
}

impl Nand for MockNand {
    fn geometry(&self) -> Geometry {
        self.geometry
    }
    fn identify(&mut self) -> Result<[u8; 5], Timeout> {
        if self.stuck { Err(Timeout) } else { Ok(self.id) }
    }
    fn read_parameters(&mut self, words: &mut [u32]) -> Result<bool, Timeout> {
        assert!(!self.busy, "parameters are asked for while a page is being loaded");
        let bytes = self.parameters.as_flattened();
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Ok(!bytes.is_empty())
    }
    fn format(&self) -> Format {
        Format::LARGE
    }
    fn begin_read(&mut self, page: Page, column: u32) {
        assert!(page.0 < self.geometry.blocks * 64, "page {page:?} is not in the chip");
        assert!(!self.busy, "page {page:?} is asked for while another is being loaded");
        self.busy = true;
        self.loads += 1;
        self.words = 0;
        assert!(self.ahead.is_none(), "page {page:?} is asked for in the middle of READ CACHE");
        self.loaded = page.0;
        self.cache = self.pages.get(&page.0).copied().unwrap_or([0xff; DATA + OOB]);
        self.column = column as usize;
    }
    fn begin_next(&mut self, last: bool) {
        assert!(!self.busy, "READ CACHE while a page is being loaded");
        assert!(!last || self.ahead.is_some(), "READ CACHE ends without having begun");
        let page = self.ahead.unwrap_or(self.loaded);
        self.cache = self.pages.get(&page).copied().unwrap_or([0xff; DATA + OOB]);
        self.column = 0;
        self.busy = true;
        self.ahead = (!last).then_some(page + 1);
        assert!(self.ahead.is_none_or(|page| !page.is_multiple_of(64)), "READ CACHE leaves block");
        self.loads += u32::from(!last);
    }
    fn wait_ready(&mut self) -> Result<(), Timeout> {
        assert!(self.busy, "nothing is on the way, R/nB will not rise");
        self.busy = false;
        if self.stuck { Err(Timeout) } else { Ok(()) }
    }
    fn read_page(&mut self, data: &mut [u32], codes: &mut [u32]) {
        self.read_raw(data);
        for (code, step) in codes.iter_mut().zip(data.chunks_exact(STEP / 4)) {
            *code = Hamming::S3C24XX_256.compute(step);
        }
    }
    fn read_raw(&mut self, words: &mut [u32]) {
        assert!(!self.busy, "data is taken while the page is being loaded");
        for word in words {
            *word = u32::from_le_bytes(*self.cache[self.column..].first_chunk().unwrap());
            self.column += 4;
            self.words += 1;
        }
    }
    fn seek(&mut self, column: u32) {
        self.column = column as usize;
    }
    fn status(&mut self) -> Result<Status, WriteError> {
        assert!(!self.busy, "status is asked for while a page is being loaded");
        self.answer(false)
    }
    fn begin_program(&mut self, page: Page, column: u32) {
        assert!(page.0 < self.geometry.blocks * 64, "page {page:?} is not in the chip");
        assert!(!self.busy && self.ahead.is_none(), "page {page:?} is written while another is being loaded");
        assert!(column.is_multiple_of(4));
        self.target = Some(page.0);
        self.cache = [0xff; DATA + OOB];
        self.column = column as usize;
        // Marks of bad blocks are put where they belong, whatever was programmed before.
        let behind = self.programmed.range(page.0 + 1..(page.0 | 63) + 1).next();
        assert!(column as usize >= DATA || behind.is_none(), "page {page:?} is written after {behind:?}");
    }
    fn write_page(&mut self, data: &[u32], codes: &mut [u32]) {
        for (code, step) in codes.iter_mut().zip(data.chunks_exact(STEP / 4)) {
            Nand::write_raw(self, step);
            *code = Hamming::S3C24XX_256.compute(step);
        }
    }
    fn write_raw(&mut self, words: &[u32]) {
        assert!(self.target.is_some(), "data is sent for no page");
        for word in words {
            self.cache[self.column..][..4].copy_from_slice(&word.to_le_bytes());
            self.column += 4;
        }
    }
    fn program(&mut self, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        let page = self.target.take().expect("nothing has been sent");
        idle();
        self.changes += 1;
        if self.protected || self.stuck {
            return self.answer(false);
        }
        let times = self.programmed.entry(page).or_default();
        *times += 1;
        assert!(*times <= 4, "page {page} is programmed {times} times");
        self.settle(page);
        self.answer(self.fail_program.contains(&page))
    }
    fn erase(&mut self, block: EraseBlock, idle: &mut dyn FnMut()) -> Result<Status, WriteError> {
        assert!(block.0 < self.geometry.blocks, "block {block:?} is not in the chip");
        idle();
        self.changes += 1;
        let failed = self.fail_erase.contains(&block.0);
        if !(failed || self.protected || self.stuck) {
            let pages = block.0 * 64..block.0 * 64 + 64;
            self.pages.retain(|page, _| !pages.contains(page));
            self.programmed.retain(|page, _| !pages.contains(page));
        }
        self.answer(failed)
    }
}

/// Start of the mock's RAM.
pub const RAM: u32 = 0x3000_0000;
/// Bytes of it.
pub const RAM_SIZE: u32 = 0x0100_0000;
/// Start of the loader's part, which reaches to the end.
pub const LOADER: u32 = RAM + RAM_SIZE - 0x20_0000;

/// RAM whose top belongs to the loader; nothing else is mapped.
pub struct MockMemory {
    bytes: Vec<u8>,
}

impl MockMemory {
    fn at(&self, address: u32, len: u32) -> Option<core::ops::Range<usize>> {
        let start = address.checked_sub(RAM)?;
        let end = start.checked_add(len)?;
        (end <= RAM_SIZE).then_some(start as usize..end as usize)
    }

    /// Stores bytes anywhere in RAM.
    pub fn store(&mut self, address: u32, bytes: &[u8]) {
        let range = self.at(address, bytes.len() as u32).unwrap();
        self.bytes[range].copy_from_slice(bytes);
    }

    /// The bytes of a range of RAM.
    pub fn load(&self, address: u32, len: u32) -> &[u8] {
        &self.bytes[self.at(address, len).unwrap()]
    }

    /// The bytes of the loader's part.
    pub fn loader(&self) -> &[u8] {
        self.load(LOADER, RAM + RAM_SIZE - LOADER)
    }
}

impl Memory for MockMemory {
    fn peek(&self, address: u32, width: u8) -> Option<u32> {
        if !address.is_multiple_of(width.into()) {
            return None;
        }
        let bytes = &self.bytes[self.at(address, width.into())?];
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }
    fn poke(&mut self, address: u32, width: u8, value: u32) -> bool {
        let Some(range) = self.at(address, width.into()) else { return false };
        if !address.is_multiple_of(width.into()) || address >= LOADER {
            return false;
        }
        self.bytes[range].copy_from_slice(&value.to_le_bytes()[..width.into()]);
        true
    }
    fn ram(&self, address: u32, len: u32) -> Option<&[u8]> {
        Some(&self.bytes[self.at(address, len)?])
    }
    fn ram_mut(&mut self, address: u32, len: u32) -> Option<&mut [u8]> {
        let range = self.at(address, len)?;
        if range.end > (LOADER - RAM) as usize {
            return None;
        }
        Some(&mut self.bytes[range])
    }
}

/// RAM by words, for images that are loaded without a console around.
pub struct MockArea {
    /// Address of the first word.
    pub start: u32,
    /// Its words.
    pub ram: Vec<u32>,
}

impl Area for MockArea {
    fn window(&mut self, address: u32, len: usize) -> Option<&mut [u32]> {
        let first = address.checked_sub(self.start)? as usize / 4;
        let aligned = address.is_multiple_of(4);
        self.ram.get_mut(first..first.checked_add(len)?).filter(|_| aligned)
    }
}

impl Loops for MockArea {}

/// What the mock was told to leave for.
#[derive(Debug, PartialEq, Eq)]
pub enum Left {
    /// `reset`
    Reset,
    /// `enter_kernel`: entry, machine, tags.
    Kernel(u32, u32, u32),
    /// `call`: entry, argc, argv.
    Call(u32, u32, u32),
}

/// A board that records how it was left.
pub struct MockMachine {
    /// What it says of itself.
    pub info: BoardInfo,
    /// Every way out that was taken.
    pub left: Vec<Left>,
}

impl Machine for MockMachine {
    fn board(&self) -> &BoardInfo {
        &self.info
    }
    fn reset(&mut self) {
        self.left.push(Left::Reset);
    }
    fn enter_kernel(&mut self, entry: u32, machine: u32, tags: u32) {
        self.left.push(Left::Kernel(entry, machine, tags));
    }
    fn call(&mut self, entry: u32, argc: u32, argv: u32) -> u32 {
        self.left.push(Left::Call(entry, argc, argv));
        0x2a
    }
}

/// A clock of which a fixed time passes from one look to the next.
pub struct MockClock {
    /// The time of the last look, in microseconds.
    now: u64,
    /// What passes until the next.
    pub step: u64,
}

impl Clock for MockClock {
    fn ticks(&mut self) -> u64 {
        self.now += self.step;
        self.now
    }
    fn rate(&self) -> Hz {
        Hz(1_000_000)
    }
}

/// The whole board.
pub struct Board {
    /// Console port.
    pub serial: MockSerial,
    /// Keys that wait.
    pub keys: Keys,
    /// NAND.
    pub nand: MockNand,
    /// RAM.
    pub memory: MockMemory,
    /// The rest.
    pub machine: MockMachine,
    /// The time.
    pub clock: MockClock,
    /// What the console remembers.
    pub state: Box<State>,
}

impl Default for Board {
    fn default() -> Self {
        Self::new()
    }
}

impl Board {
    /// A board with an erased chip of 64 blocks and zeroed RAM.
    pub fn new() -> Self {
        let info = BoardInfo {
            name: "mock",
            soc: "S3C2440A",
            machine: 1999,
            revision: None,
            sdram: (RAM, RAM_SIZE),
            loader: (LOADER, RAM + RAM_SIZE - LOADER),
            nand_parts: &["K5D2G13ACM"],
            fclk: Hz(400_000_000),
            hclk: Hz(133_333_333),
            pclk: Hz(66_666_666),
            console: "UART0",
            baud: 115_200,
        };
        Self {
            serial: MockSerial::default(),
            keys: Keys::new(),
            nand: MockNand::new(64),
            memory: MockMemory { bytes: std::vec![0; RAM_SIZE as usize] },
            machine: MockMachine { info, left: Vec::new() },
            clock: MockClock { now: 0, step: 128 },
            state: Box::new(State::new()),
        }
    }

    /// Writes a boot table with two kernel slots at blocks 8 and 12 and one for stage2.
    pub fn write_boot_table(&mut self, cmdline: &str) {
        let slot = |start, blocks| Slot { start, blocks };
        let table = BootTable {
            machine: 1999,
            kernel: [slot(8, 4), slot(12, 4)],
            stage2: [slot(1, 3), Slot::default()],
            cmdline,
        };
        let mut page = [0; DATA];
        page[boot_table::OFFSET..][..boot_table::LEN].copy_from_slice(&table.to_bytes(crc32).unwrap());
        self.nand.write(0, &page);
    }

    /// Writes a flash descriptor, twice.
    pub fn write_descriptor(&mut self, descriptor: &Descriptor) {
        let record = descriptor.to_bytes().unwrap();
        for offset in descriptor::copies(&self.nand.geometry) {
            self.nand.write(offset / DATA as u32, &record);
        }
    }

    /// Lends the board to commands.
    pub fn with<T>(&mut self, act: impl FnOnce(&mut Context<'_>) -> T) -> T {
        let Self { serial, keys, nand, memory, machine, clock, state } = self;
        act(&mut Context::new(Console::new(serial, keys), nand, memory, machine, clock, state))
    }

    /// Runs command lines, as far as there are any; returns what they printed.
    pub fn run(&mut self, line: &str) -> String {
        self.with(|ctx| crate::console::shell::execute(ctx, line));
        self.output()
    }

    /// Takes what was printed, with carriage returns removed.
    pub fn output(&mut self) -> String {
        let bytes: Vec<u8> = self.serial.output.drain(..).filter(|&b| b != b'\r').collect();
        String::from_utf8(bytes).unwrap()
    }
}

/// A uImage of a kernel for [`RAM`] + 0x8000, after a change of its header.
pub fn image(data: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let mut name = [0; uimage::NAME];
    name[..4].copy_from_slice(b"test");
    let mut header = Header {
        time: 0,
        size: data.len() as u32,
        load: RAM + 0x8000,
        entry: RAM + 0x8000,
        data_crc: crc32(data),
        os: uimage::OS_LINUX,
        arch: uimage::ARCH_ARM,
        kind: uimage::TYPE_KERNEL,
        comp: uimage::COMP_NONE,
        name,
    };
    change(&mut header);
    [&header.to_bytes(crc32), data].concat()
}

/// Numbers without a pattern, repeatably: xorshift32 (Marsaglia 2003).
pub struct Random(u32);

impl Random {
    /// Numbers that a seed leads to.
    pub fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % end
    }
}
