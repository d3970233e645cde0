//! From images in RAM to what is in them: where kernel, ramdisk and device tree are.
//!
//! Every value in a header comes from outside: nothing is believed until it has been
//! compared with what is there.

pub use super::error::ImageError;
use super::fit::{self, Fit, FitError};
use super::region::Region;
use super::uimage::{self, HEADER, Header};
use super::zimage::ZImage;
use crate::crc::crc32;
use crate::fdt::{self, Fdt, FdtError};
use platform::hal::Memory;

/// How a kernel is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all, or in a way that it undoes itself.
    None,
    /// A gzip member.
    Gzip,
    /// An LZ4 frame.
    Lz4,
}

/// A kernel as it was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Where it is.
    pub data: Region,
    /// How it is compressed.
    pub comp: Compression,
    /// Where it goes.
    pub load: u32,
    /// Where it is entered.
    pub entry: u32,
}

/// What is booted, wherever that has been loaded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The kernel.
    pub kernel: Kernel,
    /// The initial ramdisk.
    pub initrd: Option<Region>,
    /// The device tree.
    pub fdt: Option<Region>,
}

/// The header of the image at `address`, its CRC verified.
///
/// # Errors
/// There is no RAM, or no sound header in it.
pub fn header(memory: &dyn Memory, address: u32) -> Result<Header, ImageError> {
    let len = HEADER as u32;
    let bytes = memory.ram(address, len).ok_or(ImageError::NotRam { address, len })?;
    Ok(Header::parse(bytes, crc32)?)
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
pub fn check_kind(header: &Header) -> Result<Compression, ImageError> {
    match header {
        Header { size: 0, .. } => Err(ImageError::Empty),
        Header { arch, .. } if *arch != uimage::ARCH_ARM => Err(ImageError::Arch(*arch)),
        Header { os, .. } if *os != uimage::OS_LINUX => Err(ImageError::Os(*os)),
        Header { kind, .. } if ![uimage::TYPE_KERNEL, uimage::TYPE_MULTI].contains(kind) => {
            Err(ImageError::Kind(*kind))
        }
        Header { comp: uimage::COMP_NONE, .. } => Ok(Compression::None),
        Header { comp: uimage::COMP_GZIP, .. } => Ok(Compression::Gzip),
        Header { comp: uimage::COMP_LZ4, .. } => Ok(Compression::Lz4),
        Header { comp, .. } => Err(ImageError::Compression(*comp)),
    }
}

/// What is in the uImage at `address`.
///
/// # Errors
/// It is no kernel for this CPU, or its table of parts is bad.
pub fn of_uimage(memory: &dyn Memory, address: u32, header: &Header) -> Result<Bundle, ImageError> {
    let comp = check_kind(header)?;
    let bytes = data(memory, address, header)?;
    let all = Region::new(address + HEADER as u32, header.size);
    let kernel = |data| Kernel { data, comp, load: header.load, entry: header.entry };
    if header.kind == uimage::TYPE_KERNEL {
        return Ok(Bundle { kernel: kernel(all), initrd: None, fdt: None });
    }
    // All offsets lie in the data, whose length is a u32.
    let mut parts = uimage::parts(bytes).map(|(offset, len)| (offset as u32, len as u32));
    let (offset, len) = parts.next().ok_or(ImageError::Parts)?;
    let part = |offset, len| all.part(offset, len).ok_or(ImageError::Parts);
    let mut bundle = Bundle { kernel: kernel(part(offset, len)?), initrd: None, fdt: None };
    // The kernel stands behind the table, so its offset tells how many parts the table lists;
    // one that does not fit the data was not delivered.
    let mut missing = offset / 4 - 2;
    for (offset, len) in parts {
        missing -= 1;
        let bytes = bytes.get(offset as usize..).unwrap_or_default();
        // The ramdisk may be missing; a tree tells itself apart.
        let place = if fdt::size(bytes).is_some() { &mut bundle.fdt } else { &mut bundle.initrd };
        if place.replace(part(offset, len)?).is_some() {
            return Err(ImageError::Parts);
        }
    }
    if missing == 0 { Ok(bundle) } else { Err(ImageError::Parts) }
}

/// The zImage at `address`, which runs where it is.
///
/// # Errors
/// There is none, or not all of it, or it must be elsewhere.
pub fn of_zimage(memory: &dyn Memory, address: u32) -> Result<Bundle, ImageError> {
    let head = super::zimage::HEADER as u32;
    let not_ram = |len| ImageError::NotRam { address, len };
    let len = ZImage::parse(memory.ram(address, head).ok_or(not_ram(head))?)?.len;
    let zimage = ZImage::parse(memory.ram(address, len).ok_or(not_ram(len))?)?;
    match zimage.link {
        Some(start) if start != address => return Err(ImageError::Linked(start)),
        _ => {}
    }
    let data = Region::new(address, len);
    let kernel = Kernel { data, comp: Compression::None, load: address, entry: address };
    Ok(Bundle { kernel, initrd: None, fdt: None })
}

/// Is a device tree, which a FIT is too, at `address`?
#[must_use]
pub fn is_tree(memory: &dyn Memory, address: u32) -> bool {
    memory.ram(address, 8).and_then(fdt::size).is_some()
}

/// The FIT at `address`.
///
/// # Errors
/// There is none, or not all of it.
pub fn fit(memory: &dyn Memory, address: u32) -> Result<Fit<'_>, ImageError> {
    Ok(Fit::new(memory, address, tree_bytes(memory, address)?)?)
}

