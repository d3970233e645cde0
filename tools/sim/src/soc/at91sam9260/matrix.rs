//! Bus matrix (MATRIX): AT91SAM9260 data sheet, chapter of that name, with the chip select assignment of
//! the external bus interface (EBI_CSA).

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

/// Masters' and slaves' configurations and the slaves' priorities (recall): they keep what is written.
const STORED: [u32; 16] = [
    0x00, 0x04, 0x08, 0x0c, 0x10, 0x14, // MCFG0 to 5
    0x40, 0x44, 0x48, 0x4c, 0x50, // SCFG0 to 4
    0x80, 0x88, 0x90, 0x98, 0xa0, // PRAS0 to 4
];
/// Remap for instructions and for data (recall).
const MRCR: u32 = 0x100;
const REMAPPED: u32 = 3;
const EBI_CSA: u32 = 0x11c;

// EBI_CSA. Bit 8 switches pull-ups of the data bus off, 16 says that memories have 3.3 V.
const CS1_SDRAM: u32 = 1 << 1;
const CS3_NAND: u32 = 1 << 3;
const EBI_CSA_MASK: u32 = 0x0001_013a;
/// 3.3 V after reset (recall).
const EBI_CSA_RESET: u32 = 0x0001_0000;

/// The block.
#[derive(Clone, Debug)]
pub struct Matrix {
    stored: [u32; STORED.len()],
    ebi_csa: u32,
}

impl Default for Matrix {
    fn default() -> Self {
        Self { stored: [0; STORED.len()], ebi_csa: EBI_CSA_RESET }
    }
}

impl Matrix {
    /// Whether chip select 1 is the SDRAM controller's.
    #[must_use]
    pub fn has_sdram(&self) -> bool {
        self.ebi_csa & CS1_SDRAM != 0
    }

    /// Whether chip select 3 drives the NAND's nRE and nWE.
    #[must_use]
    pub fn has_nand(&self) -> bool {
        self.ebi_csa & CS3_NAND != 0
    }
}

fn stored(offset: u32) -> Option<usize> {
    STORED.iter().position(|&at| at == offset)
}

impl Peripheral for Matrix {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width, stored(offset)) {
            (_, 4, Some(index)) => self.stored[index],
            (MRCR, 4, _) => REMAPPED,
            (EBI_CSA, 4, _) => self.ebi_csa,
            _ => no_such_register("MATRIX", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width, stored(offset)) {
            (_, 4, Some(index)) => self.stored[index] = value,
            (MRCR, 4, _) if value == REMAPPED => {}
            (MRCR, 4, _) => access.violation("remap", "MRCR changes the remap of the boot ROM: not modelled"),
            (EBI_CSA, 4, _) => {
                if value & !EBI_CSA_MASK != 0 {
                    access.violation("register", format!("EBI_CSA = {value:08X}: reserved bits are set"));
                }
                self.ebi_csa = value & EBI_CSA_MASK;
            }
            _ => {
                no_such_register("MATRIX", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    #[test]
    fn chip_selects_are_assigned() {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        let mut matrix = Matrix::default();
        assert!(!matrix.has_sdram() && !matrix.has_nand());
        matrix.write(EBI_CSA, 4, 0x0001_000a, &mut access);
        assert!(matrix.has_sdram() && matrix.has_nand());
        // The slot cycles of slave 3, as at91bootstrap sets them.
        matrix.write(0x4c, 4, 0x40, &mut access);
        assert_eq!((matrix.read(0x4c, 4, &mut access), matrix.read(MRCR, 4, &mut access)), (0x40, 3));
        assert_eq!(access.violations.total(), 0);
        matrix.write(EBI_CSA, 4, 0x8000_0000, &mut access);
        matrix.write(MRCR, 4, 0, &mut access);
        matrix.write(0x54, 4, 0, &mut access);
        assert_eq!(access.violations.total(), 3);
    }
}
