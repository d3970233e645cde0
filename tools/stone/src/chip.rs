//! Builds raw NAND images: page data and OOB interleaved, ECC filled in, bad
//! blocks marked and skipped as the loader skips them.

use crate::layout::Placed;
use crate::part::Geometry;
use crate::{Error, Result};
use boot::nand::ecc;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// A chip with content in some of its erase blocks.
#[derive(Debug)]
pub struct Chip {
    geometry: Geometry,
    bad: BTreeSet<u32>,
    /// Data and ECC layout by erase block; what is missing is erased.
    blocks: BTreeMap<u32, (Vec<u8>, &'static ecc::Layout)>,
}

impl Chip {
    /// An erased chip with these factory-bad blocks.
    ///
    /// # Errors
    /// When block 0 is bad, from which nothing can boot, or a block is not on the chip.
    pub fn new(geometry: Geometry, bad: BTreeSet<u32>) -> Result<Self> {
        if bad.contains(&0) {
            return Err(Error::new("block 0 cannot be bad: the boot ROM reads it, and nothing else")
                .hint("a chip with a bad block 0 does not boot; makers guarantee it good"));
        }
        match bad.last() {
            Some(&last) if last >= geometry.blocks => {
                Err(Error::new(format!("bad block {last} is not on the chip"))
                    .expected(format!("blocks 1 to {}", geometry.blocks - 1)))
            }
            _ => Ok(Self { geometry, bad, blocks: BTreeMap::new() }),
        }
    }

    /// The factory-bad blocks.
    #[must_use]
    pub fn bad(&self) -> &BTreeSet<u32> {
        &self.bad
    }

    /// Puts data into a partition: from its first good block on, over the next good ones.
    ///
    /// # Errors
    /// Names the partition when it has too few good blocks.
    pub fn place(&mut self, partition: &Placed, data: &[u8]) -> Result<()> {
        let pieces = data.chunks(self.geometry.block());
        let good: Vec<u32> =
            partition.blocks.clone().filter(|block| !self.bad.contains(block)).take(pieces.len()).collect();
        if good.len() < pieces.len() {
            let blocks = partition.blocks.len();
            return Err(Error::new(format!("partition `{}` is too small", partition.name))
                .expected(format!("{} good erase blocks for {} bytes", pieces.len(), data.len()))
                .found(format!("{} good of {blocks}", good.len()))
                .hint("give it a larger `size` or more `spare` blocks in the recipe"));
        }
        self.blocks.extend(good.into_iter().zip(pieces.map(|piece| (piece.to_vec(), partition.ecc))));
        Ok(())
    }

    /// Writes the whole chip, or with `trim` up to the last block that is not erased.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl Write, trim: bool) -> io::Result<()> {
        let erased = vec![0xff; self.geometry.raw_block()];
        let mut marked = erased.clone();
        for page in 0..2 {
            let oob = page * self.geometry.raw_page() + self.geometry.page;
            marked[oob + usize::from(self.geometry.ecc().bad_mark)] = 0;
        }
        let used = self.blocks.keys().chain(&self.bad).max().map_or(0, |last| last + 1);
        for block in 0..if trim { used } else { self.geometry.blocks } {
            if self.bad.contains(&block) {
                out.write_all(&marked)?;
            } else if let Some((data, layout)) = self.blocks.get(&block) {
                out.write_all(&self.raw_block(data, layout))?;
            } else {
                out.write_all(&erased)?;
            }
        }
        Ok(())
    }

