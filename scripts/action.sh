#!/usr/bin/env bash
# Does the work of the GitHub Action (action.yml). It also runs outside GitHub: it makes no requests to GitHub.
#
#   scripts/action.sh key        prints a hash of the command's sources, as the key of a cache
#   scripts/action.sh install    builds the command from this repository, with HIRACE_FEATURES, into HIRACE_ROOT
#   scripts/action.sh check      checks HIRACE_PATHS with HIRACE_FLAGS: annotations on standard output, a summary in
#                                GITHUB_STEP_SUMMARY, SARIF in HIRACE_SARIF; `status`, `verdict` and `sarif` go to
#                                GITHUB_OUTPUT. Its exit status is that of the command, except that 4 (inconclusive) becomes 0
#                                if HIRACE_ALLOW_INCONCLUSIVE is `true`.
#
# HIRACE_PATHS and HIRACE_FLAGS are lists of words, quoted as in a shell. The script runs with bash 3.2, the version of macOS.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

# Prints the words of a text, each followed by a NUL. Nothing in the text is expanded.
words() {
    if [ -n "${1//[[:space:]]/}" ]; then printf '%s\n' "$1" | xargs printf '%s\0'; fi
}

# Refuses an input with a line break: it would add outputs or commands of its own to the files that GitHub reads.
single_line() {
    case "$2" in
        *$'\n'* | *$'\r'*)
            echo "::error title=hirace::the input \`$1\` must be a single line"
            exit 2
            ;;
    esac
}

key() {
    cd "$here"
    find . -path ./target -prune -o -path ./.git -prune -o -type f \
        \( -name '*.rs' -o -name '*.wgsl' -o -name '*.md' -o -name 'Cargo.*' \) -print |
        LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | git hash-object --stdin
}

install() {
    local flags=() word
    single_line features "${HIRACE_FEATURES:-}"
    # An installed toolchain may be too old for this crate, so the newest stable one is used.
    if [ "${HIRACE_TOOLCHAIN:-stable}" != current ] && command -v rustup >/dev/null; then
        rustup toolchain install "${HIRACE_TOOLCHAIN:-stable}" --profile minimal --no-self-update >&2
        export RUSTUP_TOOLCHAIN=${HIRACE_TOOLCHAIN:-stable}
    fi
    while IFS= read -r -d '' word; do flags+=("$word"); done < <(words "${HIRACE_INSTALL_FLAGS:---locked}")
    cargo install --path "$here/hirace-cli" --root "$HIRACE_ROOT" --no-default-features \
        --features "${HIRACE_FEATURES:-}" ${flags[@]+"${flags[@]}"} >&2
}

# Sets an output for later steps.
output() {
    if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; fi
}

check() {
    local hirace=${HIRACE:-hirace} sarif=${HIRACE_SARIF:-hirace.sarif} arguments=() word status verdict text
    single_line command "$hirace"
    single_line sarif "$sarif"
    while IFS= read -r -d '' word; do arguments+=("$word"); done < <(words "${HIRACE_PATHS:-}")
    # Without paths, hirace.toml selects the files; without hirace.toml, the whole folder is checked.
    if [ ${#arguments[@]} -eq 0 ] && [ ! -e hirace.toml ]; then arguments=(.); fi
    while IFS= read -r -d '' word; do arguments+=("$word"); done < <(words "${HIRACE_FLAGS:-}")
    text=$(mktemp)
    # A SARIF file of an earlier run must not be taken for a result of this run.
    rm -f "$sarif"
    set +e
    "$hirace" check --format github --report "sarif=$sarif" --report "text=$text" ${arguments[@]+"${arguments[@]}"}
    status=$?
    set -e
    case $status in
        0) verdict='no findings' ;;
        1) verdict=findings ;;
        2) verdict='bad input' ;;
        4) verdict=inconclusive ;;
        *) verdict='could not run' ;;
    esac
    # Findings have their own annotations; this one is for the other exit statuses.
    case $status in
        0 | 1) ;;
        4) echo "::warning title=hirace::inconclusive: some accesses were not reached, or faults depend on inferred launches; give launches in hirace.toml" ;;
        *) echo "::error title=hirace::$verdict (exit status $status): see the log of this step" ;;
    esac
    output status "$status"
    output verdict "$verdict"
    if [ -s "$sarif" ]; then output sarif "$sarif"; else output sarif ''; fi
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        # The limit for a step's summary is 1 MiB. The fence is made of tildes because no line of a report begins with tildes.
        {
            printf '### hirace: %s\n\n~~~~~~~~ text\n' "$verdict"
            head -c 900000 "$text"
            printf '\n~~~~~~~~\n'
        } >>"$GITHUB_STEP_SUMMARY"
    fi
    rm -f "$text"
    if [ "$status" -eq 4 ] && [ "${HIRACE_ALLOW_INCONCLUSIVE:-false}" = true ]; then return 0; fi
    return "$status"
}

case "${1:-}" in
    key | install | check) "$1" ;;
    *)
        sed -n '2,/^set/{/^set/d;p;}' "$0" >&2
        exit 2
        ;;
esac
