"""Tests of what persons decide about results, from labgrade to every page and export: points, due times, points of
checks, release. A class of the toy lab is graded, and readers that are independent of the writers read each file.

Run with: python3 -B grader/tests/decisions_test.py (the toy lab must be built, as for the other tests)
"""
from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Dict, List, Tuple

if __package__ in (None, ""):
    sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "report")]

import export
import report

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", str(ROOT / "build"))).resolve()
TOYLAB = ROOT / "grader/tests/fixtures/toylab"

# Each hands in two days late: by its points, 10 percent a day.
CLASS = {"ada": "right", "grace": "wrong", "kay": "keeps_the_first_result", "zuse": "does_not_compile"}
ROSTER = """id,name,e-mail,section,group,submitted
ada,Ada Lovelace,lovelace@example.org,Morning,Team,2026-11-22 12:00
grace,Grace Hopper,hopper@example.org,Morning,,2026-11-22 12:00
kay,Kathleen Antonelli,antonelli@example.org,Evening,,2026-11-22 12:00
zuse,Konrad Zuse,,Evening,,2026-11-22 12:00
nemo,Emmy Noether,noether@example.org,Evening,Team,
"""
COURSE = "time_zone = Europe/Berlin\nseed = 4711042\n[toylab]\ndue = 2026-11-20 12:00\npenalty = 10\n"
NAMES = ("ada", "lovelace", "grace", "hopper", "kay", "kathleen", "antonelli", "zuse", "konrad", "nemo", "emmy",
         "noether", "example.org", "morning", "evening", "team")
INSTRUCTOR = ("professor", "knuth")
# Name, points that count, points that there are: after everything below.
EXPECTED = {"ada": (75, 75), "grace": (27, 75), "kay": (62.1, 75), "zuse": (60, 75), "nemo": (0, 75)}


