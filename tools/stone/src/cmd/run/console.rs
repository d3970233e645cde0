//! The other end of the board's console UART.

use super::{pty, terminal};
use crate::Result;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::Receiver;

/// What comes from a keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A byte for the board.
    Byte(u8),
    /// The run shall end.
    Quit,
}

/// Types a script, then what comes from a keyboard if there is one, and shows what
/// the board sends.
pub struct Console {
    typed: VecDeque<u8>,
    keys: Option<Receiver<Key>>,
    quit: bool,
    screen: Box<dyn Write>,
    /// Puts the terminal back when the console is dropped.
    _terminal: Option<terminal::Raw>,
}

impl Console {
    /// Shows the output on the standard output, without a keyboard.
    pub fn output_only(script: Vec<u8>) -> Self {
        Self {
            typed: script.into(),
            keys: None,
            quit: false,
            screen: Box::new(io::stdout()),
            _terminal: None,
        }
    }

    /// The terminal this runs on, keyboard and screen.
    pub fn terminal(script: Vec<u8>) -> Result<Self> {
        eprintln!("[serial console: Ctrl-] or Ctrl-A x ends the run]");
        let (raw, keys) = terminal::open()?;
        Ok(Self { keys: Some(keys), _terminal: Some(raw), ..Self::output_only(script) })
    }

    /// A new pseudo terminal.
    pub fn pty(script: Vec<u8>) -> Result<Self> {
        let (name, screen, keys) = pty::open()?;
        eprintln!("[serial console on {name}: Enter here ends the run]");
        Ok(Self { keys: Some(keys), screen: Box::new(screen), ..Self::output_only(script) })
    }

    /// Whether a person may be typing.
    pub fn is_live(&self) -> bool {
        self.keys.is_some()
    }

    /// Whether a person ended the run.
    pub fn was_quit(&self) -> bool {
        self.quit
    }

    /// Takes what the keyboard has.
    fn poll(&mut self) {
        while let Some(Ok(key)) = self.keys.as_ref().map(Receiver::try_recv) {
            match key {
                Key::Byte(byte) => self.typed.push_back(byte),
                Key::Quit => self.quit = true,
            }
        }
    }
}

impl sim::Console for Console {
    fn output(&mut self, bytes: &[u8]) {
        // A screen that is gone does not end the run.
        let _ = self.screen.write_all(bytes).and_then(|()| self.screen.flush());
    }

    fn input(&mut self) -> Option<u8> {
        self.poll();
        self.typed.pop_front()
    }

    /// Looks at the keyboard as well: a board that hangs asks for no input.
    fn stop(&mut self) -> bool {
        self.poll();
        self.quit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Console as _;
    use std::sync::mpsc::channel;

    #[test]
    fn the_keyboard_comes_after_the_script() {
        let (keyboard, keys) = channel();
        let mut console = Console { keys: Some(keys), ..Console::output_only(b"ab".to_vec()) };
        keyboard.send(Key::Byte(b'c')).unwrap();
        assert_eq!([(); 4].map(|()| console.input()), [Some(b'a'), Some(b'b'), Some(b'c'), None]);
        assert!(!console.stop());
        keyboard.send(Key::Quit).unwrap();
        assert!(console.stop() && console.was_quit());
        drop(keyboard);
        assert_eq!(console.input(), None);
    }
}
