//! A pseudo terminal as the board's serial line, for other terminal programs.

use super::console::Key;
use crate::{Error, Result};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Opens one: its name, where to write, and what is typed on it.
pub fn open() -> Result<(String, File, Receiver<Key>)> {
    let (ours, theirs, name) =
        pair().map_err(|e| Error::new(format!("cannot open a pseudo terminal: {e}")))?;
    let ours = File::from(ours);
    let reader =
        ours.try_clone().map_err(|e| Error::new(format!("cannot share the pseudo terminal: {e}")))?;
    let (sender, keys) = channel();
    let enter = sender.clone();
    thread::spawn(move || {
        // Kept open, so that the line survives a program that comes and goes.
        let _theirs = theirs;
        forward(reader, &sender);
    });
    if io::stdin().is_terminal() {
        thread::spawn(move || {
            // Any end of it is one.
            let _ = io::stdin().read_line(&mut String::new());
            let _ = enter.send(Key::Quit);
        });
    }
    Ok((name, ours, keys))
}

fn pair() -> rustix::io::Result<(OwnedFd, OwnedFd, String)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    // A serial line has no echo and no line editing of its own.
    let mut modes = tcgetattr(&theirs)?;
    modes.make_raw();
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok((ours, theirs, name.to_string_lossy().into_owned()))
}

fn forward(mut reader: File, keys: &Sender<Key>) {
    let mut buffer = [0; 256];
    while let Ok(len @ 1..) = reader.read(&mut buffer) {
        for &byte in &buffer[..len] {
            if keys.send(Key::Byte(byte)).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::time::Duration;

    #[test]
    fn carries_bytes_both_ways() {
        let (name, mut board, keys) = open().unwrap();
        let mut user = OpenOptions::new().read(true).write(true).open(name).unwrap();
        user.write_all(b"\r").unwrap();
        assert_eq!(keys.recv_timeout(Duration::from_secs(10)), Ok(Key::Byte(b'\r')));
        board.write_all(b"> \n").unwrap();
        let mut seen = [0; 3];
        user.read_exact(&mut seen).unwrap();
        assert_eq!(&seen, b"> \n");
    }
}
