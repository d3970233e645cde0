//! The prompt.

use super::autoboot::Before;
use super::line::{Editor, Event};
use super::{autoboot, complete, shell};
use crate::cmd::Context;
use crate::stopwatch::Stopwatch;
use arrayvec::ArrayString;

/// What is shown when a line may be typed.
pub const PROMPT: &str = "=> ";
/// The same when what was typed is not finished.
const MORE: &str = "> ";
/// Least seconds after which a prompt without keys goes back to autoboot.
const RETRY_MIN: u32 = 1;
const SECOND: u64 = 1_000_000_000;
/// Bytes of lines that belong together.
const BYTES: usize = 4096;

/// A prompt on a console.
pub struct Prompt {
    editor: Editor,
    /// Lines that want more.
    begun: ArrayString<BYTES>,
    /// When the last key was pressed, and the seconds after which that is too long ago.
    idle: Option<(Stopwatch, u32)>,
}

impl Prompt {
    /// Shows the prompt.
    pub fn start(ctx: &mut Context<'_>) -> Self {
        let mut prompt = Self { editor: Editor::new(), begun: ArrayString::new(), idle: None };
        prompt.show(ctx);
        prompt.watch(ctx);
        prompt
    }

    /// Handles the keys that wait; without any for too long, goes back to autoboot.
    pub fn poll(&mut self, ctx: &mut Context<'_>) {
        if ctx.console.key_waiting() {
            self.keys(ctx);
            self.watch(ctx);
        } else if self.idle.is_some_and(|(since, limit)| since.ns(ctx.clock) / SECOND >= u64::from(limit)) {
            writeln!(ctx.console, "\nTimed out waiting for command");
            autoboot::run(ctx, Before::Nothing);
            *self = Self::start(ctx);
        }
    }

    /// From now on it is idle.
    fn watch(&mut self, ctx: &mut Context<'_>) {
        let limit = autoboot::number(ctx, "bootretry").and_then(|seconds| u32::try_from(seconds).ok());
        // U-Boot has a least value as well: a prompt that nobody can reach serves nobody.
        let limit = limit.filter(|_| !ctx.state.stays).map(|limit| limit.max(RETRY_MIN));
        self.idle = limit.map(|limit| (Stopwatch::start(ctx.clock), limit));
    }

    fn keys(&mut self, ctx: &mut Context<'_>) {
        while let Some(key) = ctx.console.key() {
            match self.editor.key(&mut ctx.console, &ctx.state.history, key) {
                None => continue,
                Some(Event::Line) => self.line(ctx),
                Some(Event::Interrupt) => {
                    writeln!(ctx.console, "<INTERRUPT>");
                    self.begun.clear();
                    ctx.again.clear();
                }
                Some(Event::Complete) => {
                    if !complete::complete(ctx, &mut self.editor) {
                        continue;
                    }
                    self.show(ctx);
                    self.editor.draw(&mut ctx.console);
                    continue;
                }
                Some(Event::Redraw) => {
                    // Home, and erase the display.
                    write!(ctx.console, "\x1b[H\x1b[2J");
                    self.show(ctx);
                    self.editor.draw(&mut ctx.console);
                    continue;
                }
            }
            self.show(ctx);
        }
    }

    fn show(&self, ctx: &mut Context<'_>) {
        let lost = ctx.console.take_lost();
        if lost != 0 {
            writeln!(ctx.console, "({lost} keys were lost: more was typed than there is room for)");
        }
        let prompt = if self.begun.is_empty() { PROMPT } else { MORE };
        write!(ctx.console, "{prompt}");
    }

    /// Runs the line, or keeps it until what it begins is finished; an empty one goes on with what the
    /// last command left to be done.
    fn line(&mut self, ctx: &mut Context<'_>) {
        let again = core::mem::take(&mut ctx.again);
        let line = self.editor.line();
        ctx.state.history.add(line.as_bytes());
        if self.begun.is_empty() && line.trim().is_empty() {
            return shell::execute(ctx, &again);
        }
        if self.begun.try_push_str(line).is_err() || self.begun.try_push('\n').is_err() {
            writeln!(ctx.console, "ERROR: these lines have more than {BYTES} bytes together; use 'source'");
            return self.begun.clear();
        }
        if !shell::is_unfinished(ctx, &self.begun) {
            let lines = core::mem::take(&mut self.begun);
            shell::execute(ctx, &lines);
        }
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
        board.with(|ctx| Prompt::start(ctx).poll(ctx));
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
        assert!(play("md.b 30000000 2\nfrob\n\n").ends_with("try 'help'\n=> \n=> "));
    }

    #[test]
    fn asks_for_the_rest() {
        let expected = "=> if true\n> then echo 'a\n> b'\n> fi\na\nb\n=> ";
        assert_eq!(play("if true\nthen echo 'a\nb'\nfi\n"), expected);
        assert_eq!(play("echo a &&\n\necho b\n"), "=> echo a &&\n> \n> echo b\na\nb\n=> ");
        assert_eq!(play("echo '\n\x03echo a\n"), "=> echo '\n> <INTERRUPT>\n=> echo a\na\n=> ");
    }
}
