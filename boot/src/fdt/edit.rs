//! Changing a tree in place, with room behind it.

use super::{BEGIN_NODE, END_NODE, Fdt, FdtError, Layout, Node, PROP, PROP_HEAD, Token, be32};

/// A tree with room behind it.
///
/// A node is named by its path; what is before it in the tree does not move when it changes.
pub struct Editor<'a> {
    bytes: &'a mut [u8],
}

impl<'a> Editor<'a> {
    /// The tree at the start of `bytes`, all of which it may grow into.
    ///
    /// # Errors
    /// There is no sound tree.
    pub fn new(bytes: &'a mut [u8]) -> Result<Self, FdtError> {
        Fdt::new(bytes)?;
        Ok(Self { bytes })
    }

    /// The tree as it is now.
    ///
    /// # Errors
    /// A change has broken it, which none does.
    pub fn tree(&self) -> Result<Fdt<'_>, FdtError> {
        Ok(Fdt { bytes: self.bytes, layout: Layout::of(self.bytes)? })
    }

    /// Sets a property of a node that is there, and adds it if it is not.
    ///
    /// # Errors
    /// There is no such node, or no room.
    pub fn set(&mut self, path: &str, name: &str, value: &[u8]) -> Result<(), FdtError> {
        self.set_padded(path, name, value, value.len())
    }

    /// Sets a property to text, with its zero byte.
    ///
    /// # Errors
    /// There is no such node, or no room.
    pub fn set_text(&mut self, path: &str, name: &str, text: &str) -> Result<(), FdtError> {
        self.set_padded(path, name, text.as_bytes(), text.len() + 1)
    }

    /// Sets a property to a value and zeros behind it, `len` bytes in all.
    fn set_padded(&mut self, path: &str, name: &str, value: &[u8], len: usize) -> Result<(), FdtError> {
        let node = self.tree()?.node(path).ok_or(FdtError::Layout)?;
        let body = node.body;
        let (at, old) = match node.place(name) {
            Some((at, value)) => (at, PROP_HEAD + value.len().next_multiple_of(4)),
            None => (body, 0),
        };
        // A name that is new shifts nothing: strings come last.
        let offset = self.name(name)?;
        let padded = len.checked_add(PROP_HEAD).and_then(|len| len.checked_next_multiple_of(4));
        let padded = padded.ok_or(FdtError::Room)?;
        self.resize(at, old, padded)?;
        for (i, word) in [PROP, len as u32, offset].into_iter().enumerate() {
            self.put(at + 4 * i, word)?;
        }
        let room = self.bytes.get_mut(at + PROP_HEAD..at + padded).ok_or(FdtError::Room)?;
        room.fill(0);
        room.get_mut(..value.len()).ok_or(FdtError::Room)?.copy_from_slice(value);
        Ok(())
    }

    /// Adds a node without properties behind those of the root.
    ///
    /// # Errors
    /// There is no room.
    pub fn add(&mut self, name: &str) -> Result<(), FdtError> {
        let root = self.tree()?.root();
        let at = root.children().next().map_or_else(|| end_of_props(root), |child| child.at);
        let named = (name.len() + 1).next_multiple_of(4);
        self.resize(at, 0, 4 + named + 4)?;
        self.put(at, BEGIN_NODE)?;
        let room = self.bytes.get_mut(at + 4..at + 4 + named).ok_or(FdtError::Room)?;
        room.fill(0);
        room.get_mut(..name.len()).ok_or(FdtError::Room)?.copy_from_slice(name.as_bytes());
        self.put(at + 4 + named, END_NODE)
    }

    fn put(&mut self, at: usize, word: u32) -> Result<(), FdtError> {
        let place = self.bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut).ok_or(FdtError::Room)?;
        *place = word.to_be_bytes();
        Ok(())
    }

    /// Offset of a name in the strings, where it is added if it is not there.
    fn name(&mut self, name: &str) -> Result<u32, FdtError> {
        let layout = self.tree()?.layout;
        let strings = self.bytes.get(layout.strings..layout.strings_end).unwrap_or_default();
        let wanted = name.len() + 1;
        let is_it = |window: &[u8]| window.split_last() == Some((&0, name.as_bytes()));
        if let Some(at) = strings.windows(wanted).position(is_it) {
            return Ok(at as u32);
        }
        let offset = strings.len() as u32;
        let end = layout.strings_end;
        self.shift(end, layout.total, wanted as isize)?;
        let place = self.bytes.get_mut(end..end + wanted).ok_or(FdtError::Room)?;
        place.fill(0);
        place.get_mut(..name.len()).ok_or(FdtError::Room)?.copy_from_slice(name.as_bytes());
        self.grow(32, wanted as isize)?;
        self.grow(4, wanted as isize)?;
        Ok(offset)
    }

    /// Makes `old` bytes of the structure `new` ones; both are multiples of four.
    fn resize(&mut self, at: usize, old: usize, new: usize) -> Result<(), FdtError> {
        let by = new as isize - old as isize;
        let total = self.tree()?.layout.total;
        self.shift(at + old, total, by)?;
        // Size of the structure, offset of the strings, size of the whole.
        [36, 12, 4].into_iter().try_for_each(|field| self.grow(field, by))
    }

    /// Moves what is between two offsets.
    fn shift(&mut self, from: usize, end: usize, by: isize) -> Result<(), FdtError> {
        let to = from.checked_add_signed(by).ok_or(FdtError::Room)?;
        let fits = end.checked_add_signed(by).is_some_and(|end| end <= self.bytes.len());
        if from > end || !fits {
            return Err(FdtError::Room);
        }
        self.bytes.copy_within(from..end, to);
        Ok(())
    }

    fn grow(&mut self, field: usize, by: isize) -> Result<(), FdtError> {
        let old = be32(self.bytes, field).ok_or(FdtError::Layout)?;
        self.put(field, old.wrapping_add_signed(by as i32))
    }
}

