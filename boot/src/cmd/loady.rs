//! `loady`

use super::Command;
use super::download::{self, Protocol};
use crate::transfer::ymodem;

pub const CMD: Command = Command {
    name: "loady",
    usage: "[addr [baud]]",
    help: "load binary file over serial line (ymodem mode)",
    run: |ctx, args| download::run(ctx, args, &Protocol { name: "ymodem", receive: ymodem::receive }),
};
