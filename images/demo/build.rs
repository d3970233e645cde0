//! Gives the payload its layout and its ballast.

use std::{env, fs, path::PathBuf};

/// Code and constants (linker/demo.ld).
const CODE: usize = 64 << 10;
/// The CRC that tools/firmware.sh appends.
const CRC: usize = 4;
/// As large as an untrimmed Linux of the time, which is what boot times are compared with.
const SIZE: usize = 4 << 20;

fn main() {
    println!("cargo:rerun-if-env-changed=DEMO_SIZE");
    println!("cargo:rerun-if-changed=linker/demo.ld");
    if env::var_os("CARGO_FEATURE_FIRMWARE").is_none() {
        return;
    }
    let size = env::var("DEMO_SIZE").map_or(SIZE, |s| s.parse().expect("DEMO_SIZE: bytes, decimal"));
    assert!(
        size >= CODE + CRC && size.is_multiple_of(4),
        "DEMO_SIZE: a multiple of 4, at least {}",
        CODE + CRC
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("ballast"), ballast(size - CODE - CRC)).unwrap();
    println!("cargo:rustc-link-arg-bin=demo=-T{}/linker/demo.ld", env::var("CARGO_MANIFEST_DIR").unwrap());
    println!("cargo:rustc-link-arg-bin=demo=--gc-sections");
}

/// `len` bytes without pattern, so that a page out of place or a shifted byte shows in the CRC;
/// the same ones every time (xorshift32, Marsaglia 2003).
fn ballast(len: usize) -> Vec<u8> {
    let mut x = 0x2440_2442_u32;
    let mut word = || {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x.to_le_bytes()
    };
    (0..len / 4).flat_map(|_| word()).collect()
}
