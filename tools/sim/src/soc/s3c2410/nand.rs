//! NAND controller of the S3C2410X: its User's Manual, chapter 6.
//!
//! Simpler than the S3C2440's and with another register map: one byte an access, no lock, no edge
//! detector on R/nB and no interrupt, and an ECC engine that sees everything that crosses NFDATA.

use super::ecc::NFECC as CODE;
use crate::bus::{Access, Clocks, Peripheral, Ps, Violations};
use crate::part::{Chip, Pulse};
use crate::soc::boot_copy::{self, BootPage};
use crate::soc::s3c2440::NandPort;
use crate::soc::s3c2440::ecc::Parities;

const NFCONF: u32 = 0x00;
const NFCMD: u32 = 0x04;
const NFADDR: u32 = 0x08;
const NFDATA: u32 = 0x0C;
const NFSTAT: u32 = 0x10;
const NFECC: u32 = 0x14;
/// The last of its three bytes.
const NFECC2: u32 = 0x16;

/// The registers' names in order of their offsets.
const NAMES: [&str; 6] = ["NFCONF", "NFCMD", "NFADDR", "NFDATA", "NFSTAT", "NFECC"];

// NFCONF. TACLS is bits 10 to 8, TWRPH0 6 to 4, TWRPH1 2 to 0. Bits 14 and 13, which boot loaders
// set, keep what is written; whether they do something is not known.
const EN: u32 = 1 << 15;
const INIT_ECC: u32 = 1 << 12;
const NFCE: u32 = 1 << 11;
/// What reads back. The other bits are let pass, because Openmoko's driver writes ones to all 32.
const NFCONF_MASK: u32 = 0xEF77;
/// The chip is not selected after the boot copy. That everything else is 0 is an assumption.
const NFCONF_RESET: u32 = NFCE;

/// The state that a reset of the SoC sets.
#[derive(Clone, Copy, Debug)]
struct Registers {
    nfconf: u32,
    nfcmd: u8,
    nfaddr: u8,
    ecc: Parities,
}

impl Registers {
    fn at_reset() -> Self {
        Self { nfconf: NFCONF_RESET, nfcmd: 0, nfaddr: 0, ecc: Parities::default() }
    }

    /// Set-up TACLS + 1 periods of HCLK, strobe low TWRPH0 + 1, hold TWRPH1 + 1.
    fn pulse(&self, hclk: Ps) -> Pulse {
        let periods = |at: u32| (Ps::from(self.nfconf >> at & 7) + 1) * hclk;
        Pulse { setup: periods(8), data_setup: 0, low: periods(4), high: periods(0) }
    }
}

/// The controller with its chip.
#[derive(Debug)]
pub struct NandController {
    chip: Chip,
    registers: Registers,
    bus_time: Ps,
}

impl NandController {
    /// A controller after reset.
    #[must_use]
    pub fn new(chip: Chip) -> Self {
        Self { chip, registers: Registers::at_reset(), bus_time: 0 }
    }

    /// The controller of a board with this chip.
    #[must_use]
    pub fn boxed(chip: Chip) -> Box<dyn NandPort> {
        Box::new(Self::new(chip))
    }

    /// The shape of a byte cycle, when the controller is on.
    fn cycle(&self, access: &mut Access<'_>) -> Option<Pulse> {
        if self.registers.nfconf & EN == 0 {
            access.violation("nand-protocol", "access to the chip while NFCONF[15] EN is 0");
            return None;
        }
        Some(self.registers.pulse(access.clocks.hclk))
    }

    fn hold(&mut self, time: Ps, access: &mut Access<'_>) {
        access.hold = time;
        self.bus_time += time;
    }

    fn write_nfconf(&mut self, value: u32, access: &mut Access<'_>) {
        self.registers.nfconf = value & NFCONF_MASK;
        if value & INIT_ECC != 0 {
            self.registers.ecc = Parities::default();
        }
        // With the controller off nothing drives nCE low.
        self.chip.select(value & (EN | NFCE) == EN, access);
    }

    fn write_command(&mut self, byte: u8, access: &mut Access<'_>) {
        self.registers.nfcmd = byte;
        let Some(pulse) = self.cycle(access) else { return };
        self.hold(pulse.latch_cycle(), access);
        self.chip.command(byte, access.now, pulse, access);
    }

    fn write_address(&mut self, byte: u8, access: &mut Access<'_>) {
        self.registers.nfaddr = byte;
        let Some(pulse) = self.cycle(access) else { return };
        self.hold(pulse.latch_cycle(), access);
        self.chip.address(byte, access.now, pulse, access);
    }

