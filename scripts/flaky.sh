#!/usr/bin/env bash
# Runs those tests again and again that depend on what else goes on: on crates that are fetched while others
# want them too, and on how busy the machine is. Each run has an empty cargo home, and busy loops beside it.
#
#   scripts/flaky.sh [RUNS [LOOPS]]     20 runs with 4 loops, if nothing is said
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-20}
loops=${2:-4}

built=$(cargo test --locked -p hirace-cli --test it --no-run 2>&1 | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')
[ -x "$built" ] || { echo 'the tests were not built' >&2; exit 1; }

busy=()
scratch=$(mktemp -d)
end() {
    [ "${#busy[@]}" -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true
    rm -rf "$scratch"
}
trap end EXIT
for ((i = 0; i < loops; i++)); do
    (while :; do :; done) &
    busy+=($!)
done

export HIRACE_LONG=1 HIRACE_REQUIRE_CORPUS=1
for ((run = 1; run <= runs; run++)); do
    rm -rf "$scratch/home"
    mkdir -p "$scratch/home"
    # Where crates come from, if that is said for this user, and nothing else.
    [ -f "${CARGO_HOME:-$HOME/.cargo}/config.toml" ] && cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$scratch/home/"
    started=$SECONDS
    for tests in corpus:: device::agrees_on_unbounded_loop; do
        if ! CARGO_HOME="$scratch/home" "$built" "$tests" >"$scratch/log" 2>&1; then
            cat "$scratch/log"
            echo "run $run of $runs failed: $tests" >&2
            exit 1
        fi
        grep -q '^test result: ok. [1-9]' "$scratch/log" || { echo "run $run: no test of $tests ran" >&2; exit 1; }
    done
    echo "run $run of $runs: passed in $((SECONDS - started)) s"
done
