//! Kernels: finding them in the NAND, recognising that one has been entered, and the state Linux's
//! boot contract (Documentation/arm/booting.rst) wants the machine in.

use crate::cpu::mmu::{Control, control};
use crate::cpu::registers::{Registers, psr};
use crate::hierarchy::{Hierarchy, Memories};
use crate::part::{Geometry, NandImage};
use crate::report::Entry;

/// U-Boot's legacy image header.
const MAGIC: u32 = 0x2705_1956;
const HEADER: usize = 64;
const TYPE_KERNEL: u8 = 2;
const TYPE_MULTI: u8 = 4;
const COMPRESSION_NONE: u8 = 0;

const ATAG_CORE: u32 = 0x5441_0001;
const ATAG_NONE: u32 = 0;
/// The kernel's first page table starts here above the start of RAM: tags must end below.
const TAGS_END: u32 = 0x4000;
/// And it ends here.
const TABLE_END: u32 = 0x8000;

/// Magic number of a flattened device tree, as a little-endian core reads it.
const FDT_MAGIC: u32 = 0xd00d_feed_u32.swap_bytes();
/// Machine number of those that have only a device tree.
const NO_MACHINE: u32 = u32::MAX;

/// A kernel in the NAND: a uImage of type kernel or multi at the start of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Pages of header and data in order, bad blocks skipped.
    pub pages: Vec<u32>,
    /// Where the loader puts the kernel.
    pub load: u32,
    /// Where it is entered.
    pub entry: u32,
    /// Bytes of data.
    pub size: u32,
    /// CRC of the data.
    pub crc: u32,
    /// Bytes of the size table in front of the kernel: 0 but for type multi.
    table: u32,
}

/// The CRC-32 of Ethernet and zlib.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256)
        .map(|byte| (0..8).fold(byte, |crc, _| crc >> 1 ^ if crc & 1 != 0 { 0xedb8_8320 } else { 0 }))
        .collect();
    !bytes.iter().fold(!0, |crc: u32, &byte| crc >> 8 ^ table[usize::from(crc as u8 ^ byte)])
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Finds the kernels of an image.
#[must_use]
pub fn slots(image: &NandImage, geometry: &Geometry, bad_blocks: &[u32]) -> Vec<Slot> {
    let is_bad = |block: u32| bad_blocks.contains(&block) || is_marked(image, geometry, block);
    (0..geometry.blocks)
        .filter(|&block| !is_bad(block))
        .filter_map(|block| slot_at(image, geometry, block, &is_bad))
        .collect()
}

fn is_marked(image: &NandImage, geometry: &Geometry, block: u32) -> bool {
    (0..2).any(|page| {
        let mut mark = [0];
        let page = block * geometry.pages_per_block + page;
        image.read(geometry.page_offset(page) + u64::from(geometry.bad_mark_byte()), &mut mark);
        // One cleared bit is taken for a bitflip: marks are written as 00h.
        mark[0].count_zeros() > 1
    })
}

fn slot_at(
    image: &NandImage,
    geometry: &Geometry,
    block: u32,
    is_bad: &impl Fn(u32) -> bool,
) -> Option<Slot> {
    let mut header = [0; HEADER];
    image.read(geometry.page_offset(block * geometry.pages_per_block), &mut header);
    if be32(&header, 0) != MAGIC {
        return None;
    }
    let promised = be32(&header, 4);
    header[4..8].fill(0);
    let kind = header[30];
    if crc32(&header) != promised
        || !matches!(kind, TYPE_KERNEL | TYPE_MULTI)
        || header[31] != COMPRESSION_NONE
    {
        return None;
    }
    let size = be32(&header, 12);
    let wanted = (HEADER as u64 + u64::from(size)).div_ceil(geometry.page.into());
    let pages: Vec<u32> = (block..geometry.blocks)
        .filter(|&block| !is_bad(block))
        .flat_map(|block| {
            (0..geometry.pages_per_block).map(move |page| block * geometry.pages_per_block + page)
        })
        .take(usize::try_from(wanted).ok()?)
        .collect();
    let (load, entry, crc) = (be32(&header, 16), be32(&header, 20), be32(&header, 24));
    let mut slot = Slot { pages, load, entry, size, crc, table: 0 };
    if kind == TYPE_MULTI {
        slot.table = table_length(image, geometry, slot.pages[0]);
    }
    Some(slot)
}

