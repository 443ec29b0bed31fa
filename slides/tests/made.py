"""What the tests of slides and pages look at: made by make, by one program of tests at a time."""
from __future__ import annotations

import fcntl
import os
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()


def make(*goals: str) -> None:
    """Reaches goals. Where several programs ask, the first makes what the others share."""
    command = [*shlex.split(os.environ.get("MAKE", "make")), *goals, f"BUILD={BUILD}"]
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "slides-tests.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(command, cwd=ROOT, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"make {' '.join(goals)}: {done.stdout[-3000:]}")


def make_file(*paths: Path) -> None:
    """Makes files of the build folder, which make knows by short names inside the workbook."""
    make(*(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path) for path in paths))
