//! What is left of an exception: shown at once, after a reset, and with names.

use crate::kit::{Board, GTA02, MINI2440, said};
use sim::Report;
use std::collections::VecDeque;
use std::io::Write;
use std::process::{Command, Stdio};

/// The lines from the cause of a data abort to the end of its trace.
fn dump(text: &str) -> &str {
    let start = text.find("data abort at").expect("a data abort");
    let end = text[start..].rfind("\nbt: ").expect("a trace") + start + 1;
    let len = text[end..].find("\r\n").expect("the end of a line");
    &text[start..end + len]
}

/// What `stone addr2line` makes of a text.
fn named(board: &str, text: &str) -> String {
    let file = format!("{}/../../target/{board}/stage2.elf", env!("CARGO_MANIFEST_DIR"));
    let mut stone = Command::new(env!("CARGO_BIN_EXE_stone"))
        .args(["addr2line", &file, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    stone.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = stone.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

/// A user who waits for the reset before typing what belongs behind it.
struct Terminal {
    before: VecDeque<u8>,
    after: VecDeque<u8>,
    /// How the board shows the last line.
    last: Vec<u8>,
    seen: Vec<u8>,
}

const RESET: &[u8] = b"resetting ...";

impl Terminal {
    fn has_seen(&self, text: &[u8]) -> bool {
        self.seen.windows(text.len()).any(|seen| seen == text)
    }
}

impl sim::Console for Terminal {
    fn output(&mut self, bytes: &[u8]) {
        self.seen.extend(bytes);
    }

    fn input(&mut self) -> Option<u8> {
        if self.has_seen(RESET) { &mut self.after } else { &mut self.before }.pop_front()
    }

    fn stop(&mut self) -> bool {
        self.has_seen(&self.last) && self.seen.ends_with(b"\n=> ")
    }
}

/// Types lines before a reset and behind it.
fn type_around_reset(board: &Board, before: &str, after: &str) -> Report {
    let flash = board.good_flash();
    // The first keys are still taken by who resets.
    let last = format!("=> {after}\r\n").into_bytes();
    let after = format!("{}{after}\r", "\r".repeat(16));
    let before = format!("\r{before}\rreset\r");
    let mut terminal =
        Terminal { before: before.bytes().collect(), after: after.bytes().collect(), last, seen: Vec::new() };
    sim::run(&flash.options(), &mut flash.image.clone(), &mut terminal).unwrap()
}

#[test]
fn an_exception_is_remembered_over_a_reset_and_its_calls_have_names() {
    for board in [GTA02, MINI2440] {
        let report = type_around_reset(&board, "md.l 60000000 1", "log last");
        assert_eq!(report.resets, 1, "{}", report.to_json());
        let (before, after) = report.uart.split_once("resetting ...").unwrap();
        let before = dump(before);
        assert!(before.contains("\r\ncommand: md.l 60000000 1\r\nbt: "), "{before}");
        said(&report, "=> log last\r\n");
        assert_eq!(dump(after), before);
        let named = named(board.name, before);
        // The command, and behind it who called it.
        let places = ["boot::cmd::md", "boot::console::shell"];
        let places = places.map(|name| named.find(name).unwrap_or_else(|| panic!("no {name}:\n{named}")));
        assert!(places.is_sorted(), "{named}");
        for violation in &report.violations {
            assert!(["exception", "unmapped"].contains(&violation.kind), "{}", report.to_json());
        }
    }
}

#[test]
fn nothing_is_remembered_of_a_board_just_switched_on() {
    let flash = GTA02.good_flash();
    let report = flash.run(&flash.options(), "\rlog last || echo none\r");
    said(&report, "No exception and no panic since power-on\r\nnone\r\n");
}
