#!/usr/bin/env bash
# Puts together what the shards of a campaign reported, as $REPORTS/all.json and as text.
#
#   merge.sh N [ARGUMENT OF hirace merge…]
set -euo pipefail
[ $# -ge 1 ] || { echo 'usage: merge.sh N [ARGUMENT…]' >&2; exit 2; }
n=$1
shift
reports=${REPORTS:-reports}
files=() missing=()
for k in $(seq "$n"); do
    file=$reports/$k-of-$n.json
    if [ -e "$file" ]; then files+=("$file"); else missing+=("$k/$n"); fi
done
if [ "${#missing[@]}" -gt 0 ]; then
    echo "these shards have no report in $reports: ${missing[*]}" >&2
    exit 3
fi
exec "${HIRACE:-hirace}" merge "${files[@]}" --report "json=$reports/all.json" "$@"