/// A list of part sizes, ended by a zero, starts the data of type multi. It fits the first page.
fn table_length(image: &NandImage, geometry: &Geometry, page: u32) -> u32 {
    let mut data = vec![0; geometry.page as usize - HEADER];
    image.read(geometry.page_offset(page) + HEADER as u64, &mut data);
    let parts = data.chunks_exact(4).take_while(|word| *word != [0; 4]).count();
    4 * (parts as u32 + 1)
}

impl Slot {
    /// A slot that is only its pages.
    #[cfg(test)]
    #[must_use]
    pub fn with_pages(pages: Vec<u32>) -> Self {
        Self { pages, load: 0, entry: 0, size: 0, crc: 0, table: 0 }
    }

    /// Whether memory holds the data the header promises.
    #[must_use]
    pub fn is_loaded(&self, memories: &Memories) -> bool {
        if self.size > memories.sdram.len() {
            return false;
        }
        let mut data = vec![0; self.size as usize];
        memories.read(self.load.wrapping_sub(self.table), &mut data) && crc32(&data) == self.crc
    }
}

/// The registers of a kernel entry, if that is what a jump to `pc` is.
pub fn entry(pc: u32, machine: u32, core: &impl Registers, memories: &Memories) -> Option<Entry> {
    let (r1, r2) = (core.get(1), core.get(2));
    if core.get(0) != 0 || !memories.sdram.contains(pc) {
        return None;
    }
    let tags = r1 == machine && memories.sdram.word(r2.wrapping_add(4)) == Some(ATAG_CORE);
    let tree = (r1 == machine || r1 == NO_MACHINE) && is_tree(r2, memories);
    (tags || tree).then_some(Entry { pc, r0: 0, r1, r2 })
}

fn is_tree(address: u32, memories: &Memories) -> bool {
    memories.sdram.word(address) == Some(FDT_MAGIC)
}

/// What the boot contract does not allow.
pub fn contract_breaches(entry: &Entry, core: &impl Registers, hierarchy: &Hierarchy) -> Vec<String> {
    let control = Control::of(core);
    let cpsr = core.cpsr();
    let mut found = Vec::new();
    let mut check = |breached: bool, text: String| {
        if breached {
            found.push(text);
        }
    };
    check(control.has(control::M), "the MMU is on".to_owned());
    check(control.has(control::C), "the D-cache is on".to_owned());
    check(cpsr & psr::MODE != psr::SVC, format!("the mode is {:#x}, not supervisor", cpsr & psr::MODE));
    check(cpsr & (psr::I | psr::F) != psr::I | psr::F, "IRQ or FIQ is not masked".to_owned());
    check(cpsr & psr::T != 0, "the core is in Thumb state".to_owned());
    let dirty = hierarchy.dcache.dirty_lines();
    if let Some(first) = hierarchy.dcache.first_dirty() {
        check(true, format!("{dirty} D-cache lines are dirty, the first {first:#010x}"));
    }
    if let Some(first) = hierarchy.icache.first_stale() {
        check(true, format!("an I-cache line is stale: {first:#010x}"));
    }
    let memories = &hierarchy.memories;
    let described = match is_tree(entry.r2, memories) {
        true => check_tree(entry.r2, memories),
        false => check_tags(entry.r2, memories),
    };
    if let Err(text) = described {
        check(true, text);
    }
    found
}

/// A device tree starts at a multiple of eight and keeps clear of the kernel's page table.
fn check_tree(start: u32, memories: &Memories) -> Result<(), String> {
    let len = memories.sdram.word(start.wrapping_add(4)).unwrap_or(0).swap_bytes();
    let from = start.wrapping_sub(memories.sdram.base());
    let to = from.saturating_add(len);
    if !start.is_multiple_of(8) {
        return Err(format!("the device tree at {start:#010x} is not aligned to 8 bytes"));
    }
    if len == 0 || to > memories.sdram.len() {
        return Err(format!("the device tree at {start:#010x} has {len} bytes, which are not all in memory"));
    }
    if from < TABLE_END && to > TAGS_END {
        return Err(format!("the device tree at {start:#010x} is where the kernel's page table will be"));
    }
    Ok(())
}

