//! `sleep`

use super::{CmdError, Command, Context};
use crate::stopwatch::Stopwatch;

pub const CMD: Command = Command {
    name: "sleep",
    usage: "N\n    - N seconds, decimal, with up to three decimals; Ctrl-C ends it",
    help: "delay execution for some time",
    run: |ctx, args| match args {
        [time] => sleep(ctx, milliseconds(time).ok_or(CmdError::Usage)?),
        _ => Err(CmdError::Usage),
    },
};

fn sleep(ctx: &mut Context<'_>, milliseconds: u64) -> Result<(), CmdError> {
    let watch = Stopwatch::start(ctx.clock);
    while watch.ns(ctx.clock) < milliseconds * 1_000_000 {
        ctx.check_interrupt()?;
    }
    Ok(())
}

fn milliseconds(time: &str) -> Option<u64> {
    let (seconds, decimals) = time.split_once('.').unwrap_or((time, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(seconds) || !digits(decimals) || decimals.len() > 3 {
        return None;
    }
    let seconds: u32 = seconds.parse().ok()?;
    let decimals = decimals.bytes().chain(*b"000").take(3);
    let thousandths = decimals.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    Some(u64::from(seconds) * 1000 + thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;

    #[test]
    fn reads_times() {
        let check = |text, expected| assert_eq!(milliseconds(text), expected);
        check("0", Some(0));
        check("2", Some(2000));
        check("0.5", Some(500));
        check("1.025", Some(1025));
        check("1.", Some(1000));
        check("4294967295.999", Some(4_294_967_295_999));
        for text in ["", ".", ".5", "x", "1.0000", "-1", "+1", "1e3", "4294967296"] {
            check(text, None);
        }
    }

    #[test]
    fn waits() {
        let mut board = Board::new();
        board.clock.step = 1000;
        let before = platform::hal::Clock::ticks(&mut board.clock);
        assert_eq!(board.run("sleep 1.5"), "");
        let passed = platform::hal::Clock::ticks(&mut board.clock) - before;
        assert!((1_500_000..1_510_000).contains(&passed), "{passed}");
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = Board::new();
        board.serial.input.push_back(3);
        assert_eq!(board.run("sleep 1000000"), "<INTERRUPT>\n");
        assert!(board.run("sleep").starts_with("sleep - delay execution"));
        assert!(board.run("sleep 1 2").starts_with("sleep - delay execution"));
    }
}
