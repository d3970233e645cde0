//! Makes uImages as `mkimage` does, and checks those made elsewhere.

use crate::verdict::Report;
use crate::{Error, Result};
use boot::crc::crc32;
use boot::image::uimage::{self, Header, HeaderError};
use clap::ValueEnum;

/// What an image is, by the names that `mkimage -T` has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A kernel.
    Kernel,
    /// Several parts in one: kernel, initial ramdisk.
    Multi,
    /// An initial ramdisk.
    Ramdisk,
    /// A script for the console.
    Script,
    /// Firmware, such as the second stage.
    Firmware,
    /// A program that returns to the console.
    Standalone,
}

impl Kind {
    /// Its `ih_type`.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Kernel => uimage::TYPE_KERNEL,
            Self::Multi => uimage::TYPE_MULTI,
            Self::Ramdisk => uimage::TYPE_RAMDISK,
            Self::Script => uimage::TYPE_SCRIPT,
            Self::Firmware => uimage::TYPE_FIRMWARE,
            Self::Standalone => uimage::TYPE_STANDALONE,
        }
    }

    /// Its name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Multi => "multi",
            Self::Ramdisk => "ramdisk",
            Self::Script => "script",
            Self::Firmware => "firmware",
            Self::Standalone => "standalone",
        }
    }

    /// Whether the data starts with a table of the sizes of its parts.
    fn has_table(self) -> bool {
        matches!(self, Self::Multi | Self::Script)
    }
}

/// Everything in a header that does not follow from the data.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What it is.
    pub kind: Kind,
    /// `ih_comp`.
    pub comp: u8,
    /// Name, at most 32 bytes.
    pub name: String,
    /// Load address.
    pub load: u32,
    /// Entry point.
    pub entry: u32,
    /// Seconds since 1970.
    pub time: u32,
}

/// The image: header, size table if the kind has one, parts.
///
/// # Errors
/// Says which part is empty, or that the whole or the name is too long.
pub fn build(spec: &Spec, parts: &[Vec<u8>]) -> Result<Vec<u8>> {
    if let Some(number) = parts.iter().position(Vec::is_empty) {
        return Err(Error::new(format!("part {} of the image is empty", number + 1))
            .hint("a part of length 0 would end the table of parts"));
    }
    let mut name = [0; uimage::NAME];
    name.get_mut(..spec.name.len())
        .ok_or_else(|| {
            Error::new("the name is too long")
                .expected(format!("at most {} bytes", uimage::NAME))
                .found(format!("{} bytes: {}", spec.name.len(), spec.name))
        })?
        .copy_from_slice(spec.name.as_bytes());

    let data = data(spec.kind, parts);
    let size = u32::try_from(data.len()).map_err(|_| Error::new("the image is larger than 4 GiB"))?;
    let header = Header {
        time: spec.time,
        size,
        load: spec.load,
        entry: spec.entry,
        data_crc: crc32(&data),
        os: uimage::OS_LINUX,
        arch: uimage::ARCH_ARM,
        kind: spec.kind.code(),
        comp: spec.comp,
        name,
    };
    let mut image = header.to_bytes(crc32).to_vec();
    image.extend(data);
    Ok(image)
}

fn data(kind: Kind, parts: &[Vec<u8>]) -> Vec<u8> {
    let mut data = Vec::new();
    if kind.has_table() {
        for part in parts {
            data.extend((part.len() as u32).to_be_bytes());
        }
        data.extend([0; 4]);
    }
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            data.resize(data.len().next_multiple_of(4), 0);
        }
        data.extend(part);
    }
    data
}

/// The image at the start of `bytes`, its header and data verified.
///
/// # Errors
/// Names the offset, the expected and the found value.
pub fn verified(bytes: &[u8]) -> Result<(Header, &[u8])> {
    let header = Header::parse(bytes, crc32).map_err(header_error)?;
    let data = &bytes[uimage::HEADER..];
    let data = data.get(..header.size as usize).ok_or_else(|| {
        Error::new("the image is cut short")
            .offset(12)
            .expected(format!("{} bytes of data, as the header says", header.size))
            .found(format!("{} bytes", data.len()))
    })?;
    let crc = crc32(data);
    if crc != header.data_crc {
        return Err(Error::new("the data CRC is wrong")
            .offset(24)
            .expected(format!("{crc:#010x}, the CRC of the data"))
            .found(format!("{:#010x}", header.data_crc)));
    }
    Ok((header, data))
}

fn header_error(error: HeaderError) -> Error {
    match error {
        HeaderError::Short => {
            Error::new("too short for a uImage").expected(format!("{} bytes of header", uimage::HEADER))
        }
        HeaderError::Magic(found) => Error::new("not a uImage")
            .offset(0)
            .expected(format!("{:#010x}", uimage::MAGIC))
            .found(format!("{found:#010x}")),
        HeaderError::Crc { stored, computed } => Error::new("the header CRC is wrong")
            .offset(4)
            .expected(format!("{computed:#010x}, the CRC of the header"))
            .found(format!("{stored:#010x}")),
    }
}

