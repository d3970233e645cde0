//! What is typed at the prompt and what comes back, side by side in transcripts/: lines
//! in NAME.in, the console from the first prompt on in NAME.out. NAME starts with that of
//! the board.
//!
//! `RENEW_TRANSCRIPTS=1 cargo test -p stone transcripts` writes the .out files anew; read
//! the difference before it is committed.

use crate::kit::{BOARDS, at_prompt};
use std::path::Path;
use std::{env, fs};

/// The loader's version is the workspace's.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn check(name: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/transcripts");
    let script = fs::read_to_string(directory.join(name).with_extension("in")).unwrap();
    let board = BOARDS.iter().find(|board| name.starts_with(board.name)).unwrap();
    let flash = match name {
        "gta02-ecc" => crate::ecc::flash(),
        // The second block of the root file system.
        _ if name.ends_with("-write") => {
            let second = board.good_flash().blocks("rootfs").start + 1;
            board.good_flash_around(&[second]).unwrap()
        }
        _ => board.good_flash(),
    };
    // The first key stops stage1.
    let report = flash.run(&flash.options(), &format!("\r{}", script.replace('\n', "\r")));
    at_prompt(&report);
    let text =
        report.uart.replace('\r', "").replace(&format!("Steppingstone {VERSION}"), "Steppingstone VERSION");
    let found = text[text.find("=> ").unwrap()..].split_inclusive('\n').map(unmeasured).collect::<String>();
    let file = directory.join(name).with_extension("out");
    if env::var_os("RENEW_TRANSCRIPTS").is_some() {
        fs::write(&file, &found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{} says:\n{expected}\nThe board says:\n{found}", file.display());
}

/// A line with its measured figures made unreadable: they move with every change of the loader's
/// code, if only by the cache lines that it takes. `speed.rs` holds them against the simulator.
fn unmeasured(line: &str) -> String {
    let measured = match line {
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

macro_rules! transcripts {
    ($($test:ident: $name:literal)*) => {
        $(#[test] fn $test() { check($name); })*

        #[test]
        fn every_script_is_played() {
            let played = [$($name),*];
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/transcripts");
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                assert!(played.iter().any(|name| path.file_stem().unwrap() == *name), "{}", path.display());
            }
        }
    };
}

transcripts! {
    gta02_help: "gta02-help"
    gta02_nand: "gta02-nand"
    gta02_ecc: "gta02-ecc"
    gta02_speed: "gta02-speed"
    gta02_write: "gta02-write"
    gta02_env: "gta02-env"
    gta02_script: "gta02-script"
    gta02_editor: "gta02-editor"
    gta02_modify: "gta02-modify"
    gta02_memory: "gta02-memory"
    gta02_errors: "gta02-errors"
    mini2440_help: "mini2440-help"
    mini2440_nand: "mini2440-nand"
    mini2440_write: "mini2440-write"
    mini2440_env: "mini2440-env"
    mini2440_script: "mini2440-script"
    mini2440_modify: "mini2440-modify"
    mini2440_speed: "mini2440-speed"
    smdk2410_help: "smdk2410-help"
    smdk2410_nand: "smdk2410-nand"
    smdk2410_write: "smdk2410-write"
    smdk2410_speed: "smdk2410-speed"
}
