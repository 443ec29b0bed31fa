"""Tests of the report's pages in a browser: headless Chromium, without a network, if it is installed.

Each page stands in a frame of a page of ours, as wide as the test says, and a script of ours looks at it.

Run with: python3 -B grader/tests/pages_test.py
"""
from __future__ import annotations

import contextlib
import functools
import html
import io
import json
import re
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report"),
                    str(TESTS.parents[1] / "lib/tools")]

import browser
import large_course
import report
import sample_class


CHROMIUM = browser.found()
AUDIT = (Path(__file__).resolve().parents[2] / "lib/tools/audit.js").read_text(encoding="utf-8")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
WIDTHS = {"narrow": 360, "wide": 1280}


def setUpModule() -> None:
    if not CHROMIUM:
        print("pages_test.py: not run: there is no Chromium that runs", file=sys.stderr)


@functools.lru_cache(maxsize=None)
def written() -> Path:
    """A folder with the pages of all classes, the same for all tests."""
    temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    unittest.addModuleCleanup(temporary.cleanup)
    folder = Path(temporary.name)
    for name, results in (("sample", sample_class.sample_class()), ("large", sample_class.large_class(300)),
                          ("groups", sample_class.group_class()), ("cluster", sample_class.cluster_class()),
                          ("course", None), ("class of 300", None), ("large course", None)):
        if name == "course":
            sample_class.write_course(folder / name)
        elif results is None:
            large_course.write(folder / name, 300, 3 if name == "large course" else 1)
        else:
            sample_class.write(folder / name, results)
        with contextlib.redirect_stdout(io.StringIO()):
            assert report.main([str(folder / name)]) == 0
    return folder


