//! One function for each thing that outsiders write. It takes any bytes, hands them to what
//! reads them on the board, and panics when that does not keep what it promises.
//!
//! libFuzzer calls them (`fuzz_targets`, `tools/fuzz.sh`), and so does `tests/corpus.rs` in
//! `make test`, with the inputs of `corpus` and mutations of them.
//!
//! A checksum would keep nearly all inputs from what is behind it, so where there is one it is
//! put right first.

#![forbid(unsafe_code)]

pub mod boot_table;
pub mod env_binary;
pub mod env_text;
pub mod fit;
mod images;
pub mod kermit;
mod line;
mod ram;
pub mod shell;
pub mod srecord;
pub mod uimage;
pub mod xmodem;
pub mod ymodem;

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 10] = [
    ("boot_table", boot_table::check),
    ("env_binary", env_binary::check),
    ("env_text", env_text::check),
    ("fit", fit::check),
    ("kermit", kermit::check),
    ("shell", shell::check),
    ("srecord", srecord::check),
    ("uimage", uimage::check),
    ("xmodem", xmodem::check),
    ("ymodem", ymodem::check),
];
