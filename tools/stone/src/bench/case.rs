//! What is measured: boards as they are built, readers, and what was published of them.

use crate::board::{self, Board};
use crate::{Error, Result};
use boot::nand::controller::Controller;
use boot::nand::part::{self, Part};
use boot::nand::speed::{Bus, PageRead};
use boot::nand::subject::Subject;
use boot::nand::timing::{BusClock, Phases, Setting};
use std::fmt;

/// A board with a part, and the build of stage1 that runs on it.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The board.
    pub board: &'static str,
    /// The part it carries.
    pub part: &'static str,
    /// Directory in `target` that stage1 is in.
    pub build: &'static str,
    /// Parts that this build's NAND timing suits.
    pub suits: &'static [&'static str],
    /// Divider from FCLK to HCLK in this build.
    pub divider: u32,
}

/// How a reader of others' gets at data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Byte by byte.
    Bytes,
    /// Word by word.
    Words,
}

/// Who computes its ECC codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecc {
    /// The core, as Linux 2.6 did.
    Software,
    /// The controller.
    Hardware,
}

/// A reader of others': see `images/readers`.
#[derive(Clone, Copy, Debug)]
pub struct Naive {
    /// How data comes.
    pub transfer: Transfer,
    /// Who checks it.
    pub ecc: Ecc,
    /// TACLS, TWRPH0 and TWRPH1 as they were asked for, in nanoseconds.
    pub asked: [u32; 3],
}

/// Who reads.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// Ours.
    Stage1,
    /// Others'.
    Naive(Naive),
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stage1 => f.write_str("stage1"),
            Self::Naive(naive) => {
                let transfer = match naive.transfer {
                    Transfer::Bytes => "bytes",
                    Transfer::Words => "words",
                };
                let ecc = match naive.ecc {
                    Ecc::Software => "software",
                    Ecc::Hardware => "hardware",
                };
                write!(f, "{transfer}, {ecc} ECC")
            }
        }
    }
}

/// A line of the benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// On what.
    pub machine: Machine,
    /// Who.
    pub reader: Reader,
    /// What somebody has measured, in 10^6 bytes per second.
    pub published: Option<f64>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}, {}", self.machine.build, self.machine.part, self.reader)?;
        match self.reader {
            Reader::Stage1 => Ok(()),
            Reader::Naive(Naive { asked: [tacls, twrph0, twrph1], .. }) => {
                write!(f, " at {tacls}/{twrph0}/{twrph1} ns")
            }
        }
    }
}

const GTA02: Machine =
    Machine { board: "gta02", part: "K5D2G13ACM", build: "gta02", suits: &["K5D2G13ACM"], divider: 3 };
/// As the kernels whose speed was published set it.
const GTA02_100: Machine = Machine { build: "gta02-100mhz", divider: 4, ..GTA02 };
const MINI2440: Machine = Machine {
    board: "mini2440",
    part: "K9F1G08U0B",
    build: "mini2440",
    suits: &["K9F1G08U0B", "K9F2G08U0B"],
    divider: 4,
};
const MINI2440_256: Machine = Machine { part: "K9F2G08U0B", ..MINI2440 };
const MINI2440_K9F2G: Machine =
    Machine { build: "mini2440-K9F2G08U0B", suits: &["K9F2G08U0B"], ..MINI2440_256 };
const MINI2440_MT29: Machine =
    Machine { part: "MT29F2G08AAC", build: "mini2440-MT29F2G08AAC", suits: &["MT29F2G08AAC"], ..MINI2440 };

const SMDK2410: Machine =
    Machine { board: "smdk2410", part: "K9F1208U0C", build: "smdk2410", suits: &["K9F1208U0C"], divider: 2 };

/// Settings of others', in the order in which they were replaced.
const OLD_U_BOOT: [u32; 3] = [30, 80, 80];
const OLD_LINUX: [u32; 3] = [30, 70, 30];
const LATER_LINUX: [u32; 3] = [0, 30, 20];
/// Linux's for the SMDK2410. At its HCLK, 80 ns are more than TWRPH0 can be.
const SMDK: [u32; 3] = [20, 60, 20];

