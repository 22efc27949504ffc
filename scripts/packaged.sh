#!/usr/bin/env bash
# Tests the packages as a user gets them: creates the packages of all published crates, unpacks them outside the
# repository, and there
#   - makes a crate from examples/kernels-with-tests and the code in README and two pages of the book, and runs its tests;
#   - builds the command as the GitHub Action does, runs the Action's script on that crate, and checks its annotations,
#     summary, outputs, exit statuses and SARIF;
#   - runs the pre-commit hook, and creates what packagers install.
#
#   scripts/packaged.sh [--verify | --smoke]
#
# With --smoke, packages are created and inspected, but not built. With --verify, cargo first builds each package separately with
# its default features, as it does before publishing. Only dependencies in Cargo.lock are fetched. PACKAGED_TARGET is the
# target folder [default: target/packaged].
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0
export CARGO_TARGET_DIR=${PACKAGED_TARGET:-$root/target/packaged}
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
say() { printf -- '-- %s\n' "$*"; }
# These variables affect the command, and must not be inherited from the environment of this script.
unset HIRACE_LOG GITHUB_OUTPUT GITHUB_STEP_SUMMARY
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python=
for each in python3 /usr/bin/python3; do
    if "$each" -c 'import jsonschema, yaml' 2>/dev/null; then python=$each; break; fi
done
[ -n "$python" ] || fail 'this needs Python: apt-get install python3-jsonschema python3-yaml'

say 'the Action matches its description in docs/book/guide/ci.md'
"$python" - <<'PYTHON'
import re, sys, yaml
action = yaml.safe_load(open("action.yml", encoding="utf-8"))
text = open("action.yml", encoding="utf-8").read()
page = open("docs/book/guide/ci.md", encoding="utf-8").read()
[hook] = yaml.safe_load(open(".pre-commit-hooks.yaml", encoding="utf-8"))
rows = re.findall(r"^\| `([a-z-]+)` \| .* \| (?:`(.*)`)?.*\|$", page, re.M)
inputs = [(name, of["default"]) for name, of in action["inputs"].items()]
wrong = []
if rows != inputs:
    wrong.append(f"inputs of action.yml are {inputs}, those of the page {rows}")
if set(re.findall(r"inputs\.([a-z-]+)", text)) != set(action["inputs"]):
    wrong.append("the inputs that action.yml uses are not those that it declares")
wrong += [f"the page lacks the output {name}" for name in action["outputs"] if f"`{name}`" not in page]
for used in re.findall(r"uses: (\S+)", text):
    if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used):
        wrong.append(f"{used} is not pinned by the hash of a commit")
for example in re.findall(r"```yaml\n(.*?)```", page, re.S):
    given = yaml.safe_load(example)
    if "jobs" in given:
        step = given["jobs"]["shaders"]["steps"][-1]
        wrong += [f"an example uses the unknown input {name}" for name in step["with"] if name not in action["inputs"]]
    elif given["repos"][0]["hooks"] != [{"id": hook["id"]}]:
        wrong.append("the hook in an example has a different name")
sys.exit("\n".join(wrong) or None)
PYTHON
[ -x "$(sed -n 's/^ *entry: //p' .pre-commit-hooks.yaml)" ] || fail 'the hook has no script'

status=0
refusal=$(HIRACE_SARIF=$'a.sarif\nstatus=0' scripts/action.sh check) || status=$?
[ "$status" -eq 2 ] && grep -q 'the input `sarif` must be a single line' <<<"$refusal" || fail 'an input with a line break is accepted'

say 'packages'
unpublished=()
for manifest in $(git ls-files '*/Cargo.toml' ':!examples' ':!applications'); do
    if grep -q '^publish = false' "$manifest"; then
        unpublished+=(--exclude "$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)")
    fi
