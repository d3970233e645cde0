//! A NAND chip at its pins: commands, busy times, R/nB.
//!
//! The operations are those of the data sheets: READ (00h, 30h; with small pages 00h, 01h or 50h
//! alone), RANDOM DATA OUTPUT (05h, E0h) and INPUT (85h) with large pages, READ CACHE (31h, 3Fh) where
//! the part has it, READ ID (90h), READ STATUS (70h), RESET (FFh), PROGRAM (80h, 10h), and ERASE
//! (60h, D0h). Copy-back and two-plane operations are not modelled and are reported like commands
//! that do not exist.

use super::array::{Array, noise};
use super::faults::{Faults, PartError};
use super::log::{DeliveredFlip, Log};
use super::pins::Pins;
use super::power::Power;
use super::strobes::{Cycle, Nanoseconds, Pulse, Strobes, Wrong};
use super::{Area, NandImage, Part};
use crate::bus::{Access, Ps};
use crate::time::NEVER;
use std::cell::Cell;

/// A sequence that takes address cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Read,
    RandomOutput,
    Id,
    Program,
    RandomInput,
    Erase,
}

/// What the chip takes next, besides a command that begins something new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing.
    Idle,
    /// Address cycles, of which so many have come.
    Address(Op, u8),
    /// The second command of the sequence.
    Confirm(Op),
    /// Data of a page program, or 85h, or 10h.
    Data,
}

/// What nRE brings out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Nothing,
    Page,
    Status,
    /// The id from this address; the index of the next byte.
    Id(u8, usize),
}

/// What the chip is doing inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Read,
    Program(u32),
    Erase(u32),
    Reset,
}

/// A busy time, as R/nB shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Busy {
    pub(super) work: Work,
    /// Rise of nWE of the command that began it.
    pub(super) from: Ps,
    /// R/nB falls: tWB later.
    pub(super) fall: Ps,
    /// R/nB rises.
    pub(super) rise: Ps,
}

/// The page READ CACHE is loading behind the one that goes out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    pub(super) page: u32,
    pub(super) loaded: Ps,
}

/// A NAND chip.
#[derive(Debug)]
pub struct Chip {
    pub(super) part: &'static Part,
    pub(super) array: Array,
    pub(super) strobes: Strobes,
    pub(super) log: Log,
    pub(super) selected: bool,
    pub(super) protected: bool,
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) address: [u8; 5],
    /// Where the column address counts from.
    pub(super) area: &'static Area,
    /// The page register (with READ CACHE the cache register, which is the one the bus sees).
    pub(super) register: Box<[u8]>,
    /// The page in the register, when it was read.
    pub(super) page: Option<u32>,
    pub(super) column: usize,
    /// Flipped bits of the register that have not been read yet.
    pub(super) flips: Vec<DeliveredFlip>,
    pub(super) ahead: Option<Ahead>,
    /// The latest busy time; its work is done when it has been settled.
    pub(super) busy: Busy,
    pub(super) settled: bool,
    pub(super) failed: bool,
    /// Start of the latest 00h cycle.
    pub(super) read_start: Ps,
    /// The page that is to be programmed.
    pub(super) target: u32,
    pub(super) power: Power,
    /// The last thing at the pins, for a watcher: a look at R/nB is one too.
    pub(super) pins: Cell<Pins>,
}

impl Chip {
    /// A chip after power-up.
    ///
    /// # Errors
    /// When the image or a fault does not fit the part.
    pub fn new(part: &'static Part, image: NandImage, faults: Faults) -> Result<Self, PartError> {
        let power = Power::new(faults.seed);
        Ok(Self {
            part,
            array: Array::new(part, image, faults)?,
            strobes: Strobes::new(part),
            log: Log::default(),
            selected: false,
            protected: false,
            input: Input::Idle,
            output: Output::Nothing,
            address: [0; 5],
            area: part.commands.first_area(),
            register: vec![0xFF; part.geometry.page_total() as usize].into_boxed_slice(),
            page: None,
            column: 0,
            flips: Vec::new(),
            ahead: None,
            busy: Busy { work: Work::Reset, from: 0, fall: 0, rise: 0 },
            settled: true,
            failed: false,
            read_start: 0,
            target: 0,
            power,
            pins: Cell::default(),
        })
    }

