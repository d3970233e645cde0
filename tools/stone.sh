#!/bin/sh
# Runs stone, built if need be: stone.sh ARGUMENTS...
set -eu
cd "$(dirname "$0")/.."
. tools/toolchain.sh
choose_toolchains || { echo "stone.sh: no Rust: run tools/setup.sh" >&2 && exit 1; }
host cargo run --quiet --locked --package stone -- "$@"
