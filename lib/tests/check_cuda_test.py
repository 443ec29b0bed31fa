"""Tests of labcc --check: each example of lib/examples/cuda is right, its mistake is named; what ends a check early.

Run with: python3 -B lib/tests/check_cuda_test.py
"""
from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
EXAMPLES = ROOT / "lib/examples/cuda"

# The mistake of each example: what names it, the sentence, and the marks in the source at its lines.
MISTAKES = {
    "00-measure": ("", "fails with cudaErrorNotReady", ["cudaEventElapsedTime"]),
    "01-streams": ("order checker", "kernel add_up reads device memory that copy htod writes",
                   ["add_up<<<1, 128>>>", "cudaMemcpyAsync(numbers[k]"]),
    "02-events": ("order checker", "kernel consume reads device memory that kernel produce writes",
                  ["consume<<<", "produce<<<"]),
    "03-concurrency": ("order checker", "copy dtoh reads device memory that kernel advance writes",
                       ["cudaMemcpyAsync(output", "advance<<<1, 64, 0, on>>>"]),
    "04-contexts": ("order checker", "writes device memory that", []),  # two of three lines, as the threads run
    "05-pools": ("order checker", "pool free frees device memory that kernel smooth reads",
                 ["CHECK(cudaFreeAsync(x, stream));\n    CHECK(cudaMallocAsync", "0, borrower>>>"]),
    "06-casts": ("order checker", "the host reads host memory that kernel count_negative writes",
                 ['"negative: %d', "count_negative<<<"]),
    "07-kernels": ("racecheck", "a race (write after read)", ["value[threadIdx.x] = mine", "+= value[threadIdx.x +"]),
    "07-warps": ("synccheck", "gets an undefined value from __shfl_down_sync", ["__shfl_down_sync"]),
    "08-overheads": ("initcheck", "which nothing has written", ["atomicAdd(&bins", "cudaMalloc(&bins"]),
    "09-ordering": ("order checker", "kernel mix reads device memory that kernel mix writes", ["(r, p, q", "(p, u, v"]),
    "10-graphs": ("order checker", "graph node kernel join reads device memory that graph node kernel step writes",
                  ["join<<<", "0, side>>>"]),
    "11-devices": ("order checker", "copy dtod reads device memory that kernel fill writes",
                   ["cudaMemcpyPeerAsync", "fill<<<"]),
    "12-audit": ("order checker", "the host writes host memory that copy htod reads",
                 ["staging[i] =", "cudaMemcpyAsync(row"]),
    "13-pipeline": ("memcheck", "reads 1 byte, just past the end of the 1200 bytes",
                    ["/ 2;", "cudaMalloc(&own.picture"]),
}

HEAD = "#include <cstdio>\n__global__ void set(int *x) { *x = 7; }\n"
VARIES = HEAD + """#include <ctime>
int main()
{
    int *x, y;
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    cudaMalloc(&x, sizeof(int));
    set<<<1, 1>>>(x);
    cudaMemcpy(&y, x, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d after %ld of %ld\\n", y, now.tv_nsec, (long)now.tv_sec);
    cudaFree(x);
}
"""
PRINTS = HEAD + """__global__ void greet()
{
    printf("thread %d, ", threadIdx.x);
    if (threadIdx.x == 0) printf("which ends a line\\n");
}
int main()
{
    greet<<<2, 48>>>();
    cudaDeviceSynchronize();
}
"""
COPIES = HEAD + """#include <cstring>
int other();
int main()
{
    int *x, *h, y = other();
    cudaMalloc(&x, 4096);
    cudaMallocHost(&h, 4096);
    set<<<1, 1>>>(x);
    cudaMemcpyAsync(h, x, 4, cudaMemcpyDeviceToHost);
    memcpy(&y, h, y);
    printf("%d\\n", y == 7);
}
"""
UNCHECKED = HEAD + "int main()\n{\n    int *x;\n    cudaMalloc(&x, sizeof(int));\n    set<<<1, 4096>>>(x);\n}\n"
NO_PLACE = HEAD + """int main()
{
    int *x;
    cudaError_t (*release)(void *) = cudaFree;
    for (int i = 0; i < 2; i++) release(&x);
}
"""
HANGS = HEAD + "int main()\n{\n    volatile int go = 1;\n    while (go) {}\n}\n"
CRASHES = HEAD + 'int main()\n{\n    volatile int *x = nullptr;\n    puts("so far"), fflush(stdout);\n    *x = 1;\n}\n'
NO_CUDA = HEAD + "int main() { undeclared(); }\n"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_cuda", ROOT / "lib/tools/check-cuda.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_cuda"] = module
    spec.loader.exec_module(module)
    return module


