//! The software ECC of Linux and U-Boot, bit by bit from its table: an opinion independent of
//! the tables in the boot library.

/// The code over 256 bytes, as Linux stores it (`drivers/mtd/nand/ecc-sw-hamming.c`).
pub fn software_code(step: &[u8]) -> [u8; 3] {
    // The inverted parity of the bits whose place has bit `i` of its number `value`.
    let parity = |number: fn(usize, usize) -> usize, i: usize, value: usize| {
        let places = (0..256).flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
        let set = places.filter(|&(byte, bit)| step[byte] >> bit & 1 == 1);
        let ones = set.filter(|&(byte, bit)| number(byte, bit) >> i & 1 == value).count();
        1 - (ones % 2) as u8
    };
    let line = |i| parity(|byte, _| byte, i, 1) << 1 | parity(|byte, _| byte, i, 0);
    let column = |i| parity(|_, bit| bit, i, 1) << 1 | parity(|_, bit| bit, i, 0);
    [
        line(7) << 6 | line(6) << 4 | line(5) << 2 | line(4),
        line(3) << 6 | line(2) << 4 | line(1) << 2 | line(0),
        column(2) << 6 | column(1) << 4 | column(0) << 2 | 3,
    ]
}
