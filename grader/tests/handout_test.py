"""Tests of what students get: it tells nothing of solutions, its labs can be done, and it grows under students' files.

Run with: python3 -B grader/tests/handout_test.py (lab00 and lab02 must be built: make test-needs)
"""
from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile
from pathlib import Path
from typing import Dict, Iterator, Set

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "grader/handout"), str(ROOT / "lib/tools")]
from compiled import MACHINES, MASK, Object, compiled  # noqa: E402
from texts import handed_out  # noqa: E402
import workbook  # noqa: E402

BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
FAR = "2999-12-31"
# Shorter lines are in many programs.
LONG, LONG_TEXT = 45, 12
CHECK_LINKS = "lib/tools/files.sh '*.md' | xargs -d '\\n' lib/tools/python.sh lib/tools/links.py"


def environment() -> Dict[str, str]:
    """That of somebody at a terminal: not of the make that runs this test."""
    ours = ("MAKE", "MFLAGS", "GIT_", "BUILD", "LAB_DEVICE")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def run(folder: Path, *command: str, fails: bool = False) -> str:
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment())
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def hand_out(to: Path, *words: str, fails: bool = False) -> str:
    return run(ROOT, "make", "handout", f"OUT={to}", *words, fails=fails)


def git(folder: Path, *words: str) -> str:
    return run(folder, "git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words)


def folder_of(lab: str) -> str:
    return next((ROOT / "labs").glob(f"{lab}-*")).name


def solution_of(lab: str) -> Path:
    return ROOT / "solutions" / folder_of(lab) / f"{lab}.c"


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def secrets() -> Iterator[str]:
    """What only solutions and answers say: long lines, two lines in a row, and long texts; without spaces. Starters and
    lessons are for everybody."""
    given = "".join(squeezed(path.read_text()) for name in ("starter.c", "README.md")
                    for path in sorted(ROOT.glob(f"labs/lab[0-9]*/{name}")))
    for path in ROOT.glob("solutions/lab[0-9]*/*.*"):
        lines = [squeezed(re.sub(r"/\*.*?\*/", "", line)) for line in path.read_text().splitlines()]
        lines = [line for line in lines if line and line not in given]
        yield from (line for line in lines if len(line) >= LONG)
        yield from (one + two for one, two in zip(lines, lines[1:]) if len(one + two) >= LONG)
        if path.suffix == ".c":
            texts = re.findall(r'"((?:[^"\\]|\\.){%d,})"' % LONG_TEXT, path.read_text())
            yield from (squeezed(text) for text in texts if squeezed(text) not in given)


def leaks(folder: Path) -> Set[str]:
    """The files of a folder that hold a secret, with the secret."""
    searched = {path: squeezed(path.read_bytes().decode("utf-8", "replace")) for path in folder.rglob("*")
                if path.is_file() and ".git" not in path.relative_to(folder).parts}
    known = set(secrets())
    return {f"{path.relative_to(folder)}: {secret}" for path, text in searched.items() for secret in known
            if secret in text}


class Texts(unittest.TestCase):
    KEPT = {"labs", "labs/README.md", "labs/lab00-measure", "labs/lab00-measure/README.md", "LICENSE"}

    def assert_text(self, text: str, expected: str) -> None:
        self.assertEqual(handed_out("labs/lab00-measure/README.md", text, self.KEPT), expected)

    def test_a_link_to_what_is_missing_becomes_its_text(self) -> None:
        self.assert_text("See [the labs](../README.md), [a deck](../../slides/a.md#x) and [`more`][more], [more].\n\n"
                         "[more]: ../../lib/more.md\n", "See [the labs](../README.md), a deck and `more`, more.\n\n")

    def test_a_row_and_a_pointer_go_with_what_they_lead_to(self) -> None:
        self.assert_text("| a |\n|---|\n| [00](README.md) |\n| [01](../lab01-streams/README.md) | 5 |\n\n"
                         "**Next:** [01](../lab01-streams/README.md), with\n`make lab01`.\n\nEnd.\n",
                         "| a |\n|---|\n| [00](README.md) |\n\nEnd.\n")

    def test_code_and_other_places_stay(self) -> None:
        text = "```\na[i](gone.md)\n```\n\n[site](https://example.org/x), x[i] and [a heading](#there).\n"
        self.assert_text(text, text)

    def test_what_is_marked_goes(self) -> None:
        self.assert_text("One.\n\n<!-- not handed out -->\n## Two\n\n[x](y)\n\n<!-- handed out again -->\n\nThree.\n",
                         "One.\n\nThree.\n")

    def test_a_drawing_of_the_slides_goes(self) -> None:
        self.assert_text("One.\n\n![What orders two: a stream, an event](drawing:order-rules)\n\nThree.\n",
                         "One.\n\nThree.\n")
        text = (ROOT / "slides/cheat-sheet.md").read_text()
        self.assertNotIn("drawing:", handed_out("slides/cheat-sheet.md", text, set()))

    def test_the_answers_place_is_told_where_they_are(self) -> None:
        text = "The answers are in `solutions/lab00-measure/README.md`, next to the solution. Try first.\n"
        self.assert_text(text, "The answers come with the solution. Try first.\n")
        self.assertEqual(handed_out("labs/README.md", text, {"solutions/lab00-measure/README.md"}), text)

    def test_every_lesson_tells_where_the_answers_are_in_these_words(self) -> None:
        for path in ROOT.glob("labs/lab[0-9]*/README.md"):
            self.assertNotIn("solutions/", handed_out(str(path.relative_to(ROOT)), path.read_text(), set()), path)


class Files(unittest.TestCase):
    def test_what_lies_about_in_a_clone_is_not_of_the_workbook(self) -> None:
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.object(workbook, "ROOT", Path(name)):
            for file in ("lib/tools/files.sh", "labs/lab00-a/README.md", "labs/lab00-a/my-solution.c"):
                (Path(name) / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / "lib/tools/files.sh", Path(name) / file)
            self.assertEqual(len(workbook.tracked()), 3, "an unpacked archive has all")
            git(Path(name), "init", "-q")
            git(Path(name), "add", "lib", "labs/lab00-a/README.md")
            self.assertEqual(workbook.tracked(), ["labs/lab00-a/README.md", "lib/tools/files.sh"])
            self.assertEqual(len(workbook.files()), 3)


class Objects(unittest.TestCase):
    SOURCE = """
        extern long newer_strtol(const char *, char **, int) __asm__("__isoc23_strtol");
        extern int use(const char *, const int *);
        const int answers[] = {1234567, 7654321};
        static __attribute__((noinline)) int secret_helper(const char *text) { return use(text, answers); }
        int lab_answer(void) { return secret_helper("a text that nobody reads") + (int)newer_strtol("77", 0, 8); }
    """

    def test_an_object_tells_no_text_no_number_and_no_local_name(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            source = Path(name) / "secret_file.c"
            source.write_text(self.SOURCE)
            made = compiled(source, [], veiled=True, opens=True)
            plain = compiled(source, [], veiled=False, opens=False)
        self.assertEqual({machine: content[18] for machine, content in made.items()}, {"x86_64": 62, "aarch64": 183})
        number = (1234567).to_bytes(4, "little")
        for machine in MACHINES:
            for word in (b"nobody reads", b"secret", number):
                self.assertFalse(word in made[machine], (machine, word))
            self.assertTrue(bytes(byte ^ MASK for byte in number) in made[machine], machine)
            self.assertTrue(number in plain[machine], machine)
            self.assertIn("lab_words", Object(made[machine]).names)

    def test_a_program_reads_its_texts_and_tables_with_an_older_library(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "secret.c").write_text(self.SOURCE)
            (folder / "main.c").write_text("""
                #include <stdio.h>
                int lab_answer(void);
                int use(const char *text, const int *table) { return printf("%s %d %d\\n", text, table[0], table[1]); }
                int main(void) { return lab_answer() < 0; }
            """)
            machine = os.uname().machine
            if machine not in MACHINES:
                self.skipTest(f"no object is for {machine}")
            (folder / "secret.o").write_bytes(compiled(folder / "secret.c", [], veiled=True, opens=True)[machine])
            run(folder, os.environ.get("CC", "gcc"), "-o", "program", "main.c", "secret.o")
            self.assertEqual(run(folder, "./program"), "a text that nobody reads 1234567 7654321\n")


class Handout(unittest.TestCase):
    """One handout of two labs, a student's clone of it, and the handout of a week later."""
    upstream: Path
    clone: Path
    first: str

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.upstream, cls.clone = Path(folder.name) / "handout", Path(folder.name) / "clone"
        hand_out(cls.upstream, "LABS=lab02 lab00", f"OPEN=lab02={FAR}", "GIT=1")
        cls.first = git(cls.upstream, "rev-parse", "HEAD").strip()
        git(cls.upstream.parent, "clone", "-q", str(cls.upstream), str(cls.clone))
        borrow_objects(cls.clone)

    def make(self, *words: str, fails: bool = False) -> str:
        return run(self.clone, "make", "DEVICE=cpu", *words, fails=fails)

    def test_nothing_in_it_is_of_a_solution(self) -> None:
        self.assertEqual(sorted(leaks(self.upstream)), [])
        names = git(self.upstream, "ls-files").splitlines()
        told = re.compile(r"(^|/)(solutions|wrong|attacks|tests|records|equivalent.*)(/|$)|examples/(?!program/)|"
                          r"^labs/lab.*/(checks.*\.[ch]|program\.c|shared\.h)$")
        self.assertEqual([name for name in names if told.search(name)], [])
        self.assertEqual({name.split("/")[1] for name in names if re.match(r"labs/lab\d", name)},
                         {folder_of("lab00"), folder_of("lab02")})

    def test_the_search_for_solutions_finds_what_is_there(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for lab in ("lab01", "lab07"):
                (folder / f"{lab}.txt").write_text("/* mine */" + solution_of(lab).read_text().replace("    ", "\t"))
            (folder / "answer.md").write_text(solution_of("lab02").with_name("README.md").read_text())
            found = {leak.partition(":")[0] for leak in leaks(folder)}
            self.assertEqual(found, {"lab01.txt", "lab07.txt", "answer.md"})

    def test_all_links_of_its_texts_lead_somewhere(self) -> None:
        run(self.upstream, "bash", "-c", CHECK_LINKS)

    def test_its_labs_can_be_done(self) -> None:
        solution = solution_of("lab02").read_text()
        mine = self.clone / "labs" / folder_of("lab02") / "lab02.c"
        self.assertRegex(self.make("lab02", fails=True), r"NOT SOLVED YET +0 of 100 points")
        self.assertIn("lab02_pipeline", self.make("lab02-hint"))
        mine.write_text(solution)
        self.assertRegex(self.make("lab02"), r"PASSED +100 of 100 points")
        self.assertIn("█ kernel", self.make("lab02-timeline"))
        self.assertRegex(self.make("progress"), r"lab02 +events +100/100")
        self.assertRegex(self.make("lab00", f"FILE={solution_of('lab00')}"), r"PASSED +100 of 100 points")
        self.assertEqual(git(self.clone, "status", "--short").split(), ["??", str(mine.relative_to(self.clone))],
                         "git ignores no file that a student hands in")
        mine.unlink()

    def test_a_watch_runs_the_checks(self) -> None:
        watch = subprocess.Popen(["make", "DEVICE=cpu", "lab02-watch"], cwd=self.clone, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, env=environment(), text=True, start_new_session=True)
        try:
            told = ""
            for line in watch.stdout or ():
                told += line
                if line.startswith("Watching"):
                    break
        finally:
            os.killpg(watch.pid, signal.SIGTERM)
            watch.communicate()
        self.assertIn("NOT SOLVED YET", told)
        self.assertIn("Watching labs/", told)

    def test_a_closed_solution_says_from_when_it_is_there(self) -> None:
        self.assertIn(f"handed out from {FAR} on", self.make("lab02-solution", fails=True))
        self.assertIn("Ask whoever gave you the labs", self.make("lab00-solution", fails=True))

    def test_goals_that_it_lacks_say_so_and_help_leaves_them_out(self) -> None:
        for goal in ("test", "verify", "grade", "slides", "handout", "lint-gcc", "demo"):
            self.assertIn(f"has nothing for make {goal}", self.make(goal, fails=True))
        for page in ("help", "help-all"):
            shown = self.make(page)
            self.assertIn("labNN-hint", shown)
            self.assertNotRegex(shown, r"(?m)^  (test|demo|grade|verify|slides|labNN-wrong|lab13-page) ")

    def test_a_machine_of_another_kind_is_told(self) -> None:
        compiler = self.clone.parent / "compiler"
        compiler.write_text("#!/bin/sh\necho riscv64-linux-gnu\n")
        compiler.chmod(0o755)
        self.assertRegex(self.make("lab02", f"CC={compiler}", fails=True),
                         "compiled for (aarch64 x86_64|x86_64 aarch64), and this machine is a riscv64")

    def test_a_later_handout_comes_by_pull_and_leaves_students_files(self) -> None:
        upstream, clone = self.upstream.parent / "later", self.upstream.parent / "student"
        git(self.upstream.parent, "clone", "-q", str(self.upstream), str(upstream))
        git(self.upstream.parent, "clone", "-q", str(upstream), str(clone))
        mine = clone / "labs" / folder_of("lab02") / "lab02.c"
        new = clone / "labs" / folder_of("lab01") / "lab01.c"
        mine.write_text("int mine;\n")
        git(clone, "add", "--all")
        git(clone, "commit", "-q", "-m", "my lab 02")
        (clone / ".progress.json").write_text("{}")
        told = hand_out(upstream, "LABS=lab00 lab01 lab02", "OPEN=lab00=2020-01-01")
        self.assertIn(f"Solutions in it: lab00; after another run lab02 from {FAR} on", told)
        self.assertEqual(git(upstream, "rev-list", "--count", "HEAD").strip(), "2")
        git(clone, "pull", "-q", "--no-edit", "--no-rebase")
        self.assertEqual(mine.read_text(), "int mine;\n")
        self.assertEqual(git(clone, "status", "--short"), "")
        opened = solution_of("lab00")
        self.assertEqual((clone / opened.relative_to(ROOT)).read_text(), opened.read_text())
        self.assertEqual([path.name for path in (clone / "solutions").iterdir()], [folder_of("lab00")])
        run(clone, "lib/tools/your-file.sh", "begin", f"labs/{folder_of('lab01')}")
        self.assertTrue(new.is_file())
        self.assertIn("nothing new", hand_out(upstream, "LABS=lab00 lab01 lab02"))
        run(clone, "bash", "-c", CHECK_LINKS)

    def test_the_same_workbook_gives_the_same_commit(self) -> None:
        again = self.upstream.parent / "again"
        hand_out(again, "LABS=lab00 lab02", f"OPEN=lab02={FAR}", "GIT=1")
        self.assertEqual(git(again, "rev-parse", "HEAD").strip(), self.first)

    def test_a_folder_and_a_zip_hold_the_same(self) -> None:
        folder, archive = self.upstream.parent / "plain", self.upstream.parent / "week 2.zip"
        hand_out(folder, "LABS=lab02")
        hand_out(archive, "LABS=lab02")
        with zipfile.ZipFile(archive) as opened:
            packed = {entry.filename.partition("/")[2]: (opened.read(entry), bool(entry.external_attr >> 16 & 0o100))
                      for entry in opened.infolist()}
            self.assertEqual({name.partition("/")[0] for name in opened.namelist()}, {"week 2"})
        there = {path.relative_to(folder).as_posix(): (path.read_bytes(), os.access(path, os.X_OK))
                 for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(packed.keys(), there.keys())
        self.assertEqual(packed, there)
        self.assertFalse((folder / ".git").exists())

    def test_a_renewed_folder_loses_what_is_handed_out_no_more_and_nothing_else(self) -> None:
        folder = self.upstream.parent / "renewed"
        hand_out(folder, "LABS=lab02", "OPEN=lab02=2020-01-01")
        lab = folder / "labs" / folder_of("lab02")
        mine = [lab / "lab02.c", lab / "notes.txt", lab / "lab02.c.backup-1", lab / "checks.c",
                folder / "lib/src/mine.c"]
        for path in mine:
            path.write_text("int x;\n")
        self.assertTrue((folder / "solutions" / folder_of("lab02") / "lab02.c").is_file())
        hand_out(folder, "LABS=lab02", f"OPEN=lab02={FAR}")
        self.assertEqual([path.exists() for path in mine], [True] * 5)
        self.assertFalse((folder / "solutions").exists(), "no empty folder stays")

    def test_what_an_instructor_changed_in_it_is_not_undone(self) -> None:
        folder = self.upstream.parent / "changed"
        hand_out(folder, "LABS=lab00", "OPEN=lab00=2020-01-01", "GIT=1")
        lesson = folder / "labs" / folder_of("lab00") / "README.md"
        solution = folder / "solutions" / folder_of("lab00") / "lab00.c"
        before = lesson.read_bytes()
        for path, words in ((lesson, ["LABS=lab00"]), (solution, ["LABS=lab00", f"OPEN=lab00={FAR}"])):
            text = path.read_bytes()
            path.write_bytes(text + b"Our room is 1.03.\n")
            git(folder, "commit", "-qam", "our room")
            told = hand_out(folder, *words, fails=True)
            self.assertIn(f"{path.relative_to(folder)} in {folder} was changed since the last handout", told)
            self.assertIn("Make the change in the workbook, or delete the file", told)
            self.assertEqual(path.read_bytes(), text + b"Our room is 1.03.\n")
            path.unlink()
            git(folder, "commit", "-qam", "the workbook's again")
        self.assertIn("commit", hand_out(folder, "LABS=lab00"))
        self.assertEqual(lesson.read_bytes(), before)

    def test_the_doctor_names_what_a_handout_has(self) -> None:
        told = run(self.clone, "lib/tools/doctor.sh")
        self.assertIn("Labs can run here. Begin with 'make lab00'.", told)
        self.assertNotRegex(told, "demo|flake8|make test|make grade|make slides|FOR=workbook")


class Refusals(unittest.TestCase):
    """What is refused before anything is compiled or written."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refused(self, to: Path, *words: str) -> str:
        before = sorted(self.folder.rglob("*"))
        told = hand_out(to, *words, fails=True)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return told

    def earlier(self, text: str) -> Path:
        (self.folder / "labs").mkdir()
        (self.folder / "labs/handout.txt").write_text(text)
        return self.folder

    def test_a_lab_that_does_not_exist(self) -> None:
        told = self.refused(self.folder / "x", "LABS=lab00 lab99")
        self.assertIn("LABS: git tracks no lab99 here; there are lab00", told)

    def test_a_date_that_is_none_and_one_of_another_lab(self) -> None:
        for word in ("lab00=tomorrow", "lab00", "lab00=2027-02-30"):
            self.assertIn(f"OPEN: {word} is not as in", self.refused(self.folder / "x", "LABS=lab00", f"OPEN={word}"))
        self.assertIn("OPEN: lab01 is not handed out",
                      self.refused(self.folder / "x", "LABS=lab00", "OPEN=lab01=2027-01-01"))

    def test_a_folder_with_other_files(self) -> None:
        (self.folder / "thesis.txt").write_text("years of work")
        self.assertIn("holds other files", self.refused(self.folder, "LABS=lab00"))

    def test_a_file_in_place_of_the_folder(self) -> None:
        (self.folder / "x").write_text("")
        self.assertIn("is no folder", self.refused(self.folder / "x", "LABS=lab00"))

    def test_a_zip_that_is_no_handout(self) -> None:
        for name, files in (("thesis.zip", ["thesis/text.txt", "labs/handout.txt"]), ("broken.zip", [])):
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                for file in files:
                    archive.writestr(file, "years of work")
        (self.folder / "broken.zip").write_bytes(b"PK")
        (self.folder / "folder.zip").mkdir()
        for name in ("thesis.zip", "broken.zip", "folder.zip"):
            before = (self.folder / name).stat()
            self.assertIn(f"{name} is no earlier handout", self.refused(self.folder / name, "LABS=lab00"))
            self.assertEqual((self.folder / name).stat().st_mtime_ns, before.st_mtime_ns)

    def test_fewer_labs_than_before(self) -> None:
        self.assertIn("has lab01 already, which students would lose",
                      self.refused(self.earlier("# Labs\nlab00 2027-01-01\nlab01\n"), "LABS=lab00"))

    def test_a_repository_with_changes(self) -> None:
        folder = self.earlier("lab00\n")
        git(folder, "init", "-q")
        git(folder, "add", "--all")
        self.assertIn("has changes that are not committed", self.refused(folder, "LABS=lab00"))

    def test_no_folder_at_all(self) -> None:
        self.assertIn("make handout OUT=folder", run(ROOT, "make", "handout", fails=True))


def borrow_objects(clone: Path) -> None:
    """Puts what is built of the workbook into a handout, whose files are older: what is equal is not compiled again."""
    target = clone / "build"
    target.mkdir()
    for path in BUILD.iterdir():
        if path.is_file():
            shutil.copy2(path, target)
    for name in ("bin", "wire", "obj/lib", "obj/grader", "obj/build"):
        if (BUILD / name).is_dir():
            # What is being compiled has a number behind its name, and is gone soon.
            shutil.copytree(BUILD / name, target / name, ignore=shutil.ignore_patterns("*.o.[0-9]*", "*.d.[0-9]*"))
    for path in clone.rglob("*"):
        if path.is_file() and target not in path.parents:
            os.utime(path, (1577836800, 1577836800))


if __name__ == "__main__":
    unittest.main()
