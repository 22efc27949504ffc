#!/usr/bin/env python3
"""Prints how the order of workgroups affects the kernels of kernels/schedules, and how many runs reveal it: the
table of docs/evaluation/comparisons.md.

    scripts/suite-schedules.py HIRACE [DEVICE]
    scripts/suite-schedules.py of RESULTS.json     (prints a table of the findings of `hirace amplify --report json=RESULTS.json`)
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "kernels" / "schedules"
EMBEDDED = ["target-first", "occupancy", "seeded", "random", "pct"]
PLAIN_RUNS = 1000


def amplified(hirace, *flags):
    """Runs `hirace amplify` and returns the results by the names of the tests."""
    with tempfile.TemporaryDirectory() as kept:
        command = [hirace, "amplify", "--format", "json", "--output", kept, *flags]
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
        if done.returncode not in (0, 1, 4):
            sys.exit(done.stderr)
        return {test["name"]: test for test in json.loads(done.stdout)["tests"]}


def seen(test, strategy):
    """Formats the results of a strategy as `found of runs, first 3`, for each dispatch of a test."""
    cells = []
    for launch in test["launches"]:
        for dispatch in launch["dispatches"]:
            for tried in dispatch["strategies"]:
                if tried["strategy"] != strategy:
                    continue
                left = tried.get("skipped")
                if left:
                    return "not run: " + left.get("reason", left["kind"])[:60]
                cell = f"{tried['found']} of {tried['runs']}"
                if tried["found"]:
                    cell += f", first {tried['first']}"
                if tried.get("absent"):
                    cell += f"; {tried['absent']} timed out waiting"
                if tried.get("cut_off"):
                    cell += f"; {tried['cut_off']} cut off"
                cells.append(cell)
    return "; ".join(cells) or "–"


def kinds(test):
    found = {
        finding["what"]["kind"]
        for launch in test["launches"]
        for dispatch in launch["dispatches"]
        for finding in dispatch["findings"]
    }
    return ", ".join(sorted(found)) or "nothing"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def table(hirace, device):
    embedded = amplified(hirace)
    plain = amplified(hirace, "--device", device, "--strategy", "plain", "--schedules", str(PLAIN_RUNS)) if device else {}
    first = amplified(hirace, "--device", device, "--strategy", "target-first", "--strategy", "in-place") if device else {}
    heads = ["kernel", "found"] + [f"embedded: {name}" for name in EMBEDDED]
    if device:
        heads += [f"{device}: plain", f"{device}: target-first", f"{device}: in-place"]
    row(*heads)
    row(*["---"] * len(heads))
    for name, test in embedded.items():
        cells = [name, kinds(test)] + [seen(test, strategy) for strategy in EMBEDDED]
        if device:
            cells += [seen(plain[name], "plain"), seen(first[name], "target-first"), seen(first[name], "in-place")]
        row(*cells)


def of(results):
    """Prints the launches, schedules and findings of each program."""
    programs = {}
    for test in json.loads(Path(results).read_text())["tests"]:
        for launch in test["launches"]:
            program = Path(launch["file"]).stem
            if Path(launch["file"]).suffix == ".rs":
                program = "/".join(Path(launch["file"]).with_suffix("").parts[-2:])
            sums = programs.setdefault(program, {"launches": 0, "runs": 0, "found": {}})
            sums["launches"] += 1
            for dispatch in launch["dispatches"]:
                sums["runs"] += sum(tried["runs"] for tried in dispatch["strategies"])
                for finding in dispatch["findings"]:
                    what = finding["what"]
                    variable = what["facts"].get("variable", "")
                    racy = " (racy twin)" if "racy" in launch["kernel"] else ""
                    said = f"{what['kind']} {variable}: test {finding['test']}{racy}".replace("  ", " ")
                    sums["found"][said] = sums["found"].get(said, 0) + 1
    row("program", "launches", "schedules", "found")
    row("---", "---:", "---:", "---")
    for program, sums in sorted(programs.items()):
        found = "; ".join(f"{said} ({count})" for said, count in sorted(sums["found"].items()))
        row(program, str(sums["launches"]), str(sums["runs"]), found or "nothing")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["of", results]:
            of(results)
        case [hirace, *device] if len(device) < 2:
            table(str(Path(hirace).resolve()), device[0] if device else None)
        case _:
            sys.exit(__doc__)
