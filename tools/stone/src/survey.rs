//! What a dump is written in: runs of erase blocks, each with the ECC layout that explains it.

use crate::Result;
use crate::dump::{Block, Dump};
use crate::layout::Placed;
use boot::nand::ecc::{Layout, Score, Stats};
use std::ops::Range;

/// A run of erase blocks of one layout, all in one partition or in none.
#[derive(Debug)]
pub struct Region {
    /// Name of the partition.
    pub partition: Option<String>,
    /// Its erase blocks.
    pub blocks: Range<u32>,
    /// The layout; several where what is written does not tell, none where nothing is written
    /// or no layout makes sense of it.
    pub layouts: Vec<&'static Layout>,
    /// Whether anything is written in it.
    pub is_written: bool,
    scores: Scores,
}

/// How well each layout explains what is written; empty as long as nothing is.
type Scores = Vec<(&'static Layout, Score)>;

impl Region {
    /// A word for the layouts.
    #[must_use]
    pub fn names(&self) -> String {
        let names: Vec<_> = self.layouts.iter().map(|layout| layout.name).collect();
        match (self.is_written, names.is_empty()) {
            (false, _) => "erased".into(),
            (true, true) => "unknown".into(),
            (true, false) => names.join(" or "),
        }
    }

    fn new(partition: Option<&Placed>, number: u32, scores: Scores) -> Self {
        Self {
            partition: partition.map(|partition| partition.name.clone()),
            blocks: number..number + 1,
            layouts: best(&scores),
            is_written: !scores.is_empty(),
            scores,
        }
    }

    /// Takes the next block in, if it may be of the same layout.
    fn take(&mut self, partition: Option<&Placed>, scores: &Scores) -> bool {
        if self.partition.as_ref() != partition.map(|partition| &partition.name) {
            return false;
        }
        let layouts = best(scores);
        let fits = layouts.iter().any(|layout| self.layouts.contains(layout))
            || layouts.is_empty() && self.layouts.is_empty();
        if self.is_written && !scores.is_empty() && !fits {
            return false;
        }
        if self.scores.is_empty() {
            self.scores.clone_from(scores);
        } else {
            for ((_, sum), (_, score)) in self.scores.iter_mut().zip(scores) {
                sum.merge(score);
            }
        }
        self.is_written |= !scores.is_empty();
        self.layouts = best(&self.scores);
        self.blocks.end += 1;
        true
    }
}

/// The layouts that explain what is written, if any does.
fn best(scores: &Scores) -> Vec<&'static Layout> {
    let plausible = || scores.iter().filter(|(_, score)| score.is_plausible());
    let most = plausible().map(|(_, score)| score).max();
    plausible().filter(|(_, score)| Some(score) == most).map(|(layout, _)| *layout).collect()
}

/// Divides a dump into regions.
///
/// # Errors
/// Those of the file.
pub fn survey(dump: &mut Dump, partitions: &[Placed]) -> Result<Vec<Region>> {
    let mut regions: Vec<Region> = Vec::new();
    for number in dump.blocks() {
        let scores = scores(&dump.block(number)?, dump);
        let partition = partitions.iter().find(|partition| partition.blocks.contains(&number));
        if !regions.last_mut().is_some_and(|region| region.take(partition, &scores)) {
            regions.push(Region::new(partition, number, scores));
        }
    }
    Ok(regions)
}

fn scores(block: &Block, dump: &Dump) -> Scores {
    let geometry = dump.geometry();
    if block.is_bad() || block.is_erased() {
        return Scores::new();
    }
    let layouts = Layout::of_pages(geometry.page, geometry.oob);
    let mut scores: Scores = layouts.map(|layout| (layout, Score::NONE)).collect();
    let mut is_written = false;
    for page in 0..geometry.pages_per_block {
        let (data, oob) = (block.data(page), block.oob(page));
        let stats: Vec<_> = scores.iter().map(|(layout, _)| layout.check(data, oob)).collect();
        if stats.iter().any(Stats::is_erased) {
            continue;
        }
        is_written = true;
        for ((layout, score), stats) in scores.iter_mut().zip(&stats) {
            score.add(layout, oob, stats);
        }
    }
    if is_written { scores } else { Scores::new() }
}

/// The pages of good erase blocks, by what a layout says of them.
#[derive(Debug, Default)]
pub struct Pages {
    /// Pages that nothing is written in.
    pub erased: u32,
    /// Pages that are as they were written.
    pub clean: u32,
    /// Pages with bitflips, erased ones too.
    pub flipped: Vec<(u32, Stats)>,
    /// Bad blocks, whose pages do not count.
    pub bad: Vec<u32>,
}

impl Pages {
    /// Pages that were corrected throughout.
    pub fn corrected(&self) -> impl Iterator<Item = &(u32, Stats)> {
        self.flipped.iter().filter(|(_, stats)| stats.is_good())
    }

    /// Pages that could not be corrected throughout.
    pub fn uncorrectable(&self) -> impl Iterator<Item = &(u32, Stats)> {
        self.flipped.iter().filter(|(_, stats)| !stats.is_good())
    }

