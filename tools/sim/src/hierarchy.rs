//! The memory hierarchy between core and RAM: what a fetch, a load or a store costs, and what the
//! caches make of it.
//!
//! S3C2410A User's Manual, appendix 4, table 4-1: reads allocate; writes that miss go through the
//! write buffer; writes that hit a write-back line mark half of it dirty. Data itself is always in
//! RAM, see [`crate::cache`].

use crate::bus::Ps;
use crate::cache::{Cache, Evicted, Replacement};
use crate::cpu::core::Core;
use crate::cpu::cp15::Operation;
use crate::cpu::mmu::{Control, Fault, Place, Tlb, Wanted, control};
use crate::membus::{BusTiming, Memory, MemoryBus, Transfer};
use crate::memory::Ram;
use crate::model::{CYCLES_LINE_OPERATION, LINE};

/// Something the board does not let pass: kind and detail.
pub type Finding = (&'static str, String);

/// Addresses at which a part of the boot SRAM shows once more, over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First address.
    pub base: u32,
    /// How far it goes.
    pub len: u32,
    /// First byte of the SRAM it shows.
    pub offset: u32,
    /// Bytes after which it begins again.
    pub size: u32,
}

/// The RAMs of a board.
#[derive(Debug)]
pub struct Memories {
    /// The boot SRAM.
    pub sram: Ram,
    windows: &'static [Window],
    /// The SDRAM.
    pub sdram: Ram,
    /// A bit for each word of SDRAM that has ever been written.
    written: Vec<u64>,
    /// Where the contents of SDRAM at power-on come from.
    noise: u32,
}

impl Memories {
    /// RAM at power-on.
    #[must_use]
    pub fn new(sram: (u32, u32), sdram: (u32, u32), seed: u64) -> Self {
        Self {
            sram: Ram::new(sram.0, sram.1),
            windows: &[],
            sdram: Ram::new(sdram.0, sdram.1),
            written: vec![0; (sdram.1 as usize / 4).div_ceil(64)],
            noise: seed as u32 ^ 0x9e37_79b9,
        }
    }

    /// The same RAM with the SRAM showing elsewhere too.
    #[must_use]
    pub fn with_windows(self, windows: &'static [Window]) -> Self {
        Self { windows, ..self }
    }

    /// Where the SRAM shows besides its own addresses, a stretch without repetition each:
    /// address, offset and length.
    pub fn aliases(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        self.windows.iter().flat_map(|window| {
            let starts = (0..window.len).step_by(window.size as usize);
            starts.map(|at| (window.base + at, window.offset, window.size))
        })
    }

    /// The SRAM's own address of what shows at an address; any other address as it is.
    #[must_use]
    pub fn home(&self, address: u32) -> u32 {
        let window = self.windows.iter().find(|window| address.wrapping_sub(window.base) < window.len);
        window.map_or(address, |window| {
            self.sram.base() + window.offset + (address - window.base) % window.size
        })
    }

    /// The word of memory at a physical address.
    #[must_use]
    pub fn word(&self, address: u32) -> Option<u32> {
        self.sdram.word(address).or_else(|| self.sram.word(self.home(address)))
    }

    /// Copies memory out. False when it is not all there.
    #[must_use]
    pub fn read(&self, address: u32, out: &mut [u8]) -> bool {
        self.sdram.read(address, out) || self.sram.read(self.home(address), out)
    }

    /// Which memory an address is in.
    #[must_use]
    pub fn which(&self, address: u32) -> Option<Memory> {
        if self.sdram.contains(address) {
            Some(Memory::Sdram)
        } else if self.sram.contains(self.home(address)) {
            Some(Memory::Sram)
        } else {
            None
        }
    }

    fn bit(&self, address: u32) -> (usize, u64) {
        let word = (address - self.sdram.base()) / 4;
        ((word / 64) as usize, 1 << (word % 64))
    }

    fn set_written(&mut self, address: u32) {
        let (index, bit) = self.bit(address);
        self.written[index] |= bit;
    }

