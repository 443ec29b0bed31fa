"""Tests of a group's submission in the report and the exports: a row, a page and a grade for each member.
From results made here, and from downloads that are graded.

Run with: python3 -B grader/tests/groups_test.py (the toy lab must be built, as for the other tests)
"""
from __future__ import annotations

import contextlib
import copy
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import export
import report
import sample_class

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", str(ROOT / "build"))).resolve()
TOYLAB = ROOT / "grader/tests/fixtures/toylab"


def attempt(number: int, group: str = "", counts: bool = True) -> Dict[str, Any]:
    return {"number": number, "submitted": "", "counts": counts, "verdict": "failed", "points": 80, "max_points": 100,
            "directory": "", "group": group}


def a_group(like: Dict[str, Any]) -> Dict[str, Any]:
    """Ada, Grace and Kay submit together. Kay also submits alone, and that counts. Eve has the same, but no group."""
    results = sample_class.sample_class()
    results["not_handed_in"] = []
    people = {"ada": [attempt(1, "submission_4")], "grace": [attempt(1, "submission_4")],
              "kay": [attempt(1, "submission_4", counts=False), attempt(2)], "eve": [attempt(1)]}
    results["submissions"] = []
    for name, attempts in people.items():
        result = copy.deepcopy(like)
        result.update(attempts=attempts, attempts_rule="", output="" if name == "eve" else "made by ada and grace\n")
        result["submission"].update(name=name, directory=name, student={
            "id": f"1{len(name)}{name[0]}", "name": "", "email": f"{name}@example.edu", "section": ""})
        results["submissions"].append(result)
    return results


class GroupCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        sample_class.write(self.out, a_group(sample_class.sample_class()["submissions"][1]))
        for name in ("ada", "grace", "kay", "eve"):
            (self.out / name / "source").mkdir(parents=True, exist_ok=True)
            (self.out / name / "source" / "lab03.c").write_text(sample_class.SOURCE)

    def call(self, program: Any, *arguments: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(program.main([str(self.out), *arguments]), 0)

    def page(self, path: str) -> str:
        text = re.sub(r"<style>.*?</style>", "", (self.out / path).read_text(encoding="utf-8"), flags=re.S)
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))


class Pages(GroupCase):
    def test_each_member_has_a_row_that_says_with_whom_the_submission_is_shared(self) -> None:
        self.call(report)
        page = (self.out / "index.html").read_text()
        rows = dict(re.findall(r'<th scope="row" \S+ class="name"><a href="(\w+)/index.html">(.*)</th>', page))
        self.assertIn("<small>one submission with <bdi>grace</bdi></small>", rows["ada"])
        self.assertIn("<small>one submission with <bdi>ada</bdi></small>", rows["grace"])
        self.assertNotIn("one submission", rows["kay"] + rows["eve"])
        self.assertIn("a group’s submission is listed for each member", page)

    def test_a_members_page_names_the_group_for_whom_it_counts_and_marks_its_attempts(self) -> None:
        self.call(report)
        self.assertIn("by a group: one submission with grace", self.page("ada/index.html"))
        kay = self.page("kay/index.html")
        self.assertNotIn("by a group", kay)
        self.assertRegex(kay, "1 a group’s.*2 counts")
        self.assertNotIn("by a group", self.page("eve/index.html"))

    def test_a_row_names_two_of_many_members_and_a_page_names_all(self) -> None:
        sample_class.write(self.out, sample_class.group_class())
        self.call(report)
        rows = dict(re.findall(r'<th scope="row" \S+ class="name"><a href="(\w+)/index.html">(.*)</th>',
                               (self.out / "index.html").read_text()))
        self.assertIn("one submission with <bdi>ada</bdi>, <bdi>Konrad Ernst Otto Zuse</bdi> and 3 others<", rows["s1"])
        self.assertIn("one submission with <bdi>edsger</bdi>, <bdi>tony</bdi><", rows["s7"])
        page = self.page("s1/index.html")
        for name in ("ada", "Konrad Ernst Otto Zuse", "Kathleen Rita McNulty Mauchly Antonelli", "Li Na", "Wolfe"):
            self.assertIn(name, page)

    def test_members_of_one_group_are_not_a_pair_but_an_outsider_is_one_with_them(self) -> None:
        self.call(report)
        pairs = re.findall(r"Pair \d+: (.*?) \d+", self.page("+similarity.html"))
        self.assertEqual(sorted(pairs), ["ada (with grace) and eve", "kay and eve"])

    def test_pseudonyms_hide_the_names_of_all_members(self) -> None:
        shared = self.out.parent / "shared"
        self.call(report, "--anonymous", str(shared))
        pages = [path.read_text() for path in shared.rglob("*.html")]
        self.assertEqual(len(pages), 6)
        for page in pages:
            for name in ("ada", "grace", "submission_4"):
                self.assertNotRegex(page, rf"\b{name}\b")
        self.assertTrue(any(re.search(r"one submission with <bdi>Student \w+</bdi>", page) for page in pages))


