"""Tests that a mistake is told once: on a student's page, and in every export, with what it costs.

Run with: python3 -B grader/tests/told_once_test.py
"""
from __future__ import annotations

import contextlib
import csv
import html
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import export
import report
import roots
import sample_class
from results import load_class
from sample_class import check, checks, result

HELPER = {"file": "lab03.c", "line": 6, "function": "lab03_run", "called_at": 14, "change": 14}


def mistaken() -> Dict[str, Any]:
    """A missing order costs two checks that fail and one that did not run; a leak costs another."""
    name = "copies_overlap_kernels"
    first = check(3, "failed", "race suspected", location=HELPER, root=name, mistake="missing order",
                  message="nothing orders mix after scale. Operation 3 and operation 2 use bytes 0 to 3999",
                  expected="an order", found="none", cause="no event makes it wait",
                  edge={"first": {"what": "kernel scale", "line": 6}, "second": {"what": "kernel mix", "line": 6}})
    again = check(5, "failed", "wrong result", location={**HELPER, "line": 7}, root=name, message="wrong numbers",
                  mismatches=[{"where": "element 7", "expected": "3", "found": "5"}], mismatch_count=1)
    left = check(6, "not run", root=name, needs=name, message="after \"Copies overlap kernels\", which failed")
    leak = check(7, "failed", "leak", root="nothing_leaks", mistake="leak", message="an event was not released")
    return result("ada", "race suspected", "4 of 8 checks passed", checks(
        copies_overlap_kernels=first, order_is_complete=again, statistics_match_the_record=left, nothing_leaks=leak))


class Roots(unittest.TestCase):
    def of(self, submission: Dict[str, Any]) -> List[roots.Root]:
        data = json.dumps({**sample_class.sample_class(), "submissions": [submission]}).encode()
        return roots.roots(load_class(data).submissions[0])

    def test_a_root_cause_has_all_checks_that_it_costs(self) -> None:
        found = self.of(mistaken())
        self.assertEqual([[place for place, _ in root.members] for root in found], [[4, 6, 7], [8]])
        self.assertEqual([root.points for root in found], [45, 5])
        self.assertEqual(roots.cost(found[0]), "this missing order costs 3 checks, 45 points")
        self.assertEqual(roots.cost(found[1]), "")

    def test_results_without_the_field_have_a_cause_for_each_failed_check(self) -> None:
        old = mistaken()
        for entry in old["checks"]:
            entry.pop("root", None)
        self.assertEqual([root.check.name for root in self.of(old)],
                         ["copies_overlap_kernels", "order_is_complete", "nothing_leaks"])

    def test_a_message_begins_with_a_short_sentence(self) -> None:
        self.assertEqual(roots.lead("a.c:7 reads b. Operation 3 writes it. More"),
                         ("a.c:7 reads b.", "Operation 3 writes it. More"))
        self.assertEqual(roots.lead("it is short (a.c:7)"), ("it is short (a.c:7)", ""))
        self.assertEqual(roots.lead("b is early (under LAB_SCHEDULE=random:7)"),
                         ("b is early", "(under LAB_SCHEDULE=random:7)"))
        self.assertEqual(roots.lead("the kernel does not compile:\n  x. y"),
                         ("the kernel does not compile:", "  x. y"))


class Written(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        sample_class.write(self.out, {**sample_class.sample_class(), "submissions": [mistaken()]})

    def page(self) -> str:
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([str(self.out)]), 0)
        return (self.out / "ada/index.html").read_text(encoding="utf-8")

    def item(self, page: str, number: int) -> str:
        return re.search(rf'<li id="check-{number}".*?(?=<li id="check-|</ol>)', page, re.S)[0]

    def exported(self, name: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(export.main([str(self.out), "--to", str(self.out / "exports"), "--force"]), 0)
        return (self.out / "exports" / name).read_text(encoding="utf-8")

    def test_the_page_tells_the_mistake_at_its_first_check_and_its_cost(self) -> None:
        item = self.item(self.page(), 4)
        self.assertIn("<b>This missing order costs 3 checks, 45 points</b>", item)
        for number in (4, 6, 7):
            self.assertIn(f'href="#check-{number}"', item)
        before, folded = item.split('<details class="told">')
        self.assertIn("nothing orders mix after scale.</p>", before)
        self.assertIn("no event makes it wait", before)
        self.assertNotIn("Operation 3", before)
        self.assertIn("Operation 3", folded)
        self.assertIn("<dd>an order</dd>", folded)

    def test_other_checks_point_there_and_fold_what_they_found(self) -> None:
        item = self.item(self.page(), 6)
        shown, folded = item.split("<details>")
        self.assertIn('The same mistake as in <a href="#check-4">Copies overlap kernels</a>.', shown)
        self.assertNotIn("wrong numbers", shown)
        self.assertIn("wrong numbers", folded)
        self.assertIn("element 7", folded)
        self.assertNotIn("Hint:", item)

    def test_the_excerpt_has_the_line_to_change_and_not_the_helpers(self) -> None:
        page = self.page()
        self.assertIn("lab03.c:14 in lab03_run, a call that leads to line 6", self.item(page, 4))
        self.assertIn('<span class="number">→ 14</span>', self.item(page, 4))
        source = page[page.index('id="source"'):]
        self.assertEqual(re.findall(r"→ (\d+)<", source), ["14"])
        self.assertEqual(source.count("Every access is ordered:"), 0)

    def test_exports_say_once_what_happened_and_point_there(self) -> None:
        table = csv.DictReader(io.StringIO(self.exported("checks.csv"), newline=""))
        rows = {row["check"]: row["message"] for row in table}
        self.assertIn("(this missing order costs 3 checks, 45 points)", rows["copies_overlap_kernels"])
        self.assertEqual(rows["order_is_complete"], "the same mistake as in “Copies overlap kernels”")
        self.assertEqual(rows["nothing_leaks"], "an event was not released")
        students = json.loads(self.exported("grades.json"))["students"]
        own = next(entry for entry in students if entry["name"] == "ada")["labs"]["lab03"]["checks"]
        self.assertEqual([entry["root"] for entry in own[3:]], [
            "copies_overlap_kernels", "", "copies_overlap_kernels", "copies_overlap_kernels", "nothing_leaks"])
        self.assertEqual(own[3]["mistake"], "missing order")
        tests = json.loads(self.exported("gradescope/ada.json"))["tests"]
        self.assertTrue(tests[5]["output"].startswith("the same mistake as in “Copies overlap kernels”\n"))
        self.assertIn("this missing order costs 3 checks", html.unescape(self.exported("junit.xml")))
        self.assertIn("this missing order costs 3 checks", self.exported("grades.tap"))

    def test_the_comment_of_a_gradebook_tells_it_once(self) -> None:
        data = (self.out / "results.json").read_bytes()
        comment = export.student_comment(load_class(data).submissions[0])
        self.assertEqual(comment.count("nothing orders mix after scale"), 1)
        self.assertIn("Every access is ordered (0 of 15 points): the same mistake as in “Copies overlap kernels”",
                      comment)


if __name__ == "__main__":
    unittest.main()
