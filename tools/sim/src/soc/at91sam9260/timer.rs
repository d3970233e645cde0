//! Periodic interval timer (PIT): AT91SAM9260 data sheet, chapter of that name. It counts MCK / 16.

use crate::bus::{Access, Peripheral, Ps};
use crate::soc::no_such_register;
use crate::time::NEVER;

const MR: u32 = 0x0;
const SR: u32 = 0x4;
const PIVR: u32 = 0x8;
const PIIR: u32 = 0xc;

const PIV: u32 = 0x000f_ffff;
const PITEN: u32 = 1 << 24;
const PITIEN: u32 = 1 << 25;
const MR_MASK: u32 = PIV | PITEN | PITIEN;
const PICNT: u32 = 0xfff;

/// The timer.
#[derive(Clone, Debug)]
pub struct IntervalTimer {
    mck: Ps,
    mr: u32,
    /// CPIV was this then.
    count: u64,
    since: Ps,
    picnt: u32,
    pits: bool,
}

impl Default for IntervalTimer {
    fn default() -> Self {
        Self { mck: 0, mr: PIV, count: 0, since: 0, picnt: 0, pits: false }
    }
}

impl IntervalTimer {
    /// MCK has changed. What has been counted stays counted.
    pub fn set_mck(&mut self, now: Ps, mck: Ps) {
        self.tick(now);
        if let Some(ticks) = (now - self.since).checked_div(self.beat()) {
            self.count += ticks;
        }
        (self.since, self.mck) = (now, mck);
    }

    fn beat(&self) -> Ps {
        16 * self.mck
    }

    fn is_on(&self) -> bool {
        self.mr & PITEN != 0
    }

    /// Without PITEN the count goes on to its end and stays at 0.
    fn runs(&self) -> bool {
        self.mck != 0 && (self.is_on() || self.count != 0)
    }

    /// Counts in a turn: PIV may have been lowered below the count, which then goes all the way round.
    fn turn(&self) -> u64 {
        let piv = u64::from(self.mr & PIV);
        if self.count > piv { u64::from(PIV) + 1 } else { piv + 1 }
    }

    fn turns_at(&self) -> Ps {
        if self.runs() { self.since + (self.turn() - self.count) * self.beat() } else { NEVER }
    }

    /// Moves the timer on.
    pub fn tick(&mut self, now: Ps) {
        while self.turns_at() <= now {
            self.since = self.turns_at();
            self.count = 0;
            if self.is_on() {
                self.picnt = (self.picnt + 1) & PICNT;
                self.pits = true;
            }
        }
        if !self.runs() {
            self.since = now;
        }
    }

    /// When something happens by itself.
    #[must_use]
    pub fn next_event(&self) -> Ps {
        if self.mr & PITIEN != 0 { self.turns_at() } else { NEVER }
    }

    /// Level of the interrupt request.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        self.pits && self.mr & PITIEN != 0
    }

    fn image(&self, now: Ps) -> u32 {
        let ticks = (now - self.since).checked_div(self.beat()).filter(|_| self.runs()).unwrap_or(0);
        self.picnt << 20 | (self.count + ticks) as u32 & PIV
    }
}

impl Peripheral for IntervalTimer {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        self.tick(access.now);
        match (offset, width) {
            (MR, 4) => self.mr,
            (SR, 4) => self.pits.into(),
            (PIIR, 4) => self.image(access.now),
            (PIVR, 4) => {
                let image = self.image(access.now);
                (self.picnt, self.pits) = (0, false);
                image
            }
            _ => no_such_register("PIT", offset, width, false, access),
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        self.set_mck(access.now, self.mck);
        match (offset, width) {
            (MR, 4) => {
                if value & !MR_MASK != 0 {
                    access.violation("register", format!("PIT_MR = {value:08X}: reserved bits are set"));
                }
                self.mr = value & MR_MASK;
            }
            _ => {
                no_such_register("PIT", offset, width, true, access);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    const MCK: Ps = 10_000;
    const BEAT: Ps = 16 * MCK;

    fn act<T>(now: Ps, act: impl FnOnce(&mut Access<'_>) -> T) -> T {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: MCK, hclk: MCK, pclk: MCK };
        act(&mut Access { now, pc: 0, clocks, hold: 0, violations: &mut violations })
    }

    fn read(timer: &mut IntervalTimer, now: Ps, offset: u32) -> u32 {
        act(now, |access| timer.read(offset, 4, access))
    }

    fn write(timer: &mut IntervalTimer, now: Ps, value: u32) {
        act(now, |access| timer.write(MR, 4, value, access));
    }

    fn timer(mr: u32) -> IntervalTimer {
        let mut timer = IntervalTimer::default();
        timer.set_mck(0, MCK);
        write(&mut timer, 0, mr);
        timer
    }

    #[test]
    fn counts_in_modelled_time() {
        let mut timer = timer(PITEN | 99);
        assert_eq!(read(&mut timer, 42 * BEAT, PIIR), 42);
        assert_eq!(read(&mut timer, 342 * BEAT, PIIR), 3 << 20 | 42);
        assert_eq!(read(&mut timer, 342 * BEAT, SR), 1);
        assert_eq!(read(&mut timer, 343 * BEAT, PIVR), 3 << 20 | 43);
        assert_eq!((read(&mut timer, 343 * BEAT, PIIR), read(&mut timer, 343 * BEAT, SR)), (43, 0));
    }

    #[test]
    fn interrupts_at_the_end_of_each_turn() {
        let mut timer = timer(PITEN | PITIEN | 9);
        assert_eq!(timer.next_event(), 10 * BEAT);
        timer.tick(10 * BEAT);
        assert!(timer.interrupt());
        read(&mut timer, 10 * BEAT, PIVR);
        assert!(!timer.interrupt());
    }

    #[test]
    fn switched_off_it_stops_at_the_end_of_its_turn() {
        let mut timer = timer(PITEN | 99);
        write(&mut timer, 42 * BEAT, 99);
        assert_eq!(read(&mut timer, 50 * BEAT, PIIR), 50);
        assert_eq!(read(&mut timer, 150 * BEAT, PIIR), 0);
        assert_eq!(read(&mut timer, 150 * BEAT, SR), 0);
        // And begins at 0 again.
        write(&mut timer, 200 * BEAT, PITEN | 99);
        assert_eq!(read(&mut timer, 207 * BEAT, PIIR), 7);
    }

    #[test]
    fn a_new_clock_keeps_the_count() {
        let mut timer = timer(PITEN | PIV);
        timer.set_mck(100 * BEAT, MCK / 2);
        assert_eq!(read(&mut timer, 110 * BEAT, PIIR), 120);
    }
}
