//! What the commands have in common that load over the serial line.

use super::{CmdError, Context, hex, shown};
use crate::transfer::{File, Port, Statistics, Target, TransferError};
use arrayvec::ArrayString;
use core::fmt::Write;
use platform::hal::Serial as _;

/// How many seconds users have to set their terminal to another rate.
const SWITCH_S: u32 = 60;
const INTERRUPT: u8 = 0x03;
const ENTER: u8 = b'\r';
const ESCAPE: u8 = 0x1b;

/// A protocol that brings files.
pub struct Protocol {
    /// Its name, as U-Boot spells it here.
    pub name: &'static str,
    /// Its receiving side.
    pub receive: fn(&mut Port<'_>, &mut Target<'_>) -> Result<Statistics, TransferError>,
}

/// What all of them can be told: an address, or an offset, and a rate, which is decimal.
pub fn arguments(args: &[&str]) -> Result<(Option<u32>, Option<u32>), CmdError> {
    let decimal = |word: &str| word.parse().map_err(|_| CmdError::NotNumber(shown(word)));
    match args {
        [] => Ok((None, None)),
        [address] => Ok((Some(hex(address)?), None)),
        [address, baud] => Ok((Some(hex(address)?), Some(decimal(baud)?))),
        _ => Err(CmdError::Usage),
    }
}

/// Runs `loadb` and its kind.
pub fn run(ctx: &mut Context<'_>, args: &[&str], protocol: &Protocol) -> Result<(), CmdError> {
    let (address, baud) = arguments(args)?;
    let address = address.unwrap_or(ctx.load_address);
    ctx.check_free(address, 1)?;
    at_baud(ctx, baud, |ctx, baud| {
        let name = protocol.name;
        writeln!(ctx.console, "## Ready for binary ({name}) download to 0x{address:08X} at {baud} bps...");
        let mut target = Target::new(ctx.memory, address);
        let mut raw = ctx.console.raw();
        let result = (protocol.receive)(&mut Port::new(&mut raw, ctx.clock), &mut target);
        match result {
            Ok(statistics) => {
                let files = target.take_files();
                show(ctx, statistics, &files);
                keep(ctx, files.first().map_or((address, 0), |file| (file.address, file.len)))
            }
            Err(error) => {
                writeln!(ctx.console, "\n## Binary ({name}) download aborted");
                Err(error.into())
            }
        }
    })
}

fn show(ctx: &mut Context<'_>, statistics: Statistics, files: &[File]) {
    let out = &mut ctx.console;
    let Statistics { packets, retries } = statistics;
    // The line has been the protocol's.
    writeln!(out, "\n{packets} packets, {retries} retries");
    for File { name, address, len } in files.iter().filter(|file| !file.name.is_empty()) {
        writeln!(out, "## {address:08x} {len:#010x} {name}");
    }
    let total = files.iter().fold(0, |total: u32, file| total.saturating_add(file.len));
    writeln!(out, "## Total Size      = {total:#010x} = {total} Bytes");
    if let Some(file) = files.first() {
        writeln!(out, "## Start Addr      = 0x{:08X}", file.address);
    }
}

/// Remembers what was loaded where, for commands to come and for scripts.
pub fn keep(ctx: &mut Context<'_>, (address, len): (u32, u32)) -> Result<(), CmdError> {
    ctx.load_address = address;
    let mut set = |name, value: u32| {
        let mut text = ArrayString::<8>::new();
        // A number has at most eight digits.
        let _ = write!(text, "{value:x}");
        ctx.state.env.set(name, &text)
    };
    set("fileaddr", address)?;
    Ok(set("filesize", len)?)
}

