//! Why a simulation could not be run. What a guest does wrong is no error, it is in the report.

use crate::part::PartError;

/// Why a simulation could not be run.
#[derive(Debug)]
pub enum Error {
    /// No board of this name.
    UnknownBoard {
        /// The name asked for.
        name: String,
    },
    /// The board was never made with this NAND part.
    UnknownPart {
        /// The board.
        board: &'static str,
        /// The part asked for.
        name: String,
        /// Its parts.
        known: &'static [&'static str],
    },
    /// The image, a bad block or a flip does not fit the chip.
    Part(PartError),
    /// The CPU emulator refused; a fault of the simulator, not of the guest.
    Cpu {
        /// What was tried.
        what: &'static str,
        /// What the emulator said.
        reason: String,
    },
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownBoard { name } => {
                let known: Vec<_> = crate::boards().iter().map(|board| board.name).collect();
                write!(f, "no board `{name}`; known: {}", known.join(", "))
            }
            Self::UnknownPart { board, name, known } => {
                write!(f, "board {board} has no NAND part `{name}`; known: {}", known.join(", "))
            }
            Self::Part(error) => error.fmt(f),
            Self::Cpu { what, reason } => write!(f, "CPU emulator: {what}: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
