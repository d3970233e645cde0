//! `crc32`

use super::{CmdError, Command, Context, hex};
use crate::crc;

/// Bytes between two looks for Ctrl-C.
const PIECE: usize = 0x2000;

pub const CMD: Command = Command {
    name: "crc32",
    usage: "address count",
    help: "checksum calculation",
    run: |ctx, args| match args {
        [address, count] => show(ctx, ctx.address(address)?, hex(count)?),
        _ => Err(CmdError::Usage),
    },
};

fn show(ctx: &mut Context<'_>, address: u32, len: u32) -> Result<(), CmdError> {
    ctx.memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
    let mut crc = 0;
    for at in (0..len).step_by(PIECE) {
        let bytes = ctx.memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
        let rest = bytes.get(at as usize..).unwrap_or_default();
        crc = crc::crc32_on(crc, rest.get(..PIECE).unwrap_or(rest));
        ctx.check_interrupt()?;
    }
    let last = address.wrapping_add(len).wrapping_sub(1);
    writeln!(ctx.console, "crc32 for {address:08x} ... {last:08x} ==> {crc:08x}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[test]
    fn prints_the_crc() {
        let mut board = Board::new();
        board.memory.store(RAM, b"123456789");
        // The check value of this CRC in every catalogue.
        assert_eq!(board.run("crc32 30000000 9"), "crc32 for 30000000 ... 30000008 ==> cbf43926\n");
    }

    #[test]
    fn goes_by_pieces_and_stops_at_ctrl_c() {
        let mut board = Board::new();
        board.memory.store(RAM, &[0xa5; 0x5001]);
        let whole = crate::crc::crc32(&[0xa5; 0x5001]);
        let expected = std::format!("crc32 for 30000000 ... 30005000 ==> {whole:08x}\n");
        assert_eq!(board.run("crc32 30000000 5001"), expected);
        assert_eq!(board.run("crc32 30000000 0"), "crc32 for 30000000 ... 2fffffff ==> 00000000\n");
        board.serial.input.push_back(3);
        assert_eq!(board.run("crc32 30000000 100000"), "<INTERRUPT>\n");
    }

    #[test]
    fn refuses_what_is_not_ram() {
        let text = "bytes, is not all RAM; see 'bdinfo' for where RAM is\n";
        let check = |line: &str, place: &str| {
            assert_eq!(Board::new().run(line), std::format!("ERROR: {place} {text}"));
        };
        check("crc32 0 10", "00000000, 0x10");
        check("crc32 30fffff0 11", "30fffff0, 0x11");
        check("crc32 30000000 ffffffff", "30000000, 0xffffffff");
    }
}
