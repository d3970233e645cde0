//! `mm`, and what it has in common with `nm`

use super::{CmdError, Command, Context, split_width};
use crate::console::line::Editor;

pub const CMD: Command = Command {
    name: "mm",
    usage: "[.b, .w, .l] address\n    \
            for each object: a number sets it, Enter goes on, '-' goes back, anything else ends it",
    help: "memory modify (auto-incrementing address)",
    run: |ctx, args| modify(ctx, args, true),
};

/// Shows objects and asks what they are to be; `moving` on with each answer, or staying.
pub fn modify(ctx: &mut Context<'_>, args: &[&str], moving: bool) -> Result<(), CmdError> {
    let (width, args) = split_width(args)?;
    let [address] = args else { return Err(CmdError::Usage) };
    let mut address = ctx.address(address)?;
    let step = if moving { u32::from(width) } else { 0 };
    let digits = usize::from(width) * 2;
    loop {
        let value = ctx.memory.peek(address, width).ok_or(CmdError::Access { address, width })?;
        write!(ctx.console, "{address:08x}: {value:0digits$x} ? ");
        let mut editor = Editor::new();
        match editor.read(ctx)?.trim() {
            "" => address = address.wrapping_add(step),
            "-" => address = address.wrapping_sub(step),
            answer => {
                let Ok(value) = super::hex(answer) else { return Ok(()) };
                if !ctx.memory.poke(address, width, value) {
                    return Err(CmdError::Access { address, width });
                }
                address = address.wrapping_add(step);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[track_caller]
    fn check(line: &str, keys: &str, output: &str, expected: [u8; 8]) {
        let mut board = Board::new();
        board.memory.store(RAM, &[0, 1, 2, 3, 4, 5, 6, 7]);
        board.serial.input.extend(keys.bytes());
        assert_eq!(board.run(line), output);
        assert_eq!(board.memory.load(RAM, 8), expected);
    }

    #[test]
    fn modifies() {
        let output = "30000000: 03020100 ? 12345678\n30000004: 07060504 ? q\n";
        check("mm 30000000", "12345678\rq\r", output, [0x78, 0x56, 0x34, 0x12, 4, 5, 6, 7]);
        let output = "30000002: 02 ? \n30000003: 03 ? ff\n30000004: 04 ? -\n30000003: ff ? .\n";
        check("mm.b 30000002", "\rff\r-\r.\r", output, [0, 1, 2, 0xff, 4, 5, 6, 7]);
        let output = "30000002: 0302 ? 1abcd\n30000004: 0504 ? <INTERRUPT>\n";
        check("mm.w 30000002", "1abcd\r\x03", output, [0, 1, 0xcd, 0xab, 4, 5, 6, 7]);
    }

    #[test]
    fn stays_out_of_the_loader() {
        let mut board = Board::new();
        board.serial.input.extend(*b"1\r2\r");
        let output = board.run("mm 30dffffc");
        assert!(
            output
                .starts_with("30dffffc: 00000000 ? 1\n30e00000: 00000000 ? 2\nERROR: no access to 30e00000")
        );
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
        assert!(board.run("mm 30000001").starts_with("ERROR: no access to 30000001"));
        for line in ["mm", "mm 1 2", "mm.q 1"] {
            assert!(
                board.run(line).starts_with("mm - memory modify (auto-incrementing address)\n"),
                "{line}"
            );
        }
    }
}
