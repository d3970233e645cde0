//! CRC-32 as zlib, U-Boot and Ethernet compute it (reflected 0xEDB88320).
//!
//! [`crc32`] is for whoever has room for tables. stage1 has not, and yet its CRC must not
//! take longer than the chip takes to load a page: [`Stream`] needs no table and less
//! than half the time of one.

use platform::hal::{Loops, PAGE_WORDS, TAPS};

/// CRC-32 of `bytes`.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// CRC-32 of what has this `crc`, and of `bytes` behind it.
#[must_use]
pub fn crc32_on(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

/// Continues a CRC over the first `bits` bits of a word, bit by bit.
///
/// `state` is `!0` at the start; the CRC is the complement of the last state.
#[must_use]
#[inline(never)]
fn slowly(state: u32, word: u32, bits: u32) -> u32 {
    let mut x = state ^ word;
    for _ in 0..bits {
        x = x >> 1 ^ (x & 1).wrapping_neg() & 0xedb8_8320;
    }
    x
}

/// CRC-32 of a few words in memory order, little-endian.
#[must_use]
pub fn of_words(words: &[u32]) -> u32 {
    !words.iter().fold(!0, |state, word| slowly(state, *word, 32))
}

// The polynomial P of CRC-32 divides x^300 + x^155 + x^117 + x^89 + 1. (No multiple of P
// with as few terms is shorter: that is what "Hamming distance 6 up to 268 bits" says.)
// Squaring is linear over GF(2), so P also divides the same with all exponents times 32: a
// word may be left out if it is added to those 145, 183, 211 and 300 words after it. What
// is added up like that needs a loop of loads and exclusive ors alone; only the last 300
// words have to be divided by P itself.
const _: () = assert!(matches!(TAPS, [145, 183, 211, 300]));
/// Words of which what comes after depends.
const REACH: usize = TAPS[3];
/// Words before the page that the taps reach, rounded up for copying eight at a time.
const HISTORY: usize = 304;

/// The word that takes the state from zero to the ones that a CRC-32 starts with.
pub const START: u32 = {
    // `slowly` backwards: a bit that came out of the bottom shows at the top.
    let (mut state, mut bit) = (!0u32, 0);
    while bit < 32 {
        let out = state >> 31;
        state = (state ^ out.wrapping_neg() & 0xedb8_8320) << 1 | out;
        bit += 1;
    }
    state
};

/// CRC-32 of an image that comes page by page.
///
/// In this order for the sake of Thumb code, which reaches the first fields cheaply.
#[repr(C)]
pub struct Stream {
    /// Bytes that are still to come.
    pub left: u32,
    state: u32,
    /// What was added up before, and the page.
    words: [u32; HISTORY + PAGE_WORDS],
}

impl Stream {
    /// For a static. [`Self::start`] comes before use.
    pub const EMPTY: Self = Self { left: 0, state: 0, words: [0; HISTORY + PAGE_WORDS] };

    /// Starts with an image of so many bytes. They begin with [`START`], which is not part of
    /// what the CRC is of; words before that may be zero.
    pub fn start(&mut self, bytes: u32) {
        self.left = bytes;
        self.state = 0;
        self.words[..HISTORY].fill(0);
    }

    /// The page to come, of `words` words.
    pub fn page(&mut self, words: usize) -> &mut [u32] {
        let (_, page) = self.words.split_at_mut(HISTORY);
        page.split_at_mut_checked(words).map_or(&mut [], |(page, _)| page)
    }

    /// Takes the page of as many words as `to` has, and moves it there: as far as it belongs to the
    /// image, and a few words more.
    pub fn take<L: Loops>(&mut self, to: &mut [u32]) {
        let words = to.len();
        let mut to = to;
        let end = HISTORY + words;
        let mut at = HISTORY;
        while self.left > 0 && at < end {
            let fold = (self.left as usize / 4).saturating_sub(REACH) & !1;
            // At the end as many at a time as don't depend on each other.
            let count = if fold > 0 { fold } else { TAPS[0] & !1 }.min(end - at);
            let (here, rest) = to.split_at_mut_checked(count).unwrap_or_default();
            to = rest;
            L::fold(&mut self.words, at, here);
            let part = at..at + count;
            at += count;
            if fold > 0 {
                self.left -= 4 * count as u32;
            } else {
                for word in part {
                    let word = self.words.get_mut(word).map_or(0, core::mem::take);
                    let bytes = self.left.min(4);
                    if bytes > 0 {
                        self.state = slowly(self.state, word & !0 >> (32 - 8 * bytes), 8 * bytes);
                    }
                    self.left -= bytes;
                }
            }
        }
        L::to_front(&mut self.words, words, HISTORY);
    }

    /// The CRC.
    #[must_use]
    pub fn finish(&self) -> u32 {
        !self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    struct Portable;

    impl Loops for Portable {}

    fn stream(bytes: &[u8]) -> u32 {
        let [large, small] = [PAGE_WORDS, 128].map(|page| stream_by(page, bytes));
        assert_eq!(large, small);
        large
    }

    fn stream_by(page_words: usize, bytes: &[u8]) -> u32 {
        // What is behind the end does not count.
        let mut padded = START.to_le_bytes().to_vec();
        padded.extend_from_slice(bytes);
        padded.extend_from_slice(&[0xa5; 4 * PAGE_WORDS]);
        let words: Vec<u32> = padded.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let mut stream = std::boxed::Box::new(Stream::EMPTY);
        stream.words.fill(0x5a5a_5a5a);
        stream.start(4 + bytes.len() as u32);
        for page in words.chunks_exact(page_words) {
            stream.page(page_words).copy_from_slice(page);
            let (left, mut moved) = (stream.left as usize, [0; PAGE_WORDS]);
            stream.take::<Portable>(&mut moved[..page_words]);
            let wanted = left.div_ceil(4).min(page_words);
            assert_eq!(moved[..wanted], page[..wanted]);
        }
        assert_eq!(stream.left, 0);
        stream.finish()
    }

    #[test]
    fn all_ways_agree_with_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(stream(b"123456789"), 0xcbf4_3926);
        assert_eq!(of_words(&[0x3433_3231, 0x3837_3635]), crc32(b"12345678"));
    }

    #[test]
    fn streams_agree_at_all_lengths_around_the_bounds() {
        let bytes: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        for around in [4, 1200, 2048, 2048 + 1200, 2 * 2048, 9 * 2048, 19_990] {
            for len in around - 4..around + 9 {
                let bytes = &bytes[..len.max(4)];
                assert_eq!(stream(bytes), crc32(bytes), "{} bytes", bytes.len());
            }
        }
    }
}
