//! What a boot loader is, without a register address or a board name in it.
//!
//! Nothing here touches hardware except through [`platform::hal`], so all of
//! it runs on the host as well.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "mock"))]
extern crate std;

pub mod boot_table;
pub mod cmd;
pub mod console;
pub mod crash;
pub mod crc;
pub mod decimal;
pub mod descriptor;
pub mod direct;
pub mod env;
pub mod fdt;
pub mod handover;
pub mod image;
#[cfg(any(test, feature = "mock"))]
pub mod mock;
pub mod nand;
pub mod stopwatch;
pub mod tags;
pub mod transfer;
