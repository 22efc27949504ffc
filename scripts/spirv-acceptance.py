#!/usr/bin/env python3
"""Checks the shaders of a project as SPIR-V, and prints which modules were taken, with their verdicts.

    scripts/spirv-acceptance.py FOLDER [--flags=-g] [--optimize] [--target ENV] [--hirace PATH] [--options OPTIONS]

Compiles each compute shader in GLSL below FOLDER with glslangValidator, with spirv-opt -O as well if `--optimize` is given, and
runs `hirace check` on each module, with the OPTIONS. Prints the number of modules for each verdict, and of the rejected ones for
each reason. `--keep FOLDER` writes the modules and the reports there.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

VULKAN_1_1 = re.compile(r"GL_KHR_shader_subgroup|GL_KHR_cooperative_matrix|GL_KHR_memory_scope|GL_NV_cooperative")
SECONDS = 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--flags", default="-g", help="options of glslangValidator")
    parser.add_argument("--target", help="the target environment, such as vulkan1.2")
    parser.add_argument("--optimize", action="store_true", help="optimize the modules with spirv-opt -O")
    parser.add_argument("--hirace", default="hirace")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--options", default="", help="options of `hirace check`")
    arguments = parser.parse_args()
    keep = arguments.keep or pathlib.Path(tempfile.mkdtemp())
    keep.mkdir(parents=True, exist_ok=True)
    sources = sorted(arguments.folder.rglob("*.comp"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda source: judge(source, arguments, keep), sources))
    report(rows)
    (keep / "rows.json").write_text(json.dumps(rows, indent=1))


def judge(source, arguments, keep):
    """Returns the row of one shader."""
    name = "_".join(source.relative_to(arguments.folder).parts)
    module = keep / (name + ".spv")
    if not module.exists():
        target = arguments.target or ("vulkan1.1" if VULKAN_1_1.search(source.read_text()) else "vulkan1.0")
        flags = arguments.flags.split()
        compiled = run(["glslangValidator", "-V", *flags, "--target-env", target, str(source), "-o", str(module)])
        if compiled.returncode:
            error = next((line for line in compiled.stdout.splitlines() if "ERROR" in line), "")
            return {"name": name, "verdict": "not compiled", "reason": re.sub(r".*?: *\d+: *", "", error)}
        if arguments.optimize:
            run(["spirv-opt", "-O", str(module), "-o", str(module)])
    command = [arguments.hirace, "check", "--format", "json", str(module), *arguments.options.split()]
    try:
        checked = run(command)
    except subprocess.TimeoutExpired:
        return {"name": name, "verdict": "timeout", "reason": f"more than {SECONDS} s"}
    try:
        document = json.loads(checked.stdout)
    except ValueError:
        return {"name": name, "verdict": "crash", "reason": checked.stderr[-300:]}
    (keep / (name + ".json")).write_text(checked.stdout)
    errors = [error.get("message", "") for error in document.get("errors", [])]
    if errors:
        return {"name": name, "verdict": "rejected", "reason": errors[0]}
    rules = sorted({finding["rule"] for finding in findings(document) if finding.get("certainty") != "possible"})
    return {"name": name, "verdict": document.get("verdict", "?"), "status": checked.returncode, "rules": rules}


def findings(document):
    for launch in document.get("launches", []):
        yield from launch.get("findings", [])


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)


def report(rows):
    """Prints the table."""
    compiled = [row for row in rows if row["verdict"] != "not compiled"]
    refused = [row for row in compiled if row["verdict"] in ("rejected", "crash", "timeout")]
    taken = len(compiled) - len(refused)
    share = 100 * taken / max(1, len(compiled))
    print(f"{len(rows)} shaders, {len(compiled)} compiled, {taken} taken ({share:.1f} %)")
    table("verdict", (row["verdict"] for row in rows))
    table("rejected because", (shape(row["reason"]) for row in refused))
    table("not compiled because", (shape(row["reason"]) for row in rows if row["verdict"] == "not compiled"))
    table("certain findings", (", ".join(row["rules"]) for row in compiled if row.get("rules")))


def shape(reason):
    """Returns a reason without what differs between modules."""
    return re.sub(r"`[^`]*`|\d+", "_", reason)[:160]


def table(title, values):
    counted = collections.Counter(values)
    if counted:
        print(f"\n{title}")
    for value, count in counted.most_common():
        print(f"{count:6}  {value}")


if __name__ == "__main__":
    sys.exit(main())
