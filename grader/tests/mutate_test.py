"""Mutants: what each operator makes of a small file, their names and lines, the list of equivalent ones, the runners.

Run with: python3 -B grader/tests/mutate_test.py
"""
from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader/mutate"))

import grading  # noqa: E402
import mutate  # noqa: E402
import few_mutants  # noqa: E402
from source import NoSource, Source  # noqa: E402

HEADER = """
#include <stdbool.h>
#include <stddef.h>
typedef int lab_status;
enum { LAB_SUCCESS, LAB_ERROR_INVALID_VALUE };
enum { LAB_EVENT_DEFAULT, LAB_EVENT_TIMING };
typedef struct lab_stream lab_stream;
typedef struct lab_event lab_event;
typedef struct lab_dim { unsigned x; } lab_dim;
#define LAB_DIM(count) ((lab_dim){count})
#define LAB01_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)
#define LAB_TRY(call) do { lab_status s_ = (call); if (s_ != LAB_SUCCESS) return s_; } while (0)
typedef struct lab01_work { float *input, *output; int count; lab_stream *stream[3]; lab_stream *first; } lab01_work;
lab_status lab_event_create(lab_event **out, unsigned flags);
lab_status lab_event_destroy(lab_event *event);
lab_status lab_event_record(lab_event *event, lab_stream *stream);
lab_status lab_stream_wait_event(lab_stream *stream, lab_event *event);
lab_status lab_stream_synchronize(lab_stream *stream);
lab_status lab_device_synchronize(void);
lab_stream *lab_stream_null(void);
lab_stream *lab_stream_per_thread(void);
lab_status lab_get(float *to, const float *from, size_t bytes);
lab_status lab_get_async(float *to, const float *from, size_t bytes, lab_stream *stream);
lab_status lab_launch(lab_dim grid, lab_stream *stream);
"""
STARTER = """
#include "lab01.h"
#include <pthread.h>

static lab_status given(const lab01_work *work)
{
    LAB_TRY(lab_stream_synchronize(work->first));
    return LAB_SUCCESS;
}

lab_status lab01_run(float *result, const lab01_work *work)
{
    return LAB_SUCCESS;
}

int lab01_limit(int x)
{
    return 0;
}

const char *lab01_body(void)
{
    return "";
}

const bool lab01_waits[2] = {false, false};
"""
SOLUTION = """
#include "lab01.h"
#include <pthread.h>

static lab_status given(const lab01_work *work)
{
    LAB_TRY(lab_stream_synchronize(work->first));
    return LAB_SUCCESS;
}

lab_status lab01_run(float *result, const lab01_work *work)
{
    lab_event *done;
    LAB_TRY(lab_event_create(&done, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_launch(LAB01_GRID(work->count), work->first));
    LAB_TRY(lab_event_record(done, work->first));
    for (int k = 0; k < 3; k++) {
        LAB_TRY(lab_stream_wait_event(work->stream[k], done));
        LAB_TRY(lab_get_async(work->output, work->input, sizeof(float) * 4, work->stream[k]));
    }
    for (int k = 0; k < 3; k++) LAB_TRY(lab_stream_synchronize(work->stream[k]));
    LAB_TRY(lab_event_destroy(done));
    *result = work->output[0];
    return LAB_SUCCESS;
}

int lab01_limit(int x)
{
    if (x < 7) return x + 2;
    return given(NULL);
}

const char *lab01_body(void)
{
    return "y = x >= 2147483648.0f ? 1 : (int)x";
}

const bool lab01_waits[2] = {true, false};
"""
WAIT = "lab_stream_synchronize(work->stream[k])"
COPY = "lab_get_async(work->output, work->input, sizeof(float) * 4, work->stream[k])"
# Mutants that must be among those of the file above, and what their text has and the solution's has not.
EXPECTED = {
    f"drops lab01_run: {WAIT}": "for (int k = 0; k < 3; k++) ;",
    "drops block lab01_limit: if (x < 7) return x + 2": "    ;",
    "takes out of its block lab01_limit: if (x < 7)": "     return x + 2;",
    "doubles lab01_run: lab_event_destroy(done)":
        "{ LAB_TRY(lab_event_destroy(done)); LAB_TRY(lab_event_destroy(done)); }",
    "moves later lab01_run: lab_event_destroy(done) | *result = work->output[0]":
        "    *result = work->output[0];\n    LAB_TRY(lab_event_destroy(done));",
    f"moves behind the block lab01_run: {COPY}":
        "} LAB_TRY(lab_get_async(work->output, work->input, sizeof(float) * 4, work->stream[k]));",
    "moves before the block lab01_run: lab_stream_wait_event(work->stream[k], done)":
        "    LAB_TRY(lab_stream_wait_event(work->stream[k], done));\n    for (int k",
    "moves into the block lab01_run: lab_event_record(done, work->first)":
        "{ LAB_TRY(lab_event_record(done, work->first)); LAB_TRY(lab_stream_wait_event(work->stream[k], done));",
    "joins loops lab01_run: for (int k = 0; k < 3; k++) { LAB_TRY(lab_stream_wait_event(..."
    ") * 4, work->stream[k])); } | for (int k = 0; k < 3; k++) LAB_TRY(lab_stream_synchronize(work->stream[k]))":
        "} LAB_TRY(lab_stream_synchronize(work->stream[k])); }",
    f"splits loop lab01_run: before {COPY}": "} for (int k = 0; k < 3; k++) { LAB_TRY(lab_get_async(",
    "breaks off lab01_run: for (int k = 0; k < 3; k++)": "} break; }",
    "locks lab01_run: the function": "    pthread_mutex_lock(&lock);",
    f"adds lab01_run: lab_device_synchronize() before {COPY}": "        LAB_TRY(lab_device_synchronize());",
    "adds lab01_run: lab_stream_synchronize(work->first) before lab_event_destroy(done)":
        "    LAB_TRY(lab_stream_synchronize(work->first));\n    LAB_TRY(lab_event_destroy(done));",
    "adds lab01_run: lab_stream_wait_event(work->first, done) before lab_event_destroy(done)":
        "    LAB_TRY(lab_stream_wait_event(work->first, done));",
    f"returns lab01_run: before {COPY}": "        return LAB_SUCCESS;",
    f"waits in lab01_run: {COPY}": "LAB_TRY(lab_get(work->output, work->input, sizeof(float) * 4));",
    "swallows lab01_run: lab_event_destroy(done)": "    (void)(lab_event_destroy(done));",
    "returns the last status of lab01_run: the function": "    return last_status;",
    "returns the last status of lab01_run: for (int k = 0; k < 3; k++) (2)": "LAB_TRY(last_status); }",
    "goes on after a failure in lab01_run: the function": "    return first_status;",
    "keeps the first result of lab01_run: the function": "if (called++) { *result = kept_result; return LAB_SUCCESS; }",
    "keeps for all calls lab01_run: done": "kept_done = done; }",
    "makes static lab01_run: lab_event *done": "    static lab_event *done;",
    f"exchanges lab01_run: work->stream[k] for work->stream[0] in {WAIT}":
        "LAB_TRY(lab_stream_synchronize(work->stream[0]));",
    "exchanges lab01_run: work->first for NULL in lab_event_record(done, work->first)":
        "    LAB_TRY(lab_event_record(done, NULL));",
    "exchanges lab01_run: LAB_EVENT_DEFAULT for LAB_EVENT_TIMING in lab_event_create(&done, LAB_EVENT_DEFAULT)":
        "    LAB_TRY(lab_event_create(&done, LAB_EVENT_TIMING));",
    f"swaps lab01_run: work->output and work->input in {COPY}": "LAB_TRY(lab_get_async(work->input, work->output,",
    "negates lab01_limit: x < 7": "    if (!(x < 7)) return x + 2;",
    "changes lab01_limit: < to <= in x < 7": "    if (x <= 7) return x + 2;",
    "changes lab01_limit: + to - in x + 2": "    if (x < 7) return x - 2;",
    "changes lab01_limit: 7 to 8 in if (x < 7)": "    if (x < 8) return x + 2;",
    "ends a round earlier lab01_run: int k = 0; k < 3; k++": "for (int k = 0; k < 3 - 1; k++)",
    "counts by two lab01_run: int k = 0; k < 3; k++": "for (int k = 0; k < 3; k += 2)",
    f"counts elements in lab01_run: sizeof(float) in {COPY}": "work->input, 1 * 4,",
    f"takes a fourth of lab01_run: sizeof(float) * 4 in {COPY}": "((sizeof(float) * 4) / sizeof(float))",
    "rounds down lab01_run: LAB01_GRID(work->count) in lab_launch(LAB01_GRID(work->count), work->first)":
        "LAB01_GRID((work->count) - 127)",
    'changes lab01_body: >= to > in return "y = x >= 2147483648.0f ? 1 : (int)x"':
        'return "y = x > 2147483648.0f ? 1 : (int)x";',
    "changes lab01_waits: true to false in const bool lab01_waits[2] = {true, false};":
        "const bool lab01_waits[2] = {false, false};",
}

