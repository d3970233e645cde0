//! Numbers as people write them on a command line or in a recipe.

/// A hexadecimal address or length, with or without `0x`, as U-Boot's tools take it.
///
/// # Errors
/// Says what is not hexadecimal, for clap to print.
pub fn hex(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    u32::from_str_radix(&digits.replace('_', ""), 16)
        .map_err(|_| format!("`{text}` is not a hexadecimal number of 32 bits, such as 30008000"))
}

/// A decimal number, or a hexadecimal one behind `0x`.
///
/// # Errors
/// Says what is not a number.
pub fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is not a number"))
}

/// The same, of 32 bits: the number of a page, or of anything else that is counted.
///
/// # Errors
/// Says what is not a number, or too large.
pub fn count(text: &str) -> Result<u32, String> {
    number(text)?.try_into().map_err(|_| format!("`{text}` has more than 32 bits"))
}

/// A size in bytes: a number, or one with the unit `KiB` or `MiB`.
///
/// # Errors
/// Says what is not a size.
pub fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, unit) = match (text.strip_suffix("KiB"), text.strip_suffix("MiB")) {
        (Some(digits), _) => (digits, 1 << 10),
        (_, Some(digits)) => (digits, 1 << 20),
        _ => (text, 1),
    };
    number(digits.trim())
        .ok()
        .and_then(|n| n.checked_mul(unit))
        .ok_or_else(|| format!("`{text}` is not a size, such as \"512 KiB\" or \"8 MiB\""))
}

/// A duration with its unit, in nanoseconds: `30s`, `1.5s`, `250ms`, `10us`, `500ns`.
///
/// # Errors
/// Says what is not a duration.
pub fn duration_ns(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a duration, such as 30s, 250ms or 10us");
    // `s` is a suffix of all of them, so it comes last.
    const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (digits, factor) =
        UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor))).ok_or_else(wrong)?;
    let value: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let ns = value * factor;
    if !(0.0..1e18).contains(&ns) {
        return Err(wrong());
    }
    Ok(ns.round() as u64)
}

/// A clock in MHz as hertz and what divides them: `133.25`, or `400/3`.
///
/// # Errors
/// Says what is not a clock.
pub fn megahertz(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("`{text}` is not a clock in MHz from 1 to 1000, such as 100, 133.25 or 400/3");
    let (digits, divider) = text.split_once('/').unwrap_or((text, "1"));
    let divider: u32 = divider.trim().parse().map_err(|_| wrong())?;
    let megahertz: f64 = digits.trim().parse().map_err(|_| wrong())?;
    if !(1.0..=4000.0).contains(&megahertz) || !(1..=1000).contains(&divider) {
        return Err(wrong());
    }
    if !(1.0..=1000.0).contains(&(megahertz / f64::from(divider))) {
        return Err(wrong());
    }
    Ok(((megahertz * 1e6).round() as u32, divider))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hexadecimal() {
        let check = |text, expected: Option<u32>| assert_eq!(hex(text).ok(), expected, "{text}");
        check("30008000", Some(0x3000_8000));
        check("0x3000_8000", Some(0x3000_8000));
        check("1f0000000", None);
        check("", None);
        check("g", None);
    }

    #[test]
    fn counts_have_32_bits() {
        let check = |text, expected: Option<u32>| assert_eq!(count(text).ok(), expected, "{text}");
        check("0x41", Some(65));
        check("4294967295", Some(u32::MAX));
        check("4294967296", None);
        check("-1", None);
    }

    #[test]
    fn sizes_have_binary_units() {
        let check = |text, expected: Option<u64>| assert_eq!(size(text).ok(), expected, "{text}");
        check("512 KiB", Some(512 << 10));
        check("8MiB", Some(8 << 20));
        check("0x20000", Some(0x20000));
        check("8 MB", None);
        check("-1", None);
        check("99999999999999 MiB", None);
    }

    #[test]
    fn durations_need_a_unit() {
        let check = |text, expected: Option<u64>| assert_eq!(duration_ns(text).ok(), expected, "{text}");
        check("30s", Some(30_000_000_000));
        check("1.5s", Some(1_500_000_000));
        check("250ms", Some(250_000_000));
        check("10us", Some(10_000));
        check("500ns", Some(500));
        check("30", None);
        check("-1s", None);
        check("infs", None);
    }

    #[test]
    fn clocks_are_decimals_or_fractions() {
        let check = |text, expected: Option<(u32, u32)>| assert_eq!(megahertz(text).ok(), expected, "{text}");
        check("100", Some((100_000_000, 1)));
        check("101.4", Some((101_400_000, 1)));
        check("400/3", Some((400_000_000, 3)));
        check("400/0", None);
        check("0.5", None);
        check("1000.1", None);
        check("NaN", None);
        check("100 MHz", None);
    }
}
