"""The workbook's files, which of them are about a lab, and archives of them."""
from __future__ import annotations

import re
import subprocess
import zipfile
from pathlib import Path
from typing import List, Optional

ROOT = Path(__file__).resolve().parents[2]
MOMENT = (2020, 1, 1, 0, 0, 0)
OF_A_LAB = re.compile(r"(?:labs|solutions)/(lab(?:\d\d|NN))-")


def files() -> List[str]:
    """All files, below the workbook's folder; without build output and students' files."""
    listed = subprocess.run([str(ROOT / "lib/tools/files.sh"), "*"], check=True, stdout=subprocess.PIPE, text=True)
    return sorted(file for file in listed.stdout.splitlines() if (ROOT / file).is_file())


def tracked() -> List[str]:
    """The files that git tracks, or all where the workbook is no clone. What else lies in a clone is somebody's own."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True)
    known = set(listed.stdout.splitlines())
    return [file for file in files() if listed.returncode or file in known]


def lab_of(file: str) -> Optional[str]:
    """The lab that a file is about, such as lab03."""
    found = OF_A_LAB.match(file)
    return found[1] if found else None


def is_program(file: str) -> bool:
    return bool((ROOT / file).stat().st_mode & 0o100)


def add(archive: zipfile.ZipFile, name: str, content: bytes, executable: bool) -> None:
    """Adds an entry in a way that gives the same bytes each time."""
    entry = zipfile.ZipInfo(name, MOMENT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    archive.writestr(entry, content)
