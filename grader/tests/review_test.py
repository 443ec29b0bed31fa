"""Tests of what needs a person before an export: the list, its page, how items close, and what exports make of them.
From results made here, and from a class that is graded, corrected and graded again.

Run with: python3 -B grader/tests/review_test.py (the toy lab must be built, as for the other tests)
"""
from __future__ import annotations

import contextlib
import copy
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import export
import open_items
import report
import review
import sample_class
from course import load_course
from gradebook import Grade, Unfit, fill_moodle
from wording import listed

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", str(ROOT / "build"))).resolve()
TOYLAB = ROOT / "grader/tests/fixtures/toylab"
FOUND = {"found": True, "doubt": "", "nearest": []}


def student(name: str, **more: Any) -> Dict[str, Any]:
    return {"id": f"id-{name}", "name": name.title(), "email": "", "section": "", "roster": FOUND, **more}


def a_class() -> Dict[str, Any]:
    """Ada has nothing to look at; everybody else has one thing."""
    results = sample_class.sample_class()
    passed = results["submissions"][0]
    results.update(submissions=[], not_handed_in=[], intake=[])
    results["course"].update(due="2026-11-20T22:59:00Z")

    def add(name: str, **more: Any) -> Dict[str, Any]:
        result = copy.deepcopy(passed)
        result["submission"].update(name=name, directory=name, student=student(name))
        result.update(late={"days": 0, "percent": 0, "seconds": -60, "over": None, "points": 100}, review=[])
        result.update(more)
        results["submissions"].append(result)
        return result
    add("ada")
    add("grace", verdict="missing file", summary="lab03.c is missing", points=0, checks=[], score=0,
        handed_in={"note": "", "starter": False, "solution": False, "likely": "src/my main.c"})
    add("kay", verdict="missing file", summary="lab03.c is missing", points=0, checks=[], score=0)
    add("zuse_k")["submission"]["student"] = {
        "id": "", "name": "", "email": "", "section": "", "roster": {
            "found": False, "doubt": "is no student of the roster (nearest: Zuse, Konrad 17)",
            "nearest": [{"id": "17", "name": "Zuse, Konrad"}]}}
    add("emmy")["submission"]["student"]["roster"] = {
        "found": True, "doubt": "has the id of Eve on the roster, and another name: graded as theirs", "nearest": []}
    add("alan", late={"days": 1, "percent": 10, "seconds": 130, "over": 130, "points": 90}, score=90)
    add("edsger", handed_in={"note": "", "starter": False, "solution": True, "likely": ""})
    add("tony", review=["The times of two checks contradict each other."])
    return results


class ReviewCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def run_program(self, program: Any, *arguments: str) -> Tuple[int, str, str]:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = program.main([str(self.out), *arguments])
        return status, output.getvalue(), errors.getvalue()

    def write(self, results: Dict[str, Any]) -> None:
        sample_class.write(self.out, results)
        shutil.rmtree(self.out / "+exports", ignore_errors=True)

    def compared(self, groups: Any = (), solution: Any = ()) -> None:
        """As if the pages had been written, with this found alike."""
        created = json.loads((self.out / "results.json").read_text())["created"].replace("Z", "+00:00")
        (self.out / "+alike.json").write_text(json.dumps({
            "schema": "lab-alike/1", "created": created,
            "solution": [{"page": page, "share": share} for page, share in solution],
            "groups": [{"pages": list(pages), "words": words} for pages, words in groups]}))

    def open(self) -> Dict[str, List[str]]:
        """The names of the open items by their kind."""
        lab, = open_items.items_of(load_course(self.out), self.out)
        return {kind: [open_items.names(item) for item in lab.of_kind(kind)] for kind in open_items.KINDS
                if lab.of_kind(kind)}

    def codes(self) -> Dict[str, str]:
        lab, = open_items.items_of(load_course(self.out), self.out)
        return {open_items.names(item): item.code for item in lab.open}


