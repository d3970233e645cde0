//! gzip members (RFC 1952), decompressed from one slice into another.

use crate::crc::crc32;
use core::fmt;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// Why data could not be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GzipError {
    /// It does not start with a gzip header.
    NotGzip,
    /// It ends before the last block does, or before the trailer.
    Truncated,
    /// The deflate stream is damaged.
    Damaged,
    /// There is more than fits.
    TooLong {
        /// Bytes of room there are.
        room: usize,
    },
    /// CRC or length in the trailer is not that of the result.
    Check,
}

impl fmt::Display for GzipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGzip => write!(f, "no gzip header"),
            Self::Truncated => write!(f, "the compressed data ends too early"),
            Self::Damaged => write!(f, "the compressed data is damaged"),
            Self::TooLong { room } => write!(f, "it needs more than the {room:#x} bytes there are"),
            Self::Check => write!(f, "the CRC of the result is wrong"),
        }
    }
}

/// Bytes that the member which is all of `input` says it decompresses to.
///
/// # Errors
/// It is none, or too short for one.
pub fn length(input: &[u8]) -> Result<u32, GzipError> {
    let stream = skip_header(input)?;
    // Behind the stream, which has two bytes at least, are the CRC and the length.
    let (_, trailer) = stream.split_at_checked(2).ok_or(GzipError::Truncated)?;
    match trailer.last_chunk::<8>() {
        Some([.., a, b, c, d]) => Ok(u32::from_le_bytes([*a, *b, *c, *d])),
        None => Err(GzipError::Truncated),
    }
}

/// Decompresses the gzip member at the start of `input` into `output`; returns its length.
///
/// # Errors
/// The input is no sound gzip member, or `output` is too small. `output` may be
/// partly written then.
pub fn gunzip(input: &[u8], output: &mut [u8]) -> Result<usize, GzipError> {
    let stream = skip_header(input)?;
    let mut state = DecompressorOxide::new();
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, used, len) = decompress(&mut state, stream, output, 0, flags);
    match status {
        TINFLStatus::Done => {}
        TINFLStatus::HasMoreOutput => return Err(GzipError::TooLong { room: output.len() }),
        TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
            return Err(GzipError::Truncated);
        }
        _ => return Err(GzipError::Damaged),
    }
    let trailer: [u8; 8] = *stream.get(used..).and_then(<[u8]>::first_chunk).ok_or(GzipError::Truncated)?;
    let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer;
    let data = output.get(..len).unwrap_or_default();
    // The length is stored modulo 2^32.
    if u32::from_le_bytes([c0, c1, c2, c3]) != crc32(data)
        || u32::from_le_bytes([l0, l1, l2, l3]) != len as u32
    {
        return Err(GzipError::Check);
    }
    Ok(len)
}

/// What is behind the header, which has optional fields of any length.
fn skip_header(input: &[u8]) -> Result<&[u8], GzipError> {
    const DEFLATE: u8 = 8;
    const HEADER_CRC: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;

    let Some((&[0x1f, 0x8b, DEFLATE, flags, ..], mut rest)) = input.split_first_chunk::<10>() else {
        return Err(GzipError::NotGzip);
    };
    if flags & EXTRA != 0 {
        let (len, behind) = rest.split_first_chunk().ok_or(GzipError::Truncated)?;
        rest = behind.get(usize::from(u16::from_le_bytes(*len))..).ok_or(GzipError::Truncated)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = rest.iter().position(|&byte| byte == 0).ok_or(GzipError::Truncated)?;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }
    if flags & HEADER_CRC != 0 {
        rest = rest.get(2..).ok_or(GzipError::Truncated)?;
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// `printf 'steppingstone steppingstone' | gzip -9n`, from gzip 1.12.
    const PLAIN: &[u8] = &[
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0x2e, 0x49, 0x2d, 0x28, 0xc8, 0xcc,
        0x4b, 0x2f, 0x2e, 0xc9, 0xcf, 0x4b, 0x55, 0x28, 0x46, 0xe6, 0x01, 0x00, 0x26, 0x7a, 0xe8, 0x94, 0x1b,
        0x00, 0x00, 0x00,
    ];
    const TEXT: &[u8] = b"steppingstone steppingstone";

    /// The same with other optional header fields.
    fn with_header(flags: u8, fields: &[u8]) -> Vec<u8> {
        let mut bytes = PLAIN[..10].to_vec();
        bytes[3] = flags;
        bytes.extend_from_slice(fields);
        bytes.extend_from_slice(&PLAIN[10..]);
        bytes
    }

    fn check(input: &[u8], room: usize, expected: Result<&[u8], GzipError>) {
        let mut output = std::vec![0; room];
        let result = gunzip(input, &mut output);
        assert_eq!(result.map(|len| &output[..len]), expected);
    }

    #[test]
    fn decompresses() {
        check(PLAIN, 27, Ok(TEXT));
        check(PLAIN, 100, Ok(TEXT));
        check(&[PLAIN, b"padding"].concat(), 27, Ok(TEXT));
    }

    #[test]
    fn skips_optional_fields() {
        check(&with_header(0x08, b"zImage\0"), 27, Ok(TEXT));
        check(&with_header(0x1e, b"\x03\x00abcname\0comment\0\x12\x34"), 27, Ok(TEXT));
        check(&with_header(0x04, b"\xff\xff"), 27, Err(GzipError::Truncated));
        check(&[&PLAIN[..3], &[0x08], &PLAIN[4..10], b"no end"].concat(), 27, Err(GzipError::Truncated));
    }

    #[test]
    fn knows_the_length_beforehand() {
        assert_eq!(length(PLAIN), Ok(27));
        assert_eq!(length(&with_header(0x08, b"zImage\0")), Ok(27));
        assert_eq!(length(&PLAIN[..19]), Err(GzipError::Truncated));
        assert_eq!(length(&PLAIN[..9]), Err(GzipError::NotGzip));
    }

    #[test]
    fn says_what_is_wrong() {
        check(b"", 27, Err(GzipError::NotGzip));
        check(&[0; 64], 27, Err(GzipError::NotGzip));
        check(PLAIN, 26, Err(GzipError::TooLong { room: 26 }));
        check(PLAIN, 0, Err(GzipError::TooLong { room: 0 }));
        for len in 10..PLAIN.len() {
            check(&PLAIN[..len], 27, Err(GzipError::Truncated));
        }
        // Block type 3 does not exist.
        check(&[&PLAIN[..10], &[0x07; 20]].concat(), 27, Err(GzipError::Damaged));
        for at in [PLAIN.len() - 8, PLAIN.len() - 1] {
            let mut torn = PLAIN.to_vec();
            torn[at] ^= 1;
            check(&torn, 27, Err(GzipError::Check));
        }
    }
}
