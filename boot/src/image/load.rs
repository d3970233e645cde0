//! From a uImage in RAM to a kernel where its header wants it.
//!
//! Every value in a header comes from outside: nothing is believed until it has been
//! compared with what is there.

use super::gzip::{self, GzipError};
use super::uimage::{self, HEADER, Header, HeaderError};
use crate::crc::crc32;
use crate::tags::TAGS_AREA;
use core::fmt;
use core::ops::Range;
use platform::hal::Memory;

/// Why an image cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// There is no RAM where the image is said to be, or not enough.
    NotRam {
        /// Address of the image.
        address: u32,
        /// Bytes it is said to have.
        len: u32,
    },
    /// No sound header.
    Header(HeaderError),
    /// The data CRC does not match the data.
    DataCrc {
        /// CRC stored in the header.
        stored: u32,
        /// CRC of the data.
        computed: u32,
    },
    /// The image holds no data.
    Empty,
    /// For another CPU: `ih_arch`.
    Arch(u8),
    /// For another operating system: `ih_os`.
    Os(u8),
    /// No kernel: `ih_type`.
    Kind(u8),
    /// Compressed in another way: `ih_comp`.
    Compression(u8),
    /// A multi-image whose table of sizes does not fit its data, or lists no kernel, or
    /// more than a kernel and an initial ramdisk.
    Parts,
    /// The load address is not a multiple of four.
    Unaligned(u32),
    /// It would be loaded outside of RAM, over the tag list or over the loader.
    Load {
        /// First address.
        start: u32,
        /// Bytes.
        len: u32,
    },
    /// It would be decompressed over itself.
    Overlap {
        /// Address to be loaded to.
        load: u32,
        /// Address of the image.
        address: u32,
    },
    /// Decompression failed.
    Gzip(GzipError),
    /// The entry point lies outside of the kernel, or is not a multiple of four.
    Entry {
        /// The entry point.
        entry: u32,
        /// Where the kernel starts.
        start: u32,
        /// Where it ends, exclusive.
        end: u32,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const AGAIN: &str = "load or write the image anew";
        match *self {
            Self::NotRam { address, len } => {
                write!(f, "no RAM at {address:08x} for {len:#x} bytes; see 'bdinfo' for where RAM is")
            }
            Self::Header(HeaderError::Short) => write!(f, "too short for a uImage header; {AGAIN}"),
            Self::Header(HeaderError::Magic(word)) => {
                write!(f, "Bad Magic Number: {word:08x} is not {:08x}; there is no uImage", uimage::MAGIC)
            }
            Self::Header(HeaderError::Crc { stored, computed }) => {
                write!(f, "Bad Header Checksum: {computed:08x}, header says {stored:08x}; {AGAIN}")
            }
            Self::DataCrc { stored, computed } => {
                write!(f, "Bad Data CRC: {computed:08x}, header says {stored:08x}; {AGAIN}")
            }
            Self::Empty => write!(f, "the image holds no data; pack it again"),
            Self::Arch(arch) => write!(f, "Unsupported Architecture {arch:#x}; pack the image with -A arm"),
            Self::Os(os) => write!(f, "Unsupported operating system {os:#x}; pack the image with -O linux"),
            Self::Kind(kind) => {
                write!(f, "Wrong Image Type {kind:#x} for bootm command; only kernel and multi boot")
            }
            Self::Compression(comp) => {
                write!(f, "Unimplemented compression type {comp}; pack the image with -C none or -C gzip")
            }
            Self::Parts => write!(f, "bad table of parts; a multi-image has a kernel and may have a ramdisk"),
            Self::Unaligned(load) => {
                write!(f, "load address {load:08x} is not a multiple of 4; pack it again")
            }
            Self::Load { start, len } => write!(
                f,
                "load range {start:08x}, {len:#x} bytes, is not in free RAM; \
                 'bdinfo' shows RAM and what of it belongs to the loader"
            ),
            Self::Overlap { load, address } => write!(
                f,
                "decompressing to {load:08x} would overwrite the image at {address:08x}; load it elsewhere"
            ),
            Self::Gzip(error) => write!(f, "GUNZIP: {error}; {AGAIN}"),
            Self::Entry { entry, start, end } => {
                write!(
                    f,
                    "entry point {entry:08x} is not in the kernel, {start:08x} to {end:08x}; pack it again"
                )
            }
        }
    }
}

