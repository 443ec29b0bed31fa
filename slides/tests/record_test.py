"""Tests of the programs that record what figures show: each lab's still runs, with the lab's functions as they are now.

Run with: python3 -B slides/tests/record_test.py
"""
from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "slides/tools"), str(ROOT / "lib/tools")]

import made  # noqa: E402
import record  # noqa: E402


def programs_of_labs() -> Dict[str, record.Program]:
    """For each slides/programs/run_labNN.c the first recipe on the CPU device that runs it, with a right answer if it
    can be."""
    found: Dict[str, record.Program] = {}
    for path in sorted((ROOT / "slides/figures").glob("*.json")):
        recipe = json.loads(path.read_text("utf-8")).get("record", {"on": [], "runs": []})
        for run in recipe["runs"] if "cpu" in recipe["on"] else []:
            lab = re.match(r"run_lab\d+", run["program"])
            if lab and (lab[0] not in found or found[lab[0]].name != lab[0] == run["program"]):
                found[lab[0]] = record.Program(run, "cpu")
    return found


class Programs(unittest.TestCase):
    def test_the_program_of_each_lab_runs_as_a_recipe_says(self) -> None:
        programs = programs_of_labs()
        self.assertEqual(sorted(programs), sorted(path.stem for path in (ROOT / "slides/programs").glob("run_lab*.c")))
        made.make_file(*(made.BUILD / "slides/programs" / program.name for program in programs.values()))
        for name, program in programs.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                try:
                    program.start(folder, program.setting)
                except SystemExit as stopped:
                    self.fail(str(stopped))
                self.assertTrue(any(Path(folder).iterdir()), "it has recorded nothing")


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
