//! `version`

use super::{CmdError, Command};

/// Name and version of the loader.
pub const VERSION: &str = concat!("Steppingstone ", env!("CARGO_PKG_VERSION"));

pub const CMD: Command = Command {
    name: "version",
    usage: "",
    help: "print version",
    run: |ctx, args| match args {
        [] => {
            let board = ctx.machine.board();
            writeln!(ctx.console, "{VERSION} for {} ({})", board.name, board.soc);
            Ok(())
        }
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn prints_version_and_board() {
        let expected = concat!("Steppingstone ", env!("CARGO_PKG_VERSION"), " for mock (S3C2440A)\n");
        assert_eq!(Board::new().run("version"), expected);
        let usage = "version - print version\n\nUsage:\nversion\n";
        assert_eq!(Board::new().run("version 1"), usage);
    }
}
