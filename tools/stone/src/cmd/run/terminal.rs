//! The terminal that `stone` runs on, as a keyboard for the board.

use super::console::Key;
use crate::{Error, Result};
use rustix::termios::{OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// Whether there is a person at both ends.
pub fn is_one() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// A terminal that hands over every key, until this is dropped.
pub struct Raw {
    before: Termios,
}

impl Drop for Raw {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}

/// Takes the terminal over; its keys come out of the channel.
pub fn open() -> Result<(Raw, Receiver<Key>)> {
    let failed = |e: rustix::io::Errno| Error::new(format!("cannot take over the terminal: {e}"));
    let before = tcgetattr(io::stdin()).map_err(failed)?;
    let mut raw = before.clone();
    raw.make_raw();
    // A line feed alone still starts a new line at the left.
    raw.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    tcsetattr(io::stdin(), OptionalActions::Flush, &raw).map_err(failed)?;

    let (sender, keys) = channel();
    thread::spawn(move || {
        let mut escape = Escape::default();
        for byte in io::stdin().lock().bytes() {
            let key = byte.map_or(Some(Key::Quit), |byte| escape.key(byte));
            let quit = key == Some(Key::Quit);
            if key.is_some_and(|key| sender.send(key).is_err()) || quit {
                return;
            }
        }
        // The terminal was closed. Nobody listens any more, or everybody should know.
        let _ = sender.send(Key::Quit);
    });
    Ok((Raw { before }, keys))
}

/// Recognises the keys that end the run.
#[derive(Default)]
struct Escape {
    after_ctrl_a: bool,
}

impl Escape {
    /// What a typed byte means; Ctrl-A is kept back until the next one.
    fn key(&mut self, byte: u8) -> Option<Key> {
        const CTRL_A: u8 = 0x01;
        const CTRL_CLOSING_BRACKET: u8 = 0x1d;
        let after_ctrl_a = std::mem::take(&mut self.after_ctrl_a);
        match byte {
            CTRL_CLOSING_BRACKET => Some(Key::Quit),
            b'x' if after_ctrl_a => Some(Key::Quit),
            CTRL_A if !after_ctrl_a => {
                self.after_ctrl_a = true;
                None
            }
            _ => Some(Key::Byte(byte)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_keys_that_end_the_run() {
        let check = |typed: &[u8], expected: &[Key]| {
            let mut escape = Escape::default();
            let keys: Vec<_> = typed.iter().filter_map(|&byte| escape.key(byte)).collect();
            assert_eq!(keys, expected, "{typed:?}");
        };
        check(b"ax", &[Key::Byte(b'a'), Key::Byte(b'x')]);
        check(b"\x1d", &[Key::Quit]);
        check(b"\x01x", &[Key::Quit]);
        // Ctrl-A twice types one.
        check(b"\x01\x01x", &[Key::Byte(1), Key::Byte(b'x')]);
    }
}
