//! `crc32`

use super::{CmdError, Command, Context, hex};
use crate::crc;

pub const CMD: Command = Command {
    name: "crc32",
    usage: "address count",
    help: "checksum calculation",
    run: |ctx, args| match args {
        [address, count] => show(ctx, hex(address)?, hex(count)?),
        _ => Err(CmdError::Usage),
    },
};

fn show(ctx: &mut Context<'_>, address: u32, len: u32) -> Result<(), CmdError> {
    let bytes = ctx.memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
    let crc = crc::crc32(bytes);
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
