"""Tests of the built site: where links lead, what is on it, and in headless Chromium how pages look on a phone and on a
wide screen, light and dark, the search, the keyboard, paper, and pages without JavaScript. Without pandoc only those of
headers run, and without Chromium those of links and texts too.

Run with: python3 -B slides/tests/site_test.py
"""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from html import unescape
from pathlib import Path
from typing import Dict, List, Set

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "lib/tools"), str(ROOT / "slides/tools"), str(ROOT / "slides/site")]
sys.path += [str(ROOT / "grader/report")]

import browser  # noqa: E402
import build_site  # noqa: E402
import header  # noqa: E402
import index  # noqa: E402
import lesson as lessons  # noqa: E402
import made  # noqa: E402
import source  # noqa: E402
import terms  # noqa: E402

SITE = made.BUILD / "site"
AUDIT = (ROOT / "lib/tools/audit.js").read_text("utf-8")
MANUAL = ROOT / "lib/include"
KINDS = ["index.html", "search.html", "timelines.html", "slides/index.html", "slides/glossary.html",
         "slides/cheat-sheet.html", "lib/include/lab.h.html", "lib/docs/memcheck.html"]  # all ways of a page to look
# Questions to the search: what is asked, the place that answers it, and how late it may stand.
QUESTIONS = [[part.strip() for part in line.split("|")] for line in
             (ROOT / "slides/tests/search.txt").read_text("utf-8").splitlines() if not line.startswith("#")]

MISSING = [name for name, path in (("pandoc", shutil.which("pandoc")), ("Chromium", browser.found())) if not path]


def setUpModule() -> None:
    if MISSING:
        print(f"site_test.py: not run in part: there is no {' and no '.join(MISSING)} that runs", file=sys.stderr)
    if "pandoc" in MISSING:
        return
    made.make("site")


def pages() -> List[Path]:
    return sorted(SITE.rglob("*.html"))


def public_functions() -> List[str]:
    return subprocess.run([ROOT / "lib/tools/public-functions.sh"], stdout=subprocess.PIPE, encoding="utf-8",
                          check=True).stdout.split()


