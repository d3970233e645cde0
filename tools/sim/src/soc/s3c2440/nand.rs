//! NAND controller: S3C2440A User's Manual, chapter 6. The S3C2442 has the same one.
//!
//! Registers on one side, byte cycles to a [`Chip`] on the other. The controller has no FIFO:
//! an access to NFDATA holds the bus for its byte cycles.

use super::NandPort;
use super::ecc::{self, Engine, MAIN, SPARE, Verdict};
use crate::bus::{Access, Clocks, Peripheral, Ps, Violations};
use crate::part::{Chip, Part, Pulse};
use crate::soc::boot_copy::{self, BootPage};

const NFCONF: u32 = 0x00;
const NFCONT: u32 = 0x04;
const NFCMMD: u32 = 0x08;
const NFADDR: u32 = 0x0C;
const NFDATA: u32 = 0x10;
const NFMECCD0: u32 = 0x14;
const NFMECCD1: u32 = 0x18;
const NFSECCD: u32 = 0x1C;
const NFSTAT: u32 = 0x20;
const NFESTAT0: u32 = 0x24;
const NFESTAT1: u32 = 0x28;
const NFMECC0: u32 = 0x2C;
const NFMECC1: u32 = 0x30;
const NFSECC: u32 = 0x34;
const NFSBLK: u32 = 0x38;
const NFEBLK: u32 = 0x3C;

/// The registers' names in order of their offsets.
const NAMES: [&str; 16] = [
    "NFCONF", "NFCONT", "NFCMMD", "NFADDR", "NFDATA", "NFMECCD0", "NFMECCD1", "NFSECCD", "NFSTAT",
    "NFESTAT0", "NFESTAT1", "NFMECC0", "NFMECC1", "NFSECC", "NFSBLK", "NFEBLK",
];

// NFCONF. TACLS is bits 13 and 12, TWRPH0 10 to 8, TWRPH1 6 to 4, the straps 3 to 0.
const NFCONF_TIMING: u32 = 0x3770;
const NFCONF_RESET: u32 = 0x1000;
/// Bus width, the one strap software may change: 1 is 16 bits.
const BUS_WIDTH: u32 = 1 << 0;
/// No use is known of these. Bits 15, 14, 11 and 7 have none either, but boot loaders of the
/// field write ones there (Openmoko's `NFCONF |= 0xFFF0`).
const NFCONF_RESERVED: u32 = 0xFFFF_0000;

// NFCONT.
const MODE: u32 = 1 << 0;
const REG_NCE: u32 = 1 << 1;
const INIT_ECC: u32 = 1 << 4;
const MAIN_ECC_LOCK: u32 = 1 << 5;
const SPARE_ECC_LOCK: u32 = 1 << 6;
const RNB_TRANS_MODE: u32 = 1 << 8;
const ENB_RNB_INT: u32 = 1 << 9;
const ENB_ILLEGAL_ACC_INT: u32 = 1 << 10;
const SOFT_LOCK: u32 = 1 << 12;
const LOCK_TIGHT: u32 = 1 << 13;
const NFCONT_RESET: u32 = 0x0384;
/// Bits 2 and 7 have no documented meaning but are 1 after reset, so that writing back what
/// was read sets them.
const NFCONT_RESERVED: u32 = !0x37F7;

// NFSTAT.
const RNB: u32 = 1 << 0;
const NCE_LEVEL: u32 = 1 << 1;
const RNB_TRANS_DETECT: u32 = 1 << 2;
const ILLEGAL_ACCESS: u32 = 1 << 3;

/// Block addresses count in rows; of the first byte only bits 7 to 5 do.
const BLOCK_ADDRESS: u32 = 0x00FF_FFE0;

/// The chip geometry on the pins NCON and GPG15 to GPG13 at reset, as NFCONF\[3:0\] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Straps(u32);

impl Straps {
    /// 2 KiB pages, four address cycles, 8 bits.
    pub const LARGE_PAGE_4_CYCLES: Self = Self(0xC);
    /// 2 KiB pages, five address cycles, 8 bits.
    pub const LARGE_PAGE_5_CYCLES: Self = Self(0xE);

    /// As a board with this part ties them.
    #[must_use]
    pub fn for_part(part: &Part) -> Self {
        match part.geometry.row_cycles {
            2 => Self::LARGE_PAGE_4_CYCLES,
            _ => Self::LARGE_PAGE_5_CYCLES,
        }
    }

    /// NFCONF\[3:0\].
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    fn row_cycles(self) -> u32 {
        2 + (self.0 >> 1 & 1)
    }
}

/// The address of a program or erase, for the lock.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    bytes: [u8; 5],
    taken: usize,
    /// Address cycles that come before the row.
    columns: usize,
    /// More of it may come.
    open: bool,
}

impl Target {
    fn command(&mut self, byte: u8) {
        match byte {
            0x80 => *self = Self { columns: 2, open: true, ..Self::default() },
            0x60 => *self = Self { columns: 0, open: true, ..Self::default() },
            _ => self.open = false,
        }
    }

