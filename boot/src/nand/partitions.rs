//! The partitions of the chip: those of the flash descriptor, or without one the slots of the boot table.

use super::page::read_at;
use super::{NandError, slots};
use crate::boot_table::{BootTable, BootTableError};
use crate::crc::crc32;
use crate::descriptor::{
    BAD, Content, Descriptor, DescriptorError, LEN, Name, PARTITIONS, Partition, copies,
};
use arrayvec::ArrayVec;
use core::fmt;
use core::ops::Range;
use platform::hal::{Geometry, Nand};

/// Bytes of the longest `mtdparts`.
pub const MTDPARTS: usize = 768;

/// Where partitions are known from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Nowhere: the chip has not been looked at, or has neither of the two.
    #[default]
    Nothing,
    /// The boot table, which has but kernels and copies of stage2.
    BootTable,
    /// The flash descriptor.
    Descriptor,
}

/// The partitions.
#[derive(Clone, Debug)]
pub struct Partitions {
    /// The partitions.
    pub list: ArrayVec<Partition, PARTITIONS>,
    /// Blocks that the maker has marked bad, as far as the descriptor tells.
    pub factory_bad: ArrayVec<u16, BAD>,
    /// What Linux calls the chip; empty without a descriptor.
    pub mtd: Name,
    /// Where all this is from.
    pub source: Source,
    /// The organisation of the chip.
    pub geometry: Geometry,
}

/// Why a copy of the descriptor is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It cannot be read.
    Nand(NandError),
    /// It is none.
    Descriptor(DescriptorError),
    /// It is that of a chip with other pages or blocks, or with more of them.
    Chip(Geometry),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nand(error) => write!(f, "{error}"),
            Self::Descriptor(error) => write!(f, "{error}"),
            Self::Chip(Geometry { page, oob, pages_per_block, blocks }) => write!(
                f,
                "for another chip: {blocks} blocks of {pages_per_block} pages of {page}+{oob} bytes"
            ),
        }
    }
}

/// Why there are no partitions at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTable {
    /// Page 0 cannot be read.
    Nand(NandError),
    /// There is no boot table in it.
    Table(BootTableError),
}

/// What a look at the chip has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The bitflips that were corrected in each copy of the descriptor, or what is wrong with it.
    pub copies: [Result<u32, Unusable>; 2],
    /// Both are good, and not the same.
    pub differ: bool,
    /// What is wrong with the boot table, if it was needed.
    pub table: Result<(), NoTable>,
}

impl Partitions {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            list: ArrayVec::new_const(),
            factory_bad: ArrayVec::new_const(),
            mtd: Name::new_const(),
            source: Source::Nothing,
            geometry: Geometry { page: 0, oob: 0, pages_per_block: 0, blocks: 0 },
        }
    }

    /// Looks at the chip: at the copies of the descriptor, and if neither is good at the boot table.
    pub fn load(&mut self, nand: &mut dyn Nand) -> Looked {
        *self = Self { geometry: nand.geometry(), ..Self::new() };
        let [first, second] = copies(&self.geometry).map(|offset| read_copy(nand, offset));
        let differ = matches!((&first, &second), (Ok((a, _)), Ok((b, _))) if a != b);
        let copies = [&first, &second].map(|copy| copy.as_ref().map(|(_, flips)| *flips).map_err(|e| *e));
        let table = match first.or(second) {
            Ok((descriptor, _)) => {
                self.list = descriptor.partitions;
                self.factory_bad = descriptor.bad;
                self.mtd = descriptor.mtd;
                self.source = Source::Descriptor;
                Ok(())
            }
            Err(_) => self.load_table(nand),
        };
        Looked { copies, differ, table }
    }

    fn load_table(&mut self, nand: &mut dyn Nand) -> Result<(), NoTable> {
        let record = slots::read_record(nand).map_err(NoTable::Nand)?;
        let table = BootTable::parse(&record, crc32).map_err(NoTable::Table)?;
        let ecc = super::ecc::Layout::of_format(&nand.format()).map_or("", |layout| layout.name);
        for (name, slot) in slots::named(&table).into_iter().filter(|(_, slot)| slot.blocks != 0) {
            let (Ok(text), Ok(ecc)) = (Name::from(name), Name::from(ecc)) else { continue };
            let content = if name.starts_with("kernel") { Content::Kernel } else { Content::Stage2 };
            let (start, blocks) = (slot.start, slot.blocks);
            // There is room for more than the boot table has.
            let _ = self.list.try_push(Partition { name: text, ecc, start, blocks, spare: 0, content });
        }
        self.source = Source::BootTable;
        Ok(())
    }

    /// The partition of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Partition> {
        self.list.iter().find(|partition| partition.name.as_str() == name).copied()
    }

    /// The bytes of the chip that a partition covers.
    #[must_use]
    pub fn range(&self, partition: &Partition) -> Range<u32> {
        slots::blocks(partition.start.into()..partition.end(), &self.geometry)
    }

    /// The value of `mtdparts`, as Linux and U-Boot take it.
    #[must_use]
    pub const fn mtdparts(&self) -> MtdParts<'_> {
        MtdParts(self)
    }
}

impl Default for Partitions {
    fn default() -> Self {
        Self::new()
    }
}

/// A copy of the descriptor, and the bitflips corrected in it.
fn read_copy(nand: &mut dyn Nand, offset: u32) -> Result<(Descriptor, u32), Unusable> {
    let mut record = [0; LEN];
    let flips = read_at(nand, offset as usize, &mut record).map_err(Unusable::Nand)?;
    let descriptor = Descriptor::parse(&record).map_err(Unusable::Descriptor)?;
    let (chip, its) = (nand.geometry(), descriptor.geometry);
    // An image for the smaller of two chips serves the larger one as well.
    if its.blocks <= chip.blocks && its == (Geometry { blocks: its.blocks, ..chip }) {
        Ok((descriptor, flips))
    } else {
        Err(Unusable::Chip(its))
    }
}

