"""Tests of what the slides are made with: faults and their sentences, the parts of C files, the rules of the check.

Run with: python3 -B slides/tests/build_test.py
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "slides/tools")]

import check  # noqa: E402
import deck as decks  # noqa: E402
import figure  # noqa: E402
import source  # noqa: E402
import texts  # noqa: E402

TEMPLATE = (ROOT / "slides/template.md").read_text("utf-8")
FRONT = "---\ntitle: A title\nminutes: 20\n---\n\n"


class InTheTree(unittest.TestCase):
    """Each test runs in a folder that has the workbook's files, and slides of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for name in ("Makefile", "lib", "grader", "labs", "solutions"):
            Path(name).symlink_to(ROOT / name)
        for name in ("figures", "records", "drawings", "programs"):
            Path("slides", name).mkdir(parents=True)
        for path in ("tools", "slides.mk", "record.mk", "template.md", "theme", "playground", "AUTHORING.md"):
            if (ROOT / "slides" / path).exists():
                Path("slides", path).symlink_to(ROOT / "slides" / path)
        shutil.copy(ROOT / "slides/drawings/template.svg", "slides/drawings")

    def faults(self, text: str, draft: bool = False) -> List[str]:
        """What the build says about a deck."""
        Path("slides/try.md").write_text(text, "utf-8")
        deck = decks.read_deck("slides/try.md")
        decks.Writer(deck, draft).slides()
        for slide in deck.slides:
            decks.broken_links(deck, slide.lines)
        return deck.faults

    def of_slide(self, text: str, draft: bool = False) -> str:
        """The only fault of a deck with this slide, without the deck's name."""
        faults = self.faults(FRONT + "## A slide\n\n" + text, draft)
        self.assertEqual(len(faults), 1, faults)
        return faults[0].replace("slides/try.md:", "")


