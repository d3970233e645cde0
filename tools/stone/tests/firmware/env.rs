//! The environment in NAND: it outlives the power, whenever that is cut.

use crate::kit::{Board, Flash, GTA02, KINDS, MINI2440, Typist, at_prompt, lawful, said};
use sim::{Moment, Options, Outcome, PowerCut};
use std::path::Path;
use std::process::Command;

/// Bytes of a copy (`boot::env::SIZE`), which `fw_env.config` has to tell.
const SIZE: usize = 0x4000;

/// A flash on which lines have been typed.
fn typed(board: Board, lines: &str) -> Flash {
    let mut flash = board.good_flash();
    let options = flash.options();
    at_prompt(&flash.run_and_keep(&options, &format!("\r{lines}\r")));
    flash
}

/// What a line prints after the next start.
#[track_caller]
fn answer(flash: &Flash, line: &str) -> String {
    let report = flash.run(&flash.options(), &format!("\r{line}\r"));
    at_prompt(&report);
    let (_, rest) = report.uart.split_once(&format!("=> {line}\r\n")).unwrap();
    rest.strip_suffix("=> ").unwrap().to_owned()
}

/// Lines that save the variables of a generation.
fn generation(number: u32) -> String {
    let long = number.to_string().repeat(50);
    format!("setenv a {long}\rsetenv z {long}\rsaveenv")
}

/// The first block of each copy.
fn copies(flash: &Flash) -> [u32; 2] {
    let blocks = flash.blocks("env");
    [blocks.start, blocks.start + (blocks.end - blocks.start).div_ceil(2)]
}

#[test]
fn what_is_saved_is_there_after_a_reset() {
    for board in [GTA02, MINI2440, KINDS[1]] {
        let first = answer(&board.good_flash(), "printenv a");
        assert_eq!(first, "## Error: \"a\" not defined\r\n");
        let mut flash = typed(board, "setenv a 'x  y'\rsaveenv");
        for (before, line, after) in [("x  y", "setenv a 2", "2"), ("2", "setenv a", "## Error")] {
            assert_eq!(answer(&flash, "printenv a"), format!("a={before}\r\n"));
            let options = flash.options();
            let report = flash.run_and_keep(&options, &format!("\r{line}\rsaveenv\r"));
            said(&report, "Loading Environment from NAND... OK\r\n");
            said(&report, "NAND... OK\r\nOK\r\n");
            assert!(answer(&flash, "printenv a").contains(after));
        }
        said(
            &board.good_flash().run(&flash.options(), "\r"),
            "*** Warning - bad CRC, using default environment",
        );
    }
}

/// Cuts the power at every point of a save; afterwards it is as before or as it should be. Returns the
/// number of points.
fn every_cut(before: &Flash, options: &Options, keys: &str) -> usize {
    let keys = format!("\r{keys}\r");
    let cuts = sim::every_cut(options, &before.image, || Typist::new(&keys)).unwrap();
    at_prompt(&cuts.uncut);
    let after = before.with(cuts.nand.clone());
    let states = [answer(before, "printenv"), answer(&after, "printenv")];
    assert_ne!(states[0], states[1]);
    let points = cuts.len();
    assert!(points >= 3 * (1 + SIZE.div_ceil(before.board.nand.page)), "{points}");
    let mut seen = [false; 2];
    for run in cuts {
        let run = run.unwrap();
        assert_eq!(run.report.outcome, Outcome::Powercut, "{}", run.cut);
        lawful(&run.report);
        let left = before.with(run.nand);
        let found = answer(&left, "printenv");
        let state = states.iter().position(|state| *state == found);
        seen[state.unwrap_or_else(|| panic!("{}: {found}", run.cut))] = true;
    }
    assert_eq!(seen, [true; 2], "some cuts come too early for the new one, others too late for the old one");
    points
}

#[test]
fn a_cut_at_any_point_of_a_save_leaves_the_old_or_the_new_environment() {
    let mut points = 0;
    for board in [GTA02, MINI2440] {
        let flash = typed(board, &format!("{}\r{}", generation(1), generation(2)));
        points += every_cut(&flash, &flash.options(), &generation(3));
    }
    println!("saveenv: power cut at {points} points");
}

