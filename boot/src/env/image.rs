//! A stored copy of the environment: CRC-32 of all that follows (but the flags), little-endian;
//! in redundant environments a byte of flags; variables as `name=value`, a NUL behind each and
//! one more behind the last; zeros up to the end.
//!
//! Format: U-Boot, `include/env_internal.h`, `struct environment_s`. Values are stored as they are, like
//! `fw_setenv` does; U-Boot itself takes a backslash in them for an escape.

use super::variables::halves;

/// How many copies there are in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One.
    Plain,
    /// Two, whose flags say which is newer.
    Redundant,
}

impl Form {
    /// Bytes before the variables.
    #[must_use]
    pub const fn header(self) -> usize {
        match self {
            Self::Plain => CRC,
            Self::Redundant => CRC + 1,
        }
    }
}

/// Bytes of the CRC.
const CRC: usize = 4;

/// A copy that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// Flags of a redundant copy: a number that each save increments.
    pub flags: Option<u8>,
    /// Variables, with a NUL behind each, and whatever follows them.
    pub data: &'a [u8],
}

/// Why bytes are not a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// There is no room for a header, or for the variables.
    Short,
    /// The CRC does not match.
    Crc {
        /// CRC stored.
        stored: u32,
        /// CRC of the bytes.
        computed: u32,
    },
}

impl<'a> Image<'a> {
    /// Verifies a copy. All its bytes count: the size is part of the format.
    ///
    /// # Errors
    /// Says in what way the bytes are not a copy.
    pub fn parse(bytes: &'a [u8], form: Form, crc32: impl Fn(&[u8]) -> u32) -> Result<Self, ImageError> {
        let (header, data) = bytes.split_at_checked(form.header()).ok_or(ImageError::Short)?;
        let (stored, flags) = header.split_first_chunk().ok_or(ImageError::Short)?;
        let (stored, computed) = (u32::from_le_bytes(*stored), crc32(data));
        if stored != computed {
            return Err(ImageError::Crc { stored, computed });
        }
        Ok(Self { flags: flags.first().copied(), data })
    }
}

/// Writes a copy with these variables.
///
/// # Errors
/// [`ImageError::Short`] when they do not fit; the bytes are no copy then.
pub fn write<'a>(
    bytes: &mut [u8],
    form: Form,
    flags: u8,
    variables: impl Iterator<Item = (&'a str, &'a str)>,
    crc32: impl Fn(&[u8]) -> u32,
) -> Result<(), ImageError> {
    let (header, data) = bytes.split_at_mut_checked(form.header()).ok_or(ImageError::Short)?;
    let (crc, flag) = header.split_first_chunk_mut().ok_or(ImageError::Short)?;
    // Not the one that fits until all is there.
    *crc = [0xff; CRC];
    let used = write_list(data, variables).ok_or(ImageError::Short)?;
    data.get_mut(used..).unwrap_or_default().fill(0);
    flag.fill(flags);
    *crc = crc32(data).to_le_bytes();
    Ok(())
}

/// Writes variables and the NUL that ends them; returns the bytes it took, or `None` when there is too
/// little room.
pub fn write_list<'a>(out: &mut [u8], variables: impl Iterator<Item = (&'a str, &'a str)>) -> Option<usize> {
    let mut used = 0;
    let mut put = |part: &[u8]| {
        out.get_mut(used..)?.get_mut(..part.len())?.copy_from_slice(part);
        used += part.len();
        Some(())
    };
    for (name, value) in variables {
        for part in [name.as_bytes(), b"=", value.as_bytes(), b"\0"] {
            put(part)?;
        }
    }
    put(b"\0")?;
    Some(used)
}

/// Is the first of two copies the one to use, by their flags? The number goes round from 255 to 0.
#[must_use]
pub const fn first_is_newer(first: u8, second: u8) -> bool {
    match (first, second) {
        (0, 255) => true,
        (255, 0) => false,
        _ => first >= second,
    }
}

