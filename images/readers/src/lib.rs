//! Reads NAND the way the drivers did whose speed was published, so that the
//! simulator's figures can be held against theirs (`make bench`).
//!
//! Written from the S3C24x0 user's manuals and from what Linux 2.6 does, and
//! shares no code with the loader it is compared with. What touches the machine
//! is in `main.rs`.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod hamming;
pub mod request;
