"""Tests of the exports: a reader that is independent of the writer reads each file back.

Run with: python3 -B grader/tests/export_test.py
"""
from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import export
import exports
import sample_class
from gradebook import Grade, Unfit, fill_canvas, fill_moodle


def read_tap(text: str) -> List[Tuple[bool, str, str]]:
    """A reader of TAP 13: passed, description and directive of each test."""
    lines = text.split("\n")
    assert lines.pop(0) == "TAP version 13"
    planned = int(re.match(r"1\.\.(\d+)", lines.pop(0))[1])
    tests = []
    in_block = False
    for line in lines:
        if line in ("  ---", "  ..."):
            in_block = line == "  ---"
        elif in_block:
            key, value = line.strip().split(": ", 1)
            assert key in ("status", "kind", "message") and isinstance(json.loads(value), str)
        elif line.startswith("# "):
            pass  # a remark
        elif line:
            found = re.fullmatch(r"(not )?ok (\d+) - ((?:[^#\\]|\\.)*?)(?: # (.*))?", line)
            assert found, line
            tests.append((not found[1], re.sub(r"\\(.)", r"\1", found[3]), found[4] or ""))
            assert int(found[2]) == len(tests)
    assert len(tests) == planned
    return tests


class ExportCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def run_export(self, *arguments: str) -> Tuple[int, str, str]:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = export.main([str(self.out), *arguments])
        return status, output.getvalue(), errors.getvalue()

    def write(self, results: Optional[Dict[str, Any]] = None, *arguments: str) -> Dict[str, str]:
        """Exports the class. Returns the files by their paths below +exports."""
        sample_class.write(self.out, results or sample_class.sample_class())
        status, _, errors = self.run_export(*arguments)
        self.assertEqual((status, errors), (0, ""))
        folder = self.out / "+exports"
        return {str(path.relative_to(folder)): path.read_bytes().decode("utf-8")
                for path in folder.rglob("*") if path.is_file()}


