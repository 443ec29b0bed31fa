"""Checks that prose fits 120 columns, and lessons 100: columns.py FILE... In Markdown, tables, fenced code and lines
without a space to fold at (a link alone) may be longer. In other files no line may be longer. Prints each line that is
too long, and fails if there is one."""
import sys
from pathlib import Path

COLUMNS = 120
LESSON_COLUMNS = 100


def exempt(line, fenced):
    return fenced or line.startswith("|") or " " not in line.strip()


def columns_of(path):
    lesson = path.match("labs/lab*/*.md") or path.match("solutions/*/*.md")
    return LESSON_COLUMNS if lesson else COLUMNS


def long_lines(path):
    fenced, columns = False, columns_of(path)
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if path.suffix == ".md":
            fence = line.lstrip().startswith(("```", "~~~"))
            fenced ^= fence
            if fence or exempt(line, fenced):
                continue
        if len(line) > columns:
            yield f"{path}:{number}: {len(line)} columns; fold it at {columns}"


def main(names):
    found = [fault for name in names for fault in long_lines(Path(name))]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
