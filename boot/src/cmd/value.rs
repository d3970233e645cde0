//! Values of `itest` and `setexpr`: hexadecimal numbers, and with a `*` before it what is at an address.

use super::{CmdError, Context, hex};

/// The value of a word, `width` bytes of it.
pub fn value(ctx: &Context<'_>, word: &str, width: u8) -> Result<u32, CmdError> {
    let mask = u32::MAX >> (32 - 8 * u32::from(width));
    match word.strip_prefix('*') {
        Some(address) => {
            let address = hex(address)?;
            ctx.memory.peek(address, width).ok_or(CmdError::Access { address, width })
        }
        None => Ok(hex(word)? & mask),
    }
}
