"""Every figure draws, from every record. A missing or damaged record is an error that names it and its field."""
import copy
import json
import os
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

os.chdir(Path(__file__).resolve().parents[2])
sys.path.insert(0, "slides/tools")

import draw_kit  # noqa: E402
import figure  # noqa: E402
import figures  # noqa: E402
import made  # noqa: E402
import shows  # noqa: E402
import source  # noqa: E402
from draw_kit import BESIDE, SMALL, WIDE  # noqa: E402

EVERY = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(Path("slides/figures").glob("*.json"))}
RECIPES = {name: recipe for name, recipe in EVERY.items() if recipe["kind"] != "text"}
RECORDS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(Path("slides/records").glob("*.json"))}
DRAWINGS = sorted(Path("slides/drawings").glob("*.svg"))
LARGEST_RECORD = 60000
HIGH = 470  # what a slide leaves for a picture below its title
VARIABLES = set(re.findall(r"(--[\w-]+):", Path("slides/theme/theme.css").read_text("utf-8")))
SVG = "{http://www.w3.org/2000/svg}"


def setUpModule():
    made.make_file(made.BUILD / "bin/labtrace")  # which draws timelines


def machines(name):
    """The records of a figure, one machine after the other."""
    return [record for record in RECORDS if record.rsplit(".", 1)[0] == name]


def slot(name):
    """The width that a slide leaves for a figure; a player's code stands next to it."""
    return BESIDE if RECIPES[name]["kind"] == "player" else WIDE


def svg_of(drawn):
    """The SVG of a figure or a player; None for a table."""
    found = re.search(r"<svg\b.*</svg>", drawn.svg or drawn.html, re.S)
    return found and ElementTree.fromstring(found.group())


def draw(name, records, **changes):
    recipe = {**RECIPES[name], "records": [f"{name}.test"] * len(records), **changes}
    return figures.draw(recipe, records, name)


