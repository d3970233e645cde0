//! From power-on to the first bytes on the console.

mod common;

use common::{CLKPWR, GPH, Program, UART0, branch, kinds};
use sim::{Options, Outcome};

#[test]
fn the_boot_rom_copies_two_pages() {
    let program = Program::new()
        .set_up()
        .send(b'1')
        .load(0, 0xffc)
        .word(0xe1a0_f000) // mov pc, r0
        .up_to(0x800)
        .send(b'2')
        .hang()
        .up_to(0xffc)
        .word(branch(0xffc, 0x800)); // The last word of the second page.
    let report = program.run();
    assert_eq!((report.uart.as_str(), report.outcome), ("12", Outcome::Fault));
    assert_eq!(kinds(&report), [""; 0]);
    assert_eq!(report.nand.page_reads, 2);
    // 4096 data cycles of 166.7 ns, and twice 25 us.
    let boot_rom = &report.phases[0];
    assert_eq!((boot_rom.name, boot_rom.start_ns), ("boot-rom", 0));
    assert!((730_000..750_000).contains(&boot_rom.end_ns), "{boot_rom:?}");
}

#[test]
fn the_core_is_an_arm920t_after_reset() {
    let program = Program::new()
        .word(0xe10f_4000) // mrs r4, cpsr
        .words(&[0xee10_5f10, 0xee10_6f30, 0xee11_7f10]) // mrc id, cache type, control
        .set_up()
        .send_register(4)
        .word(0xe1a0_5c25) // mov r5, r5, lsr #24
        .send_register(5)
        .word(0xe1a0_6c26)
        .send_register(6)
        .send_register(7)
        .hang();
    let report = program.run();
    // SVC mode with IRQ and FIQ masked, "A" for ARM, the cache type's first byte, MMU and caches off.
    assert_eq!(report.uart.as_bytes(), b"\xef\xbf\xbdA\x0dx", "{report:?}");
    assert_eq!(kinds(&report), [""; 0]);
}

#[test]
fn the_clock_makes_the_program_faster() {
    let count = |setup: Program| {
        let report = setup.load(0, 20_000).words(&[0xe250_0001, 0x1aff_fffd]).hang().run();
        assert_eq!(kinds(&report), [""; 0]);
        report.time_ns
    };
    let slow = count(Program::new());
    let fast = count(Program::new().set_up());
    // 20,000 turns of 4 cycles at 12 MHz take 6.7 ms; at 400 MHz from uncached SRAM under 1 ms.
    assert!(slow > fast + 5_000_000, "{slow} against {fast}");
}

#[test]
fn fast_bus_mode_is_noted_and_slow() {
    let async_bits = [0xee11_1f10, 0xe381_1103, 0xee01_1f10];
    let count = |prologue: &[u32]| {
        Program::new()
            .words(prologue)
            .words(&[0xee11_1f10, 0xe381_1a01, 0xee01_1f10]) // I-cache on
            .store(CLKPWR + 0x14, 5)
            .store(CLKPWR, 0x0fff_0fff)
            .store(CLKPWR + 4, 0x0005_c011)
            .load(0, 200_000)
            .words(&[0xe250_0001, 0x1aff_fffd])
            .hang()
            .run()
    };
    let (fast_bus, asynchronous) = (count(&[]), count(&async_bits));
    // 800,000 cycles: 8 ms at HCLK, 2 ms at FCLK.
    let difference = fast_bus.time_ns - asynchronous.time_ns;
    assert!((5_900_000..6_100_000).contains(&difference), "{difference}");
    assert!(fast_bus.notes.iter().any(|note| note.contains("fast bus")));
    assert!(asynchronous.notes.is_empty());
}

#[test]
fn too_fast_clocks_are_violations() {
    let report = Program::new().store(CLKPWR + 4, 0x0005_c011).hang().run();
    assert_eq!(kinds(&report), ["clock-limit", "clock-limit"]);
}

#[test]
fn input_is_typed_and_output_seen() {
    let echo = Program::new().set_up().load(11, UART0).words(&[
        0xe59b_0010, // ldr r0, [r11, #0x10]   UTRSTAT
        0xe310_0001, // tst r0, #1
        0x0aff_fffc, // beq back to the ldr
        0xe5db_0024, // ldrb r0, [r11, #0x24]  URXH
        0xe5cb_0020, // strb r0, [r11, #0x20]  UTXH
        0xeaff_fff9, // b back to the ldr
    ]);
    let options = Options::new("mini2440");
    let report = echo.run_typing(&options, "hello");
    assert_eq!((report.uart.as_str(), report.outcome), ("hello", Outcome::Console));
    // 1.5 s of asking an empty receiver are skipped, not run: they would take 30 million instructions.
    assert!(report.time_ns > 1_500_000_000 && report.instructions < 3_000_000, "{report:?}");
    let until = regex::bytes::Regex::new("ell").expect("a pattern");
    let report = echo.run_typing(&Options { until: Some(until), ..options.clone() }, "hello");
    assert_eq!((report.uart.as_str(), report.outcome), ("hell", Outcome::Console));
    let report = echo.run_with(&Options { max_time_ns: 50_000_000, ..options });
    assert_eq!((report.outcome, report.time_ns / 1_000_000), (Outcome::Timeout, 50));
}

#[test]
fn a_wrong_baud_rate_and_missing_pins_are_violations() {
    let report = Program::new().set_up().store(UART0 + 0x28, 35).send(b'x').hang().run();
    assert_eq!(kinds(&report), ["uart-baud"]);
    let report = Program::new().set_up().store(GPH, 0).send(b'x').hang().run();
    assert_eq!(kinds(&report), ["uart-pins"]);
}

#[test]
fn the_watchdog_resets_a_hanging_board() {
    let report = Program::default().hang().run();
    assert_eq!((report.outcome, report.resets), (Outcome::Fault, 3));
    // Four times 5.6 s.
    assert_eq!(report.time_ns / 1_000_000_000, 22);
}

#[test]
fn runs_are_deterministic() {
    let program = Program::new().set_up().set_up_sdram().send(b'x').hang();
    assert_eq!(program.run().to_json(), program.run().to_json());
}

#[test]
fn unknown_names_are_errors() {
    let check = |options: Options, text: &str| {
        let error = sim::run(&options, &mut Program::new().image(), &mut sim::Capture::default());
        assert_eq!(error.expect_err("must fail").to_string(), text);
    };
    check(Options::new("beagle"), "no board `beagle`; known: gta02, mini2440, smdk2410, at91sam9260ek");
    check(
        Options { part: Some("X".to_owned()), ..Options::new("gta02") },
        "board gta02 has no NAND part `X`; known: K5D2G13ACM",
    );
    check(
        Options { bad_blocks: vec![5000], ..Options::new("gta02") },
        "bad block 5000: K5D2G13ACM has blocks 0 to 2047",
    );
}
