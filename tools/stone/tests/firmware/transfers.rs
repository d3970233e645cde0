//! Files over the serial line, from the programs that people send them with.

use crate::common::{pattern, run};
use crate::kit::{Board, GTA02, MINI2440};
use crate::line::{CLEAN, Line};
use crate::noise::{Noise, Noises};
use boot::crc::crc32;
use std::process::Command;

const BOARDS: [Board; 2] = [GTA02, MINI2440];
const BASE: u32 = 0x3100_0000;
/// Bytes of a file: neither whole blocks nor whole words.
const LEN: usize = 6543;
/// What X-modem fills the last block with.
const FILLING: u8 = 0x1a;

/// A line with a file to send, `a.bin`, and another one, `b.txt`.
fn line(board: &Board) -> (Line, Vec<u8>) {
    let line = Line::open(board);
    let bytes = pattern(LEN, 1);
    line.place.write("a.bin", &bytes);
    line.place.write("b.txt", pattern(777, 2));
    (line, bytes)
}

/// The file as X-modem delivers it.
fn filled(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(128), FILLING);
    bytes
}

/// Lets a program answer a command; what the board says in the end.
#[track_caller]
fn send(line: &mut Line, command: &str, sender: &str) -> String {
    line.start(command, " at 115200 bps...\r\n");
    let (success, said) = line.run(sender, CLEAN);
    let shown = line.prompt();
    assert!(success && !shown.contains("ERROR"), "{sender}: {said}\n{shown}");
    shown
}

/// Asserts that what was loaded last is this, as the board itself sees it.
#[track_caller]
fn loaded(line: &mut Line, bytes: &[u8]) {
    let sum = line.command("crc32 $fileaddr $filesize");
    assert!(sum.ends_with(&format!(" ==> {:08x}\n", crc32(bytes))), "{sum}");
    let size = line.command("printenv filesize");
    assert_eq!(size, format!("filesize={:x}\n", bytes.len()));
}

#[test]
fn sx_sends_by_x_modem() {
    for board in BOARDS {
        let (mut line, bytes) = line(&board);
        let (bytes, base) = (filled(&bytes), BASE + 0x10);
        // 52 blocks of 128 bytes; or 6 of 1024 and 4 of 128 for the rest.
        for (sender, packets) in [("sx a.bin", 52), ("sx -k a.bin", 10)] {
            line.command(&format!("mw.b {BASE:x} 0 4000"));
            let shown = send(&mut line, &format!("loadx {base:x}"), sender);
            let expected = format!(
                "\n{packets} packets, 0 retries\n\
                 ## Total Size      = 0x00001a00 = 6656 Bytes\n\
                 ## Start Addr      = 0x{base:08X}\n"
            );
            assert!(shown.ends_with(&expected), "{shown}");
            loaded(&mut line, &bytes);
        }
        // Where the last one went, when nothing is said.
        send(&mut line, "loadx", "sx -k b.txt");
        assert_eq!(line.command("printenv fileaddr"), format!("fileaddr={base:x}\n"));
        line.close();
    }
}

#[test]
fn sb_sends_by_y_modem() {
    for board in BOARDS {
        let (mut line, bytes) = line(&board);
        for sender in ["sb a.bin", "sb -k a.bin"] {
            line.command(&format!("mw.b {BASE:x} 0 4000"));
            let shown = send(&mut line, &format!("loady {BASE:x}"), sender);
            assert!(shown.contains("\n## 31000000 0x0000198f a.bin\n"), "{shown}");
            assert!(shown.ends_with(
                "## Total Size      = 0x0000198f = 6543 Bytes\n## Start Addr      = 0x31000000\n"
            ));
            loaded(&mut line, &bytes);
        }
        line.close();
    }
}

#[test]
fn sb_sends_many_files() {
    let (mut line, bytes) = line(&GTA02);
    let shown = send(&mut line, &format!("loady {BASE:x}"), "sb -k a.bin b.txt");
    let expected = "\n## 31000000 0x0000198f a.bin\n## 31002000 0x00000309 b.txt\n\
                    ## Total Size      = 0x00001c98 = 7320 Bytes\n\
                    ## Start Addr      = 0x31000000\n";
    assert!(shown.ends_with(expected), "{shown}");
    loaded(&mut line, &bytes);
    let sum = line.command("crc32 31002000 309");
    assert!(sum.ends_with(&format!(" ==> {:08x}\n", crc32(&pattern(777, 2)))), "{sum}");
    line.close();
}

#[test]
fn gkermit_sends_by_kermit() {
    for board in BOARDS {
        let (mut line, bytes) = line(&board);
        for sender in ["gkermit -X -i -s a.bin", "gkermit -X -i -e 94 -s a.bin"] {
            line.command(&format!("mw.b {BASE:x} 0 4000"));
            let shown = send(&mut line, &format!("loadb {BASE:x}"), sender);
            assert!(shown.contains("\n## 31000000 0x0000198f A.BIN\n"), "{shown}");
            loaded(&mut line, &bytes);
        }
        line.close();
    }
}

#[test]
fn objcopy_makes_s_records() {
    for board in BOARDS {
        let (mut line, bytes) = line(&board);
        let made = run(
            Command::new("arm-none-eabi-objcopy")
                .args(["-I", "binary", "-O", "srec", "--adjust-vma=0x1000000", "--set-start=0x40"])
                .args(["a.bin", "a.srec"]),
            &line.place.path("."),
        );
        assert!(made.status.success());
        line.start("loads 30000000", "## Ready for S-Record download ...\r\n");
        let text = line.place.read("a.srec");
        line.write(text);
        let shown = line.prompt();
        let expected = ".\n## First Load Addr = 0x31000000\n\
                        ## Last  Load Addr = 0x3100198E\n\
                        ## Total Size      = 0x0000198F = 6543 Bytes\n\
                        ## Start Addr      = 0x31000040\n";
        assert!(shown.ends_with(expected), "{shown}");
        loaded(&mut line, &bytes);
        line.close();
    }
}

