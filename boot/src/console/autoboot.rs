//! Autoboot: what is run when nobody stops it, and what does. Variables, texts and meanings are those
//! of U-Boot (`doc/README.autoboot`, `common/autoboot.c`).

use super::shell;
use crate::cmd::Context;
use crate::image::digest::Algorithm;
use crate::stopwatch::Stopwatch;
use arrayvec::ArrayVec;

/// Seconds until it goes off, unless `bootdelay` says otherwise.
pub const DELAY: i32 = 2;
/// The `bootdelay` that keeps it from going off.
const NEVER: i32 = -1;
const SECOND: u64 = 1_000_000_000;
/// Bytes of the longest sequence of keys, of a password, and of a salt.
const TYPED: usize = 32;
/// The variables that make it a matter of the right keys.
const KEYS: [&str; 3] = ["bootdelaykey", "bootstopkey", HASH];
const HASH: &str = "bootstopkeysha256";

/// What was going on before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// A key was pressed already.
    Key,
    /// A kernel is waiting to be booted, so nothing shall take longer than it must.
    Kernel,
    /// Nothing that would decide it.
    Nothing,
}

/// Runs `bootcmd`, unless that is stopped.
pub fn run(ctx: &mut Context<'_>, before: Before) {
    if ctx.state.env.get("bootcmd").is_none() {
        return;
    }
    let delay = number(ctx, "bootdelay").unwrap_or(DELAY);
    let locked = KEYS.into_iter().any(|name| text(ctx, name).is_some());
    let stopped = match before {
        _ if delay < 0 => delay == NEVER,
        _ if locked => sequence(ctx, delay),
        Before::Key => true,
        Before::Kernel => ctx.console.clean_key_waiting(),
        Before::Nothing => any_key(ctx, delay),
    };
    if !stopped {
        // Ctrl-C must not open what the right keys are asked for.
        ctx.console.set_interruptible(!locked);
        shell::execute(ctx, "run bootcmd");
        ctx.console.set_interruptible(true);
    }
}

/// A variable that is set, and not to nothing.
fn text<'a>(ctx: &'a Context<'_>, name: &str) -> Option<&'a str> {
    ctx.state.env.get(name).filter(|text| !text.is_empty())
}

/// The number in a variable, decimal.
pub fn number(ctx: &Context<'_>, name: &str) -> Option<i32> {
    text(ctx, name)?.trim().parse().ok()
}

/// Counts down; does a key stop that?
fn any_key(ctx: &mut Context<'_>, delay: i32) -> bool {
    let mut left = delay;
    write!(ctx.console, "Hit any key to stop autoboot: {left:2} ");
    let mut stopped = ctx.console.clean_key().is_some();
    if stopped {
        write!(ctx.console, "\x08\x08\x08 0");
    }
    while left > 0 && !stopped {
        let watch = Stopwatch::start(ctx.clock);
        while !stopped && watch.ns(ctx.clock) < SECOND {
            stopped = ctx.console.clean_key().is_some();
        }
        left = if stopped { 0 } else { left - 1 };
        write!(ctx.console, "\x08\x08\x08{left:2} ");
    }
    writeln!(ctx.console);
    stopped
}

/// Lets the time pass; do the right keys stop that?
fn sequence(ctx: &mut Context<'_>, delay: i32) -> bool {
    writeln!(ctx.console, "Autoboot in {delay} seconds");
    if text(ctx, HASH).is_some_and(|hash| Password::parse(hash).is_none()) {
        writeln!(ctx.console, "{HASH} is not a SHA-256 of 64 hexadecimal digits: no password stops this");
    }
    let mut typed = Typed::new();
    let watch = Stopwatch::start(ctx.clock);
    loop {
        match ctx.console.clean_key() {
            Some(key) if opens(ctx, &mut typed, key) => return true,
            Some(_) => {}
            None if watch.ns(ctx.clock) >= u64::from(delay.unsigned_abs()) * SECOND => return false,
            None => {}
        }
    }
}

/// Keys pressed, the latest at the end.
type Typed = ArrayVec<u8, TYPED>;

/// Is what was typed right with this key?
fn opens(ctx: &mut Context<'_>, typed: &mut Typed, key: u8) -> bool {
    if let Some(hash) = text(ctx, HASH) {
        // Enter begins the password anew.
        if matches!(key, b'\r' | b'\n') {
            typed.clear();
            return false;
        }
        return typed.try_push(key).is_ok() && Password::parse(hash).is_some_and(|right| right.is(typed));
    }
    if typed.is_full() {
        typed.pop_at(0);
    }
    // There is room now.
    let _ = typed.try_push(key);
    let is_typed = |name| text(ctx, name).is_some_and(|keys| typed.ends_with(keys.as_bytes()));
    let stays = is_typed("bootstopkey");
    let opens = stays || is_typed("bootdelaykey");
    ctx.state.stays |= stays;
    opens
}

/// What `bootstopkeysha256` says: `[SALT:]HASH`.
struct Password<'a> {
    salt: &'a str,
    hash: [u8; 32],
}

