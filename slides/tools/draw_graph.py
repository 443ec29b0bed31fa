"""A captured graph: its nodes, each right of the nodes that it waits for."""
from __future__ import annotations

from typing import Dict, List, Tuple

from draw_kit import (COPY_IN, COPY_OUT, INK, KERNEL, MUTED, PAPER, SMALL, TEXT, WIDE, Canvas, Part, bytes_text)

LOOKS = {"copy htod": ("copy in", COPY_IN), "copy dtoh": ("copy out", COPY_OUT), "kernel": ("kernel", KERNEL)}


def levels(count: int, edges: List[Tuple[int, int]], place: str) -> List[int]:
    """How many nodes stand before each, along the longest way."""
    level = [0] * count
    for _ in range(count):
        for before, after in edges:
            level[after] = max(level[after], level[before] + 1)
    if max(level) >= count:
        raise ValueError(f"{place}: the field edges has a circle")
    return level


Place = Tuple[int, float]  # the level and the row of a node


def graph_of(run: Part) -> Tuple[List[Part], List[Tuple[int, int]], List[Place]]:
    """Nodes, edges and the nodes' places."""
    numbers = run.parts("numbers")[0]
    nodes = numbers.parts("nodes")
    edges = [tuple(edge) for edge in numbers.values("edges", list, "pairs")]
    if any(len(edge) != 2 or not all(isinstance(end, int) and 0 <= end < len(nodes) for end in edge) for edge in edges):
        raise numbers.fault("edges", f"has an edge that does not join two of the {len(nodes)} nodes")
    level = levels(len(nodes), edges, numbers.place)
    return nodes, edges, list(zip(level, place_rows(len(nodes), edges, level)))


def draw(recipe: Part, records: List[Part]) -> Canvas:
    """The graph of the first run. The graphs of other runs have to be the same, however their nodes are numbered."""
    runs = records[0].parts("runs")
    nodes, edges, placed = graph_of(runs[0])
    for run in runs[1:]:
        others, joined, there = graph_of(run)
        if sorted(zip(placed, map(looks, nodes))) != sorted(zip(there, map(looks, others))) or \
                sorted((placed[a], placed[b]) for a, b in edges) != sorted((there[a], there[b]) for a, b in joined):
            raise ValueError(f"{run.place}: its graph is not that of the first run")
    canvas = Canvas(WIDE)
    across = (canvas.width - 210) / max(max(level for level, _ in placed), 1)
    places = [(105 + level * across, 50 + row * 86) for level, row in placed]
    for before, after in edges:
        canvas.arrow([(places[before][0] + 96, places[before][1]), (places[after][0] - 98, places[after][1])], INK, 2)
    for node, (x, y) in zip(nodes, places):
        draw_node(canvas, node, x, y)
    canvas.height = 50 + max(row for _, row in placed) * 86 + 48
    canvas.text(4, canvas.height + 14, f"{len(nodes)} nodes, {len(edges)} edges", MUTED, SMALL + 1)
    canvas.height += 24
    return canvas


def place_rows(count: int, edges: List[Tuple[int, int]], level: List[int]) -> List[float]:
    """Each node in the row of the first node that it waits for, unless that place is taken."""
    rows: List[float] = [0.0] * count
    taken: Dict[Tuple[int, float], int] = {}
    for k in sorted(range(count), key=lambda k: (level[k], k)):
        row = min((rows[before] for before, after in edges if after == k), default=0.0)
        while (level[k], row) in taken:
            row += 1
        rows[k] = row
        taken[level[k], row] = k
    return rows


def looks(node: Part) -> Tuple[str, str, str]:
    """What is written on a node, and its colour."""
    name, color = LOOKS.get(node.text("kind"), (node.text("kind"), KERNEL))
    return name, node.text("name", "") or bytes_text(node.number("bytes", 0)), color


def draw_node(canvas: Canvas, node: Part, x: float, y: float) -> None:
    name, detail, color = looks(node)
    round_ = 28 if color == KERNEL else 3
    canvas.rect(x - 95, y - 28, 190, 56, color, rx=round_)
    canvas.text(x, y - 3, name, PAPER, TEXT, "middle", bold=True)
    canvas.text(x, y + 17, detail, PAPER, SMALL, "middle")
