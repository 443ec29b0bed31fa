"""Tests of the files in which students write: made of the starter, unknown to git, kept through every update.

Run with: python3 -B grader/tests/students_files_test.py
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MINE, STARTER = "labs/lab14-warps/lab14.c", "labs/lab14-warps/starter.c"
MAKEFILE = """BUILD := build
CC := ./compiler
export PATH := .:$(PATH)
include lib/rules.mk labs/labs.mk
"""
# They compile nothing and check nothing: labcheck prints which file it would check.
COMPILER = """#!/bin/bash
for word; do case $last in -o | -MF) : >"$word" ;; esac; last=$word; done
"""
LABCHECK = """#!/bin/sh
while [ "$1" != --source ]; do shift; done
echo "checked $2"
cat "$2"
"""


class StudentsFiles(unittest.TestCase):
    def setUp(self) -> None:
        if not shutil.which("git"):
            self.fail("git is missing: run make setup FOR=workbook")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.upstream, self.clone = (Path(folder.name) / name for name in ("upstream", "clone"))
        for name in ("lib/tools", "labs/labNN-template", "solutions/labNN-template"):
            shutil.copytree(ROOT / name, self.upstream / name)
        for name in (".gitignore", "lib/rules.mk", "labs/labs.mk", "slides/template.md"):
            (self.upstream / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.upstream / name)
        (self.upstream / "Makefile").write_text(MAKEFILE)
        for name, text in (("compiler", COMPILER), ("nm", COMPILER)):
            (self.upstream / name).write_text(text)
            (self.upstream / name).chmod(0o755)
        self.run_in(self.upstream, "lib/tools/new-lab.sh", "lab14-warps")
        self.git(self.upstream, "init", "-q")
        self.commit("the workbook")
        self.git(self.upstream.parent, "clone", "-q", str(self.upstream), str(self.clone))
        (self.clone / "build/bin").mkdir(parents=True)
        (self.clone / "build/bin/labcheck").write_text(LABCHECK)
        (self.clone / "build/bin/labcheck").chmod(0o755)
        for name in ("bin/labserver", "bin/labkernels", "liblab.a", "liblab-remote.a", "libserved.a", "libgrader.a"):
            (self.clone / "build" / name).touch()

    def run_in(self, folder: Path, *command: str, fails: bool = False) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, check=False)
        self.assertEqual(done.returncode != 0, fails, done.stdout)
        return done.stdout

    def git(self, folder: Path, *words: str, fails: bool = False) -> str:
        return self.run_in(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "pull.rebase=false",
                           *words, fails=fails)

    def make(self, *words: str) -> str:
        told = self.run_in(self.clone, "make", "-s", *words).splitlines()
        return "\n".join(line for line in told if not line.startswith(("  compile ", "  link ")))

    def commit(self, subject: str) -> None:
        self.git(self.upstream, "add", "--all")
        self.git(self.upstream, "commit", "-q", "-m", subject)

    def change_starter(self, line: str) -> None:
        (self.upstream / STARTER).write_text(f"/* {line} */\n" + (self.upstream / STARTER).read_text())
        self.commit(line)

    def test_the_file_is_made_of_the_starter_where_a_goal_needs_it(self) -> None:
        starter = (self.clone / STARTER).read_text()
        self.assertFalse((self.clone / MINE).exists())
        self.assertEqual(self.make("lab14"), f"checked {MINE}\n{starter}".rstrip())
        for goal in ("lab14-memcheck", "lab14-reset"):
            (self.clone / MINE).unlink()
            self.make(goal)
            self.assertEqual((self.clone / MINE).read_text(), starter, goal)
        self.assertEqual(self.git(self.clone, "status", "--short", "--untracked-files=all", "labs", "solutions"), "")

    def test_a_file_elsewhere_leaves_the_labs_own_alone(self) -> None:
        (self.clone / "build/other.c").write_text("int other;\n")
        self.assertEqual(self.make("lab14", "FILE=build/other.c"), "checked build/other.c\nint other;")
        self.assertFalse((self.clone / MINE).exists())

    def test_a_pull_has_no_conflict_and_the_starters_change_is_shown(self) -> None:
        self.make("lab14")
        (self.clone / MINE).write_text("int mine;\n")
        self.change_starter("a better comment")
        self.git(self.clone, "pull", "-q")
        reminder = "lab14: the starter has changed since you began; make lab14-starter shows how."
        self.assertEqual(self.make("lab14"), f"{reminder}\nchecked {MINE}\nint mine;")
        shown = self.make("lab14-starter")
        self.assertIn("+++ the starter now\n@@ -1,3 +1,4 @@\n+/* a better comment */\n", shown)
        self.assertIn(f"Your {MINE} is as you left it", shown)
        self.assertIn(reminder, self.make("lab14"))
        self.make("lab14-starter", "YES=1")
        self.assertEqual(self.make("lab14"), f"checked {MINE}\nint mine;")
        self.assertEqual(self.make("lab14-starter"), "The starter of lab14 has not changed since you began.")

    def test_a_starter_that_nobody_has_changed_becomes_the_new_one(self) -> None:
        self.make("lab14")
        self.change_starter("a better comment")
        self.git(self.clone, "pull", "-q")
        self.assertIn("still the old one, is the new one now.\nchecked", self.make("lab14"))
        self.assertEqual((self.clone / MINE).read_text(), (self.clone / STARTER).read_text())
        self.assertNotIn("the old one", self.make("lab14"))

    def test_starting_over_ends_the_reminder_and_keeps_the_file(self) -> None:
        self.make("lab14")
        (self.clone / MINE).write_text("int mine;\n")
        self.change_starter("a better comment")
        self.git(self.clone, "pull", "-q")
        self.make("lab14-reset", "YES=1")
        self.assertEqual((self.clone / f"{MINE}.backup-1").read_text(), "int mine;\n")
        self.assertTrue(self.make("lab14").startswith(f"checked {MINE}\n/* a better comment */\n"))

    def test_a_file_that_cannot_be_written_says_how_to_go_on(self) -> None:
        """No file may grow, as on a full disk or in a folder of somebody else's."""
        told = self.run_in(self.clone, "bash", "-c", "trap '' XFSZ; ulimit -f 0;"
                           "exec lib/tools/your-file.sh begin labs/lab14-warps", fails=True)
        self.assertEqual(told, f"{MINE} cannot be written. Take a copy of the starter, and let that be checked:\n"
                               f"cp {STARTER} ~/lab14.c; make lab14 FILE=~/lab14.c\n")

    def begin_an_older_clone(self) -> None:
        """The clone tracks the file, its owner has written in it, and upstream has just ceased to track it."""
        ignored = (self.upstream / ".gitignore").read_text()
        self.git(self.upstream, "rm", "-q", "--cached", ".gitignore")
        (self.upstream / ".gitignore").write_text("/build/\n")
        shutil.copy(self.upstream / STARTER, self.upstream / MINE)
        self.commit("as it was")
        self.git(self.clone, "pull", "-q")
        (self.clone / MINE).write_text("int mine;\n")
        (self.upstream / ".gitignore").write_text(ignored)
        (self.upstream / MINE).unlink()
        self.commit("as it is")

    def commands_of_the_page(self, word: str) -> str:
        """The indented block of the page of labs that has this word, for the lab of this test."""
        page = (ROOT / "labs/README.md").read_text(encoding="utf-8")
        blocks = re.findall(r"(?m)^\n((?: {4}.*\n)+)", page)
        return next(block for block in blocks if word in block).replace("labs/lab01-streams/lab01.c", MINE)

    def test_an_older_clone_that_tracks_the_file_is_updated_as_the_page_of_labs_says(self) -> None:
        """git refuses the pull as long as the edit of a tracked file is there; the page's commands set it aside."""
        self.begin_an_older_clone()
        self.assertIn("would be overwritten by merge", self.git(self.clone, "pull", "-q", fails=True))
        update = ("env", f"HOME={self.upstream.parent}/home", "sh", "-c", self.commands_of_the_page("mine.tar"))
        self.run_in(self.clone, *update, fails=True)  # there is no such home
        self.assertEqual((self.clone / MINE).read_text(), "int mine;\n")
        (self.upstream.parent / "home").mkdir()
        self.run_in(self.clone, *update)
        self.assertEqual(self.make("lab14"), f"checked {MINE}\nint mine;")
        self.assertEqual(self.git(self.clone, "status", "--short", "labs"), "")
        self.git(self.clone, "pull", "-q")

    def test_committed_work_in_an_older_clone_is_kept_as_the_page_of_labs_says(self) -> None:
        """git stops the pull at the file, and leaves it; make says so and checks the file."""
        for way, goes_on in (("--no-rebase", ""), ("--rebase", "rebase --continue")):
            with self.subTest(way):
                self.setUp()
                self.begin_an_older_clone()
                for name in ("user.name", "user.email"):
                    self.git(self.clone, "config", name, "a")
                self.git(self.clone, "commit", "-q", "-a", "-m", "mine")
                self.assertIn("CONFLICT (modify/delete)", self.git(self.clone, "pull", way, fails=True))
                told = self.make("lab14")
                self.assertIn(f"lab14: git stopped at {MINE}, which the workbook no longer tracks.", told)
                self.assertTrue(told.endswith(f"checked {MINE}\nint mine;"), told)
                keep, end = self.commands_of_the_page("git reset").split("&&")
                self.run_in(self.clone, "sh", "-c", keep)
                self.run_in(self.clone, "sh", "-c", f"git {goes_on}" if goes_on else end)
                self.change_starter("a better comment")
                self.git(self.clone, "pull", "-q", way)
                self.assertEqual(self.make("lab14").splitlines()[1:], [f"checked {MINE}", "int mine;"])
                self.assertEqual(self.git(self.clone, "status", "--short", "labs"), "")


if __name__ == "__main__":
    unittest.main()
