//! Command text, cut into words and what separates them.

use super::variable::{self, Bad};
use core::fmt;
use core::ops::Range;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A word as it was written, quotes and all.
    Word(Range<usize>),
    /// `;` or the end of a line.
    Semicolon,
    /// `&&`
    And,
    /// `||`
    Or,
    /// There is no more.
    End,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A quote, or the brace of `${`, that is not closed.
    Open(u8),
    /// `&` or `|` alone.
    Lone(u8),
    /// Something is to stand here that does not.
    Missing(&'static str),
    /// This word is to stand here.
    MissingWord(&'static str),
    /// A word that must not stand here.
    Unexpected(&'static str),
    /// What follows a `$` is no variable.
    Variable,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Open(mark) => write!(f, "this {} is not closed", mark as char),
            Self::Lone(mark) => {
                let mark = mark as char;
                write!(f, "a single {mark} means nothing here: write {mark}{mark}, or quote it")
            }
            Self::Missing(what) => write!(f, "{what} is missing before this"),
            Self::MissingWord(word) => write!(f, "'{word}' is missing before this"),
            Self::Unexpected(word) => write!(f, "'{word}' does not belong here"),
            Self::Variable => write!(f, "no variable: write ${{name}}, or quote the $"),
        }
    }
}

/// A mistake, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where in the text.
    pub at: usize,
    /// What.
    pub wrong: Wrong,
    /// The text just ends too early; more of it may mend that.
    pub unfinished: bool,
}

impl Mistake {
    /// A mistake at `at`, which at the end of a text may be that it is not finished.
    pub fn new(text: &[u8], at: usize, wrong: Wrong) -> Self {
        let unfinished = match wrong {
            Wrong::Open(_) => true,
            Wrong::Missing(_) | Wrong::MissingWord(_) => at >= text.len(),
            _ => false,
        };
        Self { at, wrong, unfinished }
    }
}

/// The token at or behind `at`: where it starts, what it is, and where the next may start.
///
/// # Errors
/// There is none: something is not closed, or stands alone.
pub fn token(text: &[u8], at: usize) -> Result<(usize, Token, usize), Mistake> {
    let at = skip(text, at);
    let two = text.get(at..).unwrap_or_default();
    let (token, end) = match two {
        [] => (Token::End, at),
        [b';' | b'\n', ..] => (Token::Semicolon, at + 1),
        [b'&', b'&', ..] => (Token::And, at + 2),
        [b'|', b'|', ..] => (Token::Or, at + 2),
        [mark @ (b'&' | b'|'), ..] => return Err(Mistake::new(text, at, Wrong::Lone(*mark))),
        _ => {
            let end = word(text, at)?;
            (Token::Word(at..end), end)
        }
    };
    Ok((at, token, end))
}

/// Behind blanks, continued line ends and a comment.
fn skip(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at..).unwrap_or_default() {
            [b' ' | b'\t' | b'\r', ..] => at += 1,
            [b'\\', b'\n', ..] => at += 2,
            [b'\\', b'\r', b'\n', ..] => at += 3,
            [b'#', rest @ ..] => at += 1 + rest.iter().take_while(|&&byte| byte != b'\n').count(),
            _ => return at,
        }
    }
}

/// Where the word that starts at `at` ends.
fn word(text: &[u8], mut at: usize) -> Result<usize, Mistake> {
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' => break,
            b'\\' => at + 2,
            b'\'' => single_quoted(text, at)?,
            b'"' => double_quoted(text, at)?,
            b'$' => dollar(text, at)?,
            _ => at + 1,
        };
    }
    Ok(at.min(text.len()))
}

fn single_quoted(text: &[u8], open: usize) -> Result<usize, Mistake> {
    let mut inside = text.iter().skip(open + 1);
    match inside.position(|&byte| byte == b'\'') {
        Some(len) => Ok(open + 1 + len + 1),
        None => Err(Mistake::new(text, open, Wrong::Open(b'\''))),
    }
}

fn double_quoted(text: &[u8], open: usize) -> Result<usize, Mistake> {
    let mut at = open + 1;
    loop {
        at = match text.get(at) {
            None => return Err(Mistake::new(text, open, Wrong::Open(b'"'))),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at + 2,
            Some(b'$') => dollar(text, at)?,
            Some(_) => at + 1,
        };
    }
}

/// Behind a variable.
fn dollar(text: &[u8], at: usize) -> Result<usize, Mistake> {
    let tail = text.get(at + 1..).unwrap_or_default();
    match variable::parse(tail) {
        Ok((_, len)) => Ok(at + 1 + len),
        Err(Bad::Open) => Err(Mistake::new(text, at + 1, Wrong::Open(b'{'))),
        Err(Bad::Inside) => Err(Mistake::new(text, at, Wrong::Variable)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    /// The tokens of a text, one blank apart.
    fn tokens(text: &str) -> String {
        let (mut at, mut found) = (0, std::vec::Vec::new());
        loop {
            match token(text.as_bytes(), at) {
                Ok((_, Token::End, end)) => {
                    assert_eq!(end, text.len());
                    return found.join(" ");
                }
                Ok((start, token, end)) => {
                    assert!(end > start);
                    let name = match token {
                        Token::Word(range) => std::format!("<{}>", &text[range]),
                        other => std::format!("{other:?}"),
                    };
                    found.push(name);
                    at = end;
                }
                Err(mistake) => return std::format!("{}: {}", mistake.at, mistake.wrong),
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn cuts() {
        check("", "");
        check(" \t\r", "");
        check("a  b\tc", "<a> <b> <c>");
        check("a;b\nc", "<a> Semicolon <b> Semicolon <c>");
        check("a&&b || c", "<a> And <b> Or <c>");
        check("a # b; c\nd", "<a> Semicolon <d>");
        check("a#b #", "<a#b>");
        check("a \\\nb\\\r\nc", "<a> <b\\\r> Semicolon <c>");
        check("a \\\r\nb", "<a> <b>");
    }

    #[test]
    fn keeps_what_is_quoted() {
        check("'a; b'\"c && d\"", "<'a; b'\"c && d\">");
        check("a\\ b\\;\\\\", "<a\\ b\\;\\\\>");
        check("\"\\\"\" 'a\\'", "<\"\\\"\"> <'a\\'>");
        check("${a b}c $d", "<${a b}c> <$d>");
        check("\"${a\"}\"", "<\"${a\"}\">");
        check("'", "0: this ' is not closed");
        check("a '${b}", "2: this ' is not closed");
        check("a \"b\\\"", "2: this \" is not closed");
        check("a ${b", "3: this { is not closed");
        check("a ${}", "2: no variable: write ${name}, or quote the $");
        check("\"${a:=b}\"", "1: no variable: write ${name}, or quote the $");
        check("a\\", "<a\\>");
        check("\\", "<\\>");
    }

    #[test]
    fn single_marks_mean_nothing() {
        check("a & b", "2: a single & means nothing here: write &&, or quote it");
        check("a|b", "1: a single | means nothing here: write ||, or quote it");
        check("a &&& b", "4: a single & means nothing here: write &&, or quote it");
        check("a '&' \\|", "<a> <'&'> <\\|>");
    }
}
