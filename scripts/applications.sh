#!/usr/bin/env bash
# Runs applications that others wrote under `hirace run`, with no line of them changed.
#
#   scripts/applications.sh HIRACE [smoke]
#
# With `smoke` they are only compiled as far as cargo checks them, with hirace in the place of wgpu.
set -euo pipefail
hirace=$(realpath "${1:?usage: scripts/applications.sh HIRACE [smoke]}")
cd "$(dirname "$0")/.."
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

cargo fmt --check --manifest-path applications/Cargo.toml
# hirace_run ARGUMENTS OF THE APPLICATION: prints what it prints, and the exit status unless it is 0.
hirace_run() {
    (cd applications && HIRACE_DEVICE= LP_NUM_THREADS=0 "$hirace" run --no-default-features --quiet -- "$@" 2>&1) ||
        printf 'exit status %s\n' $?
}
if [ "${2:-}" = smoke ]; then
    # hirace asks this for cargo, which checks what it is asked to run.
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
    grep -q 'nothing was checked' <<<"$checked" || fail "hirace run says nothing: $checked"
else
    clean=$(hirace_run run particular --plain)
    grep -q '^hirace: 0 findings; 1 of 6 dispatches checked' <<<"$clean" || fail "a clean application: $clean"
    ! grep -q 'exit status' <<<"$clean" || fail "a clean application: $clean"
    planted=$(hirace_run run particular --plain --plant)
    grep -q 'data race on `shared_particles' <<<"$planted" && grep -q 'exit status 1' <<<"$planted" ||
        fail "an application with a planted race: $planted"
fi
git diff --quiet -- applications || fail 'cargo hirace run changed a file of the application'
