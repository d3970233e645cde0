//! Programs and erases that end too early: which cells have got there, and which cannot decide.
//!
//! Data sheets say only that the contents are not valid then, so this is an assumption, made in such
//! a way that all kinds of remains turn up: as good as untouched, a few bits in doubt that ECC corrects
//! in one reading and not in the next, a good part of the bits wrong, as good as done. Every cell
//! needs a share of the busy time that is its own; shares are spread like a bell around one half, and
//! a little by the page, so that some pages of a block are erased earlier than others. Cells that are
//! close to their share when the operation ends read 0 or 1 by chance, each time anew, until the next
//! erase.

use std::ops::Range;

use crate::bus::Ps;

/// The share of its busy time that an operation has had, in 1024ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Progress(u32);

/// A cell this close to its share, in 1024ths, cannot decide.
const DOUBT: u32 = 16;
/// By how much the shares of a page's cells lie above or below those of other pages, at most.
const PAGE_SPREAD: u32 = 96;
/// Where the power is cut: hardly begun, in the midst, nearly done. In the first and the last of these
/// lie the readings that ECC can correct, so each has a third of the cuts.
const STAGES: [Range<u32>; 3] = [20..240, 240..784, 784..1004];

impl Progress {
    const WHOLE: u32 = 1024;
    /// How far an operation gets that the chip itself gives up.
    pub(super) const HALF: Self = Self(Self::WHOLE / 2);

    /// Of an operation `from` here `to` there, at `now`.
    pub(super) fn at(now: Ps, from: Ps, to: Ps) -> Self {
        let whole = to.saturating_sub(from).max(1);
        Self((now.saturating_sub(from).min(whole) * Ps::from(Self::WHOLE) / whole) as u32)
    }

    /// How far the `number`-th operation has got when the power is cut inside it.
    pub(super) fn drawn(seed: u64, number: u64) -> Self {
        let drawn = random(seed, number, 0);
        let stage = &STAGES[(drawn % 3) as usize];
        Self(stage.start + (drawn >> 32) as u32 % (stage.end - stage.start))
    }

    /// When an operation has got this far.
    pub(super) fn time(self, from: Ps, to: Ps) -> Ps {
        from + (to - from) * Ps::from(self.0) / Ps::from(Self::WHOLE)
    }

    /// As a part of one.
    pub(super) fn share(self) -> f64 {
        f64::from(self.0) / f64::from(Self::WHOLE)
    }

    /// What has become of the cells of a byte.
    pub(super) fn cells(self, seed: u64, page: u32, byte: u32) -> Cells {
        let shift = random(seed, page.into(), u64::MAX) as u32 % (2 * PAGE_SPREAD);
        let mut cells = Cells { done: 0, unsure: 0 };
        for bit in 0..8 {
            let share = bell(random(seed, page.into(), u64::from(byte) << 3 | bit)) + shift;
            // So that nothing has happened at the beginning, and all at the end.
            let share = share.saturating_sub(PAGE_SPREAD).clamp(DOUBT + 1, Self::WHOLE - DOUBT - 1);
            if self.0.abs_diff(share) <= DOUBT {
                cells.unsure |= 1 << bit;
            } else if self.0 > share {
                cells.done |= 1 << bit;
            }
        }
        cells
    }
}

/// Cells of a byte, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    /// They have got where they should.
    pub(super) done: u8,
    /// They read either way.
    pub(super) unsure: u8,
}

/// A number below 1024, near 512 as a rule: the sum of four bytes.
fn bell(random: u64) -> u32 {
    random.to_le_bytes()[..4].iter().map(|&byte| u32::from(byte)).sum()
}

/// A random number for a place: two rounds of SplitMix64's finalizer (Steele, Lea, Flood 2014).
pub(super) fn random(seed: u64, a: u64, b: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |z: u64| {
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let first = mix(seed.wrapping_add(a.wrapping_mul(GOLDEN)));
    mix(first.wrapping_add(b.wrapping_mul(GOLDEN)).wrapping_add(GOLDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of a page that are done and unsure.
    fn counts(progress: u32, seed: u64, page: u32) -> (u32, u32) {
        let cells = (0..2112).map(|byte| Progress(progress).cells(seed, page, byte));
        cells.fold((0, 0), |(done, unsure), cells| {
            assert_eq!(cells.done & cells.unsure, 0);
            (done + cells.done.count_ones(), unsure + cells.unsure.count_ones())
        })
    }

    #[test]
    fn it_begins_with_nothing_and_ends_with_everything() {
        const ALL: u32 = 2112 * 8;
        for seed in 1..20 {
            assert_eq!(counts(0, seed, 5), (0, 0));
            assert_eq!(counts(1024, seed, 5), (ALL, 0));
            let (done, unsure) = counts(512, seed, 5);
            assert!((ALL / 8..ALL * 7 / 8).contains(&done) && unsure > ALL / 20, "{done} {unsure}");
        }
    }

    #[test]
    fn pages_differ_and_so_do_seeds() {
        let done = |seed, page| counts(512, seed, page).0;
        assert!((0..8).any(|page| done(1, page).abs_diff(done(1, 8)) > 2000));
        assert_ne!(done(1, 0), done(2, 0));
        assert_eq!(done(1, 0), done(1, 0));
    }

    #[test]
    fn cuts_come_early_late_and_between() {
        let drawn: Vec<_> = (1..=300).map(|number| Progress::drawn(1, number).0).collect();
        for stage in STAGES {
            let hits = drawn.iter().filter(|drawn| stage.contains(drawn)).count();
            assert!((70..130).contains(&hits), "{stage:?}: {hits}");
        }
    }

    #[test]
    fn a_few_bits_in_doubt_are_no_rarity() {
        // Half of the bits of a page of data are programmed: at most eight in doubt or missing is
        // what ECC may correct.
        let few = |number: &u64| {
            let (done, unsure) = counts(Progress::drawn(1, *number).0, 1, *number as u32);
            (1..=16).contains(&unsure) && (done <= 16 || done + unsure + 16 >= 2112 * 8)
        };
        let count = (1..=300).filter(few).count();
        assert!(count >= 10, "{count}");
    }

    #[test]
    fn progress_and_time_are_each_others_inverse() {
        let check = |now, expected| assert_eq!(Progress::at(now, 1000, 3048), Progress(expected), "{now}");
        check(0, 0);
        check(1000, 0);
        check(2024, 512);
        check(9999, 1024);
        assert_eq!(Progress(512).time(1000, 3048), 2024);
        assert!((Progress(256).share() - 0.25).abs() < 1e-9);
    }
}
