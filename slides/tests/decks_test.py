"""Tests of the built slides in one headless Chromium: every deck and page at three sizes, light and dark, by keyboard
and on paper. Without pandoc or Chromium they do not run.

Run with: python3 -B slides/tests/decks_test.py
"""
from __future__ import annotations

import re
import shutil
import sys
import time
import unittest
from pathlib import Path
from typing import Any, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "lib/tools")]

import browser  # noqa: E402
import made  # noqa: E402

BUILT = made.BUILD / "slides"
SCRIPTS = "".join(path.read_text("utf-8") for path in (ROOT / "lib/tools/audit.js", ROOT / "slides/tests/look.js"))
SIZES = [(1280, 720), (1920, 1080), (360, 780)]
KEY = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
BOX = "now.innerHTML += '<div style=\"overflow: {}; height: 1rem; flex: none\">a<br>b<br>c</div>'"


def pages_of(pdf: bytes) -> List[Tuple[float, float]]:
    """The sizes of the pages."""
    return [(float(found[1]), float(found[2])) for found in re.finditer(
        rb"/Type\s*/Page\b(?:(?!endobj).)*?/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", pdf, re.S)]


MISSING = [name for name, path in (("pandoc", shutil.which("pandoc")), ("Chromium", browser.found())) if not path]


def setUpModule() -> None:
    if MISSING:
        print(f"decks_test.py: not run: there is no {' and no '.join(MISSING)} that runs", file=sys.stderr)
        return
    made.make("slides")


