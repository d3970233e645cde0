//! Y-modem.

use crate::line::receive;
use crate::xmodem::says;
use boot::transfer::ymodem;

/// What a sender says: pieces as for X-modem.
pub fn check(data: &[u8]) {
    receive(says(data), ymodem::receive);
}
