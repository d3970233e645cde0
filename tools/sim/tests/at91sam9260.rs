//! The AT91SAM9260-EK: an ARM926EJ-S with NAND in a window of the external bus, from power-on to a kernel.

mod common;

use common::{Program, kinds};
use sim::{Capture, Entry, Flip, NandImage, Options, Outcome, Report};

const SDRAM: u32 = 0x2000_0000;
const WINDOW: u32 = 0x4000_0000;
const ALE: u32 = 1 << 21;
const CLE: u32 = 1 << 22;
const ECC: u32 = 0xffff_e800;
const SDRAMC: u32 = 0xffff_ea00;
const SMC3: u32 = 0xffff_ec30;
const EBI_CSA: u32 = 0xffff_ef1c;
const DBGU: u32 = 0xffff_f200;
const PIOB: u32 = 0xffff_f600;
const PIOC: u32 = 0xffff_f800;
const PMC: u32 = 0xffff_fc00;
const RSTC: u32 = 0xffff_fd00;
const WDT: u32 = 0xffff_fd40;

const LOAD: u32 = SDRAM + 0x8000;
const TAGS: u32 = SDRAM + 0x100;
const NCE: u32 = 1 << 14;
/// The first page of block 1, and the pages of the kernel there.
const FIRST_PAGE: u32 = 64;
const PAGES: u32 = 9;
/// What at91bootstrap sets: set-up 1, pulse 3, cycle 5, TDF 2.
const SMC: [u32; 4] = [0x0001_0001, 0x0303_0303, 0x0005_0005, 0x0002_0003];

/// Seven vectors: the first jumps over them, the others to themselves.
fn vectors() -> Program {
    Program::default().word(0xea00_0006).words(&[0xeaff_fffe; 7]).store(WDT + 4, 0x8000)
}

/// Puts its size where the boot ROM looks for it.
fn sized(program: Program) -> Program {
    let size = program.len() * 4;
    program.patch(0x14, size)
}

/// Waits until a bit of a register is set.
fn wait(program: Program, address: u32, bit: u32) -> Program {
    program
        .load(11, address)
        .word(0xe59b_c000) // ldr r12, [r11]
        .word(0xe31c_0000 | bit) // tst r12, #bit
        .word(0x0aff_fffc) // beq back to the ldr
}

fn send(program: Program, byte: u8) -> Program {
    wait(program, DBGU + 0x14, 2).load(12, byte.into()).load(11, DBGU).word(0xe58b_c01c)
}

/// Sends the low byte of a register that is not the builder's.
fn send_register(program: Program, rd: u32) -> Program {
    wait(program, DBGU + 0x14, 2).load(11, DBGU).word(0xe58b_001c | rd << 12)
}

/// PLLA 198.656 MHz, MCK half of it; DBGU at 115200 8N1.
fn set_up() -> Program {
    let program = wait(vectors().store(PMC + 0x28, 0x2060_bf09), PMC + 0x68, 2);
    let program = wait(program.store(PMC + 0x30, 0x101), PMC + 0x68, 8);
    wait(program.store(PMC + 0x30, 0x102), PMC + 0x68, 8)
        .store(PMC + 0x10, 1 << 4)
        .store(PIOB + 0x70, 3 << 14)
        .store(PIOB + 0x04, 3 << 14)
        .store(DBGU + 0x04, 0x800)
        .store(DBGU + 0x20, 54)
        .store(DBGU, 0x50)
}

/// `r0` turns of a loop of two instructions: 60 ns each without caches.
fn delay(program: Program, turns: u32) -> Program {
    program.load(0, turns).words(&[0xe250_0001, 0x1aff_fffd]) // subs r0, r0, #1; bne back to it
}

/// The SDRAM of the board, by the sequence of at91bootstrap.
fn set_up_sdram(program: Program) -> Program {
    let program = program
        .store(PIOC + 0x70, 0xffff_0000)
        .store(PIOC + 0x04, 0xffff_0000)
        .store(EBI_CSA, 0x0001_000a)
        .store(SDRAMC + 8, 0x8522_7259);
    let mut program = delay(program, 5000);
    for (command, at) in [1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 0].into_iter().zip((SDRAM..).step_by(4)) {
        program = program.store(SDRAMC, command).store(at, 0);
    }
    program.store(SDRAMC + 4, 695)
}

