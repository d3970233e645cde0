//! The real stages on the simulated boards: whole images, what goes wrong with
//! them, and what the loader makes of it.
//!
//! Needs the firmware in target/BOARD; `make test` builds it.

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "of the command line little is wanted here")]
mod common;
mod kit;
#[path = "../common/software.rs"]
mod software;
mod workshop;
mod zimage;

mod autoboot;
mod bad_blocks;
mod bench;
mod bitflips;
mod bootm;
mod command_line;
mod console;
mod descriptor;
mod ecc;
mod env;
mod faults;
mod fit;
mod flash;
mod headers;
mod kinds;
mod line;
mod noise;
mod panics;
mod placement;
mod plain;
mod sabotage;
mod speed;
mod stages;
mod timing;
mod trace;
mod transcripts;
mod transfers;
mod write;
