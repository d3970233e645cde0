//! `go`

use super::{CmdError, Command, Context, hex};

pub const CMD: Command = Command {
    name: "go",
    usage: "addr",
    help: "start application at address 'addr'",
    run: |ctx, args| match args {
        [address] => start(ctx, hex(address)?),
        _ => Err(CmdError::Usage),
    },
};

fn start(ctx: &mut Context<'_>, address: u32) -> Result<(), CmdError> {
    // An odd address is one of Thumb code.
    let even = address & !1;
    if ctx.memory.ram(even, 4).is_none() {
        return Err(CmdError::NotRam { address: even, len: 4 });
    }
    writeln!(ctx.console, "## Starting application at 0x{address:08X} ...");
    ctx.console.flush();
    let result = ctx.machine.call(address, 0, 0);
    writeln!(ctx.console, "## Application terminated, rc = 0x{result:X}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, Left};

    #[test]
    fn calls_and_returns() {
        let mut board = Board::new();
        let expected = "## Starting application at 0x30008001 ...\n\
                        ## Application terminated, rc = 0x2A\n";
        assert_eq!(board.run("go 30008001"), expected);
        assert_eq!(board.machine.left, [Left::Call(0x3000_8001, 0, 0)]);
    }

    #[test]
    fn refuses_what_is_not_ram() {
        let mut board = Board::new();
        let expected = "ERROR: 56000000, 0x4 bytes, is not all RAM; see 'bdinfo' for where RAM is\n";
        assert_eq!(board.run("go 56000000"), expected);
        assert_eq!(board.run("go"), "go - start application at address 'addr'\n\nUsage:\ngo addr\n");
        assert_eq!(board.machine.left, []);
    }
}
