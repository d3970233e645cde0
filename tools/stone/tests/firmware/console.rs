//! The prompt: how it is reached, and that nothing typed there takes it away.

use crate::kit::{
    BOARDS, Board, GTA02, KINDS, LOAD_A, LOAD_B, MINI2440, SMDK2410, STAGE1, at_prompt, booted, said, stage1,
};
use boot::crc::crc32;
use sim::{Options, Outcome, Report};

/// Types lines at the prompt of a board with a good flash.
fn type_lines(board: &Board, lines: &[&str]) -> Report {
    let flash = board.good_flash();
    flash.run(&flash.options(), &keys(lines))
}

/// The key that stops stage1, then the lines.
fn keys(lines: &[&str]) -> String {
    lines.iter().fold("\r".into(), |keys, line| keys + line + "\r")
}

#[test]
fn a_key_leads_to_the_prompt() {
    for board in BOARDS {
        let report = type_lines(&board, &[]);
        at_prompt(&report);
        assert_eq!(stage1(&report), "2:ok");
        said(&report, "stage1 came here because a key was pressed.");
    }
}

#[test]
fn stone_timing_knows_the_clocks_that_the_firmware_sets() {
    for board in BOARDS {
        let known = stone::board::find(board.name).unwrap();
        let fclk = f64::from(known.fclk.0) / 1e6;
        let report = type_lines(&board, &["bdinfo"]);
        said(&report, &format!("FCLK        = {fclk:.1} MHz\r\n"));
        said(&report, &format!("HCLK        = {:.1} MHz\r\n", fclk / f64::from(known.divider)));
    }
}

/// A user who presses a key when stage1 has begun to load a kernel, and waits for the prompt.
#[derive(Default)]
struct Late {
    seen: Vec<u8>,
    pressed: bool,
}

impl sim::Console for Late {
    fn output(&mut self, bytes: &[u8]) {
        self.seen.extend(bytes);
    }

    fn input(&mut self) -> Option<u8> {
        let press = !self.pressed && self.seen.ends_with(b"A:");
        self.pressed |= press;
        press.then_some(b' ')
    }

    fn stop(&mut self) -> bool {
        self.seen.ends_with(b"\n=>  ")
    }
}

#[test]
fn a_key_counts_while_a_kernel_is_being_loaded() {
    for board in KINDS {
        let mut flash = board.good_flash();
        let report = sim::run(&flash.options(), &mut flash.image, &mut Late::default()).unwrap();
        assert_eq!((report.outcome, report.entry), (Outcome::Console, None), "{}", report.to_json());
        assert_eq!(stage1(&report), "A:ok 2:ok");
        said(&report, "stage1 came here because a key was pressed.");
    }
}

#[test]
fn boot_boots_as_stage1_does() {
    for board in BOARDS {
        booted(&board, &type_lines(&board, &["boot"]), LOAD_A);
        booted(&board, &type_lines(&board, &["boot kernel-b"]), LOAD_B);
    }
}

#[test]
fn boot_takes_the_other_slot_when_the_first_is_damaged() {
    let mut a = GTA02.kernel(LOAD_A);
    a[5000] ^= 1;
    let flash = GTA02.flash(&[], &a, &GTA02.kernel(LOAD_B)).unwrap();
    let report = flash.run(&flash.options(), &keys(&["boot"]));
    booted(&GTA02, &report, LOAD_B);
    said(&report, "kernel-a: ERROR: Bad Data CRC");
}

#[test]
fn a_kernel_read_by_hand_boots() {
    for board in [MINI2440, SMDK2410] {
        let report = type_lines(&board, &["nand read 31000000 kernel-b 43000", "iminfo", "bootm"]);
        booted(&board, &report, LOAD_B);
    }
}

#[test]
fn reset_starts_the_board_again() {
    for board in KINDS {
        let report = type_lines(&board, &["reset"]);
        booted(&board, &report, LOAD_A);
        assert_eq!(report.resets, 1);
        let lines: Vec<_> = report.uart.split(STAGE1).skip(1).collect();
        assert!(lines[0].starts_with(" 2:ok"), "{}", report.uart);
        assert!(lines.last().unwrap().starts_with(" A:ok"), "{}", report.uart);
    }
}

#[test]
fn bad_blocks_are_listed_and_skipped() {
    for board in [MINI2440, SMDK2410] {
        let block = board.nand.block();
        let first = board.good_flash().blocks("kernel-a").start;
        let bad = [first, first + 2, board.nand.blocks - 1];
        let flash = board.good_flash_around(&bad).unwrap();
        let read = format!("nand read 31000000 kernel-a {:x}", 2 * block + 64);
        let check = format!("crc32 31000040 {:x}", 2 * block);
        // Looking at thousands of blocks takes a while.
        let options = Options { idle_ns: Some(1_000_000_000), ..flash.options() };
        let report = flash.run(&options, &keys(&["nand bad", &read, &check]));
        at_prompt(&report);
        let [a, b, c] = bad.map(|number| format!("{:#010x}", number as usize * block));
        said(&report, &format!("Device 0 bad blocks:\r\n  {a}\r\n  {b}\r\n  {c}\r\n=> "));
        said(&report, &format!("Skipping bad block {a}\r\nSkipping bad block {b}\r\n"));
        let crc = crc32(&board.kernel(LOAD_A)[64..][..2 * block]);
        said(&report, &format!(" ==> {crc:08x}\r\n"));
    }
}

