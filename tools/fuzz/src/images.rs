//! What becomes of anything that boots.

use crate::ram::Ram;
use boot::fdt::fixup::{self, Fixups};
use boot::image::load::Bundle;
use boot::image::place::{Move, Plan};
use boot::image::region::Region;

/// Free RAM, more than the .bss that kernels are given.
pub const FREE: u32 = 0x20_0000;

/// Places and moves a bundle, and panics if anything else in RAM changes, or the kernel is not
/// entered in what was loaded.
pub fn load(ram: &mut Ram, bundle: &Bundle) {
    let free = ram.free();
    let Ok(plan) = Plan::new(ram, free, bundle, fixup::ROOM) else { return };
    let moved = [plan.initrd, plan.fdt].into_iter().flatten().map(|Move { to, .. }| to);
    let regions: Vec<Region> = moved.chain([plan.to]).chain(plan.aside).collect();
    assert!(regions.iter().all(|&region| free.contains(region)), "{plan}");
    let before = ram.bytes().to_vec();
    let loaded = plan.carry_out(ram);
    ram.assert_untouched(&before, regions);
    let Ok(kernel) = loaded else { return };
    assert!(plan.to.contains(kernel) && kernel.contains(Region::new(bundle.kernel.entry, 4)), "{plan}");
    let initrd = plan.initrd.map(|moved| moved.to);
    for (moved, was) in [(plan.initrd, bundle.initrd), (plan.fdt, bundle.fdt)] {
        if let (Some(Move { to, .. }), Some(from)) = (moved, was) {
            let at = |region: Region| (region.start - free.start) as usize;
            let (now, old) = (&ram.bytes()[at(to)..], &before[at(from)..]);
            let len = from.len as usize;
            assert!(now[..len] == old[..len], "a part is damaged: {plan}");
        }
    }
    if let Some(Move { to, .. }) = plan.fdt {
        let fixups = Fixups { bootargs: Some(""), initrd, memory: free };
        fix(&mut ram.bytes()[(to.start - free.start) as usize..][..to.len as usize].to_vec(), &fixups);
    }
}

/// Applies fixups to a tree, and panics if that leaves no tree, or one without them.
pub fn fix(bytes: &mut [u8], fixups: &Fixups<'_>) {
    if fixups.apply(bytes).is_err() {
        return;
    }
    let tree = boot::fdt::Fdt::new(bytes).expect("a tree is one after fixups");
    let chosen = tree.node("/chosen").expect("fixups leave a /chosen");
    assert_eq!(chosen.text("bootargs"), fixups.bootargs);
    if let Some(initrd) = fixups.initrd {
        assert_eq!(chosen.number("linux,initrd-start"), Some(initrd.start));
    }
}
