//! `nand info`

use super::found::{Found, Id};
use super::place;
use crate::cmd::{CmdError, Context, Size};
use crate::decimal::Decimal;
use crate::nand::chip_bytes;
use crate::nand::ecc::Layout;
use crate::nand::sheet::{Clock, Fields};

pub fn run(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    show_chip(ctx);
    match Found::look(ctx) {
        Ok(found) => show_part(ctx, &found),
        Err(_) => writeln!(ctx.console, "  chip id     none: the chip stays busy after a reset"),
    }
    list_partitions(ctx)
}

/// How the chip is organised.
pub fn show_chip(ctx: &mut Context<'_>) {
    let geometry = ctx.nand.geometry();
    let block = geometry.page.saturating_mul(geometry.pages_per_block);
    let out = &mut ctx.console;
    writeln!(out, "\nDevice 0: nand0, sector size {} KiB", block / 1024);
    writeln!(out, "  Page size   {:8} b", geometry.page);
    writeln!(out, "  OOB size    {:8} b", geometry.oob);
    writeln!(out, "  Erase size  {block:8} b");
    if let Some(layout) = Layout::of_format(&ctx.nand.format()) {
        writeln!(out, "  ecc strength {:8} bits", layout.codec.strength());
        writeln!(out, "  ecc step size {:8} b", layout.codec.step());
    }
    writeln!(out, "  chip size   {}", Size(chip_bytes(&geometry)));
}

/// Which part it is, and how fast that is read.
fn show_part(ctx: &mut Context<'_>, found: &Found) {
    let out = &mut ctx.console;
    writeln!(out, "  chip id     {}", Id(found.id));
    writeln!(out, "  part        {found}");
    writeln!(out, "  bus clock   {}", Clock(found.bus.clock));
    writeln!(out, "  timing      {}", Fields(&found.bus));
    let page_ps = found.cached_ps().unwrap_or(found.pio_ps());
    let (us, rate) = (Decimal::us(page_ps), Decimal::mb_per_s(found.page().bytes_per_s(page_ps)));
    writeln!(out, "  page read   {us} us, {rate} MB/s expected; 'nand bench' measures");
}

fn list_partitions(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    place::layout(ctx)?;
    let layout = &ctx.state.layout;
    for partition in &layout.list {
        let (range, name) = (layout.range(partition), &partition.name);
        let (start, end) = (range.start, range.end.saturating_sub(1));
        writeln!(ctx.console, "  {name:<11} {start:#010x} - {end:#010x} ({} blocks)", partition.blocks);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::descriptor::tests::descriptor;
    use crate::mock::Board;

    const CHIP: &str = "
Device 0: nand0, sector size 128 KiB
  Page size       2048 b
  OOB size          64 b
  Erase size    131072 b
  ecc strength        1 bits
  ecc step size      256 b
  chip size   8 MiB
";
    const PART: &str = "\
\x20 chip id     ec aa 10 15 44
  part        K5D2G13ACM; the same id has K9F2G08R0A
  bus clock   133.33 MHz (7.50 ns)
  timing      TACLS = 0 (0.0 ns) TWRPH0 = 3 (30.0 ns) TWRPH1 = 1 (15.0 ns)
  page read   126.43 us, 16.199 MB/s expected; 'nand bench' measures
";

    #[test]
    fn shows_the_chip_and_its_slots() {
        let mut board = Board::new();
        board.write_boot_table("");
        let slots = "\
\x20 kernel-a    0x00100000 - 0x0017ffff (4 blocks)
  kernel-b    0x00180000 - 0x001fffff (4 blocks)
  stage2-1    0x00020000 - 0x0007ffff (3 blocks)
";
        assert_eq!(board.run("nand info"), std::format!("{CHIP}{PART}{slots}"));
    }

    #[test]
    fn shows_the_partitions_of_the_descriptor() {
        let mut board = Board::new();
        board.write_boot_table("");
        board.write_descriptor(&descriptor());
        let expected = "\
\x20 boot        0x00000000 - 0x0001ffff (1 blocks)
  stage2-1    0x00020000 - 0x0007ffff (3 blocks)
  env         0x00080000 - 0x000bffff (2 blocks)
  kernel-a    0x00100000 - 0x0017ffff (4 blocks)
  kernel-b    0x00180000 - 0x001fffff (4 blocks)
  rootfs      0x00200000 - 0x007fffff (48 blocks)
";
        assert_eq!(board.run("nand info"), std::format!("{CHIP}{PART}{expected}"));
    }

    #[test]
    fn shows_what_it_can() {
        let blank = "ERROR: there is no boot table in block 0; write stage1 anew\n";
        assert_eq!(Board::new().run("nand info"), std::format!("{CHIP}{PART}{blank}"));
        let mut board = Board::new();
        board.nand.stuck = true;
        let busy = "  chip id     none: the chip stays busy after a reset\n\
                    ERROR: the NAND chip stays busy on page 0x0; try 'reset', then check its R/nB line\n";
        assert_eq!(board.run("nand info"), std::format!("{CHIP}{busy}"));
    }
}