    /// Whether a word of SDRAM has never been written; it then reads as noise from now on.
    fn is_unwritten(&mut self, address: u32) -> bool {
        let (index, bit) = self.bit(address);
        if self.written[index] & bit != 0 {
            return false;
        }
        let mixed = (address / 4).wrapping_mul(0x85eb_ca6b) ^ self.noise;
        self.sdram.set_word(address, (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35));
        true
    }
}

/// Caches, TLBs and bus.
#[derive(Debug)]
pub struct Hierarchy {
    /// RAM.
    pub memories: Memories,
    /// The bus.
    pub bus: MemoryBus,
    /// What it runs at.
    pub timing: BusTiming,
    /// CP15's view.
    pub control: Control,
    /// Core clock period.
    pub core: Ps,
    /// Instruction cache.
    pub icache: Cache,
    /// Data cache.
    pub dcache: Cache,
    itlb: Tlb,
    dtlb: Tlb,
    /// What was fetched last: a line when cached, a word when not. `u32::MAX` when nothing counts.
    fetched: u32,
    /// SDRAM has been used since this was last cleared.
    pub sdram_used: bool,
    findings: Vec<Finding>,
}

/// What came of a data access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// What it costs beyond its cycles.
    pub cost: Ps,
    /// The first physical address of it that is not in RAM.
    pub outside: Option<u32>,
}

/// An aligned data access inside one cache line.
#[derive(Clone, Copy, Debug)]
struct Piece {
    address: u32,
    words: u32,
    memory: Memory,
    cacheable: bool,
    bufferable: bool,
}

impl Hierarchy {
    /// Everything off and empty.
    #[must_use]
    pub fn new(core: &Core, memories: Memories, timing: BusTiming, seed: u64) -> Self {
        let cacheable =
            [(memories.sdram.base(), memories.sdram.len()), (memories.sram.base(), memories.sram.len())];
        Self {
            memories,
            bus: MemoryBus::default(),
            timing,
            control: Control::default(),
            core: timing.hclk,
            icache: Cache::new(core.icache, &cacheable, seed),
            dcache: Cache::new(core.dcache, &cacheable, seed.rotate_left(17)),
            itlb: Tlb::default(),
            dtlb: Tlb::default(),
            fetched: u32::MAX,
            sdram_used: false,
            findings: Vec::new(),
        }
    }

    /// Reset of the core: caches and TLBs are empty, memory stays.
    pub fn reset(&mut self) {
        self.icache.invalidate();
        self.dcache.invalidate();
        self.itlb.invalidate();
        self.dtlb.invalidate();
        self.bus = MemoryBus::default();
        self.fetched = u32::MAX;
    }

    /// What has been found since the last call.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Whether there is something to take.
    #[must_use]
    pub fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// CP15 has changed.
    pub fn set_control(&mut self, control: Control) {
        self.control = control;
        self.fetched = u32::MAX;
    }

    fn replacement(&self) -> Replacement {
        if self.control.has(control::RR) { Replacement::RoundRobin } else { Replacement::Random }
    }

    /// Where a data address goes, and what the walk for it costs.
    ///
    /// # Errors
    /// The abort.
    pub fn place(&mut self, now: Ps, address: u32, wanted: Wanted) -> Result<(Place, Ps), Fault> {
        if !self.control.has(control::M) {
            let place = Place { physical: address, cacheable: false, bufferable: false, walked: 0 };
            return Ok((place, 0));
        }
        let memories = &self.memories;
        let place = self.dtlb.translate(address, wanted, &self.control, |at| memories.word(at))?;
        let cost = if place.walked == 0 { 0 } else { self.walk_cost(now, place.walked) };
        Ok((place, cost))
    }

    /// Descriptors are read from memory, one word each.
    fn walk_cost(&mut self, now: Ps, walked: u32) -> Ps {
        let address = self.control.table;
        let Some(memory) = self.memories.which(address) else { return 0 };
        let transfer = Transfer { memory, address, words: 1 };
        (0..walked).fold(0, |cost, _| cost + self.bus.read(now + cost, transfer, &self.timing))
    }

