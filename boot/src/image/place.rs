//! Where kernel, ramdisk and device tree go, and how they get there.
//!
//! A kernel that starts overwrites more than it was loaded to: a zImage unpacks itself, and
//! copies itself behind the result first if it is in the way; every kernel clears its .bss and
//! builds a page table before it looks at its ramdisk. What it does not know of must be out of the
//! way of all that.

use super::error::Part;
use super::gzip;
use super::load::{Bundle, Compression, ImageError, Kernel};
use super::lz4;
use super::region::Region;
use super::zimage::{self, ZImage};
use crate::tags::TAGS_AREA;
use core::fmt;
use platform::hal::Memory;

/// Where kernels of these boards are unpacked to, from the start of RAM: TEXT_OFFSET, with a
/// page table before it.
const TEXT_OFFSET: u32 = 0x8000;
/// Bytes of that page table.
const PAGE_TABLE: u32 = 0x4000;
/// Ramdisks and device trees that are moved start at a page.
const PAGE: u32 = 0x1000;

/// From where to where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it is.
    pub from: Region,
    /// Where it goes, which may be where it is.
    pub to: Region,
}

impl Move {
    /// Does it stay?
    #[must_use]
    pub fn stays(&self) -> bool {
        self.from.start == self.to.start
    }
}

/// What goes where. Nothing has been moved yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    kernel: Kernel,
    ram: Region,
    /// Where the kernel goes: as long as it gets, or as it may get where that does not show.
    pub to: Region,
    /// Where a compressed kernel is moved first, because it is where it goes.
    pub aside: Option<Region>,
    /// What the kernel overwrites before it looks at the rest.
    pub overwritten: [Region; 2],
    /// The ramdisk.
    pub initrd: Option<Move>,
    /// The device tree, with room for fixups.
    pub fdt: Option<Move>,
}

impl Plan {
    /// Plans for RAM that does not belong to the loader, and a device tree that grows by
    /// `fixups` bytes.
    ///
    /// # Errors
    /// Something is not where it may be, or there is no room.
    pub fn new(memory: &dyn Memory, ram: Region, bundle: &Bundle, fixups: u32) -> Result<Self, ImageError> {
        let kernel = bundle.kernel;
        let named = [Part::Kernel, Part::Initrd, Part::Fdt];
        for (part, region) in named.into_iter().zip([Some(kernel.data), bundle.initrd, bundle.fdt]) {
            if let Some(Region { start: address, len }) = region.filter(|&region| !ram.contains(region)) {
                return Err(ImageError::InLoader { part, address, len });
            }
        }
        let data = view(memory, kernel.data)?;
        let to = destination(ram, &kernel, data)?;
        let overwritten = overwritten(ram, to, header(&kernel, data));
        let mut plan = Self { kernel, ram, to, aside: None, overwritten, initrd: None, fdt: None };
        plan.place_fdt(bundle, fixups)?;
        plan.place_initrd(bundle)?;
        if kernel.comp != Compression::None && kernel.data.overlaps(to) {
            let busy = [to, plan.target(plan.initrd), plan.target(plan.fdt)];
            let aside = ram.highest(kernel.data.len, 4, &busy);
            plan.aside = Some(aside.ok_or(no_room(Part::Kernel, kernel.data.len))?);
        }
        Ok(plan)
    }

    fn target(&self, moved: Option<Move>) -> Region {
        moved.map_or(Region::new(self.ram.start, 0), |moved| moved.to)
    }

    /// The device tree is moved first, so nothing may be lost to it.
    fn place_fdt(&mut self, bundle: &Bundle, fixups: u32) -> Result<(), ImageError> {
        let Some(from) = bundle.fdt else { return Ok(()) };
        let len = from.extended(fixups).len;
        let [first, second] = self.overwritten;
        let initrd = bundle.initrd.unwrap_or(from);
        let busy = [first, second, self.kernel.data, initrd];
        // Its own place is free for it.
        let busy = if bundle.initrd.is_some() { &busy[..] } else { &busy[..3] };
        let to = self.ram.highest(len, PAGE, busy).ok_or(no_room(Part::Fdt, len))?;
        self.fdt = Some(Move { from, to });
        Ok(())
    }

