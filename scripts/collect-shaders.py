#!/usr/bin/env python3
"""Collects compute shaders of published crates by the rule of docs/evaluation/published-shaders.md.

    scripts/collect-shaders.py fetch    downloads and unpacks the crates of the list with cargo
    scripts/collect-shaders.py count    prints the number of files that remain after each step of the rule
    scripts/collect-shaders.py write    writes tests/corpus/collected.toml
    scripts/collect-shaders.py findings HIRACE [seen]
                                        writes the findings of that command into the manifest: in all shaders, or in the
                                        half that is not held out

The entries `findings`, `why`, `unconfirmed` and `refused` of the manifest are kept, except that the last verb replaces `findings`
and `refused`. The script needs `cargo`, and naga's command, which decides whether a text is WGSL.
"""

import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/corpus/crates.txt"
MANIFEST = ROOT / "tests/corpus/collected.toml"
MOST = 16
NO_FOLDERS = {"tests", "test", "testdata", "fixtures", "snapshots", "expected"}
CONSTANT = re.compile(
    r'\b(?:const|static)\s+(\w+)\s*:\s*&\s*(?:\'static\s+)?str\s*=\s*r(#*)"(.*?)"\2\s*;', re.S
)


def crates():
    """Yields the name, version and remark of each line of the list."""
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split()


def folder(name, version):
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    for registry in sorted((home / "registry/src").iterdir()):
        if (registry / f"{name}-{version}/.cargo-ok").exists():
            return registry / f"{name}-{version}"
    return None


def fetch():
    for name, version in crates():
        if folder(name, version) is None:
            package = f"{name}@{version}"
            subprocess.run(
                ["cargo", "info", "--quiet", "--registry", "crates-io", package],
                cwd=tempfile.gettempdir(), stdout=subprocess.DEVNULL, check=False,
            )


def without_comments(text):
    out, at, depth = [], 0, 0
    while at < len(text):
        two = text[at:at + 2]
        if two == "/*":
            depth, at = depth + 1, at + 2
        elif two == "*/" and depth:
            depth, at = depth - 1, at + 2
        elif two == "//" and not depth:
            at = text.find("\n", at)
            if at < 0:
                break
        else:
            if not depth:
                out.append(text[at])
            at += 1
    return "".join(out)


def essence(text):
    return "".join(without_comments(text).split())


def candidates(home):
    """Yields the path, the name of the constant (or None) and the text of each shader with `@compute`."""
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home)
        if path.suffix not in (".wgsl", ".rs") or NO_FOLDERS & set(inside.parts[:-1]):
            continue
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError):
            continue
        if path.suffix == ".wgsl":
            if "@compute" in without_comments(text):
                yield inside.as_posix(), None, text
            continue
        # Test modules are at the end of a file.
        for found in CONSTANT.finditer(text.split("#[cfg(test)]")[0]):
            if "@compute" in without_comments(found[3]):
                yield inside.as_posix(), found[1], found[3]


CONCAT = re.compile(r'\bconcat!\(((?:\s*(?:include_str!\(\s*"[^"]*"\s*,?\s*\)|"[^"]*")\s*,?)+)\s*\)')
INCLUDE = re.compile(r'include_str!\(\s*"([^"]*)"\s*,?\s*\)')


def concatenated(home):
    """Returns, for each file, the files before and after it in `concat!` calls that use only files of the crate."""
    around = {}
    for path in sorted(home.rglob("*.rs")):
        text = path.read_text(errors="replace").split("#[cfg(test)]\nmod ")[0]
        for found in CONCAT.finditer(text):
            files = [(path.parent / name).resolve() for name in INCLUDE.findall(found[1])]
            if not all(file.is_relative_to(home.resolve()) for file in files):
                continue
            files = [file.relative_to(home.resolve()).as_posix() for file in files]
            for at, file in enumerate(files):
                around.setdefault(file, []).append((files[:at], files[at + 1:]))
    return around


