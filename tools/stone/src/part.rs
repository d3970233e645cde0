//! The NAND chips that images are made for: those of the boot library's table.

use crate::{Error, Result};
use boot::nand::ecc::{Layout, S3C24XX_HW};
use boot::nand::part::{self, PARTS};

/// The organisation of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of data in a page.
    pub page: usize,
    /// Bytes of OOB behind them.
    pub oob: usize,
    /// Pages in an erase block.
    pub pages_per_block: u32,
    /// Erase blocks in the chip.
    pub blocks: u32,
}

impl Geometry {
    /// Bytes of a page in a raw image: data, then OOB.
    #[must_use]
    pub const fn raw_page(&self) -> usize {
        self.page + self.oob
    }

    /// Bytes of an erase block in a raw image.
    #[must_use]
    pub const fn raw_block(&self) -> usize {
        self.raw_page() * self.pages_per_block as usize
    }

    /// Bytes of data in an erase block.
    #[must_use]
    pub const fn block(&self) -> usize {
        self.page * self.pages_per_block as usize
    }

    /// The ECC layout that the loader reads on such pages.
    #[must_use]
    pub fn ecc(&self) -> &'static Layout {
        Layout::native(self.page, self.oob).unwrap_or(S3C24XX_HW)
    }
}

/// The organisation that all parts with large pages have in common but for the number of blocks.
pub const LARGE_PAGE: Geometry = Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks: 2048 };

/// The organisation of parts with small pages.
pub const SMALL_PAGE: Geometry = Geometry { page: 512, oob: 16, pages_per_block: 32, blocks: 4096 };

impl From<platform::hal::Geometry> for Geometry {
    fn from(geometry: platform::hal::Geometry) -> Self {
        let platform::hal::Geometry { page, oob, pages_per_block, blocks } = geometry;
        Self { page: page as usize, oob: oob as usize, pages_per_block, blocks }
    }
}

impl From<Geometry> for platform::hal::Geometry {
    fn from(geometry: Geometry) -> Self {
        let Geometry { page, oob, pages_per_block, blocks } = geometry;
        // Pages are small.
        Self { page: page as u32, oob: oob as u32, pages_per_block, blocks }
    }
}

/// The organisation of the part with this number.
#[must_use]
pub fn geometry(name: &str) -> Option<Geometry> {
    part::find(name).map(|part| part.geometry.into())
}

/// The same, or an error that lists the parts there are.
///
/// # Errors
/// There is no such part.
pub fn known(name: &str) -> Result<Geometry> {
    geometry(name).ok_or_else(|| Error::new(format!("the NAND part `{name}` is unknown")).expected(names()))
}

/// The part numbers, for messages.
#[must_use]
pub fn names() -> String {
    let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_on_the_package() {
        let check = |name, mebibytes: usize| {
            let part = geometry(name).unwrap();
            assert_eq!(part.block() * part.blocks as usize, mebibytes << 20, "{name}");
        };
        check("K5D2G13ACM", 256);
        check("K9F1G08U0B", 128);
        check("K9F2G08U0B", 256);
        assert_eq!(LARGE_PAGE.raw_block(), 135_168);
        check("K9F1208U0C", 64);
        assert_eq!(SMALL_PAGE.raw_block(), 16_896);
        assert_eq!(geometry("K9F5608U0D"), None);
    }

    #[test]
    fn each_organisation_has_a_layout_of_its_own() {
        for part in PARTS {
            let geometry = Geometry::from(part.geometry);
            let layout = geometry.ecc();
            assert_eq!((layout.page, layout.oob), (geometry.page, geometry.oob), "{}", part.name);
        }
    }
}
