"""Tests of the playground in headless Chromium: dragging, keys, undo, the link, the story, the puzzles, how it looks;
that the library answers there what it answers in a native program; and that its listings are programs with the same
findings. Without a compiler for WebAssembly, or without Chromium, those that need it do not run.

Run with: python3 -B slides/tests/playground_test.py
"""
from __future__ import annotations

import ast
import base64
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import parse_qs, quote

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "lib/tools")]

import browser  # noqa: E402
import made  # noqa: E402

PAGE = made.BUILD / "slides/playground.html"
PLAY = made.BUILD / "tests/play"
AUDIT = (ROOT / "lib/tools/audit.js").read_text("utf-8")
PUZZLES = {puzzle["name"]: puzzle
           for puzzle in json.loads((ROOT / "slides/playground/puzzles.json").read_text("utf-8"))}

IN_C = [*shlex.split(os.environ.get("CC", "gcc")), "-std=c11", "-Ilib/include", "-o", "{program}", "{source}",
        str(made.BUILD / "liblab.a"), "-ljansson", "-lmd", "-ldl", "-lm", "-pthread"]


def works(test: str) -> bool:
    return subprocess.run(["bash", "-c", f". lib/tools/needs.sh; works {test}"], cwd=ROOT).returncode == 0


MISSING = [name for name, there in (("compiler for WebAssembly", works("wasm_program")), ("Chromium", browser.found()))
           if not there]


def setUpModule() -> None:
    made.make_file(PLAY)
    if MISSING:
        print(f"playground_test.py: not run in part: there is no {' and no '.join(MISSING)}", file=sys.stderr)
    else:
        made.make_file(PAGE)


def native(text: str, language: str = "lab") -> Any:
    return json.loads(subprocess.run([PLAY, language, "h200", text], stdout=subprocess.PIPE, encoding="utf-8",
                                     check=True).stdout)


SLOWER = float(re.search(r"SLOWER = ([\d.]+);", (ROOT / "slides/playground/program.js").read_text("utf-8"))[1])


class Puzzles(unittest.TestCase):
    def test_a_puzzle_is_wrong_or_waits_needlessly_and_its_solution_does_not(self) -> None:
        for name, puzzle in PUZZLES.items():
            with self.subTest(name):
                language = puzzle.get("language", "lab")
                given = native(";".join(puzzle["program"]), language)
                if "solution" not in puzzle:
                    self.assertNotEqual(given["findings"], [])
                    continue
                solved = native(";".join(puzzle["solution"]), language)
                self.assertEqual(solved["findings"], [])
                if not given["findings"]:
                    self.assertGreater(given["model"]["makespan"], SLOWER * solved["model"]["makespan"])
        self.assertLess({"lab01", "lab02", "lab03", "lab05", "lab09", "lab10", "lab12"}, set(PUZZLES))


class Listings(unittest.TestCase):
    """What the playground says of a program, the order checker says of the listing, compiled and run."""

    @staticmethod
    def run_listing(answer: Any, compiler: List[str], folder: str, settings: Dict[str, str]) -> str:
        source = Path(folder) / answer["file"]
        source.write_text(answer["listing"], "utf-8")
        program = str(Path(folder) / "play")
        subprocess.run([word.format(source=source, program=program) for word in compiler], cwd=ROOT, check=True)
        done = subprocess.run([program], stderr=subprocess.PIPE, encoding="utf-8", check=True,
                              env={**os.environ, "LAB_DEVICE": "cpu", **settings})
        return done.stderr

    @staticmethod
    def places(text: str) -> List[str]:
        return re.findall(r"play\.cu?:\d+", text)

    def check(self, language: str, compiler: List[str]) -> None:
        for name, puzzle in PUZZLES.items():
            for program in filter(None, (puzzle["program"], puzzle.get("solution"))):
                answer = native(";".join(program).replace("16 MiB", "64 KiB"), language)
                with self.subTest(name, language=language), tempfile.TemporaryDirectory() as folder:
                    said = self.run_listing(answer, compiler, folder, {"LAB_ORDER": "report", "COLUMNS": "1000"})
                    texts = re.findall(r"finding \d+: (.*)\.$", said, re.M)
                    self.assertEqual([self.places(text) for text in texts],
                                     [self.places(finding["text"]) for finding in answer["findings"]], said)

    def test_in_c_they_have_the_findings_that_the_page_shows(self) -> None:
        made.make_file(made.BUILD / "liblab.a")
        self.check("lab", IN_C)

    def test_in_cuda_they_have_the_findings_that_the_page_shows(self) -> None:
        made.make_file(made.BUILD / "bin/labcc")
        self.check("cuda", [str(made.BUILD / "bin/labcc"), "-o", "{program}", "{source}"])

    def test_in_python_they_are_programs(self) -> None:
        for puzzle in PUZZLES.values():
            ast.parse(native(";".join(puzzle["program"]), "cupy")["listing"])