/// The bytes of the tree at `address`, which are all there.
fn tree_bytes(memory: &dyn Memory, address: u32) -> Result<&[u8], ImageError> {
    let not_ram = |len| ImageError::NotRam { address, len };
    let head = memory.ram(address, fdt::HEADER as u32).ok_or(not_ram(fdt::HEADER as u32))?;
    let first = head.first_chunk().map_or(0, |word| u32::from_be_bytes(*word));
    let len = fdt::size(head).ok_or(ImageError::Fdt { address, error: FdtError::Magic(first) })?;
    // Whatever length the header gives, its other fields are worth a look.
    let len = len.max(fdt::HEADER as u32);
    memory.ram(address, len).ok_or(not_ram(len))
}

/// What a configuration of a FIT holds, as far as it boots.
///
/// # Errors
/// The kernel is none for this CPU, or a part is not as the configuration says.
pub fn of_fit(kernel: fit::Image<'_>, parts: [Option<fit::Image<'_>>; 2]) -> Result<Bundle, ImageError> {
    for (property, wanted) in [("type", "kernel"), ("arch", "arm"), ("os", "linux")] {
        kernel.must_be(property, wanted)?;
    }
    let comp = match kernel.text("compression") {
        None | Some("none") => Compression::None,
        Some("gzip") => Compression::Gzip,
        Some("lz4") => Compression::Lz4,
        Some(_) => {
            let (node, wanted) = (fit::name(kernel.name()), "none, gzip or lz4");
            return Err(FitError::Unfit { node, property: "compression", wanted }.into());
        }
    };
    let (data, load, entry) = (kernel.region()?, kernel.required("load")?, kernel.required("entry")?);
    if data.len == 0 {
        return Err(ImageError::Empty);
    }
    let [initrd, fdt] = parts;
    let region = |image: Option<fit::Image<'_>>| image.map(fit::Image::region).transpose();
    Ok(Bundle { kernel: Kernel { data, comp, load, entry }, initrd: region(initrd)?, fdt: region(fdt)? })
}

/// The ramdisk in the uImage at `address`.
///
/// # Errors
/// It is none, or damaged.
pub fn initrd(memory: &dyn Memory, address: u32) -> Result<Region, ImageError> {
    let header = match header(memory, address) {
        Err(ImageError::Header(uimage::HeaderError::Magic(_))) => {
            return Err(ImageError::BareRamdisk(address));
        }
        header => header?,
    };
    if header.kind != uimage::TYPE_RAMDISK {
        return Err(ImageError::NoRamdisk(header.kind));
    }
    verify(memory, address, &header)?;
    Ok(Region::new(address + HEADER as u32, header.size))
}

