"""How large the text of a slide without a figure can be. A slide with little text shows it larger, so that no slide is
half empty; theme.css multiplies its sizes by what this finds.

The sizes below are those of theme.css, in rem. Widths are estimated, rather more than less: the tests measure in a
browser that nothing leaves its slide."""
from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Callable, List, Tuple

from draw_kit import width_of

WIDE, TALL = 72, 32.5  # what a slide has for its text below the title
TEXT, TABLE, BROAD_TABLE, CODE, SOURCE = 1.55, 1.4, 1.2, 1.4, .95
LINE, TABLE_LINE, CODE_LINE = 1.42, 1.35, 1.45
LARGEST, QUESTION, STEP = 1.4, 1.7, .05
LEAST_ROOM, MOST_ROOM = .35, .9  # above and below a cell, in em
MONO = .6  # of a letter's size


class Block:
    """A part of a slide: a paragraph, an item of a list, a table or a listing."""

    def __init__(self, kind: str, attributes: str = "") -> None:
        self.kind, self.attributes = kind, attributes
        self.words: List[Tuple[str, bool]] = []  # each with whether it is code
        self.rows: List[List["Block"]] = []

    def widths(self, size: float) -> List[float]:
        """Of the words. Those of a cell are not bold, those of a sentence may be."""
        bold = self.kind != "cell"
        return [len(word) * MONO * .88 * size if code else width_of(word, size, bold) for word, code in self.words]

    def lines(self, size: float, room: float) -> int:
        count, at = 1, 0.0
        for wide in self.widths(size):
            if at and at + wide > room:
                count, at = count + 1, 0.0
            at += wide
        return count


class Slide(HTMLParser):
    """The blocks of a slide, without its title and notes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.blocks: List[Block] = []
        self.skipped, self.code = 0, 0
        self.now: List[Block] = []
        self.feed(re.sub(r'<details class="notes">.*?</details>|<h2.*?</h2>|<p class="part">.*?</p>|'
                         r'<caption.*?</caption>|<pre.*?</pre>', "", text, flags=re.S))

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, str]]) -> None:
        given = dict(attrs)
        if tag in ("p", "li", "h3", "table") and not (tag == "p" and self.now):
            self.begin(Block(tag))
        elif tag == "div" and given.get("class") == "listing":
            self.blocks.append(Block("listing", given["style"] + (" named" if "data-from" in given else "")))
        elif tag == "tr":
            self.blocks[-1].rows.append([])
        elif tag in ("td", "th"):
            cell = Block("cell")
            self.blocks[-1].rows[-1].append(cell)
            self.now.append(cell)
        elif tag == "code":
            self.code += 1
        elif tag == "span" and given.get("class") == "source":
            if self.now and not self.now[-1].words:
                self.now[-1].kind = "cited"
            else:
                self.begin(Block("source"))

    def begin(self, block: Block) -> None:
        self.blocks.append(block)
        self.now.append(block)

    def handle_endtag(self, tag: str) -> None:
        if tag == "code":
            self.code -= 1
        elif tag in ("p", "li", "h3", "table", "td", "th") and self.now:
            self.now.pop()

    def handle_data(self, data: str) -> None:
        if self.now and self.now[-1].kind != "table":
            self.now[-1].words += [(word, self.code > 0) for word in re.findall(r"\S+\s*|\s+", data)]


# --- Heights ------------------------------------------------------------------------------------------------------

def columns(table: Block, size: float) -> List[float]:
    """How wide each column is if no cell breaks its lines."""
    count = max(len(row) for row in table.rows)
    return [max(sum(row[k].widths(size)) for row in table.rows if k < len(row)) + .9 * size for k in range(count)]


def table_size(table: Block, fit: float) -> float:
    """The size of a table's text: no larger than its columns allow, unless its cells break lines in any case."""
    least = BROAD_TABLE if max(len(row) for row in table.rows) > 3 else TABLE
    sizes = [least * (1 + k * STEP) for k in range(round((fit - 1) / STEP), 0, -1)]
    return next((size for size in sizes if sum(columns(table, size)) <= WIDE), least)


def table_height(table: Block, size: float, room: float) -> float:
    wide = columns(table, size)
    share = min(1.0, WIDE / sum(wide))
    rows = [max(cell.lines(size, wide[k] * share - .9 * size) for k, cell in enumerate(row)) for row in table.rows]
    return sum(lines * TABLE_LINE * size + 2 * room * size + .08 for lines in rows)


def code_height(listing: Block, fit: float) -> float:
    lines, wide = (int(number) for number in re.findall(r":(\d+)", listing.attributes))
    size = min(CODE * fit, (WIDE - 2.6) / (wide * MONO))
    return lines * CODE_LINE * size + (3 if "named" in listing.attributes else 1.7)


def height(blocks: List[Block], fit: float, room: float) -> float:
    size, total, before = TEXT * fit, 0.0, ""
    for block in blocks:
        if block.kind == "li":
            total += block.lines(size, WIDE - 8 - 1.3 * size) * LINE * size
            total += .3 * size if before == "li" else .8 * size
        elif block.kind == "table":
            total += table_height(block, table_size(block, fit), room) + .8 * size
        elif block.kind == "listing":
            total += code_height(block, fit) + .8 * size
        else:
            own = SOURCE if block.kind in ("cited", "source") else size
            total += block.lines(own, WIDE - 8) * LINE * own + (.8 * size if block.kind != "source" else 0)
        before = block.kind
    return total


def largest(holds: Callable[[float], bool], least: float, most: float) -> float:
    values = [most - k * STEP for k in range(round((most - least) / STEP))]
    return next((value for value in values if holds(value)), least)


def style(section: str, asks: bool) -> str:
    """The style of a slide's section: how many times as large its text is, its tables are, and their cells' room.
    A slide that asks the lesson's question has nothing that matters more."""
    if "<figure" in section:
        return ""
    blocks = Slide(section).blocks
    fit = largest(lambda value: height(blocks, value, LEAST_ROOM) <= TALL, 1, QUESTION if asks else LARGEST)
    values = {"--fit": fit}
    tables = [block for block in blocks if block.kind == "table"]
    if tables:
        base = BROAD_TABLE if max(len(row) for row in tables[0].rows) > 3 else TABLE
        values["--table"] = min(table_size(table, fit) for table in tables) / base
        values["--room"] = largest(lambda value: height(blocks, fit, value) <= TALL, LEAST_ROOM, MOST_ROOM)
    return "; ".join(f"{name}: {value:.2f}" for name, value in values.items())


def fitted(text: str) -> str:
    """The slides, each with its sizes."""
    def with_style(found: re.Match) -> str:
        sizes = style(found[2], 'class="slide question"' in found[1])
        return f'{found[1]} style="{sizes}">{found[2]}' if sizes else f"{found[1]}>{found[2]}"
    return re.sub(r'(<section class="slide\b[^>]*)>(.*?</section>)', with_style, text, flags=re.S)
