//! The command language: that of U-Boot's shell, a small part of the Bourne shell's.
//!
//! Texts are run as they stand, without being made into anything else first: what is not to be
//! run is walked over. So a script needs no more memory than its text.

mod lex;
mod script;
mod variable;
mod words;

pub use lex::{Mistake, Wrong};
pub use words::{BYTES, WORDS};

use crate::cmd::{self, CmdError, Context, Found};
use arrayvec::ArrayVec;
use core::fmt;
use core::ops::Range;
use script::Script;

/// Bytes of all scripts that run in one another.
pub const SCRIPT_BYTES: usize = 0x8000;
/// Scripts, loops and conditions that may be in one another.
pub const LEVELS: u8 = 24;

/// The texts of the scripts that run, the innermost last. They are copies: a script may change the
/// variable or the memory it came from.
pub struct Scripts {
    text: ArrayVec<u8, SCRIPT_BYTES>,
}

impl Scripts {
    /// Nothing runs.
    #[must_use]
    pub const fn new() -> Self {
        Self { text: ArrayVec::new_const() }
    }

    /// Adds a text; says where it is.
    ///
    /// # Errors
    /// There is no room.
    pub fn push(&mut self, text: &[u8]) -> Result<Range<usize>, CmdError> {
        let start = self.text.len();
        self.text.try_extend_from_slice(text).map_err(|_| CmdError::ScriptRoom { len: text.len() })?;
        Ok(start..self.text.len())
    }

    /// Forgets a text, and those inside it.
    pub fn pop(&mut self, script: &Range<usize>) {
        self.text.truncate(script.start);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// A text.
    #[must_use]
    pub fn get(&self, script: &Range<usize>) -> &[u8] {
        self.text.get(script.clone()).unwrap_or_default()
    }
}

impl Default for Scripts {
    fn default() -> Self {
        Self::new()
    }
}

/// A mistake in a script, as people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    line: u32,
    column: u32,
    wrong: Wrong,
}

impl SyntaxError {
    fn new(text: &[u8], mistake: Mistake) -> Self {
        let before = text.get(..mistake.at).unwrap_or(text);
        let lines = before.iter().filter(|&&byte| byte == b'\n').count();
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        Self { line: lines as u32 + 1, column: column as u32 + 1, wrong: mistake.wrong }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "syntax error in line {}, column {}: {}", self.line, self.column, self.wrong)
    }
}

/// Runs a command line and shows what went wrong.
pub fn execute(ctx: &mut Context<'_>, line: &str) {
    let script = ctx.state.scripts.push(line.as_bytes());
    let result = script.and_then(|script| run(ctx, script));
    ctx.state.status = status(result);
    match result {
        Ok(()) | Err(CmdError::Status(_)) => {}
        Err(error) => show(ctx, error),
    }
}

/// Does more text have to follow, before this can be run?
pub fn is_unfinished(ctx: &mut Context<'_>, text: &str) -> bool {
    let Ok(text) = ctx.state.scripts.push(text.as_bytes()) else { return false };
    let result = Script::new(text.clone()).check(ctx);
    ctx.state.scripts.pop(&text);
    matches!(result, Err(script::Stop::Mistake(Mistake { unfinished: true, .. })))
}

/// Runs one of [`Scripts`], which is forgotten after that. Mistakes in it are found before anything runs.
///
/// # Errors
/// Its status is not 0, or it cannot be run to the end.
pub fn run(ctx: &mut Context<'_>, text: Range<usize>) -> Result<(), CmdError> {
    let result = deeper(ctx, |ctx| {
        Script::new(text.clone()).check(ctx)?;
        Script::new(text.clone()).run(ctx)
    });
    let result = match result {
        Ok(()) if ctx.state.status == 0 => Ok(()),
        Ok(()) => Err(CmdError::Status(ctx.state.status)),
        Err(script::Stop::Error(CmdError::Exit(0))) => Ok(()),
        Err(script::Stop::Error(CmdError::Exit(status))) => Err(CmdError::Status(status)),
        Err(script::Stop::Error(error)) => Err(error),
        Err(script::Stop::Mistake(mistake)) => {
            let text = ctx.state.scripts.get(&text);
            Err(CmdError::Syntax(SyntaxError::new(text, mistake)))
        }
    };
    ctx.state.scripts.pop(&text);
    result
}

/// Does something one level further in.
fn deeper<T>(
    ctx: &mut Context<'_>,
    act: impl FnOnce(&mut Context<'_>) -> Result<T, script::Stop>,
) -> Result<T, script::Stop> {
    if ctx.state.level >= LEVELS {
        return Err(CmdError::Levels.into());
    }
    ctx.state.level += 1;
    let result = act(ctx);
    ctx.state.level -= 1;
    result
}

/// Runs a command; what went wrong is shown, and left as the status.
///
/// # Errors
/// What ends all scripts, or the innermost.
fn command(ctx: &mut Context<'_>, words: &[&str]) -> Result<(), CmdError> {
    let Some((&first, rest)) = words.split_first() else { return Ok(()) };
    // "md.b 0" is "md" with the arguments ".b" and "0".
    let (name, suffix) = first.split_at_checked(first.find('.').unwrap_or(first.len())).unwrap_or_default();
    let command = match cmd::find(name) {
        Found::One(command) => command,
        Found::None => {
            writeln!(ctx.console, "Unknown command '{first}' - try 'help'");
            ctx.state.status = 1;
            return Ok(());
        }
        Found::Many => {
            write!(ctx.console, "Ambiguous command '{first}':");
            cmd::starting_with(name).for_each(|command| write!(ctx.console, " {}", command.name));
            writeln!(ctx.console);
            ctx.state.status = 1;
            return Ok(());
        }
    };
    let result = if suffix.is_empty() {
        (command.run)(ctx, rest)
    } else {
        let mut arguments = ArrayVec::<&str, { words::WORDS }>::new();
        arguments.push(suffix);
        // There are no more than before.
        let _ = arguments.try_extend_from_slice(rest);
        (command.run)(ctx, &arguments)
    };
    finish(ctx, command, result)
}

fn finish(
    ctx: &mut Context<'_>,
    command: &cmd::Command,
    result: Result<(), CmdError>,
) -> Result<(), CmdError> {
    ctx.state.status = status(result);
    match result {
        Ok(()) | Err(CmdError::Status(_)) => {}
        Err(error) if error.is_final() => return Err(error),
        Err(CmdError::Usage) => command.show_usage(&mut ctx.console),
        Err(error) => show(ctx, error),
    }
    Ok(())
}

/// What `$?` is after a command.
fn status(result: Result<(), CmdError>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(CmdError::Status(status)) => status,
        Err(_) => 1,
    }
}

fn show(ctx: &mut Context<'_>, error: CmdError) {
    match error {
        CmdError::Interrupted => writeln!(ctx.console, "<INTERRUPT>"),
        error => writeln!(ctx.console, "ERROR: {error}"),
    }
}

#[cfg(test)]
mod tests;
