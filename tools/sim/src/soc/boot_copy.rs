//! Reading a page as hardware does by itself, before any software runs.

use crate::bus::{Access, Ps};
use crate::part::{Chip, Pulse};

/// What the boot copy got from one page.
#[derive(Clone, Debug)]
pub struct BootPage {
    /// The data bytes of the page.
    pub data: Vec<u8>,
    /// How long byte cycles took.
    pub bus_time: Ps,
    /// When the last byte was in.
    pub end: Ps,
}

/// Reads the data bytes of the page at these address cycles, nCE driven by hardware.
///
/// One READ per page that leaves the spare bytes out is an assumption, and so is one HCLK from R/nB
/// to the first nRE: the manuals give only the result.
pub fn read_page(chip: &mut Chip, address: &[u8], pulse: Pulse, access: &mut Access<'_>) -> BootPage {
    let start = access.now;
    chip.select(true, access);
    chip.command(0x00, access.now, pulse, access);
    for &byte in address {
        access.now += pulse.latch_cycle();
        chip.address(byte, access.now, pulse, access);
    }
    if let Some(confirm) = chip.part().commands.read_confirm {
        access.now += pulse.latch_cycle();
        chip.command(confirm, access.now, pulse, access);
    }
    access.now += pulse.latch_cycle();
    let bytes = chip.part().geometry.page;
    let bus_time = access.now - start + Ps::from(bytes) * pulse.data_cycle();
    let (_, ready) = chip.busy_edges();
    let hclk = access.clocks.hclk;
    access.now = access.now.max(ready).next_multiple_of(hclk) + hclk;
    let data = (0..bytes)
        .map(|_| {
            let byte = chip.read(1, access.now, pulse, access) as u8;
            access.now += pulse.data_cycle();
            byte
        })
        .collect();
    chip.select(false, access);
    BootPage { data, bus_time, end: access.now }
}
