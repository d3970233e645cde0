//! Reads raw NAND images: what the loader would see of them.

use crate::layout::Placed;
use crate::part::{Geometry, LARGE_PAGE};
use crate::{Error, Result};
use boot::boot_table::{self, BootTable, BootTableError, Slot};
use boot::crc::crc32;
use boot::nand::bad;
use boot::nand::ecc::{self, Verdict};
use boot::nand::hamming;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A raw image, read block by block. What is beyond the end of the file is erased.
#[derive(Debug)]
pub struct Dump {
    file: File,
    path: PathBuf,
    geometry: Geometry,
    len: u64,
}

impl Dump {
    /// Opens an image of a chip; without a geometry, of the smallest large-page chip
    /// that it fits.
    ///
    /// # Errors
    /// When the file cannot be read or its length is not that of such an image.
    pub fn open(path: &Path, geometry: Option<Geometry>) -> Result<Self> {
        let read = |e| Error::io("read the NAND image", path, &e);
        let file = File::open(path).map_err(read)?;
        let len = file.metadata().map_err(read)?.len();
        let geometry = geometry.unwrap_or_else(|| large_enough(len));
        let page = geometry.raw_page() as u64;
        let chip = geometry.raw_block() as u64 * u64::from(geometry.blocks);
        if len == 0 || !len.is_multiple_of(page) || len > chip {
            return Err(Error::new("not a raw NAND image")
                .file(path)
                .expected(format!(
                    "a multiple of {page} bytes (page and OOB), at most {chip} bytes ({} blocks)",
                    geometry.blocks
                ))
                .found(format!("{len} bytes"))
                .hint("images are made with: stone nand; nanddump needs --oob"));
        }
        Ok(Self { file, path: path.to_owned(), geometry, len })
    }

    /// The organisation of the chip.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The erase blocks that the file has something of.
    #[must_use]
    pub fn blocks(&self) -> Range<u32> {
        0..self.len.div_ceil(self.geometry.raw_block() as u64) as u32
    }

    /// An erase block.
    ///
    /// # Errors
    /// Those of the file.
    pub fn block(&mut self, number: u32) -> Result<Block> {
        let size = self.geometry.raw_block();
        let mut raw = Vec::with_capacity(size);
        let offset = u64::from(number) * size as u64;
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| (&mut self.file).take(size as u64).read_to_end(&mut raw))
            .map_err(|e| Error::io("read the NAND image", &self.path, &e).offset(offset))?;
        raw.resize(size, 0xff);
        Ok(Block { raw, geometry: self.geometry })
    }

    /// At most `len` bytes of a partition as the loader reads them: bad blocks
    /// skipped, single flipped bits corrected. Fewer when the good blocks end.
    ///
    /// # Errors
    /// Those of the file.
    pub fn content(&mut self, blocks: Range<u32>, len: usize) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        for number in blocks.start..blocks.end.min(self.geometry.blocks) {
            if content.len() >= len {
                break;
            }
            let mut block = self.block(number)?;
            if !block.is_bad() {
                for page in 0..self.geometry.pages_per_block {
                    block.correct(page);
                    content.extend(block.data(page));
                }
            }
        }
        content.truncate(len);
        Ok(content)
    }

    /// The partitions that the boot table in block 0 knows, by the names the recipes give them.
    ///
    /// # Errors
    /// Those of the file; the inner result is that of the table.
    pub fn table(&mut self) -> Result<std::result::Result<Table, BootTableError>> {
        let stage1 = self.content(0..1, boot_table::OFFSET + boot_table::LEN)?;
        Ok(BootTable::parse(&stage1[boot_table::OFFSET..], crc32).map(|table| Table::new(&table)))
    }
}

/// The smallest large-page chip for a file of this length. All have a power of two of
/// blocks, and none fewer than 1024.
fn large_enough(len: u64) -> Geometry {
    let blocks = len.div_ceil(LARGE_PAGE.raw_block() as u64).max(1024).next_power_of_two();
    Geometry { blocks: u32::try_from(blocks).unwrap_or(u32::MAX), ..LARGE_PAGE }
}

/// What a boot table says.
#[derive(Debug)]
pub struct Table {
    /// ATAG machine number.
    pub machine: u32,
    /// Kernel command line.
    pub cmdline: String,
    /// Its slots, those that exist.
    pub partitions: Vec<Placed>,
}

impl Table {
    fn new(table: &BootTable<'_>) -> Self {
        let [kernel_a, kernel_b] = table.kernel;
        let [stage2_1, stage2_2] = table.stage2;
        let named =
            [("kernel-a", kernel_a), ("kernel-b", kernel_b), ("stage2-1", stage2_1), ("stage2-2", stage2_2)];
        let placed = |(name, Slot { start, blocks }): (&str, Slot)| Placed {
            name: name.into(),
            blocks: start.into()..u32::from(start) + u32::from(blocks),
            content: None,
            file: None,
        };
        Self {
            machine: table.machine,
            cmdline: table.cmdline.into(),
            partitions: named.into_iter().filter(|(_, slot)| slot.blocks > 0).map(placed).collect(),
        }
    }
}

/// An erase block, data and OOB interleaved.
#[derive(Debug)]
pub struct Block {
    raw: Vec<u8>,
    geometry: Geometry,
}

