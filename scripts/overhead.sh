#!/usr/bin/env bash
# Measures what checking costs on a device in one call, and writes what came of it into a folder: overhead.json (all that
# was measured), overhead.html (a page with the plot), overhead.svg (the plot) and overhead.txt (the tables).
#
#   scripts/overhead.sh DEVICE [FOLDER] [FLAG…]
#
# DEVICE is as `--device` takes it: a number, or a part of a name. FOLDER is where the files go [default: target/overhead].
# What follows is handed on to `hirace-bench overhead`: `--quick` for a first look, `--sample 100` for fewer kernels.
# Needs cargo and a driver. HIRACE_BENCH names a binary that was built before (`cargo build --release -p hirace-bench`), so
# that nothing is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:?a device: its number or a part of its name}
folder=${2:-target/overhead}
shift $(($# < 2 ? $# : 2))
mkdir -p "$folder"

# A first run is one of which drivers have kept nothing from the run before.
export MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0

if [ -z "${HIRACE_BENCH:-}" ]; then
    cargo build --quiet --release -p hirace-bench
    HIRACE_BENCH=target/release/hirace-bench
fi
"$HIRACE_BENCH" overhead --device embedded --device "$device" "$@" \
    --output "$folder/overhead.txt" --json "$folder/overhead.json" \
    --page "$folder/overhead.html" --plot "$folder/overhead.svg"
cat "$folder/overhead.txt"
