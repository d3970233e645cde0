#!/bin/sh
# All tests: test.sh BOARD... (the boards whose firmware they run).
set -eu
cd "$(dirname "$0")/.."
. tools/toolchain.sh
choose_toolchains || { echo "test.sh: no Rust: run tools/setup.sh" >&2 && exit 1; }

# Side by side: most of the time goes into `core`, one crate and so one processor.
pids=''
for board; do
    { tools/firmware.sh "$board" stage1 stage2 demo demo-small readers stage1-sabotage && tools/variants.sh "$board"; } &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid"
done
host cargo test --quiet --locked --workspace
