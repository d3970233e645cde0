//! `saveenv`, `env save`

use super::place;
use crate::cmd::nand::live::block_bytes;
use crate::cmd::{CmdError, Command, Context};
use crate::console::Console;
use crate::env::store::{self, Progress};
use crate::nand::NandError;
use crate::nand::write::{Event, Watch};

pub const CMD: Command = Command {
    name: "saveenv",
    usage: "",
    help: "save environment variables to persistent storage",
    run: |ctx, args| if args.is_empty() { save(ctx) } else { Err(CmdError::Usage) },
};

fn save(ctx: &mut Context<'_>) -> Result<(), CmdError> {
    let (place, block_bytes) = (place(ctx)?, block_bytes(ctx));
    write!(ctx.console, "Saving Environment to NAND... ");
    let mut saving = Saving { console: &mut ctx.console, block_bytes, copy: None };
    match store::save(ctx.nand, &place, &ctx.state.env, &mut saving) {
        Ok(()) => {
            writeln!(ctx.console, "OK\nOK");
            Ok(())
        }
        Err(error) => {
            writeln!(ctx.console, "FAILED!");
            Err(error.into())
        }
    }
}

/// What U-Boot calls the copies.
pub const NAMES: [&str; store::COPIES] = ["NAND", "redundant NAND"];

/// Shows a save as U-Boot does. Nothing breaks it off.
struct Saving<'a, 'b> {
    console: &'a mut Console<'b>,
    block_bytes: u32,
    copy: Option<usize>,
}

impl Saving<'_, '_> {
    fn name(&self) -> &'static str {
        self.copy.and_then(|copy| NAMES.get(copy)).copied().unwrap_or_default()
    }
}

impl Progress for Saving<'_, '_> {
    fn begin(&mut self, copy: usize) {
        if self.copy.replace(copy).is_some() {
            let number = copy + 1;
            writeln!(self.console, "OK\nCopy {number} has bitflips, so it is written anew as well.");
        }
        let name = self.name();
        writeln!(self.console, "Erasing {name}...");
    }
}

impl Watch for Saving<'_, '_> {
    fn tell(&mut self, event: Event) {
        let name = self.name();
        let offset = |block: platform::units::EraseBlock| block.0.saturating_mul(self.block_bytes);
        match event {
            Event::Skipped(block) => {
                let offset = offset(block);
                writeln!(self.console, "Skipping bad block at  {offset:#010x}");
            }
            Event::Erased { block, .. } => {
                let offset = offset(block);
                write!(self.console, "Erasing at {offset:#x} -- 100% complete.\nWriting to {name}... ");
            }
            Event::Failed(block, error) => {
                let offset = offset(block);
                let (line, what) = match error {
                    NandError::ProgramFailed { .. } => ("\n", "programmed"),
                    _ => ("", "erased"),
                };
                writeln!(
                    self.console,
                    "{line}Block {offset:#010x} could not be {what}: it is marked bad now, the copy goes to \
                     the next good one"
                );
            }
        }
    }

    fn idle(&mut self) {
        self.console.key_waiting();
    }

    fn stopped(&mut self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::cmd::env::board;
    use crate::mock::{BLOCK, Board};
    use crate::nand::bad::is_bad;
    use platform::units::EraseBlock;
    use std::string::String;

    fn saved(which: &str, block: u32) -> String {
        let at = block * BLOCK;
        std::format!(
            "Saving Environment to NAND... Erasing {which}...\nErasing at {at:#x} -- 100% complete.\nWriting \
             to {which}... OK\nOK\n"
        )
    }

    #[test]
    fn saves_in_turns() {
        let mut board = board();
        assert_eq!(board.run("setenv a 1; saveenv"), saved("NAND", 4));
        assert_eq!(board.run("setenv a 2; env save"), saved("redundant NAND", 6));
        assert_eq!(board.run("setenv a 3; saveenv"), saved("NAND", 4));
        assert_eq!(board.run("setenv a; env load; printenv a"), "Loading Environment from NAND... OK\na=3\n");
        assert!(board.run("saveenv now").starts_with("saveenv - save environment"));
    }

    #[test]
    fn says_what_was_skipped_and_what_failed() {
        let mut board = board();
        board.nand.mark_bad(6);
        board.nand.fail_program.insert(4 * 64 + 3);
        let expected = "\
Saving Environment to NAND... Erasing NAND...
Erasing at 0x80000 -- 100% complete.
Writing to NAND... 
Block 0x00080000 could not be programmed: it is marked bad now, the copy goes to the next good one
Erasing at 0xa0000 -- 100% complete.
Writing to NAND... OK
OK
";
        assert_eq!(board.run("saveenv"), expected);
        assert_eq!(is_bad(&mut board.nand, EraseBlock(4)), Ok(true));
        let output = board.run("saveenv");
        assert!(
            output.contains("Erasing redundant NAND...\nSkipping bad block at  0x000c0000\n"),
            "{output}"
        );
        board.nand.fail_erase.insert(5);
        let output = board.run("saveenv; echo $?");
        let error = "Erasing NAND...\nSkipping bad block at  0x00080000\nFAILED!\nERROR: block 0x5, the last good \
                     one of copy 1, has failed; what was saved before stays.";
        assert!(output.contains(error) && output.ends_with("\n1\n"), "{output}");
        assert_eq!(is_bad(&mut board.nand, EraseBlock(5)), Ok(false));
    }

    #[test]
    fn needs_a_place() {
        let error = "ERROR: there is no boot table in block 0; write stage1 anew\n";
        assert_eq!(Board::new().run("saveenv"), error);
        let mut board = board();
        board.nand.protected = true;
        assert!(board.run("saveenv").contains("FAILED!\nERROR: the NAND chip is write-protected"));
    }

    #[test]
    fn a_copy_with_bitflips_is_written_anew() {
        let mut board = board();
        board.run("setenv a 1; saveenv");
        board.nand.flip(4 * 64 + 7, 100, 2);
        let expected = "\
Saving Environment to NAND... Erasing redundant NAND...
Erasing at 0xc0000 -- 100% complete.
Writing to redundant NAND... OK
Copy 1 has bitflips, so it is written anew as well.
Erasing NAND...
Erasing at 0x80000 -- 100% complete.
Writing to NAND... OK
OK
";
        assert_eq!(board.run("setenv a 2; saveenv"), expected);
        assert_eq!(board.run("saveenv"), saved("redundant NAND", 6));
    }
}