/// Does something at a rate, if it is another one than the board's, and goes back to that.
pub fn at_baud(
    ctx: &mut Context<'_>,
    baud: Option<u32>,
    act: impl FnOnce(&mut Context<'_>, u32) -> Result<(), CmdError>,
) -> Result<(), CmdError> {
    let usual = ctx.machine.board().baud;
    let baud = baud.unwrap_or(usual);
    if baud == usual {
        return act(ctx, baud);
    }
    writeln!(ctx.console, "## Switch baudrate to {baud} bps and press ENTER ...");
    let result = set_baud(ctx, baud).and_then(|()| await_key(ctx, ENTER, baud)).and_then(|()| act(ctx, baud));
    if !matches!(result, Err(CmdError::Baud { .. })) {
        writeln!(ctx.console, "## Switch baudrate to {usual} bps and press ESC ...");
        set_baud(ctx, usual)?;
        // Whoever does not follow can do so later.
        let _ = await_key(ctx, ESCAPE, usual);
    }
    result
}

fn set_baud(ctx: &mut Context<'_>, baud: u32) -> Result<(), CmdError> {
    let clock = ctx.machine.board().pclk;
    if ctx.console.raw().set_baud(clock, baud) { Ok(()) } else { Err(CmdError::Baud { baud }) }
}

/// Waits for a key that can only be read at the right rate.
fn await_key(ctx: &mut Context<'_>, key: u8, baud: u32) -> Result<(), CmdError> {
    let mut raw = ctx.console.raw();
    let mut port = Port::new(&mut raw, ctx.clock);
    // Whatever else comes shortens the wait: noise shall not prolong it for ever.
    for _ in 0..SWITCH_S {
        match port.byte(1000) {
            Some(INTERRUPT) => return Err(CmdError::Interrupted),
            Some(byte) if byte == key => return Ok(()),
            _ => {}
        }
    }
    Err(CmdError::NotSwitched { baud })
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, LOADER};
    use crate::transfer::Port;
    use std::string::String;

    /// What a command prints when these bytes wait for it.
    fn run(command: &str, bytes: &[u8]) -> (Board, String) {
        let mut board = Board::new();
        board.serial.input.extend(bytes);
        let output = board.run(command);
        (board, output)
    }

    #[test]
    fn arguments_are_those_of_u_boot() {
        let check = |command: &str, expected: &str| {
            let (_, output) = run(command, b"\x03\x03");
            assert!(output.starts_with(expected), "{output}");
        };
        check("loadx", "## Ready for binary (xmodem) download to 0x30800000 at 115200 bps...\n");
        check("loady 30000010", "## Ready for binary (ymodem) download to 0x30000010 at 115200 bps...\n");
        check("loadb 0 9600", "ERROR: 00000000, 0x1 bytes, is not all RAM");
        check(
            "loadb 30000010 115200",
            "## Ready for binary (kermit) download to 0x30000010 at 115200 bps...\n",
        );
        check("loads", "## Ready for S-Record download ...\n");
        check("loadx 30000000 9600x", "ERROR: '9600x' is not a number");
        check(
            "loadx 1 2 3",
            "loadx - load binary file over serial line (xmodem mode)\n\nUsage:\nloadx [addr [baud]]\n",
        );
        check("loads 0 1 2", "loads - load S-Record file over serial line\n\nUsage:\nloads [off [baud]]\n");
    }

    #[test]
    fn the_loader_is_not_even_begun_with() {
        for command in ["loadx 30e00000", "loady 30ffffff", "loadb 30e00001"] {
            let (board, output) = run(command, &[]);
            assert!(output.contains("would overwrite the loader"), "{output}");
            assert!(board.memory.loader().iter().all(|&byte| byte == 0));
            assert_eq!(output.lines().count(), 1);
        }
        assert_eq!(LOADER, 0x30e0_0000);
    }

    #[test]
    fn ctrl_c_is_an_interrupt() {
        for (command, name) in [("loadx", "xmodem"), ("loady", "ymodem"), ("loadb", "kermit")] {
            let (_, output) = run(command, b"\x03");
            let expected = std::format!("\n## Binary ({name}) download aborted\n<INTERRUPT>\n");
            assert!(output.ends_with(&expected), "{output}");
        }
        assert!(run("loads", b"\x03").1.ends_with("\n\n## S-Record download aborted\n<INTERRUPT>\n"));
    }

    #[test]
    fn what_was_loaded_is_remembered() {
        // Block 1 of 128 bytes, its checksum of 16 bits that of zeroes; the end, twice.
        let block = [&[1, 1, 0xfe][..], &[0; 130], &[4, 4]].concat();
        let (board, output) = run("loadx 30000010", &block);
        let expected = "\n1 packets, 0 retries\n\
                        ## Total Size      = 0x00000080 = 128 Bytes\n\
                        ## Start Addr      = 0x30000010\n";
        assert!(output.ends_with(expected), "{output}");
        assert_eq!(board.state.env.get("filesize"), Some("80"));
        assert_eq!(board.state.env.get("fileaddr"), Some("30000010"));
    }

    #[test]
    fn the_rate_is_switched_and_back() {
        let (board, output) = run("loadx 30000000 57600", b"garbage\r\x03\x1b");
        let expected = "## Switch baudrate to 57600 bps and press ENTER ...\n\
                        ## Ready for binary (xmodem) download to 0x30000000 at 57600 bps...\n";
        assert!(output.starts_with(expected), "{output}");
        assert!(
            output.ends_with("## Switch baudrate to 115200 bps and press ESC ...\n<INTERRUPT>\n"),
            "{output}"
        );
        assert_eq!(board.serial.bauds, [57_600, 115_200]);
        assert!(board.serial.input.is_empty());
    }

    #[test]
    fn a_rate_that_nobody_follows_is_left() {
        let (board, output) = run("loadx 30000000 57600", b"");
        assert!(output.contains("ERROR: no key came at 57600 baud"), "{output}");
        assert_eq!(board.serial.bauds, [57_600, 115_200]);
        let (board, output) = run("loadx 30000000 1", b"");
        assert!(output.ends_with("ERROR: the console cannot have 1 baud\n"), "{output}");
        assert_eq!(board.serial.bauds, []);
    }

    #[test]
    fn what_was_typed_ahead_is_not_lost() {
        let mut board = Board::new();
        board.serial.input.extend(*b"abc");
        board.with(|ctx| {
            assert!(ctx.console.key_waiting());
            let mut raw = ctx.console.raw();
            let mut port = Port::new(&mut raw, ctx.clock);
            assert_eq!([(); 4].map(|()| port.byte(1)), [Some(b'a'), Some(b'b'), Some(b'c'), None]);
        });
    }
}
