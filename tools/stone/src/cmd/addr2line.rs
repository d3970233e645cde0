//! `stone addr2line`

use crate::{Error, Result, output};
use addr2line::{Context, Location, demangle_auto};
use gimli::{EndianSlice, LittleEndian};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

/// Name the functions and lines that addresses of the loader belong to
///
/// Prints for each address its function and line, and what that is inlined into. What the console
/// shows of an exception can be given as it is, on the standard input: all that is an address of
/// code in it is named, the registers' and the backtrace's ("bt:").
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone addr2line --board gta02 33e0a1b4 33e01f22
  stone addr2line target/gta02/stage2.elf - <console.log")]
pub struct Args {
    /// The board whose loader it is, as it was built last: target/BOARD/stage2.elf
    #[arg(short, long, value_name = "BOARD")]
    board: Option<String>,
    /// Without --board the ELF file; then addresses, hexadecimal, or - for text on the standard input
    #[arg(required = true, value_name = "FILE|ADDRESS")]
    words: Vec<String>,
}

/// Names addresses.
pub fn run(args: &Args) -> Result<bool> {
    let (file, words) = match (&args.board, args.words.split_first()) {
        (None, Some((file, words))) => (PathBuf::from(file), words),
        (board, _) => {
            let board = board.as_deref().unwrap_or_default();
            (PathBuf::from(format!("target/{board}/stage2.elf")), &args.words[..])
        }
    };
    let wanted = words.iter().map(|word| addresses(word)).collect::<Result<Vec<_>>>()?.concat();
    if wanted.is_empty() {
        return Err(
            Error::new("no address to look up").hint("give addresses, or - and a dump on the standard input")
        );
    }
    let failed = |error: &dyn std::fmt::Display| {
        Error::new(format!("cannot read its symbols: {error}"))
            .file(&file)
            .expected("the ELF file of a stage, with symbols")
            .hint("tools/firmware.sh BOARD stage2 builds it")
    };
    let bytes = fs::read(&file).map_err(|error| failed(&error))?;
    let symbols = Symbols::new(&bytes).map_err(|error| failed(&error))?;
    let mut text = String::new();
    let mut all = true;
    for Wanted { label, address, must } in wanted {
        // Bit 0 of an address of code says Thumb.
        let lines = symbols.name(u64::from(address & !1)).map_err(|error| failed(&error))?;
        if lines.is_empty() && !must {
            continue;
        }
        all &= !lines.is_empty();
        let lines = if lines.is_empty() { vec!["no function of this file".to_owned()] } else { lines };
        for (i, line) in lines.iter().enumerate() {
            let address = if i == 0 { format!("{address:08x}") } else { String::new() };
            let label = if i == 0 { &label } else { "" };
            writeln!(text, "{label:<4}{address:<10}{line}").expect("a string takes it");
        }
    }
    if text.is_empty() {
        return Err(
            Error::new("none of the numbers on the standard input is an address of its code").file(&file)
        );
    }
    output::print(&text)?;
    Ok(all)
}

/// An address that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    /// What stands before it in a dump.
    label: String,
    address: u32,
    /// It was given as an address, and is not just a number in a text.
    must: bool,
}

fn addresses(word: &str) -> Result<Vec<Wanted>> {
    if word == "-" {
        let mut text = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut text)
            .map_err(|error| Error::new(format!("cannot read the standard input: {error}")))?;
        return Ok(in_dump(&String::from_utf8_lossy(&text)));
    }
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let address = u32::from_str_radix(digits, 16)
        .map_err(|_| Error::new("is no hexadecimal address").found(word).expected("such as 33e0a1b4"))?;
    Ok(vec![Wanted { label: String::new(), address, must: true }])
}

/// All numbers of eight digits in a dump, with the name before each: `pc : 33e0a1b4`, `bt: 33e01f22 ..`.
fn in_dump(text: &str) -> Vec<Wanted> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut label = "";
        for word in line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            let is_number = word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            match u32::from_str_radix(word, 16) {
                Ok(address) if is_number => {
                    // Names of registers are short, and words of a sentence tell nothing here.
                    let label = if label.len() <= 3 { label } else { "" };
                    found.push(Wanted { label: label.to_owned(), address, must: false });
                }
                _ => label = word,
            }
        }
    }
    found
}

