//! Time on the memory bus: SDRAM rows and bursts, the boot SRAM, the write buffer.
//!
//! One bus, one access after the other. A read waits for everything before it; a buffered write
//! makes the core wait only when the write buffer is full.

use std::collections::VecDeque;

use crate::bus::Ps;
use crate::model;
use crate::time::NEVER;

/// SDRAM timings in HCLK periods, as programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdramTiming {
    /// CAS latency.
    pub cas: u64,
    /// Row to column delay.
    pub rcd: u64,
    /// Precharge.
    pub rp: u64,
    /// Bytes the data bus carries per clock.
    pub bus_bytes: u64,
    /// Time between two refreshes; [`NEVER`] when there are none.
    pub refresh: Ps,
}

/// What the bus runs at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTiming {
    /// HCLK period.
    pub hclk: Ps,
    /// The core has a clock of its own and synchronises with each access.
    pub asynchronous: bool,
    /// SDRAM.
    pub sdram: SdramTiming,
}

/// Which memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The boot SRAM.
    Sram,
    /// The SDRAM.
    Sdram,
}

/// A run of words to or from consecutive addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Which memory.
    pub memory: Memory,
    /// First physical address.
    pub address: u32,
    /// How many words; a byte takes as long as a word.
    pub words: u32,
}

/// Bytes of a row of one SDRAM bank with 9 column bits and a 32-bit bus.
const ROW_BYTES: u32 = 2048;
/// Where the bank number begins in the address: 64 MiB per chip select, four banks. Two chip selects follow each other.
const BANK_SHIFT: u32 = 24;

/// The bus and the write buffer in front of it.
#[derive(Debug, Default)]
pub struct MemoryBus {
    free_at: Ps,
    /// When nothing else drives the SDRAM's data lines any more.
    sdram_free_at: Ps,
    /// Writes on their way: when they are done, and their words.
    buffered: VecDeque<(Ps, u32)>,
    /// Open row by bank of both chip selects.
    rows: [Option<u32>; 2 * model::SDRAM_BANKS],
    refreshes: u64,
}

impl MemoryBus {
    /// Reads; how long the core waits.
    pub fn read(&mut self, now: Ps, transfer: Transfer, timing: &BusTiming) -> Ps {
        let start = self.start(now, transfer);
        self.free_at = start + self.duration(start, transfer, false, timing);
        self.free_at - now
    }

    /// Writes and waits for it; how long the core waits.
    pub fn write(&mut self, now: Ps, transfer: Transfer, timing: &BusTiming) -> Ps {
        let start = self.start(now, transfer);
        self.free_at = start + self.duration(start, transfer, true, timing);
        self.free_at - now
    }

    /// Writes through the write buffer; how long the core waits for a place in it.
    pub fn write_buffered(&mut self, now: Ps, transfer: Transfer, timing: &BusTiming) -> Ps {
        let words = transfer.words.min(model::WRITE_BUFFER_WORDS);
        let mut at = now;
        loop {
            while self.buffered.front().is_some_and(|&(done, _)| done <= at) {
                self.buffered.pop_front();
            }
            let held: u32 = self.buffered.iter().map(|&(_, words)| words).sum();
            if self.buffered.len() < model::WRITE_BUFFER_ADDRESSES
                && held + words <= model::WRITE_BUFFER_WORDS
            {
                break;
            }
            at = self.buffered[0].0;
        }
        let start = self.start(at, transfer);
        self.free_at = start + self.duration(start, transfer, true, timing);
        self.buffered.push_back((self.free_at, words));
        at - now
    }

    /// Waits until everything is written; how long.
    pub fn drain(&mut self, now: Ps) -> Ps {
        self.buffered.clear();
        self.free_at.saturating_sub(now)
    }

    /// The bus is taken by something else until then.
    pub fn hold(&mut self, until: Ps) {
        self.free_at = self.free_at.max(until);
    }

    /// The SDRAM's data lines are somebody else's until then.
    pub fn hold_sdram(&mut self, until: Ps) {
        self.sdram_free_at = self.sdram_free_at.max(until);
    }

    fn start(&self, now: Ps, transfer: Transfer) -> Ps {
        match transfer.memory {
            Memory::Sram => now.max(self.free_at),
            Memory::Sdram => now.max(self.free_at).max(self.sdram_free_at),
        }
    }

    /// Time has been skipped in which the bus did the same over and over.
    pub fn skip(&mut self, time: Ps) {
        self.free_at += time;
        self.buffered.iter_mut().for_each(|(done, _)| *done += time);
    }

    fn duration(&mut self, start: Ps, transfer: Transfer, write: bool, timing: &BusTiming) -> Ps {
        let cycles = match transfer.memory {
            Memory::Sram => model::SRAM_FIRST_HCLK + model::SRAM_NEXT_HCLK * (u64::from(transfer.words) - 1),
            Memory::Sdram => self.sdram_cycles(start, transfer, write, &timing.sdram),
        };
        (cycles + if timing.asynchronous { model::SYNC_HCLK } else { 0 }) * timing.hclk
    }

