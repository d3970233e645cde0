//! Where the ECC codes of a page are, by who writes them.

use super::codec::{Bits, CODE_MAX, Codec};
use super::halves::{self, Halves};
use super::hamming::Hamming;
use super::stats::{STEPS_MAX, Stats, Step};
use arrayvec::ArrayVec;
use core::fmt;
use platform::hal::Format;

/// The ECC of a page.
pub struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Who writes it.
    pub writer: &'static str,
    /// Bytes of data in a page.
    pub page: usize,
    /// Bytes of OOB behind them.
    pub oob: usize,
    /// The code.
    pub codec: &'static dyn Codec,
    /// OOB offsets of the code bytes, step by step.
    pub positions: &'static [u8],
    /// OOB offset of the byte that marks a bad block.
    pub bad_mark: u8,
}

/// The layout that the loader itself reads and writes.
pub const S3C24XX_HW: &Layout = &LAYOUTS[0];

/// All layouts known, for each size of pages those of the S3C24x0 drivers first. Sources: Linux 6.1, drivers/mtd/nand/ecc.c and raw/s3c2410.c; Openmoko's
/// U-Boot; board support packages derived from Windows CE's.
pub static LAYOUTS: [Layout; 9] = [
    large("s3c24xx-hw", "S3C24x0 hardware ECC of Linux and U-Boot", &Hamming::S3C24XX_256, &TOP),
    large("sw-hamming", "software ECC of Linux and U-Boot", &Hamming::LINUX, &TOP),
    large("sw-hamming-smc", "software ECC of Linux in SmartMedia order", &Hamming::LINUX_SMC, &TOP),
    // Their OOB 24 to 27 hold a code of the OOB itself. It is neither checked nor written: in
    // which polarity the spare unit computes it has not been seen on hardware.
    large("s3c2440-wince", "S3C2440 hardware ECC of Windows CE", &Hamming::S3C2440_512, &run::<16>(8)),
    new(
        Layout {
            name: "atmel-hw",
            writer: "hardware ECC of the old atmel_nand drivers of Linux and U-Boot",
            page: halves::STEP,
            oob: 64,
            codec: &Halves,
            positions: &run::<4>(60),
            bad_mark: 0,
        },
        halves::STEP,
        4,
    ),
    small("s3c24xx-hw-small", "S3C24x0 hardware ECC of Linux and U-Boot", &Hamming::S3C24XX_512, &[0, 1, 2]),
    small("sw-hamming-small", "software ECC of Linux and U-Boot", &Hamming::LINUX, &SPLIT),
    small("sw-hamming-smc-small", "software ECC of Linux in SmartMedia order", &Hamming::LINUX_SMC, &SPLIT),
    small("s3c2440-wince-small", "S3C2440 hardware ECC of Windows CE", &Hamming::S3C2440_512, &run::<4>(8)),
];

/// The end of the OOB of a large page.
const TOP: [u8; 24] = run(40);
/// Around the bad mark of a small page, OOB byte 5.
const SPLIT: [u8; 6] = [0, 1, 2, 3, 6, 7];

/// Positions in a row.
const fn run<const N: usize>(first: u8) -> [u8; N] {
    let mut positions = [0; N];
    let mut i = 0;
    while i < N {
        positions[i] = first + i as u8;
        i += 1;
    }
    positions
}

const fn large(
    name: &'static str,
    writer: &'static str,
    code: &'static Hamming,
    positions: &'static [u8],
) -> Layout {
    new(
        Layout { name, writer, page: 2048, oob: 64, codec: code, positions, bad_mark: 0 },
        code.step,
        code.bytes,
    )
}

const fn small(
    name: &'static str,
    writer: &'static str,
    code: &'static Hamming,
    positions: &'static [u8],
) -> Layout {
    new(
        Layout { name, writer, page: 512, oob: 16, codec: code, positions, bad_mark: 5 },
        code.step,
        code.bytes,
    )
}