class Lists(ReviewCase):
    def test_each_thing_is_listed_with_what_resolves_it(self) -> None:
        self.write(a_class())
        self.compared([(("ada", "alan"), "80 % of the passages in common")], [("tony", 0.95), ("ada", 0.8)])
        self.assertEqual(self.open(), {
            "missing": ["grace", "kay"], "nobody": ["zuse_k"], "contradiction": ["emmy"], "late": ["alan"],
            "copies": ["ada, alan"], "solution": ["edsger", "tony"], "doubted": ["tony"]})
        status, output, errors = self.run_program(review)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("9 things need a person before you export", output)
        self.assertIn("grace: lab03.c is missing; probably src/my main.c\n"
                      "          printf '%s\\n' 'grace,src/my main.c,' >>accept.csv\n", output)
        self.assertIn(f"--out {self.out} --student kay --points 0 --why 'no file'\n", output)
        self.assertIn("          printf '%s\\n' zuse_k,,17 >>accept.csv\n", output)
        self.assertIn("alan: 2 min 10 s earlier would have cost less than 10 %\n", output)
        self.assertIn("--student alan --waive-lateness --why 'late by little'\n", output)
        folded = [line for line in output.splitlines() if not line.startswith("          ") and "make" not in line]
        self.assertLessEqual(max(map(len, folded[1:])), 80)

    def test_nothing_is_open_where_everything_is_clear(self) -> None:
        results = a_class()
        results["submissions"] = results["submissions"][:1]
        self.write(results)
        status, output, _ = self.run_program(review)
        self.assertEqual(status, 0)
        self.assertIn("nothing needs a person before you export", output)
        self.assertNotIn("need a person", self.run_program(export)[1])

    def test_what_was_found_alike_before_another_grading_does_not_count(self) -> None:
        self.write(a_class())
        self.compared([(("ada", "alan"), "80 % of the passages in common")])
        results = a_class()
        results["created"] = "2026-11-24T10:00:00Z"
        (self.out / "results.json").write_text(json.dumps(results))
        self.assertEqual(self.open()["copies"], [""], "one item: they were not compared since")

    def test_unknown_times_uncompared_sources_and_skipped_files_are_told(self) -> None:
        results = a_class()
        results["submissions"] = results["submissions"][:1] * 2
        results["submissions"] = [copy.deepcopy(own) for own in results["submissions"]]
        results["submissions"][1]["submission"].update(name="eve", directory="eve", student=student("eve"))
        results["submissions"][1]["late"] = None
        results["intake"] = [{"name": "lab03.c", "reason": "skipped: neither a folder nor an archive"},
                             {"name": "ada", "reason": "graded: src/lab03.c"}]
        self.write(results)
        lab, = open_items.items_of(load_course(self.out), self.out)
        self.assertEqual([item.words for item in lab.open],
                         ["The sources were not compared since the last grading",
                          "lab03.c: skipped: neither a folder nor an archive",
                          "The time of 1 submission is not known: on time"])

    def test_the_pages_write_it_and_the_class_page_leads_there(self) -> None:
        self.write(a_class())
        for own in ("ada", "alan", "grace"):
            (self.out / own / "source").mkdir(parents=True, exist_ok=True)
            (self.out / own / "source" / "lab03.c").write_text(sample_class.SOURCE)
        status, output, _ = self.run_program(report, "--root", str(self.out.parent))
        self.assertEqual(status, 0)
        self.assertIn(f"8 things need a person before you export: make grade-review OUT={self.out}\n", output)
        self.assertEqual(self.open()["copies"], ["ada, alan, grace"], "one item for three who are alike")
        self.assertIn('<a href="%2Breview.html">8 things need a person</a>', (self.out / "index.html").read_text())
        page = (self.out / "+review.html").read_text()
        for words in ('<a href="grace/index.html"><bdi>grace', "&#39;grace,src/my main.c,&#39; &gt;&gt;accept.csv",
                      '<a href="%2Bsimilarity.html">All passages side by side</a>'):
            self.assertIn(words, page)
        shared = self.out.parent / "shared"
        self.assertEqual(self.run_program(report, "--anonymous", str(shared))[0], 0)
        self.assertFalse("%2Breview" in (shared / "index.html").read_text())
        self.assertFalse((shared / "+review.html").exists() or (shared / "+alike.json").exists())

    def test_names_cannot_leave_their_place_on_the_page_or_in_a_line_for_the_shell(self) -> None:
        results = a_class()
        results["submissions"] = results["submissions"][1:2]
        results["submissions"][0]["submission"].update(name="$(reboot)'\"<script>, Jr", directory="x")
        self.write(results)
        self.assertIn(r"""printf '%s\n' '"$(reboot)'"'"'""<script>, Jr",src/my main.c,' >>accept.csv""",
                      self.run_program(review)[1])
        self.assertNotIn("<script>", (self.out / "+review.html").read_text())
        results["submissions"][0]["submission"].update(name="bell\x07")
        self.write(results)
        self.assertNotIn("printf", self.run_program(review)[1])