/// The window, with these timings, and the chip selected.
fn set_up_nand(program: Program, smc: [u32; 4]) -> Program {
    let program = program.store(EBI_CSA, 0x0001_000a);
    let registers = (SMC3..).step_by(4).zip(smc);
    let program = registers.fold(program, |program, (at, value)| program.store(at, value));
    program.store(PIOC + 0x34, NCE).store(PIOC + 0x10, NCE).store(ECC + 4, 2)
}

/// Starts loading page r6 and waits for it. r4, r8 and r9 are the window's addresses; r0, r1 and r3 change.
fn load_page(program: Program) -> Program {
    program
        .words(&[
            0xe3a0_0000, // mov r0, #0
            0xe3a0_1030, // mov r1, #0x30
            0xe5c8_0000, // strb r0, [r8]
            0xe5c9_0000, // strb r0, [r9]
            0xe5c9_0000, // strb r0, [r9]
            0xe5c9_6000, // strb r6, [r9]
            0xe5c9_0000, // strb r0, [r9]
            0xe5c9_0000, // strb r0, [r9]
            0xe5c8_1000, // strb r1, [r8]
            0xe3a0_1014, // mov r1, #20          longer than tWB
            0xe251_1001, // subs r1, r1, #1
            0x1aff_fffd, // bne back to it
        ])
        .load(3, PIOC)
        .words(&[
            0xe593_103c, // ldr r1, [r3, #0x3c]  PDSR
            0xe311_0a02, // tst r1, #0x2000
            0x0aff_fffc, // beq back to the ldr
        ])
}

fn addresses(program: Program) -> Program {
    program.load(4, WINDOW).load(8, WINDOW | CLE).load(9, WINDOW | ALE)
}

/// Reads the kernel's pages, eight words a load, to in front of its load address.
fn read_pages(program: Program) -> Program {
    let program = addresses(program).load(5, LOAD - 64).load(6, FIRST_PAGE).load(7, PAGES);
    let start = program.len();
    let program = load_page(program).words(&[
        0xe3a0_2040, // mov r2, #64
        0xe894_7c0b, // ldmia r4, {r0, r1, r3, r10-r14}
        0xe8a5_7c0b, // stmia r5!, {r0, r1, r3, r10-r14}
        0xe252_2001, // subs r2, r2, #1
        0x1aff_fffb, // bne back to the ldmia
        0xe286_6001, // add r6, r6, #1
        0xe257_7001, // subs r7, r7, #1
    ]);
    let back = common::branch(program.len() * 4, start * 4);
    program.word(back & 0x0fff_ffff | 0x1000_0000) // bne back to the start of the page
}

fn jump(program: Program, machine: u32, described: u32) -> Program {
    program.load(0, 0).load(1, machine).load(2, described).load(3, LOAD).word(0xe1a0_f003) // mov pc, r3
}

/// Reads the kernel, builds the tags and jumps.
fn loader(smc: [u32; 4]) -> Program {
    let mut program = read_pages(set_up_nand(set_up_sdram(set_up()), smc));
    for (address, word) in (TAGS..).step_by(4).zip([5, 0x5441_0001, 0, 0, 0, 0, 0]) {
        program = program.store(address, word);
    }
    jump(program, 1099, TAGS)
}

/// A uImage that fills its pages.
fn uimage() -> Vec<u8> {
    let data: Vec<u8> = (0..PAGES * 2048 - 64).map(|i| ((i * i) >> 3) as u8).collect();
    common::uimage(LOAD, &data)
}

/// The program in pages 0 and 1, the kernel from [`FIRST_PAGE`] on.
fn image(program: &Program) -> NandImage {
    let mut image = program.image();
    for (page, data) in (u64::from(FIRST_PAGE)..).zip(uimage().chunks(2048)) {
        image.write(page * 2112, data);
    }
    image
}

fn run_with(program: &Program, options: Options) -> Report {
    sim::run(&options, &mut image(program), &mut Capture::default()).expect("runs")
}

fn options() -> Options {
    Options::new("at91sam9260ek")
}

fn run(program: Program) -> Report {
    run_with(&sized(program), options())
}

