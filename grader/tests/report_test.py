"""Tests of the grader's report: pages made from the sample class, and the treatment of malformed results.

Run with: python3 -B grader/tests/report_test.py
"""
from __future__ import annotations

import base64
import contextlib
import copy
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple
from unittest import mock

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import drawing
import report
import results
import sample_class
import wording
from files import is_file_below, read_below, write_whole
from text import clean, clean_line

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "col", "source"}


class Page(HTMLParser):
    """A parsed page. Rejects markup whose elements are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: List[str] = []
        self.elements: List[Tuple[str, Dict[str, Optional[str]]]] = []
        self.words: List[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attributes: Sequence[Tuple[str, Optional[str]]]) -> None:
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        in_drawing = tag == "title" and "svg" in self.open
        self.elements.append(("svg title" if in_drawing else tag, dict(attributes)))
        if tag in ("th", "td", "dt", "dd", "svg title"):
            self.words.append(" ")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Sequence[Tuple[str, Optional[str]]]) -> None:
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, text: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words.append(text)

    def text(self) -> str:
        return re.sub(r"[ \n]+", " ", "".join(self.words))

    def named(self, tag: str) -> List[Dict[str, Optional[str]]]:
        return [attributes for name, attributes in self.elements if name == tag]


class ReportCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)

    def run_report(self, *arguments: str) -> Tuple[int, str, str]:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = report.main([str(self.out), *arguments])
        return status, output.getvalue(), errors.getvalue()

    def write_pages(self, results_json: Optional[Dict[str, Any]] = None, *arguments: str) -> Dict[str, str]:
        """The class's pages by their paths below OUT."""
        sample_class.write(self.out, results_json or sample_class.sample_class())
        status, _, errors = self.run_report(*arguments)
        self.assertEqual((status, errors), (0, ""))
        return {str(path.relative_to(self.out)): path.read_text(encoding="utf-8")
                for path in self.out.rglob("index.html")}


