//! What touches hardware.
//!
//! [`hal`] is what the boot library sees; everything below it exists only in a
//! firmware build for one board, chosen by `$BOARD` at compile time. All
//! `unsafe` of the project lives here, in [`mmio`] and [`arch`].

#![no_std]

pub mod hal;
pub mod units;

#[cfg(feature = "firmware")]
pub mod arch;
#[cfg(feature = "firmware")]
pub mod board;
#[cfg(feature = "firmware")]
pub mod mmio;
#[cfg(feature = "firmware")]
pub mod soc;
