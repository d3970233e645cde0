//! CRC-32 as zlib, U-Boot and Ethernet compute it (reflected 0xEDB88320).

/// CRC-32 of `bytes`.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// CRC-32 for a stage that has no room for tables in its image: it makes one at run
/// time. crc32fast carries 16 KiB of tables, the `crc` crate 1 KiB at the least unless it
/// works bit by bit; the whole stage is 4 KiB.
pub struct Crc32 {
    table: [u32; 256],
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

impl Crc32 {
    /// Without a table, for a static: [`Self::fill`] makes it.
    pub const EMPTY: Self = Self { table: [0; 256] };

    /// With its table.
    #[must_use]
    pub fn new() -> Self {
        let mut crc = Self::EMPTY;
        crc.fill();
        crc
    }

    /// Makes the table.
    pub fn fill(&mut self) {
        for (byte, entry) in (0u32..).zip(&mut self.table) {
            let mut value = byte;
            for _ in 0..8 {
                value = value >> 1 ^ (value & 1).wrapping_neg() & 0xedb8_8320;
            }
            *entry = value;
        }
    }

    /// Continues a CRC over whole words in memory order, little-endian.
    ///
    /// `state` is `!0` at the start; the CRC is the complement of the last state.
    ///
    /// A32 where there is a choice: this loop has to keep up with the chip. Counted by
    /// hand, because an iterator's methods are Thumb there and would be called. One
    /// table, not four: on a core that does one thing at a time they would save only the
    /// load-use interlocks.
    #[must_use]
    #[inline(never)]
    #[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
    pub fn words(&self, state: u32, words: &[u32]) -> u32 {
        let mut x = state;
        let mut i = 0;
        while i < words.len() {
            x ^= words[i];
            x = x >> 8 ^ self.table[(x & 255) as usize];
            x = x >> 8 ^ self.table[(x & 255) as usize];
            x = x >> 8 ^ self.table[(x & 255) as usize];
            x = x >> 8 ^ self.table[(x & 255) as usize];
            i += 1;
        }
        x
    }

    /// Continues a CRC over the first `count` bytes of a word.
    #[must_use]
    pub fn some_bytes(&self, state: u32, word: u32, count: usize) -> u32 {
        let mut x = state ^ word;
        // The bytes that do not count are in the way only after the others are done.
        for _ in 0..count {
            x = x >> 8 ^ self.table[(x & 255) as usize];
        }
        x ^ word.checked_shr(8 * count as u32).unwrap_or(0)
    }

    /// CRC-32 of `bytes`.
    #[must_use]
    pub fn of(&self, bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |state, byte| self.some_bytes(state, (*byte).into(), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn all_ways_agree_with_the_published_check_value() {
        let crc = Crc32::new();
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc.of(b"123456789"), 0xcbf4_3926);
        let bytes: Vec<u8> = (0..4096u32).map(|i| (i * i >> 3) as u8).collect();
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
        assert_eq!(!crc.words(!0, &words), crc32(&bytes));
        for count in 0..4 {
            let state = crc.words(!0, &words[..5]);
            assert_eq!(!crc.some_bytes(state, words[5], count), crc32(&bytes[..20 + count]), "{count}");
        }
    }
}
