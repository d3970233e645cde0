//! `stone run`, with a first stage of 31 instructions that prints a prompt and
//! then everything that is typed.

#[allow(dead_code, reason = "no data is wanted here")]
mod common;

use common::Place;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

/// ARM code for the mini2440, from address 0 on; see [`SMDK2410`] for what the other board has instead.
const BEFORE_TABLE: [u32; 4] = [
    0xe3a0_0453, // mov  r0, #0x53000000   watchdog
    0xe3a0_1000, // mov  r1, #0
    0xe580_1000, // str  r1, [r0]          WTCON: off
    0xea00_0054, // b    0x164             over the boot table
];
/// The same from address 0x164 on.
const BEHIND_TABLE: [u32; 29] = [
    0xee11_1f10, // mrc  p15, 0, r1, c1, c0, 0
    0xe381_1103, // orr  r1, r1, #0xc0000000   asynchronous clocks
    0xee01_1f10, // mcr  p15, 0, r1, c1, c0, 0
    0xe3a0_0313, // mov  r0, #0x4c000000   clocks
    0xe3a0_1005, // mov  r1, #5
    0xe580_1014, // str  r1, [r0, #0x14]   CLKDIVN: 1:4:8
    0xe59f_1050, // ldr  r1, [pc, #0x50]
    0xe580_1004, // str  r1, [r0, #4]      MPLLCON: 400 MHz
    0xe3a0_0456, // mov  r0, #0x56000000   GPIO
    0xe3a0_10a0, // mov  r1, #0xa0
    0xe580_1070, // str  r1, [r0, #0x70]   GPHCON: UART0 pins
    0xe3a0_0205, // mov  r0, #0x50000000   UART0
    0xe3a0_1003, // mov  r1, #3
    0xe580_1000, // str  r1, [r0]          ULCON: 8N1
    0xe3a0_1005, // mov  r1, #5
    0xe580_1004, // str  r1, [r0, #4]      UCON: polled
    0xe3a0_101a, // mov  r1, #26
    0xe580_1028, // str  r1, [r0, #0x28]   UBRDIV: 115200 from 50 MHz
    0xe3a0_203e, // mov  r2, #'>'
    0xe590_1010, // ldr  r1, [r0, #0x10]   send: wait for UTRSTAT[1]
    0xe311_0002, // tst  r1, #2
    0x0aff_fffc, // beq  send
    0xe5c0_2020, // strb r2, [r0, #0x20]   UTXH
    0xe590_1010, // ldr  r1, [r0, #0x10]   receive: wait for UTRSTAT[0]
    0xe311_0001, // tst  r1, #1
    0x0aff_fffc, // beq  receive
    0xe5d0_2024, // ldrb r2, [r0, #0x24]   URXH
    0xeaff_fff6, // b    send
    0x0005_c011, // MDIV 92, PDIV 1, SDIV 1
];

/// Words of the code, by their address, for the clocks of the S3C2410: CLKDIVN 1:2:4, MPLLCON for
/// 202.8 MHz, UBRDIV for 115200 from 50.7 MHz.
const SMDK2410: [(usize, u32); 3] = [(0x174, 0xe3a0_1003), (0x1a4, 0xe3a0_101b), (0x1d4, 0x000a_1031)];

const RECIPE: &str = r#"
board = "mini2440"
part = "K9F1G08U0B"
machine = 1999
sdram = { start = 0x30000000, size = "64 MiB" }
stage1.file = "echo"
stage2.file = "echo"
kernel = { file = "echo", load = 0x30008000 }
partition = [{ name = "boot", blocks = 1, content = "stage1" }, { name = "data", blocks = 4 }]
"#;

fn place() -> Place {
    let place = Place::new();
    let mut code = vec![0; 0x164];
    code[..16].copy_from_slice(&BEFORE_TABLE.map(u32::to_le_bytes).concat());
    code.extend(BEHIND_TABLE.map(u32::to_le_bytes).concat());
    place.write("echo", code);
    place.write("r.toml", RECIPE);
    place.good("nand r.toml -o e.nand --trim");
    place
}

