//! Runs the real `stone` in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A directory for one test.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs a command line here, split at spaces.
    pub fn stone(&self, line: &str) -> Output {
        run(Command::new(env!("CARGO_BIN_EXE_stone")).args(line.split(' ')), self.0.path())
    }

    /// The same; it must succeed. Returns what it printed.
    pub fn good(&self, line: &str) -> String {
        let output = self.stone(line);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "stone {line}\n{out}{err}");
        out
    }

    /// The same; it must fail with status 1 and say this.
    pub fn fails(&self, line: &str, expected: &[&str]) {
        let output = self.stone(line);
        assert_eq!(output.status.code(), Some(1), "stone {line}");
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        for expected in expected {
            assert!(said.contains(expected), "stone {line}\nexpected: {expected}\nsaid: {said}");
        }
    }
}

pub fn run(command: &mut Command, directory: &Path) -> Output {
    // An environment of its own: the time in an image must not depend on the caller's.
    command.current_dir(directory).env_remove("SOURCE_DATE_EPOCH").output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes without a pattern that a misplaced step could hide in.
pub fn pattern(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as u8
    };
    (0..len).map(next).collect()
}
