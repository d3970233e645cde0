//! What may stand behind a `$`.

use core::str;

/// What is to be put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable<'a> {
    /// The status of the last command: `$?`
    Status,
    /// The value of the variable of that name, or nothing: `$name`, `${name}`
    Value(&'a str),
    /// The text unless the variable has a value, which else: `${name:-text}`
    ValueOr(&'a str, &'a [u8]),
    /// The text if the variable has a value, else nothing: `${name:+text}`
    IfValue(&'a str, &'a [u8]),
    /// The `$` itself: nothing follows it that a name starts with.
    Dollar,
}

/// Why it is no variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// The brace is not closed.
    Open,
    /// What is in the braces makes no sense.
    Inside,
}

/// What stands behind a `$`, and its bytes.
///
/// # Errors
/// Braces that are not as they should be.
pub fn parse(tail: &[u8]) -> Result<(Variable<'_>, usize), Bad> {
    match tail {
        [b'?', ..] => Ok((Variable::Status, 1)),
        [b'{', rest @ ..] => {
            let len = rest.iter().position(|&byte| byte == b'}').ok_or(Bad::Open)?;
            let variable = braced(rest.get(..len).unwrap_or_default()).ok_or(Bad::Inside)?;
            Ok((variable, len + 2))
        }
        _ => match name(tail) {
            "" => Ok((Variable::Dollar, 0)),
            name => Ok((Variable::Value(name), name.len())),
        },
    }
}

/// In braces a name may have any characters, as those of U-Boot's environment have.
fn braced(inside: &[u8]) -> Option<Variable<'_>> {
    let operator = inside.windows(2).position(|two| matches!(two, [b':', b'-' | b'+' | b'=' | b'?']));
    let (name, rest) = inside.split_at_checked(operator.unwrap_or(inside.len()))?;
    let name = str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
    match rest {
        [] => Some(Variable::Value(name)),
        [_, b'-', text @ ..] => Some(Variable::ValueOr(name, text)),
        [_, b'+', text @ ..] => Some(Variable::IfValue(name, text)),
        _ => None,
    }
}

/// The name that a text starts with: letters, digits and `_`, the first no digit.
pub fn name(text: &[u8]) -> &str {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let len = match text.first() {
        Some(first) if first.is_ascii_digit() => 0,
        _ => text.iter().take_while(is_part).count(),
    };
    text.get(..len).and_then(|name| str::from_utf8(name).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tail: &str, variable: Variable<'_>, len: usize) {
        assert_eq!(parse(tail.as_bytes()), Ok((variable, len)));
    }

    #[test]
    fn names() {
        check("?x", Variable::Status, 1);
        check("a_1-b", Variable::Value("a_1"), 3);
        check("{a-b.c d}e", Variable::Value("a-b.c d"), 9);
        check("{a:-b c}", Variable::ValueOr("a", b"b c"), 8);
        check("{a:+}", Variable::IfValue("a", b""), 5);
        check("{a:b}", Variable::Value("a:b"), 5);
        check("1a", Variable::Dollar, 0);
        check("", Variable::Dollar, 0);
        check("(a)", Variable::Dollar, 0);
    }

    #[test]
    fn nonsense() {
        assert_eq!(parse(b"{a"), Err(Bad::Open));
        for tail in ["{}", "{:-a}", "{a:=b}", "{a:?b}"] {
            assert_eq!(parse(tail.as_bytes()), Err(Bad::Inside), "{tail}");
        }
        assert_eq!(parse(b"{\xff}"), Err(Bad::Inside));
    }
}
