//! What a kernel is told through its device tree.

use super::edit::Editor;
use super::{Fdt, FdtError};
use crate::image::region::Region;
use arrayvec::ArrayString;
use core::fmt::{self, Write};

/// Room that fixups take at most, beside that of the command line: two nodes and five
/// properties with their names.
pub const ROOM: u32 = 512;

/// What is written into a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixups<'a> {
    /// `/chosen` `bootargs`; without one the tree keeps its own.
    pub bootargs: Option<&'a str>,
    /// `/chosen` `linux,initrd-start` and `-end`.
    pub initrd: Option<Region>,
    /// `/memory` `reg`.
    pub memory: Region,
}

impl Fixups<'_> {
    /// Writes them into the tree at the start of `bytes`, which may grow into all of them.
    ///
    /// # Errors
    /// There is no sound tree, or no room.
    pub fn apply(&self, bytes: &mut [u8]) -> Result<(), FdtError> {
        let mut editor = Editor::new(bytes)?;
        self.memory(&mut editor)?;
        if editor.tree()?.node("/chosen").is_none() {
            editor.add("chosen")?;
        }
        if let Some(initrd) = self.initrd {
            let end = u32::try_from(initrd.end()).map_err(|_| FdtError::Room)?;
            editor.set("/chosen", "linux,initrd-end", &end.to_be_bytes())?;
            editor.set("/chosen", "linux,initrd-start", &initrd.start.to_be_bytes())?;
        }
        if let Some(text) = self.bootargs {
            editor.set_text("/chosen", "bootargs", text)?;
        }
        Ok(())
    }

    fn memory(&self, editor: &mut Editor<'_>) -> Result<(), FdtError> {
        let mut path = ArrayString::<64>::new();
        let tree = editor.tree()?;
        let cells = |name, default| tree.root().number(name).unwrap_or(default).min(2) as usize;
        // What they are where nothing is said (Devicetree Specification 0.4, 2.3.5).
        let (address, size) = (cells("#address-cells", 2), cells("#size-cells", 1));
        let is_new = match memory_node(tree) {
            Some(name) => write!(path, "/{name}").map(|()| false),
            None => write!(path, "/memory@{:x}", self.memory.start).map(|()| true),
        };
        let is_new = is_new.map_err(|_| FdtError::Layout)?;
        if is_new {
            editor.add(path.trim_start_matches('/'))?;
            editor.set(&path, "device_type", b"memory\0")?;
        }
        let mut reg = [0; 16];
        let pair = [(address, self.memory.start), (size, self.memory.len)];
        let mut end = 0;
        for (cells, value) in pair {
            end += 4 * cells;
            let place = end.checked_sub(4).and_then(|at| reg.get_mut(at..)?.first_chunk_mut());
            *place.ok_or(FdtError::Layout)? = value.to_be_bytes();
        }
        editor.set(&path, "reg", reg.get(..end).unwrap_or_default())
    }
}

/// Each of them on a line.
impl fmt::Display for Fixups<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Region { start, len } = self.memory;
        writeln!(out, "   fixup /memory reg                = {start:08x} {len:08x}")?;
        if let Some(initrd) = self.initrd {
            writeln!(out, "   fixup /chosen linux,initrd-start = {:08x}", initrd.start)?;
            writeln!(out, "   fixup /chosen linux,initrd-end   = {:08x}", initrd.end())?;
        }
        match self.bootargs {
            Some(text) => writeln!(out, "   fixup /chosen bootargs           = {text}"),
            None => writeln!(out, "   no fixup of /chosen bootargs: the device tree keeps its own"),
        }
    }
}