done
verify=(--no-verify)
if [ "${1:-}" = --verify ]; then verify=(); fi
rm -f "$CARGO_TARGET_DIR"/package/*.crate
cargo fetch --locked --quiet
CARGO_PROFILE_DEV_DEBUG=0 cargo package --workspace "${unpublished[@]}" --locked --offline --allow-dirty --quiet "${verify[@]}"
mkdir "$work/packages"
crates=("$CARGO_TARGET_DIR"/package/*.crate)
for crate in "${crates[@]}"; do
    tar -C "$work/packages" -xzf "$crate"
    name=$(basename "$crate" .crate)
    for file in README.md LICENSE-APACHE LICENSE-MIT; do
        [ -f "$work/packages/$name/$file" ] || fail "the package $name lacks $file"
    done
    [ -z "$(find "$work/packages/$name" -type l)" ] || fail "the package $name has links"
done

if [ "${1:-}" = --smoke ]; then say 'done'; exit; fi

# Patches the registry: these crates come from the packages, all others from Cargo.lock. The engine is built without
# optimization, because building it optimized takes longer than running these tests.
mkdir "$work/.cargo"
{
    printf '[profile.dev]\ndebug = false\n[profile.dev.package]\n"*".opt-level = 0\nhirace-engine.opt-level = 0\n[patch.crates-io]\n'
    for crate in "${crates[@]}"; do
        name=$(basename "$crate" .crate)
        printf '%s = { path = "packages/%s" }\n' "${name%-*}" "$name"
    done
} >"$work/.cargo/config.toml"

say 'a crate that depends on them'
crate=$work/kernels
cp -r examples/kernels-with-tests "$crate"
rm -rf "$crate/target"
sed -i 's|^hirace = .*|hirace = { version = "0.1", features = ["proptest", "wgpu"] }|' "$crate/Cargo.toml"
printf '\n[dev-dependencies]\nproptest = { version = "1.12", default-features = false, features = ["std"] }\n' >>"$crate/Cargo.toml"
cp Cargo.lock "$crate/"
# Each block of Rust in README and in the pages on the library becomes a test file.
block=0
for page in README.md docs/book/guide/library.md docs/book/languages/rust-programs.md; do
    names=$(awk -v to="$crate/tests/$(basename "$page" .md)_" \
        '/^```rust$/ { file = sprintf("%s%d.rs", to, ++n); print file; next } /^```$/ { file = "" } file { print > file }' "$page")
    [ -n "$names" ] || fail "$page has no code"
    block=$((block + $(wc -l <<<"$names")))
done
cd "$crate"
cargo test --offline --quiet --color never 2>&1 | tee "$work/tests.log"
grep -q 'kernels' Cargo.lock && ! grep -A 2 '^name = "hirace' Cargo.lock | grep -q '^source' ||
    fail 'a crate of hirace did not come from the packages'
ran=$(sed -n 's/^test result: ok\. \([0-9]*\) passed; 0 failed.*/\1/p' "$work/tests.log" | awk '{ sum += $1 } END { print sum }')
[ "$ran" -ge $((4 + block)) ] || fail "only $ran tests ran, with $block blocks of code"
say "$ran tests, including $block blocks of code"

say 'the command, as the Action installs it'
# The Action's folder: its scripts, and the command from its package.
action=$work/action
mkdir "$action"
cp -r "$root/scripts" "$root"/README.md "$root/CHANGELOG.md" "$root"/LICENSE-* "$root/docs" "$root/schema" "$action/"
mv "$work"/packages/hirace-cli-* "$work/hirace-cli"
ln -s "$work/hirace-cli" "$action/hirace-cli"
sed -i '/^hirace-cli = /d' "$work/.cargo/config.toml"
cp "$root/Cargo.lock" "$work/hirace-cli/"
HIRACE_ROOT=$work/installed HIRACE_TOOLCHAIN=current HIRACE_FEATURES='' HIRACE_INSTALL_FLAGS='--debug --offline --quiet' \
    "$action/scripts/action.sh" install
export PATH=$work/installed/bin:$PATH
[ "$(command -v hirace)" = "$work/installed/bin/hirace" ] || fail 'the command was not installed'
[ "$("$action/scripts/action.sh" key)" = "$("$action/scripts/action.sh" key)" ] || fail 'the cache key is not stable'

