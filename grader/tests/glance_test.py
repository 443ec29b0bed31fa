"""Tests of what the class page says at a glance: mistakes in common, who needs help, what checks tell apart, progress.

Run with: python3 -B grader/tests/glance_test.py
"""
from __future__ import annotations

import contextlib
import copy
import html
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import glance
import items
import large_course
import report
import results
import sample_class
from mistakes import Mistake, mistakes
from progress import progress
from sample_class import check, checks, result


def read(submissions: List[Dict[str, Any]], **more: Any) -> results.Class:
    for submission in submissions:
        if "score" not in submission:
            sample_class.add_score(submission)
    return results.load_class(json.dumps({**sample_class.sample_class(), "not_handed_in": [], **more,
                                          "submissions": submissions}).encode())


def with_finding(name: str, kind: str, position: int = 3, **fields: Any) -> Dict[str, Any]:
    own = check(position, "failed", kind, **fields)
    return result(name, "failed", "", checks(**{own["name"]: own}))


def told(submissions: List[Dict[str, Any]]) -> List[str]:
    found: List[Mistake] = mistakes(read(submissions).submissions)
    return [f"{len(mistake.findings)} {mistake.words}" for mistake in found]


def race(name: str, first: str, second: str, numbers: int) -> Dict[str, Any]:
    return with_finding(
        name, "race suspected", 5, edge={"first": {"what": first}, "second": {"what": second}},
        found=f"none between {first} (lab03.c:{numbers}) and {second} (lab03.c:{numbers + 3})",
        message=f"in lab03_run, {second} (lab03.c:{numbers + 3}) reads device memory that {first} (lab03.c:{numbers}) "
                f"writes, and nothing orders them. Operation {numbers} (stream 2, host thread 1) and operation 1 "
                f"(stream 3, host thread 1) use bytes 0 to {numbers} of the 4000 made at {'xyz'[numbers % 3]}.c:34")


class Mistakes(unittest.TestCase):
    def test_findings_that_differ_in_places_and_numbers_are_one_mistake(self) -> None:
        place = {"file": "lab03.c", "line": 12, "function": "lab03_run"}
        first = with_finding("a", "rule", message="lab03_run runs a kernel on the null stream, in call 3 (lab03.c:12)",
                             location=place)
        second = with_finding("b", "rule", message="lab03_run runs a kernel on the null stream, in call 40 (lab03.c:7)",
                              location={**place, "line": 7})
        self.assertEqual(told([first, second]), ["2 lab03_run runs a kernel on the null stream, in call N"])

    def test_where_a_thing_was_made_is_left_out_with_its_verb(self) -> None:
        self.assertEqual(told([
            with_finding(name, "race suspected",
                         message=f"reads device memory made at lab03.c:{line}, which mix writes")
            for name, line in (("a", 5), ("b", 9))]), ["2 reads device memory, which mix writes"])
        self.assertEqual(told([
            with_finding(name, "leak", message=f"lab03_run leaves 2 events behind, the first made at lab03.c:{line}")
            for name, line in (("a", 5), ("b", 9))]), ["2 lab03_run leaves 2 events behind"])

    def test_another_check_kind_or_function_is_another_mistake(self) -> None:
        same = {"message": "the host waits", "location": {"file": "lab03.c", "line": 1, "function": "lab03_run"}}
        other = {**same, "location": {"file": "lab03.c", "line": 1, "function": "lab03_pin"}}
        self.assertEqual(len(told([with_finding("a", "rule", **same), with_finding("b", "wrong result", **same),
                                   with_finding("c", "rule", 4, **same), with_finding("d", "rule", **other)])), 4)

    def test_a_race_is_known_by_the_edge_that_is_missing(self) -> None:
        self.assertEqual(
            told([race("a", "copy htod", "kernel mix", 11), race("b", "copy htod", "kernel mix", 40),
                  race("c", "kernel mix", "copy dtoh", 11)]),
            ["2 lab03_run: nothing makes kernel mix wait for copy htod",
             "1 lab03_run: nothing makes copy dtoh wait for kernel mix"])

    def test_what_a_student_lost_by_one_mistake_counts_once(self) -> None:
        one, other = race("a", "copy htod", "kernel mix", 11), race("b", "copy htod", "kernel mix", 40)
        other["checks"][5].update(root="order_is_complete", mistake="missing order")
        other["checks"][6] = check(6, "failed", "wrong result", message="wrong numbers", root="order_is_complete")
        found = mistakes(read([one, other]).submissions)
        self.assertEqual([(mistake.words, mistake.costs) for mistake in found],
                         [("lab03_run: nothing makes kernel mix wait for copy htod", (15, 25))])

    def test_what_does_not_build_is_grouped_by_the_compilers_first_error(self) -> None:
        broken = [result(name, "build error", "lab03.c does not build", [], build={
            "ok": False, "seconds": 0.1, "messages": f"lab03.c:{line}:9: error: expected ';' before 'x'\n"
                                                     f"lab03.c:{line + 1}:1: error: what follows\n"})
                  for name, line in (("a", 4), ("b", 9))]
        self.assertEqual(told(broken), ["2 does not build: expected ';' before 'x'"])
        self.assertEqual([finding.line for finding in mistakes(read(broken).submissions)[0].findings], [4, 9])

    def test_the_most_common_comes_first_and_equal_sentences_of_two_checks_are_two_mistakes(self) -> None:
        both = copy.deepcopy(race("c", "copy htod", "kernel mix", 7))
        both["checks"][3] = check(3, "failed", "rule", message="the host waits")
        both["checks"][4] = check(4, "failed", "rule", message="the host waits")
        self.assertEqual(told([with_finding("a", "rule", message="the host waits"), both,
                               race("b", "copy htod", "kernel mix", 1)])[:2],
                         ["2 the host waits", "2 lab03_run: nothing makes kernel mix wait for copy htod"])


