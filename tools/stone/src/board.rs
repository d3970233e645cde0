//! What the boards' NAND timing depends on: their clocks and the parts they may carry.

use boot::nand::timing::BusClock;
use platform::units::Hz;

/// A board.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Its name, as recipes spell it.
    pub name: &'static str,
    /// Its SoC.
    pub soc: &'static str,
    /// Core clock.
    pub fclk: Hz,
    /// The divider for HCLK that the firmware sets.
    pub divider: u32,
    /// Dividers that keep HCLK within the limit of the SoC.
    pub dividers: &'static [u32],
    /// NAND parts that it may carry.
    pub parts: &'static [&'static str],
}

impl Board {
    /// HCLK as the firmware sets it.
    #[must_use]
    pub const fn hclk(&self) -> BusClock {
        BusClock { source: self.fclk, divider: self.divider }
    }
}

/// All boards. HCLK of the S3C2440 and S3C2442 is 136 MHz at most; the S3C2410 has no dividers but 1
/// and 2, of which the first is too much for its bus.
pub const BOARDS: [Board; 3] = [
    Board {
        name: "gta02",
        soc: "S3C2442B",
        fclk: Hz(400_000_000),
        divider: 3,
        dividers: &[3, 4],
        parts: &["K5D2G13ACM"],
    },
    Board {
        name: "mini2440",
        soc: "S3C2440A",
        fclk: Hz(400_000_000),
        divider: 4,
        dividers: &[3, 4],
        parts: &["K9F1G08U0B", "K9F2G08U0B"],
    },
    Board {
        name: "smdk2410",
        soc: "S3C2410X",
        fclk: Hz(202_800_000),
        divider: 2,
        dividers: &[2],
        parts: &["K9F1208U0C"],
    },
];

/// The board with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().find(|board| board.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use boot::nand::{controller::Controller, part};

    #[test]
    fn boards_are_made_of_what_exists() {
        let simulated = sim::boards();
        for board in &BOARDS {
            let twin = simulated.iter().find(|twin| twin.name == board.name).unwrap();
            assert!(board.parts.iter().all(|part| twin.parts.contains(part)), "{}", board.name);
            assert!(board.dividers.contains(&board.divider), "{}", board.name);
            assert!(board.dividers.iter().all(|divider| board.fclk.0 / divider <= 136_000_000));
            assert!(Controller::of_soc(board.soc).is_some(), "{}", board.name);
            assert!(part::worst(board.parts).is_some(), "{}", board.name);
        }
    }
}
