//! LZ4 frames (LZ4 Frame Format 1.6.3), decompressed from one slice into another.
//!
//! What `lz4` writes and U-Boot takes as a uImage's or FIT's `lz4`; beyond U-Boot, blocks may
//! depend on those before them, and every checksum there is counts.

use core::fmt;
use lz4_flex::block::{DecompressError, decompress_into_with_dict};
use twox_hash::XxHash32;

const MAGIC: u32 = 0x184d_2204;
/// What `lz4 -l` writes, which has no checksums.
const LEGACY: u32 = 0x184c_2102;

/// How far back a block refers to those before it.
const WINDOW: usize = 64 << 10;
/// Bit 31 of a block's size: it is not compressed.
const STORED: u32 = 1 << 31;

/// Why data could not be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lz4Error {
    /// It does not start with an LZ4 frame, but with this word.
    NotLz4(u32),
    /// The older format of `lz4 -l`.
    Legacy,
    /// The frame's header is damaged, or of another version.
    Header,
    /// The frame needs a dictionary.
    Dictionary,
    /// It ends before the last block does, or before the checksum.
    Truncated,
    /// A block is damaged.
    Damaged {
        /// Where in the frame.
        at: usize,
    },
    /// There is more than fits.
    TooLong {
        /// Bytes of room there are.
        room: usize,
    },
    /// The result's checksum is not that in the frame, or its length is not.
    Check,
}

impl fmt::Display for Lz4Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLz4(word) => write!(f, "no LZ4 frame: the first word is {word:08x}, not {MAGIC:08x}"),
            Self::Legacy => write!(f, "the old LZ4 format; compress with 'lz4' without -l"),
            Self::Header => write!(f, "the frame's header is damaged"),
            Self::Dictionary => write!(f, "the frame needs a dictionary; compress it without"),
            Self::Truncated => write!(f, "the compressed data ends too early"),
            Self::Damaged { at } => write!(f, "the compressed data is damaged in the block at {at:#x}"),
            Self::TooLong { room } => write!(f, "it needs more than the {room:#x} bytes there are"),
            Self::Check => write!(f, "the checksum of the result is wrong"),
        }
    }
}

/// What a frame's header says.
struct Frame {
    independent: bool,
    block_checksums: bool,
    checksum: bool,
    content: Option<u64>,
    block_max: usize,
}

/// What is left of the input, and where that is.
struct Input<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Lz4Error> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Lz4Error::Truncated)?;
        self.rest = rest;
        self.at += len;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, Lz4Error> {
        let bytes = self.take(4)?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }
}

fn header(input: &mut Input<'_>) -> Result<Frame, Lz4Error> {
    match input.word() {
        Ok(MAGIC) => {}
        Ok(LEGACY) => return Err(Lz4Error::Legacy),
        Ok(word) => return Err(Lz4Error::NotLz4(word)),
        Err(_) => return Err(Lz4Error::NotLz4(0)),
    }
    let descriptor = input.rest;
    let &[flags, block, ..] = input.take(2)? else { return Err(Lz4Error::Truncated) };
    let has = |bit: u8| flags >> bit & 1 != 0;
    let content = if has(3) { Some(u64::from(input.word()?) | u64::from(input.word()?) << 32) } else { None };
    if has(0) {
        return Err(Lz4Error::Dictionary);
    }
    let described = if has(3) { 10 } else { 2 };
    let hash = XxHash32::oneshot(0, descriptor.get(..described).unwrap_or_default());
    let size = block >> 4 & 7;
    // Version 1, no reserved bit.
    let known = flags >> 6 == 1 && !has(1) && block & 0x8f == 0 && size >= 4;
    if input.take(1)? != [(hash >> 8) as u8] || !known {
        return Err(Lz4Error::Header);
    }
    let block_max = 1 << (8 + 2 * size);
    Ok(Frame { independent: has(5), block_checksums: has(4), checksum: has(2), content, block_max })
}

/// The most bytes that the frame at the start of `input` can hold; its very length if it says
/// so.
///
/// # Errors
/// It is no sound frame.
pub fn bound(input: &[u8]) -> Result<u64, Lz4Error> {
    let mut input = Input { rest: input, at: 0 };
    let frame = header(&mut input)?;
    if let Some(len) = frame.content {
        return Ok(len);
    }
    let mut blocks = 0;
    while let Some((_, _)) = next_block(&frame, &mut input)? {
        blocks += 1;
    }
    Ok(blocks * frame.block_max as u64)
}

