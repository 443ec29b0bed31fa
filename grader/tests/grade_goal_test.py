"""Tests of `make grade` with nothing to grade: it says so before it builds anything.

Run with: python3 -B grader/tests/grade_goal_test.py
"""
from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class GradeGoal(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def grade(self, submissions: str, *more: str) -> subprocess.CompletedProcess[str]:
        """Asks make what it would do, with a build folder in which nothing is built."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(["make", "-n", "-C", str(ROOT), f"BUILD={self.place / 'build'}", "grade",
                               f"SUBMISSIONS={submissions}", *more],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)

    def assert_refused(self, submissions: Path, sentence: str) -> None:
        asked = self.grade(str(submissions))
        self.assertNotIn("compile", asked.stdout)
        self.assertEqual(asked.returncode, 2)
        self.assertIn(f"SUBMISSIONS: {sentence}", asked.stderr)
        self.assertEqual(len(asked.stderr.splitlines()), 1, asked.stderr)

    def test_anything_but_a_class_is_refused_before_the_build(self) -> None:
        missing, empty, hidden, file = (self.place / name for name in ("missing", "empty", "hidden", "lab03.c"))
        damaged, nothing = self.place / "class.zip", self.place / "class.tar.gz"
        empty.mkdir()
        (hidden / ".git").mkdir(parents=True)
        for path in (file, damaged, nothing):
            path.write_text("" if path == nothing else "this is no archive")
        self.assert_refused(missing, f"there is no folder or archive {missing}")
        self.assert_refused(empty, f"the folder {empty} is empty: it should hold one subfolder a student")
        self.assert_refused(hidden, f"the folder {hidden} is empty: it should hold one subfolder a student")
        self.assert_refused(file, f"{file} is neither a folder nor an archive (.zip, .tar, .tar.gz)")
        self.assert_refused(damaged, f"{damaged} is damaged: its first bytes are not those of such an archive")
        self.assert_refused(nothing, f"{nothing} is damaged: its first bytes are not those of such an archive")

    def test_an_unknown_lab_is_refused_with_a_list_of_the_labs(self) -> None:
        (self.place / "class/ada").mkdir(parents=True)
        asked = self.grade(str(self.place / "class"), "LAB=lab01 lab99")
        self.assertEqual((asked.returncode, asked.stdout.count("compile")), (2, 0))
        self.assertRegex(asked.stderr, r"LAB: there is no lab99; there are lab00 lab01 ")

    def test_a_class_is_graded_after_the_build(self) -> None:
        (self.place / "class/ada").mkdir(parents=True)
        with zipfile.ZipFile(self.place / "class.zip", "w") as archive:
            archive.writestr("ada/lab03.c", "")
        for name in ("class", "class.zip"):
            asked = self.grade(str(self.place / name))
            self.assertEqual((asked.returncode, asked.stderr), (0, ""))
            self.assertIn("bin/labgrade --root", asked.stdout)


if __name__ == "__main__":
    unittest.main()