    /// An instruction fetch: its physical address and what it costs beyond a cycle.
    ///
    /// # Errors
    /// The abort.
    pub fn fetch(&mut self, now: Ps, pc: u32) -> Result<(u32, Ps), Fault> {
        let mut cost = 0;
        let mut place = Place { physical: pc, cacheable: true, bufferable: false, walked: 0 };
        if self.control.has(control::M) {
            let memories = &self.memories;
            let wanted = Wanted { write: false, user: false };
            place = self.itlb.translate(pc, wanted, &self.control, |at| memories.word(at))?;
            if place.walked != 0 {
                cost = self.walk_cost(now, place.walked);
            }
        }
        place.physical = self.memories.home(place.physical);
        let cached = place.cacheable && self.control.has(control::I);
        let unit = place.physical & if cached { !(LINE - 1) } else { !3 };
        if unit != self.fetched {
            let memory = self.memories.which(place.physical).ok_or(Fault::EXTERNAL)?;
            self.fetched = unit;
            self.sdram_used |= memory == Memory::Sdram;
            cost += if cached {
                self.fetch_line(now + cost, unit, memory)
            } else {
                self.check_instruction_memory(unit);
                let transfer = Transfer { memory, address: unit, words: 1 };
                self.bus.read(now + cost, transfer, &self.timing).saturating_sub(self.core)
            };
        }
        Ok((place.physical, cost))
    }

    fn fetch_line(&mut self, now: Ps, line: u32, memory: Memory) -> Ps {
        if let Some(slot) = self.icache.find(line) {
            if self.icache.is_stale(slot) {
                let text = format!(
                    "line {line:#010x} is run from the I-cache, memory has changed since it was loaded"
                );
                self.findings.push(("icache-stale", text));
            }
            return 0;
        }
        self.check_instruction_memory(line);
        self.icache.fill(line, self.replacement());
        self.bus.read(now, Transfer { memory, address: line, words: LINE / 4 }, &self.timing)
    }

    /// Instructions come from memory, past what is dirty in the D-cache.
    fn check_instruction_memory(&mut self, address: u32) {
        if self.dcache.dirty_lines() != 0
            && let Some(slot) = self.dcache.find(address)
            && self.dcache.dirty(slot) != 0
        {
            let text = format!(
                "instructions at {address:#010x} are fetched from memory, the D-cache holds newer ones"
            );
            self.findings.push(("dcache-dirty", text));
        }
    }

    /// A load, a store or both of `bytes` at ascending addresses.
    ///
    /// # Errors
    /// The abort.
    pub fn data(
        &mut self,
        now: Ps,
        address: u32,
        bytes: u32,
        wanted: Wanted,
        read: bool,
    ) -> Result<Moved, Fault> {
        let (mut at, end) = (address, address.wrapping_add(bytes));
        let mut moved = Moved::default();
        while at != end {
            let (place, walk) = self.place(now + moved.cost, at, wanted)?;
            moved.cost += walk;
            let left = end.wrapping_sub(at).min(LINE - at % LINE);
            if let Some(memory) = self.memories.which(place.physical) {
                let piece = Piece {
                    address: self.memories.home(place.physical),
                    words: left.div_ceil(4),
                    memory,
                    cacheable: place.cacheable && self.control.has(control::C),
                    bufferable: place.bufferable,
                };
                if read {
                    moved.cost += self.load(now + moved.cost, piece);
                }
                if wanted.write {
                    moved.cost += self.store(now + moved.cost, piece);
                }
            } else {
                moved.outside.get_or_insert(place.physical);
                self.check_device(place);
            }
            at = at.wrapping_add(left);
        }
        Ok(moved)
    }

    /// Behind a cache a register would be read once, by the line.
    fn check_device(&mut self, place: Place) {
        if place.cacheable && self.control.has(control::C) {
            let text = format!("{:#010x}, which is no memory, is mapped cacheable", place.physical);
            self.findings.push(("device-cached", text));
        }
    }

    fn words(piece: Piece) -> impl Iterator<Item = u32> {
        (0..piece.words).map(move |word| (piece.address & !3) + 4 * word)
    }

