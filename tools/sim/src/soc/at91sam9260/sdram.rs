//! SDRAM controller (SDRAMC): AT91SAM9260 data sheet, chapter of that name. The start-up sequence is
//! software's: each command takes effect with the write to SDRAM that follows.

use crate::bus::{Access, Peripheral, Ps};
use crate::membus::SdramTiming;
use crate::model;
use crate::soc::no_such_register;
use crate::time::NEVER;

const MR: u32 = 0x00;
const TR: u32 = 0x04;
const CR: u32 = 0x08;
const LPR: u32 = 0x10;
const IER: u32 = 0x14;
const IDR: u32 = 0x18;
const IMR: u32 = 0x1c;
const ISR: u32 = 0x20;
const MDR: u32 = 0x24;

/// CR after reset (recall).
const CR_RESET: u32 = 0x8523_7260;

// Commands of MR.
const NORMAL: u32 = 0;
const NOP: u32 = 1;
const PRECHARGE: u32 = 2;
const LOAD_MODE: u32 = 3;
const REFRESH: u32 = 4;
const COMMANDS: [&str; 7] = [
    "normal",
    "NOP",
    "all banks precharge",
    "load mode register",
    "auto-refresh",
    "extended load mode register",
    "deep power-down",
];

/// How SDRAM is fitted to a board.
#[derive(Debug)]
pub struct SdramFit {
    /// First address.
    pub base: u32,
    /// Bytes.
    pub len: u32,
    /// Column address bits.
    pub columns: u32,
    /// Row address bits.
    pub rows: u32,
}

/// How far the start-up sequence has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Off,
    Clocked,
    Precharged { refreshes: u32 },
    ModeSet,
    Running,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct SdramController {
    fit: &'static SdramFit,
    mr: u32,
    tr: u32,
    cr: u32,
    mdr: u32,
    imr: u32,
    configured: Option<Ps>,
    step: Step,
    /// The CAS latency that was loaded.
    cas: u32,
    ready_since: Option<Ps>,
}

impl SdramController {
    /// The controller after reset. What the SDRAM itself remembers does not count.
    #[must_use]
    pub fn new(fit: &'static SdramFit) -> Self {
        Self {
            fit,
            mr: NORMAL,
            tr: 0,
            cr: CR_RESET,
            mdr: 0,
            imr: 0,
            configured: None,
            step: Step::Off,
            cas: 0,
            ready_since: None,
        }
    }

    /// When the start-up sequence ended.
    #[must_use]
    pub fn ready_since(&self) -> Option<Ps> {
        self.ready_since
    }

    /// Whether each write to SDRAM is a command.
    #[must_use]
    pub fn in_command_mode(&self) -> bool {
        self.mr != NORMAL
    }

    /// Timings of the SDRAM as programmed.
    #[must_use]
    pub fn timing(&self, mck: Ps) -> SdramTiming {
        SdramTiming {
            cas: u64::from(self.cr >> 5 & 3).max(1),
            rcd: u64::from(self.cr >> 20 & 0xf),
            rp: u64::from(self.cr >> 16 & 0xf),
            bus_bytes: if self.cr & 1 << 7 == 0 { 4 } else { 2 },
            refresh: if self.tr == 0 { NEVER } else { u64::from(self.tr) * mck },
        }
    }

    /// An access to SDRAM: a command, or one that must work.
    pub fn use_sdram(&mut self, now: Ps, mck: Ps, write: bool) -> Vec<(&'static str, String)> {
        let command = self.mr;
        let mut found = Vec::new();
        let name = COMMANDS[command as usize];
        if command != NORMAL && !write {
            found.push(("sdram-settings", format!("SDRAM is read while MR says {name}: it takes a write")));
        }
        let refreshed = Step::Precharged { refreshes: model::SAM9_SDRAM_REFRESHES };
        self.step = match (command, self.step) {
            (NOP, _) => {
                let since = self.configured.map_or(0, |at| now - at);
                if since < model::SAM9_SDRAM_PAUSE {
                    let (given, pause) = (since / 1_000_000, model::SAM9_SDRAM_PAUSE / 1_000_000);
                    let text = format!("NOP {given} us after the write of CR, it takes {pause}");
                    found.push(("sdram-settings", text));
                }
                Step::Clocked
            }
            (PRECHARGE, Step::Clocked) => Step::Precharged { refreshes: 0 },
            (REFRESH, Step::Precharged { refreshes }) => {
                Step::Precharged { refreshes: (refreshes + 1).min(model::SAM9_SDRAM_REFRESHES) }
            }
            (LOAD_MODE, step) if step == refreshed => {
                self.cas = self.cr >> 5 & 3;
                Step::ModeSet
            }
            (NORMAL, Step::ModeSet) => {
                self.ready_since = Some(now);
                Step::Running
            }
            (NORMAL | PRECHARGE | REFRESH, Step::Running) => {
                found.extend(self.problems(mck));
                Step::Running
            }
            (_, step) => {
                let text = format!("SDRAM is accessed with MR = {command} ({name}) at this point: {step:?}");
                found.push(("sdram-not-ready", text));
                step
            }
        };
        found
    }