class Formats(ExportCase):
    def test_json_holds_every_student_with_points_and_checks(self) -> None:
        grades = json.loads(self.write()["grades.json"])
        self.assertEqual(grades["schema"], "lab-grades/1")
        students = {student["name"]: student for student in grades["students"]}
        self.assertEqual(len(students), 12)
        self.assertEqual(students["grace"]["labs"]["lab03"]["points"], 80)
        self.assertEqual(students["grace"]["total_percent"], 80)
        self.assertEqual(len(students["grace"]["labs"]["lab03"]["checks"]), 8)
        self.assertIsNone(students["zoe"]["labs"]["lab03"]["points"])
        self.assertIsNone(students["zoe"]["total_percent"])

    def test_csv_has_a_row_a_student_and_no_cell_is_a_formula(self) -> None:
        files = self.write()
        rows = list(csv.DictReader(io.StringIO(files["grades.csv"], newline="")))
        self.assertEqual(len(rows), 12)
        points = {row["student"]: row["lab03 (of 100)"] for row in rows}
        self.assertEqual((points["ada"], points["grace"], points["zoe"]), ("100", "80", ""))
        for text in (files["grades.csv"], files["checks.csv"]):
            for row in csv.reader(io.StringIO(text, newline="")):
                self.assertFalse([cell for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell])
        self.assertTrue(any(name.startswith("'=HYPERLINK") for name in points))

    def test_csv_of_checks_has_a_row_a_check(self) -> None:
        rows = list(csv.DictReader(io.StringIO(self.write()["checks.csv"], newline="")))
        self.assertEqual(sum(row["student"] == "grace" for row in rows), 8)
        failed = [row for row in rows if row["student"] == "grace" and row["status"] == "failed"]
        self.assertEqual([(row["check"], row["kind"], row["points"]) for row in failed],
                         [("copies_overlap_kernels", "rule", "0")])
        self.assertEqual([row["message"] for row in failed],
                         ["No copy ran while a kernel of another stream was running."])
        self.assertEqual([(row["check"], row["message"]) for row in rows if row["verdict"] == "build error"],
                         [("", "lab03.c does not compile: expected ';' on line 11.")])

    def test_junit_counts_failures_errors_and_skipped(self) -> None:
        root = ElementTree.fromstring(self.write()["junit.xml"])
        suites = root.findall("testsuite")
        self.assertEqual(len(suites), 12)
        for suite in suites:
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests")), len(cases))
            for tag, counted in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
                self.assertEqual(int(suite.get(counted)), len(suite.findall(f"testcase/{tag}")))
            self.assertTrue(all(re.fullmatch(r"\d+\.\d{3}", case.get("time")) for case in cases))
        self.assertEqual(sum(int(suite.get("tests")) for suite in suites), int(root.get("tests")))
        by_name = {suite.get("name"): suite for suite in suites}
        self.assertEqual(by_name["lab03: grace"].find("testcase/failure").get("type"), "rule")
        self.assertEqual(by_name["lab03: hang"].find("testcase/error").get("type"), "timeout")
        self.assertEqual(by_name["lab03: zoe"].find("testcase/error").get("type"), "grader fault")

    def test_what_does_not_build_or_is_missing_is_an_error_with_its_reason_in_each_format(self) -> None:
        results = sample_class.sample_class()
        by_verdict = {submission["verdict"]: submission for submission in results["submissions"]}
        for verdict, name in (("build error", "unbuilt"), ("missing file", "refused")):
            by_verdict[verdict]["submission"]["name"] = name
            by_verdict[verdict]["checks"] = sample_class.not_run_after(0)
            for check in by_verdict[verdict]["checks"]:
                check["message"] = ""
        files = self.write(results)
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(files["junit.xml"])}
        tests = {words: passed for passed, words, _ in read_tap(files["grades.tap"])}
        rows = list(csv.DictReader(io.StringIO(files["checks.csv"], newline="")))
        for name, reason in (("unbuilt", "lab03.c does not compile: expected ';' on line 11."),
                             ("refused", "The folder holds lab3.c and notes.txt, but no lab03.c.")):
            with self.subTest(name):
                suite = suites[f"lab03: {name}"]
                self.assertEqual((suite.get("tests"), suite.get("errors"), suite.get("skipped")), ("9", "1", "8"))
                self.assertEqual(suite.find("testcase/error").get("message"), reason)
                self.assertEqual(suite.find("testcase/skipped").get("message"), reason)
                self.assertFalse(tests[f"lab03: {name}: submission"])
                self.assertEqual({row["message"] for row in rows if row["student"] == name}, {reason})
                self.assertEqual(files["grades.tap"].count(f"  message: {json.dumps(reason)}\n"), 9)

    def test_a_task_for_those_who_want_more_is_no_failure_of_what_passed(self) -> None:
        results = sample_class.sample_class()
        ada = next(one for one in results["submissions"] if one["submission"]["name"] == "ada")
        self.assertEqual(ada["verdict"], "passed")
        ada["checks"][3] = sample_class.check(3, "failed", "rule", message="No copy overlaps.", extra=True)
        files = self.write(results)
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(files["junit.xml"])}
        suite = suites["lab03: ada"]
        self.assertEqual((suite.get("failures"), suite.get("errors"), suite.get("skipped")), ("0", "0", "1"))
        tests = {words: (passed, directive) for passed, words, directive in read_tap(files["grades.tap"])}
        self.assertEqual(tests["lab03: ada: Copies overlap kernels"],
                         (True, "SKIP for those who want more: No copy overlaps."))

    def test_students_of_the_roster_without_a_submission_are_in_every_format(self) -> None:
        files = self.write()
        students = {student["id"]: student for student in json.loads(files["grades.json"])["students"]}
        nobody = "Nobody <script>alert('x')</script>"
        self.assertEqual((students["4711"]["name"], students["4711"]["total_percent"]), (nobody, 0))
        rows = {row["id"]: row for row in csv.DictReader(io.StringIO(files["grades.csv"], newline=""))}
        self.assertEqual((rows["4711"]["lab03 (of 100)"], rows["4711"]["total_percent"]), ("", "0.00"))
        self.assertEqual((rows["4711"]["full_name"], rows["4711"]["section"]), (nobody, "B"))
        checks = list(csv.DictReader(io.StringIO(files["checks.csv"], newline="")))
        row, = (row for row in checks if row["student"] == nobody)
        self.assertEqual((row["verdict"], row["message"]), ("not handed in", "Nothing was handed in."))
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(files["junit.xml"])}
        self.assertEqual(suites["lab03: 4712"].find("testcase/error").get("message"), "Nothing was handed in.")
        self.assertIn((False, "lab03: 4712: submission", ""), read_tap(files["grades.tap"]))

    def test_tap_has_a_test_a_check_and_skips_what_the_grader_failed_on(self) -> None:
        tests = read_tap(self.write()["grades.tap"])
        self.assertEqual(len(tests), 8 * 8 + 4)
        by_words = {words: (passed, directive) for passed, words, directive in tests}
        self.assertEqual(by_words["lab03: grace: Copies overlap kernels"], (False, ""))
        self.assertEqual(by_words["lab03: ada: Copies overlap kernels"], (True, ""))
        self.assertTrue(by_words["lab03: zoe: Every access is ordered"][1].startswith("SKIP"))

    def test_gradescope_has_a_result_a_submission_but_none_for_a_grader_fault(self) -> None:
        files = {path: json.loads(text) for path, text in self.write().items() if path.startswith("gradescope/")}
        self.assertEqual(len(files), 9)
        self.assertNotIn("gradescope/zoe.json", files)
        self.assertNotIn("leaderboard", files["gradescope/ada.json"])
        known = {"name", "number", "score", "max_score", "status", "output", "output_format", "visibility"}
        for result in files.values():
            self.assertEqual(result["score"], sum(test["score"] for test in result["tests"]))
            self.assertEqual(result["output_format"], "text")
            for test in result["tests"]:
                self.assertEqual(set(test), known)
                self.assertIn(test["status"], ("passed", "failed"))
        self.assertIn("array 128, element 0: expected 0.3107", files["gradescope/html.json"]["tests"][0]["output"])

    def late_class(self) -> Dict[str, Any]:
        """Grace is two days late, as a course's file says. One check of hang was not measured."""
        results = sample_class.sample_class()
        results["course"] = {"weight": 2, "due": "2026-11-20T10:00:00Z", "visibility": "after_due"}
        by_name = {submission["submission"]["name"]: submission for submission in results["submissions"]}
        by_name["ada"]["late"] = {"days": 0, "percent": 0, "points": 100}
        by_name["grace"]["late"] = {"days": 2, "percent": 20, "points": 64}
        check = by_name["leaky"]["checks"][3]
        check.update(status="not measured", points=0, message="this machine has no GPU")
        by_name["leaky"].update(verdict="not measured", points=75, max_points=80)
        return results

    def test_late_points_reach_every_format(self) -> None:
        files = self.write(self.late_class())
        students = {student["name"]: student for student in json.loads(files["grades.json"])["students"]}
        grace = students["grace"]["labs"]["lab03"]
        self.assertEqual((grace["score"], grace["points"], grace["late"]), (64, 80, {"days": 2, "percent": 20}))
        self.assertEqual(students["grace"]["total_percent"], 64)
        rows = {row["student"]: row for row in csv.DictReader(io.StringIO(files["grades.csv"], newline=""))}
        self.assertEqual((rows["grace"]["lab03 (of 100)"], rows["grace"]["total_percent"]), ("64", "64.00"))
        checks = [row for row in csv.DictReader(io.StringIO(files["checks.csv"], newline=""))
                  if row["student"] == "grace"]
        self.assertEqual({row["days_late"] for row in checks}, {"2"})
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(files["junit.xml"])}
        properties = {entry.get("name"): entry.get("value") for entry in suites["lab03: grace"].find("properties")}
        self.assertEqual((properties["score"], properties["points"], properties["days_late"]), ("64", "80", "2"))
        self.assertEqual(list(suites["lab03: grace"])[0].tag, "properties", "as the schema wants it")
        self.assertIn("# lab03: grace: 2 days late, 20 percent off: 64 of 100 points count\n", files["grades.tap"])
        read_tap(files["grades.tap"])
        gradescope = json.loads(files["gradescope/grace.json"])
        self.assertEqual((gradescope["score"], gradescope["extra_data"]["days_late"]), (64, 2))
        self.assertIn("2 days late, 20 percent off: 64 of 100 points count", gradescope["output"])

    def adjusted_class(self) -> Dict[str, Any]:
        results = sample_class.sample_class()
        sample_class.adjust(results["submissions"][1], 72.5, "72.5 points", comment="Well argued.")
        sample_class.adjust(results["submissions"][0], None, "excused", excused=True)
        sample_class.adjust(results["submissions"][3], 60, "60 points; verdict set aside", set_aside=True)
        results["not_handed_in"] = [{"id": "18", "name": "Grace Absent", "email": "", "section": ""}]
        sample_class.adjust(results["not_handed_in"][0], 40, "40 points")
        return results

    def test_a_persons_word_is_the_grade_in_every_format(self) -> None:
        files = self.write(self.adjusted_class())
        rows = {row[0]: row for row in csv.reader(io.StringIO(files["grades.csv"]))}
        self.assertEqual([rows[name][5] for name in ("ada", "grace", "Grace Absent")], ["excused", "72.5", "40"])
        students = {student["name"]: student for student in json.loads(files["grades.json"])["students"]}
        grace = students["grace"]["labs"]["lab03"]
        self.assertEqual((grace["score"], grace["points"]), (72.5, 80), "the grader's points stay")
        self.assertEqual(grace["adjusted"]["list"][0]["why"], "a reason")
        self.assertIsNone(students["ada"]["labs"]["lab03"]["score"])
        self.assertTrue(students["ada"]["labs"]["lab03"]["adjusted"]["excused"])
        scope = json.loads(files["gradescope/grace.json"])
        self.assertEqual(scope["score"], 72.5)
        self.assertIn("72.5 points by ann: a reason", scope["output"])
        self.assertNotIn("gradescope/ada.json", files)
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(files["junit.xml"])}
        scores = {entry.get("name"): entry.get("value") for entry in suites["lab03: grace"].iter("property")}
        self.assertEqual(scores["score"], "72.5")
        broken = next(suite for name, suite in suites.items() if name.startswith("lab03: Wolfe"))
        self.assertEqual((broken.get("errors"), broken.get("skipped")), ("0", "1"), "its verdict is set aside")
        self.assertTrue(any("72.5 points by ann" in line for line in files["grades.tap"].split("\n")))
        read_tap(files["grades.tap"])

    def test_a_persons_word_goes_into_gradebooks_and_the_excused_are_marked(self) -> None:
        sample_class.write(self.out, self.adjusted_class())
        book = self.out / "canvas.csv"
        book.write_text("Student,ID,SIS Login ID,Lab 3 (1)\nAda,1,ada,5\nGrace,2,grace,\n")
        status, output, _ = self.run_export("--canvas", str(book))
        self.assertEqual(status, 0)
        filled = (self.out / "+exports" / "canvas.csv").read_text()
        self.assertIn("Ada,1,ada,EX", filled)
        self.assertIn("Grace,2,grace,72.5", filled)
        self.assertIn("replaced: Ada: 5 -> EX", output)

    def test_visibility_reaches_gradescope(self) -> None:
        for word, theirs in (("hidden", "hidden"), ("after_due", "after_due_date"), ("visible", "visible"),
                             (None, "visible")):
            with self.subTest(word):
                results = self.late_class()
                results["course"] = {"visibility": word} if word else None
                result = json.loads(self.write(results, "--format", "gradescope")["gradescope/ada.json"])
                self.assertEqual({result["visibility"], *(test["visibility"] for test in result["tests"])}, {theirs})

    def test_unmeasured_checks_are_not_zero_in_any_format(self) -> None:
        files = self.write(self.late_class())
        students = {student["name"]: student for student in json.loads(files["grades.json"])["students"]}
        leaky = students["leaky"]["labs"]["lab03"]
        self.assertEqual((leaky["score"], leaky["points"], leaky["max_points"], leaky["full_points"]),
                         (93.75, 75, 80, 100))
        self.assertEqual((leaky["checks"][3]["status"], leaky["checks"][3]["points"]), ("not measured", None))
        self.assertEqual(students["leaky"]["total_percent"], 93.75)
        rows = csv.DictReader(io.StringIO(files["checks.csv"], newline=""))
        row = [row for row in rows if row["student"] == "leaky"][3]
        self.assertEqual((row["status"], row["points"]), ("not measured", ""))
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(files["junit.xml"])}
        case = suites["lab03: leaky"].findall("testcase")[3]
        self.assertEqual([inside.tag for inside in case], ["skipped"])
        tests = {words: (passed, directive) for passed, words, directive in read_tap(files["grades.tap"])}
        self.assertEqual(tests["lab03: leaky: Copies overlap kernels"],
                         (True, "SKIP not measured: this machine has no GPU"))
        result = json.loads(files["gradescope/leaky.json"])
        self.assertEqual(result["score"], 93.75)
        self.assertFalse({"score", "max_score", "status"} & set(result["tests"][3]))
        self.assertIn("Not measured: this machine has no GPU", result["tests"][3]["output"])

    def test_nothing_measured_is_no_score(self) -> None:
        results = self.late_class()
        leaky = next(entry for entry in results["submissions"] if entry["submission"]["name"] == "leaky")
        for check in leaky["checks"]:
            check.update(status="not measured", points=0)
        leaky.update(points=0, max_points=0)
        files = self.write(results)
        rows = {row["student"]: row for row in csv.DictReader(io.StringIO(files["grades.csv"], newline=""))}
        self.assertEqual((rows["leaky"]["lab03 (of 100)"], rows["leaky"]["total_percent"]), ("", ""))
        self.assertNotIn("gradescope/leaky.json", files)

    def test_late_points_go_into_gradebooks(self) -> None:
        sample_class.write(self.out, self.late_class())
        book = self.out.parent / "book.csv"
        book.write_text("Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (17)\n    Points Possible,,,,,10\n"
                        "Hopper,1,grace,grace,A,\nLeaky,2,leaky,leaky,A,\n")
        moodle = self.out.parent / "moodle.csv"
        moodle.write_text("Identifier,Full name,Email address,Grade,Maximum grade,Last modified (grade)\n"
                          "Participant 1,grace,grace@example.edu,,100,-\n")
        self.assertEqual(self.run_export("--canvas", str(book), "--moodle", str(moodle))[0], 0)
        rows = list(csv.reader((self.out / "+exports" / "canvas.csv").read_text().splitlines()))
        self.assertEqual([row[5] for row in rows[2:]], ["6.4", "9.38"])
        rows = list(csv.DictReader((self.out / "+exports" / "moodle.csv").read_text().splitlines()))
        self.assertEqual(rows[0]["Grade"], "64")

    def test_a_leaderboard_is_written_if_asked_for(self) -> None:
        result = json.loads(self.write(None, "--format", "gradescope", "--leaderboard")["gradescope/ada.json"])
        self.assertEqual(result["leaderboard"][0], {"name": "serial (ms)", "value": 70.1, "order": "asc"})

    def test_hostile_names_stay_in_their_place_in_every_format(self) -> None:
        names = ["\"quoted\", comma; semi", "line\nbreak\r\nok 1 - forged", "]]><evil a='1'/>&lt;", "# SKIP me \\",
                 "@SUM(A1)", "\u202e\u0000\ufffe", "x" * 10_000, "", "\u05d0\u05d1\u05d2"]
        results = sample_class.large_class(len(names))
        results["not_handed_in"] = []
        for submission, name in zip(results["submissions"], names):
            submission["submission"] = {"name": name, "file": "lab03.c"}
        files = self.write(results)
        count = sum(max(1, len(submission["checks"])) for submission in results["submissions"])
        tests = read_tap(files["grades.tap"])
        self.assertEqual(len(tests), count)
        self.assertFalse([words for _, words, _ in tests if words == "forged"])
        self.assertEqual({directive for _, _, directive in tests}, {""})
        self.assertTrue([words for _, words, _ in tests if words.startswith("lab03: # SKIP me \\: ")])
        self.assertEqual(len(ElementTree.fromstring(files["junit.xml"]).findall("testsuite")), len(names))
        rows = list(csv.reader(io.StringIO(files["grades.csv"], newline="")))
        self.assertEqual({len(row) for row in rows}, {7})
        self.assertEqual(len(rows), len(names) + 1)
        self.assertEqual(len(json.loads(files["grades.json"])["students"]), len(names))
        self.assertIn("\"quoted\", comma; semi", [row[0] for row in rows])

    def test_submissions_of_the_same_name_are_all_there(self) -> None:
        twins = sample_class.sample_class()
        twins["not_handed_in"] = []
        for submission in twins["submissions"]:
            submission["submission"] = {"name": "twin", "file": "lab03.c"}
        files = self.write(twins)
        self.assertEqual([student["name"] for student in json.loads(files["grades.json"])["students"]], 10 * ["twin"])
        self.assertEqual(len(list(csv.DictReader(io.StringIO(files["grades.csv"], newline="")))), 10)

    def test_an_empty_class_can_be_exported(self) -> None:
        empty = sample_class.sample_class()
        empty["submissions"] = empty["not_handed_in"] = []
        files = self.write(empty)
        self.assertEqual(read_tap(files["grades.tap"]), [])
        self.assertEqual(json.loads(files["grades.json"])["students"], [])
        self.assertEqual(len(ElementTree.fromstring(files["junit.xml"])), 0)
        self.assertEqual(len(list(csv.reader(io.StringIO(files["grades.csv"])))), 1)

    def test_only_the_formats_asked_for_are_written(self) -> None:
        self.assertEqual(set(self.write(None, "--format", "junit", "--format", "json")), {"junit.xml", "grades.json"})

    def test_a_grading_that_has_not_ended_is_told(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        for last, told in ((None, False), ('{"event":"end","how":"done"}', False), ('{"event":"result"}', True),
                           ('{"event":"end","how":"the disk is full"}', True), ('{"event":"res', True)):
            with self.subTest(last):
                if last:
                    (self.out / "grading.jsonl").write_text('{"event":"begin"}\n' + last + "\n")
                status, _, errors = self.run_export()
                self.assertEqual((status, "has not ended" in errors), (0, told))

    def test_results_are_held_until_the_courses_time_unless_a_person_decided(self) -> None:
        def status_of(time: str, decided: bool) -> Tuple[int, str]:
            results = sample_class.sample_class()
            results["course"].update(release="held", release_at=time)
            for own in (*results["submissions"], *results["not_handed_in"]):
                own["held"] = True
            results["decisions"] = []
            if decided:
                results["decisions"] = [{"number": 1, "what": "held back", "who": "ann", "why": "a doubt",
                                         "made": "2026-11-22T10:00:00Z"}]
            sample_class.write(self.out, results)
            status, _, errors = self.run_export("--format", "csv")
            return status, errors
        self.assertEqual(status_of("2001-12-01T12:00:00Z", False), (0, ""))
        status, errors = status_of("9998-12-01T12:00:00Z", False)
        self.assertEqual(status, 2)
        self.assertIn("lab03 is held back for everybody until 1 December 9998, 12:00 UTC: labgrade release", errors)
        status, errors = status_of("2001-12-01T12:00:00Z", True)
        self.assertEqual(status, 2)
        self.assertIn("held back for everybody: labgrade release", errors)

    def test_malformed_results_are_refused_in_a_sentence(self) -> None:
        self.out.mkdir()
        (self.out / "results.json").write_text("{}")
        status, output, errors = self.run_export()
        self.assertEqual((status, output), (2, ""))
        self.assertRegex(errors, r"^export.py: .*results.json: schema is missing\n$")
        self.assertFalse((self.out / "+exports").exists())

    def test_control_characters_cannot_break_xml(self) -> None:
        self.assertEqual(exports._attribute("a\x00\x1b\ufffe\"<&"), "'a\ufffd\ufffd\ufffd\"&lt;&amp;'")


CANVAS = ('Student,ID,SIS User ID,SIS Login ID,Section,Lab 3: Arrays (4711),"Essay, long (4712)",Final\r\n'
          '    Points Possible,,,,,50,10,(read only)\r\n'
          '"Lovelace, Ada",101,s1,ada,A,,"1,5",\r\n'
          '"Hopper, ""Amazing"" Grace",102,s2,grace,A,7,=1+1,x\r\n'
          'Nobody Else,103,s3,nobody,B, ,2,\r\n')


class Canvas(unittest.TestCase):
    GRADES = [Grade("ada", ["ada"], 100, 100), Grade("grace", ["s2", "ada hopper"], 33, 100),
              Grade("mallory", ["mallory"], 100, 100)]

    def fill(self, text: str = CANVAS, grades: Any = None, **options: Any) -> Tuple[Any, List[List[str]]]:
        filled = fill_canvas(text.encode(), "lab03", "200 arrays at once", grades or self.GRADES, **options)
        return filled, list(csv.reader(io.StringIO(filled.content.decode("utf-8-sig"), newline="")))

    def test_points_go_into_the_labs_column_in_its_scale(self) -> None:
        filled, rows = self.fill()
        self.assertEqual([row[5] for row in rows], ["Lab 3: Arrays (4711)", "50", "50", "16.5", " "])
        self.assertEqual((filled.filled, filled.replaced), (2, ['Hopper, "Amazing" Grace: 7 -> 16.5']))
        self.assertEqual(filled.scaled, "points of 100 became points of 50")

    def test_every_other_byte_stays(self) -> None:
        for text in (CANVAS, "\ufeff" + CANVAS, CANVAS.replace("\r\n", "\n"), CANVAS.rstrip("\r\n")):
            with self.subTest(text[:3]):
                filled, _ = self.fill(text)
                expected = text.replace(",A,,", ",A,50,").replace(",A,7,", ",A,16.5,")
                self.assertEqual(filled.content, expected.encode())

    def test_bytes_that_are_not_text_stay(self) -> None:
        data = CANVAS.encode().replace(b"Nobody", b"N\xf6body")
        filled = fill_canvas(data, "lab03", "", self.GRADES)
        self.assertIn(b"N\xf6body Else,103", filled.content)

    def test_students_in_only_one_of_the_two_are_reported(self) -> None:
        filled, _ = self.fill()
        self.assertEqual(filled.unknown, ["mallory"])
        self.assertEqual(filled.without, ["Nobody Else"])

    def test_a_name_finds_its_row_in_either_order(self) -> None:
        filled, rows = self.fill(grades=[Grade("x", ["ada  LOVELACE"], 10, 50)])
        self.assertEqual(rows[2][5], "10")

    def test_a_grade_that_fits_two_rows_and_a_row_that_two_grades_fit_stay_empty(self) -> None:
        twins = CANVAS.replace("Nobody Else", '"Lovelace, Ada"')
        filled, rows = self.fill(twins, [Grade("ada l", ["Ada Lovelace"], 10, 50)])
        self.assertEqual((filled.ambiguous, filled.filled), (["ada l"], 0))
        filled, rows = self.fill(grades=[Grade("one", ["ada"], 10, 50), Grade("two", ["s1"], 20, 50)])
        self.assertEqual((sorted(filled.ambiguous), rows[2][5]), (["one", "two"], ""))

    def test_an_identifier_that_is_another_students_number_of_canvas_is_in_doubt(self) -> None:
        numbers = CANVAS.replace(",s1,", ",100,").replace(",s2,", ",101,")  # Grace's own number is Ada's in Canvas
        filled, rows = self.fill(numbers, [Grade("grace", ["101", "Grace Hopper"], 10, 50)])
        self.assertEqual((filled.ambiguous, filled.filled, rows[2][5]), (["grace"], 0, ""))

    def test_grades_with_a_grader_fault_stay_as_they_were(self) -> None:
        filled, rows = self.fill(grades=[Grade("grace", ["grace"], None, 100)])
        self.assertEqual((filled.ungraded, rows[3][5]), (["grace"], "7"))

    def test_an_excused_student_and_other_words_stay_and_are_named(self) -> None:
        for word in ("EX", "N/A", "incomplete"):
            with self.subTest(word):
                text = CANVAS.replace(",A,7,", f",A,{word},")
                filled, rows = self.fill(text)
                self.assertEqual((rows[3][5], filled.filled, filled.replaced), (word, 1, []))
                self.assertEqual(filled.kept, [f'Hopper, "Amazing" Grace: {word}'])

    def test_only_empty_cells_are_filled_where_that_is_asked_for(self) -> None:
        filled, rows = self.fill(only_empty=True)
        self.assertEqual([row[5] for row in rows[2:]], ["50", "7", " "])
        self.assertEqual((filled.filled, filled.replaced), (1, []))
        self.assertEqual(filled.kept, ['Hopper, "Amazing" Grace: 7'])

    def test_the_same_number_in_another_form_stays_and_is_no_replacement(self) -> None:
        text = CANVAS.replace(",A,7,", ",A,16.50,")
        filled, rows = self.fill(text)
        self.assertEqual((rows[3][5], filled.filled, filled.replaced, filled.kept), ("16.50", 2, [], []))

    def test_a_column_can_be_named(self) -> None:
        _, rows = self.fill(column="essay, long")
        self.assertEqual(rows[2][6], "10")

    def test_no_column_or_several_are_refused_with_what_there_is(self) -> None:
        for text, message in ((CANVAS.replace("Lab 3", "Lab 4"), "no columns of it fit lab03"),
                              (CANVAS.replace("Essay", "Lab 03"), "2 columns of it fit lab03"),
                              ("a,b\n1,2\n", "no column ID"), ("", "it is empty"),
                              ('ID,"lab03\n1,2', "a quote in it is never closed")):
            with self.subTest(message), self.assertRaisesRegex(Unfit, message):
                self.fill(text)
        with self.assertRaisesRegex(Unfit, "UTF-16"):
            fill_canvas(CANVAS.encode("utf-16"), "lab03", "", self.GRADES)


MOODLE = ('\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)"\n'
          '"Participant 12345","Ada Lovelace",ada@example.org,"Submitted for grading",,"50.00",-\n'
          '"Participant 12346","Grace Hopper",grace@example.org,"Submitted for grading","3,00","100.00",-\n')


class Moodle(unittest.TestCase):
    def test_points_go_into_the_column_grade_and_the_rest_stays(self) -> None:
        filled = fill_moodle(MOODLE.encode(), [Grade("Ada Lovelace", ["Ada Lovelace"], 80, 100),
                                               Grade("g", ["12346"], 7, 100), Grade("x", ["y"], 1, 100)])
        expected = MOODLE.replace('grading",,', 'grading",40,').replace('"3,00"', '"7"')
        self.assertEqual(filled.content, expected.encode())
        self.assertEqual((filled.filled, filled.unknown, filled.without), (2, ["x"], []))

    def test_a_row_whose_grade_cannot_be_changed_stays_as_it_is_and_is_named(self) -> None:
        text = ('Identifier,"Full name",Grade,"Maximum Grade","Grade can be changed"\r\n'
                '"Participant 1","Ada Lovelace","3,00",50.00,No\r\n'
                '"Participant 2","Grace Hopper",,100.00,Yes\r\n'
                '"Participant 3","Alan Turing",,100.00,"No"\r\n')
        filled = fill_moodle(text.encode(), [Grade("Ada", ["1"], 80, 100), Grade("Grace", ["2"], 7, 100),
                                             Grade("Alan", ["3"], None, 100)])
        self.assertEqual(filled.content, text.replace('Hopper",,', 'Hopper",7,').encode())
        self.assertEqual((filled.filled, filled.replaced, filled.scaled), (1, [], ""))
        self.assertEqual((filled.locked, filled.ungraded, filled.without), (["Ada"], ["Alan"], []))

    def test_feedback_comments_are_filled_as_html_and_a_persons_comment_stays(self) -> None:
        text = ('Identifier,Full name,Grade,Maximum Grade,Feedback comments\r\n'
                'Participant 1,Ada,,100.00,\r\n'
                'Participant 2,Grace,-,100.00,Well done\r\n'
                'Participant 3,Alan,7,100.00,"<p>Automatic feedback<br>old, and ""quoted""</p>"\r\n')
        comment = 'Failed: "a" < b, =1+1'
        filled = fill_moodle(text.encode(), [Grade("a", ["1"], 80, 100, comment), Grade("g", ["2"], 8, 100, comment),
                                             Grade("t", ["3"], 9, 100, "two\nlines")])
        rows = list(csv.DictReader(io.StringIO(filled.content.decode(), newline="")))
        self.assertEqual([row["Feedback comments"] for row in rows],
                         ['<p>Automatic feedback<br>Failed: "a" &lt; b, =1+1</p>', "Well done",
                          "<p>Automatic feedback<br>two<br>lines</p>"])
        self.assertEqual([row["Grade"] for row in rows], ["80", "8", "9"])
        self.assertEqual((filled.comments, filled.written_by_hand), (2, ["Grace"]))
        self.assertEqual(filled.replaced, ["Alan: 7 -> 9"])

    def test_another_file_is_refused(self) -> None:
        self.assertRaises(Unfit, fill_moodle, CANVAS.encode(), [])

    def test_semicolons_between_the_cells_are_understood(self) -> None:
        text = MOODLE.replace(",", ";").replace('"3;00"', '""')
        filled = fill_moodle(text.encode(), [Grade("a", ["ada@example.org"], 50, 50)])
        self.assertEqual(filled.content, text.replace('grading";;', 'grading";50;').encode())


class Gradebooks(ExportCase):
    def test_a_gradebook_is_filled_beside_the_teachers_own_and_changes_are_reported(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        book = self.out.parent / "book.csv"
        book.write_bytes(CANVAS.encode())
        status, output, errors = self.run_export("--canvas", str(book), "--to", str(self.out.parent / "to"))
        self.assertEqual((status, errors, book.read_bytes()), (0, "", CANVAS.encode()))
        self.assertIn("canvas.csv: 2 grades filled in, 1 in place of another; points of 100 became points of 50",
                      output)
        self.assertIn('  replaced: Hopper, "Amazing" Grace: 7 -> 40\n', output)
        self.assertIn("in no row of the file: Bobby", output)
        self.assertIn("without a submission: Nobody Else", output)
        self.assertEqual([path.name for path in (self.out.parent / "to").iterdir()], ["canvas.csv"])

    def test_comments_say_what_failed_unless_the_course_hides_results(self) -> None:
        book = self.out.parent / "book.csv"
        book.write_text("Identifier,Full name,Grade,Feedback comments\nParticipant 1,grace,,\n")
        for visibility in ("hidden", "visible"):
            results = sample_class.sample_class()
            results["course"]["visibility"] = visibility
            sample_class.write(self.out, results)
            self.assertEqual(self.run_export("--moodle", str(book))[0], 0)
            row, = csv.DictReader((self.out / "+exports" / "moodle.csv").read_text().splitlines())
            self.assertEqual(row["Grade"], "80")
            self.assertEqual(row["Feedback comments"], "" if visibility == "hidden" else (
                "<p>Automatic feedback<br>7 of 8 checks passed; first failure: Copies overlap kernels.<br>"
                "Copies overlap kernels (0 of 20 points): "
                "No copy ran while a kernel of another stream was running.</p>"))

    def test_a_comment_has_the_points_that_a_person_gave_for_a_check(self) -> None:
        book = self.out.parent / "book.csv"
        book.write_text("Identifier,Full name,Grade,Feedback comments\nParticipant 1,grace,,\n")
        results = sample_class.sample_class()
        grace = results["submissions"][1]
        sample_class.adjust(grace, 87, "7 of 20 points for copies_overlap_kernels")
        grace["adjusted"]["checks"] = {check["name"]: 7 for check in grace["checks"] if check["status"] == "failed"}
        sample_class.write(self.out, results)
        self.assertEqual(self.run_export("--moodle", str(book))[0], 0)
        row, = csv.DictReader((self.out / "+exports" / "moodle.csv").read_text().splitlines())
        self.assertIn("Copies overlap kernels (7 of 20 points): ", row["Feedback comments"])

    def test_grades_that_a_worksheet_does_not_take_are_named(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        book = self.out.parent / "book.csv"
        text = 'Identifier,Full name,Grade,Grade can be changed\nParticipant 1,ada,,No\n'
        book.write_text(text)
        status, output, errors = self.run_export("--moodle", str(book))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual((self.out / "+exports" / "moodle.csv").read_text(), text)
        self.assertIn("moodle.csv: 0 grades filled in\n", output)
        self.assertIn("the file says that the grade cannot be changed, left as it was: ada\n", output)

    def test_a_gradebook_that_does_not_fit_is_refused_before_anything_is_written(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        book = self.out.parent / "book.csv"
        book.write_text("a,b\n")
        status, _, errors = self.run_export("--moodle", str(book), "--format", "json")
        self.assertEqual(status, 2)
        self.assertIn("book.csv: it is not a grading worksheet of Moodle", errors)
        self.assertFalse((self.out / "+exports").exists())


if __name__ == "__main__":
    unittest.main()