    fn load(&mut self, now: Ps, piece: Piece) -> Ps {
        if piece.memory == Memory::Sdram {
            self.sdram_used = true;
            for word in Self::words(piece) {
                if self.memories.is_unwritten(word) {
                    let text = format!("{word:#010x} is read and has never been written");
                    self.findings.push(("sdram-uninitialised", text));
                }
            }
        }
        let slot = self.dcache.find(piece.address);
        if piece.cacheable {
            match slot {
                Some(slot) if self.dcache.is_stale(slot) => {
                    let text = format!(
                        "{:#010x} is read from the D-cache, memory has changed since it was loaded",
                        piece.address
                    );
                    self.findings.push(("dcache-stale", text));
                    return 0;
                }
                Some(_) => return 0,
                None => return self.load_line(now, piece),
            }
        }
        if slot.is_some_and(|slot| self.dcache.dirty(slot) != 0) {
            let text = format!("{:#010x} is read from memory, the D-cache holds newer data", piece.address);
            self.findings.push(("dcache-dirty", text));
        }
        let transfer = Transfer { memory: piece.memory, address: piece.address, words: piece.words };
        self.bus.read(now, transfer, &self.timing).saturating_sub(u64::from(piece.words) * self.core)
    }

    fn load_line(&mut self, now: Ps, piece: Piece) -> Ps {
        let address = piece.address & !(LINE - 1);
        let (_, evicted) = self.dcache.fill(address, self.replacement());
        let transfer = Transfer { memory: piece.memory, address, words: LINE / 4 };
        let cost = self.bus.read(now, transfer, &self.timing);
        cost + evicted.map_or(0, |evicted| self.write_back(now + cost, evicted))
    }

    /// Dirty halves leave through the write buffer.
    fn write_back(&mut self, now: Ps, evicted: Evicted) -> Ps {
        let Some(memory) = self.memories.which(evicted.address) else { return 0 };
        self.sdram_used |= memory == Memory::Sdram;
        let (first, words) = match evicted.dirty {
            0 => return 0,
            1 => (0, 4),
            2 => (LINE / 2, 4),
            _ => (0, 8),
        };
        let transfer = Transfer { memory, address: evicted.address + first, words };
        self.bus.write_buffered(now, transfer, &self.timing)
    }

    fn store(&mut self, now: Ps, piece: Piece) -> Ps {
        if piece.memory == Memory::Sdram {
            self.sdram_used = true;
            for word in Self::words(piece) {
                self.memories.set_written(word);
            }
        }
        if let Some(slot) = self.icache.find(piece.address) {
            self.icache.set_stale(slot);
        }
        let slot = self.dcache.find(piece.address);
        let transfer = Transfer { memory: piece.memory, address: piece.address, words: piece.words };
        match slot {
            Some(slot) if piece.cacheable && piece.bufferable => {
                for word in Self::words(piece) {
                    self.dcache.set_dirty(slot, word);
                }
                return 0;
            }
            Some(slot) if !piece.cacheable => self.dcache.set_stale(slot),
            _ => {}
        }
        if piece.cacheable || piece.bufferable {
            self.bus.write_buffered(now, transfer, &self.timing)
        } else {
            self.bus.write(now, transfer, &self.timing).saturating_sub(u64::from(piece.words) * self.core)
        }
    }

    /// A cache or TLB operation of CP15 with its register's value: what it costs beyond its cycles.
    pub fn operate(&mut self, now: Ps, operation: Operation, value: u32) -> Ps {
        use Operation as O;
        match operation {
            O::InvalidateInstructions => self.invalidate_instructions(),
            O::InvalidateData => self.invalidate_data(),
            O::InvalidateBoth => {
                self.invalidate_instructions();
                self.invalidate_data();
            }
            O::InvalidateInstructionLine { by_index } => self.instruction_line(now, value, by_index),
            O::PrefetchInstructionLine => return self.prefetch(now, value),
            O::DataLine { by_index, clean, invalidate } => {
                return self.data_line(now, value, by_index, clean, invalidate);
            }
            O::DrainWriteBuffer => return self.bus.drain(now),
            O::Tlb { instructions, data, entry } => {
                self.invalidate_tlbs(instructions, data, entry.then_some(value))
            }
            O::TestAndClean { .. } | O::Control | O::WaitForInterrupt | O::LockDown | O::None => {}
        }
        0
    }