    fn address(&mut self, byte: u8) {
        if self.open && self.taken < self.bytes.len() {
            self.bytes[self.taken] = byte;
            self.taken += 1;
        }
    }

    fn row(&self) -> u32 {
        let bytes = &self.bytes[self.columns..self.taken.max(self.columns)];
        bytes.iter().rev().fold(0, |row, &byte| row << 8 | u32::from(byte))
    }
}

/// The state that a reset of the SoC sets.
#[derive(Clone, Copy, Debug)]
struct Registers {
    nfconf: u32,
    nfcont: u32,
    nfcmmd: u8,
    nfaddr: u8,
    nfmeccd: [u32; 2],
    nfseccd: u32,
    /// A stored code has been given: before that there is nothing to compare, NFESTAT reads 0.
    main_given: bool,
    spare_given: bool,
    transition: bool,
    illegal: bool,
    nfsblk: u32,
    nfeblk: u32,
    ecc: Engine,
    target: Target,
}

impl Registers {
    fn at_reset(straps: Straps) -> Self {
        Self {
            nfconf: NFCONF_RESET | straps.bits(),
            nfcont: NFCONT_RESET,
            nfcmmd: 0,
            nfaddr: 0,
            nfmeccd: [0; 2],
            nfseccd: 0,
            main_given: false,
            spare_given: false,
            transition: false,
            illegal: false,
            nfsblk: 0,
            nfeblk: 0,
            ecc: Engine::default(),
            target: Target::default(),
        }
    }

    /// Set-up TACLS periods of HCLK, strobe low TWRPH0 + 1, hold TWRPH1 + 1.
    fn pulse(&self, hclk: Ps) -> Pulse {
        let field = |at: u32, mask: u32| Ps::from(self.nfconf >> at & mask);
        Pulse {
            setup: field(12, 3) * hclk,
            data_setup: 0,
            low: (field(8, 7) + 1) * hclk,
            high: (field(4, 7) + 1) * hclk,
        }
    }

    /// The stored codes of a lane: NFMECCD and NFSECCD hold one byte per half-word and lane.
    fn stored(&self, lane: u32) -> (u32, u32) {
        let byte = |register: u32, half: u32| register >> (16 * half + 8 * lane) & 0xFF;
        let pair = |register: u32| byte(register, 0) | byte(register, 1) << 8;
        (pair(self.nfmeccd[0]) | pair(self.nfmeccd[1]) << 16, pair(self.nfseccd))
    }

    fn estat(&self, lane: u32, engine: &Engine) -> u32 {
        let (main, spare) = self.stored(lane);
        let verdict = |given, code: &ecc::Code, stored, parities| match given {
            true => code.compare(stored, code.register(parities)),
            false => Verdict::Good,
        };
        ecc::estat(
            verdict(self.main_given, &MAIN, main, &engine.main),
            verdict(self.spare_given, &SPARE, spare, &engine.spare),
        )
    }

    fn ecc_bytes(&mut self, bytes: u32, count: u32) {
        for byte in bytes.to_le_bytes().into_iter().take(count as usize) {
            if self.nfcont & MAIN_ECC_LOCK == 0 {
                self.ecc.main.update(byte);
            }
            if self.nfcont & SPARE_ECC_LOCK == 0 {
                self.ecc.spare.update(byte);
            }
        }
    }

    fn is_locked(&self) -> bool {
        self.nfcont & (SOFT_LOCK | LOCK_TIGHT) != 0
            && !(self.nfsblk..self.nfeblk).contains(&self.target.row())
    }
}

/// The controller with its chip.
#[derive(Debug)]
pub struct NandController {
    chip: Chip,
    straps: Straps,
    registers: Registers,
    /// Up to when edges of R/nB have been looked for.
    watched: Ps,
    bus_time: Ps,
}

impl NandController {
    /// A controller after reset.
    #[must_use]
    pub fn new(chip: Chip, straps: Straps) -> Self {
        Self { chip, straps, registers: Registers::at_reset(straps), watched: 0, bus_time: 0 }
    }

    /// The controller of a board with this chip.
    #[must_use]
    pub fn boxed(chip: Chip) -> Box<dyn NandPort> {
        let straps = Straps::for_part(chip.part());
        Box::new(Self::new(chip, straps))
    }

    /// Latches an edge of R/nB that NFCONT selects.
    fn watch(&mut self, now: Ps) {
        let (fall, rise) = self.chip.busy_edges();
        let edge = if self.registers.nfcont & RNB_TRANS_MODE == 0 { rise } else { fall };
        self.registers.transition |= self.watched < edge && edge <= now;
        self.watched = self.watched.max(now);
    }

    /// The shape of a byte cycle, when the controller is in a state to make one.
    fn cycle(&self, access: &mut Access<'_>) -> Option<Pulse> {
        let registers = &self.registers;
        if registers.nfcont & MODE == 0 {
            access.violation("nand-protocol", "access to the chip while NFCONT[0] MODE is 0");
            return None;
        }
        if registers.nfconf & BUS_WIDTH != 0 {
            access.violation("nand-protocol", "NFCONF[0] selects a 16-bit bus, the chip has 8 bits");
            return None;
        }
        Some(registers.pulse(access.clocks.hclk))
    }

