//! `env`, a file for each sub-command

mod config;
mod copies;
mod default;
mod delete;
mod edit;
mod erase;
mod export;
mod grep;
mod import;
pub mod load;
pub mod print;
pub mod save;
pub mod set;

use super::{CmdError, Command, Context, nand};
use crate::env::image;
use crate::env::store::Place;

pub use edit::CMD as EDITENV;

/// A sub-command, by its name or an abbreviation.
type Sub = fn(&mut Context<'_>, &[&str]) -> Result<(), CmdError>;

const SUBS: [(&str, Sub); 14] = [
    ("config", config::run),
    ("copies", copies::run),
    ("default", default::run),
    ("delete", delete::run),
    ("edit", edit::CMD.run),
    ("erase", erase::run),
    ("exists", exists),
    ("export", export::run),
    ("grep", grep::run),
    ("import", import::run),
    ("load", load::run),
    ("print", print::CMD.run),
    ("save", save::CMD.run),
    ("set", set::CMD.run),
];

pub const CMD: Command = Command {
    name: "env",
    usage: "\
config - print fw_env.config, by which fw_printenv and fw_setenv find what is stored
copies - show what is stored: which copy is in use, and what is wrong with the others
default [-f] -a - reset default environment
default [-f] var [...] - reset variable(s) to their default values
delete [-f] var [...] - delete variable(s)
edit name - edit environment variable
erase - erase what is stored, both copies
exists name - tests for existence of variable
export [-t | -b | -c] [-s size] addr [var ...] - export environment as text (default), binary,
    or binary with a CRC as it is stored; sets 'filesize'
export -c - the same as config
grep [-n | -v | -b] string [...] - search names, values or both (default)
import [-d] [-t [-r] | -b | -c] addr [size] [var ...] - import environment; -d deletes the old one first,
    -r takes CRLF for a line end; '-' for a size goes up to the first NUL
load - load what is stored
print [-a | name ...] - print environment
run var [...] - run commands in an environment variable
save - save environment
set [-f] name [arg ...] - set or delete an environment variable",
    help: "environment handling commands",
    run: |ctx, args| {
        let Some((&name, rest)) = args.split_first() else { return Err(CmdError::Usage) };
        if name == "run" {
            return (super::run::CMD.run)(ctx, rest);
        }
        let exact = SUBS.iter().find(|sub| sub.0 == name);
        let mut all = SUBS.iter().filter(|sub| sub.0.starts_with(name));
        match (exact, all.next(), all.next()) {
            (Some(sub), ..) | (None, Some(sub), None) => (sub.1)(ctx, rest),
            _ => Err(CmdError::Usage),
        }
    },
};

fn exists(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    match args {
        [name] if ctx.state.env.get(name).is_some() => Ok(()),
        [_] => Err(CmdError::Status(1)),
        _ => Err(CmdError::Usage),
    }
}

/// Where the environment is stored: the partition `env`.
fn place(ctx: &mut Context<'_>) -> Result<Place, CmdError> {
    let partition = nand::place::layout(ctx)?.find("env").ok_or(CmdError::NoEnv)?;
    Place::new(partition.start.into()..partition.end()).ok_or(CmdError::NoEnv)
}

/// A board whose environment is in blocks 4 to 7: copy 1 in the first two, copy 2 in the others.
#[cfg(test)]
fn board() -> crate::mock::Board {
    let mut descriptor = crate::descriptor::tests::descriptor();
    descriptor.partitions[2].blocks = 4;
    let mut board = crate::mock::Board::new();
    board.write_boot_table("");
    board.write_descriptor(&descriptor);
    board
}

/// Says so, in U-Boot's words.
pub fn not_defined(ctx: &mut Context<'_>, name: &str) -> Result<(), CmdError> {
    writeln!(ctx.console, "## Error: \"{name}\" not defined");
    Err(CmdError::Status(1))
}

/// The arguments behind `-f`, which changes nothing here: no variable is protected.
fn without_force<'a, 'b>(args: &'a [&'b str]) -> &'a [&'b str] {
    args.strip_prefix(&["-f"]).unwrap_or(args)
}

/// The form of copies with a CRC in memory: as they are stored.
const STORED: image::Form = image::Form::Redundant;

/// How an environment is written to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `-t`
    Text,
    /// `-b`
    Binary,
    /// `-c`
    Checked,
}

/// Counts what was passed over.
fn say_odd(ctx: &mut Context<'_>, odd: usize) {
    if odd != 0 {
        writeln!(ctx.console, "## Warning: passed over {odd} entries without a name, or not UTF-8");
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn knows_its_sub_commands_and_their_abbreviations() {
        let mut board = Board::new();
        assert_eq!(
            board.run("env set a 1; env p a; env print a; env run a"),
            "a=1\na=1\nUnknown command '1' - try 'help'\n"
        );
        let usage = "env - environment handling commands\n\nUsage:\nenv config - print fw_env.config";
        for line in ["env", "env frob", "env e a", "env de a", "env.b print", "env exists", "env exists a b"]
        {
            assert!(board.run(line).starts_with(usage), "{line}");
        }
    }

    #[test]
    fn tells_whether_a_variable_exists() {
        let mut board = Board::new();
        board.state.env.set("a", "1").unwrap();
        assert_eq!(board.run("env exists a && echo yes; env exists b || echo no"), "yes\nno\n");
    }
}
