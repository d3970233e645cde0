//! The NAND controller of S3C2410X: its user's manual, chapter 6.

use crate::controller::Controller;
use crate::registers::NAND;
use readers::request::Cycles;

const NFCONF: usize = 0x00;
const NFCMD: usize = 0x04;
const NFADDR: usize = 0x08;
const NFDATA: usize = 0x0c;
const NFSTAT: usize = 0x10;
const NFECC: usize = 0x14;

/// NFCONF: the controller is on.
const EN: u32 = 1 << 15;
/// NFCONF: pages of 512 bytes, four address bytes. Boot loaders set both.
const PAGE_512: u32 = 1 << 14;
const STEPS_4: u32 = 1 << 13;
/// NFCONF: the ECC unit starts anew.
const INITECC: u32 = 1 << 12;
/// NFCONF: nCE is high.
const NFCE: u32 = 1 << 11;
/// NFSTAT: R/nB is high.
const RNB: u8 = 1 << 0;

/// The controller, switched on.
pub struct S3c2410(());

impl S3c2410 {
    /// Sets it up.
    pub fn new(cycles: Cycles) -> Self {
        // All three fields are one less than the periods.
        let timings = (cycles.tacls - 1) << 8 | (cycles.twrph0 - 1) << 4 | (cycles.twrph1 - 1);
        NAND.write32(NFCONF, EN | PAGE_512 | STEPS_4 | INITECC | NFCE | timings & 0x777);
        Self(())
    }
}

impl Controller for S3c2410 {
    fn select(&mut self, selected: bool) {
        NAND.modify32(NFCONF, NFCE, if selected { 0 } else { NFCE });
    }

    fn command(&mut self, byte: u8) {
        NAND.write8(NFCMD, byte);
    }

    fn address(&mut self, byte: u8) {
        NAND.write8(NFADDR, byte);
    }

    fn is_ready(&mut self) -> bool {
        NAND.read8(NFSTAT) & RNB != 0
    }

    fn start_ecc(&mut self) {
        NAND.modify32(NFCONF, 0, INITECC);
    }

    fn ecc(&mut self) -> [u8; 3] {
        [NAND.read8(NFECC), NAND.read8(NFECC + 1), NAND.read8(NFECC + 2)]
    }

    fn data(&self) -> usize {
        NAND.address(NFDATA)
    }

    fn has_words(&self) -> bool {
        false
    }
}
