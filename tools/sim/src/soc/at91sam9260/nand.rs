//! The window to the NAND on chip select 3 of the external bus: AT91SAM9260 data sheet, chapters on the
//! external bus interface and the static memory controller. There is no NAND controller: loads and
//! stores become cycles on the bus, address line 21 is ALE and 22 is CLE.

use super::ecc::EccUnit;
use super::smc::Shape;
use crate::bus::{Access, Ps};
use crate::part::Chip;

/// First address, and length up to the highest line that means something.
pub const WINDOW: (u32, u32) = (0x4000_0000, 0x0080_0000);

const ALE: u32 = 1 << 21;
const CLE: u32 = 1 << 22;

/// The chip behind the window.
#[derive(Debug)]
pub struct NandWindow {
    chip: Chip,
    bus_time: Ps,
    /// The chip may drive the data lines until then.
    floats_at: Ps,
}

impl NandWindow {
    /// A window to this chip.
    #[must_use]
    pub fn new(chip: Chip) -> Self {
        Self { chip, bus_time: 0, floats_at: 0 }
    }

    /// The chip.
    #[must_use]
    pub fn chip(&self) -> &Chip {
        &self.chip
    }

    /// The chip, for its nCE pin and for the boot ROM.
    pub fn chip_mut(&mut self) -> &mut Chip {
        &mut self.chip
    }

    /// Gives the chip back.
    #[must_use]
    pub fn into_chip(self) -> Chip {
        self.chip
    }

    /// How long byte cycles have taken so far.
    #[must_use]
    pub fn bus_time(&self) -> Ps {
        self.bus_time
    }

    /// More byte cycles, of the boot ROM.
    pub fn add_bus_time(&mut self, time: Ps) {
        self.bus_time += time;
    }

    /// When the data lines are free for another chip select.
    #[must_use]
    pub fn floats_at(&self) -> Ps {
        self.floats_at
    }

    /// A load from the window: as many byte cycles as it is wide, the lowest byte first.
    pub fn read(
        &mut self,
        address: u32,
        width: u8,
        shape: &Shape,
        ecc: &mut EccUnit,
        access: &mut Access<'_>,
    ) -> u32 {
        if address & (ALE | CLE) != 0 {
            access.violation("nand-protocol", format!("read at {address:#010x} with ALE or CLE high"));
            return u32::MAX;
        }
        let (count, pulse) = (u32::from(width), shape.read);
        let time = Ps::from(count) * pulse.data_cycle();
        access.hold = time;
        self.bus_time += time;
        self.floats_at = access.now + time + shape.float;
        self.check_float(shape, access);
        let value = self.chip.read(count, access.now, pulse, access);
        value.to_le_bytes().into_iter().take(width.into()).for_each(|byte| ecc.data(byte, true));
        value & (u32::MAX >> (32 - 8 * count))
    }

    /// The chip lets go of the data lines before somebody else drives them.
    fn check_float(&self, shape: &Shape, access: &mut Access<'_>) {
        let (given, limit) = (shape.read.high + shape.float, self.chip.part().timing.t_rhz_max);
        if given < limit.ps() {
            let text = format!(
                "tRHZ: {} ns given by hold and TDF, {} needs {} ns ({})",
                given as f64 / 1000.0,
                self.chip.part().name,
                limit.ns,
                limit.source
            );
            access.violation("nand-timing", text);
        }
    }

