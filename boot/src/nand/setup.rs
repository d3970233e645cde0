//! What a board's NAND driver is told, solved when the stages are compiled.

use super::controller::Controller;
use super::datasheet::Timing;
use super::part;
use super::speed::Bus;
use super::timing::{BusClock, Setting};
use platform::hal::{BoardInfo, NandSetup};

/// The fastest setting that suits every part the board may carry.
///
/// # Panics
/// For constants alone: a board with an unknown SoC or part, or with parts that its
/// controller cannot be slow enough for, does not compile.
#[must_use]
pub const fn of_board(board: &BoardInfo) -> NandSetup {
    let (timing, Bus { controller, setting, clock }) = bus_of_board(board);
    let Some(geometry) = part::largest(board.nand_parts) else {
        panic!("boot/src/nand/part.rs does not have a NAND part of this board");
    };
    let read = match &controller.read {
        None => &controller.write,
        Some(strobe) => strobe,
    };
    NandSetup {
        write: controller.write.values(setting.write),
        read: read.values(setting.read),
        t_whr_min: timing.t_whr_min,
        t_rhw_min: timing.t_rhw_min,
        float_cycles: clock.cycles(timing.t_rhz_max),
        t_adl_min: timing.t_adl_min,
        t_busy_max: timing.t_r_max.max(timing.t_rst_max),
        t_prog_max: timing.t_prog_max,
        t_bers_max: timing.t_bers_max,
        geometry,
    }
}

/// The same, with what it was made from: what suits every part, and the controller.
///
/// # Panics
/// As [`of_board`]: not for a board whose setup has been compiled.
#[must_use]
pub const fn bus_of_board(board: &BoardInfo) -> (Timing, Bus<'static>) {
    let Some(controller) = Controller::of_soc(board.soc) else {
        panic!("boot/src/nand/controller.rs does not have this SoC");
    };
    let Some(timing) = part::worst(board.nand_parts) else {
        panic!("boot/src/nand/part.rs does not have a NAND part of this board");
    };
    let clock = BusClock::of(board.fclk, board.hclk);
    let Ok(setting) = Setting::solve(&timing, controller, clock) else {
        panic!("the NAND controller cannot be as slow as a part of this board needs");
    };
    (timing, Bus { controller, clock, setting })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;
    use platform::units::{Hz, Ns};

    fn board(soc: &'static str, hclk: u32, nand_parts: &'static [&'static str]) -> NandSetup {
        let info = *platform::hal::Machine::board(&Board::new().machine);
        of_board(&BoardInfo { soc, hclk: Hz(hclk), nand_parts, ..info })
    }

    #[test]
    fn boards_get_the_fields_of_their_parts() {
        let gta02 = board("S3C2442B", 133_333_333, &["K5D2G13ACM"]);
        assert_eq!((gta02.write, gta02.read), ([0, 3, 1], [0, 3, 1]));
        assert_eq!((gta02.t_whr_min, gta02.t_rhw_min), (Ns(60), Ns(100)));
        assert_eq!(gta02.t_busy_max, Ns(500_000));
        assert_eq!(
            (gta02.t_adl_min, gta02.t_prog_max, gta02.t_bers_max),
            (Ns(100), Ns(700_000), Ns(2_000_000))
        );
        let mini2440 = board("S3C2440A", 100_000_000, &["K9F1G08U0B", "K9F2G08U0B"]);
        assert_eq!(mini2440.write, [0, 2, 0]);
    }

    #[test]
    #[should_panic(expected = "does not have a NAND part")]
    fn unknown_parts_do_not_pass() {
        let _ = board("S3C2440A", 100_000_000, &["K9F1G08U0B", "K9F"]);
    }

    #[test]
    #[should_panic(expected = "does not have this SoC")]
    fn unknown_controllers_do_not_pass() {
        let _ = board("S3C6410", 100_000_000, &["K9F1G08U0B"]);
    }
}
