//! Flattened device trees (Devicetree Specification 0.4, chapter 5), read in place and changed
//! in place.
//!
//! No crate does both without an allocator: those that edit cannot add a node, and /chosen is
//! what is missing most often. Nothing here relies on an earlier check of the bytes: whatever is
//! read is looked for anew, and is absent where the tree is damaged.

pub mod edit;
pub mod fixup;

use core::fmt;

/// First word of every tree.
pub const MAGIC: u32 = 0xd00d_feed;
/// Bytes of the header.
pub const HEADER: usize = 40;
/// Deepest nesting that is followed; trees in the field have less than ten levels.
const DEPTH: u32 = 32;

const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROP: u32 = 3;
const NOP: u32 = 4;
const END: u32 = 9;
/// Bytes of a property before its value: token, length, offset of the name.
pub const PROP_HEAD: usize = 12;

/// Why bytes are no device tree, or cannot be changed as wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FdtError {
    /// The first word, which is not [`MAGIC`], or 0 where there is none.
    Magic(u32),
    /// The header says it has so many bytes; fewer are there.
    Truncated(u32),
    /// A version that is not compatible with 16 or 17.
    Version(u32),
    /// The blocks are not inside the tree, or not in the usual order: reservations,
    /// structure, strings.
    Layout,
    /// The structure block makes no sense at this offset.
    Structure(u32),
    /// A change needs more room than there is behind the tree.
    Room,
}

impl fmt::Display for FdtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Magic(word) => write!(f, "the first word is {word:08x}, not {MAGIC:08x}"),
            Self::Truncated(len) => write!(f, "the header says {len:#x} bytes, and they are not all there"),
            Self::Version(version) => write!(f, "version {version} is not supported, only 16 and 17"),
            Self::Layout => write!(f, "the header's offsets make no sense"),
            Self::Structure(at) => write!(f, "the structure is damaged at offset {at:#x}"),
            Self::Room => write!(f, "it does not fit the room behind it"),
        }
    }
}

/// The big-endian word at an offset.
fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Bytes of the tree that starts here, as its header says; `None` where none starts.
#[must_use]
pub fn size(bytes: &[u8]) -> Option<u32> {
    (be32(bytes, 0)? == MAGIC).then_some(be32(bytes, 4)?)
}

/// Where the parts of a tree are, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    total: usize,
    structure: usize,
    structure_end: usize,
    strings: usize,
    strings_end: usize,
}

impl Layout {
    fn of(bytes: &[u8]) -> Result<Self, FdtError> {
        let header: &[u8; HEADER] =
            bytes.first_chunk().ok_or(FdtError::Magic(be32(bytes, 0).unwrap_or(0)))?;
        let word = |at| be32(header, at).unwrap_or(0);
        if word(0) != MAGIC {
            return Err(FdtError::Magic(word(0)));
        }
        let (version, compatible) = (word(20), word(24));
        // The size of the structure block came with version 17; dtc has written it since 2005.
        if version < 17 || compatible > 17 {
            return Err(FdtError::Version(version));
        }
        let total = word(4) as usize;
        if total > bytes.len() {
            return Err(FdtError::Truncated(word(4)));
        }
        let block = |offset, size| {
            let start = word(offset) as usize;
            let end = start.checked_add(word(size) as usize)?;
            (start >= HEADER && end <= total).then_some((start, end))
        };
        let (structure, structure_end) = block(8, 36).ok_or(FdtError::Layout)?;
        let (strings, strings_end) = block(12, 32).ok_or(FdtError::Layout)?;
        let reservations = word(16) as usize;
        if !structure.is_multiple_of(4) || reservations > structure || structure_end > strings {
            return Err(FdtError::Layout);
        }
        Ok(Self { total, structure, structure_end, strings, strings_end })
    }
}

/// A tree.
#[derive(Clone, Copy)]
pub struct Fdt<'a> {
    bytes: &'a [u8],
    layout: Layout,
}

impl<'a> Fdt<'a> {
    /// The tree at the start of `bytes`, its structure checked from end to end.
    ///
    /// # Errors
    /// Says in what way it is none.
    pub fn new(bytes: &'a [u8]) -> Result<Self, FdtError> {
        let layout = Layout::of(bytes)?;
        let tree = Self { bytes, layout };
        tree.check()?;
        Ok(tree)
    }

