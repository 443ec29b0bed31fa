"""Checks the links of Markdown files: links.py FILE... A link to a file of the workbook must lead to an existing file,
and the part after a # to one of its headings. Links to other places are not followed, nor those to the pages that the
code host has of runs: ../../actions. Prints each broken link, and
fails if there is one."""
import re
import sys
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
LINK = re.compile(r"(?:\]\(|^\[[^]]+\]: )([^()\s]+)", re.M)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|\.\./\.\./actions/")
HEADING = re.compile(r"^#{1,6} +(.+?) *(?:\{[^{}]*\})? *#*$", re.M)


def anchor(heading):
    """The name that a heading gets: small letters, dashes for spaces, nothing but letters, digits, - and _."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(path):
    return {anchor(heading) for heading in HEADING.findall(FENCE.sub("", path.read_text("utf-8")))}


def faults(path):
    text = FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), path.read_text("utf-8"))
    for link in LINK.finditer(text):
        target, _, fragment = unquote(link.group(1)).partition("#")
        if ELSEWHERE.match(target):
            continue
        line = text.count("\n", 0, link.start()) + 1
        file = path.parent / target if target else path
        if not file.exists():
            yield f"{path}:{line}: {link.group(1)} leads to no file"
        elif fragment and (file.suffix != ".md" or fragment not in anchors(file)):
            yield f"{path}:{line}: {link.group(1)} leads to no heading"


def main(names):
    found = [fault for name in names for fault in faults(Path(name))]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
