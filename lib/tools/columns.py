"""Checks that prose fits 120 columns, and lessons 100: columns.py FILE... In Markdown, tables, fenced code and lines
without a space to fold at (a link alone) may be longer. In a lesson no line may be longer, and a drawing, which is
indented, has 76 columns without that. In other files no line may be longer; those of students' files have 100 columns.
Prints each line that is too long, and fails if there is one."""
import re
import sys
from pathlib import Path

COLUMNS = 120
LESSON_COLUMNS = 100
DRAWING_COLUMNS = 4 + 76
LESSON = re.compile(r"(^|/)(labs/README\.md|(labs|solutions)/lab[^/]*/(README\.md|lab..\.c|starter\.c|kernels\.cu))$")


def exempt(line, fenced, lesson):
    return " " not in line.strip() or not lesson and (fenced or line.startswith("|"))


def columns_of(line, lesson, prose):
    if not lesson:
        return COLUMNS
    return DRAWING_COLUMNS if prose and line.startswith("    ") else LESSON_COLUMNS


def long_lines(path):
    fenced, lesson, prose = False, LESSON.search(path.as_posix()), path.suffix == ".md"
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if prose:
            fence = line.lstrip().startswith(("```", "~~~"))
            fenced ^= fence
            if fence or exempt(line, fenced, lesson):
                continue
        columns = columns_of(line, lesson, prose)
        if len(line) > columns:
            yield f"{path}:{number}: {len(line)} columns; fold it at {columns}"


def main(names):
    found = [fault for name in names for fault in long_lines(Path(name))]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
