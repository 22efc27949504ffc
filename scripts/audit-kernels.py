#!/usr/bin/env python3
"""Applies the advice of `hirace audit` to kernels of this repository, and prints how the scores change.

    scripts/audit-kernels.py HIRACE [EVERY]     uses every EVERY-th file of kernels by name (default: 8)

Each file is audited separately, without its own tests: first with no test, then with the first test that the audit proposes,
then with the tests of its first three pieces of advice. Functions named `racy` are skipped. Prints the rows of the tables of
docs/evaluation/suites.md.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files():
    """Returns the files of kernels, sorted by name."""
    all_of = [path for folder in ("", "parboil", "rodinia", "polybench")
              for path in (ROOT / "kernels/src" / folder).glob("*.rs")]
    return sorted((path for path in all_of if "hirace::monitor" in path.read_text()), key=lambda path: path.name)


def audit(hirace, folder, arguments):
    """Audits a folder and returns the report."""
    command = [hirace, "audit", "--format", "json", "--quiet", *arguments]
    if any("fn racy" in path.read_text() for path in folder.glob("*.rs")):
        command += ["--skip-function", "racy"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {ended.stderr}")
    return json.loads(ended.stdout)


def score(of):
    """Returns the number of detected mutants, and of all mutants."""
    counts = dict(of["mutants"]["summary"]["by_status"])
    found = sum(counts.get(status, 0) for status in ("killed", "timeout", "out-of-memory"))
    every = sum(count for status, count in counts.items() if status not in ("equivalent", "skipped"))
    return found, every


def branches(of):
    """Returns the number of covered branch arms, and of all branch arms."""
    part = of["coverage"]["summary"]["branches"]
    return part["covered"], part["total"]


def shown(part):
    """Formats a share as `12/14 85 %`."""
    some, every = part
    return f"{some}/{every} {100 * some // every} %" if every else "–"


def main():
    hirace = str(pathlib.Path(sys.argv[1]).resolve())
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    missing = reached = 0
    for path in files()[::every]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            shutil.copy(path, folder)
            first = audit(hirace, folder, [path.name])
            missing += sum(kernel["missing"] for kernel in first["kernels"])
            reached += sum(kernel["reached"] for kernel in first["kernels"])
            tests = [advice["action"]["test"] for advice in first["advice"][:3] if advice["action"]["kind"] == "add-test"]
            clean = [test["toml"] for test in tests if test.get("toml") and not test.get("rules")]
            row = [f"`{path.name}`"]
            for texts in (clean[:1], clean):
                (folder / "hirace.toml").write_text("\n".join(texts))
                of = audit(hirace, folder, []) if texts else first
                row += [str(len(texts)), shown(score(of)), shown(branches(of))]
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"found launches for {reached} of the {missing} branch arms, loop cases, barriers and functions that no test runs")


main()