@unittest.skipIf(MISSING, "a program is missing")
class Built(unittest.TestCase):
    chromium: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.chromium = browser.page()
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
            [...document.querySelectorAll(".slide")]
                .flatMap((slide) => faults(slide).map((fault) => slide.id + " " + fault)).concat(audit(document))""")


class Pages(Built):
    def test_nothing_overflows_and_everybody_can_read_every_page(self) -> None:
        """In the dark only colours differ: one size shows them."""
        for width, height, dark in [(*size, False) for size in SIZES] + [(*SIZES[0], True)]:
            for page in self.pages:
                with self.subTest(page.stem, width=width, dark=dark):
                    self.assertEqual(self.look(page, width=width, height=height, dark=dark), [])
                    self.assertEqual(self.chromium.run("getComputedStyle(document.documentElement).colorScheme"),
                                     "dark" if dark else "light")
        self.assertGreater(len(self.pages), len(self.decks))

    def test_no_slide_is_half_empty(self) -> None:
        for page in self.decks:
            self.open(page)
            low = self.chromium.run(f"""{SCRIPTS}
                document.documentElement.classList.remove("script");
                [...document.querySelectorAll("main .slide")].filter((slide) => filled(slide) < 0.55)
                    .map((slide) => slide.id)""")
            self.assertEqual(low, [], page.stem)

    def test_a_player_uses_the_room_of_its_slide(self) -> None:
        """Before its first step too, when little of it is drawn, and its program can be read from the last row."""
        for page in self.decks:
            self.open(page)
            players = self.chromium.run("""
                document.documentElement.classList.remove("script");
                [...document.querySelectorAll(".player")].map((figure) => [
                    figure.getBoundingClientRect().height,
                    parseFloat(getComputedStyle(figure.querySelector("pre")).fontSize)])""")
            for height, letter in players:
                with self.subTest(page.stem):
                    self.assertGreater(height, 0.55 * SIZES[0][1])
                    self.assertGreater(letter, 16)

    def test_no_page_asks_the_network(self) -> None:
        self.chromium.asked.clear()
        for page in self.pages:
            self.open(page)
            without_links = re.sub(r"<a [^>]*>", "", page.read_text("utf-8"))
            self.assertNotRegex(without_links, r"""(?:src|href)=["']?(?:https?:)?//|@import""")
        self.assertEqual({address.split(":")[0] for address in self.chromium.asked} - {"data"}, {"file"})
        self.assertEqual(sum(address.startswith("file") for address in self.chromium.asked), len(self.pages))

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
            "leaves the slide": "now.querySelector('p').style = 'position: relative; left: 40rem'",
            "is cut off": BOX.format("hidden"),
            "lies over": "now.querySelector('p').style = 'position: absolute; top: 3rem; left: 4rem'",
            '"one" lies over <text> "two"':
                "now.innerHTML += '<svg><text y=\"50\">one</text><text y=\"50\">two</text></svg>'",
            "px large on 1280": "now.querySelector('p').style.fontSize = '.5rem'",
            "contrast": "now.querySelector('p').style.color = '#bbb'",
            "heading level 4 follows": "now.innerHTML += '<h4>a</h4>'",
            "no name: <svg": "now.innerHTML += '<svg role=\"img\" viewBox=\"0 0 9 9\"></svg>'",
            "a table without a caption": "now.innerHTML += '<table><thead><tr></tr></thead><tbody></tbody></table>'",
            "no key reaches it": BOX.format("auto"),
            "scrolls, but does not say so": BOX.format("auto; display: block").replace("<div", '<div class="drawn"'),
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
            walk = self.chromium.run(SCRIPTS + "walk()")
            there, back, steps, address = walk
            with self.subTest(page.stem):
                self.assertEqual(there, [[1, slide, step] for slide, last in enumerate(steps)
                                         for step in range(last + 1)])
                self.assertEqual(back, there)
                self.assertEqual(address, "#title")

    def test_a_player_fills_step_by_step(self) -> None:
        count = 0
        for page in self.decks:
            if 'class="player"' not in page.read_text("utf-8"):
                continue
            self.open(page)
            for lit, shown, said in self.chromium.run(SCRIPTS + "[...document.querySelectorAll('.player')].map(fill)"):
                with self.subTest(page.stem):
                    self.assertEqual(lit[0] + shown[0], 0)
                    self.assertTrue(all(lit[1:]), "each step lights a line")
                    self.assertEqual(shown, sorted(shown))
                    self.assertEqual(len(set(said)), len(said))
                count += 1
        if any("figure:lab02-event-wait" in path.read_text("utf-8") for path in (ROOT / "slides").glob("[0-9]*.md")):
            self.assertGreater(count, 0)

    def test_keys_of_the_speaker(self) -> None:
        self.open(self.decks[-1])
        said = self.chromium.run(SCRIPTS + "speak()")
        self.assertEqual({name for name, seen in said.items() if not seen}, set())

    def test_a_key_of_the_keyboard_turns_a_slide(self) -> None:
        self.open(self.decks[0])
        self.chromium.key("ArrowRight")
        self.assertTrue(self.chromium.run("location.hash === '#' + document.querySelectorAll('.slide')[1].id"))

    def test_the_second_window_follows(self) -> None:
        """It shows the notes of the slide at which it is opened, and then goes where the first goes, and back."""
        self.open(self.decks[0])
        first = self.chromium.session
        self.chromium.run(SCRIPTS + "press('ArrowRight'); press('w')")
        self.chromium.session, target = "", []
        for _ in range(3000):
            target = target or [found["targetId"] for found in self.chromium.call("Target.getTargets")["targetInfos"]
                                if "?notes" in found["url"]]
            time.sleep(0 if target else 0.1)
        self.assertEqual(len(target), 1)
        second = self.chromium.call("Target.attachToTarget", targetId=target[0], flatten=True)["sessionId"]
        self.chromium.session = second
        self.chromium.look(1000, 800)
        there = "new Promise((done) => setTimeout(() => done(document.querySelector('.slide.now').id), 200))"
        shown = []
        for session, key in ((first, ""), (second, ""), (first, "ArrowRight"), (second, ""), (second, "End"),
                             (first, "")):
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
        self.assertTrue(self.chromium.run("[...document.querySelectorAll('.slide')].every((s) => s.checkVisibility())"))


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