#[test]
fn the_boot_rom_takes_what_the_image_says_it_has() {
    let report = run(send(set_up(), b'1').up_to(0xe00).hang());
    assert_eq!((report.uart.as_str(), report.outcome), ("1", Outcome::Fault));
    assert_eq!((report.nand.page_reads, kinds(&report)), (2, vec![]), "{report:?}");
    // Two pages of 2048 bytes at five periods of 54 ns.
    assert!((1_150_000..1_250_000).contains(&report.phases[0].end_ns), "{:?}", report.phases);
    let report = run(send(set_up(), b'1').hang());
    assert_eq!((report.nand.page_reads, report.uart.as_str()), (1, "1"));
}

#[test]
fn what_is_behind_the_image_is_not_there() {
    let program = set_up().up_to(0x500).hang();
    let whole = sized(program.clone());
    let short = whole.clone().patch(0x14, 0x500);
    assert_eq!(kinds(&run_with(&whole, options())), [""; 0]);
    assert_eq!(kinds(&run_with(&short, options())), ["exception"]);
}

#[test]
fn the_boot_rom_refuses_what_is_no_image() {
    let check = |program: Program, text: &str| {
        let report = run_with(&program, options());
        assert_eq!((report.outcome, kinds(&report)), (Outcome::Fault, vec!["boot-rom"]));
        assert!(report.violations[0].detail.contains(text), "{report:?}");
    };
    let good = sized(vectors().hang());
    check(good.clone().patch(0x14, 0), "0 bytes");
    check(good.clone().patch(0x14, 4100), "4100 bytes");
    check(good.clone().patch(0x18, 0xe1a0_0000), "vector 6");
    // A flipped bit counts: there is no ECC.
    let flips = vec![Flip { page: 0, byte: 3, bit: 2 }];
    let report = run_with(&good, Options { flips, ..options() });
    assert_eq!(kinds(&report), ["boot-rom"]);
}

#[test]
fn the_sram_shows_at_0_and_repeats() {
    // A word written near the end of SRAM0 at 0, read through its window and at the end of that.
    let read = |at: u32| {
        let program = set_up().store(0xff0, 0x41).store(0x0030_0ff0, 0x42).read(0, at);
        run(send_register(program, 0).hang())
    };
    for (at, byte) in [(0x0020_0ff0, "A"), (0x002a_5ff0, "A"), (0x002f_fff0, "A"), (0x0030_0ff0, "B")] {
        let report = read(at);
        assert_eq!((report.uart.as_str(), kinds(&report)), (byte, vec![]), "{at:#x}");
    }
    assert!(kinds(&read(0x0030_1000)).contains(&"unmapped"));
    assert!(kinds(&read(0x1000)).contains(&"unmapped"));
}

#[test]
fn a_kernel_read_by_loads_of_eight_words() {
    let report = run(loader(SMC));
    assert_eq!((report.outcome, kinds(&report)), (Outcome::Kernel, vec![]), "{report:?}");
    assert_eq!(report.entry, Some(Entry { pc: LOAD, r0: 0, r1: 1099, r2: TAGS }));
    assert!(report.kernel_crc_ok);
    let read = report.kernel_read.expect("pages were read");
    assert_eq!(read.bytes, u64::from(PAGES) * 2048);
    // Seven latches of 5 + 2 MCK, tR, 2052 bytes of 5 MCK; 65 accesses with 2 MCK more, of which 448 words
    // are not the first and have 1.
    let mck = 10.068;
    let page = 7.0 * 7.0 * mck + 25_000.0 + (2052.0 * 5.0 + 65.0 * 2.0 + 448.0) * mck;
    assert!((read.limit_mb_per_s - 2048e3 / page).abs() < 1e-9, "{read:?}");
    // Without caches the stores and the loop cost more than the bus.
    assert!((0.3..0.95).contains(&read.share), "{read:?}");
    let clocks = report.phases.iter().find(|phase| phase.name == "clocks").expect("the PLL is used");
    assert!(clocks.end_ns - clocks.start_ns > 1_922_000, "{clocks:?}");
}

