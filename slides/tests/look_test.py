"""Timelines have one look: the slides' colours are those of the library's table, and both name things by its words."""
import os
import re
import sys
import unittest
from pathlib import Path

os.chdir(Path(__file__).resolve().parents[2])
sys.path.insert(0, "slides/tools")

import figure  # noqa: E402
from look import TABLES, colors, looks  # noqa: E402

THEME = Path("slides/theme")


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
            self.assertEqual({color: own.get(color) for color in colors()},
                             {color: both[number] for color, both in colors().items()}, name)
        self.assertEqual(len(colors()), 5)

    def test_text_in_a_bar_and_next_to_it_can_be_read(self):
        for name, both in colors().items():
            for color, ground in zip(both, ("#ffffff", "#15181c")):
                self.assertGreaterEqual(contrast(color, ground), 4.5, f"{name} {color} on {ground}")

    def test_every_mark_of_the_table_is_read(self):
        marks = re.findall(r"X\(TIMELINE_\w+,", Path(TABLES).read_text("utf-8"))
        self.assertEqual(len(looks()), len(marks))
        self.assertEqual(list(looks())[:3], ["copy in", "kernel", "copy out"])

    def test_no_two_marks_that_fill_a_row_differ_by_colour_alone(self):
        shapes = [(look.lines, look.top, look.height) for words, look in looks().items()
                  if words not in ("event", "mark", "queued")]
        self.assertEqual(len(shapes), len(set(shapes)))

    def test_a_figures_key_has_the_tables_words(self):
        drawn = figure.drawn("lab02-no-wait").svg
        for words in ("host calls", "queued", "copy in", "kernel", "copy out", "event"):
            self.assertIn(f">{words}</text>", drawn)
        self.assertLess(drawn.index(">copy in</text>"), drawn.index(">host calls</text>"))


if __name__ == "__main__":
    unittest.main()