    /// The part this is one of.
    #[must_use]
    pub fn part(&self) -> &'static Part {
        self.part
    }

    /// The content of the cells, without the faults. A program or erase still under way shows
    /// when it has been noticed to have ended.
    #[must_use]
    pub fn image(&self) -> &NandImage {
        self.array.image()
    }

    /// Gives the image back; an operation under way ends first.
    #[must_use]
    pub fn into_image(mut self) -> NandImage {
        self.power.off = NEVER;
        self.settle(NEVER);
        self.array.into_image()
    }

    /// What has been done so far.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The WP pin: while it is low (`protected`) nothing is programmed or erased.
    pub fn set_write_protect(&mut self, protected: bool) {
        self.protected = protected;
    }

    /// The nCE pin.
    pub fn select(&mut self, selected: bool, access: &mut Access<'_>) {
        if selected && !self.selected {
            self.strobes.select(access.now);
        }
        if !selected && self.selected {
            self.strobes.deselect(access.now, access);
        }
        self.selected = selected;
    }

    /// Level of R/nB, for the controller that looks at the pin.
    #[must_use]
    pub fn ready(&self, now: Ps) -> bool {
        self.pins.set(Pins::Ready);
        self.is_ready(now)
    }

    pub(super) fn is_ready(&self, now: Ps) -> bool {
        now < self.busy.fall || now >= self.busy.rise
    }

    /// When R/nB last fell or will fall, and when it rises after that.
    #[must_use]
    pub fn busy_edges(&self) -> (Ps, Ps) {
        (self.busy.fall, self.busy.rise)
    }

    /// A command cycle (CLE high) begins at `start`.
    pub fn command(&mut self, byte: u8, start: Ps, pulse: Pulse, access: &mut Access<'_>) {
        self.pins.set(Pins::Command(byte));
        let cycle = Cycle::Command(byte);
        if !self.is_selected(cycle, access) {
            return;
        }
        let rise = self.strobes.latch(cycle, start, pulse, access);
        if self.refuses_while_busy(cycle, start + pulse.setup, access) && !matches!(byte, 0x70 | 0xFF) {
            return;
        }
        self.settle(start);
        if self.input == Input::Address(Op::Read, 0) {
            // 00h without an address has gone back to the data, and binds to nothing.
            self.input = Input::Idle;
        }
        let commands = self.part.commands;
        if let (Some(area), Input::Idle) = (commands.area(byte), self.input) {
            return self.begin_read(area, start);
        }
        match (byte, self.input) {
            (0xFF, _) => self.reset(rise),
            (0x70, Input::Idle) => self.output = Output::Status,
            (0x30, Input::Confirm(Op::Read)) => self.read_page(rise, access),
            (0xE0, Input::Confirm(Op::RandomOutput)) => self.random_output(access),
            (0xD0, Input::Confirm(Op::Erase)) => self.erase(rise, access),
            (0x10, Input::Data) => self.program(rise, access),
            (0x85, Input::Data) if commands.random_column => self.input = Input::Address(Op::RandomInput, 0),
            (0x31 | 0x3F, Input::Idle) if self.part.cache_read => {
                self.read_cache(byte == 0x31, start, rise, access);
            }
            (0x05, Input::Idle) if commands.random_column && self.page.is_some() => {
                self.input = Input::Address(Op::RandomOutput, 0);
            }
            (0x90, Input::Idle) => self.begin(Op::Id, access),
            (0x80, Input::Idle) => self.begin(Op::Program, access),
            (0x60, Input::Idle) => self.begin(Op::Erase, access),
            _ => self.misplaced(byte, access),
        }
    }

    /// An address cycle (ALE high) begins at `start`.
    pub fn address(&mut self, byte: u8, start: Ps, pulse: Pulse, access: &mut Access<'_>) {
        self.pins.set(Pins::Address);
        let cycle = Cycle::Address(byte);
        if !self.is_selected(cycle, access) {
            return;
        }
        let rise = self.strobes.latch(cycle, start, pulse, access);
        if self.refuses_while_busy(cycle, start + pulse.setup, access) {
            return;
        }
        let Input::Address(op, taken) = self.input else {
            let detail = format!("address {byte:02X}h is not expected ({})", self.state());
            access.violation("nand-protocol", detail);
            return;
        };
        self.address[usize::from(taken)] = byte;
        self.input = Input::Address(op, taken + 1);
        if taken + 1 == self.address_cycles(op) {
            self.addressed(op, rise, access);
        }
    }

    /// `count` (1 to 4) data input cycles begin at `start`, back to back; the first byte is the lowest.
    pub fn write(&mut self, bytes: u32, count: u32, start: Ps, pulse: Pulse, access: &mut Access<'_>) {
        self.pins.set(Pins::DataIn);
        if !self.is_selected(Cycle::DataIn, access) {
            return;
        }
        self.strobes.data_in(start, count, pulse, access);
        if self.refuses_while_busy(Cycle::DataIn, start, access) {
            return;
        }
        if self.input != Input::Data {
            access.violation("nand-protocol", format!("data in is not expected ({})", self.state()));
            return;
        }
        for byte in bytes.to_le_bytes().into_iter().take(count as usize) {
            let Some(cell) = self.register.get_mut(self.column) else {
                access.violation("nand-protocol", format!("data in beyond byte {} of the page", self.column));
                return;
            };
            *cell = byte;
            self.column += 1;
        }
    }

    /// `count` (1 to 4) data output cycles begin at `start`, back to back; the first byte is the lowest.
    /// Bytes above the `count`-th mean nothing.
    pub fn read(&mut self, count: u32, start: Ps, pulse: Pulse, access: &mut Access<'_>) -> u32 {
        if !self.is_selected(Cycle::DataOut, access) {
            return u32::MAX;
        }
        let is_status = self.output == Output::Status;
        let too_early = !is_status && self.refuses_while_busy(Cycle::DataOut, start, access);
        let after_ready = !is_status && !too_early;
        let strobes = self.strobes.data_out(start, count, pulse, after_ready, access);
        let wrong = if too_early { Wrong::All } else { strobes };
        let at = self.column;
        let bytes = match self.output {
            Output::Page => self.page_bytes(count, start, pulse, access),
            Output::Status => {
                self.settle(start);
                u32::from(self.status(start)) * 0x0101_0101
            }
            Output::Id(address, index) => self.id_bytes(address, index, count),
            Output::Nothing => {
                access.violation("nand-protocol", format!("there is nothing to read ({})", self.state()));
                u32::MAX
            }
        };
        self.pins.set(Pins::DataOut { column: self.column as u32, bytes: count });
        match wrong {
            Wrong::None => bytes,
            Wrong::First => bytes ^ self.garbage(at) & 0xFF,
            Wrong::All => bytes ^ self.garbage(at),
        }
    }

    /// Bits to invert in the four bytes from `column` on, at least one in each.
    fn garbage(&self, column: usize) -> u32 {
        let page = self.page.unwrap_or(0);
        u32::from_le_bytes(std::array::from_fn(|byte| noise(page, (column + byte) as u32) | 1))
    }

    fn is_selected(&self, cycle: Cycle, access: &mut Access<'_>) -> bool {
        if !self.selected {
            access.violation("nand-protocol", format!("nCE is high, {cycle}"));
        }
        self.selected
    }

    /// Reports a cycle that starts before the chip is ready.
    fn refuses_while_busy(&self, cycle: Cycle, fall: Ps, access: &mut Access<'_>) -> bool {
        if fall >= self.busy.rise || fall < self.busy.from {
            return false;
        }
        let since = Nanoseconds(fall - self.busy.from);
        if fall < self.busy.fall {
            // R/nB is still high: whoever polled it now took the old level for the new one.
            let limit = self.part.timing.t_wb_max;
            let detail = format!(
                "tWB: {since} ns after the last command, R/nB of {} falls after up to {} ns ({}), {cycle}",
                self.part.name, limit.ns, limit.source
            );
            access.violation("nand-timing", detail);
        } else if !matches!(cycle, Cycle::Command(0x70 | 0xFF)) {
            let left = Nanoseconds(self.busy.rise - fall);
            access.violation("nand-timing", format!("busy for another {left} ns, {cycle}"));
        }
        true
    }

    fn address_cycles(&self, op: Op) -> u8 {
        let geometry = &self.part.geometry;
        match op {
            Op::Read | Op::Program => geometry.column_cycles + geometry.row_cycles,
            Op::RandomOutput | Op::RandomInput => geometry.column_cycles,
            Op::Erase => geometry.row_cycles,
            Op::Id => 1,
        }
    }

    /// A READ command: the start of a page read, or, without an address, back from the status to the
    /// data, or the pointer for a program.
    fn begin_read(&mut self, area: &'static Area, start: Ps) {
        self.area = area;
        self.input = Input::Address(Op::Read, 0);
        self.read_start = start;
        self.output = if self.page.is_some() { Output::Page } else { Output::Nothing };
    }

    fn begin(&mut self, op: Op, access: &mut Access<'_>) {
        self.end_cache_read(access);
        self.input = Input::Address(op, 0);
        self.output = Output::Nothing;
        if op == Op::Program {
            self.register.fill(0xFF);
            self.page = None;
        }
    }

    /// The last address cycle of a sequence is in, with the rise of nWE.
    fn addressed(&mut self, op: Op, rise: Ps, access: &mut Access<'_>) {
        self.input = match op {
            Op::Read if self.part.commands.read_confirm.is_none() => return self.read_page(rise, access),
            Op::Read | Op::RandomOutput | Op::Erase => Input::Confirm(op),
            Op::Id => {
                self.output = Output::Id(self.address[0], 0);
                Input::Idle
            }
            Op::Program => {
                self.target = self.row_from(self.part.geometry.column_cycles, access);
                self.column = self.addressed_column(access);
                Input::Data
            }
            Op::RandomInput => {
                self.column = self.addressed_column(access);
                Input::Data
            }
        };
    }

    /// The row of the address, whose first byte is the `first`-th. Beyond the chip it wraps.
    pub(super) fn row_from(&self, first: u8, access: &mut Access<'_>) -> u32 {
        let geometry = &self.part.geometry;
        let bytes = &self.address[usize::from(first)..usize::from(first + geometry.row_cycles)];
        let row = bytes.iter().rev().fold(0, |row, &byte| row << 8 | u32::from(byte));
        if row >= geometry.pages() {
            let detail = format!("page {row}: {} has pages 0 to {}", self.part.name, geometry.pages() - 1);
            access.violation("nand-protocol", detail);
        }
        row % geometry.pages()
    }

    /// The column of the address.
    pub(super) fn addressed_column(&self, access: &mut Access<'_>) -> usize {
        let bytes = &self.address[..usize::from(self.part.geometry.column_cycles)];
        let address = bytes.iter().rev().fold(0, |address, &byte| address << 8 | u16::from(byte));
        let column = self.area.column(address);
        let bytes = self.register.len();
        if column >= bytes {
            access
                .violation("nand-protocol", format!("column {column}: a page has bytes 0 to {}", bytes - 1));
        }
        column
    }

    /// A command that does not exist or does not belong here: the sequence is lost.
    pub(super) fn misplaced(&mut self, byte: u8, access: &mut Access<'_>) {
        let detail = format!("command {byte:02X}h is not expected ({})", self.state());
        access.violation("nand-protocol", detail);
        self.input = Input::Idle;
        self.output = Output::Nothing;
    }

    /// What the chip waits for, for messages.
    pub(super) fn state(&self) -> String {
        let name = self.part.name;
        match self.input {
            Input::Idle => format!("{name} waits for a command"),
            Input::Address(op, taken) => {
                format!("{op:?}: {taken} of {} address cycles", self.address_cycles(op))
            }
            Input::Confirm(op) => format!("{op:?}: {name} waits for the second command"),
            Input::Data => format!("Program: {name} takes data or 10h"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::part::bench::{Bench, NS};
    use crate::part::{Faults, Flip, NandImage, k5d2g13acm, k9f1g08u0b, k9f2g08u0b, mt29f2g08aac};

    const NONE: [&str; 0] = [];

    /// Two pages; byte i of page p is i + 16 p, spare bytes included.
    fn two_pages() -> NandImage {
        NandImage::from_bytes((0..2 * 2112).map(|i| (i % 2112 + i / 2112 * 16) as u8).collect())
    }

    #[test]
    fn id() {
        let check = |part: &'static crate::part::Part, address, expected: &[u8]| {
            let mut bench = Bench::new(part);
            bench.command(0x90);
            bench.address(&[address]);
            assert_eq!(bench.read(expected.len()), expected, "{}", part.name);
            assert_eq!(bench.complaints(), NONE);
        };
        check(&k9f1g08u0b::PART, 0, &[0xEC, 0xF1, 0x00, 0x95, 0x40, 0, 0, 0]);
        check(&k9f2g08u0b::PART, 0, &[0xEC, 0xDA, 0x10, 0x95, 0x44]);
        check(&k5d2g13acm::PART, 0, &[0xEC, 0xAA]);
        check(&k9f2g08u0b::PART, 0x20, &[0, 0, 0, 0]);
    }

    #[test]
    fn read_and_random_output() {
        let mut bench = Bench::with(&k9f2g08u0b::PART, two_pages(), Faults::default());
        bench.read_page(1, 3);
        assert_eq!(bench.read(5), [19, 20, 21, 22, 23]);
        bench.command(0x05);
        bench.address(&[0x01, 0x08]);
        bench.command(0xE0);
        assert_eq!(bench.read(2), [17, 18]);
        bench.read_page(70_000, 0);
        assert_eq!(bench.read(4), [0xFF; 4]);
        assert_eq!(bench.complaints(), NONE);
        let reads = &bench.chip.log().reads;
        assert_eq!(
            reads.iter().map(|read| (read.page, read.bytes)).collect::<Vec<_>>(),
            [(1, 7), (70_000, 4)]
        );
        assert_eq!(bench.chip.log().bytes, 11);
    }

    #[test]
    fn four_address_cycles() {
        let mut bench = Bench::with(&k9f1g08u0b::PART, two_pages(), Faults::default());
        bench.command(0x00);
        bench.address(&[0, 0, 1, 0]);
        bench.command(0x30);
        bench.wait();
        assert_eq!(bench.read(2), [16, 17]);
        assert_eq!(bench.complaints(), NONE);
        bench.command(0x00);
        bench.address(&[0, 0, 1, 0, 0]);
        assert_eq!(
            bench.complaints(),
            ["nand-protocol: address 00h is not expected (Read: K9F1G08U0B waits for the second command)"]
        );
    }

    #[test]
    fn busy_times_and_the_level_of_ready() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.command(0x00);
        bench.address(&[0; 5]);
        let rise = bench.now + 70 * NS;
        bench.command(0x30);
        let check = |at, ready| assert_eq!(bench.chip.ready(rise + at * NS), ready, "{at}");
        check(0, true);
        check(99, true);
        check(100, false);
        check(25_099, false);
        check(25_100, true);
        assert_eq!(bench.chip.log().busy, 25_000 * NS);
    }

    #[test]
    fn reading_while_busy_is_reported_and_wrong() {
        let mut bench = Bench::with(&k9f2g08u0b::PART, two_pages(), Faults::default());
        bench.command(0x00);
        bench.address(&[0; 5]);
        bench.command(0x30);
        bench.now += 100 * NS;
        let bytes = bench.read(4);
        assert!(bytes.iter().zip([0, 1, 2, 3]).all(|(&byte, right)| byte != right), "{bytes:?}");
        assert_eq!(bench.complaints(), ["nand-timing: busy for another 24750 ns, data out"]);
    }

    #[test]
    fn nothing_but_status_and_reset_while_busy() {
        let check = |byte, expected: &[&str]| {
            let mut bench = Bench::new(&k9f2g08u0b::PART);
            bench.command(0x00);
            bench.address(&[0; 5]);
            bench.command(0x30);
            bench.command(byte);
            assert_eq!(bench.complaints(), expected, "{byte:02X}");
        };
        check(0x70, &[]);
        check(0xFF, &[]);
        check(0x00, &["nand-timing: busy for another 24830 ns, command 00h"]);
    }

    #[test]
    fn status_through_a_read() {
        let mut bench = Bench::with(&k9f2g08u0b::PART, two_pages(), Faults::default());
        bench.command(0x00);
        bench.address(&[0; 5]);
        bench.command(0x30);
        assert_eq!(bench.status(), 0x80);
        assert_eq!(bench.read(1), [0x80]);
        bench.wait();
        assert_eq!(bench.read(1), [0xE0]);
        bench.command(0x00);
        assert_eq!(bench.read(2), [0, 1]);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn program_erase_and_read_back() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.command(0x80);
        bench.address(&[0, 0, 5, 0, 0]);
        bench.write(&[1, 2, 3]);
        bench.command(0x85);
        bench.address(&[0, 8]);
        bench.write(&[9]);
        bench.command(0x10);
        assert_eq!(bench.status(), 0x80);
        bench.wait();
        assert_eq!(bench.status(), 0xE0);
        bench.read_page(5, 0);
        assert_eq!(bench.read(4), [1, 2, 3, 0xFF]);
        bench.read_page(5, 2048);
        assert_eq!(bench.read(2), [9, 0xFF]);
        bench.erase_block(0);
        assert_eq!(bench.status(), 0xE0);
        bench.read_page(5, 0);
        assert_eq!(bench.read(1), [0xFF]);
        assert_eq!(bench.complaints(), NONE);
        let log = bench.chip.log();
        assert_eq!((log.programs, log.erases), (1, 1));
        assert_eq!(log.busy, (200 + 3 * 25 + 1500) * 1000 * NS);
    }

    #[test]
    fn an_operation_under_way_shows_in_the_image_given_back() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.command(0x80);
        bench.address(&[0; 5]);
        bench.write(&[0x5A]);
        bench.command(0x10);
        let mut byte = [0];
        bench.chip.into_image().read(0, &mut byte);
        assert_eq!(byte, [0x5A]);
    }

    #[test]
    fn a_factory_bad_block() {
        let faults = Faults { bad_blocks: vec![2], ..Faults::default() };
        let mut bench = Bench::with(&k9f2g08u0b::PART, NandImage::default(), faults);
        for page in [128, 129] {
            bench.read_page(page, 2048);
            assert_eq!(bench.read(1), [0]);
        }
        bench.erase_block(2);
        assert_eq!(bench.status(), 0xE1);
        bench.program_page(128, 0, &[1]);
        assert_eq!(bench.status(), 0xE1);
        bench.erase_block(3);
        assert_eq!(bench.status(), 0xE0);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn flips_are_told_when_they_are_read() {
        let flip = |page, byte| Flip { page, byte, bit: 0 };
        let faults = Faults { flips: vec![flip(1, 3), flip(1, 9), flip(1, 2088)], ..Faults::default() };
        let mut bench = Bench::with(&k9f2g08u0b::PART, two_pages(), faults);
        bench.read_page(1, 0);
        assert_eq!(bench.read(8), [16, 17, 18, 18, 20, 21, 22, 23]);
        bench.command(0x05);
        bench.address(&2088_u16.to_le_bytes());
        bench.command(0xE0);
        bench.read(3);
        bench.read_page(0, 0);
        bench.read(4);
        let delivered = |read: usize| {
            let read = &bench.chip.log().reads[read];
            read.flips.iter().map(|flip| flip.byte).collect::<Vec<_>>()
        };
        assert_eq!(delivered(0), [3, 2088]);
        assert_eq!(delivered(1), [0; 0]);
        bench.erase_block(0);
        bench.read_page(1, 0);
        assert_eq!(bench.read(4), [0xFF; 4]);
    }

    #[test]
    fn write_protect() {
        let mut bench = Bench::with(&k9f2g08u0b::PART, two_pages(), Faults::default());
        bench.chip.set_write_protect(true);
        bench.erase_block(0);
        assert_eq!(bench.status(), 0x60);
        bench.read_page(0, 0);
        assert_eq!(bench.read(2), [0, 1]);
        assert_eq!(bench.complaints(), ["nand-program: WP is low: nothing is programmed or erased"]);
    }

    #[test]
    fn read_cache() {
        let mut bench = Bench::with(&mt29f2g08aac::PART, two_pages(), Faults::default());
        bench.read_page(0, 0);
        bench.command(0x31);
        let (fall, rise) = bench.chip.busy_edges();
        assert_eq!(rise - fall, 3000 * NS);
        bench.wait();
        assert_eq!(bench.status(), 0xC0);
        bench.command(0x00);
        assert_eq!(bench.read(2112)[..2], [0, 1]);
        bench.command(0x31);
        bench.wait();
        assert_eq!(bench.read(2112)[2111], (2111 + 16) as u8);
        bench.command(0x3F);
        bench.wait();
        assert_eq!(bench.status(), 0xE0);
        bench.command(0x00);
        assert_eq!(bench.read(1), [0xFF]);
        assert_eq!(bench.complaints(), NONE);
        let reads = &bench.chip.log().reads;
        assert_eq!(reads.iter().map(|read| read.page).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn read_cache_waits_for_the_array() {
        let mut bench = Bench::with(&mt29f2g08aac::PART, two_pages(), Faults::default());
        bench.read_page(0, 0);
        bench.command(0x31);
        bench.wait();
        let loaded = bench.chip.busy_edges().1 + 25_000 * NS;
        bench.command(0x31);
        assert_eq!(bench.chip.busy_edges().1, loaded + 3000 * NS);
        bench.wait();
        bench.read_page(0, 0);
        assert_eq!(bench.complaints(), ["nand-protocol: READ CACHE was not ended with 3Fh"]);
    }

    #[test]
    fn reset_breaks_off() {
        let check = |begin: fn(&mut Bench), busy: u64| {
            let image = NandImage::from_bytes(vec![0; 2112 * 64]);
            let mut bench = Bench::with(&k9f2g08u0b::PART, image, Faults::default());
            begin(&mut bench);
            let rise = bench.now + 70 * NS;
            bench.command(0xFF);
            assert!(!bench.chip.ready(rise));
            assert_eq!(bench.chip.busy_edges().1 - rise, (busy + 100) * NS);
            bench.wait();
            assert_eq!(bench.complaints(), NONE);
            bench
        };
        check(
            |bench| {
                bench.command(0x00);
                bench.address(&[0; 5]);
                bench.command(0x30);
                bench.now += 100 * NS;
            },
            5_000,
        );
        let mut programmed = check(
            |bench| {
                bench.command(0x80);
                bench.address(&[0, 0, 64, 0, 0]);
                bench.write(&[0; 16]);
                bench.command(0x10);
                bench.now += 100_000 * NS;
            },
            10_000,
        );
        programmed.read_page(64, 0);
        let bytes = programmed.read(16);
        assert!(bytes.iter().any(|&byte| byte != 0) && bytes.iter().any(|&byte| byte != 0xFF), "{bytes:?}");
        let mut erased = check(
            |bench| {
                bench.command(0x60);
                bench.address(&[0; 3]);
                bench.command(0xD0);
                bench.now += 750_000 * NS;
            },
            500_000,
        );
        erased.read_page(0, 0);
        let bytes = erased.read(16);
        assert!(bytes.iter().any(|&byte| byte != 0) && bytes.iter().any(|&byte| byte != 0xFF), "{bytes:?}");
    }

    #[test]
    fn what_is_out_of_sequence() {
        let check = |act: fn(&mut Bench), expected: &[&str]| {
            let mut bench = Bench::new(&k9f2g08u0b::PART);
            act(&mut bench);
            let expected: Vec<String> =
                expected.iter().map(|text| format!("nand-protocol: {text}")).collect();
            assert_eq!(bench.complaints(), expected);
        };
        let idle = "is not expected (K9F2G08U0B waits for a command)";
        check(|bench| bench.command(0x31), &[&format!("command 31h {idle}")]);
        check(|bench| bench.command(0x30), &[&format!("command 30h {idle}")]);
        check(|bench| bench.command(0x05), &[&format!("command 05h {idle}")]);
        check(|bench| bench.command(0x85), &[&format!("command 85h {idle}")]);
        check(|bench| bench.address(&[0]), &[&format!("address 00h {idle}")]);
        check(|bench| bench.write(&[0]), &[&format!("data in {idle}")]);
        check(|bench| drop(bench.read(1)), &["there is nothing to read (K9F2G08U0B waits for a command)"]);
        check(
            |bench| {
                bench.command(0x00);
                bench.address(&[0; 4]);
                bench.command(0x30);
            },
            &["command 30h is not expected (Read: 4 of 5 address cycles)"],
        );
        check(
            |bench| {
                bench.command(0x60);
                bench.address(&[0; 3]);
                bench.command(0x00);
            },
            &["command 00h is not expected (Erase: K9F2G08U0B waits for the second command)"],
        );
        check(|bench| bench.read_page(1 << 17, 0), &["page 131072: K9F2G08U0B has pages 0 to 131071"]);
        check(|bench| bench.read_page(0, 2112), &["column 2112: a page has bytes 0 to 2111"]);
        check(
            |bench| {
                bench.read_page(0, 2110);
                bench.read(4);
            },
            &["data out beyond byte 2111 of the page"],
        );
        check(|bench| bench.program_page(0, 2111, &[1, 2]), &["data in beyond byte 2112 of the page"]);
        check(
            |bench| {
                bench.select(false);
                bench.command(0x70);
            },
            &["nCE is high, command 70h"],
        );
    }
}
