//! Why an image cannot be used, in words: what, where, what to do.

use super::fit::FitError;
use super::gzip::GzipError;
use super::lz4::Lz4Error;
use super::uimage::{self, HeaderError};
use super::zimage::ZImageError;
use crate::fdt::FdtError;
use core::fmt;

/// A part of what is booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The kernel as it was loaded.
    Kernel,
    /// The initial ramdisk.
    Initrd,
    /// The device tree.
    Fdt,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Initrd => "ramdisk",
            Self::Fdt => "device tree",
        })
    }
}

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
    /// It is where the loader is.
    InLoader {
        /// What.
        part: Part,
        /// Its address.
        address: u32,
        /// Its bytes.
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
    /// more than a kernel, a ramdisk and a device tree.
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
    /// There is no room that the kernel leaves alone while it starts.
    NoRoom {
        /// For what.
        part: Part,
        /// Its bytes.
        len: u32,
    },
    /// Decompression failed.
    Gzip(GzipError),
    /// Decompression failed.
    Lz4(Lz4Error),
    /// The entry point lies outside of the kernel, or is not a multiple of four.
    Entry {
        /// The entry point.
        entry: u32,
        /// Where the kernel starts.
        start: u32,
        /// Where it ends, exclusive.
        end: u32,
    },
    /// No zImage.
    ZImage(ZImageError),
    /// A zImage that runs only at one address.
    Linked(u32),
    /// What should be a ramdisk: `ih_type`.
    NoRamdisk(u8),
    /// What should be a ramdisk has no header.
    BareRamdisk(u32),
    /// No device tree at this address.
    Fdt {
        /// The address.
        address: u32,
        /// Why not.
        error: FdtError,
    },
    /// A FIT image.
    Fit(FitError),
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const AGAIN: &str = "load or write the image anew";
        match *self {
            Self::NotRam { address, len } => {
                write!(f, "no RAM at {address:08x} for {len:#x} bytes; see 'bdinfo' for where RAM is")
            }
            Self::InLoader { part, address, len } => write!(
                f,
                "the {part} at {address:08x}, {len:#x} bytes, reaches into the loader; \
                 load it below 'relocaddr' of 'bdinfo'"
            ),
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
                write!(f, "Unimplemented compression type {comp}; pack the image with -C none, gzip or lz4")
            }
            Self::Parts => write!(
                f,
                "bad table of parts; a multi-image has a kernel, and may have a ramdisk and a device tree"
            ),
            Self::Unaligned(load) => {
                write!(f, "load address {load:08x} is not a multiple of 4; pack it again")
            }
            Self::Load { start, len } => write!(
                f,
                "load range {start:08x}, {len:#x} bytes, is not in free RAM; \
                 'bdinfo' shows RAM and what of it belongs to the loader"
            ),
            Self::NoRoom { part, len } => write!(
                f,
                "no room for the {part} of {len:#x} bytes that the kernel leaves alone while it starts; \
                 load the parts further apart, or use smaller ones"
            ),
            Self::Gzip(error) => write!(f, "GUNZIP: {error}; {AGAIN}"),
            Self::Lz4(error) => write!(f, "LZ4: {error}; {AGAIN}"),
            Self::Entry { entry, start, end } => {
                write!(
                    f,
                    "entry point {entry:08x} is not in the kernel, {start:08x} to {end:08x}; pack it again"
                )
            }
            Self::ZImage(error) => write!(f, "{error}; {AGAIN}"),
            Self::Linked(start) => {
                write!(
                    f,
                    "this zImage runs only at {start:08x}; load it there, or build it without ZBOOT_ROM"
                )
            }
            Self::NoRamdisk(kind) => {
                write!(f, "Wrong Ramdisk Image Format: type {kind:#x}; pack it with -T ramdisk")
            }
            Self::BareRamdisk(address) => {
                write!(f, "there is no uImage at {address:08x}; for a ramdisk without header give ADDR:SIZE")
            }
            Self::Fdt { address, error } => {
                write!(f, "no device tree at {address:08x}: {error}; load a DTB there")
            }
            Self::Fit(error) => write!(f, "{error}"),
        }
    }
}

impl From<FitError> for ImageError {
    fn from(error: FitError) -> Self {
        Self::Fit(error)
    }
}

impl From<HeaderError> for ImageError {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

impl From<ZImageError> for ImageError {
    fn from(error: ZImageError) -> Self {
        Self::ZImage(error)
    }
}
