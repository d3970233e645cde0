//! stage2: the console.

#![no_std]
#![no_main]

// Start-up code and vectors.
use aarch32_rt as _;

use boot::cmd::Context;
use boot::console::keys::Keys;
use boot::console::prompt::Prompt;
use boot::console::state::State;
use boot::console::{Console, fault, start};
use boot::crash::Crash;
use boot::handover::Handover;
use boot::nand::setup;
use core::ops::Range;
use platform::arch::{self, cp15, jump, ram};
use platform::board::{self, BOARD, NandConfig};
use platform::hal::{BoardInfo, Fault, Machine, Nand};

/// What outlives an exception.
struct Kept {
    state: State,
    keys: Keys,
}

platform::stage2_entry!(main, capture, fault, Kept = Kept { state: State::new(), keys: Keys::new() });

/// Solved at compile time: a part that the controller cannot serve does not compile.
const NAND: &NandConfig = &board::nand_config(&setup::of_board(&BOARD));

struct Board;

impl Machine for Board {
    fn board(&self) -> &BoardInfo {
        &BOARD
    }
    fn reset(&mut self) {
        board::reset();
    }
    fn enter_kernel(&mut self, entry: u32, machine: u32, tags: u32) {
        jump::enter_kernel(entry, machine, tags);
    }
    fn call(&mut self, entry: u32, argc: u32, argv: u32) -> u32 {
        jump::call(entry, argc, argv)
    }
}

fn main(kept: &'static mut Kept) -> ! {
    board::stop_watchdog();
    if !cp15::mmu_is_on() {
        let (start, len) = BOARD.sdram;
        cp15::early();
        cp15::map_flat(ram::page_table(), start >> 20..(start + len) >> 20, board::MAPPED_MIB);
    }
    arch::fault::install_vectors();
    let words = ram::handover();
    let record = Handover::from_words(words);
    // Once told, it is an old story.
    words.fill(0);
    if board::memory_kept() {
        kept.state.crash.extend(Crash::load(ram::crash_record()));
    }
    if record.is_none() {
        // Loaded by someone else, who may not have set the console up, nor let NAND be written.
        board::set_pins();
        let _ = board::start_serial();
    }
    session(kept, |ctx| start::start(ctx, record.as_ref()))
}

/// Does something, then answers at the prompt for ever.
fn session(kept: &mut Kept, first: impl FnOnce(&mut Context<'_>)) -> ! {
    let (mut serial, mut nand, mut memory) = (board::serial(), board::nand(NAND), board::memory());
    // Whoever was here before may have left the chip busy. A chip that does not answer is
    // told of by whatever wants to read it.
    let _ = nand.identify();
    let (mut machine, mut clock) = (Board, board::clock());
    let console = Console::new(&mut serial, &mut kept.keys);
    let mut ctx = Context::new(console, &mut nand, &mut memory, &mut machine, &mut clock, &mut kept.state);
    first(&mut ctx);
    let mut prompt = Prompt::start(&mut ctx);
    arch::fault::set_handling(false);
    loop {
        prompt.poll(&mut ctx);
    }
}

/// The code of this program.
fn code() -> Range<u32> {
    ram::loader_start()..ram::code_end()
}

/// Leaves a record for after the reset, which drops what is only in the cache.
fn remember(crash: &Crash) {
    crash.store(ram::crash_record());
    cp15::sync_code();
}

/// An exception: notes it, but not that of one's handling.
fn capture(kept: &'static mut Kept, fault: Fault) {
    if arch::fault::set_handling(true) {
        board::reset();
    }
    let stack = ram::stack_start()..ram::stack_end();
    let crash = Crash::of_fault(&board::memory(), &fault, &code(), stack, &kept.state.running);
    remember(&crash);
    kept.state.crash.clear();
    kept.state.crash.push(crash);
}

/// Shows the exception and goes back to the prompt.
fn fault(kept: &'static mut Kept) -> ! {
    kept.state.restart();
    session(kept, |ctx| {
        if let Some(crash) = ctx.state.crash.first() {
            fault::show(&mut ctx.console, crash);
        }
        writeln!(ctx.console, "The program was stopped. 'reset' is the safe way on.");
    })
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let mut serial = board::serial();
    let mut keys = Keys::new();
    let mut console = Console::new(&mut serial, &mut keys);
    // Where this function's own variables are, the stack in use begins.
    let here = core::ptr::from_ref(&info).addr() as u32;
    let crash = Crash::of_panic(&board::memory(), format_args!("{info}"), &code(), here..ram::stack_end());
    remember(&crash);
    fault::show(&mut console, &crash);
    writeln!(console, "This is a mistake in the loader. Resetting in 5 s");
    board::reset_in(5000);
    loop {
        core::hint::spin_loop();
    }
}
