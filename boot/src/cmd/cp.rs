//! `cp`

use super::{CmdError, Command, Context, STRIDE, hex, split_width};

pub const CMD: Command = Command {
    name: "cp",
    usage: "[.b, .w, .l] source target count",
    help: "memory copy",
    run: |ctx, args| {
        let (width, args) = split_width(args)?;
        match args {
            [source, target, count] => {
                let (source, target) = (ctx.address(source)?, ctx.address(target)?);
                copy(ctx, width, source, target, hex(count)?)
            }
            _ => Err(CmdError::Usage),
        }
    },
};

/// Copies objects one by one, as registers want it; from the end where the target overlaps what is
/// still to be read.
fn copy(ctx: &mut Context<'_>, width: u8, source: u32, target: u32, count: u32) -> Result<(), CmdError> {
    if count == 0 {
        writeln!(ctx.console, "Zero length ???");
        return Err(CmdError::Status(1));
    }
    let size = u32::from(width);
    let backwards = target != source && target.wrapping_sub(source) < count.saturating_mul(size);
    for i in 0..count {
        let object = if backwards { count - 1 - i } else { i };
        let (from, to) = (object_at(source, object, size), object_at(target, object, size));
        let value = ctx.memory.peek(from, width).ok_or(CmdError::Access { address: from, width })?;
        if !ctx.memory.poke(to, width, value) {
            return Err(CmdError::Access { address: to, width });
        }
        if i % STRIDE == STRIDE - 1 {
            ctx.check_interrupt()?;
        }
    }
    Ok(())
}

const fn object_at(start: u32, object: u32, size: u32) -> u32 {
    start.wrapping_add(object.wrapping_mul(size))
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, LOADER, RAM};

    #[track_caller]
    fn check(line: &str, expected: &[u8; 12]) {
        let mut board = Board::new();
        board.memory.store(RAM, b"abcdefgh....");
        assert_eq!(board.run(line), "");
        assert_eq!(board.memory.load(RAM, 12), expected);
    }

    #[test]
    fn copies() {
        check("cp 30000000 30000008 1", b"abcdefghabcd");
        check("cp.w 30000002 30000008 2", b"abcdefghcdef");
        check("cp.b 30000001 30000000 4", b"bcdeefgh....");
        check("cp.b 30000000 30000001 7", b"aabcdefg....");
        check("cp.w 30000000 30000004 4", b"abcdabcdefgh");
        check("cp.l 30000004 30000000 2", b"efgh........");
        check("cp.b 30000000 30000000 8", b"abcdefgh....");
    }

    #[test]
    fn stops_at_the_loader() {
        let mut board = Board::new();
        board.memory.store(RAM, &[0xff; 64]);
        for line in ["cp.b 30000000 30dfffff 2", "cp 30000000 30dffffc 8", "cp.b 30dffff0 30dffff8 20"] {
            let output = board.run(line);
            assert!(output.starts_with("ERROR: no access to 30e000"), "{output}");
            assert!(board.memory.loader().iter().all(|&byte| byte == 0), "{line}");
        }
        // What is read may be the loader's.
        assert_eq!(board.run("cp.b 30e00000 30000000 2"), "");
        assert_eq!(board.memory.load(LOADER - 4, 4), [0xff; 4]);
    }

    #[test]
    fn says_what_is_wrong() {
        let mut board = Board::new();
        assert_eq!(board.run("cp 30000000 30000004 0; echo $?"), "Zero length ???\n1\n");
        assert!(board.run("cp 30000002 30000004 1").starts_with("ERROR: no access to 30000002 by 4 bytes"));
        assert!(board.run("cp 30000004 30000002 1").starts_with("ERROR: no access to 30000002 by 4 bytes"));
        assert!(board.run("cp 0 30000002 1").starts_with("ERROR: no access to 00000000 by 4 bytes"));
        for line in ["cp", "cp 1 2", "cp 1 2 3 4", "cp.q 1 2 3"] {
            assert!(
                board.run(line).starts_with("cp - memory copy\n\nUsage:\ncp [.b, .w, .l] source"),
                "{line}"
            );
        }
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = Board::new();
        board.memory.store(RAM, &[1; 0x2000]);
        board.serial.input.push_back(3);
        assert_eq!(board.run("cp.b 30000000 30010000 2000"), "<INTERRUPT>\n");
        assert_eq!(board.memory.load(RAM + 0x103ff, 2), [1, 0]);
    }
}
