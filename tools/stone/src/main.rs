//! The `stone` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    stone::cmd::main()
}