#[test]
fn a_kernel_with_a_device_tree() {
    let tree = SDRAM + 0x0100_0000;
    let program = read_pages(set_up_nand(set_up_sdram(set_up()), SMC));
    let program = program.store(tree, 0xedfe_0dd0).store(tree + 4, 0x0010_0000);
    let report = run(jump(program, u32::MAX, tree));
    assert_eq!((report.outcome, kinds(&report)), (Outcome::Kernel, vec![]), "{report:?}");
    assert_eq!(report.entry.map(|entry| entry.r2), Some(tree));
}

#[test]
fn flips_are_counted_by_the_one_step_of_a_page() {
    let flip = |page, byte| Flip { page: FIRST_PAGE + page, byte, bit: 3 };
    let flips = vec![flip(1, 0), flip(2, 100), flip(2, 1400), flip(40, 0)];
    let report = run_with(&sized(loader(SMC)), Options { flips, ..options() });
    assert_eq!((report.nand.corrected_bits, report.nand.uncorrectable), (1, 1));
    assert!(!report.kernel_crc_ok);
}

#[test]
fn every_part_has_its_timings() {
    let kinds_of = |part: &str, smc| {
        let options = Options { part: Some(part.to_owned()), ..options() };
        let report = run_with(&sized(loader(smc)), options);
        let parameter = |it: &sim::Violation| it.detail.split(':').next().unwrap_or_default().to_owned();
        let mut found: Vec<_> = report.violations.iter().map(parameter).collect();
        found.sort();
        found.dedup();
        found
    };
    assert_eq!(kinds_of("MT29F2G08AAC", SMC), [""; 0]);
    // tRHZ of the Samsung parts is 100 ns: hold 1, TDF 8 and the cycle of turn-around.
    assert_eq!(kinds_of("K9F2G08U0M", SMC), ["tRHZ"]);
    let slow_float = [SMC[0], SMC[1], SMC[2], 0x0008_0003];
    assert_eq!(kinds_of("K9F2G08U0M", slow_float), [""; 0]);
    // 0/2/3, the later generation's.
    let fast = [0, 0x0302_0302, 0x0003_0003, 0x0008_0003];
    assert_eq!(kinds_of("K9F2G08U0B", fast), [""; 0]);
    assert_eq!(
        kinds_of("K9F2G08U0M", fast),
        ["tALS", "tCLS", "tRC", "tREA", "tREH", "tRP", "tWC", "tWH", "tWP"]
    );
}

#[test]
fn the_window_must_be_set_up() {
    let command = |program: Program| run(program.store(WINDOW | CLE, 0x70).hang());
    let ready = || set_up_nand(set_up(), SMC);
    assert!(kinds(&command(set_up())).contains(&"ebi"));
    assert!(kinds(&command(ready().store(SMC3 + 8, 0x0004_0004))).contains(&"smc-settings"));
    assert!(kinds(&command(ready().store(PIOC + 0x30, NCE))).contains(&"nand-protocol"));
    assert!(
        kinds(&run(ready().store(PMC + 0x14, 1 << 4).read(0, PIOC + 0x3c).hang())).contains(&"clock-gate")
    );
    assert!(kinds(&run(ready().read(0, ECC + 8).read(0, WINDOW | ALE).hang())).contains(&"nand-protocol"));
}

/// Reads the data and the code of a page and sends SR and the low byte of PR.
fn ecc_of(flips: Vec<Flip>, page: u32) -> (Vec<u8>, Report) {
    let program = addresses(set_up_nand(set_up(), SMC)).load(6, page);
    let program = load_page(program)
        .words(&[
            0xe3a0_2040, // mov r2, #64
            0xe894_7c0b, // ldmia r4, {r0, r1, r3, r10-r14}
            0xe252_2001, // subs r2, r2, #1
            0x1aff_fffc, // bne back to the ldmia
            0xe3a0_0005, // mov r0, #5
            0xe3a0_103c, // mov r1, #0x3c
            0xe3a0_3008, // mov r3, #8
            0xe5c8_0000, // strb r0, [r8]
            0xe5c9_1000, // strb r1, [r9]
            0xe5c9_3000, // strb r3, [r9]
            0xe3a0_00e0, // mov r0, #0xe0
            0xe5c8_0000, // strb r0, [r8]
            0xe1a0_0000, // nop: longer than tWHR
            0xe1a0_0000,
            0xe1a0_0000,
            0xe594_0000, // ldr r0, [r4]
        ])
        .read(5, ECC + 8)
        .read(7, ECC + 12);
    let program = sized(send_register(send_register(program, 5), 7).hang());
    let mut image = image(&program);
    // The even parities of a page of zeros but for bit 0 of byte 1: position 10h.
    image.write(65 * 2112, &[0, 1]);
    image.write(65 * 2112 + 2, &[0; 2046]);
    image.write(65 * 2112 + 2108, &[0x10, 0x00, 0xe7, 0x7f]);
    let mut seen = Capture::default();
    let report = sim::run(&Options { flips, ..options() }, &mut image, &mut seen).expect("runs");
    (seen.seen, report)
}

