//! The environment in NAND: two copies in a partition, each in erase blocks of its own, of which the
//! newer one that holds counts.
//!
//! The partition's blocks are halved, the first half being the larger if they are odd. A copy is in the
//! first block of its half that is not marked bad; the others are its spares. This is where U-Boot looks
//! (`CONFIG_ENV_RANGE`), and `fw_printenv` with the lines of [`Place::range`] in its configuration.
//!
//! Nothing but the flags of the new copy retires the old one, so that until the last page of the
//! new one is there, the old one counts.

use super::image::{self, Form, Image, ImageError, first_is_newer};
use super::{Environment, Imported, SIZE};
use crate::crc::crc32;
use crate::nand::NandError;
use crate::nand::bad::{is_bad, mark};
use crate::nand::erase::{How, spread};
use crate::nand::page::PageBuffer;
use crate::nand::program::{check_writable, erase, program};
use crate::nand::write::{Event, Watch, is_blank, verify};
use core::fmt;
use core::ops::Range;
use platform::hal::{Nand, PAGE_WORDS};
use platform::units::{EraseBlock, Page};

/// Copies there are.
pub const COPIES: usize = 2;
/// How often a copy is read to see whether it always reads the same. Where a power cut has left bits in
/// doubt, each reading is another.
const READINGS: usize = 8;

/// The blocks that belong to the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    blocks: Range<u32>,
}

impl Place {
    /// A partition, unless its blocks are too few for two copies.
    #[must_use]
    pub fn new(blocks: Range<u32>) -> Option<Self> {
        (blocks.len() >= COPIES).then_some(Self { blocks })
    }

    /// The blocks of a copy, its spares included.
    #[must_use]
    pub const fn range(&self, copy: usize) -> Range<u32> {
        let Range { start, end } = self.blocks;
        let middle = start + (end - start).div_ceil(2);
        if copy == 0 { start..middle } else { middle..end }
    }
}

/// What is in the place of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// All its blocks are bad.
    NoBlock,
    /// Nothing.
    Erased,
    /// A copy that holds.
    Valid {
        /// Its flags: each save counts them up.
        serial: u8,
    },
    /// What is left of one: the power went while it was written or erased.
    Torn {
        /// Pages that are erased.
        blank: u32,
        /// Pages that ECC cannot correct.
        unreadable: u32,
    },
    /// Something else: all can be read, and the CRC does not match.
    Crc {
        /// CRC stored.
        stored: u32,
        /// CRC of the bytes.
        computed: u32,
    },
}

/// A copy as it is in the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Its block: the first good one, or the first at all.
    pub block: EraseBlock,
    /// What is in it.
    pub content: Content,
    /// Bitflips that were corrected when it was read.
    pub flips: u32,
}

impl Copy {
    const fn serial(&self) -> Option<u8> {
        match self.content {
            Content::Valid { serial } => Some(serial),
            _ => None,
        }
    }

    /// Is it of use?
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.serial().is_some()
    }

    /// Was there a copy once?
    #[must_use]
    pub const fn is_damaged(&self) -> bool {
        matches!(self.content, Content::Torn { .. } | Content::Crc { .. })
    }
}

/// Why the environment is not saved. What was saved before still is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The chip.
    Nand(NandError),
    /// All blocks of a copy are marked bad.
    NoBlock {
        /// The copy, counted from 0.
        copy: usize,
    },
    /// The last good block of a copy has failed. It is not marked bad.
    LastBlock {
        /// The copy, counted from 0.
        copy: usize,
        /// The block.
        block: EraseBlock,
    },
    /// The variables do not fit.
    Room,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nand(error) => write!(f, "{error}"),
            Self::NoBlock { copy } => write!(
                f,
                "all blocks of copy {} are bad, so nothing is written: the other one stays. Give the \
                 partition other blocks",
                copy + 1
            ),
            Self::LastBlock { copy, block } => write!(
                f,
                "block {:#x}, the last good one of copy {}, has failed; what was saved before stays. Try \
                 again, then give the partition other blocks",
                block.0,
                copy + 1
            ),
            Self::Room => write!(f, "the variables do not fit; delete some"),
        }
    }
}

impl From<NandError> for StoreError {
    fn from(error: NandError) -> Self {
        Self::Nand(error)
    }
}

/// Who waits for a save.
pub trait Progress: Watch {
    /// A copy, counted from 0, is about to be written.
    fn begin(&mut self, copy: usize);
}

/// A copy of the environment in memory.
type Buffer = [u8; SIZE];

