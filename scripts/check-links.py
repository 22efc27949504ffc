#!/usr/bin/env python3
"""Checks the relative links of all Markdown files.

    scripts/check-links.py [FILE…]      default: all Markdown files of the repository

A link must name a file or folder that exists. Its #anchor must name a heading of that page, by the rules of GitHub and, for pages
of docs/book, those of mdBook too. docs/book/SUMMARY.md must list every page of the book. Links to other sites are not checked.
Prints FILE:LINE of each broken link, and exits with 1 if there is one.
"""

import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOK = ROOT / "docs/book"
SKIPPED = {"target", "node_modules", ".git"}

FENCE = re.compile(r"^\s*(?:>\s*)*(`{3,}|~{3,})")
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# The target of `[text](target)` and `![text](target)`, of `[label]: target`, and of `href="target"` and `src="target"`.
INLINE = re.compile(r"\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[(?!\^)[^\]]+\]:\s*<?([^\s>]+)>?")
HTML = re.compile(r"<(?:a|img)\b[^>]*\b(?:href|src)=[\"']([^\"']+)[\"']")
ANCHOR = re.compile(r"<[^>]*\b(?:id|name)=[\"']([^\"']+)[\"']")


def markdown_files():
    """All Markdown files that git tracks or would track."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = sorted({ROOT / name for name in listed})
    return [path for path in paths if path.is_file() and not SKIPPED & set(path.relative_to(ROOT).parts)]


def lines_outside_code(path):
    """Yields the number and text of each line that is not in a fenced code block."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        marker = FENCE.match(line)
        if fence is None and marker:
            fence = marker.group(1)
        elif fence is not None:
            if marker and marker.group(1)[0] == fence[0] and len(marker.group(1)) >= len(fence):
                if not line.strip().lstrip("> ").strip("`~"):
                    fence = None
        else:
            yield number, line


def heading_text(markdown):
    """The text of a heading as it is shown: of links their text, and no markup."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"(\*\*|\*|`)", "", text)
    text = re.sub(r"(?<!\w)_(.+?)_(?!\w)", r"\1", text)
    return re.sub(r"</?[A-Za-z][^>]*>", "", text).strip()


def slug(text, lower):
    kept = (c for c in lower(text) if c.isalnum() or c in "-_" or c.isspace())
    return "".join("-" if c.isspace() else c for c in kept)


def github_slug(text):
    return slug(text, str.lower)


def mdbook_slug(text):
    return slug(text, lambda all: "".join(c.lower() if c.isascii() else c for c in all))


def numbered(slugs):
    """The anchors of headings in order: the second of the same name has -1, the third -2."""
    counts, anchors = {}, set()
    for name in slugs:
        count = counts.get(name, 0)
        counts[name] = count + 1
        anchors.add(f"{name}-{count}" if count else name)
    return anchors


def anchors(path, known={}):
    if path not in known:
        headings, explicit = [], set()
        for _, line in lines_outside_code(path):
            explicit.update(ANCHOR.findall(line))
            found = HEADING.match(line)
            if found:
                headings.append(heading_text(found.group(2)))
        all = numbered(map(github_slug, headings))
        if path.is_relative_to(BOOK):
            all &= numbered(map(mdbook_slug, headings))
        known[path] = all | explicit
    return known[path]


def targets(line):
    plain = CODE.sub(lambda code: " " * len(code.group(0)), line)
    for pattern in (INLINE, REFERENCE, HTML):
        yield from pattern.findall(plain)


def problem(path, target):
    """What is wrong with a link, or None."""
    if re.match(r"^([A-Za-z][A-Za-z0-9+.-]*:|//)", target):
        return None
    name, _, anchor = target.partition("#")
    name, anchor = urllib.parse.unquote(name), urllib.parse.unquote(anchor)
    if name.startswith("/"):
        return "it is absolute"
    file = pathlib.Path(os.path.normpath(path.parent / name)) if name else path
    if not file.is_relative_to(ROOT):
        return "it leads out of the repository"
    if not file.exists():
        return "there is no such file"
    if name.endswith("/") and not file.is_dir():
        return "it is not a folder"
    if anchor:
        if file.suffix != ".md":
            return None
        if anchor not in anchors(file):
            return f"{file.relative_to(ROOT)} has no heading #{anchor}"
    return None


def missing_in_summary():
    """Pages of the book that SUMMARY.md does not list."""
    summary = BOOK / "SUMMARY.md"
    if not summary.is_file():
        return
    listed = {os.path.normpath(BOOK / target) for _, line in lines_outside_code(summary) for target in targets(line)}
    for page in sorted(BOOK.rglob("*.md")):
        if page != summary and str(page) not in listed:
            yield f"{page.relative_to(ROOT)}:1: docs/book/SUMMARY.md does not list this page"


def main():
    files = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or markdown_files()
    broken, count = [], 0
    for path in files:
        for number, line in lines_outside_code(path):
            for target in targets(line):
                count += 1
                what = problem(path, target)
                if what:
                    broken.append(f"{path.relative_to(ROOT)}:{number}: ({target}): {what}")
    broken.extend(missing_in_summary())
    if broken:
        print("\n".join(broken))
        return 1
    print(f"{count} links of {len(files)} files are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