# action STATUS VERDICT PATHS [FLAGS]: runs the Action's script in the crate, and checks its exit status and outputs.
checks=0
action() {
    local expected=$1 verdict=$2 status=0
    checks=$((checks + 1))
    export GITHUB_OUTPUT=$work/output$checks GITHUB_STEP_SUMMARY=$work/summary$checks
    HIRACE_PATHS=$3 HIRACE_FLAGS=${4:-} HIRACE_SARIF=hirace.sarif "$root/scripts/action.sh" check >"$work/stdout" 2>"$work/stderr" ||
        status=$?
    [ "$status" -eq "$expected" ] || { cat "$work/stdout" "$work/stderr"; fail "the Action's script on '$3' exits with $status, not $expected"; }
    grep -qx "verdict=$verdict" "$GITHUB_OUTPUT" || fail "its outputs are: $(cat "$GITHUB_OUTPUT")"
    grep -qx "### hirace: $verdict" "$GITHUB_STEP_SUMMARY" || fail "its summary is: $(cat "$GITHUB_STEP_SUMMARY")"
}
say 'the Action on a clean crate'
action 0 'no findings' 'src'
grep -qx 'status=0' "$GITHUB_OUTPUT" && grep -qx 'sarif=hirace.sarif' "$GITHUB_OUTPUT" || fail 'outputs are missing'
# The last line is the summary; annotations begin with colons. The conditions of proofs are warnings.
! grep '^::error' "$work/stdout" || fail "there are annotations: $(cat "$work/stdout")"
grep '^hirace: ' "$work/stdout" | grep -qv 'with findings' || fail "it prints: $(cat "$work/stdout")"
grep -q 'block_sum' "$GITHUB_STEP_SUMMARY" || fail 'the summary does not list the checked kernels'
"$root/scripts/validate-sarif.sh" hirace.sarif
say 'the Action on the files that hirace.toml names'
action 0 'no findings' ''
say 'the Action on a file with a race'
action 1 findings $'src\n"tests/kernels.rs"' '--schedules 2'
grep -q '^::error file=tests/kernels.rs,line=' "$work/stdout" || fail "no annotation: $(cat "$work/stdout")"
grep -q 'error\[HR001\]: data race on `tile' "$GITHUB_STEP_SUMMARY" || fail 'the summary lacks the race'
"$root/scripts/validate-sarif.sh" hirace.sarif
say 'the Action on all files, without hirace.toml'
mv hirace.toml "$work/"
action 1 findings ''
grep -q '^::error file=tests/kernels.rs,line=' "$work/stdout" || fail "no annotation: $(cat "$work/stdout")"
"$root/scripts/validate-sarif.sh" hirace.sarif
say 'the Action on an inconclusive file'
# The written indices come from a buffer whose contents are not given.
cat >scatter.wgsl <<'WGSL'
@group(0) @binding(0) var<storage> order: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) { out[order[id.x]] = id.x; }
WGSL
action 4 inconclusive 'scatter.wgsl'
grep -q '^::warning title=hirace::inconclusive' "$work/stdout" || fail "no annotation: $(cat "$work/stdout")"
export HIRACE_ALLOW_INCONCLUSIVE=true
action 0 inconclusive 'scatter.wgsl'
unset HIRACE_ALLOW_INCONCLUSIVE
rm scatter.wgsl
mv "$work/hirace.toml" .
say 'the Action on unreadable input'
action 2 'bad input' "'no such file.wgsl'"
grep -q '^::error title=hirace::bad input' "$work/stdout" || fail "no annotation: $(cat "$work/stdout")"
action 2 'bad input' 'src' '--no-such-flag'
grep -qx 'sarif=' "$GITHUB_OUTPUT" && [ ! -e hirace.sarif ] || fail 'the SARIF of an earlier run still exists'

say 'the pre-commit hook'
# The hook reads the version from the workspace that contains it.
cp "$root/Cargo.toml" "$action/"
"$action/scripts/pre-commit.sh" src/lib.rs
status=0
"$action/scripts/pre-commit.sh" tests/kernels.rs >"$work/stdout" || status=$?
[ "$status" -eq 1 ] && grep -q 'error\[HR001\]' "$work/stdout" || fail "the hook exits with $status"

say 'what packagers install'
HIRACE_BIN=$work/installed/bin "$action/scripts/dist.sh" "$work/dist" >"$work/stdout"
for file in bin/hirace man/man1/hirace.1 man/man1/hirace-check.1 completions/{hirace.bash,_hirace,hirace.fish} \
    LICENSE-MIT docs/README.md schema/hirace.check-2.schema.json; do
    [ -s "$work/dist/$file" ] || fail "$file is missing"
done
bash -n "$work/dist/completions/hirace.bash"
tar -tzf "$work/dist.tar.gz" >/dev/null
say 'done'