@unittest.skipUnless(CHROMIUM, "there is no Chromium that runs")
class Pages(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = written()


class Browser(Pages):
    def look(self, pages: Dict[str, str], script: str, dark: bool = False) -> Dict[str, Any]:
        """Runs the script, a function of the page's document, in each of the pages. `pages` has paths by name; a name
        ends in the name of a width. Returns the function's results by name."""
        frames = []
        for name, path in pages.items():
            text = POLICY.sub("", (self.folder / path).read_text(encoding="utf-8"))
            width = WIDTHS[name.split()[-1]]
            frames.append(f'<iframe title="{name}" width="{width}" height="900" srcdoc="{html.escape(text)}"></iframe>')
        page = self.folder / "look.html"
        page.write_text(f"""<!DOCTYPE html><meta charset="utf-8"><body>{"".join(frames)}<script>{AUDIT}
            const look = {script};
            addEventListener("load", () => {{
              const found = {{}};
              for (const frame of document.querySelectorAll("iframe")) {{
                try {{ found[frame.title] = look(frame.contentDocument); }}
                catch (error) {{ found[frame.title] = "error: " + error; }}
              }}
              const said = document.createElement("pre");
              said.id = "said";
              said.textContent = JSON.stringify(found);
              document.body.replaceChildren(said);
            }});</script>""", encoding="utf-8")
        chromium = browser.page()
        chromium.look(1400, 1000, dark)
        chromium.open(page.as_uri())
        return json.loads(chromium.run("document.getElementById('said').textContent"))

    def pages(self) -> Dict[str, str]:
        paths = {"class": "sample/index.html", "similarity": "sample/+similarity.html", "course": "course/index.html",
                 "lab of the course": "course/lab01/index.html", "cluster": "cluster/index.html"}
        paths.update((path.parent.name, str(path.relative_to(self.folder)))
                     for path in sorted(self.folder.glob("sample/*/index.html")))
        paths.update({"groups": "groups/index.html", "class of 300": "class of 300/index.html",
                      "course of 300": "large course/index.html", "member": "groups/s1/index.html",
                      "member of the group without points": "groups/s7/index.html"})
        return {f"{name} {width}": path for name, path in paths.items() for width in WIDTHS}

    def test_pages_can_be_read_by_everybody_in_light_and_in_dark(self) -> None:
        for dark in (False, True):
            looked = self.look(self.pages(), """(page) => [
                matchMedia("(prefers-color-scheme: dark)").matches, audit(page)]""", dark)
            self.assertGreater(len(looked), 20)
            for name, (scheme, faults) in looked.items():
                with self.subTest(name, dark=dark):
                    self.assertEqual((scheme, faults), (dark, []))

    def test_the_audit_sees_what_is_wrong(self) -> None:
        (self.folder / "bad.html").write_text("""<html><title></title><body style="background: #fff; color: #999">
            <h2>Two</h2><nav aria-label="n"></nav><nav aria-label="n"></nav>
            <input><a href="#"></a><svg></svg>
            <table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>1<td>2</table>
            <div style="width: 3000px; height: 1px"></div>
            <div style="overflow: auto; height: 20px">a<br>b<br>c</div>""")
        faults = "\n".join(self.look({"bad wide": "bad.html"}, "audit")["bad wide"])
        for words in ("heading level 2 follows 0", "two landmarks are called n", "not exactly one h1",
                      "not exactly one main", "no language", "no title", "a without words", "input without a label",
                      "neither named nor hidden", "without a caption", "a row of 2 cells", "without a header",
                      "wider than the screen", "no key reaches it", "contrast 2.85"):
            self.assertIn(words, faults)

    def test_columns_sort_both_ways_by_value(self) -> None:
        points = """(page) => {
            const button = page.querySelector("#submission-table").tHead.rows[0].cells[2].querySelector("button");
            const rows = () => [...page.querySelectorAll("#submission-table tbody tr")];
            const values = () => rows().map((row) => Number(row.cells[2].dataset.value));
            button.click(); const up = values(); button.click();
            return [up, values(), button.parentNode.getAttribute("aria-sort")]; }"""
        up, down, said = self.look({"wide": "sample/index.html"}, points)["wide"]
        self.assertEqual((up, down, said), (sorted(up), sorted(up, reverse=True), "descending"))
        self.assertEqual((up[0], up[-1]), (-1, 100))

    def test_rows_are_searched_and_chosen_by_verdict(self) -> None:
        script = """(page) => {
            const [search, choice] = page.querySelectorAll(".controls input, .controls select");
            const set = (control, value) => {
                control.value = value;
                for (const event of ["input", "change"]) control.dispatchEvent(new Event(event));
            };
            const rows = [...page.querySelectorAll("#submission-table tbody tr")];
            const shown = () => rows.filter((row) => row.checkVisibility()).length;
            const all = shown();
            set(choice, "failed"); const failed = shown();
            set(search, "LEAKY freed"); const found = shown();
            const said = page.querySelector(".controls [role=status]").textContent;
            set(choice, "all"); set(search, ""); return [all, failed, found, said, shown()]; }"""
        for width in WIDTHS:
            self.assertEqual(self.look({width: "sample/index.html"}, script)[width],
                             [10 if width == "narrow" else 12, 3, 1, "1 of 12 students",
                              10 if width == "narrow" else 12])

    def test_a_page_is_whole_without_its_script(self) -> None:
        text = (self.folder / "sample/index.html").read_text(encoding="utf-8")
        (self.folder / "still.html").write_text(re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL))
        looked = self.look({"wide": "still.html"}, """(page) => [audit(page),
            page.querySelectorAll("#submission-table tbody tr").length,
            page.querySelectorAll("button, input").length]""")
        self.assertEqual(looked["wide"], [[], 12, 0])

    def test_three_hundred_rows_are_all_there(self) -> None:
        looked = self.look({"wide": "large/index.html"}, """(page) => [
            page.querySelectorAll("#submission-table tbody tr").length, audit(page)]""")
        self.assertEqual(looked["wide"], [302, []])

    def test_facts_about_a_student_and_about_the_group_have_lines_of_their_own(self) -> None:
        looked = self.look({name: "groups/index.html" for name in WIDTHS}, """(page) => {
            const row = page.querySelector("#submission-table tbody th");
            const [known, group] = [...row.querySelectorAll("small")].map((line) => line.getBoundingClientRect());
            return [row.querySelector("a").getBoundingClientRect().bottom <= known.top, known.bottom <= group.top];
        }""")
        self.assertEqual(looked, {name: [True, True] for name in WIDTHS})

    def test_a_long_label_breaks_no_other_word_of_the_timings(self) -> None:
        with_timings = next(path for path in sorted(self.folder.glob("sample/*/index.html"))
                            if 'class="cards timings"' in path.read_text(encoding="utf-8"))
        looked = self.look({name: str(with_timings.relative_to(self.folder)) for name in WIDTHS}, """(page) => {
            for (const row of page.querySelectorAll(".timings tbody tr")) {
              row.cells[0].textContent = "streams with pageable memory, modelled on a large device";
              row.cells[1].textContent = "reference";
            }
            return [...page.querySelectorAll(".timings tbody td:nth-child(2)")].filter((cell) => {
              const words = page.createRange();
              words.selectNodeContents(cell);
              return words.getClientRects().length > 1;
            }).length;
        }""")
        self.assertEqual(looked, {name: 0 for name in WIDTHS})

    def test_the_policy_lets_the_script_run(self) -> None:
        chromium = browser.page()
        chromium.open((self.folder / "sample/index.html").as_uri())
        self.assertTrue(chromium.run("document.querySelector('div.controls') !== null"))

    def test_a_page_prints_to_pdf(self) -> None:
        for path in ("sample/index.html", "sample/ada/index.html", "course/index.html", "groups/index.html"):
            chromium = browser.page()
            chromium.open((self.folder / path).as_uri())
            self.assertTrue(chromium.pdf().startswith(b"%PDF-"), path)