def roster_of(*nearest: Tuple[str, str]) -> Dict[str, Any]:
    """What the roster says about a submission of nobody."""
    return {"id": "", "name": "", "email": "", "section": "", "roster": {
        "found": False, "doubt": "is no student of the roster",
        "nearest": [{"id": identifier, "name": name} for identifier, name in nearest]}}


class Accepting(ReviewCase):
    """The lines that accept a file or an owner: only where they do what they say."""

    def items(self, *own: Tuple[str, Dict[str, Any]]) -> List[Tuple[str, str, str]]:
        """The open items of a class of these submissions by name: kind, words and line."""
        results = a_class()
        passed, results["submissions"] = results["submissions"][0], []
        for number, (name, more) in enumerate(own):
            result = copy.deepcopy(passed)
            result["submission"].update(name=name, directory=f"d{number}", student=more.pop("student", student(name)))
            result.update(more)
            results["submissions"].append(result)
        self.write(results)
        self.compared()
        lab, = open_items.items_of(load_course(self.out), self.out)
        return [(item.kind, item.words, item.line) for item in lab.open]

    @staticmethod
    def missing(likely: str) -> Dict[str, Any]:
        return {"verdict": "missing file", "summary": "lab03.c is missing", "points": 0, "checks": [], "score": 0,
                "handed_in": {"note": "", "starter": False, "solution": False, "likely": likely}}

    def test_an_owner_is_put_into_the_line_only_where_one_fits_who_has_nothing(self) -> None:
        (_, _, one), = self.items(("jose", {"student": roster_of(("4", "Jos\u00e9"))}))
        self.assertEqual(one, r"printf '%s\n' jose,,4 >>accept.csv")
        (_, words, several), = self.items(("jose", {"student": roster_of(("4", "Jos\u00e9"), ("5", "Josie"))}))
        self.assertEqual((words, several), ("is no student of the roster", ""))
        items = self.items(("jose", {"student": roster_of(("id-eve", "Eve"))}), ("eve", {}))
        self.assertEqual(items, [("nobody", "is no student of the roster; Eve has a submission already", "")])
        items = self.items(("jose", {"student": roster_of(("4", "Jos\u00e9"))}),
                           ("jos", {"student": roster_of(("4", "Jos\u00e9"))}))
        self.assertEqual([line for _, _, line in items], ["", ""])

    def test_submissions_of_one_student_are_an_item_that_says_what_each_got_and_accepts_all(self) -> None:
        ada = {"student": student("ada lovelace", id="17")}
        item, = self.items(("17", {**ada, "points": 40}), ("ada@x.de", dict(ada)), ("Ada Lovelace", dict(ada)),
                           ("eve", {}))
        self.assertEqual(item, (
            "several", "all of Ada Lovelace (17): 17 got 40, ada@x.de got 100, Ada Lovelace got 100",
            r"printf '%s\n' 17,,17 ada@x.de,,17 'Ada Lovelace,,17' >>accept.csv"))
        output = self.run_program(export)[1]
        self.assertIn("lab03: several submissions of one student, each with a row of its own: 17, ada@x.de, "
                      "Ada Lovelace\n1 thing needs a person", output)
        self.assertIn("Submissions of one student (1)", self.run_program(review)[1])

    def test_a_line_writes_what_it_shows_in_every_shell(self) -> None:
        rows = ["new\\table", "it's, \"quoted\"", "-n", "100%s", "$(id) `id` !"]
        for name in rows:
            (_, _, line), = self.items((name, self.missing("a\\b.c")))
            for shell in ("sh", "bash"):
                subprocess.run([shell, "-c", line], check=True, cwd=self.out)
                with open(self.out / "accept.csv", encoding="utf-8", newline="") as file:
                    self.assertEqual(list(csv.reader(file)), [[name, "a\\b.c", ""]], (shell, name))
                (self.out / "accept.csv").unlink()

    def test_what_no_row_can_name_is_to_be_renamed(self) -> None:
        for name, likely in (("*", "handin.c"), ("ada ", "handin.c"), (" ada", "handin.c"), ("ada", "handin.c ")):
            (kind, words, line), = self.items((name, self.missing(likely)))
            self.assertEqual((kind, line), ("missing", ""))
            self.assertIn("no row of accept.csv can name it: rename it", words)
        (_, words, line), = self.items(("*", {"student": roster_of(("4", "Jos\u00e9"))}))
        self.assertEqual(line, "")
        self.assertIn("rename it", words)