#[test]
fn the_ecc_unit_watches_the_bus() {
    let check = |flips: &[(u32, u8)], page, expected: [u8; 2]| {
        let flips = flips.iter().map(|&(byte, bit)| Flip { page, byte, bit }).collect();
        let (seen, report) = ecc_of(flips, page);
        assert_eq!((seen.as_slice(), kinds(&report)), (expected.as_slice(), vec![]));
    };
    check(&[], 65, [0, 0]);
    check(&[(5, 3)], 65, [1, 0x53]);
    check(&[(5, 3), (900, 0)], 65, [5, 0x13]);
    check(&[(2109, 0)], 65, [3, 0]);
    // Erased: the stored code says what no page has.
    check(&[], 70, [5, 0xff]);
}

#[test]
fn instructions_of_armv5_run_here_and_nowhere_else() {
    let clz = [0xe3a0_1801, 0xe16f_0f11, 0xe280_0032]; // mov r1, #0x10000; clz r0, r1; add r0, r0, #50
    let report = run(send_register(set_up().words(&clz), 0).hang());
    assert_eq!((report.uart.as_str(), kinds(&report)), ("A", vec![]));
    let old = Program::new().set_up().words(&clz).hang().run();
    assert!(kinds(&old).contains(&"exception"), "{old:?}");
    // strd r0, [r2] at a multiple of four.
    let report = run(set_up().load(2, 0xf04).word(0xe1c2_00f0).hang());
    assert_eq!(kinds(&report), ["unaligned"]);
}

/// MMU with a flat map, SDRAM write-back cached; MMU and D-cache on.
fn cached() -> Program {
    let table = SDRAM + 0x4000;
    set_up_sdram(set_up())
        .store(table, 0xc12)
        .store(table + 0x200 * 4, SDRAM | 0xc1e)
        .store(table + 0xfff * 4, 0xfff0_0c12)
        .load(0, table)
        .word(0xee02_0f10) // mcr c2: table
        .load(0, 1)
        .word(0xee03_0f10) // mcr c3: domains
        .words(&[0xee11_0f10, 0xe380_0005, 0xee01_0f10]) // c1 |= M, C
        .load(1, SDRAM)
        // str, ldr, str: the line is in and dirty. A second one.
        .words(&[0xe581_0000, 0xe591_0000, 0xe581_0000, 0xe581_0040, 0xe591_0040, 0xe581_0040])
}

#[test]
fn test_and_clean_cleans_the_whole_cache() {
    let off = [0xee11_0f10, 0xe3c0_0005, 0xee01_0f10, 0xe591_0000]; // c1 &= !(M | C); ldr
    let report = run(cached().words(&off).hang());
    assert!(kinds(&report).contains(&"dcache-dirty"), "{report:?}");
    // mrc p15, 0, r15, c7, c10, 3; bne back to it
    let report = run(cached().words(&[0xee17_ff7a, 0x1aff_fffd]).words(&off).hang());
    assert_eq!(kinds(&report), [""; 0]);
    // With invalidate, c14.
    let report = run(cached().words(&[0xee17_ff7e, 0x1aff_fffd]).words(&off).hang());
    assert_eq!(kinds(&report), [""; 0]);
}

#[test]
fn the_sdram_sequence_is_enforced() {
    let report = run(set_up().store(SDRAM, 1).hang());
    assert!(kinds(&report).contains(&"sdram-settings") && kinds(&report).contains(&"sdram-not-ready"));
    let report = run(set_up_sdram(set_up()).store(SDRAMC + 4, 900).store(SDRAM, 1).hang());
    assert_eq!(kinds(&report), ["sdram-refresh"]);
}

