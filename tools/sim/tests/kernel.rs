//! Entering a kernel: what counts as one, what is checked then, and what the report says.

mod common;

use common::{Program, SDRAM, kinds};
use sim::{Capture, Entry, NandImage, Options, Outcome, PowerCut, Report};

const LOAD: u32 = SDRAM + 0x8000;
const TAGS: u32 = SDRAM + 0x100;

/// The kernel: sends "k" and hangs.
fn kernel() -> [u32; 5] {
    [0xe3a0_b450, 0xe3a0_c06b, 0xe5cb_c020, 0xeaff_fffe, 0] // mov r11, #0x50000000; mov r12, #'k'; strb; b .
}

/// A uImage of the kernel at the start of block 1.
fn with_kernel(image: NandImage) -> NandImage {
    let mut image = image;
    let data: Vec<u8> = kernel().iter().flat_map(|word| word.to_le_bytes()).collect();
    image.write(64 * 2112, &common::uimage(LOAD, &data));
    image
}

/// A loader that builds the tags, puts the kernel's words in place and jumps with these registers.
fn loader(r1: u32, words: &[u32]) -> Program {
    let tags = [5, 0x5441_0001, 0, 0, 0, 0, 0];
    let mut program = Program::new().set_up().set_up_sdram();
    for (address, &word) in (TAGS..).step_by(4).zip(&tags) {
        program = program.store(address, word);
    }
    for (address, &word) in (LOAD..).step_by(4).zip(words) {
        program = program.store(address, word);
    }
    program.load(0, 0).load(1, r1).load(2, TAGS).load(3, LOAD)
}

const JUMP: u32 = 0xe1a0_f003; // mov pc, r3

fn run(program: &Program, options: &Options) -> Report {
    let mut nand = with_kernel(program.image());
    sim::run(options, &mut nand, &mut Capture::default()).expect("runs")
}

fn mini2440() -> Options {
    Options::new("mini2440")
}

#[test]
fn the_run_stops_at_the_kernels_first_instruction() {
    let report = run(&loader(1999, &kernel()).word(JUMP), &mini2440());
    assert_eq!(report.outcome, Outcome::Kernel);
    assert_eq!(report.entry, Some(Entry { pc: LOAD, r0: 0, r1: 1999, r2: TAGS }));
    assert_eq!((report.kernel_crc_ok, kinds(&report)), (true, vec![]));
    assert_eq!(report.phases.last().map(|phase| phase.name), Some("entry"));
    assert_eq!(report.uart, "");
}

#[test]
fn the_kernel_can_be_watched() {
    let options = Options { stop_at_kernel: false, ..mini2440() };
    let report = run(&loader(1999, &kernel()).word(JUMP), &options);
    assert_eq!((report.outcome, report.uart.as_str()), (Outcome::Kernel, "k"));
    assert_eq!((report.kernel_crc_ok, report.violations_total), (true, 0));
}

#[test]
fn the_power_can_be_cut_in_the_kernel() {
    let program = loader(1999, &kernel()).word(JUMP);
    let entered = run(&program, &mini2440()).time_ns;
    let cut = Some(PowerCut::Time { ns: entered + 1_000_000 });
    let report = run(&program, &Options { stop_at_kernel: false, cut, ..mini2440() });
    assert_eq!((report.outcome, report.time_ns), (Outcome::Powercut, entered + 1_000_000));
    assert!(report.entry.is_some() && report.kernel_crc_ok, "{report:?}");
}

#[test]
fn what_the_kernel_does_is_not_the_loaders_fault() {
    let options = Options { stop_at_kernel: false, ..mini2440() };
    // ldr r0, [r0, #1]; b .
    let report = run(&loader(1999, &[0xe590_0001, 0xeaff_fffe]).word(JUMP), &options);
    assert_eq!(report.violations_total, 0);
    let kinds: Vec<_> = report.after_entry.iter().map(|violation| violation.kind).collect();
    assert_eq!(kinds, ["unaligned"]);
}

#[test]
fn a_wrong_image_in_memory_is_noticed() {
    let mut damaged = kernel();
    damaged[4] = 1;
    let report = run(&loader(1999, &damaged).word(JUMP), &mini2440());
    assert_eq!((report.outcome, report.kernel_crc_ok), (Outcome::Kernel, false));
}

#[test]
fn other_jumps_are_no_entries() {
    let report = run(&loader(1998, &kernel()).word(JUMP), &mini2440());
    assert_eq!((report.outcome, report.entry, report.uart.as_str()), (Outcome::Fault, None, "k"));
}

#[test]
fn breaches_of_the_boot_contract_are_violations() {
    let check = |before: &[u32], text: &str| {
        let report = run(&loader(1999, &kernel()).words(before).word(JUMP), &mini2440());
        assert_eq!(kinds(&report), ["boot-contract"], "{text}");
        assert!(report.violations[0].detail.contains(text), "{report:?}");
    };
    check(&[0xe321_f053], "masked"); // msr cpsr_c, #0x53
    check(&[0xe321_f0df], "mode"); // msr cpsr_c, #0xdf
}
