//! The serial console: text out, keys in.

pub mod autoboot;
pub mod bytes;
pub mod complete;
pub mod fault;
pub mod flash;
pub mod history;
pub mod keys;
pub mod line;
pub mod prompt;
pub mod report;
pub mod shell;
pub mod start;
pub mod state;

use core::fmt;
use keys::Keys;
use platform::hal::Serial;
use platform::units::Hz;

/// Ctrl-C.
const INTERRUPT: u8 = 0x03;

/// A console on a serial port.
///
/// The port keeps 16 received bytes on some boards, 1.4 ms of a text that is pasted. So whatever is done here
/// takes them out of it first: even where only output waits for the line, input does not.
pub struct Console<'a> {
    serial: &'a mut dyn Serial,
    waiting: &'a mut Keys,
    lost: u32,
    interruptible: bool,
}

impl<'a> Console<'a> {
    /// A console on this port; `waiting` outlives an exception, so that a paste does as well.
    pub fn new(serial: &'a mut dyn Serial, waiting: &'a mut Keys) -> Self {
        Self { serial, waiting, lost: 0, interruptible: true }
    }

    /// Sends one byte; a newline becomes carriage return and newline.
    pub fn put(&mut self, byte: u8) {
        if byte == b'\n' {
            self.send(b'\r');
        }
        self.send(byte);
    }

    fn send(&mut self, byte: u8) {
        self.receive();
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
        self.receive();
        self.waiting.pop()
    }

    /// Is a key waiting? It stays where it is.
    pub fn key_waiting(&mut self) -> bool {
        self.receive();
        !self.waiting.is_empty()
    }

    /// Is a key waiting that a keyboard sends? What is before it is taken for noise and dropped.
    pub fn clean_key_waiting(&mut self) -> bool {
        self.receive();
        while let Some(key) = self.waiting.first() {
            if matches!(key, 1..0x80) {
                return true;
            }
            self.waiting.pop();
        }
        false
    }

    /// The next such key, if there is one.
    pub fn clean_key(&mut self) -> Option<u8> {
        if self.clean_key_waiting() { self.waiting.pop() } else { None }
    }

    /// Whether Ctrl-C ends commands. It does unless told otherwise.
    pub fn set_interruptible(&mut self, on: bool) {
        self.interruptible = on;
    }

    /// Did the user press Ctrl-C? What was typed before it is dropped, other keys are
    /// kept for the prompt. Commands ask whenever they are between two pieces of work.
    pub fn interrupted(&mut self) -> bool {
        self.receive();
        self.interruptible && self.waiting.drop_through(INTERRUPT)
    }

    /// The port itself.
    pub fn raw(&mut self) -> Raw<'_, 'a> {
        Raw(self)
    }

    /// How many keys found no room since this was asked last.
    pub fn take_lost(&mut self) -> u32 {
        core::mem::take(&mut self.lost)
    }

    /// Takes what the port has. When there is no room for it, it is lost, as it would be in the port a
    /// moment later; but not Ctrl-C, which makes room.
    fn receive(&mut self) {
        while let Some(key) = self.serial.get() {
            if key == INTERRUPT && self.waiting.is_full() {
                self.waiting.clear();
            }
            self.lost = self.lost.saturating_add((!self.waiting.push(key)).into());
        }
    }
}

/// The port behind a console, for protocols that are no text. What was received before comes first.
pub struct Raw<'a, 'b>(&'a mut Console<'b>);

