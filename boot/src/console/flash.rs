//! What there is to say about the flash descriptor at start: nothing, if all is well.

use super::Console;
use crate::descriptor::DescriptorError;
use crate::nand::partitions::{Looked, Unusable};

/// Tells what a look at the chip has come to, and what to do about it.
pub fn tell(console: &mut Console<'_>, looked: &Looked) {
    const MISSING: Result<u32, Unusable> = Err(Unusable::Descriptor(DescriptorError::Missing));
    let Looked { copies, differ, table } = looked;
    for (number, copy) in (1..).zip(copies) {
        match copy {
            Ok(0) => {}
            Ok(flips) => writeln!(console, "Flash descriptor, copy {number}: {flips} bitflips corrected."),
            Err(_) if *copies == [MISSING; 2] => {}
            Err(error) => writeln!(console, "Flash descriptor, copy {number}: {error}."),
        }
    }
    match copies {
        [Ok(_), Ok(_)] if *differ => writeln!(console, "Flash descriptor: its copies differ; copy 1 counts."),
        [Ok(_), Ok(_)] => return,
        [Ok(_), Err(_)] => writeln!(console, "Flash descriptor: copy 1 is used."),
        [Err(_), Ok(_)] => writeln!(console, "Flash descriptor: copy 2 is used."),
        [Err(_), Err(_)] => {
            let kind = if *copies == [MISSING; 2] { "No" } else { "No good" };
            write!(console, "{kind} flash descriptor in block 0");
            match table {
                Ok(()) => writeln!(console, ": the partitions are the slots of the boot table."),
                Err(_) => writeln!(console, ", and no boot table: there are no partitions."),
            }
        }
    }
    writeln!(console, "Write block 0 from an image that 'stone nand' has made.");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::descriptor;
    use crate::mock::Board;
    use crate::nand::partitions::Partitions;

    fn check(change: impl FnOnce(&mut Board), expected: &str) {
        let mut board = Board::new();
        board.write_boot_table("");
        board.write_descriptor(&descriptor());
        change(&mut board);
        let looked = Partitions::new().load(&mut board.nand);
        tell(&mut Console::new(&mut board.serial, &mut board.keys), &looked);
        assert_eq!(board.output(), expected);
    }

    #[test]
    fn is_silent_when_all_is_well() {
        check(|_| (), "");
        check(|board| board.nand.flip(63, 3, 0), "Flash descriptor, copy 2: 1 bitflips corrected.\n");
    }

    #[test]
    fn says_which_copy_is_used() {
        let mut other = descriptor();
        other.bad.clear();
        let differ = "Flash descriptor: its copies differ; copy 1 counts.\n\
                      Write block 0 from an image that 'stone nand' has made.\n";
        check(|board| board.nand.write(63, &other.to_bytes().unwrap()), differ);
        let first = "Flash descriptor, copy 1: none: expected the magic SSFD.\n\
                     Flash descriptor: copy 2 is used.\n\
                     Write block 0 from an image that 'stone nand' has made.\n";
        check(|board| board.nand.write(32, &[]), first);
        let mut record = descriptor().to_bytes().unwrap();
        record[0x60] ^= 1;
        let stored = u32::from_le_bytes(*record.last_chunk().unwrap());
        let computed = crate::crc::crc32(&record[..record.len() - 4]);
        let second = std::format!(
            "Flash descriptor, copy 2: CRC is wrong, expected {computed:#010x}, found {stored:#010x}.\n\
             Flash descriptor: copy 1 is used.\n\
             Write block 0 from an image that 'stone nand' has made.\n"
        );
        check(|board| board.nand.write(63, &record), &second);
    }

    #[test]
    fn says_what_serves_instead() {
        let none = "No flash descriptor in block 0: the partitions are the slots of the boot table.\n\
                    Write block 0 from an image that 'stone nand' has made.\n";
        check(
            |board| {
                board.nand.erase_all();
                board.write_boot_table("");
            },
            none,
        );
        let damaged = |board: &mut Board| {
            for bit in [0, 1] {
                board.nand.flip(32, 7, bit);
            }
            board.nand.write(63, &[]);
        };
        let expected = "Flash descriptor, copy 1: page 0x20 has more bitflips in ECC step 0 than ECC can \
                        correct; look with 'nand dump', use another copy or write it anew.\n\
                        Flash descriptor, copy 2: none: expected the magic SSFD.\n\
                        No good flash descriptor in block 0: the partitions are the slots of the boot table.\n\
                        Write block 0 from an image that 'stone nand' has made.\n";
        check(damaged, expected);
    }
}
