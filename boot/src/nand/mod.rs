//! NAND policy: what to read, what to believe, what to skip.

pub mod bad;
pub mod controller;
pub mod datasheet;
pub mod ecc;
pub mod erase;
pub mod flash;
pub mod guard;
pub mod onfi;
pub mod page;
pub mod part;
pub mod partitions;
pub mod program;
pub mod raw;
pub mod setup;
pub mod sheet;
pub mod slots;
pub mod speed;
pub mod subject;
pub mod timing;
pub mod walk;
pub mod write;

use core::fmt;
use platform::hal::Geometry;
use platform::units::{EraseBlock, Page};

/// Why something could not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NandError {
    /// The chip stayed busy longer than the part allows.
    Timeout {
        /// Page being loaded or programmed, or the first of a block being erased.
        page: Page,
    },
    /// The chip stayed busy after a reset.
    Reset,
    /// The chip stayed busy when it was asked for its ONFI parameters.
    Parameters,
    /// An ECC step holds more bitflips than the code corrects.
    Uncorrectable {
        /// Page read.
        page: Page,
        /// Number of the step in the page.
        step: u8,
    },
    /// The range was used up before everything was read.
    End {
        /// Byte offset of its end.
        offset: u32,
    },
    /// Pages of a size for which there is no ECC layout.
    Geometry(Geometry),
    /// The driver of this controller does not write.
    ReadOnly,
    /// The chip's nWP is low.
    Protected,
    /// The controller's lock forbids it.
    Locked {
        /// The page, or the first of the block.
        page: Page,
    },
    /// The chip says that programming a page has failed.
    ProgramFailed {
        /// The page.
        page: Page,
    },
    /// The chip says that erasing a block has failed.
    EraseFailed {
        /// Its first page.
        page: Page,
    },
    /// A page that is to be programmed, or one behind it in its block, is not erased.
    NotErased {
        /// The page.
        page: Page,
    },
    /// A page was programmed without complaint and reads otherwise.
    Differs {
        /// The page.
        page: Page,
        /// The first byte that is another one.
        byte: u32,
    },
    /// Block after block has failed.
    Failures {
        /// The last one, which is not marked bad.
        last: EraseBlock,
    },
    /// A block cannot even be marked bad.
    NotMarked {
        /// The block.
        block: EraseBlock,
    },
    /// An offset that is not that of a page or of a block.
    Unaligned {
        /// The offset.
        offset: u32,
        /// Bytes of what it should be a multiple of.
        unit: u32,
    },
    /// Broken off by whoever waited for it.
    Interrupted,
}

impl fmt::Display for NandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout { page } => {
                write!(
                    f,
                    "the NAND chip stays busy on page {:#x}; try 'reset', then check its R/nB line",
                    page.0
                )
            }
            Self::Reset => write!(f, "the NAND chip stays busy after a reset; check its R/nB line"),
            Self::Parameters => {
                write!(f, "the NAND chip stays busy instead of telling its ONFI parameters; try 'reset'")
            }
            Self::Uncorrectable { page, step } => write!(
                f,
                "page {:#x} has more bitflips in ECC step {step} than ECC can correct; \
                 look with 'nand dump', use another copy or write it anew",
                page.0
            ),
            Self::End { offset } => {
                write!(f, "the range ends at {offset:#010x} and too few of its blocks are good; read less")
            }
            Self::Geometry(geometry) => {
                write!(f, "no ECC layout is known for pages of {}+{} bytes", geometry.page, geometry.oob)
            }
            Self::ReadOnly => write!(f, "the NAND driver of this board only reads"),
            Self::Protected => write!(f, "the NAND chip is write-protected: its nWP pin is low"),
            Self::Locked { page } => {
                write!(f, "the NAND controller is locked for page {:#x}; 'reset' opens it", page.0)
            }
            Self::ProgramFailed { page } => write!(
                f,
                "page {:#x} could not be programmed; 'nand markbad' its block and write elsewhere",
                page.0
            ),
            Self::EraseFailed { page } => {
                write!(f, "the block of page {:#x} could not be erased; 'nand markbad' it", page.0)
            }
            Self::NotErased { page } => {
                write!(f, "page {:#x} is not erased; 'nand erase' its block first", page.0)
            }
            Self::Differs { page, byte } => write!(
                f,
                "page {:#x} reads otherwise than it was written from byte {byte:#x} on; \
                 write it anew, 'nand markbad' its block if that does not help",
                page.0
            ),
            Self::Failures { last } => write!(
                f,
                "block {:#x} has failed as well: too many to be worn out; check the supply of the chip",
                last.0
            ),
            Self::NotMarked { block } => {
                write!(f, "block {:#x} could not be marked bad; use another range", block.0)
            }
            Self::Unaligned { offset, unit } => {
                write!(f, "offset {offset:#x} is not a multiple of {unit:#x}")
            }
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}

/// Bytes of data in the chip, or `u32::MAX` if there are more.
#[must_use]
pub fn chip_bytes(geometry: &Geometry) -> u32 {
    geometry.page.saturating_mul(geometry.pages_per_block).saturating_mul(geometry.blocks)
}
pub mod read;