class Pages(ReportCase):
    def test_each_submission_has_a_page_that_the_class_page_links_to(self) -> None:
        pages = self.write_pages()
        links = {link["href"].split("#")[0] for link in Page(pages["index.html"]).named("a")}
        links -= {"", "%2Bsimilarity.html", "%2Breview.html"}
        self.assertEqual(links, set(pages) - {"index.html"})
        self.assertEqual(len(links), 10)

    def test_page_of_a_grading_in_parts_names_the_node(self) -> None:
        results = sample_class.sample_class()
        results["submissions"][0]["node"] = {"name": "gpu<7>", "sandbox": "bubblewrap"}
        pages = self.write_pages(results)
        named = [name for name, page in pages.items() if " on gpu&lt;7&gt;</dd>" in page]
        self.assertEqual(len(named), 1)

    def test_pages_are_well_formed_and_have_one_heading_a_language_and_landmarks(self) -> None:
        for path, text in self.write_pages().items():
            with self.subTest(path):
                page = Page(text)
                self.assertEqual([element["lang"] for element in page.named("html")], ["en"])
                for tag in ("title", "h1", "main", "header", "footer"):
                    self.assertEqual(len(page.named(tag)), 1, tag)
                self.assertTrue(all("scope" in element for element in page.named("th")))
                self.assertEqual(len(page.named("table")), len(page.named("caption")))

    def test_identifiers_are_unique_and_references_meet_one(self) -> None:
        for path, text in self.write_pages().items():
            with self.subTest(path):
                page = Page(text)
                ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
                self.assertEqual(len(ids), len(set(ids)))
                wanted = {attributes["aria-labelledby"] for _, attributes in page.elements
                          if "aria-labelledby" in attributes} | set(re.findall(r"url\(#([^)]*)\)", text))
                self.assertLessEqual(wanted, set(ids))

    def test_nothing_outside_the_page_is_loaded_and_nothing_runs(self) -> None:
        for path, text in self.write_pages().items():
            with self.subTest(path):
                page = Page(text)
                self.assertNotRegex(text, r"(?i)https?:|@import|javascript:")
                self.assertNotRegex(text, r"url\((?!#)")
                for tag, attributes in page.elements:
                    self.assertNotIn(tag, ("img", "iframe", "object", "embed", "link", "base", "form", "audio"))
                    self.assertFalse([name for name in attributes if name.startswith("on") or name == "src"])
                    self.assertNotIn("//", attributes.get("href") or "")
                self.assertEqual(len(page.named("script")), 1 if path == "index.html" else 0)

    def test_the_policy_admits_exactly_the_script_of_the_page(self) -> None:
        text = self.write_pages()["index.html"]
        script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"script-src 'sha256-{digest}'\"", text)

    def test_every_verdict_status_and_kind_appears_in_words(self) -> None:
        every = sample_class.large_class(2 * len(results.VERDICTS))
        for submission, verdict in zip(every["submissions"], 2 * results.VERDICTS):
            submission["verdict"] = verdict
        kinds = iter(kind for kind in results.KINDS if kind)
        for submission in every["submissions"]:
            for check in submission["checks"]:
                if check["status"] == "failed":
                    check["kind"] = next(kinds, "rule")
        self.assertIsNone(next(kinds, None), "too few failed checks to show every kind")
        pages = self.write_pages(every)
        shown = {path: Page(text).text() for path, text in pages.items()}
        for verdict in results.VERDICTS:
            self.assertRegex(shown["index.html"], rf"\b2 {verdict}\b")
        everything = " ".join(shown.values())
        for word in [*results.STATUSES, *wording.KIND_WORDS.values()]:
            self.assertIn(word, everything)
        for submission in results.load_class((self.out / "results.json").read_bytes()).submissions:
            page = shown[f"{submission.directory}/index.html"]
            self.assertIn(submission.verdict.capitalize(), page)
            self.assertIn(" ".join(submission.summary.split()), page)

    def test_hostile_names_are_text(self) -> None:
        pages = self.write_pages()
        shown = " ".join(Page(text).text() for text in pages.values())
        self.assertIn("Bobby \"Tables\" & Sons <script>alert('x')</script><img src=x onerror=alert(1)>", shown)
        self.assertIn("=HYPERLINK(\"//evil.example\";\"click\")\\n+1\\t@SUM(A1)", shown)
        self.assertIn("\\u202egnp.exe\\u202c", shown)
        self.assertIn("bell\\x07 escape\\x1b[31m red\\x00 delete\\x7f half \ufffd pair", shown)
        for text in pages.values():
            self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")

    def test_copies_of_the_solution_and_of_an_earlier_class_are_told(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root, old = Path(name) / "root", Path(name) / "class of 2025"
            for folder, file, text in (("solutions", "lab03.c", sample_class.SOURCE), ("labs", "starter.c", ""),
                                       ("labs", "README.md", "A lesson.\n")):
                path = root / folder / "lab03-arrays" / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            sample_class.write(old, sample_class.sample_class())
            pages = self.write_pages(None, "--root", str(root), "--previous", str(old))
            self.assertIn("3 submissions are</a> much like the workbook\u2019s own solution", pages["index.html"])
            alike = (self.out / "+similarity.html").read_text()
            words = Page(alike).text()
            self.assertIn("ada: 100\u202f% ", words)
            self.assertIn("class of 2025: grace (an earlier class)", words)
            self.assertIn("of earlier classes are compared too", words)
            self.assertRegex(words, r"Groups of three and more .* 6: ")
            (root / "labs/lab03-arrays/README.md").write_text(f"Type this:\n\n```c\n{sample_class.SOURCE}```\n")
            self.write_pages(None, "--root", str(root))
            self.assertIn("No two submissions", (self.out / "+similarity.html").read_text(), "the lesson has it all")

    def test_on_paper_only_the_lines_in_common_are_printed(self) -> None:
        style = self.write_pages()["index.html"]
        self.assertRegex(style, r"(?s)@media print .*\.line\.apart { display: none; }")
        alike = (self.out / "+similarity.html").read_text()
        lines = alike.count('<span class="line"'), alike.count('<span class="line apart"')
        self.assertEqual(lines[0], alike.count('<span class="marked">'))
        self.assertEqual(lines[1], alike.count('<span class="plain">'))
        self.assertGreater(lines[0], lines[1])

    def test_a_grader_fault_is_not_a_zero(self) -> None:
        pages = self.write_pages()
        page = Page(pages["zoe/index.html"]).text()
        self.assertIn("not scored", page)
        self.assertIn("That costs the student no points", page)
        overview = Page(pages["index.html"]).text()
        self.assertIn("1 submission was not graded: the grader failed", overview)
        self.assertIn("full points: 1 of 8 students", overview)
        self.assertIn("Every array is right 20 5 (56\u202f%) 2 2", overview)

    def test_a_missing_file_is_no_0_in_the_class_s_mean(self) -> None:
        pages = self.write_pages()
        overview = Page(pages["index.html"]).text()
        self.assertIn("3 students have not handed in the file, and are not counted here.", overview)

    def test_the_line_of_the_source_is_marked(self) -> None:
        page = self.write_pages()["grace/index.html"]
        self.assertRegex(page, r'<span class="number">→ 12</span><span class="marked">\s+LAB_TRY\(lab_stream_synch')
        self.assertEqual(page.count('class="plain"'), 8)

    def test_a_place_without_a_cause_is_called_a_place(self) -> None:
        page = Page(next(text for path, text in self.write_pages().items() if "gnp.exe" in path)).text()
        self.assertIn("Where: lab03.c:14 in lab03_run", page)
        self.assertNotIn("Likely cause", page)

    def test_a_line_past_the_end_or_an_absent_source_shows_no_excerpt(self) -> None:
        pages = self.write_pages()
        self.assertEqual(pages["html/index.html"].count('<pre class="source"'), 1)
        crash = next(text for path, text in pages.items() if "gnp.exe" in path)
        self.assertNotIn('<pre class="source"', crash)

    def test_mismatches_are_a_table_that_says_how_many_there_are(self) -> None:
        page = Page(self.write_pages()["html/index.html"]).text()
        self.assertIn("The first 8 of 131\u202f072 mismatches", page)
        self.assertIn("array 128, element 7 0.3177 0", page)

    def test_timeline_is_in_the_page_and_a_refused_one_says_why(self) -> None:
        pages = self.write_pages()
        self.assertIn('<svg class="timeline-timeline" viewBox="0 0 960 190" width="960" height="190" '
                      'id="timeline-root" role="img" aria-label="Timeline of the run of ada:', pages["ada/index.html"])
        self.assertIn("stream 1 &gt;&gt;&gt;", " ".join(pages["ada/index.html"].split()))
        self.assertIn('href="trace.json"', pages["ada/index.html"])
        self.assertIn("The drawn timeline is not shown: it holds the element &lt;script&gt;.",
                      pages["html/index.html"])

    def test_a_missing_timeline_is_reported_and_the_text_one_is_open(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        (self.out / "ada" / "timeline.svg").unlink()
        self.run_report()
        page = (self.out / "ada" / "index.html").read_text(encoding="utf-8")
        self.assertIn("not shown: its file is missing or cannot be read.", page)
        self.assertIn("<details open>", page)

    def test_title_replaces_the_heading(self) -> None:
        page = self.write_pages(None, "--title", "Spring <2027>")["index.html"]
        self.assertIn("<h1><bdi>Spring &lt;2027&gt;</bdi></h1>", page)
        self.assertIn("Class report on lab03: 200 arrays at once", page)

    def test_a_class_without_submissions_has_a_page(self) -> None:
        empty = sample_class.sample_class()
        empty["submissions"] = []
        page = Page(self.write_pages(empty)["index.html"]).text()
        self.assertIn("There are no submissions.", page)
        self.assertIn("No submission has a score.", page)

    def test_three_hundred_submissions_are_written(self) -> None:
        pages = self.write_pages(sample_class.large_class(300))
        self.assertEqual(len(pages), 301)
        self.assertIn("300 in sample submissions", Page(pages["index.html"]).text())

    def test_equal_names_get_folders_of_their_own(self) -> None:
        twins = sample_class.sample_class()
        for submission in twins["submissions"]:
            submission["submission"] = {"name": "../..", "file": "lab03.c"}
        directories = [submission.directory for submission in
                       results.load_class(json.dumps(twins).encode()).submissions]
        self.assertEqual(len(set(directories)), 10)
        for directory in directories:
            self.assertRegex(directory, r"^_._..-[0-9a-f]{8}(-\d+)?$")

    def test_an_extra_field_is_accepted(self) -> None:
        more = sample_class.sample_class()
        more["weather"] = more["submissions"][0]["mood"] = {"new": [1, 2]}
        self.assertEqual(len(self.write_pages(more)), 11)


class Colours(unittest.TestCase):
    """Contrast of text with its background, in light and in dark, as WCAG 2 computes it: at least 4.5 to 1."""

    def test_text_has_contrast(self) -> None:
        path = Path(report.__file__).parent / "templates" / "report.css"
        schemes = re.findall(r":root \{(.*?)\}", path.read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(len(schemes), 2)
        for scheme in schemes:
            colour = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", scheme))
            pairs = [(ink, ground) for ink in ("ink", "quiet", "link") for ground in ("page", "panel")]
            for tone in ("good", "bad", "broken", "fault"):
                pairs += [(tone, "page"), (tone, "panel"), (tone, f"{tone}-panel"), ("ink", f"{tone}-panel"),
                          ("link", f"{tone}-panel")]
            for ink, ground in [*pairs, ("ink", "marked")]:
                with self.subTest(ink=ink, ground=ground, page=colour["page"]):
                    self.assertGreaterEqual(contrast(colour[ink], colour[ground]), 4.5)


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


ABSENT = object()


class MalformedResults(ReportCase):
    CASES: Sequence[Tuple[Sequence[Any], Any, str]] = (
        (["schema"], "lab-class/2", 'schema must be one of "lab-class/1", but is the text "lab-class/2"'),
        (["lab"], ABSENT, "lab is missing"),
        (["lab"], "lab03", 'lab must be an object, but is the text "lab03"'),
        (["created"], "yesterday", "created must be a time in UTC"),
        (["created"], "2026-13-40T10:00:00Z", "created must be a time in UTC"),
        (["device", "multiprocessors"], -1, "device.multiprocessors must be a whole number of at least 0"),
        (["grader"], [], "grader must be an object, but is a list"),
        (["seconds"], "41", "seconds must be a number"),
        (["submissions"], {}, "submissions must be a list, but is an object"),
        (["submissions", 2], None, "submissions[2] must be an object, but is null"),
        (["submissions", 0, "schema"], ABSENT, "submissions[0].schema is missing"),
        (["submissions", 0, "submission", "name"], 7, "submissions[0].submission.name must be a text"),
        (["submissions", 0, "submission", "directory"], "..", "submission.directory must be the name of one folder"),
        (["submissions", 0, "submission", "directory"], "a/b", "submission.directory must be the name of one folder"),
        (["submissions", 0, "submission", "directory"], "HTML", "which another submission has already"),
        (["submissions", 1, "verdict"], "splendid", "submissions[1].verdict must be one of"),
        (["submissions", 1, "points"], -1.5, "submissions[1].points must be a number of at least 0"),
        (["submissions", 1, "points"], True, "submissions[1].points must be a number"),
        (["submissions", 1, "points"], 10**30, "submissions[1].points must be a number of at least 0 and at most"),
        (["submissions", 1, "points"], 101, "submissions[1].points must be at most max_points, which is 100"),
        (["submissions", 1, "seconds"], float("inf"), "Infinity is not a number in JSON"),
        (["submissions", 1, "seed"], True, "submissions[1].seed must be a text"),
        (["submissions", 1, "build", "ok"], 1, "submissions[1].build.ok must be true or false"),
        (["submissions", 1, "checks", 3, "status"], "maybe", "submissions[1].checks[3].status must be one of"),
        (["submissions", 1, "checks", 3, "kind"], "odd", "submissions[1].checks[3].kind must be one of"),
        (["submissions", 1, "checks", 3, "location", "line"], "12", "checks[3].location.line must be a whole number"),
        (["submissions", 1, "checks", 3, "mismatches"], None, "checks[3].mismatches must be a list, but is null"),
        (["submissions", 0, "timings", 0, "who"], "mine", 'timings[0].who must be one of "yours", "reference"'),
        (["submissions", 0, "timings", 0, "median_ms"], None, "timings[0].median_ms must be a number, but is null"),
        (["submissions", 0, "ratios", 1, "yours"], "x", "ratios[1].yours must be a number"),
        (["submissions", 0, "artifacts", "trace"], "/etc/passwd", "artifacts.trace must be a path below the folder"),
        (["submissions", 0, "artifacts", "timeline_svg"], "a/../../b", "artifacts.timeline_svg must be a path below"),
        (["submissions", 0, "output_truncated"], "no", "output_truncated must be true or false"),
    )

    def assert_refused(self, data: bytes, message: str) -> None:
        (self.out / "results.json").write_bytes(data)
        status, output, errors = self.run_report()
        self.assertEqual((status, output), (2, ""))
        self.assertIn(message, errors)
        self.assertEqual(errors.count("\n"), 1)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["results.json"])

    def test_each_wrong_field_is_named_and_nothing_is_written(self) -> None:
        whole = sample_class.sample_class()
        for path, value, message in self.CASES:
            with self.subTest("/".join(map(str, path)), value=value):
                broken = copy.deepcopy(whole)
                target: Any = broken
                for step in path[:-1]:
                    target = target[step]
                if value is ABSENT:
                    del target[path[-1]]
                else:
                    target[path[-1]] = value
                self.assert_refused(json.dumps(broken).encode(), message)

    def test_invalid_json_is_reported_as_such(self) -> None:
        for data, message in ((b"", "not JSON"), (b'{"schema": ', "not JSON"), (b"\xff\xfe", "not UTF-8"),
                              (b"[" * 200000, "nested too deeply"), (b"[]", "the file must be an object"),
                              (b'{"schema": NaN}', "NaN is not a number"), (b"9" * 5000, "the file")):
            with self.subTest(data[:20]):
                self.assert_refused(data, message)

    def test_a_message_stays_on_one_line_whatever_the_file_holds(self) -> None:
        broken = sample_class.sample_class()
        broken["submissions"][0]["verdict"] = "a\nb\x1b[31m" + "x" * 5000
        self.assert_refused(json.dumps(broken).encode(), 'is the text "a\\nb\\x1b[31mxxx')

    def test_a_missing_file_is_named(self) -> None:
        status, _, errors = self.run_report()
        self.assertEqual(status, 2)
        self.assertRegex(errors, r"^report.py: cannot read .*results\.json: No such file or directory\n$")


class Files(ReportCase):
    def test_a_page_that_cannot_be_put_in_place_leaves_the_old_one(self) -> None:
        page = self.out / "index.html"
        page.write_text("old", encoding="utf-8")
        with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
            self.assertRaises(OSError, write_whole, page, "new")
        self.assertEqual([path.name for path in self.out.iterdir()], ["index.html"])
        self.assertEqual(page.read_text(encoding="utf-8"), "old")

    def test_a_reader_never_sees_a_part(self) -> None:
        seen: List[str] = []
        page = self.out / "index.html"
        page.write_text("old", encoding="utf-8")
        replace = os.replace

        def look_then_replace(source: Path, target: Path) -> None:
            seen.append(page.read_text(encoding="utf-8"))
            self.assertEqual(Path(source).read_text(encoding="utf-8"), "new")
            replace(source, target)

        with mock.patch("os.replace", look_then_replace):
            write_whole(page, "new")
        self.assertEqual((seen, page.read_text(encoding="utf-8")), (["old"], "new"))

    def test_a_page_that_cannot_be_written_is_one_sentence(self) -> None:
        sample_class.write(self.out, sample_class.sample_class())
        (self.out / "index.html").mkdir()
        status, output, errors = self.run_report()
        self.assertEqual((status, output), (1, ""))
        self.assertRegex(errors, r"^report.py: cannot write .*index\.html: Is a directory\n$")

    def test_only_plain_files_below_the_folder_are_read(self) -> None:
        inside = self.out / "inside"
        inside.mkdir()
        (self.out / "secret").write_bytes(b"secret")
        (inside / "plain").write_bytes(b"plain")
        (inside / "link").symlink_to(self.out / "secret")
        (inside / "loop").symlink_to("loop")
        os.mkfifo(inside / "pipe")
        self.assertEqual(read_below(inside, "plain", 5), b"plain")
        for path in ("../secret", str(self.out / "secret"), "link", "loop", "pipe", ".", "absent", "a\0b"):
            with self.subTest(path):
                self.assertIsNone(read_below(inside, path, 100))
                self.assertFalse(is_file_below(inside, path))
        self.assertIsNone(read_below(inside, "plain", 4))


class Drawings(unittest.TestCase):
    def svg(self, inside: str, attributes: str = "") -> str:
        text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" {attributes}>{inside}</svg>'
        return drawing.page_drawing(text.encode(), "one", "label")

    def test_what_runs_loads_or_points_outside_is_refused(self) -> None:
        link = 'xmlns:l="http://www.w3.org/1999/xlink"'
        for inside, attributes in (
                ("<script>x</script>", ""), ("<foreignObject/>", ""), ("<image href='a.png'/>", ""), ("<a/>", ""),
                ("<animate attributeName='x'/>", ""), ("<title><g/></title>", ""), ("<b xmlns='other'/>", ""),
                ("", "onload='x'"), ("<rect onclick='x'/>", ""), ("<use href='other.svg#a'/>", ""),
                ("<use l:href='//host/a'/>", link), ("<use href='javascript:x'/>", ""), ("<use href='other'/>", ""),
                ("<rect fill='red\\'/>", ""),
                ("<rect fill='url(//host/a)'/>", ""), ("<rect fill='url(&quot;x&quot;)'/>", ""),
                ("<rect style='fill:url(http://host)'/>", ""), ("<rect style='fill:ur\\6c(x)'/>", ""),
                ("<rect style='position:fixed'/>", ""), ("<rect style='fill:image-set(x)'/>", ""),
                ("<style>@import 'x';</style>", ""), ("<style>@font-face{src:url(x)}</style>", ""),
                ("<style>rect{background:url(x)}</style>", ""), ("<style>svg + p{fill:red}</style>", ""),
                ("<style>svg ~ main{display:none}</style>", ""), ("<style>rect{fill:red</style>", ""),
                ("<style>@media (width){rect{fill:red}}</style>", ""), ("<style>p:has(a){fill:red}</style>", ""),
                ("<rect id='a b&quot;'/>", ""), ("<g>" * 40 + "</g>" * 40, "")):
            with self.subTest(inside[:40], attributes=attributes):
                self.assertRaises(drawing.Refused, self.svg, inside, attributes)

    def test_anything_but_a_drawing_is_refused(self) -> None:
        for data in (b"", b"<svg>", b"<svg/>", b"\xff", b"<html xmlns='http://www.w3.org/1999/xhtml'/>",
                     b'<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>',
                     b" " * (drawing.DRAWING_LIMIT + 1)):
            with self.subTest(data[:30]):
                self.assertRaises(drawing.Refused, drawing.page_drawing, data, "one", "label")

    def test_names_are_prefixed_wherever_they_are_used(self) -> None:
        markup = self.svg('<style>.bar, #a text{fill:url(#a)}</style><g id="a" class="bar big" fill="url( #a )" '
                          'style="clip-path: url(#a)"/><use href="#a"/>')
        self.assertIn("#one-root.one-bar,#one-root .one-bar,#one-root#one-a text,#one-root #one-a text"
                      "{fill:url(#one-a)}", markup)
        self.assertIn('<g id="one-a" class="one-bar one-big" fill="url(#one-a)" style="clip-path:url(#one-a)">', markup)
        self.assertIn('<use href="#one-a">', markup)

    def test_style_rules_reach_only_into_the_drawing_and_dark_ones_not_onto_paper(self) -> None:
        markup = self.svg("<style>/* } */ :root{--a: #fff} svg{background:var(--a)}"
                          "@media (prefers-color-scheme: dark){ :root{--a:#000} text{fill:#fff} }</style>")
        self.assertIn("<style>#one-root{--a:#fff}\n#one-root{background:var(--a)}\n@media screen and "
                      "(prefers-color-scheme: dark){#one-root{--a:#000}#one-root text{fill:#fff}}</style>", markup)
        self.assertIn("@media screen and (max-width:480px){#one-root.one-n,#one-root .one-n{display:none}}",
                      self.svg("<style>@media(max-width:480px){.n{display:none}}</style>"))

    def test_runs_of_marks_come_out_as_if_each_had_been_read(self) -> None:
        mark = '<rect class="s" x="1.5" y="-2" width="3" height="4"><title>copy, 3 \u00b5s\nlab03.c:46</title></rect>'
        text = "<g>" + "\n".join([mark] * 3) + "</g>" + mark
        read = self.svg(text)
        with mock.patch.object(drawing, "_MARKS", re.compile("(?!)")):
            self.assertEqual(read, self.svg(text))
        self.assertEqual(read.count('<rect class="one-s" x="1.5"'), 4)
        for trick in (f"<style>{mark}</style>", f"<title>{mark}</title>", "<marks run='0'/>", "<marks run='x'/>",
                      mark.replace("<title>", "<title x='"), f"<g a='{mark}'/>"):
            with self.subTest(trick[:20]):
                self.assertRaises(drawing.Refused, self.svg, trick)

    def test_text_stays_text(self) -> None:
        markup = self.svg("<text>a &lt;b&gt; &amp; \u202ec</text>")
        self.assertIn("<text>a &lt;b&gt; &amp; \\u202ec</text>", markup)


class Words(unittest.TestCase):
    def test_text_is_made_visible_and_bounded(self) -> None:
        self.assertEqual(clean("a\r\nb\tc\x1b\u2066\ud800", 100), "a\nb\tc\\x1b\\u2066\ufffd")
        self.assertEqual(clean("\u05d0\u200f\u200d\U0001f600", 100), "\u05d0\u200f\u200d\U0001f600")
        self.assertEqual(clean("x" * 2000, 4), "xxxx\u2026 (1,996 more characters)")
        self.assertEqual(clean_line("a\nb\tc", 100), "a\\nb\\tc")

    def test_numbers_read_well(self) -> None:
        values = (0, 0.0001, 0.0123, 1.004, 70.12, 1234.5)
        self.assertEqual([wording.measure(value) for value in values],
                         ["0", "< 0.001", "0.012", "1.00", "70.1", "1\u202f234"])
        self.assertEqual([wording.duration(value) for value in (0.21, 41, 59.99, 200, 7300)],
                         ["210\u202fms", "41.0\u202fs", "60.0\u202fs", "3\u202fmin 20\u202fs", "2\u202fh 1\u202fmin"])
        self.assertEqual(wording.ratio(None), "not measured")

    def test_times_are_in_the_courses_zone_with_its_name(self) -> None:
        due = datetime(2026, 11, 20, 22, 59, tzinfo=timezone.utc)
        self.assertEqual(wording.moment(due), "20 November 2026, 22:59 UTC")
        self.assertEqual(wording.moment(due, "Europe/Berlin"), "20 November 2026, 23:59 Europe/Berlin")
        self.assertEqual(wording.moment(due, "Nowhere/At all"), "20 November 2026, 22:59 UTC")
        for text in ("2026-11-20 23:59", "2026-11-20 14:59:07 -0800", "2026-11-20T22:59:00.5Z",
                     "2026-11-21 4:29 +05:30"):
            self.assertEqual(wording.submitted(text, "Europe/Berlin"), "20 November 2026, 23:59 Europe/Berlin")
            self.assertEqual(wording.submitted(text, ""), text)
        for text in ("", "yesterday", "2026-13-40 10:00"):
            self.assertEqual(wording.submitted(text, "Europe/Berlin"), text)

    def test_text_is_shortened_between_words(self) -> None:
        self.assertEqual(wording.shortened("one two  three", 9), "one two\u2026")
        self.assertEqual(wording.shortened("x" * 20, 9), "xxxxxxxxx\u2026")
        self.assertEqual(wording.shortened("short", 9), "short")


class Attempts(unittest.TestCase):
    def page(self, **more: Any) -> str:
        results = sample_class.sample_class()
        results["submissions"][1].update(more)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            sample_class.write(out, results)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(report.main([str(out)]), 0)
            self.lab_page = (out / "index.html").read_text()
            return (out / "grace" / "index.html").read_text()

    def test_a_students_page_lists_the_attempts_and_says_which_counts_and_why(self) -> None:
        def attempt(number: int, **more: Any) -> Dict[str, Any]:
            return {"number": number, "submitted": f"2026-11-2{number} 10:00", "counts": False, "verdict": "failed",
                    "points": 30, "max_points": 100, "directory": "", **more}
        page = self.page(
            late={"days": 2, "percent": 20, "points": 64}, attempts_rule="attempt 2 of 3 counts: the most points",
            attempts=[attempt(1, verdict="", points=None, max_points=None),
                      attempt(2, counts=True, late={"days": 2, "percent": 20, "points": 64}), attempt(3)])
        table = re.search(r'id="attempts">.*?</table>', page, re.S)[0]
        rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr.*?</tr>", table, re.S)[1:]]
        self.assertEqual(rows[0], ["1", "2026-11-21", "10:00", "kept,", "not", "graded", "\u2013", "\u2013", "\u2013"])
        self.assertEqual(rows[1][:2], ["2", "counts"])
        self.assertEqual(rows[1][-2:], ["2", "64"])
        self.assertIn("Attempt 2 of 3 counts: the most points.", table)
        self.assertIn("2 days late, 20 percent off: 64 of 100 points count.", page)
        self.assertRegex(page, r'<p class="score"><b>64</b> / 100 points</p>')
        self.assertIn("<b>64</b> / 100<small>2 days late</small><small>by checks: 80 / 100</small>", self.lab_page)

    def test_the_class_page_says_who_is_late_who_is_missing_and_what_was_left_out(self) -> None:
        self.page()
        words = Page(self.lab_page).text()
        self.assertIn("Due 17 November 2026, 22:59 UTC; 9 submissions have no known time and count as on time", words)
        self.assertIn("1 late Choose them in the table hang: 3 days, 0\u202f% off", words)
        self.assertIn("2 absent Choose them in the table Nobody", words)
        self.assertIn("(4711) 4712", words)
        self.assertIn("1 note on the submissions grace.rar: is no archive <script>", words)

    def test_a_persons_word_stands_on_both_pages_beside_the_graders_points(self) -> None:
        results = sample_class.sample_class()
        results["not_handed_in"] = [{"id": "18", "name": "Grace Absent", "email": "", "section": ""}]
        sample_class.adjust(results["submissions"][1], 72.5, "72.5 points", comment="Well argued.", resubmission=True)
        sample_class.adjust(results["submissions"][0], None, "excused", excused=True)
        sample_class.adjust(results["not_handed_in"][0], 40, "40 points")
        with tempfile.TemporaryDirectory() as folder:
            sample_class.write(Path(folder), results)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(report.main([folder, "--jobs", "1"]), 0)
            texts = {name: " ".join(Page((Path(folder) / name / "index.html").read_text("utf-8")).text().split())
                     for name in (".", "grace", "ada", "18")}
        for words in ("72.5 / 100 points", "By a person’s word, below. You may hand in again.", "80 of 100",
                      "by ann on 22 November 2026, 10:00 UTC: a reason", "Well argued."):
            self.assertIn(words, texts["grace"])
        self.assertIn("excused All 8 checks passed. By a person’s word", texts["ada"])
        self.assertIn("40 / 100 points Nothing was handed in. By a person’s word", texts["18"])
        self.assertIn("3 results", texts["."])
        self.assertIn("72.5 of 100 (72.5 points by ann: a reason)", texts["."])

    def test_a_late_submission_that_the_grader_failed_on_is_late_and_has_no_score(self) -> None:
        self.page(verdict="grader fault", late={"days": 1, "percent": 10, "points": 0})
        self.assertIn("<small>1 day late</small>", self.lab_page)

    def test_the_pairs_most_alike_are_named_and_lead_to_their_lines(self) -> None:
        self.page()
        section = re.search(r'id="similar">.*?</section>', self.lab_page, re.S)[0]
        self.assertIn('<a href="%2Bsimilarity.html#pair-1"><bdi>ada</bdi> and <bdi>grace</bdi></a>: 100', section)

    def test_faults_of_one_cause_are_reported_once(self) -> None:
        self.page(verdict="grader fault", summary="The checks could not read the record: no space left on the device.")
        told = re.search(r'<section class="notice fault".*?</section>', self.lab_page, re.S)[0]
        self.assertEqual(told.count("no space left"), 1)
        self.assertEqual(re.findall(r"<bdi>(.*?)</bdi>", told), ["grace", "zoe"])

    def test_a_class_without_such_facts_has_no_such_section(self) -> None:
        results = sample_class.sample_class()
        for field in ("course", "intake", "not_handed_in"):
            del results[field]
        del next(result for result in results["submissions"] if "late" in result)["late"]
        with tempfile.TemporaryDirectory() as folder:
            sample_class.write(Path(folder), results)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(report.main([folder]), 0)
            page = (Path(folder) / "index.html").read_text()
            self.assertNotIn('id="handed-in"', page)
            self.assertNotIn('data-pick="late"', page)
            self.assertNotIn('id="progress"', page)

    def test_a_students_name_in_the_roster_stands_beside_the_submissions(self) -> None:
        submission = {"name": "grace", "file": "lab03.c", "directory": "grace",
                      "student": {"id": "17", "name": "Grace <b>", "email": "g@example.edu", "section": "A"}}
        self.page(submission=submission)
        self.assertIn("<small><bdi>Grace &lt;b&gt;, 17, A</bdi></small>", self.lab_page)
        late = self.page(submission=submission, late={"days": 1, "percent": 10, "points": 70}, review=["look"])
        self.assertIn("<dt>Student</dt><dd><bdi>Grace &lt;b&gt;, 17, A</bdi></dd>", late)
        self.assertIn("<bdi>grace (Grace &lt;b&gt;)</bdi></a>: 1 day", self.lab_page)
        self.assertIn("<bdi>grace (Grace &lt;b&gt;)</bdi></a>: look", self.lab_page)
        self.assertIn("<bdi>ada</bdi> and <bdi>grace (Grace &lt;b&gt;)</bdi></a>: 100", self.lab_page)

    def test_the_class_page_says_why_a_file_does_not_build(self) -> None:
        self.page(verdict="build error", summary="lab03.c does not build: lab03.c:2:1: error: b", points=0,
                  checks=sample_class.not_run_after(0))
        row = re.search(r'<tr role="row" id="row-2".*?</tr>',
                        self.lab_page, re.S)[0]
        self.assertIn('class="trouble">lab03.c does not build: lab03.c:2:1: error: b</td>', row)

    def test_an_id_that_is_the_submissions_name_is_not_repeated(self) -> None:
        self.assertEqual(wording.words_beside("17", results.Student("17", "Ada", "", "")), "Ada")

    def test_a_students_page_names_no_other_student(self) -> None:
        everybody = [result["submission"]["name"] for result in sample_class.sample_class()["submissions"]]
        page = self.page()
        for name in ("ada", "hang", "leaky", "zoe"):
            self.assertIn(name, everybody)
            self.assertNotRegex(page, rf"\b{name}\b")

    def test_advice_leads_to_the_check_to_begin_with(self) -> None:
        page = self.page()
        self.assertIn('Begin with <a href="#check-4">Copies overlap kernels</a>.', page)
        self.assertEqual(page.count('id="check-4"'), 1)

    def test_modelled_times_have_a_scale_of_their_own(self) -> None:
        def timing(label: str, milliseconds: float, samples: int) -> Dict[str, Any]:
            return {"label": label, "who": "yours", "median_ms": milliseconds, "min_ms": milliseconds,
                    "max_ms": milliseconds, "samples": samples}
        page = self.page(timings=[timing("serial", 10, 3), timing("serial, modelled on h200", 2000, 1)])
        self.assertEqual(re.findall(r'<rect class="yours" y="2" width="(.*?)%"', page), ["100.00", "100.00"])
        self.assertIn("to one scale for what was measured and to another for what was modelled", page)
        self.assertIn('data-label="Range" class="numeric">\u2013</td>', page)
        self.assertNotIn("to one scale", self.page())

    def test_one_attempt_is_not_a_table(self) -> None:
        self.assertNotIn('id="attempts"', self.page())

    def test_an_impossible_time_is_shown_to_a_person_and_unstable_ones_are_marked(self) -> None:
        timings = copy.deepcopy(sample_class.sample_class()["submissions"][1]["timings"])
        timings[0].update(impossible=True, bound_ms=70.5, stable=True)
        timings[1].update(stable=False)
        page = self.page(timings=timings, review=["serial took 0.1 ms <b>"])
        self.assertIn("For a person to look at", page)
        self.assertIn("serial took 0.1 ms &lt;b&gt;", page)
        self.assertIn("(impossible: at least 70.5 are needed)", page)
        self.assertEqual(page.count("(unstable)"), 1)
        self.assertIn("serial took 0.1 ms", self.lab_page)
        self.assertNotIn("For a person", self.page())


if __name__ == "__main__":
    unittest.main()
