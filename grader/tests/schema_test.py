"""Tests that labgrade and the exports write what grader/docs/results.md says. The test grades a class. Its own reader
checks that every field in the JSON files is described, and that every described field is there.

Run with: python3 -B grader/tests/schema_test.py (the toy lab must be built, as for the other tests)
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Set

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", str(ROOT / "build"))).resolve()
TOYLAB = ROOT / "grader/tests/fixtures/toylab"
TEXT = (ROOT / "grader/docs/results.md").read_text(encoding="utf-8")
VERDICTS = {"grader fault", "missing file", "build error", "crash", "timeout", "memory", "output flood",
            "record flood", "wrong result", "race suspected", "leak", "failed", "not measured", "passed"}
STATUSES = {"passed", "failed", "not run", "not measured", "grader fault"}
KINDS = {"", "wrong result", "race suspected", "leak", "rule", "crash", "timeout", "memory", "output flood",
         "record flood", "impossible time"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
Check = Callable[[Any], bool]


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(value: Any) -> bool:
    return isinstance(value, str)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def moment(value: Any) -> bool:
    return text(value) and bool(TIME.fullmatch(value))


def one_of(words: Set[str]) -> Check:
    return lambda value: value in words


def or_null(inner: Check) -> Check:
    return lambda value: value is None or inner(value)


def list_of(inner: Check) -> Check:
    return lambda value: isinstance(value, list) and all(inner(item) for item in value)


def record(**fields: Check) -> Check:
    """An object with exactly these members. Those in `may` of the same record are optional."""
    return optional({}, **fields)


def optional(may: Dict[str, Check], **fields: Check) -> Check:
    def check(value: Any) -> bool:
        assert isinstance(value, dict), value
        assert set(fields) <= set(value) <= set(fields) | set(may), sorted(set(value) ^ set(fields))
        for name, inner in {**fields, **may}.items():
            assert name not in value or inner(value[name]), f"{name} is {value[name]!r}"
        return True
    return check


STUDENT = {"id": text, "name": text, "email": text, "section": text}
ON_ROSTER = {**STUDENT, "groups": list_of(text)}
PLACE = {"file": text, "line": whole, "function": text}
MORE_OF_PLACE = {"called_at": whole, "change": whole}
SIDE = optional({**PLACE, **MORE_OF_PLACE}, what=text)
LATE = or_null(record(days=whole, percent=number, seconds=number, over=or_null(whole), points=or_null(number)))
ROSTER = or_null(record(found=flag, doubt=text, nearest=list_of(record(id=text, name=text))))
OF_SOME_CHECKS: Dict[str, Check] = {
    "timeline": text, "level": text, "weighed": record(points=number, max_points=whole), "extra": flag,
    "unwritten": flag, "root": text, "mistake": text, "needs": text, "edge": record(first=SIDE, second=SIDE)}
CHECK = optional(
    OF_SOME_CHECKS, name=text, title=text, points=number, max_points=whole, status=one_of(STATUSES),
    kind=one_of(KINDS), message=text, expected=text, found=text, cause=text, hint=text, seconds=number,
    mismatches=list_of(record(where=text, expected=text, found=text)), mismatch_count=whole,
    location=or_null(optional({"last_call": whole, "after": list_of(whole), "guessed": flag, **MORE_OF_PLACE},
                              **PLACE)))
TIMING: Dict[str, Check] = {
    "label": text, "who": one_of({"yours", "reference"}), "median_ms": number, "min_ms": number, "max_ms": number,
    "samples": whole, "low_ms": or_null(number), "high_ms": or_null(number), "stable": or_null(flag),
    "bound_ms": or_null(number), "impossible": flag, "load": or_null(number), "clock_mhz": or_null(number)}
DEVICE = record(kind=one_of({"cpu", "cuda"}), name=text, multiprocessors=whole)
RESULT: Dict[str, Check] = {
    "schema": one_of({"lab-result/1"}), "lab": record(name=text, title=text), "device": DEVICE, "started": moment,
    "submission": optional({"student": record(**ON_ROSTER, submitted=text, roster=ROSTER)}, name=text,
                           file=text, directory=text),
    "seconds": number, "seed": or_null(lambda value: text(value) and value.isdigit()), "verdict": one_of(VERDICTS),
    "summary": text, "points": whole, "max_points": whole, "checks": list_of(CHECK),
    "timings": list_of(optional({"samples_ms": list_of(number)}, **TIMING)),
    "build": record(ok=flag, seconds=number, messages=text), "review": list_of(text), "output": text,
    "ratios": list_of(record(label=text, yours=or_null(number), reference=or_null(number))),
    "artifacts": record(trace=text, timeline_svg=text, timeline_text=text), "output_truncated": flag}
NODE = record(name=text, sandbox=text)  # only of a grading in parts
ATTEMPT = optional({"late": LATE}, number=whole, submitted=text, group=text, verdict=one_of(VERDICTS | {""}),
                   points=or_null(number), max_points=or_null(whole), directory=text, counts=flag)
WORD = {"number": whole, "what": text, "who": text, "why": text, "made": moment, "comment": text}
DECIDED = {"excused": flag, "set_aside": flag, "resubmission": flag}
ADJUSTED = record(
    **DECIDED, lateness_waived=flag, due=text, checks=lambda value: all(map(number, value.values())),
    list=list_of(optional({"due": moment, "due_words": text, "of": whole}, **WORD, **DECIDED, points=or_null(number),
                          relative=flag, check=text, beyond=flag, lateness_waived=flag)))
SAID = {"number": whole, "what": text, "who": text, "why": text, "made": moment}
DECISIONS = list_of(optional({"weight": whole, "check": text, "release": one_of({"held", "released"}),
                              "section": text}, **SAID))
HANDED_IN = record(note=text, starter=flag, solution=flag, likely=text)
IN_CLASS = optional({"adjusted": ADJUSTED, "node": NODE, "handed_in": HANDED_IN}, **{**RESULT, "points": number},
                    late=LATE, attempts=list_of(ATTEMPT), attempts_rule=text, score=or_null(number), full_points=whole,
                    held=flag)
COURSE = {"weight": number, "due": text, "visibility": one_of({"hidden", "after_due", "visible"}), "most": number,
          "release": one_of({"at_once", "held"}), "release_at": text, "attempts": one_of({"latest", "best"}),
          "penalty": number, "grace": number}
CLASS: Dict[str, Check] = {
    "schema": one_of({"lab-class/1"}), "lab": record(name=text, title=text), "created": moment, "device": DEVICE,
    "grader": record(version=text, sandbox=text), "folder": text, "submissions": list_of(IN_CLASS), "seconds": number,
    "intake": list_of(record(name=text, reason=text)), "not_handed_in": list_of(
        optional({"score": or_null(number), "full_points": whole, "adjusted": ADJUSTED}, held=flag, **ON_ROSTER)),
    "decisions": DECISIONS, "course": or_null(record(**COURSE, time_zone=text))}
SETTINGS = record(schema=one_of({"lab-course/1"}), title=text, written_by=text, file=text, time_zone=text, seed=text,
                  labs=list_of(record(name=text, **COURSE)))
GRADED: Dict[str, Check] = {
    "verdict": one_of(VERDICTS | {"not handed in"}), "score": or_null(number), "full_points": whole,
    "points": or_null(number), "max_points": whole, "held": flag,
    "late": lambda value: value is None or record(days=whole, percent=number)(value),
    "adjusted": or_null(record(**DECIDED, due=or_null(moment), list=list_of(record(**WORD)))),
    "attempts": lambda value: isinstance(value, list), "review": list_of(text), "summary": text,
    "checks": list_of(record(name=text, title=text, status=one_of(STATUSES), kind=one_of(KINDS), points=number,
                             max_points=whole, message=text, level=text, root=text, mistake=text,
                             weighed=or_null(record(points=number, max_points=whole))))}
GRADES_STUDENT: Dict[str, Check] = {
    "name": text, "id": text, "full_name": text, "email": text, "section": text, "total_percent": or_null(number),
    "labs": lambda value: all(record(**GRADED)(lab) for lab in value.values())}
GRADES = record(schema=one_of({"lab-grades/1"}), title=text, students=list_of(record(**GRADES_STUDENT)),
                labs=list_of(record(name=text, title=text, max_points=whole, weight=number, created=moment,
                                    decisions=list_of(record(**SAID)))))


def described(after: str) -> Set[str]:
    """The fields with rows in the first table after these words."""
    table = re.search(r"\| field \| value \|\n\|---\|---\|\n((?:\|.*\n)+)", TEXT[TEXT.index(after):])[1]
    return {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


class Schema(unittest.TestCase):
    out: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        place = Path(folder.name)
        cls.out = place / "out"
        (place / "labs").mkdir()
        (place / "labs" / "toylab-first").symlink_to(TOYLAB)
        (place / "lib").symlink_to(ROOT / "lib")
        for student in ("right", "wrong", "null_pointer", "does_not_compile", "missing_file", "closes_everything"):
            (place / "class" / student).mkdir(parents=True)
            for source in (TOYLAB / "class" / student).glob("*.c"):
                (place / "class" / student / source.name).write_bytes(source.read_bytes())
        second = place / "class" / "wrong-attempt2" / "src"
        second.mkdir(parents=True)
        (second / "toylab.c").write_bytes((TOYLAB / "class/right/toylab.c").read_bytes())
        (place / "class" / "notes.txt").write_text("for nobody")
        (place / "roster.csv").write_text("id,name,section\n17,right,A\n18,Nobody,B\n")
        (place / "course.txt").write_text("name = A course\nseed = 7\n[toylab]\ndue = 2026-11-20 23:59\n")
        command = [str(BUILD / "bin/labgrade"), "grade", "--root", str(place), "--build", str(BUILD), "--lab", "toylab",
                   "--submissions", str(place / "class"), "--out", str(cls.out), "--roster", str(place / "roster.csv"),
                   "--course", str(place / "course.txt"), "--sandbox-if-possible", "i-trust-these-files"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for student, points in (("wrong", "80"), ("Nobody", "excused")):
            subprocess.run([command[0], "adjust", "--out", str(cls.out), "--student", student, "--points", points,
                            "--why", "so that the table has one"], check=True, stdout=subprocess.DEVNULL)
        for words in (["adjust", "--student", "right", "--due", "2099-01-01 12:00", "--why", "ill"],
                      ["weigh", "--check", "the_sum_is_right", "--points", "20", "--why", "too easy"],
                      ["hold"], ["release", "--section", "A"], ["release"]):
            subprocess.run([command[0], words[0], "--out", str(cls.out), *words[1:]], check=True,
                           stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-B", str(ROOT / "grader/report/export.py"), str(cls.out)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def read(self, path: str) -> Any:
        return json.loads((self.out / path).read_bytes().decode("utf-8"))

    def test_the_tables_name_the_fields_that_this_reader_wants(self) -> None:
        self.assertEqual(described("schema `lab-result/1`"), {*RESULT, "node"})
        self.assertEqual(described("Each of `checks`:") - (OF_SOME_CHECKS.keys() - {"weighed"}), {
            "name", "title", "points", "max_points", "status", "kind", "message", "expected", "found", "cause",
            "mismatches", "mismatch_count", "location", "hint", "seconds"})
        self.assertEqual(described("Each of `timings`:"), {*TIMING, "samples_ms"})
        self.assertEqual(described("schema `lab-class/1`"), set(CLASS))
        self.assertEqual(described("Each result also has:"),
                         {"late", "attempts", "attempts_rule", "score", "full_points", "adjusted", "held",
                          "handed_in"})
        self.assertEqual(described("Each of `students`:"), set(GRADES_STUDENT))
        self.assertEqual(described("Each of a student's `labs`:"), set(GRADED))

    def test_results_of_a_class_are_as_described(self) -> None:
        results = self.read("toylab/results.json")
        self.assertTrue(record(**CLASS)(results))
        self.assertEqual({result["verdict"] for result in results["submissions"]}, {
            "passed", "crash", "build error", "missing file", "failed"})
        strangers = ["closes_everything", "does_not_compile", "missing_file", "null_pointer", "wrong"]  # to the roster
        self.assertEqual([note["name"] for note in results["intake"]], ["notes.txt", *strangers])
        self.assertEqual([student["name"] for student in results["not_handed_in"]], ["Nobody"])
        self.assertEqual([decision["what"] for decision in results["decisions"]], [
            "the_sum_is_right counts 20 points", "held back", "released for section A", "released"])

    def test_each_submissions_result_is_as_described(self) -> None:
        paths = sorted(self.out.glob("toylab/*/result.json"))
        self.assertEqual(len(paths), 6)
        for path in paths:
            self.assertTrue(record(**RESULT)(json.loads(path.read_text(encoding="utf-8"))), path)

    def test_settings_and_grades_are_as_described(self) -> None:
        self.assertTrue(SETTINGS(self.read("course.json")))
        grades = self.read("+exports/grades.json")
        self.assertTrue(GRADES(grades))
        self.assertEqual(len(grades["students"]), 7, "one of the roster handed nothing in")

    def test_the_log_is_as_described(self) -> None:
        events = {"begin": record(event=text, time=moment, grading=whole, jobs=whole, kept=whole),
                  "result": record(event=text, time=moment, lab=text, name=text, verdict=one_of(VERDICTS), points=whole,
                                   max_points=whole, seconds=number, left=whole, seconds_left=number),
                  "retry": record(event=text, time=moment, name=text, why=text),
                  "end": record(event=text, time=moment, how=text, seconds=number)}
        lines = [json.loads(line) for line in (self.out / "grading.jsonl").read_text().splitlines()]
        told = [line["event"] for line in lines if line["event"] != "retry"]  # a busy machine makes some grade again
        self.assertEqual(told, ["begin", *6 * ["result"], "end"])
        for line in lines:
            self.assertTrue(events[line["event"]](line))

    def test_this_reader_sees_what_is_wrong(self) -> None:
        result = json.loads((self.out / "toylab/right/result.json").read_text())
        for field, value in (("points", -1), ("verdict", "fine"), ("started", "today"), ("checks", [{}]), ("more", 1)):
            with self.subTest(field), self.assertRaises(AssertionError):
                record(**RESULT)({**result, field: value})


if __name__ == "__main__":
    unittest.main()
