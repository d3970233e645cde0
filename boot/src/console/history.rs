//! Lines typed before.

use super::bytes::cut;
use arrayvec::ArrayVec;
use core::str;

/// Bytes of all lines together, a byte more for each.
const BYTES: usize = 8192;

/// As many of the last lines as there is room for, the oldest first.
pub struct History {
    /// Lines, a line end behind each.
    text: ArrayVec<u8, BYTES>,
}

impl History {
    /// No lines.
    #[must_use]
    pub const fn new() -> Self {
        Self { text: ArrayVec::new_const() }
    }

    /// Adds a line, unless it is empty or the same as the last; the oldest make room for it.
    pub fn add(&mut self, line: &[u8]) {
        if line.is_empty() || line.len() >= BYTES || self.lines().next_back() == Some(line) {
            return;
        }
        while self.text.remaining_capacity() <= line.len() {
            let oldest = self.lines().next().map_or(0, <[u8]>::len) + 1;
            cut(&mut self.text, 0, oldest);
        }
        let _ = self.text.try_extend_from_slice(line);
        let _ = self.text.try_push(b'\n');
    }

    /// The lines, the oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        let text = self.text.strip_suffix(b"\n");
        text.into_iter().flat_map(|text| text.split(|&byte| byte == b'\n'))
    }

    /// The lines as text.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        // Only printable ASCII can be typed.
        self.lines().map(|line| str::from_utf8(line).unwrap_or_default())
    }

    /// The line so many lines ago, 1 being the last.
    #[must_use]
    pub fn back(&self, by: usize) -> Option<&[u8]> {
        self.lines().rev().nth(by.checked_sub(1)?)
    }
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn remembers_in_order() {
        let mut history = History::new();
        assert_eq!((history.lines().count(), history.back(1)), (0, None));
        for line in ["one", "", "two", "two", "one"] {
            history.add(line.as_bytes());
        }
        assert_eq!(history.texts().collect::<Vec<_>>(), ["one", "two", "one"]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|by| history.back(by)),
            [None, Some(&b"one"[..]), Some(b"two"), Some(b"one"), None]
        );
    }

    #[test]
    fn the_oldest_make_room() {
        let mut history = History::new();
        for number in 0..10_000 {
            history.add(std::format!("line {number}").as_bytes());
        }
        let lines: Vec<_> = history.texts().collect();
        assert_eq!((lines[0], lines[lines.len() - 1]), ("line 9181", "line 9999"));
        history.add(&[b'x'; BYTES - 1]);
        assert_eq!(history.lines().count(), 1);
        history.add(&[b'x'; BYTES]);
        history.add(b"y");
        assert_eq!(history.texts().collect::<Vec<_>>(), ["y"]);
    }
}
