#!/bin/sh
# Builds the stage1 of a board that the benchmark and the tests need besides the plain one, each
# for one part or bus clock: variants.sh BOARD...
# Its NAND timing is solved when it is compiled; tools/stone/src/bench/case.rs says which are measured.
set -eu
cd "$(dirname "$0")/.."

for board; do
    case $board in
    gta02) HCLK_100=1 tools/firmware.sh gta02 stage1 ;;
    mini2440)
        for part in K9F2G08U0B MT29F2G08AAC; do
            NAND_PART=$part tools/firmware.sh mini2440 stage1
        done
        ;;
    esac
done
