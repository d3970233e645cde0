#!/bin/sh
# Installs what is missing on Debian 12: setup.sh [linux]
#
# Without an argument, what building and testing needs; with `linux`, what
# images/linux/build.sh needs beside it. Does nothing, quickly, when all is there.
set -eu
cd "$(dirname "$0")/.."
. tools/toolchain.sh

missing=''
# need PACKAGE COMMAND...: notes the package unless the command succeeds.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
program() { command -v "$1"; }
file() { [ -e "$1" ]; }
libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] || [ -n "$(ls -d /usr/lib/llvm-*/lib/libclang*.so* /usr/lib*/libclang*.so* 2>/dev/null)" ]
}

debian_rust() { [ "$(PATH="$1" && command -v cargo)" = /usr/bin/cargo ]; }

find_missing() {
    missing=''
    need make program make
    need gcc program cc
    need libc6-dev file /usr/include/stdio.h
    need ca-certificates file /etc/ssl/certs/ca-certificates.crt
    # Unicorn, the CPU of the simulator, is C: built by CMake, bound by bindgen.
    need cmake program cmake
    need pkg-config program pkg-config
    need libclang-dev libclang
    need binutils-arm-none-eabi program arm-none-eabi-ld
    # The reference that packed images are compared with, and what the images for tests are made with.
    need u-boot-tools program mkimage
    # Senders of files over a serial line.
    need lrzsz program sx
    need gkermit program gkermit
    need device-tree-compiler program dtc
    need lz4 program lz4
    # And those that read and write the environment from Linux.
    need libubootenv-tool program fw_printenv
    if choose_toolchains; then
        # Packages of their own; a rustup without these components is left as its user wants it.
        if debian_rust "$host_path"; then need rustfmt-web file /usr/bin/cargo-fmt; fi
        if debian_rust "$arm_path"; then need rust-web-clippy file /usr/bin/cargo-clippy; fi
    else
        missing="$missing cargo-web rustc-web rust-web-src rust-web-clippy rustfmt-web"
    fi
    [ "${1:-}" = linux ] || return 0
    need linux-source-6.1 file /usr/src/linux-source-6.1.tar.xz
    need gcc-arm-linux-gnueabi program arm-linux-gnueabi-gcc
    for package in bc bison flex; do
        need $package program $package
    done
    need libssl-dev file /usr/include/openssl/opensslv.h
    need xz-utils program xz
}

find_missing "$@"
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
explain() {
    echo "setup: $1. What is missing, by its Debian 12 names:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
}

command -v apt-get >/dev/null || explain "no apt here"
if [ "$(id -u)" = 0 ]; then
    as_root=env
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root="sudo env"
else
    explain "neither root nor sudo"
fi

echo "setup: installing$missing"
# --no-remove: Debian's own rustc conflicts with the newer rustc-web; taking it
# away is not for us to decide.
# shellcheck disable=SC2086 # lists of words
$as_root apt-get -qq update &&
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq --no-remove -o Dpkg::Use-Pty=0 ${install#apt-get } >/dev/null ||
    explain "apt failed"

find_missing "$@"
[ -z "$missing" ] || explain "still not complete"