    fn place_initrd(&mut self, bundle: &Bundle) -> Result<(), ImageError> {
        let Some(from) = bundle.initrd else { return Ok(()) };
        let [first, second] = self.overwritten;
        let fdt = self.target(self.fdt);
        let safe = ![first, second, fdt].iter().any(|busy| busy.overlaps(from));
        // What a compressed kernel turns out to be shows too late to choose again.
        let to = if safe && self.kernel.comp == Compression::None {
            from
        } else {
            let busy = [first, second, fdt, self.kernel.data];
            self.ram.highest(from.len, PAGE, &busy).ok_or(no_room(Part::Initrd, from.len))?
        };
        self.initrd = Some(Move { from, to });
        Ok(())
    }

    /// Moves and decompresses; returns where the kernel is then.
    ///
    /// # Errors
    /// The kernel does not decompress, is not entered where it is, or turns out to need the
    /// room where the rest is.
    pub fn carry_out(&self, memory: &mut dyn Memory) -> Result<Region, ImageError> {
        let not_ram = ImageError::NotRam { address: self.ram.start, len: self.ram.len };
        let bytes = memory.ram_mut(self.ram.start, self.ram.len).ok_or(not_ram)?;
        let mut arena = Arena { start: self.ram.start, bytes };
        for Move { from, to } in [self.fdt, self.initrd].into_iter().flatten() {
            arena.shift(from, to.start).ok_or(not_ram)?;
        }
        let mut from = self.kernel.data;
        if let Some(aside) = self.aside {
            arena.shift(from, aside.start).ok_or(not_ram)?;
            from = aside;
        }
        let len = match self.kernel.comp {
            Compression::None => arena.shift(from, self.to.start).map(|()| from.len as usize),
            Compression::Gzip => {
                let (input, output) = arena.both(from, self.to).ok_or(not_ram)?;
                Some(gzip::gunzip(input, output).map_err(ImageError::Gzip)?)
            }
            Compression::Lz4 => {
                let (input, output) = arena.both(from, self.to).ok_or(not_ram)?;
                Some(lz4::decompress(input, output).map_err(ImageError::Lz4)?)
            }
        };
        let loaded = Region { len: len.ok_or(not_ram)? as u32, ..self.to };
        self.check(memory, loaded)
    }

    /// Now that the kernel is there: is it as was planned for?
    fn check(&self, memory: &dyn Memory, loaded: Region) -> Result<Region, ImageError> {
        check_entry(&self.kernel, loaded)?;
        let zimage = ZImage::parse(view(memory, loaded)?).ok();
        let overwritten = overwritten(self.ram, loaded, zimage);
        for (part, moved) in [(Part::Initrd, self.initrd), (Part::Fdt, self.fdt)] {
            if let Some(Move { to, .. }) = moved
                && overwritten.iter().any(|busy| busy.overlaps(to))
            {
                return Err(no_room(part, to.len));
            }
        }
        Ok(loaded)
    }
}

/// Each region on a line.
impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let may = match self.kernel.comp {
            Compression::None => "",
            Compression::Gzip => ", gzip",
            Compression::Lz4 => ", LZ4; its length is an upper bound",
        };
        writeln!(out, "   kernel       {} -> {}{may}", self.kernel.data, self.to)?;
        if let Some(aside) = self.aside {
            writeln!(out, "   moved first  {aside}")?;
        }
        for (name, moved) in [("ramdisk    ", self.initrd), ("device tree", self.fdt)] {
            match moved {
                Some(moved) if moved.stays() => writeln!(out, "   {name}  {}, stays", moved.to)?,
                Some(moved) => writeln!(out, "   {name}  {} -> {}", moved.from, moved.to)?,
                None => {}
            }
        }
        let [first, second] = self.overwritten;
        writeln!(out, "   overwritten  {first}, {second}, before the kernel looks at the rest")
    }
}

fn no_room(part: Part, len: u32) -> ImageError {
    ImageError::NoRoom { part, len }
}

