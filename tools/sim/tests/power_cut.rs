//! Cuts of the power at every program and erase of a run, and operations that fail: a program of
//! a few hundred instructions on the mini2440 erases a block and fills two pages of it anew.

mod common;

use common::{Program, SDRAM, kinds};
use sim::{Capture, Moment, NandImage, Options, Outcome, PowerCut, Report, Torn};

const NFCONT: u32 = 0x4e00_0004;
/// The first page of block 1, which holds what is replaced.
const PAGE: u32 = 64;
const OLD: u8 = 0x33;
const NEW: u8 = 0xc6;
const ERASED: u8 = 0xff;
const RAW: usize = 2112;

/// Waits longer than tWB, and then for R/nB; r4 is the controller.
const WAIT: [u32; 6] = [
    0xe3a0_0028, // mov r0, #40
    0xe250_0001, // subs r0, r0, #1
    0x1aff_fffd, // bne back to it
    0xe594_0020, // ldr r0, [r4, #0x20] NFSTAT
    0xe310_0001, // tst r0, #1
    0x0aff_fffc, // beq back to the ldr
];

trait Nand: Sized {
    fn begin(self) -> Self;
    fn byte(self, register: u32, byte: u8) -> Self;
    fn command(self, byte: u8) -> Self {
        self.byte(0x08, byte)
    }
    fn address(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |program, &byte| program.byte(0x0c, byte))
    }
    fn erase(self, block: u8) -> Self;
    fn program(self, page: u8, fill: u8) -> Self;
    fn status(self) -> Self;
}

impl Nand for Program {
    /// Controller on, chip selected, slow timings.
    fn begin(self) -> Self {
        self.store(NFCONT - 4, 0x2750).store(NFCONT, 1).load(4, NFCONT - 4)
    }

    fn byte(self, register: u32, byte: u8) -> Self {
        // mov r0, #byte; strb r0, [r4, #register]
        self.word(0xe3a0_0000 | u32::from(byte)).word(0xe5c4_0000 | register)
    }

    fn erase(self, block: u8) -> Self {
        self.command(0x60).address(&[block << 6, block >> 2]).command(0xd0).words(&WAIT)
    }

    /// All bytes of the page, spare bytes included, become `fill`.
    fn program(self, page: u8, fill: u8) -> Self {
        self.command(0x80)
            .address(&[0, 0, page, 0])
            .word(0xe3a0_0000 | u32::from(fill)) // mov r0, #fill
            .words(&[0xe180_0400, 0xe180_0800]) // orr r0, r0, r0, lsl #8; orr r0, r0, r0, lsl #16
            .words(&[0xe3a0_1e21, 0xe584_0010, 0xe251_1001, 0x1aff_fffc]) // mov r1, #528; str NFDATA; subs; bne
            .command(0x10)
            .words(&WAIT)
    }

    /// Sends bit 0 of the status, as a digit.
    fn status(self) -> Self {
        self.command(0x70)
            .word(0xe5d4_6010) // ldrb r6, [r4, #0x10]
            .words(&[0xe206_6001, 0xe286_6030]) // and r6, r6, #1; add r6, r6, #0x30
            .send_register(6)
    }
}

/// Erases block 1 and programs its pages 0 and 1; sends the status of each, and a full stop.
fn update() -> Program {
    let program = Program::new().set_up().begin().erase(1).status();
    program.program(PAGE as u8, NEW).status().program(PAGE as u8 + 1, NEW).status().send(b'.').hang()
}

/// Reads page 0 of block 1 twice into SDRAM and sends `=` when both readings agree, `!` if not.
fn read_twice() -> Program {
    let read = |program: Program, to| {
        program.command(0x00).address(&[0, 0, PAGE as u8, 0]).command(0x30).words(&WAIT).load(5, to).words(&[
            0xe3a0_1e21,
            0xe594_0010,
            0xe485_0004,
            0xe251_1001,
            0x1aff_fffb,
        ]) // ldr; str r0, [r5], #4
    };
    let program = Program::new().set_up().set_up_sdram().begin();
    read(read(program, SDRAM), SDRAM + 0x1000)
        .load(5, SDRAM)
        .load(6, SDRAM + 0x1000)
        .load(2, 0)
        .words(&[
            0xe3a0_1e21, // mov r1, #528
            0xe495_0004, // ldr r0, [r5], #4
            0xe496_3004, // ldr r3, [r6], #4
            0xe020_0003, // eor r0, r0, r3
            0xe182_2000, // orr r2, r2, r0
            0xe251_1001, // subs r1, r1, #1
            0x1aff_fff9, // bne back to the first ldr
            0xe352_0000, // cmp r2, #0
            0x03a0_603d, // moveq r6, #'='
            0x13a0_6021, // movne r6, #'!'
        ])
        .send_register(6)
        .hang()
}

