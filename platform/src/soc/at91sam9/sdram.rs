//! SDRAM controller and the chip select that it needs. As at91bootstrap, driver/sdramc.c.

use crate::units::Hz;
use tock_registers::interfaces::{ReadWriteable, Writeable};
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

register_bitfields![u32,
    MR [
        /// What the next access to SDRAM is turned into.
        MODE OFFSET(0) NUMBITS(3) [Normal = 0, Nop = 1, PrechargeAll = 2, LoadMode = 3, Refresh = 4]
    ],
    CSA [
        /// Chip select 3 has the NAND's strobes.
        CS3_NAND OFFSET(3) NUMBITS(1) [],
        /// Chip select 1 is the SDRAM controller's.
        CS1_SDRAM OFFSET(1) NUMBITS(1) []
    ]
];

register_structs! {
    /// The block.
    pub Regs {
        (0x00 => mr: ReadWrite<u32, MR::Register>),
        (0x04 => tr: ReadWrite<u32>),
        (0x08 => cr: ReadWrite<u32>),
        (0x0c => _reserved0),
        (0x24 => mdr: ReadWrite<u32>),
        (0x28 => @END),
    }
}

register_structs! {
    /// EBI_CSA.
    pub EbiCsa {
        (0x00 => csa: ReadWrite<u32, CSA::Register>),
        (0x04 => @END),
    }
}

register_structs! {
    /// The first words of SDRAM.
    pub Window {
        (0x00 => words: [ReadWrite<u32>; 10]),
        (0x28 => @END),
    }
}

/// D16 to D31, the upper half of the data bus.
const UPPER_DATA: u32 = 0xffff_0000;
/// A word whose address loads the mode register: 0x24, as at91bootstrap has it.
const LOAD_MODE_WORD: usize = 9;

/// A memory 32 bits wide; times in periods of MCK.
#[derive(Clone, Copy)]
pub struct SdramConfig {
    /// Column address bits, 8 to 11.
    pub columns: u32,
    /// Row address bits, 11 to 13.
    pub rows: u32,
    /// CAS latency, 2 or 3.
    pub cas_latency: u32,
    /// tWR.
    pub t_wr: u32,
    /// tRC.
    pub t_rc: u32,
    /// tRP.
    pub t_rp: u32,
    /// tRCD.
    pub t_rcd: u32,
    /// tRAS.
    pub t_ras: u32,
    /// tXSR.
    pub t_xsr: u32,
    /// Average time between refreshes in tenths of a microsecond.
    pub refresh_interval: u32,
}

/// The registers' contents.
pub struct Values {
    cr: u32,
    tr: u32,
}

impl SdramConfig {
    /// The contents of the registers for this MCK; four banks.
    #[must_use]
    pub const fn values(&self, mck: Hz) -> Values {
        assert!(self.columns >= 8 && self.columns <= 11 && self.rows >= 11 && self.rows <= 13);
        assert!(self.cas_latency == 2 || self.cas_latency == 3);
        let times = [self.t_wr, self.t_rc, self.t_rp, self.t_rcd, self.t_ras, self.t_xsr];
        let mut cr = (self.columns - 8) | (self.rows - 11) << 2 | 1 << 4 | self.cas_latency << 5;
        let mut i = 0;
        while i < times.len() {
            assert!(times[i] < 16);
            cr |= times[i] << (8 + 4 * i);
            i += 1;
        }
        // Rounded down: rather too early.
        let tr = (mck.0 as u64 * self.refresh_interval as u64 / 10_000_000) as u32;
        assert!(tr > 0 && tr < 1 << 12);
        Values { cr, tr }
    }
}

/// Takes SDRAM through the initialisation that JEDEC prescribes: every command takes effect with
/// the access that follows. Runs from SRAM at the MCK that the values are meant for.
#[inline(always)]
pub fn start(values: &Values) {
    super::map::pio_c().to_peripheral_a(UPPER_DATA);
    super::map::ebi_csa().csa.modify(CSA::CS1_SDRAM::SET + CSA::CS3_NAND::SET);
    let regs = super::map::sdram();
    regs.cr.set(values.cr);
    regs.mdr.set(0); // SDRAM, not the low-power kind
    // 200 us at the highest core clock there is.
    crate::arch::delay(200 * 210);
    let words = &super::map::sdram_window().words;
    let command = |mode: u32, word: usize| {
        regs.mr.set(mode);
        if let Some(word) = words.get(word) {
            word.set(0);
        }
    };
    command(MR::MODE::Nop.value, 0);
    command(MR::MODE::PrechargeAll.value, 0);
    for _ in 0..8 {
        command(MR::MODE::Refresh.value, 1);
    }
    command(MR::MODE::LoadMode.value, LOAD_MODE_WORD);
    command(MR::MODE::Normal.value, 0);
    regs.tr.set(values.tr);
}
