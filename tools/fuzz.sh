#!/bin/sh
# Fuzzes one target, or all in turn, without cargo-fuzz and without a nightly Rust:
#
#   fuzz.sh TARGET|all SECONDS [LIBFUZZER OPTION]...
#
# What libFuzzer finds on the way goes to target/fuzz/corpus/TARGET, inputs that fail to
# target/fuzz/crashes/TARGET-*. A failing input belongs into tools/fuzz/corpus/TARGET, which
# `make test` replays. SANITIZER=none leaves AddressSanitizer out: three times as fast.
#
# With cargo-fuzz: cargo fuzz run --fuzz-dir tools/fuzz --features libfuzzer TARGET
set -eu
cd "$(dirname "$0")/.."
. tools/toolchain.sh

targets=$(cd tools/fuzz/fuzz_targets && ls | sed 's/\.rs$//')
fail() {
    echo "fuzz.sh: $*" >&2
    exit 1
}
[ $# -ge 2 ] || fail "usage: fuzz.sh TARGET|all SECONDS [LIBFUZZER OPTION]...; targets:" $targets
target=$1 seconds=$2
shift 2
[ "$target" = all ] || [ -e "tools/fuzz/fuzz_targets/$target.rs" ] || fail "no such target: '$target'; there are:" $targets
[ "$target" != all ] || target=$targets
choose_toolchains || fail "no Rust: run tools/setup.sh"

# What cargo-fuzz passes, which stable compilers take only under RUSTC_BOOTSTRAP.
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
    -Ccodegen-units=1 -Cdebug-assertions --cfg fuzzing --check-cfg=cfg(fuzzing)"
sanitizer=${SANITIZER:-address}
[ "$sanitizer" = none ] || flags="$flags -Zsanitizer=$sanitizer"
triple=$(host rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="$(echo $flags)" CARGO_TARGET_DIR=target/fuzz
host cargo build --quiet --locked --release --package fuzz --bins --features libfuzzer --target "$triple"

for name in $target; do
    mkdir -p "target/fuzz/corpus/$name" target/fuzz/crashes
    "target/fuzz/$triple/release/$name" -max_total_time="$seconds" -timeout=20 -print_final_stats=1 \
        -artifact_prefix="target/fuzz/crashes/$name-" "$@" \
        "target/fuzz/corpus/$name" "tools/fuzz/corpus/$name"
done