    /// Bitflips corrected in all of them.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.flipped.iter().map(|(_, stats)| stats.bits()).sum()
    }

    /// Those of them in codes.
    #[must_use]
    pub fn code_bits(&self) -> u32 {
        self.flipped.iter().map(|(_, stats)| stats.code_bits()).sum()
    }

    /// The most in one step.
    #[must_use]
    pub fn worst(&self) -> u32 {
        self.flipped.iter().map(|(_, stats)| stats.worst()).max().unwrap_or(0)
    }

    /// Pages that something is written in.
    #[must_use]
    pub fn written(&self) -> u32 {
        let flipped = self.flipped.iter().filter(|(_, stats)| !stats.is_erased()).count();
        self.clean + flipped as u32
    }

    /// Corrects a block, and counts what there was to correct.
    pub fn correct(&mut self, number: u32, block: &mut Block, layout: &Layout) {
        let pages_per_block = block.pages();
        if block.is_bad() {
            self.bad.push(number);
            return;
        }
        for page in 0..pages_per_block {
            let stats = block.correct(page, layout);
            self.erased += u32::from(stats.is_erased());
            if stats.bits() != 0 || !stats.is_good() {
                self.flipped.push((number * pages_per_block + page, stats));
            } else if !stats.is_erased() {
                self.clean += 1;
            }
        }
    }

    /// Adds other pages.
    pub fn merge(&mut self, other: Self) {
        self.erased += other.erased;
        self.clean += other.clean;
        self.flipped.extend(other.flipped);
        self.bad.extend(other.bad);
    }
}

/// What a layout says of the pages of some erase blocks.
///
/// # Errors
/// Those of the file.
pub fn check(dump: &mut Dump, blocks: Range<u32>, layout: &Layout) -> Result<Pages> {
    let pages_per_block = dump.geometry().pages_per_block;
    let mut pages = Pages::default();
    for number in blocks {
        let mut block = dump.block(number)?;
        if block.is_erased() {
            pages.erased += pages_per_block;
        } else {
            pages.correct(number, &mut block, layout);
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::part::{Geometry, LARGE_PAGE};

    const SMALL: Geometry = Geometry { blocks: 8, ..LARGE_PAGE };

    /// Bytes without a pattern.
    fn noise(len: usize) -> Vec<u8> {
        (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    fn placed(name: &str, blocks: Range<u32>, ecc: &str) -> Placed {
        let ecc = Layout::find(ecc).unwrap();
        Placed { name: name.into(), blocks, spare: 0, content: None, file: None, ecc }
    }

    /// Runs of blocks in a dump of these contents, by partition, blocks and layout.
    fn regions(content: &[(Placed, Vec<u8>)], partitions: &[Placed]) -> Vec<String> {
        let mut chip = Chip::new(SMALL, [7].into()).unwrap();
        for (place, data) in content {
            chip.place(place, data).unwrap();
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("nand");
        let mut raw = Vec::new();
        chip.write(&mut raw, false).unwrap();
        std::fs::write(&path, raw).unwrap();
        let mut dump = Dump::open(&path, Some(SMALL)).unwrap();
        let shown = |region: Region| {
            let partition = region.partition.as_deref().unwrap_or("-");
            format!("{partition} {:?} {}", region.blocks, region.names())
        };
        survey(&mut dump, partitions).unwrap().into_iter().map(shown).collect()
    }

    #[test]
    fn runs_end_where_the_layout_changes() {
        let block = SMALL.block();
        let content = [
            (placed("a", 0..1, "s3c24xx-hw"), noise(4096)),
            (placed("b", 2..4, "sw-hamming"), noise(2 * block)),
            (placed("c", 4..5, "s3c2440-wince"), noise(block)),
        ];
        // Block 1 is erased: it does not end a run.
        let expected = ["- 0..2 s3c24xx-hw", "- 2..4 sw-hamming", "- 4..8 s3c2440-wince"];
        assert_eq!(regions(&content, &[]), expected);
        let partitions = [placed("one", 0..3, "s3c24xx-hw"), placed("rest", 5..8, "s3c24xx-hw")];
        let expected = [
            "one 0..2 s3c24xx-hw",
            "one 2..3 sw-hamming",
            "- 3..4 sw-hamming",
            "- 4..5 s3c2440-wince",
            "rest 5..8 erased",
        ];
        assert_eq!(regions(&content, &partitions), expected);
    }

    #[test]
    fn blocks_that_do_not_tell_join_those_that_do() {
        let zeros = vec![0; SMALL.block()];
        let content = [
            (placed("a", 0..1, "sw-hamming"), zeros.clone()),
            (placed("b", 1..2, "sw-hamming"), noise(4096)),
            (placed("c", 2..3, "sw-hamming"), zeros.clone()),
        ];
        assert_eq!(regions(&content, &[]), ["- 0..8 sw-hamming"]);
        let all = "- 0..8 s3c24xx-hw or sw-hamming or sw-hamming-smc or s3c2440-wince";
        assert_eq!(regions(&[(placed("a", 0..1, "s3c24xx-hw"), zeros)], &[]), [all]);
    }
}
