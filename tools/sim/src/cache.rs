//! Cache model: which lines are in, which are dirty or stale. Data stays in RAM, so a program that
//! forgets to clean or invalidate still runs, and is reported.
//!
//! S3C2410A User's Manual, appendix 4. The caches are virtually tagged; this model tags with
//! physical lines, which is the same as long as a program invalidates when it changes its mapping.

use crate::model::LINE;

/// Half-lines that are dirty, a bit each.
pub type Halves = u8;

/// A line that had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evicted {
    /// Its physical address.
    pub address: u32,
    /// What must be written back.
    pub dirty: Halves,
}

#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Physical address; meaningless when the line is not valid.
    address: u32,
    valid: bool,
    dirty: Halves,
    /// Memory has changed since the line was filled.
    stale: bool,
}

/// How a victim is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Pseudo-random.
    Random,
    /// Round robin.
    RoundRobin,
}

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(u16);

/// Sizes of a cache, powers of two.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Segments: a line can be in one of them.
    pub segments: u32,
    /// Lines of a segment.
    pub ways: u32,
}

/// One cache.
#[derive(Debug)]
pub struct Cache {
    shape: Shape,
    lines: Vec<Line>,
    victim: Vec<u8>,
    random: u32,
    /// For each line of the cacheable memory: 0, or 1 + its way.
    index: Index,
    dirty_lines: u32,
}

/// Which way holds a line, by region of memory.
#[derive(Debug)]
struct Index {
    regions: Vec<(u32, Vec<u8>)>,
}

impl Index {
    fn at(&self, address: u32) -> Option<(usize, usize)> {
        self.regions.iter().enumerate().find_map(|(region, (base, ways))| {
            let line = (address.wrapping_sub(*base) / LINE) as usize;
            (line < ways.len()).then_some((region, line))
        })
    }

    fn get(&self, address: u32) -> u8 {
        self.at(address).map_or(0, |(region, line)| self.regions[region].1[line])
    }

    fn set(&mut self, address: u32, way: u8) {
        if let Some((region, line)) = self.at(address) {
            self.regions[region].1[line] = way;
        }
    }
}

fn half(address: u32) -> Halves {
    1 << (address / (LINE / 2) % 2)
}

impl Cache {
    /// An empty cache in front of the given memories (first address, length).
    #[must_use]
    pub fn new(shape: Shape, memories: &[(u32, u32)], seed: u64) -> Self {
        let regions = memories.iter().map(|&(base, len)| (base, vec![0; (len / LINE) as usize])).collect();
        Self {
            shape,
            lines: vec![Line::default(); (shape.segments * shape.ways) as usize],
            victim: vec![0; shape.segments as usize],
            random: (seed as u32 ^ (seed >> 32) as u32) | 1,
            index: Index { regions },
            dirty_lines: 0,
        }
    }

    fn segment(&self, address: u32) -> u32 {
        address / LINE % self.shape.segments
    }

    fn slot(&self, segment: u32, way: u32) -> Slot {
        Slot((segment * self.shape.ways + way) as u16)
    }

    /// The line that holds an address.
    #[must_use]
    pub fn find(&self, address: u32) -> Option<Slot> {
        match self.index.get(address) {
            0 => None,
            way => Some(self.slot(self.segment(address), u32::from(way) - 1)),
        }
    }

    /// Fills the line of `address`, which must not be in; says what had to go for it.
    pub fn fill(&mut self, address: u32, replacement: Replacement) -> (Slot, Option<Evicted>) {
        let segment = self.segment(address);
        let way = self.choose(segment, replacement);
        let slot = self.slot(segment, way);
        let evicted = self.drop_line(slot).filter(|evicted| evicted.dirty != 0);
        let line = address & !(LINE - 1);
        self.lines[usize::from(slot.0)] = Line { address: line, valid: true, dirty: 0, stale: false };
        self.index.set(line, way as u8 + 1);
        (slot, evicted)
    }

    fn choose(&mut self, segment: u32, replacement: Replacement) -> u32 {
        let last = self.shape.ways - 1;
        match replacement {
            Replacement::RoundRobin => {
                let victim = &mut self.victim[segment as usize];
                let way = u32::from(*victim);
                *victim = ((way + 1) & last) as u8;
                way
            }
            Replacement::Random => {
                // xorshift32 (Marsaglia); the real generator is not documented.
                self.random ^= self.random << 13;
                self.random ^= self.random >> 17;
                self.random ^= self.random << 5;
                self.random & last
            }
        }
    }

    /// Notes a write into a line that is in.
    pub fn set_dirty(&mut self, slot: Slot, address: u32) {
        let line = &mut self.lines[usize::from(slot.0)];
        self.dirty_lines += u32::from(line.dirty == 0);
        line.dirty |= half(address);
    }

    /// Whether a line holds data that memory does not.
    #[must_use]
    pub fn dirty(&self, slot: Slot) -> Halves {
        self.lines[usize::from(slot.0)].dirty
    }

    /// Notes that memory behind a line has changed.
    pub fn set_stale(&mut self, slot: Slot) {
        self.lines[usize::from(slot.0)].stale = true;
    }

