//! The raw NAND image: every page's data followed by its spare (OOB) bytes, from page 0 on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::history::History;

/// Granularity of what is held and of what is written back.
const CHUNK: usize = 64 * 1024;

/// A raw image. Only the parts that are not erased take memory; whatever lies beyond the
/// end of the file is erased (FFh).
///
/// An image also knows what a file cannot show: which pages a power cut has torn, with the bits in
/// them that read differently each time, and how often blocks were erased. A copy has it too, and so
/// has the next run with the image. What is read here or saved has every bit in doubt at one value:
/// an image read back from a file is no longer torn, it just holds wrong bytes.
#[derive(Clone, Debug, Default)]
pub struct NandImage {
    /// Chunks with at least one byte that is not FFh, by number.
    chunks: BTreeMap<u64, Box<[u8]>>,
    /// Length of the file this image is, or becomes when saved.
    len: u64,
    /// Chunks that differ from the file at `origin`.
    changed: BTreeSet<u64>,
    /// The file this image was read from or saved to, and its length then.
    origin: Option<(PathBuf, u64)>,
    pub(super) history: History,
}

impl NandImage {
    /// Reads an image file.
    ///
    /// # Errors
    /// What the file system reports.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let mut image = Self::read_from(BufReader::new(File::open(path)?))?;
        image.origin = Some((path.to_path_buf(), image.len));
        Ok(image)
    }

    /// An image from its bytes.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        let mut image = Self { len: bytes.len() as u64, ..Self::default() };
        for (number, bytes) in (0..).zip(bytes.chunks(CHUNK)) {
            image.keep(number, bytes);
        }
        image
    }

    fn read_from(mut source: impl Read) -> io::Result<Self> {
        let mut image = Self::default();
        let mut bytes = Vec::with_capacity(CHUNK);
        for number in 0.. {
            bytes.clear();
            let got = source.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)?;
            image.keep(number, &bytes);
            image.len += got as u64;
            if got < CHUNK {
                break;
            }
        }
        Ok(image)
    }

    fn keep(&mut self, number: u64, bytes: &[u8]) {
        if bytes.iter().any(|&byte| byte != 0xFF) {
            self.chunk_mut(number)[..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Writes the image to a file. When that is the file it came from, only what has
    /// changed is written.
    ///
    /// # Errors
    /// What the file system reports.
    pub fn save(&mut self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        match &self.origin {
            Some((origin, len)) if origin == path && path.metadata().is_ok_and(|file| file.len() == *len) => {
                self.patch(path, *len)?;
            }
            _ => self.write_whole(path)?,
        }
        self.changed.clear();
        self.origin = Some((path.to_path_buf(), self.len));
        Ok(())
    }

    fn write_whole(&self, path: &Path) -> io::Result<()> {
        let mut file = File::create(path)?;
        (0..self.len.div_ceil(CHUNK as u64)).try_for_each(|number| self.write_chunk(&mut file, number))
    }

    /// Brings the file at `path`, `old_len` bytes long, up to date.
    fn patch(&self, path: &Path, old_len: u64) -> io::Result<()> {
        if self.changed.is_empty() && old_len == self.len {
            return Ok(());
        }
        let mut file = OpenOptions::new().write(true).open(path)?;
        let mut numbers = self.changed.clone();
        if self.len > old_len {
            // The file grows, and erased bytes are FFh, not the zeros of a hole.
            numbers.extend(old_len / CHUNK as u64..self.len.div_ceil(CHUNK as u64));
        }
        for number in numbers {
            file.seek(SeekFrom::Start(number * CHUNK as u64))?;
            self.write_chunk(&mut file, number)?;
        }
        Ok(())
    }

    fn write_chunk(&self, file: &mut File, number: u64) -> io::Result<()> {
        let left = self.len.saturating_sub(number * CHUNK as u64);
        let len = left.min(CHUNK as u64) as usize;
        match self.chunks.get(&number) {
            Some(bytes) => file.write_all(&bytes[..len]),
            None => file.write_all(&vec![0xFF; len]),
        }
    }

    /// Length of the image file; bytes beyond it are erased.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file holds nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads raw bytes at `offset` of the interleaved image.
    pub fn read(&self, offset: u64, into: &mut [u8]) {
        for (number, at, range) in pieces(offset, into.len()) {
            let len = range.len();
            match self.chunks.get(&number) {
                Some(bytes) => into[range].copy_from_slice(&bytes[at..at + len]),
                None => into[range].fill(0xFF),
            }
        }
    }

    /// Writes raw bytes at `offset`; the image grows when they end beyond it. Pages that are touched
    /// are no longer torn.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.history.forget(offset, bytes.len());
        self.put(offset, bytes);
    }

    /// The same, of pages that stay torn if they are.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) {
        for (number, at, range) in pieces(offset, bytes.len()) {
            let len = range.len();
            self.chunk_mut(number)[at..at + len].copy_from_slice(&bytes[range]);
            self.changed.insert(number);
        }
        self.len = self.len.max(offset + bytes.len() as u64);
    }

    /// Sets `len` bytes at `offset` to FFh. The image does not grow by it.
    pub fn erase(&mut self, offset: u64, len: usize) {
        self.history.forget(offset, len);
        for (number, at, range) in pieces(offset, len) {
            let Some(bytes) = self.chunks.get_mut(&number) else { continue };
            bytes[at..at + range.len()].fill(0xFF);
            self.changed.insert(number);
            if bytes.iter().all(|&byte| byte == 0xFF) {
                self.chunks.remove(&number);
            }
        }
    }

    /// Whether `len` bytes at `offset` are all FFh.
    #[must_use]
    pub fn is_erased(&self, offset: u64, len: usize) -> bool {
        pieces(offset, len).all(|(number, at, range)| {
            self.chunks
                .get(&number)
                .is_none_or(|bytes| bytes[at..at + range.len()].iter().all(|&byte| byte == 0xFF))
        })
    }

    /// Where in the image the pages start whose last program or erase ended too early.
    pub fn torn_pages(&self) -> impl Iterator<Item = u64> {
        self.history.torn_pages()
    }

    /// How often a block has been erased in the runs with this image.
    #[must_use]
    pub fn erases(&self, block: u32) -> u32 {
        self.history.erases(block)
    }

    fn chunk_mut(&mut self, number: u64) -> &mut [u8] {
        self.chunks.entry(number).or_insert_with(|| vec![0xFF; CHUNK].into_boxed_slice())
    }
}

