#!/usr/bin/env bash
# How long README's two commands take from nothing but downloaded crates: into an empty target folder, one after the
# other, as somebody new would run them.
#
#     scripts/first-minutes.sh [FOLDER]
#
# prints seconds for each, and fails if one of them does. FOLDER, if given, is kept as the target folder. Figures mean
# something on a machine that does nothing else; docs/speed.md has some.
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
    # The first finds a race, and says so by its exit status.
    if [ "$status" -ne $((2 - number)) ]; then
        tail -40 "$log" >&2
        exit 1
    fi
    rm -f "$log"
done
printf '%5d s  both\n' "$total"
