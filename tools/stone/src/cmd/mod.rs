//! The command line: one file per subcommand.

mod addr2line;
mod bench;
mod ecc;
mod inspect;
mod nand;
mod pack;
mod run;
mod timing;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Packs, inspects and runs what goes into the NAND of a Steppingstone board.
///
/// The exit status is 0 only on success.
#[derive(Parser)]
#[command(name = "stone", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Pack(pack::Args),
    Nand(nand::Args),
    Inspect(inspect::Args),
    Run(run::Args),
    Timing(timing::Args),
    Ecc(ecc::Args),
    Bench(bench::Args),
    Addr2line(addr2line::Args),
}

/// Runs the command line of the process.
#[must_use]
pub fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Pack(args) => pack::run(&args),
        Command::Nand(args) => nand::run(args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Timing(args) => timing::run(&args),
        Command::Ecc(args) => ecc::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Addr2line(args) => addr2line::run(&args),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("stone: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
