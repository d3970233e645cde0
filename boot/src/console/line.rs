//! The line editor. It moves the cursor with backspaces only, so that it works on
//! any terminal and asks the terminal nothing.

use super::{Console, INTERRUPT};
use arrayvec::ArrayVec;

/// Longest line in bytes.
pub const MAX: usize = 255;
/// Lines remembered.
const HISTORY: usize = 16;

const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;
const ESCAPE: u8 = 0x1b;
const DELETE: u8 = 0x7f;

type Line = ArrayVec<u8, MAX>;

/// What a key completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line; [`Editor::line`] has it until the next key.
    Line,
    /// Ctrl-C: there is nothing to run.
    Interrupt,
}

/// Where in an escape sequence of the terminal the last key was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    None,
    Escape,
    /// Behind `ESC [` or `ESC O`, with the number seen so far.
    Code(u8),
}

/// An edited line and those before it.
pub struct Editor {
    line: Line,
    cursor: usize,
    sequence: Sequence,
    last: u8,
    done: bool,
    history: ArrayVec<Line, HISTORY>,
    /// The line of the history that is shown; its length for the new line.
    recalled: usize,
}

impl Editor {
    /// An empty line.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            line: ArrayVec::new_const(),
            cursor: 0,
            sequence: Sequence::None,
            last: 0,
            done: false,
            history: ArrayVec::new_const(),
            recalled: 0,
        }
    }

    /// The line as it stands.
    #[must_use]
    pub fn line(&self) -> &str {
        // Only printable ASCII gets in.
        core::str::from_utf8(&self.line).unwrap_or_default()
    }

    /// Takes a key and shows what it does.
    pub fn key(&mut self, console: &mut Console<'_>, key: u8) -> Option<Event> {
        if core::mem::take(&mut self.done) {
            self.line.clear();
            self.cursor = 0;
        }
        let last = core::mem::replace(&mut self.last, key);
        match (self.sequence, key) {
            (Sequence::None, b'\n') if last == b'\r' => {}
            (Sequence::None, b'\r' | b'\n') => return Some(self.enter(console)),
            (Sequence::None, INTERRUPT) => {
                writeln!(console, "<INTERRUPT>");
                self.recalled = self.history.len();
                self.done = true;
                return Some(Event::Interrupt);
            }
            (Sequence::None, ESCAPE) => self.sequence = Sequence::Escape,
            (Sequence::None, _) => self.edit(console, key),
            (Sequence::Escape, b'[' | b'O') => self.sequence = Sequence::Code(0),
            (Sequence::Escape, _) => self.sequence = Sequence::None,
            (Sequence::Code(code), b'0'..=b'9') => {
                self.sequence = Sequence::Code(code.wrapping_mul(10).wrapping_add(key - b'0'));
            }
            (Sequence::Code(_), b';') => self.sequence = Sequence::Code(0),
            (Sequence::Code(code), _) => {
                self.sequence = Sequence::None;
                self.edit(console, meaning(code, key));
            }
        }
        None
    }

    fn edit(&mut self, console: &mut Console<'_>, key: u8) {
        const fn ctrl(letter: u8) -> u8 {
            letter & 0x1f
        }
        const A: u8 = ctrl(b'A');
        const B: u8 = ctrl(b'B');
        const D: u8 = ctrl(b'D');
        const E: u8 = ctrl(b'E');
        const F: u8 = ctrl(b'F');
        const K: u8 = ctrl(b'K');
        const N: u8 = ctrl(b'N');
        const P: u8 = ctrl(b'P');
        const U: u8 = ctrl(b'U');
        match key {
            b' '..=b'~' => self.insert(console, key),
            BACKSPACE | DELETE if self.cursor > 0 => {
                self.left(console, 1);
                self.delete(console);
            }
            D => self.delete(console),
            A => self.left(console, self.cursor),
            B => self.left(console, 1),
            E => self.right(console, MAX),
            F => self.right(console, 1),
            K => self.replace_from(console, self.cursor, &[]),
            N => self.recall(console, self.recalled + 1),
            P if self.recalled > 0 => self.recall(console, self.recalled - 1),
            U => self.replace_from(console, 0, &[]),
            _ => {}
        }
    }

    fn enter(&mut self, console: &mut Console<'_>) -> Event {
        console.put(b'\n');
        if !self.line.is_empty() && self.history.last() != Some(&self.line) {
            if self.history.is_full() {
                self.history.remove(0);
            }
            self.history.push(self.line.clone());
        }
        self.recalled = self.history.len();
        self.done = true;
        Event::Line
    }

    fn insert(&mut self, console: &mut Console<'_>, key: u8) {
        if self.line.try_insert(self.cursor, key).is_err() {
            return console.put(BELL);
        }
        self.right(console, 1);
        self.show_tail(console, 0);
    }

    fn delete(&mut self, console: &mut Console<'_>) {
        if self.line.pop_at(self.cursor).is_some() {
            self.show_tail(console, 1);
        }
    }

    fn left(&mut self, console: &mut Console<'_>, by: usize) {
        let by = by.min(self.cursor);
        self.cursor -= by;
        (0..by).for_each(|_| console.put(BACKSPACE));
    }

    fn right(&mut self, console: &mut Console<'_>, by: usize) {
        let to = self.cursor.saturating_add(by).min(self.line.len());
        self.line.iter().take(to).skip(self.cursor).for_each(|&byte| console.put(byte));
        self.cursor = to;
    }

    /// Shows what is behind the cursor, wipes `gone` places behind it, and returns.
    fn show_tail(&self, console: &mut Console<'_>, gone: usize) {
        let tail = self.line.iter().skip(self.cursor);
        let shown = tail.len() + gone;
        tail.for_each(|&byte| console.put(byte));
        (0..gone).for_each(|_| console.put(b' '));
        (0..shown).for_each(|_| console.put(BACKSPACE));
    }

    /// Replaces the line from `from` on by `text`, and goes to its end.
    fn replace_from(&mut self, console: &mut Console<'_>, from: usize, text: &[u8]) {
        self.left(console, self.cursor.saturating_sub(from));
        let gone = self.line.len().saturating_sub(self.cursor);
        self.line.truncate(self.cursor);
        self.show_tail(console, gone);
        // Lines of the history are no longer than a line.
        let _ = self.line.try_extend_from_slice(text);
        self.right(console, MAX);
    }

    fn recall(&mut self, console: &mut Console<'_>, number: usize) {
        if number > self.history.len() {
            return;
        }
        self.recalled = number;
        let text = self.history.get(number).cloned().unwrap_or_default();
        self.replace_from(console, 0, &text);
    }
}

