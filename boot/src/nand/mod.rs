//! NAND policy: what to read, what to believe, what to skip.

pub mod bad;
pub mod controller;
pub mod datasheet;
pub mod ecc;
pub mod onfi;
pub mod page;
pub mod part;
pub mod setup;
pub mod sheet;
pub mod slots;
pub mod speed;
pub mod subject;
pub mod timing;
pub mod walk;

use core::fmt;
use platform::hal::Geometry;
use platform::units::Page;

/// Why something could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NandError {
    /// The chip stayed busy longer than the part allows.
    Timeout {
        /// Page being loaded.
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
        }
    }
}

/// Bytes of data in the chip, or `u32::MAX` if there are more.
#[must_use]
pub fn chip_bytes(geometry: &Geometry) -> u32 {
    geometry.page.saturating_mul(geometry.pages_per_block).saturating_mul(geometry.blocks)
}
pub mod read;
