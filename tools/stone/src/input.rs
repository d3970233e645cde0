//! Scripted input for the serial console, as `--input` takes it.

use crate::{Error, Result};
use std::fs;
use std::path::Path;

/// The bytes of a text with escapes, or of a file named behind `@`.
///
/// # Errors
/// Names the escape that is none, or the file that cannot be read.
pub fn bytes(text: &str) -> Result<Vec<u8>> {
    match text.strip_prefix('@') {
        Some(file) => fs::read(file).map_err(|e| Error::io("read the input", Path::new(file), &e)),
        None => unescape(text),
    }
}

fn unescape(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let (byte, len) = escape(behind).ok_or_else(|| {
            Error::new("--input: unknown escape")
                .found(format!("\\{}", behind.chars().take(3).collect::<String>()))
                .expected(r"\n \r \t \e \\ \@ or \xHH")
        })?;
        bytes.push(byte);
        rest = &behind[len..];
    }
    bytes.extend(rest.as_bytes());
    Ok(bytes)
}

/// The byte that an escape means, and its length behind the backslash.
fn escape(text: &str) -> Option<(u8, usize)> {
    let byte = match text.as_bytes().first()? {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'e' => 0x1b,
        &same @ (b'\\' | b'@') => same,
        b'x' => return Some((u8::from_str_radix(text.get(1..3)?, 16).ok()?, 3)),
        _ => return None,
    };
    Some((byte, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_bytes() {
        let check = |text, expected: &[u8]| assert_eq!(bytes(text).unwrap(), expected, "{text}");
        check("", b"");
        check("help\\n", b"help\n");
        check("\\r\\t\\e\\\\\\x7fz", b"\r\t\x1b\\\x7fz");
        check("\\@home", b"@home");
        check("gr\u{fc}n", "gr\u{fc}n".as_bytes());
    }

    #[test]
    fn refuses_unknown_escapes() {
        for text in ["\\q", "a\\", "\\x1", "\\xzz", "\\\u{fc}"] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert!(bytes("@/no/such/file").unwrap_err().to_string().starts_with("/no/such/file: cannot read"));
    }
}
