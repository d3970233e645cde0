//! Bit flips for a run, as `--flip` takes them.

use crate::dump::{Dump, is_erased};
use crate::layout::Placed;
use crate::part::Geometry;
use crate::{Error, Result, number};
use std::collections::BTreeSet;
use std::ops::Range;
use std::str::FromStr;

/// A bit of the chip that reads inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Page, counted from the start of the chip.
    pub page: u32,
    /// Byte of the page, OOB behind the data.
    pub byte: u32,
    /// Bit of the byte.
    pub bit: u8,
}

/// What `--flip` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlipSpec {
    /// `PAGE:BYTE:BIT`.
    One(Flip),
    /// `each-step@FIRST-LAST[:n=1][:seed=0]`: bits in every ECC step of these blocks that holds something.
    Blocks(Range<u32>, EachStep),
    /// `PARTITION[:n=1][:seed=0]`: the same for a partition.
    Partition(String, EachStep),
}

/// How many bits, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EachStep {
    /// Bits flipped in a step.
    pub n: u32,
    /// Chooses among all the places that there are.
    pub seed: u64,
}

impl FromStr for FlipSpec {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "{what}; a flip is PAGE:BYTE:BIT, each-step@FIRST-LAST[:n=N][:seed=S] or PARTITION[:n=N][:seed=S]"
            )
        };
        let fields: Vec<&str> = text.split(':').collect();
        if let [page, byte, bit] = fields[..]
            && let (Ok(page), Ok(byte), Ok(bit)) =
                (number::number(page), number::number(byte), number::number(bit))
        {
            let page = u32::try_from(page).map_err(|_| wrong("no chip has that many pages"))?;
            let byte = u32::try_from(byte).map_err(|_| wrong("no page has that many bytes"))?;
            if bit >= 8 {
                return Err(wrong("a byte has bits 0 to 7"));
            }
            return Ok(Self::One(Flip { page, byte, bit: bit as u8 }));
        }
        let mut each = EachStep { n: 1, seed: 0 };
        for option in &fields[1..] {
            let (key, value) = option.split_once('=').ok_or_else(|| wrong("an option is n=N or seed=S"))?;
            let value = number::number(value).map_err(|e| wrong(&e))?;
            match key {
                "n" if (1..=8).contains(&value) => each.n = value as u32,
                "n" => return Err(wrong("n is from 1 to 8")),
                "seed" => each.seed = value,
                _ => return Err(wrong("an option is n=N or seed=S")),
            }
        }
        match fields[0].strip_prefix("each-step@") {
            Some(blocks) => {
                let (first, last) = blocks.split_once('-').unwrap_or((blocks, blocks));
                let block = |text| {
                    number::number(text)
                        .ok()
                        .filter(|&n| n < 1 << 16)
                        .ok_or_else(|| wrong("no such erase block"))
                };
                Ok(Self::Blocks(block(first)? as u32..block(last)? as u32 + 1, each))
            }
            None if fields[0].is_empty() => Err(wrong("no partition is named")),
            None => Ok(Self::Partition(fields[0].into(), each)),
        }
    }
}

/// The bits that the specifications mean for an image with these partitions.
///
/// # Errors
/// When a partition or a byte does not exist, or the image cannot be read.
pub fn resolve(specs: &[FlipSpec], dump: &mut Dump, partitions: &[Placed]) -> Result<Vec<Flip>> {
    let mut flips = Vec::new();
    for spec in specs {
        match spec {
            FlipSpec::One(flip) => flips.push(on_page(*flip, &dump.geometry())?),
            FlipSpec::Blocks(blocks, each) => {
                let step = dump.geometry().ecc().codec.step();
                each_step(&mut flips, dump, blocks.clone(), step, *each)?;
            }
            FlipSpec::Partition(name, each) => {
                let found = partitions.iter().find(|p| p.name == *name).ok_or_else(|| {
                    let names: Vec<_> = partitions.iter().map(|p| p.name.as_str()).collect();
                    Error::new(format!("--flip: there is no partition `{name}`"))
                        .expected(format!("one of: {}", names.join(", ")))
                        .hint("names come from --recipe, or from the boot table of the image")
                })?;
                each_step(&mut flips, dump, found.blocks.clone(), found.ecc.codec.step(), *each)?;
            }
        }
    }
    Ok(flips)
}

/// The flip, if its byte is on the page.
fn on_page(flip: Flip, geometry: &Geometry) -> Result<Flip> {
    if (flip.byte as usize) < geometry.raw_page() {
        return Ok(flip);
    }
    Err(Error::new(format!("--flip: a page has no byte {}", flip.byte)).expected(format!(
        "bytes 0 to {}, of which {} and up are OOB",
        geometry.raw_page() - 1,
        geometry.page
    )))
}

/// Flips `n` different data bits in every ECC step, of that many bytes, that is not erased. Bad
/// blocks are left alone: nothing reads them.
fn each_step(
    flips: &mut Vec<Flip>,
    dump: &mut Dump,
    blocks: Range<u32>,
    size: usize,
    each: EachStep,
) -> Result<()> {
    let geometry = dump.geometry();
    let blocks = blocks.start..blocks.end.min(dump.blocks().end);
    for number in blocks {
        let block = dump.block(number)?;
        if block.is_bad() || block.is_erased() {
            continue;
        }
        for page_in_block in 0..geometry.pages_per_block {
            let page = number * geometry.pages_per_block + page_in_block;
            for (step, data) in block.data(page_in_block).chunks(size).enumerate() {
                if is_erased(data) {
                    continue;
                }
                let place = u64::from(page) * (geometry.page / size) as u64 + step as u64;
                for at in bits(each.seed ^ mix(place), each.n, 8 * size) {
                    let byte = (step * size) as u32 + at / 8;
                    flips.push(Flip { page, byte, bit: (at % 8) as u8 });
                }
            }
        }
    }
    Ok(())
}

