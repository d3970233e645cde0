//! What the console shows while the chip is written.

use crate::cmd::{CmdError, Context};
use crate::console::Console;
use crate::nand::NandError;
use crate::nand::write::{Event, Watch};
use platform::units::EraseBlock;

/// Shows events as U-Boot does, keeps the port from overflowing and looks for Ctrl-C.
pub struct Live<'a, 'b> {
    console: &'a mut Console<'b>,
    block_bytes: u32,
    /// What is said of a bad block.
    skipping: &'static str,
    /// Tenths of the work that have been shown, on a line that is not ended.
    tenths: Option<u32>,
}

impl<'a, 'b> Live<'a, 'b> {
    pub const fn new(console: &'a mut Console<'b>, block_bytes: u32, skipping: &'static str) -> Self {
        Self { console, block_bytes, skipping, tenths: None }
    }

    /// Ends the line of the progress shown.
    pub fn end_line(&mut self) {
        if self.tenths.take().is_some() {
            self.console.put(b'\n');
        }
    }

    const fn offset(&self, block: EraseBlock) -> u32 {
        block.0.saturating_mul(self.block_bytes)
    }
}

impl Watch for Live<'_, '_> {
    fn tell(&mut self, event: Event) {
        match event {
            Event::Skipped(block) => {
                self.end_line();
                let (skipping, offset) = (self.skipping, self.offset(block));
                writeln!(self.console, "{skipping} {offset:#010x}");
            }
            Event::Failed(block, error) => {
                self.end_line();
                let offset = self.offset(block);
                match error {
                    NandError::ProgramFailed { page } => writeln!(
                        self.console,
                        "Page {:#x} could not be programmed: block {offset:#010x} is marked bad now, \
                         its data goes to the next good one",
                        page.0
                    ),
                    _ => writeln!(
                        self.console,
                        "Block {offset:#010x} could not be erased: it is marked bad now"
                    ),
                }
            }
            Event::Erased { block, done, all } => {
                let tenths = (u64::from(done) * 10 / u64::from(all.max(1))) as u32;
                if self.tenths != Some(tenths) {
                    let (offset, percent) =
                        (self.offset(block), u64::from(done) * 100 / u64::from(all.max(1)));
                    write!(self.console, "\rErasing at {offset:#x} -- {percent:3}% complete.");
                    self.tenths = Some(tenths);
                }
            }
        }
    }

    fn idle(&mut self) {
        self.console.key_waiting();
    }

    fn stopped(&mut self) -> bool {
        self.console.interrupted()
    }
}

/// Bytes of data in an erase block.
pub fn block_bytes(ctx: &Context<'_>) -> u32 {
    let geometry = ctx.nand.geometry();
    geometry.page.saturating_mul(geometry.pages_per_block)
}

/// The erase blocks of a range that is to be changed as a whole.
pub fn blocks(ctx: &Context<'_>, range: &core::ops::Range<u32>) -> Result<core::ops::Range<u32>, CmdError> {
    let unit = block_bytes(ctx);
    if !range.start.is_multiple_of(unit) {
        return Err(NandError::Unaligned { offset: range.start, unit }.into());
    }
    Ok(range.start / unit..range.end.div_ceil(unit))
}
