//! stage1: the first 4 KiB. Boots a kernel from NAND, or else loads stage2.

#![no_std]
#![no_main]

use boot::boot_table::{CMDLINE_WORDS, Slot, Words};
use boot::crc;
use boot::direct::{Direct, Image, Rules};
use boot::handover::{self, Outcome, word};
use boot::image::uimage;
use boot::nand::{part, setup};
use boot::tags::{self, TAGS_AREA, TAGS_OFFSET};
use platform::arch::ram::LoadArea;
use platform::arch::{cp15, jump, ram, stage1};
use platform::board::{self, BOARD, NandConfig};
use platform::hal::{Nand, Serial};

platform::stage1_entry!(
    early: board::early_init,
    main: main,
    fault: fault,
    data: Loader = Loader::EMPTY
);

/// Pages come by READ CACHE if every part that the board may carry has it.
type Loader = Direct<{ part::all_read_cache(BOARD.nand_parts) }>;

/// Solved at compile time: a part that the controller cannot serve does not compile.
const NAND: &NandConfig = &board::nand_config(&setup::of_board(&BOARD));

fn say(text: &[u8]) {
    let mut serial = board::serial();
    for &byte in text {
        serial.put(byte);
    }
}

fn say_hex(label: &[u8], value: u32) {
    say(label);
    for i in (0..8).rev() {
        let digit = (value >> (4 * i)) as u8 & 15;
        say(&[if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }]);
    }
}

fn main(direct: &mut Loader) -> ! {
    let serial = board::start_serial();
    let sdram = BOARD.sdram;
    cp15::map_flat(ram::page_table(), sdram.0 >> 20..(sdram.0 + sdram.1) >> 20, cp15::ALL);
    say(b"\r\nS1");

    let Some(table) = Words::check(stage1::boot_table(), crc::of_words) else { fault(2) };
    let nand = &mut board::nand(NAND);
    let mut rules = Rules { kind: uimage::TYPE_KERNEL.into(), area: LoadArea::kernel(TAGS_AREA) };
    let record = ram::handover();
    record.fill(0);
    for i in 0..2 {
        if serial.has_input() {
            break;
        }
        say(&[b' ', b'A' + i as u8, b':']);
        let outcome = attempt(direct, nand, table.slot(i), Slot::default(), &mut rules);
        record[word::KERNEL + i] = outcome as u32;
        match outcome {
            Outcome::Loaded if !serial.has_input() => start(table, &direct.image),
            // What this stage cannot boot, such as a compressed kernel, stage2 can; the
            // other slot is for when this one is damaged.
            Outcome::Kind => break,
            _ => {}
        }
    }
    record[word::KEY] = serial.has_input().into();

    rules = Rules { kind: uimage::TYPE_FIRMWARE.into(), area: LoadArea::stage2() };
    let [first, second] = [table.slot(2), table.slot(3)];
    say(b" 2:");
    // Either copy may have lost its header page for good, so either gets to lead.
    if attempt(direct, nand, first, second, &mut rules) == Outcome::Loaded
        || attempt(direct, nand, second, first, &mut rules) == Outcome::Loaded
    {
        record[word::STAGE2] = Outcome::Loaded as u32;
        record[word::CORRECTED] = direct.reader.stats.corrected;
        record[word::UNCORRECTABLE] = direct.reader.stats.uncorrectable;
        record[word::BAD_BLOCKS] = direct.reader.stats.bad_blocks;
        handover::seal(record);
        jump::enter_kernel(direct.image.entry, 0, 0);
    }
    fault(0)
}

/// Tries to load, and says how it went: four letters for each [`Outcome`].
#[inline(never)]
fn attempt(
    direct: &mut Loader,
    nand: &mut impl Nand,
    slot: Slot,
    copy: Slot,
    rules: &mut Rules<LoadArea>,
) -> Outcome {
    const WORDS: [[u8; 4]; Outcome::COUNT] = [
        *b"----", *b"ok  ", *b"none", *b"void", *b"head", *b"size", *b"kind", *b"addr", *b"ecc ", *b"crc ",
        *b"busy", *b"bad ",
    ];
    let outcome = direct.load(nand, slot, copy, rules).err().unwrap_or(Outcome::Loaded);
    say(&WORDS[outcome as usize]);
    if direct.reader.stats.corrected != 0 {
        say_hex(b" fix ", direct.reader.stats.corrected);
    }
    outcome
}

/// Hands over to the kernel.
fn start(table: Words<'_>, image: &Image) -> ! {
    const OF_BOARD: ([u32; 12], usize) = tags::of_board(BOARD.sdram, BOARD.revision);
    let words = ram::tag_list();
    // Zeros end the list: ATAG_NONE.
    words.fill(0);
    let (board, rest) = words.split_at_mut(OF_BOARD.1);
    board.copy_from_slice(&OF_BOARD.0[..OF_BOARD.1]);
    // Without a command line of ours the kernel keeps its own.
    if table.cmdline()[0] != 0 {
        let (head, rest) = rest.split_at_mut(2);
        head.copy_from_slice(&tags::cmdline_head(CMDLINE_WORDS));
        rest[..CMDLINE_WORDS].copy_from_slice(table.cmdline());
    }
    say(b"\r\n");
    board::stop_watchdog();
    jump::enter_kernel(image.entry, table.machine(), BOARD.sdram.0 + TAGS_OFFSET)
}

/// Says where it hangs, and resets the board in ten seconds: 0 means that nothing boots,
/// 1 a panic, 2 that the boot table is damaged; all else is the address of an instruction
/// that caused an exception.
fn fault(pc: u32) -> ! {
    // First the reset, in case that saying why does not work either.
    board::reset_in(10_000);
    say_hex(b"\r\nstuck ", pc);
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    fault(1)
}