/// Everything that `make bench` measures, board by board, our reader first.
#[must_use]
pub fn all() -> Vec<Case> {
    use Transfer::{Bytes, Words};
    let settings = [OLD_U_BOOT, OLD_LINUX, LATER_LINUX];
    let gta02 =
        [GTA02, GTA02_100].map(stage1).into_iter().chain(others(GTA02_100, settings, &[Bytes, Words]));
    let ours = [MINI2440, MINI2440_256, MINI2440_K9F2G, MINI2440_MT29].map(stage1);
    let mini2440 = ours.into_iter().chain(others(MINI2440_256, settings, &[Bytes, Words]));
    let smdk2410 =
        [stage1(SMDK2410)].into_iter().chain(others(SMDK2410, [OLD_LINUX, SMDK, LATER_LINUX], &[Bytes]));
    gta02.chain(mini2440).chain(smdk2410).collect()
}

/// A machine with all readers of others', at these settings.
fn others(
    machine: Machine,
    settings: [[u32; 3]; 3],
    transfers: &'static [Transfer],
) -> impl Iterator<Item = Case> {
    settings.into_iter().flat_map(move |asked| {
        [Ecc::Software, Ecc::Hardware]
            .into_iter()
            .flat_map(move |ecc| transfers.iter().map(move |&transfer| naive(machine, transfer, ecc, asked)))
    })
}

const fn stage1(machine: Machine) -> Case {
    Case { machine, reader: Reader::Stage1, published: None }
}

fn naive(machine: Machine, transfer: Transfer, ecc: Ecc, asked: [u32; 3]) -> Case {
    let published = if machine.board == "gta02" { published(transfer, ecc, asked) } else { None };
    Case { machine, reader: Reader::Naive(Naive { transfer, ecc, asked }), published }
}

/// Harald Welte on GTA02, 20 October 2008: `dd bs=512` of the whole chip under Linux 2.6.24,
/// whose driver for the S3C2440 read words.
fn published(transfer: Transfer, ecc: Ecc, asked: [u32; 3]) -> Option<f64> {
    match (transfer, ecc, asked) {
        (Transfer::Words, Ecc::Software, OLD_LINUX) => Some(4.646),
        (Transfer::Words, Ecc::Software, LATER_LINUX) => Some(6.592),
        (Transfer::Words, Ecc::Hardware, LATER_LINUX) => Some(9.197),
        _ => None,
    }
}

/// What a page takes at best.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of data in it.
    data: u32,
    /// By programmed I/O.
    pub pio_ns: f64,
    /// On the bus.
    pub bus_ns: f64,
}

impl Limits {
    /// The rate in 10^6 bytes per second when a page takes so long.
    #[must_use]
    pub fn rate(&self, page_ns: f64) -> f64 {
        f64::from(self.data) * 1e3 / page_ns
    }
}

impl Machine {
    fn board(&self) -> Result<&'static Board> {
        board::find(self.board).ok_or_else(|| Error::new(format!("the board `{}` is unknown", self.board)))
    }

    /// Its part.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn part(&self) -> Result<&'static Part> {
        part::find(self.part).ok_or_else(|| Error::new(format!("the part `{}` is unknown", self.part)))
    }

    /// Its bus clock.
    ///
    /// # Errors
    /// When the board is unknown.
    pub fn clock(&self) -> Result<BusClock> {
        Ok(BusClock { source: self.board()?.fclk, divider: self.divider })
    }

    fn controller(&self) -> Result<&'static Controller> {
        let soc = self.board()?.soc;
        Controller::of_soc(soc).ok_or_else(|| Error::new(format!("the SoC `{soc}` is unknown")))
    }

    /// Address bytes that select a page.
    ///
    /// # Errors
    /// When the part is unknown.
    pub fn row_bytes(&self) -> Result<u32> {
        let part = self.part()?;
        // The others are the commands and the column.
        Ok(part.latch_cycles() - if part.geometry.page > 512 { 4 } else { 2 })
    }
}

