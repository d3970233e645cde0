//! Debug unit (DBGU): AT91SAM9260 data sheet, chapter of that name. A UART without FIFO, and the chip's
//! identification.

use crate::bus::{Access, Peripheral, Ps};
use crate::model;
use crate::soc::{Line, no_such_register};
use crate::time::NEVER;

const CR: u32 = 0x00;
const MR: u32 = 0x04;
const IER: u32 = 0x08;
const IDR: u32 = 0x0c;
const IMR: u32 = 0x10;
const SR: u32 = 0x14;
/// Receive holding register.
pub const RHR: u32 = 0x18;
/// Transmit holding register.
pub const THR: u32 = 0x1c;
const BRGR: u32 = 0x20;
const CIDR: u32 = 0x40;
const EXID: u32 = 0x44;
const FNR: u32 = 0x48;
/// Transfer control of the peripheral DMA controller, of which there is only the off switch.
const PTCR: u32 = 0x120;
const PTCR_OFF: u32 = 0x202;
const PTSR: u32 = 0x124;

// CR.
const RSTRX: u32 = 1 << 2;
const RSTTX: u32 = 1 << 3;
const RXEN: u32 = 1 << 4;
const RXDIS: u32 = 1 << 5;
const TXEN: u32 = 1 << 6;
const TXDIS: u32 = 1 << 7;
const RSTSTA: u32 = 1 << 8;
const CR_MASK: u32 = RSTRX | RSTTX | RXEN | RXDIS | TXEN | TXDIS | RSTSTA;

// MR.
const MR_MASK: u32 = 0xce00;
const NO_PARITY: u32 = 4 << 9;

// SR.
const RXRDY: u32 = 1 << 0;
const TXRDY: u32 = 1 << 1;
const TXEMPTY: u32 = 1 << 9;

/// Chip identification of an AT91SAM9260, version 2. Linux (soc/atmel/soc.h), but for the version.
const CHIP: u32 = 0x0198_03a2;

/// The only rate a terminal at a board's console runs at.
const BAUD: u64 = 115_200;
/// Start, eight data and stop bit.
const FRAME_BITS: Ps = 10;

/// The unit.
#[derive(Clone, Debug, Default)]
pub struct DebugUnit {
    mck: Ps,
    mr: u32,
    imr: u32,
    brgr: u32,
    receives: bool,
    transmits: bool,
    rx: Option<u8>,
    /// When the next byte may arrive.
    rx_next: Ps,
    tx: Option<u8>,
    /// The byte in the shifter and when it is out.
    shifting: Option<(u8, Ps)>,
    sent: Vec<u8>,
    polled_empty: bool,
    line_checked: bool,
}

impl DebugUnit {
    /// MCK has changed. Bytes under way keep their speed.
    pub fn set_mck(&mut self, mck: Ps) {
        self.mck = mck;
        self.line_checked = false;
    }

    fn bit_time(&self) -> Ps {
        16 * u64::from(self.brgr) * self.mck
    }

    fn frame_time(&self) -> Ps {
        FRAME_BITS * self.bit_time()
    }

    /// Moves the transmitter on.
    pub fn tick(&mut self, now: Ps) {
        while let Some((byte, end)) = self.shifting.filter(|&(_, end)| end <= now) {
            self.sent.push(byte);
            self.shifting = self.tx.take().map(|next| (next, end + self.frame_time()));
        }
    }

    /// When something happens by itself.
    #[must_use]
    pub fn next_event(&self) -> Ps {
        let sent = self.shifting.map_or(NEVER, |(_, end)| end);
        let received = if self.receives && self.rx.is_none() { self.rx_next } else { NEVER };
        sent.min(received)
    }

