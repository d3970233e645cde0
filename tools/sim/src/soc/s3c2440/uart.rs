//! UART: S3C2440A User's Manual, chapter 11. What differs in the family is in [`UartData`].

use std::collections::VecDeque;

use crate::bus::{Access, Peripheral, Ps};
use crate::model;
use crate::soc::{Line, no_such_register};
use crate::time::NEVER;

const ULCON: u32 = 0x00;
const UCON: u32 = 0x04;
const UFCON: u32 = 0x08;
const UMCON: u32 = 0x0c;
const UTRSTAT: u32 = 0x10;
const UERSTAT: u32 = 0x14;
const UFSTAT: u32 = 0x18;
const UMSTAT: u32 = 0x1c;
const UTXH: u32 = 0x20;
const URXH: u32 = 0x24;
const UBRDIV: u32 = 0x28;

/// UERSTAT: an overrun; a byte without its stop bit.
const OVERRUN: u32 = 1 << 0;
const FRAMING: u32 = 1 << 2;

/// What makes the UARTs of a chip.
#[derive(Debug)]
pub struct UartData {
    /// Bytes in each FIFO.
    pub fifo: usize,
    /// Fill levels of the transmitter at or below which it asks, by UFCON\[7:6\].
    pub tx_triggers: [usize; 4],
    /// UFSTAT: the receiver is full, the transmitter is full.
    pub full: [u32; 2],
    /// UFSTAT: where the transmitter's count starts.
    pub tx_count: u32,
    /// Bits of UCON that exist.
    pub ucon: u32,
    /// Registers this chip does not have, writes to which are let pass.
    pub ignored: &'static [u32],
}

/// S3C2440A and S3C2442B.
pub const S3C2440: UartData = UartData {
    fifo: 64,
    tx_triggers: [0, 16, 32, 48],
    full: [1 << 6, 1 << 14],
    tx_count: 8,
    ucon: 0xffff,
    // UDIVSLOT of later chips, which Linux's driver writes on this one too.
    ignored: &[0x2c],
};

/// The only rate a terminal at a board's console runs at.
const BAUD: u64 = 115_200;

/// Interrupt conditions, bits as in SUBSRCPND of UART0.
pub mod interrupt {
    /// Receiver has data.
    pub const RX: u32 = 1;
    /// Transmitter wants data.
    pub const TX: u32 = 2;
}

/// One UART.
#[derive(Clone, Debug)]
pub struct Uart {
    name: &'static str,
    data: &'static UartData,
    pclk: Ps,
    ulcon: u32,
    ucon: u32,
    ufcon: u32,
    umcon: u32,
    ubrdiv: u32,
    /// Bytes, and what UERSTAT says while one is the next to be taken.
    rx: VecDeque<(u8, u32)>,
    /// When the next byte may arrive.
    rx_next: Ps,
    /// When the newest byte arrived, for the receive time-out.
    rx_last: Ps,
    /// A byte arrives only when the one before has been taken.
    rx_waits: bool,
    /// Bytes for which there was no room, since the machine asked.
    lost: u32,
    /// UERSTAT: what does not belong to the next byte.
    errors: u32,
    tx: VecDeque<u8>,
    /// The byte in the shifter and when it is out.
    shifting: Option<(u8, Ps)>,
    sent: Vec<u8>,
    polled_empty: bool,
    baud_checked: bool,
}

impl Uart {
    /// A UART after reset.
    #[must_use]
    pub fn new(name: &'static str, data: &'static UartData) -> Self {
        Self {
            name,
            data,
            pclk: 0,
            ulcon: 0,
            ucon: 0,
            ufcon: 0,
            umcon: 0,
            ubrdiv: 0,
            rx: VecDeque::new(),
            rx_next: 0,
            rx_last: 0,
            rx_waits: true,
            lost: 0,
            errors: 0,
            tx: VecDeque::new(),
            shifting: None,
            sent: Vec::new(),
            polled_empty: false,
            baud_checked: false,
        }
    }

    /// PCLK has changed. Bytes under way keep their speed.
    pub fn set_pclk(&mut self, pclk: Ps) {
        self.pclk = pclk;
        self.baud_checked = false;
    }

    fn bit_time(&self) -> Ps {
        u64::from(self.ubrdiv + 1) * 16 * self.pclk
    }

    fn frame_time(&self) -> Ps {
        let word = u64::from(self.ulcon & 3) + 5;
        let stop = 1 + u64::from(self.ulcon >> 2 & 1);
        let parity = u64::from(self.ulcon >> 5 & 1);
        (1 + word + parity + stop) * self.bit_time()
    }