/// An exception, the lines that cause it, and what is said of it.
struct Case {
    lines: &'static [&'static str],
    cause: &'static str,
    kinds: &'static [&'static str],
}

/// Words at 31000000: the program, run by `go`.
const EXCEPTIONS: [Case; 7] = [
    Case {
        lines: &["mw 31000000 e7f000f0", "go 31000000"],
        cause: "undefined instruction e7f000f0 at 31000000\r\n",
        kinds: &["exception"],
    },
    Case {
        lines: &["mw 31000000 e1a00000 4", "mw.w 31000010 de00", "go 31000011"],
        cause: "undefined instruction 0000de00 at 31000010\r\n",
        kinds: &["exception"],
    },
    Case {
        lines: &["mw 31000000 ef000012", "go 31000000"],
        cause: "software interrupt at 31000000: the loader offers no system calls\r\n",
        kinds: &["exception"],
    },
    Case {
        // ldr r1, [pc, #1], and back if nothing stops it
        lines: &["mw 31000000 e59f1001", "mw 31000004 e12fff1e", "go 31000000"],
        cause: "data abort at 31000000 reading address 31000009: unaligned address\r\n",
        kinds: &["exception", "unaligned"],
    },
    Case {
        // str r1, [pc, #2], and back
        lines: &["mw 31000000 e58f1002", "mw 31000004 e12fff1e", "go 31000000"],
        cause: "data abort at 31000000 writing address 3100000a: unaligned address\r\n",
        kinds: &["exception", "unaligned"],
    },
    Case {
        lines: &["md 60000000 1"],
        cause: "reading address 60000000: ",
        kinds: &["exception", "unmapped"],
    },
    Case {
        // mov r0, #0x60000000; bx r0
        lines: &["mw 31000000 e3a00206", "mw 31000004 e12fff10", "go 31000000"],
        cause: "prefetch abort: no code can be fetched from 60000000\r\n",
        kinds: &["exception", "unmapped"],
    },
];

#[test]
fn exceptions_are_explained_and_the_prompt_comes_back() {
    for board in [GTA02, MINI2440] {
        for case in EXCEPTIONS {
            let lines = [case.lines, &["version"]].concat();
            let report = type_lines(&board, &lines);
            assert_eq!((report.outcome, report.entry), (Outcome::Console, None), "{}", report.to_json());
            said(&report, case.cause);
            let dump = report.uart.split_once(case.cause).unwrap().1;
            for register in
                ["r0 : ", "r10: ", "fp : ", "sp : ", "lr : ", "pc : ", "cpsr: ", "dfsr: ", "  Mode "]
            {
                assert!(dump.contains(register), "{register}: {}", report.uart);
            }
            said(
                &report,
                "The program was stopped. 'reset' is the safe way on.\r\n=> version\r\nSteppingstone ",
            );
            for violation in &report.violations {
                assert!(case.kinds.contains(&violation.kind), "{}", report.to_json());
            }
        }
    }
}

#[test]
fn registers_are_shown_as_they_were() {
    // mov r4, #0x44; mov r12, #0xcc; cmp r4, r4; undefined
    let lines =
        ["mw 31000000 e3a04044", "mw 31000004 e3a0c0cc", "mw 31000008 e1540004", "mw 3100000c e7f000f0"];
    let report = type_lines(&GTA02, &[&lines[..], &["go 31000000"]].concat());
    said(&report, "undefined instruction e7f000f0 at 3100000c\r\n");
    said(&report, "r4 : 00000044  ");
    said(&report, "ip : 000000cc  ");
    said(&report, "pc : 3100000c\r\n");
    said(&report, "Flags: nZCv  IRQs off  FIQs off  Mode SYS\r\n");
}

#[test]
fn many_exceptions_do_not_wear_the_prompt_out() {
    let mut lines = vec!["mw 31000000 e7f000f0"];
    lines.extend(["go 31000000"; 20]);
    lines.push("boot");
    let report = type_lines(&MINI2440, &lines);
    assert_eq!(report.uart.matches("undefined instruction e7f000f0").count(), 20);
    assert_eq!(report.outcome, Outcome::Kernel, "{}", report.to_json());
    assert!(report.kernel_crc_ok);
    assert_eq!(report.entry.unwrap().pc, LOAD_A);
}

#[test]
fn a_program_returns() {
    // mov r0, #0x2a; bx lr
    let lines = ["mw 31000000 e3a0002a", "mw 31000004 e12fff1e", "go 31000000", "version"];
    let report = type_lines(&GTA02, &lines);
    at_prompt(&report);
    said(&report, "## Starting application at 0x31000000 ...\r\n## Application terminated, rc = 0x2A\r\n=> ");
}

#[test]
fn nothing_typed_here_writes_to_the_chip() {
    let lines = ["nand info", "nand dump.oob 200000", "boot kernel-c", "help"];
    for board in KINDS {
        let report = type_lines(&board, &lines);
        at_prompt(&report);
        assert_eq!((report.nand.programs, report.nand.erases), (0, 0));
    }
}
