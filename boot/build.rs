//! Gives each stage its memory map (the board's) and its section layout.

use std::env;

fn main() {
    println!("cargo:rerun-if-env-changed=BOARD");
    if env::var_os("CARGO_FEATURE_FIRMWARE").is_none() {
        return;
    }
    let board = env::var("BOARD").expect("the firmware feature needs BOARD in the environment");
    let linker = format!("{}/../linker", env::var("CARGO_MANIFEST_DIR").unwrap());
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    for stage in ["stage1", "stage2"] {
        for script in [board.as_str(), "loader", stage] {
            println!("cargo:rerun-if-changed={linker}/{script}.ld");
            println!("cargo:rustc-link-arg-bin={stage}=-T{linker}/{script}.ld");
        }
        println!("cargo:rustc-link-arg-bin={stage}=--gc-sections");
        if features.split(',').any(|feature| feature == "v5te") {
            // From Thumb to A32 without a veneer.
            println!("cargo:rustc-link-arg-bin={stage}=--use-blx");
        }
    }
}
