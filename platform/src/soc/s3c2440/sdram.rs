//! Memory controller. S3C2440A User's Manual, chapter 5.

use crate::units::Hz;
use tock_registers::interfaces::Writeable;
use tock_registers::register_structs;
use tock_registers::registers::ReadWrite;

/// Registers in the block.
const REGISTERS: usize = 13;

register_structs! {
    /// The block.
    pub Regs {
        /// BWSCON, BANKCON0 to 7, REFRESH, BANKSIZE, MRSRB6, MRSRB7.
        (0x00 => all: [ReadWrite<u32>; REGISTERS]),
        (0x34 => @END),
    }
}

/// Settings of the memory controller, in the order of its registers.
#[derive(Clone, Copy)]
pub struct SdramConfig {
    /// Bus widths and wait lines, four bits a bank.
    pub bwscon: u32,
    /// Access timing of banks 0 to 7; 6 and 7 may hold SDRAM.
    pub bankcon: [u32; 8],
    /// REFRESH without its counter: enable, tRP, tRC.
    pub refresh: u32,
    /// Average time between refreshes in tenths of a microsecond.
    pub refresh_interval: u32,
    /// Burst, power-down and the size of banks 6 and 7.
    pub banksize: u32,
    /// Mode registers: CAS latency.
    pub mrsr: [u32; 2],
}

/// `BANKCON6/7`: memory type SDRAM, tRCD in clocks (2 to 4), number of column bits (8 to 10).
#[must_use]
pub const fn sdram_bank(t_rcd: u32, columns: u32) -> u32 {
    assert!(t_rcd >= 2 && t_rcd <= 4 && columns >= 8 && columns <= 10);
    0b11 << 15 | (t_rcd - 2) << 2 | (columns - 8)
}

/// `REFRESH` without the counter: enabled, auto refresh, tRP (2 to 4) and tRC - tRP
/// (4 to 7) in clocks.
#[must_use]
pub const fn refresh(t_rp: u32, t_src: u32) -> u32 {
    assert!(t_rp >= 2 && t_rp <= 4 && t_src >= 4 && t_src <= 7);
    1 << 23 | (t_rp - 2) << 20 | (t_src - 4) << 18
}

/// `MRSRB6/7`: CAS latency in clocks, burst length 1.
#[must_use]
pub const fn mode(cas_latency: u32) -> u32 {
    assert!(cas_latency == 2 || cas_latency == 3);
    cas_latency << 4
}

impl SdramConfig {
    /// The refresh counter: 2^11 + 1 - HCLK x interval, rounded to refresh earlier.
    const fn counter(&self, hclk: Hz) -> u32 {
        let periods = hclk.0 as u64 * self.refresh_interval as u64 / 10_000_000;
        assert!(periods > 0 && periods <= 2048);
        2049 - periods as u32
    }

    /// The contents of all registers for this HCLK.
    #[must_use]
    pub const fn registers(&self, hclk: Hz) -> [u32; REGISTERS] {
        let [b0, b1, b2, b3, b4, b5, b6, b7] = self.bankcon;
        let refresh = self.refresh | self.counter(hclk);
        let [mrsr6, mrsr7] = self.mrsr;
        [self.bwscon, b0, b1, b2, b3, b4, b5, b6, b7, refresh, self.banksize, mrsr6, mrsr7]
    }
}

/// Writes all registers in order of address, as every boot loader for this chip does.
/// Runs from SRAM; HCLK must already be the one that the refresh counter is meant for.
/// Afterwards waits out the power-up of the memory.
pub fn start(values: &[u32; REGISTERS]) {
    for (register, value) in super::map::sdram().all.iter().zip(values) {
        register.set(*value);
    }
    // 200 us at the highest FCLK the chip has: time for the eight refreshes that SDRAM
    // wants before its first use.
    crate::arch::delay(200 * 400);
}
