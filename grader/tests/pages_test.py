"""Tests of the report's pages in a browser: headless Chromium, without a network, if it is installed.

Each page stands in a frame of a page of ours, as wide as the test says, and a script of ours looks at it.

Run with: python3 -B grader/tests/pages_test.py
"""
from __future__ import annotations

import contextlib
import html
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report"),
                    str(TESTS.parents[1] / "lib/tools")]

import browser
import report
import sample_class


CHROMIUM = browser.found()
AUDIT = (Path(__file__).resolve().parents[2] / "lib/tools/audit.js").read_text(encoding="utf-8")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
WIDTHS = {"narrow": 360, "wide": 1280}


class Browser(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        if not CHROMIUM:
            print("pages_test.py: not run: there is no Chromium that runs", file=sys.stderr)
            raise unittest.SkipTest("there is no Chromium that runs")
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for name, results in (("sample", sample_class.sample_class()), ("large", sample_class.large_class(300)),
                              ("groups", sample_class.group_class()), ("course", None)):
            if results is None:
                sample_class.write_course(cls.folder / name)
            else:
                sample_class.write(cls.folder / name, results)
            with contextlib.redirect_stdout(io.StringIO()):
                assert report.main([str(cls.folder / name)]) == 0

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
        scheme = [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               f"--user-data-dir={self.folder / 'profile'}", *scheme, "--window-size=1400,1000",
                               "--dump-dom", page.as_uri()],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120)
        found = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)
        self.assertIsNotNone(found, f"the browser said: {done.stdout[:500]}")
        return json.loads(html.unescape(found[1]))

    def pages(self) -> Dict[str, str]:
        paths = {"class": "sample/index.html", "similarity": "sample/+similarity.html", "course": "course/index.html",
                 "lab of the course": "course/lab01/index.html"}
        paths.update((path.parent.name, str(path.relative_to(self.folder)))
                     for path in sorted(self.folder.glob("sample/*/index.html")))
        paths.update({"groups": "groups/index.html", "member": "groups/s1/index.html",
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
                             [10, 3, 1, "1 of 10 submissions", 10])

    def test_a_page_is_whole_without_its_script(self) -> None:
        text = (self.folder / "sample/index.html").read_text(encoding="utf-8")
        (self.folder / "still.html").write_text(re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL))
        looked = self.look({"wide": "still.html"}, """(page) => [audit(page),
            page.querySelectorAll("#submission-table tbody tr").length,
            page.querySelectorAll("button, input").length]""")
        self.assertEqual(looked["wide"], [[], 10, 0])

    def test_three_hundred_rows_are_all_there(self) -> None:
        looked = self.look({"wide": "large/index.html"}, """(page) => [
            page.querySelectorAll("#submission-table tbody tr").length, audit(page)]""")
        self.assertEqual(looked["wide"], [300, []])

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
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               f"--user-data-dir={self.folder / 'profile'}", "--dump-dom",
                               (self.folder / "sample/index.html").as_uri()],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120)
        self.assertIn('<div class="controls">', done.stdout)

    def test_a_page_prints_to_pdf(self) -> None:
        for path in ("sample/index.html", "sample/ada/index.html", "course/index.html", "groups/index.html"):
            pdf = self.folder / "page.pdf"
            subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            f"--user-data-dir={self.folder / 'profile'}", f"--print-to-pdf={pdf}",
                            (self.folder / path).as_uri()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=True, timeout=120)
            self.assertTrue(pdf.read_bytes().startswith(b"%PDF-"))
            pdf.unlink()


if __name__ == "__main__":
    unittest.main()