    fn write_data(&mut self, byte: u8, access: &mut Access<'_>) {
        let Some(pulse) = self.cycle(access) else { return };
        self.hold(pulse.data_cycle(), access);
        self.registers.ecc.update(byte);
        self.chip.write(byte.into(), 1, access.now, pulse, access);
    }

    fn read_data(&mut self, access: &mut Access<'_>) -> u32 {
        let Some(pulse) = self.cycle(access) else { return 0 };
        self.hold(pulse.data_cycle(), access);
        let byte = self.chip.read(1, access.now, pulse, access) as u8;
        self.registers.ecc.update(byte);
        byte.into()
    }
}

/// Reports an access that no register takes.
fn refuse(what: &str, offset: u32, width: u8, access: &mut Access<'_>) {
    let register = match NAMES.get(offset as usize / 4) {
        Some(name) if offset.is_multiple_of(4) || offset > NFECC && offset <= NFECC2 => (*name).to_string(),
        _ => format!("no register at offset {offset:02X}h"),
    };
    access.violation(
        "register",
        format!("NAND controller: {what} of {} bits: {register}", 8 * u32::from(width)),
    );
}

impl NandPort for NandController {
    fn reset(&mut self) {
        self.registers = Registers::at_reset();
    }

    fn chip(&self) -> &Chip {
        &self.chip
    }

    fn chip_mut(&mut self) -> &mut Chip {
        &mut self.chip
    }

    fn into_chip(self: Box<Self>) -> Chip {
        self.chip
    }

    fn pulse(&self, hclk: Ps) -> Pulse {
        self.registers.pulse(hclk)
    }

    fn data_width(&self) -> u32 {
        1
    }

    fn bus_time(&self) -> Ps {
        self.bus_time
    }

    fn interrupt(&mut self, _now: Ps) -> bool {
        false
    }

    fn boot_page(&mut self, page: u32, now: Ps, clocks: Clocks, violations: &mut Violations) -> BootPage {
        let mut access = Access { now, pc: 0, clocks, hold: 0, violations };
        let [row0, row1, row2, _] = page.to_le_bytes();
        let (address, pulse) = ([0, row0, row1, row2], Registers::at_reset().pulse(clocks.hclk));
        let copied = boot_copy::read_page(&mut self.chip, &address, pulse, &mut access);
        self.bus_time += copied.bus_time;
        copied
    }
}

