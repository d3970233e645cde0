#!/bin/sh
# Builds the stages and prints their sizes: size.sh BOARD...; fails when one is over its limit.
set -eu
cd "$(dirname "$0")/.."

status=0
# row BOARD STAGE LIMIT
row() {
    bytes=$(wc -c <"target/$1/$2.bin")
    printf '%-22s %-8s %7d %7d %4d%%\n' "$1" "$2" "$bytes" "$3" $((bytes * 100 / $3))
    [ "$bytes" -le "$3" ] || status=1
}

for board; do
    tools/firmware.sh "$board" stage1 stage2
    tools/variants.sh "$board"
done
printf '%-22s %-8s %7s %7s %5s\n' board stage bytes limit used
for board; do
    # What the boot ROM copies; half a slot (images/*.toml), so that it can grow.
    for build in "$board" $(cd target && ls -d "$board"-* 2>/dev/null); do
        row "$build" stage1 4096
    done
    row "$board" stage2 262144
done
[ $status = 0 ] || echo "size.sh: over the limit" >&2
exit $status
