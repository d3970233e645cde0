//! What `stone` is made of: packing, inspecting and running what goes into the
//! NAND of a board. Formats come from `boot`, so that the tool and the loader
//! cannot disagree about them.

#![forbid(unsafe_code)]

pub mod bad;
pub mod bench;
pub mod board;
pub mod chip;
pub mod cmd;
pub mod descriptor;
pub mod dump;
pub mod error;
pub mod flips;
pub mod input;
pub mod layout;
pub mod number;
pub mod organisation;
pub mod output;
pub mod part;
pub mod payload;
pub mod recipe;
pub mod survey;
pub mod svg;
pub mod uimage;
pub mod verdict;

pub use error::{Error, Result};
