//! `nand dump`

use crate::cmd::{CmdError, Context};
use crate::nand::chip_bytes;
use crate::nand::page::PageBuffer;
use platform::units::Page;

/// Shows the page at `offset` as the chip holds it, without correction.
pub fn run(ctx: &mut Context<'_>, offset: u32, with_data: bool) -> Result<(), CmdError> {
    let geometry = ctx.nand.geometry();
    let chip = chip_bytes(&geometry);
    if offset >= chip {
        return Err(CmdError::BeyondChip { offset, chip });
    }
    let page = Page(offset / geometry.page);
    let start = page.0 * geometry.page;
    let mut buffer = PageBuffer::new();
    let (data, oob) = buffer.read_raw(ctx.nand, page)?;
    writeln!(ctx.console, "Page {start:08x} dump:");
    if with_data {
        for line in data.chunks(16) {
            let (left, right) = line.split_at(line.len() / 2);
            ctx.console.put(b'\t');
            bytes(ctx, left);
            write!(ctx.console, "  ");
            bytes(ctx, right);
            ctx.console.put(b'\n');
            ctx.check_interrupt()?;
        }
    }
    writeln!(ctx.console, "OOB:");
    for line in oob.chunks(8) {
        ctx.console.put(b'\t');
        bytes(ctx, line);
        ctx.console.put(b'\n');
    }
    let suffix = if with_data { "" } else { ".oob" };
    let next = start.saturating_add(geometry.page);
    ctx.go_on_with(format_args!("nand dump{suffix} {next:x}"));
    Ok(())
}

fn bytes(ctx: &mut Context<'_>, bytes: &[u8]) {
    for (i, byte) in bytes.iter().enumerate() {
        write!(ctx.console, "{}{byte:02x}", if i == 0 { "" } else { " " });
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    const OOB: &str = "\
OOB:
\tff ff ff ff ff ff ff ff
\tff ff ff ff ff ff ff ff
\tff ff ff ff ff ff ff ff
\tff ff ff ff ff ff ff ff
\tff ff ff ff ff ff ff ff
\taa aa aa ff ff ff ff ff
\tff ff ff ff ff ff ff ff
\tff ff ff ff ff ff ff ff
";

    fn board() -> Board {
        let mut board = Board::new();
        board.nand.write(65, &[0xfe]);
        board
    }

    #[test]
    fn shows_data_and_oob_as_they_are() {
        let mut board = board();
        board.nand.flip(65, 1, 0);
        let output = board.run("nand dump 20800");
        assert!(output.starts_with(
            "Page 00020800 dump:\n\
             \tfe fe ff ff ff ff ff ff  ff ff ff ff ff ff ff ff\n\
             \tff ff ff ff ff ff ff ff  ff ff ff ff ff ff ff ff\n"
        ));
        assert_eq!(output.lines().count(), 1 + 128 + 9);
        assert!(output.ends_with(OOB));
    }

    #[test]
    fn shows_the_page_around_an_offset_and_goes_on() {
        let mut board = board();
        let expected = std::format!("Page 00020800 dump:\n{OOB}");
        assert_eq!(board.run("nand dump.oob 20fff"), expected);
        let again = board.with(|ctx| {
            crate::console::shell::execute(ctx, "nand dump.oob 20000");
            ctx.again
        });
        assert_eq!(&again, "nand dump.oob 20800");
    }

    #[test]
    fn stays_in_the_chip() {
        let expected = "ERROR: offset 0x800000 is beyond the chip, which ends at 0x800000\n";
        assert_eq!(board().run("nand dump 800000"), expected);
        assert!(board().run("nand dump 7fffff").starts_with("Page 007ff800 dump:\n"));
    }
}