def preprocessed(text, defines):
    """Evaluates `#ifdef`, `#ifndef`, `#else` and `#endif`, as tests/it/corpus/manifest.rs does."""
    out, taken = [], []
    for line in text.splitlines():
        words = line.split()
        word, name = (words + ["", ""])[:2]
        if word in ("#ifdef", "#ifndef"):
            taken.append((name in defines) == (word == "#ifdef"))
        elif word == "#else" and taken:
            taken[-1] = not taken[-1]
        elif word == "#endif" and taken:
            taken.pop()
        elif all(taken):
            out.append(line)
    return "\n".join(out) + "\n"


def digest(key):
    return hashlib.sha256(key.encode()).hexdigest()


def is_held_out(key):
    return bool(int(digest(key)[-1], 16) & 1)


def naga_takes(text):
    with tempfile.NamedTemporaryFile("w", suffix=".wgsl") as file:
        file.write(text)
        file.flush()
        try:
            ended = subprocess.run(["naga", file.name], capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0


def filled(home, fill, path, text):
    """Returns the text after the substitutions that the manifest describes: see tests/it/corpus/manifest.rs."""
    before = fill.get("prelude", "")
    for other in fill.get("prepend", []):
        before += (home / other).read_text() + "\n"
    text = before + text + "\n"
    for other in fill.get("append", []):
        text += (home / other).read_text() + "\n"
    for placeholder, value in fill.get("replace", {}).items():
        text = text.replace(placeholder, value)
    if "defines" in fill:
        text = preprocessed(text, fill["defines"])
    for word, value in fill.get("words", {}).items():
        text = re.sub(rf"\b{word}\b", lambda _, value=value: value, text)
    return text


def fillings(name, path, constant, text, every, around):
    """Yields ways to complete a file, the simplest first."""
    yield {}
    if constant is None:
        of = every.get(name, {})
        if path in of or "*" in of:
            common, own = of.get("*", {}), of.get(path, {})
            words = common.get("words", {}) | own.get("words", {})
            fill = common | own | {"words": words}
            fill["words"] = {w: v for w, v in words.items() if re.search(rf"\b{w}\b", text)}
            fill["defines"] = [w for w in fill.get("defines", []) if re.search(rf"\b{w}\b", text)]
            yield {field: value for field, value in fill.items() if value or field == "defines"}
        for before, after in around.get(path, []):
            yield {k: v for k, v in (("prepend", before), ("append", after)) if v}


def fills():
    """Returns the substitutions that crates apply to their shaders, by crate and path."""
    path = ROOT / "tests/corpus/fill.toml"
    return tomllib.loads(path.read_text()) if path.exists() else {}


def old():
    """Returns the names of the crates that were selected by hand, and the normalized texts of their shaders."""
    names, texts = set(), set()
    for krate in tomllib.loads((ROOT / "tests/corpus.toml").read_text())["crate"]:
        names.add(krate["name"])
        home = folder(krate["name"], krate["version"])
        for shader in krate.get("shader", []):
            if home is not None:
                texts.add(essence((home / shader["path"]).read_text()))
    return names, texts


def collect():
    steps = collections.defaultdict(collections.Counter)
    kept = {}
    names, seen = old()
    every = fills()
    found = []
    for name, version in crates():
        home = folder(name, version)
        if home is None:
            sys.exit(f"{name} {version} is not unpacked; run this script with `fetch`")
        for path, constant, text in candidates(home):
            key = f"{name}/{path}" + (f"::{constant}" if constant else "")
            found.append((key, name, version, home, path, constant, text))
    around = {}
    for key, name, version, home, path, constant, text in sorted(found, key=lambda found: found[0]):
        if name not in around:
            around[name] = concatenated(home)
        steps[name]["compute"] += 1
        if essence(text) in seen:
            steps[name]["duplicate"] += 1
            continue
        fill = next((
            fill for fill in fillings(name, path, constant, text, every, around[name])
            if naga_takes(filled(home, fill, path, text))
        ), None)
        if fill is None:
            steps[name]["no WGSL"] += 1
            steps["left:" + name][key] += 1
        else:
            seen.add(essence(text))
            kept.setdefault((name, version), []).append((key, path, constant, fill))
    for (name, _), shaders in kept.items():
        shaders.sort(key=lambda shader: digest(shader[0]))
        steps[name][f"over {MOST}"] += len(shaders[MOST:])
        del shaders[MOST:]
        shaders.sort()
        for shader in shaders:
            steps[name]["held out" if is_held_out(shader[0]) else "seen"] += 1
    return kept, steps


def count():
    kept, steps = collect()
    total = collections.Counter()
    columns = ["compute", "duplicate", "no WGSL", f"over {MOST}", "seen", "held out"]
    print(f"{'':34}" + "".join(f"{column:>10}" for column in columns))
    for name, of in sorted(steps.items()):
        if name.startswith("left:"):
            continue
        total += of
        print(f"{name:34}" + "".join(f"{of[column]:10}" for column in columns))
    print(f"{'':34}" + "".join(f"{total[column]:10}" for column in columns))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def known():
    """Returns the manifest's entry for each shader, by crate, path and constant."""
    if not MANIFEST.exists():
        return {}
    crates = tomllib.loads(MANIFEST.read_text()).get("crate", [])
    shaders = ((krate, shader) for krate in crates for shader in krate.get("shader", []))
    return {(k["name"], s["path"], s.get("constant")): s for k, s in shaders}


def write(known=None):
    known = globals()["known"]() if known is None else known
    head = MANIFEST.read_text().split("\n[[crate]]")[0].rstrip("\n") if MANIFEST.exists() else ""
    lines = [head] if head else []
    kept, _ = collect()
    for (name, version), shaders in sorted(kept.items()):
        lines += ["", "[[crate]]", f"name = {quoted(name)}", f"version = {quoted(version)}"]
        for key, path, constant, fill in shaders:
            said = known.get((name, path, constant), {})
            lines += ["[[crate.shader]]", f"path = {quoted(path)}"]
            if constant:
                lines.append(f"constant = {quoted(constant)}")
            if is_held_out(key):
                lines.append("held_out = true")
            for field in ("prepend", "append", "defines"):
                if field in fill:
                    lines.append(f"{field} = [{', '.join(map(quoted, fill[field]))}]")
            if "prelude" in fill:
                lines.append('prelude = """\n' + fill["prelude"].rstrip("\n") + '\n"""')
            for field in ("replace", "words"):
                if field in fill:
                    pairs = (f"{quoted(a)} = {quoted(b)}" for a, b in fill[field].items())
                    lines.append(f"{field} = {{ {', '.join(pairs)} }}")
            for field in ("findings", "unconfirmed"):
                if said.get(field):
                    lines.append(f"{field} = [{', '.join(map(quoted, said[field]))}]")
            for field in ("refused", "why"):
                if said.get(field):
                    lines.append(f"{field} = {quoted(said[field])}")
    MANIFEST.write_text("\n".join(lines) + "\n")


def source(home, shader):
    """Returns the text of a shader of the manifest."""
    text = (home / shader["path"]).read_text()
    if "constant" in shader:
        constants = (found for found in CONSTANT.finditer(text) if found[1] == shader["constant"])
        text = next(found[3] for found in constants if "@compute" in found[3])
    return filled(home, shader, shader["path"], text)


def findings(hirace, half="all"):
    manifest = tomllib.loads(MANIFEST.read_text())
    said = known()
    for krate in manifest["crate"]:
        home = folder(krate["name"], krate["version"])
        for shader in krate["shader"]:
            if half == "seen" and shader.get("held_out"):
                continue
            with tempfile.NamedTemporaryFile("w", suffix=".wgsl") as file:
                file.write(source(home, shader))
                file.flush()
                command = [hirace, "check", file.name, "--format", "json"]
                ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
            entry = said[krate["name"], shader["path"], shader.get("constant")]
            entry.pop("refused", None)
            if ended.returncode not in (0, 1, 4):
                entry["refused"] = ended.stderr.split("\n")[0].removeprefix("error: ")
            found = set()
            for launch in json.loads(ended.stdout).get("launches", []):
                for finding in launch["findings"]:
                    variable = (finding.get("memory") or {}).get("variable") or "-"
                    found.add(f"{finding['rule']} {finding['certainty']} {variable}")
            entry["findings"] = sorted(found)
    write(said)


if __name__ == "__main__":
    verbs = {"fetch": fetch, "count": count, "write": write, "findings": findings}
    verb, *arguments = sys.argv[1:] or [None]
    if verb not in verbs or (verb == "findings") != bool(arguments):
        sys.exit(__doc__)
    verbs[verb](*arguments)