/// Refuses to compile a layout in which something does not fit.
const fn new(layout: Layout, step: usize, code: usize) -> Layout {
    let steps = layout.page / step;
    assert!(steps * step == layout.page && steps <= STEPS_MAX && code <= CODE_MAX);
    assert!(layout.positions.len() == steps * code);
    let mut i = 0;
    while i < layout.positions.len() {
        let position = layout.positions[i];
        assert!((position as usize) < layout.oob && position != layout.bad_mark);
        assert!(i == 0 || position > layout.positions[i - 1]);
        i += 1;
    }
    layout
}

impl Layout {
    /// The layout of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.name == name)
    }

    /// The layouts of pages of this size.
    pub fn of_pages(page: usize, oob: usize) -> impl Iterator<Item = &'static Self> {
        LAYOUTS.iter().filter(move |layout| (layout.page, layout.oob) == (page, oob))
    }

    /// That which a controller reads whose pages lie like this.
    #[must_use]
    pub fn of_format(format: &Format) -> Option<&'static Self> {
        let oob = |column: u32| column.checked_sub(format.bytes());
        LAYOUTS.iter().find(|layout| {
            layout.page == 4 * format.words
                && layout.steps() == format.steps
                && layout.codec.bytes() == format.code.bytes()
                && oob(format.codes) == Some(layout.positions[0].into())
                && oob(format.mark) == Some(layout.bad_mark.into())
        })
    }

    /// That of the controllers most of our boards have, of pages of this size.
    #[must_use]
    pub fn native(page: usize, oob: usize) -> Option<&'static Self> {
        // The first in the table.
        Self::of_pages(page, oob).next()
    }

    /// ECC steps in a page.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.page / self.codec.step()
    }

    /// Writes the codes of a page into its OOB.
    pub fn encode(&self, data: &[u8], oob: &mut [u8]) {
        for (step, data) in data.chunks_exact(self.codec.step()).enumerate() {
            let mut code = [0; CODE_MAX];
            self.codec.encode(data, &mut code[..self.codec.bytes()]);
            for (position, byte) in self.positions_of(step).iter().zip(code) {
                oob[usize::from(*position)] = byte;
            }
        }
    }

    /// What the codes say of a page.
    #[must_use]
    pub fn check(&self, data: &[u8], oob: &[u8]) -> Stats {
        let steps = data.chunks_exact(self.codec.step()).enumerate();
        Stats { steps: steps.map(|(number, data)| self.examine(number, data, oob).0).collect() }
    }

    /// The same, and corrects what can be corrected, codes included.
    pub fn correct(&self, data: &mut [u8], oob: &mut [u8]) -> Stats {
        let mut stats = Stats::default();
        for (number, data) in data.chunks_exact_mut(self.codec.step()).enumerate() {
            let (step, flipped) = self.examine(number, data, oob);
            stats.steps.push(step);
            for bit in flipped {
                let byte = match bit / 8 {
                    byte if byte < data.len() => &mut data[byte],
                    byte => &mut oob[usize::from(self.positions_of(number)[byte - self.codec.step()])],
                };
                *byte ^= 1 << (bit % 8);
            }
        }
        stats
    }

    /// The stored code of a step.
    #[must_use]
    pub fn code(&self, number: usize, oob: &[u8]) -> ArrayVec<u8, CODE_MAX> {
        self.positions_of(number).iter().map(|position| oob[usize::from(*position)]).collect()
    }

    /// What a step is, and which of its bits are flipped.
    fn examine(&self, number: usize, data: &[u8], oob: &[u8]) -> (Step, Bits) {
        let code = &self.code(number, oob);
        let erased = self.codec.erased(data, code);
        let is_erased = erased.is_some();
        let Ok(flipped) = erased.map_or_else(|| self.codec.locate(data, code), Ok) else {
            return (Step::Uncorrectable, Bits::new());
        };
        let in_data = flipped.iter().filter(|bit| **bit < 8 * data.len()).count();
        let (data, code) = (in_data as u8, (flipped.len() - in_data) as u8);
        let step = if is_erased { Step::Erased { data, code } } else { Step::Written { data, code } };
        (step, flipped)
    }

    fn positions_of(&self, step: usize) -> &[u8] {
        let bytes = self.codec.bytes();
        &self.positions[step * bytes..][..bytes]
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Layout").field(&self.name).finish()
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Layout {}
