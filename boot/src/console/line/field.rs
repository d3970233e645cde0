//! A line of text on the screen, with a cursor. The cursor is moved by backspaces only, so that it works on
//! any terminal and asks the terminal nothing.

use super::MAX;
use crate::console::Console;
use crate::console::bytes;
use arrayvec::ArrayVec;
use core::ops::Range;

/// The text of a line.
pub type Text = ArrayVec<u8, MAX>;

const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;

/// The line.
pub struct Field {
    text: Text,
    cursor: usize,
}

impl Field {
    pub const fn new() -> Self {
        Self { text: ArrayVec::new_const(), cursor: 0 }
    }

    /// All of it.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What is before the cursor.
    pub fn before(&self) -> &[u8] {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// Where the cursor is.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Forgets the text; the screen is left as it is.
    pub fn forget(&mut self) {
        self.text.clear();
        self.cursor = 0;
    }

    /// Takes the text off the screen, but keeps it.
    pub fn erase(&self, console: &mut Console<'_>) {
        back(console, self.cursor);
        wipe(console, self.text.len());
    }

    /// Shows all of it anew, on a line of the screen where nothing is yet.
    pub fn draw(&self, console: &mut Console<'_>) {
        put(console, &self.text);
        back(console, self.text.len() - self.cursor);
    }

    /// Puts text in at the cursor; what does not fit stays out, with a ring.
    pub fn insert(&mut self, console: &mut Console<'_>, text: &[u8]) {
        let room = self.text.remaining_capacity().min(text.len());
        let (fits, rest) = text.split_at_checked(room).unwrap_or_default();
        if !rest.is_empty() {
            console.put(BELL);
        }
        bytes::put(&mut self.text, self.cursor, fits);
        self.move_to(console, self.cursor + fits.len());
        self.show_tail(console, 0);
    }

    /// Takes a range out; the cursor goes to where it was.
    pub fn remove(&mut self, console: &mut Console<'_>, range: Range<usize>) {
        let end = range.end.min(self.text.len());
        let start = range.start.min(end);
        self.move_to(console, start);
        bytes::cut(&mut self.text, start, end - start);
        self.show_tail(console, end - start);
    }

    /// Replaces all of it.
    pub fn replace(&mut self, console: &mut Console<'_>, text: &[u8]) {
        self.remove(console, 0..MAX);
        self.insert(console, text);
    }

    /// Moves the cursor, at most to the end.
    pub fn move_to(&mut self, console: &mut Console<'_>, to: usize) {
        let to = to.min(self.text.len());
        back(console, self.cursor.saturating_sub(to));
        put(console, self.text.get(self.cursor..to).unwrap_or_default());
        self.cursor = to;
    }

    /// The start of the word before the cursor.
    pub fn word_left(&self) -> usize {
        let before = self.before();
        let blanks = before.iter().rev().take_while(|byte| !is_of_word(byte)).count();
        let word = before.iter().rev().skip(blanks).take_while(|byte| is_of_word(byte)).count();
        self.cursor - blanks - word
    }

    /// The end of the word behind the cursor.
    pub fn word_right(&self) -> usize {
        let behind = self.text.get(self.cursor..).unwrap_or_default();
        let blanks = behind.iter().take_while(|byte| !is_of_word(byte)).count();
        let word = behind.iter().skip(blanks).take_while(|byte| is_of_word(byte)).count();
        self.cursor + blanks + word
    }

    /// Shows what is behind the cursor, wipes `gone` places behind it, and returns.
    fn show_tail(&self, console: &mut Console<'_>, gone: usize) {
        let tail = self.text.get(self.cursor..).unwrap_or_default();
        put(console, tail);
        wipe(console, gone);
        back(console, tail.len());
    }
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

pub fn put(console: &mut Console<'_>, text: &[u8]) {
    text.iter().for_each(|&byte| console.put(byte));
}

pub fn back(console: &mut Console<'_>, by: usize) {
    (0..by).for_each(|_| console.put(BACKSPACE));
}

/// Blanks on so many places, the cursor staying.
pub fn wipe(console: &mut Console<'_>, places: usize) {
    (0..places).for_each(|_| console.put(b' '));
    back(console, places);
}
