"""Tests of the autograder: they unpack its zip into a private folder and run its entry points there.

Run with: python3 -B grader/tests/autograder_test.py (lab00 must be built: make grade-ready LAB=lab00)
"""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
BUILD = os.environ.get("BUILD", str(ROOT / "build"))
SOLUTION = next(ROOT.glob("solutions/lab00-*/lab00.c"))
STARTER = next(ROOT.glob("labs/lab00-*/starter.c"))
MAKE_ZIP = str(ROOT / "grader/autograder/make_zip.py")
OWN = f"clone/labs/{SOLUTION.parent.name}/lab00.c"


def orders(built: bool) -> List[List[Tuple[str, str]]]:
    """The files of a clone of the workbook, of which the student's own is first, in the middle and last. It does not
    compile, so that the message tells whose file was graded."""
    solution = SOLUTION.read_text(encoding="utf-8")
    others = [(f"clone/solutions/{SOLUTION.parent.name}/lab00.c", solution), ("clone/grader/tests/lab00.c", solution),
              ("clone/.git/lab00.c", solution), ("clone/labs/lab01-streams/lab01.c", solution)]
    others += [(f"clone/lib/src/file{number}.c", "") for number in range(4200)]
    if built:
        others += [("clone/build/right/lab00.c", solution), ("clone/build-debug/lab00.c", solution)]
        others += [(f"clone/build/obj/file{number}.o", "\x7fELF") for number in range(200)]
    middle = len(others) // 2
    own = [(OWN, '#error "hers"\n')]
    return [own + others, others[:middle] + own + others[middle:], others + own]


