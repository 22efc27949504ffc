#!/usr/bin/env bash
# Compares the output of two builds of hirace for every kernel in this repository, which a refactoring must not change:
# reports in JSON and as text, standard error, and exit statuses.
#
#   scripts/compare-reports.sh BEFORE AFTER [FLAG…]     flags are passed to both, such as --schedules 3 or --device llvmpipe
#
# Prints the differences and exits with status 1 if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 2 ] || { sed -n '2,/^set/{/^set/d;p}' "$0" >&2; exit 2; }
before=$(realpath "$1") after=$(realpath "$2")
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

report() {
    local binary=$1 to=$2 file=$3 format
    shift 3
    for format in text json; do
        set +e
        "$binary" check "$file" --format "$format" "$@" >>"$to" 2>&1
        printf '\nexit status %s\n' $? >>"$to"
        set -e
    done
}

compared=0 different=0
while IFS= read -r file; do
    rm -f "$scratch"/*
    report "$before" "$scratch/before" "$file" "$@"
    report "$after" "$scratch/after" "$file" "$@"
    compared=$((compared + 1))
    if ! diff -u --label "$file (before)" --label "$file (after)" "$scratch/before" "$scratch/after"; then
        different=$((different + 1))
    fi
done < <(git ls-files '*.wgsl' '*.comp' '*.spv' 'kernels/src/*.rs' 'hirace-bench/patterns/*.rs')
printf '%s files compared, %s with different reports\n' "$compared" "$different"
[ "$compared" -gt 0 ] && [ "$different" -eq 0 ]
