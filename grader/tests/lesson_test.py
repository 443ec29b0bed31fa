"""Tests that a mistake stands next to the lesson's paragraph, and that every check of every lab has one.

Run with: python3 -B grader/tests/lesson_test.py
"""
from __future__ import annotations

import contextlib
import html
import io
import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Optional

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report"),
                    str(TESTS.parents[1] / "lib/tools")]

import bundles
import links
import report
import sample_class
from course import load_course
from lesson import Lesson, lesson_of, site_address
from results import Check

ROOT = Path(__file__).resolve().parents[2]

README = """\
# Lab 99

## The idea

Record first. A wait takes the event's *latest* record.

## Task 1: order

    code that is no paragraph

Write `lab99_order`. Between the two you need
one event; see [the header](lab.h).

Then read the record.

## Task 10: more

Another task.
"""
CONTRACT = """\
first(keeps_it): The header's sentence.
second third(one, another) fourth: Every **event** is released.
    second kills drops lab_wait: lab_wait(1)
says: Nothing to prove.

README.md
first third: Between the two you need one event; see [the header](lab.h).
fourth: A sentence that the lesson does not have.
"""


def check(name: str, title: str = "") -> Check:
    return Check(name, title, 0, 10, "failed", "rule", "", "", "", [], 0, "", None, "", 0.1)


class Passages(unittest.TestCase):
    def of(self, name: str, title: str = "") -> Optional[tuple[str, str]]:
        passage = Lesson(README, CONTRACT, "lab.h").passage(check(name, title))
        return (passage.where, passage.text) if passage else None

    def test_the_paragraph_has_the_sentence_that_the_check_proves(self) -> None:
        paragraph = "Write lab99_order. Between the two you need one event; see the header."
        self.assertEqual(self.of("first", "Task 10: x"), ("the lesson, Task 1: order", paragraph))
        self.assertEqual(self.of("third"), ("the lesson, Task 1: order", paragraph))

    def test_without_a_sentence_it_is_the_beginning_of_the_checks_task(self) -> None:
        self.assertEqual(self.of("other", "Tasks 1 and 2: right in every order"),
                         ("the lesson, Task 1: order",
                          "Write lab99_order. Between the two you need one event; see the header."))
        self.assertEqual(self.of("fourth", "Task 10: x"), ("the lesson, Task 10: more", "Another task."))

    def test_without_a_task_it_is_the_sentence_of_the_header(self) -> None:
        self.assertEqual(self.of("second", "Events are released"), ("lab.h", "Every event is released."))
        self.assertIsNone(self.of("unknown", "Something"))
        self.assertIsNone(Lesson("", "", "").passage(check("first", "Task 1: x")))

    def test_the_place_of_every_check_of_every_lab_is_in_the_workbook(self) -> None:
        folders = [path.parent for path in sorted(ROOT.glob("labs/lab[0-9]*/contract.txt"))]
        self.assertGreater(len(folders), 10)
        for folder in folders:
            lab = folder.name.partition("-")[0]
            lesson = lesson_of(ROOT, lab)
            source = (folder / "checks.c").read_text("utf-8")
            found = re.findall(r'^CHECK\((\w+),.*?\.title = ((?:"[^"]*"\s*)+)', source, re.M | re.S)
            for name, title in found:
                passage = lesson.passage(check(name, "".join(re.findall(r'"([^"]*)"', title))))
                self.assertTrue(passage and len(passage.text) > 20, f"{lab}: {name}: {passage}")
                self.assertNotRegex(passage.text, r"`|\]\(", f"{lab}: {name}")
                path, _, anchor = passage.place.partition("#")
                self.assertTrue((ROOT / path).is_file(), f"{lab}: {name}: {passage.place}")
                if path.endswith(".md"):
                    self.assertIn(anchor, links.anchors(ROOT / path), f"{lab}: {name}")


class Page(unittest.TestCase):
    PLACE = "labs/lab03-concurrency/README.md#task-2-depth-first-pageable"
    LINK = ('<a href="https://example.org/book/labs/lab03-concurrency/index.html#task-2-depth-first-pageable">'
            f"<code>{PLACE}</code></a>")

    def setUp(self) -> None:
        def mistaken(name: str) -> Any:
            own = sample_class.check(0, "failed", "rule", message="the host waits", name="each_array_on_its_stream",
                                     title="Task 2: each on its own")
            return sample_class.result(name, "failed", "", [own])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        sample_class.write(self.out, {**sample_class.sample_class(), "submissions": [mistaken("a"), mistaken("b")]})

    def pages(self, *options: str) -> tuple[str, str]:
        """The class's page and that of a student."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([str(self.out), *options]), 0)
        return (html.unescape((self.out / "index.html").read_text(encoding="utf-8")),
                (self.out / "a/index.html").read_text(encoding="utf-8"))

    def test_the_class_page_has_the_paragraph_in_each_common_mistake(self) -> None:
        page, own = self.pages()
        told = re.search(r'<figure class="lesson">.*?</figure>', page, re.S)
        self.assertIsNotNone(told)
        self.assertIn("a loop over the arrays with the three calls", told[0])
        self.assertIn(f"From the lesson, Task 2: depth first, pageable: <code>{self.PLACE}</code>", told[0])
        self.assertIn(f"<b>Read:</b> <code>{self.PLACE}</code>", own)

    def test_the_place_is_a_link_to_the_published_site_whose_address_is_given(self) -> None:
        for address in ("https://example.org/book", "https://example.org/book/", "https://example.org/book/index.html"):
            page, own = self.pages("--lessons", address)
            self.assertIn(f"From the lesson, Task 2: depth first, pageable: {self.LINK}", page)
            self.assertIn(f"<b>Read:</b> {self.LINK}", own)
            sent = bundles.bundles(load_course(self.out), self.out, site_address(address))
            self.assertIn(f"<b>Read:</b> {self.LINK}", sent["bundles/lab03/a.html"])

    def test_what_is_no_address_of_pages_is_refused(self) -> None:
        for text in ("build/site", "javascript:alert(1)", 'https://example.org/"', "https://"):
            said = io.StringIO()
            with self.subTest(text), contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
                report.main([str(self.out), "--lessons", text])
            self.assertIn(f"argument --lessons: {text!r} is no address of pages, such as https://", said.getvalue())


if __name__ == "__main__":
    unittest.main()