class Exports(GroupCase):
    def test_each_member_has_the_grade_in_every_format(self) -> None:
        self.call(export)
        folder = self.out / "+exports"
        rows = list(csv.DictReader(io.StringIO((folder / "grades.csv").read_text(), newline="")))
        self.assertEqual([(row["student"], row["lab03 (of 100)"]) for row in rows],
                         [(name, "80") for name in ("ada", "eve", "grace", "kay")])
        self.assertEqual({path.stem for path in (folder / "gradescope").iterdir()}, {"ada", "eve", "grace", "kay"})
        grades = {student["name"]: student for student in json.loads((folder / "grades.json").read_text())["students"]}
        self.assertEqual([given["group"] for given in grades["kay"]["labs"]["lab03"]["attempts"]], ["submission_4", ""])
        self.assertEqual(grades["ada"]["labs"]["lab03"]["attempts"][0]["group"], "submission_4")

    def test_each_member_has_the_grade_in_the_gradebooks(self) -> None:
        canvas, moodle = self.out.parent / "canvas.csv", self.out.parent / "moodle.csv"
        canvas.write_text("Student,ID,SIS Login ID,Lab 3 (7)\n,,,\nAda,1,ada,\nGrace,2,grace,\n")
        moodle.write_text("Identifier,Email address,Grade\nParticipant 1,ada@example.edu,\n"
                          "Participant 2,grace@example.edu,\n")
        self.call(export, "--canvas", str(canvas), "--moodle", str(moodle))
        self.assertIn("Ada,1,ada,80\nGrace,2,grace,80\n", (self.out / "+exports" / "canvas.csv").read_text())
        self.assertIn("Participant 1,ada@example.edu,80\nParticipant 2,grace@example.edu,80\n",
                      (self.out / "+exports" / "moodle.csv").read_text())


