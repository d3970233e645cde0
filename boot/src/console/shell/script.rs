//! Runs a text, or only looks whether it could be.

use super::lex::{self, Mistake, Token, Wrong};
use super::words::{Scope, Words, assigned};
use super::{command, deeper, show};
use crate::cmd::{CmdError, Context};
use crate::console::state::State;
use core::ops::Range;
use core::str;

/// Words that end a list of commands.
const ENDS: [&str; 6] = ["then", "elif", "else", "fi", "do", "done"];

/// Why a script does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It is no script.
    Mistake(Mistake),
    /// One that ends it.
    Error(CmdError),
}

impl From<Mistake> for Stop {
    fn from(mistake: Mistake) -> Self {
        Self::Mistake(mistake)
    }
}

impl From<CmdError> for Stop {
    fn from(error: CmdError) -> Self {
        Self::Error(error)
    }
}

/// One of the texts in [`super::Scripts`], and a place in it.
///
/// Its functions parse, and with `run` do as well. Commands that fail do not end a script.
pub struct Script {
    text: Range<usize>,
    at: usize,
}

impl Script {
    pub const fn new(text: Range<usize>) -> Self {
        Self { text, at: 0 }
    }

    /// Looks whether it is a script.
    pub fn check(mut self, ctx: &mut Context<'_>) -> Result<(), Stop> {
        self.list(ctx, false, &[]).map(drop)
    }

    /// Runs it.
    pub fn run(mut self, ctx: &mut Context<'_>) -> Result<(), Stop> {
        self.list(ctx, true, &[]).map(drop)
    }

    /// The next token, which stays: where it starts, what it is, where the next may start.
    fn peek(&self, ctx: &Context<'_>) -> Result<(usize, Token, usize), Stop> {
        Ok(lex::token(ctx.state.scripts.get(&self.text), self.at)?)
    }