impl Serial for Raw<'_, '_> {
    fn put(&mut self, byte: u8) {
        // It may have to wait for the line. What comes meanwhile is kept if there is room.
        if let Some(byte) = self.0.serial.get() {
            self.0.waiting.push(byte);
        }
        self.0.serial.put(byte);
    }
    fn get(&mut self) -> Option<u8> {
        self.0.waiting.pop().or_else(|| self.0.serial.get())
    }
    fn flush(&mut self) {
        self.0.serial.flush();
    }
    fn set_baud(&mut self, clock: Hz, baud: u32) -> bool {
        self.0.serial.set_baud(clock, baud)
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
    use super::keys::TYPE_AHEAD;
    use super::prompt::Prompt;
    use super::*;
    use crate::cmd::Context;
    use crate::mock::{Board, MockSerial};
    use std::collections::VecDeque;
    use std::vec::Vec;

    #[test]
    fn newlines_return_the_carriage() {
        let mut serial = MockSerial::default();
        write!(Console::new(&mut serial, &mut Keys::new()), "a\n{}\n", 5);
        assert_eq!(serial.output, b"a\r\n5\r\n");
    }

    #[test]
    fn an_interrupt_drops_what_came_before_it_only() {
        let mut serial = MockSerial::default();
        serial.input.extend(*b"md\x03he");
        let mut keys = Keys::new();
        let mut console = Console::new(&mut serial, &mut keys);
        assert!(console.interrupted());
        assert!(!console.interrupted());
        assert!(console.key_waiting());
        assert_eq!([console.key(), console.key(), console.key()], [Some(b'h'), Some(b'e'), None]);
    }

    #[test]
    fn noise_is_told_from_keys() {
        let mut serial = MockSerial::default();
        serial.input.extend(*b"\0\xff\x80a\0b\0");
        let mut keys = Keys::new();
        let mut console = Console::new(&mut serial, &mut keys);
        assert!(console.clean_key_waiting());
        assert_eq!(
            [console.clean_key(), console.clean_key(), console.clean_key()],
            [Some(b'a'), Some(b'b'), None]
        );
        assert!(!console.key_waiting());
    }

    #[test]
    fn an_interrupt_may_have_to_wait() {
        let mut serial = MockSerial::default();
        serial.input.push_back(INTERRUPT);
        let mut keys = Keys::new();
        let mut console = Console::new(&mut serial, &mut keys);
        console.set_interruptible(false);
        assert!(!console.interrupted());
        console.set_interruptible(true);
        assert!(console.interrupted());
    }

    #[test]
    fn keys_beyond_the_type_ahead_are_counted() {
        let mut serial = MockSerial::default();
        serial.input.extend((0..TYPE_AHEAD + 44).map(|i| b'0' + (i % 10) as u8));
        let mut keys = Keys::new();
        let mut console = Console::new(&mut serial, &mut keys);
        assert!(!console.interrupted());
        for i in 0..TYPE_AHEAD {
            assert_eq!(console.key(), Some(b'0' + (i % 10) as u8), "key {i}");
        }
        assert_eq!(console.key(), None);
        assert_eq!([console.take_lost(), console.take_lost()], [44, 0]);
    }

    #[test]
    fn an_interrupt_is_not_lost() {
        let mut serial = MockSerial::default();
        serial.input.extend([b'x'; TYPE_AHEAD + 1]);
        serial.input.extend(*b"\x03y");
        let mut keys = Keys::new();
        let mut console = Console::new(&mut serial, &mut keys);
        assert!(console.interrupted());
        assert_eq!([console.key(), console.key()], [Some(b'y'), None]);
    }

    /// A port at 115200 baud both ways, with FIFOs: what a byte more is received into when it is full is lost.
    struct Line {
        typed: std::vec::IntoIter<u8>,
        received: VecDeque<u8>,
        sending: usize,
        lost: usize,
    }

    /// Bytes of a FIFO of the S3C2410.
    const FIFO: usize = 16;

    impl Line {
        /// The time that a byte takes on the line passes.
        fn pass(&mut self) {
            self.sending = self.sending.saturating_sub(1);
            match self.typed.next() {
                Some(_) if self.received.len() == FIFO => self.lost += 1,
                Some(byte) => self.received.push_back(byte),
                None => {}
            }
        }
    }

    impl Serial for Line {
        fn put(&mut self, _: u8) {
            while self.sending == FIFO {
                self.pass();
            }
            self.sending += 1;
        }
        fn get(&mut self) -> Option<u8> {
            self.received.pop_front()
        }
        fn flush(&mut self) {}
    }

    #[test]
    fn a_pasted_script_is_not_lost_whatever_is_printed_meanwhile() {
        let script: Vec<u8> =
            (0..60).flat_map(|i| std::format!("help; setenv v{i} {i}\r").into_bytes()).collect();
        let mut line = Line { typed: script.into_iter(), received: VecDeque::new(), sending: 0, lost: 0 };
        let mut board = Board::new();
        {
            let Board { keys, nand, memory, machine, clock, state, .. } = &mut board;
            let console = Console::new(&mut line, keys);
            let mut ctx = Context::new(console, nand, memory, machine, clock, state);
            let mut prompt = Prompt::start(&mut ctx);
            // Time passes by output alone, so that whatever arrives has to be fetched by it.
            for _ in 0..2000 {
                prompt.poll(&mut ctx);
                ctx.console.put(b'.');
            }
            assert_eq!(ctx.console.take_lost(), 0);
        }
        assert_eq!(line.lost, 0);
        assert_eq!(board.state.env.iter().count(), 60);
    }
}
