//! What Tab makes of what is before the cursor.
//!
//! All it knows it takes from the table of commands: a line of a usage with a ` - ` in it starts with a
//! sub-command, and `name` and `var` in it stand for a variable, `command` for a command.

use super::bytes;
use super::line::{self, Editor};
use super::state::State;
use crate::cmd::{Command, Context, Found, TABLE, find};
use arrayvec::ArrayString;

/// Columns of a screen.
const COLUMNS: usize = 78;
/// Words that a command may follow.
const BEFORE: [&str; 7] = ["if", "then", "elif", "else", "while", "until", "do"];

/// Completes what is before the cursor as far as it is clear how; where it is not, shows what there is. True
/// if the prompt has to be shown anew.
pub fn complete(ctx: &mut Context<'_>, editor: &mut Editor) -> bool {
    let Context { console, state, .. } = ctx;
    let place = Place::of(editor.before());
    let mut common = Common::default();
    place.each(state, &mut |name| common.add(name));
    if common.count == 0 {
        console.put(b'\x07');
        return false;
    }
    let rest = common.start.get(place.start.len()..).unwrap_or_default();
    if common.count > 1 && rest.is_empty() {
        let width = common.longest + 2;
        let mut column = 0;
        place.each(state, &mut |name| {
            write!(console, "{}{name:<width$}", if column == 0 { "\n" } else { "" });
            column = if column + 2 * width > COLUMNS { 0 } else { column + width };
        });
        writeln!(console);
        return true;
    }
    let end = if common.count == 1 { place.end() } else { "" };
    editor.insert(console, rest);
    editor.insert(console, end);
    false
}

/// What several names have in common.
#[derive(Default)]
struct Common {
    count: usize,
    longest: usize,
    start: ArrayString<{ line::MAX }>,
}

impl Common {
    fn add(&mut self, name: &str) {
        if self.count == 0 {
            // One that is longer than a line is not completed.
            let _ = self.start.try_push_str(name);
        }
        let same = self.start.chars().zip(name.chars()).take_while(|(a, b)| a == b);
        self.start.truncate(same.map(|(a, _)| a.len_utf8()).sum());
        self.longest = self.longest.max(name.len());
        self.count += 1;
    }
}

/// What may stand at a place in a line.
#[derive(Clone, Copy)]
enum Kind<'a> {
    Command,
    /// A word of a command, the first one or behind this.
    Argument(&'static Command, Option<&'a str>),
    /// Behind a `$`, or `${`.
    Value(&'static str),
    Nothing,
}

/// A place in a line.
struct Place<'a> {
    kind: Kind<'a>,
    /// What is there already.
    start: &'a str,
}

impl<'a> Place<'a> {
    /// The end of a line.
    fn of(line: &'a str) -> Self {
        let word = line.rfind([' ', '\t', ';', '&', '|']).map_or(0, |at| at + 1);
        let (before, start) = line.split_at_checked(word).unwrap_or_default();
        if let Some((_, value)) = start.rsplit_once('$') {
            return match value.strip_prefix('{') {
                Some(name) => Self { kind: Kind::Value("}"), start: name },
                None => Self { kind: Kind::Value(" "), start: value },
            };
        }
        let segment = before.rsplit([';', '&', '|']).next().unwrap_or_default();
        let mut words = segment.split_ascii_whitespace().skip_while(|word| BEFORE.contains(word));
        let kind = match words.next().map(|word| find(word.split('.').next().unwrap_or(word))) {
            None => Kind::Command,
            Some(Found::One(command)) => Kind::Argument(command, words.next()),
            Some(Found::Many | Found::None) => Kind::Nothing,
        };
        Self { kind, start }
    }