/// Whether the first bytes are those of a uImage.
#[must_use]
pub fn is_uimage(bytes: &[u8]) -> bool {
    bytes.starts_with(&uimage::MAGIC.to_be_bytes())
}

/// Describes the image at the start of `bytes`, check by check. Returns the length
/// that the header gives, header included, if the header is good.
pub fn inspect(bytes: &[u8], report: &mut Report) -> Option<usize> {
    let header = match Header::parse(bytes, crc32) {
        Ok(header) => header,
        Err(error) => {
            report.bad("header", header_error(error).one_line());
            return None;
        }
    };
    let name = |names: &[(u8, &str)], code: u8| {
        names.iter().find(|(c, _)| *c == code).map_or(format!("{code} (unknown)"), |(_, name)| (*name).into())
    };
    report.ok("header CRC", "matches");
    report.note("name", header.name());
    report.note(
        "type",
        format!(
            "{}, {}, {}, {}",
            name(&[(uimage::ARCH_ARM, "arm")], header.arch),
            name(&[(uimage::OS_LINUX, "linux"), (17, "u-boot")], header.os),
            name(
                &Kind::value_variants().iter().map(|kind| (kind.code(), kind.name())).collect::<Vec<_>>(),
                header.kind
            ),
            name(&[(uimage::COMP_NONE, "uncompressed"), (uimage::COMP_GZIP, "gzip")], header.comp),
        ),
    );
    report.note("time", format!("{} s since 1970", header.time));
    report.note("addresses", format!("load {:#010x}, entry {:#010x}", header.load, header.entry));
    match verified(bytes) {
        Ok((_, data)) => {
            report.ok("data CRC", format!("{:#010x} over {} bytes", header.data_crc, data.len()));
            if [uimage::TYPE_MULTI, uimage::TYPE_SCRIPT].contains(&header.kind) {
                for (number, (offset, size)) in uimage::parts(data).enumerate() {
                    report.note(
                        format!("part {}", number + 1),
                        format!("{size} bytes at data offset {offset:#x}"),
                    );
                }
            }
        }
        Err(error) => report.bad("data", error.one_line()),
    }
    Some(uimage::HEADER + header.size as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(kind: Kind, name: &str) -> Spec {
        Spec { kind, comp: 0, name: name.into(), load: 0x3000_8000, entry: 0x3000_8000, time: 100 }
    }

    /// What `mkimage` 2023.01 wrote for the files `abcde` and `xyz`, from offset 0x40.
    #[test]
    fn data_is_laid_out_as_mkimage_does() {
        let check = |kind, parts: &[&[u8]], expected: &[u8]| {
            let parts: Vec<_> = parts.iter().map(|part| part.to_vec()).collect();
            let image = build(&spec(kind, "hi"), &parts).unwrap();
            assert_eq!(&image[uimage::HEADER..], expected, "{kind:?}");
        };
        check(Kind::Kernel, &[b"abcde"], b"abcde");
        check(Kind::Script, &[b"abcde"], b"\0\0\0\x05\0\0\0\0abcde");
        check(Kind::Multi, &[b"abcde", b"xyz"], b"\0\0\0\x05\0\0\0\x03\0\0\0\0abcde\0\0\0xyz");
    }

    /// The header `mkimage` 2023.01 wrote for the multi image above.
    #[test]
    fn header_is_byte_for_byte_that_of_mkimage() {
        let image = build(&spec(Kind::Multi, "hi"), &[b"abcde".to_vec(), b"xyz".to_vec()]).unwrap();
        let expected: [u8; 34] = [
            0x27, 0x05, 0x19, 0x56, 0xdd, 0x1a, 0x96, 0xdc, 0, 0, 0, 0x64, 0, 0, 0, 0x17, 0x30, 0, 0x80, 0,
            0x30, 0, 0x80, 0, 0xc8, 0xa4, 0xce, 0x0b, 5, 2, 4, 0, b'h', b'i',
        ];
        assert_eq!(image[..34], expected);
        assert_eq!(image[34..64], [0; 30]);
    }

    #[test]
    fn refuses_what_a_header_cannot_say() {
        let check = |name: &str, part: &[u8], expected: &str| {
            let error = build(&spec(Kind::Kernel, name), &[part.to_vec()]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("ok", b"", "part 1 of the image is empty");
        check(&"n".repeat(33), b"x", "the name is too long");
        assert!(build(&spec(Kind::Kernel, &"n".repeat(32)), &[b"x".to_vec()]).is_ok());
    }

    #[test]
    fn verifies_what_it_built() {
        let good = build(&spec(Kind::Kernel, "k"), &[b"payload".to_vec()]).unwrap();
        assert_eq!(verified(&good).unwrap().1, b"payload");
        let check = |at: usize, expected: &str| {
            let mut torn = good.clone();
            torn[at] ^= 0x10;
            let error = verified(&torn).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(0, "not a uImage");
        check(12, "the header CRC is wrong");
        check(64, "the data CRC is wrong");
        assert!(verified(&good[..70]).unwrap_err().to_string().contains("cut short"));
    }
}
