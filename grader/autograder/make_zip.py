#!/usr/bin/env python3
"""Makes the zip that Gradescope runs: setup.sh and run_autograder at its root, the workbook beside them.

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
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import List

if not sys.flags.dont_write_bytecode:
    # Nothing is written beside the sources: what is built belongs elsewhere.
    sys.dont_write_bytecode = True

ROOT = Path(__file__).resolve().parents[2]
ENTRY_POINTS = ("setup.sh", "run_autograder")
MOMENT = (2020, 1, 1, 0, 0, 0)
OF_A_LAB = re.compile(r"(?:labs|solutions)/(lab\d\d)-")
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
    files = workbook_files(lab)
    if not any(found and found[1] == lab for found in map(OF_A_LAB.match, files)):
        return complain(f"there is no {lab}")
    temporary = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ENTRY_POINTS:
                add(archive, name, (ROOT / "grader/autograder" / name).read_bytes(), True)
            add(archive, "lab", f"{lab}\n".encode(), False)
            add(archive, "make", words.encode(), False)
            for file in files:
                path = ROOT / file
                add(archive, f"workbook/{file}", path.read_bytes(), bool(path.stat().st_mode & 0o100))
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        return complain(f"cannot write {target}: {error.strerror}")
    print(f"{target}: upload it to Gradescope as the autograder of an assignment to which {lab}.c is handed in")
    return 0


def workbook_files(lab: str) -> List[str]:
    """What the grading of this lab needs, below the workbook's folder."""
    listed = subprocess.run([str(ROOT / "lib/tools/files.sh"), "*"], check=True, stdout=subprocess.PIPE, text=True)
    found = []
    for file in sorted(listed.stdout.splitlines()):
        other = OF_A_LAB.match(file)
        if not LEFT_OUT.match(file) and not (other and other[1] != lab) and (ROOT / file).is_file():
            found.append(file)
    return found


def add(archive: zipfile.ZipFile, name: str, content: bytes, executable: bool) -> None:
    entry = zipfile.ZipInfo(name, MOMENT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    archive.writestr(entry, content)


def complain(message: str) -> int:
    print(f"make_zip.py: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
