#!/usr/bin/env bash
# Runs the tests of the ci tier repeatedly, to find tests whose result depends on the load of the machine. Runs alternate between
# three modes: alone, pinned to one processor, and next to busy loops. Each run has a new seed. Stops at the first failure and
# prints the seed.
#
#   scripts/flaky.sh [RUNS [LOOPS]]     number of runs [default: 20], and of loops in each third run [default: 4]
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-20}
loops=${2:-4}

busy=()
stop() { [ "${#busy[@]}" -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true; busy=(); }
trap stop EXIT
log=target/flaky.log
# Builds first, so that the build is not affected.
cargo xtask test --ci --require all no_test_has_this_name >/dev/null

for ((run = 1; run <= runs; run++)); do
    started=$SECONDS
    pinned=()
    case $((run % 3)) in
        1) how=alone ;;
        2) how='on one processor'; pinned=(taskset -c 0) ;;
        0)
            how="next to $loops busy loops"
            for ((i = 0; i < loops; i++)); do
                (while :; do :; done) &
                busy+=($!)
            done
            ;;
    esac
    if ! "${pinned[@]}" cargo xtask test --ci --require all >"$log" 2>&1; then
        cat "$log"
        echo "run $run of $runs failed, $how" >&2
        exit 1
    fi
    stop
    echo "run $run of $runs: passed in $((SECONDS - started)) s, $how, $(tail -n 1 "$log")"
done
