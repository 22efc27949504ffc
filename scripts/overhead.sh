#!/usr/bin/env bash
# Measures the overhead of checking on a device, and writes the results into a folder: overhead.json (all measurements),
# overhead.html (a page with the plot), overhead.svg (the plot) and overhead.txt (the tables).
#
#   scripts/overhead.sh DEVICE [FOLDER] [FLAG…]
#
# DEVICE is a number or a part of a name, like the argument of `--device`. Files go to FOLDER [default: target/overhead].
# Flags are passed to `hirace-bench overhead`: `--quick` for a first impression, `--sample 100` for fewer kernels.
# Needs cargo and a driver. If HIRACE_BENCH names a binary that is already built (`cargo build --release -p hirace-bench`),
# nothing is built.
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:?usage: scripts/overhead.sh DEVICE [FOLDER] [FLAG…]}
folder=${2:-target/overhead}
shift $(($# < 2 ? $# : 2))
mkdir -p "$folder"

# Disables the shader caches of drivers, so that each first run is a real first run.
export MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0

if [ -z "${HIRACE_BENCH:-}" ]; then
    cargo build --quiet --release -p hirace-bench
    HIRACE_BENCH=target/release/hirace-bench
fi
"$HIRACE_BENCH" overhead --device embedded --device "$device" "$@" \
    --output "$folder/overhead.txt" --json "$folder/overhead.json" \
    --page "$folder/overhead.html" --plot "$folder/overhead.svg"
cat "$folder/overhead.txt"
