//! Under which layout a page was written.
//!
//! That a step can be corrected says little. Data whose codes were never written look, if their
//! parity is odd, like an erased step's code and one flipped bit; so do the codes of other
//! data. That a step is clean says nearly all, unless its code is all 1s as that of an erased
//! step: data that tell nothing, such as one byte repeated, have that code in every layout.

use super::layout::Layout;
use super::stats::{Stats, Step};
use arrayvec::ArrayVec;
use core::cmp::Reverse;

/// What a page seems to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Nothing is written in it.
    Erased(Stats),
    /// Written with one of these; more than one where the page does not tell.
    Written(Alike),
    /// No layout makes sense of any part of it.
    Unknown,
}

/// Layouts between which a page does not decide.
pub type Alike = ArrayVec<(&'static Layout, Stats), 5>;

/// How well a layout explains pages, the better the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// Bytes in steps with a code that is clean and tells something.
    clean: u32,
    /// Bytes in steps that cannot be corrected, or whose code was never written.
    lost: Reverse<u32>,
    /// Steps corrected by a code that was written.
    corrected: u32,
}

impl Score {
    /// No page yet.
    pub const NONE: Self = Self { clean: 0, lost: Reverse(0), corrected: 0 };

    /// Adds a page and what the layout says of it.
    pub fn add(&mut self, layout: &Layout, oob: &[u8], stats: &Stats) {
        let bytes = layout.codec.step() as u32;
        for (number, step) in stats.steps.iter().enumerate() {
            let is_unset = layout.codec.erased(&[], &layout.code(number, oob)).is_some();
            match step {
                Step::Erased { .. } => {}
                Step::Written { data: 0, code: 0 } if is_unset => {}
                Step::Written { data: 0, code: 0 } => self.clean += bytes,
                Step::Written { .. } if !is_unset => self.corrected += 1,
                Step::Written { .. } | Step::Uncorrectable => self.lost.0 += bytes,
            }
        }
    }

    /// Adds other pages.
    pub fn merge(&mut self, other: &Self) {
        self.clean += other.clean;
        self.lost.0 += other.lost.0;
        self.corrected += other.corrected;
    }

    /// Whether more of it is certain than speaks against it.
    #[must_use]
    pub fn is_convincing(&self) -> bool {
        self.clean > self.lost.0
    }

    /// Whether the layout may be that of the pages: some of it is certain, or nothing speaks
    /// against it.
    #[must_use]
    pub fn is_plausible(&self) -> bool {
        self.clean != 0 || self.lost.0 == 0
    }
}

/// What each layout for pages of this size says of a page.
pub fn detect<'a>(data: &'a [u8], oob: &'a [u8]) -> impl Iterator<Item = (&'static Layout, Stats)> + 'a {
    Layout::of_pages(data.len(), oob.len()).map(|layout| (layout, layout.check(data, oob)))
}

/// Decides between the layouts.
#[must_use]
pub fn guess(data: &[u8], oob: &[u8]) -> Guess {
    let (mut alike, mut best) = (Alike::new(), Score::NONE);
    for (layout, stats) in detect(data, oob) {
        if stats.is_erased() {
            return Guess::Erased(stats);
        }
        let mut score = Score::NONE;
        score.add(layout, oob, &stats);
        if !score.is_plausible() || !alike.is_empty() && score < best {
            continue;
        }
        if score > best {
            alike.clear();
        }
        best = score;
        alike.push((layout, stats));
    }
    if alike.is_empty() { Guess::Unknown } else { Guess::Written(alike) }
}