    /// Bytes of the tree.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.total
    }

    /// Is there nothing in it? Never, but who has a length says so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One root, everything closed, nothing deeper than is followed, an end.
    fn check(&self) -> Result<(), FdtError> {
        let mut at = self.layout.structure;
        let mut depth = 0;
        loop {
            let error = FdtError::Structure(at as u32);
            let (token, next) = self.token(at).ok_or(error)?;
            match token {
                Token::Begin(_) if depth < DEPTH && (depth > 0 || at == self.layout.structure) => depth += 1,
                Token::Prop(..) if depth > 0 => {}
                Token::End if depth > 0 => depth -= 1,
                Token::Nop => {}
                Token::Finish if depth == 0 && at != self.layout.structure => return Ok(()),
                _ => return Err(error),
            }
            at = next;
        }
    }

    /// The token at an offset and the offset behind it.
    fn token(&self, at: usize) -> Option<(Token<'a>, usize)> {
        let block = self.bytes.get(..self.layout.structure_end)?;
        let behind = at.checked_add(4)?;
        let aligned = |end: usize| end.checked_next_multiple_of(4).filter(|end| *end <= block.len());
        Some(match be32(block, at)? {
            BEGIN_NODE => {
                let name = text(block.get(behind..)?)?;
                (Token::Begin(name), aligned(behind + name.len() + 1)?)
            }
            END_NODE => (Token::End, behind),
            PROP => {
                let len = be32(block, behind)? as usize;
                let name = self.string(be32(block, behind + 4)?)?;
                let start = behind + 8;
                let end = start.checked_add(len)?;
                (Token::Prop(name, block.get(start..end)?), aligned(end)?)
            }
            NOP => (Token::Nop, behind),
            END => (Token::Finish, behind),
            _ => return None,
        })
    }

    fn string(&self, offset: u32) -> Option<&'a str> {
        let strings = self.bytes.get(self.layout.strings..self.layout.strings_end)?;
        text(strings.get(offset as usize..)?)
    }

    /// The root.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        // What `check` has seen there.
        let behind = self.token(self.layout.structure).map_or(self.layout.structure, |(_, next)| next);
        Node { tree: self, name: "", at: self.layout.structure, body: behind }
    }

    /// The node of a path like `/images/kernel`; names may lack their unit addresses.
    #[must_use]
    pub fn node(self, path: &str) -> Option<Node<'a>> {
        let mut names = path.split('/').filter(|name| !name.is_empty());
        names.try_fold(self.root(), |node, name| node.child(name))
    }
}

enum Token<'a> {
    Begin(&'a str),
    End,
    Prop(&'a str, &'a [u8]),
    Nop,
    Finish,
}

/// Text up to its zero byte.
fn text(bytes: &[u8]) -> Option<&str> {
    let len = bytes.iter().position(|&byte| byte == 0)?;
    core::str::from_utf8(bytes.get(..len)?).ok()
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    tree: Fdt<'a>,
    /// Its name, with the unit address.
    pub name: &'a str,
    /// Offset of its first token.
    at: usize,
    /// Offset behind its name.
    body: usize,
}

impl<'a> Node<'a> {
    /// Names and values of its properties.
    pub fn props(self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let mut at = self.body;
        core::iter::from_fn(move || {
            loop {
                let (token, next) = self.tree.token(at)?;
                at = next;
                match token {
                    Token::Prop(name, value) => return Some((name, value)),
                    Token::Nop => {}
                    // Properties come before children.
                    _ => return None,
                }
            }
        })
    }

