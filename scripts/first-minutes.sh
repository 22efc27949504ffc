#!/usr/bin/env bash
# Measures how long README's two commands take for a new user: with downloaded crates, an empty target folder, and one
# after the other.
#
#     scripts/first-minutes.sh [FOLDER]
#
# Prints the seconds of each command, and fails if one of them fails. FOLDER, if given, becomes the target folder and is kept.
# Measurements need an idle machine; docs/evaluation/speed.md has some.
set -euo pipefail
cd "$(dirname "$0")/.."

readme() { sed -n '/^```sh$/,/^```$/{/^```/d;p}' README.md | grep '^cargo ' | sed -n "$1p"; }

target=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$target"' EXIT
if [ -n "$(ls -A "$target" 2>/dev/null)" ]; then
    echo "$target is not empty" >&2
    exit 2
fi
export CARGO_TARGET_DIR=$target
cargo fetch --locked --quiet

total=0
for number in 1 2; do
    command=$(readme "$number")
    log=$target.log
    started=$SECONDS
    status=0
    $command >"$log" 2>&1 || status=$?
    seconds=$((SECONDS - started))
    total=$((total + seconds))
    printf '%5d s  exit %d  %s\n' "$seconds" "$status" "$command"
    # The first command finds a race, so its exit status is 1.
    if [ "$status" -ne $((2 - number)) ]; then
        tail -40 "$log" >&2
        exit 1
    fi
    rm -f "$log"
done
printf '%5d s  both\n' "$total"
