//! Boards: a file of data each.

pub mod at91sam9260ek;
pub mod gta02;
pub mod mini2440;
pub mod smdk2410;

use crate::bus::Ps;
use crate::soc::Fitted;

/// Every board there is.
pub static BOARDS: &[&Board] = &[&gta02::BOARD, &mini2440::BOARD, &smdk2410::BOARD, &at91sam9260ek::BOARD];

/// The board of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().copied().find(|board| board.name == name)
}

/// A board: what its schematic says.
#[derive(Debug)]
pub struct Board {
    /// Name.
    pub name: &'static str,
    /// One line about it.
    pub description: &'static str,
    /// SoC, and how it is wired.
    pub soc: &'static dyn Fitted,
    /// NAND parts it was made with, the default first.
    pub parts: &'static [&'static str],
    /// Linux machine number.
    pub machine: u32,
    /// Output that keeps the power on.
    pub keep_power: Option<KeepPower>,
    /// Things on other chip selects, modelled as nothing more than storage.
    pub external: &'static [External],
}

/// An output of the SoC that must rise soon after power-on.
#[derive(Debug)]
pub struct KeepPower {
    /// Signal.
    pub name: &'static str,
    /// Until when.
    pub within: Ps,
}

/// A chip on a chip select of its own.
#[derive(Debug)]
pub struct External {
    /// What it is.
    pub name: &'static str,
    /// First address.
    pub base: u32,
    /// Length of its chip select's window.
    pub len: u32,
}
