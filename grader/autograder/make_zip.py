#!/usr/bin/env python3
"""Makes the zip that Gradescope runs: setup.sh and run_autograder at its root, the workbook next to them.

    make_zip.py LAB ZIP

AUTOGRADER_MAKE in the environment holds more words for make, which the entry points use: SEED=7, or in quotes
LABGRADE='--memory 1024'.

Of labs and solutions only the one that is graded goes in: what is not there cannot be read by who is graded. The
same workbook gives the same bytes. Exit status: 0 when the zip was written, 1 when not.
"""
from __future__ import annotations

import os
import re
import shlex
import sys
import zipfile
from pathlib import Path
from typing import List

if not sys.flags.dont_write_bytecode:
    # Nothing is written next to the sources: what is built belongs elsewhere.
    sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "handout"))
from workbook import ROOT, add, files, is_program, lab_of  # noqa: E402

ENTRY_POINTS = ("setup.sh", "run_autograder")
LEFT_OUT = re.compile(r"slides/|\.ci/|lib/tests/|grader/tests/(?!class/)")


def main(arguments: List[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    lab, target = arguments[0], Path(arguments[1])
    words = os.environ.get("AUTOGRADER_MAKE", "")
    try:
        shlex.split(words)
    except ValueError as error:
        return complain(f"AUTOGRADER_MAKE: {error}: {words}")
    kept = [file for file in files() if needed(file, lab)]
    if lab not in map(lab_of, kept):
        return complain(f"there is no {lab}")
    temporary = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ENTRY_POINTS:
                add(archive, name, (ROOT / "grader/autograder" / name).read_bytes(), True)
            add(archive, "lab", f"{lab}\n".encode(), False)
            add(archive, "make", words.encode(), False)
            for file in kept:
                add(archive, f"workbook/{file}", (ROOT / file).read_bytes(), is_program(file))
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        return complain(f"cannot write {target}: {error.strerror}")
    print(f"{target}: upload it to Gradescope as the autograder of an assignment to which {lab}.c is handed in")
    return 0


def needed(file: str, lab: str) -> bool:
    """Whether the grading of this lab needs the file."""
    return not LEFT_OUT.match(file) and lab_of(file) in (None, lab)


def complain(message: str) -> int:
    print(f"make_zip.py: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
