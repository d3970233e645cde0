//! What `stone inspect` finds: a list of checks, each with its verdict.

use serde::Serialize;
use std::fmt;

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Checked, and good.
    Ok,
    /// A fact without a judgement.
    Note,
    /// Checked, and broken.
    Bad,
}

/// One line of a report.
#[derive(Debug, Serialize)]
pub struct Check {
    /// The part of the file it is about, empty for the file itself.
    pub part: String,
    /// What was checked.
    pub item: String,
    /// What it came to.
    pub verdict: Verdict,
    /// The figures.
    pub detail: String,
}

/// What is in a file.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// The file.
    pub file: String,
    /// What kind of file it is.
    pub kind: String,
    /// Everything found.
    pub checks: Vec<Check>,
    #[serde(skip)]
    part: String,
}

impl Report {
    /// Starts the report on a file.
    #[must_use]
    pub fn new(file: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { file: file.into(), kind: kind.into(), ..Self::default() }
    }

    /// What follows is about this part of the file.
    pub fn part(&mut self, part: impl Into<String>) {
        self.part = part.into();
    }

    /// A check that is good.
    pub fn ok(&mut self, item: impl Into<String>, detail: impl Into<String>) {
        self.push(item, Verdict::Ok, detail);
    }

    /// A fact.
    pub fn note(&mut self, item: impl Into<String>, detail: impl Into<String>) {
        self.push(item, Verdict::Note, detail);
    }

    /// A check that is broken.
    pub fn bad(&mut self, item: impl Into<String>, detail: impl Into<String>) {
        self.push(item, Verdict::Bad, detail);
    }

    /// Whether nothing is broken.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.checks.iter().all(|check| check.verdict != Verdict::Bad)
    }

    fn push(&mut self, item: impl Into<String>, verdict: Verdict, detail: impl Into<String>) {
        let (item, detail) = (item.into(), detail.into());
        self.checks.push(Check { part: self.part.clone(), item, verdict, detail });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.file, self.kind)?;
        let mut part = "";
        for check in &self.checks {
            if check.part != part {
                part = &check.part;
                writeln!(f, "{part}:")?;
            }
            let mark = match check.verdict {
                Verdict::Ok => "ok",
                Verdict::Note => "",
                Verdict::Bad => "BAD",
            };
            writeln!(f, "  {mark:<4}{:<15} {}", check.item, check.detail)?;
        }
        writeln!(f, "{}", if self.is_good() { "nothing is broken" } else { "broken: see BAD above" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_a_table() {
        let mut report = Report::new("a.nand", "raw NAND image");
        report.ok("block 0", "good");
        report.part("kernel-a");
        report.note("name", "Linux");
        assert!(report.is_good());
        report.bad("data CRC", "wrong");
        assert!(!report.is_good());
        assert_eq!(
            report.to_string(),
            "a.nand: raw NAND image\n  ok  block 0         good\nkernel-a:\n      name            Linux\n  \
             BAD data CRC        wrong\nbroken: see BAD above\n"
        );
    }
}
