//! `nand timing`

use super::bench;
use super::found::{Found, Id};
use crate::cmd::{CmdError, Context};
use crate::nand::datasheet::Timing;
use crate::nand::part;
use crate::nand::sheet::{Fields, Rate, Sheet};
use crate::nand::speed::{ACCESS_OVERHEAD, Bus};
use crate::nand::subject::Subject;
use crate::nand::timing::{Check, Setting};

/// Pages that are read for a figure that is measured.
const SAMPLE: u32 = 64;

/// Shows what the setting in use gives to the part found, and what that part alone would allow.
pub fn run(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    let found = Found::look(ctx)?;
    writeln!(ctx.console, "Chip id {}: {found}", Id(found.id));
    match &found.onfi {
        None => {}
        Some(Ok(onfi)) => writeln!(ctx.console, "It says of itself (ONFI): {onfi}"),
        Some(Err(error)) => writeln!(ctx.console, "Its ONFI parameter page is of no use: {error}"),
    }
    match (found.known, &found.onfi) {
        (true, _) => {}
        (false, Some(Ok(_))) => writeln!(ctx.console, "No part in the table has this id: that counts."),
        _ => writeln!(
            ctx.console,
            "No part in the table has this id: it is taken to be as slow as ONFI mode 0."
        ),
    }
    let parts = ctx.machine.board().nand_parts.iter().filter_map(|name| part::find(name));
    if let Some(built_for) = Subject::any_of(parts) {
        writeln!(ctx.console, "In use is what this loader was built with, for {built_for}:\n");
    }
    write!(ctx.console, "{}", Sheet { subject: &found.subject, bus: found.bus });
    measure(ctx, &found)?;
    alone(ctx, &found);
    warn(ctx, &found);
    Ok(())
}

/// Reads some pages from the start of the chip.
fn measure(ctx: &mut Context<'_>, found: &Found) -> Result<(), CmdError> {
    let run = bench::read(ctx, 0..u32::MAX, SAMPLE)?;
    if let Some(page_ps) = run.page_ps() {
        let rate = Rate { name: "measured", page: found.page(), page_ps };
        writeln!(ctx.console, "{rate}   over {} pages; 'nand bench' takes more", run.tally.pages);
    }
    if run.stopped { Err(CmdError::Interrupted) } else { Ok(()) }
}

/// What the part would allow if the board carried no other.
fn alone(ctx: &mut Context<'_>, found: &Found) {
    let Bus { controller, clock, setting: in_use } = found.bus;
    let out = &mut ctx.console;
    match Setting::solve(&found.subject.timing, controller, clock) {
        Ok(setting) if setting == in_use => {
            writeln!(out, "\nFor {} alone it would be the same.", found.subject);
        }
        Ok(setting) => {
            let bus = Bus { setting, ..found.bus };
            let page_ps = found.page().pio_ps(&found.subject.timing, &bus, ACCESS_OVERHEAD);
            writeln!(out, "\nFor {} alone it would be:", found.subject);
            writeln!(out, "  {}", Fields(&bus));
            writeln!(out, "{}", Rate { name: "programmed I/O", page: found.page(), page_ps });
        }
        Err(error) => writeln!(out, "\nFor {} alone there is none: {error}.", found.subject),
    }
}

/// Says for which parts, of those that it may be, the setting in use is too fast.
fn warn(ctx: &mut Context<'_>, found: &Found) {
    let others = found.others.iter().filter_map(|&part| Subject::any_of([part]));
    for subject in core::iter::once(found.subject.clone()).chain(others) {
        let mut broken = broken(&subject.timing, &found.bus).peekable();
        if broken.peek().is_none() {
            continue;
        }
        write!(ctx.console, "WARNING: what is in use is too short for {subject}:");
        broken.for_each(|check| write!(ctx.console, " {}", check.rule.parameter.name()));
        writeln!(ctx.console, ". If that is the chip, build the loader for it (nand_parts of the board).");
    }
}

