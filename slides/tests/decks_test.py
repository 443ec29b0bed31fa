"""Tests of the built slides in one headless Chromium: every deck and page at three sizes, light and dark, by keyboard and
on paper. Without pandoc or Chromium they do not run.

Run with: python3 -B slides/tests/decks_test.py
"""
from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "slides/tools")]

import browser

BUILT = Path(os.environ.get("BUILD") or ROOT / "build").resolve() / "slides"
SCRIPTS = "".join(path.read_text("utf-8") for path in (ROOT / "lib/tools/audit.js", ROOT / "slides/tests/look.js"))
SIZES = [(1280, 720), (1920, 1080), (360, 780)]
KEY = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
PRESS = "const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));"
NOW = "document.querySelector('.slide.now')"


def pages_of(pdf: bytes) -> List[Tuple[float, float]]:
    """The sizes of the pages."""
    return [(float(found[1]), float(found[2])) for found in re.finditer(
        rb"/Type\s*/Page\b(?:(?!endobj).)*?/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", pdf, re.S)]


class Built(unittest.TestCase):
    chromium: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        missing = [name for name, there in (("pandoc", shutil.which("pandoc")), ("Chromium", browser.found())) if not there]
        if missing:
            print(f"decks_test.py: not run: there is no {' and no '.join(missing)} that runs", file=sys.stderr)
            raise unittest.SkipTest("a program is missing")
        done = subprocess.run([*shlex.split(os.environ.get("MAKE", "make")), "slides", f"BUILD={BUILT.parent}"], cwd=ROOT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if done.returncode:
            raise AssertionError(f"make slides: {done.stdout[-3000:]}")
        cls.chromium = browser.Browser()
        cls.addClassCleanup(cls.chromium.close)
        sources = sorted((ROOT / "slides").glob("*.md"))
        cls.pages = sorted(BUILT.glob("*.html"))
        cls.decks = [page for page in cls.pages if (ROOT / "slides" / f"{page.stem}.md") in sources
                     and "\nminutes: " in (ROOT / "slides" / f"{page.stem}.md").read_text("utf-8")]

    def open(self, page: Path, address: str = "", **look: Any) -> None:
        self.chromium.look(**look)
        self.chromium.open(page.as_uri() + address)

    def look(self, page: Path, **look: Any) -> List[str]:
        """What is wrong with a page, all its slides below each other."""
        self.open(page, **look)
        return self.chromium.run(f"""{SCRIPTS}
            document.documentElement.classList.remove("script");
            [...document.querySelectorAll(".slide")].flatMap((slide) => faults(slide).map((fault) => slide.id + " " + fault))
                .concat(audit(document))""")


class Pages(Built):
    def test_nothing_overflows_and_everybody_can_read_every_page(self) -> None:
        for width, height in SIZES:
            for dark in (False, True):
                for page in self.pages:
                    with self.subTest(page.stem, width=width, dark=dark):
                        self.assertEqual(self.look(page, width=width, height=height, dark=dark), [])
                        self.assertEqual(self.chromium.run("getComputedStyle(document.documentElement).colorScheme"),
                                         "dark" if dark else "light")
        self.assertGreater(len(self.pages), len(self.decks))

    def test_no_page_asks_the_network(self) -> None:
        self.chromium.asked.clear()
        for page in self.pages:
            self.open(page)
            self.assertNotRegex(re.sub(r"<a [^>]*>", "", page.read_text("utf-8")), r"""(?:src|href)=["']?(?:https?:)?//|@import""")
        self.assertEqual({address.split(":")[0] for address in self.chromium.asked} - {"data"}, {"file"})
        self.assertEqual(len([address for address in self.chromium.asked if address.startswith("file")]), len(self.pages))

    def test_links_lead_to_files_and_slides(self) -> None:
        for page in self.pages:
            text = page.read_text("utf-8")
            for link in re.findall(r'<a [^>]*href="([^"]*)"', text):
                path, _, name = link.partition("#")
                if ":" in path:
                    continue
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page.stem, link=link):
                    self.assertTrue(target.exists() or BUILT.parent.parent != ROOT)
                    if name and target.suffix == ".html":
                        self.assertIn(f'id="{name}"', target.read_text("utf-8"))

    def test_planted_faults_are_seen(self) -> None:
        plants = {
            "leaves the slide": "now.append(Object.assign(document.createElement('p'), {style: 'position: relative; left: 90rem', textContent: 'a'}))",
            "is cut off": "now.innerHTML += '<div style=\"overflow: hidden; height: 1rem; flex: none\">a<br>b<br>c</div>'",
            "lies over": "now.querySelector('p').style = 'position: absolute; top: 3rem; left: 4rem'",
            "px large on 1280": "now.querySelector('p').style.fontSize = '.5rem'",
            "contrast": "now.querySelector('p').style.color = '#bbb'",
            "heading level 4 follows": "now.innerHTML += '<h4>a</h4>'",
            "no name: <svg": "now.innerHTML += '<svg role=\"img\" viewBox=\"0 0 9 9\"></svg>'",
            "a table without a caption": "now.innerHTML += '<table><thead><tr></tr></thead><tbody></tbody></table>'",
            "no key reaches it": "now.innerHTML += '<div style=\"overflow: auto; height: 1rem; flex: none\">a<br>b<br>c</div>'",
        }
        page = BUILT / "opening.html" if (BUILT / "opening.html") in self.decks else self.decks[0]
        for fault, plant in plants.items():
            self.open(page)
            found = self.chromium.run(f"""{SCRIPTS}
                const now = document.querySelectorAll("section.slide")[0];
                const go = document.querySelector('[data-key="ArrowRight"]').click();
                {plant};
                faults(now).concat(audit(document))""")
            with self.subTest(fault):
                self.assertIn(fault, "\n".join(found))