fn view(memory: &dyn Memory, region: Region) -> Result<&[u8], ImageError> {
    let Region { start: address, len } = region;
    memory.ram(address, len).ok_or(ImageError::NotRam { address, len })
}

fn header(kernel: &Kernel, data: &[u8]) -> Option<ZImage> {
    if kernel.comp == Compression::None { ZImage::parse(data).ok() } else { None }
}

/// Where a kernel goes. The end of an unpacked one is cut off where free RAM ends: it may be
/// an upper bound.
fn destination(ram: Region, kernel: &Kernel, data: &[u8]) -> Result<Region, ImageError> {
    let load = kernel.load;
    if !load.is_multiple_of(4) {
        return Err(ImageError::Unaligned(load));
    }
    let len = match kernel.comp {
        Compression::None => u64::from(kernel.data.len),
        Compression::Gzip => gzip::length(data).map_err(ImageError::Gzip)?.into(),
        Compression::Lz4 => lz4::bound(data).map_err(ImageError::Lz4)?,
    };
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    let error = ImageError::Load { start: load, len };
    let lowest = ram.start.saturating_add(TAGS_AREA);
    let room = ram.end().checked_sub(load.into()).filter(|&room| load >= lowest && room > 0);
    let room = room.ok_or(error)?;
    if kernel.comp != Compression::None {
        return Ok(Region::between(load, u64::from(load) + room.min(len.into())));
    }
    let to = Region::new(load, len);
    if u64::from(len) > room {
        return Err(error);
    }
    check_entry(kernel, to)?;
    Ok(to)
}

fn check_entry(kernel: &Kernel, to: Region) -> Result<(), ImageError> {
    let entry = kernel.entry;
    if !to.contains(Region::new(entry, 4)) || !entry.is_multiple_of(4) {
        let (start, end) = (to.start, to.start.saturating_add(to.len));
        return Err(ImageError::Entry { entry, start, end });
    }
    Ok(())
}

/// What a kernel at `at` overwrites before it looks at its ramdisk and device tree.
fn overwritten(ram: Region, at: Region, zimage: Option<ZImage>) -> [Region; 2] {
    let start = u64::from(ram.start);
    match zimage {
        // Linux head.S: if the extractor is where the kernel goes, it moves behind that first.
        Some(zimage) => {
            let kernel = start + u64::from(TEXT_OFFSET) + u64::from(zimage.kernel_len());
            let behind = u64::from(zimage.len) + u64::from(zimage::SCRATCH);
            [Region::between(ram.start, kernel + behind), at.extended(zimage::SCRATCH)]
        }
        None => {
            let tables = at.start.saturating_sub(PAGE_TABLE).max(ram.start);
            let low = Region::new(ram.start, TEXT_OFFSET);
            [low, Region::between(tables, at.end() + u64::from(zimage::BSS))]
        }
    }
}

/// RAM in which things are moved about.
struct Arena<'a> {
    start: u32,
    bytes: &'a mut [u8],
}

