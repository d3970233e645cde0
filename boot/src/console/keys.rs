//! Keys that wait for whoever wants them.

/// Keys that are kept while a command runs: a long script, pasted.
pub const TYPE_AHEAD: usize = 4096;

/// A queue of bytes.
pub struct Keys {
    bytes: [u8; TYPE_AHEAD],
    first: usize,
    len: usize,
}

impl Default for Keys {
    fn default() -> Self {
        Self::new()
    }
}

impl Keys {
    /// No keys.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; TYPE_AHEAD], first: 0, len: 0 }
    }

    /// Does none wait?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Has another no room?
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.len == TYPE_AHEAD
    }

    /// Drops them all.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a key; false if there is no room.
    pub fn push(&mut self, key: u8) -> bool {
        let place = self.bytes.get_mut((self.first + self.len) % TYPE_AHEAD);
        let Some(place) = place.filter(|_| self.len < TYPE_AHEAD) else { return false };
        *place = key;
        self.len += 1;
        true
    }

    /// The oldest key. It stays.
    #[must_use]
    pub fn first(&self) -> Option<u8> {
        self.bytes.get(self.first).copied().filter(|_| !self.is_empty())
    }

    /// Takes the oldest key.
    pub fn pop(&mut self) -> Option<u8> {
        let key = self.first()?;
        self.first = (self.first + 1) % TYPE_AHEAD;
        self.len -= 1;
        Some(key)
    }

    /// Drops all keys up to the first that is `key`, that one included; false, and nothing, if there is
    /// none.
    pub fn drop_through(&mut self, key: u8) -> bool {
        let mut at = (0..self.len).map(|i| (self.first + i) % TYPE_AHEAD);
        let Some(before) = at.position(|at| self.bytes.get(at) == Some(&key)) else { return false };
        self.first = (self.first + before + 1) % TYPE_AHEAD;
        self.len -= before + 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_around_the_end() {
        let mut keys = Keys::new();
        let (mut pushed, mut popped) = (0_usize, 0_usize);
        for round in 0..20 {
            while keys.push(pushed as u8) {
                pushed += 1;
            }
            assert!(keys.is_full());
            for _ in 0..round * 177 {
                assert_eq!(keys.pop(), Some(popped as u8));
                popped += 1;
            }
        }
        while keys.pop().is_some() {
            popped += 1;
        }
        assert_eq!(pushed, popped);
        assert!(keys.is_empty());
    }

    #[test]
    fn drops_up_to_a_key() {
        let mut keys = Keys::new();
        // Around the end as well.
        (0..TYPE_AHEAD - 2).for_each(|_| assert!(keys.push(0)));
        (0..TYPE_AHEAD - 2).for_each(|_| assert_eq!(keys.pop(), Some(0)));
        b"ab\x03cd".iter().for_each(|&key| assert!(keys.push(key)));
        assert!(keys.drop_through(3));
        assert!(!keys.drop_through(3));
        assert_eq!([keys.pop(), keys.pop(), keys.pop()], [Some(b'c'), Some(b'd'), None]);
    }
}