class ClassPage(unittest.TestCase):
    def written(self, results_json: Dict[str, Any], *arguments: str) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        sample_class.write(self.out, results_json)
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([str(self.out), *arguments]), 0)
        target = Path(arguments[1]) if arguments else self.out
        return (target / "index.html").read_text(encoding="utf-8")

    def test_a_groups_command_comments_on_each_of_its_students_as_it_is_pasted(self) -> None:
        names = ["ada", "it's $HOME", "-rf", "new\nline", "grace"]
        submissions = [with_finding(name, "rule", message="the 'host' waits `id`") for name in names]
        page = self.written({**sample_class.sample_class(), "submissions": submissions})
        command = html.unescape(re.search(r'<pre class="command"[^>]*>(.*?)</pre>', page, re.S)[1])
        program = self.out.parent / "build/bin/labgrade"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" .\n')
        program.chmod(0o700)
        said = subprocess.run(["bash", "-c", command], cwd=self.out.parent, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.split("\n.\n")
        common = ["adjust", "--out", str(self.out), "--why", "a mistake that several made", "--comment",
                  "the 'host' waits `id`", "--student"]
        self.assertEqual([call.split("\n") for call in said[:-1]],
                         [[*common, name] for name in ("ada", "it's $HOME", "-rf", "grace")])

    def test_pages_without_names_have_no_such_command(self) -> None:
        submissions = [with_finding(name, "rule", message="the host waits") for name in ("ada", "grace")]
        with tempfile.TemporaryDirectory() as folder:
            page = self.written({**sample_class.sample_class(), "submissions": submissions}, "--anonymous", folder)
        self.assertIn("<b>2 \u00d7</b> the host waits", page)
        self.assertNotIn('class="command"', page)

    def test_the_check_that_most_fail_is_named_with_its_link(self) -> None:
        submissions = [with_finding(name, "rule", place, message=name) for name, place in
                       (("a", 3), ("b", 5), ("c", 5))]
        page = self.written({**sample_class.sample_class(), "submissions": submissions})
        self.assertIn('Failed most often: <a href="#check-6">Every access is ordered</a>, '
                      'by <a href="#table" data-pick="c6"', page)
        self.assertIn('<tr role="row" id="check-6">', page)

    def test_a_median_between_two_points_is_not_rounded(self) -> None:
        two_absent_and = (("a", 80), ("b", 82), ("c", 83), ("d", 91))
        submissions = [{**with_finding(name, "rule"), "points": points, "score": points}
                       for name, points in two_absent_and]
        page = self.written({**sample_class.sample_class(), "submissions": submissions})
        self.assertIn("the median is <b>82.5</b> of 100", page)
        self.assertIn("Median <b>82.5</b>, mean <b>84</b> of 100", page)

    def test_marks_of_timings_have_names(self) -> None:
        page = self.written(sample_class.sample_class())
        self.assertIn("<title>ada: 1.01</title>", page)
        self.assertRegex(page, r'data-label="Slowest"[^>]*>1\.77<small><a href="grace/index.html"><bdi>grace</bdi>')

    def test_device_and_sandbox_are_at_the_foot(self) -> None:
        page = self.written(sample_class.sample_class())
        self.assertGreater(page.index("<dt>Sandbox</dt>"), page.index("<footer>"))
        self.assertGreater(page.index("<dt>Device</dt>"), page.index("<footer>"))
        own = (self.out / "grace/index.html").read_text()
        self.assertGreater(own.index("<dt>Sandbox</dt>"), own.index("<footer>"))

    def test_findings_stand_in_the_margin_of_the_whole_source(self) -> None:
        self.written(sample_class.sample_class())
        page = (self.out / "grace/index.html").read_text()
        source = re.search(r'<pre class="source whole".*?</pre>', page, re.S)[0]
        self.assertEqual(source.count('class="number"'), sample_class.SOURCE.count("\n"))
        self.assertRegex(source, r'\u2192 12</span><span class="marked">.*?</span><span class="notes">'
                                 r'<a href="#check-4">Copies overlap kernels: No copy ran')
        self.assertNotIn("<script>alert", source)

    def test_a_student_has_a_next_and_a_previous_page_without_a_name(self) -> None:
        self.written(sample_class.sample_class())
        page = (self.out / "grace/index.html").read_text()
        self.assertIn('<a href="../index.html?next#row-2">Next</a>', page)
        self.assertIn('<tr role="row" id="row-2"', (self.out / "index.html").read_text())


class Help(unittest.TestCase):
    def test_nobody_is_counted_twice_among_those_who_need_help_first(self) -> None:
        absent = [results.absent_submission(results.Student("1", "Nobody", "", ""), 100)]
        no_file = result("lab3.c alone", "missing file", "lab03.c is missing; the folder holds: lab3.c", [])
        groups = glance.needing_help(
            [*read([*large_course.class_of(300, 1)["submissions"], no_file]).submissions, *absent])
        first = [submission.page for group in groups if group.pick in glance.FIRST for submission in group.members]
        self.assertEqual(len(first), len(set(first)))
        self.assertEqual([group.pick for group in groups], ["missing", "no-file", "broken", "hangs", "zero", "late"])
        self.assertTrue(all(group.members for group in groups))
        self.assertEqual([submission.name for submission in groups[1].members], ["lab3.c alone"])
        self.assertEqual({submission.verdict for submission in groups[2].members}, {"build error"})

    def test_who_is_excused_needs_no_help(self) -> None:
        excused = result("a", "timeout", "", [])
        sample_class.adjust(excused, None, "excused", excused=True)
        self.assertEqual([group.members for group in glance.needing_help(read([excused]).submissions)], [[]] * 6)


class Items(unittest.TestCase):
    def graded(self, passed: List[List[int]]) -> List[results.Submission]:
        """Of each submission, whether it passes the first checks; the others pass."""
        submissions = []
        for number, own in enumerate(passed):
            failed = {sample_class.CHECKS[place][0]: check(place, "failed", "rule") for place, one in enumerate(own)
                      if not one}
            submissions.append(result(f"s{number}", "failed", "", checks(**failed)))
        return read(submissions).submissions

    def test_fewer_than_ten_submissions_say_nothing(self) -> None:
        self.assertEqual(items.items(self.graded([[1, 0]] * 9)), [])
        self.assertEqual(len(items.items(self.graded([[1, 0]] * 10))), 8)

    def test_difficulty_and_discrimination_are_those_computed_by_hand(self) -> None:
        # Passing the first check goes with the second one wholly, and against the third one.
        found = items.items(self.graded([[1, 1, 0]] * 6 + [[0, 0, 1]] * 6))
        self.assertEqual((found[0].passed, found[0].counted), (6, 12))
        # Without the first check, 70 of 80 points beside 70 of 80: the same for everybody.
        self.assertIsNone(found[0].discrimination)
        self.assertAlmostEqual(found[1].discrimination, 1.0)
        self.assertAlmostEqual(found[2].discrimination, -1.0)
        self.assertIn("do worse elsewhere", found[2].meaning)
        self.assertIn("Everybody passes", found[7].meaning)

    def test_the_interval_is_fishers(self) -> None:
        item = items.Item("a", "A", 28, 14, pairs=[(1, 1.0)] * 10 + [(1, 0.0)] * 4 + [(0, 0.0)] * 10 + [(0, 1.0)] * 4)
        self.assertAlmostEqual(item.discrimination, 3 / 7)
        low, high = item.interval
        self.assertAlmostEqual(low, 0.0660, 3)
        self.assertAlmostEqual(high, 0.6911, 3)

    def test_the_author_reads_which_checks_nobody_fails_and_which_failures_name_no_line(self) -> None:
        advice = {said.words: said.checks for said in items.for_the_author(items.items(self.graded([[1, 0]] * 12)))}
        self.assertEqual(advice["Nobody passes these checks."], ["Fresh data in every call"])
        self.assertEqual(len(advice["Nobody fails these checks. Are they worth their points?"]), 7)
        self.assertEqual(advice["Most of their failures name no line of the student\u2019s file."],
                         ["Fresh data in every call"])

    def test_a_hint_does_not_help_if_half_fail_the_check_again(self) -> None:
        before = self.graded([[0, 0]])[0]
        submissions = []
        for number in range(12):
            own = result(f"s{number}", "failed", "", checks(arrays_are_right=check(0, "failed", "rule"))
                         if number % 2 else checks())
            own["attempts"] = [{"number": n, "submitted": "", "group": "", "verdict": "failed", "points": 1,
                                "max_points": 100, "directory": f"{number}-{n}", "counts": n == 2} for n in (1, 2)]
            submissions.append(own)
        graded = read(submissions).submissions
        found = items.items(graded)
        items.count_attempts(found, graded, lambda directory: before if directory.endswith("-1") else None)
        advice = [said.checks for said in items.for_the_author(found) if "hint" in said.words]
        self.assertEqual(advice, [["Every array is right"]])


class Days(unittest.TestCase):
    def attempt(self, number: int, submitted: str, verdict: str) -> Dict[str, Any]:
        return {"number": number, "submitted": submitted, "group": "", "verdict": verdict, "points": 1,
                "max_points": 100, "directory": "", "counts": True}

    def test_what_came_is_counted_by_day_and_section(self) -> None:
        submissions = []
        for name, section, attempts in (("a", "X", [("2026-10-01 23:30 +0000", "failed"),
                                                    ("2026-10-04 9:00", "passed")]),
                                        ("b", "Y", [("2026-10-03 10:00", "passed")]), ("c", "Y", [("", "failed")])):
            own = result(name, attempts[-1][1], "", checks())
            own["submission"]["student"] = {"id": name, "name": "", "email": "", "section": section}
            own["attempts"] = [self.attempt(number, *one) for number, one in enumerate(attempts, 1)]
            submissions.append(own)
        graded = read(submissions).submissions
        absent = results.absent_submission(results.Student("d", "D", "", "Y"), 100)
        found = progress([*graded, absent], "Europe/Berlin")
        days = {section.name: [(day.day.day, day.handed_in, day.passed) for day in section.days]
                for section in found.sections}
        self.assertEqual(days, {"All": [(2, 1, 0), (3, 2, 1), (4, 2, 2)], "X": [(2, 1, 0), (4, 1, 1)],
                                "Y": [(3, 1, 1)]})
        self.assertEqual([(section.handed_in, section.wanted) for section in found.sections], [(3, 4), (1, 1), (2, 3)])
        self.assertEqual(found.steps(found.sections[1]), "0,100 33.3,100.0 33.3,0.0 100.0,0.0 100.0,0.0 100,0.0")

    def test_a_class_without_times_and_sections_has_no_progress(self) -> None:
        self.assertIsNone(progress(read([result("a", "passed", "", checks())]).submissions, ""))


if __name__ == "__main__":
    unittest.main()
