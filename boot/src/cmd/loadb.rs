//! `loadb`

use super::Command;
use super::download::{self, Protocol};
use crate::transfer::kermit;

pub const CMD: Command = Command {
    name: "loadb",
    usage: "[addr [baud]]",
    help: "load binary file over serial line (kermit mode)",
    run: |ctx, args| download::run(ctx, args, &Protocol { name: "kermit", receive: kermit::receive }),
};
