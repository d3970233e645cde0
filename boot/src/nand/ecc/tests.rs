//! Every code against its table in the manuals, computed bit by bit, and against every flip.

use super::*;
use std::vec::Vec;

/// Parities by name, bit 7 first: S3C2440A User's Manual, page 6-7.
const SMARTMEDIA: [[&str; 8]; 3] = [
    ["P64", "P64'", "P32", "P32'", "P16", "P16'", "P8", "P8'"],
    ["P1024", "P1024'", "P512", "P512'", "P256", "P256'", "P128", "P128'"],
    ["P4", "P4'", "P2", "P2'", "P1", "P1'", "P2048", "P2048'"],
];
const FOURTH: [&str; 8] = ["P8192", "P8192'", "P4096", "P4096'", "0", "0", "0", "0"];
/// The last byte of Linux's software ECC: drivers/mtd/nand/ecc-sw-hamming.c.
const SOFT: [&str; 8] = ["P4", "P4'", "P2", "P2'", "P1", "P1'", "1", "1"];

/// PR and NPR of the AT91SAM9's unit: AT91SAM9263 data sheet, ECC controller. Bits 3 and 15 are taken
/// for 0.
const HALVES: [[&str; 8]; 4] = [
    ["P64", "P32", "P16", "P8", "0", "P4", "P2", "P1"],
    ["0", "P8192", "P4096", "P2048", "P1024", "P512", "P256", "P128"],
    ["P64'", "P32'", "P16'", "P8'", "0", "P4'", "P2'", "P1'"],
    ["0", "P8192'", "P4096'", "P2048'", "P1024'", "P512'", "P256'", "P128'"],
];

/// Whether the code of a layout is stored as the parities are, not inverted.
fn is_plain(layout: &Layout) -> bool {
    layout.name == "atmel-hw"
}

/// The table of a layout's code.
fn table(layout: &Layout) -> Vec<[&'static str; 8]> {
    let [low, high, columns] = SMARTMEDIA;
    match layout.name.trim_end_matches("-small") {
        "s3c24xx-hw" => [low, high, columns].into(),
        "s3c2440-wince" => [low, high, columns, FOURTH].into(),
        "sw-hamming" => [high, low, SOFT].into(),
        "sw-hamming-smc" => [low, high, SOFT].into(),
        "atmel-hw" => HALVES.into(),
        name => panic!("no table for {name}"),
    }
}

/// The bit of a code that has this name, over data.
fn named(name: &str, data: &[u8]) -> bool {
    let Some(number) = name.strip_prefix('P') else { return name == "1" };
    let wanted = !number.ends_with('\'');
    let number: usize = number.trim_end_matches('\'').parse().unwrap();
    let mut parity = false;
    for (address, value) in data.iter().enumerate() {
        for bit in 0..8 {
            // P8 is by bit 0 of the byte's address, P1 by bit 0 of the bit's number.
            let is_set = if number >= 8 { address & (number / 8) != 0 } else { bit & number != 0 };
            parity ^= is_set == wanted && value >> bit & 1 != 0;
        }
    }
    !parity
}

fn naive(table: &[[&str; 8]], is_plain: bool, data: &[u8]) -> Vec<u8> {
    let bit = |name: &str| u8::from(named(name, data) != (is_plain && name != "0"));
    let byte = |names: &[&str; 8]| names.iter().fold(0, |byte, name| byte << 1 | bit(name));
    table.iter().map(byte).collect()
}

fn encoded(codec: &dyn Codec, data: &[u8]) -> Vec<u8> {
    let mut code = [0; CODE_MAX];
    codec.encode(data, &mut code[..codec.bytes()]);
    code[..codec.bytes()].into()
}

/// Bytes without a pattern: xorshift32 (Marsaglia 2003).
fn noise(len: usize, mut state: u32) -> Vec<u8> {
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..len).map(next).collect()
}

fn quadratic(len: usize) -> Vec<u8> {
    (0..len).map(|i| ((i * i + 3 * i + 5) >> 2) as u8).collect()
}

fn cleared(len: usize, byte: usize, bit: u8) -> Vec<u8> {
    let mut data = std::vec![0xff; len];
    data[byte] ^= 1 << bit;
    data
}

