//! From the bytes of a terminal to what its user wants.

/// What a key, or a few in a row, stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put this character in.
    Insert(u8),
    /// Move the cursor.
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    /// Delete a character.
    Backspace,
    Delete,
    /// Delete more, for `Yank` to put in again.
    KillToStart,
    KillToEnd,
    KillWordLeft,
    KillWordRight,
    Yank,
    /// Lines typed before.
    Older,
    Newer,
    Search,
    /// Leave that.
    Cancel,
    Complete,
    Redraw,
    Enter,
    Interrupt,
}

/// Where in an escape sequence the last byte was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    None,
    /// Behind a carriage return, after which a line feed is no key of its own.
    Return,
    Escape,
    /// Behind `ESC [` or `ESC O`: the first number, and the second behind a `;`.
    Numbers(u8, Option<u8>),
}

const ESCAPE: u8 = 0x1b;
const DELETE: u8 = 0x7f;

const fn ctrl(letter: u8) -> u8 {
    letter & 0x1f
}

/// Puts sequences together.
pub struct Keys {
    sequence: Sequence,
}

impl Keys {
    pub const fn new() -> Self {
        Self { sequence: Sequence::None }
    }

    /// Takes a byte; says what is wanted if it is the last of its sequence, and if that means anything.
    pub fn take(&mut self, byte: u8) -> Option<Action> {
        match core::mem::replace(&mut self.sequence, Sequence::None) {
            Sequence::Return if byte == b'\n' => None,
            Sequence::None | Sequence::Return => self.plain(byte),
            Sequence::Escape => self.escaped(byte),
            Sequence::Numbers(first, second) => self.numbered(first, second, byte),
        }
    }

    fn plain(&mut self, byte: u8) -> Option<Action> {
        const A: u8 = ctrl(b'A');
        const B: u8 = ctrl(b'B');
        const C: u8 = ctrl(b'C');
        const D: u8 = ctrl(b'D');
        const E: u8 = ctrl(b'E');
        const F: u8 = ctrl(b'F');
        const G: u8 = ctrl(b'G');
        const H: u8 = ctrl(b'H');
        const K: u8 = ctrl(b'K');
        const L: u8 = ctrl(b'L');
        const N: u8 = ctrl(b'N');
        const P: u8 = ctrl(b'P');
        const R: u8 = ctrl(b'R');
        const U: u8 = ctrl(b'U');
        const W: u8 = ctrl(b'W');
        const X: u8 = ctrl(b'X');
        const Y: u8 = ctrl(b'Y');
        Some(match byte {
            b' '..=b'~' => Action::Insert(byte),
            b'\r' => {
                self.sequence = Sequence::Return;
                Action::Enter
            }
            b'\n' => Action::Enter,
            b'\t' => Action::Complete,
            ESCAPE => {
                self.sequence = Sequence::Escape;
                return None;
            }
            A => Action::Home,
            B => Action::Left,
            C => Action::Interrupt,
            D => Action::Delete,
            E => Action::End,
            F => Action::Right,
            G => Action::Cancel,
            H | DELETE => Action::Backspace,
            K => Action::KillToEnd,
            L => Action::Redraw,
            N => Action::Newer,
            P => Action::Older,
            R => Action::Search,
            // U-Boot's for the same.
            U | X => Action::KillToStart,
            W => Action::KillWordLeft,
            Y => Action::Yank,
            _ => return None,
        })
    }

    /// Behind ESC, which is also what Alt puts before a key.
    fn escaped(&mut self, byte: u8) -> Option<Action> {
        match byte {
            b'[' | b'O' => self.sequence = Sequence::Numbers(0, None),
            ESCAPE => self.sequence = Sequence::Escape,
            b'b' | b'B' => return Some(Action::WordLeft),
            b'f' | b'F' => return Some(Action::WordRight),
            b'd' | b'D' => return Some(Action::KillWordRight),
            0x08 | DELETE => return Some(Action::KillWordLeft),
            // Nobody has to know how to get out of something half typed.
            b'\r' | b'\n' | 0x03 => return self.plain(byte),
            _ => {}
        }
        None
    }

    fn numbered(&mut self, first: u8, second: Option<u8>, byte: u8) -> Option<Action> {
        let more = |number: u8| number.saturating_mul(10).saturating_add(byte.wrapping_sub(b'0'));
        self.sequence = match (byte, second) {
            (b'0'..=b'9', None) => Sequence::Numbers(more(first), None),
            (b'0'..=b'9', Some(second)) => Sequence::Numbers(first, Some(more(second))),
            (b';', _) => Sequence::Numbers(first, Some(0)),
            _ => Sequence::None,
        };
        // The second number is 1 plus 1 for Shift, 2 for Alt, 4 for Ctrl.
        let by_word = second.is_some_and(|modifiers| modifiers.wrapping_sub(1) & 6 != 0);
        match (byte, first) {
            (b'A', _) => Some(Action::Older),
            (b'B', _) => Some(Action::Newer),
            (b'C', _) => Some(if by_word { Action::WordRight } else { Action::Right }),
            (b'D', _) => Some(if by_word { Action::WordLeft } else { Action::Left }),
            (b'H', _) | (b'~', 1 | 7) => Some(Action::Home),
            (b'F', _) | (b'~', 4 | 8) => Some(Action::End),
            (b'~', 3) => Some(Action::Delete),
            (b'\r' | b'\n' | 0x03, _) => self.plain(byte),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[track_caller]
    fn check(bytes: &[u8], expected: &[Action]) {
        let mut keys = Keys::new();
        let found: Vec<_> = bytes.iter().filter_map(|&byte| keys.take(byte)).collect();
        assert_eq!(found, expected, "{bytes:?}");
    }

    #[test]
    fn knows_vt100_and_its_successors() {
        use Action::{Delete, End, Home, Left, Newer, Older, Right, WordLeft, WordRight};
        check(b"\x1b[A\x1bOA\x1b[B\x1bOB", &[Older, Older, Newer, Newer]);
        check(b"\x1b[C\x1b[D\x1bOC\x1bOD", &[Right, Left, Right, Left]);
        check(b"\x1b[1;5C\x1b[1;5D\x1b[1;3C\x1b[1;2D", &[WordRight, WordLeft, WordRight, Left]);
        check(b"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~\x1b[3~", &[Home, End, Home, End, Home, End, Delete]);
        check(
            b"\x1bb\x1bf\x1bd\x1b\x7f",
            &[WordLeft, WordRight, Action::KillWordRight, Action::KillWordLeft],
        );
    }

    #[test]
    fn what_means_nothing_is_swallowed_whole() {
        let x = Action::Insert(b'x');
        check(b"\x1b[5~x\x1b[15~x\x1b[1;5Hx\x1b[99999999Zx", &[x, x, Action::Home, x, x]);
        check(b"\x1bzx\x00x\x1b\x1b[Dx", &[x, x, Action::Left, x]);
        check(&(0x80..=0xff).collect::<Vec<u8>>(), &[]);
        check(b"\x1b\r\x1b[\r\n\x1b[1\x03", &[Action::Enter, Action::Enter, Action::Interrupt]);
    }

    #[test]
    fn any_line_end_ends_a_line_once() {
        let (a, enter) = (Action::Insert(b'a'), Action::Enter);
        check(b"a\ra\na\r\n", &[a, enter, a, enter, a, enter]);
        check(b"\r\r\n\n", &[enter, enter, enter]);
    }
}
