#!/bin/sh
# Runs the blocks of docs/evaluation/published-shaders.md: the first `hirace check` of each block must have findings, and the last
# must be clean.
#
#     scripts/found.sh [FOLDER]
#
# FOLDER has the files of blocks with a line `# needs FILE`; blocks whose file is missing are skipped. `hirace` must be on
# PATH, and cargo must be able to reach a registry. $target is cargo's target folder (default: target).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
files=$(cd "${1:-.}" && pwd)
target=${target:-$root/target}
export target
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

of='of() { cargo info --quiet --registry crates-io "$1@$2" > /dev/null; cat ~/.cargo/registry/src/*/"$1-$2/$3" | tr -d "\r"; }'
# Prints only the exit status of each check.
check='hirace() { command hirace "$@" > /dev/null 2>&1 && echo 0 || echo $?; }'

awk -v scratch="$scratch" '
    /^### / { title = $2 }
    /^```sh$/ { file = sprintf("%s/%02d", scratch, ++n); print title > (file ".title"); inside = 1; next }
    /^```$/ { inside = 0 }
    inside { print > (file ".sh") }
' "$root/docs/evaluation/published-shaders.md"

failed=0
run=0
for title in "$scratch"/*.title; do
    block=${title%.title}
    name=$(cat "$title")
    needed=$(sed -n 's/^# needs //p' "$block.sh")
    if { [ -n "$needed" ] && [ ! -e "$files/$needed" ]; } ||
        { grep -q '"\$target"' "$block.sh" && [ ! -e "$target/tmp/corpus/$name" ]; }; then
        echo "skipped: $name ${needed:-(no target/tmp/corpus/$name)}"
        continue
    fi
    mkdir "$block"
    [ -z "$needed" ] || cp "$files/$needed" "$block/"
    said=$(cd "$block" && printf '%s\n' "$of" "$check" "$(cat "$block.sh")" | bash -eu | tr '\n' ' ')
    run=$((run + 1))
    if [ "$said" = "1 0 " ]; then
        echo "ok: $name"
    else
        echo "not as documented: $name: exit statuses are $said, expected 1 0"
        failed=1
    fi
done
[ "$run" -gt 0 ] || { echo "no block was run"; exit 1; }
exit $failed