/// Looks at both copies.
///
/// # Errors
/// The chip does not answer, or has no ECC.
pub fn scan(nand: &mut dyn Nand, place: &Place) -> Result<[Copy; COPIES], NandError> {
    let mut buffer = [0; SIZE];
    let mut look = |copy| look(nand, place.range(copy), &mut buffer);
    Ok([look(0)?, look(1)?])
}

/// The copy that counts: the newest of those that hold.
#[must_use]
pub const fn newest(copies: &[Copy; COPIES]) -> Option<usize> {
    match (copies[0].serial(), copies[1].serial()) {
        (Some(first), Some(second)) if first_is_newer(first, second) => Some(0),
        (_, Some(_)) => Some(1),
        (Some(_), None) => Some(0),
        (None, None) => None,
    }
}

/// Reads the copy in a range of blocks.
fn look(nand: &mut dyn Nand, range: Range<u32>, buffer: &mut Buffer) -> Result<Copy, NandError> {
    let first = EraseBlock(range.start);
    for block in range.map(EraseBlock) {
        if !is_bad(nand, block)? {
            let (content, flips) = read(nand, block, buffer)?;
            return Ok(Copy { block, content, flips });
        }
    }
    Ok(Copy { block: first, content: Content::NoBlock, flips: 0 })
}

/// The pages of a copy in a block.
fn pages(nand: &dyn Nand, block: EraseBlock) -> impl Iterator<Item = Page> + use<> {
    (block.0 * nand.geometry().pages_per_block..).map(Page)
}

/// Reads a copy; also says how many bitflips were corrected in it.
fn read(nand: &mut dyn Nand, block: EraseBlock, buffer: &mut Buffer) -> Result<(Content, u32), NandError> {
    let mut page_buffer = PageBuffer::new();
    let (mut blank, mut unreadable, mut flips, mut all) = (0, 0, 0, 0);
    let page_bytes = nand.format().bytes() as usize;
    for (page, bytes) in pages(nand, block).zip(buffer.chunks_mut(page_bytes)) {
        all += 1;
        match page_buffer.read(nand, page, 0..bytes.len()) {
            Ok((data, corrected)) => {
                bytes.copy_from_slice(data);
                blank += u32::from(is_blank(data));
                flips += corrected;
            }
            Err(NandError::Uncorrectable { .. }) => {
                bytes.fill(0);
                unreadable += 1;
            }
            Err(error) => return Err(error),
        }
    }
    let content = match Image::parse(buffer, Form::Redundant, crc32) {
        Ok(Image { flags, .. }) if unreadable == 0 => Content::Valid { serial: flags.unwrap_or_default() },
        _ if blank == all => Content::Erased,
        Err(ImageError::Crc { stored, computed }) if blank + unreadable == 0 => {
            Content::Crc { stored, computed }
        }
        _ => Content::Torn { blank, unreadable },
    };
    Ok((content, flips))
}

/// What a load has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The copies.
    pub copies: [Copy; COPIES],
    /// The one whose variables are set now.
    pub used: Option<usize>,
    /// What it held.
    pub imported: Imported,
}

/// Makes the variables of the newest copy the only ones, if there is a copy.
///
/// # Errors
/// The chip does not answer; the variables are as they were.
pub fn load(nand: &mut dyn Nand, place: &Place, variables: &mut Environment) -> Result<Loaded, NandError> {
    let copies = scan(nand, place)?;
    let mut loaded = Loaded { copies, used: None, imported: Imported::default() };
    let Some(newest) = newest(&copies) else { return Ok(loaded) };
    let mut buffer = [0; SIZE];
    // One that has bits in doubt may read otherwise the second time.
    for copy in [newest, 1 - newest] {
        let found = &mut loaded.copies[copy];
        if found.is_valid() {
            (found.content, found.flips) = read(nand, found.block, &mut buffer)?;
        }
        if let (true, Ok(image)) = (found.is_valid(), Image::parse(&buffer, Form::Redundant, crc32)) {
            variables.clear();
            // There is room for all that a copy can hold and that ends with a NUL.
            loaded.imported = variables.import(image::entries(image.data)).unwrap_or_default();
            loaded.used = Some(copy);
            break;
        }
    }
    Ok(loaded)
}

/// Where the next save goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    target: usize,
    serial: u8,
    /// The other copy is to be written anew when the target is.
    refresh: bool,
}

