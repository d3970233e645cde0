//! Memory controller: S3C2440A User's Manual, chapter 5. Checks the SDRAM settings against the board.

use crate::bus::{Access, Clocks, Peripheral, Ps};
use crate::membus::SdramTiming;
use crate::model;
use crate::soc::no_such_register;
use crate::time::NEVER;

const BWSCON: u32 = 0x00;
const BANKCON0: u32 = 0x04;
const BANKCON7: u32 = 0x20;
const REFRESH: u32 = 0x24;
const BANKSIZE: u32 = 0x28;
const MRSRB6: u32 = 0x2c;
const MRSRB7: u32 = 0x30;

const REFEN: u32 = 1 << 23;
const TREFMD_SELF: u32 = 1 << 22;
const MT_SDRAM: u32 = 3;

/// How SDRAM is fitted to a board.
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
    /// Values of BANKSIZE\[2:0\] under which every byte is where it should be. Behind a single bank
    /// the window may be larger than the bank.
    pub bk76map: &'static [u32],
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

/// The block.
#[derive(Clone, Debug)]
pub struct MemoryController {
    fit: &'static SdramFit,
    bwscon: u32,
    bankcon: [u32; 8],
    refresh: u32,
    banksize: u32,
    mrsr: [u32; 2],
    /// When the mode registers of banks 6 and 7 were written.
    mode_set: [Option<Ps>; 2],
}

impl MemoryController {
    /// The block after reset.
    #[must_use]
    pub fn new(fit: &'static SdramFit) -> Self {
        Self {
            fit,
            bwscon: 0,
            bankcon: [0x0700, 0x0700, 0x0700, 0x0700, 0x0700, 0x0700, 0x0001_8008, 0x0001_8008],
            refresh: 0x00ac_0000,
            banksize: 0,
            mrsr: [0; 2],
            mode_set: [None; 2],
        }
    }

    /// When the last SDRAM bank of the board was brought up, if all are.
    #[must_use]
    pub fn ready_since(&self) -> Option<Ps> {
        let times = self.mode_set.iter().take(self.fit.banks);
        times.copied().reduce(|one, other| Some(one?.max(other?))).flatten()
    }

    /// Timings of the SDRAM as programmed.
    #[must_use]
    pub fn timing(&self, hclk: Ps) -> SdramTiming {
        SdramTiming {
            cas: u64::from(self.cas(0)).clamp(1, 7),
            rcd: self.rcd(0),
            rp: self.rp(),
            bus_bytes: 1 << (self.bwscon >> 24 & 3).min(2),
            refresh: self.refresh_period(hclk),
        }
    }

    fn cas(&self, bank: usize) -> u32 {
        self.mrsr[bank] >> 4 & 7
    }

    fn rcd(&self, bank: usize) -> u64 {
        u64::from(self.bankcon[6 + bank] >> 2 & 3) + 2
    }

    fn rp(&self) -> u64 {
        u64::from(self.refresh >> 20 & 3) + 2
    }

    /// Trc = Trp + Tsrc.
    fn rc(&self) -> u64 {
        self.rp() + u64::from(self.refresh >> 18 & 3) + 4
    }

    /// Counter = 2^11 + 1 - HCLK x period.
    fn refresh_period(&self, hclk: Ps) -> Ps {
        if self.refresh & (REFEN | TREFMD_SELF) != REFEN {
            return NEVER;
        }
        (2049 - u64::from(self.refresh & 0x7ff)) * hclk
    }

