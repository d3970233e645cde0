//! A test bench: the pins of a chip, driven by hand.

use super::{Chip, Faults, NandImage, Part, Pulse};
use crate::bus::{Access, Clocks, Ps, Violations};

/// One nanosecond.
pub(crate) const NS: Ps = 1000;

/// A pulse with times in nanoseconds.
pub(crate) fn pulse(setup: Ps, low: Ps, high: Ps) -> Pulse {
    Pulse { setup: setup * NS, data_setup: 0, low: low * NS, high: high * NS }
}

/// A chip whose nCE is low, and a clock.
pub(crate) struct Bench {
    pub(crate) chip: Chip,
    pub(crate) now: Ps,
    /// Slow enough for every part, unless a test changes it.
    pub(crate) pulse: Pulse,
    /// Between the end of a cycle and the next access.
    pub(crate) gap: Ps,
    violations: Violations,
    /// Every access has a place of its own, so that no violation is merely counted.
    pc: u32,
}

impl Bench {
    pub(crate) fn new(part: &'static Part) -> Self {
        Self::with(part, NandImage::default(), Faults::default())
    }

    pub(crate) fn with(part: &'static Part, image: NandImage, faults: Faults) -> Self {
        let mut bench = Self {
            chip: Chip::new(part, image, faults).expect("fits the part"),
            now: 1000 * NS,
            pulse: pulse(20, 50, 50),
            gap: 200 * NS,
            violations: Violations::default(),
            pc: 0,
        };
        bench.select(true);
        bench.now += bench.gap;
        bench
    }

    fn access<T>(&mut self, act: impl FnOnce(&mut Chip, Ps, Pulse, &mut Access<'_>) -> T) -> T {
        self.pc += 4;
        let clocks = Clocks { fclk: 2500, hclk: 10_000, pclk: 20_000 };
        let mut access =
            Access { now: self.now, pc: self.pc, clocks, hold: 0, violations: &mut self.violations };
        act(&mut self.chip, self.now, self.pulse, &mut access)
    }

    pub(crate) fn select(&mut self, selected: bool) {
        self.access(|chip, _, _, access| chip.select(selected, access));
    }

    pub(crate) fn command(&mut self, byte: u8) {
        self.access(|chip, now, pulse, access| chip.command(byte, now, pulse, access));
        self.now += self.pulse.latch_cycle() + self.gap;
    }

    pub(crate) fn address(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.access(|chip, now, pulse, access| chip.address(byte, now, pulse, access));
            self.now += self.pulse.latch_cycle() + self.gap;
        }
    }

    /// Reads in accesses of four cycles.
    pub(crate) fn read(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let here = 4.min(count - bytes.len());
            let word = self.access(|chip, now, pulse, access| chip.read(here as u32, now, pulse, access));
            bytes.extend_from_slice(&word.to_le_bytes()[..here]);
            self.now += here as Ps * self.pulse.data_cycle() + self.gap;
        }
        bytes
    }

    /// Writes in accesses of one cycle.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.access(|chip, now, pulse, access| chip.write(byte.into(), 1, now, pulse, access));
            self.now += self.pulse.data_cycle() + self.gap;
        }
    }

    /// Waits for the end of the busy time, and as long again as between two cycles.
    pub(crate) fn wait(&mut self) {
        self.now = self.now.max(self.chip.busy_edges().1) + self.gap;
    }

    /// Reads the status.
    pub(crate) fn status(&mut self) -> u8 {
        self.command(0x70);
        self.read(1)[0]
    }

    /// 00h, address, 30h, wait, for a part with five address cycles.
    pub(crate) fn read_page(&mut self, page: u32, column: u16) {
        self.command(0x00);
        self.address(&column.to_le_bytes());
        self.address(&page.to_le_bytes()[..3]);
        self.command(0x30);
        self.wait();
    }

    /// 80h, address, data, 10h, wait, for a part with five address cycles.
    pub(crate) fn program_page(&mut self, page: u32, column: u16, bytes: &[u8]) {
        self.command(0x80);
        self.address(&column.to_le_bytes());
        self.address(&page.to_le_bytes()[..3]);
        self.write(bytes);
        self.command(0x10);
        self.wait();
    }

    /// 60h, address, D0h, wait, for a part with three row cycles.
    pub(crate) fn erase_block(&mut self, block: u32) {
        self.command(0x60);
        self.address(&(block * 64).to_le_bytes()[..3]);
        self.command(0xD0);
        self.wait();
    }

    /// What has been reported since the last time, and forgets it.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        let violations = std::mem::take(&mut self.violations);
        violations
            .list()
            .iter()
            .map(|violation| format!("{}: {}", violation.kind, violation.detail))
            .collect()
    }
}
