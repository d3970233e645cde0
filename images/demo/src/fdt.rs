//! Reading a device tree as far as a kernel is told things by it (Devicetree Specification 0.4,
//! chapter 5).

use core::fmt;

const MAGIC: u32 = 0xd00d_feed;
/// Bytes of the header.
pub const HEADER: usize = 40;
const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROP: u32 = 3;
const NOP: u32 = 4;
const END: u32 = 9;
/// The root's name.
const ROOT: &str = "";

/// A property of the root or of a node right below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prop<'a> {
    /// The node, empty for the root.
    pub node: &'a str,
    /// The property.
    pub name: &'a str,
    /// Its value.
    pub value: &'a [u8],
}

/// The tree makes no sense at this offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn(usize);

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "makes no sense at offset {:#x}", self.0)
    }
}

/// Bytes of the tree that starts with this header, if one does.
#[must_use]
pub fn size(header: &[u8]) -> Option<u32> {
    let size = word(header, 4)?;
    (word(header, 0)? == MAGIC && size as usize >= HEADER).then_some(size)
}

/// A big-endian word.
#[must_use]
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Text that a zero ends.
#[must_use]
pub fn text(bytes: &[u8]) -> Option<&str> {
    core::str::from_utf8(bytes.split(|&byte| byte == 0).next()?).ok()
}

/// The properties of the root and of the nodes right below it; an error is the last item.
pub fn props(tree: &[u8]) -> impl Iterator<Item = Result<Prop<'_>, Torn>> {
    let mut walk = Some(Walk { tree, at: word(tree, 8).unwrap_or(0) as usize, depth: 0, node: ROOT });
    core::iter::from_fn(move || {
        let item = walk.as_mut()?.next();
        if !matches!(item, Some(Ok(_))) {
            walk = None;
        }
        item
    })
}

struct Walk<'a> {
    tree: &'a [u8],
    at: usize,
    depth: u32,
    node: &'a str,
}

impl<'a> Walk<'a> {
    fn next(&mut self) -> Option<Result<Prop<'a>, Torn>> {
        loop {
            let start = self.at;
            match self.step() {
                Some(Step::Prop(prop)) if self.depth <= 2 => return Some(Ok(prop)),
                Some(Step::Prop(_) | Step::Other) => {}
                Some(Step::End) => return None,
                None => return Some(Err(Torn(start))),
            }
        }
    }

    /// Takes a token; `None` if it is none.
    fn step(&mut self) -> Option<Step<'a>> {
        let token = word(self.tree, self.at)?;
        self.at += 4;
        match token {
            BEGIN_NODE => {
                let name = text(self.tree.get(self.at..)?)?;
                self.skip(name.len() + 1);
                self.depth += 1;
                match self.depth {
                    1 => self.node = ROOT,
                    2 => self.node = name,
                    _ => {}
                }
                Some(Step::Other)
            }
            END_NODE => {
                self.depth = self.depth.checked_sub(1)?;
                Some(Step::Other)
            }
            PROP => {
                let len = word(self.tree, self.at)? as usize;
                let strings = word(self.tree, 12)?.checked_add(word(self.tree, self.at + 4)?)?;
                let value = self.tree.get(self.at + 8..)?.get(..len)?;
                self.skip(8 + len);
                let name = text(self.tree.get(strings as usize..)?)?;
                Some(Step::Prop(Prop { node: self.node, name, value }))
            }
            NOP => Some(Step::Other),
            END if self.depth == 0 => Some(Step::End),
            _ => None,
        }
    }

    fn skip(&mut self, len: usize) {
        self.at = (self.at + len).next_multiple_of(4);
    }
}

enum Step<'a> {
    Prop(Prop<'a>),
    Other,
    End,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::vec::Vec;

    /// The names of properties.
    pub const NAMES: &[u8] = b"reg\0bootargs\0linux,initrd-start\0linux,initrd-end\0";

    /// A tree of these tokens, each a word or bytes padded to words; the strings are [`NAMES`].
    pub fn tree(tokens: &[&[u8]]) -> Vec<u8> {
        let mut body = Vec::new();
        for token in tokens {
            body.extend(*token);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        let strings = (HEADER + body.len()) as u32;
        let head = [
            MAGIC,
            strings + NAMES.len() as u32,
            HEADER as u32,
            strings,
            0,
            17,
            16,
            0,
            NAMES.len() as u32,
            body.len() as u32,
        ];
        [&head.map(u32::to_be_bytes).concat()[..], &body, NAMES].concat()
    }

    const BEGIN: &[u8] = &[0, 0, 0, 1];
    const CLOSE: &[u8] = &[0, 0, 0, 2];
    const REG: &[u8] = &[0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 0];
    const LAST: &[u8] = &[0, 0, 0, 9];

    #[test]
    fn finds_properties_of_the_upper_nodes() {
        let bytes = tree(&[
            BEGIN,
            b"\0",
            REG,
            b"12345",
            BEGIN,
            b"memory@30\0",
            REG,
            b"abcde",
            BEGIN,
            b"deep\0",
            REG,
            b"00000",
            CLOSE,
            &[0, 0, 0, 4],
            CLOSE,
            CLOSE,
            LAST,
        ]);
        assert_eq!(size(&bytes), Some(bytes.len() as u32));
        let found: Vec<_> = props(&bytes).map(Result::unwrap).collect();
        let prop = |node, value| Prop { node, name: "reg", value };
        assert_eq!(found, [prop("", &b"12345"[..]), prop("memory@30", b"abcde")]);
    }

    #[test]
    fn stops_at_what_makes_no_sense() {
        let torn = |tokens: &[&[u8]], at| {
            let bytes = tree(tokens);
            assert_eq!(props(&bytes).last(), Some(Err(Torn(HEADER + at))));
        };
        torn(&[BEGIN, b"\0", &[0, 0, 0, 7]], 8);
        torn(&[BEGIN, b"\0", LAST], 8);
        torn(&[CLOSE], 0);
        torn(&[BEGIN, b"\0", &[0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]], 8);
        torn(&[BEGIN, b"\0", &[0, 0, 0, 3, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]], 8);
        assert_eq!(size(&[0; 40]), None);
        assert_eq!(props(&[]).last(), Some(Err(Torn(0))));
    }
}