    fn raw_block(&self, data: &[u8], layout: &ecc::Layout) -> Vec<u8> {
        let mut raw = vec![0xff; self.geometry.raw_block()];
        let pages = raw.chunks_exact_mut(self.geometry.raw_page());
        for (page, data) in pages.zip(data.chunks(self.geometry.page)) {
            page[..data.len()].copy_from_slice(data);
            let (data, oob) = page.split_at_mut(self.geometry.page);
            layout.encode(data, oob);
        }
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::{LARGE_PAGE, SMALL_PAGE};

    const SMALL: Geometry = Geometry { blocks: 8, ..LARGE_PAGE };
    const BLOCK: usize = SMALL.block();

    fn placed(blocks: std::ops::Range<u32>) -> Placed {
        Placed { name: "p".into(), blocks, spare: 0, content: None, file: None, ecc: SMALL.ecc() }
    }

    /// First byte of each block of a chip with `data` in `blocks`.
    fn first_bytes(bad: &[u32], blocks: std::ops::Range<u32>, data: &[u8]) -> Result<Vec<u8>> {
        let mut chip = Chip::new(SMALL, bad.iter().copied().collect())?;
        chip.place(&placed(blocks), data)?;
        let mut raw = Vec::new();
        chip.write(&mut raw, false).unwrap();
        assert_eq!(raw.len(), 8 * SMALL.raw_block());
        Ok(raw.chunks(SMALL.raw_block()).map(|block| block[0]).collect())
    }

    fn three_blocks() -> Vec<u8> {
        [vec![1; BLOCK], vec![2; BLOCK], vec![3; 5]].concat()
    }

    #[test]
    fn content_flows_over_the_good_blocks() {
        let check = |bad: &[u32], expected: [u8; 8]| {
            assert_eq!(first_bytes(bad, 1..7, &three_blocks()).unwrap(), expected);
        };
        check(&[], [255, 1, 2, 3, 255, 255, 255, 255]);
        check(&[1], [255, 255, 1, 2, 3, 255, 255, 255]);
        check(&[2, 3], [255, 1, 255, 255, 2, 3, 255, 255]);
        check(&[1, 3, 5], [255, 255, 1, 255, 2, 255, 3, 255]);
    }

    #[test]
    fn says_when_too_few_blocks_are_good() {
        let error = first_bytes(&[1, 2, 4, 5], 1..7, &three_blocks()).unwrap_err().to_string();
        assert!(error.contains("partition `p` is too small") && error.contains("2 good of 6"), "{error}");
        assert!(first_bytes(&[0], 1..7, b"x").unwrap_err().to_string().contains("block 0"));
        assert!(first_bytes(&[8], 1..7, b"x").unwrap_err().to_string().contains("blocks 1 to 7"));
    }

    #[test]
    fn pages_carry_their_codes() {
        let mut data = vec![0xff; 2048];
        data[0] = 0xfe; // step 0: bit 0 of byte 0 cleared
        data[7 * 256 + 255] = 0x7f; // step 7: bit 7 of byte 255 cleared
        let mut chip = Chip::new(SMALL, BTreeSet::new()).unwrap();
        chip.place(&placed(0..1), &data).unwrap();
        let mut raw = Vec::new();
        chip.write(&mut raw, true).unwrap();
        assert_eq!(raw.len(), SMALL.raw_block());
        let oob = &raw[2048..2112];
        assert_eq!(oob[40..43], [0xaa, 0xaa, 0xaa]);
        assert_eq!(oob[61..64], [0x55, 0x55, 0x56]);
        assert!(oob[..40].iter().chain(&oob[43..61]).all(|&byte| byte == 0xff));
        assert!(raw[2112..].iter().all(|&byte| byte == 0xff));
    }

    #[test]
    fn partitions_have_the_layout_that_they_ask_for() {
        let software = Placed { ecc: ecc::Layout::find("sw-hamming").unwrap(), ..placed(1..2) };
        let mut data = vec![0xff; 2048];
        data[7 * 256 + 255] = 0x7f;
        let mut chip = Chip::new(SMALL, BTreeSet::new()).unwrap();
        chip.place(&software, &data).unwrap();
        let mut raw = Vec::new();
        chip.write(&mut raw, true).unwrap();
        assert_eq!(raw[SMALL.raw_block() + 2109..][..3], [0x55, 0x55, 0x57]);
    }

    #[test]
    fn small_pages_have_marks_and_codes_of_their_own() {
        let geometry = Geometry { blocks: 3, ..SMALL_PAGE };
        let partition = Placed { ecc: geometry.ecc(), ..placed(1..2) };
        let mut data = vec![0xff; 512];
        data[511] = 0x7f;
        let mut chip = Chip::new(geometry, BTreeSet::from([2])).unwrap();
        chip.place(&partition, &data).unwrap();
        let mut raw = Vec::new();
        chip.write(&mut raw, false).unwrap();
        let oob = geometry.raw_block() + 512;
        assert_eq!(raw[oob..oob + 4], [0x55, 0x55, 0x55, 0xff]);
        let zeros: Vec<_> = (0..raw.len()).filter(|&at| raw[at] == 0).collect();
        let marks = 2 * geometry.raw_block() + 512 + 5;
        assert_eq!(zeros, [marks, marks + 528]);
    }

    #[test]
    fn trimming_keeps_the_marks() {
        let chip = Chip::new(SMALL, BTreeSet::from([2])).unwrap();
        let mut raw = Vec::new();
        chip.write(&mut raw, true).unwrap();
        assert_eq!(raw.len(), 3 * SMALL.raw_block());
        let zeros: Vec<_> = (0..raw.len()).filter(|&at| raw[at] == 0).collect();
        let block = 2 * SMALL.raw_block();
        assert_eq!(zeros, [block + 2048, block + 2112 + 2048]);
    }
}
