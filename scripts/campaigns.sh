#!/usr/bin/env bash
# Runs the recipes of examples/campaigns, and validates their manifests against the schema of Kubernetes.
#
#   scripts/campaigns.sh HIRACE
#
# Needs Python with jsonschema and yaml (`apt-get install python3-jsonschema python3-yaml`); uses shellcheck if it is installed.
set -euo pipefail
export HIRACE=$(realpath "${1:?usage: scripts/campaigns.sh HIRACE}")
cd "$(dirname "$0")/.."
recipes=$PWD/examples/campaigns
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

scripts=("$recipes"/*.sh "$recipes"/slurm.sbatch)
for script in "${scripts[@]}"; do bash -n "$script"; done
if command -v shellcheck >/dev/null; then shellcheck "${scripts[@]}"; fi

python=
for each in python3 /usr/bin/python3; do
    if "$each" -W ignore -c 'import jsonschema, yaml' 2>/dev/null; then python=$each; break; fi
done
[ -n "$python" ] || fail 'this needs Python with jsonschema and yaml: apt-get install python3-jsonschema python3-yaml'
"$python" - scripts/kubernetes.schema.json "$recipes"/*.yaml <<'PYTHON'
import json, sys
import jsonschema, yaml

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
wrong = 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    for document in documents:
        # Validates against the definition of the document's kind, so that errors are about that definition only.
        of_kind = {"$ref": f"#/definitions/{document.get('kind')}", "definitions": schema["definitions"]}
        for error in jsonschema.Draft7Validator(of_kind).iter_errors(document):
            wrong += 1
            print(f"{path}: {'.'.join(map(str, error.absolute_path))}: {error.message[:400]}", file=sys.stderr)
    print(f"{path}: {len(documents)} documents")
sys.exit(1 if wrong else 0)
PYTHON

# Tests of a kernel whose results partly depend on the schedule.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >kernel.wgsl <<'WGSL'
@group(0) @binding(0) var<storage, read_write> items: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(4)
fn append(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x % 2u == 0u) { items[atomicAdd(&count, 1u)] = id.x; }
}
WGSL
{
    printf '[[file]]\npath = "kernel.wgsl"\n'
    for n in 1 2 3 4 5; do
        printf '[[file.test]]\nname = "%s workgroups"\nexpect = { count = [%s] }\n' "$n" $((2 * n))
        printf 'launch = { workgroups = %s, buffers = { items = "zeros:16", count = "zeros" } }\n' "$n"
    done
} >hirace.toml

status() { set +e; "$@" >/dev/null; echo $?; set -e; }
same() { cmp -s "$1" "$2" || { diff "$1" "$2" >&2; fail "$1 differs from $2"; }; }

for verb in cover check amplify mutate; do
    more=() kept=()
    case $verb in
        check) more=(--schedules 20) ;;
        amplify | mutate) kept=(--output "kept-$verb") ;;
    esac
    all=("$verb" ${more[@]+"${more[@]}"})
    whole=$(status "$HIRACE" "${all[@]}" --quiet ${kept[@]+"${kept[@]}"} --report "json=$verb.json")
    export REPORTS=$folder/$verb-here
    [ "$(status "$recipes/parallel.sh" 3 "${all[@]}")" = "$whole" ] || fail "parallel.sh 3 $verb"
    # The way Slurm starts them.
    export REPORTS=$folder/$verb-slurm SLURM_SUBMIT_DIR=$recipes SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1
    for task in 1 2; do SLURM_ARRAY_TASK_ID=$task bash "$recipes/slurm.sbatch" "${all[@]}"; done
    [ "$(status "$recipes/merge.sh" 2)" = "$whole" ] || fail "merge.sh 2, of $verb"
    # The costs of mutants differ between runs.
    [ "$verb" = mutate ] && continue
    same "$verb-here/all.json" "$verb.json"
    same "$verb-slurm/all.json" "$verb.json"
done

# A shard that fails once is retried; one that always fails is reported.
cat >flaky <<'SH'
#!/bin/sh
if [ "$1" != merge ] && [ ! -e failed ]; then touch failed; exit 3; fi
exec "$REAL" "$@"
SH
chmod +x flaky
REAL=$HIRACE HIRACE=./flaky REPORTS=flaky-reports "$recipes/parallel.sh" 2 cover >/dev/null 2>flaky.log
grep -q 'ended with status 3 (try 1 of 3)' flaky.log || fail 'a shard that fails is not retried'
same flaky-reports/all.json cover.json
[ "$(HIRACE=false REPORTS=none TRIES=1 status "$recipes/merge.sh" 2 2>/dev/null)" = 3 ] || fail 'merge.sh does not exit with status 3 when no shard exists'
echo 'the recipes of examples/campaigns run'