class Faults(InTheTree):
    def test_a_deck_without_a_fault_has_none(self) -> None:
        self.assertEqual(self.faults(TEMPLATE), [])
        self.assertEqual(self.faults(FRONT + "## A slide\n\nText, `![](figure:no)` and\n\n```\n## no slide\n```\n"), [])

    def test_front_matter_is_read_strictly(self) -> None:
        for text, says in (("## A\n", ":1: a deck begins with its title"),
                           ("---\ntitle: A\n---\n", ":1: the deck has no minutes"),
                           ("---\nminutes: 20\n---\n", ":1: the deck has no title"),
                           ("---\ntitle: A\nminutes: long\n---\n", ":1: the deck has no minutes"),
                           ("---\ntitle: A\ntitle: B\nminutes: 20\n---\n", ':3: "title: B" cannot stand here'),
                           ("---\ntitle: A\nmints: 20\nminutes: 20\n---\n", ':3: "mints: 20" cannot stand here'),
                           ("---\ntitle: A\nminutes: 20\nlab: lab99\n---\n", ":1: there is no lab99"),
                           (FRONT + "Text\n", ":6: text before the first slide"),
                           (FRONT + "## A\n\n# B\n", ":8: a heading of level 1")):
            with self.subTest(text):
                self.assertIn(says, "\n".join(self.faults(text)))

    def test_titles_and_classes_of_slides(self) -> None:
        for text, says in (("## A {.idae}\n", ":6: there is no part .idae; did you mean idea "),
                           ("## A {.zzz}\n", "there is no part .zzz: there are question, idea"),
                           ("## A {style=x}\n", ":6: a slide takes no style"),
                           ("## A {.idea oops}\n", 'cannot read "oops"'),
                           ("## A\n\n## A\n", ':8: a second slide is called "A"'),
                           ("## {.idea}\n", ":6: a slide without a title")):
            with self.subTest(text):
                self.assertIn(says, "\n".join(self.faults(FRONT + text)))

    def test_a_link_to_the_playground_names_one_of_its_programs(self) -> None:
        said = self.of_slide("Text.\n[Try it.](playground:lab2)\n")
        self.assertRegex(said, '9: the playground has no program "lab2"; did you mean .*lab02')

    def test_a_link_to_the_playground_is_left_out_where_that_is_not_built(self) -> None:
        lines = [(1, "It is wrong."), (2, "[Try it.](playground:lab02)")]
        for there, last in ((False, ""), (True, " [Try it.](playground.html#puzzle=lab02)")):
            writer = decks.Writer(decks.Deck("slides/try.md"), playground=there)
            self.assertEqual(writer.markdown(lines), ["It is wrong.", last])

    def test_includes(self) -> None:
        lab, events = "solutions/lab02-events/lab02.c", "solutions/lab02-events/lab02.c#lab02_rerecord"
        for attributes, says in (
                (f'include="{lab}#lab02_pipelin"', f"8: {lab} defines no lab02_pipelin; did you mean lab02_pipeline"),
                ('include="solutions/lab02-events/lab2.c"', "lab02-events/lab2.c; did you mean lab02.c?"),
                (f'include="{events}" mark="no such text"', 'mark="no such text" is in none of the'),
                (f'include="{events}" from="no such text"', 'from="no such text" is in no lines'),
                (f'include="{events}" from="LAB_TRY"', 'from="LAB_TRY" is in '),
                (f'include="{events}" to="no such text"', 'to="no such text" is in no line'),
                (f'include="{lab}"', "lines: 24 fit on a slide"),
                (f'inclde="{lab}"', "code takes no inclde"),
                (f'include="{events}" comment=no', "comment is yes, or left out"),
                ('from="a"', "from belongs to an include"),
                ('record="no-record.cpu"', "there is no record slides/records/no-record.cpu.json")):
            with self.subTest(attributes):
                self.assertIn(says, self.of_slide(f"``` {{.c {attributes}}}\n```\n"))
        self.assertIn("has no lines of its own", self.of_slide(f'``` {{.c include="{events}"}}\nint a;\n```\n'))
        self.assertIn("has no end", self.of_slide("``` {.c}\nint a;\n"))
        self.assertIn("without a line", self.of_slide("``` {.c}\n```\n"))
        self.assertIn("123 columns", self.of_slide("``` {.c}\n" + "a" * 123 + "\n```\n"))

    def test_figures_drawings_and_notes(self) -> None:
        for text, says in (("![Words.](figure:no)\n", "8: there is no figure slides/figures/no.json"),
                           ("![Words.](drawing:templat)\n", "drawings/templat.svg; did you mean template.svg?"),
                           ("![](drawing:template)\n", "drawing:template has no alt text"),
                           ("Text ![Words.](drawing:template) text\n", "is a paragraph of its own"),
                           ("![Words.](template.md)\n", "is a paragraph of its own"),
                           ("::: notes\nText\n", "8: the notes have no end")):
            with self.subTest(text):
                self.assertIn(says, self.of_slide(text))
        Path("slides/drawings/bad.svg").write_text("<svg></svg>")
        self.assertIn("no SVG with a viewBox", self.of_slide("![Words.](drawing:bad)\n"))

    def test_recipes_and_records(self) -> None:
        recipe = Path("slides/figures/try.json")
        for text, says in (("{", "slides/figures/try.json is not JSON"), ("{}", 'has no "records"'),
                           ('{"records": []}', 'has no "records"'),
                           ('{"records": ["no.cpu"]}', "there is no record slides/records/no.cpu.json: make it with")):
            recipe.write_text(text)
            with self.subTest(text):
                self.assertIn(says, self.of_slide("![Words.](figure:try)\n"))
        Path("slides/records/try.cpu.json").write_text('{"text": "a", "runs": []}')
        self.assertIn('no text "finding"; it has text', self.of_slide('``` {.text record="try.cpu#finding"}\n```\n'))

    def test_a_draft_has_a_box_for_what_is_not_there_yet(self) -> None:
        text = '## A\n\n![Words.](figure:no)\n\n``` {.text record="no"}\n```\n'
        self.assertEqual(self.faults(FRONT + text, True), [])
        self.assertIn("has no alt text", self.of_slide("![](figure:no)\n", True))

    def test_links(self) -> None:
        for link, says in (("../labs/lab02-event/README.md", "leads to no file"),
                           ("template.md#no-such-slide", "leads to no heading"),
                           ("#no-such-slide", "leads to no heading")):
            with self.subTest(link):
                self.assertIn(f"8: {link} {says}", self.of_slide(f"[text]({link})\n"))
        links = "[a](#a) [b](template.md#run-it-now) [c](https://nvidia.com)\n"
        self.assertEqual(self.faults(FRONT + "## A\n\n" + links), [])

    def test_faults_end_the_build_and_are_said_all(self) -> None:
        Path("slides/try.md").write_text(FRONT + "## A {.b}\n\n![](figure:a)\n\n[a](b.md)\n", "utf-8")
        Path("fonts.css").write_text("")
        for draft, status in (("", 1), ("1", 0 if shutil.which("pandoc") else 1)):
            done = subprocess.run([sys.executable, "-B", "slides/tools/build.py", "deck", "slides/try.md", "try.html"],
                                  env={**os.environ, "DRAFT": draft}, stderr=subprocess.PIPE, encoding="utf-8")
            self.assertEqual((done.returncode, Path("try.html").exists()), (status, not status), done.stderr)
            for line in (6, 8, 10):
                self.assertIn(f"slides/try.md:{line}: ", done.stderr)

    def test_a_missing_program_names_setup(self) -> None:
        Path("slides/try.md").write_text(FRONT + "## A\n", "utf-8")
        Path("fonts.css").write_text("")
        for program, command in (("pandoc", ["slides/tools/build.py", "deck", "slides/try.md", "try.html"]),
                                 ("fonts", ["slides/tools/fonts.py", "fonts.css"]),
                                 ("Chromium", ["lib/tools/browser.py", "try.html", "try.pdf"])):
            done = subprocess.run([sys.executable, "-B", *command],
                                  env={**os.environ, "PATH": "/nowhere"}, stderr=subprocess.PIPE, encoding="utf-8")
            with self.subTest(program):
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr.strip(),
                                 rf"\A[^\n]*{program}[^\n]*'make setup FOR=(slides|workbook)'[^\n]*\Z")


