//! The words of a command, with variables put in and quotes taken off.

use super::variable::{self, Variable};
use crate::cmd::CmdError;
use crate::console::state::{Locals, State};
use crate::env::Environment;
use arrayvec::{ArrayString, ArrayVec};
use core::fmt::Write;
use core::str;

/// Most words of a command.
pub const WORDS: usize = 64;
/// Bytes of all its words together.
pub const BYTES: usize = 2048;

/// Where values come from.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Looked at first.
    pub locals: &'a Locals,
    /// Looked at then.
    pub env: &'a Environment,
    /// `$?`
    pub status: u8,
}

impl<'a> Scope<'a> {
    /// What the state has.
    pub fn of(state: &'a State) -> Self {
        Self { locals: &state.locals, env: &state.env, status: state.status }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.locals.get(name).or_else(|| self.env.get(name))
    }
}

/// Words, one behind the other.
pub struct Words {
    text: ArrayVec<u8, BYTES>,
    /// Where each ends.
    ends: ArrayVec<u16, WORDS>,
    /// The last one has no end yet.
    open: bool,
}

impl Words {
    pub const fn new() -> Self {
        Self { text: ArrayVec::new_const(), ends: ArrayVec::new_const(), open: false }
    }

    /// The words.
    ///
    /// # Errors
    /// One is not text.
    pub fn list(&self) -> Result<ArrayVec<&str, WORDS>, CmdError> {
        let (mut start, mut list) = (0, ArrayVec::new());
        for &end in &self.ends {
            let word = self.text.get(start..end.into()).unwrap_or_default();
            start = end.into();
            // There are as many places as ends.
            let _ = list.try_push(str::from_utf8(word).map_err(|_| CmdError::NotText)?);
        }
        Ok(list)
    }

    /// Adds what a word, as it was written, stands for: none, one, or several where a value without
    /// quotes has blanks in it.
    ///
    /// # Errors
    /// There is no room.
    pub fn add(&mut self, raw: &[u8], scope: &Scope<'_>) -> Result<(), CmdError> {
        self.expand(raw, scope, true)?;
        self.end()
    }

    /// Adds a word as one, blanks or not; there is one even if it is empty.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_whole(&mut self, raw: &[u8], scope: &Scope<'_>) -> Result<(), CmdError> {
        self.open = true;
        self.expand(raw, scope, false)?;
        self.end()
    }

    fn expand(&mut self, raw: &[u8], scope: &Scope<'_>, split: bool) -> Result<(), CmdError> {
        let mut quoted = false;
        let mut rest = raw;
        while let [byte, tail @ ..] = rest {
            rest = tail;
            match (byte, tail) {
                (b'"', _) => {
                    quoted = !quoted;
                    self.open = true;
                }
                (b'\'', _) if !quoted => {
                    let len = tail.iter().take_while(|&&byte| byte != b'\'').count();
                    self.open = true;
                    self.push(tail.get(..len).unwrap_or_default())?;
                    rest = tail.get(len + 1..).unwrap_or_default();
                }
                (b'\\', [b'\n', after @ ..] | [b'\r', b'\n', after @ ..]) => rest = after,
                // Between double quotes a backslash means something only before these.
                (b'\\', [next, after @ ..]) if !quoted || matches!(next, b'"' | b'\\' | b'$') => {
                    self.push(&[*next])?;
                    rest = after;
                }
                (b'$', _) => {
                    let len = self.variable(tail, scope, split && !quoted)?;
                    rest = tail.get(len..).unwrap_or_default();
                }
                _ => self.push(&[*byte])?,
            }
        }
        Ok(())
    }

    /// Adds what stands behind a `$`; returns its bytes.
    fn variable(&mut self, tail: &[u8], scope: &Scope<'_>, split: bool) -> Result<usize, CmdError> {
        // The lexer has been here, and let nothing else pass.
        let (variable, len) = variable::parse(tail).unwrap_or((Variable::Dollar, 0));
        let (value, split) = match variable {
            Variable::Status => return self.status(scope.status).map(|()| len),
            Variable::Dollar => ("$".as_bytes(), false),
            Variable::Value(name) => (scope.get(name).unwrap_or_default().as_bytes(), split),
            Variable::ValueOr(name, text) => (scope.get(name).map_or(text, str::as_bytes), split),
            Variable::IfValue(name, text) => (scope.get(name).map_or(&[][..], |_| text), split),
        };
        self.value(value, split).map(|()| len)
    }

    fn status(&mut self, status: u8) -> Result<(), CmdError> {
        let mut digits = ArrayString::<3>::new();
        // A byte has no more than three digits.
        let _ = write!(digits, "{status}");
        self.push(digits.as_bytes())
    }

    /// Adds a value; where it may be split, blanks end words.
    fn value(&mut self, value: &[u8], split: bool) -> Result<(), CmdError> {
        if !split {
            return self.push(value);
        }
        for byte in value {
            match byte {
                b' ' | b'\t' | b'\n' => self.end()?,
                _ => self.push(&[*byte])?,
            }
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), CmdError> {
        self.open |= !bytes.is_empty();
        self.text.try_extend_from_slice(bytes).map_err(|_| CmdError::TooLong)
    }

    fn end(&mut self) -> Result<(), CmdError> {
        if core::mem::take(&mut self.open) {
            let end = u16::try_from(self.text.len()).map_err(|_| CmdError::TooLong)?;
            self.ends.try_push(end).map_err(|_| CmdError::TooManyWords)?;
        }
        Ok(())
    }
}

