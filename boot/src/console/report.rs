//! Why the board is at the prompt: the hand-over record in plain words.

use super::Console;
use crate::handover::{Handover, Outcome};
use platform::hal::Geometry;

/// Tells what stage1 did; returns whether stage1 wants stage2 to boot a kernel that
/// it could not boot itself.
pub fn show(console: &mut Console<'_>, geometry: &Geometry, record: Option<&Handover>) -> bool {
    let Some(record) = record else {
        writeln!(console, "Not started by stage1: no hand-over record.");
        return false;
    };
    if record.key {
        writeln!(console, "stage1 came here because a key was pressed.");
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
    let boots = !record.key && record.kernel.contains(&Outcome::Kind);
    if boots {
        writeln!(console, "Booting it from here. Any key stops this.");
    }
    boots
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

    fn check(record: Option<Handover>, text: &str, boots: bool) {
        let mut board = Board::new();
        let geometry = board.nand.geometry();
        let result = show(&mut Console::new(&mut board.serial, &mut board.keys), &geometry, record.as_ref());
        assert_eq!((board.output().as_str(), result), (text, boots));
    }

    #[test]
    fn tells_why() {
        check(None, "Not started by stage1: no hand-over record.\n", false);
        let key = Handover { key: true, ..RECORD };
        check(Some(key), "stage1 came here because a key was pressed.\n", false);
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
";
        check(Some(failed), text, false);
    }

    #[test]
    fn boots_what_stage1_leaves_to_it_unless_a_key_was_pressed() {
        let text = "\
Kernel slot A: a kind of image that needs stage2, such as a compressed one. 'boot' boots it.\n";
        let kind = Handover { kernel: [Outcome::Kind, Outcome::NotTried], ..RECORD };
        let boots = std::format!("{text}Booting it from here. Any key stops this.\n");
        check(Some(kind), &boots, true);
        let key = std::format!("stage1 came here because a key was pressed.\n{text}");
        check(Some(Handover { key: true, ..kind }), &key, false);
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
";
        check(Some(wild), text, false);
    }
}
