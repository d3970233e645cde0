//! Images made by U-Boot's own tools with the demo in them, and boards that boot them.

use crate::common::{Place, pattern, run, text};
use crate::kit::{Board, lawful, said};
use boot::crc::crc32;
use regex::bytes::Regex;
use sim::{Options, Outcome, Report};
use std::fs;
use std::process::Command;

/// Where images are read to.
pub const AT: u32 = 0x3100_0000;
/// Bytes of the ramdisk: no whole number of words.
pub const INITRD: usize = 50_001;

/// A directory with `kernel`, the demo, and `initrd`.
pub struct Workshop {
    pub board: Board,
    place: Place,
}

impl Workshop {
    pub fn new(board: Board) -> Self {
        let place = Place::new();
        place.write("kernel", fs::read(board.firmware("demo-small.bin")).unwrap());
        place.write("initrd", pattern(INITRD, 7));
        Self { board, place }
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.place.write(name, bytes);
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        self.place.read(name)
    }

    /// Runs a tool, its command line split at spaces; returns what it printed.
    pub fn tool(&self, line: &str) -> String {
        let (program, arguments) = line.split_once(' ').unwrap();
        assert!(
            Command::new(program).arg("--version").output().is_ok(),
            "{program} is missing: tools/setup.sh installs it"
        );
        let output =
            run(Command::new(program).args(arguments.split(' ')).env("TZ", "UTC"), &self.place.path("."));
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{line}\n{out}{err}");
        out
    }

    /// A uImage of this type of files, `:` between them, as `mkimage` makes it.
    pub fn mkimage(&self, kind: &str, comp: &str, files: &str) -> Vec<u8> {
        self.tool(&format!(
            "mkimage -A arm -O linux -T {kind} -C {comp} -a 30008000 -e 30008000 -n test -d {files} image"
        ));
        self.read("image")
    }

    /// Types lines at the prompt after these bytes have been read to [`AT`], until the demo has said
    /// what it was handed, or a prompt waits in vain.
    pub fn run(&self, bytes: &[u8], lines: &[&str]) -> Report {
        self.run_at(AT, bytes, lines)
    }

    /// The same, with the bytes read to another address.
    pub fn run_at(&self, at: u32, bytes: &[u8], lines: &[&str]) -> Report {
        let flash = self.board.flash(&[], &self.board.kernel(crate::kit::LOAD_A), bytes).unwrap();
        let options = until_done(flash.options());
        let read = format!("nand read {at:x} kernel-b {:x}", bytes.len());
        let keys = [&read]
            .map(|line| &line[..])
            .iter()
            .chain(lines)
            .fold("\r".into(), |keys: String, line| keys + line + "\r");
        flash.run(&options, &keys)
    }

    /// The same; the demo must find nothing wrong.
    #[track_caller]
    pub fn boots(&self, bytes: &[u8], lines: &[&str]) -> Report {
        let report = self.run(bytes, lines);
        content(&report);
        report
    }

    /// The same with the bytes read to another address.
    #[track_caller]
    pub fn boots_at(&self, at: u32, bytes: &[u8], lines: &[&str]) -> Report {
        let report = self.run_at(at, bytes, lines);
        content(&report);
        report
    }

    /// The kernel in slot A boots by itself.
    #[track_caller]
    pub fn boots_from_slot(&self, image: &[u8]) -> Report {
        let flash = self.board.flash(&[], image, image).unwrap();
        let report = flash.run(&until_done(flash.options()), "");
        content(&report);
        report
    }

    /// The demo's line about a ramdisk that is [`INITRD`] bytes at this address.
    pub fn initrd_tag(&self, start: u32) -> String {
        format!("demo: INITRD2  {start:08x}, {INITRD} bytes, CRC-32 {:08x}\r\n", crc32(&self.read("initrd")))
    }
}

fn until_done(options: Options) -> Options {
    Options { stop_at_kernel: false, until: Some(Regex::new("demo: done.*\n").unwrap()), ..options }
}

/// Asserts that the demo was entered and found all as it should be.
#[track_caller]
pub fn content(report: &Report) {
    said(report, "demo: done\r\n");
    assert_eq!(report.outcome, Outcome::Kernel, "{}", report.to_json());
    assert!(report.after_entry.is_empty(), "{}", report.to_json());
    lawful(report);
}

/// The address behind this text.
#[track_caller]
pub fn address_after(report: &Report, text: &str) -> u32 {
    let rest = report.uart.split_once(text).unwrap_or_else(|| panic!("no {text:?} in {}", report.uart)).1;
    u32::from_str_radix(&rest[..8], 16).unwrap()
}
