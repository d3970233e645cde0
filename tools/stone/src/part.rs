//! The NAND chips that images are made for.

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
}

/// The organisation all parts have in common but for the number of blocks
/// (hardware Hamming code and OOB layout depend on it).
pub const LARGE_PAGE: Geometry = Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks: 2048 };

/// Part number and organisation: Samsung's data sheets of the parts.
pub const PARTS: [(&str, Geometry); 3] = [
    ("K5D2G13ACM", Geometry { blocks: 2048, ..LARGE_PAGE }),
    ("K9F1G08U0B", Geometry { blocks: 1024, ..LARGE_PAGE }),
    ("K9F2G08U0B", Geometry { blocks: 2048, ..LARGE_PAGE }),
];

/// The organisation of the part with this number.
#[must_use]
pub fn geometry(name: &str) -> Option<Geometry> {
    PARTS.iter().find(|(part, _)| *part == name).map(|&(_, geometry)| geometry)
}

/// The part numbers, for messages.
#[must_use]
pub fn names() -> String {
    PARTS.map(|(name, _)| name).join(", ")
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
        assert_eq!(geometry("K9F1208U0C"), None);
    }
}
