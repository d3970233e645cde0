//! `nand bench`

use super::found::Found;
use crate::cmd::{CmdError, Context};
use crate::decimal::Decimal;
use crate::nand::sheet::Rate;
use crate::nand::walk::{Tally, Walk};
use crate::nand::{NandError, chip_bytes, part};
use crate::stopwatch::Stopwatch;
use core::ops::Range;

/// Bytes read unless told otherwise: the size of a kernel.
const BYTES: u32 = 4 << 20;

/// What reading has shown.
#[derive(Default)]
pub struct Run {
    /// Nanoseconds it took.
    pub ns: u64,
    /// The pages read, and what ECC found in them.
    pub tally: Tally,
    /// Bad blocks skipped.
    pub bad_blocks: u32,
    /// The user has stopped it.
    pub stopped: bool,
}

/// Reads pages from byte `offset` on, as many as a kernel has if not told, and compares with what
/// could be.
pub fn run(ctx: &mut Context<'_>, offset: u32, pages: Option<u32>) -> Result<(), CmdError> {
    let geometry = ctx.nand.geometry();
    let (pages, chip) = (pages.unwrap_or(BYTES / geometry.page), chip_bytes(&geometry));
    if offset >= chip {
        return Err(CmdError::BeyondChip { offset, chip });
    }
    let found = Found::look(ctx)?;
    let run = read(ctx, offset..chip, pages)?;
    show(ctx, &found, &run);
    if run.stopped { Err(CmdError::Interrupted) } else { Ok(()) }
}

/// Reads pages as a kernel is read, ECC and all, but to where they are dropped. Goes on over
/// those that cannot be corrected.
pub fn read(ctx: &mut Context<'_>, range: Range<u32>, pages: u32) -> Result<Run, CmdError> {
    if part::all_read_cache(ctx.machine.board().nand_parts) {
        read_by::<true>(ctx, range, pages)
    } else {
        read_by::<false>(ctx, range, pages)
    }
}

fn read_by<const CACHE: bool>(ctx: &mut Context<'_>, range: Range<u32>, pages: u32) -> Result<Run, CmdError> {
    let mut run = Run::default();
    let watch = Stopwatch::start(ctx.clock);
    let mut walk = Walk::<CACHE>::start(ctx.nand, range, pages)?;
    let mut result = Ok(());
    while result.is_ok() && walk.tally.pages < pages && !run.stopped {
        // Meanwhile the chip loads the page that the next step takes.
        run.stopped = ctx.check_interrupt().is_err();
        result = match walk.step(ctx.nand) {
            Err(NandError::Uncorrectable { .. }) => Ok(()),
            result => result,
        };
        run.bad_blocks += walk.skipped.len() as u32;
        if result.is_ok() {
            run.ns = watch.ns(ctx.clock);
        }
    }
    run.tally = walk.tally;
    match result.and(walk.stop(ctx.nand)) {
        // The end of the chip comes early, but it is no mistake.
        Ok(()) | Err(NandError::End { .. }) => Ok(run),
        Err(error) => Err(error.into()),
    }
}

impl Run {
    /// Picoseconds a page; [`None`] if there were none.
    pub fn page_ps(&self) -> Option<u64> {
        (self.ns * 1000).checked_div(self.tally.pages.into()).filter(|&ps| ps != 0)
    }
}