/// The seed of the vectors that call it X(n).
const X: u32 = 0x1234_5678;

#[test]
fn agrees_with_the_published_vectors() {
    let check = |codec: &dyn Codec, data: &[u8], expected: &[u8]| {
        assert_eq!(encoded(codec, data), expected);
    };
    let hardware = [
        (std::vec![0xff; 512], [0xff, 0xff, 0xff, 0xf0]),
        (std::vec![0; 512], [0xff, 0xff, 0xff, 0xf0]),
        ((0..512).map(|i| i as u8).collect(), [0xff, 0xff, 0xff, 0xf0]),
        (cleared(512, 0, 0), [0xaa, 0xaa, 0xaa, 0xa0]),
        (cleared(512, 511, 7), [0x55, 0x55, 0x55, 0xa0]),
        (cleared(512, 100, 3), [0x9a, 0x96, 0x96, 0xa0]),
        (cleared(512, 256, 0), [0xaa, 0xaa, 0xa9, 0xa0]),
        (quadratic(512), [0x55, 0x55, 0x56, 0xa0]),
        (noise(512, X), [0x59, 0x56, 0x69, 0xa0]),
    ];
    for (data, code) in hardware {
        check(&Hamming::S3C2440_512, &data, &code);
        check(&Hamming::S3C24XX_512, &data, &code[..3]);
    }
    let steps_of_256 = [
        (std::vec![0xff; 256], [0xff, 0xff, 0xff], [0xff, 0xff, 0xff]),
        (cleared(256, 0, 0), [0xaa, 0xaa, 0xaa], [0xaa, 0xaa, 0xab]),
        (cleared(256, 255, 7), [0x55, 0x55, 0x56], [0x55, 0x55, 0x57]),
        (noise(256, X), [0x0f, 0x3c, 0x0f], [0x3c, 0x0f, 0x0f]),
        (quadratic(256), [0xa5, 0x99, 0x5a], [0x99, 0xa5, 0x5b]),
    ];
    for (data, hardware, [a, b, c]) in steps_of_256 {
        check(&Hamming::S3C24XX_256, &data, &hardware);
        check(&Hamming::LINUX, &data, &[a, b, c]);
        check(&Hamming::LINUX_SMC, &data, &[b, a, c]);
    }
}

/// What a flipped data bit changes, from the positions of the parities in the code.
#[test]
fn finds_the_bit_that_a_syndrome_tells() {
    let check = |byte: u16, bit: u8, syndrome: [u8; 4]| {
        let verdict = Hamming::S3C2440_512.judge(u32::from_le_bytes(syndrome));
        assert_eq!(verdict, Verdict::DataBit { byte, bit });
    };
    check(0, 0, [0x55, 0x55, 0x55, 0x50]);
    check(0, 7, [0x55, 0x55, 0xa9, 0x50]);
    check(1, 0, [0x56, 0x55, 0x55, 0x50]);
    check(100, 3, [0x65, 0x69, 0x69, 0x50]);
    check(256, 0, [0x55, 0x55, 0x56, 0x50]);
    check(511, 7, [0xaa, 0xaa, 0xaa, 0x50]);
}

#[test]
fn agrees_with_the_tables() {
    for layout in &LAYOUTS {
        let (table, step) = (table(layout), layout.codec.step());
        for seed in 1..20 {
            let data = noise(step, seed);
            let expected = naive(&table, is_plain(layout), &data);
            assert_eq!(encoded(layout.codec, &data), expected, "{layout:?}, seed {seed}");
        }
    }
}

/// A page of noise with its codes, every other byte of the OOB not FF either.
fn written(layout: &Layout) -> (Vec<u8>, Vec<u8>) {
    let (data, mut oob) = (noise(layout.page, 99), noise(layout.oob, 7));
    layout.encode(&data, &mut oob);
    (data, oob)
}

/// Bit numbers of a page, OOB behind the data, of the codes of a step.
fn code_bits(layout: &Layout, step: usize) -> Vec<usize> {
    let bytes = layout.codec.bytes();
    let positions = &layout.positions[step * bytes..][..bytes];
    let bits = positions.iter().flat_map(|at| (0..8).map(move |bit| 8 * (usize::from(*at)) + bit));
    let used = bits.enumerate().filter(|(bit, _)| !layout.codec.is_unused(*bit));
    used.map(|(_, bit)| 8 * layout.page + bit).collect()
}