    /// Level of the interrupt request.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        self.status() & self.imr != 0
    }

    fn status(&self) -> u32 {
        let flag = |set, bit| if set { bit } else { 0 };
        flag(self.rx.is_some(), RXRDY)
            | flag(self.transmits && self.tx.is_none(), TXRDY)
            | flag(self.transmits && self.tx.is_none() && self.shifting.is_none(), TXEMPTY)
    }

    fn control(&mut self, value: u32, access: &mut Access<'_>) {
        if value & !CR_MASK != 0 {
            access.violation("register", format!("DBGU_CR = {value:08X}: reserved bits are set"));
        }
        if value & RSTRX != 0 {
            self.rx = None;
        }
        if value & RSTTX != 0 {
            (self.tx, self.shifting) = (None, None);
        }
        let switched = |was: bool, reset: u32, on: u32, off: u32| match value {
            _ if value & (off | reset) != 0 && value & on == 0 => false,
            _ if value & off != 0 => false,
            _ => was || value & on != 0,
        };
        self.receives = switched(self.receives, RSTRX, RXEN, RXDIS);
        self.transmits = switched(self.transmits, RSTTX, TXEN, TXDIS);
    }

    fn receive(&mut self, access: &mut Access<'_>) -> u32 {
        match self.rx.take() {
            Some(byte) => {
                self.rx_next = access.now + self.frame_time();
                byte.into()
            }
            None => {
                access.violation("uart", "DBGU_RHR is read while RXRDY is 0");
                0
            }
        }
    }

    fn send(&mut self, byte: u8, access: &mut Access<'_>) {
        if !self.transmits {
            access.violation("uart", "DBGU: a byte is sent with the transmitter off");
            return;
        }
        self.check_line(access);
        if self.tx.is_some() {
            access.violation("uart", "DBGU: a byte is sent while TXRDY is 0");
            return;
        }
        match self.shifting {
            Some(_) => self.tx = Some(byte),
            None => self.shifting = Some((byte, access.now + self.frame_time())),
        }
    }

    fn check_line(&mut self, access: &mut Access<'_>) {
        if std::mem::replace(&mut self.line_checked, true) {
            return;
        }
        let bit = self.bit_time().max(1);
        let baud = (1_000_000_000_000 + bit / 2) / bit;
        if baud.abs_diff(BAUD) * 100 > BAUD * model::BAUD_TOLERANCE_PERCENT {
            access.violation("uart-baud", format!("DBGU sends with {baud} baud, the terminal has {BAUD}"));
        }
        if self.mr != NO_PARITY {
            access.violation("uart-baud", format!("DBGU_MR is {:#x}, the terminal has 8N1", self.mr));
        }
    }
}

impl Line for DebugUnit {
    fn wants_byte(&self, now: Ps) -> bool {
        self.receives && self.rx.is_none() && now >= self.rx_next
    }

    fn offer(&mut self, now: Ps, byte: Option<u8>) {
        match byte {
            Some(byte) => {
                self.rx = Some(byte);
                self.rx_next = NEVER;
            }
            None => self.rx_next = now + self.frame_time(),
        }
    }

    fn take_sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sent)
    }

    fn flush(&mut self) -> Vec<u8> {
        let mut rest = self.take_sent();
        rest.extend(self.shifting.take().map(|(byte, _)| byte));
        rest.extend(self.tx.take());
        rest
    }

    fn take_polled_empty(&mut self) -> bool {
        std::mem::take(&mut self.polled_empty)
    }
}

