//! The flashes that are booted.

use super::Options;
use super::case::{Case, Ecc, Naive, Reader, Transfer};
use crate::chip::Chip;
use crate::layout::{Layout, Placed};
use crate::part::Geometry;
use crate::payload;
use crate::recipe::Source;
use crate::{Error, Result};
use boot::crc::crc32;
use boot::nand::ecc;
use sim::NandImage;

/// Where the readers of others' find their pages.
const DATA: &str = "kernel-b";

/// A flash, and the CRC of the data that readers of others' shall find.
pub struct Flash {
    pub image: NandImage,
    pub data_crc: u32,
}

/// The flash for a case.
pub fn of(case: &Case, options: &Options) -> Result<Flash> {
    match case.reader {
        Reader::Stage1 => boot(case, options),
        Reader::Naive(naive) => data(case, &naive, options),
    }
}

/// The board's own, with the part's size.
fn boot(case: &Case, options: &Options) -> Result<Flash> {
    let source = source(case, options, &[])?;
    let layout = Layout::new(&source)?;
    let mut chip = Chip::new(layout.geometry, [].into())?;
    payload::fill(&mut chip, &source, &layout, &[])?;
    Ok(Flash { image: NandImage::from_bytes(raw(&chip)?), data_crc: 0 })
}

/// One with the readers as its kernel, and data for them where the second kernel would be.
fn data(case: &Case, naive: &Naive, options: &Options) -> Result<Flash> {
    let readers = format!("kernel.file=target/{}/readers.bin", case.machine.board);
    let mut source = source(case, options, &[readers])?;
    let layout = Layout::new(&source)?;
    let geometry = layout.geometry;
    let place = layout
        .partitions
        .iter()
        .find(|partition| partition.name == DATA)
        .ok_or_else(|| Error::new(format!("the recipe has no partition `{DATA}`")).file(&source.path))?;
    let place = Placed { ecc: codes(naive.ecc, &geometry)?, ..place.clone() };
    let first = place.blocks.start * geometry.pages_per_block;
    source.recipe.kernel.cmdline = command_line(case, naive, first, options.pages)?;

    let mut chip = Chip::new(geometry, [].into())?;
    payload::fill(&mut chip, &source, &layout, &[])?;
    let data = pattern(options.pages as usize * geometry.page);
    chip.place(&place, &data)?;
    Ok(Flash { image: NandImage::from_bytes(raw(&chip)?), data_crc: crc32(&data) })
}

/// Where and how the codes are that a reader expects.
fn codes(ecc: Ecc, geometry: &Geometry) -> Result<&'static ecc::Layout> {
    let software = if geometry.page > 512 { "sw-hamming" } else { "sw-hamming-small" };
    match ecc {
        Ecc::Hardware => Ok(geometry.ecc()),
        Ecc::Software => ecc::Layout::find(software)
            .ok_or_else(|| Error::new(format!("the ECC layout `{software}` is unknown"))),
    }
}

fn source(case: &Case, options: &Options, settings: &[String]) -> Result<Source> {
    let path = options.root.join(format!("images/{}.toml", case.machine.board));
    let stage1 = format!("stage1.file=target/{}/stage1.bin", case.machine.build);
    let mut source = Source::open(&path, &[&[stage1], settings].concat())?;
    *source.recipe.part.get_mut() = case.machine.part.into();
    Ok(source)
}

fn raw(chip: &Chip) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    chip.write(&mut raw, true).map_err(|e| Error::new(format!("cannot make the image: {e}")))?;
    Ok(raw)
}

/// See `images/readers/src/request.rs`.
fn command_line(case: &Case, naive: &Naive, first: u32, pages: u32) -> Result<String> {
    let transfer = match naive.transfer {
        Transfer::Bytes => "bytes",
        Transfer::Words => "words",
    };
    let ecc = match naive.ecc {
        Ecc::Software => "software",
        Ecc::Hardware => "hardware",
    };
    let phases = case.bus()?.setting.write;
    Ok(format!(
        "transfer={transfer} ecc={ecc} cycles={}/{}/{} row={} first={first} pages={pages}",
        phases.set_up,
        phases.low,
        phases.high,
        case.machine.row_bytes()?
    ))
}

/// Bytes without a pattern, half of them with odd parity: xorshift32 (Marsaglia 2003).
fn pattern(len: usize) -> Vec<u8> {
    let mut state = 0x2440_2410_u32;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as u8
    };
    (0..len).map(next).collect()
}