    fn has_fifo(&self) -> bool {
        self.ufcon & 1 != 0
    }

    fn room(&self) -> usize {
        if self.has_fifo() { self.data.fifo } else { 1 }
    }

    /// Moves the transmitter on.
    pub fn tick(&mut self, now: Ps) {
        while let Some((byte, end)) = self.shifting.filter(|&(_, end)| end <= now) {
            self.sent.push(byte);
            self.shifting = self.tx.pop_front().map(|next| (next, end + self.frame_time()));
        }
    }

    fn can_receive(&self) -> bool {
        self.ucon & 3 == 1 && (self.rx.is_empty() || !self.rx_waits)
    }

    fn uerstat(&mut self) -> u32 {
        let next = self.rx.front_mut().map_or(0, |(_, status)| std::mem::take(status));
        std::mem::take(&mut self.errors) | next
    }

    /// When something happens by itself.
    #[must_use]
    pub fn next_event(&self) -> Ps {
        let sent = self.shifting.map_or(NEVER, |(_, end)| end);
        let received = if self.can_receive() { self.rx_next } else { NEVER };
        sent.min(received)
    }

    /// Level interrupt conditions, see [`interrupt`].
    #[must_use]
    pub fn interrupts(&self) -> u32 {
        let mut conditions = 0;
        // Any received byte asks, as the trigger level or the receive time-out would: the next
        // byte comes only after this one is taken.
        if self.ucon & 3 == 1 && !self.rx.is_empty() {
            conditions |= interrupt::RX;
        }
        let trigger = self.data.tx_triggers[(self.ufcon >> 6 & 3) as usize];
        let low = if self.has_fifo() { self.tx.len() <= trigger } else { self.tx.is_empty() };
        if self.ucon >> 2 & 3 == 1 && low {
            conditions |= interrupt::TX;
        }
        conditions
    }

    fn utrstat(&mut self) -> u32 {
        self.polled_empty |= self.rx.is_empty();
        let empty = self.tx.is_empty();
        u32::from(!self.rx.is_empty())
            | u32::from(empty) << 1
            | u32::from(empty && self.shifting.is_none()) << 2
    }

    fn ufstat(&mut self) -> u32 {
        self.polled_empty |= self.rx.is_empty();
        if !self.has_fifo() {
            return 0;
        }
        let data = self.data;
        let count = |len: usize, full: u32, at: u32| if len == data.fifo { full } else { (len as u32) << at };
        count(self.rx.len(), data.full[0], 0) | count(self.tx.len(), data.full[1], data.tx_count)
    }

    fn receive(&mut self, access: &mut Access<'_>) -> u32 {
        match self.rx.pop_front() {
            Some((byte, status)) => {
                // An error is shown until it is read, even when its byte is gone.
                self.errors |= status;
                if self.rx_next == NEVER {
                    self.rx_next = access.now + self.frame_time();
                }
                byte.into()
            }
            None => {
                access.violation("uart", format!("{}: URXH is read while it is empty", self.name));
                0
            }
        }
    }

    fn send(&mut self, byte: u8, access: &mut Access<'_>) {
        if self.ucon >> 2 & 3 != 1 {
            access.violation("uart", format!("{}: a byte is sent with the transmitter off", self.name));
            return;
        }
        self.check_line(access);
        if self.tx.len() >= self.room() {
            access.violation("uart", format!("{}: a byte is sent into a full transmitter", self.name));
            return;
        }
        match self.shifting {
            Some(_) => self.tx.push_back(byte),
            None => self.shifting = Some((byte, access.now + self.frame_time())),
        }
    }

    fn check_line(&mut self, access: &mut Access<'_>) {
        if std::mem::replace(&mut self.baud_checked, true) {
            return;
        }
        let bit = self.bit_time().max(1);
        let baud = (1_000_000_000_000 + bit / 2) / bit;
        if baud.abs_diff(BAUD) * 100 > BAUD * model::BAUD_TOLERANCE_PERCENT {
            access.violation(
                "uart-baud",
                format!("{} sends with {baud} baud, the terminal has {BAUD}", self.name),
            );
        }
        if self.ulcon & 0x7f & !4 != 3 {
            access.violation(
                "uart-baud",
                format!("{}: ULCON is {:#x}, the terminal has 8N1", self.name, self.ulcon),
            );
        }
    }
}

impl Line for Uart {
    fn wants_byte(&self, now: Ps) -> bool {
        self.can_receive() && now >= self.rx_next
    }

