//! Condition codes: ARM Architecture Reference Manual, A3.2.

/// Always.
pub const ALWAYS: u8 = 0xe;

/// Whether a condition (the top four bits of an ARM instruction) holds.
#[must_use]
pub fn holds(condition: u8, cpsr: u32) -> bool {
    let flag = |bit: u32| cpsr >> bit & 1 != 0;
    let (n, z, c, v) = (flag(31), flag(30), flag(29), flag(28));
    let base = match condition >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return true,
    };
    base ^ (condition & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_their_opposites() {
        let check = |condition, nzcv: u32, expected: bool| {
            assert_eq!(holds(condition, nzcv << 28), expected, "{condition:x} {nzcv:04b}");
            if condition < ALWAYS {
                assert_eq!(holds(condition ^ 1, nzcv << 28), !expected, "{condition:x} {nzcv:04b}");
            }
        };
        check(0x0, 0b0100, true);
        check(0x2, 0b0010, true);
        check(0x4, 0b1000, true);
        check(0x6, 0b0001, true);
        check(0x8, 0b0010, true);
        check(0x8, 0b0110, false);
        check(0xa, 0b1001, true);
        check(0xa, 0b1000, false);
        check(0xc, 0b0000, true);
        check(0xc, 0b0100, false);
        check(0xe, 0b0000, true);
    }
}
