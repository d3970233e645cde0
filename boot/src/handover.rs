//! The hand-over record: what stage1 did, left at a fixed SDRAM address for stage2.
//!
//! Sixteen little-endian words; the last makes their sum zero, so
//! that stale or uninitialised memory is not taken for a record.

/// Number of words.
pub const WORDS: usize = 16;
/// First word of a record.
pub const MAGIC: u32 = u32::from_le_bytes(*b"SSHO");

/// What became of an attempt to load something. The discriminants are the codes
/// that stage1 prints and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Outcome {
    /// Not tried.
    NotTried = 0,
    /// Loaded and verified.
    Loaded = 1,
    /// The boot table has no such slot.
    NoSlot = 2,
    /// No uImage header: wrong magic.
    NoHeader = 3,
    /// The header's own CRC is wrong.
    HeaderCrc = 4,
    /// The length field is zero, or larger than the slot.
    Length = 5,
    /// Type, architecture or compression that this stage does not handle.
    Kind = 6,
    /// It would be loaded over the loader, outside RAM, or unaligned; or its entry
    /// point lies outside of it.
    Address = 7,
    /// An ECC step holds more bitflips than the code corrects.
    Uncorrectable = 8,
    /// The data CRC is wrong.
    DataCrc = 9,
    /// The chip stayed busy.
    Timeout = 10,
    /// More bad blocks than the slot has spare ones.
    BadBlocks = 11,
}

impl Outcome {
    /// How many there are.
    pub const COUNT: usize = 12;

    const ALL: [Self; Self::COUNT] = [
        Self::NotTried,
        Self::Loaded,
        Self::NoSlot,
        Self::NoHeader,
        Self::HeaderCrc,
        Self::Length,
        Self::Kind,
        Self::Address,
        Self::Uncorrectable,
        Self::DataCrc,
        Self::Timeout,
        Self::BadBlocks,
    ];

    /// The outcome with this code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// What stage1 did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// Whether a key on the console asked for stage2.
    pub key: bool,
    /// What became of kernel slots A and B.
    pub kernel: [Outcome; 2],
    /// What became of stage2 copies 1 and 2. Pages are mixed from both if need be.
    pub stage2: Outcome,
    /// Bitflips corrected while reading.
    pub corrected: u32,
    /// Page that could not be corrected last; 0 for none, because nothing but stage1 is in
    /// block 0.
    pub uncorrectable_page: u32,
    /// Bad blocks skipped.
    pub bad_blocks: u32,
}

impl Handover {
    /// The record.
    #[must_use]
    pub fn to_words(&self) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        words[word::KEY] = u32::from(self.key);
        words[word::KERNEL] = self.kernel[0] as u32;
        words[word::KERNEL + 1] = self.kernel[1] as u32;
        words[word::STAGE2] = self.stage2 as u32;
        words[word::CORRECTED] = self.corrected;
        words[word::UNCORRECTABLE] = self.uncorrectable_page;
        words[word::BAD_BLOCKS] = self.bad_blocks;
        seal(&mut words);
        words
    }

    /// Reads a record; `None` if the words are not one.
    #[must_use]
    pub fn from_words(words: &[u32; WORDS]) -> Option<Self> {
        if words[0] != MAGIC || words[WORDS - 1] != check(words) {
            return None;
        }
        let outcome = |i: usize| Outcome::from_code(u8::try_from(words[i]).ok()?);
        Some(Self {
            key: words[word::KEY] != 0,
            kernel: [outcome(word::KERNEL)?, outcome(word::KERNEL + 1)?],
            stage2: outcome(word::STAGE2)?,
            corrected: words[word::CORRECTED],
            uncorrectable_page: words[word::UNCORRECTABLE],
            bad_blocks: words[word::BAD_BLOCKS],
        })
    }
}

/// Where in the record a stage that fills it in place puts what [`Handover`] describes.
#[allow(missing_docs, reason = "the fields of Handover")]
pub mod word {
    pub const KEY: usize = 1;
    /// Slot A; slot B follows.
    pub const KERNEL: usize = 2;
    pub const STAGE2: usize = 4;
    pub const CORRECTED: usize = 5;
    pub const UNCORRECTABLE: usize = 6;
    pub const BAD_BLOCKS: usize = 7;
}

/// Makes words that have been filled in a valid record.
pub fn seal(words: &mut [u32; WORDS]) {
    words[0] = MAGIC;
    words[WORDS - 1] = check(words);
}

fn check(words: &[u32; WORDS]) -> u32 {
    words[..WORDS - 1].iter().fold(0, |sum: u32, word| sum.wrapping_sub(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: Handover = Handover {
        key: true,
        kernel: [Outcome::Uncorrectable, Outcome::DataCrc],
        stage2: Outcome::Loaded,
        corrected: 7,
        uncorrectable_page: 0x123,
        bad_blocks: 2,
    };

    #[test]
    fn reads_what_it_writes() {
        assert_eq!(Handover::from_words(&RECORD.to_words()), Some(RECORD));
    }

    #[test]
    fn stale_memory_is_no_record() {
        assert_eq!(Handover::from_words(&[0; WORDS]), None);
        assert_eq!(Handover::from_words(&[u32::MAX; WORDS]), None);
        let mut torn = RECORD.to_words();
        torn[3] ^= 1;
        assert_eq!(Handover::from_words(&torn), None);
    }

    #[test]
    fn codes_are_stable() {
        for code in 0..12 {
            assert_eq!(Outcome::from_code(code).unwrap() as u8, code);
        }
        assert_eq!(Outcome::from_code(12), None);
    }
}