/// The program, and OLD in the whole of block 1.
fn chip(program: &Program) -> NandImage {
    let mut image = program.image();
    image.write(u64::from(PAGE) * RAW as u64, &vec![OLD; 64 * RAW]);
    image
}

fn options() -> Options {
    Options::new("mini2440")
}

/// Another program in the first two pages of the chip, which the cut has not touched.
fn load(nand: &mut NandImage, program: &Program) {
    let mut bytes = vec![0; 2 * RAW];
    program.image().read(0, &mut bytes);
    nand.write(0, &bytes);
}

/// What the pages of block 1 hold: a byte that fills a page, or `None`. In order, but for repetitions.
fn contents(nand: &NandImage) -> Vec<Option<u8>> {
    let mut contents: Vec<_> = (0..64)
        .map(|page| {
            let mut bytes = vec![0; RAW];
            nand.read(u64::from(PAGE + page) * RAW as u64, &mut bytes);
            bytes.iter().all(|byte| *byte == bytes[0]).then_some(bytes[0])
        })
        .collect();
    contents.dedup();
    contents
}

#[test]
fn every_point_leaves_old_new_or_torn_pages() {
    let nand = chip(&update());
    let cuts = sim::every_cut(&options(), &nand, Capture::default).expect("runs");
    assert_eq!((cuts.uncut.uart.as_str(), cuts.uncut.outcome), ("000.", Outcome::Fault));
    assert_eq!((cuts.uncut.nand.operations(), cuts.len()), (3, 9));
    assert_eq!(contents(&cuts.nand), [Some(NEW), Some(ERASED)]);
    let expected = [
        (vec![Some(OLD)], "", None),
        (vec![None], "", Some(Torn::Block(1))),
        (vec![Some(ERASED)], "", None),
        (vec![Some(ERASED)], "0", None),
        (vec![None, Some(ERASED)], "0", Some(Torn::Page(PAGE))),
        (vec![Some(NEW), Some(ERASED)], "0", None),
        (vec![Some(NEW), Some(ERASED)], "00", None),
        (vec![Some(NEW), None, Some(ERASED)], "00", Some(Torn::Page(PAGE + 1))),
        (vec![Some(NEW), Some(ERASED)], "00", None),
    ];
    // A seed that cuts each of the three somewhere in the middle.
    let middle = Options { seed: 9, ..options() };
    let cuts = sim::every_cut(&middle, &nand, Capture::default).expect("runs");
    for (index, (run, (pages, said, torn))) in cuts.zip(expected).enumerate() {
        let run = run.expect("runs");
        let (report, cut) = (run.report, run.cut);
        assert_eq!((report.outcome, report.violations_total), (Outcome::Powercut, 0), "{cut}");
        assert_eq!(report.uart, said, "{cut}");
        assert_eq!(contents(&run.nand), pages, "{cut}: {:?}", report.power_loss);
        let loss = report.power_loss.expect("the power was cut");
        let begun = (index as u64).div_ceil(3);
        assert_eq!((loss.operations, loss.torn), (begun, torn), "{cut}");
        assert_eq!(loss.progress.is_some(), torn.is_some(), "{cut}");
        let torn_pages = run.nand.torn_pages().count();
        assert_eq!(torn_pages, if pages == [None] { 64 } else { usize::from(torn.is_some()) }, "{cut}");
    }
}

#[test]
fn points_that_are_skipped_are_not_played() {
    let cuts = sim::every_cut(&options(), &chip(&update()), Capture::default).expect("runs");
    let points: Vec<_> = cuts.skip(1).step_by(4).map(|run| run.expect("runs").cut.to_string()).collect();
    assert_eq!(points, ["inside operation 1", "after operation 2"]);
}

#[test]
fn a_cut_at_a_time_ends_the_run_then() {
    let nand = chip(&update());
    let at = |ns| {
        let mut nand = nand.clone();
        let options = Options { cut: Some(PowerCut::Time { ns }), ..options() };
        sim::run(&options, &mut nand, &mut Capture::default()).expect("runs")
    };
    let erasing = at(1_200_000);
    assert_eq!((erasing.outcome, erasing.time_ns), (Outcome::Powercut, 1_200_000));
    let loss = erasing.power_loss.expect("cut");
    assert_eq!((loss.operations, loss.torn), (1, Some(Torn::Block(1))));
    let early = at(100);
    assert_eq!((early.outcome, early.time_ns, early.instructions), (Outcome::Powercut, 100, 0));
    // Stuck before it gets there.
    let late = at(10_000_000_000);
    assert_eq!((late.outcome, late.power_loss), (Outcome::Fault, None));
}

