//! The environment as text: `name=value`, a line each. In values a backslash stands before line ends
//! and backslashes. Blank lines and those that start with `#` are passed over.

use super::CAPACITY;
use arrayvec::ArrayVec;
use core::iter;

/// Writes variables as text with a NUL behind; returns the bytes it took, or `None` when there is
/// too little room.
pub fn write<'a>(out: &mut [u8], variables: impl Iterator<Item = (&'a str, &'a str)>) -> Option<usize> {
    let mut len = 0;
    let mut put = |byte| {
        *out.get_mut(len)? = byte;
        len += 1;
        Some(())
    };
    for (name, value) in variables {
        name.bytes().chain(iter::once(b'=')).try_for_each(&mut put)?;
        for byte in value.bytes() {
            if matches!(byte, b'\n' | b'\\') {
                put(b'\\')?;
            }
            put(byte)?;
        }
        put(b'\n')?;
    }
    put(0)?;
    Some(len)
}

/// Hands names and values of a text, up to its end or a NUL, to `take`. With `crlf`, a carriage return
/// before a line end belongs to it.
///
/// # Errors
/// Those of `take`.
pub fn read<E>(
    text: &[u8],
    crlf: bool,
    mut take: impl FnMut(&[u8], &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = text.iter().copied().take_while(|&byte| byte != 0).peekable();
    while rest.peek().is_some() {
        let mut line = ArrayVec::<u8, CAPACITY>::new();
        // What is longer than any environment is cut off; it does not fit there in any case.
        let mut push = |byte| {
            let _ = line.try_push(byte);
        };
        let mut equals = None;
        let mut len = 0;
        while let Some(byte) = rest.next() {
            match byte {
                b'\n' => break,
                b'\r' if crlf && rest.peek() == Some(&b'\n') => continue,
                b' ' | b'\t' if len == 0 => continue,
                b'\\' if equals.is_some() => push(rest.next().unwrap_or(byte)),
                b'=' if equals.is_none() => {
                    equals = Some(len);
                    push(byte);
                }
                _ => push(byte),
            }
            len += 1;
        }
        let (name, value) = line.split_at_checked(equals.unwrap_or(len)).unwrap_or_default();
        if !matches!(name, [] | [b'#', ..]) || equals == Some(0) {
            take(name, value.get(1..).unwrap_or_default())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{Environment, Imported, Variables};
    use crate::mock::Random;
    use std::string::String;
    use std::vec::Vec;

    fn text_of(variables: &Environment) -> Vec<u8> {
        let mut out = [0xff; 4096];
        let len = write(&mut out, variables.iter()).unwrap();
        out[..len].to_vec()
    }

    #[test]
    fn escapes_line_ends() {
        let mut variables = Environment::new();
        variables.set("b", "1\n2\\").unwrap();
        variables.set("a", "x y").unwrap();
        assert_eq!(text_of(&variables), b"a=x y\nb=1\\\n2\\\\\n\0");
        let mut short = [0; 9];
        assert_eq!(write(&mut short, variables.iter()), None);
        assert_eq!(write(&mut short, [("a", "x y")].into_iter()), Some(7));
        assert_eq!(write(&mut short, [("a", "123456")].into_iter()), None);
    }

    #[track_caller]
    fn check(text: &str, crlf: bool, expected: &[(&str, &str)]) {
        let mut found = Vec::new();
        let take = |name: &[u8], value: &[u8]| {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            found.push((text(name), text(value)));
            Ok::<_, ()>(())
        };
        read(text.as_bytes(), crlf, take).unwrap();
        let found: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn reads_as_u_boot_does() {
        check("", false, &[]);
        check("a=1\nb=2", false, &[("a", "1"), ("b", "2")]);
        check("a=1\n\0b=2\n", false, &[("a", "1")]);
        check("  a=1 \n\n# c=3\n\t#\nb= 2\n", false, &[("a", "1 "), ("b", " 2")]);
        check("a\nb=\n", false, &[("a", ""), ("b", "")]);
        check("a=1\\\n2\\\\\nb=x=y", false, &[("a", "1\n2\\"), ("b", "x=y")]);
        check("=x\n", false, &[("", "x")]);
        check("a=1\r\nb=2\r\n", true, &[("a", "1"), ("b", "2")]);
        check("a=1\r\nb=2\r", false, &[("a", "1\r"), ("b", "2\r")]);
        check("a=\\", false, &[("a", "\\")]);
    }

    #[test]
    fn what_does_not_fit_any_environment_is_refused() {
        let text = std::format!("a={}\nb=2\n", "x".repeat(2 * CAPACITY));
        let mut variables = Environment::new();
        let mut imported = Imported::default();
        let result = read(text.as_bytes(), false, |n, v| variables.take(n, v, &mut imported));
        assert!(result.is_err());
        assert_eq!(variables, Environment::new());
    }

    /// What is written is read back, whatever the values hold.
    #[test]
    fn reads_what_it_writes() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let mut variables = Environment::new();
            for number in 0..random.below(10) {
                let value: String = (0..random.below(20))
                    .map(|_| char::from(*b"\\\nax=# \r".get(random.below(8) as usize).unwrap()))
                    .collect();
                variables.set(&std::format!("v{number}"), &value).unwrap();
            }
            let mut again = Variables::new();
            let mut imported = Imported::default();
            read(&text_of(&variables), false, |n, v| again.take(n, v, &mut imported)).unwrap();
            assert_eq!(again, variables);
        }
    }
}