    /// What keeps the SDRAM from working at these clocks; `sclk_off` is MISCCR\[19:17\].
    #[must_use]
    pub fn problems(&self, now: Ps, clocks: Clocks, sclk_off: u32) -> Vec<(&'static str, String)> {
        let Some(since) = self.ready_since() else {
            return vec![("sdram-not-ready", "SDRAM is used before its mode register is set".to_owned())];
        };
        let mut found = Vec::new();
        let hclk = clocks.hclk;
        let mut settings = |wrong: bool, text: String| {
            if wrong {
                found.push(("sdram-settings", text));
            }
        };
        for bank in 0..self.fit.banks {
            let name = bank + 6;
            let width = self.bwscon >> (4 * name) & 3;
            settings(
                width != 2,
                format!("BWSCON: bank {name} has width code {width}, the board has 32 bits (2)"),
            );
            let bankcon = self.bankcon[name];
            settings(bankcon >> 15 & 3 != MT_SDRAM, format!("BANKCON{name}[16:15] does not say SDRAM"));
            let columns = (bankcon & 3) + 8;
            let real = self.fit.columns;
            settings(columns != real, format!("BANKCON{name}: {columns} column bits, the board has {real}"));
            let rcd = self.rcd(bank) * hclk;
            settings(
                rcd < model::SDRAM_T_RCD_MIN,
                format!("BANKCON{name}: tRCD is {} ps, {} needed", rcd, model::SDRAM_T_RCD_MIN),
            );
            let (cas, mode) = (self.cas(bank), self.mrsr[bank]);
            let too_fast = cas == 2 && hclk < model::SDRAM_T_CK_CL2_MIN;
            settings(
                !matches!(cas, 2 | 3) || mode & !0x70 != 0 || too_fast,
                format!("MRSRB{name} = {mode:#x}: CAS latency {cas} with an HCLK of {hclk} ps"),
            );
        }
        let code = self.banksize & 7;
        let right = self.fit.bk76map;
        let wanted = right.iter().map(u32::to_string).collect::<Vec<_>>().join(" or ");
        settings(!right.contains(&code), format!("BANKSIZE: BK76MAP is {code}, the board needs {wanted}"));
        let (rp, rc) = (self.rp() * hclk, self.rc() * hclk);
        settings(
            rp < model::SDRAM_T_RP_MIN,
            format!("REFRESH: tRP is {rp} ps, {} needed", model::SDRAM_T_RP_MIN),
        );
        settings(
            rc < model::SDRAM_T_RC_MIN,
            format!("REFRESH: tRC is {rc} ps, {} needed", model::SDRAM_T_RC_MIN),
        );
        let slowest = model::SDRAM_RETENTION / model::SDRAM_ROWS;
        let period = self.refresh_period(hclk);
        if period == NEVER {
            found.push(("sdram-refresh", "auto refresh is off".to_owned()));
        } else if period > slowest + slowest * model::SDRAM_REFRESH_SLACK_PERCENT / 100 {
            let text = format!("a row is refreshed every {period} ps, {slowest} needed at this HCLK");
            found.push(("sdram-refresh", text));
        } else if now < since + model::SDRAM_REFRESHES_BEFORE_USE * period {
            let count = model::SDRAM_REFRESHES_BEFORE_USE;
            found.push((
                "sdram-not-ready",
                format!("SDRAM is used before the {count} refreshes after the mode register"),
            ));
        }
        if self.fit.needs_sclk_enabled && sclk_off != 0 {
            found.push(("sdram-settings", format!("MISCCR[19:17] is {sclk_off:03b}: SCLK and SCKE are off")));
        }
        found
    }

    fn set_mode(&mut self, bank: usize, value: u32, access: &mut Access<'_>) {
        self.mrsr[bank] = value & 0x3ff;
        self.mode_set[bank] = Some(access.now);
        if access.now < model::SDRAM_POWER_UP {
            access.violation("sdram-settings", "the mode register is set before the SDRAM has powered up");
        }
    }
}