/// A kernel ready to be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Entry point.
    pub entry: u32,
    /// Address and bytes of the initial ramdisk.
    pub initrd: Option<(u32, u32)>,
}

/// The header of the image at `address`, its CRC verified.
///
/// # Errors
/// There is no RAM, or no sound header in it.
pub fn header(memory: &dyn Memory, address: u32) -> Result<Header, ImageError> {
    let len = HEADER as u32;
    let bytes = memory.ram(address, len).ok_or(ImageError::NotRam { address, len })?;
    Header::parse(bytes, crc32).map_err(ImageError::Header)
}

/// The data of the image at `address`.
///
/// # Errors
/// The header says that there is more than RAM holds.
pub fn data<'a>(memory: &'a dyn Memory, address: u32, header: &Header) -> Result<&'a [u8], ImageError> {
    let error = ImageError::NotRam { address, len: header.size };
    let start = address.checked_add(HEADER as u32).ok_or(error)?;
    memory.ram(start, header.size).ok_or(error)
}

/// The data of the image at `address`, its CRC verified.
///
/// # Errors
/// As [`data`], and [`ImageError::DataCrc`].
pub fn verify<'a>(memory: &'a dyn Memory, address: u32, header: &Header) -> Result<&'a [u8], ImageError> {
    let data = data(memory, address, header)?;
    let (stored, computed) = (header.data_crc, crc32(data));
    if stored != computed {
        return Err(ImageError::DataCrc { stored, computed });
    }
    Ok(data)
}

/// Is this a kernel for this CPU, in a form that can be loaded?
///
/// # Errors
/// Says why not.
pub fn check_kind(header: &Header) -> Result<(), ImageError> {
    match header {
        Header { size: 0, .. } => Err(ImageError::Empty),
        Header { arch, .. } if *arch != uimage::ARCH_ARM => Err(ImageError::Arch(*arch)),
        Header { os, .. } if *os != uimage::OS_LINUX => Err(ImageError::Os(*os)),
        Header { kind, .. } if ![uimage::TYPE_KERNEL, uimage::TYPE_MULTI].contains(kind) => {
            Err(ImageError::Kind(*kind))
        }
        Header { comp, .. } if ![uimage::COMP_NONE, uimage::COMP_GZIP].contains(comp) => {
            Err(ImageError::Compression(*comp))
        }
        _ => Ok(()),
    }
}

/// Puts the kernel of a verified image to where its header wants it.
///
/// `ram` is the RAM that images may use. Uncompressed data is moved as a whole, so
/// that the kernel starts at its load address and a ramdisk follows it; data may
/// overlap its destination. Of compressed data the kernel is decompressed, and a
/// ramdisk stays where it is.
///
/// # Errors
/// Nothing is changed if a check of addresses fails.
pub fn place(
    memory: &mut dyn Memory,
    ram: Range<u32>,
    address: u32,
    header: &Header,
) -> Result<Kernel, ImageError> {
    check_kind(header)?;
    if !header.load.is_multiple_of(4) {
        return Err(ImageError::Unaligned(header.load));
    }
    let parts = Parts::of(header, data(memory, address, header)?)?;
    let ram = ram.start.saturating_add(TAGS_AREA)..ram.end;
    let start = address.saturating_add(HEADER as u32);
    if header.comp == uimage::COMP_NONE {
        move_data(memory, &ram, start, header, &parts)
    } else {
        decompress(memory, &ram, start, header, &parts)
    }
}

/// Offset in the data and bytes.
type Part = (u32, u32);

/// What the data of an image consists of.
struct Parts {
    kernel: Part,
    initrd: Option<Part>,
}

