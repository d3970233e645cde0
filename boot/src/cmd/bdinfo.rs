//! `bdinfo`

use super::{CmdError, Command, Context};
use core::fmt;
use platform::units::Hz;

pub const CMD: Command = Command {
    name: "bdinfo",
    usage: "",
    help: "print board info",
    run: |ctx, args| match args {
        [] => {
            show(ctx);
            Ok(())
        }
        _ => Err(CmdError::Usage),
    },
};

/// A clock in MHz, rounded to a tenth.
struct Mhz(Hz);

impl fmt::Display for Mhz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (u64::from(self.0.0) + 50_000) / 100_000;
        write!(f, "{}.{} MHz", tenths / 10, tenths % 10)
    }
}

fn show(ctx: &mut Context<'_>) {
    let board = ctx.machine.board();
    let out = &mut ctx.console;
    let mut number = |name: &str, value: u32| writeln!(out, "{name:<12}= {value:#010x}");
    number("arch_number", board.machine);
    if let Some(revision) = board.revision {
        number("revision", revision);
    }
    number("boot_params", board.sdram.0.saturating_add(crate::tags::TAGS_OFFSET));
    number("DRAM bank", 0);
    number("-> start", board.sdram.0);
    number("-> size", board.sdram.1);
    number("relocaddr", board.loader.0);
    number("loadaddr", ctx.load_address);
    writeln!(out, "baudrate    = {} bps ({})", board.baud, board.console);
    writeln!(out, "board       = {} ({})", board.name, board.soc);
    writeln!(out, "FCLK        = {}", Mhz(board.fclk));
    writeln!(out, "HCLK        = {}", Mhz(board.hclk));
    writeln!(out, "PCLK        = {}", Mhz(board.pclk));
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    #[test]
    fn shows_the_board() {
        let expected = "\
arch_number = 0x000007cf
boot_params = 0x30000100
DRAM bank   = 0x00000000
-> start    = 0x30000000
-> size     = 0x01000000
relocaddr   = 0x30e00000
loadaddr    = 0x30800000
baudrate    = 115200 bps (UART0)
board       = mock (S3C2440A)
FCLK        = 400.0 MHz
HCLK        = 133.3 MHz
PCLK        = 66.7 MHz
";
        assert_eq!(Board::new().run("bdinfo"), expected);
        assert_eq!(Board::new().run("bdinfo x"), "bdinfo - print board info\n\nUsage:\nbdinfo\n");
    }
}
