//! Turns `$BOARD` into `cfg(board = "…")`.

fn main() {
    println!("cargo:rerun-if-env-changed=BOARD");
    println!("cargo:rustc-check-cfg=cfg(board, values(any()))");
    if let Ok(board) = std::env::var("BOARD") {
        println!("cargo:rustc-cfg=board=\"{board}\"");
    }
}
