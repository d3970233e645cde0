//! Lists of erase blocks, as `--bad` takes them.

use std::collections::BTreeSet;

/// Parses `3,5-7,0x40`: block numbers and inclusive ranges.
///
/// # Errors
/// Says which piece is not a block number or a range, for clap to print.
pub fn parse(list: &str) -> Result<BTreeSet<u32>, String> {
    let mut blocks = BTreeSet::new();
    for piece in list.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        let (first, last) = (block(first, piece)?, block(last, piece)?);
        if first > last {
            return Err(format!("`{piece}`: the first block of a range comes first"));
        }
        blocks.extend(first..=last);
    }
    Ok(blocks)
}

/// More than any chip has: a typing error must not fill the memory.
const BLOCKS_MAX: u64 = 1 << 16;

fn block(text: &str, piece: &str) -> Result<u32, String> {
    let number = crate::number::number(text.trim()).ok().filter(|&n| n < BLOCKS_MAX);
    number.map(|n| n as u32).ok_or_else(|| {
        format!("`{piece}` is not an erase block or a range of them; a list looks like 3,5-7,0x40")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_numbers_and_ranges() {
        let check = |list, expected: &[u32]| {
            assert_eq!(parse(list).unwrap().into_iter().collect::<Vec<_>>(), expected, "{list}");
        };
        check("", &[]);
        check("3", &[3]);
        check("7, 5-6,0x10", &[5, 6, 7, 16]);
        check("4-4,4", &[4]);
    }

    #[test]
    fn refuses_what_is_no_block() {
        for list in ["x", "3-", "7-5", "-1", "1-4000000000"] {
            assert!(parse(list).is_err(), "{list}");
        }
    }
}
