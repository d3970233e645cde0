//! The chip's power: when it is cut, and what the operation under way leaves behind.

use super::NandImage;
use super::chip::{Chip, Work};
use super::torn::Progress;
use crate::bus::Ps;
use crate::cut::{Moment, PowerCut};
use crate::time::NEVER;

/// The plan for the chip's power.
#[derive(Clone, Copy, Debug)]
pub(super) struct Power {
    cut: Option<PowerCut>,
    seed: u64,
    /// When it goes.
    pub(super) off: Ps,
}

impl Power {
    /// Power that stays.
    pub(super) const fn new(seed: u64) -> Self {
        Self { cut: None, seed, off: NEVER }
    }

    /// Whether the cut is at this moment of the `number`-th operation.
    fn is_cut(&self, number: u64, moment: Moment) -> bool {
        self.cut == Some(PowerCut::Operation { number, moment })
    }
}

/// A program or erase that was broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Torn {
    /// The program of this page.
    Page(u32),
    /// The erase of this block.
    Block(u32),
}

impl Chip {
    /// Has the power cut.
    pub fn plan_power_cut(&mut self, cut: PowerCut) {
        self.power.cut = Some(cut);
        if let PowerCut::Time { ns } = cut {
            self.power.off = ns.saturating_mul(1000);
        }
    }

    /// When the power goes, as far as that is known by now.
    #[must_use]
    pub fn power_off_at(&self) -> Ps {
        self.power.off
    }