class Rules(InTheTree):
    """The template keeps every rule of the check; each change breaks the one that is named."""

    def of_rule(self, rule: str, text: str) -> str:
        Path("slides/try.md").write_text(text, "utf-8")
        return "\n".join(f"{line}: {said}" for line, said in getattr(check, rule)(decks.read_deck("slides/try.md")))

    def test_each_fault_is_seen(self) -> None:
        title = re.compile("^## ", re.M)
        for rule, old, new, says in (
                ("builds", "drawing:template", "drawing:no", "there is no drawing"),
                ("parts", " {.idea}", "", "1: the deck has no slide .idea"),
                ("parts", "{.words}", "{.idea}", "a slide .idea stands after a slide .questions"),
                ("length", "## The answer {.idea}\n", "", "the deck has 11 slides with its title, and not 12 to 20"),
                ("length", "minutes: 20", "minutes: 45", "does not take 5 to 25 minutes"),
                ("words", "The rule, in one sentence.", "word " * 90, "words, more than 90"),
                ("words", "A figure drawn", "word " * 70, "words, more than 70"),
                ("notes", "**Ask.** Who has relied on this before?", "", "the slide has no notes"),
                ("questions", '3. A question that begins with "A colleague says".', "", "has 2 questions that begin"),
                ("questions", "3. The answer.", "", "has 2 answers in the notes that begin"),
                ("commands", "make labNN\n", "make lab77\n", "make has no goal lab77; did you mean"),
                ("commands", "make labNN\n", "make labNN DEVIC=cpu\n", "no variable DEVIC; did you mean DEVICE"),
                ("commands", "**Say.** What is given", "In lib/docs/no.md and", "there is no lib/docs/no.md")):
            with self.subTest(rule=rule, says=says):
                self.assertIn(old, TEMPLATE)
                self.assertEqual(self.of_rule(rule, TEMPLATE), "")
                self.assertIn(says, self.of_rule(rule, TEMPLATE.replace(old, new, 1)))
        self.assertGreater(len(title.findall(TEMPLATE)), 10)

    def test_a_lab_has_a_deck_and_a_deck_a_lab(self) -> None:
        def together() -> str:
            every = [decks.read_deck(str(path)) for path in sorted(Path("slides").glob("*[!G].md"))]
            return "\n".join(check.together(every, ["labs/lab00-measure", "labs/labNN-template"]))
        self.assertIn("labs/lab00-measure: the lab has no deck slides/00-measure.md", together())
        Path("slides/00-measure.md").write_text(TEMPLATE, "utf-8")
        self.assertIn("slides/00-measure.md:1: the deck of labs/lab00-measure has no line lab: lab00", together())
        self.assertIn('slides/template.md:1: slides/00-measure.md is called "The template" too', together())
        Path("slides/00-measure.md").write_text(TEMPLATE.replace("labNN", "lab00").replace("The temp", "T"), "utf-8")
        self.assertEqual(together(), "")
        Path("slides/88-none.md").write_text(TEMPLATE.replace("The template", "None"), "utf-8")
        self.assertIn("slides/88-none.md:1: there is no labs/lab88-none", together())

    def test_what_no_deck_or_lesson_shows_is_found(self) -> None:
        shown = re.search(r"<!-- drawing: ([\w-]+) -->", (ROOT / "labs/lab02-events/README.md").read_text("utf-8"))[1]
        for path in ("slides/figures/a.json", "slides/drawings/b.svg", f"slides/drawings/{shown}.svg",
                     "slides/records/c.cpu.json"):
            Path(path).write_text("{}")
        self.assertEqual(list(check.unused(TEMPLATE)), [
            "slides/figures/a.json: no deck and no lesson shows this figure",
            "slides/drawings/b.svg: no deck and no lesson shows this drawing",
            "slides/records/c.cpu.json: no figure is drawn from this record"])

    def test_a_new_lab_has_a_deck_that_passes(self) -> None:
        for name in ("labs", "solutions"):
            Path(name).unlink()
            shutil.copytree(ROOT / name, name)
        subprocess.run(["bash", "lib/tools/new-lab.sh", "lab88-waves"], check=True, stdout=subprocess.DEVNULL)
        with mock.patch("builtins.print") as said:
            self.assertEqual(check.main(["lab88"]), 0, said.call_args_list)
        self.assertEqual(said.call_args[0], ("8 passed, 0 failed",))
        deck = Path("slides/88-waves.md")
        deck.write_text(deck.read_text("utf-8").replace("{.words}", ""), "utf-8")
        with mock.patch("builtins.print") as said:
            self.assertEqual(check.main(["lab88"]), 1)
        self.assertEqual(said.call_args[0], ("7 passed, 1 failed",))


