//! `help`

use super::{CmdError, Command, Context, Found, TABLE, find};

pub const CMD: Command = Command {
    name: "help",
    usage: "\ncommand ...",
    help: "print command description/usage",
    run: |ctx, args| match args {
        [] => {
            for command in TABLE {
                writeln!(ctx.console, "{:<8}- {}", command.name, command.help);
            }
            Ok(())
        }
        [first, ..] if first.starts_with('.') => Err(CmdError::Usage),
        names => {
            names.iter().for_each(|name| describe(ctx, name));
            Ok(())
        }
    },
};

fn describe(ctx: &mut Context<'_>, name: &str) {
    match find(name) {
        Found::One(command) => command.show_usage(&mut ctx.console),
        Found::Many | Found::None => {
            writeln!(ctx.console, "Unknown command '{name}' - try 'help' without arguments")
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cmd::TABLE;
    use crate::mock::Board;

    #[test]
    fn lists_every_command() {
        let output = Board::new().run("help");
        assert_eq!(output.lines().count(), TABLE.len());
        assert!(output.contains("\nmd      - memory display\n"));
    }

    #[test]
    fn describes_commands() {
        let md = "md - memory display\n\nUsage:\nmd [.b, .w, .l] address [# of objects]\n";
        let help = "help - print command description/usage\n\nUsage:\nhelp\nhelp command ...\n";
        let mut board = Board::new();
        assert_eq!(board.run("help md"), md);
        assert_eq!(board.run("help help md"), std::format!("{help}{md}"));
        let unknown = "Unknown command 'frob' - try 'help' without arguments\n";
        assert_eq!(board.run("help frob"), unknown);
        assert_eq!(board.run("help.b"), help);
    }
}
