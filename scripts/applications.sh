#!/usr/bin/env bash
# Runs unmodified third-party applications under `hirace run`.
#
#   scripts/applications.sh HIRACE [smoke]
#
# With `smoke`, only runs `cargo check` on them, with hirace in place of wgpu.
set -euo pipefail
hirace=$(realpath "${1:?usage: scripts/applications.sh HIRACE [smoke]}")
cd "$(dirname "$0")/.."
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

cargo fmt --check --manifest-path applications/Cargo.toml
# hirace_run ARGUMENTS OF THE APPLICATION: prints the application's output, and the exit status if it is not 0.
hirace_run() {
    (cd applications && HIRACE_DEVICE= LP_NUM_THREADS=0 "$hirace" run --no-default-features --quiet -- "$@" 2>&1) ||
        printf 'exit status %s\n' $?
}
if [ "${2:-}" = smoke ]; then
    # A wrapper that hirace calls instead of cargo, and that replaces `cargo run` by `cargo check`.
    cargo=$(mktemp)
    trap 'rm -f "$cargo"' EXIT
    cat >"$cargo" <<'CARGO'
#!/usr/bin/env bash
arguments=()
for argument in "$@"; do
    case $argument in
        --) break ;;
        run) arguments+=(check) ;;
        *) arguments+=("$argument") ;;
    esac
done
exec cargo "${arguments[@]}"
CARGO
    chmod +x "$cargo"
    checked=$(CARGO=$cargo hirace_run)
    ! grep -q 'exit status' <<<"$checked" || fail "the applications do not compile: $checked"
    grep -q 'nothing was checked' <<<"$checked" || fail "hirace run does not report that nothing was checked: $checked"
else
    clean=$(hirace_run run particular --plain)
    grep -q '^hirace: 0 findings; 1 of 6 dispatches checked' <<<"$clean" || fail "unexpected output for a clean application: $clean"
    ! grep -q 'exit status' <<<"$clean" || fail "unexpected output for a clean application: $clean"
    planted=$(hirace_run run particular --plain --plant)
    grep -q 'data race on `shared_particles' <<<"$planted" && grep -q 'exit status 1' <<<"$planted" ||
        fail "unexpected output for an application with a planted race: $planted"
fi
git diff --quiet -- applications || fail 'hirace run changed a file of the applications'
