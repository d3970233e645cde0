//! The ARM920T around Unicorn's instruction set: cycle costs, MMU attributes, CP15, exceptions.
//!
//! Unicorn executes; it knows neither time nor caches and does not deliver exceptions. Before each
//! instruction the machine decodes it here ([`decode`]), looks up where it goes ([`mmu`]) and
//! charges what it costs.

pub mod condition;
pub mod core;
pub mod cp15;
pub mod decode;
pub mod exception;
pub mod mmu;
pub mod registers;
mod thumb;

pub use registers::Registers;