def line_of(source: str, mark: str) -> int:
    return source.count("\n", 0, source.index(mark)) + 1


def unfold(text: str) -> str:
    """The text without the breaks of lines."""
    return " ".join(text.split())


class CheckCuda(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def check(self, file: Path, *options: str, settings: dict[str, str] | None = None) -> tuple[int, str]:
        out = self.place / f"{file.stem}{len(options)}"
        command = [BUILD / "bin/labcc", "--check", "--limit", "1000", "--out", out, *options, file]
        done = subprocess.run(command, text=True, cwd=self.place,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "COLUMNS": "4000", **(settings or {})})
        return done.returncode, done.stdout

    def check_text(self, text: str, *options: str, **settings: str) -> tuple[int, str]:
        file = self.place / "program.cu"
        file.write_text(text, encoding="utf-8")
        return self.check(file, *options, settings=settings)

    def each(self, *options: str) -> dict[str, tuple[int, str]]:
        """The verdicts on the examples, two at a time: on those whose turn it is, if TEST_TURN says so, else on all."""
        names = sorted(path.stem for path in EXAMPLES.glob("*.cu"))
        self.assertEqual(set(names), MISTAKES.keys())
        turn = os.environ.get("TEST_TURN")
        if turn:
            which, turns = map(int, turn.split("/"))
            names = names[which - 1::turns]
            print(f"The examples whose turn it is: {' '.join(names)}. All of them: make test-python WHOLE=1")
        with ThreadPoolExecutor(2) as pool:
            told = pool.map(lambda name: self.check(EXAMPLES / f"{name}.cu", *options), names)
            return dict(zip(names, told))

    def test_nothing_is_found_in_a_right_example(self) -> None:
        for name, (status, text) in self.each().items():
            with self.subTest(name):
                self.assertIn("nothing found. Tried: two plain runs, order checker, memcheck, synccheck, racecheck, "
                              "initcheck, 3 adversarial schedules.", unfold(text))
                self.assertEqual(status, 0, text)

    def test_the_mistake_of_each_example_is_named_with_its_lines(self) -> None:
        verdicts = self.each("-DMISTAKE")
        for name, (status, text) in verdicts.items():
            seen_by, sentence, marks = MISTAKES[name]
            source = (EXAMPLES / f"{name}.cu").read_text(encoding="utf-8")
            with self.subTest(name):
                self.assertEqual(status, 1, text)
                self.assertIn(f"{name}.cu: 1 mistake found", text)
                told = re.sub(r" \(\S+:\d+(, launched at \S+)?\)", "", unfold(text.split("\n1. ")[1]))
                self.assertIn(sentence.lower(), told.lower())
                for mark in marks:
                    self.assertIn(f"\n   {name}.cu:{line_of(source, mark)}: ", text)
                self.assertIn(seen_by, text.split("Seen by: ")[1].splitlines()[0])
                self.assertNotIn("lab_", text.replace(str(BUILD), ""))

    def test_what_varies_between_plain_runs_is_not_compared(self) -> None:
        status, text = self.check_text(VARIES)
        self.assertIn("nothing found", text)
        self.assertIn("What differs between two plain runs is not compared.", unfold(text))
        self.assertEqual(status, 0)

    def test_the_order_in_which_threads_print_is_no_finding(self) -> None:
        status, text = self.check_text(PRINTS)
        self.assertIn("nothing found", text)
        self.assertIn("Kernels print, in an order that CUDA does not promise", unfold(text))
        self.assertEqual(status, 0)

    def test_a_call_whose_failure_the_program_ignores_is_a_finding(self) -> None:
        status, text = self.check_text(UNCHECKED)
        self.assertIn("A call (program.cu:7) fails with cudaErrorInvalidConfiguration", text)
        self.assertIn("\n   program.cu:7: set<<<1, 4096>>>(x);", text)
        self.assertEqual(status, 1)

    def test_a_failed_call_without_a_place_is_told_once_whatever_address_it_got(self) -> None:
        status, text = self.check_text(NO_PLACE)
        self.assertIn("program.cu: 1 mistake found", text)
        self.assertIn("Seen by: plain run, memcheck, ", text)
        self.assertEqual(status, 1)

    def test_a_copy_by_the_host_counts_also_beside_a_file_of_cpp(self) -> None:
        """clang leaves memcpy to the library of its sanitizer; gcc compiles the other file without its options."""
        other = self.place / "other.cpp"
        other.write_text("int other() { return 4; }\n")
        status, told = self.check_text(COPIES, str(other))
        self.assertIn("The host (program.cu:12) reads host memory that copy dtoh (program.cu:11) writes", told)
        self.assertEqual(status, 1)

    def test_a_program_that_hangs_is_stopped(self) -> None:
        status, text = self.check_text(HANGS, "--limit", "2")
        self.assertIn("it does not end: it was stopped after 2 s", unfold(text))
        self.assertEqual(status, 2)

    def test_a_crash_on_the_host_is_no_verdict(self) -> None:
        status, text = self.check_text(CRASHES)
        self.assertIn("it crashes with SIGSEGV in a plain run, and no check knows why", unfold(text))
        self.assertIn("so far", text)
        self.assertEqual(status, 2)

    def test_a_program_that_does_not_compile_is_no_verdict(self) -> None:
        status, text = self.check_text(NO_CUDA)
        self.assertIn("it does not compile", text)
        self.assertRegex(text, r"program\.cu:3.*undeclared")
        self.assertEqual(status, 2)

    def test_a_pipe_gets_no_colour_and_no_long_lines(self) -> None:
        _, text = self.check_text(UNCHECKED, COLUMNS="80")
        self.assertNotIn("\033", text)
        drawn = [line for line in text.splitlines() if str(self.place) not in line]
        self.assertLessEqual(max(map(len, drawn)), 80)

    def test_a_path_is_never_folded(self) -> None:
        self.place /= "a folder with a long name/and one more folder inside it"
        self.place.mkdir(parents=True)
        _, text = self.check_text(UNCHECKED, COLUMNS="60")
        for name in ("timeline.svg", "run.json"):
            self.assertIn(str(self.place.resolve() / "program0" / name), text)

    def test_arguments_of_the_program_and_mistakes_on_the_command_line(self) -> None:
        prints = HEAD + 'int main(int count, char **word) { printf("%s\\n", word[count - 1]); return count != 3; }\n'
        self.assertEqual(self.check_text(prints)[0], 2)
        file = self.place / "program.cu"
        done = subprocess.run([BUILD / "bin/labcc", "--check", "--out", self.place / "o", file, "--", "two", "words"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        for wrong in (["--limit", "none", str(file)], []):
            done = subprocess.run([BUILD / "bin/labcc", "--check", *wrong], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage: labcc --check", done.stderr)


class OrderRun(unittest.TestCase):
    """A run that measures is stopped; what it said, and what the next one says, is given."""
    KERNEL = ("LAB_ORDER: finding 1: kernel 'scale' (a.cu:3) is not ordered after copy #2 (a.cu:4). Operation 1 "
              "(stream 1, host thread 1) and operation 2 (stream 2, host thread 1) use allocation 1.\n"
              "  To order them: wait.\n")
    COPIES = KERNEL.replace("kernel 'scale' (a.cu:3)", "copy #1 (a.cu:5)")

    def check(self, measured: str, taken: str, ends: bool = True) -> Any:
        module = load()
        check = module.Check(Path("tools"), [], [], 1, Path("folder"))

        def run(name: str, _program: Path, _words: list[str], _limit: float, **settings: str) -> object:
            measures = "LAB_ORDER_MEASURE" in settings
            return module.Run(name, errors=measured if measures else taken, ended=ends and not measures)

        with unittest.mock.patch.multiple(module, build=lambda *_: None, run=run):
            check.order()
        return check

    def test_what_a_stopped_run_cannot_know_of_kernels_is_no_finding(self) -> None:
        check = self.check("", self.KERNEL)
        self.assertEqual((check.findings, check.tried, check.unfinished), ([], [], ["order checker"]))
        self.assertIn("otherwise it may be none: kernel 'scale' (a.cu:3) is not ordered", check.notes[0])

    def test_what_it_said_before_it_was_stopped_is_a_finding(self) -> None:
        check = self.check(self.KERNEL, self.KERNEL)
        self.assertEqual([finding.kernels for finding in check.findings], [{"scale"}])
        self.assertEqual((check.tried, check.unfinished), (["order checker"], []))

    def test_the_bytes_of_copies_are_known_without_measuring(self) -> None:
        check = self.check("", self.COPIES)
        self.assertEqual([finding.places[0] for finding in check.findings], [("a.cu", 5)])
        self.assertEqual((check.tried, check.unfinished), (["order checker"], []))

    def test_no_order_run_that_ends_leaves_it_unknown(self) -> None:
        check = self.check("", "", ends=False)
        self.assertEqual((check.findings, check.unfinished), ([], ["order checker"]))


class Failures(unittest.TestCase):
    def test_an_address_alone_is_no_part_of_a_sentence(self) -> None:
        module = load()
        line = ("nd.cu:4: kernel 'use', block [1,0,0], thread [0,0,0]: nd.cu:3: reads 4 bytes, at 0x7fc5580a7900, "
                "which thread [0,0,0] of block [0,0,0] atomically updates at line 3: a race (read after write): one "
                "of the two is not atomic (LAB_ERROR_NOT_ORDERED)\n")
        (found,) = module.failures(module.Run("racecheck", errors=line))
        self.assertIn("reads 4 bytes, which thread", found.sentence)


class Comparison(unittest.TestCase):
    """What two plain runs tell about a third output."""

    def setUp(self) -> None:
        self.expected = load().Expected

    def test_a_number_that_varies_is_not_compared_and_the_others_are(self) -> None:
        expected = self.expected("seed 17: sum 5\n", "seed 18: sum 5\n")
        self.assertIsNone(expected.difference("seed 99: sum 5\n"))
        self.assertEqual(expected.difference("seed 99: sum 6\n"), ("seed 17: sum 5", "seed 99: sum 6"))

    def test_a_time_is_not_compared_even_if_it_was_equal_twice(self) -> None:
        expected = self.expected("took 0 ms\nsum 5\n", "took 0 ms\nsum 5\n")
        self.assertIsNone(expected.difference("took 12 ms\nsum 5\n"))
        self.assertIsNotNone(expected.difference("took 12 ms\nsum 4\n"))

    def test_lines_of_threads_are_compared_in_any_order(self) -> None:
        expected = self.expected("thread 0: 1\nthread 1: 2\n", "thread 1: 2\nthread 0: 1\n")
        self.assertIsNone(expected.difference("thread 0: 1\nthread 1: 2\n"))
        self.assertIsNotNone(expected.difference("thread 0: 1\nthread 1: 3\n"))

    def test_words_that_kernels_print_are_compared_in_any_order(self) -> None:
        expected = self.expected("ids: 0 1 2\nsum 3\n", "ids: 0 1 2\nsum 3\n", True)
        self.assertIsNone(expected.difference("2 1 ids: 0\nsum 3\n"))
        self.assertIsNotNone(expected.difference("ids: 0 1 1\nsum 3\n"))

    def test_a_missing_line_and_another_word_are_differences(self) -> None:
        expected = self.expected("passed\nsum 5\n", "passed\nsum 5\n")
        self.assertEqual(expected.difference("passed\n"), ("sum 5", ""))
        self.assertEqual(expected.difference("FAILED\nsum 5\n"), ("passed", "FAILED"))

    def test_another_number_of_lines_in_every_run_is_not_compared(self) -> None:
        expected = self.expected("a\n", "a\na\n")
        self.assertFalse(expected.compares)
        self.assertIsNone(expected.difference("b\n"))


if __name__ == "__main__":
    unittest.main()
