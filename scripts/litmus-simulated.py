#!/usr/bin/env python3
"""Evaluates litmus testing on simulated devices, whose faults are known. Writes docs/evaluation/litmus-simulated.md.

    scripts/litmus-simulated.py FOLDER          runs the experiments, stores results in FOLDER, and writes the page
    scripts/litmus-simulated.py FOLDER --page   writes the page from the results in FOLDER

HIRACE names the command (default: target/release/hirace, from `cargo build --release -p hirace-cli`). Two commands run at a time;
all of them take about 20 minutes on two cores. Figures that depend on the speed of the machine are marked on the page; everything
else is the same on every machine.
"""

import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HIRACE = os.environ.get("HIRACE", ROOT / "target/release/hirace")
PAGE = ROOT / "docs/evaluation/litmus-simulated.md"

SEEDS = [1]
SIZES = ["--max-workgroups=32", "--max-workgroup-size=64"]
UNSTRESSED = ["--preset=basic", "--set=testingWorkgroups=32", "--set=maxWorkgroups=32", "--set=workgroupSize=64"]
SIDES = [
    ("site_baseline", "single, without stress", "6.3", ["run", "mutants", "--layout=single", *UNSTRESSED, "--iterations=300"]),
    ("site", "single, tuned", "46.1", ["tune", "mutants", "--layout=single", *SIZES, "--environments=20", "--iterations=60"]),
    ("pte_baseline", "parallel, without stress", "72.7", ["run", "mutants", *UNSTRESSED, "--iterations=20"]),
    ("pte", "parallel, tuned", "83.6", ["tune", "mutants", *SIZES, "--environments=20", "--iterations=20"]),
]
# Uses the version of WGSL in which a barrier orders accesses between workgroups, as the paper does.
FAULTS = [
    ("corr", "rr", ["rr-reversed"], ".996"),
    ("mp-relacq", "mp-fences", ["mp-no-fence", "mp-fence-0", "mp-fence-1"], ".967"),
    ("mp-co", "mp-one-location", ["mp-two-locations"], ".893"),
]
BY_2022 = "--specification=wgsl-2022"
DEVICES = ["relaxed", *(name for name, *_ in FAULTS)]


def hirace(arguments, device, json_file):
    """Runs the command, and keeps its report."""
    json_file.parent.mkdir(parents=True, exist_ok=True)
    kept = [] if arguments[0] == "run" else [f"--output={json_file.with_suffix('.kept')}"]
    command = [HIRACE, "litmus", *arguments, f"--device=simulated:{device}", "--quiet", *kept, f"--report=json={json_file}"]
    ended = subprocess.run(command, check=False)
    # Status 1: a conformance test found a violation.
    if ended.returncode not in (0, 1):
        sys.exit(f"{ended.returncode}: {command}")


def runs(folder):
    """Returns all runs, in two groups: those of the second use results of the first."""
    tuned = [
        (arguments, f"relaxed,seed={seed}", folder / side / f"relaxed-{seed}.json")
        for side, _, _, arguments in SIDES
        for seed in SEEDS
    ]
    for name, test, mutants, _ in FAULTS:
        drawn = ["tune", test, *mutants, *SIZES, "--environments=40", "--iterations=100", BY_2022]
        tuned.append((drawn, name, folder / "correlation_analysis" / f"{name}.json"))
    conform = []
    for device in DEVICES:
        best = folder / "pte" / f"relaxed-{SEEDS[0]}.json"
        chosen = ["conform", f"--tuned={best}", BY_2022, "--iterations=100"]
        conform.append((chosen, device, folder / "conform" / f"{device}.json"))
        calm = ["run", "conformance", "--layout=single", *UNSTRESSED, BY_2022, "--iterations=300"]
        conform.append((calm, device, folder / "calm" / f"{device}.json"))
    return tuned, conform


def read(path):
    return json.loads(path.read_text())


def pearson(pairs):
    """Returns Pearson's coefficient, or None if one side does not vary."""
    means = [sum(side) / len(pairs) for side in zip(*pairs)]
    off = [[value - mean for value, mean in zip(pair, means)] for pair in pairs]
    lengths = [math.sqrt(sum(pair[side] ** 2 for pair in off)) for side in (0, 1)]
    return sum(a * b for a, b in off) / math.prod(lengths) if all(lengths) else None


