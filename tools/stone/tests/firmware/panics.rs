//! How many ways into a panic stage2 has: the calls of `core`'s panic functions in its code.
//!
//! What outsiders send is taken apart without indices, and fuzzed for that (`tools/fuzz`). What is
//! left here are checks that the compiler could not prove away, most of them in the NAND code, where
//! geometry divides and buffers are as long as pages. They may become fewer, and not more unseen.

use crate::kit::{GTA02, MINI2440};
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeMap;
use std::fs;

/// The most calls that there may be.
const BUDGET: usize = 190;

/// What begins the names of functions that panic. Those in `core` that call one another do not count.
const PANICS: [&str; 7] = [
    "core::panicking::",
    "core::slice::index::slice_index_fail",
    "core::slice::copy_from_slice_impl::len_mismatch_fail",
    "core::result::unwrap_failed",
    "core::option::unwrap_failed",
    "core::option::expect_failed",
    "core::str::slice_error_fail",
];

fn is_panic(name: &str) -> bool {
    PANICS.iter().any(|panic| name.starts_with(panic))
}

/// Functions by address, their names readable.
fn functions(file: &object::File<'_>) -> BTreeMap<u64, String> {
    let functions = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text);
    // Bit 0 of an address says Thumb.
    functions.map(|symbol| (symbol.address() & !1, demangled(symbol.name().unwrap()))).collect()
}

fn demangled(name: &str) -> String {
    addr2line::demangle_auto(name.into(), None).into_owned()
}

/// Where a Thumb BL leads (ARM Architecture Reference Manual, A7.1.15).
fn target(at: u64, first: u16, second: u16) -> Option<u64> {
    if first >> 11 != 0b11110 || second >> 11 != 0b11111 {
        return None;
    }
    let high = i64::from((first as i16) << 5 >> 5) << 12;
    u64::try_from(at as i64 + 4 + high + (i64::from(second & 0x7ff) << 1)).ok()
}

/// The functions that call a panic, and how often.
fn callers(elf: &[u8]) -> BTreeMap<String, usize> {
    let file = object::File::parse(elf).unwrap();
    let functions = functions(&file);
    let text = file.section_by_name(".text").unwrap();
    let (start, bytes) = (text.address(), text.data().unwrap());
    let halves: Vec<u16> = bytes.as_chunks().0.iter().map(|half| u16::from_le_bytes(*half)).collect();
    let mut callers = BTreeMap::new();
    for (at, pair) in (start..).step_by(2).zip(halves.windows(2)) {
        let Some(called) = target(at, pair[0], pair[1]).and_then(|to| functions.get(&to)) else { continue };
        let caller = functions.range(..=at).next_back().map_or("?", |(_, name)| name);
        if is_panic(called) && !is_panic(caller) {
            *callers.entry(caller.to_owned()).or_default() += 1;
        }
    }
    callers
}

#[test]
fn there_are_no_more_ways_into_a_panic_than_there_were() {
    for board in [GTA02, MINI2440] {
        let callers = callers(&fs::read(board.firmware("stage2.elf")).unwrap());
        let sum: usize = callers.values().sum();
        let list: String = callers.iter().map(|(name, calls)| format!("{calls:4} {name}\n")).collect();
        println!("{}: {sum} calls of {} functions\n{list}", board.name, callers.len());
        assert!(sum <= BUDGET, "{sum} calls of panics, {BUDGET} are the limit:\n{list}");
        // Otherwise this looks at something else than it thinks.
        assert!(sum > 20, "only {sum} calls were found:\n{list}");
    }
}

#[test]
fn calls_are_read_as_the_manual_says() {
    assert_eq!(target(0x1000, 0xf000, 0xf802), Some(0x1008));
    assert_eq!(target(0x1000, 0xf7ff, 0xfffe), Some(0x1000));
    assert_eq!(target(0x1000, 0xf001, 0xf800), Some(0x2004));
    assert_eq!(target(0x1000, 0x4770, 0xf802), None);
}