    /// Cleans a dirty line of the D-cache if there is one: whether there was, and the cost.
    pub fn test_and_clean(&mut self, now: Ps, invalidate: bool) -> (bool, Ps) {
        let mut cost = u64::from(CYCLES_LINE_OPERATION) * self.core;
        let slot = self.dcache.first_dirty().and_then(|address| self.dcache.find(address));
        let Some(slot) = slot else {
            if invalidate {
                self.dcache.invalidate();
            }
            return (false, cost);
        };
        let evicted = self.dcache.clean(slot);
        cost += self.write_back(now + cost, evicted);
        if invalidate {
            self.dcache.drop_line(slot);
        }
        (true, cost)
    }

    fn instruction_line(&mut self, now: Ps, value: u32, by_index: bool) {
        let slot = match by_index {
            true => Some(self.icache.by_index(value)),
            false => self.physical(now, value).and_then(|at| self.icache.find(at)),
        };
        if let Some(slot) = slot {
            self.icache.drop_line(slot);
        }
        self.fetched = u32::MAX;
    }

    fn invalidate_instructions(&mut self) {
        self.icache.invalidate();
        self.fetched = u32::MAX;
    }

    fn invalidate_data(&mut self) {
        let first = self.dcache.first_dirty();
        let lost = self.dcache.invalidate();
        if let Some(first) = first {
            let text = format!("the D-cache is invalidated with {lost} dirty lines, the first {first:#010x}");
            self.findings.push(("dcache-lost", text));
        }
    }

    fn invalidate_tlbs(&mut self, instructions: bool, data: bool, entry: Option<u32>) {
        let tlbs = [(instructions, &mut self.itlb), (data, &mut self.dtlb)];
        for tlb in tlbs.into_iter().filter_map(|(wanted, tlb)| wanted.then_some(tlb)) {
            match entry {
                Some(address) => tlb.invalidate_entry(address),
                None => tlb.invalidate(),
            }
        }
    }

    fn physical(&mut self, now: Ps, address: u32) -> Option<u32> {
        let wanted = Wanted { write: false, user: false };
        self.place(now, address, wanted).ok().map(|(place, _)| self.memories.home(place.physical))
    }

    fn prefetch(&mut self, now: Ps, address: u32) -> Ps {
        let Some(line) = self.physical(now, address).map(|at| at & !(LINE - 1)) else { return 0 };
        match self.memories.which(line) {
            Some(memory) if self.icache.find(line).is_none() => self.fetch_line(now, line, memory),
            _ => 0,
        }
    }

