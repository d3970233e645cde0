//! Hamming code in software, with the work per byte of Linux 2.6's `nand_calculate_ecc`:
//! a load, a table, and for every second byte on average two exclusive ors of its address.

/// Bytes that one code covers.
pub const STEP: usize = 256;

/// What a byte adds to the column parities (P4 P4' P2 P2' P1 P1', bits 5 to 0), and its own parity.
static CONTRIBUTION: [u8; 256] = contributions();
const COLUMNS: u8 = 0x3f;
const ODD: u8 = 0x40;

const fn contributions() -> [u8; 256] {
    /// Bits of a byte whose number has bit 2, bit 1, bit 0 set.
    const WITH: [u8; 3] = [0xf0, 0xcc, 0xaa];
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut entry = odd(byte as u8);
        let mut column = 0;
        while column < 3 {
            entry = entry << 2 | odd(byte as u8 & WITH[column]) << 1 | odd(byte as u8 & !WITH[column]);
            column += 1;
        }
        table[byte] = entry;
        byte += 1;
    }
    table
}

const fn odd(bits: u8) -> u8 {
    (bits.count_ones() & 1) as u8
}

/// The code of a step, in Linux's byte order: P1024 to P128', P64 to P8', columns; inverted.
#[inline(never)]
#[must_use]
pub fn calculate(step: &[u8; STEP]) -> [u8; 3] {
    let (mut columns, mut lines, mut others) = (0, 0, 0);
    for (address, &byte) in step.iter().enumerate() {
        let entry = CONTRIBUTION[usize::from(byte)];
        columns ^= entry & COLUMNS;
        if entry & ODD != 0 {
            lines ^= address as u8;
            others ^= !(address as u8);
        }
    }
    [!interleave(lines >> 4, others >> 4), !interleave(lines & 0xf, others & 0xf), !columns << 2 | 0x03]
}

/// Pairs of bits, from the highest down: one of `p` above one of `others`.
fn interleave(p: u8, others: u8) -> u8 {
    (0..4).fold(0, |pairs, bit| pairs | (p >> bit & 1) << (2 * bit + 1) | (others >> bit & 1) << (2 * bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the data sheet's code and Linux agree on for these 256 bytes.
    #[test]
    fn agrees_with_linux() {
        let check = |data: [u8; STEP], code: [u8; 3]| assert_eq!(calculate(&data), code);
        let cleared = |byte: usize, bit: u8| {
            let mut data = [0xff; STEP];
            data[byte] ^= 1 << bit;
            data
        };
        let mut state = 0x1234_5678_u32;
        let xorshift = core::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        });
        check([0xff; STEP], [0xff, 0xff, 0xff]);
        check(cleared(0, 0), [0xaa, 0xaa, 0xab]);
        check(cleared(255, 7), [0x55, 0x55, 0x57]);
        check(xorshift, [0x3c, 0x0f, 0x0f]);
        check(core::array::from_fn(|i| ((i * i + 3 * i + 5) >> 2) as u8), [0x99, 0xa5, 0x5b]);
    }
}
