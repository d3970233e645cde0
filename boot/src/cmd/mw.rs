//! `mw`

use super::{CmdError, Command, Context, STRIDE, hex, split_width};

pub const CMD: Command = Command {
    name: "mw",
    usage: "[.b, .w, .l] address value [count]",
    help: "memory write (fill)",
    run: |ctx, args| {
        let (width, args) = split_width(args)?;
        match args {
            [address, value] => fill(ctx, width, ctx.address(address)?, hex(value)?, 1),
            [address, value, count] => {
                let address = ctx.address(address)?;
                fill(ctx, width, address, hex(value)?, hex(count)?)
            }
            _ => Err(CmdError::Usage),
        }
    },
};

fn fill(ctx: &mut Context<'_>, width: u8, start: u32, value: u32, count: u32) -> Result<(), CmdError> {
    let mut address = start;
    for i in 0..count {
        if !ctx.memory.poke(address, width, value) {
            return Err(CmdError::Access { address, width });
        }
        address = address.wrapping_add(width.into());
        if i % STRIDE == STRIDE - 1 {
            ctx.check_interrupt()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, LOADER, RAM};

    fn check(command: &str, expected: [u8; 8]) {
        let mut board = Board::new();
        assert_eq!(board.run(command), "");
        assert_eq!(board.memory.load(RAM, 8), expected);
    }

    #[test]
    fn writes_objects() {
        check("mw 30000000 12345678", [0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]);
        check("mw.l 30000000 1 2", [1, 0, 0, 0, 1, 0, 0, 0]);
        check("mw.w 30000002 12345 2", [0, 0, 0x45, 0x23, 0x45, 0x23, 0, 0]);
        check("mw.b 30000001 1ff 3", [0, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        check("mw 30000000 1 0", [0; 8]);
    }

    #[test]
    fn stops_at_the_loader() {
        let mut board = Board::new();
        let output = board.run("mw 30dffffc ffffffff 100");
        assert!(output.starts_with("ERROR: no access to 30e00000 by 4 bytes: "), "{output}");
        assert_eq!(board.memory.load(LOADER - 4, 4), [0xff; 4]);
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
    }

    #[test]
    fn says_what_it_wants() {
        let usage = "mw - memory write (fill)\n\nUsage:\nmw [.b, .w, .l] address value [count]\n";
        for line in ["mw", "mw 1", "mw 1 2 3 4", "mw.x 1 2"] {
            assert_eq!(Board::new().run(line), usage);
        }
        assert!(Board::new().run("mw 30000002 1").starts_with("ERROR: no access to 30000002"));
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = Board::new();
        board.serial.input.push_back(3);
        assert_eq!(board.run("mw.b 30000000 1 100000"), "<INTERRUPT>\n");
        assert_eq!(board.memory.load(RAM + 0x3ff, 2), [1, 0]);
    }
}
