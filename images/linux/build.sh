#!/bin/sh
# Builds a small real Linux for the mini2440, with a busybox initramfs, as a payload.
#
# Linux 6.1 is the last long-term kernel with the board. Kernel and busybox are
# Debian's, so that both come signed and with their sources. The result is kept
# in target/linux (zImage, initramfs.cpio.gz, config) and made again only when a
# file of this directory changes. From nothing: 5 to 8 minutes on 2 cores.
set -eu
cd "$(dirname "$0")/../.."
here="$PWD/images/linux"
out="$PWD/target/linux"
work="$out/work"

key=$(cat "$here"/* | sha256sum)
if [ "$(cat "$out/key" 2>/dev/null)" = "$key" ]; then
    exit 0
fi
tools/setup.sh linux
rm -rf "$out"
mkdir -p "$work/kernel"

# logged COMMAND...: keeps the output for the case that it fails.
logged() {
    "$@" >>"$out/log" 2>&1 && return
    tail -n 20 "$out/log" >&2
    echo "linux: failed: $*; the whole output is in $out/log" >&2
    exit 1
}

# kbuild ARGUMENTS: make in the kernel's source tree, built in a directory of its own.
kbuild() {
    logged make -C "$work/linux-source-6.1" O="$work/kernel" ARCH=arm CROSS_COMPILE=arm-linux-gnueabi- \
        KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=steppingstone KBUILD_BUILD_HOST=steppingstone "$@"
}

# armel_apt ARGUMENTS: apt-get for armel packages that knows nothing of the machine's own, and needs no root.
armel_apt() {
    (cd "$work/apt" && logged apt-get -qq -o APT::Architecture=armel -o APT::Architectures=armel \
        -o Dir::State="$work/apt" -o Dir::State::Status="$work/apt/status" -o Dir::Cache="$work/apt" \
        -o APT::Sandbox::User="$(id -un)" "$@")
}

echo "linux: unpacking the source"
tar -C "$work" -xf /usr/src/linux-source-6.1.tar.xz
kbuild mini2440_defconfig
# shellcheck disable=SC2046 # a list of words
"$work/linux-source-6.1/scripts/config" --file "$work/kernel/.config" $(grep -v '^#' "$here/config")
kbuild olddefconfig
echo "linux: building zImage (some minutes)"
kbuild -j"$(nproc)" zImage

echo "linux: building the initramfs"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
touch "$work/apt/status"
armel_apt update
armel_apt download busybox-static
dpkg-deb -x "$work"/apt/busybox-static_*_armel.deb "$work/busybox-static"
cc -o "$work/gen_init_cpio" "$work/linux-source-6.1/usr/gen_init_cpio.c"
cp "$here/init" "$work/busybox-static/bin/busybox" "$work"
# The same bytes whenever it is made.
touch -d @0 "$work/init" "$work/busybox"
INIT="$work/init" BUSYBOX="$work/busybox" \
    "$work/gen_init_cpio" -t 0 "$here/initramfs" >"$work/initramfs.cpio"
gzip -9n <"$work/initramfs.cpio" >"$out/initramfs.cpio.gz"

cp "$work/kernel/.config" "$out/config"
cp "$work/kernel/arch/arm/boot/zImage" "$out/zImage"
rm -rf "$work"
# Last, so that a build which was interrupted is made again.
echo "$key" >"$out/key"