fn show(ctx: &mut Context<'_>, found: &Found, run: &Run) {
    let (page, out) = (found.page(), &mut ctx.console);
    let pages = run.tally.pages;
    let (bytes, ms) = (u64::from(pages) * u64::from(page.data), Decimal::new(run.ns as i64, 1_000_000, 3));
    writeln!(out, "{pages} pages, {bytes} bytes in {ms} ms");
    writeln!(out, "{}; bad blocks skipped: {}", run.tally, run.bad_blocks);
    let Some(page_ps) = run.page_ps() else { return };
    writeln!(out, "\n  page read             us     MB/s   share");
    writeln!(out, "{}", Rate { name: "measured", page, page_ps });
    let timing = &found.subject.timing;
    let limits = [
        ("programmed I/O", Some(found.pio_ps())),
        ("with READ CACHE", found.cached_ps()),
        ("bus", Some(page.bus_ps(timing, &found.bus))),
        ("chip", Some(page.chip_ps(timing))),
    ];
    for (name, limit) in limits.into_iter().filter_map(|(name, limit)| Some((name, limit?))) {
        let share = Decimal::percent(limit, page_ps);
        writeln!(out, "{} {share:>5} %", Rate { name, page, page_ps: limit });
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::{BLOCK, Board};

    #[test]
    fn measures_and_compares() {
        let mut board = Board::new();
        board.clock.step = 150;
        let expected = "\
2048 pages, 4194304 bytes in 307.200 ms
no bitflips corrected in 16384 ECC steps; bad blocks skipped: 0

  page read             us     MB/s   share
  measured          150.00   13.653
  programmed I/O    126.43   16.199  84.3 %
  bus               120.36   17.016  80.2 %
  chip              120.36   17.016  80.2 %
";
        assert_eq!(board.run("nand bench"), expected);
    }

    #[test]
    fn reads_by_read_cache_where_the_board_has_it() {
        let mut board = Board::new();
        board.machine.info.nand_parts = &["MT29F2G08AAC"];
        board.nand.id = [0x2c, 0xda, 0x80, 0x15, 0x50];
        board.clock.step = 120;
        let expected = "\
64 pages, 131072 bytes in 7.680 ms
no bitflips corrected in 512 ECC steps; bad blocks skipped: 0

  page read             us     MB/s   share
  measured          120.00   17.067
  programmed I/O    142.02   14.420 118.4 %
  with READ CACHE   119.62   17.121  99.7 %
  bus               136.25   15.031 113.5 %
  chip              130.92   15.644 109.1 %
";
        assert_eq!(board.run("nand bench 7e0000"), expected);
    }

    #[test]
    fn reads_what_it_is_told_and_counts_what_it_meets() {
        let mut board = Board::new();
        board.nand.mark_bad(9);
        for page in [8 * 64 + 62, 8 * 64 + 63, 10 * 64 + 1] {
            board.nand.write(page, &[page as u8; 2048]);
            board.nand.flip(page, 700, 3);
        }
        board.nand.flip(8 * 64 + 63, 701, 3);
        let output = board.run("nand bench 11f000 4");
        let expected = "4 pages, 8192 bytes in 0.512 ms\n\
                        bitflips corrected: 2 in 2 of 32 ECC steps, at most 1 in one; \
                        steps not correctable: 1; bad blocks skipped: 1\n";
        assert!(output.starts_with(expected), "{output}");
        // The marks of block 8 twice, those of 9 and 10, and the pages that no mark is on.
        assert_eq!(board.nand.loads, 4 + 2 + 2 + 3);
    }

    #[test]
    fn stops_at_the_end_of_the_chip_and_at_ctrl_c() {
        let mut board = Board::new();
        let last = std::format!("nand bench {:x} 1000", 63 * BLOCK);
        assert!(board.run(&last).starts_with("64 pages, 131072 bytes in "));
        board.serial.input.push_back(3);
        let output = board.run("nand bench 0 1000");
        assert!(output.starts_with("1 pages, 2048 bytes in "), "{output}");
        assert!(output.ends_with(" %\n<INTERRUPT>\n"), "{output}");
        // Nothing is on its way any more.
        assert!(board.run("nand bench 0 1").starts_with("1 pages"));
    }

    #[test]
    fn a_chip_of_bad_blocks_has_no_speed() {
        let mut board = Board::new();
        board.nand.mark_bad(63);
        let output = board.run(&std::format!("nand bench {:x}", 63 * BLOCK));
        assert_eq!(output.lines().count(), 2, "{output}");
        assert!(output.ends_with("ECC steps; bad blocks skipped: 1\n"), "{output}");
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        let mut board = Board::new();
        let beyond = "ERROR: offset 0x800000 is beyond the chip, which ends at 0x800000\n";
        assert_eq!(board.run("nand bench 800000"), beyond);
        for line in ["nand bench 0 0", "nand bench 0 1 2"] {
            assert!(board.run(line).starts_with("nand - NAND sub-system\n"), "{line}");
        }
        assert!(board.run("nand bench x").starts_with("ERROR: 'x' is not a hexadecimal number"));
        board.nand.stuck = true;
        let busy = "ERROR: the NAND chip stays busy after a reset; check its R/nB line\n";
        assert_eq!(board.run("nand bench"), busy);
    }
}