def per_instance(document, test, mutant):
    """Returns the correlation of the rates per instance at which two tests find their target behavior."""
    of = {name: {run["environment"]: run for run in document["runs"] if run["test"] == name} for name in (test, mutant)}
    rate = lambda run: run["found"] / run["instances"]
    both = [at for at in of[test] if at in of[mutant] and of[test][at]["instances"] and of[mutant][at]["instances"]]
    return pearson([(rate(of[test][at]), rate(of[mutant][at])) for at in both])


def known(correlated):
    of = correlated.get("known")
    return (f"{of['coefficient']:.3f}", f"{of['chance']:.1e}") if of else ("–", "–")


def scores(analysis):
    rows = ["| environments | paper, % | here, % | killed | 95 % | by mutator: reversing po-loc, weakening po-loc, weakening sw | deaths/s * |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for side, name, paper, _ in SIDES:
        of = next(of for of in analysis["sides"] if of["side"] == side)["mutants"]
        score = of["score"]
        by = ", ".join(f"{one['killed']}/{one['total']}" for one in of["mutators"])
        between = f"{score['lower'] * 100:.1f}–{score['upper'] * 100:.1f}"
        rows.append(f"| {name} | {paper} | {score['value'] * 100:.1f} | {of['killed']} of {of['total']} | {between} | {by} | {of['death_rate']:.3g} |")
    return rows


def found(folder):
    rows = ["| device | found where mutants died most * | found in single instances without stress |", "| --- | --- | --- |"]
    for device in DEVICES:
        cells = []
        for side in ("conform", "calm"):
            document = read(folder / side / f"{device}.json")
            names = document["summary"]["violations"]
            cells.append(f"{', '.join(names) or 'nothing'} (of {len(document['tests'])} tests)")
        rows.append(f"| `{device}` | {' | '.join(cells)} |")
    return rows


def correlations(folder, analysis):
    rows = [
        "| device | bug | mutant | r in the paper | r of counts | p | r of rates per instance | r of rates per second * | p * |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    devices = next(of for of in analysis["sides"] if of["side"] == "correlation_analysis")["devices"]
    for name, test, mutants, paper in FAULTS:
        document = read(folder / "correlation_analysis" / f"{name}.json")
        pairs = next(of for of in devices if of["device"] == f"simulated:{name}")["correlations"]
        for pair in (pair for pair in pairs if pair["test"] == test and pair["mutant"] in mutants):
            counts, rates = known(pair["counts"]), known(pair["rates"])
            each = per_instance(document, test, pair["mutant"])
            each = "–" if each is None else f"{each:.3f}"
            rows.append(f"| `{name}` | {test} | {pair['mutant']} | {paper} | {' | '.join(counts)} | {each} | {' | '.join(rates)} |")
    return rows


def page(folder):
    analyzed = folder / "analysis.json"
    sides = [side for side, *_ in SIDES] + ["correlation_analysis"]
    files = [str(path) for side in sides for path in sorted((folder / side).glob("*.json"))]
    text = subprocess.run([HIRACE, "litmus", "analyze", *files, "--format=json"], check=True, capture_output=True, text=True).stdout
    analyzed.write_text(text)
    analysis = json.loads(text)
    head = PAGE.read_text().split("<!-- results -->")[0]
    parts = [
        head + "<!-- results -->",
        "## Mutants\n",
        *scores(analysis),
        "\n## Planted bugs\n",
        *found(folder),
        "\n## Bugs and their mutants\n",
        *correlations(folder, analysis),
        "\n\\* depends on the speed of the machine; everything else is the same on every machine.",
    ]
    tail = PAGE.read_text().split("<!-- results end -->")[1:]
    PAGE.write_text("\n".join(parts) + "\n\n<!-- results end -->" + "".join(tail))


def main():
    folder = pathlib.Path(sys.argv[1])
    if "--page" not in sys.argv:
        for together in runs(folder):
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda one: hirace(*one), together))
    page(folder)


if __name__ == "__main__":
    main()