/// What the ECC says of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Never written.
    Erased,
    /// Written, and as it was written but for this many flipped bits.
    Good {
        /// Bits corrected.
        corrected: u32,
    },
    /// This step, and perhaps others, holds more flipped bits than the code corrects.
    Uncorrectable {
        /// Number of the first such step.
        step: usize,
    },
}

impl Block {
    /// Whether one of the first two pages carries a bad mark.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        (0..2).any(|page| bad::is_bad_mark(self.page(page)[self.geometry.page]))
    }

    /// Whether nothing is written in it.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        is_erased(&self.raw)
    }

    /// The data of a page.
    #[must_use]
    pub fn data(&self, page: u32) -> &[u8] {
        &self.page(page)[..self.geometry.page]
    }

    /// Corrects a page in place, and says what there was to correct.
    pub fn correct(&mut self, page: u32) -> PageState {
        let size = self.geometry.raw_page();
        let start = page as usize * size;
        let page = &mut self.raw[start..start + size];
        if is_erased(page) {
            return PageState::Erased;
        }
        let (data, oob) = page.split_at_mut(self.geometry.page);
        let (steps, _) = data.as_chunks_mut::<{ ecc::STEP }>();
        let (codes, _) = oob[ecc::OOB_OFFSET..].as_chunks::<3>();
        let mut state = PageState::Good { corrected: 0 };
        for (number, (data, stored)) in steps.iter_mut().zip(codes).enumerate() {
            let corrected = match ecc::compare(*stored, hamming::encode(data)) {
                Verdict::Clean => 0,
                Verdict::CodeBit => 1,
                Verdict::DataBit { byte, bit } => {
                    data[usize::from(byte)] ^= 1 << bit;
                    1
                }
                Verdict::Uncorrectable => {
                    state = match state {
                        PageState::Uncorrectable { .. } => state,
                        _ => PageState::Uncorrectable { step: number },
                    };
                    0
                }
            };
            if let PageState::Good { corrected: sum } = &mut state {
                *sum += corrected;
            }
        }
        state
    }

    fn page(&self, page: u32) -> &[u8] {
        let size = self.geometry.raw_page();
        &self.raw[page as usize * size..][..size]
    }
}

/// Whether every bit is one.
#[must_use]
pub fn is_erased(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use std::collections::BTreeSet;
    use std::fs;

    const SMALL: Geometry = Geometry { blocks: 4, ..LARGE_PAGE };

    /// A dump with `len` bytes of a pattern in blocks 1.., after `change` was made to the raw bytes.
    fn dump(len: usize, bad: &[u32], change: impl Fn(&mut Vec<u8>)) -> (tempfile::TempDir, Dump, Vec<u8>) {
        let data: Vec<u8> = (0..len).map(|i| (i * 7 + i / 256) as u8).collect();
        let mut chip = Chip::new(SMALL, bad.iter().copied().collect::<BTreeSet<_>>()).unwrap();
        chip.place(&Placed { name: "p".into(), blocks: 1..4, content: None, file: None }, &data).unwrap();
        let mut raw = Vec::new();
        chip.write(&mut raw, true).unwrap();
        change(&mut raw);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("nand");
        fs::write(&path, raw).unwrap();
        (directory, Dump::open(&path, Some(SMALL)).unwrap(), data)
    }

    #[test]
    fn reads_as_the_loader_does() {
        for bad in [&[][..], &[1], &[2]] {
            let (_keep, mut dump, data) = dump(140_000, bad, |_| ());
            assert_eq!(dump.content(1..4, data.len()).unwrap(), data, "{bad:?}");
        }
    }

    #[test]
    fn corrects_one_bit_a_step() {
        let first = SMALL.raw_block();
        let (_keep, mut dump, data) = dump(4096, &[], |raw| {
            for step in 0..8 {
                raw[first + step * 256 + 3 * step] ^= 1 << step;
            }
            raw[first + 2112 + 2048 + 40] ^= 1; // a bit of a stored code
        });
        let mut block = dump.block(1).unwrap();
        assert_eq!(block.correct(0), PageState::Good { corrected: 8 });
        assert_eq!(block.correct(0), PageState::Good { corrected: 0 });
        assert_eq!(block.correct(1), PageState::Good { corrected: 1 });
        assert_eq!(block.correct(2), PageState::Erased);
        assert_eq!(dump.content(1..4, data.len()).unwrap(), data);
    }

    #[test]
    fn two_bits_in_a_step_are_too_many() {
        let first = SMALL.raw_block();
        let (_keep, mut dump, _) = dump(2048, &[], |raw| {
            raw[first + 5 * 256] ^= 1;
            raw[first + 5 * 256 + 9] ^= 1;
        });
        assert_eq!(dump.block(1).unwrap().correct(0), PageState::Uncorrectable { step: 5 });
    }

    #[test]
    fn refuses_what_is_no_image() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let check = |len: usize, good: bool| {
            fs::write(&path, vec![0xff; len]).unwrap();
            assert_eq!(Dump::open(&path, Some(SMALL)).is_ok(), good, "{len}");
        };
        check(0, false);
        check(2111, false);
        check(2112, true);
        check(4 * 64 * 2112, true);
        check(4 * 64 * 2112 + 2112, false);
    }
}
