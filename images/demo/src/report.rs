//! What the payload says on the console: one line per thing handed over, a
//! verdict where there is something to check, and a last line that sums up.

use crate::{
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
    list_tags(&mut out, handed.tags, &mut crc32)?;
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

    const CORE: u32 = 0x5441_0001;
    const MEM: [u32; 4] = [4, 0x5441_0002, 0x0800_0000, 0x3000_0000];

    fn handed(tags: &[u32]) -> Handed<'_> {
        Handed {
            registers: [0, 1304, 0x3000_0100],
            cpu: CpuState { cpsr: 0xd3, control: 0x1078 },
            tags,
            image: (0x3000_8000, 4 << 20),
            image_crc: (0x1234_5678, 0x1234_5678),
        }
    }

    fn text(handed: &Handed<'_>) -> String {
        let mut text = String::new();
        report(&mut text, handed, |start, size| start ^ size).unwrap();
        text
    }

    fn list(tags: &[&[u32]]) -> std::vec::Vec<u32> {
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