    fn hold(&mut self, time: Ps, access: &mut Access<'_>) {
        access.hold = time;
        self.bus_time += time;
    }

    fn write_command(&mut self, byte: u8, access: &mut Access<'_>) {
        self.registers.nfcmmd = byte;
        let Some(pulse) = self.cycle(access) else { return };
        self.hold(pulse.latch_cycle(), access);
        self.registers.target.command(byte);
        if matches!(byte, 0x10 | 0xD0) && self.registers.is_locked() {
            // Whether silicon keeps the command from the chip is not known; here it does.
            self.registers.illegal = true;
            let row = self.registers.target.row();
            access.violation("nand-lock", format!("command {byte:02X}h for locked page {row}"));
            return;
        }
        self.chip.command(byte, access.now, pulse, access);
    }

    fn write_address(&mut self, byte: u8, access: &mut Access<'_>) {
        self.registers.nfaddr = byte;
        let Some(pulse) = self.cycle(access) else { return };
        self.hold(pulse.latch_cycle(), access);
        self.registers.target.address(byte);
        self.chip.address(byte, access.now, pulse, access);
    }

    fn write_data(&mut self, width: u8, value: u32, access: &mut Access<'_>) {
        let (Some(pulse), count) = (self.cycle(access), u32::from(width)) else { return };
        self.hold(Ps::from(width) * pulse.data_cycle(), access);
        self.registers.ecc_bytes(value, count);
        self.chip.write(value, count, access.now, pulse, access);
    }

    fn read_data(&mut self, width: u8, access: &mut Access<'_>) -> u32 {
        let (Some(pulse), count) = (self.cycle(access), u32::from(width)) else { return 0 };
        self.hold(Ps::from(width) * pulse.data_cycle(), access);
        let value = self.chip.read(count, access.now, pulse, access);
        self.registers.ecc_bytes(value, count);
        value & (u32::MAX >> (32 - 8 * count))
    }

    fn write_nfconf(&mut self, value: u32, access: &mut Access<'_>) {
        if value & NFCONF_RESERVED != 0 {
            access.violation("register", format!("NFCONF = {value:08X}: bits 31 to 16 are reserved"));
        }
        self.registers.nfconf = value & (NFCONF_TIMING | BUS_WIDTH) | self.straps.bits() & !BUS_WIDTH;
    }

    fn write_nfcont(&mut self, value: u32, access: &mut Access<'_>) {
        if value & NFCONT_RESERVED != 0 {
            access.violation("register", format!("NFCONT = {value:08X}: reserved bits are set"));
        }
        let registers = &mut self.registers;
        let tight = registers.nfcont & LOCK_TIGHT;
        registers.nfcont = value & !NFCONT_RESERVED & !INIT_ECC | tight;
        if value & INIT_ECC != 0 {
            registers.ecc = Engine::default();
        }
        // Without MODE the software's chip select is not honoured.
        self.chip.select(value & (MODE | REG_NCE) == MODE, access);
    }

    fn nfstat(&self, now: Ps) -> u32 {
        let flag = |set, bit| if set { bit } else { 0 };
        flag(self.chip.ready(now), RNB)
            | flag(self.registers.nfcont & REG_NCE != 0, NCE_LEVEL)
            | flag(self.registers.transition, RNB_TRANS_DETECT)
            | flag(self.registers.illegal, ILLEGAL_ACCESS)
    }

    fn write_nfstat(&mut self, value: u32) {
        self.registers.transition &= value & RNB_TRANS_DETECT == 0;
        self.registers.illegal &= value & ILLEGAL_ACCESS == 0;
    }

    fn write_lock_area(&mut self, offset: u32, value: u32, access: &mut Access<'_>) {
        let name = NAMES[offset as usize / 4];
        if self.registers.nfcont & LOCK_TIGHT != 0 {
            access.violation("register", format!("{name} is written while NFCONT[13] Lock-tight is set"));
            return;
        }
        if value >> 24 != 0 {
            access.violation("register", format!("{name} = {value:08X}: bits 31 to 24 are reserved"));
        }
        let area = if offset == NFSBLK { &mut self.registers.nfsblk } else { &mut self.registers.nfeblk };
        *area = value & BLOCK_ADDRESS;
    }
}

impl NandPort for NandController {
    fn reset(&mut self) {
        self.registers = Registers::at_reset(self.straps);
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
        4
    }

    fn bus_time(&self) -> Ps {
        self.bus_time
    }

    fn interrupt(&mut self, now: Ps) -> bool {
        self.watch(now);
        let registers = &self.registers;
        registers.transition && registers.nfcont & ENB_RNB_INT != 0
            || registers.illegal && registers.nfcont & ENB_ILLEGAL_ACC_INT != 0
    }