STUB = """#!/usr/bin/env python3
import json, pathlib, sys
flags = ("--quiet", "--first-failure", "--one-check", "--points-only")
words = [word for word in sys.argv[1:] if word not in flags]
given = dict(zip(words[::2], words[1::2]))
wrong = lambda text: "if (x < 14)" not in text and ("x <= 7" not in text or given["--seed"] == "7")
def result(path):
    failed = wrong(path.read_text())
    check = {"name": "limit", "points": 0 if failed else 5, "max_points": 5, "cause": "the limit",
             "status": "failed" if failed else "passed", "location": {"file": "lab01.c", "line": 28}}
    return {"submission": {"name": path.parent.name}, "points": check["points"], "max_points": 5,
            "verdict": "wrong result" if failed else "passed", "checks": [check]}
pathlib.Path(given["--json"]).write_text(json.dumps(result(pathlib.Path(given["--source"]))))
"""

# Runs out of time whenever it grades a file for the first time, or each time.
LATE_STUB = """#!/usr/bin/env python3
import json, pathlib, sys
words = [word for word in sys.argv[1:] if word not in ("--quiet", "--first-failure")]
given = dict(zip(words[::2], words[1::2]))
root, name = pathlib.Path(given["--root"]), pathlib.Path(given["--source"]).parent.name
late = (root / "hangs").read_text() == "True" or name not in (root / "grades").read_text()
if "--first-failure" in sys.argv:
    with open(root / "grades", "a") as grades: grades.write(name + "\\n")
check = {"name": "limit", "status": "failed" if late else "passed", "kind": "timeout" if late else ""}
pathlib.Path(given["--json"]).write_text(json.dumps(
    {"points": 0 if late else 5, "max_points": 5, "verdict": "timeout" if late else "passed", "checks": [check]}))
"""

