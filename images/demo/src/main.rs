//! The demo payload's body: entry, the console and the memory it looks at.
//!
//! Entered as Linux is (`Documentation/arm/booting.rst`), on the stack of
//! linker/demo.ld, with the console set up by the loader. It says what it found
//! and stops.

#![no_std]
#![no_main]

mod uart;

use core::{arch, fmt::Write, panic::PanicInfo, ptr, slice};
use demo::{
    fdt,
    report::{Handed, ram, report},
    state::{CpuState, ICACHE},
};
use uart::Uart;

/// RAM that a tag list may occupy: what precedes the kernel's first page table.
const TAGS: core::ops::Range<u32> = 0x3000_0000..0x3000_4000;

// Saves nothing but the status register: the procedure call standard leaves
// r0 to r2 where `kernel` takes them.
arch::global_asm!(
    ".section .entry, \"ax\"",
    ".arm",
    ".global _entry",
    "_entry:",
    "ldr sp, =_stack_top",
    "mrs r3, cpsr",
    "b kernel",
    ".ltorg",
);

/// See build.rs.
#[used]
// SAFETY: the section is read-only data to everyone; linker/demo.ld places it.
#[unsafe(link_section = ".ballast")]
static BALLAST: [u8; include_bytes!(concat!(env!("OUT_DIR"), "/ballast")).len()] =
    *include_bytes!(concat!(env!("OUT_DIR"), "/ballast"));

// SAFETY: linker/demo.ld defines them; only their addresses are used, but for
// `_image_crc`, a word that tools/firmware.sh appends.
unsafe extern "C" {
    static _image_start: u8;
    static _image_crc: u32;
}

// SAFETY: no other symbol has this name; `_entry` calls it with these arguments.
#[unsafe(no_mangle)]
extern "C" fn kernel(r0: u32, r1: u32, r2: u32, cpsr: u32) -> ! {
    let cpu = CpuState { cpsr, control: control() };
    enable_icache(cpu.control);
    let start = &raw const _image_start as u32;
    let crc_at = &raw const _image_crc;
    // SAFETY: the word ends the image (tools/firmware.sh), aligned by build.rs.
    let packed_crc = unsafe { crc_at.read_volatile() };
    let handed = Handed {
        registers: [r0, r1, r2],
        cpu,
        tags: tag_words(r2),
        tree: tree(r2, r1),
        image: (start, crc_at as u32 + 4 - start),
        image_crc: (packed_crc, crc32(start, crc_at as u32 - start)),
    };
    let mut console = Uart::of_machine(r1);
    // The console has no errors to report, and nobody to report them to.
    let _ = report(&mut console, &handed, crc32);
    stop()
}

/// CP15 register 1, control.
fn control() -> u32 {
    let value;
    // SAFETY: reading it changes nothing; the payload runs in a privileged mode.
    unsafe { arch::asm!("mrc p15, 0, {}, c1, c0, 0", out(reg) value, options(nomem, nostack)) };
    value
}

/// Without it, every instruction of the CRC loop would be fetched from SDRAM.
fn enable_icache(control: u32) {
    // SAFETY: invalidated before it is used; the image does not change while it runs.
    unsafe {
        arch::asm!(
            "mcr p15, 0, {zero}, c7, c5, 0", // invalidate the I-cache
            "mcr p15, 0, {control}, c1, c0, 0",
            zero = in(reg) 0,
            control = in(reg) control | ICACHE,
            options(nostack)
        );
    }
}

/// The words from `r2` to the end of [`TAGS`], none if it does not point there.
fn tag_words(r2: u32) -> &'static [u32] {
    if !TAGS.contains(&r2) || !r2.is_multiple_of(4) {
        return &[];
    }
    let len = (TAGS.end - r2) as usize / 4;
    // SAFETY: aligned, in RAM on every board, and nobody writes there: the stack is above.
    unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(r2 as usize), len) }
}

/// The device tree at `r2`, empty if there is none in this machine's RAM.
fn tree(r2: u32, machine: u32) -> &'static [u8] {
    let room = ram(machine).end.saturating_sub(r2) as usize;
    if !ram(machine).contains(&r2) || !r2.is_multiple_of(4) || room < fdt::HEADER {
        return &[];
    }
    let at = ptr::with_exposed_provenance(r2 as usize);
    // SAFETY: in RAM, as just checked, and nobody writes to what the loader has handed over.
    let header = unsafe { slice::from_raw_parts(at, fdt::HEADER) };
    match fdt::size(header) {
        // SAFETY: as before.
        Some(size) if size as usize <= room => unsafe { slice::from_raw_parts(at, size as usize) },
        _ => &[],
    }
}

/// CRC-32 of a range of RAM.
fn crc32(start: u32, size: u32) -> u32 {
    // SAFETY: the callers ask for the image or what a memory tag covers, which nobody writes to.
    let bytes = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(start as usize), size as usize) };
    crc32fast::hash(bytes)
}

fn stop() -> ! {
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // The machine is not known here; the number of the last console set up would be a static.
    let _ = writeln!(Uart::of_machine(0), "demo: {info}");
    stop()
}
