"""Measures labgrade with a class of lab 01, and the report with thirteen labs: make bench-grader.

The class consists of the lab's solution and wrong answers in turn; a comment makes each file different. Prints

- how long 300 submissions take, and what the grader adds to building and running them;
- what a second worker gains, and how long a grading takes when nothing has changed;
- how much memory the grader itself needs;
- how long the pages of 300 students in thirteen labs take to write, and one of them to open in a browser.

GRADER_BENCH_SUBMISSIONS=N takes fewer submissions; the time of 300 is then computed. A time says little on a busy
machine. So the load before is printed, and the processor time that the pages take.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

SUBMISSIONS = int(os.environ.get("GRADER_BENCH_SUBMISSIONS", "300"))
FEW = min(24, SUBMISSIONS)
CLASS = 300
LABS = 13
LIMITS = {"seconds": 900.0, "overhead": 0.3, "efficiency": 0.8, "unchanged": 5.0, "memory": 200.0, "report": 15.0,
          "opened": 1.0}
HERE = pathlib.Path(__file__).resolve().parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def make_class(build: str, folder: pathlib.Path, count: int) -> None:
    """Writes `count` submissions, each in a folder of its own."""
    sources = sorted(pathlib.Path(build).glob("lab01/wrong/*.c")) + sorted(
        pathlib.Path("solutions").glob("lab01-*/lab01.c"))
    for number in range(count):
        student = folder / f"student{number:03}"
        student.mkdir(parents=True)
        text = sources[number % len(sources)].read_text()
        (student / "lab01.c").write_text(f"{text}/* {number} */\n")


def own_memory(program: str) -> float:
    """The memory in MiB of all processes that run the program: the grader, its guard, and the job of each worker.
    Memory that they share counts for each of them, so the sum is never too small."""
    pages = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") == program:
                pages += int((process / "statm").read_text().split()[1])
        except (OSError, IndexError):
            pass  # it has ended, or belongs to another user
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def grade(build: str, submissions: pathlib.Path, out: pathlib.Path, jobs: int) -> tuple:
    """Grades the class. Returns seconds and MiB."""
    command = [f"{build}/bin/labgrade", "grade", "--build", build, "--lab", "lab01", "--seed", "1", "--jobs", str(jobs),
               "--submissions", str(submissions), "--out", str(out)]
    most, ended = [0.0], threading.Event()

    def watch() -> None:
        program = os.path.realpath(command[0])
        while not ended.wait(0.2):
            most[0] = max(most[0], own_memory(program))

    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begun
    ended.set()
    watcher.join()
    return seconds, most[0]


def overhead(out: pathlib.Path, seconds: float) -> float:
    """Seconds for each submission that went neither into building nor into running it, in a grading of this length with
    one worker. They include the start, the proof that kernels run, the store and the files."""
    results = json.loads((out / "results.json").read_text())["submissions"]
    spent = [result["build"]["seconds"] + sum(check["seconds"] for check in result["checks"]) for result in results]
    return (seconds - sum(spent)) / len(spent)


def report(out: pathlib.Path) -> tuple:
    """Writes the pages of a generated course with drawn timelines. Returns seconds, and seconds of processor time."""
    sys.path.insert(0, str(HERE / "fixtures/report"))
    import large_course
    large_course.write(out, CLASS, LABS, next(pathlib.Path("labs").glob("lab03-*/timeline.svg")).read_text())
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-B", "grader/report/report.py", str(out)], check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def open_page(page: pathlib.Path) -> float:
    """Seconds until the page is loaded, sortable and laid out: the median of three times. A script takes the time. The
    page's own policy would not let it run, so this removes the policy."""
    copy = page.with_name("timed.html")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(encoding="utf-8"))
    copy.write_text(text.replace("</body>", """<script>addEventListener("load", () => {
        document.body.offsetHeight;
        document.body.dataset.opened = performance.now();
    });</script></body>"""), encoding="utf-8")
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory(prefix="bench-profile-", ignore_cleanup_errors=True) as profile:
            done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                   f"--user-data-dir={profile}", "--dump-dom", copy.as_uri()],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120, check=True)
        times.append(float(re.search(r'data-opened="([\d.]+)"', done.stdout)[1]) / 1000)
    return sorted(times)[1]


def main(build: str) -> int:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="bench-grader-") as name:
        place = pathlib.Path(name)
        make_class(build, place / "few", FEW)
        make_class(build, place / "class", SUBMISSIONS)
        one, _ = grade(build, place / "few", place / "one", 1)
        two, _ = grade(build, place / "few", place / "two", 2)
        whole, memory = grade(build, place / "class", place / "out", 2)
        unchanged, _ = grade(build, place / "class", place / "out", 2)
        pages, processor = report(place / "pages")
        opened = open_page(place / "pages/lab01/index.html") if CHROMIUM else None
        rows = [
            ("seconds", f"{CLASS} submissions of lab01, two at once ({SUBMISSIONS} were graded)",
             whole * CLASS / SUBMISSIONS, "s"),
            ("overhead", "beside building and running, a submission, one at a time", overhead(place / "one", one), "s"),
            ("efficiency", f"of two workers, {FEW} submissions ({one:.1f} s and {two:.1f} s)", one / two / 2, ""),
            ("unchanged", "grading again, nothing changed", unchanged, "s"),
            ("memory", "of the grader itself, its processes together", memory, "MiB"),
            ("report", f"pages of {CLASS} students in {LABS} labs ({processor:.1f} s of processor time)", pages, "s"),
        ]
    if opened is None:
        print("not measured: how long a class's page takes to open (Chromium is not installed)")
    else:
        rows.append(("opened", f"a lab's page of {CLASS} rows to open in Chromium", opened, "s"))
    print(f"load of the machine before: {load:.1f}, now: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} cores")
    failed = 0
    for key, what, value, unit in rows:
        good = value >= LIMITS[key] if key == "efficiency" else value <= LIMITS[key]
        failed += not good
        print(f"{'ok  ' if good else 'MISS'}  {value:8.2f} {unit:4} {'>=' if key == 'efficiency' else '<='} "
              f"{LIMITS[key]:g}  {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
