//! What to do, from the kernel's command line.

use core::fmt;

/// How data leaves the controller's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A byte at a time, as Linux's `readsb`.
    Bytes,
    /// A word at a time, as Linux's `readsl`.
    Words,
}

/// Who computes the ECC codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecc {
    /// The core: [`crate::hamming`].
    Software,
    /// The NAND controller.
    Hardware,
}

/// Phases of a cycle on the NAND bus, in periods of HCLK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// From CLE or ALE to the fall of the strobe.
    pub tacls: u32,
    /// The strobe is low.
    pub twrph0: u32,
    /// From the rise of the strobe to the end of the cycle.
    pub twrph1: u32,
}

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// How data comes.
    pub transfer: Transfer,
    /// Who checks it.
    pub ecc: Ecc,
    /// How fast.
    pub cycles: Cycles,
    /// Address bytes that the chip wants for a page.
    pub row: u32,
    /// The first page.
    pub first: u32,
    /// How many.
    pub pages: u32,
}

/// The command line lacks a word, or it makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unclear(pub &'static str);

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the command line lacks a good `{}=`", self.0)
    }
}

impl Request {
    /// Reads `transfer=words ecc=hardware cycles=0/3/2 row=3 first=64 pages=512`, in any order,
    /// among other words.
    ///
    /// # Errors
    /// Names the word that is missing or wrong.
    pub fn parse(line: &str) -> Result<Self, Unclear> {
        let number = |key| find(line, key)?.parse().map_err(|_| Unclear(key));
        Ok(Self {
            transfer: match find(line, "transfer")? {
                "bytes" => Transfer::Bytes,
                "words" => Transfer::Words,
                _ => return Err(Unclear("transfer")),
            },
            ecc: match find(line, "ecc")? {
                "software" => Ecc::Software,
                "hardware" => Ecc::Hardware,
                _ => return Err(Unclear("ecc")),
            },
            cycles: cycles(find(line, "cycles")?).ok_or(Unclear("cycles"))?,
            row: number("row")?,
            first: number("first")?,
            pages: number("pages")?,
        })
    }
}

fn find<'a>(line: &'a str, key: &'static str) -> Result<&'a str, Unclear> {
    let mut words = line.split_ascii_whitespace().filter_map(|word| word.split_once('='));
    words.find(|&(name, _)| name == key).map(|(_, value)| value).ok_or(Unclear(key))
}

fn cycles(text: &str) -> Option<Cycles> {
    let mut numbers = text.split('/').map(|number| number.parse().ok());
    let mut next = || numbers.next().flatten();
    let cycles = Cycles { tacls: next()?, twrph0: next()?, twrph1: next()? };
    numbers.next().is_none().then_some(cycles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_word() {
        let line = "console=ttySAC0 pages=512 first=64 row=3 cycles=0/3/2 ecc=hardware transfer=words quiet";
        let expected = Request {
            transfer: Transfer::Words,
            ecc: Ecc::Hardware,
            cycles: Cycles { tacls: 0, twrph0: 3, twrph1: 2 },
            row: 3,
            first: 64,
            pages: 512,
        };
        assert_eq!(Request::parse(line), Ok(expected));
    }

    #[test]
    fn names_what_is_wrong() {
        let check = |line: &str, key| assert_eq!(Request::parse(line), Err(Unclear(key)), "{line}");
        check("", "transfer");
        check("transfer=nibbles", "transfer");
        check("transfer=bytes ecc=none", "ecc");
        check("transfer=bytes ecc=software cycles=0/3", "cycles");
        check("transfer=bytes ecc=software cycles=0/3/2/1", "cycles");
        check("transfer=bytes ecc=software cycles=0/3/2 row=x", "row");
        check("transfer=bytes ecc=software cycles=0/3/2 row=2 first=0", "pages");
    }
}
