#!/usr/bin/env python3
"""Prints the coverage that the tests of the programs of Parboil, Rodinia, PolyBench and of the scans reach, as in
docs/evaluation/suites.md.

    scripts/suite-coverage.py COVERAGE.json     prints the table
    scripts/suite-coverage.py first             prints the name of each program's first test

The first command measures the coverage of all tests, the second one that of only the first test of each program, which has the
most obvious inputs:

    hirace cover --report json=COVERAGE.json -q -- cargo test -p hirace-kernels --lib
    hirace cover --report json=COVERAGE.json -q -- cargo test -p hirace-kernels --lib -- \\
        --exact $(scripts/suite-coverage.py first)

Each row is a program. Its racy twin, and functions that only the twin calls, are excluded. Branches are counted by their arms. A
loop case that the form of the loop excludes (such as zero iterations of a `loop`) is not counted. A barrier counts as covered if
it was reached, and always by the whole workgroup.
"""

import json
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "kernels/src"
SUITES = [
    ("Parboil", "parboil/"),
    ("Scan", "scan_"),
    ("Rodinia", "rodinia/"),
    ("PolyBench", "polybench/"),
]
COLUMNS = ["branches", "0 iterations", "1 iteration", "more iterations", "boundary", "barriers"]
TWIN = "racy"
TEST = re.compile(r"#\[test\]\s+fn (\w+)")
# Program names that cannot be module names.
NAMES = {"two-mm": "2mm", "three-mm": "3mm"}


def covered(items):
    """Returns the number of true items, and of all items."""
    items = list(items)
    return sum(items), len(items)


def row(file):
    """Returns the number of kernels of a program, and its figures by column."""
    kernels = [kernel for kernel in file["kernels"] if kernel["name"] != TWIN]
    functions = {function for kernel in kernels for function in kernel["functions"]}
    own = lambda kind: [item for item in file[kind] if item["function"] in functions]
    loops = own("loops")
    case = lambda name: covered(loop[name] > 0 for loop in loops if loop[name] is not None)
    return len(kernels), [
        covered(arm["count"] > 0 for branch in own("branches") for arm in branch["arms"]),
        case("zero"),
        case("once"),
        case("many"),
        case("boundary"),
        covered(barrier["complete"] > 0 and not barrier["divergent"] for barrier in own("barriers")),
    ]


def share(part):
    """Formats a share as `7/8 87 %`, rounded down, so that 100 % means all."""
    reached, total = part
    return f"{reached}/{total} {100 * reached // total} %" if total else "–"


def line(name, kernels, parts, mark=""):
    cells = [name, str(kernels), *map(share, parts)]
    print("| " + " | ".join(f"{mark}{cell}{mark}" for cell in cells) + " |")


def total(rows):
    """Returns the sums of the figures of several programs."""
    kernels = sum(kernels for kernels, _ in rows)
    columns = zip(*(parts for _, parts in rows))
    return kernels, [tuple(map(sum, zip(*column))) for column in columns]


def first_tests():
    for _, path in SUITES:
        for file in sorted(SOURCES.glob(f"{path}*.rs")):
            test = TEST.search(file.read_text())
            if test:
                module = "::".join(file.relative_to(SOURCES).with_suffix("").parts)
                print(f"{module}::tests::{test[1]}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "first":
        return first_tests()
    coverage = json.loads(pathlib.Path(sys.argv[1]).read_text())
    if coverage.get("schema") != "hirace.cover/1":
        sys.exit(f"{sys.argv[1]} is not a coverage report of version hirace.cover/1")
    print("| program | kernels | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---|" * (len(COLUMNS) + 1))
    everything = []
    for suite, path in SUITES:
        rows = []
        for file in sorted(coverage["files"], key=lambda file: file["file"]):
            name = file["file"].split("kernels/src/")[-1]
            if not name.startswith(path):
                continue
            rows.append(row(file))
            program = pathlib.PurePath(name).stem.replace("_", "-")
            line(NAMES.get(program, program), *rows[-1])
        if not rows:
            sys.exit(f"{sys.argv[1]} has no program of {suite}")
        line(f"{suite}: {len(rows)}", *total(rows), "**")
        everything += rows
    line(f"all: {len(everything)}", *total(everything), "**")


if __name__ == "__main__":
    main()
