//! `loads`

use super::{CmdError, Command, Context, download};
use crate::transfer::srecord::{self, Loaded};
use crate::transfer::{Port, Target};

pub const CMD: Command = Command {
    name: "loads",
    usage: "[off [baud]]",
    help: "load S-Record file over serial line",
    run: |ctx, args| {
        let (offset, baud) = download::arguments(args)?;
        download::at_baud(ctx, baud, |ctx, _| run(ctx, offset.unwrap_or(0)))
    },
};

fn run(ctx: &mut Context<'_>, offset: u32) -> Result<(), CmdError> {
    writeln!(ctx.console, "## Ready for S-Record download ...");
    let mut target = Target::new(ctx.memory, 0);
    let mut raw = ctx.console.raw();
    let result = srecord::receive(&mut Port::new(&mut raw, ctx.clock), &mut target, offset);
    match result {
        Ok(loaded) => show(ctx, loaded),
        Err(error) => {
            writeln!(ctx.console, "\n## S-Record download aborted");
            Err(error.into())
        }
    }
}

fn show(ctx: &mut Context<'_>, Loaded { range, entry }: Loaded) -> Result<(), CmdError> {
    if let Some((first, last)) = range {
        let total = last.wrapping_sub(first).wrapping_add(1);
        writeln!(ctx.console, "\n## First Load Addr = 0x{first:08X}");
        writeln!(ctx.console, "## Last  Load Addr = 0x{last:08X}");
        writeln!(ctx.console, "## Total Size      = 0x{total:08X} = {total} Bytes");
        download::keep(ctx, (first, total))?;
    }
    writeln!(ctx.console, "## Start Addr      = 0x{entry:08X}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[test]
    fn says_what_was_loaded_where() {
        let mut board = Board::new();
        board.serial.input.extend(b"S1051000ABCD72\nS1041010EEED\nS9031004E8\n");
        let expected = "## Ready for S-Record download ...\n\n\
                        ## First Load Addr = 0x30001000\n\
                        ## Last  Load Addr = 0x30001010\n\
                        ## Total Size      = 0x00000011 = 17 Bytes\n\
                        ## Start Addr      = 0x30001004\n";
        assert_eq!(board.run("loads 30000000"), expected);
        assert_eq!(board.memory.load(RAM + 0x1000, 3), [0xab, 0xcd, 0]);
        assert_eq!(board.state.env.get("filesize"), Some("11"));
        assert_eq!(board.state.env.get("fileaddr"), Some("30001000"));
    }

    #[test]
    fn says_what_is_wrong() {
        let mut board = Board::new();
        board.serial.input.extend(b"S1051000ABCD73\nreset\n");
        let expected = "## Ready for S-Record download ...\n\n## S-Record download aborted\n\
                        ERROR: line 1: checksum 72 instead of 73; send the file again\n";
        assert_eq!(board.run("loads 30000000"), expected);
        assert!(board.serial.input.is_empty() && board.machine.left.is_empty());
        board.serial.input.extend(b"S1051000ABCD72\nS9031004E8\n");
        let refused = "ERROR: 0x2 bytes cannot go to 00001000; see 'bdinfo' for where they can\n";
        assert!(board.run("loads").ends_with(refused));
    }
}
