#!/usr/bin/env bash
# Runs one shard of a campaign until it comes to its end.
#
#   shard.sh K N VERB [ARGUMENT…]
#
# $REPORTS/K-of-N.json is there when it has: then nothing is run. HIRACE is the command, REPORTS the folder for reports,
# TRIES how often a shard is begun that fails.
set -uo pipefail
[ $# -ge 3 ] || { echo 'usage: shard.sh K N VERB [ARGUMENT…]' >&2; exit 2; }
k=$1 n=$2 verb=$3
shift 3
reports=${REPORTS:-reports} tries=${TRIES:-3}
report=$reports/$k-of-$n.json
[ ! -e "$report" ] || exit 0
mkdir -p "$reports" || exit 3

# These go on where they were ended; no two shards may keep themselves in one folder.
kept=()
case $verb in amplify | mutate) kept=(--output "$reports/kept/$k-of-$n") ;; esac

for ((try = 1; try <= tries; try++)); do
    "${HIRACE:-hirace}" "$verb" --shard "$k/$n" ${kept[@]+"${kept[@]}"} --quiet \
        --report "json=$report.part" "$@" </dev/null
    status=$?
    case $status in
        # Nothing found, something found, nothing concluded: each is an answer.
        0 | 1 | 4) mv "$report.part" "$report" && exit 0 ;;
        # What is asked for is wrong, and stays so.
        2) exit 2 ;;
    esac
    echo "shard $k/$n ended with status $status (try $try of $tries)" >&2
done
exit 3