/// Partitions as Linux's command line has them: `mtdparts=nand:128k(boot),5m(kernel),-(root)`.
pub struct MtdParts<'a>(&'a Partitions);

impl fmt::Display for MtdParts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(partitions) = self;
        write!(f, "mtdparts={}:", partitions.mtd)?;
        let mut end = 0;
        for (i, partition) in partitions.list.iter().enumerate() {
            let range = partitions.range(partition);
            f.write_str(if i == 0 { "" } else { "," })?;
            if i + 1 == partitions.list.len() && partition.end() == partitions.geometry.blocks {
                f.write_str("-")?;
            } else {
                size(f, range.end - range.start)?;
            }
            if range.start != end {
                f.write_str("@")?;
                size(f, range.start)?;
            }
            write!(f, "({})", partition.name)?;
            end = range.end;
        }
        Ok(())
    }
}

/// A size in the largest unit that it is a multiple of.
fn size(f: &mut fmt::Formatter<'_>, bytes: u32) -> fmt::Result {
    match bytes.trailing_zeros() {
        20..32 => write!(f, "{}m", bytes >> 20),
        10..20 => write!(f, "{}k", bytes >> 10),
        _ => write!(f, "{bytes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::descriptor;
    use crate::mock::Board;
    use std::string::ToString;

    fn loaded(board: &mut Board) -> (Partitions, Looked) {
        let mut partitions = Partitions::new();
        let looked = partitions.load(&mut board.nand);
        (partitions, looked)
    }

    fn board() -> Board {
        let mut board = Board::new();
        board.write_boot_table("");
        board.write_descriptor(&descriptor());
        board
    }

    #[test]
    fn are_those_of_the_descriptor() {
        let (partitions, looked) = loaded(&mut board());
        assert_eq!(looked, Looked { copies: [Ok(0), Ok(0)], differ: false, table: Ok(()) });
        assert_eq!(partitions.list, descriptor().partitions);
        assert_eq!(partitions.factory_bad[..], [9, 63]);
        assert_eq!(partitions.source, Source::Descriptor);
        let env = partitions.find("env").unwrap();
        assert_eq!((env.start, env.blocks, partitions.range(&env)), (4, 2, 0x8_0000..0xc_0000));
        assert_eq!(partitions.find("en"), None);
    }

    #[test]
    fn one_copy_is_enough() {
        for (copy, page) in [(0, 32), (1, 63)] {
            let mut board = board();
            board.nand.flip(page, 0x60, 1);
            let (partitions, looked) = loaded(&mut board);
            assert_eq!(looked.copies[copy], Ok(1));
            board.nand.flip(page, 0x61, 1);
            let (damaged, looked) = loaded(&mut board);
            let error = NandError::Uncorrectable { page: platform::units::Page(page), step: 0 };
            assert_eq!(looked.copies[copy], Err(Unusable::Nand(error)));
            assert_eq!((looked.copies[1 - copy], damaged.list), (Ok(0), partitions.list));
        }
    }

    #[test]
    fn the_first_of_two_that_differ_counts() {
        let mut board = board();
        let mut other = descriptor();
        other.bad.clear();
        board.nand.write(63, &other.to_bytes().unwrap());
        let (partitions, looked) = loaded(&mut board);
        assert!(looked.differ && partitions.factory_bad.len() == 2);
    }

    #[test]
    fn without_a_descriptor_they_are_the_slots_of_the_boot_table() {
        let mut board = Board::new();
        board.write_boot_table("");
        let (partitions, looked) = loaded(&mut board);
        let missing = Err(Unusable::Descriptor(DescriptorError::Missing));
        assert_eq!((looked.copies, looked.table), ([missing; 2], Ok(())));
        assert_eq!(partitions.source, Source::BootTable);
        let names: std::vec::Vec<_> = partitions.list.iter().map(|p| p.name.to_string()).collect();
        assert_eq!(names, ["kernel-a", "kernel-b", "stage2-1"]);
        assert_eq!(partitions.find("kernel-b").unwrap().start, 12);
        board.nand.erase_all();
        let (partitions, looked) = loaded(&mut board);
        assert_eq!(looked.table, Err(NoTable::Table(BootTableError::NotATable)));
        assert_eq!((partitions.source, partitions.list.len()), (Source::Nothing, 0));
    }

    #[test]
    fn a_descriptor_is_for_a_chip() {
        let mut board = board();
        board.nand.geometry.blocks = 128;
        let (partitions, _) = loaded(&mut board);
        assert_eq!(partitions.source, Source::Descriptor);
        // The last one does not reach to the end of this chip.
        assert!(partitions.mtdparts().to_string().ends_with(",6m(rootfs)"));
        board.nand.geometry.blocks = 32;
        let (partitions, looked) = loaded(&mut board);
        assert_eq!(looked.copies, [Err(Unusable::Chip(descriptor().geometry)); 2]);
        assert_eq!(partitions.source, Source::BootTable);
    }

    #[test]
    fn linux_takes_them() {
        let (mut partitions, _) = loaded(&mut board());
        let expected = "mtdparts=mock-nand:128k(boot),384k(stage2-1),256k(env),512k@1m(kernel-a),\
                        512k(kernel-b),-(rootfs)";
        assert_eq!(partitions.mtdparts().to_string(), expected);
        partitions.list.pop();
        assert!(partitions.mtdparts().to_string().ends_with(",512k(kernel-b)"));
    }
}
