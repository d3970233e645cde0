//! The serial line as a transfer sees it.

use super::{INTERRUPT, TransferError};
use platform::hal::{Clock, Serial};

/// A serial line, and a clock for waits.
pub struct Port<'a> {
    serial: &'a mut dyn Serial,
    clock: &'a mut dyn Clock,
    ticks_per_ms: u64,
}

impl<'a> Port<'a> {
    /// A line.
    pub fn new(serial: &'a mut dyn Serial, clock: &'a mut dyn Clock) -> Self {
        let ticks_per_ms = u64::from(clock.rate().0.div_ceil(1000));
        Self { serial, clock, ticks_per_ms }
    }

    /// The next byte; `None` when none has come for so long.
    pub fn byte(&mut self, limit_ms: u32) -> Option<u8> {
        if let Some(byte) = self.serial.get() {
            return Some(byte);
        }
        let end = self.clock.ticks().saturating_add(u64::from(limit_ms) * self.ticks_per_ms);
        loop {
            // Looked at once more after the time is up: who looks seldom may be the one who is late.
            let late = self.clock.ticks() > end;
            let byte = self.serial.get();
            if byte.is_some() || late {
                return byte;
            }
        }
    }

    /// Drops what comes until nothing has come for so long.
    ///
    /// # Errors
    /// [`TransferError::Damage`] when bytes come without end.
    pub fn quiet(&mut self, limit_ms: u32) -> Result<(), TransferError> {
        // A minute at 115200.
        const MOST: u32 = 60 * 11_520;
        for _ in 0..MOST {
            if self.byte(limit_ms).is_none() {
                return Ok(());
            }
        }
        Err(TransferError::Damage)
    }

    /// Gives the line back to the console once it is quiet, or with Ctrl-C.
    pub fn rest(&mut self, limit_ms: u32) {
        while self.byte(limit_ms).is_some_and(|byte| byte != INTERRUPT) {}
    }

    /// Sends bytes.
    pub fn send(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.serial.put(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockSerial;
    use platform::units::Hz;

    struct Millis(u64);

    impl Clock for Millis {
        fn ticks(&mut self) -> u64 {
            self.0 += 1;
            self.0
        }
        fn rate(&self) -> Hz {
            Hz(1000)
        }
    }

    #[test]
    fn waits_no_longer_than_told() {
        let (mut serial, mut clock) = (MockSerial::default(), Millis(7));
        serial.input.extend(*b"xy");
        let mut port = Port::new(&mut serial, &mut clock);
        assert_eq!([port.byte(0), port.byte(9), port.byte(100)], [Some(b'x'), Some(b'y'), None]);
        assert!((107..=110).contains(&clock.0), "{}", clock.0);
    }

    #[test]
    fn drops_what_comes() {
        let (mut serial, mut clock) = (MockSerial::default(), Millis(0));
        serial.input.extend(*b"abc");
        Port::new(&mut serial, &mut clock).quiet(5).unwrap();
        serial.input.extend(*b"ab\x03help");
        Port::new(&mut serial, &mut clock).rest(5);
        assert_eq!(serial.input, b"help");
    }

    #[test]
    fn noise_without_end_is_given_up() {
        struct Noise;
        impl Serial for Noise {
            fn put(&mut self, _: u8) {}
            fn get(&mut self) -> Option<u8> {
                Some(0x55)
            }
            fn flush(&mut self) {}
        }
        let mut clock = Millis(0);
        assert_eq!(Port::new(&mut Noise, &mut clock).quiet(5), Err(TransferError::Damage));
    }
}
