//! The other end of the board's console UART.

use super::{pty, terminal};
use crate::Result;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

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
    script: VecDeque<u8>,
    typed: VecDeque<u8>,
    keys: Option<Receiver<Key>>,
    pace: Pace,
    quit: bool,
    screen: Box<dyn Write>,
    /// Puts the terminal back when the console is dropped.
    _terminal: Option<terminal::Raw>,
}

impl Console {
    /// Shows the output on the standard output, without a keyboard.
    pub fn output_only(script: Vec<u8>) -> Self {
        Self {
            script: script.into(),
            typed: VecDeque::new(),
            keys: None,
            pace: Pace::new(),
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
            self.take(key);
        }
    }

    fn take(&mut self, key: Key) {
        match key {
            Key::Byte(byte) => self.typed.push_back(byte),
            Key::Quit => self.quit = true,
        }
    }
}

/// Keeps a board that waits from running ahead of those it waits for. A board that works takes as
/// long as simulating it does.
struct Pace {
    last: Instant,
    ahead: Duration,
}

impl Pace {
    /// Sleeps that are shorter cost more than they are worth.
    const LEAST: Duration = Duration::from_millis(1);

    fn new() -> Self {
        Self { last: Instant::now(), ahead: Duration::ZERO }
    }

    /// Lets time pass in the host, and `skipped` on the board: how far that is ahead now.
    fn advance(&mut self, skipped: Duration) -> Duration {
        let now = Instant::now();
        self.ahead = (self.ahead + skipped).saturating_sub(now - self.last);
        self.last = now;
        self.ahead
    }
}

impl sim::Console for Console {
    fn output(&mut self, bytes: &[u8]) {
        // A screen that is gone does not end the run.
        let _ = self.screen.write_all(bytes).and_then(|()| self.screen.flush());
    }

    fn input(&mut self) -> Option<u8> {
        self.poll();
        self.script.pop_front().or_else(|| self.typed.pop_front())
    }

    /// A script waits for the board; those at a keyboard do not.
    fn waits(&self) -> bool {
        !self.script.is_empty() || self.keys.is_none()
    }

    /// The next key ends the wait.
    fn idle(&mut self, ns: u64) {
        let ahead = self.pace.advance(Duration::from_nanos(ns));
        let Some(keys) = self.keys.as_ref().filter(|_| ahead >= Pace::LEAST && self.typed.is_empty()) else {
            return;
        };
        if let Ok(key) = keys.recv_timeout(ahead) {
            self.take(key);
        }
        self.pace.advance(Duration::ZERO);
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
    fn a_board_that_waits_waits_in_the_host_as_well() {
        let (keyboard, keys) = channel();
        let mut console = Console { keys: Some(keys), ..Console::output_only(Vec::new()) };
        let start = Instant::now();
        (0..100).for_each(|_| console.idle(200_000));
        assert!(start.elapsed() > Duration::from_millis(15), "{:?}", start.elapsed());
        // But not for a key that is there.
        keyboard.send(Key::Byte(b'x')).unwrap();
        console.idle(60_000_000_000);
        assert_eq!(console.input(), Some(b'x'));
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn only_a_script_waits_for_the_board() {
        let (_keyboard, keys) = channel();
        let mut console = Console { keys: Some(keys), ..Console::output_only(b"a".to_vec()) };
        assert!(console.waits());
        console.input();
        assert!(!console.waits());
        assert!(Console::output_only(Vec::new()).waits());
    }

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