def numbers_in(value, path=()):
    """The places of all numbers in a record."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, path + (key,))
    elif isinstance(value, list):
        for key, inner in enumerate(value):
            yield from numbers_in(inner, path + (key,))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def changed(record, path, value):
    record = copy.deepcopy(record)
    part = record
    for key in path[:-1]:
        part = part[key]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return record


class Picture(unittest.TestCase):
    """What holds for an SVG, wherever it comes from."""

    def check_svg(self, root, name, slot=WIDE):
        self.assertEqual(SVG + "svg", root.tag)
        width, height = map(float, root.get("viewBox").split()[2:])
        scale = min(slot / width, HIGH / height)
        self.assertIsNone(root.get("width"), name)
        for tag in ("title", "desc"):
            self.assertIn(" ", root.findtext(SVG + tag) or "", f"{name} has no {tag}")
        parents = {child: parent for parent in root.iter() for child in parent}
        for element in root.iter():
            for key, value in element.attrib.items():
                self.assertNotRegex(value, r"#[0-9a-fA-F]{3,8}\b|\brgb|\bhsl", f"{name}: a colour of its own in {key}")
                for variable in re.findall(r"var\((--[\w-]+)\)", value):
                    self.assertIn(variable, VARIABLES, name)
                if key in ("fill", "stroke"):
                    self.assertRegex(value, r"^(none|currentColor|var\(--[\w-]+\)|url\(#[\w-]+\))$", name)
            if element.tag == SVG + "text":
                sized = element
                while not sized.get("font-size"):
                    sized = parents[sized]
                self.check_text(element, float(sized.get("font-size")) * scale, name, width)

    def check_text(self, element, size, name, width):
        x = float(element.get("x"))
        self.assertGreaterEqual(size, SMALL, f"{name}: {element.text} is too small")
        self.assertTrue(0 <= x <= width, f"{name}: {element.text} is outside")


class Figures(Picture):
    def test_every_figure_has_its_records(self):
        for name, recipe in RECIPES.items():
            with self.subTest(name):
                self.assertTrue(recipe["records"])
                for record in recipe["records"]:
                    self.assertIn(record, RECORDS)
                self.assertIn("cpu", recipe["record"]["on"])

    def test_every_text_is_in_its_records(self):
        for name in EVERY.keys() - RECIPES.keys():
            with self.subTest(name):
                self.assertTrue(machines(name))
                for machine in machines(name):
                    self.assertTrue(RECORDS[machine]["text"])

    def test_every_record_belongs_to_a_figure_and_is_small(self):
        for name, record in RECORDS.items():
            with self.subTest(name):
                stem, machine = name.rsplit(".", 1)
                self.assertIn(machine, EVERY[stem]["record"]["on"])
                self.assertLess(Path(f"slides/records/{name}.json").stat().st_size, LARGEST_RECORD)
                self.assertEqual(f"make slides-record NAME={stem} AS={machine}", record["command"])

    def test_every_figure_draws_from_every_record(self):
        for name in RECIPES:
            for machine in machines(name):
                with self.subTest(machine):
                    drawn = draw(name, [RECORDS[machine]])
                    root = svg_of(drawn)
                    if root is None:
                        self.assertEqual("table", RECIPES[name]["kind"])
                    else:
                        self.check_svg(root, name, slot(name))

    def test_every_figure_draws_as_its_recipe_says(self):
        for name in RECIPES:
            with self.subTest(name):
                root = svg_of(figure.drawn(name))
                if root is not None:
                    self.check_svg(root, name, slot(name))

    def test_the_caption_has_machine_date_and_command(self):
        for name in RECIPES:
            with self.subTest(name):
                caption = figure.drawn(name).caption
                for record in RECIPES[name]["records"]:
                    for key in ("machine", "date", "command"):
                        self.assertIn(RECORDS[record][key], caption)

    def test_a_caption_names_the_arrays_of_its_record(self):
        for name, place in (("lab03-speed-up", ("runs", 0, "numbers", 0, "length")),
                            ("lab03-serial-pageable-pinned", ("runs", 0, "ops", 0, "bytes"))):
            with self.subTest(name):
                self.assertRegex(figure.drawn(name).caption, r", \d+ arrays of \d+\xa0[KM]iB, ")
                if "ops" in place:
                    with self.assertRaisesRegex(ValueError, "its copies in have 2 sizes"):
                        draw(name, [changed(RECORDS[name + ".cpu"], place, 12)])
                else:
                    spoilt = draw(name, [changed(RECORDS[name + ".cpu"], place, 1 << 20)])
                    self.assertIn(" arrays of 4\xa0MiB, ", spoilt.caption)

    def test_a_player_has_a_sentence_a_line_and_a_mark_for_each_step(self):
        players = [name for name, recipe in RECIPES.items() if recipe["kind"] == "player"]
        self.assertTrue(players)
        for name in players:
            with self.subTest(name):
                drawn = figure.drawn(name)
                for step in range(1, drawn.steps + 1):
                    self.assertRegex(drawn.html, rf'<li data-step="{step}">[^<]+\.</li>')
                    self.assertRegex(drawn.html, rf'class="line[^"]*" data-step="(\d+ )*{step}( \d+)*"')
                self.assertNotIn(f'data-step="{drawn.steps + 1}"', drawn.html)
                svg = re.search(r"<svg\b.*</svg>", drawn.html, re.S).group()
                self.assertIn(f'data-step="{drawn.steps}"', svg)

    def test_a_player_whose_source_has_changed_says_so(self):
        record = copy.deepcopy(RECORDS["lab02-event-wait.cpu"])
        record["runs"][0]["source"]["lines"][3] += " "
        with self.assertRaisesRegex(ValueError, "lab02-event-wait.test.*lines is no longer what .*#pipeline"):
            draw("lab02-event-wait", [record])


class Numbers(unittest.TestCase):
    """A figure shows its record: each kind of figure changes when the numbers that it shows do."""

    # The figure, and the places whose number it shows.
    SHOWN = {
        "lab02-no-wait": [("runs", 0, "ops", 1, "end"), ("runs", 1, "ops", 7, "return")],
        "lab02-event-wait": [("runs", 0, "ops", 3, "end"), ("runs", 0, "ops", 4, "return")],
        "lab00-first-call": [("runs", 0, "numbers", k, "rows", 1, "ms") for k in range(5)],
        "lab03-speed-up": [("runs", 0, "numbers", 0, "rows", k, "median_ms") for k in (0, 3, 12)],
        "lab00-repeats": [("runs", 0, "numbers", 0, "calls", k, key) for k in (0, 9)
                          for key in ("host_ms", "device_ms")],
        "kernel-memory-traffic": [("runs", 0, "ops", 0, "access", 0, 0), ("runs", 1, "ops", 0, "end")],
    }

    def test_a_changed_number_changes_the_figure(self):
        for name, places in self.SHOWN.items():
            record = RECORDS[name + ".cpu"]
            before = draw(name, [record])
            known = set(numbers_in(record))
            for place in places:
                with self.subTest(name, place=place):
                    self.assertIn(place, known)
                    part = record
                    for key in place:
                        part = part[key]
                    larger = part + 1 if "edges" in place else part * 50 + 1
                    after = draw(name, [changed(record, place, larger)])
                    self.assertNotEqual((before.svg, before.html), (after.svg, after.html))

    def test_a_pool_shows_the_blocks_of_its_record(self):
        record = RECORDS["lab05-pool-state.cpu"]
        self.assertIn("used 3072", draw("lab05-pool-state", [record]).svg)
        wrong = changed(record, ("runs", 0, "numbers", 0, "steps", 0, "used"), 512)
        with self.assertRaisesRegex(ValueError, "lab05-pool-state.test.*numbers are not those of its blocks"):
            draw("lab05-pool-state", [wrong])

    def test_a_graph_shows_its_record_and_is_the_same_in_both_orders(self):
        record = RECORDS["lab03-captured-graph.cpu"]
        depth = {**record, "runs": record["runs"][:1]}
        for place, value in (("nodes", 0, "bytes"), 4096), (("edges", 0, 1), 2):
            other = changed(record, ("runs", 0, "numbers", 0) + place, value)
            first = {**other, "runs": other["runs"][:1]}
            self.assertNotEqual(draw("lab03-captured-graph", [depth]).svg, draw("lab03-captured-graph", [first]).svg)
            with self.assertRaisesRegex(ValueError, r"runs\[1\]: its graph is not that of the first run"):
                draw("lab03-captured-graph", [other])

    def test_casts_show_both_numbers_where_they_differ(self):
        record = RECORDS["lab06-casts.cpu"]
        shown = draw("lab06-casts", [record]).html
        self.assertEqual(4, shown.count("<thead>") * len(RECIPES["lab06-casts"]["types"]))
        differing = changed(record, ("runs", 0, "numbers", 0, "types", 0, "device", 2), "45")
        self.assertIn("device 45", draw("lab06-casts", [differing]).html)
        self.assertNotIn("device 45", shown)

    def test_of_reads_at_one_place_only_the_last_has_its_word(self):
        record = RECORDS["lab06-read-too-early.cpu"]
        others = [op for op in record["runs"][0]["ops"] if op["kind"] != "host read"]
        last = max(op.get("return", 0) for op in others)
        reads = [{"id": 1000 + k, "kind": "host read", "thread": 1, "call": last + 9 * k, "return": last + 9 * k + 1,
                  "line": 1} for k in range(3)]
        once, several = (draw("lab06-read-too-early", [changed(record, ("runs",), [
            {**record["runs"][0], "ops": others + own, "findings": []}])]).svg.count(">reads<")
            for own in (reads[:1], reads))
        self.assertEqual(once, 1)
        self.assertEqual(once, several)

    def test_the_order_checkers_finding_is_marked(self):
        record = RECORDS["lab02-no-wait.cpu"]
        self.assertIn("nothing orders produce and consume", draw("lab02-no-wait", [record]).svg)
        silent = changed(record, ("runs", 0, "findings"), [])
        self.assertNotIn("order checker", draw("lab02-no-wait", [silent]).svg)


class Statements(unittest.TestCase):
    """A record that contradicts what its figure says is refused."""

    @staticmethod
    def op(number, kind, name, call, start, end):
        return {"id": number, "kind": kind, "name": name, "stream": 1, "call": call[0], "return": call[1],
                "start": start, "end": end, "line": 1}

    def record(self, launch=(0, 5)):
        """A launch, its kernel from 10 to 110, a copy out to 150, the host's read at 160."""
        return {"machine": "m", "date": "d", "command": "make slides-record NAME=x AS=cpu", "runs": [{"ops": [
            self.op(1, "kernel", "work", launch, 10, 110), self.op(2, "copy dtoh", "", (6, 7), 110, 150),
            self.op(3, "copy htod", "", (8, 9), 20, 30), self.op(4, "copy htod", "", (8, 9), 30, 80),
            self.op(5, "host read", "", (160, 161), -1, -1)]}]}

    def check(self, sentence, **changes):
        recipe = draw_kit.Part({"runs": [{"shows": [sentence]}]}, "slides/figures/x.json")
        shows.check(recipe, draw_kit.Part(self.record(**changes), "record x.cpu"))

    def test_a_record_that_shows_what_its_figure_says_is_taken(self):
        for sentence in ("launches return at once", "work overlaps copy in", "work never overlaps copy out",
                         "copy out before host read", "no copy in is 6 times as long as another",
                         "copy in[0] before copy in[1]", "kernel overlaps copy in[1]", "copy in without pauses",
                         "copy in begins before work ends", "no memory alloc"):
            with self.subTest(sentence):
                self.check(sentence)

    def test_a_contradiction_names_the_record_its_run_and_the_sentence(self):
        for sentence, says in (
                ("launches return at once", r"the call of work took 60.ns, and work 100.ns"),
                ("work overlaps copy out", "they never run at the same time"),
                ("work never overlaps copy in", r"both run from 20.ns to 30.ns"),
                ("host read before copy out", r"host read ends at 161.ns, and copy out begins at 110.ns"),
                ("no copy in is 4 times as long as another", r"one takes 10.ns, and one 50.ns"),
                ("copy in with pauses", r"one that took 10.ns is followed 0.ns later"),
                ("copy out begins before work ends", r"copy out begins at 110.ns, and work ends at 110.ns"),
                ("no copy in", "it has 2")):
            with self.subTest(sentence):
                told = rf'record x.cpu, runs\[0\]: it has to show "{sentence}", but {says}\. Make it again with `make '
                with self.assertRaisesRegex(ValueError, told + "slides-record NAME=x AS=cpu`"):
                    self.check(sentence, launch=(0, 60))

    def test_a_sentence_that_cannot_be_judged_names_the_recipe(self):
        for sentence, says in (("work is nice", "there is no such sentence"),
                               ("work before sleep", "the run has no sleep"),
                               ("copy in[2] before work", r"the run has no copy in\[2\]")):
            with self.subTest(sentence):
                with self.assertRaisesRegex(ValueError, rf"x.json, runs\[0\]: .*{says}"):
                    self.check(sentence)

    def test_a_recipe_of_a_timeline_or_a_player_says_something_of_each_run(self):
        for kind in ("timeline", "player"):
            for runs in ({}, {"runs": []}, {"runs": [{"title": "t"}]}, {"runs": [{"shows": []}]}):
                with self.subTest(kind, runs=runs):
                    recipe = draw_kit.Part({"kind": kind, **runs}, "slides/figures/x.json")
                    with self.assertRaisesRegex(ValueError, r'x.json, runs\[0\]: "shows" is missing'):
                        shows.check(recipe, draw_kit.Part(self.record(), "record x.cpu"))

    def test_a_figure_is_not_drawn_from_a_record_that_contradicts_it(self):
        held = changed(RECORDS["lab00-stops-early.cpu"], ("runs", 1, "ops", 2, "return"), 60000)
        with self.assertRaisesRegex(ValueError, r"lab00-stops-early.test, runs\[1\]: .*launches return at once"):
            draw("lab00-stops-early", [held])


