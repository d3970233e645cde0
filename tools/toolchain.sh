# Sourced from the top of the tree: which Rust compiles what.
#
#   host COMMAND...  with the toolchain of the workspace: the one in PATH if it
#                    is new enough, else the one in /usr/bin
#   arm COMMAND...   with the toolchain of the firmware: the same, but it must
#                    carry the source of `core`, because bare-metal ARMv4T has
#                    no prebuilt one (rustup: component rust-src; Debian:
#                    rust-web-src)
#
# A rustup that cannot serve stands before Debian's cargo in PATH, which is why
# the choice is a PATH. It is kept in target/toolchain; delete that to choose anew.

# Set by a cargo that runs us (a test), and not for the one we run.
unset CARGO

# Edition 2024 needs Rust 1.85.
RUST_MINOR_MIN=85
TOOLCHAIN_CACHE=target/toolchain
RUST_SRC=lib/rustlib/src/rust/library

host() { PATH="$host_path" "$@"; }

# RUSTC_BOOTSTRAP opens -Zbuild-std on a stable compiler.
arm() { PATH="$arm_path" RUSTC_BOOTSTRAP=1 "$@"; }

# new_enough PATH: whether it finds a cargo and rustc that do.
new_enough() {
    PATH="$1" cargo --version >/dev/null 2>&1 || return
    minor=$(PATH="$1" rustc --version 2>/dev/null | cut -d. -f2)
    [ "${minor:-0}" -ge "$RUST_MINOR_MIN" ]
}

# choose_toolchains: sets host_path, arm_path, arm_src; false if there is none for one of them.
choose_toolchains() {
    rustup_settings="${RUSTUP_HOME:-$HOME/.rustup}/settings.toml"
    key="${RUSTUP_TOOLCHAIN:-default} $PATH"
    if [ -e "$TOOLCHAIN_CACHE" ] && ! [ "$rustup_settings" -nt "$TOOLCHAIN_CACHE" ]; then
        {
            read -r cached_key && read -r host_path && read -r arm_path && read -r arm_src
        } <"$TOOLCHAIN_CACHE" && [ "$cached_key" = "$key" ] && [ -d "$arm_src" ] && return
    fi
    host_path='' arm_path=''
    for path in "$PATH" "/usr/bin:$PATH"; do
        new_enough "$path" || continue
        : "${host_path:=$path}"
        src="$(PATH="$path" rustc --print sysroot)/$RUST_SRC"
        if [ -z "$arm_path" ] && [ -d "$src" ]; then
            arm_path=$path arm_src=$src
        fi
    done
    [ -n "$host_path" ] && [ -n "$arm_path" ] || return
    mkdir -p "$(dirname "$TOOLCHAIN_CACHE")"
    printf '%s\n' "$key" "$host_path" "$arm_path" "$arm_src" >"$TOOLCHAIN_CACHE"
}
