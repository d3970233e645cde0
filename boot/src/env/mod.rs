//! Environment variables: kept as U-Boot stores them, so that nothing has to be converted
//! where they are written to flash, exported or looked at by `fw_printenv`.

pub mod default;
pub mod image;
pub mod store;
pub mod text;
mod variables;

pub use variables::{Imported, SetError, Variables, is_name};

/// Bytes of a stored copy: CRC, flags, variables and the NUL that ends them. No more than an
/// erase block of any board has.
pub const SIZE: usize = 0x4000;
/// Bytes of variables that every form of a copy has room for.
pub const CAPACITY: usize = SIZE - image::Form::Redundant.header() - 1;

/// The environment.
pub type Environment = Variables<CAPACITY>;