class Parts(unittest.TestCase):
    """What an include finds in C files."""

    def names(self, text: str) -> List[str]:
        return [f"{'/'.join(sorted(item.names))}: {text[item.start:item.end]}" for item in source.items(text)]

    def test_every_kind_of_definition(self) -> None:
        for text, name in (("int f(int a) { return a; }", "f"), ("struct s { int a; };", "s"),
                           ("int a[2] = {1, 2};", "a"),
                           ("typedef struct { int x; } t;", "t"), ("typedef int (*callback)(int);", "callback"),
                           ("enum e { A, B };", "e"), ("#define M(x) \\\n    ((x) + 1)", "M"), ("static int v;", "v"),
                           ("static void (*const table[])(void) = { f, g };", "table"),
                           ("__global__ void k(float *p) { p[0] = 1; }", "k"), ("int *f(void)\n{\n}", "f")):
            with self.subTest(text):
                self.assertEqual(self.names("/* { */\n" + text + " // }\n"), [f"{name}: {text}"])

    def test_a_definition_comes_before_a_declaration(self) -> None:
        text = "int f(void);\n\nint f(void)\n{\n    return '\"';\n}\n"
        begin, end = source.definition("a.c", text, "f", False)
        self.assertEqual(text[begin:end], "int f(void)\n{\n    return '\"';\n}")

    def test_every_definition_of_the_workbook_is_found_whole(self) -> None:
        """The house format puts a definition's name and its last brace into lines that a pattern finds as well."""
        begins = re.compile(r"^(?:__attribute__\(.*\) )?(?!typedef|struct|union|enum|extern|__attribute__)"
                            r"\w[^;={}#/\n]*?\b(\w+)\([^;{}#]*\)\n\{\n(?:.*\n)*?\}$", re.M)
        types = re.compile(r"^(?:typedef )?(?:struct|union|enum) (?:\w+ )?\{\n(?:[^}\n].*\n|\n)*\} (\w+);", re.M)
        tags = re.compile(r"^(?:struct|union|enum) (\w+) \{\n(?:[^}\n].*\n|\n)*\};", re.M)
        macros = re.compile(r"^# *define (\w+)(?:.*\\\n)*.*", re.M)
        folders = ("lib", "labs", "solutions", "grader/src", "grader/harness", "grader/tests", "slides")
        files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.*"))
                 if path.suffix in (".c", ".h", ".cu") and not {"attacks", "fixtures", "cuda", "labcc"} & {*path.parts}]
        count = 0
        for path in files:
            text = path.read_text("utf-8")
            found = list(source.items(text))
            for match in (match for pattern in (begins, types, tags, macros) for match in pattern.finditer(text)):
                same = [text[item.start:item.end] for item in found if match[1] in item.names and item.defines
                        and item.start == match.start()]
                with self.subTest(path=str(path), name=match[1]):
                    self.assertEqual(len(same), 1)
                    self.assertTrue(match.group().startswith(same[0]), same[0])
                    self.assertRegex(match.group()[len(same[0]):], r"\A *(/[/*].*)?\Z")
                count += 1
        self.assertGreater(len(files), 300)
        self.assertGreater(count, 4000)


