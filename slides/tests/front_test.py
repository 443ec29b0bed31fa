"""Tests of the front page's program: it is the one that is built, and gets the verdict that the page prints.

Run with: python3 -B slides/tests/front_test.py
"""
from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "slides/tools"), str(ROOT / "slides/site")]

import made  # noqa: E402
import pages  # noqa: E402

PROGRAM = made.BUILD / "slides/programs/ten_lines"


class Front(unittest.TestCase):
    def test_the_program_is_the_one_that_is_built_and_has_ten_lines_in_its_function(self) -> None:
        text = pages.front()[0]
        self.assertEqual(text, (ROOT / "slides/programs/ten_lines.c").read_text("utf-8"))
        self.assertEqual(len(text[text.index("{\n") + 2:text.rindex("}")].splitlines()), 10)

    def test_the_verdict_is_what_the_program_gets(self) -> None:
        made.make_file(PROGRAM)
        said = subprocess.run([PROGRAM], env={**os.environ, "LAB_DEVICE": "cpu", "LAB_ORDER": "report"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8").stdout
        self.assertEqual(pages.front()[1], said)


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
