//! Looking for a line typed before, by a part of it.

use super::field::{back, put, wipe};
use crate::console::Console;
use crate::console::bytes::find;
use crate::console::history::History;
use arrayvec::ArrayVec;

/// Longest part to look for.
const PART: usize = 64;
const BELL: u8 = 0x07;

/// A search going on.
pub struct Search {
    part: ArrayVec<u8, PART>,
    /// How many lines ago the line was that is shown; 0 if there is none.
    ago: usize,
    /// Places on the screen that are taken.
    shown: usize,
}

impl Search {
    /// Nothing to look for yet.
    pub const fn new() -> Self {
        Self { part: ArrayVec::new_const(), ago: 0, shown: 0 }
    }

    /// The line that was found, or nothing.
    pub fn found<'h>(&self, history: &'h History) -> &'h [u8] {
        history.back(self.ago).unwrap_or_default()
    }

    /// Looks for a part that is one character longer.
    pub fn longer(&mut self, console: &mut Console<'_>, history: &History, key: u8) {
        if self.part.try_push(key).is_err() {
            return console.put(BELL);
        }
        self.look(console, history, self.ago.max(1));
    }

    /// Looks for a part that is one character shorter, from the last line on.
    pub fn shorter(&mut self, console: &mut Console<'_>, history: &History) {
        self.part.pop();
        self.look(console, history, 1);
    }

    /// Looks further back.
    pub fn further(&mut self, console: &mut Console<'_>, history: &History) {
        self.look(console, history, self.ago + 1);
    }

    /// Takes the first line from `from` lines ago on that holds the part; if there is none, what is shown
    /// stays, with a ring.
    fn look(&mut self, console: &mut Console<'_>, history: &History, from: usize) {
        let lines = history.lines().rev().enumerate().skip(from - 1);
        let mut matching = lines.filter(|(_, line)| find(line, &self.part).is_some());
        match matching.next() {
            _ if self.part.is_empty() => self.ago = 0,
            Some((number, _)) => self.ago = number + 1,
            None => console.put(BELL),
        }
        self.draw(console, history);
    }

    /// Shows the part and the line over what was shown before.
    pub fn draw(&mut self, console: &mut Console<'_>, history: &History) {
        self.erase(console);
        let found = self.found(history);
        for piece in [b"(reverse-i-search)`", self.part.as_slice(), b"': ", found] {
            put(console, piece);
            self.shown += piece.len();
        }
    }

    /// Leaves the screen as it was before the search.
    pub fn erase(&mut self, console: &mut Console<'_>) {
        back(console, self.shown);
        wipe(console, self.shown);
        self.shown = 0;
    }
}