impl Case {
    /// The controller, its clock and its setting.
    ///
    /// # Errors
    /// When the controller has no such setting.
    pub fn bus(&self) -> Result<Bus<'static>> {
        let (controller, clock) = (self.machine.controller()?, self.machine.clock()?);
        let setting = match self.reader {
            Reader::Stage1 => self.solved(controller, clock)?,
            Reader::Naive(naive) => asked(naive.asked, controller, clock)?,
        };
        Ok(Bus { controller, clock, setting })
    }

    fn solved(&self, controller: &Controller, clock: BusClock) -> Result<Setting> {
        let parts: Option<Vec<_>> = self.machine.suits.iter().map(|name| part::find(name)).collect();
        let subject = parts.and_then(Subject::any_of).ok_or_else(|| Error::new("a part is unknown"))?;
        Setting::solve(&subject.timing, controller, clock)
            .map_err(|error| Error::new(format!("{} cannot serve {subject}: {error}", controller.soc)))
    }

    /// TACLS, TWRPH0 and TWRPH1 as they come out, in nanoseconds.
    ///
    /// # Errors
    /// As [`Self::bus`].
    pub fn setting_ns(&self) -> Result<[f64; 3]> {
        let Bus { clock, setting, .. } = self.bus()?;
        let Phases { set_up, low, high } = setting.write;
        Ok([set_up, low, high].map(|cycles| clock.picoseconds(cycles) as f64 / 1e3))
    }

    /// What the controller and the bus could reach at this setting, for an overhead of each access.
    ///
    /// # Errors
    /// As [`Self::bus`].
    pub fn limits(&self, overhead: u32) -> Result<Limits> {
        let (bus, part) = (self.bus()?, self.machine.part()?);
        let page = PageRead::of(&part.geometry);
        Ok(Limits {
            data: page.data,
            pio_ns: page.pio_ps(&part.timing, &bus, overhead) as f64 / 1e3,
            bus_ns: page.bus_ps(&part.timing, &bus) as f64 / 1e3,
        })
    }
}

/// Rounded up to the bus clock, as Linux does.
fn asked(ns: [u32; 3], controller: &Controller, clock: BusClock) -> Result<Setting> {
    let [set_up, low, high] = ns.map(|ns| clock.cycles(platform::units::Ns(ns)));
    let shortest = controller.write.shortest();
    let phases = Phases { set_up: set_up.max(shortest.set_up), low, high };
    let fits = controller.write.fields().into_iter().zip([phases.set_up, low, high]);
    for (field, cycles) in fits {
        if cycles < field.shortest() || cycles > field.longest() {
            return Err(Error::new(format!("{} cannot be {cycles} bus clocks", field.name))
                .expected(format!("{} to {}", field.shortest(), field.longest())));
        }
    }
    Ok(Setting { write: phases, read: phases })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(case: &Case) -> (f64, f64) {
        let limits = case.limits(super::super::OVERHEAD).unwrap();
        (limits.rate(limits.pio_ns), limits.rate(limits.bus_ns))
    }

    /// The arithmetic that was published with the figures: 5.623, 8.637 and 15.639 MB/s.
    #[test]
    fn bus_limits_are_the_published_ones() {
        let check = |asked, expected: f64| {
            let (pio, bus) = rates(&naive(GTA02_100, Transfer::Words, Ecc::Hardware, asked));
            assert!((bus - expected).abs() < 0.001 && pio < bus, "{asked:?}: {bus}");
        };
        check(OLD_U_BOOT, 5.623);
        check(OLD_LINUX, 8.637);
        check(LATER_LINUX, 15.639);
    }

    #[test]
    fn refuses_what_does_not_fit_a_field() {
        let case = naive(GTA02, Transfer::Words, Ecc::Hardware, OLD_U_BOOT);
        assert!(case.bus().unwrap_err().to_string().contains("TACLS cannot be 4 bus clocks"));
    }

    #[test]
    fn every_case_has_a_setting_and_is_there_once() {
        let mut names: Vec<_> = all()
            .iter()
            .map(|case| {
                case.bus().unwrap();
                case.to_string()
            })
            .collect();
        let len = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), len);
    }
}