# Notes each grading. One of the two checks has the status that the file "status" tells, where times are not asked for.
COUNTING_STUB = """#!/usr/bin/env python3
import json, pathlib, sys
words = [word for word in sys.argv[1:] if word not in ("--quiet", "--first-failure")]
given = dict(zip(words[::2], words[1::2]))
root, first = pathlib.Path(given["--root"]), "--first-failure" in sys.argv
with open(root / "gradings", "a") as gradings: gradings.write("first " if first else "whole ")
checks = [{"name": "limit", "status": "passed"},
          {"name": "speed", "status": (root / "status").read_text() if first else "passed"}]
pathlib.Path(given["--json"]).write_text(json.dumps(
    {"points": 5, "max_points": 5, "verdict": "passed", "checks": checks}))
"""


class WithALab(unittest.TestCase):
    """A workbook of one lab, whose grader is a stub."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)

    def setUp(self) -> None:
        for name, text in (("labs/lab01-small/lab01.h", HEADER), ("solutions/lab01-small/lab01.c", SOLUTION),
                           ("labs/lab01-small/starter.c", STARTER), ("build/bin/labcheck", STUB),
                           ("labs/lab01-small/equivalent.txt", "# none\n")):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / "build/bin/labcheck").chmod(0o755)
        self.lab = grading.Lab(self.root, self.root / "build", "lab01")
        self.source = self.lab.source()

    def mutated(self, *words: str) -> tuple[int, str]:
        """The status and the output of the program."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = mutate.main(["--root", str(self.root), *words, "lab01"])
        return status, output.getvalue()


