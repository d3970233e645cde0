//! Boards: a file of data each.

pub mod gta02;
pub mod mini2440;

use crate::bus::Ps;
use crate::soc::s3c2440::SocData;
use crate::soc::s3c2440::gpio::Port;

/// Every board there is.
pub static BOARDS: &[&Board] = &[&gta02::BOARD, &mini2440::BOARD];

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
    /// SoC.
    pub soc: &'static SocData,
    /// Crystal, in hertz.
    pub crystal: u64,
    /// SDRAM.
    pub sdram: SdramFit,
    /// NAND parts it was made with, the default first.
    pub parts: &'static [&'static str],
    /// Linux machine number.
    pub machine: u32,
    /// UART of the console.
    pub console: usize,
    /// Output that keeps the power on.
    pub keep_power: Option<KeepPower>,
    /// Output that must be high for the NAND to be programmed or erased.
    pub nand_write_protect: Option<(Port, u32)>,
    /// Things on other chip selects, modelled as nothing more than storage.
    pub external: &'static [External],
}

/// How SDRAM is fitted.
#[derive(Debug)]
pub struct SdramFit {
    /// First address.
    pub base: u32,
    /// Bytes in all.
    pub len: u32,
    /// Memory controller banks used, from bank 6 on, each 32 bits wide.
    pub banks: usize,
    /// Column address bits.
    pub columns: u32,
    /// BANKSIZE\[2:0\] for the size of a bank.
    pub bk76map: u32,
    /// MISCCR\[19:17\] must be clear before SDRAM is used.
    pub needs_sclk_enabled: bool,
}

impl SdramFit {
    /// Whether an address is in SDRAM.
    #[must_use]
    pub fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.len
    }
}

/// An output that must rise soon after power-on.
#[derive(Debug)]
pub struct KeepPower {
    /// Signal.
    pub name: &'static str,
    /// Its pin.
    pub pin: (Port, u32),
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
