#!/usr/bin/env python3
"""Checks files without a launch, and counts the verdicts of their entry points.

    scripts/verdicts.py [--hirace PATH] FILE...

An entry point is *racy* if its name or the name of its file contains `racy`, *clean* if one of them contains `clean`, and *other* otherwise.
Prints a table of verdicts, then the racy entry points that were not found to be racy or inconclusive, and the clean ones with findings.
"""

import argparse
import collections
import json
import subprocess
import sys

SECONDS = 300
VERDICTS = ["proved", "proved-if", "no-findings", "inconclusive", "findings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hirace", default="hirace")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    counts = collections.defaultdict(collections.Counter)
    notable = []
    for file in arguments.files:
        for entry, verdict in verdicts(arguments.hirace, file):
            kind = kind_of(file, entry)
            counts[kind][verdict] += 1
            is_missed = kind == "racy" and verdict not in ("inconclusive", "findings")
            if is_missed or (kind == "clean" and verdict == "findings"):
                notable.append(f"- `{entry}` of {file}: {verdict}")
    print(f"| entry points | | {' | '.join(VERDICTS)} |")
    print("|---" * (2 + len(VERDICTS)) + "|")
    for kind in sorted(counts):
        cells = [str(counts[kind][verdict]) for verdict in VERDICTS]
        print(f"| {kind} | {sum(counts[kind].values())} | {' | '.join(cells)} |")
    print("\n".join(["", *notable]))


def kind_of(file, entry):
    for kind in ("racy", "clean"):
        if kind in file or kind in entry:
            return kind
    return "other"


def verdicts(hirace, file):
    """Returns the entry points of a file with their verdicts; none if the file cannot be checked."""
    command = [hirace, "check", file, "--format", "json"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        launches = json.loads(ended.stdout)["launches"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        print(f"{file}: {error}", file=sys.stderr)
        return []
    return [(launch["entry"], launch["verdict"]) for launch in launches]


if __name__ == "__main__":
    main()