impl Parts {
    fn of(header: &Header, data: &[u8]) -> Result<Self, ImageError> {
        if header.kind == uimage::TYPE_KERNEL {
            return Ok(Self { kernel: (0, header.size), initrd: None });
        }
        // All offsets lie in the data, whose length is a u32.
        let mut parts = uimage::parts(data).map(|(offset, len)| (offset as u32, len as u32));
        let kernel = parts.next().ok_or(ImageError::Parts)?;
        let initrd = parts.next();
        // The kernel stands behind the table, so its offset tells how many parts the
        // table lists; one that does not fit the data was not delivered.
        let listed = kernel.0 / 4 - 1;
        if parts.next().is_some() || listed != 1 + u32::from(initrd.is_some()) {
            return Err(ImageError::Parts);
        }
        Ok(Self { kernel, initrd })
    }
}

fn check_entry(entry: u32, start: u32, len: u32) -> Result<(), ImageError> {
    let end = start.saturating_add(len);
    if !(start..end).contains(&entry) || !entry.is_multiple_of(4) {
        return Err(ImageError::Entry { entry, start, end });
    }
    Ok(())
}

fn move_data(
    memory: &mut dyn Memory,
    ram: &Range<u32>,
    from: u32,
    header: &Header,
    parts: &Parts,
) -> Result<Kernel, ImageError> {
    let (load, len) = (header.load, header.size);
    let error = ImageError::Load { start: load, len };
    check_entry(header.entry, load, parts.kernel.1)?;
    let to = load.checked_sub(parts.kernel.0).ok_or(error)?;
    let end = to.checked_add(len).ok_or(error)?;
    if to < ram.start || end > ram.end {
        return Err(error);
    }
    // Both ranges through one view, because they may overlap.
    let low = from.min(to);
    let view = (from.max(to) - low).checked_add(len).and_then(|span| memory.ram_mut(low, span));
    let view = view.ok_or(ImageError::NotRam { address: from, len })?;
    let source = (from - low) as usize;
    view.copy_within(source..source + len as usize, (to - low) as usize);
    Ok(Kernel { entry: header.entry, initrd: parts.initrd.map(|(offset, len)| (to + offset, len)) })
}

fn decompress(
    memory: &mut dyn Memory,
    ram: &Range<u32>,
    start: u32,
    header: &Header,
    parts: &Parts,
) -> Result<Kernel, ImageError> {
    let load = header.load;
    let image = start - HEADER as u32..start.saturating_add(header.size);
    if image.contains(&load) {
        return Err(ImageError::Overlap { load, address: image.start });
    }
    // A ramdisk stays where it is, and there the tag list would be written over it.
    if parts.initrd.is_some() && image.start < ram.start {
        return Err(ImageError::Load { start: image.start, len: header.size });
    }
    let limit = if load < image.start { image.start.min(ram.end) } else { ram.end };
    if load < ram.start || load >= limit {
        return Err(ImageError::Load { start: load, len: header.size });
    }
    let compressed = (start + parts.kernel.0, parts.kernel.1);
    let room = (load, limit - load);
    let (input, output) = both(memory, compressed, room)
        .ok_or(ImageError::NotRam { address: image.start, len: header.size })?;
    let len = gzip::gunzip(input, output).map_err(ImageError::Gzip)?;
    check_entry(header.entry, load, len as u32)?;
    Ok(Kernel { entry: header.entry, initrd: parts.initrd.map(|(offset, len)| (start + offset, len)) })
}

