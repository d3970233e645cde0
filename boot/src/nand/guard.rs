//! What would be lost if blocks were erased or marked bad: the first stage, a second stage, the
//! last kernel that boots.

use super::NandError;
use super::slots::{self, read_record};
use super::walk::Walk;
use super::write::check_erased;
use crate::boot_table::{BootTable, Slot};
use crate::crc::crc32;
use crate::image::uimage::{HEADER, Header};
use arrayvec::ArrayVec;
use core::fmt;
use core::ops::Range;
use platform::hal::Nand;
use platform::units::Page;

/// Something that is hard to get back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Block 0, without which the board does not start.
    Stage1,
    /// A copy of stage2, in this slot.
    Stage2(&'static str),
    /// The kernel in this slot, when no other is sound.
    Kernel(&'static str),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stage1 => write!(f, "stage1 and the boot table, without which the board does not start"),
            Self::Stage2(slot) => write!(f, "the console in {slot}"),
            Self::Kernel(slot) => write!(f, "the kernel in {slot}, the last good one"),
        }
    }
}

/// All that there can be: stage1, two copies of stage2, two kernels.
pub type Losses = ArrayVec<Loss, 5>;

/// What is lost when these blocks are. What is erased or damaged already is not lost any more.
///
/// # Errors
/// The chip stays busy.
pub fn losses(nand: &mut dyn Nand, blocks: Range<u32>) -> Result<Losses, NandError> {
    let mut losses = Losses::new();
    if blocks.start == 0 && !blocks.is_empty() && check_erased(nand, Page(0)).is_err() {
        losses.push(Loss::Stage1);
    }
    let Ok(record) = read_record(nand) else { return Ok(losses) };
    let Ok(table) = BootTable::parse(&record, crc32) else { return Ok(losses) };
    let hit = |slot: Slot| {
        let (start, end) = (u32::from(slot.start), u32::from(slot.start) + u32::from(slot.blocks));
        start < blocks.end && blocks.start < end
    };
    let (kernels, stages) = slots::named(&table).into_iter().partition::<ArrayVec<_, 4>, _>(is_kernel);
    for (name, slot) in stages.into_iter().filter(|(_, slot)| hit(*slot)) {
        if sound(nand, slot, Part::Header)? {
            losses.push(Loss::Stage2(name));
        }
    }
    let (hit, spared) = kernels.into_iter().partition::<ArrayVec<_, 4>, _>(|(_, slot)| hit(*slot));
    for (_, slot) in spared {
        if !hit.is_empty() && sound(nand, slot, Part::All)? {
            return Ok(losses);
        }
    }
    for (name, slot) in hit {
        if sound(nand, slot, Part::All)? {
            losses.push(Loss::Kernel(name));
        }
    }
    Ok(losses)
}

fn is_kernel((name, _): &(&'static str, Slot)) -> bool {
    name.starts_with("kernel")
}

/// How much of an image is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    All,
}

/// Is there an image in the slot that is what its header says?
fn sound(nand: &mut dyn Nand, slot: Slot, part: Part) -> Result<bool, NandError> {
    let geometry = nand.geometry();
    let pages = u32::from(slot.blocks) * geometry.pages_per_block;
    if pages == 0 {
        return Ok(false);
    }
    let mut walk = match Walk::<false>::start(nand, slots::range(slot, &geometry), pages) {
        Ok(walk) => walk,
        Err(error @ NandError::Timeout { .. }) => return Err(error),
        Err(_) => return Ok(false),
    };
    let sound = image(nand, &mut walk, part).unwrap_or(false);
    walk.stop(nand).map(|()| sound)
}

fn image(nand: &mut dyn Nand, walk: &mut Walk<false>, part: Part) -> Result<bool, NandError> {
    walk.step(nand)?;
    let Ok(header) = Header::parse(walk.bytes(), crc32) else { return Ok(false) };
    if part != Part::All {
        return Ok(true);
    }
    let mut crc = crc32fast::Hasher::new();
    let (mut left, mut skip) = (header.size as usize, HEADER);
    loop {
        let data = walk.bytes().get(skip..).unwrap_or_default();
        let data = data.get(..left).unwrap_or(data);
        crc.update(data);
        (left, skip) = (left - data.len(), 0);
        if left == 0 {
            return Ok(crc.finalize() == header.data_crc);
        }
        walk.step(nand)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Board, image};

    /// A board with stage2 in blocks 1 to 3 and sound kernels in 8 to 11 and 12 to 15.
    fn board() -> Board {
        let mut board = Board::new();
        board.write_boot_table("");
        board.nand.write_from(1, &image(&[2; 5000], |_| ()));
        board.nand.write_from(8, &image(&[0xa; 200_000], |_| ()));
        board.nand.write_from(12, &image(&[0xb; 200_000], |_| ()));
        board
    }

    fn check(board: &mut Board, blocks: Range<u32>, expected: &[Loss]) {
        assert_eq!(losses(&mut board.nand, blocks.clone()).unwrap()[..], *expected, "{blocks:?}");
    }

    #[test]
    fn knows_what_there_is_to_lose() {
        let mut board = board();
        check(&mut board, 4..8, &[]);
        check(&mut board, 0..1, &[Loss::Stage1]);
        check(&mut board, 3..4, &[Loss::Stage2("stage2-1")]);
        check(&mut board, 0..0, &[]);
        let both = [Loss::Kernel("kernel-a"), Loss::Kernel("kernel-b")];
        check(&mut board, 11..13, &both);
        check(&mut board, 0..64, &[Loss::Stage1, Loss::Stage2("stage2-1"), both[0], both[1]]);
    }

    #[test]
    fn one_of_two_kernels_may_go_and_the_last_one_not() {
        let mut board = board();
        check(&mut board, 8..12, &[]);
        check(&mut board, 12..16, &[]);
        // Two bits in the last page of A.
        board.nand.flip(9 * 64 + 30, 0, 0);
        board.nand.flip(9 * 64 + 30, 0, 1);
        check(&mut board, 8..12, &[]);
        check(&mut board, 15..20, &[Loss::Kernel("kernel-b")]);
    }

    #[test]
    fn a_kernel_is_sound_when_its_crc_is() {
        let mut board = board();
        let mut wrong = image(&[0xa; 200_000], |_| ());
        *wrong.last_mut().unwrap() ^= 1;
        board.nand.write_from(8, &wrong);
        check(&mut board, 12..13, &[Loss::Kernel("kernel-b")]);
        board.nand.write_from(8, &image(&[0xa; 200_000], |header| header.size = 4 << 20));
        check(&mut board, 12..13, &[Loss::Kernel("kernel-b")]);
    }

    #[test]
    fn what_is_gone_is_not_lost_again() {
        let mut board = board();
        board.nand.erase_all();
        check(&mut board, 0..64, &[]);
        board.nand.write(0, &[1, 2, 3]);
        check(&mut board, 0..64, &[Loss::Stage1]);
    }
}
