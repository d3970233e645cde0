//! The hashes that a FIT image holds of its parts.

use crate::crc::crc32;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// A kind of hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// CRC-32, its value a big-endian word.
    Crc32,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl Algorithm {
    /// By the name that a hash node has for it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "crc32" => Self::Crc32,
            "sha1" => Self::Sha1,
            "sha256" => Self::Sha256,
            _ => return None,
        })
    }

    /// Is `value` the hash of `data`?
    #[must_use]
    pub fn matches(self, data: &[u8], value: &[u8]) -> bool {
        match self {
            Self::Crc32 => crc32(data).to_be_bytes() == value,
            Self::Sha1 => Sha1::digest(data)[..] == *value,
            Self::Sha256 => Sha256::digest(data)[..] == *value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_published_values_of_abc() {
        let check = |name, value: &[u8]| {
            let algorithm = Algorithm::named(name).unwrap();
            assert!(algorithm.matches(b"abc", value), "{name}");
            assert!(!algorithm.matches(b"abd", value) && !algorithm.matches(b"abc", &value[1..]));
            assert!(!algorithm.matches(b"abc", &[]));
        };
        check("crc32", &0x3524_41c2_u32.to_be_bytes());
        // FIPS 180-2, appendices A.1 and B.1.
        let words = |words: &[u32]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<std::vec::Vec<_>>();
        check("sha1", &words(&[0xa999_3e36, 0x4706_816a, 0xba3e_2571, 0x7850_c26c, 0x9cd0_d89d]));
        #[rustfmt::skip]
        check("sha256", &words(&[
            0xba78_16bf, 0x8f01_cfea, 0x4141_40de, 0x5dae_2223,
            0xb003_61a3, 0x9617_7a9c, 0xb410_ff61, 0xf200_15ad,
        ]));
        assert_eq!(Algorithm::named("md5"), None);
    }
}
