#!/usr/bin/env python3
"""Counts the mutants of ten kernels from their source text, and compares the counts with `hirace mutate --list`.

    scripts/count-mutants.py HIRACE

The script does not parse: it removes comments, splits the rest into tokens, and counts for each token the number of mutants in
the table of docs/book/tests/mutation.md. Candidates that do not compile are not mutants, but only a compiler can tell: they are
listed in NONE, with the reason.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = [
    "kernels/bench/tile_scan.wgsl",
    "kernels/examples/block_sum.wgsl",
    "kernels/rules/odd_even_sort.clean.wgsl",
    "kernels/rules/workgroup_uniform_load.racy.wgsl",
    "tests/it/spans/helpers.wgsl",
    "kernels/src/bitonic_sort.rs",
    "kernels/src/game_of_life.rs",
    "kernels/src/histogram_in_tiles.rs",
    "kernels/src/sobel.rs",
    "kernels/src/parboil/spmv.rs",
]
# Candidates that are not mutants, by kernel and class: their number, and the reason.
NONE = {
    ("kernels/src/game_of_life.rs", "bitwise"): (1, "`2 | 3` is a pattern"),
    ("kernels/src/histogram_in_tiles.rs", "gpu"): (2, "atomics cannot be private"),
    ("tests/it/spans/helpers.wgsl", "gpu"): (2, "functions take pointers into workgroup memory"),
}
CLASSES = ["arithmetic", "relational", "logical", "bitwise", "assignment", "barrier", "image-access", "loop-boundary", "gpu"]
# The number of mutants of a token between two operands, per class.
BETWEEN = {
    "arithmetic": {"+": 3, "-": 3, "*": 3, "/": 3, "%": 4},
    "relational": {"<": 3, ">": 3, "<=": 3, ">=": 3, "==": 1, "!=": 1},
    "logical": {"&&": 1, "||": 1},
    "bitwise": {"&": 1, "|": 1, "^": 1, "<<": 1, ">>": 1},
}
ASSIGNMENTS = {"+=": 3, "-=": 3, "*=": 3, "/=": 3, "%=": 4, "<<=": 1, ">>=": 1, "&=": 1, "|=": 1, "^=": 1}
BEFORE = {"-": "arithmetic", "!": "logical", "~": "bitwise"}
TOKEN = re.compile(
    r"[A-Za-z_]\w*!?(?=\W)|0[xX][\da-fA-F_]+\w*|\d[\d_]*(?:\.(?!\.)\d*)?(?:[eE][+-]?\d+)?\w*"
    r"|<<=|>>=|\.\.=|&&|\|\||<<|>>|<=|>=|==|!=|->|=>|::|\.\.|\+\+|--|[-+*/%&|^]=|\S"
)
WORD = re.compile(r"\w")
# A `<` after one of these opens a list of types.
GENERIC = re.compile(r"^(array|vec[234]|mat\dx\d|ptr|var|atomic|bitcast|texture_\w+|Option|Vec|::|[A-Z]\w*)$")


def without_comments(text):
    """Returns the text with each comment replaced by a blank."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


def end_of_block(text, start):
    """Returns the end of the block whose opening brace is at `start`."""
    depth = 0
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return end + 1
    return len(text)


def monitored(text):
    """Returns the items with the attribute `#[hirace::monitor]`."""
    parts = []
    for found in re.finditer(r"#\[hirace::monitor\b", text):
        start = text.index("{", text.index("]", found.start()))
        parts.append(text[found.start() : end_of_block(text, start)])
    return "\n".join(parts)


def ends_operand(token):
    """Returns whether an operator after this token is a binary operator."""
    if token in {"return", "in", "if", "else", "while", "match", "mut", "let", "case"}:
        return False
    return token is not None and (WORD.match(token[-1]) is not None or token in {")", "]"})


def count(text):
    """Returns the number of mutants of each class, counted from the tokens of a text."""
    counts = collections.Counter()
    tokens = TOKEN.findall(text)
    generics = 0
    has_subgroups = "subgroup" in text
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token == "<" and before and GENERIC.match(before):
            generics += 1
        elif token in {">", ">>", ">="} and generics:
            generics -= 2 if token == ">>" else 1
        elif token in ASSIGNMENTS:
            by_one = token in {"+=", "-="} and re.fullmatch(r"1[ui]?(32)?", after) and tokens[at + 2] in {";", ")", "{"}
            counts["assignment"] += 2 if by_one else ASSIGNMENTS[token]
            counts["arithmetic"] += bool(by_one)
        elif token in {"++", "--"}:
            counts["arithmetic"] += 1
        elif ends_operand(before):
            for name, table in BETWEEN.items():
                counts[name] += table.get(token, 0)
        elif token in BEFORE and not (token == "!" and after == "["):
            counts[BEFORE[token]] += 1
        if token in {"workgroupBarrier", "storageBarrier", "workgroup_barrier", "storage_barrier"}:
            # Deleted, replaced by a barrier for the other memory; in texts with subgroups, replaced by a subgroup barrier.
            counts["barrier"] += 3 if has_subgroups else 2
        if token in {"workgroupUniformLoad", "workgroup_uniform_load", "subgroupBarrier", "subgroup_barrier"}:
            counts["barrier"] += 1
        if token in {"texture_store", "textureStore", "textureLoad"} or tokens[at - 2 : at + 1] == ["image", ".", "load"]:
            # In two dimensions: each coordinate plus one and minus one, and both coordinates swapped.
            counts["image-access"] += 5
    return counts