/// Cuts the first program of page 0 with this seed, and reads the page twice in the next run.
fn read_torn(seed: u64) -> Report {
    let cut = Some(PowerCut::Operation { number: 2, moment: Moment::Inside });
    let mut nand = chip(&update());
    let report = sim::run(&Options { cut, seed, ..options() }, &mut nand, &mut Capture::default());
    assert_eq!(report.expect("runs").outcome, Outcome::Powercut);
    load(&mut nand, &read_twice());
    sim::run(&Options { seed, ..options() }, &mut nand, &mut Capture::default()).expect("runs")
}

#[test]
fn a_torn_page_may_read_differently_each_time() {
    let reports: Vec<_> = (1..=12).map(read_torn).collect();
    for report in &reports {
        assert_eq!(report.violations_total, 0, "{report:?}");
        let note = "torn pages were read, whose last program or erase ended too early: 1 (64)";
        assert!(report.notes.iter().any(|text| text == note), "{:?}", report.notes);
    }
    let differ = reports.iter().filter(|report| report.uart == "!").count();
    assert!(differ > 3, "{differ} of {}", reports.len());
    assert!(reports.iter().all(|report| matches!(report.uart.as_str(), "=" | "!")));
    assert_eq!(read_torn(3).uart, reports[2].uart, "the same seed, the same reading");
}

#[test]
fn a_file_has_one_reading_of_a_torn_page() {
    let cut = Some(PowerCut::Operation { number: 2, moment: Moment::Inside });
    for seed in 1..=4 {
        let mut nand = chip(&update());
        sim::run(&Options { cut, seed, ..options() }, &mut nand, &mut Capture::default()).expect("runs");
        let mut bytes = vec![0; nand.len() as usize];
        nand.read(0, &mut bytes);
        let mut nand = NandImage::from_bytes(bytes);
        load(&mut nand, &read_twice());
        let report = sim::run(&options(), &mut nand, &mut Capture::default()).expect("runs");
        assert_eq!((report.uart.as_str(), report.notes), ("=", Vec::new()));
    }
}

#[test]
fn going_on_where_the_cut_was_needs_an_erase() {
    let cut = Some(PowerCut::Operation { number: 2, moment: Moment::Inside });
    let mut nand = chip(&update());
    sim::run(&Options { cut, ..options() }, &mut nand, &mut Capture::default()).expect("runs");
    let mut again = nand.clone();
    load(&mut again, &Program::new().set_up().begin().program(PAGE as u8, NEW).hang());
    let report = sim::run(&options(), &mut again, &mut Capture::default()).expect("runs");
    assert_eq!(kinds(&report), ["nand-program"], "{report:?}");
    let report = sim::run(&options(), &mut nand, &mut Capture::default()).expect("runs");
    assert_eq!((report.uart.as_str(), report.violations_total), ("000.", 0), "{report:?}");
    assert_eq!(contents(&nand), [Some(NEW), Some(ERASED)]);
}

#[test]
fn failures_reach_the_guest() {
    let said = |options| {
        let mut nand = chip(&update());
        sim::run(&options, &mut nand, &mut Capture::default()).expect("runs").uart
    };
    assert_eq!(said(Options { fail_programs: vec![PAGE + 1], ..options() }), "001.");
    assert_eq!(said(Options { fail_erases: vec![2], ..options() }), "000.");
    assert_eq!(said(Options { endurance: Some(1), ..options() }), "000.");
    // Without an erase the programs find cells that are 0 already, which is reported.
    let mut nand = chip(&update());
    let options = Options { fail_erases: vec![1], ..options() };
    let report = sim::run(&options, &mut nand, &mut Capture::default()).expect("runs");
    assert_eq!((report.uart.as_str(), kinds(&report)), ("100.", vec!["nand-program"; 2]));
}

#[test]
fn blocks_wear_out_from_run_to_run() {
    let mut nand = chip(&update());
    let options = Options { endurance: Some(2), ..options() };
    let mut run = || sim::run(&options, &mut nand, &mut Capture::default()).expect("runs").uart;
    assert_eq!([run(), run(), run()], ["000.", "000.", "100."]);
    assert_eq!((nand.erases(1), nand.erases(0)), (2, 0));
}

#[test]
fn what_does_not_exist_cannot_fail() {
    let check = |options: Options, text: &str| {
        let mut nand = chip(&update());
        let error = sim::run(&options, &mut nand, &mut Capture::default()).expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
        assert!(!nand.is_empty(), "the image is still there");
    };
    check(Options { fail_programs: vec![65536], ..options() }, "page 65536 that fails to program");
    check(Options { fail_erases: vec![1024], ..options() }, "block that fails to erase 1024");
}
