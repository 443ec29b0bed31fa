"""A slide without a figure shows its text as large as there is room for: much text is smaller than little."""
import os
import re
import sys
import unittest
from pathlib import Path

os.chdir(Path(__file__).resolve().parents[2])
sys.path.insert(0, "slides/tools")

import fit  # noqa: E402

TITLE = '<h2 id="a-title">A</h2>'
NOTES = '<details class="notes"><summary>Notes</summary>' + "word " * 500 + "</details>"


def sizes(body, classes="slide"):
    section = fit.fitted(f'<section class="{classes}" id="a">{TITLE}{body}{NOTES}</section>')
    return {name: float(value) for name, value in re.findall(r"(--\w+): ([\d.]+)", section.split(">")[0])}


def table(rows, columns, cell="word"):
    row = "<tr>" + f"<td>{cell}</td>" * columns + "</tr>"
    return f"<table>{row * rows}</table>"


class Fit(unittest.TestCase):
    def test_little_text_is_large_and_notes_do_not_count(self):
        self.assertEqual(sizes("<p>Three short words.</p>"), {"--fit": fit.LARGEST})

    def test_a_question_may_be_larger_still(self):
        self.assertEqual(sizes("<p>Who waits for whom?</p>", "slide question"), {"--fit": fit.QUESTION})

    def test_more_text_is_never_larger(self):
        found = [sizes("<p>" + "some words here " * count + "</p>")["--fit"] for count in range(1, 120, 4)]
        self.assertEqual(found, sorted(found, reverse=True))
        self.assertEqual((found[0], found[-1]), (fit.LARGEST, 1))

    def test_lines_of_code_take_their_room(self):
        code = '<div class="listing" style="--lines:{};--columns:60"><pre>x</pre></div><p>One line.</p>'
        self.assertEqual(sizes(code.format(3))["--fit"], fit.LARGEST)
        self.assertLess(sizes(code.format(18))["--fit"], fit.LARGEST)

    def test_a_table_with_few_rows_has_more_room_in_its_cells_than_one_with_many(self):
        few, many = sizes(table(3, 2)), sizes(table(12, 2))
        self.assertEqual(few["--room"], fit.MOST_ROOM)
        self.assertLess(many["--room"], few["--room"])

    def test_a_broad_table_is_no_larger_than_its_columns_allow(self):
        narrow, broad = sizes(table(3, 2)), sizes(table(3, 3, "some words that take their room here"))
        self.assertGreater(narrow["--table"], broad["--table"])
        self.assertEqual(broad["--fit"], fit.LARGEST)

    def test_a_slide_with_a_figure_keeps_its_sizes(self):
        self.assertEqual(sizes("<figure><svg></svg></figure><p>Words.</p>"), {})


if __name__ == "__main__":
    unittest.main()
