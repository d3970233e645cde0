//! What a strict board does not let pass, and how it reaches the guest.

mod common;

use common::{INTC, MEMCTL, Program, SDRAM, TIMERS, branch, kinds};
use sim::{Options, Outcome, Report};

/// A program with a handler at `vector` that sends "!" and hangs.
fn with_handler(vector: u32, program: impl Fn(Program) -> Program) -> Report {
    // The vectors branch over themselves to 0x800 (handler) and 0x40 (program).
    let mut vectors = [0xe1a0_0000; 8];
    vectors[0] = branch(0, 0x40);
    vectors[vector as usize / 4] = branch(vector, 0x800);
    let main =
        program(Program::default().words(&vectors).up_to(0x40).store(common::WTCON, 0).set_up()).hang();
    main.up_to(0x800).send(b'!').hang().run()
}

#[test]
fn instructions_of_later_architectures_are_undefined() {
    let check = |opcode, name: &str| {
        let report = with_handler(4, |program| program.word(opcode));
        assert_eq!((report.uart.as_str(), kinds(&report)), ("!", vec!["exception"]), "{name}");
        assert!(report.violations[0].detail.contains("undefined"), "{report:?}");
    };
    check(0xe16f_0f11, "clz r0, r1");
    check(0xe12f_ff30, "blx r0");
    check(0xe1c0_00d0, "ldrd r0, [r0]");
    check(0xe160_0281, "smulbb");
    check(0xe120_0070, "bkpt");
    check(0xfa00_0000, "blx label");
    check(0xf5d0_f000, "pld [r0]");
    check(0xe7f0_00f0, "udf");
}

#[test]
fn registers_of_an_exception_are_banked() {
    // The handler returns with movs pc, lr: the program goes on behind the instruction.
    let report = Program::default()
        .word(branch(0, 0x40))
        .word(0xe1b0_f00e) // movs pc, lr
        .word(0xe1b0_f00e)
        .up_to(0x40)
        .store(common::WTCON, 0)
        .set_up()
        .load(14, 0x41)
        .word(0xe16f_0f11)
        .word(0xef00_0000) // svc: the link register of supervisor mode is lost to it
        .send(b'-')
        .send_register(0)
        .word(0xe10f_0000) // mrs r0, cpsr
        .word(0xe200_001f) // and r0, r0, #0x1f
        .word(0xe280_0040) // add r0, r0, #0x40
        .send_register(0)
        .hang()
        .run();
    assert_eq!(report.uart.chars().last(), Some('S'), "{report:?}");
    assert_eq!(kinds(&report), ["exception"]);
}

#[test]
fn nothing_there_aborts() {
    let report = with_handler(0x10, |program| program.read(0, 0x6000_0000));
    assert_eq!((report.uart.as_str(), kinds(&report)), ("!", vec!["unmapped", "exception"]));
    let report = with_handler(0x0c, |program| program.load(0, 0x6000_0000).word(0xe1a0_f000));
    assert_eq!((report.uart.as_str(), kinds(&report)), ("!", vec!["exception"]));
}

#[test]
fn aborts_of_the_mmu_say_where_and_why() {
    const TABLE: u32 = SDRAM + 0x4000;
    // The handler sends the fault status and the top byte of the fault address, plus "0".
    let handler = |program: Program| {
        program
            .words(&[0xee15_4f10, 0xee16_5f10]) // mrc r4, c5; mrc r5, c6
            .words(&[0xe284_4030, 0xe1a0_5c25, 0xe285_5030]) // add r4, #0x30; lsr r5, #24; add r5, #0x30
            .send_register(4)
            .send_register(5)
            .hang()
    };
    let check = |access: u32, address, expected: &str, cause: &str| {
        let mut vectors = [0xe1a0_0000; 8];
        vectors[0] = branch(0, 0x40);
        vectors[4] = branch(0x10, 0x800);
        let main = Program::default()
            .words(&vectors)
            .up_to(0x40)
            .store(common::WTCON, 0)
            .set_up()
            .set_up_sdram()
            .store(TABLE, 0xc12)
            .store(TABLE + 0x300 * 4, SDRAM | 0x012) // nobody may
            .store(TABLE + 4, 0)
            .store(TABLE + 0x500 * 4, 0x5000_0c12)
            .load(0, TABLE)
            .word(0xee02_0f10) // mcr c2
            .load(0, 1)
            .word(0xee03_0f10) // mcr c3
            .load(1, address)
            .words(&[0xee11_0f10, 0xe380_0001, 0xee01_0f10]) // c1 |= M
            .word(access)
            .hang();
        let report = handler(main.up_to(0x800)).run();
        assert_eq!((report.uart.as_str(), kinds(&report)), (expected, vec!["exception"]), "{report:?}");
        assert!(report.violations[0].detail.contains(cause), "{report:?}");
    };
    check(0xe591_0000, 0x0012_3450, "50", "translation fault (section)"); // ldr r0, [r1]
    check(0xe581_0000, SDRAM, "=`", "permission fault (section)"); // str r0, [r1]
}

