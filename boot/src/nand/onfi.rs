//! The parameter page of ONFI chips (READ PARAMETER PAGE, ECh): what a chip says of itself.
//! ONFI 1.0, section 5.4.

use super::NandError;
use super::datasheet::Timing;
use super::part::ONFI;
use core::fmt;
use platform::hal::{Geometry, Nand};
use platform::units::Ns;

/// Bytes of a copy.
pub const LEN: usize = 256;
/// Copies that every chip has at least.
pub const COPIES: usize = 3;

/// What a chip says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onfi {
    /// Its number, padded with spaces.
    pub model: [u8; 20],
    /// Its organisation; the blocks of all its LUNs.
    pub geometry: Geometry,
    /// The fastest of its timing modes, with its own tR, tPROG and tBERS.
    pub timing: Timing,
    /// The number of that mode.
    pub mode: u8,
    /// Address cycles of a column.
    pub column_cycles: u8,
    /// Address cycles of a row.
    pub row_cycles: u8,
    /// Bits that must be corrected in 512 bytes; 255 means that an extended page tells.
    pub ecc_bits: u8,
    /// The chip knows READ CACHE (31h, 3Fh).
    pub read_cache: bool,
    /// Data lines are 16, not 8.
    pub wide: bool,
    /// Where this was read.
    pub source: Source,
}

/// Where the parameters were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The first copy without damage, counted from 0.
    Copy(usize),
    /// All copies are damaged; each bit is what most of them say, and the CRC is right.
    Majority,
}

/// Why there are no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnfiError {
    /// No copy starts with "ONFI".
    NotOnfi,
    /// No copy has a right CRC, nor has what most of them say.
    Damaged,
    /// The CRC is right, but a field makes no sense.
    Field {
        /// Where it is in the page.
        offset: usize,
    },
}

impl Onfi {
    /// Asks the chip; [`None`] if it is no ONFI chip.
    ///
    /// # Errors
    /// [`NandError::Parameters`] when the chip stays busy.
    pub fn read(nand: &mut dyn Nand) -> Result<Option<Result<Self, OnfiError>>, NandError> {
        let mut words = [0; COPIES * LEN / 4];
        if !nand.read_parameters(&mut words).map_err(|_| NandError::Parameters)? {
            return Ok(None);
        }
        let (copies, _) = bytemuck::cast_slice(&words).as_chunks();
        Ok(Some(Self::parse(copies)))
    }

    /// Reads the parameters from all copies there are.
    ///
    /// # Errors
    /// [`OnfiError`].
    pub fn parse(copies: &[[u8; LEN]]) -> Result<Self, OnfiError> {
        let named = |copy: &[u8; LEN]| copy.starts_with(b"ONFI");
        if let Some(good) = copies.iter().position(|copy| named(copy) && is_intact(copy)) {
            return Self::decode(&copies[good], Source::Copy(good));
        }
        let Some([a, b, c]) = copies.first_chunk::<COPIES>() else {
            return Err(if copies.iter().any(named) { OnfiError::Damaged } else { OnfiError::NotOnfi });
        };
        let mut most = [0; LEN];
        for (i, byte) in most.iter_mut().enumerate() {
            *byte = a[i] & b[i] | b[i] & c[i] | c[i] & a[i];
        }
        if !named(&most) {
            return Err(OnfiError::NotOnfi);
        }
        if !is_intact(&most) {
            return Err(OnfiError::Damaged);
        }
        Self::decode(&most, Source::Majority)
    }

    fn decode(copy: &[u8; LEN], source: Source) -> Result<Self, OnfiError> {
        let u16_at = |at: usize| u16::from_le_bytes([copy[at], copy[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes([copy[at], copy[at + 1], copy[at + 2], copy[at + 3]]);
        let sane =
            |offset, value: u32, good: bool| if good { Ok(value) } else { Err(OnfiError::Field { offset }) };

        let page = u32_at(80);
        let page = sane(80, page, page.is_power_of_two() && (512..=16384).contains(&page))?;
        let pages_per_block = sane(92, u32_at(92), (1..=4096).contains(&u32_at(92)))?;
        let blocks = u32_at(96).checked_mul(copy[100].into()).unwrap_or(0);
        // The chip's pages must have numbers of 32 bits.
        let blocks = sane(96, blocks, blocks != 0 && blocks.checked_mul(pages_per_block).is_some())?;
        // Bit n: mode n; bit 0 is always set.
        let modes = u16_at(129) & 0x3f;
        sane(129, modes.into(), modes & 1 != 0)?;
        let mode = modes.ilog2() as u8;
        // In microseconds.
        let time = |at| Ok(Ns(1000 * sane(at, u16_at(at).into(), u16_at(at) != 0)?));
        let (t_prog_max, t_bers_max, t_r_max) = (time(133)?, time(135)?, time(137)?);
        let mut model = [0; 20];
        model.copy_from_slice(&copy[44..64]);
        Ok(Self {
            model,
            geometry: Geometry { page, oob: u16_at(84).into(), pages_per_block, blocks },
            timing: Timing { t_r_max, t_prog_max, t_bers_max, ..ONFI[usize::from(mode)] },
            mode,
            column_cycles: copy[101] >> 4,
            row_cycles: copy[101] & 15,
            ecc_bits: copy[112],
            read_cache: u16_at(8) & 1 << 1 != 0,
            wide: u16_at(6) & 1 != 0,
            source,
        })
    }
}

impl fmt::Display for Onfi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, timing, ecc_bits, .. } = self;
        let model = core::str::from_utf8(&self.model).unwrap_or("(name unreadable)").trim_end();
        write!(f, "{model}, timing mode {mode}, tR {} us, ", timing.t_r_max.0 / 1000)?;
        match *ecc_bits {
            u8::MAX => write!(f, "ECC in an extended page")?,
            bits => write!(f, "ECC of {bits} bits in 512 bytes")?,
        }
        write!(f, "{}", if self.read_cache { ", READ CACHE" } else { "" })
    }
}

