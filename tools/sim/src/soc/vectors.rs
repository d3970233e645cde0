//! Data for test vectors of ECC codes.

/// Generator Q.
pub fn quadratic(len: u32) -> Vec<u8> {
    (0..len).map(|i| ((i * i + 3 * i + 5) >> 2) as u8).collect()
}

/// Generator X.
pub fn xorshift(len: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_u32;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..len).map(step).collect()
}

/// `len` bytes of FFh with one bit cleared.
pub fn cleared(len: usize, byte: usize, bit: u8) -> Vec<u8> {
    let mut data = vec![0xFF; len];
    data[byte] ^= 1 << bit;
    data
}

#[test]
fn the_generators_are_those_of_the_vectors() {
    assert_eq!(quadratic(8), [0x01, 0x02, 0x03, 0x05, 0x08, 0x0B, 0x0E, 0x12]);
    assert_eq!(xorshift(8), [0xA5, 0xA3, 0xC4, 0x98, 0x88, 0x4D, 0x1D, 0x29]);
    assert_eq!(xorshift(512).iter().map(|&byte| u32::from(byte)).sum::<u32>(), 65400);
}
