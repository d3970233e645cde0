//! The prompt.

use super::line::{Editor, Event};
use crate::cmd::{self, CmdError, Context};
use arrayvec::ArrayVec;

/// What is shown when a line may be typed.
pub const PROMPT: &str = "=> ";
/// Most words on a line.
const WORDS: usize = 16;

/// A prompt on a console.
pub struct Shell {
    editor: Editor,
}

impl Shell {
    /// Shows the prompt.
    pub fn start(ctx: &mut Context<'_>) -> Self {
        write!(ctx.console, "{PROMPT}");
        Self { editor: Editor::new() }
    }

    /// Handles the keys that wait.
    pub fn poll(&mut self, ctx: &mut Context<'_>) {
        while let Some(key) = ctx.console.key() {
            match self.editor.key(&mut ctx.console, key) {
                None => continue,
                Some(Event::Line) => self.line(ctx),
                Some(Event::Interrupt) => ctx.again.clear(),
            }
            write!(ctx.console, "{PROMPT}");
        }
    }

    /// Runs the line; an empty one goes on with what the last command left to be done.
    fn line(&mut self, ctx: &mut Context<'_>) {
        let again = core::mem::take(&mut ctx.again);
        let line = self.editor.line();
        execute(ctx, if line.trim().is_empty() { &again } else { line });
    }
}

/// Runs a command line and shows what went wrong.
pub fn execute(ctx: &mut Context<'_>, line: &str) {
    let mut words = ArrayVec::<&str, WORDS>::new();
    for word in line.split_ascii_whitespace() {
        if words.try_push(word).is_err() {
            return writeln!(ctx.console, "Too many words: a line has at most {WORDS}");
        }
    }
    let Some(first) = words.first().copied() else { return };
    // "md.b 0" is "md" with the arguments ".b" and "0".
    let (name, suffix) = first.split_at(first.find('.').unwrap_or(first.len()));
    let Some(command) = cmd::find(name) else {
        return writeln!(ctx.console, "Unknown command '{first}' - try 'help'");
    };
    let arguments = if suffix.is_empty() {
        words.get(1..).unwrap_or_default()
    } else {
        words[0] = suffix;
        &words
    };
    match (command.run)(ctx, arguments) {
        Ok(()) => {}
        Err(CmdError::Usage) => command.show_usage(&mut ctx.console),
        Err(CmdError::Interrupted) => writeln!(ctx.console, "<INTERRUPT>"),
        Err(error) => writeln!(ctx.console, "ERROR: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Board, RAM};
    use std::string::String;

    /// Types a script at a prompt; returns what is on the screen.
    fn play(script: &str) -> String {
        let mut board = Board::new();
        board.memory.store(RAM, b"0123456789abcdefghijklmnopqrstuv");
        board.serial.input.extend(script.bytes());
        board.with(|ctx| Shell::start(ctx).poll(ctx));
        board.output()
    }

    #[test]
    fn prompts_echoes_and_answers() {
        assert_eq!(play(""), "=> ");
        assert_eq!(play("\n"), "=> \n=> ");
        assert_eq!(play("  \n"), "=>   \n=> ");
        assert_eq!(play("ab\x03"), "=> ab<INTERRUPT>\n=> ");
        assert_eq!(play("frob 1\n"), "=> frob 1\nUnknown command 'frob' - try 'help'\n=> ");
        assert_eq!(play("frob.b\n"), "=> frob.b\nUnknown command 'frob.b' - try 'help'\n=> ");
        let many = "md 1 2 3 4 5 6 7 8 9 a b c d e f 10\n";
        assert_eq!(play(many), std::format!("=> {many}Too many words: a line has at most 16\n=> "));
    }

    #[test]
    fn an_empty_line_goes_on() {
        let expected = "=> md.b 30000000 2\n30000000: 30 31                                            01\n\
                        => \n30000002: 32 33                                            23\n\
                        => \n30000004: 34 35                                            45\n=> ";
        assert_eq!(play("md.b 30000000 2\n\n\n"), expected);
    }

    #[test]
    fn nothing_goes_on_after_an_interrupt_or_another_command() {
        // The interrupt comes while the command runs.
        assert!(play("md.b 30000000 2\n\x03\n").ends_with("01\n<INTERRUPT>\n=> \n=> "));
        // At the prompt, with the command done.
        assert!(play("md.b 30000000 0\n\x03\n").ends_with("=> <INTERRUPT>\n=> \n=> "));
        assert!(play("md.b 30000000 2\nfrob\n\n").ends_with("try 'help'\n=> \n=> "));
    }
}