impl Default for Editor {
    fn default() -> Self {
        Self::new()
    }
}

/// The control key that an escape sequence stands for; 0 for one without a meaning.
fn meaning(code: u8, end: u8) -> u8 {
    let letter = match (code, end) {
        (_, b'A') => b'P',
        (_, b'B') => b'N',
        (_, b'C') => b'F',
        (_, b'D') => b'B',
        (_, b'H') | (1 | 7, b'~') => b'A',
        (_, b'F') | (4 | 8, b'~') => b'E',
        (3, b'~') => b'D',
        _ => return 0,
    };
    letter & 0x1f
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::MockSerial;
    use std::string::{String, ToString};
    use std::vec::Vec;

    /// What a terminal shows after some output: its last line, and the cursor's column.
    fn screen(output: &[u8]) -> (String, usize) {
        let (mut line, mut column) = (Vec::new(), 0);
        for &byte in output {
            match byte {
                b'\r' => column = 0,
                b'\n' => line.clear(),
                BACKSPACE => column -= 1,
                BELL => {}
                _ => {
                    line.resize(line.len().max(column + 1), b' ');
                    line[column] = byte;
                    column += 1;
                }
            }
        }
        (String::from_utf8(line).unwrap().trim_end().to_string(), column)
    }

    /// Types keys; the line, and the screen, must be as expected, with `|` the cursor.
    fn check(keys: &str, expected: &str) {
        let (mut serial, mut editor) = (MockSerial::default(), Editor::new());
        for key in keys.bytes() {
            editor.key(&mut Console::new(&mut serial), key);
        }
        let cursor = expected.find('|').unwrap();
        let text = expected.replace('|', "");
        assert_eq!(editor.line(), text, "{keys:?}");
        assert_eq!(screen(&serial.output), (text.trim_end().to_string(), cursor), "{keys:?}");
    }

    #[test]
    fn edits() {
        check("", "|");
        check("help", "help|");
        check("helo\x08\x7flp", "help|");
        check("\x08\x7fx", "x|");
        check("hlp\x1b[D\x1b[De", "he|lp");
        check("elp\x01h", "h|elp");
        check("elp\x1b[1~h\x05!", "help!|");
        check("abc\x02\x02\x7f", "|bc");
        check("abc\x02\x02\x04", "a|c");
        check("abc\x1b[H\x1b[3~", "|bc");
        check("abc\x1bOD\x1bOD\x1bOC\x0b", "ab|");
        check("abc\x02\x15", "|");
        check("abc\x1b[D\x1b[D\x15x", "x|");
        check("abc\x06\x06\x1b[C", "abc|");
        check("a\x00\x1b[5~\x1bzb\u{1}", "|ab");
    }

    #[test]
    fn bytes_that_are_no_text_stay_out() {
        let (mut serial, mut editor) = (MockSerial::default(), Editor::new());
        for key in 0x80..=0xff {
            assert_eq!(editor.key(&mut Console::new(&mut serial), key), None);
        }
        assert_eq!((editor.line(), serial.output.len()), ("", 0));
    }

    #[test]
    fn a_full_line_rings() {
        let (mut serial, mut editor) = (MockSerial::default(), Editor::new());
        for _ in 0..MAX + 1 {
            editor.key(&mut Console::new(&mut serial), b'x');
        }
        assert_eq!(editor.line().len(), MAX);
        assert_eq!(serial.output.last(), Some(&BELL));
    }

    #[test]
    fn remembers_lines() {
        check("one\rtwo\r\x10", "two|");
        check("one\rtwo\r\x10\x10", "one|");
        check("one\rtwo\r\x10\x10\x10\x0e", "two|");
        check("one\rtwo\r\x1b[A\x1b[A\x1b[B\x1b[B", "|");
        check("one\rone\r\r\x10\x10\x10", "one|");
        check("one\rtw\x03\x10", "one|");
        let many: String = (0..HISTORY + 3).map(|i| std::format!("{i}\r")).collect();
        check(&(many + &"\x10".repeat(99)), "3|");
    }

    #[test]
    fn any_line_end_ends_a_line_once() {
        let events = |keys: &[u8]| {
            let (mut serial, mut editor) = (MockSerial::default(), Editor::new());
            keys.iter().filter_map(|&key| editor.key(&mut Console::new(&mut serial), key)).collect::<Vec<_>>()
        };
        assert_eq!(events(b"a\rb\nc\r\n"), [Event::Line; 3]);
        assert_eq!(events(b"\r\r\n\n"), [Event::Line; 3]);
        assert_eq!(events(b"ab\x03"), [Event::Interrupt]);
    }
}