    /// What keeps SDRAM from working at this clock.
    #[must_use]
    pub fn problems(&self, mck: Ps) -> Vec<(&'static str, String)> {
        if self.step != Step::Running {
            return vec![(
                "sdram-not-ready",
                "SDRAM is used before its start-up sequence is through".to_owned(),
            )];
        }
        let mut found = self.wrong_settings(mck);
        let slowest = model::SDRAM_RETENTION / model::SDRAM_ROWS;
        let refresh = self.timing(mck).refresh;
        if refresh == NEVER {
            found.push(("sdram-refresh", "TR is 0: there is no refresh".to_owned()));
        } else if refresh > slowest + slowest * model::SDRAM_REFRESH_SLACK_PERCENT / 100 {
            let text = format!("TR: a row is refreshed every {refresh} ps, {slowest} needed at this MCK");
            found.push(("sdram-refresh", text));
        }
        found
    }

    fn wrong_settings(&self, mck: Ps) -> Vec<(&'static str, String)> {
        let field = |at: u32, mask: u32| self.cr >> at & mask;
        let mut found = Vec::new();
        let mut settings = |wrong: bool, text: String| {
            if wrong {
                found.push(("sdram-settings", text));
            }
        };
        let (columns, rows) = (field(0, 3) + 8, field(2, 3) + 11);
        let right = columns == self.fit.columns && rows == self.fit.rows && field(4, 1) == 1;
        settings(
            !right,
            format!(
                "CR: {columns} column and {rows} row bits, {} banks; the board has {}, {} and 4",
                2 << field(4, 1),
                self.fit.columns,
                self.fit.rows
            ),
        );
        settings(field(7, 1) != 0, "CR: DBW says 16 bits, the board has 32".to_owned());
        let limits = [
            ("TWR", 8, model::SDRAM_T_WR_MIN),
            ("TRC", 12, model::SDRAM_T_RC_MIN),
            ("TRP", 16, model::SDRAM_T_RP_MIN),
            ("TRCD", 20, model::SDRAM_T_RCD_MIN),
            ("TRAS", 24, model::SDRAM_T_RAS_MIN),
            ("TXSR", 28, model::SDRAM_T_XSR_MIN),
        ];
        for (name, at, limit) in limits {
            let given = u64::from(field(at, 0xf)) * mck;
            settings(given < limit, format!("CR: {name} is {given} ps, {limit} needed"));
        }
        let cas = field(5, 3);
        let too_fast = cas == 2 && mck < model::SDRAM_T_CK_CL2_MIN;
        settings(
            !matches!(cas, 2 | 3) || too_fast || cas != self.cas,
            format!("CR: CAS latency {cas} with an MCK of {mck} ps, {} was loaded", self.cas),
        );
        settings(self.mdr != 0, format!("MDR is {}, the board has SDRAM (0)", self.mdr));
        found
    }

    fn is_sdram(&self, address: u32) -> bool {
        address.wrapping_sub(self.fit.base) < self.fit.len
    }
}

impl Peripheral for SdramController {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        match (offset, width) {
            (MR, 4) => self.mr,
            (TR, 4) => self.tr,
            (CR, 4) => self.cr,
            (IMR, 4) => self.imr,
            (LPR | ISR, 4) => 0,
            (MDR, 4) => self.mdr,
            _ => no_such_register("SDRAMC", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        match (offset, width) {
            (MR, 4) if value < COMMANDS.len() as u32 => self.mr = value,
            (TR, 4) => self.tr = value & 0xfff,
            (CR, 4) => {
                self.cr = value;
                self.configured.get_or_insert(access.now);
            }
            // Low power is not modelled; switching it off is.
            (LPR, 4) if value == 0 => {}
            (IER, 4) => self.imr |= value & 1,
            (IDR, 4) => self.imr &= !value,
            (MDR, 4) => self.mdr = value & 3,
            _ => {
                no_such_register("SDRAMC", offset, width, true, access);
            }
        }
        if self.is_sdram(access.pc) {
            access.violation("sdram-settings", "the SDRAM controller is set up by code that runs from SDRAM");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};
    use crate::time::US;

    static FIT: SdramFit = SdramFit { base: 0x2000_0000, len: 64 << 20, columns: 9, rows: 13 };
    const MCK: Ps = 10_068;
    /// The setting of the field for the AT91SAM9260-EK.
    const GOOD: u32 = 0x8522_7259;

    fn write(controller: &mut SdramController, now: Ps, pc: u32, offset: u32, value: u32) -> u64 {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: MCK / 2, hclk: MCK, pclk: MCK };
        let mut access = Access { now, pc, clocks, hold: 0, violations: &mut violations };
        controller.write(offset, 4, value, &mut access);
        violations.total()
    }

