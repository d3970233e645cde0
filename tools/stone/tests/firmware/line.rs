//! A board's serial line as other programs see it: `stone run --pty`, at the prompt.

use crate::common::{Place, text};
use crate::kit::{Board, Random, payload_of};
use crate::noise::{Noise, Noises};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What the console prints when it waits for a line.
const PROMPT: &str = "\n=> ";
/// What ends the run.
const BYE: &str = "good bye";
/// Nothing here takes this long, however slow the computer: what does, hangs.
const LIMIT: Duration = Duration::from_secs(180);

/// A board that runs, and the line to it.
pub struct Line {
    pub place: Place,
    stone: Child,
    terminal: File,
    /// What the board has sent and nobody has asked for.
    unread: Vec<u8>,
}

impl Drop for Line {
    fn drop(&mut self) {
        // It has ended already, unless a test fails.
        let _ = self.stone.kill();
        let _ = self.stone.wait();
    }
}

impl Line {
    /// Starts a board and stops at its prompt.
    pub fn open(board: &Board) -> Self {
        board.firmware("stage2.bin");
        let place = Place::new();
        place.write("kernel", payload_of(0x1000, 1));
        let (recipe, part) = (board.recipe_path(), board.part);
        place.good(&format!("nand {} --part {part} -o g.nand --trim --kernel kernel", recipe.display()));
        let mut stone = Command::new(env!("CARGO_BIN_EXE_stone"))
            .args(["run", "--board", board.name, "--part", part, "g.nand", "--pty", "--until", BYE])
            .current_dir(place.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(stone.stderr.take().unwrap()).read_line(&mut said).unwrap();
        let name = said.split([' ', ':']).find(|word| word.starts_with("/dev/")).expect(&said);
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let mut line = Self { place, stone, terminal, unread: Vec::new() };
        // The first key stops stage1.
        line.write("\r");
        line.prompt();
        line
    }

    /// Types.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.terminal.write_all(bytes.as_ref()).unwrap();
    }

    /// What the board says up to this.
    #[track_caller]
    pub fn read_to(&mut self, end: &str) -> String {
        loop {
            let found = (0..=self.unread.len()).find(|&at| self.unread[at..].starts_with(end.as_bytes()));
            if let Some(at) = found {
                let rest = self.unread.split_off(at + end.len());
                return text(&std::mem::replace(&mut self.unread, rest)).replace('\r', "");
            }
            let more = read(&self.terminal, LIMIT);
            assert!(!more.is_empty(), "{end:?} does not come after: {}", text(&self.unread));
            self.unread.extend(more);
        }
    }

    /// Types a line: what the board says to it.
    #[track_caller]
    pub fn command(&mut self, command: &str) -> String {
        self.start(command, "");
        let said = self.prompt();
        said.strip_prefix('\n').unwrap_or(&said).to_owned()
    }

    /// What the board says up to its prompt.
    #[track_caller]
    pub fn prompt(&mut self) -> String {
        let said = self.read_to(PROMPT);
        said.strip_suffix(PROMPT.trim_start()).unwrap().to_owned()
    }

    /// Types a line, and waits until the board says this.
    #[track_caller]
    pub fn start(&mut self, command: &str, ready: &str) {
        self.write(format!("{command}\r"));
        self.read_to(command);
        self.read_to(ready);
    }

    /// Runs a program in the test's directory with its input and output on the line: whether
    /// it succeeded, and what it said on the side.
    pub fn run(&mut self, program: &str, noises: Noises) -> (bool, String) {
        let log = File::create(self.place.path("sender.log")).unwrap();
        let mut words = program.split(' ');
        let mut sender = Command::new(words.next().unwrap())
            .args(words)
            .current_dir(self.place.path("."))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}; tools/setup.sh installs it"));
        let done = AtomicBool::new(false);
        let (from, to) = (sender.stdout.take().unwrap(), sender.stdin.take().unwrap());
        let success = thread::scope(|scope| {
            let terminal = &self.terminal;
            scope.spawn(move || carry_there(from, terminal, noises));
            let heard = scope.spawn(|| carry_back(terminal, to, noises, &done));
            let success = wait(&mut sender);
            done.store(true, Ordering::Relaxed);
            self.unread.extend(heard.join().unwrap());
            success
        });
        let said = fs::read(self.place.path("sender.log")).unwrap();
        (success, text(&said))
    }

    /// Ends the run; the board must have let everything pass.
    pub fn close(mut self) {
        self.write(format!("echo {BYE}\r"));
        wait(&mut self.stone);
        let mut said = String::new();
        self.stone.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(said.contains(": good\n") && said.contains("violations    none"), "{said}");
    }
}

/// What comes within this time; nothing when nothing does.
fn read(mut terminal: &File, limit: Duration) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    let limit = Timespec::try_from(limit).unwrap();
    let ready = poll(&mut [PollFd::new(terminal, PollFlags::IN)], Some(&limit)).unwrap();
    // An end of the line is as good as silence.
    let len = if ready > 0 { terminal.read(&mut bytes).unwrap_or(0) } else { 0 };
    bytes.truncate(len);
    bytes
}

/// Waits for the end of a program: whether it was a success.
fn wait(program: &mut Child) -> bool {
    let start = Instant::now();
    loop {
        if let Some(status) = program.try_wait().unwrap() {
            return status.success();
        }
        if start.elapsed() > LIMIT {
            let _ = program.kill();
            panic!("a program does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn carry_there(mut sender: impl Read, mut terminal: &File, noises: Noises) {
    let mut random = Random::new(noises.seed);
    let mut bytes = [0; 1024];
    while let Ok(len @ 1..) = sender.read(&mut bytes) {
        terminal.write_all(&noises.there.pass(&mut random, &bytes[..len])).unwrap();
    }
}

/// Carries what the board says until a program has ended; all of it is kept as well, as it was.
fn carry_back(terminal: &File, mut program: impl Write, noises: Noises, ended: &AtomicBool) -> Vec<u8> {
    let mut random = Random::new(noises.seed ^ 0x5555);
    let mut heard = Vec::new();
    while !ended.load(Ordering::Relaxed) {
        let bytes = read(terminal, Duration::from_millis(20));
        // A program that has gone hears nothing.
        let _ = program.write_all(&noises.back.pass(&mut random, &bytes)).and_then(|()| program.flush());
        heard.extend(bytes);
    }
    heard
}

/// A line without noise.
pub const CLEAN: Noises = Noises {
    there: Noise { drop: 0, double: 0, flip: 0 },
    back: Noise { drop: 0, double: 0, flip: 0 },
    seed: 0,
};