/// The same for the board with small pages: `s.nand`.
fn place_with_small_pages() -> Place {
    let place = place();
    let mut code = place.read("echo");
    for (at, word) in SMDK2410 {
        code[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    place.write("echo", code);
    let recipe = RECIPE.replace("mini2440", "smdk2410").replace("K9F1G08U0B", "K9F1208U0C");
    place.write("s.toml", recipe.replace("1999", "193"));
    place.good("nand s.toml -o s.nand --trim --bad 2");
    place
}

const RUN: &str = "run --board mini2440 e.nand";

#[test]
fn input_reaches_the_board_and_its_output_us() {
    let place = place();
    let before = place.read("e.nand");
    place.write("keys", "from a file");
    let shown = place.good(&format!("{RUN} --input a\\x41\\r\\n. --until \\. --report r.json"));
    assert!(shown.starts_with(">aA\r\n.\n----"), "{shown}");
    assert!(shown.contains("at the console, --until matched") && shown.contains("violations    none"));
    let report: serde_json::Value = serde_json::from_slice(&place.read("r.json")).unwrap();
    assert_eq!(report["board"], "mini2440");
    assert_eq!(report["outcome"], "console");
    assert_eq!(report["uart"], ">aA\r\n.");
    assert!(place.good(&format!("{RUN} --input @keys --until file")).starts_with(">from a file\n"));
    assert_eq!(place.read("e.nand"), before, "the image is not ours to change");
}

#[test]
fn only_what_was_wanted_is_a_success() {
    let place = place();
    place.fails(&format!("{RUN} --max-time 20ms"), &["NOT GOOD", "the time was up\n"]);
    place.fails(&format!("{RUN} --max-time 20ms --until x"), &["--until did NOT match"]);
    // A divisor for 57600 baud: the terminal sees garbage, the simulator says so.
    let mut code = place.read("echo");
    code[0x1a4] = 53;
    place.write("echo", code);
    place.good("nand r.toml -o e.nand --trim");
    place.fails(&format!("{RUN} --until >"), &["NOT GOOD", "--until matched", "uart-baud"]);
}

#[test]
fn says_what_does_not_work() {
    let place = place();
    let before = place.names();
    place.fails("run --board pc e.nand --report r.json", &["no board `pc`", "mini2440"]);
    place.fails(&format!("{RUN} --part K9"), &["no NAND part `K9`"]);
    place.fails("run --board gta02 none.nand", &["none.nand: cannot read the NAND image"]);
    place.fails(&format!("{RUN} --input \\q"), &["--input: unknown escape", "\\xHH"]);
    place.fails(&format!("{RUN} --flip kernel-a"), &["there is no partition `kernel-a`", "--recipe"]);
    place.fails(&format!("{RUN} --flip rootfs --recipe r.toml"), &["one of: boot, data"]);
    place.fails(&format!("{RUN} --bad 5000"), &["bad block"]);
    assert_eq!(place.names(), before);
}

#[test]
fn flips_reach_the_board() {
    let place = place();
    // 0x3e, the prompt, is at 0x1ac; bit 0 makes it 0x3f.
    let shown = place.good(&format!("{RUN} --flip 0:0x1ac:0 --until \\?"));
    assert!(shown.starts_with("?\n"), "{shown}");
}

#[test]
fn small_pages_are_run_flipped_and_refused_elsewhere() {
    let place = place_with_small_pages();
    let run = "run --board smdk2410 s.nand --bad 2";
    let shown = place.good(&format!("{run} --input ab. --until \\."));
    assert!(shown.starts_with(">ab.\n----") && shown.contains("smdk2410 with K9F1208U0C: good"), "{shown}");
    assert!(place.good(&format!("{run} --flip 0:0x1ac:0 --until \\?")).starts_with("?\n"));
    // The whole program is in the first page, a single step.
    let flipped = place.stone(&format!("{run} --flip each-step@0:n=8 --report r.json --max-time 1ms"));
    assert!(!flipped.status.success());
    place.fails(&format!("{run} --flip 0:528:0"), &["a page has no byte 528", "bytes 0 to 527"]);
    place.fails(&format!("{run} --flip 0:2048:0"), &["of which 512 and up are OOB"]);
    place.fails(&format!("{run} --part K9F1G08U0B"), &["no NAND part `K9F1G08U0B`", "K9F1208U0C"]);
    place.fails("run --board smdk2410 e.nand", &["other pages", "512+16", "2048+64"]);
    place.fails("run --board mini2440 s.nand", &["other pages", "512+16", "2048+64"]);
}

#[test]
fn saving_keeps_an_unchanged_image_as_it_is() {
    let place = place();
    let before = place.read("e.nand");
    place.good(&format!("{RUN} --until > --save"));
    assert_eq!(place.read("e.nand"), before);
}

/// Erases block 3 and hangs; in the place of [`BEHIND_TABLE`].
const ERASE: [u32; 12] = [
    0xe3a0_444e, // mov  r4, #0x4e000000   NAND controller
    0xe3a0_0001, // mov  r0, #1
    0xe584_0004, // str  r0, [r4, #4]      NFCONT: on, chip selected
    0xe3a0_0060, // mov  r0, #0x60
    0xe5c4_0008, // strb r0, [r4, #8]      NFCMD: erase
    0xe3a0_00c0, // mov  r0, #0xc0
    0xe5c4_000c, // strb r0, [r4, #0xc]    NFADDR: page 192
    0xe3a0_0000, // mov  r0, #0
    0xe5c4_000c, // strb r0, [r4, #0xc]
    0xe3a0_00d0, // mov  r0, #0xd0
    0xe5c4_0008, // strb r0, [r4, #8]      NFCMD: go
    0xeaff_fffe, // b    .
];

/// The raw bytes of a block, and of block 3 in an image.
const BLOCK: usize = 64 * 2112;

fn block_3(place: &Place) -> Vec<u8> {
    let mut image = place.read("e.nand");
    image.resize(4 * BLOCK, 0xff);
    image.split_off(3 * BLOCK)
}

/// An image whose program erases block 3, which is full of 55h.
fn place_that_erases() -> Place {
    let place = place();
    let mut code = place.read("echo");
    code.truncate(0x164);
    code.extend(ERASE.map(u32::to_le_bytes).concat());
    place.write("echo", code);
    place.good("nand r.toml -o e.nand --trim");
    let mut image = place.read("e.nand");
    image.resize(3 * BLOCK, 0xff);
    image.extend([0x55; BLOCK]);
    place.write("e.nand", image);
    place
}

#[test]
fn a_power_cut_leaves_what_it_has_torn_in_the_file() {
    let place = place_that_erases();
    place.good(&format!("{RUN} --cut 1:before --save"));
    assert_eq!(block_3(&place), [0x55; BLOCK]);
    let shown = place.good(&format!("{RUN} --cut 1 --seed 2 --save --report r.json"));
    for expected in ["the power was cut\n", "operations begun: 1; torn ", "erase of block 3; saved with one"]
    {
        assert!(shown.contains(expected), "{shown}");
    }
    let report: serde_json::Value = serde_json::from_slice(&place.read("r.json")).unwrap();
    assert_eq!((&report["outcome"], &report["power_loss"]["torn"]["block"]), (&"powercut".into(), &3.into()));
    let torn = block_3(&place);
    assert!(torn.iter().all(|byte| byte & 0x55 == 0x55) && torn != [0x55; BLOCK] && torn != [0xff; BLOCK]);
    place.good(&format!("{RUN} --cut 1:after --save"));
    assert_eq!(block_3(&place), [0xff; BLOCK]);
}

#[test]
fn a_cut_can_be_at_a_time_and_has_to_come() {
    let place = place_that_erases();
    assert!(place.good(&format!("{RUN} --cut-time 1.5ms")).contains("torn"), "inside the erase");
    assert!(place.good(&format!("{RUN} --cut-time 10us")).contains("operations begun: 0, all done"));
    let missed = "NOT reached: a cut inside operation 2 (operations: 1)";
    place.fails(&format!("{RUN} --cut 2"), &["NOT GOOD", missed]);
    let usage = |options: &str| common::text(&place.stone(&format!("{RUN} {options}")).stderr);
    assert!(usage("--cut 0").contains("there is no operation 0"));
    assert!(usage("--cut 1 --cut-time 1ms").contains("cannot be used with"));
}

#[test]
fn operations_can_fail() {
    let place = place_that_erases();
    let run = |options: &str| {
        place.stone(&format!("{RUN} --save --max-time 1s {options}"));
        block_3(&place)
    };
    let failed = run("--fail-erase 2-3 --fail-program 0x40,65");
    assert!(failed != [0x55; BLOCK] && failed != [0xff; BLOCK]);
    assert_ne!(run("--endurance 0"), [0xff; BLOCK]);
    assert_eq!(run("--endurance 1"), [0xff; BLOCK]);
    place.fails(&format!("{RUN} --fail-erase 1024"), &["block that fails to erase 1024", "blocks 0 to 1023"]);
    place.fails(&format!("{RUN} --fail-program 65536"), &["page 65536 that fails to program"]);
}

/// Reads until what was read ends with this.
fn read_until(from: &mut impl Read, end: &str) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(end.as_bytes()) {
        assert_eq!(from.read(&mut byte).unwrap(), 1, "ends after: {}", common::text(&seen));
        seen.push(byte[0]);
    }
    common::text(&seen)
}

#[test]
fn a_pseudo_terminal_is_a_serial_line() {
    let place = place();
    let mut child = Command::new(env!("CARGO_BIN_EXE_stone"))
        .args(RUN.split(' '))
        .args(["--pty", "--until", "bye"])
        .current_dir(place.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let name = line.split([' ', ':']).find(|word| word.starts_with("/dev/")).expect(&line);
    let mut terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
    read_until(&mut terminal, ">");
    terminal.write_all(b"hello").unwrap();
    assert_eq!(read_until(&mut terminal, "hello"), "hello");
    terminal.write_all(b"bye").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn a_terminal_is_a_live_console_that_a_key_ends() {
    let place = place();
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let theirs = File::from(theirs);
    let mut screen = File::from(ours);
    let mut child = Command::new(env!("CARGO_BIN_EXE_stone"))
        .args(RUN.split(' '))
        .args(["--input", "scripted "])
        .current_dir(place.path("."))
        .stdin(theirs.try_clone().unwrap())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs.try_clone().unwrap())
        .spawn()
        .unwrap();
    let seen = read_until(&mut screen, ">scripted ");
    assert!(seen.contains("Ctrl-] or Ctrl-A x ends the run"), "{seen}");
    screen.write_all(b"typed").unwrap();
    // The board's echo alone: the terminal itself has none.
    assert_eq!(read_until(&mut screen, "typed"), "typed");
    screen.write_all(b"\x01x").unwrap();
    let seen = read_until(&mut screen, "violations    none");
    assert!(seen.contains("ended at the keyboard"), "{seen}");
    assert!(child.wait().unwrap().success());
    // And it is as it was before.
    assert!(tcgetattr(&theirs).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO));
}