    /// Programs and erases that have begun.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.log.programs + self.log.erases
    }

    /// Whether the operation that a command with this rise of nWE asks for does not begin any more.
    pub(super) fn lacks_power(&mut self, rise: Ps) -> bool {
        if self.power.is_cut(self.operations() + 1, Moment::Before) {
            self.power.off = self.power.off.min(rise);
        }
        self.power.off <= rise
    }

    /// An operation has begun, and its busy time is known.
    pub(super) fn plan_cut_of_operation(&mut self) {
        let (number, busy) = (self.operations(), self.busy);
        if self.power.is_cut(number, Moment::Inside) {
            self.power.off = Progress::drawn(self.power.seed, number).time(busy.fall, busy.rise);
        } else if self.power.is_cut(number, Moment::After) {
            self.power.off = busy.rise;
        }
    }

    /// What a cut now breaks off, and the share of its busy time that it has had.
    #[must_use]
    pub fn torn_at(&self, now: Ps) -> Option<(Torn, f64)> {
        if self.settled || now >= self.busy.rise {
            return None;
        }
        let torn = match self.busy.work {
            Work::Program(page) => Torn::Page(page),
            Work::Erase(block) => Torn::Block(block),
            Work::Read | Work::Reset => return None,
        };
        Some((torn, self.progress(now).share()))
    }

    fn progress(&self, now: Ps) -> Progress {
        Progress::at(now, self.busy.fall, self.busy.rise)
    }

    /// The work under way, if there is any, ends here.
    pub(super) fn break_off(&mut self, now: Ps) {
        self.settle(now);
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        let progress = self.progress(now);
        match self.busy.work {
            Work::Program(page) => self.array.program_part(page, &self.register, progress),
            Work::Erase(block) => self.array.erase_part(block, progress),
            Work::Read | Work::Reset => {}
        }
    }

    /// Gives the image back as a cut of the power now leaves it.
    #[must_use]
    pub fn cut_power(mut self, now: Ps) -> NandImage {
        self.break_off(now);
        self.array.into_image()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::bench::{Bench, NS};
    use crate::part::{Faults, k9f2g08u0b};

    const TOTAL: usize = 2112;

    /// Block 0 is full of 55h; it is erased, its page 0 programmed with 0Fh, and the power cut.
    fn cut(cut: PowerCut, seed: u64) -> (NandImage, Option<(Torn, f64)>, u64) {
        let image = NandImage::from_bytes(vec![0x55; 64 * TOTAL]);
        let mut bench = Bench::with(&k9f2g08u0b::PART, image, Faults { seed, ..Faults::default() });
        bench.chip.plan_power_cut(cut);
        bench.erase_block(0);
        bench.program_page(0, 0, &[0x0F; TOTAL]);
        assert_eq!(bench.complaints(), [""; 0]);
        let off = bench.chip.power_off_at();
        let (torn, operations) = (bench.chip.torn_at(off), bench.chip.operations());
        (bench.chip.cut_power(off), torn, operations)
    }

    fn page(image: &NandImage) -> Vec<u8> {
        let mut bytes = vec![0; TOTAL];
        image.read(0, &mut bytes);
        bytes
    }

    fn at(number: u64, moment: Moment) -> PowerCut {
        PowerCut::Operation { number, moment }
    }

    #[test]
    fn before_and_after_are_clean() {
        let check = |number, moment, byte, begun| {
            let (image, torn, operations) = cut(at(number, moment), 1);
            assert_eq!((torn, operations), (None, begun), "{moment:?} {number}");
            assert_eq!(page(&image), [byte; TOTAL], "{moment:?} {number}");
            assert_eq!(image.torn_pages().count(), 0);
        };
        check(1, Moment::Before, 0x55, 0);
        check(1, Moment::After, 0xFF, 1);
        check(2, Moment::Before, 0xFF, 1);
        check(2, Moment::After, 0x0F, 2);
    }

    #[test]
    fn inside_an_erase_the_block_is_torn() {
        for seed in 1..10 {
            let (image, torn, operations) = cut(at(1, Moment::Inside), seed);
            let (torn, progress) = torn.expect("torn");
            assert_eq!((torn, operations), (Torn::Block(0), 1));
            assert!((0.01..0.99).contains(&progress), "{progress}");
            assert_eq!(image.torn_pages().collect::<Vec<_>>(), (0..64).map(|n| n * 2112).collect::<Vec<_>>());
        }
    }

    #[test]
    fn inside_a_program_the_page_is_torn_and_its_remains_vary() {
        let mut stages = [0; 3];
        for seed in 1..=100 {
            let (image, torn, _) = cut(at(2, Moment::Inside), seed);
            assert_eq!(torn.map(|(torn, _)| torn), Some(Torn::Page(0)));
            assert_eq!(image.torn_pages().collect::<Vec<_>>(), [0]);
            let left: u32 = page(&image).iter().map(|byte| (byte ^ 0x0F).count_ones()).sum();
            stages[(left * 3 / (4 * TOTAL as u32 + 1)) as usize] += 1;
        }
        assert!(stages.iter().all(|&count| count > 5), "nearly done, half done, hardly begun: {stages:?}");
    }

    #[test]
    fn at_a_time_it_meets_what_is_under_way() {
        let begin = 1500; // us; the program starts when the erase has ended, a little later
        let check = |us: u64, expected| {
            let (_, torn, _) = cut(PowerCut::Time { ns: us * 1000 }, 1);
            assert_eq!(torn.map(|(torn, _)| torn), expected, "{us} us");
        };
        check(700, Some(Torn::Block(0)));
        check(begin + 50, None);
        check(begin + 800, Some(Torn::Page(0)));
        check(10_000, None);
    }

    #[test]
    fn without_power_nothing_begins() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.chip.plan_power_cut(at(1, Moment::Before));
        bench.program_page(0, 0, &[0]);
        bench.program_page(1, 0, &[0]);
        assert_eq!(bench.chip.operations(), 0);
        assert!(bench.chip.power_off_at() < bench.now);
    }

    #[test]
    fn what_write_protection_stops_is_not_counted() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.chip.plan_power_cut(at(1, Moment::Inside));
        bench.chip.set_write_protect(true);
        bench.erase_block(0);
        assert_eq!((bench.chip.operations(), bench.chip.power_off_at()), (0, NEVER));
        bench.chip.set_write_protect(false);
        bench.erase_block(0);
        assert!(bench.chip.power_off_at() < bench.now);
    }

    #[test]
    fn a_reset_tears_too_and_reading_that_is_noted() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        bench.command(0x80);
        bench.address(&[0, 0, 7, 0, 0]);
        bench.write(&[0; 64]);
        bench.command(0x10);
        bench.now += 100_000 * NS;
        bench.command(0xFF);
        bench.wait();
        assert!(bench.chip.log().torn_reads.is_empty());
        bench.read_page(7, 0);
        bench.read_page(8, 0);
        assert_eq!(bench.chip.log().torn_reads, [7].into());
        assert_eq!(bench.complaints(), [""; 0]);
    }

    #[test]
    fn failures_show_in_the_status() {
        let faults = Faults { fail_programs: vec![64], fail_erases: vec![2], ..Faults::default() };
        let mut bench = Bench::with(&k9f2g08u0b::PART, NandImage::default(), faults);
        bench.program_page(64, 0, &[0]);
        assert_eq!(bench.status(), 0xE1);
        bench.program_page(65, 0, &[0]);
        assert_eq!(bench.status(), 0xE0);
        bench.erase_block(2);
        assert_eq!(bench.status(), 0xE1);
        bench.erase_block(1);
        assert_eq!(bench.status(), 0xE0);
        assert_eq!(bench.complaints(), [""; 0]);
        assert_eq!(bench.chip.operations(), 4);
    }
}