impl Peripheral for NandController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (NFCONF, 4) => self.registers.nfconf,
            (NFCMD, 1) => self.registers.nfcmd.into(),
            (NFADDR, 1) => self.registers.nfaddr.into(),
            (NFDATA, 1) => self.read_data(access),
            (NFSTAT, 1 | 4) => self.chip.ready(access.now).into(),
            (NFECC..=NFECC2, 1) => CODE.register(&self.registers.ecc) >> (8 * (offset - NFECC)) & 0xFF,
            _ => {
                refuse("read", offset, width, access);
                0
            }
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (NFCONF, 4) => self.write_nfconf(value, access),
            (NFCMD, 1) => self.write_command(value as u8, access),
            (NFADDR, 1) => self.write_address(value as u8, access),
            (NFDATA, 1) => self.write_data(value as u8, access),
            (NFSTAT, 1 | 4) | (NFECC..=NFECC2, 1) => {
                refuse("write to a read-only register", offset, width, access);
            }
            _ => refuse("write", offset, width, access),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::{Faults, NandImage, k9f1208u0c};

    const NONE: [&str; 0] = [];
    /// Controller on, chip selected, 10/30/20 ns at HCLK 100 MHz.
    const GOOD: u32 = EN | 0x0021;

    /// The controller and a core that accesses it.
    struct Bench {
        controller: NandController,
        now: Ps,
        hclk: Ps,
        violations: Violations,
        pc: u32,
    }

    impl Bench {
        /// As after reset; byte i of page p is i + p.
        fn new() -> Self {
            let bytes = (0..64 * 528).map(|i| (i % 528 + i / 528) as u8).collect();
            let image = NandImage::from_bytes(bytes);
            let chip = Chip::new(&k9f1208u0c::PART, image, Faults::default()).expect("fits");
            let controller = NandController::new(chip);
            Self { controller, now: 1_000_000, hclk: 10_000, violations: Violations::default(), pc: 0 }
        }

        fn ready() -> Self {
            let mut bench = Self::new();
            bench.write(NFCONF, 4, GOOD);
            bench
        }

        fn access<T>(&mut self, act: impl FnOnce(&mut NandController, &mut Access<'_>) -> T) -> (T, Ps) {
            self.pc += 4;
            let clocks = Clocks { fclk: 5000, hclk: self.hclk, pclk: 20_000 };
            let mut access =
                Access { now: self.now, pc: self.pc, clocks, hold: 0, violations: &mut self.violations };
            let result = act(&mut self.controller, &mut access);
            let hold = access.hold;
            self.now += hold + 200_000;
            (result, hold)
        }

        /// How long the write held the bus.
        fn write(&mut self, offset: u32, width: u8, value: u32) -> Ps {
            self.access(|controller, access| controller.write(offset, width, value, access)).1
        }

        fn read(&mut self, offset: u32, width: u8) -> u32 {
            self.access(|controller, access| controller.read(offset, width, access)).0
        }

        fn data(&mut self, count: usize) -> Vec<u8> {
            (0..count).map(|_| self.read(NFDATA, 1) as u8).collect()
        }

        fn ecc(&mut self) -> [u32; 3] {
            [0, 1, 2].map(|byte| self.read(NFECC + byte, 1))
        }

        fn command(&mut self, byte: u8, address: &[u8]) {
            self.write(NFCMD, 1, byte.into());
            for &byte in address {
                self.write(NFADDR, 1, byte.into());
            }
        }

        fn wait(&mut self) {
            self.now = self.now.max(self.controller.chip().busy_edges().1) + 200_000;
        }

        fn complaints(&mut self) -> Vec<String> {
            let violations = std::mem::take(&mut self.violations);
            violations.list().iter().map(|it| format!("{}: {}", it.kind, it.detail)).collect()
        }
    }

    #[test]
    fn reset_values() {
        let mut bench = Bench::new();
        assert_eq!((bench.read(NFCONF, 4), bench.read(NFSTAT, 4)), (0x0800, 1));
        assert_eq!((bench.read(NFCMD, 1), bench.read(NFADDR, 1), bench.ecc()), (0, 0, [0xFF; 3]));
        bench.write(NFCONF, 4, GOOD);
        bench.controller.reset();
        assert_eq!(bench.read(NFCONF, 4), 0x0800);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn nfconf_keeps_its_fields() {
        let check = |written, read| {
            let mut bench = Bench::new();
            bench.write(NFCONF, 4, written);
            assert_eq!((bench.read(NFCONF, 4), bench.complaints()), (read, vec![]), "{written:08X}");
        };
        // What the vivi family of boot loaders writes, and Openmoko's driver.
        check(0x0000_F842, 0xE842);
        check(0xFFFF_FFFF, 0xEF77);
    }

    #[test]
    fn what_no_register_takes() {
        let complains = |mut bench: Bench, expected: &str| {
            assert_eq!(bench.complaints(), [format!("register: NAND controller: {expected}")]);
        };
        let read = |offset, width, expected: &str| {
            let mut bench = Bench::ready();
            assert_eq!(bench.read(offset, width), 0);
            complains(bench, expected);
        };
        read(NFDATA, 4, "read of 32 bits: NFDATA");
        read(NFDATA, 2, "read of 16 bits: NFDATA");
        read(NFCONF, 1, "read of 8 bits: NFCONF");
        read(NFECC, 4, "read of 32 bits: NFECC");
        read(0x17, 1, "read of 8 bits: no register at offset 17h");
        read(0x18, 4, "read of 32 bits: no register at offset 18h");
        let write = |offset, width, expected: &str| {
            let mut bench = Bench::ready();
            assert_eq!(bench.write(offset, width, 1), 0);
            complains(bench, expected);
        };
        write(NFDATA, 4, "write of 32 bits: NFDATA");
        write(NFCMD, 4, "write of 32 bits: NFCMD");
        write(NFSTAT, 4, "write to a read-only register of 32 bits: NFSTAT");
        write(NFECC2, 1, "write to a read-only register of 8 bits: NFECC");
    }

    #[test]
    fn the_controller_must_be_on_and_the_chip_selected() {
        let check = |nfconf, expected: &str| {
            let mut bench = Bench::new();
            bench.write(NFCONF, 4, nfconf);
            bench.command(0x90, &[]);
            assert_eq!(bench.complaints(), [format!("nand-protocol: {expected}")]);
        };
        check(0, "access to the chip while NFCONF[15] EN is 0");
        check(EN | NFCE, "nCE is high, command 90h");
    }

    #[test]
    fn all_three_fields_count_from_one() {
        let check = |nfconf, hclk, latch, byte| {
            let mut bench = Bench::ready();
            bench.hclk = hclk;
            bench.write(NFCONF, 4, EN | nfconf);
            assert_eq!(bench.write(NFCMD, 1, 0x90), latch, "{nfconf:04X}");
            assert_eq!(bench.write(NFADDR, 1, 0), latch);
            assert_eq!(bench.access(|it, access| it.read(NFDATA, 1, access)).1, byte);
            assert_eq!((bench.controller.bus_time(), bench.complaints()), (2 * latch + byte, vec![]));
        };
        check(0x0021, 10_000, 60_000, 50_000);
        // U-Boot's 0/4/2 at HCLK 101.4 MHz.
        check(0x0042, 9_862, 9 * 9_862, 8 * 9_862);
        check(0x0777, 10_000, 240_000, 160_000);
        check(0x0000, 83_333, 249_999, 166_666);
    }

    #[test]
    fn one_hclk_too_short_is_reported() {
        let check = |nfconf, expected: &[&str]| {
            let mut bench = Bench::ready();
            bench.command(0x00, &[0, 0, 0, 0]);
            bench.wait();
            bench.write(NFCONF, 4, EN | nfconf);
            let right = bench.data(2) == [0, 1];
            let complaints = bench.complaints();
            let mut names: Vec<_> = complaints.iter().map(|it| &it[13..17]).collect();
            names.dedup();
            names.truncate(expected.len().max(1));
            assert_eq!((names, right), (expected.to_vec(), expected.is_empty()), "{complaints:?}");
        };
        check(0x0021, &[]);
        check(0x0011, &["tRP:", "tRC:", "tREA"]);
        check(0x0020, &["tREH", "tRC:"]);
    }

    #[test]
    fn a_page_and_its_code() {
        let mut bench = Bench::ready();
        // Whatever went through before does not count.
        bench.command(0x90, &[0]);
        assert_eq!(bench.data(4), [0xEC, 0x76, 0x5A, 0x3F]);
        bench.command(0x00, &[0, 3, 0, 0]);
        assert_eq!(bench.read(NFSTAT, 1), 0);
        bench.wait();
        assert_eq!(bench.read(NFSTAT, 1), 1);
        bench.write(NFCONF, 4, GOOD | INIT_ECC);
        assert_eq!(bench.read(NFCONF, 4), GOOD);
        let data = bench.data(512);
        assert!(data.iter().zip(0..).all(|(&byte, i)| byte == (i + 3) as u8));
        // The bytes count up: even parity everywhere.
        assert_eq!(bench.ecc(), [0xFF; 3]);
        // There is no lock: the spare bytes count as well, from address 0 on again.
        assert_eq!((bench.data(1), bench.ecc()), (vec![3], [0xFF, 0xFF, 0xF3]));
        assert_eq!((bench.data(1), bench.ecc()), (vec![4], [0xA9, 0xAA, 0x96]));
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn written_bytes_count_too() {
        let mut bench = Bench::ready();
        bench.command(0x80, &[0, 64, 0, 0]);
        bench.write(NFCONF, 4, GOOD | INIT_ECC);
        for byte in 0..512 {
            bench.write(NFDATA, 1, if byte == 100 { 0xF7 } else { 0xFF });
        }
        assert_eq!(bench.ecc(), [0x9A, 0x96, 0x96]);
        for byte in bench.ecc() {
            bench.write(NFDATA, 1, byte);
        }
        bench.command(0x10, &[]);
        bench.wait();
        assert_eq!(bench.complaints(), NONE);
        let mut bytes = [0; 16];
        let image = Box::new(bench.controller).into_chip().into_image();
        image.read(64 * 528 + 512, &mut bytes);
        assert_eq!(bytes[..5], [0x9A, 0x96, 0x96, 0xFF, 0xFF]);
    }

    #[test]
    fn what_linux_does_is_accepted() {
        let mut bench = Bench::ready();
        // Select and deselect by read-modify-write of nFCE; the probe looks for ONFI too.
        for address in [0x00, 0x20] {
            bench.command(0xFF, &[]);
            bench.wait();
            bench.command(0x90, &[address]);
            bench.data(8);
        }
        let nfconf = bench.read(NFCONF, 4);
        bench.write(NFCONF, 4, nfconf | NFCE);
        bench.write(NFCONF, 4, nfconf & !NFCE);
        bench.command(0x00, &[0, 1, 0, 0]);
        bench.wait();
        let nfconf = bench.read(NFCONF, 4);
        bench.write(NFCONF, 4, nfconf | INIT_ECC);
        bench.data(512);
        assert_eq!(bench.ecc(), [0xFF; 3]);
        bench.command(0x50, &[0, 1, 0, 0]);
        bench.wait();
        assert_eq!(bench.data(16)[0], 1);
        assert_eq!(bench.complaints(), NONE);
    }
}