@unittest.skipIf("pandoc" in MISSING, "there is no pandoc that runs")
class Texts(unittest.TestCase):
    def test_pages_that_are_there_are_not_made_again(self) -> None:
        """Another program of tests may be reading them."""
        made_at = (SITE / "index.html").stat().st_mtime_ns
        made.make("site")
        self.assertEqual((SITE / "index.html").stat().st_mtime_ns, made_at)

    def test_every_link_leads_to_a_page_of_the_site_and_to_an_anchor_in_it(self) -> None:
        ids: Dict[Path, Set[str]] = {page: set(re.findall(r'\bid="([^"]+)"', page.read_text("utf-8")))
                                     for page in pages()}
        broken, count = [], 0
        for page in ids:
            text = re.sub(r"<script>.*?</script>", "", page.read_text("utf-8"), flags=re.S)
            for link in re.findall(r'<[^>]*\s(?:href|src|action)="([^"]*)"', text):
                path, _, name = unescape(link).partition("#")
                if re.match(r"https:|data:", path):
                    continue
                target = Path(os.path.normpath(page.parent / path)) if path else page
                count += 1
                if path.startswith("/") or not target.is_file() or SITE not in target.parents:
                    broken.append(f"{page.relative_to(SITE)}: {link} leads to no page")
                elif name and name not in ids.get(target, set()):
                    broken.append(f"{page.relative_to(SITE)}: {link} leads to no anchor")
        self.assertEqual(broken, [])
        self.assertGreater(count, 2000)

    def test_every_lesson_deck_and_page_of_the_docs_is_there(self) -> None:
        lessons = [path.parent for path in (ROOT / "labs").glob("lab[0-9]*/README.md")]
        home = (SITE / "index.html").read_text("utf-8")
        for lesson in lessons:
            self.assertIn(f'href="labs/{lesson.name}/index.html"', home)
            self.assertTrue((SITE / "labs" / lesson.name / "index.html").is_file())
        for pattern in ("slides/[0-9]*.md", "lib/docs/*.md", "grader/docs/*.md"):
            for path in ROOT.glob(pattern):
                self.assertTrue((SITE / path.relative_to(ROOT)).with_suffix(".html").is_file(), path)
        self.assertGreater(len(lessons), 9)

    def test_all_pages_agree_how_many_weeks_one_person_needs(self) -> None:
        weeks = re.compile(r"(\w+) weeks alone|study alone: (\w+) weeks|course of (\w+) weeks|a plan of (\w+) weeks")
        found = [(page.relative_to(SITE).as_posix(), word) for page in pages()
                 for words in weeks.findall(" ".join(re.sub(r"<[^>]+>", "", page.read_text("utf-8")).split()))
                 for word in words if word]
        self.assertEqual({word for _, word in found}, {"three"}, found)
        decks = (ROOT / "slides/theme/index.html").read_text("utf-8")
        self.assertEqual([one or other for one, other, *_ in weeks.findall(decks)], ["three"])

    def test_a_lesson_shows_drawings_and_recorded_runs_in_place_of_letters(self) -> None:
        shown = 0
        for lesson in sorted((ROOT / "labs").glob("lab[0-9]*/README.md")):
            named = len(re.findall(r"<!-- (?:drawing|figure): ", lesson.read_text("utf-8")))
            text = (SITE / "labs" / lesson.parent.name / "index.html").read_text("utf-8")
            self.assertEqual(text.count('<div class="drawn"'), named, lesson.parent.name)
            self.assertNotRegex(text, "<!-- (drawing|figure)")
            shown += named
        self.assertGreater(shown, 40)

    def test_a_report_links_to_sections_that_the_site_has(self) -> None:
        for folder in sorted(path.parent for path in (ROOT / "labs").glob("lab[0-9]*/contract.txt")):
            lesson = lessons.lesson_of(ROOT, folder.name.partition("-")[0], "site")
            text = (SITE / "labs" / folder.name / "index.html").read_text("utf-8")
            for heading in lesson.sections:
                page, _, anchor = lesson.section(heading, "").address.partition("#")
                self.assertEqual(page, f"site/labs/{folder.name}/index.html")
                self.assertIn(f'id="{anchor}"', text, f"{folder.name}: {heading}")

    def test_a_drawing_that_a_text_names_stands_before_the_letters_that_it_replaces(self) -> None:
        replaced = build_site.Site.with_drawings("labs/README.md", "<p>a</p>\n<!-- drawing: grid -->\n<pre>-\n</pre>")
        self.assertIn("<svg", replaced)
        self.assertNotIn("<pre>", replaced)
        for name, rest, fault in (("drawing: grid", "<p>b</p>", "labs/README.md: after <!-- drawing: NAME -->"),
                                  ("drawing: gird", "<pre></pre>", "there is no drawing slides/drawings/gird.svg"),
                                  ("figure: gird", "<pre></pre>", "there is no figure slides/figures/gird.json")):
            with self.assertRaisesRegex(source.Fault, fault):
                build_site.Site.with_drawings("labs/README.md", f"<!-- {name} -->\n{rest}")

    def test_a_lesson_s_words_lead_to_the_glossary_where_they_are_first_used(self) -> None:
        shown = terms.linked("<h2>Events</h2><p>An <code>event</code>, two <em>Events</em>, an event. One "
                             "<strong>key</strong>.</p><p>Each works: the key.</p>", "g.html")
        event, key = '<a class="term" href="g.html#event">Events</a>', '<a class="term" href="g.html#key">key</a>'
        self.assertEqual(shown, f"<h2>Events</h2><p>An <code>event</code>, two <em>{event}</em>, an event. One "
                                f"<strong>{key}</strong>.</p><p>Each works: the key.</p>")
        for lesson in sorted((SITE / "labs").glob("lab[0-9]*/index.html")):
            linked = re.findall(r'class="term" href="[./]*/slides/glossary\.html#([^"]+)"', lesson.read_text("utf-8"))
            self.assertGreater(len(linked), 5, lesson)
            self.assertEqual(len(linked), len(set(linked)), lesson)

    def test_the_timelines_page_shows_each_record_of_every_machine(self) -> None:
        text = unescape((SITE / "timelines.html").read_text("utf-8"))
        runs = [record for record in (ROOT / "slides/records").glob("*.json")
                if f'id="{record.name.split(".")[0]}"' in text]
        self.assertGreater(len(runs), 20)
        missing = [record.name for record in runs if json.loads(record.read_text("utf-8"))["command"] not in text]
        self.assertEqual(missing, [])
        labs = {path.parent.name[:5] for path in (ROOT / "labs").glob("lab[0-9]*/README.md")}
        self.assertEqual(labs - {name[:5] for name in re.findall(r'id="(lab\d\d-[\w-]+)"', text)}, set())

    def test_no_solution_is_there(self) -> None:
        self.assertFalse((SITE / "solutions").exists())
        for page in pages():
            self.assertNotRegex(page.read_text("utf-8"), r'href="[^":]*(solutions|attacks|wrong)/', page)

    def test_every_function_type_and_status_of_the_headers_has_an_anchor(self) -> None:
        page = (SITE / "lib/include/lab.h.html").read_text("utf-8")
        text = (MANUAL / "lab.h").read_text("utf-8")
        types = re.findall(r"^typedef [^;{]*?\b(lab_\w+);|^\} (lab_\w+);", text, re.M)
        statuses = re.findall(r"^    X\((LAB_\w+)", text, re.M)
        names = [*public_functions(), *(one or other for one, other in types), *statuses]
        self.assertEqual([name for name in names if page.count(f'id="{name}"') != 1], [])
        self.assertGreater(len(names), 250)
        trace = (SITE / "lib/include/lab_trace.h.html").read_text("utf-8")
        for name in ("lab_trace_begin", "LAB_OP_KERNEL", "lab_model_options", "LAB_TIMELINE_DEFAULTS"):
            self.assertEqual(trace.count(f'id="{name}"'), 1, name)

    def test_comments_keep_every_word(self) -> None:
        """All but the comments with tables, whose words change their order."""
        def words(text: str) -> str:
            return " ".join(re.findall(r"\w+", text.lower()))
        count = 0
        for path in MANUAL.glob("*.h"):
            page = (SITE / f"lib/include/{path.name}.html").read_text("utf-8")
            said = words(unescape(re.sub(r"<[^>]+>", "", re.sub(r"</(p|dt|dd|li|td|th|h\d)>", " ", page))))
            for section in header.sections(path.read_text("utf-8")):
                for comment in [section.comment, *(entry.comment for entry in section.entries)]:
                    if not re.search(r"\S {3,}\S.* {3,}\S", comment):
                        with self.subTest(path.name, comment=comment):
                            self.assertIn(words(comment), said)
                        count += 1
        self.assertGreater(count, 250)

    def test_an_inline_name_leads_to_the_manual(self) -> None:
        lesson = next((SITE / "labs").glob("lab02-*/index.html")).read_text("utf-8")
        self.assertIn('<code><a href="../../lib/include/lab.h.html#lab_stream_wait_event">lab_stream_wait_event</a>',
                      lesson)