/// The inequalities that a setting does not meet.
fn broken<'a>(timing: &'a Timing, bus: &'a Bus<'static>) -> impl Iterator<Item = Check> + 'a {
    bus.setting.checks(timing, bus.controller, bus.clock).filter(|check| !check.holds)
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;
    use crate::nand::onfi::tests::micron;
    use std::string::String;

    fn timing(id: [u8; 5]) -> String {
        let mut board = Board::new();
        board.nand.id = id;
        board.run("nand timing")
    }

    #[test]
    fn shows_what_the_setting_gives() {
        let expected = "\
Chip id ec aa 10 15 44: K5D2G13ACM; the same id has K9F2G08R0A
In use is what this loader was built with, for K5D2G13ACM:

K5D2G13ACM on S3C2440, bus clock 133.33 MHz (7.50 ns)
  TACLS = 0 (0.0 ns) TWRPH0 = 3 (30.0 ns) TWRPH1 = 1 (15.0 ns)

  param  in                of            wanted   given   slack ns
  tCLS   command, address  to the rise    21.0r    30.0     9.0
  tALS   command, address  to the rise    21.0r    30.0     9.0
  tCLH   command, address  high            5.0r    15.0    10.0
  tALH   command, address  high            5.0r    15.0    10.0
  tDS    data in           to the rise    20.0r    30.0    10.0
  tDH    data in           high            5.0r    15.0    10.0
  tWP    data in           low            25.0     30.0     5.0 binds
  tWH    data in           high           15.0     15.0     0.0 binds
  tWC    data in           cycle          45.0     45.0     0.0 binds
  tRP    data out          low            25.0r    30.0     5.0 binds
  tREA   data out          low            30.0r    30.0     0.0 binds
  tREH   data out          high           15.0r    15.0     0.0 binds
  tRC    data out          cycle          45.0     45.0     0.0 binds
  binds: one bus clock less would not do.  r: recalled, not read in any source.

  left to the driver, ns: tWHR 60r tRHW 100r tADL 100r tAR 10r tCLR 10r tRR 20r tWB 100r tR 25000

  page read             us     MB/s
  chip              120.36   17.016
  bus               120.36   17.016
  programmed I/O    126.43   16.199
  The bus gives 100.0 % of what the chip could do. Programmed I/O is taken to cost
  2 bus clocks an access beside the cycles (an assumption).
  measured          128.00   16.000   over 64 pages; 'nand bench' takes more

For K5D2G13ACM alone it would be the same.
";
        assert_eq!(timing([0xec, 0xaa, 0x10, 0x15, 0x44]), expected);
    }

    #[test]
    fn says_what_a_faster_part_would_allow() {
        let output = timing([0xec, 0xf1, 0x00, 0x95, 0x40]);
        let end = "
For K9F1G08U0B alone it would be:
  TACLS = 0 (0.0 ns) TWRPH0 = 2 (22.5 ns) TWRPH1 = 1 (15.0 ns)
  programmed I/O    110.79   18.486
";
        assert!(output.ends_with(end), "{output}");
    }

    #[test]
    fn warns_of_slower_parts_and_of_unknown_ones() {
        let output = timing([0x2c, 0xda, 0x80, 0x15, 0x50]);
        assert!(output.starts_with("Chip id 2c da 80 15 50: MT29F2G08AAC\n"), "{output}");
        assert!(
            output.contains("  tRC    data out          cycle          50.0r    45.0    -5.0 TOO SHORT\n")
        );
        let warning = "WARNING: what is in use is too short for MT29F2G08AAC: tRC. \
                       If that is the chip, build the loader for it (nand_parts of the board).\n";
        assert!(output.ends_with(warning), "{output}");
        let output = timing([0x98, 0xda, 0x90, 0x15, 0x76]);
        let start = "Chip id 98 da 90 15 76: an unknown part\n\
                     No part in the table has this id: it is taken to be as slow as ONFI mode 0.\n";
        assert!(output.starts_with(start), "{output}");
        assert!(output.contains("\nFor an unknown part alone it would be:\n  TACLS = "), "{output}");
        assert!(
            output.contains("\nWARNING: what is in use is too short for an unknown part: tCLS "),
            "{output}"
        );
    }

    #[test]
    fn believes_what_an_unknown_onfi_part_says_of_itself() {
        let mut board = Board::new();
        board.nand.id = [0x2c, 0xaa, 0x90, 0x15, 0x06];
        board.nand.parameters = [micron(); 3].to_vec();
        let output = board.run("nand timing");
        let start = "\
Chip id 2c aa 90 15 06: this ONFI part
It says of itself (ONFI): MT29F2G08ABBEAHC, timing mode 4, tR 25 us, ECC of 4 bits in 512 bytes, READ CACHE
No part in the table has this id: that counts.
";
        assert!(output.starts_with(start), "{output}");
        assert!(
            output.contains("  tREA   data out          low            20.0     30.0    10.0\n"),
            "{output}"
        );
        board.nand.parameters.iter_mut().for_each(|copy| copy[90] ^= 1);
        let output = board.run("nand timing");
        let start = "\
Chip id 2c aa 90 15 06: an unknown part
Its ONFI parameter page is of no use: all copies are damaged (CRC)
No part in the table has this id: it is taken to be as slow as ONFI mode 0.
";
        assert!(output.starts_with(start), "{output}");
        // A part in the table is what the table says.
        board.nand.id = [0x2c, 0xda, 0x90, 0x95, 0x06];
        board.nand.parameters = [micron(); 3].to_vec();
        let output = board.run("nand timing");
        assert!(output.starts_with("Chip id 2c da 90 95 06: MT29F2G08ABAEA\nIt says of itself"), "{output}");
        assert!(!output.contains("No part in the table"), "{output}");
    }

    #[test]
    fn shows_what_read_cache_would_give() {
        let output = timing([0x2c, 0xda, 0x80, 0x15, 0x50]);
        assert!(output.contains("  with READ CACHE   104.07   19.679\n"), "{output}");
    }

    #[test]
    fn reports_a_stuck_chip() {
        let mut board = Board::new();
        board.nand.stuck = true;
        let busy = "ERROR: the NAND chip stays busy after a reset; check its R/nB line\n";
        assert_eq!(board.run("nand timing"), busy);
    }
}
