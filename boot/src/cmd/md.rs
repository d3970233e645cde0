//! `md`

use super::{CmdError, Command, Context, hex, split_width};
use arrayvec::ArrayVec;

/// Bytes on a line.
const LINE: u32 = 16;
/// Objects shown when no count is given, as in U-Boot.
const COUNT: u32 = 0x40;

pub const CMD: Command = Command {
    name: "md",
    usage: "[.b, .w, .l] address [# of objects]",
    help: "memory display",
    run: |ctx, args| {
        let (width, args) = split_width(args)?;
        match args {
            [address] => show(ctx, width, ctx.address(address)?, COUNT),
            [address, count] => show(ctx, width, ctx.address(address)?, hex(count)?),
            _ => Err(CmdError::Usage),
        }
    },
};

fn show(ctx: &mut Context<'_>, width: u8, start: u32, count: u32) -> Result<(), CmdError> {
    let per_line = per_line(width);
    let (mut address, mut left) = (start, count);
    while left > 0 {
        let now = left.min(per_line);
        line(ctx, width, address, now)?;
        address = address.wrapping_add(now * u32::from(width));
        left -= now;
        ctx.check_interrupt()?;
    }
    let letter = suffix(width);
    let address = address.wrapping_sub(ctx.base);
    ctx.go_on_with(format_args!("md.{letter} {address:x} {count:x}"));
    Ok(())
}

/// Objects on a line, by their width.
const fn per_line(width: u8) -> u32 {
    LINE >> width.trailing_zeros()
}

const fn suffix(width: u8) -> char {
    match width {
        1 => 'b',
        2 => 'w',
        _ => 'l',
    }
}

/// One line, in U-Boot's format. Every object is read once: it may be a register.
fn line(ctx: &mut Context<'_>, width: u8, address: u32, count: u32) -> Result<(), CmdError> {
    let mut bytes = ArrayVec::<u8, { LINE as usize }>::new();
    write!(ctx.console, "{address:08x}:");
    let digits = usize::from(width) * 2;
    for i in 0..count {
        let address = address.wrapping_add(i * u32::from(width));
        let Some(value) = ctx.memory.peek(address, width) else {
            ctx.console.put(b'\n');
            return Err(CmdError::Access { address, width });
        };
        write!(ctx.console, " {value:0digits$x}");
        // A line has room for its objects.
        let _ = bytes.try_extend_from_slice(value.to_le_bytes().get(..width.into()).unwrap_or_default());
    }
    for _ in count..per_line(width) {
        write!(ctx.console, " {:digits$}", "");
    }
    write!(ctx.console, "  ");
    for byte in bytes {
        ctx.console.put(if matches!(byte, b' '..=b'~') { byte } else { b'.' });
    }
    ctx.console.put(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    /// Memory and expected lines are those of U-Boot's own test, test/print_ut.c.
    fn check(command: &str, expected: &str) {
        let mut board = Board::new();
        let bytes: [u8; 0x12] = core::array::from_fn(|i| if i < 0x11 { (i * 0x11) as u8 } else { 0 });
        board.memory.store(RAM, &bytes);
        assert_eq!(board.run(command), expected);
    }

    #[test]
    fn shows_memory_as_u_boot_does() {
        check(
            "md.b 30000000 12",
            "30000000: 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff  ..\"3DUfw........\n\
             30000010: 10 00                                            ..\n",
        );
        check(
            "md.w 30000000 9",
            "30000000: 1100 3322 5544 7766 9988 bbaa ddcc ffee  ..\"3DUfw........\n\
             30000010: 0010                                     ..\n",
        );
        check(
            "md 0x30000000 5",
            "30000000: 33221100 77665544 bbaa9988 ffeeddcc  ..\"3DUfw........\n\
             30000010: 00000010                             ....\n",
        );
        check("md.l 30000000 1", "30000000: 33221100                             ..\"3\n");
        check("md 30000000 0", "");
    }

    #[test]
    fn shows_64_objects_unless_told() {
        assert_eq!(Board::new().run("md 30000000").lines().count(), 16);
        assert_eq!(Board::new().run("md.b 30000000").lines().count(), 4);
    }

    #[test]
    fn says_where_it_cannot_look() {
        let error = "nothing is mapped, it belongs to the loader, or it is unaligned\n";
        let expected = std::format!("30000001:\nERROR: no access to 30000001 by 4 bytes: {error}");
        check("md 30000001", &expected);
        let expected = std::format!("30fffffc: 00000000\nERROR: no access to 31000000 by 4 bytes: {error}");
        check("md 30fffffc 2", &expected);
        let usage = "md - memory display\n\nUsage:\nmd [.b, .w, .l] address [# of objects]\n";
        for line in ["md", "md.q 0", "md 0 1 2", "md.b"] {
            check(line, usage);
        }
    }

    #[test]
    fn stops_at_ctrl_c() {
        let mut board = Board::new();
        board.serial.input.push_back(3);
        let line = "30000000: 00000000 00000000 00000000 00000000  ................\n";
        assert_eq!(board.run("md 30000000 1000"), std::format!("{line}<INTERRUPT>\n"));
    }
}
