#!/usr/bin/env python3
"""Runs a lab's checks whenever its files change: watch-lab.py LAB FOLDER [FILE]. MAKE is the make to run, in the
shell's words. It reads the files twice a second, which works on any file system. A file that is saved while the checks
run restarts them. Ctrl-C ends the script and the checks.
"""
from __future__ import annotations

import contextlib
import hashlib
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 10  # seconds that a run has to tidy up


class Ended(Exception):
    """Somebody pressed Ctrl-C."""


class Signals:
    """Signals are read where the script waits, so that none comes while it notes what it has started."""

    def __init__(self) -> None:
        self.pipe, told = os.pipe()
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda _number, _frame: None)

    def wait(self, seconds: float, *descriptors: int) -> bool:
        """Whether one of the descriptors can be read before so many seconds have passed."""
        ready, _, _ = select.select([self.pipe, *descriptors], [], [], seconds)
        if self.pipe in ready:
            raise Ended
        return bool(ready)


class Run:
    """The checks. All of their processes hold the other end of a pipe and write nothing: it ends with the last one."""

    def __init__(self, lab: str) -> None:
        self.pipe, held = os.pipe()
        command = [*shlex.split(os.environ.get("MAKE", "make")), "--no-print-directory", lab]
        try:
            self.make = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=[held])
        finally:
            os.close(held)

    def end(self) -> None:
        """Ends the run with all of its processes, which a second Ctrl-C does not stop."""
        self.kill(signal.SIGTERM)
        if not select.select([self.pipe], [], [], PATIENCE)[0]:
            self.kill(signal.SIGKILL)
        self.close()

    def kill(self, number: signal.Signals) -> None:
        if self.make.returncode is None:  # make is not yet waited for, so that its number is no other's
            os.killpg(self.make.pid, number)

    def close(self) -> None:
        os.close(self.pipe)
        self.make.wait()


def contents(file: Path, folder: Path) -> bytes:
    seen = hashlib.sha256()
    for path in (file, *sorted(folder.glob("*.cu")), *sorted(folder.glob("*.h"))):
        with contextlib.suppress(OSError):  # an editor may replace it just now
            seen.update(path.read_bytes())
        seen.update(b"\0")
    return seen.digest()


def begin(news: str) -> None:
    if sys.stdout.isatty():
        subprocess.run(["clear"], check=False)
    if news:
        print(news, flush=True)


def watch(signals: Signals, lab: str, folder: Path, file: Path) -> None:
    news = ""
    while True:
        begin(news)
        seen = contents(file, folder)
        run = Run(lab)
        try:
            while not (ended := signals.wait(0.5, run.pipe)) and contents(file, folder) == seen:
                pass
        except Ended:
            run.end()
            raise
        if not ended:
            run.end()
            news = f"{file.name} was saved meanwhile: the checks begin again."
            continue
        run.close()
        news = ""
        print(f"Watching {file} ({time.strftime('%H:%M:%S')}):\nsave it to run again, Ctrl-C to stop.", flush=True)
        while contents(file, folder) == seen:
            signals.wait(0.5)


def main() -> None:
    signals = Signals()
    os.chdir(ROOT)
    lab, folder = sys.argv[1], Path(sys.argv[2])
    try:
        watch(signals, lab, folder, Path(sys.argv[3] if len(sys.argv) > 3 else folder / f"{lab}.c"))
    except Ended:
        # make hears of Ctrl-C too, and says "wait: No child processes" if its child ends before it begins to handle it.
        time.sleep(0.2)
        with contextlib.suppress(OSError):  # of a terminal that is gone
            os.write(1, b"\n")


if __name__ == "__main__":
    main()