    /// A store to the window: as many byte cycles as it is wide, the lowest byte first.
    pub fn write(
        &mut self,
        address: u32,
        width: u8,
        value: u32,
        shape: &Shape,
        ecc: &mut EccUnit,
        access: &mut Access<'_>,
    ) {
        let pulse = shape.write;
        let start = access.now.max(self.floats_at);
        let cycle = pulse.data_cycle();
        access.hold = start - access.now + Ps::from(width) * cycle;
        self.bus_time += Ps::from(width) * cycle;
        let bytes = value.to_le_bytes().into_iter().take(width.into());
        let cycles = bytes.zip((start..).step_by(cycle.max(1) as usize));
        match address & (ALE | CLE) {
            0 => {
                bytes_to_ecc(value, width, ecc);
                self.chip.write(value, width.into(), start, pulse, access);
            }
            CLE => cycles.for_each(|(byte, at)| {
                ecc.command(byte);
                self.chip.command(byte, at, pulse, access);
            }),
            ALE => cycles.for_each(|(byte, at)| self.chip.address(byte, at, pulse, access)),
            _ => access.violation("nand-protocol", format!("write at {address:#010x} with ALE and CLE high")),
        }
    }
}

fn bytes_to_ecc(value: u32, width: u8, ecc: &mut EccUnit) {
    value.to_le_bytes().into_iter().take(width.into()).for_each(|byte| ecc.data(byte, false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Peripheral, Violations};
    use crate::part::{Faults, NandImage, Part, Pulse, k9f2g08u0b, mt29f2g08aac};

    const MCK: Ps = 10_068;
    const NONE: [&str; 0] = [];
    const DATA: u32 = WINDOW.0;

    /// Set-up, pulse and hold in MCK, and TDF.
    fn shape([setup, low, high, tdf]: [u64; 4]) -> Shape {
        let pulse = Pulse { setup: setup * MCK, data_setup: setup * MCK, low: low * MCK, high: high * MCK };
        Shape { read: pulse, write: pulse, float: (tdf + 1) * MCK }
    }

    struct Bench {
        window: NandWindow,
        ecc: EccUnit,
        shape: Shape,
        now: Ps,
        pc: u32,
        violations: Violations,
    }

    impl Bench {
        /// nCE low; byte i of page p is i + p.
        fn new(part: &'static Part, shape: Shape) -> Self {
            let bytes = (0..64 * 2112).map(|i| (i % 2112 + i / 2112) as u8).collect();
            let chip = Chip::new(part, NandImage::from_bytes(bytes), Faults::default()).expect("fits");
            let (window, ecc) = (NandWindow::new(chip), EccUnit::default());
            let mut bench =
                Self { window, ecc, shape, now: 1_000_000, pc: 0, violations: Violations::default() };
            bench.act(|bench, access| {
                bench.0.chip_mut().select(true, access);
                bench.1.write(4, 4, 2, access);
            });
            bench
        }

        fn act<T>(
            &mut self,
            act: impl FnOnce((&mut NandWindow, &mut EccUnit), &mut Access<'_>) -> T,
        ) -> (T, Ps) {
            self.pc += 4;
            let clocks = Clocks { fclk: MCK / 2, hclk: MCK, pclk: MCK };
            let mut access =
                Access { now: self.now, pc: self.pc, clocks, hold: 0, violations: &mut self.violations };
            let result = act((&mut self.window, &mut self.ecc), &mut access);
            let hold = access.hold;
            self.now += hold + 200_000;
            (result, hold)
        }

        fn write(&mut self, address: u32, width: u8, value: u32) -> Ps {
            let shape = self.shape;
            self.act(|(window, ecc), access| window.write(address, width, value, &shape, ecc, access)).1
        }

        fn read(&mut self, width: u8) -> (u32, Ps) {
            let shape = self.shape;
            self.act(|(window, ecc), access| window.read(DATA, width, &shape, ecc, access))
        }

        fn start_page(&mut self, page: u32) {
            self.write(DATA | CLE, 1, 0x00);
            [0, 0, page, 0, 0].into_iter().for_each(|byte| {
                self.write(DATA | ALE, 1, byte);
            });
            self.write(DATA | CLE, 1, 0x30);
            self.now = self.now.max(self.window.chip().busy_edges().1) + 200_000;
        }

        fn complaints(&mut self) -> Vec<String> {
            let violations = std::mem::take(&mut self.violations);
            violations.list().iter().map(|it| format!("{}: {}", it.kind, it.detail)).collect()
        }

        /// The first words of what is complained about, each once.
        fn parameters(&mut self) -> Vec<String> {
            let mut names: Vec<String> = self
                .complaints()
                .iter()
                .map(|text| text.split(": ").nth(1).expect(text).to_owned())
                .collect();
            names.sort();
            names.dedup();
            names
        }
    }

    const FIELD: [u64; 4] = [1, 3, 1, 2];

    #[test]
    fn a_page_by_words() {
        let mut bench = Bench::new(&mt29f2g08aac::PART, shape(FIELD));
        bench.start_page(3);
        assert_eq!(bench.read(4), (0x0605_0403, 20 * MCK));
        assert_eq!(bench.read(2), (0x0807, 10 * MCK));
        assert_eq!(bench.read(1), (0x09, 5 * MCK));
        assert_eq!(bench.window.bus_time(), (7 + 7) * 5 * MCK);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn the_address_lines_are_the_latches() {
        let mut bench = Bench::new(&mt29f2g08aac::PART, shape(FIELD));
        bench.write(DATA | CLE | 0x1234, 1, 0x90);
        bench.write(DATA | ALE | 4, 1, 0);
        assert_eq!(bench.read(2).0, 0xda2c);
        assert_eq!(bench.complaints(), NONE);
        // Two cycles: the second command comes right behind the first.
        assert_eq!(bench.write(DATA | CLE, 2, 0x7070), 10 * MCK);
        assert_eq!(bench.complaints(), NONE);
        bench.write(DATA | CLE | ALE, 1, 0);
        bench.act(|(window, ecc), access| window.read(DATA | CLE, 1, &shape(FIELD), ecc, access));
        assert_eq!(bench.complaints().len(), 2);
    }

    #[test]
    fn settings_against_the_parts() {
        let check = |part, setting: [u64; 4], expected: &[&str]| {
            let mut bench = Bench::new(part, shape(setting));
            bench.start_page(0);
            bench.read(4);
            assert_eq!(bench.parameters(), expected, "{} {setting:?}", part.name);
        };
        let (micron, samsung) = (&mt29f2g08aac::PART, &k9f2g08u0b::PART);
        check(micron, FIELD, &[]);
        check(micron, [0, 3, 2, 1], &[]);
        check(micron, [0, 3, 1, 1], &["tRC", "tREH", "tWC", "tWH"]);
        check(micron, [1, 2, 2, 2], &["tREA", "tRP", "tWP"]);
        check(micron, [1, 3, 1, 0], &["tRHZ"]);
        check(micron, [2, 3, 0, 2], &["tALH", "tCLH", "tDH"]);
        check(samsung, [0, 2, 1, 8], &[]);
        check(samsung, [0, 2, 1, 7], &["tRHZ"]);
        check(samsung, [0, 1, 2, 9], &["tALS", "tCLS", "tDS", "tREA", "tRP", "tWP"]);
    }

    #[test]
    fn a_write_waits_until_the_chip_has_let_go() {
        let mut bench = Bench::new(&mt29f2g08aac::PART, shape([1, 3, 1, 9]));
        bench.start_page(0);
        bench.read(4);
        assert_eq!(bench.window.floats_at(), bench.now - 200_000 + 10 * MCK);
        bench.now -= 200_000;
        assert_eq!(bench.write(DATA | CLE, 1, 0xff), (10 + 5) * MCK);
    }

    #[test]
    fn the_ecc_unit_sees_data_only() {
        let mut bench = Bench::new(&mt29f2g08aac::PART, shape(FIELD));
        bench.start_page(0);
        (0..512).for_each(|_| {
            bench.read(4);
        });
        // Bytes that count up: even parities everywhere.
        let parities = bench.act(|(_, ecc), access| [0x0c, 0x10].map(|at| ecc.read(at, 4, access))).0;
        assert_eq!((parities, bench.complaints()), ([0, 0], vec![]));
    }
}
