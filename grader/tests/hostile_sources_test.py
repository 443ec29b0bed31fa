"""Tests that no source keeps the report from the others: generated sources that cost a naive reader time or memory.

What is bounded is the processor time of reading a source, not the time that passes. Run with:
python3 -B grader/tests/hostile_sources_test.py
"""
from __future__ import annotations

import random
import resource
import sys
import unittest
from pathlib import Path
from typing import Any, Dict
from unittest import mock

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import bounded
import excerpt
import sample_class
import similarity
from report_test import Page, ReportCase

SIZE = 1 << 20  # the largest file that is graded
PARTS = ("(", ")", "{", "}", ",", "F(", "A ", "#define A A A\n", "#define F(x) x x F(x)\n", "\n#", "\\\n", "/*", "*/",
         "//", "\"", "'", "\0", "\ufffd", "typedef int B;", "x", "1e+", "##", "\n", "\\")


def filled(part: str, before: str = "", after: str = "") -> str:
    return before + part * ((SIZE - len(before) - len(after)) // len(part)) + after


def hostile_sources() -> Dict[str, str]:
    doubling = "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(60)) + "int x = A60;\n"
    nested = "".join(f"#define F{i + 1}(x) F{i}(x) F{i}(x)\n" for i in range(29)) + "F29(" + "y " * 1000 + ")\n"
    random_numbers = random.Random(7)
    soup = "".join(random_numbers.choice(PARTS) for _ in range(SIZE // 4))
    return {
        "unclosed calls": filled("F(", "#define F(x) x\n"),
        "unclosed calls of 48 KB": "#define F(x) x\n" + "F(" * 24_000,
        "closed calls, one in the other": "#define F(x) x\n" + "F(" * 200_000 + ")" * 200_000,
        "a body and an argument of 80 KB": f"#define F(x) {'x ' * 40_000}\nF({'y ' * 40_000})\n",
        "doubling": filled(doubling),
        "nested calls that double": nested,
        "macro of itself": filled("A ", "#define A A A A A\n"),
        "two macros of each other": filled("A B ", "#define A B B\n#define B A A\n"),
        "one token": filled("a"), "one number": filled("1"), "one text": filled("\\\\", "\""),
        "one comment": filled("*", "/*"), "open comments": filled("/*"), "open texts": filled("\"\n"),
        "parentheses": filled("("), "closed parentheses": filled("(", after=")" * 400_000),
        "NULs": filled("\0"), "bad UTF-8": filled("\ufffd"), "one line": filled("x = y + 1; "),
        "newlines": filled("\n", after="x"), "spread over lines": filled(";" + "\n" * 4000),
        "typedefs": filled("typedef int t;"), "definitions": filled("#define A B\n"),
        "undefinitions": filled("#undef A\n"), "comments in a definition": filled("/**/", "#define "),
        "parameters": filled("x,", "#define F(", ") x\nF(1)"), "commas": filled(",", "#define F(x) x\nF(", ")"),
        "spliced": filled("\\\n"), "hashes": filled("#\n"), "soup": soup,
    }


def spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Sources(unittest.TestCase):
    def test_each_is_read_in_bounded_time_and_keeps_nothing_from_the_others(self) -> None:
        for name, text in hostile_sources().items():
            with self.subTest(name):
                before = spent()
                texts = {"ada": sample_class.SOURCE, "bob": sample_class.SOURCE, "eve": text}
                pairs = similarity.similar_pairs(texts)
                similarity.equal_files(texts)
                self.assertIn(("ada", "bob"), [(pair.left, pair.right) for pair in pairs])
                self.assertLess(spent() - before, bounded.SECONDS)
                self.assertNotIn("more time or memory", similarity.remark_on(text), "bounded by its design")

    def test_what_is_shown_of_each_is_bounded(self) -> None:
        for name, text in hostile_sources().items():
            with self.subTest(name):
                before = spent()
                self.assertLess(len(excerpt.whole_source(excerpt.lines_of(text), [])), 10 * SIZE)
                self.assertLess(spent() - before, bounded.SECONDS)


class Limits(unittest.TestCase):
    def test_an_item_past_a_limit_has_no_result_and_the_others_have_theirs(self) -> None:
        def work(item: str) -> Any:
            while item == "time":
                pass
            if item == "memory":
                return len(bytearray(2 * bounded.MEMORY))
            return item.upper()
        with mock.patch.object(bounded, "SECONDS", 0):
            found = list(bounded.each(work, ["a", "time", "b", "memory", "c", "time"]))
        self.assertEqual(found, ["A", None, "B", None, "C", None])


class Pages(ReportCase):
    def test_a_class_with_hostile_sources_has_all_its_pages_and_says_what_was_not_compared(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        sources = hostile_sources()
        files = sorted(self.out.glob("*/source/lab03.c"))
        for path, name in zip(files, ("a body and an argument of 80 KB", "one line", "unclosed calls")):
            path.write_text(sources[name], encoding="utf-8")
        status, _, errors = self.run_report()
        self.assertEqual((status, errors), (0, ""))
        page = Page((self.out / "index.html").read_text()).text()
        alike = Page((self.out / "+similarity.html").read_text()).text()
        for words in ("has macros that grow without end", "is long: only its first 20,000 tokens were compared"):
            self.assertIn(words, page)
            self.assertIn(words, alike)
        own = Page((files[0].parents[1] / "index.html").read_text()).text()
        self.assertIn("The file has macros that grow without end: it was compared as it stands only.", own)


if __name__ == "__main__":
    unittest.main()
