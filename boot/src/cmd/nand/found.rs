//! Which part the chip is, and with what timing it is read.

use crate::cmd::{CmdError, Context};
use crate::nand::onfi::{Onfi, OnfiError};
use crate::nand::part::{self, PARTS, Part};
use crate::nand::speed::{ACCESS_OVERHEAD, Bus, PageRead};
use crate::nand::subject::Subject;
use crate::nand::{NandError, setup};
use arrayvec::ArrayVec;
use core::fmt;
use platform::hal::BoardInfo;

/// A list of parts.
type Parts = ArrayVec<&'static Part, { PARTS.len() }>;

/// The chip by its id.
pub struct Found {
    /// What it answers to READ ID.
    pub id: [u8; 5],
    /// What it is: a part that this board may carry if one of those has this id, or else any
    /// part that has. With an unknown id what it says of itself, or else something that wants the
    /// safe timing.
    pub subject: Subject<'static>,
    /// Parts with the same id that this board is not built for.
    pub others: Parts,
    /// Is the id in the table?
    pub known: bool,
    /// What it says of itself, if it is an ONFI chip.
    pub onfi: Option<Result<Onfi, OnfiError>>,
    /// Was the loader built to read by READ CACHE?
    read_cache: bool,
    /// The controller with the setting that the loader was built with.
    pub bus: Bus<'static>,
}

impl Found {
    /// Resets the chip and asks for its id.
    pub fn look(ctx: &mut Context<'_>) -> Result<Self, CmdError> {
        let id = ctx.nand.identify().map_err(|_| NandError::Reset)?;
        let onfi = Onfi::read(ctx.nand)?;
        let board = ctx.machine.board();
        let (ours, others): (Parts, Parts) = part::matching(id).partition(|part| is_of(board, part));
        let (likely, others) = if ours.is_empty() { (others, Parts::new()) } else { (ours, others) };
        let known = !likely.is_empty();
        let subject = Subject::any_of(likely).unwrap_or_else(|| match &onfi {
            Some(Ok(onfi)) => Subject::new("this ONFI part", onfi.timing, onfi.geometry),
            _ => {
                let geometry = part::decode(id).unwrap_or(ctx.nand.geometry());
                Subject::new("an unknown part", part::SAFE, geometry)
            }
        });
        let read_cache = part::all_read_cache(board.nand_parts);
        Ok(Self { id, subject, others, known, onfi, read_cache, bus: setup::bus_of_board(board).1 })
    }

    /// What programmed I/O takes for a page of it, in picoseconds.
    pub const fn pio_ps(&self) -> u64 {
        self.page().pio_ps(&self.subject.timing, &self.bus, ACCESS_OVERHEAD)
    }

    /// The same by READ CACHE; [`None`] if the loader was built for parts without it.
    pub fn cached_ps(&self) -> Option<u64> {
        let t_rcbsy = self.subject.t_rcbsy.filter(|_| self.read_cache)?;
        Some(self.page().cached_pio_ps(t_rcbsy, &self.bus, ACCESS_OVERHEAD))
    }

    /// The shape of a page read.
    pub const fn page(&self) -> PageRead {
        PageRead::of(&self.subject.geometry)
    }
}

fn is_of(board: &BoardInfo, part: &Part) -> bool {
    board.nand_parts.iter().any(|name| name.eq_ignore_ascii_case(part.name))
}

/// The part, and what else has its id.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        for (i, other) in self.others.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "; the same id has " } else { ", " }, other.name)?;
        }
        Ok(())
    }
}

/// The bytes of an id.
pub struct Id(pub [u8; 5]);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [maker, rest @ ..] = self.0;
        write!(f, "{maker:02x}")?;
        rest.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
    }
}
