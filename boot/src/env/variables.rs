//! Named texts in a buffer of fixed size.

use crate::console::bytes::{cut, put};
use arrayvec::ArrayVec;
use core::str;

/// Variables as U-Boot exports them: `name=value`, a NUL behind each, sorted by name.
///
/// Looking one up takes a walk along them, which at the few KiB of an environment takes less
/// time than a character on the serial line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variables<const BYTES: usize> {
    data: ArrayVec<u8, BYTES>,
}

/// Why a variable cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetError {
    /// The name is empty, or there is an `=` or a NUL in it.
    Name,
    /// There is a NUL in the value.
    Value,
    /// There is no room.
    Full {
        /// Bytes it takes, name and value and two more.
        needed: usize,
        /// Bytes there are.
        free: usize,
    },
}

/// What [`Variables::import`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Variables set or deleted.
    pub taken: usize,
    /// Entries passed over: not UTF-8, or without a name.
    pub odd: usize,
}

/// Can a variable be called this?
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.bytes().any(|byte| matches!(byte, b'=' | 0))
}

/// The entry at the start of `data`, without its NUL.
fn first(data: &[u8]) -> &[u8] {
    let len = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    data.get(..len).unwrap_or_default()
}

/// Name and value of an entry.
pub(super) fn halves(entry: &[u8]) -> (&[u8], &[u8]) {
    let len = entry.iter().position(|&byte| byte == b'=').unwrap_or(entry.len());
    let (name, value) = entry.split_at_checked(len).unwrap_or_default();
    (name, value.get(1..).unwrap_or_default())
}

impl<const BYTES: usize> Variables<BYTES> {
    /// No variables.
    #[must_use]
    pub const fn new() -> Self {
        Self { data: ArrayVec::new_const() }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.data.clear();
    }

    /// The variables as they are stored, without the NUL that ends a list.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.data
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = self.as_bytes();
        core::iter::from_fn(move || {
            let entry = first(rest);
            rest = rest.get(entry.len() + 1..)?;
            let (name, value) = halves(entry);
            // Nothing but text gets in.
            Some((str::from_utf8(name).unwrap_or_default(), str::from_utf8(value).unwrap_or_default()))
        })
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let entry = self.find(name).ok().map(|at| first(self.data.get(at..).unwrap_or_default()))?;
        str::from_utf8(halves(entry).1).ok()
    }

    /// Sets a variable; an empty value deletes it, as it would when it is stored and read again.
    ///
    /// # Errors
    /// Nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        if !is_name(name) {
            return Err(SetError::Name);
        }
        if value.bytes().any(|byte| byte == 0) {
            return Err(SetError::Value);
        }
        if value.is_empty() {
            self.remove(name);
            return Ok(());
        }
        let old = self.find(name).map_or(0, |at| first(self.data.get(at..).unwrap_or_default()).len() + 1);
        let needed = name.len().saturating_add(value.len()).saturating_add(2);
        let free = BYTES - self.data.len() + old;
        if needed > free {
            return Err(SetError::Full { needed, free });
        }
        self.remove(name);
        self.insert(name, value);
        Ok(())
    }

    /// Puts an entry for which there is room where it belongs.
    fn insert(&mut self, name: &str, value: &str) {
        let (Ok(at) | Err(at)) = self.find(name);
        for part in [b"\0", value.as_bytes(), b"=", name.as_bytes()] {
            put(&mut self.data, at, part);
        }
    }

    /// Deletes a variable; false if there is none of that name.
    pub fn remove(&mut self, name: &str) -> bool {
        let Ok(at) = self.find(name) else { return false };
        let gone = first(self.data.get(at..).unwrap_or_default()).len() + 1;
        cut(&mut self.data, at, gone);
        true
    }

    /// Sets all entries, without a value deletes, as U-Boot does.
    ///
    /// # Errors
    /// There is no room; what came before is set.
    pub fn import<'a>(
        &mut self,
        entries: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Result<Imported, SetError> {
        let mut imported = Imported::default();
        entries.into_iter().try_for_each(|(name, value)| self.take(name, value, &mut imported))?;
        Ok(imported)
    }

    /// Sets one entry, or deletes it if it has no value, and counts it.
    ///
    /// # Errors
    /// There is no room.
    pub fn take(&mut self, name: &[u8], value: &[u8], imported: &mut Imported) -> Result<(), SetError> {
        match (str::from_utf8(name), str::from_utf8(value)) {
            (Ok(name), Ok(value)) if is_name(name) => {
                self.set(name, value)?;
                imported.taken += 1;
            }
            _ => imported.odd += 1,
        }
        Ok(())
    }

    /// Where the entry of that name is, or else where it belongs.
    fn find(&self, name: &str) -> Result<usize, usize> {
        let mut at = 0;
        while let Some(rest) = self.data.get(at..).filter(|rest| !rest.is_empty()) {
            let entry = first(rest);
            match halves(entry).0.cmp(name.as_bytes()) {
                core::cmp::Ordering::Less => at += entry.len() + 1,
                core::cmp::Ordering::Equal => return Ok(at),
                core::cmp::Ordering::Greater => break,
            }
        }
        Err(at)
    }
}

