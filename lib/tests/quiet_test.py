"""Tests of quiet.sh, which refuses to measure a profile on a busy machine. They pass it what a processor has done.

Run with: python3 -B lib/tests/quiet_test.py
"""
from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

QUIET = Path(__file__).resolve().parents[1] / "tools/quiet.sh"
BEFORE = "cpu  1000 100 500 90000 200 10 20 30 400 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n"


class Quiet(unittest.TestCase):
    def run_between(self, after: str, before: str = BEFORE) -> "subprocess.CompletedProcess[str]":
        """Runs it with 200 ticks between the two, which are two seconds of one core."""
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("before", "after")]
            for file, text in zip(files, (before, after)):
                file.write_text(text, "utf-8")
            return subprocess.run([QUIET, "make profile", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  encoding="utf-8", check=False)

    def test_a_quiet_machine_is_measured_and_nothing_is_said(self) -> None:
        done = self.run_between("cpu  1006 100 504 90160 230 10 20 30 400 0\n")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_ticks_of_many_processors_and_days_are_counted_one_by_one(self) -> None:
        days = "cpu  3000001000 100 500 90000000{} 200 10 20 30 400 0\n"
        done = self.run_between(days.format("200"), before=days.format("000"))
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_a_busy_one_is_refused_with_how_busy_it_is_and_what_to_do(self) -> None:
        """Work of users, of the system, of interrupts, and of other virtual machines counts."""
        for column, after in enumerate(("1126 100 500 90074 200 10 20 30", "1000 226 500 90074 200 10 20 30",
                                        "1000 100 626 90074 200 10 20 30", "1000 100 500 90074 200 136 20 30",
                                        "1000 100 500 90074 200 10 146 30", "1000 100 500 90074 200 10 20 156")):
            with self.subTest(column):
                done = self.run_between(f"cpu  {after} 400 0\n")
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, "make profile: other programs use 63% of the processors, so its times "
                                              "would be wrong. Stop them or wait for them (top shows which they are), "
                                              "then type make profile again.\n")


if __name__ == "__main__":
    unittest.main()
