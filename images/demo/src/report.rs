//! What the payload says on the console: one line per thing handed over, a
//! verdict where there is something to check, and a last line that sums up.

use crate::{
    fdt::{self, Prop},
    state::CpuState,
    tags::{Tag, tags},
};
use core::fmt::{self, Write};

/// All that was found at entry.
pub struct Handed<'a> {
    /// r0, r1 and r2.
    pub registers: [u32; 3],
    /// State of the processor.
    pub cpu: CpuState,
    /// Memory from r2 to the end of what a tag list may occupy; empty when r2 does not point there.
    pub tags: &'a [u32],
    /// The device tree at r2; empty when there is none.
    pub tree: &'a [u8],
    /// Start and size of this payload.
    pub image: (u32, u32),
    /// CRC-32 of the payload, as packed and as loaded.
    pub image_crc: (u32, u32),
}

/// Name of a machine number (Linux `arch/arm/tools/mach-types`).
#[must_use]
pub fn machine(number: u32) -> Option<&'static str> {
    Some(match number {
        193 => "SMDK2410",
        1304 => "GTA02",
        1999 => "MINI2440",
        _ => return None,
    })
}

/// Where RAM starts on all of these boards.
const RAM: u32 = 0x3000_0000;

/// RAM of a machine; what the smallest has where it is not known.
#[must_use]
pub fn ram(machine: u32) -> core::ops::Range<u32> {
    RAM..RAM + if machine == 1304 { 128 << 20 } else { 64 << 20 }
}

/// A console that counts the checks that failed.
struct Checker<'a, W> {
    console: &'a mut W,
    failed: u32,
}

impl<W: Write> Checker<'_, W> {
    fn say(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(self.console, "demo: {text}")
    }

    fn check(&mut self, good: bool, text: fmt::Arguments<'_>) -> fmt::Result {
        self.failed += u32::from(!good);
        self.say(format_args!("{text}{}", if good { "" } else { " <- WRONG" }))
    }
}

/// Writes the whole report; `crc32` reads memory at a start and size that lie in RAM.
///
/// # Errors
/// Only those of `console`.
pub fn report(
    console: &mut impl Write,
    handed: &Handed<'_>,
    mut crc32: impl FnMut(u32, u32) -> u32,
) -> fmt::Result {
    let mut out = Checker { console, failed: 0 };
    let [r0, r1, r2] = handed.registers;
    let (start, size) = handed.image;
    out.say(format_args!("kernel of {size} bytes at {start:08x}"))?;
    let name = machine(r1);
    out.check(
        r0 == 0 && name.is_some(),
        format_args!("r0 {r0:x}, r1 {r1} ({}), r2 {r2:08x}", name.unwrap_or("unknown machine")),
    )?;
    out.check(handed.cpu.meets_contract(), format_args!("{}", handed.cpu))?;
    match handed.tree {
        [] => list_tags(&mut out, handed.tags, &mut crc32)?,
        tree => list_tree(&mut out, tree, r1, &mut crc32)?,
    }
    let (packed, loaded) = handed.image_crc;
    out.check(packed == loaded, format_args!("CRC-32 {loaded:08x}, packed with {packed:08x}"))?;
    match out.failed {
        0 => out.say(format_args!("done")),
        failed => out.say(format_args!("done, {failed} wrong")),
    }
}

fn list_tags<W: Write>(
    out: &mut Checker<'_, W>,
    words: &[u32],
    crc32: &mut impl FnMut(u32, u32) -> u32,
) -> fmt::Result {
    for tag in tags(words) {
        match tag {
            Ok(tag @ Tag::Initrd2(start, size)) if in_ram(words, start, size) => {
                let crc = crc32(start, size);
                out.say(format_args!("{tag}, CRC-32 {crc:08x}"))?;
            }
            Ok(tag @ Tag::Initrd2(..)) => out.check(false, format_args!("{tag}, not in RAM"))?,
            Ok(tag) => out.say(format_args!("{tag}"))?,
            Err(error) => out.check(false, format_args!("tags: {error}"))?,
        }
    }
    Ok(())
}

