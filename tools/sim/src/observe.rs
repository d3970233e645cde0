//! What a run was like, from outside: phases, and how the kernel came out of the NAND.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::bus::{ByteCycles, Ps};
use crate::kernel::Slot;
use crate::part::{EccLayout, PageRead, Part};
use crate::report::{KernelRead, NandCounters, Phase};

/// Events of a boot, as they are seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// The boot ROM has copied the first pages.
    pub boot_rom: Option<Ps>,
    /// MPLLCON has been written and the PLL has locked.
    pub clocks: Option<Ps>,
    /// The last SDRAM bank's mode register has been written.
    pub sdram: Option<Ps>,
    /// The kernel's first instruction.
    pub entry: Option<Ps>,
}

/// The pages of the kernel that was entered, as they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First command cycle.
    pub start: Ps,
    /// End of the last data cycle.
    pub end: Ps,
    /// Different pages.
    pub pages: u64,
}

/// When the pages of a slot were read, up to `end`. `None` when none was.
#[must_use]
pub fn span(reads: &[PageRead], slot: &Slot, end: Ps) -> Option<Span> {
    let wanted: BTreeSet<u32> = slot.pages.iter().copied().collect();
    let counts = |read: &&PageRead| read.bytes > 0 && read.data_end <= end && wanted.contains(&read.page);
    let of_slot = || reads.iter().filter(counts);
    let seen: BTreeSet<u32> = of_slot().map(|read| read.page).collect();
    Some(Span {
        start: of_slot().map(|read| read.start).min()?,
        end: of_slot().map(|read| read.data_end).max()?,
        pages: seen.len() as u64,
    })
}

/// The reads, by their place in the log, from the first that starts at `from` or later to the last
/// that ends by `to`.
#[must_use]
pub fn between(reads: &[PageRead], from: Ps, to: Ps) -> Range<usize> {
    let counts = |read: &PageRead| read.bytes > 0 && read.start >= from && read.data_end <= to;
    let end = reads.iter().rposition(counts).map_or(0, |last| last + 1);
    reads.iter().position(counts).unwrap_or(end)..end
}

/// How fast the kernel was read, beside what the bus and programmed I/O allow.
///
/// The bus limit is a page read with all spare bytes. The limit of programmed I/O takes the data and
/// only the spare bytes that hold ECC codes, in accesses as wide as the controller takes them (a word on
/// an S3C2440, a byte on an S3C2410, a load of eight registers from the window of an AT91), each with
/// its overhead. Getting to those spare bytes is not counted.
#[must_use]
pub fn kernel_read(span: Span, part: &Part, layout: &EccLayout, cycles: ByteCycles) -> KernelRead {
    let geometry = &part.geometry;
    let addresses = u32::from(geometry.column_cycles + geometry.row_cycles);
    let latches = u64::from(part.commands.read_commands() + addresses);
    let t_r = part.timing.t_r_max.ps();
    let bytes = geometry.page + layout.code_bytes();
    let accesses = bytes.div_ceil(cycles.width);
    let further = bytes.div_ceil(4).saturating_sub(accesses);
    let overhead = u64::from(accesses) * cycles.overhead + u64::from(further) * cycles.next_word;
    let bus = latches * cycles.latch + t_r + u64::from(geometry.page_total()) * cycles.data;
    let pio = latches * (cycles.latch + cycles.overhead) + t_r + u64::from(bytes) * cycles.data + overhead;
    let per_page = |time: Ps| f64::from(geometry.page) * 1e6 / time as f64;
    let bytes = span.pages * u64::from(geometry.page);
    let time = (span.end - span.start).max(1);
    let mb_per_s = bytes as f64 * 1e6 / time as f64;
    KernelRead {
        bytes,
        time_ns: time / 1000,
        mb_per_s,
        limit_mb_per_s: per_page(pio),
        bus_limit_mb_per_s: per_page(bus),
        share: mb_per_s / per_page(pio),
    }
}

/// The phases up to `end`, each starting where the one before it ended.
#[must_use]
pub fn phases(marks: &Marks, kernel: Option<Span>, end: Ps) -> Vec<Phase> {
    let first_page = kernel.map(|span| span.start).or(marks.entry).unwrap_or(end);
    let ends = [
        ("boot-rom", marks.boot_rom),
        ("clocks", marks.clocks),
        ("sdram", marks.sdram),
        ("init", Some(first_page)),
        ("kernel-read", kernel.map(|span| span.end)),
        ("entry", marks.entry),
    ];
    let mut start = 0;
    let mut phases = Vec::new();
    for (name, end) in ends {
        if let Some(end) = end {
            let end = end.max(start);
            phases.push(Phase { name, start_ns: start / 1000, end_ns: end / 1000 });
            start = end;
        }
    }
    phases
}