    fn sdram_cycles(&mut self, start: Ps, transfer: Transfer, write: bool, sdram: &SdramTiming) -> u64 {
        let refreshes = if sdram.refresh == NEVER { 0 } else { start / sdram.refresh };
        if refreshes != self.refreshes || !model::SDRAM_OPEN_ROWS {
            self.refreshes = refreshes;
            self.rows = Default::default();
        }
        let row = transfer.address / ROW_BYTES;
        let open = &mut self.rows[(transfer.address >> BANK_SHIFT) as usize % (2 * model::SDRAM_BANKS)];
        let opening = match *open {
            Some(other) if other == row => 0,
            Some(_) => sdram.rp + sdram.rcd,
            None => sdram.rcd,
        };
        *open = Some(row);
        let first = if write { 1 } else { sdram.cas };
        let beats = (4 * u64::from(transfer.words)).div_ceil(sdram.bus_bytes);
        model::SDRAM_CONTROLLER_HCLK + opening + first + beats - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: BusTiming = BusTiming {
        hclk: 10_000,
        asynchronous: true,
        sdram: SdramTiming { cas: 3, rcd: 3, rp: 2, bus_bytes: 4, refresh: NEVER },
    };

    fn sdram(address: u32, words: u32) -> Transfer {
        Transfer { memory: Memory::Sdram, address, words }
    }

    #[test]
    fn rows_cost_when_they_change() {
        let mut bus = MemoryBus::default();
        // Synchronise 1, controller 2, open the row 3, CAS 3.
        assert_eq!(bus.read(0, sdram(0x3000_0000, 1), &TIMING), 90_000);
        assert_eq!(bus.read(1_000_000, sdram(0x3000_0004, 1), &TIMING), 60_000);
        // Another row of the bank: precharge 2 more. A line: 7 more words.
        assert_eq!(bus.read(2_000_000, sdram(0x3000_0800, 8), &TIMING), 180_000);
        // Another bank has no open row.
        assert_eq!(bus.read(3_000_000, sdram(0x3100_0000, 1), &TIMING), 90_000);
    }

    #[test]
    fn a_refresh_closes_the_rows() {
        let timing = BusTiming { sdram: SdramTiming { refresh: 7_800_000, ..TIMING.sdram }, ..TIMING };
        let mut bus = MemoryBus::default();
        bus.read(0, sdram(0x3000_0000, 1), &timing);
        assert_eq!(bus.read(7_000_000, sdram(0x3000_0000, 1), &timing), 60_000);
        assert_eq!(bus.read(8_000_000, sdram(0x3000_0000, 1), &timing), 90_000);
    }

    #[test]
    fn reads_wait_for_what_is_on_the_bus() {
        let mut bus = MemoryBus::default();
        assert_eq!(bus.write_buffered(0, sdram(0x3000_0000, 1), &TIMING), 0);
        // The write takes 1 + 2 + 3 + 1 clocks, then the read 1 + 2 + 3.
        assert_eq!(bus.read(0, sdram(0x3000_0000, 1), &TIMING), 130_000);
        assert_eq!(bus.drain(100_000), 30_000);
    }

    #[test]
    fn skipped_time_moves_everything_on() {
        let mut bus = MemoryBus::default();
        bus.write_buffered(0, sdram(0x3000_0000, 1), &TIMING);
        let mut skipped = MemoryBus::default();
        skipped.write_buffered(0, sdram(0x3000_0000, 1), &TIMING);
        skipped.skip(1_000_000);
        assert_eq!(skipped.drain(1_050_000), bus.drain(50_000));
    }

    #[test]
    fn the_write_buffer_holds_four_addresses_and_sixteen_words() {
        let mut bus = MemoryBus::default();
        let stalls: Vec<_> =
            (0..5).map(|n| bus.write_buffered(0, sdram(0x3000_0000 + 64 * n, 1), &TIMING)).collect();
        assert_eq!(stalls, [0, 0, 0, 0, 70_000]);
        let mut bus = MemoryBus::default();
        assert_eq!(bus.write_buffered(0, sdram(0x3000_0000, 8), &TIMING), 0);
        assert_eq!(bus.write_buffered(0, sdram(0x3000_0020, 8), &TIMING), 0);
        assert!(bus.write_buffered(0, sdram(0x3000_0040, 8), &TIMING) > 0);
    }

    #[test]
    fn sram_has_no_rows() {
        let mut bus = MemoryBus::default();
        let word = Transfer { memory: Memory::Sram, address: 0, words: 1 };
        let timing = BusTiming { asynchronous: false, ..TIMING };
        assert_eq!(bus.read(0, word, &timing), 10_000);
        assert_eq!(bus.write(20_000, Transfer { words: 8, ..word }, &timing), 80_000);
    }

    #[test]
    fn sdram_waits_for_its_data_lines() {
        let mut bus = MemoryBus::default();
        bus.hold_sdram(50_000);
        let sram = Transfer { memory: Memory::Sram, address: 0, words: 1 };
        assert_eq!(bus.read(0, sram, &TIMING), 20_000);
        assert_eq!(bus.read(20_000, sdram(0x3000_0000, 1), &TIMING), 30_000 + 90_000);
    }
}