class Header(unittest.TestCase):
    """A header that has what the library's headers have."""
    TEXT = """/*
 * a.h: an example.
 *
 *   One    a term
 *          of two lines
 *   Two    another
 */
#ifndef A_H
#define A_H

/* ------------
 * First things
 *
 * An idea. See "First things".
 */

/* clang-format off */
#define LAB_TABLE(X)       \\
    X(LAB_ERROR_A_B, 1, "a, b") \\
    X(LAB_C,         2, "c")
/* clang-format on */

typedef enum lab_kind {
#define LAB_ENUM(name, code, text) name = code,
    LAB_TABLE(LAB_ENUM)
#undef LAB_ENUM
} lab_kind;

/* Gives A_B if `x` fails. CUDA: cuTry. CuPy: cupy.try_it(). */
int lab_try(int x);
int lab_again(int x); /* also */

#define LAB_HEAD(x) \\
    ((x) + 1)

/* --- Second -------- */

enum { LAB_ONE, LAB_TWO = 2 };
static inline int lab_inline(int x) { return x; }
#endif
"""

    def test_sections_entries_and_names(self) -> None:
        found = [(section.title, [entry.names for entry in section.entries]) for section in header.sections(self.TEXT)]
        self.assertEqual(found, [("", []), ("First things", [["LAB_TABLE"], ["lab_kind"], ["lab_try", "lab_again"],
                                                             ["LAB_HEAD"]]), ("Second", [["lab_inline"]])])
        self.assertEqual(header.sections(self.TEXT)[2].entries[0].constants, ["LAB_ONE", "LAB_TWO"])
        self.assertEqual(header.all_names(self.TEXT), ["LAB_TABLE", "LAB_ERROR_A_B", "LAB_C", "lab_kind", "lab_try",
                                                       "lab_again", "LAB_HEAD", "lab_inline", "LAB_ONE", "LAB_TWO"])

    def test_what_a_comment_says_becomes_html(self) -> None:
        path = SITE.parent / "a.h"
        path.write_text(self.TEXT, "utf-8")
        self.addCleanup(path.unlink)
        own = {name: "" for name in header.all_names(self.TEXT)}
        page = header.Manual(os.path.relpath(path), own).html()
        for part in ("<p>An example.</p>", "<dl><dt>One</dt><dd>a term of two lines</dd><dt>Two</dt>",
                     '<h2 id="first-things">First things</h2>', 'See "<a href="#first-things">First things</a>".',
                     'id="LAB_ERROR_A_B"', '<th scope="col">code</th>', "<td>a, b</td>",
                     '<h3 id="lab_try"><code>lab_try</code>, <code>lab_again</code></h3>',
                     'Gives <a href="#LAB_ERROR_A_B"><code>A_B</code></a> if <code>x</code> fails.',
                     "<b>CUDA</b> <code>cuTry</code>.", "<b>CuPy</b> <code>cupy.try_it()</code>.",
                     '<a id="lab_again" href="#lab_again">lab_again</a>', "/* also */", "LAB_HEAD(x)\n",
                     "lab_inline(int x);", '<a id="LAB_TWO" href="#LAB_TWO">LAB_TWO</a>'):
            with self.subTest(part):
                self.assertIn(part, re.sub(r"<span class=\"\w+\">(.*?)</span>", r"\1", page))
        self.assertNotIn("return x", page)
        self.assertNotIn("A_H", page)


