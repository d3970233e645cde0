//! What a peripheral model and the machine around it know of each other.

use std::collections::BTreeMap;

/// Modelled time or duration in picoseconds.
pub type Ps = u64;

/// Something a strict board does not let pass.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// Modelled time since reset.
    pub time_ns: u64,
    /// Program counter of the access.
    pub pc: u32,
    /// A short, stable name: `nand-timing`, `sdram-uninitialised`, `register`, `unaligned` ...
    pub kind: &'static str,
    /// What was done, what was allowed.
    pub detail: String,
}

/// The violations of a run. Each `(kind, pc)` is kept a few times, then only counted,
/// so that a bad loop does not fill the memory.
#[derive(Debug, Default)]
pub struct Violations {
    list: Vec<Violation>,
    seen: BTreeMap<(&'static str, u32), u64>,
}

impl Violations {
    const KEPT_PER_PLACE: u64 = 4;

    /// Notes one.
    pub fn report(&mut self, time: Ps, pc: u32, kind: &'static str, detail: impl Into<String>) {
        let count = self.seen.entry((kind, pc)).or_default();
        *count += 1;
        if *count <= Self::KEPT_PER_PLACE {
            self.list.push(Violation { time_ns: time / 1000, pc, kind, detail: detail.into() });
        }
    }

    /// Those kept, in order of time.
    #[must_use]
    pub fn list(&self) -> &[Violation] {
        &self.list
    }

    /// How many there were in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.seen.values().sum()
    }
}

/// Periods of the three clocks as they are at the moment of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Core clock period.
    pub fclk: Ps,
    /// AHB clock period.
    pub hclk: Ps,
    /// APB clock period.
    pub pclk: Ps,
}

/// The NAND bus as it is set up, and what programmed I/O through the controller costs on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCycles {
    /// A command or address byte.
    pub latch: Ps,
    /// A data byte.
    pub data: Ps,
    /// Overhead of an access to the controller, `a` of numbers.md.
    pub overhead: Ps,
    /// Overhead of each further word of an access that moves several.
    pub next_word: Ps,
    /// Most bytes that one access moves.
    pub width: u32,
}

/// The circumstances of one access to a peripheral, and what it costs.
pub struct Access<'a> {
    /// Modelled time at which the address phase has ended and the peripheral acts.
    pub now: Ps,
    /// Program counter of the load or store.
    pub pc: u32,
    /// Clock periods.
    pub clocks: Clocks,
    /// Set by the peripheral: how long it holds the bus beyond a zero-wait access
    /// (NFDATA: the byte cycles on the NAND bus). The core stalls for it.
    pub hold: Ps,
    /// Where to report what is not allowed.
    pub violations: &'a mut Violations,
}

impl Access<'_> {
    /// Reports a violation at this access.
    pub fn violation(&mut self, kind: &'static str, detail: impl Into<String>) {
        self.violations.report(self.now, self.pc, kind, detail);
    }
}

/// A memory-mapped peripheral block.
///
/// `width` is 1, 2 or 4 bytes. A register that does not exist, or not at this width, is
/// a violation of kind `register` and reads as zero.
pub trait Peripheral {
    /// Reads the register at `offset`.
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32;
    /// Writes the register at `offset`.
    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>);
}
