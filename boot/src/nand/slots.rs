//! The slots that the boot table lists, by name.

use super::NandError;
use super::page::read_at;
use crate::boot_table::{self, BootTable, Slot};
use core::ops::Range;
use platform::hal::{Geometry, Nand};

/// Reads the boot table's record, which is in stage1 at the front of the chip.
///
/// # Errors
/// What reading a page can meet.
pub fn read_record(nand: &mut dyn Nand) -> Result<[u8; boot_table::LEN], NandError> {
    let mut record = [0; boot_table::LEN];
    read_at(nand, boot_table::OFFSET, &mut record)?;
    Ok(record)
}

/// Every slot with its name, absent ones included.
#[must_use]
pub fn named(table: &BootTable<'_>) -> [(&'static str, Slot); 4] {
    let ([kernel_a, kernel_b], [first, second]) = (table.kernel, table.stage2);
    [("kernel-a", kernel_a), ("kernel-b", kernel_b), ("stage2-1", first), ("stage2-2", second)]
}

/// The bytes of the chip that a slot covers.
#[must_use]
pub fn range(slot: Slot, geometry: &Geometry) -> Range<u32> {
    let start = u32::from(slot.start);
    blocks(start..start + u32::from(slot.blocks), geometry)
}

/// The bytes of the chip that erase blocks cover.
#[must_use]
pub fn blocks(blocks: Range<u32>, geometry: &Geometry) -> Range<u32> {
    let block = geometry.page.saturating_mul(geometry.pages_per_block);
    block.saturating_mul(blocks.start)..block.saturating_mul(blocks.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::crc32;
    use crate::mock::{BLOCK, MockNand};

    #[test]
    fn reads_and_corrects_the_record() {
        let slot = Slot { start: 4, blocks: 2 };
        let table =
            BootTable { machine: 1999, kernel: [slot, Slot::default()], stage2: [slot; 2], cmdline: "quiet" };
        let mut page = [0xee; 2048];
        page[boot_table::OFFSET..][..boot_table::LEN].copy_from_slice(&table.to_bytes(crc32).unwrap());
        let mut nand = MockNand::new(8);
        nand.write(0, &page);
        nand.flip(0, boot_table::OFFSET + 8, 0);
        let record = read_record(&mut nand).unwrap();
        let read = BootTable::parse(&record, crc32).unwrap();
        assert_eq!(read, table);
        assert_eq!(named(&read)[1], ("kernel-b", Slot::default()));
        assert_eq!(range(slot, &nand.geometry), 4 * BLOCK..6 * BLOCK);
        let wild = Slot { start: u16::MAX, blocks: u16::MAX };
        assert_eq!(range(wild, &nand.geometry), u32::MAX..u32::MAX);
    }
}