class Reader(HTMLParser):
    """The texts, links and addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: List[str] = []
        self.links: List[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: List[Tuple[str, Any]]) -> None:
        self.links += [value for name, value in attributes if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.words += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.words)


class DecisionsCase(unittest.TestCase):
    place: Path
    kept: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.place, cls.kept = Path(folder.name), Path(folder.name) / "kept"
        (cls.place / "labs").mkdir()
        (cls.place / "labs" / "toylab-first").symlink_to(TOYLAB)
        (cls.place / "lib").symlink_to(ROOT / "lib")
        for student, variant in CLASS.items():
            (cls.place / "class" / student).mkdir(parents=True)
            shutil.copy(TOYLAB / "class" / variant / "toylab.c", cls.place / "class" / student)
        (cls.place / "roster.csv").write_text(ROSTER)
        (cls.place / "course.txt").write_text(COURSE)
        cls.labgrade(cls.kept, "grade", "--lab", "toylab", "--submissions", str(cls.place / "class"), "--roster",
                     str(cls.place / "roster.csv"), "--course", str(cls.place / "course.txt"), *cls.here())

    @classmethod
    def here(cls) -> List[str]:
        return ["--root", str(cls.place), "--build", str(BUILD), "--sandbox-if-possible", "i-trust-these-files"]

    @classmethod
    def labgrade(cls, out: Path, command: str, *words: str) -> str:
        return subprocess.run([str(BUILD / "bin/labgrade"), command, "--out", str(out), *words], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8").stdout

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        shutil.copytree(self.kept, self.out)

    def say(self, command: str, *words: str) -> str:
        who = [] if "--list" in words else ["--who", "Professor Knuth"]
        return self.labgrade(self.out, command, *words, *who)

    def decide(self) -> None:
        """All kinds of words that a person can say."""
        self.say("adjust", "--student", "zuse", "--points", "80", "--set-aside", "--why",
                 "as ada and Grace Hopper know", "--comment", "Our compiler was wrong, =1+1 Konrad.")
        self.say("adjust", "--group", "Team", "--due", "2026-11-22 12:00", "--why", "Ada was ill")
        self.say("adjust", "--student", "kay", "--due", "2026-11-21 12:00", "--why", "one day")
        self.say("weigh", "--check", "every_element_is_right", "--points", "35", "--why", "too hard for zuse")
        self.say("adjust", "--student", "grace", "--check", "every_element_is_right", "--points", "+3.75",
                 "--why", "nearly")
        self.say("hold", "--why", "until Emmy has handed in")

    def resume(self) -> None:
        """Continues after a kill, once what the killed grader had started has ended too."""
        command = [str(BUILD / "bin/labgrade"), "resume", "--out", str(self.out), *self.here()]
        for _ in range(300):
            ended = subprocess.run(command, capture_output=True, encoding="utf-8")
            if "another grader is at work" not in ended.stderr:
                break
            time.sleep(0.1)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def run_program(self, program: Any, *arguments: str) -> Tuple[int, str, str]:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = program.main([str(self.out), *arguments])
        return status, output.getvalue(), errors.getvalue()

    def export(self, *arguments: str) -> Path:
        status, _, errors = self.run_program(export, *arguments)
        self.assertEqual((status, errors), (0, ""))
        return self.out / "+exports"


def rows_of(path: Path) -> List[Dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


class Everywhere(DecisionsCase):
    def check_exports(self, folder: Path) -> None:
        """Each format has the same points."""
        grades = json.loads((folder / "grades.json").read_text(encoding="utf-8"))
        students = {student["name"]: student["labs"].get("toylab") for student in grades["students"]}
        rows = {row["student"]: row for row in rows_of(folder / "grades.csv")}
        suites = {suite.get("name"): {value.get("name"): value.get("value") for value in suite.iter("property")}
                  for suite in ElementTree.parse(folder / "junit.xml").getroot().iter("testsuite")}
        self.assertEqual([lab["max_points"] for lab in grades["labs"]], [75])
        for name, (score, full) in EXPECTED.items():
            called = "Emmy Noether" if name == "nemo" else name
            with self.subTest(name):
                self.assertAlmostEqual(students[called]["score"], score)
                self.assertEqual(students[called]["full_points"], full)
                self.assertAlmostEqual(float(rows[called]["toylab (of 75)"]), score)
                self.assertAlmostEqual(float(suites[f"toylab: {called}"]["score"]), score)
                self.assertEqual(suites[f"toylab: {called}"]["full_points"], str(full))
                if name != "nemo":
                    scope = json.loads((folder / "gradescope/toylab" / f"{name}.json").read_text(encoding="utf-8"))
                    self.assertAlmostEqual(scope["score"], score)
        checks = {(row["student"], row["check"]): row for row in rows_of(folder / "checks.csv")}
        self.assertEqual(checks["ada", "every_element_is_right"]["points"], "35")
        self.assertEqual(checks["ada", "every_element_is_right"]["max_points"], "35")
        self.assertEqual(checks["kay", "the_second_call_is_right_too"]["points"], "4")
        self.assertIn("(reached: the first call is right)", checks["kay", "the_second_call_is_right_too"]["message"])
        self.assertIn("(reached: the first call is right)", (folder / "grades.tap").read_text(encoding="utf-8"))
        self.assertEqual(students["ada"]["adjusted"]["due"], "2026-11-22T11:00:00Z")
        self.assertEqual(students["kay"]["late"], {"days": 1, "percent": 10})
        self.assertEqual([word["what"] for word in grades["labs"][0]["decisions"]],
                         ["every_element_is_right counts 35 points", "held back", "released"])
        kay = {check["name"]: check for check in students["kay"]["checks"]}
        self.assertEqual(kay["every_element_is_right"]["weighed"], {"points": 60, "max_points": 60})
        self.assertEqual(kay["the_second_call_is_right_too"]["level"], "the first call is right")

    def test_every_export_has_the_points_that_count_and_so_after_a_regrade_and_a_kill(self) -> None:
        self.decide()
        self.say("release")
        self.check_exports(self.export())
        regrade = subprocess.Popen([str(BUILD / "bin/labgrade"), "regrade", "--out", str(self.out), *self.here()],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.4)
        regrade.send_signal(signal.SIGKILL)
        regrade.wait()
        self.resume()
        self.check_exports(self.export())

    def test_gradebooks_get_the_points_that_count(self) -> None:
        self.decide()
        self.say("release")
        book = self.out.parent / "canvas.csv"
        book.write_text("Student,ID,SIS Login ID,Toylab (7)\nPoints Possible,,,75\n"
                        + "".join(f"{name},{number},{name},\n" for number, name in enumerate(CLASS)))
        folder = self.export("--canvas", str(book))
        self.assertEqual({row["Student"]: row["Toylab (7)"] for row in rows_of(folder / "canvas.csv")},
                         {"Points Possible": "75", **{name: f"{EXPECTED[name][0]:g}" for name in CLASS}})

    def test_pages_say_what_was_decided_by_whom_and_why(self) -> None:
        self.decide()
        self.assertEqual(self.run_program(report)[0], 0)
        pages = {path.parent.name: Reader(path.read_text(encoding="utf-8")).text
                 for path in (self.out / "toylab").glob("**/index.html")}
        ada = pages["ada"]
        self.assertIn("Due 22 November 2026, 12:00 Europe/Berlin , extended", ada)
        self.assertIn("due 2026-11-22 12:00 Europe/Berlin , by Professor Knuth on", ada)
        self.assertIn("every_element_is_right counts 35 points for everybody, by Professor Knuth on", ada)
        self.assertIn("35 / 35 60 / 60 before", ada)
        self.assertIn("Results held back", ada)
        self.assertNotIn("keep their share", ada)
        self.assertIn("keep their share", pages["zuse"])
        self.assertIn("Reached: the first call is right", pages["kay"])
        self.assertIn("Held back for everybody : exports refuse it.", pages["toylab"])
        self.say("release", "--section", "Morning")
        self.assertEqual(self.run_program(report)[0], 0)
        page = Reader((self.out / "toylab/index.html").read_text(encoding="utf-8")).text
        self.assertIn("Held back for section Evening : exports refuse it.", page)
        self.assertIn("released for section Morning by Professor Knuth", page)


class Release(DecisionsCase):
    def test_held_results_are_refused_in_one_sentence_unless_forced(self) -> None:
        self.decide()
        for arguments in ([], ["--bundles"], ["--format", "csv"], ["--section", "Morning"]):
            status, output, errors = self.run_program(export, *arguments)
            self.assertEqual((status, output, errors.count("\n")), (2, "", 1))
            self.assertIn("toylab is held back for everybody: labgrade release --out", errors)
        self.assertFalse((self.out / "+exports").exists())
        self.export("--force", "--format", "csv")
        self.say("release", "--section", "Morning")
        self.assertIn("toylab is held back for section Evening:", self.run_program(export)[2])
        self.assertEqual({row["student"] for row in rows_of(self.export("--section", "Morning") / "grades.csv")},
                         {"ada", "grace"})
        self.assertIn('nobody is in section "Noon"', self.run_program(export, "--section", "Noon")[2])

    def test_a_bundle_has_the_students_own_result_and_nothing_of_others(self) -> None:
        self.decide()
        self.say("release")
        folder = self.export("--bundles") / "bundles"
        rows = {row["name"]: row for row in rows_of(folder / "mail.csv")}
        self.assertEqual(list(next(iter(rows.values()))), ["address", "name", "lab", "score", "of", "file"])
        self.assertEqual({name: (row["address"], row["score"], row["of"]) for name, row in rows.items()}, {
            "Ada Lovelace": ("lovelace@example.org", "75", "75"), "Grace Hopper": ("hopper@example.org", "27", "75"),
            "Kathleen Antonelli": ("antonelli@example.org", "62.1", "75"), "Konrad Zuse": ("", "60", "75"),
            "Emmy Noether": ("noether@example.org", "0", "75")})
        self.assertEqual({row["file"] for row in rows.values()},
                         {str(path.relative_to(folder)) for path in folder.rglob("*.html")})
        solution = (TOYLAB / "class/right/toylab.c").read_text(encoding="utf-8")
        for name, row in rows.items():
            text = (folder / row["file"]).read_text(encoding="utf-8")
            page = Reader(text)
            own = {word.lower() for word in (*name.split(), *row["file"].split("/")[1].split("."))}
            with self.subTest(name):
                self.assertIn(name, page.text)
                self.assertEqual([link for link in page.links if not link.startswith("#")], [])
                self.assertNotIn("4711042", text)
                self.assertNotIn("Seed", page.text)
                self.assertNotIn(solution, text)
                said = re.sub(r"as ada and Grace Hopper know|Ada was ill|too hard for zuse", "", page.text).lower()
                for other in set(NAMES[:12]) - own:
                    self.assertNotRegex(said, rf"\b{other}\b")
                self.assertNotIn("Held back", page.text)

    def test_who_cannot_get_a_page_is_told(self) -> None:
        _, output, _ = self.run_program(export, "--bundles")
        self.assertIn("5 pages to send, and mail.csv", output)
        self.assertIn("zuse: no address is known for the page of toylab", output)


class Anonymous(DecisionsCase):
    def assert_nameless(self, texts: Dict[str, str]) -> None:
        for path, text in texts.items():
            visible = re.sub(r"<style>.*?</style>|<pre class=\"source.*?</pre>", "", text, flags=re.S)
            for name in (*NAMES, *INSTRUCTOR):
                with self.subTest(path, name=name):
                    self.assertNotRegex(visible.lower(), rf"(?<![a-z]){re.escape(name)}(?![a-z])")
                    self.assertNotRegex(path.lower(), rf"(?<![a-z]){re.escape(name)}(?![a-z])")

    def read_all(self, folder: Path) -> Dict[str, str]:
        return {str(path.relative_to(folder)): path.read_text(encoding="utf-8")
                for path in folder.rglob("*") if path.is_file()}

    def test_pages_have_no_name_whatever_was_decided(self) -> None:
        self.decide()
        self.say("release", "--section", "Evening")
        target = self.out.parent / "pages"
        self.assertEqual(self.run_program(report, "--anonymous", str(target))[0], 0)
        pages = self.read_all(target)
        everything = " ".join(Reader(page).text for page in pages.values())
        self.assertIn("due 2026-11-22 12:00 Europe/Berlin", everything)
        self.assertIn("every_element_is_right counts 35 points", everything)
        self.assertIn("Held back for 2 students", everything)
        self.assert_nameless(pages)

    def test_exports_have_no_name_whatever_was_decided(self) -> None:
        self.decide()
        self.say("release")
        target = self.out.parent / "exports"
        self.export("--anonymous", "--to", str(target))
        files = self.read_all(target)
        self.assertEqual(len(files), 5 + 5)
        self.assert_nameless(files)
        rows = rows_of(target / "grades.csv")
        self.assertEqual(sorted(float(row["toylab (of 75)"]) for row in rows),
                         sorted(score for score, _ in EXPECTED.values()))

    def test_what_needs_names_is_refused(self) -> None:
        for arguments, says in ((["--anonymous"], "--anonymous needs --to"),
                                (["--anonymous", "--to", "x", "--bundles"], "does not go with a gradebook")):
            self.assertIn(says, self.run_program(export, *arguments)[2])


if __name__ == "__main__":
    unittest.main()
