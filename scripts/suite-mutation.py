#!/usr/bin/env python3
"""Prints which mutants the tests of the programs of Parboil, Rodinia, PolyBench and of the scans detect, as in
docs/evaluation/suites.md.

    scripts/suite-mutation.py RESULTS.json              prints the table of programs
    scripts/suite-mutation.py RESULTS.json classes      prints the table of operator classes
    scripts/suite-mutation.py RESULTS.json relational   prints the mutants of comparisons, by operator
    scripts/suite-mutation.py RESULTS.json barriers     prints how deleted barriers are detected, by program
    scripts/suite-mutation.py RESULTS.json survivors    prints each surviving mutant
    scripts/suite-mutation.py at                        prints the flags that select these programs

This command creates the results:

    hirace mutate --report json=RESULTS.json $(scripts/suite-mutation.py at) -- \\
        cargo test -p hirace-kernels --lib -- parboil:: rodinia:: polybench:: scan_

Each row is a program. Mutants of kernels with a race of their own, such as its racy twin, are excluded.
"""

import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITES = [
    ("Parboil", "parboil/"),
    ("Scan", "scan_"),
    ("Rodinia", "rodinia/"),
    ("PolyBench", "polybench/"),
]
NAMES = {"two-mm": "2mm", "three-mm": "3mm"}
# The classes of the paper, and additional ones.
CLASSES = [
    "arithmetic",
    "relational",
    "logical",
    "bitwise",
    "assignment",
    "barrier",
    "loop-boundary",
    "gpu",
]
FOUND = {"killed", "timeout", "out-of-memory"}
COUNTED = FOUND | {"survived", "undecided", "no-coverage"}


def part(mutants):
    """Returns the share of the mutants that tests detect."""
    counted = [mutant for mutant in mutants if mutant["status"] in COUNTED]
    if not counted:
        return "–"
    found = sum(mutant["status"] in FOUND for mutant in counted)
    return f"{found}/{len(counted)} {100 * found // len(counted)} %"


def strict(mutants):
    """Returns the percentage of the mutants that an assertion on outputs detects."""
    counted = [mutant for mutant in mutants if mutant["status"] in COUNTED]
    if not counted:
        return "–"
    found = sum(mutant.get("by_outputs") is True for mutant in counted)
    return f"{100 * found // len(counted)} %"


def count(mutants, status):
    """Returns the number of mutants with a status."""
    return sum(mutant["status"] == status for mutant in mutants)


def cells(mutants):
    """Returns the cells of a row."""
    by_class = collections.defaultdict(list)
    for mutant in mutants:
        by_class[mutant["class"]].append(mutant)
    return [
        part(mutants),
        strict(mutants),
        *[part(by_class[name]) for name in CLASSES],
        str(count(mutants, "undecided")),
        str(count(mutants, "equivalent")),
    ]


def print_row(name, mutants, bold=False):
    """Prints a row."""
    row = [name, *cells(mutants)]
    print("| " + " | ".join(f"**{cell}**" if bold else cell for cell in row) + " |")


def programs(mutants):
    """Prints the table of programs."""
    head = ["program", "found", "by outputs", *CLASSES, "undecided", "equivalent"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    every = 0
    for suite, prefix in SUITES:
        files = collections.defaultdict(list)
        for mutant in mutants:
            file = mutant["file"].split("kernels/src/")[-1]
            if file.startswith(prefix):
                files[file].append(mutant)
        for file, own in sorted(files.items()):
            name = pathlib.Path(file).stem.replace("_", "-")
            print_row(NAMES.get(name, name), own)
        every += len(files)
        print_row(f"{suite}: {len(files)}", [m for own in files.values() for m in own], True)
    print_row(f"all: {every}", mutants, True)


def classes(mutants):
    """Prints the statuses of the mutants of each class."""
    columns = ["killed", "survived", "undecided", "timeout", "no-coverage", "equivalent"]
    head = ["class", *columns, "found", "by outputs"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for name in [*CLASSES, "image-access", None]:
        own = [mutant for mutant in mutants if name in (None, mutant["class"])]
        if own:
            row = [name or "all", *[str(count(own, column)) for column in columns]]
            print("| " + " | ".join([*row, part(own), strict(own)]) + " |")


def relational(mutants):
    """Prints the detected mutants of comparisons, by operator."""
    print("| operator | found | by outputs |\n|---|---|---|")
    own = [mutant for mutant in mutants if mutant["class"] == "relational"]
    for operator in sorted({mutant["operator"] for mutant in own}):
        some = [mutant for mutant in own if mutant["operator"] == operator]
        print(f"| {operator} | {part(some)} | {strict(some)} |")


def barriers(mutants):
    """Prints the detected deletions of barriers, by program."""
    print("| program | deleted | detected | by outputs |\n|---|---|---|---|")
    own = [mutant for mutant in mutants if mutant["operator"] == "barrier-deleted"]
    for file in sorted({mutant["file"] for mutant in own}):
        some = [mutant for mutant in own if mutant["file"] == file]
        found = sum(mutant["status"] in FOUND for mutant in some)
        outputs = sum(mutant.get("by_outputs") is True for mutant in some)
        print(f"| {pathlib.Path(file).stem} | {len(some)} | {found} | {outputs} |")
    found = sum(mutant["status"] in FOUND for mutant in own)
    outputs = sum(mutant.get("by_outputs") is True for mutant in own)
    print(f"| **all** | **{len(own)}** | **{found}** | **{outputs}** |")


def survivors(mutants):
    """Prints each mutant that no test detects."""
    for mutant in mutants:
        if mutant["status"] in ("survived", "undecided", "no-coverage"):
            place = f"{mutant['file']}:{mutant['line']}:{mutant['column']}"
            change = f"`{mutant['original']}` → `{mutant['replacement']}`"
            print(f"{place}: {change} ({mutant['class']}, {mutant['status']})")


def at():
    """Prints the flags that select these programs."""
    sources = ROOT / "kernels/src"
    files = [file for _, prefix in SUITES for file in sorted(sources.glob(f"{prefix}*.rs"))]
    names = [file.relative_to(ROOT) for file in files]
    print(" ".join(f"--at {name}" for name in names))


def main():
    """Prints the table that the arguments select."""
    if sys.argv[1:] == ["at"]:
        return at()
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    known = results.get("known_findings", [])
    racy = {(finding["file"], finding["kernel"]) for finding in known}
    mutants = [
        mutant
        for mutant in results["mutants"]
        if (mutant["file"], mutant.get("function")) not in racy
    ]
    tables = {
        "programs": programs,
        "classes": classes,
        "relational": relational,
        "barriers": barriers,
        "survivors": survivors,
    }
    return tables[sys.argv[2] if len(sys.argv) > 2 else "programs"](mutants)


if __name__ == "__main__":
    main()
