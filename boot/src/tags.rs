//! The ATAG list (Linux `Documentation/arm/booting.rst`, `uapi/asm/setup.h`).

use core::fmt;

const NONE: u32 = 0;
const CORE: u32 = 0x5441_0001;
const MEM: u32 = 0x5441_0002;
const REVISION: u32 = 0x5441_0007;
const INITRD2: u32 = 0x5442_0005;
const CMDLINE: u32 = 0x5441_0009;

/// Where the list goes: the offset from the start of RAM that kernels of these boards look
/// at when r2 is no good.
pub const TAGS_OFFSET: u32 = 0x100;
/// Bytes at the start of RAM that hold the list: the kernel's own page table follows.
pub const TAGS_AREA: u32 = 0x4000;

/// What a kernel is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags<'a> {
    /// Start and size of RAM in bytes.
    pub memory: (u32, u32),
    /// Board revision, on boards whose kernels look at it.
    pub revision: Option<u32>,
    /// Physical start and size in bytes of the initial ramdisk.
    pub initrd: Option<(u32, u32)>,
    /// Command line as memory holds it: little-endian words, zero-terminated. Empty for
    /// none. [`pack`] makes it from text.
    pub cmdline: &'a [u32],
}

/// Packs text and its terminating zero into words; `None` when they are too few.
pub fn pack<'w>(text: &str, words: &'w mut [u32]) -> Option<&'w [u32]> {
    let words = words.get_mut(..text.len() / 4 + 1)?;
    words.fill(0);
    for (i, byte) in text.bytes().enumerate() {
        words[i / 4] |= u32::from(byte) << (i % 4 * 8);
    }
    Some(words)
}

impl Tags<'_> {
    /// Writes the list into `words`; returns the number of words used, or `None` when
    /// they are too few.
    pub fn write(&self, words: &mut [u32]) -> Option<usize> {
        let (board, used) = of_board(self.memory, self.revision);
        let initrd = self.initrd.map(|(start, size)| [4, INITRD2, start, size]);
        let cmdline = cmdline_head(self.cmdline.len());
        join(
            words,
            &[
                &board[..used],
                initrd.as_ref().map_or(&[], |tag| tag),
                if self.cmdline.is_empty() { &[] } else { &cmdline },
                self.cmdline,
                // ATAG_NONE alone has a size of zero.
                &[0, NONE],
            ],
        )
    }
}

/// The tags that depend on the board alone, made at compile time: ATAG_CORE, ATAG_MEM
/// and, if there is one, ATAG_REVISION. The array's unused tail is not part of the list.
#[must_use]
pub const fn of_board(memory: (u32, u32), revision: Option<u32>) -> ([u32; 12], usize) {
    let (start, size) = memory;
    match revision {
        Some(revision) => ([5, CORE, 0, 0, 0, 4, MEM, size, start, 3, REVISION, revision], 12),
        None => ([5, CORE, 0, 0, 0, 4, MEM, size, start, 0, 0, 0], 9),
    }
}

/// The head of ATAG_CMDLINE for a command line of so many words.
#[must_use]
pub const fn cmdline_head(words: usize) -> [u32; 2] {
    [2 + words as u32, CMDLINE]
}

/// A list at an address, which shows each tag on a line.
pub struct Shown<'a> {
    /// Where it is.
    pub address: u32,
    /// Its words.
    pub words: &'a [u32],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.words;
        while let [len, tag, ..] = *rest {
            let at = self.address.wrapping_add(4 * (self.words.len() - rest.len()) as u32);
            let body = rest.get(2..len as usize).unwrap_or_default();
            rest = rest.get((len as usize).max(2)..).unwrap_or_default();
            write!(f, "   {at:08x} ")?;
            match (tag, body) {
                (CORE, _) => writeln!(f, "CORE")?,
                (MEM, [size, start]) => writeln!(f, "MEM      {start:08x} {size:08x}")?,
                (REVISION, [revision]) => writeln!(f, "REVISION {revision:x}")?,
                (INITRD2, [start, size]) => writeln!(f, "INITRD2  {start:08x} {size:08x}")?,
                (CMDLINE, _) => writeln!(f, "CMDLINE  {}", Text(body))?,
                (NONE, _) => writeln!(f, "NONE")?,
                _ => writeln!(f, "{tag:08x} {len} words")?,
            }
        }
        Ok(())
    }
}

/// Zero-terminated text in words.
struct Text<'a>(&'a [u32]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.take_while(|&byte| byte != 0).try_for_each(|byte| write!(f, "{}", byte.escape_ascii()))
    }
}

/// Writes the parts one after the other; returns the number of words used, or `None`
/// when there is no room.
fn join(words: &mut [u32], parts: &[&[u32]]) -> Option<usize> {
    let mut used = 0;
    for part in parts {
        for word in *part {
            *words.get_mut(used)? = *word;
            used += 1;
        }
    }
    Some(used)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    const TAGS: Tags<'_> = Tags {
        memory: (0x3000_0000, 0x0800_0000),
        revision: Some(0x360),
        initrd: Some((0x3100_0000, 0x1234)),
        cmdline: &[u32::from_le_bytes(*b"abcd"), 0],
    };

    #[test]
    fn lists_every_tag_in_order() {
        let mut words = [0xdead_beef; 32];
        let used = TAGS.write(&mut words).unwrap();
        #[rustfmt::skip]
        let expected = [
            5, CORE, 0, 0, 0,
            4, MEM, 0x0800_0000, 0x3000_0000,
            3, REVISION, 0x360,
            4, INITRD2, 0x3100_0000, 0x1234,
            // The terminating zero takes a word of its own.
            4, CMDLINE, u32::from_le_bytes(*b"abcd"), 0,
            0, 0,
        ];
        assert_eq!(words[..used], expected);
    }

    #[test]
    fn describes_every_tag() {
        let mut words = [0; 32];
        let used = TAGS.write(&mut words).unwrap();
        let text = Shown { address: 0x3000_0100, words: &words[..used] }.to_string();
        let expected = "   30000100 CORE
   30000114 MEM      30000000 08000000
   30000124 REVISION 360
   30000130 INITRD2  31000000 00001234
   30000140 CMDLINE  abcd
   30000150 NONE
";
        assert_eq!(text, expected);
    }

    #[test]
    fn packs_text_with_its_zero() {
        let mut words = [u32::MAX; 2];
        assert_eq!(pack("", &mut words), Some(&[0][..]));
        assert_eq!(pack("abc", &mut words), Some(&[0x0063_6261][..]));
        assert_eq!(pack("abcd", &mut words), Some(&[0x6463_6261, 0][..]));
        assert_eq!(pack("abcdefgh", &mut words), None);
    }

    #[test]
    fn says_when_there_is_no_room() {
        let mut words = [0; 32];
        let used = TAGS.write(&mut words).unwrap();
        for len in 0..used {
            assert_eq!(TAGS.write(&mut words[..len]), None, "{len} words");
        }
    }

    #[test]
    fn leaves_out_what_is_absent() {
        let mut words = [0; 32];
        let bare = Tags { revision: None, initrd: None, cmdline: &[], ..TAGS };
        assert_eq!(bare.write(&mut words), Some(11));
    }
}