def functions(text):
    """Yields for each function the text before its body, and its body."""
    ends = 0
    for found in re.finditer(r"\bfn\s+\w+", text):
        if found.start() < ends:
            continue
        start = text.index("{", found.end())
        end = end_of_block(text, start)
        yield text[ends : start], text[start:end]
        ends = end


def loops(body):
    """Returns the number of loop mutants: zero iterations for each loop; one less and one more for counted loops."""
    counted = len(re.findall(r"\bfor\s+\w+\s+in\s+[^{]*\.\.", body))
    for header in re.findall(r"\bfor\s*\(([^{]*)\)\s*\{", body):
        _, condition, step = header.split(";")
        variable = re.match(r"\s*(\w+)", step)
        compared = re.search(r"(?<![<>])[<>]=?(?![<>])", condition)
        if compared and variable and re.search(rf"\b{variable[1]}\b", condition):
            # A loop that halves its variable until it is 0 has no mutant with one more iteration.
            counted += 0.5 if re.search(r"(?:/|>>)=", step) else 1
    for condition, rest in re.findall(r"\bwhile\b\s*([^{]*)\{(.*)", body, flags=re.S):
        compared = re.match(r"\(?\s*(\w+)\s*(?:[<>]=?)\s*\w+\s*\)?\s*$", condition)
        steps = re.findall(rf"\b{compared[1]}\s*(?:\+|-|\*|/|<<|>>)=", rest) if compared else []
        counted += len(steps) == 1
    return len(re.findall(r"\b(?:for|while|loop)\b", body)) + int(2 * counted)


IDS = ["global_invocation_id", "local_invocation_id", "workgroup_id"]
INDICES = ["local_invocation_index"]


def gpu(head, body):
    """Returns the number of mutants of a function's ids, sizes, atomic operations and workgroup memory."""
    total = len(re.findall(r"#\[workgroup\]|var<workgroup>", head))
    for sizes in re.findall(r"\bworkgroup_size\(([^)]*)\)", head):
        each = [size.strip() for size in sizes.split(",") if size.strip()]
        total += 2 * len(each) + (len(each) > 1 and each[0] != each[1])
    names = dict(re.findall(r"builtin\((\w+)\)\]?\s*(\w+)", head))
    declared = [builtin for builtin in IDS if builtin in names]
    # Each declaration is replaced by the ids that are not declared, and each use by the other ids that are.
    total += len(declared) * (len(IDS) - len(declared))
    for builtin in declared:
        total += (len(declared) - 1) * len(re.findall(rf"(?<![\w.]){names[builtin]}\b", body))
        for axis in re.findall(rf"(?<![\w.]){names[builtin]}\b(?:\.(\w+)\b)?", body):
            total += 2 + (axis in {"x", "y"}) if len(axis) < 2 else 0
    for builtin in INDICES:
        if builtin in names:
            total += 2 * len(re.findall(rf"(?<![\w.]){names[builtin]}\b", body))
    operations = r"(?:Add|Sub|And|Or|Xor|Min|Max|Exchange)"
    statement = rf"(?:[;{{}}]|=)\s*atomic{operations}\("
    total += len(re.findall(statement, body))
    statement = r"[;{}]\s*(?:let\s+(?:mut\s+)?\w+(?:\s*:\s*\w+)?\s*=\s*)?[\w.\[\]]+\.(?:fetch_\w+|exchange)\("
    total += len(re.findall(statement, body))
    return total


def listed(hirace, kernel):
    """Returns the mutants that `hirace mutate --list` reports for a kernel."""
    said = subprocess.run(
        [hirace, "mutate", "--list", "--format", "json", kernel], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(said.stdout)["mutants"]


def main():
    """Prints the counts of each kernel, and exits with status 1 if the two counts of a class differ."""
    hirace = pathlib.Path(sys.argv[1]).resolve()
    wrong = 0
    print("| kernel | " + " | ".join(CLASSES) + " |\n|" + "---|" * (len(CLASSES) + 1))
    for kernel in KERNELS:
        text = without_comments((ROOT / kernel).read_text())
        text = monitored(text) if kernel.endswith(".rs") else text
        counted = count(text)
        for head, body in functions(text):
            counted["loop-boundary"] += loops(body)
            counted["gpu"] += gpu(head, body)
        found = collections.Counter(mutant["class"] for mutant in listed(hirace, kernel))
        cells = []
        for name in CLASSES:
            counted[name] -= NONE.get((kernel, name), (0, ""))[0]
            agree = counted[name] == found[name]
            wrong += not agree
            cells.append(str(found[name]) if agree else f"{found[name]}, not {counted[name]}")
        print(f"| {kernel} | " + " | ".join(cells) + " |")
    if wrong:
        sys.exit(f"{wrong} counts differ")


if __name__ == "__main__":
    main()