    /// Whether memory has changed since the line was filled.
    #[must_use]
    pub fn is_stale(&self, slot: Slot) -> bool {
        self.lines[usize::from(slot.0)].stale
    }

    /// Writes a line back: it stays in and is clean.
    pub fn clean(&mut self, slot: Slot) -> Evicted {
        let line = &mut self.lines[usize::from(slot.0)];
        let evicted = Evicted { address: line.address, dirty: line.dirty };
        self.dirty_lines -= u32::from(line.dirty != 0);
        line.dirty = 0;
        evicted
    }

    /// Drops a line; what was dirty is lost unless the caller writes it back.
    pub fn drop_line(&mut self, slot: Slot) -> Option<Evicted> {
        let line = self.lines[usize::from(slot.0)];
        if !line.valid {
            return None;
        }
        let evicted = self.clean(slot);
        self.index.set(line.address, 0);
        self.lines[usize::from(slot.0)] = Line::default();
        Some(evicted)
    }

    /// Drops all lines. Returns how many were dirty.
    pub fn invalidate(&mut self) -> u32 {
        let dirty = self.dirty_lines;
        for number in 0..self.lines.len() {
            self.drop_line(Slot(number as u16));
        }
        dirty
    }

    /// The line a CP15 operation names by segment (from bit 5 up) and index (from bit 31 down).
    #[must_use]
    pub fn by_index(&self, argument: u32) -> Slot {
        let Shape { segments, ways } = self.shape;
        self.slot(argument / LINE % segments, argument >> (32 - ways.ilog2()))
    }

    /// Lines that hold data memory does not.
    #[must_use]
    pub fn dirty_lines(&self) -> u32 {
        self.dirty_lines
    }

    /// Address of a dirty line, for a message.
    #[must_use]
    pub fn first_dirty(&self) -> Option<u32> {
        self.lines.iter().find(|line| line.dirty != 0).map(|line| line.address)
    }

    /// Address of a stale line, for a message.
    #[must_use]
    pub fn first_stale(&self) -> Option<u32> {
        self.lines.iter().find(|line| line.valid && line.stale).map(|line| line.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAM: u32 = 0x3000_0000;

    fn cache() -> Cache {
        cache_of(Shape { segments: 8, ways: 64 })
    }

    fn cache_of(shape: Shape) -> Cache {
        Cache::new(shape, &[(0, 0x1000), (RAM, 0x10_0000)], 1)
    }

    #[test]
    fn a_filled_line_is_found_until_it_is_dropped() {
        let mut cache = cache();
        let (slot, evicted) = cache.fill(RAM + 0x44, Replacement::RoundRobin);
        assert_eq!(evicted, None);
        assert_eq!(cache.find(RAM + 0x40), Some(slot));
        assert_eq!(cache.find(RAM + 0x5f), Some(slot));
        assert_eq!(cache.find(RAM + 0x60), None);
        cache.drop_line(slot);
        assert_eq!(cache.find(RAM + 0x40), None);
    }

    #[test]
    fn round_robin_evicts_after_64_lines_of_a_segment() {
        let mut cache = cache();
        for way in 0..64 {
            assert_eq!(cache.fill(RAM + way * 256, Replacement::RoundRobin).1, None);
        }
        let first = cache.find(RAM).unwrap();
        cache.set_dirty(first, RAM + 16);
        let (_, evicted) = cache.fill(RAM + 64 * 256, Replacement::RoundRobin);
        assert_eq!(evicted, Some(Evicted { address: RAM, dirty: 2 }));
        assert_eq!(cache.find(RAM), None);
        assert_eq!(cache.dirty_lines(), 0);
    }

    #[test]
    fn dirty_lines_are_counted() {
        let mut cache = cache();
        let (slot, _) = cache.fill(RAM, Replacement::Random);
        cache.set_dirty(slot, RAM);
        cache.set_dirty(slot, RAM + 16);
        assert_eq!((cache.dirty_lines(), cache.dirty(slot)), (1, 3));
        assert_eq!(cache.clean(slot), Evicted { address: RAM, dirty: 3 });
        assert_eq!(cache.dirty_lines(), 0);
        cache.set_dirty(slot, RAM);
        assert_eq!(cache.invalidate(), 1);
        assert_eq!(cache.find(RAM), None);
    }

    #[test]
    fn lines_are_named_by_segment_and_index() {
        let mut cache = cache();
        let (slot, _) = cache.fill(RAM + 3 * 32, Replacement::RoundRobin);
        assert_eq!(cache.by_index(3 << 5), slot);
        assert_ne!(cache.by_index(3 << 5 | 1 << 26), slot);
        // 8 KiB in four ways.
        let mut cache = cache_of(Shape { segments: 64, ways: 4 });
        let slots = [0, 1].map(|n| cache.fill(RAM + 63 * 32 + n * 2048, Replacement::RoundRobin).0);
        assert_eq!([63 << 5, 63 << 5 | 1 << 30].map(|named| cache.by_index(named)), slots);
    }

    #[test]
    fn the_same_seed_gives_the_same_victims() {
        let run = || {
            let mut cache = cache();
            (0..200).map(|line| cache.fill(RAM + line * 256, Replacement::Random).0.0).collect::<Vec<_>>()
        };
        assert_eq!(run(), run());
    }
}
