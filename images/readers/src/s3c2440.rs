//! The NAND controller of S3C2440A and S3C2442B: S3C2440A user's manual, chapter 6.

use crate::controller::Controller;
use crate::registers::NAND;
use readers::request::Cycles;

const NFCONF: usize = 0x00;
const NFCONT: usize = 0x04;
const NFCMMD: usize = 0x08;
const NFADDR: usize = 0x0c;
const NFDATA: usize = 0x10;
const NFSTAT: usize = 0x20;
const NFMECC0: usize = 0x2c;

/// NFCONF: TACLS, TWRPH0 and TWRPH1.
const TIMINGS: u32 = 0x3 << 12 | 0x7 << 8 | 0x7 << 4;
/// NFCONT: the controller is on.
const MODE: u32 = 1 << 0;
/// NFCONT: nCE is high.
const REG_NCE: u32 = 1 << 1;
/// NFCONT: the ECC unit starts anew.
const INIT_ECC: u32 = 1 << 4;
/// NFSTAT: R/nB is high.
const RNB: u8 = 1 << 0;

/// The controller, switched on.
pub struct S3c2440(());

impl S3c2440 {
    /// Sets it up as Linux does: the ECC units unlocked, no interrupts.
    pub fn new(cycles: Cycles) -> Self {
        // TACLS is the periods themselves, the other two are one less.
        let timings = cycles.tacls << 12 | (cycles.twrph0 - 1) << 8 | (cycles.twrph1 - 1) << 4;
        NAND.modify32(NFCONF, TIMINGS, timings & TIMINGS);
        NAND.write32(NFCONT, MODE | REG_NCE);
        Self(())
    }
}

impl Controller for S3c2440 {
    fn select(&mut self, selected: bool) {
        NAND.modify32(NFCONT, REG_NCE, if selected { 0 } else { REG_NCE });
    }

    fn command(&mut self, byte: u8) {
        NAND.write8(NFCMMD, byte);
    }

    fn address(&mut self, byte: u8) {
        NAND.write8(NFADDR, byte);
    }

    fn is_ready(&mut self) -> bool {
        NAND.read8(NFSTAT) & RNB != 0
    }

    fn start_ecc(&mut self) {
        NAND.modify32(NFCONT, 0, INIT_ECC);
    }

    fn ecc(&mut self) -> [u8; 3] {
        let [byte0, byte1, byte2, _] = NAND.read32(NFMECC0).to_le_bytes();
        [byte0, byte1, byte2]
    }

    fn data(&self) -> usize {
        NAND.address(NFDATA)
    }

    fn has_words(&self) -> bool {
        true
    }
}
