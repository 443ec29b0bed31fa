"""Hostile submissions: each beats a naive harness, and none gains a point from the grader.

The first comment of each file in grader/attacks says what the attack tries, how it beats the naive harness, and which
verdict the grader gives it. This test runs all attacks both ways and prints the table.
"""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
TOY = ROOT / "grader/tests/fixtures/toylab"
NAIVE = ROOT / "grader/tests/fixtures/naive/naive.c"
HEADER = re.compile(r"/\* Tries to (.*?)\n \* Beats a naive harness by: (.*?)\.\s+Verdict: (.*?)\. \*/", re.S)
SECRET = '"42 is secret"\n'
SETTINGS = {"leaves_the_output": {"REUSE": "1"}, "changes_the_inputs": {"RECOMPUTE": "1"},
            "asks_the_environment_for_the_seed": {"SEED": "7"}}
GIB = 1 << 30
PEAK = ("import resource, subprocess; subprocess.run(['%s']); "
        "print('peak', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)")


def attacks():
    for path in sorted((ROOT / "grader/attacks").glob("*.c")):
        found = HEADER.match(path.read_text())
        if not found:
            raise AssertionError(f"{path.name}: the first comment does not say what it tries, beats and gets")
        yield path, " ".join(found[1].split()), found[2], found[3]


def limited():
    """Sets limits, so that this machine survives what the naive harness does not."""
    resource.setrlimit(resource.RLIMIT_AS, (GIB, GIB))
    resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(1, 3)


def left_over(program):
    """The processes that still run this program."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "exe") == str(program):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def run(arguments, seconds, folder, **options):
    """Output, seconds and exit status of a program; the output is None if the program had to be killed. Processes that
    it started remain. Descriptor 3 is where a harness might take its result from."""
    begun = time.monotonic()
    with open(folder / "output", "w+b") as output:
        process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True, cwd=folder, close_fds=False, preexec_fn=limited, **options)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None, seconds, process.returncode
        output.seek(0)
        return output.read(), time.monotonic() - begun, process.returncode


def beats(how, output, folder, program):
    """Whether the naive harness's run has caused the harm that the attack claims."""
    text = "" if output is None else output.decode(errors="replace")
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return {
        "points": lambda: "points: 100" in text,
        "main": lambda: "points: 100" in text,
        "time": lambda: "time: 0 ns" in text,
        "secret": lambda: "42" in text,
        "time out": lambda: output is None,
        "output": lambda: len(text) > 1 << 20,
        "memory": lambda: "peak" in text and numbers[-1] > 500,
        "debugger": lambda: "peak" in text and numbers[-1] > 500,
        "threads": lambda: "threads" in text and numbers[0] > 500,
        "processes": lambda: len(left_over(program)) > 0,
        "disk": lambda: (folder / "big").exists() and (folder / "big").stat().st_size > 10 << 20,
        "descriptors": lambda: "descriptors" in text and numbers[0] > 400,
        "network": lambda: "sent" in text,
    }[how]()


def naive(path, how):
    """Builds the attack with the naive harness and runs both; whether the attack wins."""
    with tempfile.TemporaryDirectory(prefix="naive-") as name:
        folder = Path(name).resolve()
        (folder / "secret").mkdir()
        (folder / "secret/values.inc").write_text(SECRET)
        (folder / "solution").mkdir()
        shutil.copy(TOY / "class/right/toylab.c", folder / "solution/toylab.c")
        shutil.copy(path, folder / "toylab.c")
        program = folder / "program"
        said, seconds, status = run(
            ["gcc", "-std=c11", "-D_GNU_SOURCE", "-w", "-O1", "-fno-builtin", "-U_FORTIFY_SOURCE", "-pthread",
             "-rdynamic", f"-I{folder}", f"-I{TOY}", f"-I{ROOT}/lib/include", "toylab.c", str(NAIVE),
             "-Wl,-z,muldefs", "-o", str(program), "-lm",
             "-ldl"], 4 if how == "build" else 120, folder)
        if how == "build":
            return said is None or seconds > 2 or b"memory" in said or program.stat().st_size > 50 << 20
        if status != 0:
            raise AssertionError(f"{path.name} does not build with the naive harness: {said}")
        command = [str(program)]
        if how == "memory":
            command = ["python3", "-c", PEAK % program]
        if how == "debugger":
            names = subprocess.run(["nm", str(program)], stdout=subprocess.PIPE, text=True, check=True).stdout
            address = re.search(r"(\w+) . toy_run\n", names)[1]
            command = ["python3", "-c", PEAK % f"addr2line', '-f', '-i', '-e', '{program}', '0x{address}"]
        won = False
        for seconds in (120,) if how in ("memory", "debugger") else (1.5, 30):  # longer, where the machine was busy
            output, _, _ = run(command, seconds, folder, env={**os.environ, **SETTINGS.get(path.stem, {})})
            won = won or beats(how, output, folder, program)
            for process in left_over(program):
                with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                    os.kill(process, signal.SIGKILL)
            if won:
                break
        return won


def grade(paths, folder, *options):
    """The results of labgrade, by name."""
    lab = folder / "root/labs/toylab-first"
    shutil.copytree(TOY, lab, ignore=shutil.ignore_patterns("class"))
    solution = (TOY / "class/right/toylab.c").read_text()
    for secret, text in (("secret/values.inc", SECRET), ("solution/toylab.c", solution)):
        (lab / secret).parent.mkdir()
        (lab / secret).write_text(text)
    (folder / "root/labs/lab01-other").mkdir()
    (folder / "root/lib").symlink_to(ROOT / "lib")
    for path in paths:
        submission = folder / "submissions" / path.stem
        submission.mkdir(parents=True)
        shutil.copy(path, submission / "toylab.c")
    done = subprocess.run([BUILD / "bin/labgrade", "--root", folder / "root", "--build", BUILD, "--lab", "toylab",
                           "--submissions", folder / "submissions", "--out", folder / "out", "--seconds", "3",
                           "--memory", "512", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    results = json.loads((folder / "out/results.json").read_text())
    return {result["submission"]["name"]: result for result in results["submissions"]}


def namespaces_are_possible():
    return subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL).returncode == 0


class Attacks(unittest.TestCase):
    def test_there_are_enough_of_them(self):
        self.assertGreaterEqual(len(list(attacks())), 40)

    def test_each_beats_a_naive_harness(self):
        listed = list(attacks())
        with ThreadPoolExecutor(4) as pool:
            won = list(pool.map(lambda attack: naive(attack[0], attack[2]), listed))
        for (path, tries, _, _), beaten in zip(listed, won):
            with self.subTest(path.stem):
                self.assertTrue(beaten, f"{path.stem} does not beat the naive harness: it tries to {tries}")

    @unittest.skipUnless(namespaces_are_possible(), "this machine gives no user namespaces: there is no sandbox")
    def test_none_gains_a_point(self):
        listed = list(attacks())
        with tempfile.TemporaryDirectory(prefix="attacks-") as name:
            results = grade([path for path, *_ in listed], Path(name).resolve())
        print(f"\n{'attack':36} {'verdict':13} points gained")
        for path, _, _, verdict in listed:
            result = results[path.stem]
            print(f"{path.stem:36} {result['verdict']:13} {result['points']}")
        for path, tries, _, verdict in listed:
            with self.subTest(path.stem):
                self.assertEqual(results[path.stem]["points"], 0, f"{path.stem} gains points: it tries to {tries}")
                self.assertIn(results[path.stem]["verdict"], verdict.split(" or "), results[path.stem]["summary"])


if __name__ == "__main__":
    unittest.main()