/// What went over the bus. Flips are counted once each, and not those the boot ROM met: it
/// does not look at ECC.
#[must_use]
pub fn counters(log: &crate::part::Log, layout: &EccLayout, bus_time: Ps, boot_rom_end: Ps) -> NandCounters {
    let mut corrected = BTreeSet::new();
    let mut uncorrectable = BTreeSet::new();
    for read in log.reads.iter().filter(|read| read.start >= boot_rom_end) {
        let mut steps: Vec<Vec<(u32, u8)>> = vec![Vec::new(); layout.steps() as usize];
        for flip in &read.flips {
            if let Some(step) = layout.step_of(flip.byte) {
                steps[step as usize].push((flip.byte, flip.bit));
            }
        }
        for step in steps {
            match step[..] {
                [] => {}
                [(byte, bit)] => {
                    corrected.insert((read.page, byte, bit));
                }
                _ => {
                    uncorrectable.insert(read.page);
                }
            }
        }
    }
    NandCounters {
        page_reads: log.reads.len() as u64,
        bytes: log.bytes,
        bus_ns: bus_time / 1000,
        busy_ns: log.busy / 1000,
        corrected_bits: corrected.len() as u64,
        uncorrectable: uncorrectable.len() as u64,
        programs: log.programs,
        erases: log.erases,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::{AT91_2048_4, DeliveredFlip, LINUX_256_3, LINUX_512_3, Log, k5d2g13acm, k9f1208u0c};
    use crate::time::{NEVER, NS, US};

    fn read(page: u32, start: Ps, flips: &[(u32, u8)]) -> PageRead {
        let flips = flips.iter().map(|&(byte, bit)| DeliveredFlip { byte, bit }).collect();
        let (ready, data_start, data_end) = (start + 25 * US, start + 26 * US, start + 120 * US);
        PageRead { page, start, ready, data_start, data_end, bytes: 2072, flips }
    }

    /// numbers.md: at 45 ns, HCLK 133 MHz and a = 2, 17.016 MB/s on the bus and 16.2 by programmed I/O
    /// (it rounds to 127 us and 16.1).
    #[test]
    fn limits_are_those_of_the_published_arithmetic() {
        let cycles = ByteCycles { latch: 45 * NS, data: 45 * NS, overhead: 15 * NS, next_word: 0, width: 4 };
        let span = Span { start: 0, end: 1272 * US, pages: 10 };
        let read = kernel_read(span, &k5d2g13acm::PART, &LINUX_256_3, cycles);
        assert!((read.bus_limit_mb_per_s - 17.016).abs() < 0.001, "{read:?}");
        assert!((read.limit_mb_per_s - 16.2).abs() < 0.05, "{read:?}");
        assert!((read.mb_per_s - 16.1).abs() < 0.01, "{read:?}");
        assert!((read.share - 1.0).abs() < 0.01, "{read:?}");
    }

    /// A small page through a register of one byte: 5 latches, 512 bytes and the 3 of the code.
    #[test]
    fn limits_of_small_pages_and_byte_accesses() {
        let cycles = ByteCycles { latch: 60 * NS, data: 50 * NS, overhead: 20 * NS, next_word: 0, width: 1 };
        let span = Span { start: 0, end: 1000 * US, pages: 10 };
        let read = kernel_read(span, &k9f1208u0c::PART, &LINUX_512_3, cycles);
        let check = |found: f64, page_ns: f64| assert!((found - 512e3 / page_ns).abs() < 1e-9, "{read:?}");
        check(read.bus_limit_mb_per_s, 5.0 * 60.0 + 15_000.0 + 528.0 * 50.0);
        check(read.limit_mb_per_s, 5.0 * 80.0 + 15_000.0 + 515.0 * 70.0);
        assert_eq!(read.bytes, 5120);
    }

    /// 2048 bytes and the 4 of the code in 65 accesses, 448 of the 513 words not the first of theirs.
    #[test]
    fn limits_of_accesses_of_several_words() {
        let cycles =
            ByteCycles { latch: 50 * NS, data: 30 * NS, overhead: 20 * NS, next_word: 10 * NS, width: 32 };
        let span = Span { start: 0, end: 1000 * US, pages: 10 };
        let read = kernel_read(span, &k5d2g13acm::PART, &AT91_2048_4, cycles);
        let page_ns = 7.0 * 70.0 + 25_000.0 + 2052.0 * 30.0 + 65.0 * 20.0 + 448.0 * 10.0;
        assert!((read.limit_mb_per_s - 2048e3 / page_ns).abs() < 1e-9, "{read:?}");
    }

    #[test]
    fn flips_of_pages_with_one_code() {
        let log = Log {
            reads: vec![
                read(0, 0, &[(0, 0)]),
                read(1, 0, &[(2047, 0), (2108, 1)]),
                read(2, 0, &[(2107, 0)]),
                read(3, 0, &[(2111, 0)]),
            ],
            ..Log::default()
        };
        let counters = counters(&log, &AT91_2048_4, 0, 0);
        assert_eq!((counters.corrected_bits, counters.uncorrectable), (2, 1));
    }

    #[test]
    fn flips_of_small_pages() {
        let log = Log {
            reads: vec![read(0, 0, &[(0, 0)]), read(1, 0, &[(511, 0), (514, 1)]), read(2, 0, &[(515, 0)])],
            ..Log::default()
        };
        let counters = counters(&log, &LINUX_512_3, 0, 0);
        assert_eq!((counters.corrected_bits, counters.uncorrectable), (1, 1));
    }

    #[test]
    fn only_the_slots_pages_count_and_each_once() {
        let slot = Slot::with_pages(vec![64, 65]);
        let reads =
            [read(3, 0, &[]), read(64, 10 * US, &[]), read(64, 200 * US, &[]), read(65, 400 * US, &[])];
        let expected = Span { start: 10 * US, end: 520 * US, pages: 2 };
        assert_eq!(span(&reads, &slot, NEVER), Some(expected));
        assert_eq!(span(&reads, &slot, 320 * US), Some(Span { end: 320 * US, pages: 1, ..expected }));
        assert_eq!(span(&reads[..1], &slot, NEVER), None);
    }

    #[test]
    fn reads_between_two_times() {
        let empty = PageRead { bytes: 0, ..read(5, 600 * US, &[]) };
        let reads = [read(3, 0, &[]), read(4, 200 * US, &[]), read(5, 400 * US, &[]), empty];
        let check = |from, to, expected| assert_eq!(between(&reads, from, to), expected, "{from} to {to}");
        check(0, NEVER, 0..3);
        check(1, 520 * US, 1..3);
        check(1, 520 * US - 1, 1..2);
        check(401 * US, NEVER, 0..0);
    }

    #[test]
    fn flips_are_counted_once_and_by_step() {
        let log = Log {
            reads: vec![
                read(0, 0, &[(1, 1)]),
                read(64, 10 * US, &[(0, 0), (256, 0)]),
                read(64, 200 * US, &[(0, 0), (256, 0)]),
                read(65, 400 * US, &[(0, 0), (2090, 0)]),
                read(66, 600 * US, &[(2050, 0)]),
            ],
            ..Log::default()
        };
        let counters = counters(&log, &LINUX_256_3, 0, 5 * US);
        assert_eq!((counters.page_reads, counters.corrected_bits, counters.uncorrectable), (5, 2, 1));
    }

    #[test]
    fn phases_follow_each_other() {
        let marks = Marks { boot_rom: Some(10), clocks: Some(20), sdram: Some(15), entry: Some(90) };
        let found = phases(
            &Marks { boot_rom: Some(10_000), clocks: Some(20_000), sdram: Some(15_000), entry: Some(90_000) },
            Some(Span { start: 30_000, end: 80_000, pages: 1 }),
            90_000,
        );
        let names: Vec<_> = found.iter().map(|phase| (phase.name, phase.start_ns, phase.end_ns)).collect();
        assert_eq!(
            names,
            [
                ("boot-rom", 0, 10),
                ("clocks", 10, 20),
                ("sdram", 20, 20),
                ("init", 20, 30),
                ("kernel-read", 30, 80),
                ("entry", 80, 90)
            ]
        );
        let found = phases(&Marks { entry: None, ..marks }, None, 50);
        assert_eq!(found.last().map(|phase| phase.name), Some("init"));
    }
}