fn end_of_props(node: Node<'_>) -> usize {
    let mut at = node.body;
    while let Some((Token::Prop(..) | Token::Nop, end)) = node.tree.token(at) {
        at = end;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Builder, Random, board, shown};
    use super::*;
    use std::vec::Vec;

    fn with_room(bytes: &[u8], room: usize) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len() + room, 0xee);
        bytes
    }

    fn text(bytes: &[u8]) -> std::string::String {
        shown(Fdt::new(bytes).unwrap().root(), 0)
    }

    #[test]
    fn sets_adds_and_replaces() {
        let good = board().begin("chosen").text("bootargs", "quiet").end().end().build();
        for value in ["", "abc", "quiet", "quiet and four more", "x"] {
            let mut bytes = with_room(&good, 200);
            let value = [value.as_bytes(), b"\0"].concat();
            let mut editor = Editor::new(&mut bytes).unwrap();
            editor.set("/chosen", "bootargs", &value).unwrap();
            editor.set("/cpus/cpu", "brand-new", &[1, 2, 3]).unwrap();
            editor.set("/", "model", b"m\0").unwrap();
            let tree = Fdt::new(&bytes).unwrap();
            assert_eq!(tree.node("/chosen").unwrap().prop("bootargs"), Some(&value[..]));
            let cpu = tree.node("/cpus/cpu").unwrap();
            assert_eq!(cpu.prop("brand-new"), Some(&[1, 2, 3][..]));
            assert_eq!(cpu.text("device_type"), Some("cpu"));
            assert_eq!(tree.root().text("model"), Some("m"));
            assert_eq!(tree.root().children().count(), 2);
        }
    }

    #[test]
    fn adds_nodes() {
        for tree in [board().end(), Builder::default().begin("").number("n", 1).end()] {
            let mut bytes = with_room(&tree.build(), 200);
            let before = Fdt::new(&bytes).unwrap().root().children().count();
            let mut editor = Editor::new(&mut bytes).unwrap();
            editor.add("chosen").unwrap();
            editor.add("abc").unwrap();
            editor.set("/chosen", "x", b"1").unwrap();
            editor.set("/abc", "y", b"2").unwrap();
            let tree = Fdt::new(&bytes).unwrap();
            assert_eq!(tree.node("/chosen").unwrap().prop("x"), Some(&b"1"[..]));
            assert_eq!(tree.node("/abc").unwrap().prop("y"), Some(&b"2"[..]));
            assert_eq!(tree.root().children().count(), before + 2);
        }
    }

    #[test]
    fn without_room_the_tree_stays_sound() {
        let good = board().end().build();
        let mut done = 0;
        for room in 0..80 {
            let mut bytes = with_room(&good, room);
            let mut editor = Editor::new(&mut bytes).unwrap();
            let results =
                [editor.add("chosen"), editor.set("/", "longer", &[7; 9]), editor.set("/", "model", b"q\0")];
            assert!(results.iter().all(|result| matches!(result, Ok(()) | Err(FdtError::Room))));
            done += usize::from(results.iter().all(Result::is_ok));
            text(&bytes);
        }
        assert!(done > 5 && done < 75, "{done}");
        let mut bytes = good.clone();
        assert_eq!(Editor::new(&mut bytes).unwrap().set("/nowhere", "x", b""), Err(FdtError::Layout));
    }

    #[test]
    fn editing_damaged_trees_is_harmless() {
        let good = board().begin("chosen").text("bootargs", "quiet").end().end().build();
        let mut random = Random(0x2410_2410);
        let mut edited = 0;
        for _ in 0..100_000 {
            let mut bytes = with_room(&good, 64);
            random.damage(&mut bytes);
            if let Ok(mut editor) = Editor::new(&mut bytes) {
                let _ = editor.add("aliases");
                if editor.set("/chosen", "bootargs", &[b'x'; 20]).is_ok() {
                    edited += 1;
                }
            }
        }
        assert!(edited > 1000, "only {edited} were edited: the test tests little");
    }
}
