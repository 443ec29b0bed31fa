"""Checks that prose fits 120 columns: columns.py FILE... In Markdown, tables, fenced code and lines without a space to
fold at (a link alone) may be longer. In other files no line may be longer. Prints each line that is too long, and fails
if there is one."""
import sys
from pathlib import Path

COLUMNS = 120


def exempt(line, fenced):
    return fenced or line.startswith("|") or " " not in line.strip()


def long_lines(path):
    fenced = False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if path.suffix == ".md":
            fence = line.lstrip().startswith(("```", "~~~"))
            fenced ^= fence
            if fence or exempt(line, fenced):
                continue
        if len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns; fold it at {COLUMNS}"


def main(names):
    found = [fault for name in names for fault in long_lines(Path(name))]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
