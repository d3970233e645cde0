//! One page: its data and its OOB, as read or corrected.

use super::NandError;
use super::ecc::{self, Verdict};
use platform::hal::{Nand, PAGE_WORDS, STEPS};
use platform::units::Page;

/// Bytes of data in a page. The ECC layout of [`super::ecc`] exists for this size only.
pub const DATA: usize = 2048;
/// Bytes of OOB behind the data.
pub const OOB: usize = 64;

/// Room for a page.
pub struct PageBuffer {
    /// The data.
    pub data: [u8; DATA],
    /// The OOB, never corrected.
    pub oob: [u8; OOB],
}

impl PageBuffer {
    /// An erased page.
    #[must_use]
    pub const fn new() -> Self {
        Self { data: [0xff; DATA], oob: [0xff; OOB] }
    }

    /// Reads `page` as the chip gives it; returns the codes computed on the way.
    ///
    /// # Errors
    /// The geometry is not that of [`DATA`] and [`OOB`], or the chip stays busy.
    pub fn read_raw(&mut self, nand: &mut dyn Nand, page: Page) -> Result<[u32; STEPS], NandError> {
        let geometry = nand.geometry();
        if (geometry.page, geometry.oob) != (DATA as u32, OOB as u32) {
            return Err(NandError::Geometry(geometry));
        }
        nand.begin_read(page);
        nand.wait_ready().map_err(|_| NandError::Timeout { page })?;
        let mut codes = [0; STEPS];
        let mut words = [0; PAGE_WORDS];
        nand.read_page(&mut words, &mut codes);
        store(&words, &mut self.data);
        let mut words = [0; OOB / 4];
        nand.read_raw(&mut words);
        store(&words, &mut self.oob);
        Ok(codes)
    }

    /// Reads `page` and corrects it by its ECC; returns the number of bitflips found.
    ///
    /// # Errors
    /// As [`Self::read_raw`], and [`NandError::Uncorrectable`].
    pub fn read(&mut self, nand: &mut dyn Nand, page: Page) -> Result<u32, NandError> {
        let computed = self.read_raw(nand, page)?;
        let mut flips = 0;
        let (stored, _) = self.oob[ecc::OOB_OFFSET..].as_chunks::<3>();
        let (steps, _) = self.data.as_chunks_mut::<{ ecc::STEP }>();
        for (number, ((data, stored), computed)) in (0..).zip(steps.iter_mut().zip(stored).zip(computed)) {
            let [a, b, c] = *stored;
            match ecc::judge(u32::from_le_bytes([a, b, c, 0]) ^ computed) {
                Verdict::Clean => continue,
                Verdict::CodeBit => {}
                Verdict::DataBit { byte, bit } => data[usize::from(byte)] ^= 1 << bit,
                Verdict::Uncorrectable => return Err(NandError::Uncorrectable { page, step: number }),
            }
            flips += 1;
        }
        Ok(flips)
    }
}

impl Default for PageBuffer {
    fn default() -> Self {
        Self::new()
    }
}

/// The controller delivers words whose lowest byte was first on the bus.
fn store(words: &[u32], bytes: &mut [u8]) {
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockNand;

    #[test]
    fn reads_data_and_oob() {
        let mut nand = MockNand::new(4);
        let data: [u8; DATA] = core::array::from_fn(|i| (i * 7) as u8);
        nand.write(3, &data);
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(3)), Ok(0));
        assert_eq!(buffer.data, data);
        assert_eq!(buffer.oob[..2], [0xff, 0xff]);
    }

    #[test]
    fn corrects_a_bit_in_every_step_and_refuses_two() {
        let mut nand = MockNand::new(4);
        let data = [0x5a; DATA];
        nand.write(0, &data);
        for step in 0..STEPS {
            nand.flip(0, step * ecc::STEP + 11 * step, 3);
        }
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(0)), Ok(8));
        assert_eq!(buffer.data, data);
        nand.flip(0, 5 * ecc::STEP + 200, 0);
        let expected = NandError::Uncorrectable { page: Page(0), step: 5 };
        assert_eq!(buffer.read(&mut nand, Page(0)), Err(expected));
    }

    #[test]
    fn a_flip_in_the_code_is_counted_and_harmless() {
        let mut nand = MockNand::new(4);
        nand.write(0, &[0x12; DATA]);
        nand.flip(0, DATA + ecc::OOB_OFFSET + 4, 6);
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(0)), Ok(1));
        assert_eq!(buffer.data, [0x12; DATA]);
    }

    #[test]
    fn erased_pages_are_clean() {
        let mut buffer = PageBuffer { data: [0; DATA], oob: [0; OOB] };
        assert_eq!(buffer.read(&mut MockNand::new(1), Page(9)), Ok(0));
        assert_eq!((buffer.data, buffer.oob), ([0xff; DATA], [0xff; OOB]));
    }

    #[test]
    fn reports_a_busy_chip_and_a_foreign_geometry() {
        let mut nand = MockNand::new(1);
        nand.stuck = true;
        let mut buffer = PageBuffer::new();
        assert_eq!(buffer.read(&mut nand, Page(1)), Err(NandError::Timeout { page: Page(1) }));
        nand.geometry.page = 512;
        assert_eq!(buffer.read(&mut nand, Page(1)), Err(NandError::Geometry(nand.geometry)));
    }
}
