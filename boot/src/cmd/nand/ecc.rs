//! `nand ecc`

use crate::cmd::{CmdError, Context};
use crate::nand::chip_bytes;
use crate::nand::ecc::{Guess, guess};
use crate::nand::page::PageBuffer;
use platform::units::Page;

/// Says of `count` pages from the one at `offset` on in which ECC layout they are written, and
/// what it corrects. The chip is left as it is.
pub fn run(ctx: &mut Context<'_>, offset: u32, count: u32) -> Result<(), CmdError> {
    let geometry = ctx.nand.geometry();
    let chip = chip_bytes(&geometry);
    if offset >= chip {
        return Err(CmdError::BeyondChip { offset, chip });
    }
    let mut buffer = PageBuffer::new();
    let first = offset / geometry.page;
    let end = first.saturating_add(count).min(chip / geometry.page);
    for page in first..end {
        let (data, oob) = buffer.read_raw(ctx.nand, Page(page))?;
        write!(ctx.console, "Page {:08x}: ", page * geometry.page);
        show(ctx, &guess(data, oob));
        ctx.check_interrupt()?;
    }
    ctx.go_on_with(format_args!("nand ecc {:x} {count:x}", end.saturating_mul(geometry.page)));
    Ok(())
}

fn show(ctx: &mut Context<'_>, guess: &Guess) {
    match guess {
        Guess::Erased(stats) => writeln!(ctx.console, "{stats}"),
        Guess::Unknown => writeln!(ctx.console, "no layout known here"),
        Guess::Written(alike) => {
            for (number, (layout, _)) in alike.iter().enumerate() {
                write!(ctx.console, "{}{}", if number == 0 { "" } else { " or " }, layout.name);
            }
            // They differ in nothing that is shown but, perhaps, in where the bits are.
            alike.first().inspect(|(_, stats)| writeln!(ctx.console, ", {stats}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;
    use crate::nand::ecc::Layout;
    use crate::nand::page::{DATA, OOB};

    /// Bytes whose codes tell their order.
    fn data() -> [u8; DATA] {
        core::array::from_fn(|i| (i * i / 7 + i) as u8)
    }

    fn board() -> Board {
        let mut board = Board::new();
        board.nand.write(64, &data());
        let mut oob = [0xff; OOB];
        Layout::find("sw-hamming").unwrap().encode(&data(), &mut oob);
        board.nand.write_raw(65, &data(), &oob);
        board.nand.write_raw(66, &data(), &[0xff; OOB]);
        board.nand.write(68, &[0; DATA]);
        board
    }

    #[test]
    fn names_layouts_and_counts_bits() {
        let mut board = board();
        let expected = "\
Page 00020000: s3c24xx-hw, clean
Page 00020800: sw-hamming, clean
Page 00021000: no layout known here
Page 00021800: erased
Page 00022000: s3c24xx-hw or sw-hamming or sw-hamming-smc or s3c2440-wince, clean
";
        assert_eq!(board.run("nand ecc 20000 5"), expected);
        for page in 64..68 {
            board.nand.flip(page, 3 * 256 + 9, 4);
        }
        board.nand.flip(64, 7, 0);
        board.nand.flip(65, 3 * 256, 0);
        let expected = "\
Page 00020000: s3c24xx-hw, 2 bitflips corrected in steps 0 3
Page 00020800: sw-hamming, uncorrectable in step 3
Page 00021000: no layout known here
Page 00021800: erased, 1 bitflip corrected in step 3
";
        assert_eq!(board.run("nand ecc 20000 4"), expected);
    }

    #[test]
    fn goes_on_and_stays_in_the_chip() {
        let mut board = board();
        let again = board.with(|ctx| {
            crate::console::shell::execute(ctx, "nand ecc 207ff");
            ctx.again
        });
        assert_eq!(&again, "nand ecc 20800 1");
        assert_eq!(board.output(), "Page 00020000: s3c24xx-hw, clean\n");
        assert_eq!(board.run("nand ecc 7ff000 ffffffff"), "Page 007ff000: erased\nPage 007ff800: erased\n");
        let beyond = "ERROR: offset 0x800000 is beyond the chip, which ends at 0x800000\n";
        assert_eq!(board.run("nand ecc 800000"), beyond);
        board.serial.input.push_back(3);
        assert_eq!(board.run("nand ecc 0 2"), "Page 00000000: erased\n<INTERRUPT>\n");
    }
}