#[test]
fn corrects_every_single_flip_of_a_page() {
    for layout in &LAYOUTS {
        let (data, oob) = written(layout);
        let mut page = [data, oob].concat();
        let good = page.clone();
        let step_bits = 8 * layout.codec.step();
        for step in 0..layout.steps() {
            let data = (step * step_bits..(step + 1) * step_bits).map(|bit| (bit, (1, 0)));
            let code = code_bits(layout, step).into_iter().map(|bit| (bit, (0, 1)));
            for (bit, (data, code)) in data.chain(code) {
                page[bit / 8] ^= 1 << (bit % 8);
                let (left, right) = page.split_at_mut(layout.page);
                let stats = layout.correct(left, right);
                assert_eq!(stats.steps[step], Step::Written { data, code }, "{layout:?}, bit {bit}");
                assert_eq!((stats.bits(), stats.is_good()), (1, true));
                assert!(page == good, "{layout:?}, bit {bit}");
            }
        }
    }
}

#[test]
fn other_bytes_of_the_oob_do_not_matter() {
    for layout in &LAYOUTS {
        let (data, oob) = written(layout);
        let clean = layout.check(&data, &oob);
        assert_eq!((clean.bits(), clean.is_good(), clean.steps.len()), (0, true, layout.steps()));
        let used: Vec<_> = (0..layout.steps()).flat_map(|step| code_bits(layout, step)).collect();
        for bit in (0..8 * layout.oob).filter(|bit| !used.contains(&(8 * layout.page + bit))) {
            let mut oob = oob.clone();
            oob[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(layout.check(&data, &oob), clean, "{layout:?}, bit {bit}");
        }
    }
}

/// What flipping a bit of a step or of its code changes in the XOR of the two codes.
///
/// The codes are linear: what a flip changes does not depend on the data, and several flips
/// change the XOR of what each changes. So all pairs of flips can be tried without computing
/// a code for each.
fn columns(codec: &Hamming) -> Vec<u32> {
    let mut columns = Vec::new();
    let mut data = noise(codec.step, 3);
    let code = encoded(codec, &data);
    for bit in 0..8 * codec.step {
        data[bit / 8] ^= 1 << (bit % 8);
        columns.push(codec.load(&code) ^ codec.load(&encoded(codec, &data)));
        data[bit / 8] ^= 1 << (bit % 8);
    }
    for bit in (0..8 * codec.bytes).filter(|bit| !codec.is_unused(*bit)) {
        let mut flipped = code.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        columns.push(codec.load(&code) ^ codec.load(&flipped));
    }
    columns
}

const CODES: [Hamming; 5] =
    [Hamming::S3C24XX_256, Hamming::S3C24XX_512, Hamming::S3C2440_512, Hamming::LINUX, Hamming::LINUX_SMC];

#[test]
fn reports_every_two_flips_of_a_step() {
    for codec in &CODES {
        let columns = columns(codec);
        for (number, first) in columns.iter().enumerate() {
            assert_ne!(codec.judge(*first), Verdict::Uncorrectable);
            for second in &columns[..number] {
                assert_eq!(codec.judge(first ^ second), Verdict::Uncorrectable);
            }
        }
    }
}

/// The same without trust in linearity, for pairs all over every step of every layout.
#[test]
fn reports_two_flips_in_any_step_of_a_page() {
    for layout in &LAYOUTS {
        let (data, oob) = written(layout);
        let good = [data, oob].concat();
        let step_bits = 8 * layout.codec.step();
        let mut random = noise(8 * 400 * layout.steps(), 5).into_iter().map(usize::from);
        for step in 0..layout.steps() {
            let bits: Vec<_> =
                (step * step_bits..(step + 1) * step_bits).chain(code_bits(layout, step)).collect();
            for _ in 0..400 {
                let mut any = || bits[(random.next().unwrap() << 8 | random.next().unwrap()) % bits.len()];
                let (first, second) = (any(), any());
                let mut page = good.clone();
                page[first / 8] ^= 1 << (first % 8);
                page[second / 8] ^= 1 << (second % 8);
                let read = page.clone();
                let (data, oob) = page.split_at_mut(layout.page);
                let stats = layout.correct(data, oob);
                let expected: &[usize] = if first == second { &[] } else { &[step] };
                assert!(stats.uncorrectable().eq(expected.iter().copied()), "{layout:?}: {first}, {second}");
                assert!(page == read, "{layout:?}: nothing is changed where nothing is known");
            }
        }
    }
}

#[test]
fn erased_pages_are_told_and_given_back_erased() {
    for layout in &LAYOUTS {
        let erased = std::vec![0xff; layout.page + layout.oob];
        // Written FFs: the code of the S3C2440 ends with F0.
        let mut same = erased.clone();
        let (data, oob) = same.split_at_mut(layout.page);
        layout.encode(data, oob);
        // Parities as they are do not make FFs of them.
        let alike = if is_plain(layout) { [erased.clone(), erased.clone()] } else { [erased.clone(), same] };
        for mut page in alike {
            let (data, oob) = page.split_at_mut(layout.page);
            let stats = layout.check(data, oob);
            assert_eq!((stats.is_erased(), stats.bits(), stats.worst()), (true, 0, 0), "{layout:?}");
            // A bit in every step, in turn in the data and in the code.
            let whole = page.clone();
            for step in 0..layout.steps() {
                let bit = match step % 2 {
                    0 => 8 * layout.codec.step() * step + 77,
                    _ => code_bits(layout, step)[9],
                };
                page[bit / 8] ^= 1 << (bit % 8);
            }
            let (data, oob) = page.split_at_mut(layout.page);
            let stats = layout.correct(data, oob);
            assert_eq!((stats.is_erased(), stats.bits()), (true, layout.steps() as u32), "{layout:?}");
            assert_eq!((stats.worst(), stats.code_bits()), (1, layout.steps() as u32 / 2));
            assert!(page == whole, "{layout:?}");
        }
        // More than the strength.
        let mut page = erased;
        page[0] = 0xfc;
        let (data, oob) = page.split_at_mut(layout.page);
        let stats = layout.correct(data, oob);
        assert!(!stats.is_erased() && stats.uncorrectable().eq([0]), "{layout:?}");
        assert_eq!(data[0], 0xfc);
    }
}

#[test]
fn counts_by_step() {
    let layout = S3C24XX_HW;
    let (mut data, mut oob) = written(layout);
    data[3 * 256] ^= 1;
    oob[40 + 3 * 5 + 1] ^= 0x80;
    data[6 * 256 + 3] ^= 0x11;
    let stats = layout.check(&data, &oob);
    assert!(stats.corrected().eq([(3, 1), (5, 1)]));
    assert!(stats.uncorrectable().eq([6]));
    assert_eq!((stats.bits(), stats.code_bits(), stats.worst()), (2, 1, 1));
    assert!(!stats.is_good() && !stats.is_erased());
}

#[test]
fn finds_the_layout_that_a_page_was_written_with() {
    for written_with in &LAYOUTS {
        let check = |data: &[u8], oob: &[u8], bits, lost: &[usize]| {
            let Guess::Written(found) = guess(data, oob) else { panic!("{written_with:?}") };
            let (layout, stats) = &found[0];
            assert_eq!((found.len(), *layout, stats.bits()), (1, written_with, bits));
            assert!(stats.uncorrectable().eq(lost.iter().copied()));
        };
        for fill in [0xff, 0, 0xa5] {
            let (data, mut oob) = (noise(written_with.page, 3), std::vec![fill; written_with.oob]);
            written_with.encode(&data, &mut oob);
            check(&data, &oob, 0, &[]);
            // A flip, and two, and one in every step.
            let mut read = data.clone();
            read[9] ^= 4;
            // A small page may be one step: then a flip leaves nothing to tell by.
            if written_with.steps() > 1 {
                check(&read, &oob, 1, &[]);
                read[8] ^= 4;
                check(&read, &oob, 0, &[0]);
            }
            let mut read = data;
            for step in 0..written_with.steps() {
                read[step * written_with.codec.step() + 31 * step] ^= 0x20;
            }
            // One step with a flip reads as well with two bytes of its code exchanged.
            let Guess::Written(found) = guess(&read, &oob) else { panic!("{written_with:?}") };
            let (_, stats) = found.iter().find(|(layout, _)| *layout == written_with).unwrap();
            assert_eq!((stats.bits(), stats.is_good()), (written_with.steps() as u32, true));
        }
    }
}

#[test]
fn says_when_a_page_tells_nothing() {
    // The same code in every order: four layouts, of which one keeps its codes elsewhere.
    let (data, mut oob) = ([0; 2048], [0xff; 64]);
    S3C24XX_HW.encode(&data, &mut oob);
    oob[8] = 0;
    let Guess::Written(found) = guess(&data, &oob) else { panic!("nothing found") };
    let names: Vec<_> = found.iter().map(|(layout, _)| layout.name).collect();
    assert_eq!(names, ["s3c24xx-hw", "sw-hamming", "sw-hamming-smc"]);
    // No layout at all. Without codes, every second step could be corrected.
    for seed in 1..100 {
        assert_eq!(guess(&noise(2048, seed), &[0xff; 64]), Guess::Unknown, "{seed}");
        assert_eq!(guess(&noise(512, seed), &[0xff; 16]), Guess::Unknown, "{seed}");
    }
    assert_eq!(guess(&noise(2048, 1), &noise(64, 2)), Guess::Unknown);
    assert_eq!(guess(&[0xff; 100], &[]), Guess::Unknown);
    // Erased, with a bitflip where the first layout looks and one where it does not.
    let (data, mut oob) = (cleared(2048, 800, 3), [0xff; 64]);
    oob[39] = 0xfe;
    let Guess::Erased(stats) = guess(&data, &oob) else { panic!("not erased") };
    assert!(stats.corrected().eq([(3, 1)]));
}

#[test]
fn the_two_bits_that_linux_leaves_set_tell_the_controller_from_linux() {
    let (data, oob) = written(S3C24XX_HW);
    let by = |name: &str| Layout::find(name).unwrap().check(&data, &oob);
    // One bit of two is 0 wherever the parity of a step is odd.
    let odd = data.chunks(256).filter(|step| step.iter().map(|byte| byte.count_ones()).sum::<u32>() % 2 == 1);
    assert_eq!(by("sw-hamming-smc").bits(), odd.count() as u32);
    assert_ne!(by("sw-hamming-smc").bits(), 0);
    assert!(!by("sw-hamming").is_good());
    assert_eq!(detect(&data, &oob).count(), 5);
    assert_eq!(detect(&data[..512], &oob[..16]).count(), 4);
    assert_eq!(detect(&data, &oob[..16]).count(), 0);
}

#[test]
fn names_are_unique() {
    for (number, layout) in LAYOUTS.iter().enumerate() {
        assert_eq!(LAYOUTS.iter().position(|other| other.name == layout.name), Some(number));
        assert_eq!(Layout::find(layout.name), Some(layout));
    }
    assert_eq!((S3C24XX_HW.name, usize::from(S3C24XX_HW.positions[0])), ("s3c24xx-hw", OOB_OFFSET));
    assert!(Layout::find("").is_none());
}

/// stage1's shortcut is the same code, but for a byte beyond the step.
#[test]
fn judge_is_that_of_the_controller() {
    let beyond = |verdict| match verdict {
        Verdict::DataBit { byte: 256.., .. } => Verdict::Uncorrectable,
        verdict => verdict,
    };
    let columns = columns(&Hamming::S3C24XX_256);
    for (first, second) in columns.iter().zip(columns.iter().cycle().skip(29)) {
        assert_eq!(judge(Code::Pairs, *first), Hamming::S3C24XX_256.judge(*first));
        assert_eq!(beyond(judge(Code::Pairs, first ^ second)), Verdict::Uncorrectable);
    }
    // Two flips of the data and P2048 in the code cannot be told from one in the upper half.
    let far = Hamming::S3C24XX_512.judge(0x0066_5555);
    assert_eq!(far, Verdict::DataBit { byte: 256, bit: 2 });
    assert_eq!(Hamming::S3C24XX_256.judge(0x0066_5555), Verdict::Uncorrectable);
}