class Operators(WithALab):
    def test_each_operator_makes_the_expected_mutant(self) -> None:
        found = {mutant.name: mutant.text(self.source) for mutant in grading.mutants(self.source)}
        for name, line in EXPECTED.items():
            with self.subTest(name):
                self.assertTrue(name in found, "there is no such mutant")
                self.assertIn(line, found[name])
                self.assertNotIn(line, SOLUTION)

    def test_every_operator_is_in_the_list(self) -> None:
        operators = {operator.__name__ for room in (grading.statements, grading.waiting, grading.expressions)
                     for operator in room.OPERATORS}
        made = {operator.__name__ for room in (grading.statements, grading.waiting, grading.expressions)
                for operator in room.OPERATORS for function in self.source.functions
                if any(True for _ in operator(self.source, function))}
        self.assertEqual(operators, made)

    def test_lines_of_the_starter_stay(self) -> None:
        given = SOLUTION[SOLUTION.index("static lab_status given"):SOLUTION.index("lab_status lab01_run")]
        for mutant in grading.mutants(self.source):
            self.assertIn(given, mutant.text(self.source), mutant.name)

    def test_names_are_unique_and_the_same_each_time(self) -> None:
        names = [mutant.name for mutant in grading.mutants(self.source)]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(names, [mutant.name for mutant in grading.mutants(self.lab.source())])

    def test_lines_are_those_of_the_change(self) -> None:
        solution = SOLUTION.splitlines()
        for mutant in grading.mutants(self.source):
            text = mutant.text(self.source).splitlines()
            first = next(number for number, line in enumerate(text, 1)
                         if number > len(solution) or line != solution[number - 1])
            self.assertLessEqual(abs(mutant.lines(self.source)[0] - first), 1, mutant.name)


class Choice(WithALab):
    def test_what_does_not_compile_is_no_mutant(self) -> None:
        every = {mutant.name for mutant in grading.mutants(self.source)}
        kept = {mutant.name for mutant in grading.different(self.lab, self.source, 2)}
        self.assertIn("drops lab01_run: lab_event *done", every - kept)
        self.assertIn("drops lab01_run: lab_event_destroy(done)", kept)

    def test_the_same_code_is_left_out(self) -> None:
        kept = [mutant.name for mutant in grading.different(self.lab, self.source, 2)]
        self.assertNotIn("doubles lab01_limit: return x + 2", kept)
        self.assertEqual(kept, [mutant.name for mutant in grading.different(self.lab, self.source, 2)])

    def test_a_solution_that_does_not_compile_is_an_error(self) -> None:
        (self.root / "solutions/lab01-small/lab01.c").write_text("int lab01_run(\n")
        with self.assertRaises(NoSource):
            self.lab.source()