class Damage(unittest.TestCase):
    def test_a_missing_record_names_the_figure_and_the_record(self):
        with self.assertRaisesRegex(source.Fault, "no record slides/records/lab99.cpu.json"):
            figure.recorded("lab99.cpu")

    # What is taken away or spoilt, and what the error says.
    DAMAGED = [
        ("lab02-no-wait", ("machine",), None, "record lab02-no-wait.test: the field machine is missing"),
        ("lab02-no-wait", ("runs",), [], r"record lab02-no-wait.test: the field runs has 0 of 1 items"),
        ("lab02-no-wait", ("runs", 0, "ops"), "none", r"lab02-no-wait.test, runs\[0\]: the field ops is not a list"),
        ("lab02-no-wait", ("runs", 0, "ops", 1, "call"), None, r"runs\[0\], ops\[1\]: the field call is missing"),
        ("lab02-no-wait", ("runs", 0, "ops", 1, "end"), "late", r"runs\[0\], ops\[1\]: the field end is not a number"),
        ("lab02-no-wait", ("runs", 0, "ops", 1, "end"), 1, r"runs\[0\], ops\[1\]: it ends before it begins"),
        ("lab00-first-call", ("runs", 0, "numbers", 0, "rows", 0, "ms"), True, r"\[0\]: the field ms is not a number"),
        ("lab00-first-call", ("runs", 0, "numbers", 0, "rows", 0, "ms"), 0, r"the field ms is no time that passed"),
        ("lab03-speed-up", ("runs", 0, "numbers", 0, "rows", 0, "name"), "other", "rows has no serial run"),
        ("lab00-repeats", ("runs", 0, "numbers", 0, "calls", 4, "host_ms"), None, r"4\]: the field host_ms is missing"),
        ("lab03-captured-graph", ("runs", 0, "numbers", 0, "edges", 0), [0, 99], "has an edge that does not join"),
        ("kernel-memory-traffic", ("runs", 0, "ops", 0, "access"), [[1]], r"the field access is not a list of"),
        ("lab06-casts", ("runs", 0, "numbers", 0, "types", 0, "type"), "int7", "types has no uint8"),
    ]

    def test_damage_names_record_and_field(self):
        for name, place, value, says in self.DAMAGED:
            with self.subTest(name, place=place):
                with self.assertRaisesRegex(ValueError, says):
                    draw(name, [changed(RECORDS[name + ".cpu"], place, value)])

    def test_an_unknown_kind_names_the_known_ones(self):
        with self.assertRaisesRegex(ValueError, 'no kind of figure "pie": there are .*timeline'):
            draw("lab02-no-wait", [RECORDS["lab02-no-wait.cpu"]], kind="pie")


class Drawings(Picture):
    def test_every_drawing_is_a_picture_for_a_slide(self):
        self.assertTrue(DRAWINGS)
        for path in DRAWINGS:
            with self.subTest(path.stem):
                self.check_svg(ElementTree.parse(path).getroot(), path.stem)


if __name__ == "__main__":
    unittest.main()