#[test]
fn a_cut_at_any_point_of_the_first_save_leaves_the_default_or_the_new_environment() {
    let flash = GTA02.good_flash();
    let points = every_cut(&flash, &flash.options(), &generation(1));
    println!("first saveenv: power cut at {points} points");
}

/// A save whose last page is torn may be read once and not the next time. The one after it must not rely
/// on that.
#[test]
fn a_second_cut_loses_nothing_either() {
    let mut points = 0;
    let mut flash = typed(GTA02, &generation(1));
    let options = flash.options();
    at_prompt(&flash.run_and_keep(&options, &format!("\r{}\r", generation(2))));
    let last = 1 + SIZE.div_ceil(flash.board.nand.page) as u64;
    for seed in 1..=3 {
        let cut = Some(PowerCut::Operation { number: last, moment: Moment::Inside });
        let mut torn = flash.clone();
        let keys = format!("\r{}\r", generation(3));
        let report = torn.run_and_keep(&Options { cut, seed, ..flash.options() }, &keys);
        assert_eq!(report.outcome, Outcome::Powercut);
        let keys = format!("\r{}\r", generation(4));
        let cuts = sim::every_cut(&torn.options(), &torn.image, || Typist::new(&keys)).unwrap();
        at_prompt(&cuts.uncut);
        let new = answer(&torn.with(cuts.nand.clone()), "printenv");
        assert!(new.contains("a=4444"), "{new}");
        // Inside each operation.
        for run in cuts.skip(1).step_by(3) {
            let run = run.unwrap();
            let found = answer(&torn.with(run.nand), "printenv a z");
            let whole = ["2", "3", "4"].map(|digit| digit.repeat(50));
            let whole = whole.iter().any(|long| found == format!("a={long}\r\nz={long}\r\n"));
            points += 1;
            assert!(whole, "seed {seed}, {}: {found}", run.cut);
        }
    }
    println!("saveenv after a torn one: power cut at {points} points");
}

#[test]
fn a_worn_block_gives_way_to_a_spare() {
    for board in KINDS {
        let mut flash = typed(board, "setenv a 1\rsaveenv");
        let [first, second] = copies(&flash);
        let page = |block: u32| block * board.nand.block_pages;
        // A save to copy 2, whose first block cannot be programmed, nor the second be erased.
        let options = Options { fail_programs: vec![page(second) + 1], ..flash.options() };
        let report = flash.run_and_keep(&options, "\rsetenv a 2\rsaveenv\r");
        at_prompt(&report);
        said(
            &report,
            "could not be programmed: it is marked bad now, the copy goes to the next good one\r\n",
        );
        assert_eq!(answer(&flash, "printenv a"), "a=2\r\n");
        let options = Options { fail_erases: vec![first], ..flash.options() };
        let report = flash.run_and_keep(&options, "\rsetenv a 3\rsaveenv\r");
        at_prompt(&report);
        said(&report, "could not be erased: it is marked bad now, the copy goes to the next good one\r\n");
        assert_eq!(answer(&flash, "printenv a"), "a=3\r\n");
        let [first, second] = [first + 1, second + 1];
        let copies = answer(&flash, "env copies");
        assert!(copies.starts_with(&format!("copy 1: block {first:#x}, ")), "{copies}");
        assert!(copies.contains(&format!("\ncopy 2: block {second:#x}, ")), "{copies}");
        assert!(copies.contains(": valid, serial 3, in use\r\n"), "{copies}");
    }
}