    /// Configures, waits, gives the commands, sets TR. What was found on the way, and at the end.
    fn run(cr: u32, pause: Ps, commands: &[u32], tr: u32) -> Vec<(&'static str, String)> {
        let mut controller = SdramController::new(&FIT);
        write(&mut controller, 0, 0, CR, cr);
        let mut found = Vec::new();
        for &command in commands {
            write(&mut controller, pause, 0, MR, command);
            found.extend(controller.use_sdram(pause, MCK, true));
        }
        write(&mut controller, pause, 0, TR, tr);
        found.extend(controller.use_sdram(pause + US, MCK, false));
        found
    }

    const SEQUENCE: [u32; 12] = [1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 0];

    #[test]
    fn the_known_good_settings_are_good() {
        assert_eq!(run(GOOD, 200 * US, &SEQUENCE, 695), []);
        let mut controller = SdramController::new(&FIT);
        write(&mut controller, 0, 0, CR, GOOD);
        write(&mut controller, 0, 0, TR, 695);
        let timing = controller.timing(MCK);
        assert_eq!((timing.cas, timing.rcd, timing.rp, timing.bus_bytes), (2, 2, 2, 4));
        assert_eq!(timing.refresh, 695 * MCK);
    }

    #[test]
    fn the_sequence_is_enforced() {
        let check = |commands: &[u32], expected: &[&str]| {
            let kinds: Vec<_> = run(GOOD, 200 * US, commands, 695).iter().map(|it| it.0).collect();
            assert_eq!(kinds, expected, "{commands:?}");
        };
        check(&[], &["sdram-not-ready"]);
        check(&SEQUENCE[..11], &["sdram-settings", "sdram-not-ready"]);
        check(&[1, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 0], &["sdram-not-ready"]);
        check(&[1, 2, 4, 4, 4, 4, 4, 4, 4, 3, 0], &["sdram-not-ready"; 3]);
        // From the start again is allowed.
        check(&[1, 2, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 0], &[]);
    }

    #[test]
    fn a_command_takes_a_write() {
        let mut controller = SdramController::new(&FIT);
        write(&mut controller, 0, 0, CR, GOOD);
        write(&mut controller, 0, 0, MR, NOP);
        let found = controller.use_sdram(300 * US, MCK, false);
        assert!(found[0].1.contains("it takes a write"), "{found:?}");
    }

    #[test]
    fn wrong_settings_are_named() {
        let check = |cr, tr, kind, text: &str| {
            let found = run(cr, 200 * US, &SEQUENCE, tr);
            assert!(found.len() == 1 && found[0].0 == kind && found[0].1.contains(text), "{text}: {found:?}");
        };
        check(GOOD ^ 1, 695, "sdram-settings", "8 column");
        check(GOOD ^ 0xc, 695, "sdram-settings", "12 row");
        check(GOOD ^ 0x80, 695, "sdram-settings", "DBW");
        check(GOOD ^ 0x30, 695, "sdram-settings", "banks");
        check(0x8512_7259, 695, "sdram-settings", "TRCD");
        check(0x8521_7259, 695, "sdram-settings", "TRP");
        check(0x8522_6259, 695, "sdram-settings", "TRC ");
        check(0x8422_7259, 695, "sdram-settings", "TRAS");
        check(0x7522_7259, 695, "sdram-settings", "TXSR");
        check(GOOD, 0, "sdram-refresh", "TR is 0");
        check(GOOD, 800, "sdram-refresh", "refreshed");
    }

    #[test]
    fn the_pause_counts_from_the_configuration() {
        let found = run(GOOD, 150 * US, &SEQUENCE, 695);
        assert_eq!(found, [("sdram-settings", "NOP 150 us after the write of CR, it takes 200".to_owned())]);
    }

    #[test]
    fn it_is_not_set_up_from_sdram() {
        let mut controller = SdramController::new(&FIT);
        assert_eq!(write(&mut controller, 0, 0x2000_1000, CR, GOOD), 1);
        assert_eq!(write(&mut controller, 0, 0, 0x0c, 0), 1);
        assert_eq!(write(&mut controller, 0, 0, MR, 7), 1);
    }
}