/// The bytes of `name=` if a word starts with that.
pub fn assigned(raw: &[u8]) -> Option<usize> {
    let len = variable::name(raw).len();
    (len > 0 && raw.get(len) == Some(&b'=')).then_some(len + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn expand(raw: &str) -> Result<Vec<String>, CmdError> {
        let mut state = std::boxed::Box::new(State::new());
        state.status = 7;
        for (name, value) in [("e", "env"), ("two", "a  b"), ("edge", " x "), ("blank", " ")] {
            state.env.set(name, value).unwrap();
        }
        state.env.set("l", "env").unwrap();
        state.locals.set("l", "local").unwrap();
        let mut words = Words::new();
        words.add(raw.as_bytes(), &Scope::of(&state))?;
        Ok(words.list()?.iter().map(ToString::to_string).collect())
    }

    #[track_caller]
    fn check(raw: &str, expected: &[&str]) {
        assert_eq!(expand(raw).unwrap(), expected, "{raw}");
    }

    #[test]
    fn takes_quotes_off() {
        check("abc", &["abc"]);
        check(r#"'a b'\ "c d""#, &["a b c d"]);
        check("''", &[""]);
        check("a\"\"", &["a"]);
        check(r"'$e\'", &[r"$e\"]);
        check(r"\$e\'", &["$e'"]);
        check(r#""\$e \" \\ \a ' \"""#, &[r#"$e " \ \a ' ""#]);
        check("a\\\nb\"c\\\nd\"", &["abcd"]);
        check("\"it's\"", &["it's"]);
    }

    #[test]
    fn puts_values_in() {
        check("$e", &["env"]);
        check("x${e}y$l\"$e\"", &["xenvylocalenv"]);
        check("$?", &["7"]);
        check("$none", &[]);
        check("\"$none\"", &[""]);
        check("a${none}b", &["ab"]);
        check("$ $5$", &["$ $5$"]);
        check("${none:-x}${e:-x}${none:+x}${e:+x}", &["xenvx"]);
    }

    #[test]
    fn splits_values_without_quotes() {
        check("$two", &["a", "b"]);
        check("x${two}y", &["xa", "by"]);
        check("\"$two\"", &["a  b"]);
        check("${edge}", &["x"]);
        check("a${edge}b", &["a", "x", "b"]);
        check("$blank", &[]);
        check("${none:-p q}", &["p", "q"]);
    }

    #[test]
    fn keeps_to_its_room() {
        assert_eq!(expand(&"x".repeat(BYTES)).map(|words| words.len()), Ok(1));
        assert_eq!(expand(&"x".repeat(BYTES + 1)), Err(CmdError::TooLong));
        let mut words = Words::new();
        let state = std::boxed::Box::new(State::new());
        for _ in 0..WORDS {
            words.add(b"x", &Scope::of(&state)).unwrap();
        }
        assert_eq!(words.add(b"x", &Scope::of(&state)), Err(CmdError::TooManyWords));
        assert_eq!(words.add(b"\\\n", &Scope::of(&state)), Ok(()));
    }

    #[test]
    fn words_are_text() {
        let state = std::boxed::Box::new(State::new());
        let mut words = Words::new();
        words.add(b"a\xff", &Scope::of(&state)).unwrap();
        assert_eq!(words.list(), Err(CmdError::NotText));
    }

    #[test]
    fn assignments() {
        assert_eq!(assigned(b"a_1=b"), Some(4));
        assert_eq!(assigned(b"a="), Some(2));
        for word in ["", "=", "a", "1a=b", "a-b=c", "'a'=b"] {
            assert_eq!(assigned(word.as_bytes()), None, "{word}");
        }
    }
}