#[test]
fn faults_without_a_handler_end_the_run() {
    // Vector 4 holds an undefined instruction itself.
    let report = Program::default().word(0xea00_000e).word(0xe7f0_00f0).up_to(0x40).word(0xe7f0_00f0).run();
    assert_eq!(report.outcome, Outcome::Fault);
}

#[test]
fn unaligned_accesses_are_reported() {
    let check = |opcode, count| {
        let report = Program::new().load(1, 0x802).word(opcode).hang().run();
        assert_eq!(kinds(&report), vec!["unaligned"; count], "{opcode:08x}");
    };
    check(0xe591_0000, 1); // ldr r0, [r1]
    check(0xe581_0000, 1); // str r0, [r1]
    check(0xe891_0005, 1); // ldmia r1, {r0, r2}
    check(0xe1d1_00b1, 1); // ldrh r0, [r1, #1]
    check(0xe1d1_00b0, 0); // ldrh r0, [r1]
    check(0xe5d1_0001, 0); // ldrb r0, [r1, #1]
    check(0x0591_0000, 0); // ldreq r0, [r1]: the flags are clear
}

#[test]
fn sdram_must_be_set_up_first() {
    let report = Program::new().store(SDRAM, 1).hang().run();
    assert_eq!(kinds(&report), ["sdram-not-ready"]);
    let report = Program::new().set_up().set_up_sdram().store(SDRAM, 1).read(0, SDRAM).hang().run();
    assert_eq!(kinds(&report), [""; 0]);
}

#[test]
fn sdram_that_was_never_written_is_not_read() {
    let report = Program::new().set_up().set_up_sdram().read(0, SDRAM + 0x100).hang().run();
    assert_eq!(kinds(&report), ["sdram-uninitialised"]);
}

#[test]
fn sdram_settings_are_compared_with_the_board() {
    let check = |offset, value, text: &str| {
        let program = Program::new().set_up().set_up_sdram().store(MEMCTL + offset, value);
        let report = program.store(SDRAM, 1).hang().run();
        let found = report.violations.iter().any(|violation| violation.detail.contains(text));
        assert!(found, "{text}: {:?}", report.violations);
    };
    check(0x1c, 0x0001_8002, "column bits");
    check(0x28, 0xb2, "BK76MAP");
    check(0x24, 0x0084_03e5, "refreshed");
    check(0x00, 0x0100_0000, "width");
    let report =
        Program::new().set_up().set_up_sdram().store(SDRAM, 1).hang().run_with(&Options::new("gta02"));
    let misfits: Vec<_> =
        report.violations.iter().filter(|violation| violation.kind == "sdram-not-ready").collect();
    assert_eq!(misfits.len(), 1, "bank 7 has not been set up: {:?}", report.violations);
}

#[test]
fn the_gta02_must_keep_its_power() {
    let report = Program::new().set_up().load(0, 2_000_000).words(&[0xe250_0001, 0x1aff_fffd]).hang();
    let kinds_of = |program: &Program| kinds(&program.run_with(&Options::new("gta02")));
    assert_eq!(kinds_of(&report), ["keep-power"]);
}

#[test]
fn interrupts_are_delivered() {
    // Timer 4, 1 ms at PCLK 50 MHz; the main program waits with IRQ unmasked.
    let report = with_handler(0x18, |program| {
        program
            .store(TIMERS, 24 << 8)
            .store(TIMERS + 0x3c, 999)
            .store(TIMERS + 8, 0x20_0000)
            .store(TIMERS + 8, 0x50_0000)
            .store(INTC + 8, !(1 << 14))
            .word(0xe321_f013) // msr cpsr_c, #0x13
    });
    assert_eq!((report.uart.as_str(), kinds(&report)), ("!", vec![]));
}

#[test]
fn registers_that_do_not_exist_are_reported() {
    let report =
        Program::new().read(0, common::CLKPWR + 0x40).load(1, common::CLKPWR).word(0xe5d1_0000).hang().run();
    assert_eq!(kinds(&report), ["register", "register"]);
}
