//! Ranges of addresses, and finding room between them.

use core::fmt;

/// Bytes of memory from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Address of the first byte.
    pub start: u32,
    /// Bytes.
    pub len: u32,
}

impl Region {
    /// So many bytes from `start` on.
    #[must_use]
    pub const fn new(start: u32, len: u32) -> Self {
        Self { start, len }
    }

    /// From `start` to `end`, exclusive; empty if that is not behind it.
    #[must_use]
    pub fn between(start: u32, end: u64) -> Self {
        let len = end.saturating_sub(start.into());
        Self { start, len: u32::try_from(len).unwrap_or(u32::MAX) }
    }

    /// The address behind the last byte, which may be beyond 32 bits.
    #[must_use]
    pub fn end(self) -> u64 {
        u64::from(self.start) + u64::from(self.len)
    }

    /// Have the two a byte in common?
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        u64::from(self.start) < other.end() && u64::from(other.start) < self.end()
    }

    /// Is all of `other` within?
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end() <= self.end()
    }

    /// The part of it from an offset on, as far as it has so many bytes.
    #[must_use]
    pub fn part(self, offset: u32, len: u32) -> Option<Self> {
        let part = Self { start: self.start.checked_add(offset)?, len };
        self.contains(part).then_some(part)
    }

    /// With so many more bytes behind it.
    #[must_use]
    pub fn extended(self, by: u32) -> Self {
        Self { start: self.start, len: self.len.saturating_add(by) }
    }

    /// The highest `len` bytes in it that touch none of `busy` and start at a multiple of
    /// `align`, a power of two.
    #[must_use]
    pub fn highest(self, len: u32, align: u32, busy: &[Self]) -> Option<Self> {
        let mut end = self.end();
        loop {
            let start = end.checked_sub(len.into())? & !u64::from(align - 1);
            let place = Self { start: u32::try_from(start).ok()?, len };
            if !self.contains(place) {
                return None;
            }
            match busy.iter().find(|busy| busy.overlaps(place)) {
                // Lower in every turn, because it overlaps.
                Some(busy) => end = busy.start.into(),
                None => return Some(place),
            }
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{:08x}", self.start, self.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_and_contains() {
        let check = |a: (u32, u32), b: (u32, u32), overlaps, contains| {
            let (a, b) = (Region::new(a.0, a.1), Region::new(b.0, b.1));
            assert_eq!((a.overlaps(b), b.overlaps(a), a.contains(b)), (overlaps, overlaps, contains));
        };
        check((0, 4), (4, 4), false, false);
        check((0, 5), (4, 4), true, false);
        check((0, 8), (4, 4), true, true);
        check((4, 4), (0, 16), true, false);
        check((4, 4), (4, 0), false, true);
        check((0xffff_fff0, 0x10), (0xffff_ffff, 1), true, true);
        check((0xffff_fff0, 0x10), (0xffff_ffff, 2), true, false);
        check((0, u32::MAX), (u32::MAX, u32::MAX), false, false);
    }

    #[test]
    fn finds_the_highest_room() {
        let ram = Region::new(0x1000, 0xf000);
        let check = |len, busy: &[(u32, u32)], expected: Option<u32>| {
            let busy: std::vec::Vec<_> = busy.iter().map(|&(start, len)| Region::new(start, len)).collect();
            assert_eq!(ram.highest(len, 0x100, &busy), expected.map(|start| Region::new(start, len)));
        };
        check(0x100, &[], Some(0xff00));
        check(0x101, &[], Some(0xfe00));
        check(0xf000, &[], Some(0x1000));
        check(0xf001, &[], None);
        check(u32::MAX, &[], None);
        check(0x100, &[(0xff80, 1)], Some(0xfe00));
        check(0x100, &[(0xf000, 0x1000), (0xe000, 0xf01)], Some(0xdf00));
        check(0x100, &[(0xe000, 0x1000), (0xf000, 0x1000)], Some(0xdf00));
        check(0x100, &[(0, u32::MAX)], None);
        check(0x100, &[(0x1100, u32::MAX)], Some(0x1000));
    }
}
