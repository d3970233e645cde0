//! The boot program in ROM: AT91SAM9260 data sheet, chapter of that name, as far as NAND goes. It is not
//! run; this does what it does.

/// Most bytes of an image: the size of SRAM0.
pub const IMAGE_MAX: u32 = 0x1000;
/// Where it goes.
pub const IMAGE: u32 = 0x0020_0000;

/// Vectors that are looked at.
const VECTORS: usize = 7;
/// The one that holds the size instead.
const SIZE: usize = 5;

/// What is in SRAM behind an image: an undefined instruction.
const JUNK: [u8; 4] = 0xe7f5_a5f5_u32.to_le_bytes();

/// What stands at address 0 when there was no image: a branch to itself, for the monitor that waits
/// for its host.
pub const MONITOR: [u8; 4] = 0xeaff_fffe_u32.to_le_bytes();

/// The size that an image says it has, if it is one.
///
/// # Errors
/// Why it is none.
pub fn image_size(page: &[u8]) -> Result<u32, String> {
    let words = page.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let vectors: Vec<u32> = words.take(VECTORS).collect();
    for (number, &vector) in vectors.iter().enumerate() {
        if number != SIZE && !is_branch(vector) {
            return Err(format!("vector {number} is {vector:#010x}, neither B nor LDR pc, [pc, #n]"));
        }
    }
    let size = vectors[SIZE];
    if size == 0 || size > IMAGE_MAX {
        return Err(format!("vector {SIZE} says {size} bytes, the limit is {IMAGE_MAX}"));
    }
    Ok(size)
}

fn is_branch(vector: u32) -> bool {
    vector >> 24 == 0xea || vector & 0xff7f_f000 == 0xe51f_f000
}

/// The bytes of SRAM0 from `start` on, which the page fills as far as the image goes.
#[must_use]
pub fn with_junk(page: &[u8], start: u32, size: u32) -> Vec<u8> {
    let image = size.saturating_sub(start) as usize;
    let junk = (0..).map(|at: usize| JUNK[at % 4]);
    let bytes = page.iter().copied().take(image).chain(junk.skip(image.min(page.len())));
    bytes.take(page.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: u32 = 0xea00_0010;
    const LDR: u32 = 0xe59f_f018;
    const LDR_DOWN: u32 = 0xe51f_f018;

    fn check(vectors: [u32; VECTORS], expected: Result<u32, &str>) {
        let page: Vec<u8> = vectors.iter().flat_map(|word| word.to_le_bytes()).collect();
        match (image_size(&page), expected) {
            (Err(text), Err(part)) => assert!(text.contains(part), "{text}"),
            (found, expected) => assert_eq!(found, expected.map_err(str::to_owned)),
        }
    }

    #[test]
    fn images_are_known_by_their_vectors() {
        check([B, LDR, LDR_DOWN, B, B, 0x1000, LDR], Ok(0x1000));
        check([B, LDR, B, B, B, 3, B], Ok(3));
        check([B, LDR, B, B, B, 0, B], Err("0 bytes"));
        check([B, LDR, B, B, B, 0x1001, B], Err("4097 bytes"));
        check([0xe1a0_0000, LDR, B, B, B, 4, B], Err("vector 0"));
        check([B, B, B, B, B, 4, 0xe59f_0018], Err("vector 6"));
        check([0xffff_ffff; 7], Err("vector 0"));
    }

    #[test]
    fn what_is_behind_an_image_is_junk() {
        assert_eq!(with_junk(&[1; 8], 0, 6), [1, 1, 1, 1, 1, 1, 0xf5, 0xe7]);
        assert_eq!(with_junk(&[1; 4], 8, 8), JUNK);
        assert_eq!(with_junk(&[1; 4], 8, 100), [1; 4]);
    }
}