/// The next block, and whether it is stored as it is; `None` at the end.
fn next_block<'a>(frame: &Frame, input: &mut Input<'a>) -> Result<Option<(&'a [u8], bool)>, Lz4Error> {
    let at = input.at;
    let word = input.word()?;
    if word == 0 {
        return Ok(None);
    }
    let len = (word & !STORED) as usize;
    // A compressed block is never longer than its contents.
    if len > frame.block_max {
        return Err(Lz4Error::Damaged { at });
    }
    let block = input.take(len)?;
    if frame.block_checksums && input.word()? != XxHash32::oneshot(0, block) {
        return Err(Lz4Error::Damaged { at });
    }
    Ok(Some((block, word & STORED != 0)))
}

/// Decompresses the frame at the start of `input` into `output`; returns its length.
///
/// # Errors
/// The input is no sound frame, or `output` is too small. `output` may be partly written then.
pub fn decompress(input: &[u8], output: &mut [u8]) -> Result<usize, Lz4Error> {
    let mut input = Input { rest: input, at: 0 };
    let frame = header(&mut input)?;
    let room = output.len();
    let mut len = 0;
    loop {
        let at = input.at;
        let Some((block, stored)) = next_block(&frame, &mut input)? else { break };
        let (before, free) = output.split_at_mut_checked(len).ok_or(Lz4Error::TooLong { room })?;
        let fits = free.len();
        let free = free.get_mut(..fits.min(frame.block_max)).unwrap_or_default();
        len += if stored {
            free.get_mut(..block.len()).ok_or(Lz4Error::TooLong { room })?.copy_from_slice(block);
            block.len()
        } else {
            let window = if frame.independent { 0 } else { WINDOW.min(before.len()) };
            let window = before.get(before.len() - window..).unwrap_or_default();
            match decompress_into_with_dict(block, free, window) {
                Ok(len) => len,
                Err(DecompressError::OutputTooSmall { .. }) if fits < frame.block_max => {
                    return Err(Lz4Error::TooLong { room });
                }
                Err(_) => return Err(Lz4Error::Damaged { at }),
            }
        };
    }
    let data = output.get(..len).unwrap_or_default();
    if frame.content.is_some_and(|content| content != len as u64)
        || frame.checksum && input.word()? != XxHash32::oneshot(0, data)
    {
        return Err(Lz4Error::Check);
    }
    Ok(len)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fdt::tests::Random;
    use std::vec::Vec;

    /// `printf 'steppingstone steppingstone' | lz4 -9`, from lz4 1.9.4.
    pub const PLAIN: &[u8] = &[
        0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0x17, 0x00, 0x00, 0x00, 0xe4, 0x73, 0x74, 0x65, 0x70, 0x70,
        0x69, 0x6e, 0x67, 0x73, 0x74, 0x6f, 0x6e, 0x65, 0x20, 0x0e, 0x00, 0x50, 0x73, 0x74, 0x6f, 0x6e, 0x65,
        0x00, 0x00, 0x00, 0x00, 0x3c, 0xe8, 0xb7, 0xc0,
    ];
    const TEXT: &[u8] = b"steppingstone steppingstone";

    #[derive(Clone, Copy)]
    struct Options {
        flags: u8,
        content: Option<u64>,
    }

    /// A frame of these blocks, each with a flag for stored.
    fn frame(options: Options, blocks: &[(&[u8], bool)], whole: &[u8]) -> Vec<u8> {
        let mut descriptor = std::vec![0x40 | options.flags, 0x40];
        if let Some(content) = options.content {
            descriptor[0] |= 8;
            descriptor.extend(content.to_le_bytes());
        }
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend(&descriptor);
        bytes.push((XxHash32::oneshot(0, &descriptor) >> 8) as u8);
        for (block, stored) in blocks {
            bytes.extend((block.len() as u32 | if *stored { STORED } else { 0 }).to_le_bytes());
            bytes.extend(*block);
            if options.flags & 0x10 != 0 {
                bytes.extend(XxHash32::oneshot(0, block).to_le_bytes());
            }
        }
        bytes.extend([0; 4]);
        if options.flags & 4 != 0 {
            bytes.extend(XxHash32::oneshot(0, whole).to_le_bytes());
        }
        bytes
    }

    fn check(input: &[u8], room: usize, expected: Result<&[u8], Lz4Error>) {
        let mut output = std::vec![0; room];
        let result = decompress(input, &mut output);
        assert_eq!(result.map(|len| &output[..len]), expected);
    }

    /// "abc", then seven bytes from four back: "abcXabcXabc" with the X stored before.
    const BACK: &[u8] = &[0x33, b'a', b'b', b'c', 4, 0, 0x00];

    #[test]
    fn decompresses_what_lz4_writes() {
        check(PLAIN, 27, Ok(TEXT));
        check(&[PLAIN, b"padding"].concat(), 100, Ok(TEXT));
        check(PLAIN, 26, Err(Lz4Error::TooLong { room: 26 }));
        assert_eq!(bound(PLAIN), Ok(64 << 10));
    }

    #[test]
    fn takes_every_kind_of_block() {
        let stored = (&b"0123456X"[..], true);
        for flags in [0, 4, 0x10, 0x14] {
            let options = Options { flags, content: None };
            check(&frame(options, &[stored], b"0123456X"), 8, Ok(b"0123456X"));
            let dependent = frame(options, &[stored, (BACK, false)], b"0123456XabcXabcXab");
            check(&dependent, 18, Ok(b"0123456XabcXabcXab"));
            assert_eq!(bound(&dependent), Ok(2 << 16));
            let independent = Options { flags: flags | 0x20, content: None };
            let at = if flags & 0x10 == 0 { 19 } else { 23 };
            let alone = frame(independent, &[stored, (BACK, false)], b"");
            check(&alone, 18, Err(Lz4Error::Damaged { at }));
        }
        let sized = |content| Options { flags: 0, content: Some(content) };
        check(&frame(sized(8), &[stored], b""), 8, Ok(b"0123456X"));
        check(&frame(sized(7), &[stored], b""), 8, Err(Lz4Error::Check));
        assert_eq!(bound(&frame(sized(u64::MAX), &[stored], b"")), Ok(u64::MAX));
    }

    #[test]
    fn says_what_is_wrong() {
        let options = Options { flags: 0x14, content: None };
        let good = frame(options, &[(b"0123", true)], b"0123");
        check(&good, 4, Ok(b"0123"));
        check(&good, 3, Err(Lz4Error::TooLong { room: 3 }));
        check(b"", 4, Err(Lz4Error::NotLz4(0)));
        check(&[0; 64], 4, Err(Lz4Error::NotLz4(0)));
        check(&LEGACY.to_le_bytes(), 4, Err(Lz4Error::Legacy));
        for len in 4..good.len() {
            check(&good[..len], 4, Err(Lz4Error::Truncated));
        }
        let damage = |at: usize, error| {
            let mut torn = good.clone();
            torn[at] ^= 0x02;
            check(&torn, 64, Err(error));
        };
        damage(4, Lz4Error::Header);
        damage(5, Lz4Error::Header);
        damage(6, Lz4Error::Header);
        damage(11, Lz4Error::Damaged { at: 7 });
        damage(15, Lz4Error::Damaged { at: 7 });
        damage(good.len() - 1, Lz4Error::Check);
        let mut dictionary = good.clone();
        dictionary[4] |= 1;
        check(&dictionary, 4, Err(Lz4Error::Dictionary));
        let huge = frame(Options { flags: 0, content: None }, &[(&[0; (64 << 10) + 1], true)], b"");
        check(&huge, 1 << 20, Err(Lz4Error::Damaged { at: 7 }));
        // A block that unpacks to more than a block may hold.
        let bomb = [&[0x1f, b'a', 1, 0][..], &[0xff; 300], &[0]].concat();
        let bomb = frame(Options { flags: 0, content: None }, &[(&bomb, false)], b"");
        check(&bomb, 1 << 20, Err(Lz4Error::Damaged { at: 7 }));
        check(&bomb, 1000, Err(Lz4Error::TooLong { room: 1000 }));
    }

    #[test]
    fn what_is_damaged_stays_in_its_room() {
        let text: Vec<u8> = TEXT.repeat(50);
        let packed = lz4_of(&text);
        let mut random = Random(0x1a4);
        for _ in 0..50_000 {
            let mut bytes = packed.clone();
            random.damage(&mut bytes);
            let mut output = std::vec![0; random.below(2000)];
            // Without checksums damage may go unnoticed; what counts is that it ends.
            let _ = decompress(&bytes, &mut output);
            let _ = bound(&bytes);
        }
    }

    /// A frame without checksums that repeats its first bytes.
    fn lz4_of(text: &[u8]) -> Vec<u8> {
        let period = 27;
        let more = text.len() - period - 4;
        let mut block = std::vec![0xff, (period - 15) as u8];
        block.extend(&text[..period]);
        block.extend([period as u8, 0]);
        block.extend(std::vec![0xff; (more - 15) / 255]);
        block.extend([((more - 15) % 255) as u8, 0]);
        frame(Options { flags: 0, content: None }, &[(&block, false)], text)
    }

    #[test]
    fn unpacks_what_repeats() {
        let text: Vec<u8> = TEXT.repeat(50);
        check(&lz4_of(&text), text.len(), Ok(&text));
    }
}
