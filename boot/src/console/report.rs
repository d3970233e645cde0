//! Why the board is at the prompt: the hand-over record in plain words.

use super::Console;
use super::autoboot::Before;
use crate::handover::{Handover, Outcome};
use platform::hal::Geometry;

/// Tells what stage1 did, and what that means for autoboot: `None` when the kernel slots have been
/// tried in vain.
pub fn show(console: &mut Console<'_>, geometry: &Geometry, record: Option<&Handover>) -> Option<Before> {
    let Some(record) = record else {
        writeln!(console, "Not started by stage1: no hand-over record.");
        return Some(Before::Nothing);
    };
    // stage1 has left in the port what it took for a key.
    let key = record.key && console.clean_key_waiting();
    if key {
        writeln!(console, "stage1 came here because a key was pressed.");
    } else if record.key {
        writeln!(console, "stage1 came here because of noise on the console's line.");
    }
    for (slot, outcome) in ["A", "B"].into_iter().zip(record.kernel) {
        if let Some((what, advice)) = explain(outcome) {
            writeln!(console, "Kernel slot {slot}: {what}. {advice}.");
        }
    }
    if let Some((what, advice)) = explain(record.stage2) {
        writeln!(console, "stage2: {what}. {advice}.");
    }
    show_page(console, geometry, record.uncorrectable_page);
    if record.corrected != 0 {
        writeln!(console, "Bitflips corrected so far: {}.", record.corrected);
    }
    if record.bad_blocks != 0 {
        writeln!(console, "Bad blocks skipped so far: {}.", record.bad_blocks);
    }
    let failed = |outcome| explain(outcome).is_some() || outcome == Outcome::NoSlot;
    if key {
        Some(Before::Key)
    } else if record.kernel.contains(&Outcome::Kind) {
        writeln!(console, "Booting it from here. Any key stops this.");
        Some(Before::Kernel)
    } else if record.kernel.into_iter().all(failed) {
        writeln!(console, "No kernel slot boots.");
        None
    } else {
        Some(Before::Nothing)
    }
}

/// Where the last uncorrectable page is, if there was one.
fn show_page(console: &mut Console<'_>, geometry: &Geometry, page: u32) {
    if page == 0 {
        return;
    }
    let block = page.checked_div(geometry.pages_per_block);
    if let (Some(block), Some(offset)) = (block, page.checked_mul(geometry.page)) {
        writeln!(
            console,
            "Last page that ECC could not correct: {page:#x}, in erase block {block:#x}, offset {offset:#010x}."
        );
    }
}

/// What happened, and what to do about it; `None` for what is not worth a line.
fn explain(outcome: Outcome) -> Option<(&'static str, &'static str)> {
    const WRITE: &str = "Write the image anew";
    Some(match outcome {
        Outcome::NotTried | Outcome::Loaded | Outcome::NoSlot => return None,
        Outcome::NoHeader => ("no image there", "Write a uImage to it"),
        Outcome::HeaderCrc => ("the image header is damaged (header CRC)", WRITE),
        Outcome::Length => ("the length in the header is 0 or larger than the slot", "Write a smaller image"),
        Outcome::Kind => ("a kind of image that needs stage2, such as a compressed one", "'boot' boots it"),
        Outcome::Address => (
            "its load address or entry point is not in free RAM, or unaligned",
            "Pack it with other addresses; see 'bdinfo' for what belongs to the loader",
        ),
        Outcome::Uncorrectable => ("too many bitflips for ECC", WRITE),
        Outcome::DataCrc => ("the image is damaged (data CRC)", WRITE),
        Outcome::Timeout => ("the NAND chip stayed busy", "Check the chip with 'nand info'"),
        Outcome::BadBlocks => {
            ("too many bad blocks in the slot", "See 'nand bad'; write a smaller image or move the slot")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;
    use platform::hal::Nand;

    const RECORD: Handover = Handover {
        key: false,
        kernel: [Outcome::NotTried; 2],
        stage2: Outcome::Loaded,
        corrected: 0,
        uncorrectable_page: 0,
        bad_blocks: 0,
    };

    #[track_caller]
    fn check(record: Option<Handover>, keys: &[u8], text: &str, before: Option<Before>) {
        let mut board = Board::new();
        board.serial.input.extend(keys);
        let geometry = board.nand.geometry();
        let result = show(&mut Console::new(&mut board.serial, &mut board.keys), &geometry, record.as_ref());
        assert_eq!((board.output().as_str(), result), (text, before));
    }

    #[test]
    fn tells_why() {
        check(None, b"", "Not started by stage1: no hand-over record.\n", Some(Before::Nothing));
        let key = Handover { key: true, ..RECORD };
        let text = "stage1 came here because a key was pressed.\n";
        check(Some(key), b"\xff\r", text, Some(Before::Key));
        let text = "stage1 came here because of noise on the console's line.\n";
        check(Some(key), b"\xff\0", text, Some(Before::Nothing));
        let no_slots = Handover { kernel: [Outcome::NoSlot; 2], ..RECORD };
        check(Some(no_slots), b"", "No kernel slot boots.\n", None);
        let failed = Handover {
            kernel: [Outcome::Uncorrectable, Outcome::DataCrc],
            corrected: 7,
            uncorrectable_page: 0x123,
            bad_blocks: 2,
            ..RECORD
        };
        let text = "\
Kernel slot A: too many bitflips for ECC. Write the image anew.
Kernel slot B: the image is damaged (data CRC). Write the image anew.
Last page that ECC could not correct: 0x123, in erase block 0x4, offset 0x00091800.
Bitflips corrected so far: 7.
Bad blocks skipped so far: 2.
No kernel slot boots.
";
        check(Some(failed), b"", text, None);
    }

    #[test]
    fn boots_what_stage1_leaves_to_it_unless_a_key_was_pressed() {
        let text = "\
Kernel slot A: a kind of image that needs stage2, such as a compressed one. 'boot' boots it.\n";
        let kind = Handover { kernel: [Outcome::Kind, Outcome::NotTried], ..RECORD };
        let boots = std::format!("{text}Booting it from here. Any key stops this.\n");
        check(Some(kind), b"", &boots, Some(Before::Kernel));
        let key = std::format!("stage1 came here because a key was pressed.\n{text}");
        check(Some(Handover { key: true, ..kind }), b"x", &key, Some(Before::Key));
    }

    #[test]
    fn every_failure_has_words() {
        for code in 3..=11 {
            let outcome = Outcome::from_code(code).unwrap();
            assert!(explain(outcome).is_some(), "{outcome:?}");
        }
    }

    #[test]
    fn a_record_full_of_nonsense_is_harmless() {
        let wild = Handover {
            kernel: [Outcome::Uncorrectable; 2],
            uncorrectable_page: 0,
            corrected: u32::MAX,
            ..RECORD
        };
        let text = "\
Kernel slot A: too many bitflips for ECC. Write the image anew.
Kernel slot B: too many bitflips for ECC. Write the image anew.
Bitflips corrected so far: 4294967295.
No kernel slot boots.
";
        check(Some(wild), b"", text, None);
    }
}
