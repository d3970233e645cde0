//! Device trees, and FIT images, which are device trees.

use crate::images::{self, FREE};
use crate::ram::{Ram, START};
use boot::fdt::fixup::{self, Fixups};
use boot::fdt::{Fdt, Node};
use boot::image::fit::Fit;
use boot::image::load;
use boot::image::region::Region;

/// Where the FIT is.
const AT: u32 = START + 0x18_0000;

/// A tree in RAM.
pub fn check(data: &[u8]) {
    tree(data);
    let mut ram = Ram::new(FREE, 0);
    ram.store(AT, data);
    if load::is_tree(&ram, AT) {
        let Some(bundle) = bundle(&ram) else { return };
        images::load(&mut ram, &bundle);
    }
}

fn tree(data: &[u8]) {
    let Ok(tree) = Fdt::new(data) else { return };
    assert!(tree.len() <= data.len());
    let seen = walk(tree.root());
    // Every property and every node takes bytes of its own.
    assert!(seen <= data.len(), "{seen} nodes and properties in {} bytes", data.len());
    let mut bytes = data.to_vec();
    bytes.resize(data.len() + fixup::ROOM as usize, 0);
    let fixups = Fixups {
        bootargs: Some("console=ttySAC0,115200"),
        initrd: Some(Region::new(START, 0x1000)),
        memory: Region::new(START, FREE),
    };
    images::fix(&mut bytes, &fixups);
}

fn walk(node: Node<'_>) -> usize {
    node.props().count() + node.children().map(|child| 1 + walk(child)).sum::<usize>()
}

/// What `iminfo` and `bootm` do with a FIT, but that wrong hashes are passed over: no mutation of
/// data would get past them.
fn bundle(ram: &Ram) -> Option<load::Bundle> {
    let fit: Fit<'_> = load::fit(ram, AT).ok()?;
    for image in fit.images() {
        // The answers to these matter only to those who ask.
        let _ = (image.verify(|_, _| ()), image.number("load"), image.required("entry"));
        if let Ok(region) = image.region() {
            assert_eq!(image.data().map(|data| data.len() as u32), Ok(region.len));
        }
    }
    let configuration = fit.configuration(None).ok()?;
    let part = |purpose| fit.part(configuration, purpose).ok();
    load::of_fit(part("kernel")??, [part("ramdisk")?, part("fdt")?]).ok()
}