class Person(Pages):
    """Tests that use the pages as a person does."""

    def open(self, path: str, width: int = 1280, **look: Any) -> browser.Browser:
        chromium = browser.page()
        chromium.look(width, 900, **look)
        chromium.open((self.folder / path).as_uri())
        return chromium

    SHOWN = "[...document.querySelectorAll('#submission-table tbody tr')].filter((row) => row.checkVisibility()).length"

    def test_tiles_bars_groups_and_counts_choose_rows(self) -> None:
        page = self.open("class of 300/index.html")
        self.assertEqual(page.run(self.SHOWN), 300)
        for name in ("missing", "broken", "hangs", "zero", "late", "b10", "m1", "c4", "v-passed"):
            wanted = page.run(f"""(() => {{
                const link = document.querySelector("[data-pick='{name}']");
                const own = link.closest("details")?.querySelector("summary b") || link.querySelector("b") || link;
                link.closest("details")?.setAttribute("open", "");
                link.click();
                return parseInt(own.textContent); }})()""")
            self.assertGreater(wanted, 0, name)
            self.assertEqual(page.run(self.SHOWN), wanted, name)
            self.assertIn("Chosen: ", page.run("document.querySelector('.chosen').textContent"))
        page.run("document.querySelector('.chosen').click()")
        self.assertEqual(page.run(self.SHOWN), 300)

    def test_a_section_chooses_rows_and_is_kept_when_the_reader_comes_back(self) -> None:
        page = self.open("class of 300/index.html")
        page.run("""(() => { const choice = document.querySelectorAll(".controls select")[1];
            choice.value = "Tuesday"; choice.dispatchEvent(new Event("change")); })()""")
        self.assertEqual(page.run(self.SHOWN), 75)
        page.open((self.folder / "class of 300/s001/index.html").as_uri())
        page.open((self.folder / "class of 300/index.html").as_uri())
        self.assertEqual(page.run(self.SHOWN), 75)

    def test_next_and_previous_follow_the_chosen_rows(self) -> None:
        page = self.open("class of 300/index.html")
        page.run("document.querySelector('[data-pick=hangs]').click()")
        names = page.run("[...document.querySelectorAll('#submission-table tbody tr')].filter((row) => "
                         "row.checkVisibility()).map((row) => row.querySelector('a').textContent)")
        self.assertGreater(len(names), 1)
        page.open((self.folder / f"class of 300/{names[0]}/index.html").as_uri())
        for words, wanted in (("Next", names[1]), ("Previous", names[0])):
            page.run(f"[...document.querySelectorAll('nav a')].find((link) => link.textContent === '{words}').click()")
            self.assertEqual(self.heading(page, wanted), wanted)

    def heading(self, page: browser.Browser, wanted: str) -> str:
        """The page's heading, as soon as it is the wanted one or time is up: a page may lead on to another."""
        said = ""
        end = time.monotonic() + browser.SECONDS
        while said != wanted and time.monotonic() < end:
            with contextlib.suppress(RuntimeError):  # the page goes away while it is asked
                said = page.run("document.querySelector('h1')?.textContent") or ""
        return said

    def test_the_keyboard_alone_opens_a_group_chooses_its_students_and_sorts_them(self) -> None:
        page = self.open("class of 300/index.html")

        def go_to(what: str) -> None:
            for _ in range(60):
                page.key("Tab", code=9)
                if page.run(f"document.activeElement.matches({json.dumps(what)})"):
                    return
            self.fail(f"no key leads to {what}")
        go_to(".tile > summary")
        self.assertTrue(page.run("document.activeElement.matches(':focus-visible')"))
        page.key("Enter", "\r", 13)
        self.assertTrue(page.run("document.activeElement.parentNode.open"))
        go_to("[data-pick]")
        page.key("Enter", "\r", 13)
        chosen = page.run(self.SHOWN)
        self.assertLess(chosen, 300)
        go_to(".chosen")
        go_to("thead th:nth-child(3) button")
        said = "document.querySelectorAll('#submission-table th[scope=col]')[2].getAttribute('aria-sort')"
        self.assertEqual(page.run(said), "none")
        for wanted in ("ascending", "descending"):
            page.key("Enter", "\r", 13)
            self.assertEqual(page.run(said), wanted)
        self.assertEqual(page.run(self.SHOWN), chosen)

    def test_a_narrow_screen_shows_few_rows_until_all_are_asked_for(self) -> None:
        for path, table in (("class of 300/index.html", "submission"), ("large course/index.html", "student")):
            page = self.open(path, 360)
            self.assertLess(page.run("document.documentElement.scrollHeight"), 9000)
            shown = self.SHOWN.replace("submission", table)
            self.assertEqual(page.run(shown), 10)
            page.run("document.querySelector('.more').click()")
            self.assertEqual(page.run(shown), 300)

    def test_what_the_instructor_needs_is_on_the_first_screen(self) -> None:
        page = self.open("class of 300/index.html")
        for what in (".tally > li:last-child", ".mistakes > li:nth-child(5)", ".histogram", ".lead"):
            self.assertLess(page.run(f"document.querySelector('{what}').getBoundingClientRect().bottom"), 900, what)

    def test_on_paper_closed_lists_are_open_and_controls_are_gone(self) -> None:
        page = self.open("class of 300/index.html", media="print")
        names = "document.querySelector('.tile:not([open]) .names')"
        self.assertGreater(page.run(f"{names}.getBoundingClientRect().height"), 20)
        self.assertEqual(page.run("[...document.querySelectorAll('.controls, .copy')].filter((control) => "
                                  "control.checkVisibility()).length"), 0)
        self.assertTrue(page.pdf().startswith(b"%PDF-"))

    def test_paper_has_a_line_for_a_name_and_no_link_that_only_a_screen_follows(self) -> None:
        page = self.open("class of 300/index.html", 700, media="print")
        broken = page.run("""[...document.querySelectorAll(".tile .names li, .mistakes .names li")].filter((item) => {
            const style = getComputedStyle(item);
            return item.getBoundingClientRect().height > 2.5 * parseFloat(style.lineHeight);
        }).length""")
        self.assertEqual(broken, 0)
        self.assertEqual(page.run("[...document.querySelectorAll('.tile p, .mistakes pre')].filter((item) => "
                                  "item.checkVisibility()).length"), 0)

    def test_paper_shows_the_lines_for_the_shell_of_what_needs_an_instructor(self) -> None:
        page = self.open("class of 300/+review.html", 700, media="print")
        lines = page.run("[...document.querySelectorAll('.command')].map((line) => line.checkVisibility())")
        self.assertTrue(lines and all(lines), lines)

    def test_paper_shows_the_whole_source(self) -> None:
        page = self.open("sample/grace/index.html", 700, media="print")
        page.run("document.querySelector('.whole').append('a line\\n'.repeat(400))")
        hidden = page.run("""(() => {
            const whole = document.querySelector(".whole");
            return whole.scrollHeight - whole.clientHeight;
        })()""")
        self.assertLess(hidden, 2)

    def test_paper_shows_all_chosen_rows_from_a_narrow_window_too_and_says_which(self) -> None:
        page = self.open("class of 300/index.html", 360)
        page.run("addEventListener('beforeprint', () => { window.printed = "
                 "document.querySelectorAll('#submission-table tbody tr:not([hidden])').length; })")
        page.pdf()
        self.assertEqual(page.run("window.printed"), 300)
        self.assertEqual(page.run(self.SHOWN), 10)
        page.run("document.querySelector('[data-pick=hangs]').click()")
        hangs = page.run("document.querySelectorAll('tr[data-picks~=hangs]').length")
        page.look(1280, 900, media="print")
        self.assertIn(f"Only {hangs} of 300 students: ", page.run("document.querySelector('p.paper').innerText"))

    def test_pages_ask_for_nothing_but_themselves(self) -> None:
        page = self.open("class of 300/index.html")
        page.asked.clear()
        for path in ("class of 300/index.html", "class of 300/s001/index.html", "large course/index.html"):
            page.open((self.folder / path).as_uri())
        self.assertEqual(len(page.asked), 3)


if __name__ == "__main__":
    unittest.main()
