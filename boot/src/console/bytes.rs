//! What slices and vectors of bytes lack: without a way to panic, and small.

use arrayvec::ArrayVec;

/// Where `part` is in `text` first.
#[must_use]
pub fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    (0..=text.len()).find(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(part)))
}

/// Puts `part` in at `at`, as far as there is room.
pub fn put<const N: usize>(text: &mut ArrayVec<u8, N>, at: usize, part: &[u8]) {
    let len = part.len().min(text.remaining_capacity());
    let _ = text.try_extend_from_slice(part.get(..len).unwrap_or_default());
    if let Some(tail) = text.get_mut(at..) {
        tail.rotate_right(len.min(tail.len()));
    }
}

/// Takes the `len` bytes at `at` out, or as many as there are.
pub fn cut<const N: usize>(text: &mut ArrayVec<u8, N>, at: usize, len: usize) {
    if let Some(tail) = text.get_mut(at..) {
        let len = len.min(tail.len());
        tail.rotate_left(len);
        text.truncate(text.len() - len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds() {
        let check = |text: &str, part: &str| {
            assert_eq!(find(text.as_bytes(), part.as_bytes()), text.find(part), "{text} {part}");
        };
        for text in ["", "a", "ab", "aab", "xaaba", "abab"] {
            ["", "a", "ab", "b", "aba", "c"].into_iter().for_each(|part| check(text, part));
        }
    }

    #[test]
    fn puts_and_cuts() {
        let mut text = ArrayVec::<u8, 8>::new();
        put(&mut text, 0, b"ad");
        put(&mut text, 1, b"bc");
        put(&mut text, 4, b"e");
        put(&mut text, 9, b"");
        assert_eq!(text.as_slice(), b"abcde");
        put(&mut text, 2, b"12345");
        assert_eq!(text.as_slice(), b"ab123cde");
        cut(&mut text, 2, 3);
        cut(&mut text, 4, 9);
        cut(&mut text, 9, 1);
        assert_eq!(text.as_slice(), b"abcd");
        cut(&mut text, 0, 2);
        assert_eq!(text.as_slice(), b"cd");
    }
}
