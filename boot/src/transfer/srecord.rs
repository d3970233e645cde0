//! Motorola S-records: text, with the address in every line. A sender hears nothing back: what is
//! damaged is noticed, but cannot be asked for.

use super::{INTERRUPT, Port, REST_MS, START_S, Target, TransferError};
use core::fmt;

/// The longest pause of a sender.
const PAUSE_MS: u32 = 10_000;
/// Bytes that stand for a dot of progress.
const DOT: u32 = 0x1000;
/// What a record's count can say.
const LONGEST: usize = 255;

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It does not begin with an S.
    Start(u8),
    /// No type that is known.
    Type(u8),
    /// Something else where a hexadecimal digit belongs.
    Digit(u8),
    /// Too few bytes for an address and a checksum.
    Length(u8),
    /// The checksum is another one.
    Checksum {
        /// That in the line.
        expected: u8,
        /// That of its bytes.
        found: u8,
    },
    /// The file has another number of lines with data than it says.
    Count {
        /// What it says.
        expected: u32,
        /// What came.
        found: u32,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Start(byte) => write!(f, "'{}' where an S-record begins", byte.escape_ascii()),
            Self::Type(byte) => write!(f, "no such record: S{}", byte.escape_ascii()),
            Self::Digit(byte) => write!(f, "'{}' is no hexadecimal digit", byte.escape_ascii()),
            Self::Length(count) => write!(f, "{count:#x} bytes are too few"),
            Self::Checksum { expected, found } => write!(f, "checksum {found:02x} instead of {expected:02x}"),
            Self::Count { expected, found } => write!(f, "{found} records came of {expected}"),
        }
    }
}

/// What was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The lowest address and the highest, if there were any bytes.
    pub range: Option<(u32, u32)>,
    /// Where the program starts.
    pub entry: u32,
}

/// Receives records until one ends them, and puts them `offset` behind the addresses they say.
///
/// # Errors
/// The sender is silent by then.
pub fn receive(port: &mut Port<'_>, target: &mut Target<'_>, offset: u32) -> Result<Loaded, TransferError> {
    let mut reader = Reader { port, line: 0, bytes: [0; LONGEST] };
    let result = records(&mut reader, target, offset);
    reader.port.rest(REST_MS);
    result
}

fn records(
    reader: &mut Reader<'_, '_>,
    target: &mut Target<'_>,
    offset: u32,
) -> Result<Loaded, TransferError> {
    let (mut loaded, mut count, mut undotted) = (Loaded::default(), 0_u32, 0);
    loop {
        let Record { kind, address, data } = reader.record()?;
        let address_there = address.wrapping_add(offset);
        match kind {
            b'1'..=b'3' => {
                target.store(address_there, data)?;
                loaded.extend(address_there, data.len() as u32);
                count = count.wrapping_add(1);
                undotted += data.len() as u32;
            }
            b'5' | b'6' if address != count => {
                return Err(reader.wrong(Problem::Count { expected: address, found: count }));
            }
            b'7'..=b'9' => return Ok(Loaded { entry: address_there, ..loaded }),
            _ => {}
        }
        if undotted >= DOT {
            undotted -= DOT;
            reader.port.send(b".");
        }
    }
}

impl Loaded {
    fn extend(&mut self, address: u32, len: u32) {
        let Some(last) = len.checked_sub(1).map(|last| address.wrapping_add(last)) else { return };
        let (low, high) = self.range.unwrap_or((address, last));
        self.range = Some((low.min(address), high.max(last)));
    }
}

/// A line.
struct Record<'b> {
    kind: u8,
    /// Or what stands in its place.
    address: u32,
    data: &'b [u8],
}

struct Reader<'p, 'a> {
    port: &'p mut Port<'a>,
    line: u32,
    bytes: [u8; LONGEST],
}

impl Reader<'_, '_> {
    const fn wrong(&self, problem: Problem) -> TransferError {
        TransferError::Record { line: self.line, problem }
    }

    fn byte(&mut self) -> Result<u8, TransferError> {
        match self.port.byte(PAUSE_MS) {
            Some(INTERRUPT) => Err(TransferError::Interrupted),
            Some(byte) => Ok(byte),
            None => Err(TransferError::Silence),
        }
    }

