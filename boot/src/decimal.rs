//! Numbers with decimals, without floating point: the loader's CPUs have none.

use arrayvec::ArrayString;
use core::fmt::{self, Write};

/// Digits of the longest number, sign and point included.
const LONGEST: usize = 32;

/// A number as a fraction, shown with some decimals, rounded half away from zero. Width and
/// alignment are those of the format string.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    numerator: i64,
    denominator: u64,
    decimals: u32,
}

impl Decimal {
    /// A fraction with so many decimals. The denominator is not 0.
    #[must_use]
    pub const fn new(numerator: i64, denominator: u64, decimals: u32) -> Self {
        Self { numerator, denominator, decimals }
    }

    /// Picoseconds as nanoseconds.
    #[must_use]
    pub const fn ns(picoseconds: i64) -> Self {
        Self::new(picoseconds, 1000, 1)
    }

    /// Picoseconds as microseconds.
    #[must_use]
    pub const fn us(picoseconds: u64) -> Self {
        Self::new(picoseconds as i64, 1_000_000, 2)
    }

    /// Bytes a second as MB/s.
    #[must_use]
    pub const fn mb_per_s(bytes_per_s: u64) -> Self {
        Self::new(bytes_per_s as i64, 1_000_000, 3)
    }

    /// A share in per cent; 0 of nothing.
    #[must_use]
    pub const fn percent(part: u64, whole: u64) -> Self {
        Self::new(100 * part as i64, if whole == 0 { 1 } else { whole }, 1)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10_u64.pow(self.decimals);
        // Whole part and rest apart, so that the product does not overflow.
        let (size, of) = (self.numerator.unsigned_abs(), self.denominator);
        let (whole, rest) = (size / of, size % of);
        let rest = (rest.saturating_mul(scale).saturating_add(of / 2)) / of;
        let (whole, rest) = (whole + rest / scale, rest % scale);
        let sign = if self.numerator < 0 && (whole, rest) != (0, 0) { "-" } else { "" };
        let mut text = ArrayString::<LONGEST>::new();
        write!(text, "{sign}{whole}")?;
        if self.decimals != 0 {
            write!(text, ".{rest:0width$}", width = self.decimals as usize)?;
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn rounds_and_pads() {
        let check = |number, text: &str| assert_eq!(format!("{number:>7}"), text);
        check(Decimal::ns(7500), "    7.5");
        check(Decimal::ns(-50), "   -0.1");
        check(Decimal::ns(-49), "    0.0");
        check(Decimal::ns(999_950), " 1000.0");
        check(Decimal::us(120_355_000), " 120.36");
        check(Decimal::mb_per_s(16_201_499), " 16.201");
        check(Decimal::percent(2, 3), "   66.7");
        check(Decimal::percent(1, 0), "  100.0");
        check(Decimal::new(400_000_000, 3_000_000, 2), " 133.33");
        check(Decimal::new(5, 2, 0), "      3");
        check(Decimal::new(i64::MAX, 1, 3), "9223372036854775807.000");
    }
}
