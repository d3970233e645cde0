//! Error corrected code controller (ECC): AT91SAM9260 data sheet, chapter of that name. It watches the bus
//! to the NAND and keeps one code a page, which corrects one bit and detects two.

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

const CR: u32 = 0x00;
const MR: u32 = 0x04;
const SR: u32 = 0x08;
const PR: u32 = 0x0c;
const NPR: u32 = 0x10;

const RST: u32 = 1 << 0;

// SR.
const RECERR: u32 = 1 << 0;
const ECCERR: u32 = 1 << 1;
const MULERR: u32 = 1 << 2;

/// Bytes of a stored code.
const CODE: usize = 4;

/// The commands that begin a page, to and from the chip.
const BEGIN: [u8; 2] = [0x00, 0x80];

/// Parities by position: bit n of `set` covers the bits whose position has bit n set, bit n of `clear`
/// the others. A position is the bit's number in its byte (2..0) and the byte's in the page (14..4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Parities {
    set: u16,
    clear: u16,
}

impl Parities {
    fn update(&mut self, byte: u8, index: u32, positions: u16) {
        let parity = |mask: u8| u16::from((byte & mask).count_ones() as u8 & 1);
        self.set ^= parity(0xaa) | parity(0xcc) << 1 | parity(0xf0) << 2;
        self.clear ^= parity(0x55) | parity(0x33) << 1 | parity(0x0f) << 2;
        if parity(0xff) != 0 {
            let index = (index << 4) as u16;
            self.set ^= index;
            self.clear ^= !index & positions & !7;
        }
    }

    /// PR and NPR, low bytes first: how the codes are stored.
    fn of_code(code: [u8; CODE]) -> Self {
        let [a, b, c, d] = code;
        Self { set: u16::from_le_bytes([a, b]), clear: u16::from_le_bytes([c, d]) }
    }
}

/// Compares parities with stored ones: SR. `difference` covers these positions.
fn status(difference: Parities, positions: u16) -> u32 {
    let Parities { set, clear } = difference;
    if set ^ clear == positions && set & clear == 0 {
        return RECERR;
    }
    match set.count_ones() + clear.count_ones() {
        0 => 0,
        1 => RECERR | ECCERR,
        // That RECERR is set as well is recall: drivers look at it first.
        _ => RECERR | MULERR,
    }
}

/// Where the unit is in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No page has begun since the reset.
    Idle,
    /// So many data bytes have gone by.
    Data(u32),
    /// So many bytes of the stored code have.
    Code(usize),
    /// SR, PR and NPR tell.
    Compared,
}

/// The unit.
#[derive(Clone, Debug)]
pub struct EccUnit {
    mr: u32,
    state: State,
    parities: Parities,
    code: [u8; CODE],
    sr: u32,
}

impl Default for EccUnit {
    fn default() -> Self {
        Self { mr: 0, state: State::Idle, parities: Parities::default(), code: [0; CODE], sr: 0 }
    }
}

impl EccUnit {
    /// Data bytes of a page.
    fn page(&self) -> u32 {
        512 << self.mr
    }

    /// Position bits that a page of this size uses.
    fn positions(&self) -> u16 {
        7 | ((self.page() - 1) << 4) as u16
    }

    fn begin(&mut self) {
        *self = Self { mr: self.mr, state: State::Data(0), ..Self::default() };
    }

    /// A command byte goes to the chip.
    pub fn command(&mut self, byte: u8) {
        if BEGIN.contains(&byte) {
            self.begin();
        }
    }

    /// A data byte goes to or comes from the chip.
    pub fn data(&mut self, byte: u8, read: bool) {
        match self.state {
            State::Data(count) => {
                self.parities.update(byte, count, self.positions());
                let through = count + 1 == self.page();
                self.state = if through { State::Code(0) } else { State::Data(count + 1) };
            }
            State::Code(count) if read => {
                self.code[count] = byte;
                self.state = State::Code(count + 1);
                if count + 1 == CODE {
                    self.compare();
                }
            }
            State::Idle | State::Code(_) | State::Compared => {}
        }
    }