@unittest.skipIf(MISSING, "something is missing")
class Goal(unittest.TestCase):
    def test_make_playground_opens_the_page_in_a_browser(self) -> None:
        told, writes = os.pipe()
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "browser"
            fake.write_text(f'#!/bin/bash\necho "$*" >&{writes}\n', "utf-8")
            fake.chmod(0o755)
            command = [*shlex.split(os.environ.get("MAKE", "make")), "playground", f"BUILD={made.BUILD}"]
            said = subprocess.run(command, cwd=ROOT, pass_fds=(writes,), env={**os.environ, "BROWSER": str(fake)},
                                  stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
            os.close(writes)
            with open(told, encoding="utf-8") as pipe:
                self.assertEqual(pipe.read().strip(), str(PAGE))
        self.assertIn(f"Your browser opens file://{PAGE}", said)


@unittest.skipIf(MISSING, "something is missing")
class Page(unittest.TestCase):
    def setUp(self) -> None:
        self.chromium = browser.page()
        self.chromium.look(1280, 1600)
        self.open("free")

    def open(self, puzzle: str = "free", program: str = "") -> None:
        self.go(f"{PAGE.as_uri()}#puzzle={puzzle}&program={quote(program)}")

    def go(self, address: str) -> None:
        """Opens the page again, and waits for its first answer."""
        self.chromium.open("about:blank")
        self.chromium.open(address)
        self.answered()

    def answered(self) -> None:
        self.chromium.run("""new Promise((done) => {
            const look = () => document.getElementById("answer").textContent ? done() : setTimeout(look, 20);
            look(); })""")

    def follow(self, link: str) -> None:
        """Clicks a link that leads to the page, and waits for its first answer."""
        loaded = self.chromium.loaded
        self.chromium.run(f"document.querySelector({json.dumps(link)}).click()")
        while self.chromium.loaded == loaded:
            self.chromium.notice(self.chromium.message())
        self.answered()

    def answer(self) -> str:
        return self.chromium.run("document.getElementById('answer').textContent")

    def lines(self) -> List[str]:
        return self.chromium.run("document.getElementById('text').value").split("\n")

    def center(self, selector: str) -> List[float]:
        return self.chromium.run(f"""(() => {{ const box = document.querySelector({json.dumps(selector)})
            .getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()""")

    def call(self, words: str) -> str:
        """The selector of the call whose button begins with the words."""
        number = self.chromium.run(f"""[...document.querySelectorAll("#board .call")].find((call) =>
            call.textContent.startsWith({json.dumps(words)})).dataset.number""")
        return f'.call[data-number="{number}"]'

    def mouse(self, kind: str, x: float, y: float) -> None:
        self.chromium.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def drag(self, words: str, x: float, y: float) -> None:
        from_x, from_y = self.center(self.call(words))
        self.mouse("mousePressed", from_x, from_y)
        self.mouse("mouseMoved", (from_x + x) / 2, (from_y + y) / 2)
        self.mouse("mouseMoved", x, y)
        self.mouse("mouseReleased", x, y)
        self.chromium.run("new Promise((done) => setTimeout(done, 50))")

    def press(self, key: str, shift: bool = False, control: bool = False) -> None:
        for kind in ("keyDown", "keyUp"):
            self.chromium.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 * shift + 2 * control)

    def tool(self, words: str) -> None:
        self.chromium.run(f"""[...document.querySelectorAll("#tools button")].find((button) =>
            button.textContent === {json.dumps(words)}).click()""")

    def focus(self, words: str) -> None:
        self.chromium.run(f"document.querySelector({json.dumps(self.call(words))}).click()")
        self.chromium.run(f"document.querySelector({json.dumps(self.call(words))}).focus()")

    def test_it_is_small_and_asks_no_network(self) -> None:
        first = self.chromium.run("performance.now()")
        self.assertLess(PAGE.stat().st_size, 300_000)
        print(f"playground.html: {PAGE.stat().st_size / 1000:.0f} kB, the first answer after {first:.0f} ms",
              file=sys.stderr)
        asked = {address.split(":")[0] for address in self.chromium.asked}
        self.assertEqual(asked - {"about", "data", "blob"}, {"file"})

    def test_the_finding_is_read_out_and_its_edge_is_drawn(self) -> None:
        self.assertEqual(self.chromium.run("document.getElementById('answer').getAttribute('aria-live')"), "polite")
        self.assertRegex(self.answer(),
                         r"^1 finding\.kernel consume \(play\.c:\d+\) reads device memory that kernel produce")
        self.assertIn("To order them: record an event on stream one after kernel produce", self.answer())
        self.assertEqual(self.chromium.run("document.querySelectorAll('#board .missing').length"), 1)
        self.assertEqual(self.chromium.run("document.querySelectorAll('#listing .wrong-line').length"), 2)

    def test_a_call_dragged_to_another_stream_is_ordered_there_and_undo_takes_it_back(self) -> None:
        before = self.lines()
        x, _ = self.center(self.call("kernel produce"))
        _, y = self.center(self.call("kernel consume"))
        self.drag("kernel consume", x, y)
        self.assertIn("kernel one consume reads a writes b", self.lines())
        self.assertIn("copy dtoh", self.answer())  # which is on stream two still
        self.assertNotIn("produce", self.answer())
        self.chromium.run("document.getElementById('undo').click()")
        self.assertEqual(self.lines(), before)
        self.assertIn("kernel produce", self.answer())

    def test_mouse_and_keys_move_a_call_and_undo_it_in_every_window(self) -> None:
        for width in (1280, 360):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    self.chromium.look(width, 1600, dark)
                    self.open("free")
                    before, found = self.lines(), self.answer()
                    self.chromium.run("document.getElementById('board').scrollIntoView()")
                    x, _ = self.center(self.call("kernel produce"))
                    self.drag("kernel consume", x, self.center(self.call("kernel consume"))[1])
                    dragged = self.lines()
                    self.assertIn("kernel one consume reads a writes b", dragged)
                    self.assertIn("copy dtoh", self.answer())
                    self.press("z", control=True)
                    self.assertEqual((self.lines(), self.answer()), (before, found))
                    self.focus("kernel consume")
                    self.press("ArrowLeft", shift=True)
                    self.assertEqual(self.lines(), dragged)
                    self.press("z", control=True)
                    self.assertEqual((self.lines(), self.answer()), (before, found))

    def touch(self, kind: str, *points: List[float]) -> None:
        self.chromium.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

    def touched(self, width: int) -> None:
        """A window of a touch screen, until the test's end, with the board in it."""
        self.addCleanup(self.chromium.call, "Emulation.setTouchEmulationEnabled", enabled=False)
        self.chromium.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.chromium.look(width, 1600)
        self.open("free")
        self.chromium.run("document.getElementById('board').scrollIntoView()")

    def test_a_finger_that_holds_a_call_drags_it_to_another_stream(self) -> None:
        for width in (1280, 360):
            with self.subTest(width=width):
                self.touched(width)
                x, _ = self.center(self.call("kernel produce"))
                at_x, y = self.center(self.call("kernel consume"))
                self.touch("touchStart", [at_x, y])
                self.chromium.run("""new Promise((done) => {
                    const look = () => document.querySelector("#board .dragged") ? done() : setTimeout(look, 20);
                    look(); })""")
                scrolled = self.chromium.run("scrollY")
                self.touch("touchMove", [(at_x + x) / 2, y + 1])
                self.touch("touchMove", [x, y + 1])
                self.assertEqual(self.chromium.run("scrollY"), scrolled)
                self.touch("touchEnd")
                self.chromium.run("new Promise((done) => setTimeout(done, 50))")
                self.assertIn("kernel one consume reads a writes b", self.lines())
                self.assertEqual(self.chromium.run("document.querySelectorAll('#board .dragged').length"), 0)

    def test_a_finger_that_moves_at_once_lifts_nothing(self) -> None:
        self.touched(360)
        lifted = self.chromium.run(f"""new Promise((done) => {{
            const call = document.querySelector({json.dumps(self.call("kernel consume"))});
            for (const [name, clientY] of [["pointerdown", 100], ["pointermove", 120]])
              call.dispatchEvent(new PointerEvent(name, {{ bubbles: true, pointerId: 9, pointerType: "touch",
                                                           clientY }}));
            setTimeout(() => done(document.querySelectorAll("#board .dragged").length), 2 * HOLD_MS);
        }})""")
        self.assertEqual(lifted, 0)

    def test_a_call_dragged_up_comes_earlier(self) -> None:
        x, _ = self.center(self.call("kernel consume"))
        _, y = self.center(self.call("copy input to a"))
        self.drag("kernel consume", x, y - 15)
        calls = self.lines()[6:]
        self.assertEqual(calls[:2], ["kernel two consume reads a writes b", "copy one input a"])

    def test_keys_record_an_event_and_move_the_wait_before_the_kernel(self) -> None:
        self.focus("kernel produce")
        self.tool("Record a new event behind it")
        self.assertIn("record e1 one", self.lines())
        self.focus("copy b to output")
        self.tool("Wait for e1 before it")
        self.assertTrue(self.answer().startswith("1 finding"), "the wait comes behind the kernel")
        self.focus("wait for e1")
        self.press("ArrowUp", shift=True)
        self.assertTrue(self.answer().startswith("The order checker finds nothing."), self.answer())
        self.assertEqual(self.chromium.run("document.querySelectorAll('#board .edge').length"), 1)
        self.assertTrue(self.chromium.run("document.activeElement.textContent.startsWith('wait for e1')"))
        self.press("Delete")
        self.assertTrue(self.answer().startswith("1 finding"))

    def test_keys_go_from_call_to_call_and_to_another_stream(self) -> None:
        self.focus("copy input to a")
        self.press("ArrowDown")
        self.assertTrue(self.chromium.run("document.activeElement.textContent.startsWith('kernel produce')"))
        self.press("ArrowRight", shift=True)
        self.assertIn("kernel two produce reads a writes a", self.lines())

    def test_the_address_holds_the_program(self) -> None:
        self.focus("kernel produce")
        self.tool("Record a new event behind it")
        address, lines = self.chromium.run("location.href"), self.lines()
        self.assertEqual(parse_qs(address.partition("#")[2])["program"][0].split(";"), lines)
        self.go(address)
        self.assertEqual(self.lines(), lines)

    def test_links_of_decks_and_of_the_site_open_the_program_of_the_slide(self) -> None:
        """Read as files: nothing here has a server."""
        made.make("site")
        in_decks = []
        for folder in (made.BUILD / "slides", made.BUILD / "site/slides"):
            for deck in sorted(folder.glob("[0-9]*.html")):
                names = re.findall(r'href="playground\.html#puzzle=([\w-]+)"', deck.read_text("utf-8"))
                in_decks += [deck.stem] * bool(names)
                for name in names:
                    with self.subTest(folder.parent.name, deck=deck.stem, puzzle=name):
                        self.chromium.open(deck.as_uri())
                        self.follow(f'a[href$="puzzle={name}"]')
                        self.assertEqual(self.lines(), PUZZLES[name]["program"])
                        self.assertRegex(self.answer(), r"^\d findings?\.|It is right, but work waits that need not")
        self.assertEqual(in_decks, 2 * ["01-streams", "02-events", "03-concurrency", "05-pools", "09-ordering",
                                        "10-graphs", "12-audit"])

    def test_the_story_leads_to_the_mistake(self) -> None:
        self.chromium.run("document.getElementById('step-wrong').click()")
        self.assertEqual(self.chromium.run("document.querySelector('#steps .current').textContent"),
                         "On two: kernel consume. It reads a before kernel produce has written it.")
        now = self.chromium.run("document.querySelector('.call.now').textContent")
        self.assertTrue(now.startswith("kernel consume"), now)
        self.chromium.run("document.getElementById('step-back').click()")
        self.assertNotIn("It reads", self.chromium.run("document.getElementById('step-said').textContent"))

    def test_the_story_and_the_timeline_can_be_read(self) -> None:
        """Also where a program has no story, and its timeline stands next to the board."""
        story = "document.getElementById('steps')"
        self.assertEqual(self.chromium.run(f"{story}.scrollHeight - {story}.clientHeight"), 0)
        letters = """Math.min(...[...document.querySelectorAll("#timeline text")].filter((text) => text.textContent)
                       .map((text) => text.getBoundingClientRect().height))"""
        self.assertGreater(self.chromium.run(letters), 11)
        self.open("lab02", ";".join(PUZZLES["lab02"]["solution"]))
        self.assertFalse(self.chromium.run("document.getElementById('story').checkVisibility()"))
        tops = [self.chromium.run(f"document.getElementById('{name}').getBoundingClientRect().top")
                for name in ("board-title", "time-title")]
        self.assertEqual(tops[0], tops[1])

    def test_it_speaks_three_languages(self) -> None:
        for language, file, call in (("cuda", "play.cu", "cudaMemcpyAsync("),
                                     ("cupy", "play.py", "a.set(input, stream=one)"),
                                     ("lab", "play.c", "lab_memcpy_htod_async(")):
            self.chromium.run(f"document.querySelector('input[value={language}]').click()")
            self.assertIn(f"({file}:", self.answer())
            self.assertIn(call, self.chromium.run("document.getElementById('listing').textContent"))

    def test_a_text_that_is_no_program_keeps_the_board(self) -> None:
        self.chromium.run("""document.getElementById("text").value += "\\njump";
            document.getElementById("text").dispatchEvent(new Event("change"))""")
        self.assertEqual(self.answer(), 'Line 13: "jump" does not begin a statement')
        self.assertGreater(self.chromium.run("document.querySelectorAll('#board .call').length"), 5)
        self.chromium.run("document.getElementById('undo').click()")
        self.assertTrue(self.answer().startswith("1 finding"))

    @staticmethod
    def begin_of(finding: Any) -> str:
        """What to do, up to the first place."""
        return finding["edge"].split("(")[0]

    def test_a_record_of_a_program_opens_with_its_findings(self) -> None:
        made.make_file(made.BUILD / "liblab.a")
        for name, part in (("lab12", "program"), ("lab12", "solution"), ("lab10", "program"), ("lab01", "solution")):
            program = ";".join(PUZZLES[name][part]).replace("16 MiB", "64 KiB")
            with self.subTest(name, part=part), tempfile.TemporaryDirectory() as folder:
                record = Path(folder) / "record.json"
                Listings.run_listing(native(program), IN_C, folder, {"LAB_TRACE": str(record)})
                self.chromium.run(f"openRecord({json.dumps(record.read_text('utf-8'))})")
                opened, wanted = native(";".join(self.lines())), native(program)
                self.assertEqual([self.begin_of(finding) for finding in opened["findings"]],
                                 [self.begin_of(finding).replace("stream one", "stream s2").replace(
                                     "stream two", "stream s3") for finding in wanted["findings"]])
                count = len(wanted["findings"])
                self.assertIn(f"{count} finding" if count else "nothing", self.answer())

    def test_what_is_no_record_or_cannot_be_said_is_told(self) -> None:
        for text, words in (("{", "not a record"), ("{}", "not a record"), (json.dumps({
                "otherData": {"format": "lab-trace"}, "traceEvents": [
                    {"args": {"id": 1, "kind": "graph launch", "thread": 1}}]}), "has a graph launch")):
            self.chromium.run(f"openRecord({json.dumps(text)})")
            self.assertIn(words, self.answer())
            self.assertGreater(len(self.lines()), 5)

    def test_a_link_that_holds_no_program_says_so_and_the_page_can_be_used(self) -> None:
        self.open("free", "stream one;jump")
        self.assertEqual(self.answer(), 'Line 2: "jump" does not begin a statement')
        self.assertFalse(self.chromium.run("document.getElementById('story').checkVisibility()"))
        self.chromium.run("document.getElementById('again').click()")
        self.assertTrue(self.answer().startswith("1 finding"))

    def test_a_puzzle_is_judged(self) -> None:
        puzzle = PUZZLES["lab03"]
        self.open("lab03")
        self.assertTrue(self.answer().startswith("1 finding"))
        self.open("lab03", ";".join(puzzle["solution"]))
        self.assertIn("Solved", self.answer())
        waits = [line for each in puzzle["program"]
                 for line in (["sync two", each] if each == "copy one first output" else [each])]
        self.open("lab03", ";".join(waits))
        self.assertIn("It is right, but the host waits once more than it has to", self.answer())
        self.open("lab03", ";".join(line for line in puzzle["solution"] if "output_too" not in line))
        self.assertIn("are others than at first", self.answer())
        late = PUZZLES["lab12"]["solution"]
        number = late.index("wait one used")
        late = [*late[:number - 4], late[number], *late[number - 4:number], *late[number + 1:]]
        self.open("lab12", ";".join(late))
        self.assertIn("work waits that need not", self.answer())

    def listing(self, language: str) -> str:
        self.chromium.run(f"document.querySelector('input[value={language}]').click()")
        return self.chromium.run("document.getElementById('listing').textContent")

    def test_memory_of_a_pool_is_freed_on_another_stream_by_mouse_and_by_keys(self) -> None:
        """CUDA's pool is meant, in every language; that of lab.h finds nothing wrong, which is no solution."""
        for width in (1280, 360):
            with self.subTest(width=width):
                self.chromium.look(width, 1600)
                self.open("lab05")
                self.assertRegex(self.answer(), r"^1 finding\.pool free \(play\.cu:\d+\) frees device memory that")
                self.chromium.run("document.getElementById('board').scrollIntoView()")
                x, _ = self.center(self.call("kernel consume"))
                self.drag("free between", x, self.center(self.call("free between"))[1])
                self.assertIn("free two between", self.lines())
                self.assertIn("Solved", self.answer())
                self.press("z", control=True)
                self.focus("free between")
                self.press("ArrowRight", shift=True)
                self.assertIn("Solved", self.answer())
                for language, call in (("lab", "lab_mempool_free(NULL, between, two)"),
                                       ("cuda", "cudaFreeAsync(between, two)"),
                                       ("cupy", "freeAsync(between.data.ptr, two.ptr)")):
                    self.assertIn(call, self.listing(language))
                self.press("z", control=True)
                self.listing("lab")
                self.assertIn("choose CUDA C++ below", self.answer())

    def test_a_call_that_cannot_stand_there_stays_and_is_told(self) -> None:
        self.open("lab05")
        before, found = self.lines(), self.answer()
        self.focus("allocate between")
        self.press("ArrowDown", shift=True)
        x, y = self.center(self.call("allocate between"))
        self.drag("free between", x, y - 15)
        self.assertEqual(self.lines(), before)
        self.assertEqual(self.answer(),
                         found + 'That would not be a program: no line before allocates "between" (line 7).')
        self.assertTrue(self.chromium.run("document.getElementById('undo').disabled"))

    def test_memory_of_a_call_is_taken_from_the_pool_and_is_there_all_the_time_again(self) -> None:
        before = self.lines()
        self.focus("kernel produce")
        self.tool("Take a from the pool")
        lines = self.lines()
        self.assertEqual([lines.index(line) for line in ("pooled a 16 MiB", "alloc one a", "free one a")], [2, 6, 10])
        self.chromium.run("document.querySelector('input[value=cuda]').click()")
        self.assertIn("kernel consume and free a", self.answer())
        self.go(self.chromium.run("location.href"))
        self.assertEqual(self.lines(), lines)
        self.focus("allocate a")
        self.press("Delete")
        self.assertEqual(self.lines(), before)

    def test_a_graph_is_made_right_by_mouse_and_keys(self) -> None:
        for width in (1280, 360):
            with self.subTest(width=width):
                self.chromium.look(width, 1600)
                self.open("lab10-graph")
                self.assertRegex(self.answer(), r"^2 findings\.")
                self.assertEqual(self.chromium.run("""[...document.querySelectorAll("#board .call.node")].map((call) =>
                    call.firstChild.textContent)"""), ["kernel u", "kernel q", "kernel p", "kernel r"])
                self.chromium.run("document.getElementById('board').scrollIntoView()")
                x, y = self.center(self.call("kernel r"))
                self.drag("wait for joined", x, y - 15)
                self.assertRegex(self.answer(), r"^1 finding\.copy dtoh .* graph node kernel r .*after the launch \(")
                self.focus("copy a to output")
                self.press("ArrowUp")
                self.tool("Record a new event behind it")
                self.focus("copy a to output")
                self.tool("Wait for e1 before it")
                self.assertIn("Solved", self.answer())
                for language, call in (("cuda", "cudaGraphLaunch(turn, one)"), ("cupy", "turn.launch(one)"),
                                       ("lab", "lab_graph_launch(turn, one)")):
                    self.assertIn(call, self.listing(language))

    def test_a_call_is_captured_in_a_graph_and_the_graph_is_taken_away(self) -> None:
        before = self.lines()
        self.focus("kernel produce")
        self.tool("Capture it in a graph")
        lines = self.lines()
        self.assertEqual(lines[7:12], ["copy one input a", "capture one g1", "kernel one produce reads a writes a",
                                       "end one g1", "launch one g1"])
        self.assertIn("reads device memory that graph node kernel produce", self.answer())
        self.go(self.chromium.run("location.href"))
        self.assertEqual(self.lines(), lines)
        self.focus("launch g1")
        self.tool("Launch g1 behind it")
        self.assertEqual(self.lines().count("launch one g1"), 2)
        self.focus("begin capture of g1")
        self.press("ArrowRight", shift=True)
        self.assertIn("capture two g1", self.lines())
        self.assertIn("end two g1", self.lines())
        self.focus("launch g1")
        self.press("ArrowUp", shift=True)
        self.assertIn("That would not be a program: no line before ends the capture of \"g1\"", self.answer())
        self.focus("end capture of g1")
        self.press("Delete")
        self.assertEqual(self.lines(), before)

    def test_a_call_that_a_puzzle_fixes_stays(self) -> None:
        self.open("lab02")
        before = self.lines()
        x, y = self.center(self.call("copy result to output"))
        self.drag("kernel produce", x, y)
        self.focus("kernel produce")
        self.press("ArrowDown", shift=True)
        self.assertEqual(self.lines(), before)

    def test_it_answers_in_a_browser_as_outside(self) -> None:
        """The programs of the order catalogue, as its tests in C say them, and the puzzles."""
        made.make_file(made.BUILD / "tests/order_tests")
        with tempfile.TemporaryDirectory() as folder:
            texts = Path(folder) / "texts"
            subprocess.run([made.BUILD / "tests/order_tests", "--filter", "playground/*"], cwd=ROOT, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "PLAYGROUND_TEXTS": str(texts), "BUILD": str(made.BUILD)})
            programs = [line.partition("\t")[2] for line in texts.read_text("utf-8").splitlines()]
        self.assertGreater(len(programs), 60)
        programs += [";".join(puzzle["program"]) for puzzle in PUZZLES.values()]
        answers = self.chromium.run(f"{json.dumps(programs)}.map((text) => ask(text, 'lab', 'h200'))")
        for program, answer in zip(programs, answers):
            self.assertEqual(answer, native(program), program)

    def test_the_checker_finds_the_same_in_webassembly_in_each_program_of_the_catalogue(self) -> None:
        """Those too that the page's language cannot say, with graphs, pools and threads: lib/tests/order/replay."""
        made.make_file(made.BUILD / "tests/order_calls")
        made.make_file(made.BUILD / "tests/order_replay.wasm")
        with tempfile.TemporaryDirectory() as folder:
            calls, findings = Path(folder) / "calls", Path(folder) / "findings"
            subprocess.run([made.BUILD / "tests/order_calls", "--filter", "replay/*"], cwd=ROOT, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "ORDER_CALLS": str(calls), "ORDER_FINDINGS": str(findings)})
            noted, found = calls.read_text("utf-8"), findings.read_text("utf-8")
        self.assertGreater(len(re.findall(r"^\d+ program ", noted, re.M)), 200)
        self.assertGreater(len(re.findall(r"^1: ", found, re.M)), 90)
        module = base64.b64encode((made.BUILD / "tests/order_replay.wasm").read_bytes()).decode("ascii")
        replayed = self.chromium.run(f"""(async () => {{
            const bytes = Uint8Array.from(atob("{module}"), (letter) => letter.charCodeAt(0));
            const library = await instantiate(await WebAssembly.compile(bytes));
            return library.take(library.play_replay(library.put({json.dumps(noted)}))); }})()""")
        self.assertEqual(replayed.splitlines(), found.splitlines())

    def test_it_fits_phones_and_screens_and_passes_the_audit(self) -> None:
        for puzzle in ("free", "lab12"):
            for width in (360, 1280):
                for dark in (False, True):
                    self.chromium.look(width, 780, dark)
                    self.open(puzzle)
                    with self.subTest(puzzle, width=width, dark=dark):
                        self.assertEqual(self.chromium.run(f"{AUDIT} audit(document)"), [])
                        self.assertLessEqual(self.chromium.run("document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.chromium.run("getComputedStyle(document.documentElement).colorScheme"),
                                         "dark" if dark else "light")


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
