//! Where received files go.

use super::TransferError;
use arrayvec::{ArrayString, ArrayVec};
use platform::hal::Memory;

/// Most files of a batch.
pub const FILES: usize = 16;
/// Bytes kept of a file's name.
pub const NAME: usize = 32;
/// Files of a batch begin at multiples of this.
const ALIGN: u32 = 0x1000;

/// A file in RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, as far as it fits; empty when the protocol has none.
    pub name: ArrayString<NAME>,
    /// Where it begins.
    pub address: u32,
    /// Its bytes so far.
    pub len: u32,
}

/// A range that does not belong to those who load: not RAM, or the loader's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its start.
    pub address: u32,
    /// Its bytes.
    pub len: u32,
}

/// RAM that files are put into, one behind the other.
pub struct Target<'a> {
    memory: &'a mut dyn Memory,
    next: u32,
    files: ArrayVec<File, FILES>,
}

impl<'a> Target<'a> {
    /// From this address on.
    pub fn new(memory: &'a mut dyn Memory, address: u32) -> Self {
        Self { memory, next: address, files: ArrayVec::new() }
    }

    /// The files so far.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The same, when there will be no more.
    pub fn take_files(&mut self) -> ArrayVec<File, FILES> {
        core::mem::take(&mut self.files)
    }

    /// Begins a file. When its size is known, it is refused before its first byte.
    ///
    /// # Errors
    /// When there is no room for it, or it is one too many.
    pub fn begin(&mut self, name: &[u8], size: u32) -> Result<(), TransferError> {
        let address = match self.files.last() {
            Some(file) => self.next.checked_next_multiple_of(ALIGN).ok_or(refused(self.next, file.len))?,
            None => self.next,
        };
        self.ram(address, size)?;
        let mut shown = ArrayString::new();
        // Longer names are cut.
        let _ = name.iter().try_for_each(|&byte| shown.try_push(printable(byte)));
        self.next = address;
        self.files.try_push(File { name: shown, address, len: 0 }).map_err(|_| TransferError::TooMany)
    }

    /// Is there room for so many bytes more?
    ///
    /// # Errors
    /// When there is not.
    pub fn check(&mut self, len: u32) -> Result<(), TransferError> {
        self.ram(self.next, len).map(|_| ())
    }

    /// Puts bytes behind those of the file that was begun last.
    ///
    /// # Errors
    /// When not all of them have room; nothing is written then.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), TransferError> {
        let len = bytes.len() as u32;
        self.ram(self.next, len)?.copy_from_slice(bytes);
        // There is RAM up to there.
        self.next = self.next.wrapping_add(len);
        if let Some(file) = self.files.last_mut() {
            file.len = file.len.wrapping_add(len);
        }
        Ok(())
    }

    /// Puts bytes at an address of their own.
    ///
    /// # Errors
    /// As for [`Self::append`].
    pub fn store(&mut self, address: u32, bytes: &[u8]) -> Result<(), TransferError> {
        self.ram(address, bytes.len() as u32)?.copy_from_slice(bytes);
        Ok(())
    }

    fn ram(&mut self, address: u32, len: u32) -> Result<&mut [u8], TransferError> {
        self.memory.ram_mut(address, len).ok_or(refused(address, len))
    }
}

const fn refused(address: u32, len: u32) -> TransferError {
    TransferError::Refused(Refused { address, len })
}

fn printable(byte: u8) -> char {
    if matches!(byte, b' '..=b'~') { char::from(byte) } else { '?' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Board, LOADER, RAM};

    #[test]
    fn files_follow_one_another() {
        let mut board = Board::new();
        let mut target = Target::new(&mut board.memory, RAM + 0x10);
        target.begin(b"one", 3).unwrap();
        target.append(b"ab").unwrap();
        target.append(b"c").unwrap();
        target.begin(b"t\xffo", 0).unwrap();
        target.append(b"d").unwrap();
        let files: std::vec::Vec<_> =
            target.files().iter().map(|file| (file.name.as_str(), file.address, file.len)).collect();
        assert_eq!(files, [("one", RAM + 0x10, 3), ("t?o", RAM + 0x1000, 1)]);
        assert_eq!(board.memory.load(RAM + 0x10, 4), b"abc\0");
        assert_eq!(board.memory.load(RAM + 0x1000, 2), b"d\0");
    }

    #[test]
    fn the_loader_is_not_overwritten() {
        let mut board = Board::new();
        let mut target = Target::new(&mut board.memory, LOADER - 4);
        assert_eq!(target.begin(b"", 5), Err(refused(LOADER - 4, 5)));
        target.begin(b"", 0).unwrap();
        assert_eq!(target.append(b"12345"), Err(refused(LOADER - 4, 5)));
        target.append(b"1234").unwrap();
        assert_eq!(target.append(b"5"), Err(refused(LOADER, 1)));
        assert_eq!(target.store(LOADER - 1, b"67"), Err(refused(LOADER - 1, 2)));
        assert_eq!(target.begin(b"", 1), Err(refused(LOADER, 1)));
        assert_eq!(board.memory.load(LOADER - 4, 4), b"1234");
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
    }

    #[test]
    fn addresses_do_not_turn_over() {
        let mut board = Board::new();
        let mut target = Target::new(&mut board.memory, u32::MAX);
        assert_eq!(target.begin(b"", 1), Err(refused(u32::MAX, 1)));
        assert_eq!(target.append(b"12"), Err(refused(u32::MAX, 2)));
    }

    #[test]
    fn there_is_an_end_to_files() {
        let mut board = Board::new();
        let mut target = Target::new(&mut board.memory, RAM);
        for _ in 0..FILES {
            target.begin(b"a name that is longer than thirty-two bytes", 0).unwrap();
        }
        assert_eq!(target.begin(b"", 0), Err(TransferError::TooMany));
        assert_eq!(target.files()[0].name.len(), NAME);
    }
}