    fn compare(&mut self) {
        let stored = Parities::of_code(self.code);
        let Parities { set, clear } = self.parities;
        self.parities = Parities { set: set ^ stored.set, clear: clear ^ stored.clear };
        self.sr = status(self.parities, self.positions());
        self.state = State::Compared;
    }

    fn check_status(&self, access: &mut Access<'_>) {
        if matches!(self.state, State::Data(_) | State::Code(_)) {
            access.violation("ecc", format!("ECC_SR is read before the stored code: {:?}", self.state));
        }
    }

    fn check_parity(&self, name: &str, access: &mut Access<'_>) {
        if let State::Data(count) = self.state {
            let text = format!("{name} is read after {count} of {} data bytes", self.page());
            access.violation("ecc", text);
        }
    }
}

impl Peripheral for EccUnit {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (MR, 4) => self.mr,
            (SR, 4) => {
                self.check_status(access);
                self.sr
            }
            (PR, 4) => {
                self.check_parity("ECC_PR", access);
                self.parities.set.into()
            }
            (NPR, 4) => {
                self.check_parity("ECC_NPR", access);
                self.parities.clear.into()
            }
            _ => no_such_register("ECC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (CR, 4) if value == RST => self.begin(),
            (MR, 4) if value <= 3 => {
                let under_way = matches!(self.state, State::Data(1..) | State::Code(1..));
                if under_way && value != self.mr {
                    access.violation("ecc", "ECC_MR is changed in the middle of a page");
                }
                self.mr = value;
            }
            _ => {
                no_such_register("ECC", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::soc::vectors::{cleared, quadratic, xorshift};

    const NONE: [&str; 0] = [];

    fn with_access<T>(act: impl FnOnce(&mut Access<'_>) -> T) -> (T, Vec<&'static str>) {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        let result = act(&mut Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations });
        (result, violations.list().iter().map(|violation| violation.kind).collect())
    }

    fn read(unit: &mut EccUnit, offset: u32) -> (u32, Vec<&'static str>) {
        with_access(|access| unit.read(offset, 4, access))
    }

    fn registers(unit: &mut EccUnit) -> [u32; 3] {
        [SR, PR, NPR].map(|offset| {
            let (value, kinds) = read(unit, offset);
            assert_eq!(kinds, NONE);
            value
        })
    }

    /// A unit for large pages that has seen a read command and these bytes.
    fn after(data: &[u8]) -> EccUnit {
        let mut unit = EccUnit { mr: 2, ..EccUnit::default() };
        unit.command(0x00);
        data.iter().for_each(|&byte| unit.data(byte, true));
        unit
    }

    /// What is to be stored for a page.
    fn code(data: &[u8]) -> [u8; CODE] {
        let mut unit = after(data);
        let [pr, npr] = [PR, NPR].map(|offset| read(&mut unit, offset).0 as u16);
        let ([a, b], [c, d]) = (pr.to_le_bytes(), npr.to_le_bytes());
        [a, b, c, d]
    }

    fn compared(data: &[u8], code: [u8; CODE]) -> [u32; 3] {
        let mut unit = after(data);
        code.iter().for_each(|&byte| unit.data(byte, true));
        registers(&mut unit)
    }

    #[test]
    fn positions_of_single_bits() {
        let check = |byte: usize, bit: u8, pr: u16, npr: u16| {
            let [a, b] = pr.to_le_bytes();
            let [c, d] = npr.to_le_bytes();
            assert_eq!(code(&cleared(2048, byte, bit)), [a, b, c, d], "{byte}, {bit}");
        };
        // FFh throughout has even parities: what is left is the position of the one zero.
        assert_eq!(code(&[0xff; 2048]), [0; CODE]);
        check(0, 0, 0, 0x7ff7);
        check(0, 7, 7, 0x7ff0);
        check(1, 0, 0x10, 0x7fe7);
        check(2047, 7, 0x7ff7, 0);
        check(1024, 3, 0x4003, 0x3ff4);
    }

    #[test]
    fn every_data_bit_is_located() {
        let data = xorshift(2048);
        let code = code(&data);
        assert_eq!(compared(&data, code), [0, 0, 0]);
        for flip in 0..2048 * 8 {
            let (byte, bit) = (flip / 8, flip % 8);
            let mut flipped = data.clone();
            flipped[byte] ^= 1 << bit;
            let position = (byte << 4 | bit) as u32;
            assert_eq!(compared(&flipped, code), [RECERR, position, !position & 0x7ff7], "{flip}");
        }
    }

    #[test]
    fn a_flip_in_the_code_is_told_apart() {
        let data = quadratic(2048);
        let code = code(&data);
        for flip in 0..32 {
            let mut flipped = code;
            flipped[flip / 8] ^= 1 << (flip % 8);
            assert_eq!(compared(&data, flipped)[0], RECERR | ECCERR, "{flip}");
        }
    }

    #[test]
    fn two_flips_are_never_corrected() {
        let data = xorshift(2048);
        let stored = code(&data);
        let bits = 8 * (data.len() + CODE);
        for n in 0..4000 {
            let flips = [n * 4099 % bits, (n * 7919 + 1) % bits];
            let (mut data, mut code) = (data.clone(), stored);
            for flip in flips {
                let (byte, mask) = (flip / 8, 1 << (flip % 8));
                match byte.checked_sub(2048) {
                    None => data[byte] ^= mask,
                    Some(byte) => code[byte] ^= mask,
                }
            }
            let expected = if flips[0] == flips[1] { 0 } else { RECERR | MULERR };
            assert_eq!(compared(&data, code)[0], expected, "{flips:?}");
        }
    }

    #[test]
    fn an_erased_page_looks_like_many_errors() {
        assert_eq!(compared(&[0xff; 2048], [0xff; CODE]), [RECERR | MULERR, 0xffff, 0xffff]);
    }

    #[test]
    fn a_command_or_a_reset_begins_a_page() {
        let check = |begin: fn(&mut EccUnit)| {
            let mut unit = after(&[0x12; 100]);
            begin(&mut unit);
            quadratic(2048).into_iter().for_each(|byte| unit.data(byte, true));
            assert_eq!(unit.parities, after(&quadratic(2048)).parities);
        };
        check(|unit| unit.command(0x00));
        check(|unit| unit.command(0x80));
        check(|unit| with_access(|access| unit.write(CR, 4, RST, access)).0);
        // These do not.
        let mut unit = after(&[0x12; 100]);
        [0x30, 0x05, 0xe0, 0x70, 0x10].into_iter().for_each(|byte| unit.command(byte));
        assert_eq!(unit.state, State::Data(100));
    }

    #[test]
    fn what_follows_counts_on_reads_only() {
        let mut unit = after(&[0xff; 2047]);
        unit.data(0xfe, false);
        let parities = unit.parities;
        [1, 2, 3, 4, 5].into_iter().for_each(|byte| unit.data(byte, false));
        assert_eq!((unit.parities, unit.state), (parities, State::Code(0)));
        // And no more than four bytes.
        [0; 64].into_iter().for_each(|byte| unit.data(byte, true));
        assert_eq!(unit.state, State::Compared);
        assert_eq!(unit.parities, parities);
    }

    #[test]
    fn sizes_of_pages() {
        let check = |mr, bytes: usize| {
            let mut unit = EccUnit { mr, ..EccUnit::default() };
            unit.command(0x00);
            (0..bytes).for_each(|_| unit.data(0xff, true));
            assert_eq!(unit.state, State::Code(0), "{bytes}");
        };
        [512, 1024, 2048, 4096].into_iter().zip(0..).for_each(|(bytes, mr)| check(mr, bytes));
    }

    #[test]
    fn too_early_is_reported() {
        let mut unit = after(&[0; 2047]);
        assert_eq!((read(&mut unit, PR).1, read(&mut unit, SR).1), (vec!["ecc"], vec!["ecc"]));
        unit.data(0, true);
        assert_eq!((read(&mut unit, NPR).1, read(&mut unit, SR).1), (vec![], vec!["ecc"]));
        assert_eq!(with_access(|access| unit.write(MR, 4, 0, access)).1, NONE);
        let mut unit = after(&[0; 10]);
        assert_eq!(with_access(|access| unit.write(MR, 4, 0, access)).1, ["ecc"]);
        assert_eq!(with_access(|access| unit.write(PR, 4, 0, access)).1, ["register"]);
        assert_eq!(with_access(|access| unit.read(SR, 1, access)).1, ["register"]);
    }
}