/// What a device tree tells a kernel at its start: as many lines as there are things told.
fn list_tree<W: Write>(
    out: &mut Checker<'_, W>,
    tree: &[u8],
    machine: u32,
    crc32: &mut impl FnMut(u32, u32) -> u32,
) -> fmt::Result {
    out.say(format_args!("DTB      {} bytes", tree.len()))?;
    let all = ram(machine);
    let (mut has_memory, mut start, mut end) = (false, None, None);
    for prop in fdt::props(tree) {
        match prop {
            Ok(Prop { node, name: "reg", value }) if node.split('@').next() == Some("memory") => {
                has_memory = true;
                // Boards of 32-bit CPUs have a cell for each.
                let reg = fdt::word(value, 0).zip(fdt::word(value, 4)).filter(|_| value.len() == 8);
                let (from, len) = reg.unwrap_or_default();
                let good = from == all.start && len == all.end - all.start;
                out.check(good, format_args!("MEM      {from:08x}, {} MiB", len >> 20))?;
            }
            Ok(Prop { node: "chosen", name: "linux,initrd-start", value }) => start = fdt::word(value, 0),
            Ok(Prop { node: "chosen", name: "linux,initrd-end", value }) => end = fdt::word(value, 0),
            Ok(Prop { node: "chosen", name: "bootargs", value }) => {
                out.say(format_args!("CMDLINE  {}", fdt::text(value).unwrap_or("?")))?;
            }
            Ok(_) => {}
            Err(error) => out.check(false, format_args!("DTB      {error}"))?,
        }
    }
    if !has_memory {
        out.check(false, format_args!("DTB      says nothing of memory"))?;
    }
    match (start, end) {
        (None, None) => Ok(()),
        (Some(start), Some(end)) if all.start <= start && start <= end && end <= all.end => {
            let (size, crc) = (end - start, crc32(start, end - start));
            out.say(format_args!("INITRD   {start:08x}, {size} bytes, CRC-32 {crc:08x}"))
        }
        _ => out.check(false, format_args!("INITRD   {start:08x?} to {end:08x?}, not in RAM")),
    }
}