class Lessons(unittest.TestCase):
    def test_a_figure_in_letters_follows_the_name_of_a_drawing_or_is_what_a_terminal_prints(self) -> None:
        letters = "one [a]\u2500[b]\n    two [c][d]\n\n    three \u25ba"
        for above, lines in (("Text.", [3]), ("<!-- drawing: x -->", []), ("<!-- figure: x-y -->", []),
                             ("<!-- drawing: x -->\n\nText.", [5])):
            with self.subTest(above):
                self.assertEqual(list(texts.bare_figures(f"{above}\n\n    {letters}\n")), lines)
        self.assertEqual(list(texts.bare_figures("```text\n\u2502\u2588\u2502\n    ][\n```\n\n    int a[2];\n")), [])


class Html(unittest.TestCase):
    def test_colours_change_no_character(self) -> None:
        for path in ("solutions/lab03-concurrency/lab03.c", "lib/include/lab.h", "slides/tools/source.py"):
            text = (ROOT / path).read_text("utf-8")
            shown = source.coloured(text, source.LANGUAGES.get(Path(path).suffix, "c"))
            self.assertEqual(decks.html.unescape(re.sub(r"<[^>]+>", "", shown)), text)

    def test_ids_of_two_figures_differ(self) -> None:
        self.assertEqual(
            figure.with_own_ids('<g id="a"/><use href="#a" fill="url(#a)"/><g aria-labelledby="a b"/>', "p1"),
            '<g id="p1-a"/><use href="#p1-a" fill="url(#p1-a)"/><g aria-labelledby="p1-a b"/>')

    def test_a_table_says_its_rows_and_columns(self) -> None:
        shown = decks.table("<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>", "T")
        for part in ('<caption class="hidden">T</caption>', '<th scope="col">a', '<th scope="row">b',
                     'aria-label="Table: T"'):
            self.assertIn(part, shown)


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