class Index(unittest.TestCase):
    def test_a_part_has_its_anchor_heading_and_text_without_a_solution_s_code(self) -> None:
        page = """<header><h1>A deck</h1></header><main><h1 id="top">A <code>b</code></h1><p>First.</p>
            <section id="slide"><h2 id="slide-title">Slide</h2>
            <div class="listing" data-from="solutions/lab00-a/lab00.c, from line 3" style=""><pre><code>solved
            </code></pre></div><div class="listing" data-from="lib/include/lab.h"><pre><code>shown</code></pre></div>
            </section><table><tr><th id="word">word</th><td>meaning</td></tr></table></main>"""
        self.assertEqual(index.texts(page), [["top", "A b", "First."], ["slide", "Slide", "shown"],
                                             ["word", "word", "meaning"]])

    def test_a_drawing_is_found_by_what_it_says_to_those_who_do_not_see_it(self) -> None:
        page = """<main><h2 id="top">A</h2><p>b</p><svg role="img" aria-label="Two runs."><text>c</text></svg></main>"""
        self.assertEqual(index.texts(page), [["top", "A", "b Two runs."]])


@unittest.skipIf(MISSING, "a program is missing")
class InChromium(unittest.TestCase):
    chromium: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.chromium = browser.page()

    def open(self, address: str, script: bool = True) -> None:
        self.chromium.look(1280, 780)
        self.chromium.call("Emulation.setScriptExecutionDisabled", value=not script)
        try:
            self.chromium.open(f"{SITE.as_uri()}/{address}")
        finally:
            self.chromium.call("Emulation.setScriptExecutionDisabled", value=False)

    def test_everybody_can_read_every_page_on_a_phone_and_a_wide_screen_light_and_dark(self) -> None:
        """Pages of one kind look alike: of each other page a phone shows the light one, a screen the dark one. The
        tests of the decks look at the decks."""
        first = min(page.relative_to(SITE).as_posix() for page in (SITE / "labs").glob("lab*/index.html"))
        for page in pages():
            name = page.relative_to(SITE).as_posix()
            if 'class="slides' in page.read_text("utf-8")[:200]:
                continue
            self.open(name)
            looks = [(360, False), (1280, True)]
            for width, dark in looks + ([(360, True), (1280, False)] if name in KINDS + [first] else []):
                self.chromium.look(width, 780, dark)
                with self.subTest(name, width=width, dark=dark):
                    self.assertEqual(self.chromium.run(f"{AUDIT} audit(document)"), [])
                    self.assertEqual(self.chromium.run("getComputedStyle(document.documentElement).colorScheme"),
                                     "dark" if dark else "light")

    def test_on_a_wide_screen_no_line_of_a_text_or_program_is_cut(self) -> None:
        self.chromium.look(1280, 900)
        for page in pages():
            if page.parent.name != "slides":
                self.chromium.open(page.as_uri())
                cut = self.chromium.run("""[...document.querySelectorAll("main pre")].filter((block) =>
                    block.scrollWidth > block.clientWidth + 1).map((block) => block.textContent.slice(0, 60))""")
                self.assertEqual(cut, [], page.relative_to(SITE))

    def test_no_page_asks_the_network(self) -> None:
        self.chromium.asked.clear()
        for name in KINDS:
            self.open(name)
        self.assertEqual({address.split(":")[0] for address in self.chromium.asked} - {"data"}, {"file"})

    def found(self, query: str) -> List[List[str]]:
        self.open(f"search.html?q={query}")
        return self.chromium.run("[...document.querySelectorAll('#results a')].map((a) => [a.textContent, a.href])")

    def test_the_search_finds_names_words_and_all_words_of_several(self) -> None:
        self.assertEqual(self.found("lab_stream_wait_event")[0],
                         ["lab_stream_wait_event · lab.h",
                          f"{SITE.as_uri()}/lib/include/lab.h.html#lab_stream_wait_event"])
        barriers = self.found("barrier")
        self.assertEqual(barriers[0], ["barrier · Glossary", f"{SITE.as_uri()}/slides/glossary.html#barrier"])
        self.assertTrue({"slides", "labs", "lib"} <= {address[len(SITE.as_uri()) + 1:].split("/")[0]
                                                      for _, address in barriers})
        both = self.found("barrier+tree")
        self.assertTrue(0 < len(both) < len(barriers))
        self.assertEqual(self.found("no-such-word-anywhere"), [])
        self.assertEqual(self.chromium.run("document.getElementById('found').textContent"), "0 places.")

    def test_a_subject_leads_to_its_lesson_first_in_singular_and_plural(self) -> None:
        for query, lab in (("event", "02"), ("events", "02"), ("stream", "01"), ("pool", "05"), ("casts", "06"),
                           ("graph", "10"), ("contexts", "04")):
            with self.subTest(query):
                self.assertRegex(self.found(query)[0][0], f"^Lab {lab}")

    def test_whole_words_come_before_parts_of_words(self) -> None:
        for query in ("cast", "event", "lane"):
            texts = [f"{title} {self.text_at(address)}" for title, address in self.found(query)
                     if not re.search("lab_(trace|calls).h", address)]
            whole = [bool(re.search(rf"\b{query}s?\b", text, re.I)) for text in texts]
            with self.subTest(query):
                self.assertEqual(whole, sorted(whole, reverse=True))
                self.assertTrue(whole[0])

    def text_at(self, address: str) -> str:
        """The texts of the index behind a result."""
        place = address[len(SITE.as_uri()) + 1:]
        return self.chromium.run(f"INDEX.filter((row) => row[0] === {place!r}).map((row) => row[3]).join(' ')")

    def test_what_only_tools_include_comes_last_unless_its_name_is_asked_for(self) -> None:
        for query in ("kernel+begin", "copy+bytes", "schedule+seed"):
            tools = ["lab_trace.h" in address or "lab_calls.h" in address for _, address in self.found(query)]
            with self.subTest(query):
                self.assertEqual(tools, sorted(tools))
        self.assertTrue(any("lab_trace.h" in address for _, address in self.found("lab_timeline_options")))
        self.assertIn("lab_trace.h.html#lab_trace_begin", self.found("lab_trace_begin")[0][1])

    def test_a_typing_error_gets_an_offer_that_finds_something(self) -> None:
        for query, better in (("evnet", "event"), ("barierr", "barrier"), ("synchronnize+evnet", "synchronize event"),
                              ("lab_steam_create", "lab_stream_create")):
            with self.subTest(query):
                self.assertEqual(self.found(query), [])
                offer = self.chromium.run("(({ textContent, href }) => [textContent, href])"
                                          "(document.querySelector('#found a'))")
                self.assertEqual(offer[0], better)
                self.assertGreater(len(self.found(offer[1].partition("?q=")[2])), 0)

    def test_what_learners_and_instructors_type_leads_to_the_page_that_answers_it(self) -> None:
        """Small words of a question, and one word that is nowhere, do not hide the answer."""
        self.open("search.html")
        results = self.chromium.run(f"""{json.dumps([query for query, _, _ in QUESTIONS])}.map((query) => {{
            const input = document.getElementById("q");
            input.value = query;
            input.dispatchEvent(new Event("input"));
            return [...document.querySelectorAll("#results a")].map((a) => a.getAttribute("href")); }})""")
        self.assertGreater(len(QUESTIONS), 40)
        for (query, place, most), found in zip(QUESTIONS, results):
            with self.subTest(query):
                self.assertTrue(any(address.startswith(place) for address in found[:int(most)]), found[:5])
                if not place.startswith("lib/include/"):
                    self.assertNotRegex(" ".join(found[:3]), r"\.h\.html#")

    def test_somebody_new_has_an_answer_after_three_clicks_at_most(self) -> None:
        for links, place in ((["Lab 02: events", "The idea"], "labs/lab02-events/index.html#the-idea"),
                             (["You have a CUDA program"], "lib/docs/your-cuda-program.html"),
                             (["Reference", "Checks of kernels on the CPU device", "initcheck"],
                              "lib/docs/memcheck.html#initcheck"),
                             (["overnight"], "grader/docs/grading.html#overnight"),
                             (["Lessons", "lesson 03"], "labs/lab03-concurrency/index.html#recorded-runs")):
            with self.subTest(links[0]):
                self.chromium.look(1280, 780)
                self.chromium.open(f"{SITE.as_uri()}/index.html")
                for link in links:
                    self.click(link)
                self.assertEqual(self.chromium.run("location.href"), f"{SITE.as_uri()}/{place}")
                self.assertTrue(self.chromium.run(
                    "!location.hash || document.querySelector(location.hash).getClientRects()[0].top < innerHeight"))

    def click(self, words: str) -> None:
        """Clicks the first link of these words with the mouse, and waits for its page."""
        x, y, same = self.chromium.run(f"""(() => {{ const link = [...document.querySelectorAll("a")]
                .find((link) => link.textContent.trim().replace(/\\s+/g, " ") === {words!r});
            link.scrollIntoView({{ block: "center" }});
            const box = link.getClientRects()[0], [page] = link.href.split("#");
            return [box.x + box.width / 2, box.y + box.height / 2, page === location.href.split("#")[0]]; }})()""")
        loaded = self.chromium.loaded
        for kind in ("mousePressed", "mouseReleased"):
            self.chromium.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        while not same and self.chromium.loaded == loaded:
            self.chromium.notice(self.chromium.message())

    def test_where_the_search_leads_the_place_is_shown(self) -> None:
        for query in ("lab_stream_wait_event", "barrier"):
            address = self.found(query)[0][1]
            self.chromium.look(360, 780)
            self.chromium.open("about:blank")
            self.chromium.open(address)
            top = self.chromium.run("document.querySelector(':target').getBoundingClientRect().top")
            self.assertTrue(0 <= top < 780, f"{address}: {top}")

    def test_a_page_is_used_by_the_keyboard_alone(self) -> None:
        """The first stop leads past the head, and a word typed into the search is found with Enter."""
        self.open("slides/glossary.html")
        tab = "document.activeElement.textContent.trim()"
        self.chromium.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        self.assertEqual(self.chromium.run(tab), "Skip to the text")
        self.assertTrue(self.chromium.run("document.activeElement.getBoundingClientRect().left >= 0"))
        for _ in range(20):
            if self.chromium.run("document.activeElement.id") == "q":
                break
            self.chromium.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        loaded = self.chromium.loaded
        self.chromium.call("Input.insertText", text="barrier")
        self.chromium.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r", windowsVirtualKeyCode=13)
        while self.chromium.loaded == loaded:
            self.chromium.notice(self.chromium.message())
        self.assertEqual(self.chromium.run("document.querySelector('#results a').textContent"), "barrier · Glossary")

    def test_a_wide_drawing_says_on_a_phone_that_it_scrolls_and_keys_scroll_it(self) -> None:
        """Without JavaScript. The audit of every page looks that what does not scroll says nothing."""
        says = "getComputedStyle(document.querySelector('.drawn'), '::before').content"
        self.open("timelines.html", script=False)
        self.assertEqual(self.chromium.run(says), "none")
        self.chromium.look(360, 780)
        self.assertIn("swipe, or Tab and →", self.chromium.run(says))
        self.chromium.run("""{ const drawn = document.querySelector(".drawn"); drawn.focus();
            window.scrolls = new Promise((done) =>
                drawn.addEventListener("scroll", () => done(drawn.scrollLeft))); 0 }""")
        self.chromium.key("ArrowRight", code=39)
        self.assertGreater(self.chromium.run("window.scrolls"), 0)
        self.chromium.look(794, 1123, media="print")
        self.assertEqual(self.chromium.run(says), "none")

    def test_pages_are_whole_without_javascript(self) -> None:
        for name in KINDS + [page.relative_to(SITE).as_posix() for page in (SITE / "slides").glob("0*.html")]:
            self.open(name, script=False)
            text, shown = self.chromium.run("""[document.querySelector("main").innerText.length,
                [...document.querySelectorAll("main > *, .slide")].every((part) => part.checkVisibility() ||
                    part.matches("noscript, .jump"))]""")
            with self.subTest(name):
                self.assertGreater(text, 100)
                self.assertTrue(shown)

    def test_the_home_page_s_timeline_moves_only_for_those_who_want_motion(self) -> None:
        """The page's clock stands still here, and the test ticks."""
        clock = self.chromium.call("Page.addScriptToEvaluateOnNewDocument",
                                   source="window.setInterval = (tick) => { window.tick = tick; return 1; };")
        said = "document.querySelector('.player .said').textContent.split(':')[0]"
        try:
            self.open("index.html")
            last = self.chromium.run("`Step ${document.querySelector('.player').player.last} of "
                                     "${document.querySelector('.player').player.last}`")
            self.assertEqual(self.chromium.run(said), last)
            self.chromium.call("Emulation.setEmulatedMedia",
                               features=[{"name": "prefers-reduced-motion", "value": "no-preference"}])
            self.chromium.open(f"{SITE.as_uri()}/index.html")
            steps = [self.chromium.run(f"{said}{tick}") for tick in ("", " + (tick(), '')", "")]
            self.assertEqual([step.split()[1] for step in steps], ["0", "0", "1"])
        finally:
            self.chromium.call("Page.removeScriptToEvaluateOnNewDocument", identifier=clock["identifier"])

    def test_the_home_page_says_what_each_lab_answers_and_has_four_doors(self) -> None:
        self.open("index.html")
        rows = self.chromium.run("""[...document.querySelectorAll(".doors ~ .scrolls tbody tr")].map(({ cells }) =>
            [cells[0].textContent, cells[1].textContent])""")
        answers = [said for name, said in rows if name.startswith("Lab")]
        self.assertEqual(len(answers), len(list((ROOT / "labs").glob("lab[0-9]*/README.md"))))
        self.assertEqual([said for said in answers if not said.endswith("?")], [])
        self.assertEqual(self.chromium.run("document.querySelectorAll('.doors h3 a').length"), 4)

    def test_a_lesson_says_where_it_is_in_the_book_and_what_comes_before_and_after(self) -> None:
        lesson = next((SITE / "labs").glob("lab02-*/index.html")).relative_to(SITE).as_posix()
        self.open(lesson)
        chapters = self.chromium.run("""[...document.querySelectorAll(".contents > ol > li > a")].map((a) =>
            [a.textContent, a.getAttribute("aria-current")])""")
        self.assertEqual([name for name, now in chapters if now], ["Lab 02: events"])
        self.assertEqual(len(chapters), 1 + len(list((ROOT / "labs").glob("lab[0-9]*/README.md"))))
        at, of = self.chromium.run("(({ value, max }) => [value, max])(document.querySelector('.contents progress'))")
        self.assertEqual((chapters[int(at) - 1][0], of), ("Lab 02: events", len(chapters)))
        self.assertEqual(self.chromium.run("[...document.querySelectorAll('footer a')].map((a) => a.textContent)"),
                         ["Previous Lab 01: streams", "Next Lab 03: 200 arrays at once"])
        left = "document.querySelector('{}').getBoundingClientRect().{}"
        self.assertLess(self.chromium.run(left.format(".contents", "right")),
                        self.chromium.run(left.format("main", "left")))
        self.chromium.look(360, 780)
        self.assertGreater(self.chromium.run(left.format(".contents", "top")),
                           self.chromium.run(left.format("main", "bottom")) - 1)
        self.assertTrue(self.chromium.run("document.querySelector('.jump a').checkVisibility()"))

    def test_a_printed_lesson_is_a_hand_out(self) -> None:
        lesson = next((SITE / "labs").glob("lab02-*/index.html")).relative_to(SITE).as_posix()
        self.open(lesson)
        self.chromium.look(794, 1123, media="print")
        self.assertEqual(self.chromium.run("""[".paper", "header", ".contents", ".puzzles", "footer", ".jump"]
            .map((name) => !!document.querySelector(name)?.checkVisibility())"""), [True] + 5 * [False])
        rooms = self.chromium.run("""[...document.querySelectorAll("#questions + ol > li")].map((item) =>
            parseFloat(getComputedStyle(item).paddingBottom))""")
        self.assertEqual(len(rooms), 3)
        self.assertGreater(min(rooms), 75)  # two centimetres
        self.assertGreater(len(self.chromium.pdf()), 10000)

    def test_a_page_is_printed_without_its_head(self) -> None:
        self.open("lib/docs/memcheck.html")
        self.chromium.look(media="print", dark=True)
        shown = self.chromium.run("""["header", "footer", "main"].map((name) =>
            document.querySelector(name).checkVisibility())
            .concat(getComputedStyle(document.documentElement).colorScheme)""")
        self.assertEqual(shown, [False, False, True, "light"])

    def test_the_cheat_sheet_is_one_page_of_paper(self) -> None:
        self.open("slides/cheat-sheet.html")
        self.assertEqual(len(re.findall(rb"/Type\s*/Page\b", self.chromium.pdf())), 1)


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
