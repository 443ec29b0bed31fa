#!/usr/bin/env python3
"""What planning, merging and status cost by themselves for 26,000 gradings: each submission of the toy lab has an
outcome that no machine had to work for.

    bench_parts.py BUILD [NUMBER]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOYLAB = Path("grader/tests/fixtures/toylab")


def timed(what, *command):
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begun
    print(f"{what:<34} {seconds:7.1f} s", flush=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stdout[-1000:] + done.stderr)
    return seconds


def hand_in(submissions, count):
    source = (TOYLAB / "class/right/toylab.c").read_text(encoding="utf-8")
    for number in range(1, count + 1):
        folder = submissions / f"student{number:05}"
        folder.mkdir(parents=True)
        (folder / "toylab.c").write_text(f"{source}// {number}\n", encoding="utf-8")


def publish(plan, first, last):
    """Gives submissions the outcome of the one that was graded."""
    jobs = json.loads((plan / "jobs.json").read_text(encoding="utf-8"))
    model = json.loads((plan / "000001/result/outcome.json").read_text(encoding="utf-8"))["result"]
    for number in range(first, last + 1):
        _, directory, key = jobs[number - 1]
        model["submission"] |= {"name": directory, "directory": directory}
        result = plan / f"{number:06}/result"
        result.mkdir()
        (result / "outcome.json").write_text(json.dumps({"key": key, "result": model}), encoding="utf-8")
        (result / "build.log").write_text("", encoding="utf-8")
        (plan / f"{number:06}/log").write_text("2026-11-23T10:00:00Z n1 begins\n2026-11-23T10:00:09Z n1 done\n",
                                               encoding="utf-8")


def main():
    build, count = Path(sys.argv[1]).absolute(), int(sys.argv[2]) if len(sys.argv) > 2 else 26000
    labgrade = str(build / "bin/labgrade")
    with tempfile.TemporaryDirectory(prefix="bench-parts-") as folder:
        root, out = Path(folder), Path(folder) / "out"
        (root / "labs").mkdir()
        (root / "labs/toylab-first").symlink_to(TOYLAB.absolute())
        (root / "lib").symlink_to(Path("lib").absolute())
        places = ["--root", str(root), "--build", str(build)]
        hand_in(root / "submissions", count)
        cost = timed("plan", labgrade, "plan", "--lab", "toylab", "--submissions", str(root / "submissions"), "--out",
                     str(out), *places)
        grading = timed("grade one submission", labgrade, "work", "--out", str(out), "--part", f"1/{count}", *places)
        publish(out / "+plan", 2, count - 1)
        timed("status, nothing merged", labgrade, "status", "--out", str(out))
        timed("status, parts left", labgrade, "status", "--out", str(out), "--parts", "100")
        cost += timed("merge all but one", labgrade, "merge", str(out), *places)
        timed("status, all but one merged", labgrade, "status", "--out", str(out))
        cost += timed("merge, nothing new", labgrade, "merge", str(out), *places)
        publish(out / "+plan", count, count)
        cost += timed("merge the last, write results.json", labgrade, "merge", str(out), *places)
        timed("status at the end", labgrade, "status", "--out", str(out))
        print(f"{count} gradings: {cost:.1f} s on top of the work, {cost / count * 1000:.1f} ms for each; "
              f"{100 * cost / count / grading:.2f} % of gradings of {grading:.1f} s")


if __name__ == "__main__":
    main()