    fn boot_page(&mut self, page: u32, now: Ps, clocks: Clocks, violations: &mut Violations) -> BootPage {
        let pulse = Registers::at_reset(self.straps).pulse(clocks.hclk);
        let mut access = Access { now, pc: 0, clocks, hold: 0, violations };
        let [row0, row1, row2, _] = page.to_le_bytes();
        let address = [0, 0, row0, row1, row2];
        let cycles = 2 + self.straps.row_cycles() as usize;
        let copied = boot_copy::read_page(&mut self.chip, &address[..cycles], pulse, &mut access);
        self.bus_time += copied.bus_time;
        // Software finds NFSTAT as the manual gives it for reset, without an edge.
        self.watched = copied.end;
        copied
    }
}

/// Reports an access that no register takes.
fn refuse(what: &str, offset: u32, width: u8, access: &mut Access<'_>) {
    let register = match NAMES.get(offset as usize / 4) {
        Some(name) if offset.is_multiple_of(4) => (*name).to_string(),
        _ => format!("no register at offset {offset:02X}h"),
    };
    access.violation(
        "register",
        format!("NAND controller: {what} of {} bits: {register}", 8 * u32::from(width)),
    );
}

impl Peripheral for NandController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        if offset == NFDATA && matches!(width, 1 | 2 | 4) {
            return self.read_data(width, access);
        }
        self.watch(access.now);
        let registers = &self.registers;
        // The bus of the supported parts has one lane: the engine of the other never sees a byte.
        let idle = Engine::default();
        match (offset, width) {
            (NFCONF, 4) => registers.nfconf,
            (NFCONT, 4) => registers.nfcont,
            (NFCMMD, 1) => registers.nfcmmd.into(),
            (NFADDR, 1) => registers.nfaddr.into(),
            (NFMECCD0, 4) => registers.nfmeccd[0],
            (NFMECCD1, 4) => registers.nfmeccd[1],
            (NFSECCD, 4) => registers.nfseccd,
            (NFSTAT, 1 | 4) => self.nfstat(access.now),
            (NFESTAT0, 4) => registers.estat(0, &registers.ecc),
            (NFESTAT1, 4) => registers.estat(1, &idle),
            (NFMECC0, 4) => MAIN.register(&registers.ecc.main),
            (NFMECC1, 4) => MAIN.register(&idle.main),
            (NFSECC, 4) => SPARE.register(&registers.ecc.spare) | SPARE.register(&idle.spare) << 16,
            (NFSBLK, 4) => registers.nfsblk,
            (NFEBLK, 4) => registers.nfeblk,
            _ => {
                refuse("read", offset, width, access);
                0
            }
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.watch(access.now);
        let registers = &mut self.registers;
        match (offset, width) {
            (NFCONF, 4) => self.write_nfconf(value, access),
            (NFCONT, 4) => self.write_nfcont(value, access),
            (NFCMMD, 1) => self.write_command(value as u8, access),
            (NFADDR, 1) => self.write_address(value as u8, access),
            (NFDATA, 1 | 2 | 4) => self.write_data(width, value, access),
            (NFMECCD0 | NFMECCD1, 4) => {
                registers.nfmeccd[usize::from(offset == NFMECCD1)] = value;
                registers.main_given = true;
            }
            (NFSECCD, 4) => {
                registers.nfseccd = value;
                registers.spare_given = true;
            }
            (NFSTAT, 1 | 4) => self.write_nfstat(value),
            (NFSBLK | NFEBLK, 4) => self.write_lock_area(offset, value, access),
            (NFESTAT0 | NFESTAT1 | NFMECC0 | NFMECC1 | NFSECC, 4) => {
                refuse("write to a read-only register", offset, width, access);
            }
            _ => refuse("write", offset, width, access),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::{Faults, NandImage, k5d2g13acm, k9f1g08u0b, k9f2g08u0b};

    const NONE: [&str; 0] = [];
    const CONTROLLER_ON: u32 = MODE | MAIN_ECC_LOCK | SPARE_ECC_LOCK;

    /// The controller and a core that accesses it.
    struct Bench {
        controller: NandController,
        now: Ps,
        hclk: Ps,
        /// Between the end of an access and the next one.
        gap: Ps,
        violations: Violations,
        pc: u32,
    }

    impl Bench {
        /// At HCLK 100 MHz, controller as after reset.
        fn with(part: &'static Part, image: NandImage) -> Self {
            let chip = Chip::new(part, image, Faults::default()).expect("fits the part");
            let controller = NandController::new(chip, Straps::for_part(part));
            let violations = Violations::default();
            Self { controller, now: 1_000_000, hclk: 10_000, gap: 200_000, violations, pc: 0 }
        }

        /// With an erased chip.
        fn new(part: &'static Part) -> Self {
            Self::with(part, NandImage::default())
        }

        /// Controller on, 0/30/20 ns, chip selected. Byte i of the chip's page 0 is i.
        fn ready(part: &'static Part) -> Self {
            let mut bench = Self::with(part, NandImage::from_bytes((0..2112).map(|i| i as u8).collect()));
            bench.write(NFCONF, 0x0210);
            bench.write(NFCONT, CONTROLLER_ON);
            bench
        }

        fn access<T>(&mut self, act: impl FnOnce(&mut NandController, &mut Access<'_>) -> T) -> (T, Ps) {
            self.pc += 4;
            let clocks = Clocks { fclk: 2500, hclk: self.hclk, pclk: 20_000 };
            let mut access =
                Access { now: self.now, pc: self.pc, clocks, hold: 0, violations: &mut self.violations };
            let result = act(&mut self.controller, &mut access);
            let hold = access.hold;
            self.now += hold + self.gap;
            (result, hold)
        }

        fn write_width(&mut self, offset: u32, width: u8, value: u32) -> Ps {
            self.access(|controller, access| controller.write(offset, width, value, access)).1
        }

        fn read_width(&mut self, offset: u32, width: u8) -> u32 {
            self.access(|controller, access| controller.read(offset, width, access)).0
        }

        fn write(&mut self, offset: u32, value: u32) -> Ps {
            self.write_width(offset, 4, value)
        }

        fn read(&mut self, offset: u32) -> u32 {
            self.read_width(offset, 4)
        }

        fn command(&mut self, byte: u8) {
            self.write_width(NFCMMD, 1, byte.into());
        }

        fn address(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.write_width(NFADDR, 1, byte.into());
            }
        }

        fn wait(&mut self) {
            while let Some(edge) = self.controller.next_edge(self.now) {
                self.now = edge;
            }
            self.now += self.gap;
        }

        fn read_words(&mut self, count: u32) {
            for _ in 0..count {
                self.read(NFDATA);
            }
        }

        /// Brings page 0 into the register of a part with four address cycles.
        fn load_page(&mut self) {
            self.command(0x00);
            self.address(&[0; 4]);
            self.command(0x30);
            self.wait();
        }

        fn complaints(&mut self) -> Vec<String> {
            let violations = std::mem::take(&mut self.violations);
            violations.list().iter().map(|it| format!("{}: {}", it.kind, it.detail)).collect()
        }
    }

    #[test]
    fn reset_values() {
        let mut bench = Bench::new(&k9f2g08u0b::PART);
        let check = |bench: &mut Bench, offset, value| {
            assert_eq!(bench.read(offset), value, "{}", NAMES[offset as usize / 4]);
        };
        check(&mut bench, NFCONF, 0x100E);
        check(&mut bench, NFCONT, 0x0384);
        check(&mut bench, NFSTAT, 0x0001);
        for offset in [NFMECCD0, NFMECCD1, NFSECCD, NFESTAT0, NFESTAT1, NFSBLK, NFEBLK] {
            check(&mut bench, offset, 0);
        }
        assert_eq!((bench.read_width(NFCMMD, 1), bench.read_width(NFADDR, 1)), (0, 0));
        assert_eq!(bench.complaints(), NONE);
        assert_eq!(Bench::new(&k9f1g08u0b::PART).read(NFCONF), 0x100C);
    }

    #[test]
    fn reset_of_the_soc() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.write(NFCONT, LOCK_TIGHT | MODE);
        bench.controller.reset();
        assert_eq!((bench.read(NFCONF), bench.read(NFCONT)), (0x100C, 0x0384));
    }

    #[test]
    fn straps_are_read_only_and_what_boot_loaders_write_is_accepted() {
        let check = |written, read| {
            let mut bench = Bench::new(&k9f2g08u0b::PART);
            bench.write(NFCONF, written);
            assert_eq!(bench.read(NFCONF), read, "{written:08X}");
            assert_eq!(bench.complaints(), NONE);
        };
        check(0x0000_0000, 0x000E);
        check(0x0000_FFF0, 0x377E);
        check(0x0000_7770, 0x377E);
        check(0x0000_FFFE, 0x377E);
        check(0x0000_0211, 0x021F);
    }

    #[test]
    fn what_no_register_takes() {
        let check = |act: fn(&mut Bench), expected: &str| {
            let mut bench = Bench::new(&k9f1g08u0b::PART);
            act(&mut bench);
            assert_eq!(bench.complaints(), [format!("register: {expected}")]);
        };
        let nand = "NAND controller:";
        check(
            |b| {
                b.read(0x40);
            },
            &format!("{nand} read of 32 bits: no register at offset 40h"),
        );
        check(
            |b| {
                b.write(0x12, 0);
            },
            &format!("{nand} write of 32 bits: no register at offset 12h"),
        );
        check(
            |b| {
                b.read_width(NFCONF, 1);
            },
            &format!("{nand} read of 8 bits: NFCONF"),
        );
        check(
            |b| {
                b.read_width(NFSTAT, 2);
            },
            &format!("{nand} read of 16 bits: NFSTAT"),
        );
        check(
            |b| {
                b.write(NFCMMD, 0);
            },
            &format!("{nand} write of 32 bits: NFCMMD"),
        );
        for read_only in [NFESTAT0, NFESTAT1, NFMECC0, NFMECC1, NFSECC] {
            let mut bench = Bench::new(&k9f1g08u0b::PART);
            bench.write(read_only, 0);
            let name = NAMES[read_only as usize / 4];
            let text = format!("register: {nand} write to a read-only register of 32 bits: {name}");
            assert_eq!(bench.complaints(), [text]);
        }
        check(
            |b| {
                b.write(NFCONF, 1 << 16);
            },
            "NFCONF = 00010000: bits 31 to 16 are reserved",
        );
        check(
            |b| {
                b.write(NFCONT, 1 << 3);
            },
            "NFCONT = 00000008: reserved bits are set",
        );
        check(
            |b| {
                b.write(NFSBLK, 1 << 24);
            },
            "NFSBLK = 01000000: bits 31 to 24 are reserved",
        );
    }

    #[test]
    fn the_controller_must_be_on_and_the_chip_selected() {
        let check = |nfcont, expected: &str| {
            let mut bench = Bench::new(&k9f1g08u0b::PART);
            bench.write(NFCONT, nfcont);
            bench.command(0x90);
            assert_eq!(bench.complaints(), [format!("nand-protocol: {expected}")]);
        };
        check(0, "access to the chip while NFCONT[0] MODE is 0");
        check(MODE | REG_NCE, "nCE is high, command 90h");
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.write(NFCONF, 0x0210 | BUS_WIDTH);
        assert_eq!(bench.read(NFDATA), 0);
        assert_eq!(
            bench.complaints(),
            ["nand-protocol: NFCONF[0] selects a 16-bit bus, the chip has 8 bits"]
        );
    }

    #[test]
    fn cycles_take_what_nfconf_says() {
        let check = |nfconf, hclk, latch, byte| {
            let mut bench = Bench::ready(&k9f1g08u0b::PART);
            bench.hclk = hclk;
            bench.write(NFCONF, nfconf);
            let before = bench.controller.bus_time();
            assert_eq!(bench.write_width(NFCMMD, 1, 0x90), latch);
            assert_eq!(bench.write_width(NFADDR, 1, 0), latch);
            let data = |width| {
                move |it: &mut NandController, access: &mut Access<'_>| it.read(NFDATA, width, access)
            };
            assert_eq!(bench.access(data(1)).1, byte);
            assert_eq!(bench.access(data(2)).1, 2 * byte);
            assert_eq!(bench.access(data(4)).1, 4 * byte);
            assert_eq!(bench.controller.bus_time() - before, 2 * latch + 7 * byte);
            assert_eq!(bench.complaints(), NONE);
        };
        check(0x0210, 10_000, 50_000, 50_000);
        check(0x1310, 7_500, 52_500, 45_000);
        check(0x3770, 10_000, 190_000, 160_000);
        check(0x1000, 83_333, 249_999, 166_666);
    }

    #[test]
    fn one_hclk_too_short_is_reported_and_reads_wrong() {
        let check = |part: &'static Part, nfconf, hclk, expected: &[&str]| {
            let mut bench = Bench::ready(part);
            bench.command(0x00);
            bench.address(&[0; 5][..usize::from(2 + part.geometry.row_cycles)]);
            bench.command(0x30);
            bench.wait();
            bench.hclk = hclk;
            bench.write(NFCONF, nfconf);
            let word = bench.read(NFDATA);
            assert_eq!(word == 0x0302_0100, expected.is_empty(), "{word:08X}");
            let names: Vec<_> = bench.complaints().iter().map(|it| it[13..17].to_string()).collect();
            assert_eq!(names, expected, "{nfconf:04X}");
        };
        // GTA02 at HCLK 133 MHz and 100 MHz.
        check(&k5d2g13acm::PART, 0x0310, 7_500, &[]);
        check(&k5d2g13acm::PART, 0x0210, 7_500, &["tRP:", "tRC:", "tREA"]);
        check(&k5d2g13acm::PART, 0x0300, 7_500, &["tREH", "tRC:"]);
        check(&k5d2g13acm::PART, 0x0210, 10_000, &[]);
        check(&k5d2g13acm::PART, 0x0200, 10_000, &["tREH", "tRC:"]);
        // mini2440.
        check(&k9f1g08u0b::PART, 0x0200, 10_000, &[]);
        check(&k9f1g08u0b::PART, 0x0100, 10_000, &["tREA"]);
        check(&k9f2g08u0b::PART, 0x0100, 10_000, &[]);
        check(&k9f2g08u0b::PART, 0x0000, 10_000, &["tRP:", "tRC:", "tREA"]);
    }

    #[test]
    fn the_first_byte_on_the_bus_is_the_lowest() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.load_page();
        assert_eq!(bench.read(NFDATA), 0x0302_0100);
        assert_eq!(bench.read_width(NFDATA, 1), 0x04);
        assert_eq!(bench.read_width(NFDATA, 2), 0x0605);
        assert_eq!(bench.complaints(), NONE);
        bench.command(0x80);
        bench.address(&[0, 0, 1, 0]);
        bench.write(NFDATA, 0x4433_2211);
        bench.write_width(NFDATA, 2, 0x6655);
        bench.command(0x10);
        bench.wait();
        let mut bytes = [0; 7];
        Box::new(bench.controller).into_chip().into_image().read(2112, &mut bytes);
        assert_eq!(bytes, [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0xFF]);
    }

    #[test]
    fn ready_level_and_transition() {
        let check = |mode, after_fall, after_rise| {
            let mut bench = Bench::ready(&k9f1g08u0b::PART);
            bench.write(NFCONT, CONTROLLER_ON | mode);
            bench.command(0x00);
            bench.address(&[0; 4]);
            bench.gap = 0;
            bench.command(0x30);
            assert_eq!(bench.read(NFSTAT), RNB, "the old level, before tWB is over");
            bench.now += 100_000;
            assert_eq!(bench.read(NFSTAT), after_fall);
            bench.wait();
            assert_eq!(bench.read_width(NFSTAT, 1), after_rise);
            bench.write(NFSTAT, RNB | NCE_LEVEL);
            assert_eq!(bench.read(NFSTAT), after_rise, "only a one in the flag's place clears it");
            bench.write_width(NFSTAT, 1, RNB_TRANS_DETECT);
            assert_eq!(bench.read(NFSTAT), RNB);
            assert_eq!(bench.complaints(), NONE);
        };
        check(0, 0, RNB | RNB_TRANS_DETECT);
        check(RNB_TRANS_MODE, RNB_TRANS_DETECT, RNB | RNB_TRANS_DETECT);
    }

    #[test]
    fn interrupt_of_a_transition() {
        for enabled in [false, true] {
            let mut bench = Bench::ready(&k9f1g08u0b::PART);
            bench.write(NFCONT, CONTROLLER_ON | if enabled { ENB_RNB_INT } else { 0 });
            bench.command(0xFF);
            assert!(!bench.controller.interrupt(bench.now));
            bench.wait();
            assert_eq!(bench.controller.interrupt(bench.now), enabled);
            bench.write(NFSTAT, RNB_TRANS_DETECT);
            assert!(!bench.controller.interrupt(bench.now));
        }
    }

    #[test]
    fn ecc_of_what_is_read() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.load_page();
        bench.write(NFCONT, MODE | SPARE_ECC_LOCK | INIT_ECC);
        assert_eq!(bench.read(NFCONT), MODE | SPARE_ECC_LOCK);
        bench.read_words(64);
        assert_eq!(bench.read(NFMECC0), 0xF0FF_FFFF);
        // Locked, the code stays as it is.
        bench.read_width(NFDATA, 1);
        let one_more = bench.read_width(NFDATA, 1);
        assert_eq!(one_more, 0x01);
        let code = bench.read(NFMECC0);
        assert_ne!(code, 0xF0FF_FFFF);
        bench.write(NFCONT, MODE | SPARE_ECC_LOCK | MAIN_ECC_LOCK);
        bench.read(NFDATA);
        assert_eq!(bench.read(NFMECC0), code);
        assert_eq!(bench.read(NFMECC1), 0xF0FF_FFFF);
        assert_eq!(bench.read(NFSECC), 0xFCFF_FCFF);
        bench.write(NFCONT, MODE | MAIN_ECC_LOCK);
        bench.read_width(NFDATA, 1);
        assert_eq!(bench.read(NFMECC0), code);
        assert_ne!(bench.read(NFSECC), 0xFCFF_FCFF);
        bench.write(NFCONT, MODE | MAIN_ECC_LOCK | INIT_ECC);
        assert_eq!((bench.read(NFMECC0), bench.read(NFSECC)), (0xF0FF_FFFF, 0xFCFF_FCFF));
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn nfestat0_compares_with_the_stored_code() {
        let check = |stored: [u8; 4], expected| {
            let mut bench = Bench::ready(&k9f1g08u0b::PART);
            bench.load_page();
            bench.write(NFCONT, MODE | SPARE_ECC_LOCK | INIT_ECC);
            // 256 bytes that count up: the code is that of erased ones.
            bench.read_words(64);
            bench.write(NFCONT, CONTROLLER_ON);
            bench.write(NFMECCD0, u32::from(stored[0]) | u32::from(stored[1]) << 16);
            bench.write(NFMECCD1, u32::from(stored[2]) | u32::from(stored[3]) << 16);
            assert_eq!(bench.read(NFESTAT0), expected);
            assert_eq!(bench.read(NFMECCD0), u32::from(stored[0]) | u32::from(stored[1]) << 16);
        };
        check([0xFF, 0xFF, 0xFF, 0xF0], 0);
        check([0x9A, 0x96, 0x96, 0xA0], 0x0000_3231);
        check([0xFE, 0xFF, 0xFF, 0xF0], 3);
        check([0xFC, 0xFF, 0xFF, 0xF0], 2);
    }

    #[test]
    fn nfestat0_of_the_spare_area() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.write(NFCONT, MODE | MAIN_ECC_LOCK | INIT_ECC);
        bench.command(0x00);
        bench.address(&[0, 0, 1, 0]);
        bench.command(0x30);
        bench.wait();
        bench.read_words(4);
        // Stored with byte 15 bit 7 clear, read erased.
        bench.write(NFSECCD, 0x55 | 0x54 << 16);
        assert_eq!(bench.read(NFESTAT0), 15 << 21 | 7 << 18 | 1 << 2);
    }

    #[test]
    fn a_locked_area_is_not_programmed() {
        let check = |lock, page: u32, allowed: bool| {
            let mut bench = Bench::ready(&k9f1g08u0b::PART);
            bench.write(NFSBLK, 64);
            bench.write(NFEBLK, 128 + 0x1F);
            bench.write(NFCONT, CONTROLLER_ON | lock | ENB_ILLEGAL_ACC_INT);
            let row = page.to_le_bytes();
            bench.command(0x60);
            bench.address(&row[..2]);
            bench.command(0xD0);
            assert_eq!(bench.read(NFSTAT) & ILLEGAL_ACCESS == 0, allowed, "{page}");
            assert_eq!(bench.controller.interrupt(bench.now), !allowed);
            assert_eq!(bench.controller.chip().log().erases, u64::from(allowed));
            let expected = format!("nand-lock: command D0h for locked page {page}");
            assert_eq!(bench.complaints(), if allowed { vec![] } else { vec![expected] });
            bench.write(NFSTAT, ILLEGAL_ACCESS);
            assert_eq!(bench.read(NFSTAT) & ILLEGAL_ACCESS, 0);
        };
        check(0, 0, true);
        check(SOFT_LOCK, 0, false);
        check(SOFT_LOCK, 63, false);
        check(SOFT_LOCK, 64, true);
        check(SOFT_LOCK, 127, true);
        check(SOFT_LOCK, 128, false);
        check(LOCK_TIGHT, 0, false);
    }

    #[test]
    fn the_lock_looks_at_the_row_of_a_program() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.write(NFEBLK, 64);
        bench.write(NFCONT, CONTROLLER_ON | SOFT_LOCK);
        for (row, programs) in [([63, 0], 1), ([64, 0], 1)] {
            bench.command(0x80);
            bench.address(&[0xFF, 0x07]);
            bench.address(&row);
            bench.write_width(NFDATA, 1, 0);
            bench.command(0x85);
            bench.address(&[0, 0]);
            bench.write_width(NFDATA, 1, 0);
            bench.command(0x10);
            bench.wait();
            assert_eq!(bench.controller.chip().log().programs, programs);
        }
    }

    #[test]
    fn lock_tight_stays() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        bench.write(NFCONT, CONTROLLER_ON | LOCK_TIGHT);
        bench.write(NFCONT, CONTROLLER_ON);
        assert_eq!(bench.read(NFCONT), CONTROLLER_ON | LOCK_TIGHT);
        bench.write(NFEBLK, 0x20);
        assert_eq!(bench.read(NFEBLK), 0);
        assert_eq!(bench.complaints(), ["register: NFEBLK is written while NFCONT[13] Lock-tight is set"]);
    }

    #[test]
    fn what_linux_does_is_accepted() {
        let mut bench = Bench::ready(&k9f1g08u0b::PART);
        // The probe comes before Linux sets the controller up, and looks for ONFI.
        for address in [0x00, 0x20] {
            bench.command(0xFF);
            bench.wait();
            bench.command(0x90);
            bench.address(&[address]);
            for _ in 0..8 {
                bench.read_width(NFDATA, 1);
            }
        }
        bench.write(NFCONF, 0x0210);
        bench.write(NFCONT, MODE);
        // Reading a step with ECC: initialise by read-modify-write, read words.
        bench.load_page();
        let nfcont = bench.read(NFCONT);
        bench.write(NFCONT, nfcont | INIT_ECC);
        bench.read_words(64);
        assert_eq!(bench.read(NFMECC0) & 0x00FF_FFFF, 0x00FF_FFFF);
        // "Deselect" by read-modify-write.
        let nfcont = bench.read(NFCONT);
        bench.write(NFCONT, nfcont | REG_NCE);
        assert_eq!(bench.read(NFSTAT) & NCE_LEVEL, NCE_LEVEL);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn boot_copy() {
        let image = NandImage::from_bytes((0..2 * 2112).map(|i| (i / 7) as u8).collect());
        let parts = [&k5d2g13acm::PART, &k9f1g08u0b::PART, &k9f2g08u0b::PART];
        for part in parts {
            let mut bench = Bench::with(part, image.clone());
            let clocks = Clocks { fclk: 83_333, hclk: 83_333, pclk: 83_333 };
            let mut now = 0;
            for page in 0..2 {
                let boot = bench.controller.boot_page(page, now, clocks, &mut bench.violations);
                let start = page * 2112;
                assert!(boot.data.iter().zip(start..).all(|(&byte, at)| byte == (at / 7) as u8));
                assert_eq!(boot.data.len(), 2048);
                now = boot.end;
            }
            assert_eq!(bench.complaints(), NONE, "{}", part.name);
            // 4096 bytes of 166.7 ns, twice tR, and the commands.
            assert!((733..745).contains(&(now / 1_000_000)), "{now}");
            assert_eq!(bench.controller.chip().log().reads.len(), 2);
            bench.now = now;
            // Software finds the controller as after reset.
            assert_eq!((bench.read(NFCONT), bench.read(NFSTAT)), (NFCONT_RESET, RNB));
        }
    }
}
