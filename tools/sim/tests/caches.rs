//! What the caches make of a program that forgets them.

mod common;

use common::{Program, SDRAM, kinds};
use sim::Report;

const TABLE: u32 = SDRAM + 0x4000;

/// MMU with a flat map: SDRAM write-back cached, the SRAM's section uncached; then MMU, D- and I-cache on.
fn cached() -> Program {
    Program::new()
        .set_up()
        .set_up_sdram()
        .store(TABLE, 0xc12)
        .store(TABLE + 0x300 * 4, SDRAM | 0xc1e)
        .store(TABLE + 0x500 * 4, 0x5000_0c12)
        .store(TABLE + 0x530 * 4, 0x5300_0c12)
        .load(0, TABLE)
        .word(0xee02_0f10) // mcr c2: table
        .load(0, 1)
        .word(0xee03_0f10) // mcr c3: domains
        .words(&[0xee11_0f10, 0xe380_0005, 0xe380_0a01, 0xee01_0f10]) // c1 |= M, C, I
}

/// Writes a word, reads it so that its line is in, writes it again.
fn dirty(program: Program) -> Program {
    program.load(1, SDRAM).words(&[0xe581_0000, 0xe591_0000, 0xe581_0000])
}

fn caches_off(program: Program) -> Program {
    program.words(&[0xee11_0f10, 0xe3c0_0005, 0xee01_0f10]) // c1 &= !(M | C)
}

fn run(program: Program) -> Report {
    program.hang().run()
}

#[test]
fn a_clean_program_has_no_violations() {
    // mcr c7, c14, 1: clean and invalidate the line of r1; then drain the write buffer.
    let cleaned = dirty(cached()).words(&[0xee07_1f3e, 0xee07_0f9a]);
    let report = run(caches_off(cleaned).words(&[0xe591_0000]));
    assert_eq!(kinds(&report), [""; 0]);
}

#[test]
fn a_dirty_line_is_noticed_when_memory_is_read_past_it() {
    let report = run(caches_off(dirty(cached())).words(&[0xe591_0000]));
    assert_eq!(kinds(&report), ["dcache-dirty"]);
}

#[test]
fn a_dirty_line_must_not_be_thrown_away() {
    let report = run(dirty(cached()).word(0xee07_0f16)); // mcr c7, c6, 0
    assert_eq!(kinds(&report), ["dcache-lost"]);
}

#[test]
fn code_written_through_the_cache_is_not_there_for_fetches() {
    // A return instruction is written to a line that is in the D-cache, then called.
    let program = cached()
        .load(1, SDRAM + 0x100)
        .load(0, 0xe1a0_f00e)
        .words(&[0xe581_0000, 0xe591_2000, 0xe581_0000])
        .words(&[0xe1a0_e00f, 0xe1a0_f001]); // mov lr, pc; mov pc, r1
    let report = run(program);
    assert!(kinds(&report).contains(&"dcache-dirty"), "{report:?}");
}

#[test]
fn operations_of_other_cores_are_reported() {
    let report = run(Program::new().word(0xee07_0f7a)); // mcr c7, c10, 3: the ARM926's test and clean
    assert_eq!(kinds(&report), ["cp15"]);
}

#[test]
fn cached_code_runs_at_a_cycle_an_instruction() {
    let time = |icache: bool| {
        let enable: &[u32] = if icache { &[0xee11_0f10, 0xe380_0a01, 0xee01_0f10] } else { &[] };
        let loop_of =
            Program::new().set_up().words(enable).load(0, 100_000).words(&[0xe250_0001, 0x1aff_fffd]);
        run(loop_of).time_ns
    };
    // 400,000 cycles of 2.5 ns are 1 ms. Uncached, each of the two instructions is fetched in 2 HCLK of 10 ns.
    let difference = time(false) - time(true);
    assert!((3_000_000..4_500_000).contains(&difference), "{difference}");
}
