#!/bin/sh
# Builds what is measured, and measures: bench.sh ARGUMENTS... (those of `stone bench`).
set -eu
cd "$(dirname "$0")/.."

for board in gta02 mini2440 smdk2410; do
    tools/firmware.sh "$board" stage1 stage2 demo readers
    tools/variants.sh "$board"
done
tools/stone.sh bench "$@"