class Closing(ReviewCase):
    def test_a_code_closes_an_item_until_there_is_new_evidence(self) -> None:
        self.write(a_class())
        self.compared([(("ada", "alan"), "80 % of the passages in common")])
        codes = self.codes()
        status, output, _ = self.run_program(review, "--done", codes["ada, alan"], codes["edsger"], "--why",
                                             "they worked together, as allowed", "--who", "ann")
        self.assertEqual(status, 0)
        self.assertIn("6 things need", output)
        self.assertNotIn("copies", self.open())
        self.assertIn("they worked together, as allowed", (self.out / "+review.html").read_text())
        rows = list(csv.DictReader((self.out / "+reviewed.csv").read_text().splitlines()))
        self.assertEqual([(row["code"], row["who"]) for row in rows],
                         [(codes["ada, alan"], "ann"), (codes["edsger"], "ann")])
        self.compared([(("ada", "alan"), "95 % of the passages in common")])
        self.assertEqual(self.open()["copies"], ["ada, alan"])

    def test_make_keeps_the_reason_as_it_was_given(self) -> None:
        self.write(a_class())
        why = "it's $(reboot), 5 $ and `id` \"so\""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        subprocess.run(["make", "-s", "-C", str(ROOT), "grade-review", f"OUT={self.out}",
                        f"DONE={self.codes()['edsger']}", f"WHY={why}"], check=True, stdout=subprocess.DEVNULL,
                       env=environment)
        row, = csv.DictReader((self.out / "+reviewed.csv").read_text().splitlines())
        self.assertEqual(row["why"], why)

    def test_a_code_that_is_not_open_or_has_no_reason_closes_nothing(self) -> None:
        self.write(a_class())
        code = self.codes()["edsger"]
        for arguments, message in (([code, "123456", "--why", "x"], "123456 is not the code of an open item"),
                                   ([code, "--why", " "], "--why is needed")):
            status, _, errors = self.run_program(review, "--done", *arguments)
            self.assertEqual(status, 2)
            self.assertIn(message, errors)
            self.assertFalse((self.out / "+reviewed.csv").exists())

    def test_points_of_a_person_close_what_they_answer_and_a_comment_does_not(self) -> None:
        results = a_class()
        by_name = {own["submission"]["name"]: own for own in results["submissions"]}
        for name in ("grace", "alan", "edsger", "tony"):
            sample_class.adjust(by_name[name], 40, "40 points")
            by_name[name]["adjusted"]["list"][0]["points"] = 40
        sample_class.adjust(by_name["kay"], 0, "a comment", "Where is it?")
        self.write(results)
        self.compared()
        self.assertEqual(self.open(), {"missing": ["kay"], "nobody": ["zuse_k"], "contradiction": ["emmy"]})


CANVAS = "Student,ID,Section,Lab 3 (9)\r\n,,,\r\nAda,id-ada,A,\r\nGrace,id-grace,A,\r\nKay,id-kay,A,7\r\n"