class Downloads(unittest.TestCase):
    """Downloads of group work from Moodle and Canvas, and the lists of groups that come with them."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.out = self.place / "out"
        (self.place / "labs").mkdir()
        (self.place / "labs" / "toylab-first").symlink_to(TOYLAB)
        (self.place / "lib").symlink_to(ROOT / "lib")

    def hand_in(self, name: str, variant: str = "right") -> None:
        path = self.place / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((TOYLAB / "class" / variant / "toylab.c").read_bytes())

    def grade(self, roster: str) -> Dict[str, Any]:
        (self.place / "roster.csv").write_text(roster)
        command = [str(BUILD / "bin/labgrade"), "grade", "--root", str(self.place), "--build", str(BUILD), "--lab",
                   "toylab", "--submissions", str(self.place / "class"), "--out", str(self.out), "--roster",
                   str(self.place / "roster.csv"), "--sandbox-if-possible", "i-trust-these-files"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return dict(json.loads((self.out / "results.json").read_text()))

    def call(self, program: Any, *arguments: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(program.main([str(self.out), *arguments]), 0)

    def filled(self, option: str, gradebook: str) -> str:
        path = self.place / "gradebook.csv"
        path.write_text(gradebook)
        self.call(export, f"--{option}", str(path))
        return (self.out / "+exports" / f"{option}.csv").read_text()

    def runs(self) -> Any:
        with contextlib.closing(sqlite3.connect(self.out / "grades.db")) as database:
            return database.execute("SELECT COUNT(DISTINCT json_extract(json, '$.started')"
                                    " || json_extract(json, '$.seconds')) FROM result").fetchone()[0]

    def test_moodles_group_is_graded_once_and_has_pages_and_grades_for_each_member(self) -> None:
        self.hand_in("Team A_88_assignsubmission_file/toylab.c")
        self.hand_in("Team B_89_assignsubmission_file/toylab.c", "wrong")
        worksheet = ("Identifier,Full name,Email address,Group,Grade,Maximum grade\n"
                     "Participant 88,Kay,kay@x.org,Team B,,100\nParticipant 17,Ada,ada@x.org,Team A,,100\n"
                     "Participant 18,Grace,grace@x.org,Team A,,100\nParticipant 19,Eve,eve@x.org,Team C,,100\n")
        results = self.grade(worksheet)
        self.assertEqual([result["submission"]["name"] for result in results["submissions"]], ["Ada", "Grace", "Kay"])
        self.assertEqual(self.runs(), 2)
        self.assertEqual(results["intake"], [])
        self.assertEqual([student["name"] for student in results["not_handed_in"]], ["Eve"])
        self.call(report)
        self.assertIn("one submission with <bdi>Grace</bdi>", (self.out / "Ada" / "index.html").read_text())
        points = {result["submission"]["name"]: result["points"] for result in results["submissions"]}
        self.assertEqual(points["Ada"], points["Grace"])
        self.assertNotEqual(points["Ada"], points["Kay"])
        filled = self.filled("moodle", worksheet)
        for number, name, group in ((88, "Kay", "B"), (17, "Ada", "A"), (18, "Grace", "A")):
            self.assertIn(f"Participant {number},{name},{name.lower()}@x.org,Team {group},{points[name]},100\n", filled)
        self.assertIn("Eve,eve@x.org,Team C,,100\n", filled)

    def test_canvas_group_is_graded_once_and_has_grades_for_each_member_in_every_format(self) -> None:
        self.hand_in("projectgroups1_18_205_toylab.c")
        self.hand_in("mcnultykay_19_206_toylab.c", "wrong")
        results = self.grade("name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
                             "Ada Lovelace,17,,ada,A,Project Groups 1,3,\n"
                             "Grace Hopper,18,,grace,A,Project Groups 1,3,\n"
                             "Kay McNulty,19,,kay,A,,,\n")
        self.assertEqual(self.runs(), 2)
        self.assertEqual(results["intake"], [])
        points = {result["submission"]["name"]: result["points"] for result in results["submissions"]}
        self.assertEqual(set(points), {"Ada Lovelace", "Grace Hopper", "mcnultykay"})
        filled = self.filled("canvas", "Student,ID,SIS Login ID,toylab (7)\n\"Lovelace, Ada\",17,ada,\n"
                             "\"Hopper, Grace\",18,grace,\n\"McNulty, Kay\",19,kay,\n")
        for row, name in (("Ada\",17,ada,", "Ada Lovelace"), ("Grace\",18,grace,", "Grace Hopper"),
                          ("Kay\",19,kay,", "mcnultykay")):
            self.assertIn(f"{row}{points[name]}\n", filled)
        self.assertEqual(points["Ada Lovelace"], points["Grace Hopper"])
        self.call(export)
        folder = self.out / "+exports"
        self.assertEqual(len(list((folder / "gradescope").iterdir())), 3)
        for name in ("grades.json", "grades.csv", "checks.csv", "junit.xml", "grades.tap"):
            text = (folder / name).read_text()
            for student in points:
                self.assertIn(student, text, name)


if __name__ == "__main__":
    unittest.main()
