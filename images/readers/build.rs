//! Gives the payload its layout.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=linker/readers.ld");
    if env::var_os("CARGO_FEATURE_FIRMWARE").is_none() {
        return;
    }
    println!(
        "cargo:rustc-link-arg-bin=readers=-T{}/linker/readers.ld",
        env::var("CARGO_MANIFEST_DIR").unwrap()
    );
    println!("cargo:rustc-link-arg-bin=readers=--gc-sections");
}