#[test]
fn a_flipped_bit_is_corrected_and_said() {
    for board in KINDS {
        let mut flash = typed(board, "setenv a 1\rsaveenv");
        let [first, second] = copies(&flash);
        let page = first * board.nand.block_pages;
        flash.flip(page, 9, 3);
        let options = flash.options();
        let report = flash.run_and_keep(&options, "\rprintenv a\renv copies\rsetenv a 2\rsaveenv\r");
        at_prompt(&report);
        said(&report, "Corrected 1 bitflips in copy 1 of the environment; 'saveenv' writes it anew.\r\n");
        said(&report, "\r\na=1\r\n");
        said(&report, ": valid, serial 1, ECC corrected 1 bits, in use\r\n");
        said(&report, "Copy 1 has bitflips, so it is written anew as well.\r\n");
        let copies = answer(&flash, "env copies");
        assert!(copies.contains("serial 2\r\n") && copies.contains("serial 3, in use\r\n"), "{copies}");
        // Beyond what ECC corrects, the other one serves.
        flash.flip(page, 9, 3);
        flash.flip(page, 10, 3);
        let report = flash.run(&flash.options(), "\rprintenv a\r");
        said(&report, "Copy 1 of the environment is damaged; see 'env copies'.");
        said(&report, "\r\na=2\r\n");
        assert!(answer(&flash, "env copies").contains(&format!("block {second:#x}, ")));
    }
}

/// The partition as a file, as `nanddump` without OOB makes it, and the configuration for it.
fn extract(flash: &Flash, directory: &Path) {
    let bytes: Vec<u8> = flash.blocks("env").flat_map(|block| flash.data(block)).collect();
    let file = directory.join("env.bin");
    std::fs::write(&file, bytes).unwrap();
    // The console's own, but for the device.
    let config = answer(flash, "env config").replace("/dev/mtd3 ", &format!("{} ", file.display()));
    assert_eq!(config.matches("env.bin").count(), 2, "{config}");
    std::fs::write(directory.join("fw_env.config"), config).unwrap();
}

/// Puts the file back, with ECC.
fn insert(flash: &mut Flash, directory: &Path) {
    let bytes = std::fs::read(directory.join("env.bin")).unwrap();
    let nand = flash.board.nand;
    let first = flash.blocks("env").start * nand.block_pages;
    for (page, data) in (first..).zip(bytes.chunks(nand.page)) {
        if data.iter().any(|&byte| byte != 0xff) {
            flash.rewrite(page, |page| page.copy_from_slice(data));
        }
    }
}

/// What a tool of `libubootenv-tool` prints.
#[track_caller]
fn tool(name: &str, directory: &Path, words: &[&str]) -> String {
    let mut command = Command::new(name);
    command.arg("-c").arg(directory.join("fw_env.config")).args(words);
    let output =
        command.output().unwrap_or_else(|error| panic!("{name}: {error}; tools/setup.sh installs it"));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn fw_printenv_and_fw_setenv_read_and_write_it() {
    for board in KINDS {
        let mut flash = typed(board, "setenv a '1  2'\rsetenv b x=y\rsaveenv\rsetenv c 3\rsaveenv");
        let directory = tempfile::tempdir().unwrap();
        extract(&flash, directory.path());
        let found = tool("fw_printenv", directory.path(), &[]);
        for line in ["a=1  2\n", "b=x=y\n", "c=3\n", "bootcmd=boot\n"] {
            assert!(found.contains(line), "{found}");
        }
        // Three saves of theirs, so that each copy has been theirs; then one of ours.
        for words in [["a", "from Linux"], ["d", "4"], ["b", ""]] {
            tool("fw_setenv", directory.path(), &words);
        }
        insert(&mut flash, directory.path());
        let report = flash.run(&flash.options(), "\rprintenv a\rprintenv b c d\renv copies\r");
        at_prompt(&report);
        said(&report, "Loading Environment from NAND... OK\r\n");
        said(&report, "=> printenv a\r\na=from Linux\r\n");
        said(&report, "## Error: \"b\" not defined\r\nc=3\r\nd=4\r\n");
        said(&report, ": valid, serial 5, in use\r\n");
        let options = flash.options();
        at_prompt(&flash.run_and_keep(&options, "\rsetenv a again\rsaveenv\r"));
        extract(&flash, directory.path());
        assert_eq!(tool("fw_printenv", directory.path(), &["a", "d"]), "a=again\nd=4\n");
    }
}