impl fmt::Display for OnfiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOnfi => write!(f, "no copy starts with ONFI"),
            Self::Damaged => write!(f, "all copies are damaged (CRC)"),
            Self::Field { offset } => write!(f, "the field at byte {offset} makes no sense"),
        }
    }
}

/// Whether the CRC-16 in the last two bytes is that of the others.
fn is_intact(copy: &[u8; LEN]) -> bool {
    let (body, stored) = copy.split_at(LEN - 2);
    crc16(body).to_le_bytes() == stored
}

/// ONFI's CRC-16: polynomial 0x8005, most significant bit first, from 0x4F4E.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0x4f4e, |crc, &byte| {
        (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| (crc << 1) ^ ((crc >> 15) * 0x8005))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Micron MT29F2G08ABBEAHC's page, from its data sheet, with the CRC printed there.
    pub(crate) fn micron() -> [u8; LEN] {
        let mut page = [0; LEN];
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"ONFI\x02\x00\x00\x00\x3f\x00");
        put(32, b"MICRON      MT29F2G08ABBEAHC    \x2c");
        put(80, &[0x00, 0x08, 0, 0, 0x40, 0, 0, 0x02, 0, 0, 0x10, 0, 0x40, 0, 0, 0, 0, 0x08, 0, 0, 1, 0x23]);
        put(102, &[0x01, 0x28, 0x00, 0x01, 0x05, 0x01, 0, 0, 0x04, 0x00, 0x04, 0x01, 0x0e]);
        put(128, &[0x0a, 0x1f, 0x00, 0x1f, 0x00, 0x58, 0x02, 0xb8, 0x0b, 0x19, 0x00, 0x64]);
        put(164, &[0x01, 0x00, 0x01, 0x00, 0x00, 0x02, 0x04, 0x80, 0x01, 0x81, 0x04, 0x01, 0x02, 0x01, 0x0a]);
        put(254, &[0x57, 0x1e]);
        page
    }

    fn with(at: usize, bytes: &[u8]) -> [u8; LEN] {
        let mut page = micron();
        page[at..at + bytes.len()].copy_from_slice(bytes);
        let crc = crc16(&page[..LEN - 2]);
        page[LEN - 2..].copy_from_slice(&crc.to_le_bytes());
        page
    }

    #[test]
    fn reads_a_real_page() {
        let chip = Onfi::parse(&[micron(); 3]).unwrap();
        assert_eq!(&chip.model, b"MT29F2G08ABBEAHC    ");
        assert_eq!(chip.geometry, Geometry { page: 2048, oob: 64, pages_per_block: 64, blocks: 2048 });
        // Modes 0 to 4.
        let own =
            Timing { t_r_max: Ns(25_000), t_prog_max: Ns(600_000), t_bers_max: Ns(3_000_000), ..ONFI[4] };
        assert_eq!((chip.mode, chip.timing), (4, own));
        assert_eq!((chip.column_cycles, chip.row_cycles, chip.ecc_bits), (2, 3, 4));
        assert!(chip.read_cache && !chip.wide);
        assert_eq!(chip.source, Source::Copy(0));
    }

    #[test]
    fn every_flipped_bit_is_noticed_and_another_copy_serves() {
        for bit in 0..LEN * 8 {
            let mut copies = [micron(); 3];
            copies[0][bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Onfi::parse(&copies).unwrap().source, Source::Copy(1), "bit {bit}");
        }
    }

    #[test]
    fn damaged_copies_make_a_whole_one() {
        let mut copies = [micron(); 3];
        for (i, copy) in copies.iter_mut().enumerate() {
            copy[80 + i] ^= 0xff;
        }
        copies[0][0] = b'X';
        let chip = Onfi::parse(&copies).unwrap();
        assert_eq!((chip.source, chip.geometry.page), (Source::Majority, 2048));
        // Twice the same damage outvotes what is right.
        copies[0][81] ^= 0xff;
        assert_eq!(Onfi::parse(&copies), Err(OnfiError::Damaged));
        assert_eq!(Onfi::parse(&copies[..2]), Err(OnfiError::Damaged));
    }

    #[test]
    fn other_chips_have_no_page() {
        let blank = [[0xff; LEN]; 3];
        assert_eq!(Onfi::parse(&blank), Err(OnfiError::NotOnfi));
        assert_eq!(Onfi::parse(&blank[..1]), Err(OnfiError::NotOnfi));
        assert_eq!(Onfi::parse(&[]), Err(OnfiError::NotOnfi));
    }

    #[test]
    fn nonsense_with_a_right_crc_is_refused() {
        let check = |at, bytes: &[u8], offset| {
            assert_eq!(Onfi::parse(&[with(at, bytes)]), Err(OnfiError::Field { offset }), "{at}");
        };
        check(80, &[0, 0, 0, 0], 80);
        check(80, &[0, 12, 0, 0], 80);
        check(80, &[0, 0, 1, 0], 80);
        check(92, &[0, 0, 0, 0], 92);
        check(96, &[0, 0, 0, 0], 96);
        check(96, &[0, 0, 0, 0x80, 2], 96);
        check(96, &[0, 0, 0, 0x40, 1], 96);
        check(129, &[0x1e, 0], 129);
        check(133, &[0, 0], 133);
        check(135, &[0, 0], 135);
        check(137, &[0, 0], 137);
        // Unknown modes are no reason to refuse a chip.
        assert_eq!(Onfi::parse(&[with(129, &[0xff, 0xff])]).unwrap().mode, 5);
    }
}