    fn word<'s>(&self, state: &'s State, word: &Range<usize>) -> &'s [u8] {
        state.scripts.get(&self.text).get(word.clone()).unwrap_or_default()
    }

    fn mistake(&self, ctx: &Context<'_>, at: usize, wrong: Wrong) -> Stop {
        Mistake::new(ctx.state.scripts.get(&self.text), at, wrong).into()
    }

    /// Commands up to one of the words `ends`, which is returned, or else to the end of the text.
    fn list(
        &mut self,
        ctx: &mut Context<'_>,
        run: bool,
        ends: &[&'static str],
    ) -> Result<&'static str, Stop> {
        let mut empty = true;
        loop {
            let (start, token, next) = self.peek(ctx)?;
            match token {
                Token::Semicolon => {
                    self.at = next;
                    continue;
                }
                Token::End => {
                    let Some(end) = ends.last() else { return Ok("") };
                    return Err(self.mistake(ctx, start, Wrong::MissingWord(end)));
                }
                Token::Word(word) => {
                    let word = self.word(ctx.state, &word);
                    if let Some(end) = ENDS.into_iter().find(|end| end.as_bytes() == word) {
                        self.at = next;
                        return match ends.last() {
                            None => Err(self.mistake(ctx, start, Wrong::Unexpected(end))),
                            Some(_) if ends.contains(&end) && !empty => Ok(end),
                            Some(_) if empty => Err(self.mistake(ctx, start, Wrong::Missing("a command"))),
                            Some(last) => Err(self.mistake(ctx, start, Wrong::MissingWord(last))),
                        };
                    }
                }
                Token::And | Token::Or => {
                    return Err(self.mistake(ctx, start, Wrong::Missing("a command")));
                }
            }
            self.and_or(ctx, run)?;
            empty = false;
        }
    }

    /// Commands with `&&` and `||` between them, which bind alike, from left to right.
    fn and_or(&mut self, ctx: &mut Context<'_>, run: bool) -> Result<(), Stop> {
        let mut go = run;
        loop {
            self.command(ctx, go)?;
            let (start, token, next) = self.peek(ctx)?;
            go = match token {
                Token::And => run && ctx.state.status == 0,
                Token::Or => run && ctx.state.status != 0,
                Token::Word(_) => return Err(self.mistake(ctx, start, Wrong::Missing("';'"))),
                Token::Semicolon | Token::End => return Ok(()),
            };
            self.at = next;
            self.skip_lines(ctx)?;
        }
    }

    fn command(&mut self, ctx: &mut Context<'_>, run: bool) -> Result<(), Stop> {
        let (start, token, next) = self.peek(ctx)?;
        let Token::Word(word) = token else {
            return Err(self.mistake(ctx, start, Wrong::Missing("a command")));
        };
        let word = self.word(ctx.state, &word);
        let compound: fn(&mut Self, &mut Context<'_>, bool) -> Result<(), Stop> = match word {
            b"if" => Self::if_,
            b"while" => |script, ctx, run| script.while_(ctx, run, 0),
            b"until" => |script, ctx, run| script.while_(ctx, run, 1),
            b"for" => Self::for_,
            word if ENDS.iter().any(|end| end.as_bytes() == word) => {
                return Err(self.mistake(ctx, start, Wrong::Missing("a command")));
            }
            _ => return self.simple(ctx, run),
        };
        self.at = next;
        deeper(ctx, |ctx| compound(self, ctx, run))
    }

    fn if_(&mut self, ctx: &mut Context<'_>, run: bool) -> Result<(), Stop> {
        let mut left = run;
        loop {
            self.list(ctx, left, &["then"])?;
            let taken = left && ctx.state.status == 0;
            let end = self.list(ctx, taken, &["elif", "else", "fi"])?;
            left &= !taken;
            match end {
                "elif" => {}
                "else" => return self.list(ctx, left, &["fi"]).map(drop),
                _ => break,
            }
        }
        if left {
            // That no condition holds is no failure.
            ctx.state.status = 0;
        }
        Ok(())
    }

    /// `while` goes on as long as the status of its condition is 0, `until` as long as it is not.
    fn while_(&mut self, ctx: &mut Context<'_>, run: bool, until: u8) -> Result<(), Stop> {
        let (start, mut status) = (self.at, 0);
        loop {
            self.at = start;
            self.list(ctx, run, &["do"])?;
            let go = run && ctx.state.status.min(1) == until;
            self.list(ctx, go, &["done"])?;
            if !go {
                break;
            }
            status = ctx.state.status;
        }
        if run {
            ctx.state.status = status;
        }
        Ok(())
    }

    // Out of line, because its words take much of the stack, which conditions and loops in one another
    // would take as often.
    #[inline(never)]
    fn for_(&mut self, ctx: &mut Context<'_>, run: bool) -> Result<(), Stop> {
        let name = self.name(ctx)?;
        self.keyword(ctx, "in")?;
        let start = self.at;
        self.skip_words(ctx)?;
        let mut words = Words::new();
        if run {
            self.expand(ctx, start, &mut words, false)?;
        }
        self.skip_lines(ctx)?;
        self.keyword(ctx, "do")?;
        let body = self.at;
        // Walked over first, so that the place behind it is known if there is no word.
        self.list(ctx, false, &["done"])?;
        let behind = self.at;
        if run {
            ctx.state.status = 0;
        }
        for word in words.list()? {
            let State { scripts, locals, .. } = &mut *ctx.state;
            let name = scripts.get(&self.text).get(name.clone()).unwrap_or_default();
            locals.set(str::from_utf8(name).unwrap_or_default(), word).map_err(CmdError::from)?;
            self.at = body;
            self.list(ctx, true, &["done"])?;
        }
        self.at = behind;
        Ok(())
    }

    /// The name of a variable.
    fn name(&mut self, ctx: &Context<'_>) -> Result<Range<usize>, Stop> {
        let (start, token, next) = self.peek(ctx)?;
        match token {
            Token::Word(word) if is_name(self.word(ctx.state, &word)) => {
                self.at = next;
                Ok(word)
            }
            _ => Err(self.mistake(ctx, start, Wrong::Missing("the name of a variable"))),
        }
    }

    fn keyword(&mut self, ctx: &Context<'_>, keyword: &'static str) -> Result<(), Stop> {
        let (start, token, next) = self.peek(ctx)?;
        match token {
            Token::Word(word) if self.word(ctx.state, &word) == keyword.as_bytes() => {
                self.at = next;
                Ok(())
            }
            _ => Err(self.mistake(ctx, start, Wrong::MissingWord(keyword))),
        }
    }

    fn skip_lines(&mut self, ctx: &Context<'_>) -> Result<(), Stop> {
        while let (_, Token::Semicolon, next) = self.peek(ctx)? {
            self.at = next;
        }
        Ok(())
    }

    fn skip_words(&mut self, ctx: &Context<'_>) -> Result<(), Stop> {
        while let (_, Token::Word(_), next) = self.peek(ctx)? {
            self.at = next;
        }
        Ok(())
    }

    fn simple(&mut self, ctx: &mut Context<'_>, run: bool) -> Result<(), Stop> {
        let start = self.at;
        self.skip_words(ctx)?;
        if run {
            self.run_words(ctx, start)?;
            // A loop ends at Ctrl-C even if none of its commands looks for it.
            ctx.check_interrupt()?;
        }
        Ok(())
    }

    #[inline(never)]
    fn run_words(&self, ctx: &mut Context<'_>, start: usize) -> Result<(), CmdError> {
        let mut words = Words::new();
        let list = self.expand(ctx, start, &mut words, true).and_then(|()| words.list());
        match list {
            Ok(list) if list.is_empty() => {
                ctx.state.status = 0;
                Ok(())
            }
            Ok(list) => {
                ctx.state.begin(&list);
                let result = command(ctx, &list);
                ctx.state.running.clear();
                result
            }
            Err(error) => {
                show(ctx, error);
                ctx.state.status = 1;
                Ok(())
            }
        }
    }

    /// Adds what the words from `start` on stand for; with `assigning`, makes the assignments before the
    /// first.
    fn expand(
        &self,
        ctx: &mut Context<'_>,
        start: usize,
        words: &mut Words,
        mut assigning: bool,
    ) -> Result<(), CmdError> {
        let mut at = start;
        while at < self.at
            && let Ok((_, Token::Word(word), next)) = lex::token(ctx.state.scripts.get(&self.text), at)
        {
            let raw = self.word(ctx.state, &word);
            match assigned(raw) {
                Some(len) if assigning => self.assign(ctx.state, &word, len)?,
                _ => {
                    assigning = false;
                    words.add(raw, &Scope::of(ctx.state))?;
                }
            }
            at = next;
        }
        Ok(())
    }

    /// Sets a variable of the shell by a word that starts with its name and `=`, `len` bytes.
    #[inline(never)]
    fn assign(&self, state: &mut State, word: &Range<usize>, len: usize) -> Result<(), CmdError> {
        let mut value = Words::new();
        let raw = self.word(state, word);
        value.add_whole(raw.get(len..).unwrap_or_default(), &Scope::of(state))?;
        let State { scripts, locals, .. } = state;
        let name = scripts.get(&self.text).get(word.start..word.start + len - 1).unwrap_or_default();
        let value = value.list()?;
        locals.set(str::from_utf8(name).unwrap_or_default(), value.first().copied().unwrap_or_default())?;
        Ok(())
    }
}

fn is_name(word: &[u8]) -> bool {
    !word.is_empty() && super::variable::name(word).len() == word.len()
}
