#!/usr/bin/env bash
# Runs the whole device suite on this machine's device in one call, and writes a page of results: racy twins,
# 2,000 random kernels, contents of every format, refusals, large launches, and what watching costs.
#
#   scripts/device.sh [PAGE]             where the page is written [default: target/device.md]
#
# HIRACE_DEVICE names the device, as `--device` takes it; without it, it is the first that is not the processor.
# Needs cargo and a driver. HIRACE_TESTS names a test binary that was built before
# (`cargo test -p hirace-cli --test it --no-run`), so that nothing is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never HIRACE_REQUIRE_GPU=1
page=${1:-target/device.md}
mkdir -p "$(dirname "$page")" target
log=target/device.log

tests() {
    if [ -n "${HIRACE_TESTS:-}" ]; then
        "$HIRACE_TESTS" "$@"
    else
        cargo test --quiet -p hirace-cli --test it -- "$@"
    fi
}

# The times first, alone on the machine.
times=failed
if tests --ignored --exact device::full_tells_the_slowdown >target/device.slowdown.log 2>&1; then times=measured; fi
started=$(date +%s)
set +e
tests --include-ignored --test-threads=1 --skip device::full_tells_the_slowdown device:: >"$log" 2>&1
status=$?
set -e
seconds=$(($(date +%s) - started))

# How many trials whose names match passed, of how many.
count() {
    local all passed
    all=$(grep -cE "^test device::($1).* \.\.\. (ok|FAILED)" "$log" || true)
    passed=$(grep -cE "^test device::($1).* \.\.\. ok" "$log" || true)
    printf '| %s | %s of %s |\n' "$2" "$passed" "$all"
}

scratch=target/tmp/device
{
    printf '# %s\n\n' "$(cat $scratch/device.txt 2>/dev/null || echo 'no device was found')"
    printf 'Written by `scripts/device.sh` on %s, on %s, commit %s.\n\n' \
        "$(date -u +%Y-%m-%d)" "$(uname -sm)" "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
    [ $status -eq 0 ] && printf 'All trials passed, in %s seconds.\n\n' "$seconds"
    [ $status -eq 0 ] || printf '**Not all trials passed.**\n\n'
    printf '| trials | passed |\n|---|---:|\n'
    count 'agrees_on_[a-z_0-9.]*(racy|clean|block_sum)|reports_what' 'WGSL kernels, each with its racy twin, against the embedded executor and the oracle'
    count 'agrees_on_kernels_in_Rust' 'files of kernels in Rust, with their racy twins'
    count '(full_)?agrees_on_random_kernels' 'fifties of random kernels, against the embedded executor and the oracle'
    count 'textures_keep|reads_|keeps_arrays|keeps_atomics|runs_dispatches|warns_of' 'contents of buffers and textures, in every format'
    count 'refuses|says_|keeps_what|goes_on|ends_' 'failures, said in words'
    count '(full_)?agrees_on_[0-9]|(full_)?agrees_on_(a|the)_|names_what' 'large launches'
    if grep -qE '^test .* FAILED' "$log"; then
        printf '\nFailed:\n\n'
        grep -oE '^test device::[^ ]+ .*FAILED' "$log" | sed -E 's/^test (device::[^ ]+).*/- `\1`/'
    fi
    printf '\n## What watching costs\n\nTimes of dispatches alone, the least of nine, bare and watched in one run.\n\n'
    if [ $times = measured ]; then cat $scratch/slowdown.md; else printf 'It could not be measured: see target/device.slowdown.log.\n'; fi
} >"$page"
cat "$page"
exit $status
