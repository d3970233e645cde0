//! The kept inputs of every target, and mutations of them: what fuzzing has found stays found.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

/// Mutations of a target's inputs that are tried.
const MUTATIONS: u32 = 2000;
/// A corpus is kept small: files of a target, and bytes of all.
const FILES: usize = 30;
const BYTES: usize = 300_000;
/// Longest mutation.
const LONGEST: usize = 8192;

type Inputs = Vec<(String, Vec<u8>)>;

fn inputs(target: &str) -> Inputs {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: &Path| (path.display().to_string(), fs::read(path).expect("a file"));
    let mut inputs: Inputs = files.map(|file| read(&file.expect("an entry").path())).collect();
    inputs.sort();
    inputs
}

#[test]
fn every_target_has_a_small_corpus() {
    let mut bytes = 0;
    for (target, _) in fuzz::TARGETS {
        let inputs = inputs(target);
        assert!((1..=FILES).contains(&inputs.len()), "{target} has {} inputs", inputs.len());
        bytes += inputs.iter().map(|(_, input)| input.len()).sum::<usize>();
    }
    assert!(bytes <= BYTES, "{bytes} bytes");
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")).expect("the corpus");
    assert_eq!(folders.count(), fuzz::TARGETS.len(), "a corpus without a target");
}

/// Numbers without a pattern, the same ones every time (xorshift32, Marsaglia 2003).
struct Random(u32);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % end.max(1)
    }
}

/// Changes an input in one to four places.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(16)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.insert(at, random.below(256) as u8),
            2 => drop(bytes.splice(at..at, other[random.below(other.len())..].iter().copied().take(64))),
            3 => bytes.truncate(at.max(1)),
            change => {
                let Some(byte) = bytes.get_mut(at) else { continue };
                let odd = [0, 1, 0x20, 0x7f, 0x80, 0xff][random.below(6)];
                *byte = if change == 4 { *byte ^ 1 << random.below(8) } else { odd };
            }
        }
    }
    bytes.truncate(LONGEST);
}

/// Runs a target on its corpus and on mutations of it.
fn replay(target: &str, check: fn(&[u8])) {
    let inputs = inputs(target);
    for (name, input) in &inputs {
        assert!(catch_unwind(|| check(input)).is_ok(), "{name} fails");
    }
    let mut random = Random(0x5eed);
    for number in 0..MUTATIONS {
        let (name, input) = &inputs[random.below(inputs.len())];
        let other = &inputs[random.below(inputs.len())].1;
        let mut input = input.clone();
        mutate(&mut random, &mut input, other);
        let result = catch_unwind(|| check(&input));
        assert!(
            result.is_ok(),
            "mutation {number} of {target}, from {name}, fails: {}",
            input.escape_ascii()
        );
    }
}

macro_rules! replays {
    ($($target:ident)*) => {$(
        #[test]
        fn $target() {
            replay(stringify!($target), fuzz::$target::check);
        }
    )*};
}

replays! { boot_table env_binary env_text fit kermit shell srecord uimage xmodem ymodem }