    /// What follows when it is complete.
    const fn end(&self) -> &'static str {
        match self.kind {
            Kind::Value(end) => end,
            _ => " ",
        }
    }

    /// Hands all names to `take` that may stand here and start as what is there.
    fn each(&self, state: &State, take: &mut dyn FnMut(&str)) {
        let mut take = |name: &str| {
            if name.starts_with(self.start) {
                take(name);
            }
        };
        let (mut commands, mut variables) = (false, false);
        match self.kind {
            Kind::Command => commands = true,
            Kind::Value(_) => {
                state.locals.iter().for_each(|(name, _)| take(name));
                variables = true;
            }
            Kind::Argument(command, sub) => {
                let mut last = "";
                for usage in Usage::all(command) {
                    match (usage.sub, sub) {
                        (Some(name), None) => {
                            if name != last {
                                take(name);
                            }
                            last = name;
                            continue;
                        }
                        (Some(name), Some(sub)) if name != sub => continue,
                        _ => {}
                    }
                    variables |= usage.has("name") || usage.has("var");
                    commands |= usage.has("command");
                }
            }
            Kind::Nothing => {}
        }
        if commands {
            TABLE.iter().for_each(|command| take(command.name));
        }
        if variables {
            let shell_only =
                |name: &str| matches!(self.kind, Kind::Value(_)) && state.locals.get(name).is_some();
            state.env.iter().filter(|(name, _)| !shell_only(name)).for_each(|(name, _)| take(name));
        }
    }
}

/// A line of a usage.
struct Usage {
    sub: Option<&'static str>,
    /// Words that stand for something.
    words: &'static str,
}

impl Usage {
    fn all(command: &Command) -> impl Iterator<Item = Self> + use<> {
        let lines = command.usage.split('\n').filter(|line| !line.starts_with([' ', '-']));
        lines.map(|line| match bytes::find(line.as_bytes(), b" - ").and_then(|at| line.get(..at)) {
            Some(words) => Self { sub: words.split([' ', '[', '.']).next(), words },
            None => Self { sub: None, words: line },
        })
    }

    fn has(&self, word: &str) -> bool {
        self.words.split([' ', '[', ']', '|']).any(|found| found == word)
    }
}

#[cfg(test)]
mod tests {
    use crate::console::prompt::Prompt;
    use crate::mock::Board;

    /// Types keys at a prompt; what is on the screen.
    #[track_caller]
    fn check(keys: &str, expected: &str) {
        let mut board = Board::new();
        for name in ["bootcmd", "bootargs", "loadaddr"] {
            board.state.env.set(name, "1").unwrap();
        }
        board.state.locals.set("loop", "1").unwrap();
        board.state.locals.set("loadaddr", "2").unwrap();
        board.serial.input.extend(keys.bytes());
        board.with(|ctx| Prompt::start(ctx).poll(ctx));
        assert_eq!(board.output(), std::format!("=> {expected}"), "{keys:?}");
    }

    #[test]
    fn commands() {
        check("pri\t", "printenv ");
        check("bdinfo;vers\t", "bdinfo;version ");
        check("if true && fal\t", "if true && false ");
        check("if true; then ec\t", "if true; then echo ");
        check("n\t", "n\nnand  nm    \n=> n");
        check("xyz\t", "xyz\x07");
        check("xyz \t", "xyz \x07");
        check("help print\t", "help printenv ");
    }

    #[test]
    fn sub_commands() {
        check("env del\t", "env delete ");
        check("env def\t", "env default ");
        check("env ex\t", "env ex\nexists  export  \n=> env ex");
        check("env e\t", "env e\nedit    erase   exists  export  \n=> env e");
        check("nand be\t", "nand bench ");
        check("echo x && nand tim\t", "echo x && nand timing ");
        check("md x\t", "md x\x07");
    }

    #[test]
    fn variables() {
        check("printenv boot\t", "printenv boot\nbootargs  bootcmd   \n=> printenv boot");
        check("printenv bootc\t", "printenv bootcmd ");
        check("run x bootc\t", "run x bootcmd ");
        check("setenv l\t", "setenv loadaddr ");
        check("env delete l\t", "env delete loadaddr ");
        check("env run b\t", "env run boot");
        check("env default b\t", "env default boot");
        check("env save b\t", "env save b\x07");
        check("echo x$bootc\t", "echo x$bootcmd ");
        check("echo ${bootc\t", "echo ${bootcmd}");
        check("echo ${lo\t", "echo ${lo\nloadaddr  loop      \n=> echo ${lo");
    }

    #[test]
    fn in_the_middle_of_a_line() {
        check(
            "pri x\x1b[D\x1b[D\t",
            "pri x\x08\x08n x\x08\x08t x\x08\x08e x\x08\x08n x\x08\x08v x\x08\x08  x\x08\x08"
                .replace("n x\x08\x08t x\x08\x08e x\x08\x08n x\x08\x08v x", "ntenv x")
                .as_str(),
        );
    }
}