class Equivalent(WithALab):
    def listed(self, text: str) -> tuple[dict[str, str], dict[str, str], list[str]]:
        path = self.lab.folder / "equivalent.txt"
        path.write_text(textwrap.dedent(text))
        return mutate.equivalent(path, ["drops a: b", "drops a: b: c"])

    def test_a_line_is_a_name_and_a_reason(self) -> None:
        listed, many, errors = self.listed("# why\n\ndrops a: b: c: the device waits\ndrops a: b: it is free\n")
        self.assertEqual(listed, {"drops a: b: c": "the device waits", "drops a: b": "it is free"})
        self.assertEqual(errors, [])

    def test_a_name_with_a_star_stands_for_all_that_begin_so(self) -> None:
        listed, many, errors = self.listed("drops a: *: it: is free\ndrops c*: gone\ndrops a*: \n")
        self.assertEqual((listed, many), ({}, {"drops a: b": "it: is free", "drops a: b: c": "it: is free"}))
        self.assertEqual([error.split(":")[1] for error in errors], ["2", "3"])

    def test_what_does_no_harm_in_any_lab_is_listed_once(self) -> None:
        shared = self.lab.folder.parent / "equivalent.txt"
        shared.write_text("# why\n\ndrops *: b: *: it is free\nsinks *: b*: gone\n")
        listed, many, errors = self.listed("drops a: b: it is mine\n")
        self.assertEqual((listed, many, errors), ({"drops a: b": "it is mine"}, {"drops a: b: c": "it is free"}, []))

    def test_unknown_repeated_and_unexplained_lines_are_errors(self) -> None:
        listed, many, errors = self.listed("drops z: y: gone\ndrops a: b: one\ndrops a: b: two\ndrops a: b: c: \n")
        self.assertEqual((listed, many), ({"drops a: b": "one"}, {}))
        self.assertEqual([error.split(":")[1] for error in errors], ["1", "3", "4"])


class Runner(WithALab):
    def test_survivors_are_told_with_their_change(self) -> None:
        status, output = self.mutated("--only", "lab01_limit: 7 to")
        self.assertEqual(status, 1)
        self.assertIn("lab01: 3 mutants, 2 rejected, 0 equivalent, 1 survivors, 0 unsteady, causes right 100%", output)
        self.assertIn("  survives: changes lab01_limit: 7 to 14 in if (x < 7)\n    -    if (x < 7) return x + 2;\n"
                      "    +    if (x < 14) return x + 2;\n", output)
        self.assertTrue(output.endswith("2 passed, 1 failed\n"))
        told = json.loads((self.lab.out / "mutants.json").read_text())
        self.assertEqual({record["kind"] for record in told["mutants"]}, {"rejected", "survivor"})

    def test_a_listed_survivor_passes_and_a_listed_reject_fails(self) -> None:
        (self.lab.folder / "equivalent.txt").write_text("changes lab01_limit: 7 to 14 in if (x < 7): the same here\n")
        self.assertEqual(self.mutated("--only", "7 to (6|14)")[0], 0)
        (self.lab.folder / "equivalent.txt").write_text("changes lab01_limit: 7 to 6 in if (x < 7): not so\n")
        status, output = self.mutated("--only", "7 to 6")
        self.assertEqual(status, 1)
        self.assertIn("is listed as equivalent, but rejected: changes lab01_limit: 7 to 6", output)

    def test_a_reject_among_many_that_are_listed_is_a_reject(self) -> None:
        (self.lab.folder / "equivalent.txt").write_text("changes lab01_limit: 7 to *: some are the same\n")
        status, output = self.mutated("--only", "7 to (6|14)")
        self.assertEqual(status, 0)
        self.assertIn("1 rejected, 1 equivalent, 0 survivors", output)

    def test_a_verdict_that_changes_is_unsteady(self) -> None:
        status, output = self.mutated("--only", "< to <= in x < 7", "--times", "2")
        self.assertEqual(status, 1)
        self.assertIn("is unsteady: changes lab01_limit: < to <= in x < 7 (limit passed)", output)
        self.assertEqual(self.mutated("--only", "< to <= in x < 7")[0], 0)

    def test_a_cause_far_from_the_change_is_told(self) -> None:
        output = self.mutated("--verbose", "--only", "swallows lab01_run: lab_event_destroy")[1]
        self.assertIn("causes right 0%", output)
        self.assertIn("changed line 22; verdict: lab01.c:28, limit: the limit", output)

    def test_a_mutant_for_which_time_ran_out_is_graded_again_when_the_others_are_done(self) -> None:
        (self.root / "build/bin/labcheck").write_text(LATE_STUB)
        kinds = {"hangs": "rejected", "is late once": "survivor"}
        for name, kind in kinds.items():
            with self.subTest(name):
                (self.root / "grades").write_text("")
                (self.root / "hangs").write_text(str(name == "hangs"))
                self.mutated("--only", "7 to")
                told = json.loads((self.lab.out / "mutants.json").read_text())
                self.assertEqual({record["kind"] for record in told["mutants"]}, {kind})
                graded = (self.root / "grades").read_text().split()
                self.assertEqual(sorted(graded[:3]), sorted(graded[3:]), "each twice, the second time after all")

    def test_only_where_a_check_measures_is_a_mutant_that_passes_graded_twice(self) -> None:
        (self.root / "build/bin/labcheck").write_text(COUNTING_STUB)
        for status, gradings in (("passed", ["first"]), ("not measured", ["first", "whole"])):
            with self.subTest(status):
                (self.root / "status").write_text(status)
                (self.root / "gradings").write_text("")
                self.mutated("--only", "7 to 14")
                self.assertEqual((self.root / "gradings").read_text().split(), gradings)

    def test_mutants_run_on_the_cpu_device_unless_another_is_named(self) -> None:
        (self.root / "build/bin/labcheck").write_text("#!/bin/sh\necho on $LAB_DEVICE >&2\nexit 2\n")
        for named, used in (("auto", "cpu"), ("cuda", "cuda")):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors), mock.patch.dict(os.environ, {"LAB_DEVICE": named}):
                self.mutated("--only", "7 to 14")
            self.assertIn(f"on {used}", errors.getvalue())

    def test_mutants_have_two_multiprocessors_on_every_machine(self) -> None:
        (self.root / "build/bin/labcheck").write_text("#!/bin/sh\necho $LAB_CPU_MULTIPROCESSORS >&2\nexit 2\n")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.mutated("--only", "7 to 14")
        self.assertEqual(errors.getvalue(), "mutate: labcheck ended with 2: 2\n")

    def test_each_line_that_a_verdict_tells_may_be_the_near_one(self) -> None:
        location = {"file": "lab01.c", "line": 40, "after": [22, 31], "called_at": 50}
        run = mutate.verdict({"points": 0, "max_points": 5, "verdict": "wrong result",
                              "checks": [{"name": "limit", "status": "failed", "location": location}]})
        near = [line for line in range(60) if mutate.is_near(self.lab, run, [line])]
        self.assertEqual(near, [*range(19, 26), *range(28, 35), *range(37, 44), *range(47, 54)])

    def test_what_cannot_be_done_is_an_error(self) -> None:
        (self.root / "build/bin/labcheck").write_text("#!/bin/sh\necho no device >&2\nexit 2\n")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(self.mutated("--only", "7 to 14")[0], 2)
        self.assertEqual(errors.getvalue(), "mutate: labcheck ended with 2: no device\n")