/// What an ELF file says of addresses.
struct Symbols<'a> {
    file: object::File<'a>,
    lines: Context<EndianSlice<'a, LittleEndian>>,
}

type Failed = Box<dyn std::error::Error>;

impl<'a> Symbols<'a> {
    fn new(bytes: &'a [u8]) -> std::result::Result<Self, Failed> {
        let file = object::File::parse(bytes)?;
        let section = |id: gimli::SectionId| -> std::result::Result<_, object::Error> {
            // Built without debugging information, it has none of them.
            let data = file.section_by_name(id.name()).map_or(Ok(&[][..]), |section| section.data())?;
            Ok(EndianSlice::new(data, LittleEndian))
        };
        let lines = Context::from_dwarf(gimli::Dwarf::load(section)?)?;
        Ok(Self { file, lines })
    }

    /// Function and line, then what that is inlined into; nothing if it is no code.
    fn name(&self, address: u64) -> std::result::Result<Vec<String>, Failed> {
        let mut lines: Vec<String> = Vec::new();
        let mut frames = self.lines.find_frames(address).skip_all_loads()?;
        while let Some(frame) = frames.next()? {
            let Some(function) = &frame.function else { continue };
            let place = frame.location.as_ref().map(place).unwrap_or_default();
            let inlined = if lines.is_empty() { "" } else { "in " };
            lines.push(format!("{inlined}{}{place}", without_hash(&function.demangle()?)));
        }
        if lines.is_empty() {
            lines.extend(self.symbol(address));
        }
        Ok(lines)
    }

    /// The function by the symbols, which are there without debugging information too.
    fn symbol(&self, address: u64) -> Option<String> {
        let holds = |symbol: &object::Symbol<'_, '_>| {
            // Bit 0 says Thumb.
            let start = symbol.address() & !1;
            symbol.kind() == SymbolKind::Text && (start..start + symbol.size()).contains(&address)
        };
        let symbol = self.file.symbols().find(holds)?;
        Some(without_hash(&demangle_auto(symbol.name().ok()?.into(), None)).to_owned())
    }
}

fn place(location: &Location<'_>) -> String {
    match (location.file, location.line) {
        (Some(file), Some(line)) => format!("  {file}:{line}"),
        (Some(file), None) => format!("  {file}"),
        _ => String::new(),
    }
}

/// A name without what makes it unique to the linker: `::h` and 16 digits.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_addresses_in_a_dump() {
        let dump = "data abort at 33e0a1b4 reading address 60000000: nothing is mapped there\r
r0 : 00000000  lr : 33e01f23\r
bt: 33e0a1b4 33e01f1e\r
=> md 1";
        let found: Vec<_> = in_dump(dump).into_iter().map(|wanted| (wanted.label, wanted.address)).collect();
        let expected = [
            ("at", 0x33e0_a1b4),
            ("", 0x6000_0000),
            ("r0", 0),
            ("lr", 0x33e0_1f23),
            ("bt", 0x33e0_a1b4),
            ("bt", 0x33e0_1f1e),
        ];
        assert_eq!(found, expected.map(|(label, address)| (label.to_owned(), address)));
    }

    #[test]
    fn takes_addresses_with_and_without_a_prefix() {
        for word in ["33e0a1b4", "0x33e0a1b4", "33E0A1B4"] {
            let wanted = Wanted { label: String::new(), address: 0x33e0_a1b4, must: true };
            assert_eq!(addresses(word).unwrap(), [wanted]);
        }
        assert!(addresses("md").unwrap_err().to_string().contains("no hexadecimal address"));
    }

    #[test]
    fn leaves_hashes_out() {
        assert_eq!(without_hash("boot::cmd::md::run::h0123456789abcdef"), "boot::cmd::md::run");
        assert_eq!(without_hash("boot::hash::here"), "boot::hash::here");
    }
}
