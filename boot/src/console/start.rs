//! What stage2 does before the first prompt.

use super::autoboot::{self, Before};
use super::{flash, report};
use crate::cmd::{self, CmdError, Context, Size, version::VERSION};
use crate::env;
use crate::handover::Handover;
use crate::nand::chip_bytes;

/// Shows what this is and why it runs; then boots, unless that has been tried or is stopped.
pub fn start(ctx: &mut Context<'_>, record: Option<&Handover>) {
    let board = ctx.machine.board();
    let looked = ctx.state.layout.load(ctx.nand);
    env::default::reset(&mut ctx.state.env, board, &ctx.state.layout);
    let geometry = ctx.nand.geometry();
    let out = &mut ctx.console;
    writeln!(out, "\n\n{VERSION}\n");
    writeln!(out, "Board: {} ({}), machine {}", board.name, board.soc, board.machine);
    writeln!(out, "DRAM:  {}", Size(board.sdram.1));
    writeln!(out, "NAND:  {}", Size(chip_bytes(&geometry)));
    flash::tell(out, &looked);
    load_environment(ctx);
    let out = &mut ctx.console;
    match report::show(out, &geometry, record) {
        Some(before) => autoboot::run(ctx, before),
        // `boot` is what stage1 has just tried.
        None if ctx.state.env.get("bootcmd").is_none_or(|command| command.trim() == "boot") => {}
        None => autoboot::run(ctx, Before::Nothing),
    }
}

/// Loads what is stored, where there is a place for it; else the default environment is what there is.
fn load_environment(ctx: &mut Context<'_>) {
    match cmd::env::load::load(ctx) {
        Ok(_) | Err(CmdError::NoEnv | CmdError::BootTable(_)) => {}
        Err(error) => writeln!(ctx.console, "ERROR: {error}. The environment is the default one"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handover::Outcome;
    use crate::image::uimage::COMP_GZIP;
    use crate::mock::{Board, Left, RAM, image};
    use std::string::String;

    const KIND: Handover = Handover {
        key: false,
        kernel: [Outcome::Kind, Outcome::NoSlot],
        stage2: Outcome::Loaded,
        corrected: 0,
        uncorrectable_page: 0,
        bad_blocks: 0,
    };

    fn started(board: &mut Board, record: Option<&Handover>) -> String {
        board.with(|ctx| start(ctx, record));
        board.output()
    }

    #[test]
    fn greets() {
        let expected = concat!(
            "\n\nSteppingstone ",
            env!("CARGO_PKG_VERSION"),
            "\n\nBoard: mock (S3C2440A), machine 1999\nDRAM:  16 MiB\nNAND:  8 MiB\n",
            "No flash descriptor in block 0, and no boot table: there are no partitions.\n",
            "Write block 0 from an image that 'stone nand' has made.\n",
            "Not started by stage1: no hand-over record.\n",
            "Hit any key to stop autoboot:  2 \x08\x08\x08 0\n"
        );
        let mut board = Board::new();
        board.serial.input.push_back(b' ');
        assert_eq!(started(&mut board, None), expected);
    }

    #[test]
    fn boots_a_compressed_kernel_without_being_asked() {
        // One byte 0x2a, four times, by a stored block.
        let gzip = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 4, 0, 0xfb, 0xff, 0x2a, 0x2a, 0x2a, 0x2a, 0x8e, 0x56,
            0xc1, 0x6f, 4, 0, 0, 0,
        ];
        let mut board = Board::new();
        board.write_boot_table("");
        board.nand.write_from(8, &image(&gzip, |h| h.comp = COMP_GZIP));
        let output = started(&mut board, Some(&KIND));
        assert!(output.contains("Starting kernel ..."), "{output}");
        assert_eq!(board.machine.left, [Left::Kernel(RAM + 0x8000, 1999, RAM + 0x100)]);
        assert_eq!(board.memory.load(RAM + 0x8000, 5), [0x2a, 0x2a, 0x2a, 0x2a, 0]);
    }

    #[test]
    fn what_failed_in_stage1_is_not_tried_again() {
        let failed = Handover { kernel: [Outcome::DataCrc, Outcome::NoSlot], ..KIND };
        let output = started(&mut Board::new(), Some(&failed));
        assert!(output.ends_with("No kernel slot boots.\n"), "{output}");
    }

    #[test]
    fn a_key_stops_it() {
        let mut board = Board::new();
        board.write_boot_table("");
        board.serial.input.push_back(b' ');
        let output = started(&mut board, Some(&KIND));
        assert!(output.ends_with("Any key stops this.\n"), "{output}");
        assert_eq!(board.machine.left, []);
    }
}
