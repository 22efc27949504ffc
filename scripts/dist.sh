#!/usr/bin/env bash
# Creates what packagers install: the commands, manual pages, completions and licences. Cargo installs only binaries.
#
#   scripts/dist.sh [FOLDER]     writes FOLDER [default: target/dist/hirace-VERSION-HOST] and FOLDER.tar.gz
#
# HIRACE_BIN names a folder with commands that are already built; without it, they are built with all features.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${HIRACE_BIN:-}" ]; then
    cargo build --manifest-path "$root/Cargo.toml" --release --locked --package hirace-cli
    HIRACE_BIN=${CARGO_TARGET_DIR:-$root/target}/release
fi
hirace=$HIRACE_BIN/hirace
version=$("$hirace" --version | cut -d ' ' -f 2)
host=$(rustc -vV | sed -n 's/^host: //p')
folder=${1:-$root/target/dist/hirace-$version-$host}

rm -rf "$folder"
mkdir -p "$folder"/{bin,man/man1,completions,docs}
for command in hirace cargo-hirace; do
    if [ -x "$HIRACE_BIN/$command" ]; then install -m 755 "$HIRACE_BIN/$command" "$folder/bin/"; fi
done
"$hirace" man --output "$folder/man/man1"
# Each file has the name that its shell expects.
"$hirace" completions bash >"$folder/completions/hirace.bash"
"$hirace" completions zsh >"$folder/completions/_hirace"
"$hirace" completions fish >"$folder/completions/hirace.fish"
"$hirace" completions elvish >"$folder/completions/hirace.elv"
"$hirace" completions powershell >"$folder/completions/_hirace.ps1"
cp "$root"/{README.md,CHANGELOG.md,LICENSE-APACHE,LICENSE-MIT} "$folder/"
cp -r "$root"/docs/. "$folder/docs/"
cp -r "$root"/schema "$folder/"
tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
printf '%s\n' "$folder.tar.gz"