impl Peripheral for DebugUnit {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        self.tick(access.now);
        match (offset, width) {
            (MR, 4) => self.mr,
            (IMR, 4) => self.imr,
            (SR, 4) => {
                self.polled_empty |= self.rx.is_none();
                self.status()
            }
            (RHR, 1 | 4) => self.receive(access),
            (BRGR, 4) => self.brgr,
            (CIDR, 4) => CHIP,
            (EXID | FNR | PTSR, 4) => 0,
            _ => no_such_register("DBGU", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.tick(access.now);
        match (offset, width) {
            (CR, 4) => self.control(value, access),
            (MR, 4) => {
                self.mr = value & MR_MASK;
                self.line_checked = false;
            }
            (IER, 4) => self.imr |= value,
            (IDR, 4) => self.imr &= !value,
            (THR, 1 | 4) => self.send(value as u8, access),
            (BRGR, 4) => {
                self.brgr = value & 0xffff;
                self.line_checked = false;
            }
            (FNR, 4) => {}
            (PTCR, 4) if value & !PTCR_OFF == 0 => {}
            _ => {
                no_such_register("DBGU", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::time::US;

    const NONE: [&str; 0] = [];
    /// 99.328 MHz.
    const MCK: Ps = 10_068;

    #[derive(Default)]
    struct Bench {
        unit: DebugUnit,
        now: Ps,
        violations: Violations,
    }

    impl Bench {
        fn new(brgr: u32) -> Self {
            let mut bench = Self::default();
            bench.unit.set_mck(MCK);
            for (offset, value) in [(CR, RSTRX | RSTTX), (MR, NO_PARITY), (BRGR, brgr), (CR, RXEN | TXEN)] {
                bench.write(offset, value);
            }
            bench
        }

        fn access<T>(&mut self, act: impl FnOnce(&mut DebugUnit, &mut Access<'_>) -> T) -> T {
            let clocks = Clocks { fclk: MCK, hclk: MCK, pclk: MCK };
            let violations = &mut self.violations;
            act(&mut self.unit, &mut Access { now: self.now, pc: 0, clocks, hold: 0, violations })
        }

        fn write(&mut self, offset: u32, value: u32) {
            self.access(|unit, access| unit.write(offset, 4, value, access));
        }

        fn read(&mut self, offset: u32) -> u32 {
            self.access(|unit, access| unit.read(offset, 4, access))
        }

        fn kinds(&self) -> Vec<&'static str> {
            self.violations.list().iter().map(|violation| violation.kind).collect()
        }
    }

    #[test]
    fn two_bytes_fit() {
        let mut bench = Bench::new(54);
        assert_eq!(bench.read(SR), TXRDY | TXEMPTY);
        bench.write(THR, 0x41);
        assert_eq!(bench.read(SR), TXRDY);
        bench.write(THR, 0x42);
        assert_eq!(bench.read(SR), 0);
        bench.now += 88 * US;
        assert_eq!((bench.read(SR), bench.unit.take_sent()), (TXRDY, vec![0x41]));
        bench.now += 88 * US;
        assert_eq!((bench.read(SR), bench.unit.take_sent()), (TXRDY | TXEMPTY, vec![0x42]));
        assert_eq!(bench.kinds(), NONE);
    }

    #[test]
    fn what_a_terminal_does_not_understand() {
        let check = |act: fn(&mut Bench), expected: &[&str]| {
            let mut bench = Bench::new(54);
            act(&mut bench);
            assert_eq!(bench.kinds(), expected);
        };
        check(
            |bench| {
                bench.write(BRGR, 10);
                bench.write(THR, 0);
            },
            &["uart-baud"],
        );
        check(
            |bench| {
                bench.write(MR, 0);
                bench.write(THR, 0);
            },
            &["uart-baud"],
        );
        check(|bench| (0..3).for_each(|_| bench.write(THR, 0)), &["uart"]);
        check(
            |bench| {
                bench.write(CR, TXDIS);
                bench.write(THR, 0);
            },
            &["uart"],
        );
        check(
            |bench| {
                bench.read(RHR);
            },
            &["uart"],
        );
        check(|bench| bench.write(PTCR, 1), &["register"]);
        check(|bench| bench.write(PTCR, PTCR_OFF), &[]);
    }

    #[test]
    fn bytes_arrive_one_by_one() {
        let mut bench = Bench::new(54);
        assert!(bench.unit.wants_byte(0));
        bench.unit.offer(0, Some(0x61));
        assert!(!bench.unit.wants_byte(US));
        bench.write(IER, RXRDY);
        assert!(bench.unit.interrupt());
        assert_eq!((bench.read(SR) & RXRDY, bench.read(RHR)), (RXRDY, 0x61));
        assert!(!bench.unit.interrupt() && !bench.unit.wants_byte(US) && bench.unit.wants_byte(87 * US));
        assert_eq!(bench.kinds(), NONE);
    }

    #[test]
    fn the_chip_says_what_it_is() {
        assert_eq!(Bench::new(54).read(CIDR) & 0xffff_ffe0, 0x0198_03a0);
    }
}
