#!/bin/sh
# Builds what is measured, and measures: bench.sh ARGUMENTS... (those of `stone bench`).
#
# Each build of stage1 is for one board with one part at one bus clock, because its NAND
# timing is solved when it is compiled; tools/stone/src/bench/case.rs says which.
set -eu
cd "$(dirname "$0")/.."

for board in gta02 mini2440 smdk2410; do
    tools/firmware.sh "$board" stage1 stage2 demo readers
done
HCLK_100=1 tools/firmware.sh gta02 stage1
for part in K9F2G08U0B MT29F2G08AAC; do
    NAND_PART=$part tools/firmware.sh mini2440 stage1
done
tools/stone.sh bench "$@"