/// Whether a range lies in one of the list's memory tags.
fn in_ram(words: &[u32], start: u32, size: u32) -> bool {
    let end = |start: u32, size: u32| u64::from(start) + u64::from(size);
    tags(words).any(|tag| match tag {
        Ok(Tag::Mem(ram, len)) => start >= ram && end(start, size) <= end(ram, len),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    const CORE: u32 = 0x5441_0001;
    const MEM: [u32; 4] = [4, 0x5441_0002, 0x0800_0000, 0x3000_0000];

    fn handed(tags: &[u32]) -> Handed<'_> {
        Handed {
            registers: [0, 1304, 0x3000_0100],
            cpu: CpuState { cpsr: 0xd3, control: 0x1078 },
            tags,
            tree: &[],
            image: (0x3000_8000, 4 << 20),
            image_crc: (0x1234_5678, 0x1234_5678),
        }
    }

    fn text(handed: &Handed<'_>) -> String {
        let mut text = String::new();
        report(&mut text, handed, |start, size| start ^ size).unwrap();
        text
    }

    fn list(tags: &[&[u32]]) -> Vec<u32> {
        [&[2, CORE], &tags.concat()[..], &[0, 0]].concat()
    }

    #[test]
    fn all_is_well() {
        let words = list(&[&MEM, &[4, 0x5442_0005, 0x3100_0000, 0x1234]]);
        let expected = "\
demo: kernel of 4194304 bytes at 30008000
demo: r0 0, r1 1304 (GTA02), r2 30000100
demo: SVC mode, IRQ masked, FIQ masked, MMU off, D-cache off, I-cache on
demo: CORE     empty
demo: MEM      30000000, 128 MiB
demo: INITRD2  31000000, 4660 bytes, CRC-32 31001234
demo: CRC-32 12345678, packed with 12345678
demo: done
";
        assert_eq!(text(&handed(&words)), expected);
    }

    /// A tree with memory of so many MiB, and what is chosen.
    fn tree(memory: u8, chosen: &[&[u8]]) -> Vec<u8> {
        const BEGIN: &[u8] = &[0, 0, 0, 1];
        const END: &[u8] = &[0, 0, 0, 2];
        let reg = [0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 0, 0x30, 0, 0, 0, memory / 16, memory % 16 * 16, 0, 0];
        let start: &[&[u8]] = &[BEGIN, b"\0", BEGIN, b"memory@30000000\0", &reg, END, BEGIN, b"chosen\0"];
        crate::fdt::tests::tree(&[start, chosen, &[END, END, &[0, 0, 0, 9]]].concat())
    }

    #[test]
    fn reads_what_a_tree_tells() {
        let bootargs: &[u8] = b"\0\0\0\x03\0\0\0\x06\0\0\0\x04quiet\0";
        let start: &[u8] = &[0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 13, 0x31, 0, 0, 0];
        let end: &[u8] = &[0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 32, 0x31, 0, 0x12, 0x34];
        let check = |memory, chosen: &[&[u8]], lines: &[&str], verdict: &str| {
            let tree = tree(memory, chosen);
            let text = text(&Handed { tree: &tree, ..handed(&[]) });
            for line in lines {
                assert!(text.contains(&std::format!("demo: {line}\n")), "{line}: {text}");
            }
            assert!(text.ends_with(&std::format!("demo: {verdict}\n")), "{text}");
        };
        let told = [
            "MEM      30000000, 128 MiB",
            "CMDLINE  quiet",
            "INITRD   31000000, 4660 bytes, CRC-32 31001234",
        ];
        check(128, &[bootargs, start, end], &told, "done");
        check(128, &[], &told[..1], "done");
        check(64, &[], &["MEM      30000000, 64 MiB <- WRONG"], "done, 1 wrong");
        check(128, &[end], &["INITRD   None to Some(31001234), not in RAM <- WRONG"], "done, 1 wrong");
        let far: &[u8] = &[0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 32, 0x38, 0, 0, 1];
        let line = "INITRD   Some(31000000) to Some(38000001), not in RAM <- WRONG";
        check(128, &[start, far], &[line], "done, 1 wrong");
        let torn = ["DTB      makes no sense at offset 0x68 <- WRONG"];
        check(128, &[&[0, 0, 0, 7]], &torn, "done, 1 wrong");
    }

    #[test]
    fn every_fault_is_pointed_out_and_counted() {
        let words = list(&[&MEM]);
        let check = |change: &dyn Fn(&mut Handed<'_>), line: &str| {
            let mut handed = handed(&words);
            change(&mut handed);
            let text = text(&handed);
            assert!(text.contains(&std::format!("demo: {line} <- WRONG\n")), "{text}");
            assert!(text.ends_with("demo: done, 1 wrong\n"), "{text}");
        };
        check(&|h| h.registers[0] = 0x10, "r0 10, r1 1304 (GTA02), r2 30000100");
        check(&|h| h.registers[1] = 7, "r0 0, r1 7 (unknown machine), r2 30000100");
        check(&|h| h.image_crc.1 = 9, "CRC-32 00000009, packed with 12345678");
        check(&|h| h.tags = &[], "tags: list does not end where it must");
        check(&|h| h.tags = &[0, 0], "tags: list starts with 00000000, not with CORE");
        check(&|h| h.cpu.control = 5, "SVC mode, IRQ masked, FIQ masked, MMU on, D-cache on, I-cache off");
    }

    #[test]
    fn reads_no_initrd_outside_ram() {
        let check = |start, size, inside: bool| {
            let words = list(&[&MEM, &[4, 0x5442_0005, start, size]]);
            assert_eq!(text(&handed(&words)).contains("not in RAM <- WRONG"), !inside, "{start:x} {size:x}");
        };
        check(0x3000_0000, 0x0800_0000, true);
        check(0x37ff_ffff, 1, true);
        check(0x2fff_ffff, 1, false);
        check(0x37ff_ffff, 2, false);
        check(0x3000_0000, u32::MAX, false);
        check(0xffff_ffff, 1, false);
    }
}