    fn offer(&mut self, now: Ps, byte: Option<u8>) {
        self.rx_next = now + self.frame_time();
        let Some(byte) = byte else { return };
        self.rx_last = now;
        if self.rx.len() >= self.room() {
            self.lost += 1;
            self.errors |= OVERRUN;
            return;
        }
        self.rx.push_back((byte, 0));
        if self.rx_waits {
            self.rx_next = NEVER;
        }
    }

    fn garble(&mut self) {
        if let Some((_, status)) = self.rx.back_mut() {
            *status |= FRAMING;
        }
    }

    fn set_waits(&mut self, waits: bool) {
        self.rx_waits = waits;
    }

    fn take_lost(&mut self) -> u32 {
        std::mem::take(&mut self.lost)
    }

    fn take_sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sent)
    }

    fn flush(&mut self) -> Vec<u8> {
        let mut rest = self.take_sent();
        rest.extend(self.shifting.take().map(|(byte, _)| byte));
        rest.extend(self.tx.drain(..));
        rest
    }

    fn take_polled_empty(&mut self) -> bool {
        std::mem::take(&mut self.polled_empty)
    }
}

impl Peripheral for Uart {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        self.tick(access.now);
        match (offset, width) {
            (ULCON, 4) => self.ulcon,
            (UCON, 4) => self.ucon,
            (UFCON, 4) => self.ufcon,
            (UMCON, 4) => self.umcon,
            (UTRSTAT, _) => self.utrstat(),
            (UERSTAT, _) => self.uerstat(),
            (UFSTAT, _) => self.ufstat(),
            // Clear to send: the terminal always listens.
            (UMSTAT, _) => 1,
            (URXH, 1 | 4) => self.receive(access),
            (UBRDIV, 4) => self.ubrdiv,
            _ => no_such_register(self.name, offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.tick(access.now);
        match (offset, width) {
            (ULCON, 4) => self.ulcon = value & 0x7f,
            (UCON, 4) => self.ucon = value & self.data.ucon,
            (UFCON, 4) => {
                if value & 2 != 0 {
                    self.rx.clear();
                    self.rx_next = self.rx_next.min(access.now);
                }
                if value & 4 != 0 {
                    self.tx.clear();
                }
                self.ufcon = value & 0xf1;
            }
            (UMCON, 4) => self.umcon = value & 0x11,
            (UTXH, 1 | 4) => self.send(value as u8, access),
            (UBRDIV, 4) => self.ubrdiv = value & 0xffff,
            (_, 4) if self.data.ignored.contains(&offset) => {}
            _ => {
                no_such_register(self.name, offset, width, true, access);
            }
        }
        self.baud_checked &= !matches!(offset, ULCON | UBRDIV);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    struct Bench {
        uart: Uart,
        violations: Violations,
    }

    impl Bench {
        /// 115200 8N1 from a PCLK of 50 MHz.
        fn new() -> Self {
            let mut uart = Uart::new("UART0", &S3C2440);
            uart.set_pclk(20_000);
            let mut bench = Self { uart, violations: Violations::default() };
            for (offset, value) in [(ULCON, 3), (UCON, 0x245), (UFCON, 1), (UBRDIV, 26)] {
                bench.write(0, offset, value);
            }
            bench
        }

        fn write(&mut self, now: Ps, offset: u32, value: u32) {
            let clocks = Clocks { fclk: 2_500, hclk: 10_000, pclk: 20_000 };
            let access = &mut Access { now, pc: 0, clocks, hold: 0, violations: &mut self.violations };
            self.uart.write(offset, 4, value, access);
        }

        fn read(&mut self, now: Ps, offset: u32) -> u32 {
            let clocks = Clocks { fclk: 2_500, hclk: 10_000, pclk: 20_000 };
            let access = &mut Access { now, pc: 0, clocks, hold: 0, violations: &mut self.violations };
            self.uart.read(offset, 4, access)
        }
    }

    /// Ten bits of 27 x 16 x 20 ns.
    const FRAME: Ps = 86_400_000;

    #[test]
    fn sending_takes_the_time_of_the_line() {
        let mut bench = Bench::new();
        for byte in *b"abc" {
            bench.write(0, UTXH, byte.into());
        }
        assert_eq!(bench.read(0, UFSTAT), 2 << 8);
        assert_eq!(bench.read(FRAME, UTRSTAT), 0);
        assert_eq!(bench.read(3 * FRAME - 1, UTRSTAT), 2);
        assert_eq!(bench.read(3 * FRAME, UTRSTAT), 6);
        assert_eq!(bench.uart.take_sent(), b"abc");
        assert_eq!(bench.violations.total(), 0);
    }

    #[test]
    fn a_full_fifo_loses_bytes_and_is_reported() {
        let mut bench = Bench::new();
        for _ in 0..66 {
            bench.write(0, UTXH, 0);
        }
        assert_eq!(bench.read(0, UFSTAT), 1 << 14);
        assert_eq!(bench.violations.total(), 1);
        assert_eq!(bench.uart.flush().len(), 65);
    }

    #[test]
    fn bytes_arrive_one_at_a_time() {
        let mut bench = Bench::new();
        assert!(bench.uart.wants_byte(0));
        bench.uart.offer(0, Some(b'x'));
        assert!(!bench.uart.wants_byte(FRAME * 10));
        assert_eq!(bench.read(5, UTRSTAT) & 1, 1);
        assert_eq!(bench.uart.interrupts() & interrupt::RX, interrupt::RX);
        assert_eq!(bench.read(10, URXH), u32::from(b'x'));
        assert!(!bench.uart.wants_byte(FRAME));
        assert!(bench.uart.wants_byte(FRAME + 10));
        bench.uart.offer(FRAME + 10, None);
        assert!(!bench.uart.wants_byte(FRAME + 11));
        assert!(!bench.uart.take_polled_empty());
        assert_eq!(bench.read(FRAME + 11, UTRSTAT) & 1, 0);
        assert!(bench.uart.take_polled_empty());
    }

    #[test]
    fn a_receiver_that_is_full_loses_what_comes() {
        let mut bench = Bench::new();
        bench.uart.set_waits(false);
        for i in 0..66 {
            let now = FRAME * i;
            assert_eq!((bench.uart.next_event(), bench.uart.wants_byte(now)), (now, true));
            bench.uart.offer(now, Some(i as u8));
        }
        assert_eq!((bench.uart.take_lost(), bench.uart.take_lost()), (2, 0));
        assert_eq!(bench.read(FRAME * 66, UFSTAT), 1 << 6);
        assert_eq!([bench.read(FRAME * 66, UERSTAT), bench.read(FRAME * 66, UERSTAT)], [1, 0]);
        for i in 0..64 {
            assert_eq!(bench.read(FRAME * 66, URXH), i);
        }
        assert_eq!(bench.read(FRAME * 66, UFSTAT), 0);
    }

    #[test]
    fn errors_belong_to_the_byte_that_is_next() {
        let mut bench = Bench::new();
        bench.uart.set_waits(false);
        for (i, byte) in (*b"abc").into_iter().enumerate() {
            bench.uart.offer(FRAME * i as Ps, Some(byte));
            if byte == b'b' {
                bench.uart.garble();
            }
        }
        let now = FRAME * 3;
        let expected = [(0, b'a'), (4, b'b'), (0, b'c')];
        assert_eq!(expected.map(|_| (bench.read(now, UERSTAT), bench.read(now, URXH) as u8)), expected);
        bench.uart.offer(now, Some(0));
        bench.uart.garble();
        assert_eq!([URXH, UERSTAT, UERSTAT].map(|at| bench.read(now, at)), [0, 4, 0]);
    }

    #[test]
    fn misuse_is_reported() {
        let check = |writes: &[(u32, u32)], kind| {
            let mut bench = Bench::new();
            for &(offset, value) in writes {
                bench.write(0, offset, value);
            }
            let kinds: Vec<_> = bench.violations.list().iter().map(|violation| violation.kind).collect();
            assert_eq!(kinds, [kind], "{writes:x?}");
        };
        check(&[(UCON, 0), (UTXH, 1)], "uart");
        check(&[(UBRDIV, 35), (UTXH, 1)], "uart-baud");
        check(&[(ULCON, 0x23), (UTXH, 1)], "uart-baud");
        check(&[(0x30, 0)], "register");
        let mut bench = Bench::new();
        bench.read(0, URXH);
        assert_eq!(bench.violations.total(), 1);
    }

    #[test]
    fn the_transmitter_asks_at_its_trigger_level() {
        let mut bench = Bench::new();
        assert_eq!(bench.uart.interrupts(), interrupt::TX);
        bench.write(0, UFCON, 0x41);
        for _ in 0..18 {
            bench.write(0, UTXH, 0);
        }
        assert_eq!(bench.uart.interrupts(), 0);
        bench.read(FRAME, UTRSTAT);
        assert_eq!(bench.uart.interrupts(), interrupt::TX);
    }
}
