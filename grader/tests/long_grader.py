"""Kills labgrade at random moments and grades again and again: make test-grader-long.

A grading that is repeatedly killed with SIGKILL and resumed ends with the same report as an undisturbed one. A
submission that is graded a hundred times has one score.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

TIMES = int(os.environ.get("GRADER_LONG_TIMES", "100"))
TOYLAB = pathlib.Path("grader/tests/fixtures/toylab")
VARIANTS = ["right", "wrong", "does_not_compile", "null_pointer", "starter", "leaves_a_daemon"]
PASSING = {"created", "seconds", "started", "timings", "output"}  # the daemon prints its process id


def forget_times(value):
    """The report without the fields that depend on when and how fast it was made."""
    if isinstance(value, dict):
        return {key: forget_times(inner) for key, inner in value.items() if key not in PASSING}
    return [forget_times(inner) for inner in value] if isinstance(value, list) else value


class Class:
    """A checkout with the toy lab, and the submissions of a class."""

    def __init__(self, place: pathlib.Path, build: str):
        self.place, self.build = place, build
        (place / "labs").mkdir()
        (place / "labs" / "toylab-first").symlink_to(TOYLAB.resolve())
        (place / "lib").symlink_to(pathlib.Path("lib").resolve())
        for variant in VARIANTS:
            (place / "submissions" / variant).mkdir(parents=True)
            for source in (TOYLAB / "class" / variant).glob("*.c"):
                (place / "submissions" / variant / source.name).write_bytes(source.read_bytes())

    def command(self, verb: str, out: pathlib.Path, *more: str) -> list:
        return [f"{self.build}/bin/labgrade", verb, "--root", str(self.place), "--build", self.build, "--out", str(out),
                *more]

    def grade_command(self, out: pathlib.Path) -> list:
        return self.command("grade", out, "--lab", "toylab", "--submissions", str(self.place / "submissions"), "--seed",
                            "7", "--jobs", "2")

    def report(self, out: pathlib.Path):
        return forget_times(json.loads((out / "results.json").read_text()))


def run(command: list) -> int:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def kill_sometime(command: list, out: pathlib.Path, most: float, generator: random.Random) -> bool:
    """Runs the command and kills it at a random moment: either the process that works or the one that guards it. True
    if it had already ended."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(generator.uniform(0, most))
        ended = process.poll() is not None
        victim = process.pid
        if generator.random() < 0.5:
            try:
                victim = int((out / "grades.lock").read_text().split()[1])
            except (OSError, IndexError, ValueError):
                pass
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    return ended


def test_kills(graded: Class, generator: random.Random) -> None:
    out = graded.place / "whole"
    begun = time.monotonic()
    assert run(graded.grade_command(out)) == 0
    most = 1.2 * (time.monotonic() - begun)
    expected = graded.report(out)
    cut_short = 0
    for number in range(TIMES):
        out = graded.place / f"killed{number}"
        cut_short += not kill_sometime(graded.grade_command(out), out, most, generator)
        while run(graded.command("resume", out, "--jobs", "2")) != 0:
            time.sleep(0.2)  # processes that the killed one started may still hold the folder
            if not (out / "grades.db").exists() or "nothing was graded" in subprocess.run(
                    graded.command("status", out), capture_output=True, text=True, check=False).stderr:
                assert run(graded.grade_command(out)) == 0
        assert graded.report(out) == expected, f"the report after kill {number} differs"
    print(f"{TIMES} gradings, {cut_short} of them killed before their end: one report")


def test_regrades(graded: Class) -> None:
    out = graded.place / "again"
    assert run(graded.grade_command(out)) == 0
    expected = graded.report(out)
    for number in range(TIMES):
        assert run(graded.command("regrade", out, "--student", "wrong")) == 0
        assert graded.report(out) == expected, f"the score of regrade {number} differs"
    print(f"{TIMES} regrades of a submission: one score")


def main(build: str) -> int:
    seed = random.randrange(1 << 32)
    print(f"random moments from the seed {seed}")
    with tempfile.TemporaryDirectory(prefix="long-grader-") as name:
        graded = Class(pathlib.Path(name), build)
        test_kills(graded, random.Random(seed))
        test_regrades(graded)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