/// The device tree at `address`, as it is or in a uImage.
///
/// # Errors
/// There is none.
pub fn fdt(memory: &dyn Memory, address: u32) -> Result<Region, ImageError> {
    let address = match header(memory, address) {
        Ok(header) if header.kind == uimage::TYPE_FLATDT => {
            verify(memory, address, &header)?;
            address + HEADER as u32
        }
        _ => address,
    };
    let bytes = tree_bytes(memory, address)?;
    let tree = Fdt::new(bytes).map_err(|error| ImageError::Fdt { address, error })?;
    Ok(Region::new(address, tree.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fdt::tests::{Builder, Random, board as tree};
    use crate::image::uimage::{HeaderError, TYPE_FLATDT, TYPE_KERNEL, TYPE_MULTI, TYPE_RAMDISK};
    use crate::image::zimage::ZImageError;
    use crate::image::zimage::tests::zimage;
    use crate::mock::{Board, RAM, RAM_SIZE, image};
    use std::vec::Vec;

    const AT: u32 = RAM + 0x80_0000;

    fn multi(parts: &[&[u8]]) -> Vec<u8> {
        let mut data: Vec<u8> = parts.iter().flat_map(|part| (part.len() as u32).to_be_bytes()).collect();
        data.extend([0; 4]);
        for part in parts {
            data.resize(data.len().next_multiple_of(4), 0);
            data.extend(*part);
        }
        data
    }

    fn stored(at: u32, bytes: &[u8]) -> Board {
        let mut board = Board::new();
        board.memory.store(at, bytes);
        board
    }

    #[test]
    fn finds_the_parts_of_a_multi_image() {
        let tree = tree().end().build();
        let check = |parts: &[&[u8]], expected: Option<[Option<usize>; 2]>| {
            let data = multi(parts);
            let board = stored(AT, &image(&data, |h| h.kind = TYPE_MULTI));
            let header = header(&board.memory, AT).unwrap();
            let found = of_uimage(&board.memory, AT, &header);
            let Some(others) = expected else {
                assert_eq!(found, Err(ImageError::Parts));
                return;
            };
            let found = found.unwrap();
            let bytes = |region: Region| board.memory.load(region.start, region.len);
            assert_eq!(bytes(found.kernel.data), parts[0]);
            assert_eq!([found.initrd.map(bytes), found.fdt.map(bytes)], others.map(|i| i.map(|i| parts[i])));
        };
        check(&[b"kernel"], Some([None, None]));
        check(&[b"kernel", b"ram"], Some([Some(1), None]));
        check(&[b"kernel", b"ram", &tree], Some([Some(1), Some(2)]));
        check(&[b"kernel", &tree, b"ram"], Some([Some(2), Some(1)]));
        check(&[b"kernel", &tree], Some([None, Some(1)]));
        check(&[b"kernel", b"ram", b"ram"], None);
        check(&[b"kernel", &tree, &tree], None);
        check(&[], None);
    }

    #[test]
    fn refuses_hostile_tables_of_parts() {
        let check = |data: &[u8]| {
            let board = stored(AT, &image(data, |h| h.kind = TYPE_MULTI));
            let header = header(&board.memory, AT).unwrap();
            assert_eq!(of_uimage(&board.memory, AT, &header), Err(ImageError::Parts));
        };
        check(&[0xff; 64]);
        check(&[1, 2, 3]);
        // The ramdisk is said to be longer than the data.
        let mut long = multi(&[b"kernel", b"ramdisk"]);
        long[7] = 8;
        check(&long);
    }

    #[test]
    fn refuses_what_is_not_in_ram_or_torn() {
        let board = Board::new();
        for address in [0, RAM - 1, RAM + RAM_SIZE - 63, RAM + RAM_SIZE, u32::MAX] {
            let error = ImageError::NotRam { address, len: 64 };
            assert_eq!(header(&board.memory, address), Err(error));
        }
        assert_eq!(header(&board.memory, AT), Err(ImageError::Header(HeaderError::Magic(0))));
        let mut bytes = image(b"kernel..", |_| ());
        bytes[70] ^= 0x80;
        let board = stored(AT, &bytes);
        let torn = header(&board.memory, AT).unwrap();
        assert!(matches!(verify(&board.memory, AT, &torn), Err(ImageError::DataCrc { .. })));
        bytes[20] ^= 1;
        let result = header(&stored(AT, &bytes).memory, AT);
        assert!(matches!(result, Err(ImageError::Header(HeaderError::Crc { .. }))));
    }

    #[test]
    fn refuses_what_is_no_kernel_for_us() {
        let check = |change: fn(&mut Header), expected| {
            let mut header = Header::parse(&image(b"kernel..", |_| ()), crc32).unwrap();
            change(&mut header);
            assert_eq!(check_kind(&header), expected);
        };
        check(|h| h.kind = TYPE_KERNEL, Ok(Compression::None));
        check(|h| h.comp = uimage::COMP_GZIP, Ok(Compression::Gzip));
        check(|h| h.comp = uimage::COMP_LZ4, Ok(Compression::Lz4));
        check(|h| h.arch = 3, Err(ImageError::Arch(3)));
        check(|h| h.os = 17, Err(ImageError::Os(17)));
        check(|h| h.kind = 3, Err(ImageError::Kind(3)));
        check(|h| h.comp = 3, Err(ImageError::Compression(3)));
        check(|h| h.size = 0, Err(ImageError::Empty));
    }

    #[test]
    fn finds_a_zimage() {
        let bytes = zimage(0x1000, None);
        let found = of_zimage(&stored(AT, &bytes).memory, AT).unwrap();
        let data = Region::new(AT, 0x1000);
        let kernel = Kernel { data, comp: Compression::None, load: AT, entry: AT };
        assert_eq!(found, Bundle { kernel, initrd: None, fdt: None });
        let check = |at: usize, word: u32, error| {
            let mut bytes = bytes.clone();
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            assert_eq!(of_zimage(&stored(AT, &bytes).memory, AT), Err(error));
        };
        check(0x24, 1, ImageError::ZImage(ZImageError::Magic(1)));
        check(0x2c, u32::MAX, ImageError::NotRam { address: AT, len: u32::MAX });
        check(0x2c, RAM_SIZE, ImageError::NotRam { address: AT, len: RAM_SIZE });
        check(0x28, 0x100, ImageError::Linked(0x100));
        let board = Board::new();
        assert_eq!(of_zimage(&board.memory, 16), Err(ImageError::NotRam { address: 16, len: 0x34 }));
    }

    #[test]
    fn finds_ramdisks_and_trees() {
        let ram = image(b"ramdisk", |h| h.kind = TYPE_RAMDISK);
        assert_eq!(initrd(&stored(AT, &ram).memory, AT), Ok(Region::new(AT + 64, 7)));
        let kernel = image(b"kernel", |_| ());
        assert_eq!(initrd(&stored(AT, &kernel).memory, AT), Err(ImageError::NoRamdisk(2)));
        assert_eq!(initrd(&Board::new().memory, AT), Err(ImageError::BareRamdisk(AT)));
        let mut torn = ram.clone();
        torn[66] ^= 1;
        assert!(matches!(initrd(&stored(AT, &torn).memory, AT), Err(ImageError::DataCrc { .. })));

        let bytes = tree().end().build();
        let len = bytes.len() as u32;
        assert_eq!(fdt(&stored(AT, &bytes).memory, AT), Ok(Region::new(AT, len)));
        let wrapped = image(&bytes, |h| h.kind = TYPE_FLATDT);
        assert_eq!(fdt(&stored(AT, &wrapped).memory, AT), Ok(Region::new(AT + 64, len)));
        let none = ImageError::Fdt { address: AT, error: FdtError::Magic(0) };
        assert_eq!(fdt(&Board::new().memory, AT), Err(none));
        let mut huge = bytes.clone();
        huge[4] = 0xff;
        let len = 0xff00_0000 | len;
        assert_eq!(fdt(&stored(AT, &huge).memory, AT), Err(ImageError::NotRam { address: AT, len }));
    }

    /// A FIT with a kernel, a ramdisk outside of the tree, and a device tree.
    fn fit_image(kernel: &[(&str, &str)]) -> Vec<u8> {
        let hash = |tree: Builder, data: &[u8]| {
            let value = crc32(data).to_be_bytes();
            tree.begin("hash-1").text("algo", "crc32").prop("value", &value).end()
        };
        let mut node = Builder::default().begin("").begin("images").begin("kernel");
        for (name, value) in kernel {
            node = node.text(name, value);
        }
        let node = node.number("load", RAM + 0x8000).number("entry", RAM + 0x8000);
        let node = hash(node.prop("data", b"kernel.."), b"kernel..").end();
        let node = node.begin("ram").number("data-offset", 4).number("data-size", 7);
        let node = hash(node, b"ramdisk").end();
        let node = node.end().begin("configurations").text("default", "both");
        let node = node.begin("alone").text("kernel", "kernel").end();
        let node = node.begin("both").text("kernel", "kernel").text("ramdisk", "ram").end();
        let mut bytes = node.end().end().build();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        [&bytes[..], b"....ramdisk"].concat()
    }

    const KERNEL: [(&str, &str); 3] = [("type", "kernel"), ("arch", "arm"), ("os", "linux")];

    fn boot_fit(board: &Board, conf: Option<&str>) -> Result<Bundle, ImageError> {
        let fit = fit(&board.memory, AT)?;
        let conf = fit.configuration(conf)?;
        let missing = FitError::Property { node: fit::name(conf.name), property: "kernel" };
        let kernel = fit.part(conf, "kernel")?.ok_or(missing)?;
        let ramdisk = fit.part(conf, "ramdisk")?;
        for image in [Some(kernel), ramdisk].into_iter().flatten() {
            image.verify(|_, _| ())?;
        }
        of_fit(kernel, [ramdisk, None])
    }

    #[test]
    fn takes_a_fit_apart() {
        let board = stored(AT, &fit_image(&KERNEL));
        let both = boot_fit(&board, None).unwrap();
        let bytes = |region: Region| board.memory.load(region.start, region.len);
        assert_eq!(bytes(both.kernel.data), b"kernel..");
        assert_eq!(both.initrd.map(bytes), Some(&b"ramdisk"[..]));
        assert_eq!((both.kernel.load, both.kernel.comp), (RAM + 0x8000, Compression::None));
        assert_eq!(boot_fit(&board, Some("alone")), Ok(Bundle { initrd: None, ..both }));
        let unknown = FitError::NoNode { of: "/configurations", name: fit::name("x") };
        assert_eq!(boot_fit(&board, Some("x")), Err(ImageError::Fit(unknown)));
    }

    #[test]
    fn refuses_what_a_fit_should_not_hold() {
        let node = fit::name("kernel");
        let check = |property: &'static str, value, wanted| {
            let mut props = KERNEL.to_vec();
            props.retain(|(name, _)| *name != property);
            props.push((property, value));
            let board = stored(AT, &fit_image(&props));
            let error = FitError::Unfit { node, property, wanted };
            assert_eq!(boot_fit(&board, None), Err(ImageError::Fit(error)));
        };
        check("type", "ramdisk", "kernel");
        check("arch", "arm64", "arm");
        check("os", "u-boot", "linux");
        check("compression", "lzma", "none, gzip or lz4");
        let good = fit_image(&KERNEL);
        for (text, part) in [(&b"kernel.."[..], "kernel"), (b"ramdisk\0", "ram")] {
            let text = &text[..7];
            let at = good.windows(text.len()).rposition(|window| window == text).unwrap();
            let mut torn = good.clone();
            torn[at] ^= 1;
            let error = FitError::Hash(fit::name(part));
            assert_eq!(boot_fit(&stored(AT, &torn), None), Err(ImageError::Fit(error)), "{part}");
        }
    }

    #[test]
    fn damaged_fits_are_refused_or_found_unharmed() {
        let good = fit_image(&KERNEL);
        let mut random = Random(0xf17);
        let (mut board, mut found) = (Board::new(), 0);
        for round in 0..30_000 {
            let mut bytes = good.clone();
            match bytes.get_mut(round..) {
                Some(cut) => cut.fill(0),
                None => random.damage(&mut bytes),
            }
            board.memory.store(AT, &bytes);
            if let Ok(bundle) = boot_fit(&board, None) {
                found += 1;
                let data = bundle.kernel.data;
                assert_eq!(crc32(board.memory.load(data.start, data.len)), crc32(b"kernel.."));
            }
        }
        assert!(found > 100, "only {found} were found: the test tests little");
    }
}