    /// The value of a property.
    #[must_use]
    pub fn prop(self, name: &str) -> Option<&'a [u8]> {
        self.place(name).map(|(_, value)| value)
    }

    /// Where a property is: its token's offset in the tree, and its value.
    #[must_use]
    pub fn place(self, name: &str) -> Option<(usize, &'a [u8])> {
        let mut at = self.body;
        loop {
            match self.tree.token(at)? {
                (Token::Prop(known, value), _) if known == name => return Some((at, value)),
                (Token::Prop(..) | Token::Nop, next) => at = next,
                _ => return None,
            }
        }
    }

    /// The value of a property that is text, or the first of several.
    #[must_use]
    pub fn text(self, name: &str) -> Option<&'a str> {
        text(self.prop(name)?)
    }

    /// The value of a property that is one number of 32 or 64 bits; `None` for one beyond 32.
    #[must_use]
    pub fn number(self, name: &str) -> Option<u32> {
        match self.prop(name)? {
            &[a, b, c, d] | &[0, 0, 0, 0, a, b, c, d] => Some(u32::from_be_bytes([a, b, c, d])),
            _ => None,
        }
    }

    /// Its children.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        let (tree, mut at, mut depth) = (self.tree, self.body, 0);
        core::iter::from_fn(move || {
            loop {
                let (token, next) = tree.token(at)?;
                let here = core::mem::replace(&mut at, next);
                match token {
                    Token::Begin(name) => {
                        depth += 1;
                        if depth == 1 {
                            return Some(Node { tree, name, at: here, body: next });
                        }
                    }
                    Token::End if depth == 0 => return None,
                    Token::End => depth -= 1,
                    Token::Prop(..) | Token::Nop => {}
                    Token::Finish => return None,
                }
            }
        })
    }

    /// The child of that name, or of that name before the unit address.
    #[must_use]
    pub fn child(self, name: &str) -> Option<Node<'a>> {
        self.children().find(|child| {
            child.name == name || child.name.split_once('@').is_some_and(|(base, _)| base == name)
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    /// Makes trees for the tests.
    #[derive(Default)]
    pub struct Builder {
        structure: Vec<u8>,
        strings: Vec<u8>,
    }

    impl Builder {
        fn word(&mut self, word: u32) {
            self.structure.extend(word.to_be_bytes());
        }

        fn pad(&mut self) {
            self.structure.resize(self.structure.len().next_multiple_of(4), 0);
        }

        pub fn begin(mut self, name: &str) -> Self {
            self.word(BEGIN_NODE);
            self.structure.extend(name.bytes().chain([0]));
            self.pad();
            self
        }

        pub fn end(mut self) -> Self {
            self.word(END_NODE);
            self
        }

        pub fn prop(mut self, name: &str, value: &[u8]) -> Self {
            let offset = self.strings.len() as u32;
            self.strings.extend(name.bytes().chain([0]));
            [PROP, value.len() as u32, offset].into_iter().for_each(|word| self.word(word));
            self.structure.extend(value);
            self.pad();
            self
        }

        pub fn text(self, name: &str, value: &str) -> Self {
            self.prop(name, &[value.as_bytes(), b"\0"].concat())
        }

        pub fn number(self, name: &str, value: u32) -> Self {
            self.prop(name, &value.to_be_bytes())
        }

        pub fn build(mut self) -> Vec<u8> {
            self.word(END);
            let structure = HEADER + 16;
            let strings = structure + self.structure.len();
            let total = strings + self.strings.len();
            let words = [
                MAGIC as usize,
                total,
                structure,
                strings,
                HEADER,
                17,
                16,
                0,
                self.strings.len(),
                self.structure.len(),
            ];
            let mut bytes: Vec<u8> = words.iter().flat_map(|&word| (word as u32).to_be_bytes()).collect();
            bytes.extend([0; 16]);
            bytes.extend(self.structure);
            bytes.extend(self.strings);
            bytes
        }
    }

    /// A tree as boards have it.
    pub fn board() -> Builder {
        Builder::default()
            .begin("")
            .number("#address-cells", 1)
            .number("#size-cells", 1)
            .text("model", "mock")
            .begin("cpus")
            .begin("cpu@0")
            .text("device_type", "cpu")
            .end()
            .end()
    }

    /// The tree as indented text.
    pub fn shown(node: Node<'_>, depth: usize) -> String {
        let indent = " ".repeat(depth);
        let mut out = std::format!("{indent}{}{{\n", node.name);
        for (name, value) in node.props() {
            out += &std::format!("{indent} {name}={}\n", value.escape_ascii());
        }
        for child in node.children() {
            out += &shown(child, depth + 1);
        }
        out + &indent + "}\n"
    }

    #[test]
    fn reads() {
        let bytes = board().begin("memory@30000000").prop("reg", &[0x30; 8]).end().end().build();
        let tree = Fdt::new(&bytes).unwrap();
        let root = tree.root();
        let names: Vec<_> = root.children().map(|node| node.name).collect();
        assert_eq!(names, ["cpus", "memory@30000000"]);
        assert_eq!(root.text("model"), Some("mock"));
        assert_eq!(root.number("#address-cells"), Some(1));
        assert_eq!(root.number("model"), None);
        assert_eq!(root.prop("absent"), None);
        assert_eq!(tree.node("/cpus/cpu").unwrap().text("device_type"), Some("cpu"));
        assert_eq!(tree.node("/memory").unwrap().prop("reg"), Some(&[0x30; 8][..]));
        assert_eq!(tree.node("/").unwrap().name, "");
        assert!(tree.node("/cpus/cpu@1").is_none());
        assert!(tree.node("/memory/x").is_none());
        let expected = "\
{
 #address-cells=\\x00\\x00\\x00\\x01
 #size-cells=\\x00\\x00\\x00\\x01
 model=mock\\x00
 cpus{
  cpu@0{
   device_type=cpu\\x00
  }
 }
 memory@30000000{
  reg=00000000
 }
}
";
        assert_eq!(shown(root, 0), expected);
    }

    #[test]
    fn numbers_have_one_or_two_cells() {
        let number = |value: &[u8]| {
            let bytes = Builder::default().begin("").prop("n", value).end().build();
            Fdt::new(&bytes).unwrap().root().number("n")
        };
        assert_eq!(number(&[1, 2, 3, 4]), Some(0x0102_0304));
        assert_eq!(number(&[0, 0, 0, 0, 1, 2, 3, 4]), Some(0x0102_0304));
        assert_eq!(number(&[0, 0, 0, 1, 1, 2, 3, 4]), None);
        assert_eq!(number(&[]), None);
    }

    #[test]
    fn says_what_is_wrong() {
        let good = board().end().build();
        let check = |at: usize, word: u32, error| {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
            assert_eq!(Fdt::new(&bytes).err(), Some(error), "{at} {word:x}");
        };
        check(0, 0, FdtError::Magic(0));
        check(4, good.len() as u32 + 1, FdtError::Truncated(good.len() as u32 + 1));
        check(20, 3, FdtError::Version(3));
        check(24, 18, FdtError::Version(17));
        for at in [8, 12, 32, 36] {
            check(at, u32::MAX, FdtError::Layout);
            check(at, 0x7fff_fffc, FdtError::Layout);
        }
        check(8, 0, FdtError::Layout);
        check(8, HEADER as u32 + 17, FdtError::Layout);
        check(HEADER + 16, END_NODE, FdtError::Structure(HEADER as u32 + 16));
        check(HEADER + 16, END, FdtError::Structure(HEADER as u32 + 16));
        check(HEADER + 24, 77, FdtError::Structure(HEADER as u32 + 24));
        // A property's length, and where its name is.
        check(HEADER + 28, u32::MAX, FdtError::Structure(HEADER as u32 + 24));
        check(HEADER + 32, u32::MAX, FdtError::Structure(HEADER as u32 + 24));
        for len in 0..good.len() {
            assert!(Fdt::new(&good[..len]).is_err(), "{len} bytes");
        }
        let open = Builder::default().begin("").build();
        assert!(matches!(Fdt::new(&open), Err(FdtError::Structure(_))));
        let two = board().end().begin("").end().build();
        assert!(matches!(Fdt::new(&two), Err(FdtError::Structure(_))));
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |depth| {
            let open = (0..depth).fold(Builder::default(), |tree, _| tree.begin(""));
            (0..depth).fold(open, |tree, _| tree.end()).build()
        };
        assert!(Fdt::new(&nested(DEPTH)).is_ok());
        assert!(matches!(Fdt::new(&nested(DEPTH + 1)), Err(FdtError::Structure(_))));
    }

    /// Numbers without a pattern, the same ones every time (xorshift32, Marsaglia 2003).
    pub struct Random(pub u32);

    impl Random {
        pub fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            self.0 as usize % end
        }

        /// Damages a few bytes, mostly by values that mean something.
        pub fn damage(&mut self, bytes: &mut [u8]) {
            for _ in 0..=self.below(4) {
                let at = self.below(bytes.len());
                bytes[at] = [0, 1, 2, 3, 4, 9, 0x7f, 0xff, self.below(256) as u8][self.below(9)];
            }
        }
    }

    #[test]
    fn damaged_trees_are_refused_or_read_to_their_end() {
        let good = board().begin("chosen").text("bootargs", "quiet").end().end().build();
        let mut random = Random(0x2440_2442);
        let mut read = 0;
        for _ in 0..200_000 {
            let mut bytes = good.clone();
            random.damage(&mut bytes);
            if let Ok(tree) = Fdt::new(&bytes) {
                read += 1;
                assert!(shown(tree.root(), 0).len() < 10_000);
            }
        }
        assert!(read > 1000, "only {read} were read: the test tests little");
    }
}
