#!/usr/bin/env bash
# The hook of .pre-commit-hooks.yaml: checks the given files. pre-commit runs it from a copy of this
# repository, where the command is built on first use, unless a `hirace` of this version is installed.
#
# An inconclusive check, which is common for files that are checked without launches, is shown but lets the commit pass.
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
# Names of existing files that begin with `-` are not options.
arguments=()
for argument in "$@"; do
    case $argument in -*) [ ! -e "./$argument" ] || argument=./$argument ;; esac
    arguments+=("$argument")
done
status=0
"$hirace" check --quiet ${arguments[@]+"${arguments[@]}"} || status=$?
[ "$status" -eq 4 ] || exit "$status"
