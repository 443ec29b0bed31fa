"""Timelines have one look: the slides' colours are those of the library's table, by whose words all name things."""
import os
import re
import sys
import unittest
from pathlib import Path

os.chdir(Path(__file__).resolve().parents[2])
sys.path.insert(0, "slides/tools")

import figure  # noqa: E402
import made  # noqa: E402

THEME = Path("slides/theme")
TABLES = Path("lib/src/trace/drawing/timeline_look.h").read_text("utf-8")
COLORS = {name: (light, dark) for name, light, dark in re.findall(r'X\("([\w-]+)", "(#\w+)", "(#\w+)"\)', TABLES)}
# By the words of the legend: the lines of a pattern, and a mark's place in its row.
LOOKS = {words: look for words, *look in
         re.findall(r'X\(TIMELINE_\w+, "\w+", "([^"]+)", "[^"]+", "([^"]*)", ([\d.]+), ([\d.]+)\)', TABLES)}


def luminance(color):
    parts = (int(color[at:at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((.2126, .7152, .0722), linear))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + .05) / (low + .05)


class Look(unittest.TestCase):
    def test_the_theme_has_the_tables_colours_on_light_and_on_dark(self):
        for number, name in enumerate(("theme.css", "dark.css")):
            own = dict(re.findall(r"--([\w-]+): (#\w+)", (THEME / name).read_text("utf-8").split("}")[0]))
            self.assertEqual({color: own.get(color) for color in COLORS},
                             {color: both[number] for color, both in COLORS.items()}, name)
        self.assertEqual(len(COLORS), 5)

    def test_text_in_a_bar_and_next_to_it_can_be_read(self):
        for name, both in COLORS.items():
            for color, ground in zip(both, ("#ffffff", "#15181c")):
                self.assertGreaterEqual(contrast(color, ground), 4.5, f"{name} {color} on {ground}")

    def test_every_mark_of_the_table_is_read(self):
        self.assertEqual(len(LOOKS), len(re.findall(r"X\(TIMELINE_\w+,", TABLES)))
        self.assertEqual(list(LOOKS)[:3], ["copy in", "kernel", "copy out"])

    def test_no_two_marks_that_fill_a_row_differ_by_colour_alone(self):
        shapes = [tuple(look) for words, look in LOOKS.items() if words not in ("event", "mark", "queued")]
        self.assertEqual(len(shapes), len(set(shapes)))

    def test_a_figures_key_has_the_tables_words(self):
        made.make_file(made.BUILD / "bin/labtrace")
        drawn = figure.drawn("lab02-no-wait").svg
        for words in ("host calls", "queued", "copy in", "kernel", "copy out", "event"):
            self.assertIn(f">{words}</text>", drawn)
        self.assertLess(drawn.index(">copy in</text>"), drawn.index(">host calls</text>"))


if __name__ == "__main__":
    unittest.main()
