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
from draw_kit import Canvas, Part
from figure import Figure

DRAWN: Dict[str, Callable[[Part, List[Part]], Canvas]] = {
    "timeline": draw_timeline.draw, "bars": draw_numbers.draw_bars, "curve": draw_numbers.draw_curve,
    "dots": draw_numbers.draw_dots, "pool": draw_pool.draw, "graph": draw_graph.draw, "traffic": draw_traffic.draw,
}


def caption(records: List[Part]) -> str:
    """Where and when each record was made, and the command that makes it again."""
    said = []
    for record in records:
        settings = {run.text("setting") for run in record.parts("runs") if run.has("setting")}
        where = record.text("machine") + "".join(f" with {setting}" for setting in sorted(settings))
        said.append(f"{escape(where)}, {escape(record.text('date'))}: <code>{escape(record.text('command'))}</code>")
    return " · ".join(said)


def draw(recipe: Dict[str, Any], records: List[Dict[str, Any]], name: str) -> Figure:
    told = Part(recipe, "the recipe")
    parts = [Part(record, f"record {told.value['records'][k]}") for k, record in enumerate(records)]
    kind = told.text("kind")
    if kind == "table":
        return Figure(html=draw_table.html(told, parts), caption=caption(parts))
    if kind == "player":
        html, steps = draw_player.draw(told, parts)
        return Figure(html=html, steps=steps, caption=caption(parts))
    if kind not in DRAWN:
        raise ValueError(f'there is no kind of figure "{kind}": there are {", ".join(sorted(DRAWN))}')
    canvas = DRAWN[kind](told, parts)
    return Figure(svg=canvas.svg(told.text("title"), told.text("about")), caption=caption(parts))
