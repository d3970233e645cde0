//! How fast a page can be read: what the chip, the bus and programmed I/O allow.

use super::controller::Controller;
use super::datasheet::Timing;
use super::part;
use super::timing::{BusClock, Cycle, Setting, Span};
use platform::hal::Geometry;
use platform::units::Ns;

/// Bus clocks that each access to the NAND controller takes beside the cycles of the chip:
/// synchronising and the address phase. An assumption, documented nowhere; 0 to 4 are likely.
pub const ACCESS_OVERHEAD: u32 = 2;

/// The shape of a page read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRead {
    /// Bytes of data.
    pub data: u32,
    /// Bytes of data and OOB.
    pub raw: u32,
    /// Bytes of OOB that hold ECC codes, all that a reader needs of it.
    pub ecc: u32,
    /// Command and address cycles.
    pub latches: u32,
}

impl PageRead {
    /// Of a chip with this organisation; three bytes of ECC for each step, which is 256 bytes of
    /// a large page and all of a small one.
    #[must_use]
    pub const fn of(geometry: &Geometry) -> Self {
        let step = if geometry.page > 512 { 256 } else { 512 };
        Self {
            data: geometry.page,
            raw: geometry.page + geometry.oob,
            ecc: geometry.page / step * 3,
            latches: part::latch_cycles(geometry),
        }
    }

    /// What the chip alone takes with its OOB, in picoseconds, if every cycle is as short as
    /// it permits.
    #[must_use]
    pub const fn chip_ps(&self, timing: &Timing) -> u64 {
        self.latches as u64 * ps(timing.t_wc_min) + ps(timing.t_r_max) + self.raw as u64 * ps(timing.t_rc_min)
    }

    /// What the bus takes with all of the OOB, in picoseconds.
    #[must_use]
    pub const fn bus_ps(&self, timing: &Timing, bus: &Bus<'_>) -> u64 {
        ps(timing.t_r_max) + bus.clock.picoseconds(self.latches * bus.latch() + self.raw * bus.data())
    }

    /// The same for one of many pages, with tR hidden behind the transfer by READ CACHE.
    #[must_use]
    pub const fn cached_ps(&self, t_rcbsy: Ns, bus: &Bus<'_>) -> u64 {
        ps(t_rcbsy) + bus.clock.picoseconds(self.raw * bus.data())
    }

    /// What programmed I/O takes, in picoseconds, when each access costs `overhead` bus clocks.
    /// Only the ECC codes are read of the OOB.
    #[must_use]
    pub const fn pio_ps(&self, timing: &Timing, bus: &Bus<'_>, overhead: u32) -> u64 {
        let bytes = bus.controller.access_bytes;
        let accesses = (self.data + self.ecc).div_ceil(bytes);
        let cycles = self.latches * (bus.latch() + overhead) + accesses * (bytes * bus.data() + overhead);
        ps(timing.t_r_max) + bus.clock.picoseconds(cycles)
    }

    /// The same for one of many pages that come by READ CACHE, with tR hidden behind the transfer.
    #[must_use]
    pub const fn cached_pio_ps(&self, t_rcbsy: Ns, bus: &Bus<'_>, overhead: u32) -> u64 {
        let bytes = bus.controller.access_bytes;
        let accesses = (self.data + self.ecc).div_ceil(bytes);
        let cycles = bus.latch() + overhead + accesses * (bytes * bus.data() + overhead);
        ps(t_rcbsy) + bus.clock.picoseconds(cycles)
    }

    /// Bytes of data a second, when a page takes this many picoseconds.
    #[must_use]
    pub const fn bytes_per_s(&self, page_ps: u64) -> u64 {
        self.data as u64 * 1_000_000_000_000 / page_ps
    }
}

const fn ps(time: Ns) -> u64 {
    time.0 as u64 * 1000
}

/// A controller with its clock and setting.
#[derive(Clone, Copy, Debug)]
pub struct Bus<'a> {
    /// The controller.
    pub controller: &'a Controller,
    /// Its clock.
    pub clock: BusClock,
    /// What it is set to.
    pub setting: Setting,
}

impl Bus<'_> {
    /// Bus clocks of a command or address byte.
    #[must_use]
    pub const fn latch(&self) -> u32 {
        self.setting.phases(self.controller, Cycle::Latch).span(Span::Whole)
    }

    /// Bus clocks of a byte that is read.
    #[must_use]
    pub const fn data(&self) -> u32 {
        self.setting.phases(self.controller, Cycle::DataOut).span(Span::Whole)
    }
}
