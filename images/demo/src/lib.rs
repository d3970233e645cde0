//! The demo payload's judgement: what a kernel was handed, read and checked.
//!
//! Written from Linux's `Documentation/arm/booting.rst` and shares no code with
//! the loader it checks. The part that touches the machine is `main.rs`.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod fdt;
pub mod report;
pub mod state;
pub mod tags;
