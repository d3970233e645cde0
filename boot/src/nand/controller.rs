//! What the timing of a NAND controller can express, as data for [`super::timing`].

use super::timing::{Cycle, Phases};

/// A field of a timing register: a phase lasts for its value plus a bias, in bus clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the manual.
    pub name: &'static str,
    /// Its smallest value.
    pub min: u32,
    /// Its largest value.
    pub max: u32,
    /// What the controller adds.
    pub bias: u32,
}

impl Field {
    /// The shortest phase, in bus clocks.
    #[must_use]
    pub const fn shortest(&self) -> u32 {
        self.min + self.bias
    }

    /// The longest phase, in bus clocks.
    #[must_use]
    pub const fn longest(&self) -> u32 {
        self.max + self.bias
    }

    /// The value for a phase within these bounds.
    #[must_use]
    pub const fn value(&self, cycles: u32) -> u32 {
        cycles - self.bias
    }
}

/// Which cycles have a phase before the strobe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUp {
    /// Command and address cycles alone.
    LatchOnly(Field),
    /// Data cycles as well.
    EveryCycle(Field),
}

impl SetUp {
    /// Its field.
    #[must_use]
    pub const fn field(&self) -> &Field {
        match self {
            Self::LatchOnly(field) | Self::EveryCycle(field) => field,
        }
    }
}

/// The fields that shape the cycles of a strobe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strobe {
    /// Before the strobe falls.
    pub set_up: SetUp,
    /// While it is low.
    pub low: Field,
    /// While it is high again.
    pub high: Field,
}

impl Strobe {
    /// Its fields in the order of the phases.
    #[must_use]
    pub const fn fields(&self) -> [&Field; 3] {
        [self.set_up.field(), &self.low, &self.high]
    }

    /// Register values for phases, in the same order.
    #[must_use]
    pub const fn values(&self, phases: Phases) -> [u32; 3] {
        [self.set_up.field().value(phases.set_up), self.low.value(phases.low), self.high.value(phases.high)]
    }

    /// The phases with all fields as small as they go.
    #[must_use]
    pub const fn shortest(&self) -> Phases {
        Phases {
            set_up: self.set_up.field().shortest(),
            low: self.low.shortest(),
            high: self.high.shortest(),
        }
    }
}

/// Who drives nCE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChipEnable {
    /// Software: it stays low through whole operations.
    Held,
    /// The controller: it falls and rises with each cycle.
    EachCycle,
}

/// The timing side of a NAND controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    /// The name of its SoC.
    pub soc: &'static str,
    /// Cycles that write, and those that read if `read` is `None`.
    pub write: Strobe,
    /// Cycles that read, where they have fields of their own.
    pub read: Option<Strobe>,
    /// Who drives nCE.
    pub chip_enable: ChipEnable,
    /// Bytes that one access to the data register moves.
    pub access_bytes: u32,
}

impl Controller {
    /// The strobe that makes a kind of cycle.
    #[must_use]
    pub const fn strobe(&self, cycle: Cycle) -> &Strobe {
        match (cycle, &self.read) {
            (Cycle::DataOut, Some(strobe)) => strobe,
            _ => &self.write,
        }
    }

    /// The controller of the SoC with this name; letter case is free, and what comes behind
    /// the number (the A of S3C2440A) does not matter.
    #[must_use]
    pub const fn of_soc(name: &str) -> Option<&'static Self> {
        let mut i = 0;
        while i < ALL.len() {
            if starts_with(name.as_bytes(), ALL[i].soc.as_bytes()) {
                return Some(ALL[i]);
            }
            i += 1;
        }
        None
    }
}

const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let mut i = 0;
    while i < start.len() {
        if i == text.len() || !text[i].eq_ignore_ascii_case(&start[i]) {
            return false;
        }
        i += 1;
    }
    true
}

/// S3C2440A User's Manual, chapter 6: TACLS counts as it stands, TWRPH0 and TWRPH1 one more.
/// TACLS is taken for two bits wide; one register header says three.
pub const S3C2440: Controller = Controller {
    soc: "S3C2440",
    write: Strobe {
        set_up: SetUp::LatchOnly(Field { name: "TACLS", min: 0, max: 3, bias: 0 }),
        low: Field { name: "TWRPH0", min: 0, max: 7, bias: 1 },
        high: Field { name: "TWRPH1", min: 0, max: 7, bias: 1 },
    },
    read: None,
    chip_enable: ChipEnable::Held,
    access_bytes: 4,
};

/// S3C2442B: the same block.
pub const S3C2442: Controller = Controller { soc: "S3C2442", ..S3C2440 };

/// S3C2410X User's Manual, chapter 6: all three fields count one more, and the data register
/// is a byte wide.
pub const S3C2410: Controller = Controller {
    soc: "S3C2410",
    write: Strobe {
        set_up: SetUp::LatchOnly(Field { name: "TACLS", min: 0, max: 7, bias: 1 }),
        low: Field { name: "TWRPH0", min: 0, max: 7, bias: 1 },
        high: Field { name: "TWRPH1", min: 0, max: 7, bias: 1 },
    },
    read: None,
    chip_enable: ChipEnable::Held,
    access_bytes: 1,
};

/// The static memory controller of AT91SAM9260 and its siblings: set-up, pulse and hold of every
/// cycle, which the registers have as set-up, pulse and cycle. Lengths up to the first step of
/// their encoding (Linux, drivers/mfd/atmel-smc.c). ALE and CLE are address lines, which change
/// as a cycle begins; nCE is a port pin.
pub const AT91SAM9: Controller = Controller {
    soc: "AT91SAM9",
    write: Strobe {
        set_up: SetUp::EveryCycle(Field { name: "NWE_SETUP", min: 0, max: 31, bias: 0 }),
        low: Field { name: "NWE_PULSE", min: 1, max: 63, bias: 0 },
        high: Field { name: "NWE_HOLD", min: 1, max: 31, bias: 0 },
    },
    read: Some(Strobe {
        set_up: SetUp::EveryCycle(Field { name: "NRD_SETUP", min: 0, max: 31, bias: 0 }),
        low: Field { name: "NRD_PULSE", min: 1, max: 63, bias: 0 },
        high: Field { name: "NRD_HOLD", min: 1, max: 31, bias: 0 },
    }),
    chip_enable: ChipEnable::Held,
    access_bytes: 32,
};

/// All that are known.
pub const ALL: &[&Controller] = &[&S3C2410, &S3C2440, &S3C2442, &AT91SAM9];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_found_by_the_name_of_its_soc() {
        let check =
            |name, expected: Option<&str>| assert_eq!(Controller::of_soc(name).map(|c| c.soc), expected);
        check("S3C2442B", Some("S3C2442"));
        check("s3c2440", Some("S3C2440"));
        check("S3C2410X", Some("S3C2410"));
        check("S3C24", None);
        check("", None);
    }

    #[test]
    fn counts_as_the_manuals_say() {
        let check = |controller: &Controller, phases, values| {
            assert_eq!(controller.write.values(phases), values, "{}", controller.soc);
        };
        check(&S3C2440, Phases { set_up: 0, low: 4, high: 2 }, [0, 3, 1]);
        check(&S3C2410, Phases { set_up: 1, low: 4, high: 2 }, [0, 3, 1]);
    }
}
