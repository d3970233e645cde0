//! What a console remembers beyond the command that runs, and beyond an exception: nothing here is
//! on a stack.

use super::history::History;
use super::shell::Scripts;
use crate::crash::{Crash, Running};
use crate::env::{Environment, Variables};
use crate::nand::partitions::Partitions;
use arrayvec::ArrayVec;

/// Variables of the shell alone: those of `for`, and those set by `name=value`.
pub type Locals = Variables<4096>;

/// The memory of a console.
pub struct State {
    /// The environment.
    pub env: Environment,
    /// Variables that are never stored.
    pub locals: Locals,
    /// The partitions of the NAND.
    pub layout: Partitions,
    /// Lines typed.
    pub history: History,
    /// Texts of the scripts that run.
    pub scripts: Scripts,
    /// How the last command ended: 0 is success.
    pub status: u8,
    /// Scripts, loops and conditions that are in one another at the moment.
    pub level: u8,
    /// Who stopped autoboot wants to stay at the prompt, however long it is idle.
    pub stays: bool,
    /// The command that runs, as far as there is room.
    pub running: Running,
    /// Why the loader stopped last, before the last reset perhaps.
    /// (An `Option` of it would not be zeros, and all of this would be bytes of the image.)
    pub crash: ArrayVec<Crash, 1>,
}

impl State {
    /// Nothing remembered.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            env: Environment::new(),
            locals: Locals::new(),
            layout: Partitions::new(),
            history: History::new(),
            scripts: Scripts::new(),
            status: 0,
            level: 0,
            stays: false,
            running: Running::new_const(),
            crash: ArrayVec::new_const(),
        }
    }

    /// Notes the words of the command that runs, as far as there is room.
    pub fn begin(&mut self, words: &[&str]) {
        self.running.clear();
        for word in words {
            let space = if self.running.is_empty() { "" } else { " " };
            for c in space.chars().chain(word.chars()) {
                if self.running.try_push(c).is_err() {
                    return;
                }
            }
        }
    }

    /// Forgets what ran when an exception ended it.
    pub fn restart(&mut self) {
        self.scripts.clear();
        self.level = 0;
        self.running.clear();
        self.status = 1;
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}