#[test]
fn ctrl_c_gives_the_prompt_back() {
    let mut line = Line::open(&GTA02);
    for (command, aborted) in [
        ("loadx", "## Binary (xmodem) download aborted"),
        ("loady", "## Binary (ymodem) download aborted"),
        ("loadb", "## Binary (kermit) download aborted"),
        ("loads", "## S-Record download aborted"),
    ] {
        line.start(command, "...\r\n");
        line.write("\x03");
        let shown = line.prompt();
        assert!(shown.ends_with(&format!("\n{aborted}\n<INTERRUPT>\n")), "{shown}");
        assert_eq!(line.command("echo back"), "back\n");
    }
    line.close();
}

#[test]
fn nothing_goes_into_the_loader() {
    for board in BOARDS {
        let (mut line, bytes) = line(&board);
        let base = board.loader - 0x800;
        for (command, sender) in
            [("loadx", "sx -k a.bin"), ("loady", "sb -k a.bin"), ("loadb", "gkermit -X -i -s a.bin")]
        {
            line.command(&format!("mw.b {base:x} 5a 800"));
            line.start(&format!("{command} {base:x}"), "bps...\r\n");
            let (success, said) = line.run(sender, CLEAN);
            let shown = line.prompt();
            assert!(!success && shown.contains(" download aborted\nERROR: "), "{sender}: {said}\n{shown}");
            assert!(shown.contains("see 'bdinfo' for where they can"), "{shown}");
            // X-modem does not say before how much will come.
            let kept = if command == "loadx" { bytes[..0x800].to_vec() } else { vec![0x5a; 0x800] };
            let sum = line.command(&format!("crc32 {base:x} 800"));
            assert!(sum.ends_with(&format!(" ==> {:08x}\n", crc32(&kept))), "{sender}: {sum}");
        }
        line.close();
    }
}

/// A transfer over a line with noise: the file is there whole, or an error says what to do; in neither
/// case is anything behind it. Returns the retries of one that came through.
fn survives(board: &Board, command: &str, sender: &str, noises: Noises) -> Option<u32> {
    let (mut line, bytes) = line(board);
    line.command(&format!("mw.b {BASE:x} 5a 4000"));
    line.start(&format!("{command} {BASE:x}"), "bps...\r\n");
    let (_, said) = line.run(sender, noises);
    let shown = line.prompt();
    let whole = shown.contains("## Total Size");
    let bytes = if command == "loadx" { filled(&bytes) } else { bytes };
    if whole {
        loaded(&mut line, &bytes);
    } else {
        let advice = ["start over", "check the line, or use a lower baud rate"];
        assert!(shown.contains(" download aborted\nERROR: "), "{sender}: {said}\n{shown}");
        assert!(advice.iter().any(|advice| shown.contains(advice)), "{sender}: {said}\n{shown}");
    }
    let rest = 0x4000 - bytes.len();
    let sum = line.command(&format!("crc32 {:x} {rest:x}", BASE as usize + bytes.len()));
    assert!(sum.ends_with(&format!(" ==> {:08x}\n", crc32(&vec![0x5a; rest]))), "{sum}");
    line.close();
    let retries = shown.lines().find_map(|line| line.split_once(" packets, ")?.1.strip_suffix(" retries"));
    whole.then(|| retries.unwrap().parse().unwrap())
}

/// Several lines with noise, of which at least one damages something that is then sent again.
fn recovers(command: &str, sender: &str, there: Noise, back: Noise) {
    let came_through: Vec<u32> =
        (1..=2).filter_map(|seed| survives(&GTA02, command, sender, Noises { there, back, seed })).collect();
    assert!(came_through.iter().sum::<u32>() > 0, "{sender}: {came_through:?}");
}

const DAMAGE: Noise = Noise { drop: 4000, double: 4000, flip: 2500 };
/// An answer is not doubled: to a sender of X-modem that is two answers, and it would be one block
/// ahead from there on.
const ANSWERS: Noise = Noise { drop: 100, double: 0, flip: 100 };

#[test]
fn x_modem_survives_noise() {
    recovers("loadx", "sx a.bin", DAMAGE, ANSWERS);
}

#[test]
fn y_modem_survives_noise() {
    recovers("loady", "sb -k a.bin", DAMAGE, ANSWERS);
}

#[test]
fn kermit_survives_noise() {
    recovers("loadb", "gkermit -X -i -e 400 -s a.bin", DAMAGE, Noise { drop: 600, double: 600, flip: 600 });
}

#[test]
fn a_line_that_is_only_noise_is_given_up() {
    let there = Noise { flip: 30, ..Noise::default() };
    for (command, sender) in [("loadx", "sx a.bin"), ("loady", "sb a.bin")] {
        let (mut line, _) = line(&GTA02);
        line.start(&format!("{command} {BASE:x}"), "bps...\r\n");
        let (success, said) = line.run(sender, Noises { there, ..CLEAN });
        let shown = line.prompt();
        assert!(!success, "{said}");
        // Whoever has had enough first: both count to ten.
        let errors = [
            "10 failures in a row; check the line, or use a lower baud rate\n",
            "the sender gave up; start over\n",
        ];
        assert!(errors.iter().any(|error| shown.ends_with(&format!("ERROR: {error}"))), "{shown}");
        assert_eq!(line.command("echo back"), "back\n");
        line.close();
    }
}
