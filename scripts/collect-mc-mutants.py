#!/usr/bin/env python3
"""Writes tests/mc-mutants/results.csv from the results in the artifact of MC Mutants.

    scripts/collect-mc-mutants.py FOLDER

FOLDER contains the folders site, pte, site_baseline, pte_baseline and correlation_analysis, each with one file per device.

Each row describes a test: the way it was run, the device, its name, and `interleaved/weak/milliseconds` for each environment,
in order. The number of sequential instances is not stored, because it follows from the others: a parallel run has 100 iterations
of the environment's testing workgroups of 256 instances, a single-instance run has 300 instances, and all remaining instances
were sequential. Where this does not hold, the number of sequential instances is a fourth figure. Rows named `testingWorkgroups`
have this parameter of each environment.
"""

import csv
import json
import pathlib
import sys

SIDES = ["site_baseline", "site", "pte_baseline", "pte", "correlation_analysis"]
TARGET = pathlib.Path(__file__).parent.parent / "tests" / "mc-mutants" / "results.csv"


def cell(run, instances):
    milliseconds = round(run["durationSeconds"] * 1000)
    assert milliseconds / 1000 == run["durationSeconds"]
    parts = [run["interleaved"], run["weak"], milliseconds]
    if sum(run[way] for way in ("seq", "interleaved", "weak")) != instances:
        parts.append(run["seq"])
    return "/".join(map(str, parts))


def rows(folder):
    for side in SIDES:
        for file in sorted((folder / side).glob("*.json")):
            results = json.loads(file.read_text())
            entries = [results[str(n)] for n in range(sum(key.isdigit() for key in results))]
            workgroups = [entry["params"]["testingWorkgroups"] for entry in entries]
            yield [side, file.stem, "testingWorkgroups", *workgroups]
            for test in (name for name in entries[0] if name != "params"):
                single = "Single Instance" in test
                ran = [300 if single else 100 * 256 * of for of in workgroups]
                cells = [cell(entry[test], of) for entry, of in zip(entries, ran)]
                yield [side, file.stem, test, *cells]


with TARGET.open("w", newline="") as out:
    csv.writer(out, lineterminator="\n").writerows(rows(pathlib.Path(sys.argv[1])))