/// `n` different numbers of the `all` bits of a step.
fn bits(mut state: u64, n: u32, all: usize) -> BTreeSet<u32> {
    let mut bits = BTreeSet::new();
    while bits.len() < n as usize {
        state = mix(state);
        bits.insert((state % all as u64) as u32);
    }
    bits
}

/// A step of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::part::{LARGE_PAGE, SMALL_PAGE};
    use boot::nand::ecc::Layout;

    #[test]
    fn parses_what_it_says_it_parses() {
        let check = |text: &str, expected: FlipSpec| assert_eq!(text.parse(), Ok(expected), "{text}");
        let each = |n, seed| EachStep { n, seed };
        check("0x40:2111:7", FlipSpec::One(Flip { page: 64, byte: 2111, bit: 7 }));
        check("each-step@4-68", FlipSpec::Blocks(4..69, each(1, 0)));
        check("each-step@4:n=2:seed=9", FlipSpec::Blocks(4..5, each(2, 9)));
        check("kernel-a", FlipSpec::Partition("kernel-a".into(), each(1, 0)));
        check("kernel-a:n=2", FlipSpec::Partition("kernel-a".into(), each(2, 0)));
    }

    #[test]
    fn refuses_the_rest() {
        for text in
            ["", "1:4294967296:0", "1:0:8", "4294967296:0:0", "a:n=0", "a:n=9", "a:x=1", "a:1", "each-step@x"]
        {
            assert!(text.parse::<FlipSpec>().is_err(), "{text}");
        }
    }

    /// The dump of a chip with a bad first block and this in a partition `p` behind it.
    fn dump(geometry: Geometry, data: &[u8], ecc: &'static Layout) -> (tempfile::TempDir, Dump, Placed) {
        let partition = Placed { name: "p".into(), blocks: 1..4, spare: 0, content: None, file: None, ecc };
        let mut chip = Chip::new(geometry, [1].into()).unwrap();
        chip.place(&partition, data).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("nand");
        chip.write(&mut std::fs::File::create(&path).unwrap(), true).unwrap();
        (directory, Dump::open(&path, Some(geometry)).unwrap(), partition)
    }

    fn flips(spec: &str, dump: &mut Dump, partition: &Placed) -> Result<Vec<Flip>> {
        resolve(&[spec.parse().unwrap()], dump, std::slice::from_ref(partition))
    }

    #[test]
    fn flips_only_steps_with_content() {
        let geometry = Geometry { blocks: 4, ..LARGE_PAGE };
        // One page, and a byte of the second step of the next one.
        let mut data = vec![1; 2048 + 256];
        data[2048..].fill(0xff);
        data.push(1);
        let (_keep, mut dump, partition) = dump(geometry, &data, geometry.ecc());
        let mut flips = |spec: &str| flips(spec, &mut dump, &partition);
        let two = flips("p:n=2").unwrap();
        let steps: Vec<_> = two.iter().map(|flip| (flip.page, flip.byte / 256)).collect();
        let first_page = (0..8).flat_map(|step| [(128, step); 2]);
        assert_eq!(steps, first_page.chain([(129, 1); 2]).collect::<Vec<_>>());
        assert!(two.chunks(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(flips("p:n=2").unwrap(), two);
        assert_eq!(flips("each-step@0-9:n=2").unwrap(), two);
        assert_ne!(flips("p:n=2:seed=1").unwrap(), two);
        assert!(flips("q").unwrap_err().to_string().contains("one of: p"));
    }

    #[test]
    fn steps_are_those_of_the_layout() {
        let geometry = Geometry { blocks: 4, ..SMALL_PAGE };
        let check = |ecc: &str, spec: &str, steps: &[(u32, u32)]| {
            let ecc = Layout::find(ecc).unwrap();
            let (_keep, mut dump, partition) = dump(geometry, &[1; 2 * 512], ecc);
            let step = |flip: &Flip| (flip.page, flip.byte / ecc.codec.step() as u32);
            let found: Vec<_> = flips(spec, &mut dump, &partition).unwrap().iter().map(step).collect();
            assert_eq!(found, steps, "{spec}");
        };
        check("s3c24xx-hw-small", "p", &[(64, 0), (65, 0)]);
        check("s3c24xx-hw-small", "each-step@2", &[(64, 0), (65, 0)]);
        check("sw-hamming-small", "p", &[(64, 0), (64, 1), (65, 0), (65, 1)]);
    }

    #[test]
    fn bytes_are_those_of_the_page() {
        for geometry in [LARGE_PAGE, SMALL_PAGE] {
            let geometry = Geometry { blocks: 4, ..geometry };
            let (_keep, mut dump, partition) = dump(geometry, &[1], geometry.ecc());
            let mut flips = |byte: usize| flips(&format!("1:{byte}:0"), &mut dump, &partition);
            let last = geometry.raw_page() - 1;
            assert_eq!(flips(last).unwrap(), [Flip { page: 1, byte: last as u32, bit: 0 }]);
            let error = flips(last + 1).unwrap_err().to_string();
            assert!(error.contains(&format!("bytes 0 to {last}, of which {} ", geometry.page)), "{error}");
        }
    }
}
