//! Reads raw NAND images: what the loader would see of them.

use crate::layout::Placed;
use crate::part::Geometry;
use crate::recipe::Content;
use crate::{Error, Result, organisation};
use boot::boot_table::{self, BootTable, BootTableError, Slot};
use boot::crc::crc32;
use boot::descriptor::{self, Descriptor, DescriptorError};
use boot::nand::bad;
use boot::nand::ecc::{Layout, Stats};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
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
    /// Opens an image of a chip; without a geometry, of the smallest chip that it fits, whose pages
    /// are like those in the image.
    ///
    /// # Errors
    /// When the file cannot be read, or its length or its pages are not those of such an image.
    pub fn open(path: &Path, geometry: Option<Geometry>) -> Result<Self> {
        let read = |e| Error::io("read the NAND image", path, &e);
        let mut file = File::open(path).map_err(read)?;
        let len = file.metadata().map_err(read)?.len();
        let seen = organisation::seen(&mut BufReader::new(&mut file)).map_err(read)?;
        let known = geometry;
        let geometry = known.unwrap_or_else(|| organisation::fitting(seen, len));
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
        match seen {
            Some(seen) if seen.page != geometry.page => Err(other_pages(&seen, &geometry).file(path)),
            _ => {
                let mut dump = Self { file, path: path.to_owned(), geometry, len };
                if known.is_none() {
                    dump.trust_descriptor()?;
                }
                Ok(dump)
            }
        }
    }

    /// Takes the number of blocks from the flash descriptor, if there is one for such pages.
    fn trust_descriptor(&mut self) -> Result<()> {
        let copies = self.descriptors()?;
        let described = copies.iter().find_map(|copy| copy.descriptor.as_ref().ok());
        if let Some(geometry) = described.map(|descriptor| Geometry::from(descriptor.geometry)) {
            let same_pages = geometry == Geometry { blocks: geometry.blocks, ..self.geometry };
            if same_pages && geometry.raw_block() as u64 * u64::from(geometry.blocks) >= self.len {
                self.geometry = geometry;
            }
        }
        Ok(())
    }

    /// The organisation of the chip.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Bytes in the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.len
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
    pub fn content(&mut self, blocks: Range<u32>, len: usize, layout: &Layout) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        for number in blocks.start..blocks.end.min(self.geometry.blocks) {
            if content.len() >= len {
                break;
            }
            let mut block = self.block(number)?;
            if !block.is_bad() {
                for page in 0..self.geometry.pages_per_block {
                    block.correct(page, layout);
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
        let layout = self.geometry.ecc();
        let stage1 = self.content(0..1, boot_table::OFFSET + boot_table::LEN, layout)?;
        Ok(BootTable::parse(&stage1[boot_table::OFFSET..], crc32).map(|table| Table::new(&table, layout)))
    }

    /// The partitions of the flash descriptor, or without one those of the boot table, or none.
    ///
    /// # Errors
    /// Those of the file.
    pub fn partitions(&mut self) -> Result<Vec<Placed>> {
        let copies = self.descriptors()?;
        match copies.iter().find_map(|copy| copy.descriptor.as_ref().ok()) {
            Some(descriptor) => Ok(crate::descriptor::partitions(descriptor, &self.geometry)),
            None => Ok(self.table()?.map_or_else(|_| Vec::new(), |table| table.partitions)),
        }
    }

    /// Both copies of the flash descriptor in block 0: what correcting their pages came to, and the result.
    ///
    /// # Errors
    /// Those of the file.
    pub fn descriptors(&mut self) -> Result<[Copy; 2]> {
        let (geometry, mut block) = (self.geometry, self.block(0)?);
        let hal = platform::hal::Geometry::from(geometry);
        Ok(descriptor::copies(&hal).map(|offset| {
            let (first, mut record) = (offset / geometry.page as u32, Vec::new());
            let mut pages = Vec::new();
            for page in first..first + descriptor::LEN.div_ceil(geometry.page) as u32 {
                pages.push((page, block.correct(page, geometry.ecc())));
                record.extend(block.data(page));
            }
            Copy { pages, descriptor: Descriptor::parse(&record) }
        }))
    }
}

/// A copy of the flash descriptor.
#[derive(Debug)]
pub struct Copy {
    /// Its pages and what there was to correct in them.
    pub pages: Vec<(u32, Stats)>,
    /// What it says.
    pub descriptor: std::result::Result<Descriptor, DescriptorError>,
}

fn other_pages(seen: &Geometry, wanted: &Geometry) -> Error {
    let pages = |geometry: &Geometry| format!("pages of {}+{} bytes", geometry.page, geometry.oob);
    Error::new("the image is for a chip with other pages")
        .expected(format!("{}, as the part has", pages(wanted)))
        .found(format!("ECC codes where {} have them", pages(seen)))
        .hint("give the right --part or --board, or make the image anew from the board's recipe")
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
    fn new(table: &BootTable<'_>, ecc: &'static Layout) -> Self {
        let [kernel_a, kernel_b] = table.kernel;
        let [stage2_1, stage2_2] = table.stage2;
        let (kernel, stage2) = (Content::Kernel, Content::Stage2);
        let named = [
            ("kernel-a", kernel_a, kernel),
            ("kernel-b", kernel_b, kernel),
            ("stage2-1", stage2_1, stage2),
            ("stage2-2", stage2_2, stage2),
        ];
        let placed = |(name, Slot { start, blocks }, content): (&str, Slot, Content)| Placed {
            name: name.into(),
            blocks: start.into()..u32::from(start) + u32::from(blocks),
            spare: 0,
            content: Some(content),
            file: None,
            ecc,
        };
        Self {
            machine: table.machine,
            cmdline: table.cmdline.into(),
            partitions: named.into_iter().filter(|(_, slot, _)| slot.blocks > 0).map(placed).collect(),
        }
    }
}

/// An erase block, data and OOB interleaved.
#[derive(Clone, Debug)]
pub struct Block {
    raw: Vec<u8>,
    geometry: Geometry,
}

impl Block {
    /// Whether one of the first two pages carries a bad mark.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        let mark = usize::from(self.geometry.ecc().bad_mark);
        (0..2).any(|page| bad::is_bad_mark(self.oob(page)[mark]))
    }

    /// Whether nothing is written in it.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        is_erased(&self.raw)
    }

    /// How many pages it has.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// The data of a page.
    #[must_use]
    pub fn data(&self, page: u32) -> &[u8] {
        &self.page(page)[..self.geometry.page]
    }

    /// The OOB of a page.
    #[must_use]
    pub fn oob(&self, page: u32) -> &[u8] {
        &self.page(page)[self.geometry.page..]
    }

    /// Data and OOB of all pages.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Corrects a page in place, and says what there was to correct.
    pub fn correct(&mut self, page: u32, layout: &Layout) -> Stats {
        let size = self.geometry.raw_page();
        let page = &mut self.raw[page as usize * size..][..size];
        let (data, oob) = page.split_at_mut(self.geometry.page);
        layout.correct(data, oob)
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
    use crate::part::{LARGE_PAGE, SMALL_PAGE};
    use boot::nand::ecc::S3C24XX_HW;
    use std::collections::BTreeSet;
    use std::fs;

    const SMALL: Geometry = Geometry { blocks: 4, ..LARGE_PAGE };

    /// A dump with `len` bytes of a pattern in blocks 1.., after `change` was made to the raw bytes.
    fn dump(len: usize, bad: &[u32], change: impl Fn(&mut Vec<u8>)) -> (tempfile::TempDir, Dump, Vec<u8>) {
        let data: Vec<u8> = (0..len).map(|i| (i * 7 + i / 256) as u8).collect();
        let mut chip = Chip::new(SMALL, bad.iter().copied().collect::<BTreeSet<_>>()).unwrap();
        let place =
            Placed { name: "p".into(), blocks: 1..4, spare: 0, content: None, file: None, ecc: S3C24XX_HW };
        chip.place(&place, &data).unwrap();
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
            assert_eq!(dump.content(1..4, data.len(), S3C24XX_HW).unwrap(), data, "{bad:?}");
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
        let mut check = |page, expected: &str| {
            assert_eq!(block.correct(page, S3C24XX_HW).to_string(), expected);
        };
        check(0, "8 bitflips corrected in steps 0 1 2 3 4 5 6 7");
        check(0, "clean");
        check(1, "1 bitflip corrected in step 0");
        check(2, "erased");
        assert_eq!(dump.content(1..4, data.len(), S3C24XX_HW).unwrap(), data);
    }

    #[test]
    fn two_bits_in_a_step_are_too_many() {
        let first = SMALL.raw_block();
        let (_keep, mut dump, _) = dump(2048, &[], |raw| {
            raw[first + 5 * 256] ^= 1;
            raw[first + 5 * 256 + 9] ^= 1;
        });
        let stats = dump.block(1).unwrap().correct(0, S3C24XX_HW);
        assert_eq!(stats.to_string(), "uncorrectable in step 5");
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

    #[test]
    fn refuses_pages_that_the_part_does_not_have() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        for (geometry, other) in [(LARGE_PAGE, SMALL_PAGE), (SMALL_PAGE, LARGE_PAGE)] {
            let mut chip = Chip::new(geometry, BTreeSet::new()).unwrap();
            let ecc = geometry.ecc();
            let place = Placed { name: "p".into(), blocks: 0..9, spare: 0, content: None, file: None, ecc };
            chip.place(&place, b"some code").unwrap();
            chip.write(&mut File::create(&path).unwrap(), true).unwrap();
            assert!(Dump::open(&path, Some(geometry)).is_ok());
            assert_eq!(Dump::open(&path, None).unwrap().geometry().page, geometry.page);
            let error = Dump::open(&path, Some(other)).unwrap_err().to_string();
            let Geometry { page, oob, .. } = other;
            assert!(error.contains(&format!("pages of {page}+{oob} bytes, as the part has")), "{error}");
        }
    }
}