    fn data_line(&mut self, now: Ps, value: u32, by_index: bool, clean: bool, invalidate: bool) -> Ps {
        let mut cost = u64::from(CYCLES_LINE_OPERATION) * self.core;
        let slot = match by_index {
            true => Some(self.dcache.by_index(value)),
            false => self.physical(now, value).and_then(|at| self.dcache.find(at)),
        };
        let Some(slot) = slot else { return cost };
        if clean {
            let evicted = self.dcache.clean(slot);
            cost += self.write_back(now + cost, evicted);
        }
        if invalidate
            && let Some(lost) = self.dcache.drop_line(slot)
            && lost.dirty != 0
        {
            let text = format!("dirty line {:#010x} is invalidated without cleaning", lost.address);
            self.findings.push(("dcache-lost", text));
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::core::ARM920T;
    use crate::membus::SdramTiming;
    use crate::time::NEVER;

    const RAM: u32 = 0x3000_0000;
    const READ: Wanted = Wanted { write: false, user: false };
    const WRITE: Wanted = Wanted { write: true, user: false };

    /// HCLK 10 ns, core 2.5 ns; a flat section with C and B at RAM, the table at its end.
    fn hierarchy(control: u32) -> Hierarchy {
        let memories = Memories::new((0, 0x1000), (RAM, 0x10_0000), 1);
        let table = RAM + 0xf_c000;
        memories.sdram.set_word(table + (RAM >> 20) * 4, RAM | 0xc1e);
        memories.sdram.set_word(table, 0xc1e);
        let sdram = SdramTiming { cas: 3, rcd: 3, rp: 2, bus_bytes: 4, refresh: NEVER };
        let timing = BusTiming { hclk: 10_000, asynchronous: true, sdram };
        let mut hierarchy = Hierarchy::new(&ARM920T, memories, timing, 1);
        hierarchy.core = 2_500;
        hierarchy.set_control(Control { control, table, domains: 1 });
        hierarchy
    }

    /// What reading a word costs.
    fn cost(h: &mut Hierarchy, now: Ps, address: u32) -> Ps {
        let moved = h.data(now, address, 4, READ, true).unwrap();
        assert_eq!(moved.outside, None);
        moved.cost
    }

    const ON: u32 = control::M | control::C | control::I;

    fn kinds(hierarchy: &mut Hierarchy) -> Vec<&'static str> {
        hierarchy.take_findings().iter().map(|finding| finding.0).collect()
    }

    #[test]
    fn a_line_is_paid_for_once() {
        let mut h = hierarchy(ON);
        h.data(0, RAM, 4, WRITE, false).unwrap();
        assert!(cost(&mut h, 1_000_000, RAM) >= 130_000);
        assert_eq!(cost(&mut h, 2_000_000, RAM + 4), 0);
        assert!(h.fetch(3_000_000, RAM).unwrap().1 > 0);
        assert_eq!(h.fetch(4_000_000, RAM + 28).unwrap(), (RAM + 28, 0));
    }

    #[test]
    fn caches_off_pay_for_each_word() {
        let mut h = hierarchy(0);
        for (now, at) in [(0, 0), (10_000_000, 4)] {
            h.data(now, RAM + at, 4, WRITE, false).unwrap();
            assert_eq!(cost(&mut h, now + 1_000_000, RAM + at), 60_000 - 2_500);
            assert_eq!(h.fetch(now + 2_000_000, RAM + at).unwrap().1, 60_000 - 2_500);
        }
    }

    #[test]
    fn unwritten_words_are_noise_and_reported() {
        let mut h = hierarchy(0);
        h.data(0, RAM + 8, 8, READ, true).unwrap();
        assert_eq!(kinds(&mut h), ["sdram-uninitialised"; 2]);
        assert_ne!(h.memories.word(RAM + 8), Some(0));
        h.data(0, RAM + 8, 1, WRITE, false).unwrap();
        h.data(0, RAM + 8, 4, READ, true).unwrap();
        assert_eq!(kinds(&mut h), [""; 0]);
    }

    /// Writes a line, reads it in, writes it again: it is dirty then.
    fn make_dirty(h: &mut Hierarchy) {
        h.data(0, RAM, 32, WRITE, false).unwrap();
        h.data(0, RAM, 4, READ, true).unwrap();
        h.data(0, RAM, 4, WRITE, false).unwrap();
        assert_eq!((h.dcache.dirty_lines(), kinds(h)), (1, vec![]));
    }

    #[test]
    fn dirty_lines_must_be_cleaned() {
        let mut h = hierarchy(ON);
        make_dirty(&mut h);
        h.fetch(0, RAM).unwrap();
        assert_eq!(kinds(&mut h), ["dcache-dirty"]);
        let control = Control { control: control::M, ..h.control };
        h.set_control(control);
        h.data(0, RAM, 4, READ, true).unwrap();
        assert_eq!(kinds(&mut h), ["dcache-dirty"]);
        h.operate(0, Operation::InvalidateData, 0);
        assert_eq!(kinds(&mut h), ["dcache-lost"]);
    }

    #[test]
    fn cleaning_writes_back() {
        let mut h = hierarchy(ON);
        make_dirty(&mut h);
        let clean = Operation::DataLine { by_index: false, clean: true, invalidate: true };
        h.operate(1_000_000, clean, RAM + 4);
        assert!(h.bus.drain(1_000_000) > 0);
        assert_eq!((h.dcache.dirty_lines(), kinds(&mut h)), (0, vec![]));
        make_dirty(&mut h);
        h.operate(0, Operation::DataLine { by_index: false, clean: false, invalidate: true }, RAM);
        assert_eq!(kinds(&mut h), ["dcache-lost"]);
    }

    #[test]
    fn test_and_clean_goes_from_line_to_line() {
        for invalidate in [false, true] {
            let mut h = hierarchy(ON);
            make_dirty(&mut h);
            h.data(0, RAM + 64, 32, WRITE, false).unwrap();
            h.data(0, RAM + 64, 4, READ, true).unwrap();
            h.data(0, RAM + 64, 4, WRITE, false).unwrap();
            let found: Vec<_> = (0..3).map(|_| h.test_and_clean(1_000_000, invalidate).0).collect();
            assert_eq!((found, kinds(&mut h)), (vec![true, true, false], vec![]));
            assert_eq!((h.dcache.dirty_lines(), h.dcache.find(RAM).is_some()), (0, !invalidate));
        }
    }

    #[test]
    fn the_sram_shows_in_its_windows() {
        static WINDOWS: [Window; 2] = [
            Window { base: 0, len: 0x1000, offset: 0, size: 0x1000 },
            Window { base: 0x20_0000, len: 0x3000, offset: 0, size: 0x1000 },
        ];
        let memories = Memories::new((0x2f_f000, 0x2000), (RAM, 0x1000), 1).with_windows(&WINDOWS);
        memories.sram.set_word(0x2f_f004, 7);
        memories.sram.set_word(0x30_0004, 9);
        let check = |address, word| assert_eq!(memories.word(address), word, "{address:#x}");
        check(0x4, Some(7));
        check(0x20_1004, Some(7));
        check(0x30_0004, Some(9));
        check(0x1004, None);
        check(0x20_3004, None);
        assert_eq!(memories.which(0x20_2ffc), Some(Memory::Sram));
        assert_eq!(memories.aliases().count(), 4);
    }

    #[test]
    fn written_instructions_are_stale() {
        let mut h = hierarchy(control::I);
        h.fetch(0, RAM).unwrap();
        h.fetch(0, RAM + 64).unwrap();
        h.data(0, RAM, 4, WRITE, false).unwrap();
        h.fetch(0, RAM).unwrap();
        assert_eq!(kinds(&mut h), ["icache-stale"]);
        h.operate(0, Operation::InvalidateInstructions, 0);
        h.fetch(0, RAM).unwrap();
        assert_eq!(kinds(&mut h), [""; 0]);
    }

    #[test]
    fn registers_are_not_to_be_cached() {
        let mut h = hierarchy(ON);
        let table = h.control.table;
        for (section, descriptor) in [(0x400, 0x4000_0c12), (0x500, 0x5000_0c1a)] {
            h.memories.sdram.set_word(table + section * 4, descriptor);
        }
        let outside = |h: &mut Hierarchy, at| h.data(0, at, 4, READ, true).unwrap().outside;
        assert_eq!((outside(&mut h, 0x4000_0000), kinds(&mut h)), (Some(0x4000_0000), vec![]));
        outside(&mut h, 0x5000_0000);
        assert_eq!(kinds(&mut h), ["device-cached"]);
    }

    #[test]
    fn the_walk_costs_a_read() {
        let mut h = hierarchy(control::M);
        let (place, cost) = h.place(0, RAM, READ).unwrap();
        assert!(place.cacheable && cost > 0);
        assert_eq!(h.place(0, RAM, READ).unwrap().1, 0);
        h.operate(0, Operation::Tlb { instructions: false, data: true, entry: true }, RAM);
        assert!(h.place(0, RAM, READ).unwrap().1 > 0);
        assert!(h.place(0, 0x4000_0000, READ).is_err());
    }
}
