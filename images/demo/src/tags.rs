//! Reading an ATAG list (Linux `include/uapi/asm/setup.h`).

use core::fmt;

/// One tag of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag<'a> {
    /// Start of the list; the empty form carries nothing.
    Core(Option<Core>),
    /// A range of RAM: start and size in bytes.
    Mem(u32, u32),
    /// Serial number of the board, low and high word.
    Serial(u32, u32),
    /// Revision of the board.
    Revision(u32),
    /// Initial ramdisk: physical start and size in bytes.
    Initrd2(u32, u32),
    /// Command line.
    Cmdline(Text<'a>),
    /// Something this reader does not know: its number and size in words.
    Other(u32, u32),
}

/// Body of `ATAG_CORE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// Bit 0: the root file system is read-only.
    pub flags: u32,
    /// Page size in bytes.
    pub page_size: u32,
    /// Root device number.
    pub root: u32,
}

/// A zero-terminated string in the words it arrived in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a>(&'a [u32]);

/// Why a list cannot be followed (further).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagError {
    /// The first tag is this number, not `ATAG_CORE`.
    NoCore(u32),
    /// A tag is shorter than its body, or than its own header.
    Short {
        /// Number of the tag.
        tag: u32,
        /// Its size in words.
        words: u32,
    },
    /// The list runs beyond the memory it may occupy.
    Endless,
}

const CORE: u32 = 0x5441_0001;
const MEM: u32 = 0x5441_0002;
const SERIAL: u32 = 0x5441_0006;
const REVISION: u32 = 0x5441_0007;
const INITRD2: u32 = 0x5442_0005;
const CMDLINE: u32 = 0x5441_0009;

/// The tags of the list at the start of `words`; an error is the last item.
pub fn tags(words: &[u32]) -> impl Iterator<Item = Result<Tag<'_>, TagError>> {
    let mut rest = Some(words);
    let mut first = true;
    core::iter::from_fn(move || {
        let item = match next(rest.take()?, first) {
            Ok(None) => return None,
            Ok(Some((tag, behind))) => {
                rest = Some(behind);
                Ok(tag)
            }
            Err(error) => Err(error),
        };
        first = false;
        Some(item)
    })
}

/// The tag at the start of `words` and what is behind it; `None` at the end of the list.
fn next(words: &[u32], first: bool) -> Result<Option<(Tag<'_>, &[u32])>, TagError> {
    let &[size, tag, ..] = words else { return Err(TagError::Endless) };
    if first && tag != CORE {
        return Err(TagError::NoCore(tag));
    }
    if tag == 0 {
        return Ok(None);
    }
    let short = TagError::Short { tag, words: size };
    let (this, behind) = words.split_at_checked(size as usize).ok_or(TagError::Endless)?;
    let body = this.get(2..).ok_or(short)?;
    let tag = match (tag, body) {
        (CORE, []) => Tag::Core(None),
        (CORE, &[flags, page_size, root, ..]) => Tag::Core(Some(Core { flags, page_size, root })),
        (MEM, &[size, start, ..]) => Tag::Mem(start, size),
        (SERIAL, &[low, high, ..]) => Tag::Serial(low, high),
        (REVISION, &[revision, ..]) => Tag::Revision(revision),
        (INITRD2, &[start, size, ..]) => Tag::Initrd2(start, size),
        (CMDLINE, [_, ..]) => Tag::Cmdline(Text(body)),
        (CORE | MEM | SERIAL | REVISION | INITRD2 | CMDLINE, _) => return Err(short),
        _ => Tag::Other(tag, size),
    };
    Ok(Some((tag, behind)))
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.take_while(|&byte| byte != 0).try_for_each(|byte| write!(f, "{}", byte.escape_ascii()))
    }
}

impl fmt::Display for Tag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Core(None) => write!(f, "CORE     empty"),
            Self::Core(Some(Core { flags, page_size, root })) => {
                write!(f, "CORE     flags {flags:x}, page size {page_size}, root device {root:x}")
            }
            Self::Mem(start, size) => write!(f, "MEM      {start:08x}, {} MiB", size >> 20),
            Self::Serial(low, high) => write!(f, "SERIAL   {high:08x}{low:08x}"),
            Self::Revision(revision) => write!(f, "REVISION {revision:x}"),
            Self::Initrd2(start, size) => write!(f, "INITRD2  {start:08x}, {size} bytes"),
            Self::Cmdline(text) => write!(f, "CMDLINE  {text}"),
            Self::Other(tag, words) => write!(f, "{tag:08x} {words} words"),
        }
    }
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoCore(found) => write!(f, "list starts with {found:08x}, not with CORE"),
            Self::Short { tag, words } => write!(f, "{tag:08x} is only {words} words long"),
            Self::Endless => write!(f, "list does not end where it must"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{format, string::String, vec::Vec};

    fn read(words: &[u32]) -> Vec<String> {
        let text = |tag| match tag {
            Ok(tag) => format!("{tag}"),
            Err(error) => format!("{error:?}"),
        };
        tags(words).map(text).collect()
    }

    #[test]
    fn reads_every_tag() {
        #[rustfmt::skip]
        let words = [
            5, CORE, 1, 4096, 0x1f02,
            4, MEM, 0x0800_0000, 0x3000_0000,
            4, SERIAL, 1, 2,
            3, REVISION, 0x360,
            4, INITRD2, 0x3100_0000, 0x1234,
            4, CMDLINE, u32::from_le_bytes(*b"ab\"\n"), u32::from_le_bytes(*b"c\0de"),
            8, 0x5441_0008, 0, 0, 0, 0, 0, 0,
            0, 0,
            3, REVISION, 7,
        ];
        let expected = [
            "CORE     flags 1, page size 4096, root device 1f02",
            "MEM      30000000, 128 MiB",
            "SERIAL   0000000200000001",
            "REVISION 360",
            "INITRD2  31000000, 4660 bytes",
            "CMDLINE  ab\\\"\\nc",
            "54410008 8 words",
        ];
        assert_eq!(read(&words), expected);
    }

    #[test]
    fn stops_at_what_it_cannot_follow() {
        let check = |words: &[u32], expected: &[&str]| assert_eq!(read(words), expected);
        check(&[], &["Endless"]);
        check(&[0, 0], &["NoCore(0)"]);
        check(&[4, MEM, 0, 0], &["NoCore(1413545986)"]);
        check(&[2, CORE, 0, 0], &["CORE     empty"]);
        check(&[2, CORE], &["CORE     empty", "Endless"]);
        check(&[3, CORE, 0, 0, 0], &["Short { tag: 1413545985, words: 3 }"]);
        check(&[0, CORE, 0, 0], &["Short { tag: 1413545985, words: 0 }"]);
        check(&[2, CORE, 1, 7, 0, 0], &["CORE     empty", "Short { tag: 7, words: 1 }"]);
        check(&[2, CORE, u32::MAX, 7, 0, 0], &["CORE     empty", "Endless"]);
        check(&[2, CORE, 2, CMDLINE, 0, 0], &["CORE     empty", "Short { tag: 1413545993, words: 2 }"]);
    }
}