/// A tag list starts with CORE, ends with NONE and lies where the kernel does not overwrite it.
fn check_tags(start: u32, memories: &Memories) -> Result<(), String> {
    let end = memories.sdram.base() + TAGS_END;
    if !start.is_multiple_of(4) {
        return Err(format!("the tag list at {start:#010x} is not aligned"));
    }
    let mut at = start;
    loop {
        let (Some(size), Some(tag)) = (memories.sdram.word(at), memories.sdram.word(at.wrapping_add(4)))
        else {
            return Err(format!("the tag list leaves memory at {at:#010x}"));
        };
        if at.wrapping_add(8) > end {
            return Err(format!("the tag list reaches {at:#010x}, where the kernel's page table will be"));
        }
        if tag == ATAG_NONE {
            return Ok(());
        }
        if size < 2 {
            return Err(format!("the tag at {at:#010x} has {size} words"));
        }
        at = at.wrapping_add(4 * size.min(TAGS_END));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::core::ARM920T;
    use crate::cpu::registers::Plain;
    use crate::membus::{BusTiming, SdramTiming};
    use crate::part::k9f1g08u0b::PART;

    const RAM: u32 = 0x3000_0000;

    fn uimage(kind: u8, load: u32, data: &[u8]) -> Vec<u8> {
        let mut image = vec![0; HEADER];
        image[0..4].copy_from_slice(&MAGIC.to_be_bytes());
        image[12..16].copy_from_slice(&(data.len() as u32).to_be_bytes());
        image[16..20].copy_from_slice(&load.to_be_bytes());
        image[20..24].copy_from_slice(&load.to_be_bytes());
        image[24..28].copy_from_slice(&crc32(data).to_be_bytes());
        image[30] = kind;
        let crc = crc32(&image);
        image[4..8].copy_from_slice(&crc.to_be_bytes());
        image.extend(data);
        image
    }

    /// An image with `bytes` at the start of `block`.
    fn nand(block: u32, bytes: &[u8]) -> NandImage {
        let mut image = NandImage::default();
        for (page, data) in (block * 64..).zip(bytes.chunks(2048)) {
            image.write(PART.geometry.page_offset(page), data);
        }
        image
    }

    fn memories() -> Memories {
        Memories::new((0, 0x1000), (RAM, 0x10_0000), 1)
    }

    #[test]
    fn crc_of_the_check_string() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn kernels_are_found_and_compared() {
        let data: Vec<u8> = (0..5000).map(|n| n as u8).collect();
        let image = nand(4, &uimage(TYPE_KERNEL, RAM + 0x8000, &data));
        let slots = slots(&image, &PART.geometry, &[]);
        assert_eq!(slots.len(), 1);
        assert_eq!(slots[0].pages, [256, 257, 258]);
        let memories = memories();
        assert!(!slots[0].is_loaded(&memories));
        assert!(memories.sdram.write(RAM + 0x8000, &data));
        assert!(slots[0].is_loaded(&memories));
    }

    #[test]
    fn multi_images_put_the_kernel_at_the_load_address() {
        let mut data: Vec<u8> = [8u32, 4, 0].iter().flat_map(|size| size.to_be_bytes()).collect();
        data.extend([1; 12]);
        let image = nand(2, &uimage(TYPE_MULTI, RAM + 0x8000, &data));
        let slots = slots(&image, &PART.geometry, &[]);
        let memories = memories();
        assert!(memories.sdram.write(RAM + 0x8000 - 12, &data));
        assert!(slots[0].is_loaded(&memories));
    }

    #[test]
    fn other_things_are_no_kernels() {
        let check = |bytes: &[u8], bad: &[u32]| {
            assert_eq!(slots(&nand(3, bytes), &PART.geometry, bad), []);
        };
        let good = uimage(TYPE_KERNEL, RAM, &[1, 2, 3]);
        let mut damaged = good.clone();
        damaged[40] ^= 1;
        check(&damaged, &[]);
        check(&good, &[3]);
        check(&uimage(5, RAM, &[1, 2, 3]), &[]);
    }

    #[test]
    fn bad_blocks_are_skipped() {
        let image = nand(3, &uimage(TYPE_KERNEL, RAM, &vec![7; 64 * 2048]));
        let pages = &slots(&image, &PART.geometry, &[4])[0].pages;
        assert_eq!((pages.len(), pages[63], pages[64]), (65, 255, 320));
    }

    fn tags(memories: &Memories, at: u32, words: &[u32]) {
        for (address, &word) in (at..).step_by(4).zip(words) {
            memories.sdram.set_word(address, word);
        }
    }

    #[test]
    fn an_entry_has_its_registers() {
        let memories = memories();
        tags(&memories, RAM + 0x100, &[2, ATAG_CORE, 0, 0]);
        let mut core = Plain::default();
        core.r[1] = 1999;
        core.r[2] = RAM + 0x100;
        assert!(entry(RAM + 0x8000, 1999, &core, &memories).is_some());
        assert!(entry(0x100, 1999, &core, &memories).is_none());
        assert!(entry(RAM + 0x8000, 1304, &core, &memories).is_none());
        core.r[2] += 4;
        assert!(entry(RAM + 0x8000, 1999, &core, &memories).is_none());
    }

    #[test]
    fn an_entry_may_have_a_device_tree() {
        let memories = memories();
        tags(&memories, RAM + 0x9000, &[FDT_MAGIC, 0x100_u32.swap_bytes()]);
        let check = |r1, r2, expected| {
            let mut core = Plain::default();
            (core.r[1], core.r[2]) = (r1, r2);
            assert_eq!(entry(RAM + 0x8000, 1099, &core, &memories).is_some(), expected, "{r1} {r2:#x}");
        };
        check(1099, RAM + 0x9000, true);
        check(NO_MACHINE, RAM + 0x9000, true);
        check(1999, RAM + 0x9000, false);
        check(1099, RAM + 0x9004, false);
    }

    #[test]
    fn where_a_device_tree_may_be() {
        let check = |at: u32, len: u32, expected: &str| {
            let memories = memories();
            tags(&memories, RAM + at, &[FDT_MAGIC, len.swap_bytes()]);
            let text = check_tree(RAM + at, &memories).err().unwrap_or_default();
            assert!(text.contains(expected) && text.is_empty() == expected.is_empty(), "{at:#x}: {text}");
        };
        check(0x100, 0x3f00, "");
        check(0x8000, 0x1000, "");
        check(0x104, 0x100, "aligned");
        check(0x100, 0x3f01, "page table");
        check(0x7ff8, 8, "page table");
        check(0xf_0000, 0x1_0001, "not all in memory");
        check(0x100, 0, "not all in memory");
    }

    #[test]
    fn breaches_of_the_contract() {
        let memories = memories();
        tags(&memories, RAM + 0x100, &[2, ATAG_CORE, 0, 0]);
        tags(&memories, RAM + 0x200, &[2, ATAG_CORE, 1, 0x5441_0009]);
        let sdram = SdramTiming { cas: 2, rcd: 2, rp: 2, bus_bytes: 4, refresh: 1 };
        let timing = BusTiming { hclk: 1, asynchronous: false, sdram };
        let hierarchy = Hierarchy::new(&ARM920T, memories, timing, 1);
        let at = Entry { pc: RAM + 0x8000, r0: 0, r1: 1999, r2: RAM + 0x100 };
        let check = |cpsr, entry: &Entry, expected: &[&str]| {
            let core = Plain { cpsr, ..Plain::default() };
            let found = contract_breaches(entry, &core, &hierarchy);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            assert!(found.iter().zip(expected).all(|(found, text)| found.contains(text)), "{found:?}");
        };
        check(0xd3, &at, &[]);
        check(0x13, &at, &["masked"]);
        check(0xdf, &at, &["supervisor"]);
        check(0xd3, &Entry { r2: RAM + 0x200, ..at }, &["words"]);
    }
}