impl Arena<'_> {
    fn range(&self, region: Region) -> Option<core::ops::Range<usize>> {
        let start = region.start.checked_sub(self.start)? as usize;
        let end = start.checked_add(region.len as usize)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    /// Moves a region, which may overlap where it goes.
    fn shift(&mut self, from: Region, to: u32) -> Option<()> {
        let target = self.range(Region { start: to, ..from })?;
        self.bytes.copy_within(self.range(from)?, target.start);
        Some(())
    }

    /// Two regions that do not overlap, the second one for writing.
    fn both(&mut self, from: Region, to: Region) -> Option<(&[u8], &mut [u8])> {
        let (from, to) = (self.range(from)?, self.range(to)?);
        if from.start < to.start {
            let (first, second) = self.bytes.split_at_mut_checked(to.start)?;
            Some((first.get(from)?, second.get_mut(..to.len())?))
        } else {
            let (first, second) = self.bytes.split_at_mut_checked(from.start)?;
            Some((second.get(..from.len())?, first.get_mut(to)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::crc32;
    use crate::fdt::tests::{Random, board as tree};
    use crate::image::gzip::GzipError;
    use crate::image::lz4::tests::PLAIN;
    use crate::image::zimage::tests::zimage;
    use crate::mock::{Board, LOADER, RAM, RAM_SIZE};
    use std::string::ToString;
    use std::vec::Vec;

    const AT: u32 = RAM + 0x80_0000;
    const LOAD: u32 = RAM + 0x8000;
    const FREE: Region = Region::new(RAM, LOADER - RAM);
    const FIXUPS: u32 = 600;

    /// A kernel whose words differ.
    fn words(len: u32) -> Vec<u8> {
        (0..len / 4).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
    }

    /// A gzip member of stored blocks.
    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut bytes = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].to_vec();
        let chunks = data.chunks(0xffff);
        let last = chunks.len() - 1;
        for (i, chunk) in chunks.enumerate() {
            let len = chunk.len() as u16;
            bytes.push(u8::from(i == last));
            bytes.extend([len.to_le_bytes(), (!len).to_le_bytes()].concat());
            bytes.extend(chunk);
        }
        bytes.extend([crc32(data).to_le_bytes(), (data.len() as u32).to_le_bytes()].concat());
        bytes
    }

    fn kernel(at: u32, data: &[u8], comp: Compression, load: u32) -> Bundle {
        let data = Region::new(at, data.len() as u32);
        Bundle { kernel: Kernel { data, comp, load, entry: load }, initrd: None, fdt: None }
    }

    /// What is to be put where, and what is expected there then.
    struct Case {
        board: Board,
        bundle: Bundle,
        kernel: Vec<u8>,
    }

    impl Case {
        fn new(at: u32, comp: Compression, load: u32, bytes: &[u8]) -> Self {
            let mut board = Board::new();
            let packed = if comp == Compression::Gzip { gzip(bytes) } else { bytes.to_vec() };
            board.memory.store(at, &packed);
            let bundle = kernel(at, &packed, comp, load);
            Self { board, bundle, kernel: bytes.to_vec() }
        }

        fn with(mut self, initrd: Option<(u32, &[u8])>, fdt: Option<(u32, &[u8])>) -> Self {
            let mut store = |(at, bytes): (u32, &[u8])| {
                self.board.memory.store(at, bytes);
                Region::new(at, bytes.len() as u32)
            };
            self.bundle.initrd = initrd.map(&mut store);
            self.bundle.fdt = fdt.map(store);
            self
        }

        fn plan(&self) -> Result<Plan, ImageError> {
            Plan::new(&self.board.memory, FREE, &self.bundle, FIXUPS)
        }

        /// Puts everything to its place and looks whether all of it is there, and out of the way.
        #[track_caller]
        fn check(mut self) -> Plan {
            let plan = self.plan().unwrap();
            let before = [self.bundle.initrd, self.bundle.fdt]
                .map(|part| part.map(|Region { start, len }| self.board.memory.load(start, len).to_vec()));
            let loaded = plan.carry_out(&mut self.board.memory).unwrap();
            assert_eq!(loaded, Region::new(self.bundle.kernel.load, self.kernel.len() as u32));
            assert!(self.board.memory.load(loaded.start, loaded.len) == self.kernel, "kernel");
            for (moved, bytes) in [plan.initrd, plan.fdt].into_iter().zip(before) {
                if let (Some(Move { to, .. }), Some(bytes)) = (moved, bytes) {
                    assert!(self.board.memory.load(to.start, bytes.len() as u32) == bytes, "{to}");
                    assert!(FREE.contains(to) && plan.overwritten.iter().all(|busy| !busy.overlaps(to)));
                }
            }
            assert!(self.board.memory.loader().iter().all(|&byte| byte == 0));
            plan
        }
    }

    #[test]
    fn moves_a_kernel_even_over_itself() {
        for at in [AT, LOAD, LOAD - 0x400, LOAD + 0x400, LOAD + 64] {
            Case::new(at, Compression::None, LOAD, &words(0x1000)).check();
        }
    }

    #[test]
    fn a_compressed_kernel_gets_out_of_its_own_way() {
        let bytes = words(0x2_0000);
        for at in [AT, LOAD, LOAD - 0x400, LOAD + 0x1_0000, RAM] {
            let plan = Case::new(at, Compression::Gzip, LOAD, &bytes).check();
            assert_eq!(plan.aside.is_some(), at != AT, "{at:x}");
        }
        let mut case = Case::new(AT, Compression::None, LOAD, PLAIN);
        case.bundle.kernel.comp = Compression::Lz4;
        case.kernel = b"steppingstone steppingstone".to_vec();
        case.check();
        let mut case = Case::new(LOAD, Compression::None, LOAD, PLAIN);
        case.bundle.kernel.comp = Compression::Lz4;
        case.kernel = b"steppingstone steppingstone".to_vec();
        assert!(case.check().aside.is_some());
    }

    #[test]
    fn what_is_out_of_the_way_stays() {
        let initrd = Some((AT + 0x10_0000, &b"ramdisk"[..]));
        let plan = Case::new(AT, Compression::None, LOAD, &words(0x1000)).with(initrd, None).check();
        assert!(plan.initrd.unwrap().stays());
    }

    /// The fault that this is about: Linux said "invalid magic" of a ramdisk that stood right
    /// behind its zImage, because that unpacked itself over it.
    #[test]
    fn a_ramdisk_behind_a_zimage_is_saved_from_it() {
        let ramdisk = [7; 0x1_0000];
        for unpacked in [None, Some((0x20_0000, 0x8000))] {
            let image = zimage(0x8_0000, unpacked);
            for at in [LOAD, RAM + 0x20_0000] {
                let case = Case::new(at, Compression::None, LOAD, &image);
                let plan = case.with(Some((at + 0x8_0000, &ramdisk)), None).check();
                let moved = plan.initrd.unwrap();
                // Behind the kernel, its .bss, the extractor moved behind them, its heap.
                let (kernel, bss) = unpacked.unwrap_or((4 * 0x8_0000, zimage::BSS));
                let end = LOAD + kernel + bss + 0x8_0000 + zimage::SCRATCH;
                assert!(!moved.stays() && moved.to.start >= end, "{}", moved.to);
            }
        }
        // One that runs high up has its heap behind itself as well.
        let image = zimage(0x8_0000, Some((0x20_0000, 0)));
        let case = Case::new(AT, Compression::None, AT, &image);
        let plan = case.with(Some((AT + 0x8_0000, &ramdisk)), None).check();
        assert!(!plan.initrd.unwrap().stays());
    }

    #[test]
    fn trees_and_ramdisks_are_moved_wherever_they_are() {
        let (ramdisk, tree) = (words(0x3_0000), tree().end().build());
        let places = [RAM, RAM + 0x100, LOAD, LOAD + 0x8000, AT + 0x1_0000, AT + 0x5_0000, LOADER - 0x4_0000];
        for ramdisk_at in places {
            for tree_at in places {
                let regions = [(ramdisk_at, ramdisk.len()), (tree_at, tree.len())];
                let [one, other] = regions.map(|(at, len)| Region::new(at, len as u32));
                if one.overlaps(other) {
                    continue;
                }
                for comp in [Compression::None, Compression::Gzip] {
                    let case = Case::new(AT, comp, LOAD, &words(0x4000));
                    let case = case.with(Some((ramdisk_at, &ramdisk)), Some((tree_at, &tree)));
                    let tree_to = case.check().fdt.unwrap().to;
                    assert_eq!(tree_to.len, tree.len() as u32 + FIXUPS);
                }
            }
        }
    }

    #[test]
    fn says_when_there_is_no_room() {
        // A kernel that may unpack to all RAM there is.
        let image = zimage(0x20_0000, Some((0xe0_0000, 0)));
        let case = Case::new(AT, Compression::None, AT, &image);
        let error = ImageError::NoRoom { part: Part::Initrd, len: 7 };
        assert_eq!(case.with(Some((RAM, b"ramdisk")), None).plan(), Err(error));
        let case = Case::new(AT, Compression::None, AT, &image);
        let len = tree().end().build().len() as u32 + FIXUPS;
        let error = ImageError::NoRoom { part: Part::Fdt, len };
        assert_eq!(case.with(None, Some((RAM, &tree().end().build()))).plan(), Err(error));
        // Alone it may.
        Case::new(AT, Compression::None, AT, &image).check();
    }

    #[test]
    fn a_zimage_that_shows_late_is_noticed() {
        let check = |unpacked, expected: Result<(), ImageError>| {
            let image = zimage(0x1000, Some((unpacked, 0)));
            let mut case =
                Case::new(AT, Compression::Gzip, LOAD, &image).with(Some((AT + 0x1_0000, b"ram")), None);
            let plan = case.plan().unwrap();
            assert_eq!(plan.carry_out(&mut case.board.memory).map(|_| ()), expected);
        };
        check(0x40_0000, Ok(()));
        check(0xe0_0000, Err(ImageError::NoRoom { part: Part::Initrd, len: 3 }));
    }

    /// Nothing may be stored where a plan cannot be made.
    fn refuse(comp: Compression, change: impl Fn(&mut Kernel), expected: ImageError) {
        let mut case = Case::new(AT, comp, LOAD, &words(0x1000));
        change(&mut case.bundle.kernel);
        assert_eq!(case.plan(), Err(expected));
    }

    #[test]
    fn refuses_to_load_over_what_is_not_free() {
        let len = 0x1000;
        let inside = [LOADER, LOADER - 4, LOADER - len + 4, RAM + RAM_SIZE - len, LOADER + 0x1f_8000];
        let outside = [0, RAM - 4, RAM + RAM_SIZE, u32::MAX - 3, 0x4800_0000];
        let tags = [RAM, RAM + 0x100, RAM + 0x3ffc];
        for start in inside.into_iter().chain(outside).chain(tags) {
            let to = |k: &mut Kernel| (k.load, k.entry) = (start, start);
            refuse(Compression::None, to, ImageError::Load { start, len });
        }
        for load in [LOAD + 1, LOAD + 2] {
            refuse(Compression::None, |k| k.load = load, ImageError::Unaligned(load));
        }
        for start in [LOADER, RAM + RAM_SIZE - 4, 0, RAM, RAM + RAM_SIZE, 0xffff_fffc] {
            let to = |k: &mut Kernel| (k.load, k.entry) = (start, start);
            refuse(Compression::Gzip, to, ImageError::Load { start, len });
        }
    }

    #[test]
    fn refuses_entries_outside_of_the_kernel() {
        let end = LOAD + 0x1000;
        for entry in [LOAD - 4, end, end - 2, LOAD + 2, 0, u32::MAX, LOADER] {
            let error = ImageError::Entry { entry, start: LOAD, end };
            refuse(Compression::None, |k| k.entry = entry, error);
            // How long a compressed kernel is counts only when it is there.
            let mut case = Case::new(AT, Compression::Gzip, LOAD, &words(0x1000));
            case.bundle.kernel.entry = entry;
            let plan = case.plan().unwrap();
            assert_eq!(plan.carry_out(&mut case.board.memory), Err(error));
        }
    }

    #[test]
    fn refuses_parts_in_the_loader() {
        let case = Case::new(AT, Compression::None, LOAD, &words(0x1000));
        let with = |bundle: Bundle| Plan::new(&case.board.memory, FREE, &bundle, FIXUPS);
        let loader = Region::new(LOADER - 4, 8);
        let error = |part| Err(ImageError::InLoader { part, address: LOADER - 4, len: 8 });
        assert_eq!(with(Bundle { initrd: Some(loader), ..case.bundle }), error(Part::Initrd));
        assert_eq!(with(Bundle { fdt: Some(loader), ..case.bundle }), error(Part::Fdt));
        let kernel = Kernel { data: loader, ..case.bundle.kernel };
        assert_eq!(with(Bundle { kernel, ..case.bundle }), error(Part::Kernel));
    }

    #[test]
    fn decompresses_only_into_the_room_there_is() {
        let load_to = |load: u32| {
            let mut case = Case::new(AT, Compression::Gzip, load, &words(0x1000));
            let result = case.plan().unwrap().carry_out(&mut case.board.memory);
            assert!(case.board.memory.loader().iter().all(|&byte| byte == 0));
            result
        };
        assert_eq!(load_to(LOADER - 0xffc), Err(ImageError::Gzip(GzipError::TooLong { room: 0xffc })));
        assert!(load_to(LOADER - 0x1000).is_ok());
        assert!(load_to(AT - 0xffc).is_ok());
        // A length in the trailer that is less than there is.
        let mut case = Case::new(AT, Compression::Gzip, LOAD, &words(0x1000));
        let trailer = case.bundle.kernel.data.end() as u32 - 4;
        case.board.memory.store(trailer, &0xffc_u32.to_le_bytes());
        let result = case.plan().unwrap().carry_out(&mut case.board.memory);
        assert_eq!(result, Err(ImageError::Gzip(GzipError::TooLong { room: 0xffc })));
    }

    #[test]
    fn no_bundle_harms_the_loader() {
        let near = [0, 64, 0x1000, u32::MAX, RAM, LOAD, AT, AT + 0x4000, LOADER, RAM + RAM_SIZE];
        let mut random = Random(0x2545_f491);
        let mut case = Case::new(AT, Compression::None, LOAD, &words(0x1000));
        let images = [words(0x1000), gzip(&words(0x1000)), PLAIN.to_vec(), zimage(0x2000, Some((0x8000, 0)))];
        let (mut planned, mut loaded) = (0, 0);
        for _ in 0..30_000 {
            let mut any = || near[random.below(near.len())].wrapping_add(random.below(0x2000) as u32 & !3);
            let mut region = || {
                let (start, len) = (any(), any());
                Region::new(start, if len & 8 == 0 { len & 0xffff } else { len })
            };
            let (initrd, fdt) = (region(), region());
            let (load, entry) = (any(), any());
            let which = random.below(4);
            let comp = [Compression::None, Compression::Gzip, Compression::Lz4][random.below(3)];
            case.board.memory.store(AT, &images[which]);
            let data = Region::new(AT, images[which].len() as u32);
            let entry = if entry & 4 == 0 { load } else { entry };
            let bundle = Bundle {
                kernel: Kernel { data, comp, load, entry },
                initrd: Some(initrd).filter(|region| region.len & 16 == 0),
                fdt: Some(fdt).filter(|region| region.len & 32 == 0),
            };
            if let Ok(plan) = Plan::new(&case.board.memory, FREE, &bundle, FIXUPS) {
                planned += 1;
                if let Ok(kernel) = plan.carry_out(&mut case.board.memory) {
                    loaded += 1;
                    assert!(FREE.contains(kernel) && kernel.contains(Region::new(entry, 4)));
                }
            }
        }
        assert!(case.board.memory.loader().iter().all(|&byte| byte == 0));
        assert!(planned > 1000 && loaded > 500, "{planned}, {loaded}: the test tests little");
    }

    #[test]
    fn explains_itself() {
        let tree = tree().end().build();
        let case =
            Case::new(RAM + 0x20_0000, Compression::None, LOAD, &zimage(0x1_0000, Some((0x4_0000, 0x1000))));
        let plan = case.with(Some((LOAD + 0x1000, b"ramdisk")), Some((AT, &tree))).check();
        let expected = "   \
   kernel       30200000-30210000 -> 30008000-30018000
   ramdisk      30009000-30009007 -> 30dfe000-30dfe007
   device tree  30800000-308000d9 -> 30dff000-30dff331
   overwritten  30000000-30079000, 30008000-30038000, before the kernel looks at the rest
";
        assert_eq!(plan.to_string(), expected);
        let plan = Case::new(LOAD, Compression::Gzip, LOAD, &words(0x1000)).check();
        let expected = "   \
   kernel       30008000-30009017 -> 30008000-30009000, gzip
   moved first  30dfefe8-30dfffff
   overwritten  30000000-30008000, 30004000-30109000, before the kernel looks at the rest
";
        assert_eq!(plan.to_string(), expected);
    }
}