    /// Finds the start of the next line.
    fn start(&mut self) -> Result<(), TransferError> {
        let mut limit_ms = if self.line == 0 { 1000 * START_S } else { PAUSE_MS };
        self.line = self.line.wrapping_add(1);
        loop {
            match self.port.byte(limit_ms) {
                Some(b'S') => return Ok(()),
                Some(b'\r' | b'\n' | b' ' | b'\t' | 0) => limit_ms = limit_ms.max(PAUSE_MS),
                Some(INTERRUPT) => return Err(TransferError::Interrupted),
                Some(byte) => return Err(self.wrong(Problem::Start(byte))),
                None if self.line == 1 => return Err(TransferError::NoSender),
                None => return Err(TransferError::Silence),
            }
        }
    }

    fn digit(&mut self) -> Result<u8, TransferError> {
        let byte = self.byte()?;
        let digit = char::from(byte).to_digit(16).ok_or(self.wrong(Problem::Digit(byte)))?;
        Ok(digit as u8)
    }

    fn pair(&mut self) -> Result<u8, TransferError> {
        Ok(self.digit()? << 4 | self.digit()?)
    }

    fn record(&mut self) -> Result<Record<'_>, TransferError> {
        self.start()?;
        let kind = self.byte()?;
        let address_len = match kind {
            b'0' | b'1' | b'5' | b'9' => 2,
            b'2' | b'6' | b'8' => 3,
            b'3' | b'7' => 4,
            _ => return Err(self.wrong(Problem::Type(kind))),
        };
        let count = self.pair()?;
        let data_len = usize::from(count).checked_sub(address_len + 1);
        let data_len = data_len.ok_or(self.wrong(Problem::Length(count)))?;
        let mut sum = count;
        for at in 0..address_len + data_len {
            let byte = self.pair()?;
            sum = sum.wrapping_add(byte);
            if let Some(place) = self.bytes.get_mut(at) {
                *place = byte;
            }
        }
        let (expected, found) = (self.pair()?, !sum);
        if expected != found {
            return Err(self.wrong(Problem::Checksum { expected, found }));
        }
        let (address, rest) = self.bytes.split_at_checked(address_len).unwrap_or_default();
        let address = address.iter().fold(0, |address, byte| address << 8 | u32::from(*byte));
        Ok(Record { kind, address, data: rest.get(..data_len).unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Board, LOADER, RAM};
    use crate::transfer::Refused;
    use crate::transfer::peer::{Nobody, Peer};
    use std::string::String;

    /// A line with the checksum that belongs to it.
    fn line(kind: char, address_len: usize, address: u32, data: &[u8]) -> String {
        let count = (address_len + data.len() + 1) as u8;
        let address = &address.to_be_bytes()[4 - address_len..];
        let bytes = [&[count], address, data].concat();
        let sum = bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        let digits: String = bytes.iter().chain([&!sum]).map(|byte| std::format!("{byte:02X}")).collect();
        std::format!("S{kind}{digits}\r\n")
    }

    fn load(text: &str, offset: u32) -> (Board, Peer<Nobody>, Result<Loaded, TransferError>) {
        let mut board = Board::new();
        let mut peer = Peer::new(Nobody);
        peer.coming.extend(text.bytes());
        let mut target = Target::new(&mut board.memory, RAM);
        let result = receive(&mut Port::new(&mut peer, &mut board.clock), &mut target, offset);
        (board, peer, result)
    }

    #[test]
    fn a_published_example_is_understood() {
        // Wikipedia, "SREC (file format)".
        let text = "S00F000068656C6C6F202020202000003C\n\
                    S11F00007C0802A6900100049421FFF07C6C1B787C8C23783C6000003863000026\n\
                    S11F001C4BFFFFE5398000007D83637880010014382100107C0803A64E800020E9\n\
                    S111003848656C6C6F20776F726C642E0A0042\n\
                    S5030003F9\n\
                    S9030000FC\n";
        let (board, _, result) = load(text, RAM);
        assert_eq!(result, Ok(Loaded { range: Some((RAM, RAM + 0x45)), entry: RAM }));
        assert_eq!(board.memory.load(RAM + 0x38, 14), b"Hello world.\n\0");
    }

    #[test]
    fn addresses_have_two_three_or_four_bytes() {
        let lines = [
            line('3', 4, 2, b"cd"),
            line('1', 2, 0, b"ab"),
            line('2', 3, 0x10_0000, b"e"),
            line('6', 3, 3, b""),
            line('7', 4, 0x30, b""),
        ];
        let (board, _, result) = load(&lines.concat(), RAM);
        assert_eq!(result, Ok(Loaded { range: Some((RAM, RAM + 0x10_0000)), entry: RAM + 0x30 }));
        assert_eq!(board.memory.load(RAM, 5), b"abcd\0");
        assert_eq!(board.memory.load(RAM + 0x10_0000, 1), b"e");
    }

    #[test]
    fn the_end_has_three_forms() {
        for (kind, len) in [('7', 4), ('8', 3), ('9', 2)] {
            let text = line(kind, len, 0x1234, b"");
            assert_eq!(load(&text, 0).2, Ok(Loaded { range: None, entry: 0x1234 }));
        }
    }

    #[test]
    fn damage_is_noticed_and_what_follows_swallowed() {
        let check = |text: &str, line, problem| {
            let rest = "S9030000FC\nreset\n";
            let (_, peer, result) = load(&std::format!("{text}{rest}"), RAM);
            assert_eq!(result, Err(TransferError::Record { line, problem }));
            assert!(peer.coming.is_empty());
        };
        let good = line('1', 2, 0, b"0123");
        check(&good.replace("30", "31"), 1, Problem::Checksum { expected: 0x32, found: 0x31 });
        check(&std::format!("{good}\n{good}:10\n"), 3, Problem::Start(b':'));
        check("S4030000FC\n", 1, Problem::Type(b'4'));
        check("S10g\n", 1, Problem::Digit(b'g'));
        check("S102", 1, Problem::Length(2));
        check(&good[..10], 1, Problem::Digit(b'S'));
        check(&std::format!("{good}S5030002FA\n"), 2, Problem::Count { expected: 2, found: 1 });
        // A flip, a byte less or one more anywhere in a line, except in its type: that is in no checksum.
        for at in (0..good.len() - 2).filter(|at| *at != 1) {
            for bytes in [vec_without(&good, at), vec_doubled(&good, at), vec_flipped(&good, at)] {
                let text = String::from_utf8(bytes).unwrap();
                assert!(load(&std::format!("{text}{}", line('9', 2, 0, b"")), RAM).2.is_err(), "{text}");
            }
        }
    }

    fn vec_without(text: &str, at: usize) -> std::vec::Vec<u8> {
        [&text.as_bytes()[..at], &text.as_bytes()[at + 1..]].concat()
    }

    fn vec_doubled(text: &str, at: usize) -> std::vec::Vec<u8> {
        [&text.as_bytes()[..at], &text.as_bytes()[at..=at], &text.as_bytes()[at..]].concat()
    }

    fn vec_flipped(text: &str, at: usize) -> std::vec::Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] ^= 1;
        bytes
    }

    #[test]
    fn the_loader_is_not_overwritten() {
        let (board, _, result) = load(&line('3', 4, LOADER - 2, b"abc"), 0);
        assert_eq!(result, Err(TransferError::Refused(Refused { address: LOADER - 2, len: 3 })));
        assert_eq!(board.memory.load(LOADER - 2, 2), [0; 2]);
        let (_, _, result) = load(&line('3', 4, u32::MAX, b"ab"), 0);
        assert_eq!(result, Err(TransferError::Refused(Refused { address: u32::MAX, len: 2 })));
    }

    #[test]
    fn shows_progress() {
        let mut text: String = (0..0x48).map(|i| line('1', 2, i * 0x80, &[7; 0x80])).collect();
        text += &line('9', 2, 0, b"");
        let (_, peer, result) = load(&text, RAM);
        assert_eq!(result.unwrap().range, Some((RAM, RAM + 0x23ff)));
        assert_eq!(peer.heard, b"..");
    }

    #[test]
    fn silence_and_ctrl_c_end_it() {
        assert_eq!(load("", 0).2, Err(TransferError::NoSender));
        assert_eq!(load("\r\n", 0).2, Err(TransferError::NoSender));
        assert_eq!(load("S1", 0).2, Err(TransferError::Silence));
        for text in ["\x03", "\n\x03", "S103\x03"] {
            assert_eq!(load(text, 0).2, Err(TransferError::Interrupted));
        }
    }
}
