//! The SMDK2410: an S3C2410X with small pages, from power-on to a kernel.

mod common;

use common::{CLKPWR, GPH, MEMCTL, Program, SDRAM, UART0, kinds};
use sim::{Capture, Entry, Flip, NandImage, Options, Outcome, Report};

const NAND: u32 = 0x4e00_0000;
const LOAD: u32 = SDRAM + 0x8000;
const TAGS: u32 = SDRAM + 0x100;
/// The first page of block 1, and the pages of the kernel there.
const FIRST_PAGE: u32 = 32;
const PAGES: u32 = 17;
/// Controller on, chip selected, 0/3/1: 10/39/20 ns at HCLK 101.4 MHz.
const NFCONF: u32 = 0x8031;

/// 202.8/101.4/50.7 MHz in asynchronous bus mode, UART0 at 115200 8N1.
fn set_up() -> Program {
    Program::new()
        .words(&[0xee11_1f10, 0xe381_1103, 0xee01_1f10]) // mrc r1; orr r1, #0xc0000000; mcr
        .store(CLKPWR + 0x14, 3)
        .store(CLKPWR, 0x00ff_ffff)
        .store(CLKPWR + 4, 0x000a_1031)
        .store(GPH, 0x002a_faaa)
        .store(UART0, 3)
        .store(UART0 + 4, 0x245)
        .store(UART0 + 8, 1)
        .store(UART0 + 0x28, 27)
}

/// 64 MiB with nine column bits, refreshed every 7.8 us, and the wait after it.
fn set_up_sdram(program: Program) -> Program {
    program
        .store(MEMCTL, 0x0200_0000)
        .store(MEMCTL + 0x1c, 0x0001_8005)
        .store(MEMCTL + 0x24, 0x009c_04ea)
        .store(MEMCTL + 0x28, 0xb1)
        .store(MEMCTL + 0x2c, 0x30)
        .load(0, 3000)
        .words(&[0xe250_0001, 0x1aff_fffd]) // subs r0, r0, #1; bne back to it
}

/// Reads the kernel's pages byte by byte to in front of its load address.
fn read_pages(program: Program, nfconf: u32) -> Program {
    program.store(NAND, nfconf).load(4, NAND).load(5, LOAD - 64).load(6, FIRST_PAGE).load(7, PAGES).words(&[
        0xe3a0_0000, // mov r0, #0
        0xe5c4_0004, // strb r0, [r4, #4]    NFCMD
        0xe5c4_0008, // strb r0, [r4, #8]    NFADDR
        0xe5c4_6008, // strb r6, [r4, #8]
        0xe5c4_0008, // strb r0, [r4, #8]
        0xe5c4_0008, // strb r0, [r4, #8]
        0xe3a0_1014, // mov r1, #20          longer than tWB
        0xe251_1001, // subs r1, r1, #1
        0x1aff_fffd, // bne back to it
        0xe5d4_1010, // ldrb r1, [r4, #0x10] NFSTAT
        0xe311_0001, // tst r1, #1
        0x0aff_fffc, // beq back to the ldrb
        0xe3a0_2c02, // mov r2, #512
        0xe5d4_100c, // ldrb r1, [r4, #0xc]  NFDATA
        0xe4c5_1001, // strb r1, [r5], #1
        0xe252_2001, // subs r2, r2, #1
        0x1aff_fffb, // bne back to the ldrb
        0xe286_6001, // add r6, r6, #1
        0xe257_7001, // subs r7, r7, #1
        0x1aff_ffeb, // bne back to the mov
    ])
}

/// Reads the kernel, builds the tags and jumps.
fn loader() -> Program {
    let mut program = read_pages(set_up_sdram(set_up()), NFCONF);
    for (address, word) in (TAGS..).step_by(4).zip([5, 0x5441_0001, 0, 0, 0, 0, 0]) {
        program = program.store(address, word);
    }
    program.load(0, 0).load(1, 193).load(2, TAGS).load(3, LOAD).word(0xe1a0_f003) // mov pc, r3
}