impl<const BYTES: usize> Default for Variables<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Random;
    use std::collections::BTreeMap;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn small(entries: &[(&str, &str)]) -> Variables<32> {
        let mut variables = Variables::new();
        entries.iter().for_each(|(name, value)| variables.set(name, value).unwrap());
        variables
    }

    #[test]
    fn keeps_them_sorted() {
        let variables = small(&[("b", "2"), ("a", "1 2"), ("ab", "x=y")]);
        assert_eq!(variables.as_bytes(), b"a=1 2\0ab=x=y\0b=2\0");
        assert_eq!(variables.iter().collect::<Vec<_>>(), [("a", "1 2"), ("ab", "x=y"), ("b", "2")]);
        assert_eq!((variables.get("ab"), variables.get("x"), variables.get("")), (Some("x=y"), None, None));
    }

    #[test]
    fn replaces_and_deletes() {
        let mut variables = small(&[("a", "1"), ("b", "2"), ("c", "3")]);
        variables.set("b", "longer").unwrap();
        assert_eq!(variables.as_bytes(), b"a=1\0b=longer\0c=3\0");
        assert!(variables.remove("a") && !variables.remove("a"));
        variables.set("c", "").unwrap();
        assert_eq!(variables.as_bytes(), b"b=longer\0");
        variables.set("nothing", "").unwrap();
        assert_eq!(variables.as_bytes(), b"b=longer\0");
    }

    #[test]
    fn refuses_what_cannot_be_stored() {
        let mut variables = small(&[("a", "1")]);
        for name in ["", "a=b", "=", "a\0"] {
            assert_eq!(variables.set(name, "1"), Err(SetError::Name));
        }
        assert_eq!(variables.set("a", "1\0"), Err(SetError::Value));
        let value = "x".repeat(26);
        assert_eq!(variables.set("bc", &value), Err(SetError::Full { needed: 30, free: 28 }));
        assert_eq!(variables.as_bytes(), b"a=1\0");
        // What it replaces makes room.
        variables.set("a", &"x".repeat(29)).unwrap();
        assert_eq!(variables.as_bytes().len(), 32);
        assert_eq!(variables.set("b", "1"), Err(SetError::Full { needed: 4, free: 0 }));
    }

    #[test]
    fn imports_what_makes_sense() {
        let mut variables = small(&[("a", "1"), ("b", "2")]);
        let entries: [(&[u8], &[u8]); 5] =
            [(b"c", b"3"), (b"a", b""), (b"", b"x"), (b"\xff", b"x"), (b"d", b"\xff")];
        assert_eq!(variables.import(entries.into_iter()), Ok(Imported { taken: 2, odd: 3 }));
        assert_eq!(variables.as_bytes(), b"b=2\0c=3\0");
    }

    /// Whatever is done, it holds what a map would hold.
    #[test]
    fn agrees_with_a_map() {
        let mut random = Random::new(4);
        let mut variables = Variables::<200>::new();
        let mut map = BTreeMap::<String, String>::new();
        for _ in 0..20_000 {
            let letters = (0..random.below(3)).map(|_| char::from(b'<' + random.below(4) as u8));
            let name: String = letters.collect();
            let value = "v".repeat(random.below(40) as usize);
            let others = map.iter().filter(|(key, _)| **key != name);
            let bytes: usize = others.map(|(key, value)| key.len() + value.len() + 2).sum();
            let fits = bytes + name.len() + value.len() + 2 <= 200;
            let result = variables.set(&name, &value);
            match (name.is_empty() || name.contains('='), value.is_empty(), fits) {
                (true, ..) => assert_eq!(result, Err(SetError::Name)),
                (_, true, _) => drop(map.remove(&name)),
                (_, _, true) => drop(map.insert(name, value)),
                (_, _, false) => assert!(matches!(result, Err(SetError::Full { .. }))),
            }
            let held: Vec<_> = variables.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            assert_eq!(held, map.clone().into_iter().collect::<Vec<_>>());
        }
    }
}
