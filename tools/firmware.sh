#!/bin/sh
# Builds the ARM binaries of one board: firmware.sh [--lint] BOARD [PART]..., by default
# stage1, stage2 and demo. Each ends as target/BOARD/PART.elf and PART.bin. With --lint
# Clippy looks at them instead.
#
# PART stage1-sabotage is stage1 with NAND strobes one HCLK too short: the tests prove
# with it that the simulator notices. PART demo-small is the demo without most of its
# ballast, for tests that are not about speed.
#
# In the environment: NAND_PART=NAME builds for a board known to carry that part and no other,
# HCLK_100=1 a gta02 with its bus at 100 MHz. Such builds end in target/BOARD-VARIANT.
set -eu
cd "$(dirname "$0")/.."
. tools/toolchain.sh

fail() {
    echo "firmware.sh: $*" >&2
    exit 1
}

lint=''
if [ "${1:-}" = --lint ]; then
    lint=yes
    shift
fi
board=${1:-}
[ -n "$board" ] && [ -e "platform/src/board/$board.rs" ] || fail "no such board: '$board' (platform/src/board/BOARD.rs)"
shift
[ $# -gt 0 ] || set -- stage1 stage2 demo
choose_toolchains || fail "no Rust with the source of core: run tools/setup.sh"

# What linker/BOARD.ld says of the core, if it is not an ARMv4T.
isa=$(sed -n 's/.*core: \(armv[0-9a-z]*\).*/\1/p' "linker/$board.ld")
isa=${isa:-armv4t}

# Cargo's files are apart from the host's (other flags, other compiler), and the
# boards' from each other, or each would be built anew after the other.
export BOARD="$board" CARGO_TARGET_DIR="target/firmware/$board"
out="target/$board${NAND_PART:+-$NAND_PART}${HCLK_100:+-100mhz}"
mkdir -p "$out"
for part; do
    bin=$part features=firmware
    case $part in
    stage1) package=boot arch=thumb${isa#arm}-none-eabi profile=stage1 ;;
    stage2) package=boot arch=thumb${isa#arm}-none-eabi profile=firmware ;;
    stage1-sabotage)
        package=boot arch=thumb${isa#arm}-none-eabi profile=stage1
        bin=stage1 features=firmware,sabotage
        ;;
    demo-small)
        package=demo arch=$isa-none-eabi profile=firmware
        bin=demo
        ;;
    demo | readers) package=$part arch=$isa-none-eabi profile=firmware ;;
    *) fail "no such part: $part (stage1, stage2, demo, demo-small, readers, stage1-sabotage)" ;;
    esac
    target=$arch
    if [ "$package" = boot ]; then
        # Thumb, because it is smaller; what must be fast is A32 by its own wish. And
        # without the frame pointer that the target's description insists on: it takes
        # one of Thumb's eight registers, some 7 % of the code.
        target=$CARGO_TARGET_DIR/stage-thumb.json
        mkdir -p "$CARGO_TARGET_DIR"
        arm rustc -Zunstable-options --print target-spec-json --target "$arch" >"$target.spec"
        sed 's/"frame-pointer": "always"/"frame-pointer": "may-omit"/' "$target.spec" >"$target.new"
        # Cargo builds anew when the file changes.
        cmp -s "$target.new" "$target" || cp "$target.new" "$target"
        arch=stage-thumb
        arm cargo -Zhelp | grep -q json-target-spec && set -- -Zjson-target-spec || set --
    else
        set --
    fi
    # stage1 brings its own copies and fills; for a target of ours nobody else brings any.
    [ "$part" != stage2 ] || set -- "$@" -Zbuild-std-features=compiler-builtins-mem
    set -- "$@" --quiet --locked --profile $profile -Zbuild-std=core,alloc --target "$target" \
        --package "$package" --features "$features" --bin "$bin"
    if [ -n "$lint" ]; then
        arm cargo-clippy clippy "$@" -- -D warnings
        continue
    fi
    case $part in
    demo-small) DEMO_SIZE=98304 arm cargo build "$@" ;;
    *) arm cargo build "$@" ;;
    esac
    elf="$CARGO_TARGET_DIR/$arch/$profile/$bin"
    arm-none-eabi-objcopy -O binary "$elf" "$out/$part.new"
    if [ "$package" = demo ]; then
        # The CRC-32 it checks itself against (images/demo/linker/demo.ld); gzip's trailer starts with it.
        gzip -c "$out/$part.new" | tail -c 8 | head -c 4 >>"$out/$part.new"
    fi
    cp "$elf" "$out/$part.elf"
    mv "$out/$part.new" "$out/$part.bin"
done
