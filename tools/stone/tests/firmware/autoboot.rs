//! Autoboot: what it waits for, what stops it, and that noise does not.

use crate::kit::{Board, GTA02, LOAD_A, LOAD_B, MINI2440, at_prompt, booted, lawful, said, stage1};
use sim::{Options, Outcome, Report};

/// A user who answers what is on the screen: each text once it is there, in turn. Bytes from 0x80 on come
/// without their stop bits.
struct User<'a> {
    script: Vec<(&'a str, &'a [u8])>,
    keys: Vec<u8>,
    seen: Vec<u8>,
    garbled: bool,
}

impl<'a> User<'a> {
    fn new(script: &[(&'a str, &'a [u8])]) -> Self {
        Self { script: script.to_vec(), keys: Vec::new(), seen: Vec::new(), garbled: false }
    }
}

impl sim::Console for User<'_> {
    fn output(&mut self, bytes: &[u8]) {
        self.seen.extend(bytes);
    }

    fn input(&mut self) -> Option<u8> {
        if self.keys.is_empty()
            && let Some((text, keys)) = self.script.first()
            && let Some(at) = find(&self.seen, text)
        {
            self.seen.drain(..at + text.len());
            self.keys = keys.to_vec();
            self.script.remove(0);
        }
        let key = (!self.keys.is_empty()).then(|| self.keys.remove(0))?;
        self.garbled = key >= 0x80;
        Some(key & 0x7f)
    }

    fn garbled(&mut self) -> bool {
        self.garbled
    }
}

fn find(seen: &[u8], text: &str) -> Option<usize> {
    (0..=seen.len()).find(|&at| seen[at..].starts_with(text.as_bytes()))
}

/// Noise: not a byte of it is whole.
const NOISE: &[u8] = b"\x80\xff\x8d\xa0";
/// The prompt, after a line.
const PROMPT: &str = "\n=> ";
const SECOND: u64 = 1_000_000_000;
/// `printf secret | sha256sum`
const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

/// Runs a board with good kernels.
fn play(board: &Board, script: &[(&str, &[u8])]) -> Report {
    let flash = board.good_flash();
    let options = Options { max_time_ns: 20 * SECOND, ..flash.options() };
    sim::run(&options, &mut flash.image.clone(), &mut User::new(script)).unwrap()
}

/// The line that starts stage2 once more, as a loader would that leaves no hand-over record.
fn again(board: &Board) -> Vec<u8> {
    format!("go {:x}\r", board.loader).into_bytes()
}

const COUNTDOWN: &str =
    "Hit any key to stop autoboot:  2 \x08\x08\x08 1 \x08\x08\x08 0 \r\nkernel-a: offset ";

#[test]
fn counts_two_seconds_down_and_boots() {
    for board in [GTA02, MINI2440] {
        let report = play(&board, &[("S1", b"\r"), ("=> ", &again(&board))]);
        booted(&board, &report, LOAD_A);
        said(&report, "Not started by stage1: no hand-over record.\r\n");
        said(&report, COUNTDOWN);
        // The same without the countdown.
        let line = [b"setenv bootdelay 0; ", &b"boot\r"[..]].concat();
        let at_once = play(&board, &[("S1", b"\r"), ("=> ", &line)]);
        booted(&board, &at_once, LOAD_A);
        let waited = report.time_ns - at_once.time_ns;
        assert!((2 * SECOND..2 * SECOND + SECOND / 4).contains(&waited), "{waited}");
    }
}

#[test]
fn a_key_stops_the_countdown() {
    for board in [GTA02, MINI2440] {
        let report =
            play(&board, &[("S1", b"\r"), ("=> ", &again(&board)), ("autoboot:  2 \x08\x08\x08 1 ", b" ")]);
        at_prompt(&report);
        said(&report, "Hit any key to stop autoboot:  2 \x08\x08\x08 1 \x08\x08\x08 0 \r\n=> ");
    }
}

#[test]
fn noise_stops_nothing() {
    for board in [GTA02, MINI2440] {
        // Not the countdown,
        let noise = ("autoboot:  2 \x08\x08\x08 1 ", NOISE);
        let report = play(&board, &[("S1", b"\r"), ("=> ", &again(&board)), noise]);
        booted(&board, &report, LOAD_A);
        said(&report, COUNTDOWN);
        // and no more than two seconds of the way from stage1.
        let report = play(&board, &[("", NOISE)]);
        booted(&board, &report, LOAD_A);
        assert_eq!(stage1(&report), "2:ok");
        said(&report, "stage1 came here because of noise on the console's line.\r\nHit any key");
        said(&report, COUNTDOWN);
    }
}

#[test]
fn an_idle_prompt_goes_back_to_autoboot() {
    for board in [GTA02, MINI2440] {
        let lines = b"setenv bootcmd boot kernel-b; setenv bootretry 1\r";
        let report = play(&board, &[("S1", b"\r"), ("=> ", lines), (PROMPT, b"ver")]);
        booted(&board, &report, LOAD_B);
        said(&report, "=> ver\r\nTimed out waiting for command\r\nHit any key to stop autoboot:  2 ");
        assert!((3 * SECOND..4 * SECOND).contains(&report.time_ns), "{}", report.time_ns);
    }
}

#[test]
fn the_right_password_stops_it() {
    for board in [GTA02, MINI2440] {
        let lines = format!("setenv bootstopkeysha256 {SECRET}; setenv bootretry 1\r");
        let with = |keys: &[u8]| {
            play(&board, &[("S1", b"\r"), ("=> ", lines.as_bytes()), ("Autoboot in 2 seconds", keys)])
        };
        let right = with(b"wrong\rsecret");
        // Until it is idle again.
        let tail = "Autoboot in 2 seconds\r\n=> \r\nTimed out waiting for command\r\nAutoboot in 2 seconds\r\nkernel-a";
        said(&right, tail);
        booted(&board, &right, LOAD_A);
        let wrong = with(b"wrong\rsecre\rt\r");
        booted(&board, &wrong, LOAD_A);
        said(&wrong, "Autoboot in 2 seconds\r\nkernel-a: ");
    }
}

#[test]
fn a_stop_key_ends_retries() {
    let lines = b"setenv bootstopkey stop; setenv bootretry 1\r";
    let report = play(&GTA02, &[("S1", b"\r"), ("=> ", lines), ("Autoboot in 2 seconds", b"xstop")]);
    // An idle prompt stays one.
    at_prompt(&report);
    assert_eq!(report.outcome, Outcome::Console);
    lawful(&report);
}
