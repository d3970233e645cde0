//! The serial console: text out, keys in.

pub mod fault;
pub mod line;
pub mod report;
pub mod shell;
pub mod start;

use arrayvec::ArrayVec;
use core::fmt;
use platform::hal::Serial;

/// Ctrl-C.
const INTERRUPT: u8 = 0x03;
/// Keys kept while a command runs. When that many wait, the rest stays in the port.
const TYPE_AHEAD: usize = 256;

/// A console on a serial port.
pub struct Console<'a> {
    serial: &'a mut dyn Serial,
    waiting: ArrayVec<u8, TYPE_AHEAD>,
}

impl<'a> Console<'a> {
    /// A console on this port.
    pub fn new(serial: &'a mut dyn Serial) -> Self {
        Self { serial, waiting: ArrayVec::new() }
    }

    /// Sends one byte; a newline becomes carriage return and newline.
    pub fn put(&mut self, byte: u8) {
        if byte == b'\n' {
            self.serial.put(b'\r');
        }
        self.serial.put(byte);
    }

    /// What `write!` and `writeln!` call. A serial port cannot fail.
    pub fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) {
        // An error could only come from a Display of ours, and those never make one up.
        let _ = fmt::write(&mut Text(self), arguments);
    }

    /// Waits until everything has left the port.
    pub fn flush(&mut self) {
        self.serial.flush();
    }

    /// The next key, if there is one.
    pub fn key(&mut self) -> Option<u8> {
        self.waiting.pop_at(0).or_else(|| self.serial.get())
    }

    /// Is a key waiting? It stays where it is.
    pub fn key_waiting(&mut self) -> bool {
        self.receive();
        !self.waiting.is_empty()
    }

    /// Did the user press Ctrl-C? What was typed before it is dropped, other keys are
    /// kept for the prompt. Commands ask whenever they are between two pieces of work.
    pub fn interrupted(&mut self) -> bool {
        self.receive();
        let Some(at) = self.waiting.iter().position(|&key| key == INTERRUPT) else { return false };
        self.waiting.drain(..=at);
        true
    }

    fn receive(&mut self) {
        while !self.waiting.is_full() {
            let Some(key) = self.serial.get() else { return };
            self.waiting.push(key);
        }
    }
}

struct Text<'a, 'b>(&'a mut Console<'b>);

impl fmt::Write for Text<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.0.put(byte));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockSerial;

    #[test]
    fn newlines_return_the_carriage() {
        let mut serial = MockSerial::default();
        write!(Console::new(&mut serial), "a\n{}\n", 5);
        assert_eq!(serial.output, b"a\r\n5\r\n");
    }

    #[test]
    fn an_interrupt_drops_what_came_before_it_only() {
        let mut serial = MockSerial::default();
        serial.input.extend(*b"md\x03he");
        let mut console = Console::new(&mut serial);
        assert!(console.interrupted());
        assert!(!console.interrupted());
        assert!(console.key_waiting());
        assert_eq!([console.key(), console.key(), console.key()], [Some(b'h'), Some(b'e'), None]);
    }

    #[test]
    fn keys_beyond_the_type_ahead_stay_in_the_port() {
        let mut serial = MockSerial::default();
        serial.input.extend((0..TYPE_AHEAD + 44).map(|i| b'0' + (i % 10) as u8));
        let mut console = Console::new(&mut serial);
        assert!(!console.interrupted());
        for i in 0..TYPE_AHEAD + 44 {
            assert_eq!(console.key(), Some(b'0' + (i % 10) as u8), "key {i}");
        }
        assert_eq!(console.key(), None);
    }
}
