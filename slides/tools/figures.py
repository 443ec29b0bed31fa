"""Draws a figure from its recipe and its records: figure.py says what a figure is, record.py what a record holds. Each
kind of figure has a module, draw_KIND.py."""
from __future__ import annotations

from html import escape
from typing import Any, Callable, Dict, List

import draw_graph
import draw_numbers
import draw_player
import draw_pool
import draw_table
import draw_timeline
import draw_traffic
import shows
from draw_kit import Canvas, Part, binary_text
from figure import Figure

FLOAT = 4  # bytes

DRAWN: Dict[str, Callable[[Part, List[Part]], Canvas]] = {
    "bars": draw_numbers.draw_bars, "curve": draw_numbers.draw_curve,
    "dots": draw_numbers.draw_dots, "pool": draw_pool.draw, "graph": draw_graph.draw, "traffic": draw_traffic.draw,
}


def caption(recipe: Part, records: List[Part]) -> str:
    """Where and when each record was made, and the command that makes it again. With "arrays": true in the recipe, also
    how many arrays the record has, and their size."""
    said = []
    for record in records:
        settings = {run.text("setting") for run in record.parts("runs") if run.has("setting")}
        where = record.text("machine") + "".join(f" with {setting}" for setting in sorted(settings))
        arrays = f"{arrays_of(record)}, " if recipe.flag("arrays") else ""
        said.append(f"{escape(where)}, {arrays}{escape(record.text('date'))}: "
                    f"<code>{escape(record.text('command'))}</code>")
    return " · ".join(said)


def arrays_of(record: Part) -> str:
    """How many arrays the first run worked on, and the size of each: "8 arrays of 1 MiB"."""
    run = record.parts("runs")[0]
    if run.has("numbers"):
        numbers = run.parts("numbers")[0]
        count, sizes = int(numbers.number("arrays")), {int(numbers.number("length")) * FLOAT}
    else:
        copies = [int(op.number("bytes")) for op in run.parts("ops") if op.text("kind") == "copy htod"]
        count, sizes = len(copies), set(copies)
    if len(sizes) != 1:
        raise ValueError(f"{run.place}: its copies in have {len(sizes)} sizes, and the caption names one")
    return f"{count} arrays of {binary_text(sizes.pop())}"


def draw(recipe: Dict[str, Any], records: List[Dict[str, Any]], name: str) -> Figure:
    told = Part(recipe, "the recipe")
    parts = [Part(record, f"record {told.value['records'][k]}") for k, record in enumerate(records)]
    for part in parts:
        shows.check(told, part)
    kind = told.text("kind")
    if kind == "table":
        return Figure(html=draw_table.html(told, parts), caption=caption(told, parts))
    if kind == "player":
        html, steps = draw_player.draw(told, parts)
        return Figure(html=html, steps=steps, caption=caption(told, parts))
    if kind == "timeline":
        return Figure(svg=draw_timeline.draw(told, parts), caption=caption(told, parts))
    if kind not in DRAWN:
        kinds = sorted([*DRAWN, "table", "player", "timeline"])
        raise ValueError(f'there is no kind of figure "{kind}": there are {", ".join(kinds)}')
    canvas = DRAWN[kind](told, parts)
    return Figure(svg=canvas.svg(told.text("title"), told.text("about")), caption=caption(told, parts))