class FewMutants(WithALab):
    """The few mutants of make verify: some drawn, and those that the contract names."""
    NAMED = "limit(half): A sentence.\n    limit kills {}\n"

    def setUp(self) -> None:
        super().setUp()
        checks = self.root / "build/lab01/checks"
        checks.parent.mkdir(parents=True, exist_ok=True)
        checks.write_text("#!/bin/sh\necho '{\"checks\": [{\"name\": \"limit\"}]}'\n")
        checks.chmod(0o755)
        (self.lab.folder / "contract.txt").write_text("says: Nothing.\n")

    def tried(self, *words: str) -> tuple[int, list[str]]:
        """The status and the lines of the program, without those that name the lab and count."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = few_mutants.main(["--root", str(self.root), *words, "lab01"])
        lines = output.getvalue().splitlines()
        self.assertRegex(lines[-1], r"^\d+ passed, \d+ failed$")
        return status, lines[1:-1]

    def test_mutants_of_different_kinds_are_drawn_by_the_seed(self) -> None:
        status, lines = self.tried()
        self.assertEqual(status, 0)
        kinds = {line.split(":")[0].removeprefix("  ok     ") for line in lines}
        self.assertEqual(len(lines), few_mutants.DRAWN)
        self.assertEqual(len(kinds & {kind for kind, _ in few_mutants.KINDS}), few_mutants.DRAWN)
        self.assertEqual(lines, self.tried()[1])
        self.assertNotEqual(lines, self.tried("--seed", "8")[1])

    def test_what_is_listed_as_equivalent_is_not_drawn(self) -> None:
        first = self.tried()[1][0]
        drawn = first.partition(" rejects ")[2]
        (self.lab.folder / "equivalent.txt").write_text(f"{drawn}: it does no harm\n")
        self.assertNotIn(drawn, self.tried()[1][0])
        words = ("adds", "drops", "swallows", "goes", "returns", "swaps", "exchanges", "does")
        (self.lab.folder / "equivalent.txt").write_text("".join(f"{word} *: it does no harm\n" for word in words))
        self.assertEqual(self.tried()[1], [])

    def test_a_listed_mutant_is_not_drawn_by_another_name(self) -> None:
        listed = "changes lab01_run: 0 to 1 in *result = work->output[0]"
        same = "exchanges lab01_run: work->output[0] for work->output[1] in *result = work->output[0]"
        (self.lab.folder / "equivalent.txt").write_text(f"{listed}: all outputs are equal\n")
        every = list(grading.mutants(self.source))
        choice = few_mutants.Choice(self.lab, self.source, every)
        self.assertFalse({mutant.name for mutant in choice.others} & {listed, same})
        by_name = {mutant.name: mutant for mutant in every}
        self.assertTrue(choice.is_no_mistake(by_name[same]))
        self.assertFalse(choice.is_no_mistake(by_name[f"drops lab01_run: {WAIT}"]))

    def test_a_drawn_mutant_with_all_points_fails_with_its_change(self) -> None:
        (self.root / "build/bin/labcheck").write_text(STUB.replace("wrong(path.read_text())", "False"))
        status, lines = self.tried()
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], r"^  FAILED [a-z ]+: .* has all points: make a check stricter, or list it")
        self.assertRegex(lines[1], r"^ +[-+] +")

    def test_a_fault_of_the_grader_rejects_no_mutant(self) -> None:
        fault = {"points": 0, "max_points": 5, "verdict": "grader fault", "checks": []}
        (self.root / "build/bin/labcheck").write_text(STUB.replace("return {", f"return {fault} if 1 else {{"))
        status, lines = self.tried()
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], r"^  FAILED [a-z ]+: no check rejects .*: grader fault$")

    def test_a_mutant_of_the_contract_must_fail_at_the_check_that_is_named(self) -> None:
        contract = self.lab.folder / "contract.txt"
        contract.write_text(self.NAMED.format("changes lab01_limit: 7 to 6 in if (x < 7)"))
        self.assertIn("  ok     limit kills changes lab01_limit: 7 to 6 in if (x < 7)", self.tried()[1])
        contract.write_text(self.NAMED.format("changes lab01_limit: 7 to 14 in if (x < 7)"))
        status, lines = self.tried()
        self.assertEqual(status, 1)
        self.assertIn("  FAILED limit does NOT kill (passed) changes lab01_limit: 7 to 14 in if (x < 7)", lines)

    def test_a_mutant_or_a_check_that_is_missing_is_named_with_its_line(self) -> None:
        contract = self.lab.folder / "contract.txt"
        contract.write_text(self.NAMED.format("drops nothing: at all"))
        self.assertIn("  FAILED contract.txt:1: there is no such mutant: drops nothing: at all", self.tried()[1])
        contract.write_text("bound(half): A sentence.\n    bound kills changes lab01_limit: 7 to 6 in if (x < 7)\n")
        status, lines = self.tried()
        self.assertIn("  FAILED contract.txt:1: there is no such check: bound", lines)
        self.assertEqual(status, 1)


class Labs(unittest.TestCase):
    def test_every_lab_is_read(self) -> None:
        for path in sorted((ROOT / "labs").glob("lab[0-9][0-9]-*")):
            with self.subTest(path.name):
                source = grading.Lab(ROOT, ROOT / "build", path.name[:5]).source()
                self.assertIsInstance(source, Source)
                self.assertGreater(len(list(grading.mutants(source))), 150)


if __name__ == "__main__":
    unittest.main()