/// Names and values in binary data, up to the NUL that ends the list, or the end.
pub fn entries(data: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    data.split(|&byte| byte == 0).take_while(|entry| !entry.is_empty()).map(halves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::crc32;
    use crate::env::{CAPACITY, Environment, SIZE};
    use crate::mock::Random;
    use std::vec;
    use std::vec::Vec;

    const FORMS: [Form; 2] = [Form::Plain, Form::Redundant];

    /// What `printf 'bootdelay=3\nx=a b\n' | mkenvimage [-r] -p 0 -s 32 -` writes; its flags are 1.
    const PLAIN: [u8; 32] = *b"\xe5\x6c\xaf\x98bootdelay=3\0x=a b\0\0\0\0\0\0\0\0\0\0\0";
    const REDUNDANT: [u8; 32] = *b"\x64\x29\x26\x72\x01bootdelay=3\0x=a b\0\0\0\0\0\0\0\0\0\0";

    #[test]
    fn is_what_mkenvimage_writes() {
        for (form, flags, expected) in [(Form::Plain, None, PLAIN), (Form::Redundant, Some(1), REDUNDANT)] {
            let mut bytes = [0xff; 32];
            write(&mut bytes, form, 1, [("bootdelay", "3"), ("x", "a b")].into_iter(), crc32).unwrap();
            assert_eq!(bytes, expected);
            let image = Image::parse(&bytes, form, crc32).unwrap();
            assert_eq!(image.flags, flags);
            let found: Vec<_> = entries(image.data).collect();
            assert_eq!(found, [(&b"bootdelay"[..], &b"3"[..]), (b"x", b"a b")]);
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for (form, good) in FORMS.into_iter().zip([PLAIN, REDUNDANT]) {
            for bit in 0..good.len() * 8 {
                let mut bytes = good;
                bytes[bit / 8] ^= 1 << (bit % 8);
                // Flags are not covered, or they could not be changed alone.
                let holds = form == Form::Redundant && bit / 8 == 4;
                assert_eq!(Image::parse(&bytes, form, crc32).is_ok(), holds, "bit {bit}");
            }
        }
    }

    #[test]
    fn keeps_to_its_room() {
        let check = |size: usize, form, variables: &[(&str, &str)], fits: bool| {
            let mut bytes = vec![0xff; size];
            let result = write(&mut bytes, form, 0, variables.iter().copied(), crc32);
            assert_eq!(result, if fits { Ok(()) } else { Err(ImageError::Short) });
            assert_eq!(Image::parse(&bytes, form, crc32).is_ok(), fits);
        };
        check(9, Form::Plain, &[("a", "1")], true);
        check(8, Form::Plain, &[("a", "1")], false);
        check(10, Form::Redundant, &[("a", "1")], true);
        check(9, Form::Redundant, &[("a", "1")], false);
        check(5, Form::Plain, &[], true);
        check(4, Form::Plain, &[], false);
        check(3, Form::Plain, &[], false);
        let mut full = Environment::new();
        full.set("a", &"x".repeat(CAPACITY - 3)).unwrap();
        for form in FORMS {
            check(SIZE, form, &full.iter().collect::<Vec<_>>(), true);
        }
        for len in 0..6 {
            assert_eq!(Image::parse(&vec![0; len], Form::Redundant, |_| 0).is_ok(), len >= 5);
        }
    }

    #[test]
    fn the_newer_copy_is_used() {
        let check = |first, second, newer| assert_eq!(first_is_newer(first, second), newer);
        check(1, 0, true);
        check(0, 1, false);
        check(0, 255, true);
        check(255, 0, false);
        check(254, 255, false);
        check(7, 7, true);
    }

    /// What is written is read back, for variables and sizes as they come.
    #[test]
    fn reads_what_it_writes() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let mut variables = Environment::new();
            for _ in 0..random.below(40) {
                let word = |random: &mut Random, most| -> std::string::String {
                    (0..random.below(most)).map(|_| char::from(1 + random.below(126) as u8)).collect()
                };
                let (name, value) = (word(&mut random, 8), word(&mut random, 60));
                // Names as they come may hold a `=`.
                let _ = variables.set(&name, &value);
            }
            for form in FORMS {
                let len = form.header() + variables.as_bytes().len() + 1;
                let mut bytes = vec![0xff; len + random.below(100) as usize];
                let flags = random.below(256) as u8;
                write(&mut bytes, form, flags, variables.iter(), crc32).unwrap();
                let image = Image::parse(&bytes, form, crc32).unwrap();
                assert_eq!(image.flags, (form == Form::Redundant).then_some(flags));
                let mut again = Environment::new();
                assert_eq!(again.import(entries(image.data)).unwrap().odd, 0);
                assert_eq!(again, variables);
            }
        }
    }

    /// Bytes that somebody made up, with a CRC that fits: nothing panics, and what is taken can be
    /// stored and read again.
    #[test]
    fn hostile_bytes_do_no_harm() {
        let mut random = Random::new(2);
        for _ in 0..3000 {
            // Mostly bytes that mean something here.
            let data: Vec<u8> = (0..random.below(200))
                .map(|_| match random.below(8) {
                    0 => 0,
                    1 => b'=',
                    2 => random.below(256) as u8,
                    _ => b'a' + random.below(3) as u8,
                })
                .collect();
            let bytes = [&crc32(&data).to_le_bytes()[..], &data].concat();
            let image = Image::parse(&bytes, Form::Plain, crc32).unwrap();
            let mut variables = crate::env::Variables::<64>::new();
            let _ = variables.import(entries(image.data));
            let mut again = crate::env::Variables::<64>::new();
            assert_eq!(again.import(entries(variables.as_bytes())).unwrap().odd, 0);
            assert_eq!(again, variables);
        }
    }
}