/// Views of two ranges, address and bytes each, that do not overlap.
fn both(memory: &mut dyn Memory, from: Part, to: Part) -> Option<(&[u8], &mut [u8])> {
    let low = from.0.min(to.0);
    let end = from.0.checked_add(from.1)?.max(to.0.checked_add(to.1)?);
    let view = memory.ram_mut(low, end - low)?;
    let middle = (from.0.max(to.0) - low) as usize;
    let (first, second) = view.split_at_mut_checked(middle)?;
    let (source, destination) = if from.0 < to.0 { (first, second) } else { (second, first) };
    Some((source.get(..from.1 as usize)?, destination.get_mut(..to.1 as usize)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::uimage::{ARCH_ARM, COMP_GZIP, COMP_NONE, OS_LINUX, TYPE_KERNEL, TYPE_MULTI};
    use crate::mock::{Board, LOADER, RAM, RAM_SIZE};
    use std::vec::Vec;

    const AT: u32 = RAM + 0x80_0000;
    const LOAD: u32 = RAM + 0x8000;

    fn header_of(kind: u8, comp: u8, data: &[u8]) -> Header {
        let (size, data_crc) = (data.len() as u32, crc32(data));
        let (os, arch, name) = (OS_LINUX, ARCH_ARM, [0; 32]);
        Header { time: 0, size, load: LOAD, entry: LOAD, data_crc, os, arch, kind, comp, name }
    }

    fn image(header: &Header, data: &[u8]) -> Vec<u8> {
        [&header.to_bytes(crc32)[..], data].concat()
    }

    /// A kernel whose words differ.
    fn kernel() -> Vec<u8> {
        (0..0x400u32).flat_map(u32::to_le_bytes).collect()
    }

    /// A gzip member with one stored block.
    fn stored(data: &[u8]) -> Vec<u8> {
        let len = data.len() as u16;
        let mut bytes = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1].to_vec();
        bytes.extend([len.to_le_bytes(), (!len).to_le_bytes()].concat());
        bytes.extend(data);
        bytes.extend([crc32(data).to_le_bytes(), u32::from(len).to_le_bytes()].concat());
        bytes
    }

    fn multi(parts: &[&[u8]]) -> Vec<u8> {
        let mut data: Vec<u8> = parts.iter().flat_map(|part| (part.len() as u32).to_be_bytes()).collect();
        data.extend([0; 4]);
        for part in parts {
            data.resize(data.len().next_multiple_of(4), 0);
            data.extend(*part);
        }
        data
    }

    /// Runs an image through all steps, as bootm does.
    fn load(board: &mut Board, at: u32, bytes: &[u8]) -> Result<Kernel, ImageError> {
        board.memory.store(at, bytes);
        let header = header(&board.memory, at)?;
        verify(&board.memory, at, &header)?;
        place(&mut board.memory, RAM..LOADER, at, &header)
    }

    #[test]
    fn moves_a_kernel() {
        let data = kernel();
        let bytes = image(&header_of(TYPE_KERNEL, COMP_NONE, &data), &data);
        // From elsewhere, in place, and over itself in both directions.
        for at in [AT, LOAD - 64, LOAD - 0x400, LOAD + 0x400] {
            let mut board = Board::new();
            assert_eq!(load(&mut board, at, &bytes), Ok(Kernel { entry: LOAD, initrd: None }));
            assert_eq!(board.memory.load(LOAD, data.len() as u32), data);
        }
    }

    #[test]
    fn moves_a_kernel_with_its_ramdisk() {
        let data = multi(&[&kernel()[..0x3fd], b"ramdisk"]);
        let mut board = Board::new();
        let bytes = image(&header_of(TYPE_MULTI, COMP_NONE, &data), &data);
        let initrd = Some((LOAD + 0x400, 7));
        assert_eq!(load(&mut board, AT, &bytes), Ok(Kernel { entry: LOAD, initrd }));
        assert_eq!(board.memory.load(LOAD, 0x3fd), &kernel()[..0x3fd]);
        assert_eq!(board.memory.load(LOAD + 0x400, 7), b"ramdisk");
    }

    #[test]
    fn decompresses_a_kernel() {
        let data = stored(&kernel());
        let bytes = image(&header_of(TYPE_KERNEL, COMP_GZIP, &data), &data);
        for at in [AT, RAM] {
            let mut board = Board::new();
            assert_eq!(load(&mut board, at, &bytes), Ok(Kernel { entry: LOAD, initrd: None }));
            assert_eq!(board.memory.load(LOAD, 0x1000), kernel());
        }
        let data = multi(&[&data, b"ramdisk"]);
        let bytes = image(&header_of(TYPE_MULTI, COMP_GZIP, &data), &data);
        let mut board = Board::new();
        let initrd = load(&mut board, AT, &bytes).unwrap().initrd.unwrap();
        assert_eq!(board.memory.load(initrd.0, initrd.1), b"ramdisk");
        assert_eq!(board.memory.load(LOAD, 0x1000), kernel());
    }

    /// Loads a good kernel with some header fields changed; nothing may be stored.
    fn refuse(comp: u8, change: impl Fn(&mut Header), expected: ImageError) {
        let data = if comp == COMP_GZIP { stored(&kernel()) } else { kernel() };
        let mut header = header_of(TYPE_KERNEL, comp, &data);
        change(&mut header);
        let mut board = Board::new();
        let bytes = image(&header, &data);
        board.memory.store(AT, &bytes);
        let before = board.memory.load(RAM, RAM_SIZE).to_vec();
        assert_eq!(load(&mut board, AT, &bytes), Err(expected));
        assert!(board.memory.load(RAM, RAM_SIZE) == before, "{expected:?}: memory was changed");
    }

    #[test]
    fn refuses_what_is_no_kernel_for_us() {
        refuse(COMP_NONE, |h| h.arch = 3, ImageError::Arch(3));
        refuse(COMP_NONE, |h| h.os = 17, ImageError::Os(17));
        refuse(COMP_NONE, |h| h.kind = 3, ImageError::Kind(3));
        refuse(COMP_NONE, |h| h.comp = 3, ImageError::Compression(3));
        refuse(COMP_NONE, |h| (h.size, h.data_crc) = (0, 0), ImageError::Empty);
    }

    #[test]
    fn refuses_hostile_sizes() {
        for size in [u32::MAX, u32::MAX - 63, 0x8000_0000, RAM_SIZE] {
            refuse(COMP_NONE, |h| h.size = size, ImageError::NotRam { address: AT, len: size });
        }
        let computed = crc32(&kernel()[..0xfff]);
        let stored = crc32(&kernel());
        refuse(COMP_NONE, |h| h.size -= 1, ImageError::DataCrc { stored, computed });
    }

    #[test]
    fn refuses_to_load_over_what_is_not_free() {
        let len = 0x1000;
        let inside = [LOADER, LOADER - 4, LOADER - len + 4, RAM + RAM_SIZE - len, LOADER + 0x1f_8000];
        let outside = [0, RAM - 4, RAM + RAM_SIZE, u32::MAX - 3, 0x4800_0000];
        let tags = [RAM, RAM + 0x100, RAM + 0x3ffc];
        for start in inside.into_iter().chain(outside).chain(tags) {
            let to = |h: &mut Header| (h.load, h.entry) = (start, start);
            refuse(COMP_NONE, to, ImageError::Load { start, len });
        }
        for load in [LOAD + 1, LOAD + 2] {
            refuse(COMP_NONE, |h| (h.load, h.entry) = (load, LOAD), ImageError::Unaligned(load));
        }
        let data_len = stored(&kernel()).len() as u32;
        for start in [LOADER, RAM + RAM_SIZE - 4, 0, RAM, RAM + RAM_SIZE, 0xffff_fffc] {
            let error = ImageError::Load { start, len: data_len };
            refuse(COMP_GZIP, |h| (h.load, h.entry) = (start, start), error);
        }
        for load in [AT, AT + 64, (AT + 64 + data_len) & !3] {
            let error = ImageError::Overlap { load, address: AT };
            refuse(COMP_GZIP, |h| (h.load, h.entry) = (load, load), error);
        }
    }

    #[test]
    fn refuses_entries_outside_of_the_kernel() {
        let end = LOAD + 0x1000;
        for entry in [LOAD - 4, end, LOAD + 2, 0, u32::MAX, LOADER] {
            refuse(COMP_NONE, |h| h.entry = entry, ImageError::Entry { entry, start: LOAD, end });
        }
        // How long a compressed kernel is shows only when it is there.
        let data = stored(&kernel());
        let mut header = header_of(TYPE_KERNEL, COMP_GZIP, &data);
        header.entry = end;
        let result = load(&mut Board::new(), AT, &image(&header, &data));
        assert_eq!(result, Err(ImageError::Entry { entry: end, start: LOAD, end }));
    }

    #[test]
    fn decompresses_only_into_the_room_there_is() {
        let data = stored(&kernel());
        let load_to = |at, to: u32| {
            let mut header = header_of(TYPE_KERNEL, COMP_GZIP, &data);
            (header.load, header.entry) = (to, to);
            let mut board = Board::new();
            let result = load(&mut board, at, &image(&header, &data));
            assert!(board.memory.loader().iter().all(|&byte| byte == 0));
            result
        };
        let short = Err(ImageError::Gzip(GzipError::TooLong { room: 0xffc }));
        // The loader starts too early, then the image does.
        assert_eq!(load_to(AT, LOADER - 0xffc), short);
        assert_eq!(load_to(AT, AT - 0xffc), short);
        assert!(load_to(AT, LOADER - 0x1000).is_ok());
        assert!(load_to(AT, AT - 0x1000).is_ok());
    }

    #[test]
    fn refuses_hostile_tables_of_parts() {
        let check = |data: &[u8], expected| {
            let bytes = image(&header_of(TYPE_MULTI, COMP_NONE, data), data);
            assert_eq!(load(&mut Board::new(), AT, &bytes).map(|_| ()), expected);
        };
        check(&multi(&[&kernel()]), Ok(()));
        check(&multi(&[]), Err(ImageError::Parts));
        check(&[0xff; 64], Err(ImageError::Parts));
        check(&[1, 2, 3], Err(ImageError::Parts));
        check(&multi(&[&kernel(), b"ramdisk", b"tree"]), Err(ImageError::Parts));
        // The ramdisk is said to be longer than the data.
        let mut long = multi(&[&kernel(), b"ramdisk"]);
        long[7] = 8;
        check(&long, Err(ImageError::Parts));
    }

    #[test]
    fn no_header_harms_the_loader() {
        let interesting = [
            0,
            4,
            64,
            0x1000,
            0x7fff_fffc,
            u32::MAX - 3,
            u32::MAX,
            RAM,
            LOAD,
            AT,
            AT + 64,
            LOADER,
            RAM + RAM_SIZE,
        ];
        let mut state = 0x2545_f491_u32;
        let mut any = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let near = interesting[state as usize % interesting.len()];
            near.wrapping_add((state >> 8) % 0x2000).wrapping_sub(0x1000)
        };
        let data = [multi(&[&stored(&kernel()), b"ramdisk"]), stored(&kernel()), kernel()];
        let mut board = Board::new();
        let mut loaded = 0;
        for round in 0..30_000 {
            let data = &data[round % 3];
            let [size, load, entry, at] = [any(), any(), any(), any()];
            let mut header = header_of(2 + 2 * (round / 3 % 2) as u8, (round / 6 % 2) as u8, data);
            (header.load, header.entry) = (load, if entry & 1 == 0 { load } else { entry });
            header.size = if size & 1 == 0 { header.size } else { size };
            let at = if at & 2 == 0 || board.memory.ram_mut(at, 0x2000).is_none() { AT } else { at };
            board.memory.store(at, &image(&header, data));
            let result = place(&mut board.memory, RAM..LOADER, at, &header);
            if let Ok(Kernel { entry, initrd }) = result {
                loaded += 1;
                assert!((RAM + TAGS_AREA..LOADER).contains(&entry), "round {round}");
                assert!(initrd.is_none_or(|(start, len)| board.memory.ram_mut(start, len).is_some()));
            }
        }
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
        assert!(loaded > 100, "only {loaded} headers were good: the test tests little");
    }

    #[test]
    fn refuses_what_is_not_in_ram_or_torn() {
        let board = Board::new();
        for address in [0, RAM - 1, RAM + RAM_SIZE - 63, RAM + RAM_SIZE, u32::MAX] {
            let error = ImageError::NotRam { address, len: 64 };
            assert_eq!(header(&board.memory, address), Err(error));
        }
        assert_eq!(header(&board.memory, AT), Err(ImageError::Header(HeaderError::Magic(0))));
        let data = kernel();
        let mut bytes = image(&header_of(TYPE_KERNEL, COMP_NONE, &data), &data);
        bytes[64 + 0xfff] ^= 0x80;
        assert!(matches!(load(&mut Board::new(), AT, &bytes), Err(ImageError::DataCrc { .. })));
        bytes[20] ^= 1;
        let result = load(&mut Board::new(), AT, &bytes);
        assert!(matches!(result, Err(ImageError::Header(HeaderError::Crc { .. }))));
    }
}
