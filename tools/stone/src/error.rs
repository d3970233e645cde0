//! The one error of the tool: what a person needs to put it right.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong, where, what was expected and found, and what to do.
#[derive(Debug)]
pub struct Error(Box<Facts>);

#[derive(Debug, Default)]
struct Facts {
    what: String,
    file: Option<PathBuf>,
    place: Option<String>,
    expected: Option<String>,
    found: Option<String>,
    hint: Option<String>,
}

impl Error {
    /// An error that says what is wrong.
    pub fn new(what: impl Into<String>) -> Self {
        Self(Box::new(Facts { what: what.into(), ..Facts::default() }))
    }

    /// A file could not be read, written, renamed.
    pub fn io(action: &str, file: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot {action}: {error}")).file(file)
    }

    /// Names what it happened to.
    #[must_use]
    pub fn about(mut self, subject: &str) -> Self {
        self.0.what = format!("{subject}: {}", self.0.what);
        self
    }

    /// Names the file.
    #[must_use]
    pub fn file(mut self, file: &Path) -> Self {
        self.0.file = Some(file.to_owned());
        self
    }

    /// Names the line of a text file.
    #[must_use]
    pub fn line(mut self, line: usize) -> Self {
        self.0.place = Some(format!("line {line}"));
        self
    }

    /// Names the offset in a binary file.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> Self {
        self.0.place = Some(format!("offset {offset:#x}"));
        self
    }

    /// Says what would have been right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// Says what was there instead.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.0.found = Some(found.into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The error without its file and hint, for a table.
    #[must_use]
    pub fn one_line(&self) -> String {
        let label = |label: &str, text: &Option<String>| match text {
            Some(text) => format!(", {label} {text}"),
            None => String::new(),
        };
        format!("{}{}{}", self.0.what, label("expected", &self.0.expected), label("found", &self.0.found))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(place) = &self.0.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.0.what)?;
        for (label, text) in
            [("expected", &self.0.expected), ("found", &self.0.found), ("hint", &self.0.hint)]
        {
            if let Some(text) = text {
                write!(f, "\n  {label:<9} {text}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_only_what_is_known() {
        assert_eq!(Error::new("no such board").to_string(), "no such board");
        let full = Error::new("data CRC is wrong")
            .file(Path::new("a.uimg"))
            .offset(0x18)
            .expected("0x1")
            .found("0x2")
            .hint("pack it again");
        assert_eq!(
            full.to_string(),
            "a.uimg: offset 0x18: data CRC is wrong\n  expected  0x1\n  found     0x2\n  hint      pack it again"
        );
    }
}
