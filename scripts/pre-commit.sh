#!/usr/bin/env bash
# The hook of .pre-commit-hooks.yaml: checks the files that it is given. pre-commit runs it from a copy of this
# repository, where the command is built when it is first needed, unless a `hirace` of this version is installed.
#
# A check that is inconclusive, as files that are checked alone often are, is shown and lets the commit pass.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)

if [ "$(hirace --version 2>/dev/null || true)" = "hirace $version" ]; then
    hirace=hirace
else
    hirace=$root/target/pre-commit/bin/hirace
    if [ ! -x "$hirace" ]; then
        HIRACE_ROOT=$root/target/pre-commit HIRACE_FEATURES=spirv,glsl "$root/scripts/action.sh" install
    fi
fi
# A file whose name begins like an option is a file all the same.
arguments=()
for argument in "$@"; do
    case $argument in -*) [ ! -e "./$argument" ] || argument=./$argument ;; esac
    arguments+=("$argument")
done
status=0
"$hirace" check --quiet ${arguments[@]+"${arguments[@]}"} || status=$?
[ "$status" -eq 4 ] || exit "$status"
