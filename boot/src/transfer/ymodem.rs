//! Y-modem: X-modem with names and sizes, for as many files as the sender has. Forsberg,
//! "XMODEM/YMODEM protocol reference" (1988), chapter 5.

use super::xmodem::{Heard, Receiver};
use super::{Port, Statistics, Target, TransferError};

/// Receives files until the sender has no more.
///
/// # Errors
/// The sender has been told, and is silent.
pub fn receive(port: &mut Port<'_>, target: &mut Target<'_>) -> Result<Statistics, TransferError> {
    let mut receiver = Receiver::new(port);
    let result = files(&mut receiver, target);
    receiver.close(result)
}

fn files(receiver: &mut Receiver<'_, '_>, target: &mut Target<'_>) -> Result<(), TransferError> {
    receiver.ask();
    loop {
        let len = header(receiver)?;
        let Some((name, size)) = parse(receiver.block(len)) else {
            receiver.acknowledge();
            return Ok(());
        };
        // Of a file whose sender does not know its size, no byte can be left out.
        target.begin(name, size.unwrap_or(1))?;
        receiver.acknowledge_header();
        receiver.file(target, size)?;
        receiver.ask();
    }
}

/// Takes block 0, which tells of a file.
fn header(receiver: &mut Receiver<'_, '_>) -> Result<usize, TransferError> {
    loop {
        match receiver.next(true)? {
            Heard::Block { number: 0, len } => return Ok(len),
            Heard::Block { number, .. } => {
                return Err(TransferError::Sequence { expected: 0, found: number });
            }
            // The answer to the end of the file before was lost.
            _ => {
                receiver.fail(TransferError::Damage)?;
                receiver.acknowledge();
                receiver.ask();
            }
        }
    }
}

/// Name and size in a header; `None` in the one behind the last file.
fn parse(header: &[u8]) -> Option<(&[u8], Option<u32>)> {
    let mut fields = header.splitn(2, |&byte| byte == 0);
    let name = fields.next().filter(|name| !name.is_empty())?;
    let size = fields.next().unwrap_or_default();
    let digits = size.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
    // What is too large to be told is too large for RAM.
    let size = digits.iter().try_fold(0_u32, |size, digit| {
        Some(size.saturating_mul(10).saturating_add(u32::from(digit.checked_sub(b'0')?)))
    });
    Some((name, size.filter(|_| !digits.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Board, LOADER, RAM};
    use crate::transfer::Refused;
    use crate::transfer::peer::{Peer, Random};
    use crate::transfer::xmodem::tests::{Scripted, Word, filled};
    use std::vec::Vec;

    /// The words for a batch.
    fn batch(files: &[(&str, &[u8])], block: usize) -> Vec<Word> {
        let header = |text: &str| Word::Header(filled_with_nul(text.as_bytes()));
        let mut words = Vec::new();
        for (name, bytes) in files {
            words.push(header(&std::format!("{name}\0{} 14623125517 100644", bytes.len())));
            words.extend(Scripted::file(bytes, block));
        }
        words.push(header(""));
        words
    }

    fn filled_with_nul(bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes.resize(128, 0);
        bytes
    }

    #[test]
    fn takes_batches() {
        let (a, b) = (Random::new(1).bytes(5000), Random::new(2).bytes(1));
        let files = [("a.bin", &a[..]), ("empty", &[]), ("b", &b[..])];
        for block in [128, 1024] {
            let mut peer = Peer::new(Scripted::new(batch(&files, block)));
            let (board, outcome) = peer.receive(receive);
            assert_eq!(outcome.result.map(|statistics| statistics.retries), Ok(0));
            let expected = files.map(|(name, bytes)| (name.into(), bytes.len() as u32));
            assert_eq!(outcome.files, expected);
            assert_eq!(board.memory.load(RAM, 5001), [&a[..], &[0]].concat());
            assert_eq!(board.memory.load(RAM + 0x2000, 2), [b[0], 0]);
            assert!(peer.sender.is_done());
        }
    }

    #[test]
    fn survives_noise() {
        let bytes = Random::new(3).bytes(10_000);
        for seed in 0..100 {
            let words = batch(&[("one", &bytes), ("two", &bytes)], if seed % 2 == 0 { 128 } else { 1024 });
            let (board, outcome) = Peer::noisy(Scripted::new(words), seed).receive(receive);
            assert!(outcome.result.is_ok(), "seed {seed}: {outcome:?}");
            assert_eq!(outcome.files, [("one".into(), 10_000), ("two".into(), 10_000)], "seed {seed}");
            assert!(board.memory.load(RAM, 10_000) == bytes, "seed {seed}");
            assert!(board.memory.load(RAM + 0x3000, 10_000) == bytes, "seed {seed}");
        }
    }

    #[test]
    fn a_file_without_a_size_keeps_its_filling() {
        let mut words = std::vec![Word::Header(filled_with_nul(b"name"))];
        words.extend(Scripted::file(b"abc", 128));
        words.push(Word::Header(filled_with_nul(b"")));
        let (board, outcome) = Peer::new(Scripted::new(words)).receive(receive);
        assert_eq!(outcome.files, [("name".into(), 128)]);
        assert_eq!(board.memory.load(RAM, 128), filled(b"abc", 128));
    }

    #[test]
    fn a_file_too_large_is_refused_before_its_first_byte() {
        let check = |text: &str, len| {
            let mut words = std::vec![Word::Header(filled_with_nul(text.as_bytes()))];
            words.extend(Scripted::file(&[7; 1024], 1024));
            let mut peer = Peer::new(Scripted::new(words));
            let (board, outcome) = peer.receive(receive);
            assert_eq!(outcome.result, Err(TransferError::Refused(Refused { address: RAM, len })));
            assert!(peer.sender.cancelled);
            assert_eq!(board.memory.load(RAM, 8), [0; 8]);
        };
        check(&std::format!("large\0{}", LOADER - RAM + 1), LOADER - RAM + 1);
        check("larger\x004294967296", u32::MAX);
        check("largest\x0099999999999999999999999999999", u32::MAX);
    }

    #[test]
    fn a_file_too_short_is_not_taken_for_whole() {
        let mut words = std::vec![Word::Header(filled_with_nul(b"short\x001025"))];
        words.extend(Scripted::file(&[7; 1024], 1024));
        let mut peer = Peer::new(Scripted::new(words));
        let (_, outcome) = peer.receive(receive);
        assert_eq!(outcome.result, Err(TransferError::Short { expected: 1025, found: 1024 }));
        assert!(peer.sender.cancelled);
    }

    #[test]
    fn x_modem_is_told_apart() {
        let mut peer = Peer::new(Scripted::new(Scripted::file(b"abc", 128)));
        let (_, outcome) = peer.receive(receive);
        assert_eq!(outcome.result, Err(TransferError::Sequence { expected: 0, found: 1 }));
        assert!(peer.sender.cancelled);
    }

    #[test]
    fn headers_are_read() {
        assert_eq!(parse(b"\0\0\0"), None);
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"a\0"), Some((&b"a"[..], None)));
        assert_eq!(parse(b"a"), Some((&b"a"[..], None)));
        assert_eq!(parse(b"a\x00123 755 0 0\0\0"), Some((&b"a"[..], Some(123))));
        assert_eq!(parse(b"a\x000\0"), Some((&b"a"[..], Some(0))));
        assert_eq!(parse(b"a\0-1\0"), Some((&b"a"[..], None)));
        let mut board = Board::new();
        assert_eq!(Target::new(&mut board.memory, RAM).begin(b"", 0), Ok(()));
    }
}