/// The name of the node that says where memory is.
fn memory_node(tree: Fdt<'_>) -> Option<&str> {
    let root = tree.root();
    let typed = root.children().find(|node| node.text("device_type") == Some("memory"));
    typed.or_else(|| root.child("memory")).map(|node| node.name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Builder, board};
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    const FIXUPS: Fixups<'_> = Fixups {
        bootargs: Some("console=ttySAC0"),
        initrd: Some(Region::new(0x3100_0000, 0x1234)),
        memory: Region::new(0x3000_0000, 0x0400_0000),
    };

    fn fixed(tree: Builder, fixups: &Fixups<'_>) -> Vec<u8> {
        let mut bytes = tree.build();
        let room = ROOM as usize + fixups.bootargs.map_or(0, str::len);
        bytes.resize(bytes.len() + room, 0xee);
        fixups.apply(&mut bytes).unwrap();
        bytes
    }

    #[track_caller]
    fn expect(bytes: &[u8], reg: &[u8]) {
        let tree = Fdt::new(bytes).unwrap();
        let chosen = tree.node("/chosen").unwrap();
        assert_eq!(chosen.text("bootargs"), Some("console=ttySAC0"));
        assert_eq!(chosen.number("linux,initrd-start"), Some(0x3100_0000));
        assert_eq!(chosen.number("linux,initrd-end"), Some(0x3100_1234));
        assert_eq!(tree.node("/memory").unwrap().prop("reg"), Some(reg));
        assert_eq!(tree.node("/memory").unwrap().text("device_type"), Some("memory"));
    }

    const ONE_CELL: &[u8] = &[0x30, 0, 0, 0, 4, 0, 0, 0];

    #[test]
    fn makes_what_is_missing() {
        expect(&fixed(board().end(), &FIXUPS), ONE_CELL);
    }

    #[test]
    fn replaces_what_is_there() {
        let tree = board()
            .begin("chosen")
            .text("bootargs", "something that is longer than what comes")
            .number("linux,initrd-start", 1)
            .end()
            .begin("memory@30000000")
            .text("device_type", "memory")
            .prop("reg", &[0; 8])
            .end();
        let bytes = fixed(tree.end(), &FIXUPS);
        expect(&bytes, ONE_CELL);
        assert_eq!(Fdt::new(&bytes).unwrap().root().children().count(), 3);
    }

    #[test]
    fn counts_cells_as_the_tree_does() {
        let tree = |address, size| {
            let tree = Builder::default().begin("").number("#address-cells", address);
            tree.number("#size-cells", size).end()
        };
        expect(&fixed(tree(2, 1), &FIXUPS), &[0, 0, 0, 0, 0x30, 0, 0, 0, 4, 0, 0, 0]);
        expect(&fixed(tree(1, 2), &FIXUPS), &[0x30, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
        expect(&fixed(tree(2, 2), &FIXUPS), &[0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
        // Nothing said is two and one; nonsense is no way out of the buffer.
        let bare = Builder::default().begin("").end();
        expect(&fixed(bare, &FIXUPS), &[0, 0, 0, 0, 0x30, 0, 0, 0, 4, 0, 0, 0]);
        let mut bytes = tree(0, 0).build();
        bytes.resize(bytes.len() + 500, 0);
        assert_eq!(FIXUPS.apply(&mut bytes), Err(FdtError::Layout));
        expect(&fixed(tree(77, u32::MAX), &FIXUPS), &[0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
    }

    #[test]
    fn leaves_alone_what_it_is_not_told() {
        let none = Fixups { bootargs: None, initrd: None, ..FIXUPS };
        let tree = board().begin("chosen").text("bootargs", "its own").end();
        let bytes = fixed(tree.end(), &none);
        let chosen = Fdt::new(&bytes).unwrap().node("/chosen").unwrap();
        assert_eq!((chosen.text("bootargs"), chosen.props().count()), (Some("its own"), 1));
    }

    #[test]
    fn the_room_asked_for_is_enough() {
        let text = "x".repeat(1000);
        let bare = Builder::default().begin("").end();
        fixed(bare, &Fixups { bootargs: Some(&text), ..FIXUPS });
        let mut bytes = board().end().build();
        assert_eq!(FIXUPS.apply(&mut bytes), Err(FdtError::Room));
    }

    #[test]
    fn describes_itself() {
        let expected = "   fixup /memory reg                = 30000000 04000000
   fixup /chosen linux,initrd-start = 31000000
   fixup /chosen linux,initrd-end   = 31001234
   fixup /chosen bootargs           = console=ttySAC0
";
        assert_eq!(FIXUPS.to_string(), expected);
    }
}
