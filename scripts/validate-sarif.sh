#!/usr/bin/env bash
# Validates SARIF files against the published schema of SARIF 2.1.0, and checks the additional requirements of GitHub's code
# scanning: paths relative to the root of the repository, and a location for each result.
#
#   scripts/validate-sarif.sh FILE…
#
# Needs Python with jsonschema (`apt-get install python3-jsonschema`). Cargo downloads the schema with the crate
# serde-sarif, which contains a copy of it.
set -euo pipefail
crate=serde-sarif version=0.8.0

schema() { ls "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/$crate-$version/src/schema.json 2>/dev/null | head -n 1; }
if [ -z "$(schema)" ]; then
    # `cargo info` is the only subcommand that unpacks a crate without its dependencies.
    (cd / && cargo info --quiet --registry crates-io "$crate@$version" >/dev/null)
fi
python=
for each in python3 /usr/bin/python3; do
    if "$each" -c 'import jsonschema' 2>/dev/null; then python=$each; break; fi
done
[ -n "$python" ] || { echo 'this needs Python with jsonschema: apt-get install python3-jsonschema' >&2; exit 3; }

"$python" - "$(schema)" "$@" <<'PYTHON'
import json, sys
import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    validator = jsonschema.Draft7Validator(json.load(file))
wrong = 0


def complain(path, where, what):
    global wrong
    wrong += 1
    print(f"{path}: {'.'.join(map(str, where))}: {what}", file=sys.stderr)


if len(sys.argv) < 3:
    sys.exit("no file to validate")
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    for error in validator.iter_errors(log):
        complain(path, error.absolute_path, error.message[:400])
    results = [result for run in log["runs"] for result in run["results"]]
    for index, result in enumerate(results):
        if not result["locations"]:
            complain(path, ["results", index], "has no location")
        for location in result["locations"] + result.get("relatedLocations", []):
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            if uri.startswith(("/", ".", "file:")):
                complain(path, ["results", index], f"is not relative to the root: {uri}")
    if not wrong:
        print(f"{path}: valid, {len(results)} results")
sys.exit(1 if wrong else 0)
PYTHON