class Missing(ReviewCase):
    def export_all(self) -> Tuple[str, Dict[str, str]]:
        book = self.out.parent / "book.csv"
        book.write_text(CANVAS, newline="")
        output = self.run_program(export)[1] + self.run_program(export, "--canvas", str(book))[1]
        rows = csv.DictReader((self.out / "+exports" / "grades.csv").read_text().splitlines())
        return output, {row["student"]: row["lab03 (of 100)"] for row in rows}

    def test_a_missing_file_is_no_silent_zero_in_any_gradebook(self) -> None:
        self.write(a_class())
        output, points = self.export_all()
        self.assertEqual((points["ada"], points["grace"], points["kay"]), ("100", "", ""))
        grades = {own["name"]: own for own in json.loads((self.out / "+exports/grades.json").read_text())["students"]}
        self.assertEqual((grades["grace"]["labs"]["lab03"]["score"], grades["grace"]["total_percent"]), (None, None))
        filled = (self.out / "+exports" / "canvas.csv").read_text()
        self.assertIn("Ada,id-ada,A,100\nGrace,id-grace,A,\nKay,id-kay,A,7\n", filled)
        self.assertIn("the lab's file is missing and nobody has decided, left as it was: grace, kay\n", output)
        self.assertIn(f"8 things need a person: make grade-review OUT={self.out}\n", output)
        self.assertEqual(json.loads((self.out / "+exports/gradescope/grace.json").read_text())["score"], 0,
                         "Gradescope shows the student the reason")

    def test_it_is_zero_when_a_person_says_so(self) -> None:
        self.write(a_class())
        self.run_program(review, "--done", self.codes()["grace"], "--why", "asked twice")
        _, points = self.export_all()
        self.assertEqual((points["grace"], points["kay"]), ("0", ""))
        self.assertIn("Grace,id-grace,A,0\n", (self.out / "+exports" / "canvas.csv").read_text())


class Worksheets(unittest.TestCase):
    """Moodle's worksheets in other languages, as tools for them have them in their tests: the columns of
    https://github.com/moodle/moodle, mod/assign, in the language packs of https://download.moodle.org/langpack."""

    def test_points_and_comments_go_into_their_columns(self) -> None:
        sheets = [
            ('ID,"Vollst\u00e4ndiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,'
             '"Bewertung kann ge\u00e4ndert werden","Feedback als Kommentar"', "Teilnehmer/in", "Ja", "Nein"),
            ('Identifiant,"Nom complet","Adresse de courriel",Statut,Note,"Note maximale",'
             '"La note peut \u00eatre modifi\u00e9e","Feedback par commentaires"', "Participant", "Oui", "Non"),
            ('Identificador,"Nombre completo","Direcci\u00f3n de correo",Estado,Calificaci\u00f3n,'
             '"Calificaci\u00f3n m\u00e1xima","La calificaci\u00f3n puede ser cambiada",'
             '"Comentarios de retroalimentaci\u00f3n"', "Participante ", "S\u00ed", "No"),
            ('Identificador,"Nome completo","Endere\u00e7o de email",Status,Nota,"Nota m\u00e1xima",'
             '"Nota pode ser alterada","Coment\u00e1rios de feedback"', "Participante", "Sim", "N\u00e3o"),
        ]
        for head, word, yes, no in sheets:
            with self.subTest(head):
                text = (f'\ufeff{head}\r\n{word}101,Ada,a@x.org,,,"10,00",{yes},\r\n'
                        f'{word}102,Grace,g@x.org,,,"10,00",{no},\r\n')
                filled = fill_moodle(text.encode(), [Grade("a", ["101"], 75, 100, "well"),
                                                     Grade("g", ["Grace"], 1, 10)])
                self.assertEqual((filled.filled, filled.locked, filled.unknown), (1, ["g"], []))
                self.assertEqual(filled.content.decode(), text.replace(
                    'a@x.org,,,"10,00"', 'a@x.org,,"7,5","10,00"').replace(
                        f"{yes},", f'{yes},"<p>Automatic feedback<br>well</p>"'))

    def test_other_columns_are_named_by_a_person_and_told_where_they_are_not_known(self) -> None:
        text = 'Tunniste,"Koko nimi",Arvosana\n101,Ada,\n'
        with self.assertRaisesRegex(Unfit, "It has: Tunniste; Koko nimi; Arvosana. --columns 'id=COLUMN,grade=COLUMN'"):
            fill_moodle(text.encode(), [])
        filled = fill_moodle(text.encode(), [Grade("a", ["Ada"], 9, 10)], said='name="Koko nimi",grade=Arvosana')
        self.assertEqual(filled.content.decode(), text.replace("Ada,", "Ada,9"))
        for said, message in (("points=Arvosana", "points is not one of id, login, name, e-mail, grade"),
                              ("grade=Piste", "it has no column Piste. It has: Tunniste")):
            with self.assertRaisesRegex(Unfit, message):
                fill_moodle(text.encode(), [], said=said)

    def test_names_with_commas_are_listed_by_semicolons(self) -> None:
        self.assertEqual(listed(["ada", "grace"]), "ada, grace")
        self.assertEqual(listed(["Lovelace, Ada", "grace"]), "Lovelace, Ada; grace")


