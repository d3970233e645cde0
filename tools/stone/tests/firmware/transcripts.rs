//! What is typed at the prompt and what comes back, side by side in transcripts/: lines
//! in NAME.in, the console from the first prompt on in NAME.out. NAME starts with that of
//! the board. A new transcript is these two files; no list has it.
//!
//! Lines at the top of NAME.in that start with `#` are not typed. They say what is not as usual:
//!
//! ```text
//! # flash ecc            the pages of ecc.rs are on the chip
//! # bad rootfs 1         the second block of this partition is marked bad; may be repeated
//! # ends in a kernel     instead of at a prompt
//! ```
//!
//! `RENEW_TRANSCRIPTS=1 cargo test -p stone --test firmware transcripts` writes the .out files anew;
//! read the difference before it is committed. With `TRANSCRIPT=env` only those are played that have
//! this in their names.

use crate::kit::{BOARDS, Board, Flash, STAGE1, at_prompt, lawful};
use sim::{Options, Outcome};
use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// The loader's version is the workspace's.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/transcripts")
}

/// The names of all transcripts, those without an .in or an .out as well.
fn names() -> BTreeSet<String> {
    let paths = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect()
}

fn read(name: &str, extension: &str) -> Option<String> {
    fs::read_to_string(directory().join(name).with_extension(extension)).ok()
}

/// A script, and what it is played on.
struct Script<'a> {
    flash: Flash,
    ends: Outcome,
    lines: &'a str,
}

impl<'a> Script<'a> {
    fn new(board: &Board, text: &'a str) -> Self {
        let good = board.good_flash();
        let (mut bad, mut special, mut ends, mut lines) = (Vec::new(), None, Outcome::Console, text);
        while let Some((line, rest)) = lines.strip_prefix('#').and_then(|rest| rest.split_once('\n')) {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["flash", "ecc"] => special = Some(crate::ecc::flash()),
                ["bad", partition, block] => {
                    bad.push(good.blocks(partition).start + block.parse::<u32>().unwrap());
                }
                ["ends", "in", "a", "kernel"] => ends = Outcome::Kernel,
                _ => panic!("'#{line}' is not known, see transcripts.rs"),
            }
            lines = rest;
        }
        let flash = special.unwrap_or_else(|| board.good_flash_around(&bad).unwrap());
        Self { flash, ends, lines }
    }

    /// Types it; returns what was said from the first prompt on.
    fn play(&self) -> String {
        let options =
            Options { max_time_ns: 60_000_000_000, idle_ns: Some(1_000_000_000), ..self.flash.options() };
        // The first key stops stage1.
        let report = self.flash.run(&options, &format!("\r{}", self.lines.replace('\n', "\r")));
        match self.ends {
            Outcome::Kernel => {
                assert_eq!(report.outcome, Outcome::Kernel, "{}", report.to_json());
                lawful(&report);
            }
            _ => at_prompt(&report),
        }
        let text = report.uart.replace('\r', "");
        // What a board says that starts again is the other tests' business.
        let text = text[text.find("=> ").unwrap()..].split(STAGE1).next().unwrap_or_default();
        let text = text.replace(&format!("Steppingstone {VERSION}"), "Steppingstone VERSION");
        text.split_inclusive('\n').map(unmeasured).collect()
    }
}

fn check(board: &Board, name: &str) {
    let script = read(name, "in").unwrap_or_else(|| panic!("{name}.out has no {name}.in"));
    let found = Script::new(board, &script).play();
    if env::var_os("RENEW_TRANSCRIPTS").is_some() {
        fs::write(directory().join(name).with_extension("out"), &found).unwrap();
    }
    let expected = read(name, "out").unwrap_or_default();
    assert!(found == expected, "{name}.out says:\n{expected}\nThe board says:\n{found}");
}

/// A line with its measured figures made unreadable: they move with every change of the loader's
/// code, if only by the cache lines that it takes. `speed.rs` holds them against the simulator.
fn unmeasured(line: &str) -> String {
    let measured = match line {
        // What was typed.
        _ if line.starts_with("=> ") => line.len(),
        _ if line.starts_with("  measured") => 0,
        _ if line.ends_with(" ms\n") => line.find(" in ").unwrap_or(line.len()),
        // Shares of it.
        _ if line.ends_with(" %\n") => line.len() - "100.0 %\n".len(),
        _ => line.len(),
    };
    let (as_is, figures) = line.split_at(measured);
    // What is said behind them stays.
    let end = figures.find("   over").unwrap_or(figures.len());
    let (figures, rest) = figures.split_at(end);
    format!("{as_is}{}{rest}", figures.replace(|c: char| c.is_ascii_digit(), "#"))
}

/// Plays all of a board, some at a time; names those that are not as they were.
fn play_all(board: &str) {
    let only = env::var("TRANSCRIPT").unwrap_or_default();
    let names: Vec<_> =
        names().into_iter().filter(|name| name.starts_with(board) && name.contains(&only)).collect();
    let board = BOARDS.iter().find(|known| known.name == board).unwrap();
    let next = AtomicUsize::new(0);
    let play = || {
        let mine = std::iter::from_fn(|| names.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.filter(|name| catch_unwind(|| check(board, name)).is_err()).collect::<Vec<_>>()
    };
    let wrong: Vec<_> = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let players: Vec<_> = (0..threads).map(|_| scope.spawn(play)).collect();
        players.into_iter().flat_map(|player| player.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "not as they were, see above: {wrong:?}");
}

macro_rules! boards {
    ($($board:ident)*) => {
        $(#[test] fn $board() { play_all(stringify!($board)); })*

        #[test]
        fn every_name_is_that_of_a_board() {
            for name in names() {
                assert!([$(stringify!($board)),*].iter().any(|board| name.starts_with(board)), "{name}");
            }
        }
    };
}

boards! { gta02 mini2440 smdk2410 }