/// The copy that is not in use is written. But if the one in use does not read the same each time, because
/// the power went in its last page, and the other is sound, then it is the one to go.
fn plan(nand: &mut dyn Nand, copies: &[Copy; COPIES]) -> Result<Plan, NandError> {
    let Some(current) = newest(copies) else { return Ok(Plan { target: 0, serial: 1, refresh: false }) };
    let other = 1 - current;
    let kept = if copies[other].is_valid() && !is_steady(nand, &copies[current])? { other } else { current };
    Ok(Plan {
        target: 1 - kept,
        serial: copies[kept].serial().unwrap_or_default().wrapping_add(1),
        refresh: copies[kept].flips > 0,
    })
}

/// Does a copy read the same again and again?
fn is_steady(nand: &mut dyn Nand, copy: &Copy) -> Result<bool, NandError> {
    let mut buffer = [0; SIZE];
    for _ in 0..READINGS {
        if read(nand, copy.block, &mut buffer)? != (copy.content, copy.flips) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Saves the variables in one copy, and then in the other as well if that had bitflips: the ECC of these
/// chips corrects one in a step, so the first is one too many to wait for the next.
///
/// # Errors
/// The copy that was in use before is as it was.
pub fn save(
    nand: &mut dyn Nand,
    place: &Place,
    variables: &Environment,
    watch: &mut dyn Progress,
) -> Result<(), StoreError> {
    check_writable(nand)?;
    let copies = scan(nand, place)?;
    let Plan { target, serial, refresh } = plan(nand, &copies)?;
    let mut buffer = [0; SIZE];
    for (copy, serial) in [(target, serial), (1 - target, serial.wrapping_add(1))] {
        watch.begin(copy);
        image::write(&mut buffer, Form::Redundant, serial, variables.iter(), crc32)
            .map_err(|_| StoreError::Room)?;
        put(nand, place, copy, &buffer, watch)?;
        if !refresh {
            break;
        }
    }
    Ok(())
}

/// Writes a copy to the first of its blocks that can be written; those that cannot are marked bad.
fn put(
    nand: &mut dyn Nand,
    place: &Place,
    copy: usize,
    buffer: &Buffer,
    watch: &mut dyn Progress,
) -> Result<(), StoreError> {
    let range = place.range(copy);
    for block in range.clone().map(EraseBlock) {
        if is_bad(nand, block)? {
            watch.tell(Event::Skipped(block));
            continue;
        }
        match write(nand, block, buffer, watch) {
            Err(error @ (NandError::EraseFailed { .. } | NandError::ProgramFailed { .. })) => {
                // Without a spare, to mark it would only keep it from being tried again.
                match spread(nand, block.0 + 1, range.end, 1) {
                    Err(NandError::End { .. }) => return Err(StoreError::LastBlock { copy, block }),
                    spare => spare?,
                };
                mark(nand, block, &mut || watch.idle())?;
                watch.tell(Event::Failed(block, error));
            }
            result => return Ok(result?),
        }
    }
    Err(StoreError::NoBlock { copy })
}

/// Erases a block, writes a copy to it and reads that back.
fn write(
    nand: &mut dyn Nand,
    block: EraseBlock,
    buffer: &Buffer,
    watch: &mut dyn Progress,
) -> Result<(), NandError> {
    erase(nand, block, &mut || watch.idle())?;
    watch.tell(Event::Erased { block, done: 1, all: 1 });
    let page_bytes = nand.format().bytes() as usize;
    for (page, bytes) in pages(nand, block).zip(buffer.chunks(page_bytes)) {
        let mut words = [!0; PAGE_WORDS];
        bytemuck::cast_slice_mut::<_, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        program(nand, page, &words[..page_bytes / 4], &mut || watch.idle())?;
    }
    pages(nand, block).zip(buffer.chunks(page_bytes)).try_for_each(|(page, bytes)| {
        verify(nand, page, bytes)?;
        Ok(())
    })
}

/// Erases both copies, that in use last: until then it counts.
///
/// # Errors
/// As those of [`crate::nand::erase::erase`].
pub fn erase_all(nand: &mut dyn Nand, place: &Place, watch: &mut dyn Watch) -> Result<(), NandError> {
    let copies = scan(nand, place)?;
    let last = newest(&copies).unwrap_or(1);
    for copy in [1 - last, last] {
        crate::nand::erase::erase(nand, place.range(copy), How::Good, watch).map_err(|(_, error)| error)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockNand;
    use std::vec::Vec;

    struct Quiet(Vec<usize>);

    impl Watch for Quiet {
        fn tell(&mut self, _: Event) {}
        fn idle(&mut self) {}
        fn stopped(&mut self) -> bool {
            true
        }
    }

    impl Progress for Quiet {
        fn begin(&mut self, copy: usize) {
            self.0.push(copy);
        }
    }

    fn place() -> Place {
        Place::new(2..7).unwrap()
    }

    /// Saves a variable; the copies that were written.
    fn put(nand: &mut MockNand, value: &str) -> Result<Vec<usize>, StoreError> {
        let mut variables = Environment::new();
        variables.set("a", value).unwrap();
        let mut quiet = Quiet(Vec::new());
        save(nand, &place(), &variables, &mut quiet).map(|()| quiet.0)
    }

    /// The variable that is stored.
    fn get(nand: &mut MockNand) -> Option<std::string::String> {
        let mut variables = Environment::new();
        let loaded = load(nand, &place(), &mut variables).unwrap();
        loaded.used.map(|_| variables.get("a").unwrap().into())
    }

    fn contents(nand: &mut MockNand) -> [Content; COPIES] {
        scan(nand, &place()).unwrap().map(|copy| copy.content)
    }

    #[test]
    fn each_copy_has_its_half() {
        assert_eq!((place().range(0), place().range(1)), (2..5, 5..7));
        assert_eq!(Place::new(2..3), None);
        let two = Place::new(2..4).unwrap();
        assert_eq!((two.range(0), two.range(1)), (2..3, 3..4));
    }

    #[test]
    fn the_serial_number_goes_round() {
        let mut nand = MockNand::new(8);
        assert_eq!(get(&mut nand), None);
        for number in 1..=520_u32 {
            let copy = (number as usize - 1) % 2;
            assert_eq!(put(&mut nand, &std::format!("{number}")), Ok(std::vec![copy]));
            assert_eq!(get(&mut nand), Some(std::format!("{number}")));
            assert_eq!(contents(&mut nand)[copy], Content::Valid { serial: number as u8 });
        }
        // Nothing but the first block of each half was needed.
        assert_eq!([2, 3, 4, 5, 6].map(|block| nand.is_erased(block)), [false, true, true, false, true]);
    }

    #[test]
    fn what_is_damaged_is_written_next() {
        let mut nand = MockNand::new(8);
        put(&mut nand, "1").unwrap();
        put(&mut nand, "2").unwrap();
        nand.write(5 * 64 + 3, b"x");
        assert!(matches!(contents(&mut nand)[1], Content::Crc { .. }));
        assert_eq!(get(&mut nand).as_deref(), Some("1"));
        assert_eq!(put(&mut nand, "3"), Ok(std::vec![1]));
        assert_eq!(get(&mut nand).as_deref(), Some("3"));
    }

    #[test]
    fn what_reads_otherwise_is_an_error_and_the_old_copy_stays() {
        let mut nand = MockNand::new(8);
        put(&mut nand, "1").unwrap();
        nand.weak.push((5 * 64, 5));
        // ECC notices, or the comparison does.
        assert!(matches!(put(&mut nand, "2"), Err(StoreError::Nand(_))));
        assert_eq!(get(&mut nand).as_deref(), Some("1"));
        nand.stuck = true;
        assert!(matches!(put(&mut nand, "2"), Err(StoreError::Nand(NandError::Timeout { .. }))));
    }

    #[test]
    fn without_a_good_block_for_the_other_copy_nothing_is_written() {
        let mut nand = MockNand::new(8);
        put(&mut nand, "1").unwrap();
        nand.mark_bad(5);
        nand.mark_bad(6);
        assert_eq!(contents(&mut nand)[1], Content::NoBlock);
        let changes = nand.changes;
        assert_eq!(put(&mut nand, "2"), Err(StoreError::NoBlock { copy: 1 }));
        assert_eq!((nand.changes, get(&mut nand).as_deref()), (changes, Some("1")));
    }

    #[test]
    fn worn_blocks_give_way_to_spares_up_to_the_last() {
        let mut nand = MockNand::new(8);
        nand.fail_erase.insert(2);
        nand.fail_program.extend([3 * 64 + 7, 5 * 64, 6 * 64 + 1]);
        assert_eq!(put(&mut nand, "1"), Ok(std::vec![0]));
        assert_eq!(scan(&mut nand, &place()).unwrap()[0].block, EraseBlock(4));
        assert_eq!(put(&mut nand, "2"), Err(StoreError::LastBlock { copy: 1, block: EraseBlock(6) }));
        assert_eq!(
            (is_bad(&mut nand, EraseBlock(5)), is_bad(&mut nand, EraseBlock(6))),
            (Ok(true), Ok(false))
        );
        assert_eq!(get(&mut nand).as_deref(), Some("1"));
    }
}
