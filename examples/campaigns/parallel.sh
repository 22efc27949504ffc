#!/usr/bin/env bash
# Runs the shards of a campaign on this machine, JOBS at a time, and puts them together.
#
#   parallel.sh N VERB [ARGUMENT…]        parallel.sh 8 amplify --schedules 1000 --jobs 1 -- cargo test
#
# A shard that fails is begun up to TRIES times. The same command goes on where it was ended, and exits as `hirace merge`
# does: with 1 if something was found.
set -euo pipefail
[ $# -ge 2 ] || { echo 'usage: parallel.sh N VERB [ARGUMENT…]' >&2; exit 2; }
n=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

# GNU parallel quotes with -q; without it there is xargs everywhere.
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    each=(parallel -q --jobs "$jobs" -I SHARD_NUMBER)
else
    each=(xargs -P "$jobs" -I SHARD_NUMBER)
fi
# Those that failed are missing when the others are merged, which says so.
seq "$n" | "${each[@]}" "$here/shard.sh" SHARD_NUMBER "$n" "$@" || true
exec "$here/merge.sh" "$n"