class Presenting(Built):
    def test_keys_reach_every_slide_and_every_step(self) -> None:
        """Forward and back; a player's steps come before its slide turns."""
        for page in self.decks:
            self.open(page)
            walk = self.chromium.run(f"""(() => {{
                {PRESS}
                const slides = [...document.querySelectorAll(".slide")], state = () => {{
                    const now = slides.filter((slide) => slide.checkVisibility()), player = now[0].querySelector(".player .said");
                    return [now.length, slides.indexOf(now[0]), player ? Number(player.textContent.match(/Step (\\d+)/)[1]) : 0];
                }};
                const there = [state()], back = [];
                for (let k = 0; k < 500 && JSON.stringify(state()) !== there[there.length - 2]; k++) {{
                    press("ArrowRight");
                    if (JSON.stringify(state()) === JSON.stringify(there[there.length - 1])) break;
                    there.push(state());
                }}
                for (let k = 0; k < there.length; k++) {{ back.unshift(state()); press("ArrowLeft"); }}
                return [there, back, slides.map((slide) => Number(slide.querySelector(".player")?.dataset.steps || 0)),
                        location.hash];
            }})()""")
            there, back, steps, address = walk
            with self.subTest(page.stem):
                self.assertEqual(there, [[1, slide, step] for slide, last in enumerate(steps) for step in range(last + 1)])
                self.assertEqual(back, there)
                self.assertEqual(address, "#title")

    def test_a_player_fills_step_by_step(self) -> None:
        count = 0
        for page in self.decks:
            if 'class="player"' not in page.read_text("utf-8"):
                continue
            self.open(page)
            for lit, shown, said in self.chromium.run("""[...document.querySelectorAll(".player")].map((figure) => {
                    const count = (selector) => figure.querySelectorAll(selector).length;
                    const steps = [...Array(figure.player.last + 1).keys()];
                    const states = steps.map((step) => { figure.player.show(step); return [count(".line.current"),
                        count("svg [data-step]:not(.later)"), figure.querySelector(".said").textContent]; });
                    return [0, 1, 2].map((k) => states.map((state) => state[k]));
                })"""):
                with self.subTest(page.stem):
                    self.assertEqual(lit[0] + shown[0], 0)
                    self.assertTrue(all(lit[1:]), "each step lights a line")
                    self.assertEqual(shown, sorted(shown))
                    self.assertEqual(len(set(said)), len(said))
                    self.assertEqual(shown[-1], len(set(shown)) and max(shown))
                count += 1
        if any("figure:lab02-event-wait" in path.read_text("utf-8") for path in (ROOT / "slides").glob("[0-9]*.md")):
            self.assertGreater(count, 0)

    def test_keys_of_the_speaker(self) -> None:
        self.open(self.decks[-1])
        said = self.chromium.run(f"""(() => {{
            {PRESS}
            const page = document.documentElement, seen = (selector) => !!document.querySelector(selector)?.checkVisibility();
            const found = {{}};
            press("End"); found.last = !!document.querySelector(".slide:last-child.now");
            press("3"); press("Enter"); found.third = document.querySelectorAll(".slide")[2].classList.contains("now");
            press("Home"); found.first = document.querySelector(".slide").classList.contains("now");
            press("ArrowRight"); press("n"); found.notes = seen(".now .notes div"); press("n"); found.hidden = !seen(".now .notes div");
            const scheme = () => getComputedStyle(page).colorScheme, light = scheme();
            press("d"); found.dark = scheme() !== light; press("d"); found.light = scheme() === light;
            press("o"); found.overview = [...document.querySelectorAll(".slide")].every((slide) => slide.checkVisibility());
            press("ArrowRight"); press("Enter"); found.chosen = document.querySelectorAll(".slide")[2].classList.contains("now");
            press("b"); found.black = seen(".black"); press("b"); found.shown = !seen(".black");
            press("?"); found.help = document.querySelector("dialog").open; press("Escape"); document.querySelector("dialog").close();
            press("t"); found.timer = /^0:00 of/.test(document.querySelector(".clock").textContent); press("t");
            return found;
        }})()""")
        self.assertEqual({name for name, seen in said.items() if not seen}, set())

    def test_a_key_of_the_keyboard_turns_a_slide(self) -> None:
        self.open(self.decks[0])
        self.chromium.key("ArrowRight")
        self.assertEqual(self.chromium.run("location.hash"), "#" + self.chromium.run("document.querySelectorAll('.slide')[1].id"))

    def test_the_second_window_follows(self) -> None:
        """It shows the notes of the slide at which it is opened, and then goes where the first goes, and back."""
        self.open(self.decks[0])
        first = self.chromium.session
        self.chromium.run(f"{PRESS} press('ArrowRight'); press('w')")
        self.chromium.session, target = "", []
        for _ in range(50):
            target = target or [found["targetId"] for found in self.chromium.call("Target.getTargets")["targetInfos"]
                                if "?notes" in found["url"]]
            time.sleep(0 if target else 0.1)
        self.assertEqual(len(target), 1)
        second = self.chromium.call("Target.attachToTarget", targetId=target[0], flatten=True)["sessionId"]
        self.chromium.session = second
        self.chromium.look(1000, 800)
        there = "new Promise((done) => setTimeout(() => done(document.querySelector('.slide.now').id), 200))"
        shown = []
        for session, key in ((first, ""), (second, ""), (first, "ArrowRight"), (second, ""), (second, "End"), (first, "")):
            self.chromium.session = session
            if session == second and not key:
                self.chromium.run("new Promise((done) => document.readyState === 'complete' ? done() : onload = done)")
            shown.append(self.chromium.run((KEY % key if key else "0") + "; " + there))
        self.chromium.session = second
        notes = self.chromium.run("document.querySelector('.now .notes div')?.checkVisibility()")
        self.chromium.run("close()")
        self.chromium.session = first
        slides = self.chromium.run("[...document.querySelectorAll('.slide')].map((slide) => slide.id)")
        self.assertEqual(shown, [slides[1], slides[1], slides[2], slides[2], slides[-1], slides[-1]])
        self.assertTrue(notes)

    def test_a_deck_is_whole_without_its_script(self) -> None:
        page = self.decks[-1]
        self.chromium.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.open(page)
        finally:
            self.chromium.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(self.chromium.run("[...document.querySelectorAll('.slide')].filter((slide) => !slide.checkVisibility()).length"), 0)


class Paper(Built):
    def test_a_deck_prints_a_slide_on_a_page(self) -> None:
        for page in self.decks:
            with self.subTest(page.stem):
                pages = pages_of(page.with_suffix(".pdf").read_bytes())
                slides = len(re.findall(r'class="slide[ "]', page.read_text("utf-8")))
                self.assertEqual(pages, [(960, 540)] * slides)

    def test_notes_are_printed_when_they_are_shown(self) -> None:
        self.open(self.decks[0])
        self.chromium.run(KEY % "n")
        pages = pages_of(self.chromium.pdf())
        self.assertGreaterEqual(len(pages), len(re.findall(r'class="slide[ "]', self.decks[0].read_text("utf-8"))))
        self.assertTrue(all(height > width for width, height in pages))

    def test_the_cheat_sheet_is_one_page(self) -> None:
        if (ROOT / "slides/cheat-sheet.md").exists():
            pages = pages_of((BUILT / "cheat-sheet.pdf").read_bytes())
            self.assertEqual([sorted(map(round, size)) for size in pages], [[595, 842]])


if __name__ == "__main__":
    unittest.main()