def make_zip(path: Path, files: List[Tuple[str, str]]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files:
            archive.writestr(name, text)


class Autograder(unittest.TestCase):
    zip: Path
    unpacked: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.zip = Path(folder.name) / "autograder.zip"
        subprocess.run([sys.executable, "-B", MAKE_ZIP, "lab00", str(cls.zip)], check=True, stdout=subprocess.DEVNULL)
        cls.unpacked = Path(folder.name) / "source"
        with zipfile.ZipFile(cls.zip) as archive:
            for entry in archive.infolist():
                path = archive.extract(entry, cls.unpacked)
                os.chmod(path, entry.external_attr >> 16 & 0o555)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "submission").mkdir()
        shutil.copytree(self.unpacked, self.root / "source", copy_function=os.link)  # no test writes to these files

    def run_entry(self, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(self.root / "source" / name)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, cwd="/", env={
                                  **os.environ, "AUTOGRADER_ROOT": str(self.root), "AUTOGRADER_WORKBOOK": str(ROOT),
                                  "AUTOGRADER_MAKE": f"BUILD={BUILD} DEVICE=cpu THROWN_AWAY=", **environment})

    def results(self) -> Optional[Dict[str, Any]]:
        folder = self.root / "results"
        self.assertLessEqual({path.name for path in folder.iterdir()}, {"results.json"})
        path = folder / "results.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def fake(self, name: str, script: str) -> str:
        """A PATH on which the program of that name is this script."""
        folder = self.root / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        return f"{folder}{os.pathsep}{os.environ['PATH']}"

    def test_the_zip_has_the_entry_points_at_its_root_and_no_other_lab(self) -> None:
        with zipfile.ZipFile(self.zip) as archive:
            names = archive.namelist()
        self.assertLessEqual({"setup.sh", "run_autograder", "lab", "workbook/Makefile"}, set(names))
        self.assertEqual({found[1] for found in map(re.compile(r"workbook/(?:labs|solutions)/(lab\d\d)-").match, names)
                          if found}, {"lab00"})
        self.assertFalse([name for name in names if "/build/" in name or ".git/" in name])

    def test_the_same_workbook_gives_the_same_zip(self) -> None:
        again = self.root / "again.zip"
        subprocess.run([sys.executable, "-B", MAKE_ZIP, "lab00", str(again)], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(again.read_bytes(), self.zip.read_bytes())

    def test_an_unknown_lab_makes_no_zip(self) -> None:
        made = subprocess.run([sys.executable, "-B", MAKE_ZIP, "lab99", str(self.root / "x.zip")],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual((made.returncode, made.stderr), (1, "make_zip.py: there is no lab99\n"))
        self.assertFalse((self.root / "x.zip").exists())

    def test_setup_installs_and_builds_what_the_lab_needs(self) -> None:
        log = self.root / "log"
        self.fake("apt-get", f'echo "apt-get $*" >>{log}')
        path = self.fake("make", f'echo "make $*" >>{log}')
        done = self.run_entry("setup.sh", PATH=path)
        self.assertEqual(done.returncode, 0, done.stdout)
        workbook = self.root / "source" / "workbook"
        self.assertEqual(log.read_text().splitlines(), [
            "apt-get update", "apt-get install -y make", f"make -C {workbook} setup FOR=grading",
            f"make -C {workbook} grade-ready LAB=lab00", f"make -C {workbook} grade-sandbox LAB=lab00 THROWN_AWAY=1"])

    def test_setup_fails_with_the_reason_where_the_sandbox_does_not_work(self) -> None:
        self.fake("apt-get", "exit 0")
        self.fake("bwrap", 'echo "bwrap: No permissions to create new namespace"; exit 1')
        path = self.fake("make", f"""case "$*" in
            *grade-sandbox*) exec {shutil.which('make')} -C {ROOT} BUILD={BUILD} DEVICE=cpu grade-sandbox LAB=lab00 ;;
            esac""")
        done = self.run_entry("setup.sh", PATH=path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("No permissions to create new namespace", done.stdout)
        self.assertIn("setup.sh: the sandbox does not work in this image", done.stdout)

    def test_the_words_of_the_zip_reach_make_with_their_spaces(self) -> None:
        log = self.root / "log"
        path = self.fake("make", f'printf "[%s]" "$LABGRADE_SEED" "$@" >>{log}; exit 2')
        (self.root / "source" / "make").write_text("SEED=7 LABGRADE='--memory 1024'")
        environment = {**os.environ, "AUTOGRADER_ROOT": str(self.root), "AUTOGRADER_WORKBOOK": str(ROOT), "PATH": path}
        environment.pop("AUTOGRADER_MAKE", None)
        subprocess.run([str(self.root / "source" / "run_autograder")], env=environment, stderr=subprocess.DEVNULL)
        self.assertTrue(log.read_text().startswith("[7][-C]"), "any program can read make's command line")
        self.assertTrue(log.read_text().endswith("[THROWN_AWAY=1][LABGRADE=--memory 1024]"), log.read_text())
        log.unlink()
        self.run_entry("run_autograder", PATH=path, AUTOGRADER_MAKE='LABGRADE="--memory 512 --seconds 5"')
        self.assertTrue(log.read_text().endswith("[LABGRADE=--memory 512 --seconds 5]"), log.read_text())

    def test_the_zip_keeps_the_words_for_make_and_refuses_an_open_quote(self) -> None:
        target = self.root / "x.zip"
        made = {words: subprocess.run([sys.executable, "-B", MAKE_ZIP, "lab00", str(target)], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, env={**os.environ, "AUTOGRADER_MAKE": words})
                for words in ("LABGRADE='--memory", "LABGRADE='--memory 9'")}
        self.assertEqual([done.returncode for done in made.values()], [1, 0])
        self.assertIn("AUTOGRADER_MAKE: No closing quotation", made["LABGRADE='--memory"].stderr)
        with zipfile.ZipFile(target) as archive:
            self.assertEqual(archive.read("make"), b"LABGRADE='--memory 9'")

    def test_setup_fails_if_something_cannot_be_installed(self) -> None:
        self.assertNotEqual(self.run_entry("setup.sh", PATH=self.fake("apt-get", "exit 100")).returncode, 0)

    def test_the_unpacked_workbook_knows_what_to_build(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        asked = subprocess.run(["make", "-n", "-C", str(self.root / "source" / "workbook"), "grade-ready", "LAB=lab00"],
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.assertEqual((asked.returncode, asked.stderr), (0, ""))
        self.assertIn("bin/labgrade", asked.stdout)

    def test_a_right_submission_gets_all_points(self) -> None:
        shutil.copy(SOLUTION, self.root / "submission" / "lab00.c")
        done = self.run_entry("run_autograder")
        self.assertEqual(done.returncode, 0, done.stdout)
        results = self.results()
        assert results is not None
        self.assertEqual(results["score"], 100)
        self.assertTrue(results["tests"])
        self.assertEqual({test["status"] for test in results["tests"]}, {"passed"})

    def test_a_starter_in_a_folder_is_found_and_gets_few_points(self) -> None:
        (self.root / "submission" / "my lab").mkdir()
        shutil.copy(STARTER, self.root / "submission" / "my lab" / "lab00.c")
        self.assertEqual(self.run_entry("run_autograder").returncode, 0)
        results = self.results()
        assert results is not None
        self.assertLess(results["score"], 50)
        self.assertIn("failed", {test["status"] for test in results["tests"]})

    def test_of_a_whole_workbook_the_students_own_file_is_graded(self) -> None:
        clone = self.root / "submission" / "clone"
        for path, text in {f"labs/{SOLUTION.parent.name}/lab00.c": STARTER.read_text() + "/* hers */\n",
                           f"solutions/{SOLUTION.parent.name}/lab00.c": SOLUTION.read_text(),
                           "build/right/lab00.c": SOLUTION.read_text()}.items():
            (clone / path).parent.mkdir(parents=True, exist_ok=True)
            (clone / path).write_text(text)
        done = self.run_entry("run_autograder")
        self.assertEqual(done.returncode, 0, done.stdout)
        results = self.results()
        assert results is not None
        self.assertLess(results["score"], 50)
        self.assertIn(f"graded: clone/labs/{SOLUTION.parent.name}/lab00.c; also seen: clone/solutions/",
                      results["output"])

    def test_of_a_workbook_in_a_zip_the_students_own_file_is_graded_in_any_order(self) -> None:
        for place, order in enumerate(orders(built=True)):
            make_zip(self.root / "submission" / "clone.zip", order)
            with self.subTest(own_file_is_number=place):
                done = self.run_entry("run_autograder")
                self.assertEqual(done.returncode, 0, done.stdout)
                results = self.results()
                assert results is not None
                self.assertEqual(results["score"], 0)
                self.assertIn("hers", results["output"])
                self.assertIn(f"graded: {OWN}; also seen: clone/", results["output"])

    def test_labgrade_takes_the_students_own_file_of_folders_and_zips(self) -> None:
        place = self.root / "class"
        for kind in ("clone", "built"):
            (place / kind).mkdir(parents=True)
            for number, order in enumerate(orders(kind == "built")):
                make_zip(place / f"{kind}-{number}.zip", order)
            with zipfile.ZipFile(place / f"{kind}-0.zip") as archive:
                archive.extractall(place / kind)
        done = subprocess.run([f"{BUILD}/bin/labgrade", "--root", str(ROOT), "--build", BUILD, "--lab", "lab00",
                               "--submissions", str(place), "--out", str(self.root / "out"),
                               "--sandbox-if-possible", "i-trust-these-files"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        results = json.loads((self.root / "out/results.json").read_text(encoding="utf-8"))["submissions"]
        self.assertEqual(len(results), 8)
        for result in results:
            with self.subTest(result["submission"]["name"]):
                self.assertEqual(result["verdict"], "build error", result["summary"])
                self.assertIn("hers", result["summary"])
                self.assertIn(f"graded: {OWN}; also seen: clone/", result["handed_in"]["note"])

    def test_a_renamed_file_gets_its_points_and_two_are_refused_by_name(self) -> None:
        shutil.copy(SOLUTION, self.root / "submission" / "Lab00 (1).c")
        self.assertEqual(self.run_entry("run_autograder").returncode, 0)
        results = self.results()
        assert results is not None
        self.assertEqual(results["score"], 100)
        self.assertIn("graded: Lab00 (1).c", results["output"])
        (self.root / "submission" / "lab00.c").write_text(STARTER.read_text() + "/* hers */\n")
        self.assertEqual(self.run_entry("run_autograder").returncode, 0)
        results = self.results()
        assert results is not None
        self.assertEqual(results["score"], 0)
        self.assertIn("2 files could be lab00.c: Lab00 (1).c, lab00.c; hand in one", results["output"])

    def test_an_empty_submission_is_zero_points_with_the_reason(self) -> None:
        self.assertEqual(self.run_entry("run_autograder").returncode, 0)
        results = self.results()
        assert results is not None
        self.assertEqual((results["score"], sum(test["score"] for test in results["tests"])), (0, 0))
        self.assertIn("lab00.c", results["output"])

    def test_past_the_time_limit_there_is_no_score(self) -> None:
        (self.root / "results").mkdir()
        (self.root / "results" / "results.json").write_text("{}")
        done = self.run_entry("run_autograder", AUTOGRADER_SECONDS="0.2", PATH=self.fake("make", "exec sleep 60"))
        self.assertEqual((done.returncode, self.results()), (1, None))
        self.assertIn("grading took longer than 0.2 seconds", done.stdout)

    def test_when_grading_fails_there_is_no_score(self) -> None:
        done = self.run_entry("run_autograder", PATH=self.fake("make", "exit 2"))
        self.assertEqual((done.returncode, self.results()), (1, None))
        self.assertIn("grading failed", done.stdout)


class Workflow(unittest.TestCase):
    """The example's steps, run as the hosted CI would run them, with the workbook that is already here."""

    def test_its_commands_grade_and_export(self) -> None:
        text = (ROOT / "grader/autograder/github-actions.yml").read_text(encoding="utf-8")
        steps = dict(re.findall(r"- name: (.*)\n +run: (.*)\n", text))
        self.assertEqual(list(steps), ["Fetch the workbook", "Install what it needs", "Let the sandbox work", "Grade",
                                       "Export", "Fail unless every check passed"])
        self.assertEqual([step for step, command in steps.items() if "sudo" in command], ["Let the sandbox work"],
                         "what root makes the runner's own user could not change")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        environment.update(LAB="lab00", BUILD=BUILD, LAB_DEVICE="cpu")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "workbook").symlink_to(ROOT)
            (folder / "submissions" / "student").mkdir(parents=True)
            shutil.copy(SOLUTION, folder / "submissions" / "student" / "lab00.c")

            def run_step(step: str) -> subprocess.CompletedProcess[str]:
                command = steps[step].replace("make -C workbook", f"make -C workbook BUILD='{BUILD}'")
                return subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

            for step in list(steps)[3:]:
                done = run_step(step)
                self.assertEqual(done.returncode, 0, f"{step}: {done.stdout}")
            grades = folder / "exports" / "grades.json"
            grades.write_text(grades.read_text().replace('"verdict": "passed"', '"verdict": "crash"'))
            self.assertNotEqual(run_step("Fail unless every check passed").returncode, 0)


if __name__ == "__main__":
    unittest.main()