impl Peripheral for MemoryController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            // Bits 2 and 1 read OM[1:0]: 0 is NAND boot.
            (BWSCON, 4) => self.bwscon,
            (BANKCON0..=BANKCON7, 4) => self.bankcon[((offset - BANKCON0) / 4) as usize],
            (REFRESH, 4) => self.refresh,
            (BANKSIZE, 4) => self.banksize,
            (MRSRB6 | MRSRB7, 4) => self.mrsr[((offset - MRSRB6) / 4) as usize],
            _ => no_such_register("MEMCTL", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (BWSCON, 4) => self.bwscon = value & !0xf,
            (BANKCON0..=BANKCON7, 4) => {
                self.bankcon[((offset - BANKCON0) / 4) as usize] = value & 0x0001_ffff
            }
            (REFRESH, 4) => self.refresh = value & 0x00ff_07ff,
            (BANKSIZE, 4) => self.banksize = value & 0xb7,
            (MRSRB6 | MRSRB7, 4) => self.set_mode(((offset - MRSRB6) / 4) as usize, value, access),
            _ => {
                no_such_register("MEMCTL", offset, width, true, access);
            }
        }
        if self.fit.contains(access.pc) {
            access
                .violation("sdram-settings", "the memory controller is set up by code that runs from SDRAM");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Violations;
    use crate::time::US;

    static FIT: SdramFit = SdramFit {
        base: 0x3000_0000,
        len: 128 << 20,
        banks: 2,
        columns: 9,
        bk76map: &[1],
        needs_sclk_enabled: true,
    };

    const CLOCKS: Clocks = Clocks { fclk: 2_500, hclk: 7_500, pclk: 15_000 };

    /// The settings of the field for the GTA02, at HCLK 133 MHz.
    const GOOD: [(u32, u32); 7] = [
        (BWSCON, 0x2211_d1d0),
        (0x1c, 0x0001_8005),
        (0x20, 0x0001_8005),
        (REFRESH, 0x009e_03e5),
        (BANKSIZE, 0xb1),
        (MRSRB6, 0x30),
        (MRSRB7, 0x30),
    ];

    fn set_up(changes: &[(u32, u32)], pc: u32) -> (MemoryController, Violations) {
        let mut block = MemoryController::new(&FIT);
        let mut violations = Violations::default();
        for &(offset, value) in &GOOD {
            let value = changes.iter().find(|change| change.0 == offset).map_or(value, |change| change.1);
            let mut access =
                Access { now: 200 * US, pc, clocks: CLOCKS, hold: 0, violations: &mut violations };
            block.write(offset, 4, value, &mut access);
        }
        (block, violations)
    }

    #[test]
    fn the_known_good_settings_are_good() {
        let (block, violations) = set_up(&[], 0);
        assert_eq!(violations.total(), 0);
        assert_eq!(block.problems(300 * US, CLOCKS, 0), []);
        let timing = block.timing(CLOCKS.hclk);
        assert_eq!((timing.cas, timing.rcd, timing.rp, timing.bus_bytes), (3, 3, 3, 4));
        assert_eq!(timing.refresh, 1052 * 7_500);
    }

    #[test]
    fn wrong_settings_are_named() {
        let check = |changes: &[(u32, u32)], hclk, kind, text: &str| {
            let (block, _) = set_up(changes, 0);
            let problems = block.problems(1000 * US, Clocks { hclk, ..CLOCKS }, 0);
            let found = problems.iter().any(|(a, b)| *a == kind && b.contains(text));
            assert!(found, "{text}: {problems:?}");
        };
        check(&[(BWSCON, 0x1111_d1d0)], 7_500, "sdram-settings", "width");
        check(&[(0x20, 0x0001_8006)], 7_500, "sdram-settings", "column");
        check(&[(0x1c, 0x0001_8001)], 7_500, "sdram-settings", "tRCD");
        check(&[(BANKSIZE, 0xb2)], 7_500, "sdram-settings", "BK76MAP");
        check(&[(MRSRB6, 0x20)], 7_500, "sdram-settings", "CAS");
        check(&[(REFRESH, 0x008e_03e5)], 7_500, "sdram-settings", "tRP");
        check(&[(REFRESH, 0x001e_03e5)], 7_500, "sdram-refresh", "off");
        check(&[], 10_000, "sdram-refresh", "refreshed");
        check(&[], 83_333, "sdram-refresh", "refreshed");
    }

    #[test]
    fn use_before_set_up_is_reported() {
        let kinds = |block: &MemoryController, now, sclk| -> Vec<&'static str> {
            block.problems(now, CLOCKS, sclk).iter().map(|problem| problem.0).collect()
        };
        assert_eq!(kinds(&MemoryController::new(&FIT), 0, 0), ["sdram-not-ready"]);
        let (block, _) = set_up(&[], 0);
        assert_eq!(kinds(&block, 201 * US, 0), ["sdram-not-ready"]);
        assert_eq!(kinds(&block, 300 * US, 0b100), ["sdram-settings"]);
    }

    #[test]
    fn the_code_must_not_run_from_what_it_sets_up() {
        let (_, violations) = set_up(&[], 0x3000_1000);
        assert!(violations.list().iter().all(|violation| violation.kind == "sdram-settings"));
        assert_eq!(violations.total(), 7);
    }
}
