#!/bin/sh
# Formatting and Clippy, host and firmware: lint.sh BOARD...; warnings are errors.
# A toolchain without these tools (rustup's minimal profile) is told so and passes.
set -eu
cd "$(dirname "$0")/.."
. tools/toolchain.sh
choose_toolchains

# has WHO TOOL: whether the toolchain has it.
has() {
    "$1" "$2" --version >/dev/null 2>&1 && return
    echo "lint: no $2 for the $1 toolchain; left out" >&2
    return 1
}

if has host cargo-fmt && has host rustfmt; then
    host cargo-fmt fmt --all --check
fi
if has host cargo-clippy; then
    host cargo-clippy clippy --quiet --locked --workspace --all-targets -- -D warnings
fi
if has arm cargo-clippy; then
    for board; do
        tools/firmware.sh --lint "$board" stage1 stage2 demo readers
    done
fi
