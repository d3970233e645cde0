//! Clock and power management of the S3C2410X: its User's Manual, chapter 7. The block is the
//! S3C2440's with one divider less.

use crate::model;
use crate::soc::s3c2440::clock::ClockData;

/// S3C2410X.
pub const S3C2410: ClockData = ClockData {
    locktime: 0x00ff_ffff,
    m_ltime: 0xfff,
    mpllcon: 0x0005_c080,
    upllcon: 0x0002_8080,
    clkcon: 0x0007_fff0,
    clkcon_mask: 0x0007_fffc,
    clkdivn_mask: 0x3,
    camdivn_mask: None,
    mpll_factor: 1,
    // HDIVN.
    hclk_divider: |clkdivn, _| 1 + u64::from(clkdivn >> 1 & 1),
    max_hz: [model::S3C2410_FCLK_MAX_HZ, model::S3C2410_HCLK_MAX_HZ, model::S3C2410_PCLK_MAX_HZ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Access, Clocks, Peripheral, Violations};
    use crate::soc::s3c2440::clock::Clock;

    const LOCKTIME: u32 = 0x00;
    const MPLLCON: u32 = 0x04;
    const CLKDIVN: u32 = 0x14;

    /// The block after writes of words, how long they held the bus, and the kinds of the violations.
    fn with(writes: &[(u32, u32)]) -> (Clock, u64, Vec<&'static str>) {
        let (mut clock, mut violations, mut held) =
            (Clock::new(12_000_000, &S3C2410), Violations::default(), 0);
        for &(offset, value) in writes {
            let clocks = clock.clocks();
            let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
            clock.write(offset, 4, value, &mut access);
            held += access.hold;
        }
        (clock, held, violations.list().iter().map(|violation| violation.kind).collect())
    }

    #[test]
    fn settings_of_the_field() {
        let check = |mpllcon, clkdivn, (fclk, hclk, pclk)| {
            let (clock, _, violations) = with(&[(CLKDIVN, clkdivn), (MPLLCON, mpllcon)]);
            assert_eq!((clock.clocks(), violations), (Clocks { fclk, hclk, pclk }, vec![]), "{mpllcon:08x}");
        };
        // U-Boot for the SMDK2410: 202.8, 101.4 and 50.7 MHz.
        check(0x000a_1031, 3, (4_931, 9_862, 19_724));
        // The same word is 400 MHz on an S3C2440.
        check(0x0005_c011, 3, (5_000, 10_000, 20_000));
        check(0x0005_8011, 3, (5_208, 10_416, 20_832));
        check(0x0009_0070, 3, (4_934, 9_868, 19_736));
    }

    #[test]
    fn too_fast_is_reported() {
        let check = |mpllcon, clkdivn, count| {
            let (.., violations) = with(&[(CLKDIVN, clkdivn), (MPLLCON, mpllcon)]);
            assert_eq!(violations, vec!["clock-limit"; count], "{mpllcon:x} {clkdivn}");
        };
        check(0x0007_d011, 3, 1); // FCLK 266
        check(0x000a_1031, 0, 2); // HCLK and PCLK 202.8
        check(0x000a_1031, 2, 1); // PCLK 101.4
        check(0x000a_1031, 3, 0);
    }

    #[test]
    fn the_lock_time_has_twelve_bits() {
        let lock = |locktime| {
            let (_, held, violations) = with(&[(CLKDIVN, 3), (LOCKTIME, locktime), (MPLLCON, 0x000a_1031)]);
            (held, violations)
        };
        assert_eq!(lock(0x00ff_fe10), (300_000_000, vec![]));
        assert_eq!(lock(0x00ff_fe0f), (299_916_666, vec!["pll-lock-time"]));
        // After reset it is the longest.
        assert_eq!(with(&[(CLKDIVN, 3), (MPLLCON, 0x000a_1031)]).1, 341_250_000);
    }

    #[test]
    fn there_is_one_bit_for_each_divider() {
        let (mut clock, ..) = with(&[(CLKDIVN, 0xf)]);
        let mut violations = Violations::default();
        let clocks = clock.clocks();
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        assert_eq!(clock.read(CLKDIVN, 4, &mut access), 3);
    }
}
