//! Systems on chip: a folder or file each, one file per controller inside.

#![forbid(unsafe_code)]

pub mod counter;
pub mod s3c2440;
pub mod s3c2442;
pub mod storage;

use crate::bus::Access;

/// Reports an access to a register that does not exist, or not like this; reads give 0.
pub fn no_such_register(block: &str, offset: u32, width: u8, write: bool, access: &mut Access<'_>) -> u32 {
    let verb = if write { "write to" } else { "read of" };
    access.violation(
        "register",
        format!("{width}-byte {verb} {block} + {offset:#04x}, which is no such register"),
    );
    0
}
