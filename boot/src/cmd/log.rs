//! `log`

use super::{CmdError, Command};
use crate::console::fault;

pub const CMD: Command = Command {
    name: "log",
    usage: "last",
    help: "show the last exception or panic, also after a reset",
    run: |ctx, args| match args {
        ["last"] => {
            let Some(crash) = ctx.state.crash.first() else {
                writeln!(ctx.console, "No exception and no panic since power-on");
                return Err(CmdError::Status(1));
            };
            fault::show(&mut ctx.console, crash);
            Ok(())
        }
        _ => Err(CmdError::Usage),
    },
};

#[cfg(test)]
mod tests {
    use crate::crash::{Cause, Crash, Trace};
    use crate::mock::Board;

    #[test]
    fn shows_what_is_remembered() {
        let mut board = Board::new();
        assert_eq!(board.run("log last || echo none"), "No exception and no panic since power-on\nnone\n");
        let cause = Cause::Panic("panicked".try_into().unwrap());
        let command = "md 1".try_into().unwrap();
        board.state.crash.push(Crash { cause, trace: Trace::new(), command });
        assert_eq!(board.run("log last"), "\npanicked\ncommand: md 1\n");
        assert!(board.run("log").starts_with("log - "));
    }

    #[test]
    fn commands_are_noted_while_they_run() {
        let mut board = Board::new();
        board.state.begin(&["md.b", "3000 0000", &"\u{e4}".repeat(40)]);
        assert_eq!(board.state.running.as_str(), std::format!("md.b 3000 0000 {}", "\u{e4}".repeat(24)));
        board.run("echo a");
        assert_eq!(board.state.running.as_str(), "");
    }
}