/// A uImage that fills its pages.
fn uimage() -> Vec<u8> {
    let data: Vec<u8> = (0..PAGES * 512 - 64).map(|i| ((i * i) >> 3) as u8).collect();
    common::uimage(LOAD, &data)
}

/// The program in the first eight pages, the kernel from [`FIRST_PAGE`] on.
fn image(program: &Program) -> NandImage {
    let mut image = program.image_of(512, 16);
    for (page, data) in (u64::from(FIRST_PAGE)..).zip(uimage().chunks(512)) {
        image.write(page * 528, data);
    }
    image
}

fn run(program: &Program, flips: Vec<Flip>) -> Report {
    let options = Options { flips, ..Options::new("smdk2410") };
    sim::run(&options, &mut image(program), &mut Capture::default()).expect("runs")
}

#[test]
fn the_boot_rom_copies_eight_pages() {
    let program = set_up()
        .send(b'1')
        .load(0, 0xffc)
        .word(0xe1a0_f000) // mov pc, r0
        .up_to(0xe00)
        .send(b'8')
        .hang()
        .up_to(0xffc)
        .word(common::branch(0xffc, 0xe00)); // The last word of the eighth page.
    let report = run(&program, Vec::new());
    assert_eq!((report.uart.as_str(), report.outcome), ("18", Outcome::Fault));
    assert_eq!((report.nand.page_reads, kinds(&report)), (8, vec![]));
    let boot_rom = &report.phases[0];
    assert!((812_000..818_000).contains(&boot_rom.end_ns), "{boot_rom:?}");
}

#[test]
fn a_kernel_read_by_bytes() {
    let report = run(&loader(), Vec::new());
    assert_eq!((report.outcome, kinds(&report)), (Outcome::Kernel, vec![]), "{report:?}");
    assert_eq!(report.entry, Some(Entry { pc: LOAD, r0: 0, r1: 193, r2: TAGS }));
    assert!(report.kernel_crc_ok);
    let read = report.kernel_read.expect("pages were read");
    assert_eq!(read.bytes, u64::from(PAGES) * 512);
    // Five latches of 6 + 1 HCLK, tR and 515 bytes of 6 HCLK; each access with 2 HCLK more.
    let hclk = 9.862;
    let limit = 512e3 / (5.0 * 9.0 * hclk + 15_000.0 + 515.0 * 8.0 * hclk);
    assert!((read.limit_mb_per_s - limit).abs() < 1e-9, "{read:?}, not {limit}");
    // Uncached, with a loop of four instructions a byte: far from the limit, and not above it.
    assert!((0.1..0.9).contains(&read.share), "{read:?}");
}

#[test]
fn flips_are_counted_by_the_one_step_of_a_small_page() {
    let flip = |page, byte| Flip { page: FIRST_PAGE + page, byte, bit: 3 };
    let report = run(&loader(), vec![flip(1, 0), flip(2, 100), flip(2, 400), flip(40, 0)]);
    assert_eq!((report.nand.corrected_bits, report.nand.uncorrectable), (1, 1));
    assert!(!report.kernel_crc_ok);
}

#[test]
fn the_data_register_takes_bytes_only() {
    let report = run(&set_up().store(NAND, NFCONF).read(0, NAND + 0xc).hang(), Vec::new());
    assert_eq!(kinds(&report), ["register"]);
}

#[test]
fn timings_for_a_slower_bus_clock_are_too_short() {
    // 0/2/1 is 30 ns low at HCLK 100 MHz, which tREA takes, and 29.6 at 101.4.
    let report = run(&read_pages(set_up_sdram(set_up()), 0x8021).hang(), Vec::new());
    assert!(!kinds(&report).is_empty());
    assert!(report.violations.iter().all(|it| it.detail.starts_with("tREA: 29.586 ns given")), "{report:?}");
}