/// Splits `len` bytes at `offset` by chunk: number, offset in the chunk, range of the bytes.
fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let from = offset + done as u64;
        let at = (from % CHUNK as u64) as usize;
        let here = (CHUNK - at).min(len - done);
        let piece = (from / CHUNK as u64, at, done..done + here);
        done += here;
        (here > 0).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path in the temporary directory that is gone with the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("nand-image-{}-{name}", std::process::id())))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn read(image: &NandImage, offset: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        image.read(offset, &mut bytes);
        bytes
    }

    #[test]
    fn beyond_a_short_file_everything_is_erased() {
        let image = NandImage::from_bytes(vec![1, 2, 3]);
        assert_eq!(read(&image, 1, 4), [2, 3, 0xFF, 0xFF]);
        assert_eq!(read(&image, 270_000_000, 2), [0xFF, 0xFF]);
        assert_eq!(image.len(), 3);
    }

    #[test]
    fn erased_chunks_take_no_memory() {
        let mut bytes = vec![0xFF; 10 * CHUNK];
        bytes[3 * CHUNK] = 0;
        let mut image = NandImage::from_bytes(bytes);
        assert_eq!(image.chunks.len(), 1);
        image.erase(3 * CHUNK as u64 - 1, 2);
        assert!(image.chunks.is_empty());
        assert_eq!(image.len(), 10 * CHUNK as u64);
    }

    #[test]
    fn bytes_cross_chunks() {
        let mut image = NandImage::default();
        image.write(CHUNK as u64 - 1, &[7, 8]);
        assert_eq!(read(&image, CHUNK as u64 - 2, 4), [0xFF, 7, 8, 0xFF]);
        assert!(image.is_erased(0, CHUNK - 1));
        assert!(!image.is_erased(0, CHUNK));
        assert_eq!(image.len(), CHUNK as u64 + 1);
    }

    #[test]
    fn saving_to_the_same_file_writes_only_changes() {
        let file = Scratch::new("same");
        std::fs::write(&file.0, vec![5; 2 * CHUNK]).expect("write");
        let mut image = NandImage::open(&file.0).expect("open");
        image.write(0, &[6]);
        // What the image does not know to have changed is left alone.
        std::fs::write(&file.0, vec![9; 2 * CHUNK]).expect("write");
        image.save(&file.0).expect("save");
        let saved = std::fs::read(&file.0).expect("read");
        assert_eq!((saved[0], saved[1], saved[CHUNK]), (6, 5, 9));
        assert_eq!(saved.len(), 2 * CHUNK);
    }

    #[test]
    fn a_file_that_grows_is_filled_with_erased_bytes() {
        let file = Scratch::new("grows");
        std::fs::write(&file.0, [1, 2, 3]).expect("write");
        let mut image = NandImage::open(&file.0).expect("open");
        image.write(2 * CHUNK as u64, &[4]);
        image.save(&file.0).expect("save");
        let saved = std::fs::read(&file.0).expect("read");
        assert_eq!(saved.len(), 2 * CHUNK + 1);
        assert_eq!(saved[..4], [1, 2, 3, 0xFF]);
        assert_eq!((saved[2 * CHUNK - 1], saved[2 * CHUNK]), (0xFF, 4));
    }

    #[test]
    fn what_is_written_from_outside_is_not_torn() {
        let mut image = NandImage::default();
        image.history.tear(0, 10);
        image.history.tear(10, 10);
        image.put(10, &[1; 10]);
        assert_eq!(image.torn_pages().collect::<Vec<_>>(), [0, 10]);
        image.write(10, &[2; 10]);
        assert_eq!(image.clone().torn_pages().collect::<Vec<_>>(), [0]);
        image.erase(0, 1);
        assert_eq!(image.torn_pages().count(), 0);
    }

    #[test]
    fn saving_elsewhere_writes_everything() {
        let file = Scratch::new("elsewhere");
        let mut image = NandImage::from_bytes(vec![3; CHUNK + 5]);
        image.erase(0, CHUNK);
        image.save(&file.0).expect("save");
        let saved = std::fs::read(&file.0).expect("read");
        assert_eq!(saved.len(), CHUNK + 5);
        assert_eq!((saved[0], saved[CHUNK]), (0xFF, 3));
    }
}