class Graded(unittest.TestCase):
    """A class of Blackboard that is graded, reviewed and graded again with what was accepted."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        (self.place / "labs").mkdir()
        (self.place / "labs" / "toylab-first").symlink_to(TOYLAB)
        (self.place / "lib").symlink_to(ROOT / "lib")
        (self.place / "class").mkdir()
        right = (TOYLAB / "class/right/toylab.c").read_bytes()
        for name in ("ada_attempt_2026-11-20-20-00-00_toylab.c", "grace_attempt_2026-11-20-23-01-05_toylab.c",
                     "kay_attempt_2026-11-20-20-00-00_mine.c", "0017_attempt_2026-11-20-20-00-00_toylab.c",
                     "zuze_attempt_2026-11-20-20-00-00_toylab.c"):
            (self.place / "class" / f"Lab 1_{name}").write_bytes(right)
        (self.place / "roster.csv").write_text("Last Name,First Name,Username,Student ID\nLovelace,Ada,ada,11\n"
                                               "Hopper,Grace,grace,12\nMcNulty,Kay,kay,13\nNoether,Emmy,noether,17\n"
                                               "Zuse,Konrad,zuse,18\n")
        (self.place / "course.txt").write_text("penalty = 10\ntime_zone = Europe/Berlin\n[toylab]\n"
                                               "due = 2026-11-20 23:00\n")

    def grade(self, *arguments: str) -> Dict[str, List[str]]:
        """Grades the class and writes the pages. Returns the names of what is open by its kind."""
        out = self.place / "out"
        command = [str(BUILD / "bin/labgrade"), "grade", "--root", str(self.place), "--build", str(BUILD), "--lab",
                   "toylab", "--submissions", str(self.place / "class"), "--out", str(out), "--roster",
                   str(self.place / "roster.csv"), "--course", str(self.place / "course.txt"),
                   "--sandbox-if-possible", "i-trust-these-files", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([str(out)]), 0)
        lab, = open_items.items_of(load_course(out), out)
        self.lines = [item.line for item in lab.open if item.line.endswith(open_items.ACCEPT)]
        return {kind: [open_items.names(item) for item in lab.of_kind(kind)] for kind in ("missing", "nobody", "late")}

    def test_what_was_accepted_is_graded_and_no_longer_open(self) -> None:
        self.assertEqual(self.grade(), {"missing": ["kay"], "nobody": ["0017", "zuze"], "late": ["grace"]})
        self.assertEqual(self.lines, [rf"printf '%s\n' {row} >>accept.csv" for row in (
            "0017,,17", "kay,mine.c,", "zuze,,18")])
        (self.place / "accept.csv").write_text("submission,file,student\n")
        for line in self.lines:
            subprocess.run(line, shell=True, check=True, cwd=self.place)
        self.assertEqual(self.grade("--accept", str(self.place / "accept.csv")),
                         {"missing": [], "nobody": [], "late": ["grace"]})
        results = json.loads((self.place / "out/toylab/results.json").read_text())
        self.assertEqual({own["submission"]["student"]["name"]: own["verdict"] for own in results["submissions"]},
                         {"Ada Lovelace": "passed", "Grace Hopper": "passed", "Kay McNulty": "passed",
                          "Emmy Noether": "passed", "Konrad Zuse": "passed"})
        self.assertEqual(results["not_handed_in"], [])
        grace = next(own for own in results["submissions"] if own["submission"]["name"] == "grace")
        self.assertEqual((grace["late"]["percent"], grace["late"]["over"]), (10, 65))

    def test_dropped_zeros_are_accepted_for_the_whole_class(self) -> None:
        self.assertEqual(self.grade("--dropped-zeros")["nobody"], ["zuze"])


if __name__ == "__main__":
    unittest.main()
