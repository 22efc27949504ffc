#!/usr/bin/env bash
# Runs the whole device test suite on this machine's device, and writes a page of results: racy twins,
# 2,000 random kernels, outputs compared with plain Rust, contents in every format, error messages, large launches, and the
# cost of monitoring.
#
#   scripts/device.sh [PAGE]             writes the page to PAGE [default: target/device.md]
#
# HIRACE_DEVICE names the device, like `--device`; the default is the first device that is not the processor.
# Needs cargo and a driver. If HIRACE_TESTS and HIRACE_KERNELS name test binaries that are already built
# (`cargo test -p hirace-cli -p hirace-kernels --test it --lib --no-run`), nothing is built.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never HIRACE_TEST='tier=ci require=gpu'
page=${1:-target/device.md}
mkdir -p "$(dirname "$page")" target
log=target/device.log

tests() {
    if [ -n "${HIRACE_TESTS:-}" ]; then
        "$HIRACE_TESTS" "$@"
    else
        cargo test --quiet -p hirace-cli -p hirace-kernels --test it -- "$@"
    fi
}

kernels() {
    if [ -n "${HIRACE_KERNELS:-}" ]; then
        "$HIRACE_KERNELS" "$@"
    else
        cargo test --quiet -p hirace-cli -p hirace-kernels --lib -- "$@"
    fi
}

# Measures times first, while nothing else runs.
times=failed
if tests --ignored --exact device::full_tells_the_slowdown >target/device.slowdown.log 2>&1; then times=measured; fi
started=$(date +%s)
scratch=target/tmp/device
rust=target/device.kernels.log
set +e
# Standard error goes to a separate file, because output of drivers would be mixed with the lines that are counted. The 3,540
# launches of the corpus are skipped, because they take longer than all the rest:
# `cargo run --release -p hirace-bench -- detect --device NAME` runs them.
tests --include-ignored --test-threads=1 --skip device::full_tells_the_slowdown \
    --skip device::full_agrees_on_patterns device:: >"$log" 2>"$log.errors"
status=$?
HIRACE_DEVICE=${HIRACE_DEVICE:-$(cat $scratch/name.txt)} kernels --format=pretty >"$rust" 2>"$rust.warnings" || status=1
set -e
seconds=$(($(date +%s) - started))

# Prints the number of passed trials, and of all trials, whose names match.
count() {
    counted "$log" "device::($1)" "$2"
}

counted() {
    local all passed
    all=$(grep -cE "^test +(\[[a-z ]+\] +)?$2.* \.\.\. (ok|FAILED)" "$1" || true)
    passed=$(grep -cE "^test +(\[[a-z ]+\] +)?$2.* \.\.\. ok" "$1" || true)
    printf '| %s | %s of %s |\n' "$3" "$passed" "$all"
}
{
    printf '# %s\n\n' "$(cat $scratch/device.txt 2>/dev/null || echo 'no device was found')"
    printf 'Written by `scripts/device.sh` on %s, on %s, commit %s.\n\n' \
        "$(date -u +%Y-%m-%d)" "$(uname -sm)" "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
    [ $status -eq 0 ] && printf 'All trials passed, in %s seconds.\n\n' "$seconds"
    [ $status -eq 0 ] || printf '**Not all trials passed.**\n\n'
    printf '| trials | passed |\n|---|---:|\n'
    count 'agrees_on_[a-z_0-9.]*(racy|clean|block_sum)|reports_what' 'WGSL kernels, each with its racy twin, against the embedded executor and the oracle'
    count 'agrees_on_kernels_in_Rust' 'files of kernels in Rust, with their racy twins'
    counted "$rust" '' 'tests of kernels in Rust: outputs compared with plain Rust, races where they are marked'
    count '(full_)?agrees_on_random_kernels' 'groups of 50 random kernels, against the embedded executor and the oracle'
    count '(full_)?divergence_' 'barriers that not all invocations reach, in written and random kernels'
    count '(full_)?(a_sweep|wide_words|shared_slots|small_bindings)_' 'layouts of shadow memory, over 1,000 random kernels each'
    count 'textures_keep|reads_|keeps_arrays|keeps_atomics|runs_dispatches|warns_of' 'contents of buffers and textures, in every format'
    count 'library' 'checks through the library'
    count 'refuses|says_|keeps_what|goes_on|ends_' 'error messages'
    count '(full_)?agrees_on_[0-9]|(full_)?agrees_on_(a|the)_|names_what' 'large launches'
    if grep -qE '^test .* FAILED' "$log" "$rust"; then
        printf '\nFailed:\n\n'
        grep -hE '^test .*FAILED' "$log" "$rust" | sed -E 's/^test +(\[[a-z ]+\] +)?([^ ]+).*/- `\2`/'
    fi
    if grep -q 'a launch ran on the embedded executor' "$rust.warnings"; then
        printf '\nOf the tests of kernels in Rust, these ran on the embedded executor instead:\n\n'
        grep 'a launch ran on the embedded executor' "$rust.warnings" | sort -u |
            sed -E 's/^([^ ]+): a launch ran on the embedded executor: (.*)/- `\1`: \2/'
    fi
    printf '\n## Cost of monitoring\n\nTimes of dispatches only, minimum of nine, without and with monitoring in the same run.\n\n'
    if [ $times = measured ]; then cat $scratch/slowdown.md; else printf 'Could not be measured: see target/device.slowdown.log.\n'; fi
} >"$page"
cat "$page"
exit $status