#[test]
fn a_reset_boots_again() {
    // The byte counts the boots in a register that a reset leaves alone: the status of the controller.
    let program = set_up().read(0, RSTC + 4).word(0xe1a0_0420); // mov r0, r0, lsr #8
    let program = program.words(&[0xe200_0007, 0xe280_0041]); // and r0, r0, #7; add r0, r0, #'A'
    let program = wait(send_register(program, 0), DBGU + 0x14, 2);
    let program = delay(program, 20_000).store(RSTC, 0xa500_0005).hang();
    let report = run(program);
    assert_eq!((report.uart.as_str(), report.resets), ("ADDD", 3), "{report:?}");
    assert_eq!(report.nand.page_reads, 4);
}

#[test]
fn thumb_code_is_called_and_returns() {
    // The function at 800h: adds r0, #1; bx lr.
    let function = 0x1c40 | 0x4770 << 16;
    let program = set_up().load(0, 0x40).load(3, 0x801).word(0xe12f_ff33); // blx r3
    let at = program.len() * 4;
    let near = 0xfa00_0000 | (0x800 - (at + 8)) >> 2; // blx 800h
    let program = send_register(program.word(near), 0).hang().up_to(0x800).word(function);
    let report = run(program);
    assert_eq!((report.uart.as_str(), kinds(&report)), ("B", vec![]));
}

#[test]
fn the_core_sleeps_until_an_interrupt() {
    // The timer's, every 100 counts, and the system's source; the core masks it and goes on.
    let timer = |program: Program| program.store(0xffff_f120, 2).store(0xffff_fd30, 0x0300_0063);
    for sleep in [timer(set_up()).word(0xee07_0f90), timer(set_up()).store(PMC + 4, 1)] {
        let program = sleep.read(0, 0xffff_fd34).words(&[0xe280_0040]); // PIT_SR; add r0, r0, #0x40
        let report = run(send_register(program, 0).hang());
        assert_eq!((report.uart.as_str(), kinds(&report)), ("A", vec![]));
    }
}

/// The reader with I- and D-cache on and eight loads a turn. What it stores misses the D-cache and goes
/// through the write buffer to SDRAM, which waits for the data lines each time.
#[test]
fn with_caches_the_reader_comes_near_the_limit() {
    let table = SDRAM + 0x4000;
    let program = set_up_nand(set_up_sdram(set_up()), SMC)
        .store(table, 0xc12)
        .store(table + 0x200 * 4, SDRAM | 0xc1e)
        .store(table + 0x400 * 4, WINDOW | 0xc12)
        .store(table + 0x402 * 4, WINDOW | ALE | 0xc12)
        .store(table + 0x404 * 4, WINDOW | CLE | 0xc12)
        .store(table + 0xfff * 4, 0xfff0_0c12)
        .load(0, table)
        .word(0xee02_0f10) // mcr c2: table
        .load(0, 1)
        .word(0xee03_0f10) // mcr c3: domains
        .words(&[0xee11_0f10, 0xe380_0005, 0xe380_0a01, 0xee01_0f10]); // c1 |= M, C, I
    let program = addresses(program).load(5, LOAD - 64).load(6, FIRST_PAGE).load(7, PAGES);
    let start = program.len();
    let program = load_page(program).word(0xe3a0_2008); // mov r2, #8
    let program = program.words(&[[0xe894_7c0b, 0xe8a5_7c0b]; 8].concat()); // ldmia, stmia
    let program = program.words(&[0xe252_2001, 0x1aff_ffed, 0xe286_6001, 0xe257_7001]);
    let back = common::branch(program.len() * 4, start * 4);
    let mut program = program.word(back & 0x0fff_ffff | 0x1000_0000);
    for (address, word) in (TAGS..).step_by(4).zip([5, 0x5441_0001, 0, 0, 0, 0, 0]) {
        program = program.store(address, word);
    }
    let report = run(jump(program, 1099, TAGS));
    // The caches are left on: it is the rate that counts here.
    let read = report.kernel_read.expect("pages were read");
    assert!((0.85..1.0).contains(&read.share), "{read:?}, {:?}", report.pages);
}
