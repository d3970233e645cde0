//! `loadx`

use super::Command;
use super::download::{self, Protocol};
use crate::transfer::xmodem;

pub const CMD: Command = Command {
    name: "loadx",
    usage: "[addr [baud]]",
    help: "load binary file over serial line (xmodem mode)",
    run: |ctx, args| download::run(ctx, args, &Protocol { name: "xmodem", receive: xmodem::receive }),
};
