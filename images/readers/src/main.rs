//! The readers' body: entry, the measurement and what is said of it.
//!
//! Entered as Linux is (`Documentation/arm/booting.rst`), with the console set up by the
//! loader. Like Linux it switches on the MMU and both caches, sets the NAND controller's
//! timings and reads pages; then it says how long that took, and stops.

#![no_std]
#![no_main]

mod controller;
mod cpu;
mod loops;
mod mtd;
mod registers;
mod s3c2410;
mod s3c2440;
mod timer;
#[path = "../../demo/src/uart.rs"]
mod uart;

use arrayvec::ArrayString;
use controller::Controller;
use core::{arch, fmt, fmt::Write, panic::PanicInfo, ptr, slice};
use crc32fast::Hasher;
use demo::tags::{Tag, tags};
use mtd::{LARGE_PAGE, Mtd, Organisation, ReadError, SMALL_PAGE};
use readers::request::{Request, Transfer, Unclear};
use s3c2410::S3c2410;
use s3c2440::S3c2440;
use timer::Stopwatch;
use uart::Uart;

/// RAM that a tag list may occupy: what precedes the kernel's first page table.
const TAGS: core::ops::Range<u32> = 0x3000_0000..0x3000_4000;
/// A page with its OOB: what Linux calls the chip's buffers.
const BUFFER: usize = 0x3010_0000;
/// Where the pages go, one behind the other: memory of whoever reads.
const DESTINATION: usize = 0x3100_0000;
/// As much as the smallest board has from there to the loader.
const DESTINATION_MAX: usize = 32 << 20;
/// Linux copies to its caller as much as that one asks for: `dd bs=512`.
const REQUEST: usize = 512;
/// Machine number of the board with the older controller.
const SMDK2410: u32 = 193;

// Saves nothing: the procedure call standard leaves r0 to r2 where `kernel` takes them.
arch::global_asm!(
    ".section .entry, \"ax\"",
    ".arm",
    ".global _entry",
    "_entry:",
    "ldr sp, =_stack_top",
    "b kernel",
    ".ltorg",
);

// SAFETY: no other symbol has this name; `_entry` calls it with these arguments.
#[unsafe(no_mangle)]
extern "C" fn kernel(_r0: u32, machine: u32, tag_list: u32) -> ! {
    cpu::enable_caches();
    let mut console = Uart::of_machine(machine);
    let mut line = ArrayString::new();
    let result = command_line(tag_list, &mut line).and_then(|()| measure(machine, &line));
    // The console has no errors to report, and nobody to report them to.
    let _ = match result {
        Ok(measured) => writeln!(console, "readers: {measured}"),
        Err(failure) => writeln!(console, "readers: failed: {failure}"),
    };
    stop()
}

/// What came out.
struct Measured {
    pages: u32,
    bytes: usize,
    crc: u32,
    ticks: u32,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pages, bytes, crc, ticks } = self;
        write!(f, "{pages} pages, {bytes} bytes, crc {crc:08x}, {ticks} ticks of {} PCLK", timer::TICK)
    }
}

/// Why nothing came out.
enum Failure {
    NoCommandLine,
    Unclear(Unclear),
    NoWordAccess,
    TooMuch,
    Read(ReadError),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommandLine => write!(f, "no command line was handed over"),
            Self::Unclear(unclear) => write!(f, "{unclear}"),
            Self::NoWordAccess => write!(f, "this data register is a byte wide"),
            Self::TooMuch => write!(f, "that many pages do not fit memory"),
            Self::Read(error) => write!(f, "{error}"),
        }
    }
}

/// Into `line`, because moving it would read what has not been written of it.
fn command_line(tag_list: u32, line: &mut ArrayString<256>) -> Result<(), Failure> {
    for tag in tags(tag_words(tag_list)) {
        if let Ok(Tag::Cmdline(text)) = tag {
            return write!(line, "{text}").map_err(|_| Failure::NoCommandLine);
        }
    }
    Err(Failure::NoCommandLine)
}

/// The words from `start` to the end of [`TAGS`], none if it does not point there.
fn tag_words(start: u32) -> &'static [u32] {
    if !TAGS.contains(&start) || !start.is_multiple_of(4) {
        return &[];
    }
    let len = (TAGS.end - start) as usize / 4;
    // SAFETY: aligned, in RAM on every board, and nobody writes there: the page table is above.
    unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(start as usize), len) }
}

fn measure(machine: u32, line: &str) -> Result<Measured, Failure> {
    let request = Request::parse(line).map_err(Failure::Unclear)?;
    match machine {
        SMDK2410 => read(&mut S3c2410::new(request.cycles), &SMALL_PAGE, &request),
        _ => read(&mut S3c2440::new(request.cycles), &LARGE_PAGE, &request),
    }
}

fn read(
    controller: &mut dyn Controller,
    organisation: &'static Organisation,
    request: &Request,
) -> Result<Measured, Failure> {
    if request.transfer == Transfer::Words && !controller.has_words() {
        return Err(Failure::NoWordAccess);
    }
    let bytes = request.pages as usize * organisation.page;
    if bytes > DESTINATION_MAX {
        return Err(Failure::TooMuch);
    }
    let buffer = memory(BUFFER, organisation.page + organisation.oob);
    let destination = memory(DESTINATION, bytes);
    let mut mtd = Mtd { controller, organisation, request: *request, buffer };
    let stopwatch = Stopwatch::start();
    for (page, place) in (request.first..).zip(destination.chunks_exact_mut(organisation.page)) {
        mtd.read_page(page).map_err(Failure::Read)?;
        for (piece, from) in place.chunks_exact_mut(REQUEST).zip(mtd.buffer.chunks_exact(REQUEST)) {
            loops::copy(piece, from);
        }
    }
    let ticks = stopwatch.ticks();
    let mut crc = Hasher::new();
    crc.update(destination);
    Ok(Measured { pages: request.pages, bytes, crc: crc.finalize(), ticks })
}

/// A range of RAM: [`BUFFER`] or [`DESTINATION`].
fn memory(start: usize, len: usize) -> &'static mut [u8] {
    // SAFETY: in RAM on every board, apart from each other, from the image with its stack and
    // from the tags; called once for each.
    unsafe { slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut(start), len) }
}

fn stop() -> ! {
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // The machine is not known here; the number of the last console set up would be a static.
    let _ = writeln!(Uart::of_machine(0), "readers: {info}");
    stop()
}