impl<'a> Password<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (salt, digits) = text.split_once(':').unwrap_or(("", text));
        let mut hash = [0; 32];
        if digits.len() != 2 * hash.len() || salt.len() > TYPED {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self { salt, hash })
    }

    /// Is it this one?
    fn is(&self, typed: &[u8]) -> bool {
        let salted: ArrayVec<u8, { 2 * TYPED }> = self.salt.bytes().chain(typed.iter().copied()).collect();
        Algorithm::Sha256.matches(&salted, &self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;

    /// `printf secret | sha256sum`
    const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    /// Runs with these variables, and these keys waiting; what is on the screen, and the seconds that took.
    fn play(before: Before, variables: &[(&str, &str)], keys: &[u8]) -> (std::string::String, u64) {
        let mut board = Board::new();
        board.clock.step = 1000;
        board.state.env.set("bootcmd", "echo boots").unwrap();
        for (name, value) in variables {
            board.state.env.set(name, value).unwrap();
        }
        board.serial.input.extend(keys);
        let seconds = board.with(|ctx| {
            let watch = Stopwatch::start(ctx.clock);
            run(ctx, before);
            watch.ns(ctx.clock) / SECOND
        });
        (board.output(), seconds)
    }

    #[track_caller]
    fn check(before: Before, variables: &[(&str, &str)], keys: &[u8], output: &str, seconds: u64) {
        assert_eq!(play(before, variables, keys), (output.into(), seconds), "{variables:?}");
    }

    const WAITS: &str = "Hit any key to stop autoboot:  2 \x08\x08\x08 1 \x08\x08\x08 0 \nboots\n";

    #[test]
    fn counts_down() {
        use Before::Nothing;
        check(Nothing, &[], b"", WAITS, 2);
        check(Nothing, &[("bootdelay", "x")], b"", WAITS, 2);
        check(Nothing, &[("bootdelay", "0")], b"", "Hit any key to stop autoboot:  0 \nboots\n", 0);
        check(Nothing, &[("bootdelay", "-1")], b"", "", 0);
        check(Nothing, &[("bootdelay", "-2")], b"x", "boots\n", 0);
        let ten = play(Nothing, &[("bootdelay", "10")], b"");
        assert!(ten.0.starts_with("Hit any key to stop autoboot: 10 \x08\x08\x08 9 "), "{ten:?}");
        assert_eq!(ten.1, 10);
    }

    #[test]
    fn a_key_stops_it_and_noise_does_not() {
        let stopped = "Hit any key to stop autoboot:  2 \x08\x08\x08 0\n";
        check(Before::Nothing, &[], b" ", stopped, 0);
        check(Before::Nothing, &[], b"\0\xff\x80q", stopped, 0);
        check(Before::Nothing, &[], b"\0\xff\x80", WAITS, 2);
        check(Before::Key, &[], b"", "", 0);
        check(Before::Kernel, &[], b"x", "", 0);
        check(Before::Kernel, &[], b"\xff", "boots\n", 0);
    }

    #[test]
    fn only_the_right_keys_stop_it() {
        let (begun, boots) = ("Autoboot in 2 seconds\n", "Autoboot in 2 seconds\nboots\n");
        for before in [Before::Key, Before::Kernel, Before::Nothing] {
            for name in ["bootstopkey", "bootdelaykey"] {
                check(before, &[(name, "abc")], b"\rxababcd", begun, 0);
                check(before, &[(name, "abc")], b"\rababd", boots, 2);
                check(before, &[(name, "abc")], &[b'x'; 100], boots, 2);
                check(before, &[(name, "abc")], &[&[b'x'; 100][..], b"abc"].concat(), begun, 0);
            }
            check(before, &[(HASH, SECRET)], b"\rwrong\rsecret", begun, 0);
            check(before, &[(HASH, SECRET)], b"wrongsecret", boots, 2);
            check(before, &[(HASH, SECRET), ("bootstopkey", "x")], b"x", boots, 2);
            check(before, &[(HASH, SECRET), ("bootdelay", "-1")], b"", "", 0);
        }
        // What is not a hash has no password.
        for hash in ["", "2b", &SECRET[1..], &std::format!("{SECRET}0"), &SECRET.replace('b', "g")] {
            let (output, _) = play(Before::Nothing, &[(HASH, hash)], b"secret");
            assert_eq!(output.contains("no password stops this\nboots\n"), !hash.is_empty(), "{output}");
        }
    }

    #[test]
    fn a_salt_comes_first() {
        let other = std::format!("x:{SECRET}");
        assert!(!Password::parse(&other).unwrap().is(b"secret"));
        let salted = std::format!("se:{SECRET}");
        assert!(Password::parse(&salted).unwrap().is(b"cret"));
        assert!(Password::parse(&std::format!("{}:{SECRET}", "x".repeat(TYPED + 1))).is_none());
    }

    #[test]
    fn ctrl_c_does_not_open_what_is_locked() {
        let bootcmd = ("bootcmd", "sleep 1; echo boots");
        let at_once = ("bootdelay", "-2");
        check(Before::Nothing, &[bootcmd, at_once, ("bootstopkey", "x")], b"\x03", "boots\n", 1);
        check(Before::Nothing, &[bootcmd, at_once], b"\x03", "<INTERRUPT>\n", 0);
    }
}
