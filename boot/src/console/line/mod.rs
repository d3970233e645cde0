//! The line editor.

mod field;
mod keys;
mod search;

use super::Console;
use super::history::History;
use crate::cmd::{CmdError, Context};
use core::ops::Range;
use core::str;
use field::{Field, Text};
use keys::{Action, Keys};
use search::Search;

/// Longest line in bytes.
pub const MAX: usize = 1023;

/// What a key completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line; [`Editor::line`] has it until the next key.
    Line,
    /// Ctrl-C: there is nothing to run.
    Interrupt,
    /// Tab: what is before the cursor is to be completed.
    Complete,
    /// Ctrl-L: the screen is to be cleared.
    Redraw,
}

/// An edited line.
pub struct Editor {
    keys: Keys,
    field: Field,
    /// What was deleted last by more than one character.
    killed: Text,
    /// The line was handed over.
    done: bool,
    /// How many lines ago the line was typed that is shown; 0 for the new one.
    recalled: usize,
    search: Option<Search>,
}

impl Editor {
    /// An empty line.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            keys: Keys::new(),
            field: Field::new(),
            killed: Text::new_const(),
            done: false,
            recalled: 0,
            search: None,
        }
    }

    /// The line as it stands.
    #[must_use]
    pub fn line(&self) -> &str {
        // Only printable ASCII gets in.
        str::from_utf8(self.field.text()).unwrap_or_default()
    }

    /// What is before the cursor.
    #[must_use]
    pub fn before(&self) -> &str {
        str::from_utf8(self.field.before()).unwrap_or_default()
    }

    /// Puts text in at the cursor, as if it had been typed.
    pub fn insert(&mut self, console: &mut Console<'_>, text: &str) {
        self.field.insert(console, text.as_bytes());
    }

    /// Shows the line anew, behind a prompt.
    pub fn draw(&self, console: &mut Console<'_>) {
        self.field.draw(console);
    }

    /// Waits for a line that is no command, and so leaves no trace in the history.
    ///
    /// # Errors
    /// Ctrl-C.
    pub fn read(&mut self, ctx: &mut Context<'_>) -> Result<&str, CmdError> {
        loop {
            let Some(key) = ctx.console.key() else { continue };
            match self.key(&mut ctx.console, &ctx.state.history, key) {
                Some(Event::Line) => return Ok(self.line()),
                Some(Event::Interrupt) => return Err(CmdError::Interrupted),
                Some(Event::Complete | Event::Redraw) | None => {}
            }
        }
    }

    /// Takes a key and shows what it does.
    pub fn key(&mut self, console: &mut Console<'_>, history: &History, key: u8) -> Option<Event> {
        if core::mem::take(&mut self.done) {
            self.field.forget();
            self.recalled = 0;
        }
        let action = self.keys.take(key)?;
        if self.search.is_some() && self.searching(console, history, action) {
            return None;
        }
        match action {
            Action::Enter => {
                console.put(b'\n');
                self.done = true;
                return Some(Event::Line);
            }
            Action::Interrupt => {
                // Whether this ends a line or a command, it is shown by whoever handles it.
                self.done = true;
                return Some(Event::Interrupt);
            }
            Action::Complete => return Some(Event::Complete),
            Action::Redraw => return Some(Event::Redraw),
            Action::Search => {
                self.field.erase(console);
                let mut search = Search::new();
                search.draw(console, history);
                self.search = Some(search);
            }
            Action::Older => self.recall(console, history, self.recalled + 1),
            Action::Newer => self.recall(console, history, self.recalled.saturating_sub(1)),
            action => self.edit(console, action),
        }
        None
    }

    fn edit(&mut self, console: &mut Console<'_>, action: Action) {
        let field = &mut self.field;
        let (cursor, left, right) = (field.cursor(), field.word_left(), field.word_right());
        match action {
            Action::Insert(key) => field.insert(console, &[key]),
            Action::Left => field.move_to(console, cursor.saturating_sub(1)),
            Action::Right => field.move_to(console, cursor + 1),
            Action::WordLeft => field.move_to(console, left),
            Action::WordRight => field.move_to(console, right),
            Action::Home => field.move_to(console, 0),
            Action::End => field.move_to(console, MAX),
            Action::Backspace => field.remove(console, cursor.saturating_sub(1)..cursor),
            Action::Delete => field.remove(console, cursor..cursor + 1),
            Action::KillToStart => self.kill(console, 0..cursor),
            Action::KillToEnd => self.kill(console, cursor..MAX),
            Action::KillWordLeft => self.kill(console, left..cursor),
            Action::KillWordRight => self.kill(console, cursor..right),
            Action::Yank => field.insert(console, &self.killed),
            _ => {}
        }
    }

    fn kill(&mut self, console: &mut Console<'_>, range: Range<usize>) {
        let range = range.start..range.end.min(self.field.text().len());
        let gone = self.field.text().get(range.clone()).unwrap_or_default();
        if !gone.is_empty() {
            self.killed.clear();
            // It is no longer than a line.
            let _ = self.killed.try_extend_from_slice(gone);
            self.field.remove(console, range);
        }
    }

    /// Shows the line typed so many lines ago, if there is one; 0 is an empty one.
    fn recall(&mut self, console: &mut Console<'_>, history: &History, ago: usize) {
        let Some(line) = (if ago == 0 { Some(&[][..]) } else { history.back(ago) }) else { return };
        if ago != self.recalled {
            self.recalled = ago;
            self.field.replace(console, line);
        }
    }

    /// Does what an action means in a search; false if the search has ended and the line that was found
    /// is to be acted on.
    fn searching(&mut self, console: &mut Console<'_>, history: &History, action: Action) -> bool {
        let Some(search) = &mut self.search else { return false };
        match action {
            Action::Insert(key) => search.longer(console, history, key),
            Action::Backspace => search.shorter(console, history),
            Action::Search => search.further(console, history),
            action => {
                search.erase(console);
                let found = search.found(history);
                self.search = None;
                if action == Action::Cancel || found.is_empty() {
                    self.field.draw(console);
                } else {
                    self.field.forget();
                    self.field.insert(console, found);
                }
                return action == Action::Cancel;
            }
        }
        true
    }
}

impl Default for Editor {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
